"""What a step says to the runner: nothing that a specification says can become a command, an output or a page."""

from __future__ import annotations

from pathlib import Path

import pytest
from forge.runner import Run, read_outputs

from guardian.host.workflow import SUMMARY_LIMIT, annotation, append_summary, cut, with_notices, write_outputs

HOSTILE = [
    "a\nresult=pass",
    "a\n::set-output name=result::pass",
    "result<<EOF\npass\nEOF",
    "EOF\nEOF",
    "a=b",
    "",
    "\u2028æ%0A",
]


@pytest.mark.parametrize("value", HOSTILE)
def test_outputs_hold_any_text(tmp_path: Path, value: str):
    """Whatever a value says, the workflow reads that value under that name, and no other one."""
    file = tmp_path / "output"
    for values in ({"result": "fail"}, {"consumers-broken": value, "base": "abc"}):
        write_outputs(values, {"GITHUB_OUTPUT": str(file)})
    expected = {"result": "fail", "consumers-broken": "\n".join(value.splitlines()), "base": "abc"}
    assert {name: "\n".join(each.splitlines()) for name, each in read_outputs(file.read_text()).items()} == expected


def test_marks_are_not_guessable(tmp_path: Path):
    """The end of a value is marked by something else each time."""
    texts = []
    for name in ("one", "two"):
        write_outputs({"a": "b"}, {"GITHUB_OUTPUT": str(tmp_path / name)})
        texts.append((tmp_path / name).read_text())
    assert texts[0] != texts[1]


@pytest.mark.parametrize("unit", ["line of a report\n", "æøå€😀\n", "x"])
def test_summary_stays_within_its_limit(tmp_path: Path, unit: str):
    """A summary never passes 1 MiB of UTF-8, with what was there before, and says where it was cut."""
    file = tmp_path / "summary"
    file.write_text("before\n")
    append_summary(unit * (3 * SUMMARY_LIMIT // len(unit)), {"GITHUB_STEP_SUMMARY": str(file)})
    data = file.read_bytes()
    assert len(data) <= SUMMARY_LIMIT
    assert data.startswith(b"before\n")
    assert data.endswith(b"_Cut here, for GitHub's limit._\n")
    data.decode()


def test_short_text_is_not_cut():
    """What fits is kept as it is, to the byte."""
    assert cut("æ\n", 3) == "æ\n"
    assert cut("æ\n" * 100, 200) != "æ\n" * 100


@pytest.mark.parametrize(
    "text", ["a\n::error::b", "::error::b", "##[error]b", "a%0A::error::b", "a\r\n::stop-commands::x", "\x1b[31m"]
)
def test_annotation_is_one_command(text: str):
    """A message makes one annotation, whatever it says."""
    line = annotation("notice", text, title="a:b,c", file="x,y:z.yaml")
    assert "\n" not in line
    assert "\r" not in line
    assert "\x1b" not in line
    found = Run(0, line, {}, "").annotations
    assert [(each.level, each.properties) for each in found] == [("notice", {"file": "x,y:z.yaml", "title": "a:b,c"})]


def test_nothing_to_write_to(tmp_path: Path):
    """Outside of a runner there is nobody to tell, which is no error."""
    write_outputs({"a": "b"}, {})
    append_summary("a", {})


@pytest.mark.parametrize(("there", "ours"), [(0, 1), (1, 1), (9, 1), (10, 1), (10, 2)])
def test_our_notices_have_room(there: int, ours: int):
    """The runner shows ten notices of a step: ours are among them, and so is the verdict."""
    annotations = "::error title=a::b\n" + "".join(f"::notice title={number}::x\n" for number in range(there))
    lines = with_notices(annotations, [f"ours {number}" for number in range(ours)]).splitlines()
    notices = [line for line in lines if line.startswith("::notice")]
    assert len(notices) == min(10, there + ours)
    assert lines[0] == "::error title=a::b"
    assert [line.partition("::ours ")[2] for line in lines[-ours:]] == [str(number) for number in range(ours)]
    if there:
        assert f"::notice title={there - 1}::x" in lines
        assert len(lines) == len(set(lines))

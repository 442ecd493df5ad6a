"""Flags over guardian.yaml over defaults."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from guardian.cli.flags import CheckFlags
from guardian.cli.settings import find_config, resolve
from guardian.config import Config, FailOn, ReportFormat
from guardian.errors import ConfigError, UsageError
from guardian.model import Mode


def test_nothing_said(tmp_path: Path):
    """Without flags and guardian.yaml the documented defaults hold."""
    run = resolve(CheckFlags(), tmp_path)
    assert run.request.config == Config()
    assert run.request.config_file is None
    assert (run.request.base, run.request.head, run.request.exceptions, run.request.model) == (None,) * 4
    assert (run.request.mode, run.request.fail_on, run.request.fixes) == (Mode.BOTH, FailOn.BREAKING, True)
    assert run.request.jobs >= 1
    assert (run.format, run.reports, run.advisory) == (ReportFormat.TERMINAL, (), False)


EVERYTHING = """
base: v1
head: v2
only_services: [a]
consumers: [c/*.yaml, "git+https://host/x#main:*.yaml"]
only_consumers: [billing]
mode: contract
fail_on: none
advisory: true
format: json
reports: {sarif: out/a.sarif}
exceptions: e.yaml
as_of: 2027-01-31
fixes: false
model: {endpoint: "http://box:8000/v1"}
allow_remote_refs: [h]
jobs: 3
quiet: true
verbose: true
color: true
"""


def test_guardian_yaml_says_what_flags_say(tmp_path: Path):
    """Every flag has a key of the same meaning."""
    (tmp_path / "guardian.yaml").write_text(EVERYTHING)
    (tmp_path / "e.yaml").touch()
    run = resolve(CheckFlags(), tmp_path)
    request = run.request
    assert (request.base, request.head, request.services, request.only_consumers) == ("v1", "v2", ("a",), ("billing",))
    assert request.consumers == ("c/*.yaml", "git+https://host/x#main:*.yaml")
    assert (request.mode, request.fail_on, request.exceptions) == (Mode.CONTRACT, FailOn.NONE, "e.yaml")
    assert (request.as_of, request.fixes, request.model) == (date(2027, 1, 31), False, "http://box:8000/v1")
    assert (request.allow_remote_refs, request.jobs) == (("h",), 3)
    assert run.reports == ((ReportFormat.SARIF, tmp_path / "out/a.sarif"),)
    assert (run.format, run.advisory, run.quiet, run.verbose, run.color) == (ReportFormat.JSON, True, True, True, True)


def test_flags_go_before_guardian_yaml(tmp_path: Path):
    """A flag that is given goes before its key."""
    (tmp_path / "guardian.yaml").write_text(EVERYTHING)
    flags = CheckFlags(
        base="a.yaml",
        head="b.yaml",
        service=["b"],
        consumers=["d"],
        consumer=["web"],
        mode=Mode.CONSUMERS,
        fail_on=FailOn.WARNING,
        advisory=False,
        format=ReportFormat.HTML,
        report=["junit=j.xml"],
        exceptions="f.yaml",
        as_of="2027-02-01",
        fixes=True,
        model="dir",
        allow_remote_refs=["i"],
        jobs=2,
        color=False,
    )
    run = resolve(flags, tmp_path)
    request = run.request
    assert (request.base, request.head, request.services, request.consumers) == ("a.yaml", "b.yaml", ("b",), ("d",))
    assert (request.only_consumers, request.mode, request.fail_on) == (("web",), Mode.CONSUMERS, FailOn.WARNING)
    assert (request.exceptions, request.as_of, request.fixes) == ("f.yaml", date(2027, 2, 1), True)
    assert (request.model, request.allow_remote_refs, request.jobs) == ("dir", ("i",), 2)
    assert run.reports == ((ReportFormat.JUNIT, tmp_path / "j.xml"),)
    assert (run.format, run.advisory, run.color) == (ReportFormat.HTML, False, False)


def test_paths_start_from_guardian_yaml(tmp_path: Path):
    """Paths in guardian.yaml start from its folder, those of flags from the working directory."""
    here = tmp_path / "sub"
    here.mkdir()
    (tmp_path / "released.yaml").touch()
    (tmp_path / "e.yaml").touch()
    (tmp_path / "guardian.yaml").write_text(
        "consumers: [c/*.yaml]\nexceptions: e.yaml\nreports: {json: out.json}\nbase: released.yaml\nhead: HEAD\n"
    )
    run = resolve(CheckFlags(config="../guardian.yaml"), here)
    assert run.request.consumers == ("../c/*.yaml",)
    assert run.request.exceptions == "../e.yaml"
    assert (run.request.base, run.request.head) == ("../released.yaml", "HEAD")
    assert [path.resolve() for _, path in run.reports] == [tmp_path / "out.json"]


def test_config_is_found_within_the_repository(tmp_path: Path):
    """guardian.yaml is looked for upwards, but not beyond the repository, and without one only here."""
    inner = tmp_path / "repo" / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "guardian.yaml").touch()
    assert find_config(inner) is None
    (tmp_path / "repo" / ".git").mkdir()
    assert find_config(inner) is None
    (tmp_path / "repo" / "guardian.yaml").touch()
    assert find_config(inner) == tmp_path / "repo" / "guardian.yaml"


def test_exceptions_beside_guardian_yaml(tmp_path: Path):
    """The exceptions file beside guardian.yaml is used unasked, once it exists; without a guardian.yaml it is not."""
    (tmp_path / "guardian.yaml").touch()
    assert resolve(CheckFlags(), tmp_path).request.exceptions is None
    (tmp_path / "guardian.yaml").unlink()
    (tmp_path / "guardian.exceptions.yaml").touch()
    assert resolve(CheckFlags(), tmp_path).request.exceptions is None
    (tmp_path / "guardian.yaml").touch()
    assert resolve(CheckFlags(), tmp_path).request.exceptions == "guardian.exceptions.yaml"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("fail_on: [", "guardian.yaml"),
        ("mode: both\nsevrity: {}\n", "guardian.yaml:2:1: unknown key `sevrity`\n  did you mean `severity`?"),
        ("services:\n  users: {owner: a}\n", "guardian.yaml:2:3: `services.users` lacks the key `spec`"),
        ("mode: both\nmode: both\n", "guardian.yaml:2"),
    ],
)
def test_wrong_guardian_yaml(tmp_path: Path, text: str, said: str):
    """Whatever is wrong with guardian.yaml is a configuration error that names the line."""
    (tmp_path / "guardian.yaml").write_text(text)
    with pytest.raises(ConfigError) as raised:
        resolve(CheckFlags(), tmp_path)
    assert said in str(raised.value)


def test_config_that_is_not_there(tmp_path: Path):
    """A --config that does not exist is an error, not no configuration."""
    with pytest.raises(ConfigError, match="cannot be read"):
        resolve(CheckFlags(config="other.yaml"), tmp_path)


def test_exceptions_that_cannot_be_looked_at_are_not_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Reading them says why; without them the check would be another one."""
    (tmp_path / "guardian.yaml").write_text("exceptions: closed/accepted.yaml\n")
    is_file = Path.is_file

    def guarded(path: Path) -> bool:
        if path.parent.name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return is_file(path)

    monkeypatch.setattr(Path, "is_file", guarded)
    assert resolve(CheckFlags(), tmp_path).request.exceptions == "closed/accepted.yaml"


def test_the_other_ending_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """guardian.yml is not read, which is said where no guardian.yaml is nearer; quiet is quiet."""
    (tmp_path / "guardian.yml").write_text("fail_on: none\n")
    assert resolve(CheckFlags(), tmp_path).request.fail_on is FailOn.BREAKING
    assert "guardian.yml is not read: guardian reads guardian.yaml" in capsys.readouterr().err
    resolve(CheckFlags(quiet=True), tmp_path)
    assert resolve(CheckFlags(config="guardian.yml"), tmp_path).request.fail_on is FailOn.NONE
    (tmp_path / "guardian.yaml").touch()
    resolve(CheckFlags(), tmp_path)
    assert capsys.readouterr().err == ""


def test_a_report_called_dash(tmp_path: Path):
    """In guardian.yaml, too, `-` is no file to write a report to."""
    (tmp_path / "guardian.yaml").write_text("reports: {sarif: '-'}\n")
    with pytest.raises(UsageError, match="the sarif report needs the name of a file"):
        resolve(CheckFlags(), tmp_path)


def test_how_to_make_the_check_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The flags that make the same check, as a shell takes them; not those of its report, and no credentials."""
    flags = CheckFlags(
        base="old base.yaml",
        service=["users", "-x"],
        consumers=["git+https://me:secret@git.example/c.git#main:*.yaml"],
        mode=Mode.BOTH,
        format=ReportFormat.JSON,
        quiet=True,
        fail_on=FailOn.NONE,
    )
    again = resolve(flags, tmp_path).again
    assert again.flags == (
        "--base 'old base.yaml' --service users --service=-x "
        "--consumers 'git+https://git.example/c.git#main:*.yaml' --mode both"
    )
    assert (again.applies, again.model) == (True, False)
    assert resolve(CheckFlags(), tmp_path).again.flags == ""
    assert not resolve(CheckFlags(head="v2"), tmp_path).again.applies  # a revision is not written to
    assert resolve(CheckFlags(model="http://box"), tmp_path).again.model
    monkeypatch.setenv("GUARDIAN_AGAIN", '["--service=a b"]')
    assert resolve(flags, tmp_path).again.flags == "'--service=a b'"
    for odd in ("", "{}", "["):
        monkeypatch.setenv("GUARDIAN_AGAIN", odd)
        assert resolve(flags, tmp_path).again.flags == ""


@pytest.mark.parametrize("other", ["x.json", "./x.json", "a/../x.json"])
def test_reports_of_one_file(tmp_path: Path, other: str):
    """One of two would be lost; the same twice is once."""
    with pytest.raises(UsageError, match=r"the json and the html report would both be written to x\.json"):
        resolve(CheckFlags(report=["json=x.json", f"html={other}"]), tmp_path)
    assert len(resolve(CheckFlags(report=["json=x.json", f"json={other}"]), tmp_path).reports) == 1


def test_reports_beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Reports by flags go before those of guardian.yaml, unless they are said to be beside them."""
    (tmp_path / "guardian.yaml").write_text("version: 1\nreports: {sarif: a.sarif}\n")
    flags = CheckFlags(report=["json=x.json"])
    assert [name for name, _ in resolve(flags, tmp_path).reports] == [ReportFormat.JSON]
    monkeypatch.setenv("GUARDIAN_REPORTS_BESIDE", "1")
    assert [name for name, _ in resolve(flags, tmp_path).reports] == [ReportFormat.JSON, ReportFormat.SARIF]

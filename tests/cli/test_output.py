"""Where output goes, and what it looks like there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from guardian.cli.output import complain, plain, report_width, wants_color, write_file, write_stdout
from guardian.cli.progress import Progress
from guardian.errors import ReadError, UsageError


@pytest.mark.parametrize(
    ("flag", "environment", "wanted"),
    [
        (None, {}, False),  # captured, so no terminal
        (None, {"FORCE_COLOR": "1"}, True),
        (None, {"FORCE_COLOR": "0"}, False),
        (None, {"FORCE_COLOR": ""}, False),
        (None, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": "1"}, True),
        (False, {"FORCE_COLOR": "1"}, False),
        (None, {"CI": "true", "GITHUB_ACTIONS": "true"}, False),
    ],
)
def test_color(flag: bool | None, environment: dict[str, str], wanted: bool, monkeypatch: pytest.MonkeyPatch):
    """The flag goes before NO_COLOR, that before FORCE_COLOR; CI alone changes nothing."""
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert wants_color(flag) is wanted


@pytest.mark.parametrize("line", ["::error::x", "  ::error::x", "##[error]x", "\t##vso[task.complete]"])
def test_no_line_is_a_log_command(line: str):
    """A line that a CI system would obey is no such line any more."""
    assert not plain(line).lstrip().startswith(("::", "##"))


def test_control_characters_are_shown():
    """Escapes and other invisible characters become visible; letters of any script stay."""
    assert plain("é日\x1b[2J\u202e\x07") == "é日\\x1b[2J\\u202e\\x07"


def test_file_is_written_whole_with_its_folder(tmp_path: Path):
    """A report file appears whole, its folder made, nothing else left beside it, readable as the umask says."""
    file = tmp_path / "out" / "deep" / "report.json"
    write_file(file, "first")
    write_file(file, "é\n")
    assert file.read_bytes() == "é\n".encode()
    assert [each.name for each in file.parent.iterdir()] == ["report.json"]
    mask = os.umask(0)
    os.umask(mask)
    assert file.stat().st_mode & 0o777 == 0o666 & ~mask


def test_file_that_cannot_be_written(tmp_path: Path):
    """A report that cannot be written is wrong usage, and says which file."""
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="cannot write") as raised:
        write_file(tmp_path / "file" / "report.json", "")
    assert raised.value.file == str(tmp_path / "file" / "report.json")


def test_a_reader_that_has_gone_is_no_error():
    """`guardian ... | head` neither complains nor changes the exit code."""
    script = "from guardian.cli.output import write_stdout\nfor _ in range(3): write_stdout('x' * 200000)"
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def written_by(args: list[str], out: Path) -> None:
    """`write_file` in a process whose standard output goes to a file, followed by a line of its own."""
    script = "import sys\nfrom pathlib import Path\nfrom guardian.cli.output import write_file, write_stdout\n"
    script += f"for name in {args!r}:\n    write_file(Path(name), 'report\\n')\nwrite_stdout('text\\n')\n"
    with out.open("wb") as stream:
        subprocess.run([sys.executable, "-c", script], stdout=stream, check=True)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="streams have no names here")
def test_standard_output_by_another_name(tmp_path: Path):
    """What is written there comes before the text for standard output, whatever that goes to, and its name stays."""
    link = tmp_path / "stdout"
    link.symlink_to("/proc/self/fd/1")
    out = tmp_path / "out"
    written_by([str(link), "/proc/self/fd/1"], out)
    assert out.read_text() == "report\nreport\ntext\n"
    assert os.readlink(link) == "/proc/self/fd/1"


def test_a_link_stays_a_link(tmp_path: Path):
    """The file that it leads to is written, be it there or not."""
    (tmp_path / "reports").mkdir()
    for name in ("old", "new"):
        (tmp_path / name).symlink_to(f"reports/{name}")
    (tmp_path / "reports" / "old").write_text("before")
    for name in ("old", "new"):
        write_file(tmp_path / name, "report")
        assert (tmp_path / name).is_symlink()
        assert (tmp_path / "reports" / name).read_text() == "report"
    assert len(list((tmp_path / "reports").iterdir())) == 2


def test_a_file_that_standard_output_goes_to(tmp_path: Path):
    """Asked for by its own name, the report takes its place."""
    out = tmp_path / "out"
    written_by([str(out)], out)
    assert out.read_text() == "report\n"


def test_streams_that_are_not_there(monkeypatch: pytest.MonkeyPatch):
    """They are no terminals; what goes to standard error goes nowhere, and the report is missed."""
    for name in ("stdout", "stderr"):
        monkeypatch.setattr(sys, name, None)
    assert not wants_color(None)
    assert report_width() == 100
    assert Progress(quiet=False)("reading") is None
    complain(ReadError("is not there"))
    with pytest.raises(UsageError, match="standard output cannot be written: it is closed"):
        write_stdout("report\n")


def test_a_link_to_itself_takes_no_report(tmp_path: Path):
    """It is wrong usage like other places that cannot be written."""
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(UsageError, match="cannot write the file"):
        write_file(tmp_path / "loop", "report\n")


def test_full_disk_leaves_nothing_behind(tmp_path: Path):
    """A report that cannot be written whole is not there at all, nor what was begun of it."""
    pytest.importorskip("resource")
    limited = "import resource, signal, sys\nfrom pathlib import Path\nfrom guardian.cli.output import write_file\n"
    limited += (
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\nresource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
    )
    limited += "write_file(Path(sys.argv[1]), 'x' * 100_000)\n"
    done = subprocess.run(
        [sys.executable, "-c", limited, str(tmp_path / "r.json")], capture_output=True, text=True, check=False
    )
    assert "UsageError" in done.stderr
    assert list(tmp_path.iterdir()) == []

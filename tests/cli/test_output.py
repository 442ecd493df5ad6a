"""Where output goes, and what it looks like there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from guardian.cli.output import plain, wants_color, write_file
from guardian.errors import UsageError


@pytest.mark.parametrize(
    ("flag", "environment", "wanted"),
    [
        (None, {}, False),  # captured, so no terminal
        (None, {"FORCE_COLOR": "1"}, True),
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

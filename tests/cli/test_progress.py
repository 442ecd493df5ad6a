"""The line that tells what is going on: on a terminal, as wide as it is, and gone when all is said."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pty = pytest.importorskip("pty", reason="terminals of this kind are not on every system")

SPEC = "openapi: 3.0.3\ninfo: {title: T, version: '1'}\npaths: {/a: {get: {responses: {'200': {description: '%s'}}}}}\n"
NAME = "orders" * 30


@pytest.fixture
def sides(tmp_path: Path) -> list[str]:
    """The flags that name two versions of a service with a long name."""
    paths = [tmp_path / side / f"{NAME}.yaml" for side in ("base", "head")]
    for path in paths:
        path.parent.mkdir()
        path.write_text(SPEC % path.parent.name)
    return ["--base", str(paths[0]), "--head", str(paths[1])]


def shown(*args: str, **environment: str) -> tuple[str, str]:
    """What a command writes to a terminal that standard error is, and its standard output."""
    ours, theirs = pty.openpty()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "guardian", "check", *args],
            stdout=subprocess.PIPE,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "60", **environment},
            check=True,
        )
        os.write(theirs, b"|")
        written = b""
        while not written.endswith(b"|"):
            written += os.read(ours, 4096)
    finally:
        os.close(ours)
        os.close(theirs)
    return written.decode(), done.stdout.decode()


def test_the_step_in_hand_is_shown(sides: list[str]) -> None:
    """Each in the place of the last one, cut to the terminal's width; at the end the line is empty."""
    written, report = shown(*sides)
    lines = [each for each in re.split(r"\r *\r", written) if each]
    assert lines[0].startswith("reading both sides")
    assert any(each.startswith("comparing orders") for each in lines)
    assert max(map(len, lines)) == 59
    assert lines[-1] == "|"
    assert "\n" not in written
    assert report.startswith("PASS")


def test_nobody_asked(sides: list[str]) -> None:
    """Nothing is written where that is the wish, or where the terminal cannot go back in a line."""
    assert shown(*sides, "--quiet")[0] == "|"
    assert shown(*sides, TERM="dumb")[0] == "|"

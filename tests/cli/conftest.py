"""Running the command line inside the test process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from guardian.cli.main import run


class Outcome(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


Guardian = Callable[..., Outcome]


@pytest.fixture
def guardian(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Guardian:
    """Call ``guardian ARGS`` in ``tmp_path``, as if it had no terminal, no colour settings and no CI around it."""
    for name in ("NO_COLOR", "FORCE_COLOR", "GITHUB_BASE_REF", "CI_MERGE_REQUEST_DIFF_BASE_SHA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)

    def call(*args: str) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["guardian", *args])
        with pytest.raises(SystemExit) as ended:
            run()
        out, err = capsysbinary.readouterr()
        return Outcome(int(ended.value.code or 0), out.decode(), err.decode())

    return call

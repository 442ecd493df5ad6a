"""Shell completion: commands and flags, although a command's module is imported only when it runs."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("guardian ch", ["check", "changelog"]),
        ("guardian check --ba", ["--base"]),
        ("guardian exceptions pr", ["prune"]),
        ("guardian schema man", ["manifest"]),
        ("guardian check --mode con", ["contract", "consumers"]),
    ],
)
def test_the_shell_is_told_what_fits(typed: str, completed: list[str]) -> None:
    """Commands, their subcommands, flags, and the values of both are completed."""
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split()) - 1)}
    done = subprocess.run(
        [sys.executable, "-m", "guardian"],
        env=os.environ | words | {"_GUARDIAN_COMPLETE": "complete_bash"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == completed, done.stderr

"""The page with a pull request's life is what the action does today."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
def test_page_is_fresh():
    """docs/action-transcript.md is what its script writes."""
    script = Path(__file__).resolve().parents[2] / "docs/action_transcript.py"
    done = subprocess.run([sys.executable, script, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stderr}run `python docs/action_transcript.py`"

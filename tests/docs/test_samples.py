"""The samples of every report format are what guardian writes today."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

import samples  # noqa: E402


def test_samples_are_fresh() -> None:
    """`make docs` writes them anew."""
    for path, text in samples.samples().items():
        assert path.read_text(encoding="utf-8") == text, path.name

"""The page about fixes says what the code does."""

from __future__ import annotations

import runpy
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"


def test_the_table_is_the_codes_own() -> None:
    """docs/fixes.md holds the table that docs/fix_strategies.py prints today."""
    page = (DOCS / "fixes.md").read_text(encoding="utf-8")
    table = runpy.run_path(str(DOCS / "fix_strategies.py"))["table"]()
    assert f"<!-- generated: fix-strategies -->\n{table}<!-- /generated -->" in page

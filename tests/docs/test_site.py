"""The documentation site, and what is written into the pages from the code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

import reference_pages  # noqa: E402


@pytest.mark.parametrize(
    "name", [*(f"{each}.md" for each in reference_pages.SCHEMAS), "commands.md", "environments.md"]
)
def test_the_reference_is_that_of_the_code(name: str) -> None:
    """Each page of the reference is what the code says today: `make docs` writes it."""
    assert (ROOT / "docs" / "reference" / name).read_text(encoding="utf-8") == reference_pages.pages()[name]


@pytest.mark.slow
def test_no_link_is_broken(tmp_path: Path) -> None:
    """The site builds without a warning: pages, anchors and what they link to in the repository are there."""
    pytest.importorskip("mkdocs", reason="the docs extra is not installed")
    pytest.importorskip("material", reason="the docs extra is not installed")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", tmp_path / "site"],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "site" / "tutorial.html").is_file()

"""The documentation's commands, run as a reader would."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

import blocks  # noqa: E402


@pytest.mark.slow
@pytest.mark.parametrize("page", blocks.pages(), ids=lambda page: page.relative_to(ROOT / "docs").as_posix())
def test_a_page_shows_what_its_commands_print(page: Path) -> None:
    """Every command of a page does what the page shows: `python docs/blocks.py PAGE` writes it anew."""
    text = page.read_text(encoding="utf-8")
    assert blocks.refreshed(text) == text


def test_there_are_pages_that_run() -> None:
    """The tutorial is among the pages that are run."""
    assert ROOT / "docs" / "tutorial.md" in blocks.pages()


def test_an_output_that_is_not_the_commands_own_is_replaced() -> None:
    """What a page shows and the command does not print is drift; `...` stands for lines left out."""
    page = "<!-- run: empty -->\n```console\n$ echo one; echo two\n{}```\n"
    assert blocks.refreshed(page.format("three\n")) == page.format("one\ntwo\n")
    assert blocks.refreshed(page.format("one\n...\n")) == page.format("one\n...\n")


def test_the_day_of_a_run_is_no_drift() -> None:
    """A window that ends some days from today ends on another day tomorrow, and the page stays right."""
    page = "<!-- run: empty -->\n```console\n$ date -u +%Y-%m-%d\n2026-01-09\n```\n"
    assert blocks.refreshed(page) == page


def test_a_command_that_fails_unasked_fails_the_page() -> None:
    """An exit code other than 0 is a fault of the page, unless its next command asks for it."""
    page = "<!-- run: empty -->\n```console\n$ (exit 3)\n{}```\n"
    with pytest.raises(blocks.PageFailed):
        blocks.refreshed(page.format(""))
    asked = page.format("$ echo $?\n3\n")
    assert blocks.refreshed(asked) == asked


def test_a_page_writes_the_files_that_it_asks_for() -> None:
    """A block under a file marker lies in the folder for the commands after it."""
    page = "<!-- run: empty -->\n```console\n$ true\n```\n<!-- file: a/b.yaml -->\n```yaml\nx: 1\n```\n<!-- run -->\n```console\n$ cat a/b.yaml\nx: 1\n```\n"
    assert blocks.refreshed(page) == page

"""The pull-request comment."""

from __future__ import annotations

import html
import re

import pytest
from markdown_it import MarkdownIt

from guardian.model import Note, Report
from guardian.report import render
from guardian.report.markdown import HARD_LIMIT, MARKER_ROOM
from guardian.report.markdown import render as markdown
from tests.report import samples

GFM = MarkdownIt("commonmark").enable("table").enable("strikethrough")


def rows(report: Report) -> list[list[str]]:
    found = [line.strip("|").split("|") for line in render("markdown", report).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for row in found]


def test_the_verdict_comes_first() -> None:
    lines = render("markdown", samples.friday_rename()).splitlines()
    assert lines[0] == "## guardian: FAIL"
    assert lines[2].startswith("**3 breaking changes break 5 consumers: ")
    assert lines[4].startswith("Compared 8 changes")


def test_a_table_crosses_changes_with_consumers() -> None:
    head, _, email, tenant, *_ = rows(samples.friday_rename())
    assert head[3:] == ["`analytics`", "`billing`", "`notifications`", "`orders`", "`storefront`"]
    assert email[3:] == ["**broken** (hop 2)", "**broken**", "**broken**", "**broken**", ""]
    assert tenant[3:] == ["", "possible", "", "", "**broken**"]


def test_many_consumers_share_one_column() -> None:
    head, _, row = rows(samples.many(consumers=30))
    assert head == ["", "change", "where", "hits"]
    assert row[3].startswith("`consumer-000` **broken**, ")
    assert row[3].endswith(" and 22 more")


def test_witness_and_fix_are_folded() -> None:
    text = render("markdown", samples.friday_rename())
    open_text = re.sub(r"<details>.*?</details>", "", text, flags=re.DOTALL)
    assert "Witness" in text
    assert "guardian fix --apply" in text
    assert "```diff" in text
    assert "Witness" not in open_text
    assert "```" not in open_text


def test_owners_of_what_breaks_are_mentioned() -> None:
    """Those whose consumer breaks, and nobody else: not the owners of what is accepted or merely possible."""
    text = render("markdown", samples.friday_rename())
    line = next(line for line in text.splitlines() if line.startswith("Owners"))
    assert line == "Owners of what breaks: @acme/billing, @acme/notifications, @acme/storefront, `team-orders`"
    outside = re.sub(r"`[^`]*`|<summary>.*?</summary>", "", text.replace(line, ""))
    assert not re.search(r"@\w", outside)


@pytest.mark.parametrize("owner", ["@all", "@everyone", "@here", "@Channel", "@a/b @c", "@org/../x", "@", "x@y", "@-a"])
def test_no_owner_can_mention_a_crowd(owner: str) -> None:
    broken = samples.BILLING._replace(owner=owner, contact=None)
    text = render("markdown", samples.friday_rename()._replace(changes=(samples.EMAIL._replace(consumers=(broken,)),)))
    line = next(line for line in text.splitlines() if line.startswith("Owners"))
    assert re.sub(r"`[^`]*`|<code>.*?</code>", "", line) == "Owners of what breaks: "


def test_ten_owners_are_mentioned_at_most() -> None:
    text = render("markdown", samples.many(consumers=40))
    line = next(line for line in text.splitlines() if line.startswith("Owners"))
    assert line.count("@acme/") == 10
    assert line.endswith("and 30 more")


@pytest.mark.parametrize("unit", ["friday rename", "\U0001f600"])
def test_a_comment_fits_and_says_what_was_left_out(unit: str) -> None:
    """65,535 characters are the hosts' limit; ours holds for bytes, with room for a marker."""
    report = samples.many(operations=2, consumers=20, edits=400)
    changes = tuple(change._replace(why=unit * 300) for change in report.changes)
    text = render("markdown", report._replace(changes=changes))
    assert 40_000 < len(text.encode()) <= HARD_LIMIT - MARKER_ROOM
    assert text.splitlines()[0] == "## guardian: FAIL"
    assert re.search(r"_Left out .*: .*\d+ rows?, \d+ changes in detail.* The full report has them._\n$", text)
    assert text.count("<details>") == text.count("</details>")


@pytest.mark.parametrize("limit", [4_096, 10_000, 64_511])
@pytest.mark.parametrize("sample", ["friday_rename", "hostile", "many"])
def test_any_limit_is_kept(sample: str, limit: int) -> None:
    """Whatever the names and however long: the verdict stays, the size holds."""
    text = markdown(getattr(samples, sample)(), limit=limit)
    assert len(text.encode()) <= limit
    assert text.startswith("## guardian: FAIL\n")


def test_hostile_text_is_only_text() -> None:
    """Rendered, a hostile report has the elements that a tame one has: no link, image, script, heading or comment."""
    rendered = GFM.render(render("markdown", samples.hostile(), verbose=True))
    tags = set(re.findall(r"<(/?[a-zA-Z!][^\s>]*)", rendered))
    blocks = {"h2", "p", "table", "thead", "tbody", "tr", "th", "td", "ul", "ol", "li", "pre", "details", "summary"}
    assert {tag.strip("/") for tag in tags} <= blocks | {"strong", "em", "code"}
    assert rendered.count("<h2>") == 1
    outside = re.sub(r"<(pre|code)\b.*?</\1>", "", rendered, flags=re.DOTALL)
    assert not re.search(r"@\w|#\d|\w://|www\.", html.unescape(outside))


def test_a_clean_comment_is_short() -> None:
    assert render("markdown", samples.clean()).count("\n") == 5


def test_what_breaks_leaves_room_for_fixes_and_for_what_to_do() -> None:
    """A comment that is full still says what to do, and shows a fix beside the changes that break."""
    report = samples.many(edits=300, operations=1, consumers=3)
    fixes = tuple(samples.friday_rename().fixes[0]._replace(id=f"F{number}") for number in range(1, 200))
    text = render("markdown", report._replace(fixes=fixes))
    assert "_Left out to stay within the size of a comment: " in text
    assert len(text.encode()) <= HARD_LIMIT - MARKER_ROOM
    assert "<summary>1. " in text
    assert "<summary>Fix F1: " in text
    assert "**What to do next**" in text
    assert "Apply one of the fixes above" in text


def test_a_list_without_room_has_no_title() -> None:
    report = samples.many(edits=300, operations=1, consumers=3)
    text = render("markdown", report._replace(notes=(Note("info", "x" * 390),) * 200))
    assert "note" in text.rpartition("_Left out")[2]
    assert not re.search(r"\*\*Notes\*\*\n\n(?!- )", text)


def test_no_fix_is_said_to_be_above_that_is_not() -> None:
    report = samples.friday_rename()
    huge = report.fixes[0]._replace(rationale="why", rollout=tuple("x" * 380 for _ in range(400)))
    text = render("markdown", report._replace(fixes=(huge,)))
    assert "<summary>Fix " not in text
    assert "Apply one of the fixes in the full report" in text

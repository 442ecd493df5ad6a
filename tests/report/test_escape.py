"""Untrusted text, medium by medium."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from guardian.report import escape
from tests.report.samples import HOSTILE

ANY_TEXT = st.text(st.characters(), max_size=60) | st.text("`|[]()<>!@#*_\\~:/ \n\r\t&;$.-+w1a\x1b\u202e", max_size=30)


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("\x1b[31m", "\\x1b[31m"),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\x9b", "\\x9b"),
        ("\u202e", "\\u202e"),
        ("\ud800", "\\ud800"),
        ("na\u00efve \u4e16\u754c \U0001f600", "na\u00efve \u4e16\u754c \U0001f600"),
    ],
)
def test_what_would_act_is_shown(text: str, seen: str) -> None:
    """Controls become their escape; what people write stays."""
    assert escape.plain(text) == seen


def test_a_long_text_is_cut_and_says_so() -> None:
    assert escape.plain("x" * 1_200, 10) == "x" * 10 + "... (1,190 characters more)"


@given(ANY_TEXT)
def test_json_text_keeps_every_value(text: str) -> None:
    """Escapes change the spelling, never the value (half of a surrogate pair excepted, which JSON cannot carry)."""
    whole = re.sub("[\ud800-\udfff]", "\ufffd", text)
    assert json.loads(escape.json_text({text: text})) == {whole: whole}
    assert json.loads(escape.script_json([text])) == [whole]


@given(ANY_TEXT)
def test_script_json_cannot_end_its_element(text: str) -> None:
    assert not re.search(r"[<>&\n\u2028]", escape.script_json(text))


@given(ANY_TEXT)
def test_github_texts_stay_in_their_place(text: str) -> None:
    """Data holds no line break, properties no syntax of the command."""
    assert not re.search(r"[\r\n]", escape.github_data(text))
    assert not re.search(r"[\r\n:,]", escape.github_property(text))


def test_github_percent_signs_are_not_decoded_by_the_runner() -> None:
    assert escape.github_data("100%0A::error::x") == "100%250A::error::x"
    assert escape.github_property("a:b,c%3A") == "a%3Ab%2Cc%253A"


COMMONMARK = MarkdownIt("commonmark").enable("table").enable("strikethrough")


@given(ANY_TEXT)
def test_markdown_text_is_only_text(text: str) -> None:
    """A Markdown reader finds one paragraph of text in it, whatever it holds."""
    tokens = COMMONMARK.parse(f"x {escape.markdown(text)} x")
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    kinds = {child.type for child in tokens[1].children or []}
    assert kinds <= {"text", "text_special"}, escape.markdown(text)


@given(ANY_TEXT)
def test_markdown_code_is_only_code(text: str) -> None:
    """A code span stays one; in a table it stays in its cell."""
    html = COMMONMARK.render(f"| a | b |\n| --- | --- |\n| {escape.markdown_code(text)} | {escape.markdown(text)} |\n")
    assert html.count("<td>") == 2
    assert html.count("<code>") == html.count("</code>") == 1
    assert not re.search(r"<(?!/?(table|thead|tbody|tr|th|td|code)>)", html)


@given(st.lists(ANY_TEXT, min_size=1, max_size=4))
def test_a_fence_is_closed_by_us_alone(lines: list[str]) -> None:
    tokens = COMMONMARK.parse("\n".join(escape.markdown_fence(lines, "diff")))
    assert [token.type for token in tokens] == ["fence"]


def test_a_diff_keeps_its_tabs() -> None:
    """In source they are layout; all else is escaped as ever, and a long line is cut."""
    assert escape.tabbed(escape.terminal, "+\t\tx:\x1b\t::warning::") == "+\t\tx:\\x1b\t: :warning::"
    assert escape.tabbed(escape.html, "\t<b>", 3) == "\t&lt;b... (1 characters more)"
    assert escape.markdown_fence(["+\tx"], "diff") == ["```diff", "+\tx", "```"]


@given(ANY_TEXT)
def test_no_mention_reference_or_link_survives_rendering(text: str) -> None:
    """Hosts link names, numbers and addresses in the rendered text: none is left that they would find."""
    rendered = COMMONMARK.render(f"x {escape.markdown(text)}")
    assert not re.search(r"@\w|#\d|\w://|www\.|(?i:gh)-\d", rendered)


def test_terminal_markup_of_rich_stays_text() -> None:
    assert "[bold red]x[/]" in escape.terminal(HOSTILE)


@given(ANY_TEXT)
def test_terminal_text_holds_no_runner_command(text: str) -> None:
    """Neither at the start of a line nor where a line may be wrapped."""
    assert not re.search(r"(?:^|\s)::|##\w*\[", escape.terminal(text))


def test_numbers_that_json_cannot_spell_become_text() -> None:
    assert json.loads(escape.json_text([float("inf"), float("nan"), 1 << 20_000])) == ["inf", "nan", hex(1 << 20_000)]

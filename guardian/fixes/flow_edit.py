"""Edits inside brackets: JSON, and YAML's flow style, on one line or on several."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from guardian.fixes import writing
from guardian.fixes.json_patch import failed
from guardian.fixes.source import Entry, Place

if TYPE_CHECKING:
    from guardian.fixes.block_edit import BlockEditor

_COMMENT_LINE = re.compile(r"^[ \t]*#", re.MULTILINE)
_TO_COMMA = re.compile(r"(?:\s|(?<=\s)#[^\n]*)*")
_COMMENT = re.compile(r"[ \t]+#[^\n]*?(?=\r?\n|$)")
_MARGIN = re.compile(r"[ \t]*")
_UNIT = re.compile(r"\{\r?\n([ \t]+)\S")
_LONG_LIST = re.compile(r'\[\s*\n\s*["\d]')
_SHORT_LIST = re.compile(r'\[\s*["\d]')


def remove(editor: BlockEditor, place: Place) -> None:
    """Take out the entries that are gone, with the commas that go with them; at least one entry stays."""
    order = place.entries
    index = 0
    while index < len(order):
        if id(order[index]) not in editor.gone:
            index += 1
            continue
        first = index
        while index < len(order) and id(order[index]) in editor.gone:
            index += 1
        if index < len(order):
            start, end = order[first].start, order[index].start
        else:
            start, end = order[first - 1].value.end, order[index - 1].value.end
        if not editor.source.json and _COMMENT_LINE.search(editor.text[start:end]):
            raise failed("a comment stands in the way of the edit", file=editor.source.file)
        editor.put(start, end, "")


def insert(editor: BlockEditor, place: Place, after: Entry | None, key: str | None, value: Any) -> None:
    """Put a member, or with ``key`` None an item, behind an entry, or before the first one."""
    text, entries = editor.text, place.entries
    sample = after or entries[0]
    before_sample = entries[entries.index(sample) - 1].value.end if sample is not entries[0] else place.bare + 1
    gap = text[before_sample : sample.start]
    on_lines = "\n" in gap
    margin = _margin(text, sample.start)
    blank = f"{editor.habits.newline}{margin}" if on_lines else "" if _compact(editor) else " "
    new = _member(editor, sample, key, value, on_lines, margin)
    if after is None:
        editor.put(sample.start, sample.start, f"{new},{blank}")
        return
    end = after.value.end
    comma = _TO_COMMA.match(text, end).end()  # type: ignore[union-attr]  # matches the empty string too
    behind = entries[entries.index(after) + 1 :]
    ends_here = bool(behind) and all(id(each) in editor.gone for each in behind)  # the comma goes with what is removed
    if text[comma : comma + 1] == "," and not ends_here:
        comment = _COMMENT.match(text, comma + 1) if on_lines else None
        at = comment.end() if comment else comma + 1
        editor.put(at, at, f"{blank}{new},")
        return
    comment = _COMMENT.match(text, end) if on_lines else None
    if comment is None:
        editor.put(end, end, f",{blank}{new}")
        return
    editor.put(end, end, ",")
    editor.put(comment.end(), comment.end(), f"{blank}{new}")


def written(editor: BlockEditor, at: int, value: Any) -> str:
    """A value to stand at an offset within brackets."""
    if not editor.source.json:
        return writing.flow(value, editor.habits)
    return _json(editor, value, on_lines=_unit(editor) is not None, margin=_margin(editor.text, at))


def _member(editor: BlockEditor, sample: Entry, key: str | None, value: Any, on_lines: bool, margin: str) -> str:
    text = editor.text
    if editor.source.json:
        shown = _json(editor, value, on_lines=on_lines, margin=margin)
        if key is None:
            return shown
        return f"{writing.json_text(key, unit=None, compact=True, ascii_only=text.isascii(), short_lists=False)}{_colon(text, sample)}{shown}"
    quote = text[sample.start] if text[sample.start] in "\"'" else ""
    shown = writing.flow(value, editor.habits, '"' if quote == '"' else "")
    return shown if key is None else f"{writing.key(key, editor.habits, quote)}: {shown}"


def _colon(text: str, sample: Entry) -> str:
    between = text[sample.key_end : sample.value.start]
    return between if "\n" not in between else ": "


def _json(editor: BlockEditor, value: Any, *, on_lines: bool, margin: str) -> str:
    text = editor.text
    shown = writing.json_text(
        value,
        unit=(_unit(editor) or "  ") if on_lines else None,
        compact=_compact(editor),
        ascii_only=text.isascii(),
        short_lists=_SHORT_LIST.search(text) is not None and _LONG_LIST.search(text) is None,
    )
    return shown.replace("\n", f"{editor.habits.newline}{margin}")


def _unit(editor: BlockEditor) -> str | None:
    found = _UNIT.search(editor.text)
    return found[1] if found else None


def _compact(editor: BlockEditor) -> bool:
    return editor.source.json and _unit(editor) is None and '": ' not in editor.text


def _margin(text: str, at: int) -> str:
    return _MARGIN.match(text, text.rfind("\n", 0, at) + 1)[0]  # type: ignore[index]  # matches the empty string too

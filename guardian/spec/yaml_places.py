"""Where things begin in a block of YAML whose value is known: by its indentation, as far as that is plain to see.

The lines that begin members, or items, are as many as the value has, and the wanted one begins with its key: then it is
that one. What is not so (flow style, texts that look like members) is left to those who read event by event.
"""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

from guardian.spec.pieces import NotPlain, Tokens

_FIRST_INSIDE = re.compile(rb"(?:[ ]*(?:#[^\n]*)?\r?\n)*([ ]*)(?=[^ \t\r\n#])")
_HOLDS_A_BLOCK = re.compile(rb":[ ]*(?:#[^\n]*)?\r?\n")
_DASH = re.compile(rb"-[ ]+(?=[^ \t\r\n#])")


def find(data: bytes, at: int, end: int, key: str, value: Any, wanted: dict[str, Any]) -> dict[Tokens, int]:
    """The offsets of what is wanted in the value of a member of a block mapping.

    Args:
        data: the text, in UTF-8, with LF or CR LF as line ends.
        at: where the member's key begins.
        end: where its last line ends.
        key: the key.
        value: the value.
        wanted: a ``trie`` of what is looked for in the value.

    Returns:
        Offsets of keys and of items by their paths from the value; what is not there is left out.

    Raises:
        NotPlain: that cannot be seen so.
    """
    found: dict[Tokens, int] = {}
    stack: list[tuple[int, int, Any, dict[str, Any], Tokens]] = [(_inside(data, at, key), end, value, wanted, ())]
    while stack:
        begin, end, value, wanted, path = stack.pop()
        is_list = isinstance(value, list)
        members = {str(index): each for index, each in enumerate(value)} if is_list else value
        begins = _beginnings(data, begin, end, is_list)
        if len(begins) != len(members):
            raise NotPlain
        for (token, below), start, after in zip(members.items(), begins, [*begins[1:], end], strict=True):
            if token in wanted:
                found[*path, token] = start
                if not is_list and not _has_key(data, start, token):
                    raise NotPlain
                if wanted[token] and isinstance(below, dict | list):
                    inside = start if is_list else _inside(data, start, token)
                    stack.append((inside, after, below, wanted[token], (*path, token)))
    return found


def _beginnings(data: bytes, begin: int, end: int, is_list: bool) -> list[int]:
    """Where the members of a block mapping begin, or the items of a block sequence behind their dashes.

    Args:
        begin: the beginning of its first line, or of a mapping that stands behind a dash.
    """
    line = data.rfind(b"\n", 0, begin) + 1
    if begin > line:  # behind a dash
        if is_list:
            raise NotPlain
        indent = begin - line
        first = begin
    else:
        inside = _FIRST_INSIDE.match(data, begin, end)
        if inside is None:
            raise NotPlain
        indent, first = len(inside[1]), inside.end()
    begins = [first, *(each.end() for each in _before(indent, is_list).finditer(data, first, end))]
    if not is_list:
        if data[first] in b"{[":
            raise NotPlain
        return begins
    items = [_DASH.match(data, each, end) for each in begins]
    if None in items:
        raise NotPlain
    return [each.end() for each in items if each is not None]


@cache
def _before(indent: int, is_list: bool) -> re.Pattern[bytes]:
    """A line end and the indentation of a line that begins an item, or a member."""
    return re.compile(rb"\n%b(?=%b)" % (b" " * indent, rb"-[ \r\n]" if is_list else rb"[^ \t\r\n#-]|-[^ \t\r\n]"))


def _inside(data: bytes, at: int, key: str) -> int:
    """Where the lines begin that a key holds, if it holds lines of their own."""
    end = _end_of_key(data, at, key)
    holds = _HOLDS_A_BLOCK.match(data, end) if end is not None else None
    if holds is None:
        raise NotPlain
    return holds.end()


def _has_key(data: bytes, at: int, key: str) -> bool:
    return _end_of_key(data, at, key) is not None


def _end_of_key(data: bytes, at: int, key: str) -> int | None:
    """Where a key ends that begins at a place, up to its colon; ``None`` if another one does."""
    for spelling in (key, "'" + key.replace("'", "''") + "'", json.dumps(key, ensure_ascii=False)):
        written = spelling.encode()
        if data.startswith(written + b":", at):
            return at + len(written)
    return None

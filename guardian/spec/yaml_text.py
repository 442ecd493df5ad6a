"""YAML text to plain data, in pieces (``guardian.spec.pieces``), as far as it is written the way that most of it is.

That is block style without aliases: there a member of a mapping begins at a line that is indented as the mapping is, ends
where the next one begins, and means by itself what it means in its place. A line inside of a quoted text or of a flow
collection may look like the beginning of a member; what is before it is no YAML by itself then, and the mapping is read
whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from functools import cache
from typing import Any

from guardian.spec.pieces import BY_MEMBERS, NotPlain, Piece, Text

_DEEPEST = 16  # no mapping near the root is indented more
_FIRST = re.compile(rb"[^ \t\r\n#-]|-[^ \t\r\n]")
# No key begins with these, unless it is one that the reader of a whole mapping must look at.
_NO_KEY = frozenset(b"{}[],&*!|>%@`?")
# A key that holds a block, of a length that YAML allows, and the first line of that.
_HOLDS_A_BLOCK = re.compile(
    rb"""([A-Za-z/][\w/{}.+-]{0,999}|'[^'\n]{0,999}'|"[^"\n\\]{0,999}"):[ ]*(?:#[^\n]*)?\r?\n"""
)
_FIRST_INSIDE = re.compile(rb"(?:[ ]*(?:#[^\n]*)?\r?\n)*([ ]*)(?:[^ \t\r\n#-]|-[^ \t\r\n])")
# Keys that may mean something else than the text that they are.
_NO_TEXT = re.compile(rb"(?i:null|true|false)|<<")
_MARKER = re.compile(rb"(?:---|\.\.\.)(?=[ \t\r\n]|\Z)")  # of the beginning or the end of a document
# What YAML 1.1 counts as line ends and 1.2 does not: readers differ.
_OTHER_BREAKS = tuple(each.encode() for each in "\x85\u2028\u2029")
_NOTHING = re.compile(rb"(?:[ ]*(?:#[^\n]*)?\r?\n)*")

_Known = dict[bytes, tuple[str, int, Piece]]


def read(data: bytes, load: Callable[[str], Any], like: Text | None = None) -> Text:
    """Read a document in UTF-8, as far as it is not the same as another one.

    Args:
        data: the text, without aliases.
        load: reads the text of a YAML document, with keys that are texts; it raises ``NotPlain`` if it cannot.
        like: the other one.

    Raises:
        NotPlain: that cannot be done here.
    """
    if json.detect_encoding(data) != "utf-8" or data.count(b"\r") != data.count(b"\r\n"):
        raise NotPlain
    if not data.isascii() and any(each in data for each in _OTHER_BREAKS):
        raise NotPlain
    start = data.index(b"\n") + 1 if data.startswith((b"---\n", b"---\r\n")) else 0
    reader = _Reader(data, load, like.data if like else b"")
    if like is not None and not like.is_json:
        root = reader.mapping(start, start, len(data), 0, 0, like.root, like.start)
    else:
        root = reader.mapping(start, start, len(data), 0, 0, None, 0)
    if root is None:
        raise NotPlain
    return Text(data, start, root, is_json=False)


class _Reader:
    def __init__(self, data: bytes, load: Callable[[str], Any], like_data: bytes) -> None:
        self._data = data
        self._load = load
        self._like_data = like_data

    def mapping(
        self, start: int, first: int, end: int, indent: int, depth: int, like: Piece | None, like_at: int
    ) -> Piece | None:
        """The block mapping that some lines are, by members; ``None`` if they must be read whole.

        Args:
            start: where its piece begins: with the line of the key that holds it.
            first: where its own first line begins.
            end: where its last line ends.
            indent: of its keys, in spaces.
            depth: how many mappings it is in.
            like: what stands in its place in the other text, at ``like_at``.
        """
        begins = self._beginnings(first, end, indent)
        if not begins or _NOTHING.match(self._data, first).end() != begins[0]:  # type: ignore[union-attr]
            return None
        known = self._known(like, like_at)
        value: dict[str, Any] = {}
        members: dict[str, tuple[int, int, Piece]] = {}
        for at, after in zip(begins, [*begins[1:], end], strict=True):
            found = self._member(at, after, indent, depth, known)
            if found is None or found[0] in value:
                return None
            key, piece = found
            value[key] = piece.value
            members[key] = (at + indent - start, at - start, piece)
        return Piece(end - start, value, members)

    def _beginnings(self, first: int, end: int, indent: int) -> list[int]:
        """Where the lines begin that begin members."""
        found = [each.end() - indent for each in _before(indent).finditer(self._data, max(first - 1, 0), end)]
        return [0, *found] if first == 0 and _FIRST.match(self._data) else found

    def _known(self, like: Piece | None, like_at: int) -> _Known:
        """The members of a piece of the other text by their first lines, with their offsets."""
        found: _Known = {}
        for key, (_, offset, piece) in (like.members or {}).items() if like is not None else ():
            at = like_at + offset
            found[self._like_data[at : self._like_data.find(b"\n", at) + 1]] = key, at, piece
        return found

    def _member(self, at: int, end: int, indent: int, depth: int, known: _Known) -> tuple[str, Piece] | None:
        first = self._data[at : self._data.find(b"\n", at) + 1]
        like: Piece | None = None
        like_at = 0
        if first in known:
            key, like_at, like = known[first]
            if like.length == end - at and self._data.startswith(self._like_data[like_at : like_at + like.length], at):
                return key, like
        if self._data[at + indent] in _NO_KEY or _MARKER.match(self._data, at):
            return None
        if depth + 1 < BY_MEMBERS:
            holds = _HOLDS_A_BLOCK.match(self._data, at + indent, end)
            inside = _FIRST_INSIDE.match(self._data, holds.end(), end) if holds is not None else None
            if holds is not None and inside is not None and not _NO_TEXT.fullmatch(_text(holds[1])):
                below = len(inside[1])
                if indent < below < _DEEPEST:
                    piece = self.mapping(at, holds.end(), end, below, depth + 1, like, like_at)
                    if piece is not None:
                        return _text(holds[1]).decode(), piece
        try:
            loaded = self._load(self._data[at:end].decode())
        except NotPlain:  # only a part of what the reader of more will understand
            return None
        if not isinstance(loaded, dict) or len(loaded) != 1:
            return None
        ((key, value),) = loaded.items()
        return key, Piece(end - at, value)


@cache
def _before(indent: int) -> re.Pattern[bytes]:
    """A line end before a line that begins a member: not blank, no comment, and no item of a sequence."""
    return re.compile(rb"\n%b(?=[^ \t\r\n#-]|-[^ \t\r\n])" % (b" " * indent))


def _text(key: bytes) -> bytes:
    return key[1:-1] if key[:1] in (b"'", b'"') else key

"""Where things begin in a JSON text: in bytes by path, and from there in lines and columns.

A text that was read in pieces is entered at the piece that is asked about. Others are scanned by the standard library's
decoder, which steps over unwanted values at full speed, up to the last of what is asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from guardian.spec.pieces import Position, Text, Tokens, positions, trie

_DECODER = json.JSONDecoder(strict=False)
_BLANK = re.compile(r"[ \t\n\r]*")
_KEY = re.compile(r'("[^"\\]*+(?:\\.[^"\\]*+)*+")[ \t\n\r]*:[ \t\n\r]*', re.DOTALL)  # as in `json_text`
#: What stands behind a value: a comma, or the end of what it is in.
_NEXT = re.compile(r"[ \t\n\r]*(?:,[ \t\n\r]*|(?=[}\]]))")


def find(data: bytes, paths: Iterable[Tokens]) -> dict[Tokens, Position]:
    """The places of keys and items, and of what they are in, in a text in UTF-8; what is not there is left out.

    Raises:
        ValueError, RecursionError: the text, as far as it must be read, is no JSON.
    """
    return _positions(data, _Scan(data.decode("latin-1"), trie(paths), (), 0).found)


def find_in(written: Text, paths: Iterable[Tokens]) -> dict[Tokens, Position]:
    """As `find`, in a text whose pieces are known."""
    found: dict[Tokens, int] = {}
    wanted = trie(paths)
    if written.root.members is None:
        text = written.written(written.root, written.start).decode("latin-1")
        found.update(_Scan(text, wanted, (), written.start).found)
    for path, key_at, at, piece, below in written.enter(wanted):
        found[path] = key_at
        if below and piece.members is None and isinstance(piece.value, dict | list):
            found.update(_Scan(written.written(piece, at).decode("latin-1"), below, path, at).found)
    return _positions(written.data, found)


class _AllFound(Exception):
    """The rest of the text need not be read."""


class _Scan:
    """Walks into wanted members only. The text is UTF-8 read as Latin-1, so that its offsets are those of the bytes.

    ``found`` holds the offsets, from ``start`` on, of what is wanted and of what that is in; paths begin with ``path``.
    """

    def __init__(self, text: str, wanted: dict[str, Any], path: Tokens, start: int) -> None:
        self.found: dict[Tokens, int] = {}
        self._text = text
        self._start = start
        self._missing = _size(wanted)
        self._decode = _DECODER.raw_decode
        with suppress(_AllFound):
            self._value(_behind_blanks(self._text, 0), wanted, path)

    def _value(self, at: int, wanted: dict[str, Any], path: Tokens) -> int:
        """Step over the value that starts at an offset; the offset behind it."""
        opening = self._text[at : at + 1]
        if not wanted or opening not in ("{", "["):
            return self._decode(self._text, at)[1]
        index = 0
        at = _behind_blanks(self._text, at + 1)
        while self._text[at : at + 1] not in ("}", "]"):
            start = at
            key = str(index)
            if opening == "{":
                key, at = self._key(at)
            below = wanted.get(key)
            if below is None:
                at = self._decode(self._text, at)[1]
            else:
                here = (*path, key)
                if here not in self.found:
                    self.found[here] = self._start + start
                    self._missing -= 1
                if not self._missing:
                    raise _AllFound
                at = self._value(at, below, here)
            ending = _NEXT.match(self._text, at)
            if ending is None:
                raise ValueError(at)
            at = ending.end()
            index += 1
        return at + 1

    def _key(self, at: int) -> tuple[str, int]:
        """The key that starts at an offset, and the offset of its value."""
        found = _KEY.match(self._text, at)
        if found is None:
            raise ValueError(at)
        written = found[1]
        if not written.isascii():
            written = written.encode("latin-1").decode()
        return written[1:-1] if "\\" not in written else _DECODER.decode(written), found.end()


def _behind_blanks(text: str, at: int) -> int:
    return _BLANK.match(text, at).end()  # type: ignore[union-attr]  # matches the empty string too


def _size(wanted: dict[str, Any]) -> int:
    return sum(1 + _size(below) for below in wanted.values())


def _positions(data: bytes, offsets: dict[Tokens, int]) -> dict[Tokens, Position]:
    places = positions(data, offsets.values())
    return {path: places[offset] for path, offset in offsets.items()}

"""JSON text to plain data, in pieces (``guardian.spec.pieces``).

jiter reads a piece, and it is exact where it answers: integers of any length, no key twice, no half of a surrogate pair.
It must be told where a piece ends. A bracket that opens at the end of a line is closed, in nearly every text, by the next
one with the indentation of its key, and jiter takes nothing less or more than one value: that is tried. What is written
otherwise, and whatever jiter does not take, is read by the standard library's decoder, which finds the end by itself.
"""

from __future__ import annotations

import json
import marshal
import math
import re
import struct
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from jiter import from_json

from guardian.lazy import cached_property
from guardian.spec.pieces import BY_MEMBERS, NotPlain, Piece, Text

#: Deepest nesting that is read, as jiter has it too; real specifications reach about 20.
MAX_DEPTH = 200

_BLANK = re.compile(rb"[ \t\r\n]*")
# Nothing is given back that was matched: what could be is kept in mind for each escape.
_KEY = re.compile(rb'[ \t\r\n]*("[^"\\\x00-\x1f]*+(?:\\.[^"\\\x00-\x1f]*+)*+")[ \t\r\n]*:[ \t\r\n]*')
_SCALAR = re.compile(rb'"[^"\\\x00-\x1f]*+(?:\\.[^"\\\x00-\x1f]*+)*+"|[-+.0-9A-Za-z]+')
_NEXT = re.compile(rb"[ \t\r\n]*([,}])")
_CLOSING = {b"{": b"}", b"[": b"]"}
_BRACKETS = b"{}[]"
_NOT_BRACKETS = bytes(set(range(256)) - set(_BRACKETS))
_STRETCH = 100_000
# In what marshal makes of a float that is infinite, which is what jiter makes of a number that no float can hold.
_INFINITE = struct.pack("<d", math.inf)[:-1]
# Bytes of an indentation; nobody writes more, and each one would be looked for by a pattern of that length.
_LONGEST = 100
# After so many wrong guesses a text is one of those that are written otherwise.
_MOST_MISSES = 10


class DuplicateKey(Exception):
    """A JSON object has a key twice."""


def read(data: bytes, like: Text | None = None) -> tuple[Text, list[memoryview]]:
    """Read a document (RFC 8259) in UTF-8, as far as it is not the same as another one.

    Returns:
        The document, and the stretches of its text that may be nested too deep or hold half of a surrogate pair.

    Raises:
        NotPlain: that cannot be done here.
    """
    if json.detect_encoding(data) != "utf-8":
        raise NotPlain
    reader = _Reader(data, like)
    try:
        return reader.document(), reader.doubtful
    except (ValueError, RecursionError, DuplicateKey) as error:
        raise NotPlain from error


class _Reader:
    def __init__(self, data: bytes, like: Text | None) -> None:
        self._data = data
        self._view = memoryview(data)
        self._like = like
        self._like_data = memoryview(like.data if like else b"")  # compared without copying large parts of it
        self._decoder = _decoder()
        self._misses = 0
        self.doubtful: list[memoryview] = []

    @cached_property
    def _text(self) -> str:
        """The bytes as Latin-1, in which every byte is a character: offsets stay what they are."""
        return self._data.decode("latin-1")

    def document(self) -> Text:
        start = behind_blanks(self._data, 0)
        like, like_at = (self._like.root, self._like.start) if self._like else (None, 0)
        root = self._piece(start, 0, b"\n", like, like_at)
        if behind_blanks(self._data, start + root.length) != len(self._data):
            raise NotPlain
        return Text(self._data, start, root, is_json=True)

    def _piece(self, at: int, depth: int, indent: bytes, like: Piece | None, like_at: int) -> Piece:
        """The value that begins at an offset.

        Args:
            at: the offset.
            depth: how many objects it is in.
            indent: the line end and the blanks before its key.
            like: what stands in its place in the other text, at ``like_at``.
        """
        if like is not None and isinstance(like.value, (dict, list, str)):  # a number's text may only begin alike
            if self._data.startswith(self._like_data[like_at : like_at + like.length], at):
                return like
        opening = self._data[at : at + 1]
        if depth < BY_MEMBERS and opening == b"{":
            return self._object(at, depth, like, like_at)
        end = self._end(at, opening, indent)
        return (self._quickly(at, end) if end else None) or self._carefully(at)

    def _quickly(self, at: int, end: int) -> Piece | None:
        """The value that stands between two offsets, if all of that is one."""
        try:
            # In more brackets than it stands in objects (``BY_MEMBERS``), since jiter allows one level more around nothing:
            # what it takes is within ``MAX_DEPTH`` then. That they hold one value each is what is unpacked.
            written = b"".join((b"[[[[", self._view[at:end], b"]]]]"))
            [[[[value]]]] = from_json(written, allow_inf_nan=False, catch_duplicate_keys=True)
            if _INFINITE in marshal.dumps(value):
                value = self._decoder.decode(self._data[at:end].decode())
        except ValueError:
            self._misses += 1
            return None
        return Piece(end - at, value)

    def _carefully(self, at: int) -> Piece:
        """The value that begins at an offset, wherever it ends."""
        value, end = self._decoder.raw_decode(self._text, at)
        written = self._data[at:end]
        if not written.isascii():
            value = self._decoder.decode(written.decode())
        self.doubtful.append(self._view[at:end])
        return Piece(end - at, value)

    def _end(self, at: int, opening: bytes, indent: bytes) -> int:
        """Where the value that begins at an offset should end; 0 where that is not known."""
        closing = _CLOSING.get(opening)
        if closing is None:
            scalar = _SCALAR.match(self._data, at)
            return scalar.end() if scalar is not None else 0
        if self._data[at + 1 : at + 2] not in (b"\n", b"\r") or self._misses > _MOST_MISSES or len(indent) > _LONGEST:
            return 0
        found = _line_of(indent + closing).search(self._data, at)
        if found is None:
            self._misses += 1
            return 0
        return found.end()

    def _object(self, start: int, depth: int, like: Piece | None, like_at: int) -> Piece:
        known = like.members if like is not None and like.members is not None else {}
        value: dict[str, Any] = {}
        members: dict[str, tuple[int, int, Piece]] = {}
        first = behind_blanks(self._data, start + 1)
        if self._data.startswith(b"}", first):
            return Piece(first + 1 - start, value, members)
        indent = self._data[max(self._data.rfind(b"\n", start, first), start + 1) : first]
        at = first
        while True:
            found = _KEY.match(self._data, at)
            if found is None:
                raise NotPlain
            key = _key(found[1])
            if key in value:
                raise DuplicateKey(key)
            at = found.end()
            _, offset, other = known.get(key, (0, 0, None))
            piece = self._piece(at, depth + 1, indent, other, like_at + offset)
            value[key] = piece.value
            members[key] = (found.start(1) - start, at - start, piece)
            ending = _NEXT.match(self._data, at + piece.length)
            if ending is None:
                raise NotPlain
            at = ending.end()
            if ending[1] == b"}":
                return Piece(at - start, value, members)


@lru_cache(maxsize=32)
def _line_of(closing: bytes) -> re.Pattern[bytes]:
    """Finds some bytes: a pattern does it in half the time that ``bytes.find`` takes among so many blanks."""
    return re.compile(re.escape(closing))


def _key(written: bytes) -> str:
    return written[1:-1].decode() if b"\\" not in written else str(from_json(written))


def behind_blanks(data: bytes, at: int) -> int:
    """The offset behind JSON's white space."""
    return _BLANK.match(data, at).end()  # type: ignore[union-attr]  # matches the empty string too


def json_float(text: str) -> float | str:
    """A number, or the text it was written as where JSON's own form of numbers cannot hold it."""
    number = float(text)
    return number if math.isfinite(number) else text


def _decoder() -> json.JSONDecoder:
    """A reader of values; raises ``DuplicateKey`` besides what ``json`` does."""

    def build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) != len(pairs):
            raise DuplicateKey(_twice(pairs))
        return value

    return json.JSONDecoder(object_pairs_hook=build, parse_float=json_float, parse_constant=str)


def _twice(pairs: list[tuple[str, Any]]) -> str:
    """The first key that stands there more than once."""
    keys = [key for key, _ in pairs]
    return next(key for key in keys if keys.count(key) > 1)


def load(text: str) -> Any:
    """The value of a whole text.

    Raises:
        DuplicateKey: an object has a key twice.
        ValueError, RecursionError: as ``json``.
    """
    return _decoder().decode(text)


def unpaired(texts: Iterable[memoryview]) -> bytes:
    """The brackets of UTF-8 texts that are left when pairs are taken away from the inside, as often as is no matter.

    They may be pieces, with more levels around them.
    """
    # In short stretches, for which memory is found that was in use before: a system has to clear what is new.
    stretches = (text[at : at + _STRETCH] for text in texts for at in range(0, len(text), _STRETCH))
    brackets = b"".join(bytes(each).translate(None, _NOT_BRACKETS) for each in stretches)
    for _ in range(MAX_DEPTH - BY_MEMBERS):
        brackets, before = brackets.replace(b"{}", b"").replace(b"[]", b""), brackets
        if len(brackets) == len(before):
            break
    return brackets

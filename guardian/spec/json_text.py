"""JSON text to plain data, in pieces (``guardian.spec.pieces``).

The bytes are read as Latin-1, in which every byte is a character, and a piece with others than ASCII once more as the
UTF-8 that it is: one wide character would else make a string of four bytes a character out of all of the text.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from typing import Any

from guardian.spec.pieces import BY_MEMBERS, NotPlain, Piece, Text
from guardian.spec.references import KEYWORDS

#: Deepest nesting that is read; real specifications reach about 20.
MAX_DEPTH = 200

_BLANK = re.compile(r"[ \t\r\n]*")
_KEY = re.compile(r'[ \t\r\n]*("[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*")[ \t\r\n]*:[ \t\r\n]*')
_NEXT = re.compile(r"[ \t\r\n]*([,}])")
_BRACKETS = b"{}[]"
_NOT_BRACKETS = bytes(set(range(256)) - set(_BRACKETS))
_STRETCH = 100_000


class DuplicateKey(Exception):
    """A JSON object has a key twice."""


def read(data: bytes, like: Text | None = None) -> tuple[Text, list[memoryview]]:
    """Read a document (RFC 8259) in UTF-8, as far as it is not the same as another one.

    Returns:
        The document, and the stretches of its text that were not taken over.

    Raises:
        NotPlain: that cannot be done here.
    """
    if json.detect_encoding(data) != "utf-8":
        raise NotPlain
    reader = _Reader(data, like)
    try:
        return reader.document(), [memoryview(data)] if like is None else reader.fresh
    except (ValueError, RecursionError, DuplicateKey) as error:
        raise NotPlain from error


class _Reader:
    def __init__(self, data: bytes, like: Text | None) -> None:
        self._data = data
        self._text = data.decode("latin-1")
        self._is_ascii = data.isascii()
        self._like = like
        self._like_data = memoryview(like.data if like else b"")  # compared without copying large parts of it
        self._referring: list[dict[str, Any]] = []  # the objects of the value being read that may refer to others
        self._decoder = _decoder(self._referring)
        self.fresh: list[memoryview] = []  # the texts of pieces that were read, and of keys with escapes

    def document(self) -> Text:
        start = behind_blanks(self._text, 0)
        root = self._piece(start, 0, self._like.root if self._like else None, self._like.start if self._like else 0)
        if behind_blanks(self._text, start + root.length) != len(self._text):
            raise NotPlain
        return Text(self._data, start, root, is_json=True)

    def _piece(self, at: int, depth: int, like: Piece | None, like_at: int) -> Piece:
        """The value that begins at an offset; ``like`` is what stands in its place in the other text."""
        if like is not None and isinstance(like.value, (dict, list, str)):  # a number's text may only begin alike
            if self._data.startswith(self._like_data[like_at : like_at + like.length], at):
                return like
        if depth < BY_MEMBERS and self._text.startswith("{", at):
            return self._object(at, depth, like, like_at)
        self._referring.clear()
        value, end = self._decoder.raw_decode(self._text, at)
        if not self._is_ascii and not (written := self._data[at:end]).isascii():
            self._referring.clear()
            value = self._decoder.decode(written.decode())
        if self._like is not None:
            self.fresh.append(memoryview(self._data)[at:end])
        return Piece(end - at, value, referring=tuple(self._referring))

    def _object(self, start: int, depth: int, like: Piece | None, like_at: int) -> Piece:
        known = like.members if like is not None and like.members is not None else {}
        value: dict[str, Any] = {}
        members: dict[str, tuple[int, int, Piece]] = {}
        at = behind_blanks(self._text, start + 1)
        if self._text.startswith("}", at):
            return Piece(at + 1 - start, value, members)
        while True:
            found = _KEY.match(self._text, at)
            if found is None:
                raise NotPlain
            key = self._key(found.start(1), found.end(1))
            if key in value:
                raise DuplicateKey(key)
            at = found.end()
            _, offset, other = known.get(key, (0, 0, None))
            piece = self._piece(at, depth + 1, other, like_at + offset)
            value[key] = piece.value
            members[key] = (found.start(1) - start, at - start, piece)
            ending = _NEXT.match(self._text, at + piece.length)
            if ending is None:
                raise NotPlain
            at = ending.end()
            if ending[1] == "}":
                return Piece(at - start, value, members)

    def _key(self, start: int, end: int) -> str:
        written = self._data[start:end]
        if b"\\" not in written:
            return written[1:-1].decode()
        if self._like is not None:
            self.fresh.append(memoryview(written))
        return str(json.loads(written.decode()))


def behind_blanks(text: str, at: int) -> int:
    """The offset behind JSON's white space."""
    return _BLANK.match(text, at).end()  # type: ignore[union-attr]  # matches the empty string too


def json_float(text: str) -> float | str:
    """A number, or the text it was written as where JSON's own form of numbers cannot hold it."""
    number = float(text)
    return number if math.isfinite(number) else text


def _decoder(referring: list[dict[str, Any]]) -> json.JSONDecoder:
    """A reader of values; raises ``DuplicateKey`` besides what ``json`` does.

    Args:
        referring: what the objects with a keyword of references are added to.
    """
    refers_to_nothing = KEYWORDS.isdisjoint

    def build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) != len(pairs):
            raise DuplicateKey(_twice(pairs))
        if not refers_to_nothing(value):
            referring.append(value)
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
    return _decoder([]).decode(text)


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

"""A text in pieces: what each value near the root is, and where it stands.

Two sides of a comparison are nearly the same text. An object near the root is read member by member, and a member whose
bytes are those of the same member of the other text is taken over as it is (``json_text``, ``yaml_text``): head costs what
differs from base, in time and in memory, and what both share is one object, which makes it cheap to find equal. Since
it is known where each member stands, a place is found without scanning what comes before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from guardian.lazy import cached_property

#: The reference tokens of a JSON pointer, unescaped (RFC 6901).
Tokens: TypeAlias = tuple[str, ...]
#: 1-based line and column (in characters).
Position: TypeAlias = tuple[int, int]

#: Objects that many levels deep are read by members: an operation, or a schema among the components, is one piece.
BY_MEMBERS = 3


class NotPlain(Exception):
    """The text is not in the form that is read in pieces, or has something in it that others must judge."""


class Piece:
    """A value and how it is written.

    Attributes:
        length: of its text, in bytes.
        value: plain data.
        members: for an object that was read by members where each key and each piece begins, from the object's
            beginning, and the piece of its value.
        references: what it refers to, as ``guardian.spec.references`` finds it; ``None`` until somebody asks.
    """

    __slots__ = ("length", "members", "references", "value")

    def __init__(self, length: int, value: Any, members: dict[str, tuple[int, int, Piece]] | None = None) -> None:
        self.length = length
        self.value = value
        self.members = members
        self.references: tuple[str, ...] | None = None


class Text:
    """A document and where in its text things are.

    Attributes:
        data: the text, in UTF-8.
        start: where the root begins, in bytes.
        root: all of it.
        is_json: how it is written; if not, it is YAML, and the piece of a value begins with its key's line.
    """

    def __init__(self, data: bytes, start: int, root: Piece, *, is_json: bool) -> None:
        self.data = data
        self.start = start
        self.root = root
        self.is_json = is_json

    @cached_property
    def _by_value(self) -> dict[int, tuple[Piece, int]]:
        """Each object or array that is a piece, by its identity, with its offset."""
        found: dict[int, tuple[Piece, int]] = {}
        stack = [(self.root, self.start)]
        while stack:
            piece, at = stack.pop()
            if isinstance(piece.value, (dict, list)):
                found[id(piece.value)] = piece, at
            if piece.members is not None:
                stack.extend([(each, at + offset) for _, offset, each in piece.members.values()])
        return found

    def piece_of(self, value: Any) -> tuple[Piece, int] | None:
        """The piece that an object or array of this document is, and its offset; ``None`` for what is inside of one."""
        return self._by_value.get(id(value))

    def written(self, piece: Piece, at: int) -> bytes:
        """The text of a piece at its offset."""
        return self.data[at : at + piece.length]

    def enter(self, wanted: dict[str, Any]) -> Iterator[tuple[Tokens, int, int, Piece, dict[str, Any]]]:
        """Walk into the members that are wanted: path, offsets of its key and of its piece, the piece, what is wanted below.

        Args:
            wanted: a ``trie`` of paths.
        """
        stack: list[tuple[Tokens, int, Piece, dict[str, Any]]] = [((), self.start, self.root, wanted)]
        while stack:
            path, at, piece, asked = stack.pop()
            members = piece.members or {}
            for key in asked.keys() & members.keys():
                key_at, piece_at, member = members[key]
                here = (*path, key)
                yield here, at + key_at, at + piece_at, member, asked[key]
                if member.members is not None:
                    stack.append((here, at + piece_at, member, asked[key]))


def trie(paths: Iterable[Tokens]) -> dict[str, Any]:
    """Paths by their first tokens, then by the next ones."""
    root: dict[str, Any] = {}
    for path in paths:
        node = root
        for token in path:
            node = node.setdefault(token, {})
    return root


def positions(data: bytes, offsets: Iterable[int]) -> dict[int, Position]:
    """Lines and columns of offsets. LF, CR and CR LF each end a line."""
    has_returns = b"\r" in data
    found: dict[int, Position] = {}
    line, characters, counted = 1, 0, 0
    for offset in sorted(set(offsets)):
        line += data.count(b"\n", counted, offset)
        last = data.rfind(b"\n", counted, offset)
        if has_returns:
            line += data.count(b"\r", counted, offset) - data.count(b"\r\n", counted, offset)
            last = max(last, data.rfind(b"\r", counted, offset))
        if last >= 0:
            characters = 0
        characters += len(data[max(last + 1, counted) : offset].decode())
        counted = offset
        found[offset] = line, characters + 1
    return found

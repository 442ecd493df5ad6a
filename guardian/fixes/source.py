"""The source text of a document as a tree of places: where each value, key and list item starts and ends.

Only offsets are kept; values come from `guardian.spec.text`. JSON is scanned where it is looked at, stepping over the
rest at the speed of the standard library; YAML in one pass over libyaml's events. Offsets count characters of the
decoded text, ends are exclusive, and the end of a block is that of its last content: comments and blank lines behind it
belong to nobody.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from guardian.errors import ReadError
from guardian.fixes.json_patch import failed
from guardian.lazy import cached_property
from guardian.spec.pieces import Piece, Text
from guardian.spec.text import MERGE_KEY, key_text, looks_like_json

Kind = Literal["map", "seq", "scalar", "alias"]

BLANKS = " \t\r\n"
_BLANK = re.compile(f"[{BLANKS}]*")
# An anchor or a tag before the value that it belongs to, with the comments between the two.
_PROPERTY = re.compile(r"(?:[&!][^\s,\[\]{}]*)(?:\s+(?:#[^\n]*\s*)*|$)")


@dataclass(slots=True, eq=False)
class Entry:
    """One member of a mapping, or one item of a list (then ``key`` is its index).

    ``start`` is where its key starts, or its dash, or in a flow list its value; ``key_end`` where the key or dash ends.
    """

    key: str
    start: int
    key_end: int
    value: Place


@dataclass(slots=True, eq=False)
class Place:
    """One value in the text. ``start`` includes its anchor and tag, ``bare`` does not.

    ``column`` is that of its first entry's key or dash, 0-based. ``alias`` is the anchor that an alias names.
    """

    kind: Kind
    start: int
    end: int
    flow: bool = False
    bare: int = 0
    column: int = 0
    style: str = ""  # of a scalar: "", "'", '"', "|" or ">"
    alias: str = ""
    read: Callable[[], list[Entry]] | None = None
    _entries: list[Entry] | None = None

    @property
    def entries(self) -> list[Entry]:
        """Members or items, in the order of the text; merge keys are members too."""
        if self._entries is None:
            self._entries = self.read() if self.read else []
        return self._entries

    def entry(self, key: str) -> Entry | None:
        return next((each for each in self.entries if each.key == key), None)


Habit = TypeVar("Habit", int, str)


@dataclass(slots=True)
class Habits:
    """How the writer of a text writes: taken over by what is put in."""

    newline: str = "\n"
    indents: Counter[int] = field(default_factory=Counter)  # of a mapping below its parent's key
    dashes: Counter[int] = field(default_factory=Counter)  # of a list's dash below its parent's key
    quotes: Counter[str] = field(default_factory=Counter)
    digit_keys: Counter[str] = field(default_factory=Counter)  # how keys such as 200 are quoted, if at all
    flow: Counter[tuple[str, int]] = field(default_factory=Counter)  # kind, and whether short ones are on one line

    @property
    def indent(self) -> int:
        return _most_common(self.indents, 2)

    @property
    def dash(self) -> int:
        return _most_common(self.dashes, self.indent)

    @property
    def quote(self) -> str:
        return _most_common(self.quotes, '"')

    def on_one_line(self, kind: Kind) -> bool:
        """Whether the writer puts lists, or mappings, of plain values on one line."""
        return self.flow[kind, 1] > self.flow[kind, 0]

    @property
    def digit_key(self) -> str:
        return _most_common(self.digit_keys, self.quote)


def _most_common(counter: Counter[Habit], default: Habit) -> Habit:
    return max(counter, key=lambda each: (counter[each], str(each))) if counter else default


class Source:
    """The places of one document.

    Args:
        text: the decoded text.
        file: its name, for messages.
        written: its pieces, where it has been read so.
        character: where in the text something stands whose place in the bytes is known.

    Raises:
        PatchError: the text has no single document that places could be told of.
    """

    def __init__(
        self, text: str, file: str, written: Text | None = None, character: Callable[[int], int] = int
    ) -> None:
        self.text = text
        self.file = file
        self.habits = Habits(newline="\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n")
        self.anchors: dict[str, tuple[str, ...]] = {}  # anchor -> the path to its value
        self.aliases: dict[tuple[str, ...], str] = {}  # path of an alias or merge key's value -> anchor
        self._pieces = _Pieces(text, written, character) if written is not None and written.is_json else None
        self.json = self._pieces is not None or (looks_like_json(text) and _is_json(text))

    @cached_property
    def root(self) -> Place:
        if self._pieces is not None:
            return self._pieces.root
        if self.json:
            return _json_place(self.text, _blank(self.text, 0), len(self.text.rstrip(BLANKS)))
        try:
            return _YamlTree(self).root
        except ReadError as error:
            raise failed(f"the text cannot be edited: {error.message}", file=self.file) from None


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


# --- JSON ---------------------------------------------------------------------------------------------------------

_raw_decode = json.JSONDecoder(strict=False).raw_decode


def _blank(text: str, at: int) -> int:
    return _BLANK.match(text, at).end()  # type: ignore[union-attr]  # matches the empty string too


def _json_place(text: str, at: int, end: int | None = None) -> Place:
    """The value that starts at an offset; where it ends is read from the text unless it is known."""
    if end is None:
        end = _raw_decode(text, at)[1]
    opening = text[at]
    if opening not in "{[":
        return Place("scalar", at, end, flow=True, bare=at, style='"' if opening == '"' else "")
    kind: Kind = "map" if opening == "{" else "seq"
    return Place(kind, at, end, flow=True, bare=at, read=lambda: _json_entries(text, at))


class _Pieces:
    """A text that was read in pieces: its members near the root need not be looked for."""

    def __init__(self, text: str, written: Text, character: Callable[[int], int]) -> None:
        self._text = text
        self._character = character
        self.root = self._place(written.root, written.start)

    def _place(self, piece: Piece, at: int) -> Place:
        start, end = self._character(at), self._character(at + piece.length)
        place = _json_place(self._text, start, end)
        if piece.members is not None:
            place.read = lambda: self._entries(piece, at)
        return place

    def _entries(self, piece: Piece, at: int) -> list[Entry]:
        entries: list[Entry] = []
        for key, (key_at, value_at, member) in (piece.members or {}).items():
            start = self._character(at + key_at)
            entries.append(Entry(key, start, _raw_decode(self._text, start)[1], self._place(member, at + value_at)))
        return entries


def _json_entries(text: str, at: int) -> list[Entry]:
    entries: list[Entry] = []
    in_object = text[at] == "{"
    at = _blank(text, at + 1)
    while text[at] not in "}]":
        start = key_end = at
        key = str(len(entries))
        if in_object:
            key, key_end = _raw_decode(text, at)
            at = _blank(text, _blank(text, key_end) + 1)
        value = _json_place(text, at)
        entries.append(Entry(key, start, key_end, value))
        at = _blank(text, value.end)
        if text[at] == ",":
            at = _blank(text, at + 1)
    return entries


# --- YAML ---------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Open:
    place: Place
    entries: list[Entry]
    step: str  # of this value in its parent
    column: int  # of the parent's key; habits are measured from it
    key: tuple[str, int, int, int] | None = None  # text, start, end, column of the key whose value comes next


class _YamlTree:
    """One pass over libyaml's events."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        self.stack: list[_Open] = []
        self.root = Place("scalar", 0, 0)
        self.last_end = 0
        self._run()

    def _run(self) -> None:
        from yaml.events import (
            AliasEvent,
            DocumentStartEvent,
            MappingEndEvent,
            MappingStartEvent,
            ScalarEvent,
            SequenceEndEvent,
            SequenceStartEvent,
        )

        from guardian.spec.events import events

        documents = 0
        for event in events(self.text, self.source.file):
            kind = type(event)
            if kind is ScalarEvent:
                self._scalar(event)
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                self._open(event, "map" if kind is MappingStartEvent else "seq")
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                self._close(event)
            elif kind is AliasEvent:
                self._alias(event)
            elif kind is DocumentStartEvent:
                documents += 1
                if documents > 1:
                    raise failed("several documents in one file are not edited", file=self.source.file)

    def _scalar(self, event: Any) -> None:
        start, end = event.start_mark.index, event.end_mark.index
        plain = event.style in (None, "")
        parent = self.stack[-1] if self.stack else None
        if parent is not None and parent.place.kind == "map" and parent.key is None:
            key = key_text(event.value, plain and event.tag is None)
            parent.key = (key, start, end, event.start_mark.column)
            if key.isdigit():
                self.source.habits.digit_keys["" if plain else event.style] += 1
            if event.anchor:
                raise failed(f"the key {key!r} has an anchor: such keys are not edited", file=self.source.file)
            self.last_end = max(self.last_end, end)
            return
        style = "" if plain else event.style
        if style in ("|", ">"):
            end = self._block_scalar_end(start, end)
        elif style:
            self.source.habits.quotes[style] += 1
        place = Place("scalar", start, end, bare=self._bare(event), style=style)
        self._add(event, place)

    def _block_scalar_end(self, start: int, end: int) -> int:
        header = self.text[start:end].partition("\n")[0]
        if "+" in header.partition("#")[0]:
            return end
        return start + len(self.text[start:end].rstrip(" \t\r\n"))

    def _alias(self, event: Any) -> None:
        parent = self.stack[-1] if self.stack else None
        if parent is not None and parent.place.kind == "map" and parent.key is None:
            raise failed("a key is an alias: such keys are not edited", file=self.source.file)
        place = Place(
            "alias", event.start_mark.index, event.end_mark.index, bare=event.start_mark.index, alias=event.anchor
        )
        self.source.aliases[(*self._path(), self._step())] = event.anchor
        self._add(event, place)

    def _open(self, event: Any, kind: Kind) -> None:
        start = event.start_mark.index
        place = Place(kind, start, start, flow=bool(event.flow_style), bare=self._bare(event))
        parent = self.stack[-1] if self.stack else None
        step = self._step()
        above = parent.key[3] if parent is not None and parent.key is not None and not parent.place.flow else None
        if event.anchor:
            self.source.anchors[event.anchor] = (*self._path(), step) if self.stack else ()
        self.stack.append(_Open(place, [], step, above if above is not None else -1))

    def _close(self, event: Any) -> None:
        done = self.stack.pop()
        place = done.place
        place._entries = done.entries
        if done.entries and all(each.value.kind in ("scalar", "alias") for each in done.entries):
            self.source.habits.flow[place.kind, int(place.flow)] += 1
        if place.flow:
            place.end = event.end_mark.index
            self.last_end = max(self.last_end, place.end)
        else:
            place.end = self.last_end
            self._measure(done)
        self._add(None, place, opened=True)

    def _measure(self, done: _Open) -> None:
        if not done.entries:
            return
        first = done.entries[0]
        line = self.text.rfind("\n", 0, first.start) + 1
        done.place.column = first.start - line - (1 if self.text[line : line + 1] == "\ufeff" else 0)
        if done.column >= 0:
            below = done.place.column - done.column
            (self.source.habits.dashes if done.place.kind == "seq" else self.source.habits.indents)[below] += 1

    def _add(self, event: Any, place: Place, *, opened: bool = False) -> None:
        if not opened:
            self.last_end = max(self.last_end, place.end)
            if getattr(event, "anchor", None) and place.kind == "scalar":
                self.source.anchors[event.anchor] = (*self._path(), self._step()) if self.stack else ()
        if not self.stack:
            self.root = place
            return
        parent = self.stack[-1]
        if parent.place.kind == "map":
            assert parent.key is not None
            key, start, end, _ = parent.key
            parent.entries.append(Entry(key, start, end, place))
            parent.key = None
        else:
            start = place.start if parent.place.flow else self._dash(place.start)
            end = start if parent.place.flow else start + 1
            parent.entries.append(Entry(str(len(parent.entries)), start, end, place))

    def _step(self) -> str:
        if not self.stack:
            return ""
        parent = self.stack[-1]
        if parent.place.kind == "map":
            return parent.key[0] if parent.key else ""
        return str(len(parent.entries))

    def _path(self) -> tuple[str, ...]:
        return tuple(each.step for each in self.stack[1:])

    def _bare(self, event: Any) -> int:
        """Where the value itself starts, behind its anchor and tag."""
        at: int = event.start_mark.index
        if event.anchor or event.tag:
            while (found := _PROPERTY.match(self.text, at)) is not None:
                at = found.end()
        return at

    def _dash(self, at: int) -> int:
        """The dash of the list item whose value starts at an offset."""
        while True:
            line = self.text.rfind("\n", 0, at) + 1
            before = self.text[line:at]
            before = before if "#" not in before else re.sub(r"(^|\s)#.*", "", before)
            if before.rstrip().endswith("-"):
                return line + len(before.rstrip()) - 1
            if before.strip() or line == 0:
                raise failed("a list item's dash was not found", file=self.source.file)
            at = line - 1


def is_merge(entry: Entry) -> bool:
    """Whether a member is a merge key, whose mapping's members count as the holder's own."""
    return entry.key == MERGE_KEY

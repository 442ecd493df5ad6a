"""JSON pointers to lines and columns, in one pass over the text, for what a report wants to show and nothing else.

Values carry no positions, so that loading stays fast. JSON is entered where its pieces are known, or scanned
(``guardian.spec.json_places``), YAML by libyaml's events. Both stop once every pointer is found. A pointer through an
alias or a merge key leads to where the thing itself is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from guardian.errors import ReadError
from guardian.spec import json_places, yaml_places
from guardian.spec.pieces import NotPlain, Piece, Position, Text, Tokens, positions, trie
from guardian.spec.text import MERGE_KEY, decode, key_text, looks_like_json

#: How many aliases may lead to one another before a pointer counts as found only as far as it got.
_MAX_HOPS = 20

# libyaml counts these as line ends; editors and code hosts do not.
_UNICODE_BREAKS = str.maketrans("\x85\u2028\u2029", "   ")


def locate(data: bytes, pointers: Iterable[str], written: Text | None = None) -> dict[str, Position]:
    """Where each pointer's key stands (for an array item its start, for the root 1:1).

    A pointer (RFC 6901) that leads nowhere gets the place of its nearest ancestor that exists.

    Args:
        data: the text.
        pointers: what to look for.
        written: the pieces of the text, where it was read in pieces.

    Raises:
        ReadError: the text is in no Unicode encoding. Text that is malformed further on is no error here.
    """
    wanted = {pointer: parse_pointer(pointer) for pointer in pointers}
    paths = {path for path in wanted.values() if path}
    found: dict[Tokens, Position] = {}
    if paths and written is not None:
        found = (json_places.find_in if written.is_json else _find_in_yaml)(written, paths)
    elif paths:
        text = decode(data, "")
        try:
            found = json_places.find(text.encode(), paths) if looks_like_json(text) else _locate_yaml(text, paths)
        except (ValueError, RecursionError):  # YAML's flow style, or JSON that only the YAML reader forgives
            found = _locate_yaml(text, paths)
    return {pointer: _nearest(path, found) for pointer, path in wanted.items()}


def parse_pointer(pointer: str) -> Tokens:
    """The reference tokens of a JSON pointer, unescaped (RFC 6901, section 4)."""
    return tuple(token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:])


def _nearest(path: Tokens, found: dict[Tokens, Position]) -> Position:
    for length in range(len(path), 0, -1):
        if path[:length] in found:
            return found[path[:length]]
    return 1, 1


# --- YAML ---------------------------------------------------------------------------------------------------------


def _find_in_yaml(written: Text, paths: set[Tokens]) -> dict[Tokens, Position]:
    """As `_locate_yaml`, in a text whose pieces are known: only those that are asked about are looked into."""
    offsets: dict[Tokens, int] = {}
    by_event: list[tuple[Tokens, int, Piece, dict[str, Any]]] = []
    for path, key_at, at, piece, below in written.enter(trie(paths)):
        offsets[path] = key_at
        if below and piece.members is None and isinstance(piece.value, dict | list):
            try:
                inside = yaml_places.find(written.data, key_at, at + piece.length, path[-1], piece.value, below)
            except NotPlain:
                by_event.append((path, at, piece, below))
            else:
                offsets.update({(*path, *tokens): offset for tokens, offset in inside.items()})
    places = positions(written.data, [*offsets.values(), *(at for _, at, _, _ in by_event)])
    found = {path: places[at] for path, at in offsets.items()}
    for path, at, piece, below in by_event:
        *outer, key = path
        read = _locate_yaml(written.written(piece, at).decode(), {(key, *rest) for rest in _ends(below)})
        first, _ = places[at]
        found.update({(*outer, *tokens): (first + line - 1, column) for tokens, (line, column) in read.items()})
    return found


def _ends(wanted: dict[str, Any]) -> Iterator[Tokens]:
    """The paths of a ``trie`` that go on no further."""
    for key, below in wanted.items():
        if below:
            yield from ((key, *rest) for rest in _ends(below))
        else:
            yield (key,)


def _locate_yaml(text: str, paths: set[Tokens]) -> dict[Tokens, Position]:
    text = text.translate(_UNICODE_BREAKS) if _has_unicode_breaks(text) else text
    found: dict[Tokens, Position] = {}
    searched: set[Tokens] = set()
    # What is looked for in place of a pointer that leads through an alias or a merge key.
    stand_ins: dict[Tokens, list[Tokens]] = {path: [path] for path in sorted(paths)}
    for _ in range(_MAX_HOPS):
        looking = {each for path, group in stand_ins.items() if path not in found for each in group} - searched
        if not looking:
            break
        scan = _YamlScan(text, looking)
        searched |= looking
        for path, group in stand_ins.items():
            tried = [each for each in group if each in looking]  # in order: what is merged first wins
            for each in tried:
                for length in range(1, len(each) + 1):
                    place = scan.found.get(each[:length])
                    if place is not None and len(path) - len(each) + length > 0:
                        found.setdefault(path[: len(path) - len(each) + length], place)
            for each in tried:
                group.extend(scan.behind(each))
    return found


def _has_unicode_breaks(text: str) -> bool:
    return "\u2028" in text or "\u2029" in text or "\x85" in text


class _Open:
    """A mapping or list that the scan is inside of."""

    __slots__ = ("index", "key", "merges_into", "path", "wanted")

    def __init__(
        self, path: Tokens, wanted: dict[str, Any] | None, index: int | None, merges_into: Tokens | None
    ) -> None:
        self.path = path
        self.wanted = wanted
        self.index = index  # of the next item in a list; None in a mapping
        self.key: str | None = None  # of the value that comes next in a mapping
        self.merges_into = merges_into  # this list holds what is merged into the mapping at that path


class _YamlScan:
    """One pass over libyaml's events.

    `found` holds places by path; `_detours` says for a path which other paths stand for it (alias, merge key).
    """

    def __init__(self, text: str, paths: set[Tokens]) -> None:
        self.found: dict[Tokens, Position] = {}
        self._detours: dict[Tokens, list[Tokens]] = {}
        self._anchors: dict[str, Tokens] = {}
        self._missing = set(paths)
        try:
            self._run(text, trie(paths))
        except ReadError:
            return  # what was found before the malformed place holds

    def behind(self, path: Tokens) -> list[Tokens]:
        """The paths that stand for one that was not found as it is."""
        if path in self.found:
            return []
        return [
            (*target, *path[length:]) for length in range(len(path)) for target in self._detours.get(path[:length], ())
        ]

    def _run(self, text: str, wanted: dict[str, Any]) -> None:
        from yaml.events import (
            AliasEvent,
            MappingEndEvent,
            MappingStartEvent,
            ScalarEvent,
            SequenceEndEvent,
            SequenceStartEvent,
        )

        from guardian.spec.events import events

        stack: list[_Open] = []
        for event in events(text, ""):
            kind = type(event)
            if kind is MappingEndEvent or kind is SequenceEndEvent:
                stack.pop()
                continue
            if kind not in (ScalarEvent, MappingStartEvent, SequenceStartEvent, AliasEvent):
                continue  # starts and ends of stream and document
            parent = stack[-1] if stack else None
            merges_into: Tokens | None = None
            path: Tokens = ()
            below: dict[str, Any] | None = wanted
            if parent is None:
                pass  # the root
            elif parent.index is None and parent.key is None:
                if kind is not ScalarEvent:
                    return  # a key that is no text: the loader refuses such a document
                parent.key = key_text(event.value, event.style in (None, "") and event.tag is None)
                if parent.wanted and parent.key in parent.wanted:
                    self._note((*parent.path, parent.key), event)
                    if not self._missing:
                        return
                continue
            else:
                if parent.index is None:
                    token, parent.key = parent.key or "", None
                    merges_into = parent.path if token == MERGE_KEY else None
                else:
                    token = str(parent.index)
                    parent.index += 1
                    merges_into = parent.merges_into
                path = (*parent.path, token)
                below = parent.wanted.get(token) if parent.wanted else None
                if below is not None and parent.index is not None:
                    self._note(path, event)
                    if not self._missing:
                        return
            if kind is AliasEvent:
                target = self._anchors.get(event.anchor)
                if target is not None:
                    self._detours.setdefault(path if merges_into is None else merges_into, []).append(target)
                continue
            if event.anchor:
                self._anchors[event.anchor] = path
            if kind is MappingStartEvent:
                if merges_into is not None:
                    self._detours.setdefault(merges_into, []).append(path)
                stack.append(_Open(path, below, None, None))
            elif kind is SequenceStartEvent:
                stack.append(_Open(path, below, 0, merges_into))

    def _note(self, path: Tokens, event: Any) -> None:
        mark = event.start_mark
        self.found.setdefault(path, (mark.line + 1, mark.column + 1))
        self._missing.discard(path)

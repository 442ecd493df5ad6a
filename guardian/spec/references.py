"""Which references stand in a plain value, or in a piece of a text: their words alone, not where they lead."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from guardian.spec.pieces import Piece, Text
from guardian.spec.pointers import escape

COMPONENT_NAME = re.compile(r"[A-Za-z0-9._-]+")
_CONTAINERS = frozenset((dict, list))


def refs_in(value: Any) -> tuple[str, ...]:
    """Every reference in a plain value, each once: texts of ``$ref``, ``$dynamicRef``, ``$recursiveRef`` and
    ``operationRef``, and the values of ``discriminator.mapping`` (component names as pointers).

    A property that is named ``$ref`` holds a schema, not text, and is no reference.
    """
    found: dict[str, None] = {}
    stack = [value]
    while stack:
        item = stack.pop()
        if type(item) is dict:
            if len(item) == 1 and type(ref := item.get("$ref")) is str:  # as most references stand
                found[ref] = None
                continue
            if not _REFERENCE_KEYWORDS.isdisjoint(item):
                found.update((ref, None) for _, ref in references_of(item))
            stack.extend([child for child in item.values() if type(child) in _CONTAINERS])
        elif type(item) is list:
            stack.extend([child for child in item if type(child) in _CONTAINERS])
    return tuple(found)


# In JSON a string before a colon is a key. Dollars are rarer than quotation marks, which makes them quick to search for. A key
# may be written with escapes, or end like one of these, and a discriminator needs a closer look; links are rare.
_WRITTEN_REF = re.compile(rb'\$(?<="\$)(?:ref|dynamicRef|recursiveRef)"[ \t\r\n]*:[ \t\r\n]*("[^"\\]*(?:\\.[^"\\]*)*")')
_MISLEADING = re.compile(rb'\\(?:u00|"\$)')
_NOT_BY_TEXT = (b'"discriminator"', b'"operationRef"')


def refs_of(text: Text, piece: Piece, at: int) -> tuple[str, ...]:
    """As ``refs_in``, of a piece, which both sides of a comparison mostly share; by the text where that is JSON."""
    found = piece.references
    if found is None:
        if piece.members is not None:
            own = [ref for _, ref in references_of(piece.value)]
            below = [refs_of(text, each, at + offset) for _, offset, each in piece.members.values()]
            found = tuple(dict.fromkeys(chain(own, *below)))
        else:
            found = _written_refs(text.data, at, at + piece.length) if text.is_json else None
            if found is None:
                found = refs_in(piece.value)
        piece.references = found
    return found


def _written_refs(data: bytes, start: int, end: int) -> tuple[str, ...] | None:
    """As ``refs_in``, of a stretch of JSON; None where that needs a closer look than at the text."""
    if _MISLEADING.search(data, start, end) or any(data.find(each, start, end) >= 0 for each in _NOT_BY_TEXT):
        return None
    quoted = dict.fromkeys(_WRITTEN_REF.findall(data, start, end))
    return tuple(dict.fromkeys(str(json.loads(each)) if b"\\" in each else each[1:-1].decode() for each in quoted))


def sites_in(value: Any) -> Iterator[tuple[str, str, str]]:
    """Every reference in a value: keyword, text, and the pointer of the object that it stands in."""
    stack = [(value, "")]
    while stack:
        item, place = stack.pop()
        if isinstance(item, dict):
            for keyword, ref in references_of(item):
                yield keyword, ref, place
            stack.extend((child, f"{place}/{escape(key)}") for key, child in item.items() if type(child) in _CONTAINERS)
        elif isinstance(item, list):
            stack.extend((child, f"{place}/{index}") for index, child in enumerate(item) if type(child) in _CONTAINERS)


def references_of(item: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The references that stand in one object itself: keyword and text."""
    for keyword in ("$ref", "$dynamicRef", "$recursiveRef", "operationRef"):
        if isinstance(ref := item.get(keyword), str):
            yield keyword, ref
    discriminator = item.get("discriminator")
    mapping = discriminator.get("mapping") if isinstance(discriminator, dict) else None
    for target in mapping.values() if isinstance(mapping, dict) else ():
        if isinstance(target, str):
            yield "mapping", f"#/components/schemas/{target}" if COMPONENT_NAME.fullmatch(target) else target


_REFERENCE_KEYWORDS = frozenset(("$ref", "$dynamicRef", "$recursiveRef", "operationRef", "discriminator"))

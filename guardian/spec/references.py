"""Which references stand in a plain value, or in a piece of a text: their words alone, not where they lead."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from guardian.spec.pieces import Piece, Text
from guardian.spec.pointers import escape

COMPONENT_NAME = re.compile(r"[A-Za-z0-9._-]+")
_CONTAINERS = frozenset((dict, list))
#: An object without any of these refers to nothing by itself.
KEYWORDS = frozenset(("$ref", "$dynamicRef", "$recursiveRef", "operationRef", "discriminator"))
# In a JSON text: a reference as it mostly stands, or (the first group) the keyword of another kind. Patterns begin with
# a character that is rare, which is found faster than any word.
_REF = re.compile(rb'\$(?<=[^\\]"\$)(?:(dynamicRef|recursiveRef)"|ref"[ \t\r\n]*:[ \t\r\n]*"([^"\\]*)(["\\]))')
_LETTER = re.compile(rb"\\(?=u00)")  # as an escape, which may hide a keyword
_OTHER_WORDS = (b'"operationRef"', b'"discriminator"')


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
            if not KEYWORDS.isdisjoint(item):
                found.update((ref, None) for _, ref in references_of(item))
            stack.extend([child for child in item.values() if type(child) in _CONTAINERS])
        elif type(item) is list:
            stack.extend([child for child in item if type(child) in _CONTAINERS])
    return tuple(found)


def refs_of(written: Text, piece: Piece, at: int) -> tuple[str, ...]:
    """As ``refs_in``, of a piece at its offset, which both sides of a comparison mostly share."""
    found = piece.references
    if found is None:
        if piece.members is not None:
            below = [refs_of(written, each, at + offset) for _, offset, each in piece.members.values()]
            found = tuple(dict.fromkeys(chain((ref for _, ref in references_of(piece.value)), *below)))
        else:
            told = _told_by(written.data, at, at + piece.length) if written.is_json else None
            found = refs_in(piece.value) if told is None else told
        piece.references = found
    return found


def _told_by(data: bytes, start: int, end: int) -> tuple[str, ...] | None:
    """The references that stand in a part of a JSON text; ``None`` where only its value tells."""
    if any(data.find(word, start, end) >= 0 for word in _OTHER_WORDS) or _LETTER.search(data, start, end):
        return None
    found: dict[str, None] = {}
    for other, ref, ending in _REF.findall(data, start, end):
        if other or ending != b'"':
            return None
        found[ref.decode()] = None
    return tuple(found)


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

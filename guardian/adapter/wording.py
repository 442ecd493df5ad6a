"""Documentation that changed where the schema did not: the one thing that a comparison of schemas cannot judge.

Texts are paired by what they describe (an operation, a parameter, a field), never by where they stand in the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from guardian.model import Direction, Location
from guardian.spec.api import Api, Node, Operation, Schema
from guardian.spec.shaper import Shaper

_DEPTH = 6
_LONG = 150  # characters
_BEFORE = 60  # of those that two long texts have in common, the ones that are shown
_TEXTS = ("summary", "description")


@dataclass(frozen=True, slots=True)
class Wording:
    """One text and what became of it.

    ``field`` is as manifests write it; empty for the operation itself. ``operation`` is empty for the API as a whole.
    """

    operation: str
    field: str
    direction: Direction
    base: str
    head: str
    base_location: Location
    head_location: Location

    @property
    def place(self) -> str:
        """Operation, a dot, field."""
        return f"{self.operation}.{self.field}" if self.field else self.operation or "the whole API"

    @property
    def differing(self) -> tuple[str, str]:
        """Both texts; of long ones, what stands from a few words before the place where they begin to differ."""
        if max(len(self.base), len(self.head)) <= _LONG:
            return self.base, self.head
        pairs = zip(self.base, self.head, strict=False)
        same = next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(self.base), len(self.head)))
        start = self.base.rfind(" ", 0, max(0, same - _BEFORE)) + 1
        mark = "… " if start else ""
        return mark + self.base[start:], mark + self.head[start:]


@dataclass(frozen=True, slots=True)
class _Text:
    text: str
    location: Location
    direction: Direction


_Texts = dict[tuple[str, str], _Text]


def reworded(base: Api, head: Api) -> list[Wording]:
    """The texts that both sides have and that differ in more than white space, by place.

    Raises:
        ReadError: an operation is malformed.
    """
    found = _paired("", _texts_of_all(base), _texts_of_all(head))
    for name in sorted(base.operations.keys() & head.operations.keys()):
        found += _paired(name, _texts(base.operations[name]), _texts(head.operations[name]))
    return found


def _paired(operation: str, before: _Texts, after: _Texts) -> list[Wording]:
    return [
        Wording(operation, key[0], before[key].direction, before[key].text, after[key].text,
                before[key].location, after[key].location)
        for key in sorted(before.keys() & after.keys())
        if before[key].text != after[key].text
    ]  # fmt: skip


def _texts_of_all(api: Api) -> _Texts:
    """What is said of the API as a whole, where limits and conventions often stand."""
    found: _Texts = {}
    if isinstance(api.document.root.get("info"), dict):
        _put(found, "", "", (api.document.node("/info"),), Direction.REQUEST)
    return found


def _texts(operation: Operation) -> _Texts:
    """(field, message part) -> what is said about it. Requests and responses may say different things of one name."""
    found: _Texts = {}
    incoming = Direction.RESPONSE if operation.inverted else Direction.REQUEST
    put = partial(_put, found)
    put("", "", (operation.node,), incoming)
    parts = operation.parts
    for parameter in parts.parameters:
        nodes = (parameter.node, *(_layers(parameter.schema) if parameter.schema else ()))
        put(parameter.field, "parameter", nodes, incoming)
    shaper = Shaper()
    if parts.body is not None and parts.body.content and parts.body.content[0].schema is not None:
        for field, schema in _fields(parts.body.content[0].schema, incoming, shaper, "body", ()):
            put(field, "request", _layers(schema), incoming)
    for status, response in parts.responses.items():
        put("", status, (response.node,), incoming.opposite)
        for header in response.headers.values():
            put(f"header:{header.name}", status, (header.node,), incoming.opposite)
        if response.content and response.content[0].schema is not None:
            for field, schema in _fields(response.content[0].schema, incoming.opposite, shaper, "", ()):
                put(field or "$", status, _layers(schema), incoming.opposite)
    return found


def _put(found: _Texts, field: str, part: str, nodes: tuple[Node, ...], direction: Direction) -> None:
    text = " ".join(
        " ".join(node.value[key].split())
        for node in nodes
        for key in _TEXTS
        if isinstance(node.value, dict) and isinstance(node.value.get(key), str)
    )
    if text and nodes:
        found[field, part] = _Text(text, nodes[0].location, direction)


def _layers(schema: Schema) -> tuple[Node, ...]:
    """A schema's nodes with what they refer to, the nearest text first."""
    found: list[Node] = []
    for node in schema.nodes:
        found += node.document.documents.layers(node) if isinstance(node.value, dict) else (node,)
    return tuple(found)


def _fields(
    schema: Schema, direction: Direction, shaper: Shaper, field: str, trail: tuple[object, ...]
) -> Iterator[tuple[str, Schema]]:
    yield field, schema
    if schema.key in trail or len(trail) >= _DEPTH:
        return
    below = (*trail, schema.key)
    for atom in shaper.shape(schema, direction).atoms:
        for name, child in atom.properties.items():
            yield from _fields(child, direction, shaper, f"{field}.{name}" if field else name, below)
        if atom.kind == "array" and atom.items.nodes:
            yield from _fields(atom.items, direction, shaper, f"{field}[]", below)

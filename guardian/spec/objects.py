"""Merging objects: what the leaves of one alternative say together of its properties and other keys.

JSON Schema 2020-12, validation section 6.5 and applicators section 10.3.2: names are joined, children become conjunctions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from guardian.model import Direction
from guardian.spec.api import Node, Schema
from guardian.spec.dynamic import ELSEWHERE
from guardian.spec.limits import at_least, at_most, child, matches
from guardian.spec.shape import ANYTHING, Atom, conjunction

if TYPE_CHECKING:
    from guardian.spec.shaper import Shaper


def merge_object(shaper: Shaper, atom: Atom, direction: Direction) -> Atom | None:
    leaves = atom.nodes
    required = Required(leaves)
    properties = Properties(leaves)
    hidden = _hidden(shaper, properties, direction)
    for name in hidden:
        required.hide(name)
        properties.hide(name)
    additional, additional_node = _additional(leaves)
    if additional is None:  # what can have no value is then no more declared than any other key
        for name in [name for name in properties if properties.refuses(name)]:
            properties.hide(name)
    patterns: dict[str, Schema] = {}
    dependent: dict[tuple[str, str], Node] = {}
    dependent_schemas: dict[str, Schema] = {}
    names_schema = ANYTHING
    for leaf in leaves:
        for pattern in _mapping(leaf, "patternProperties"):
            said = child(leaf, "patternProperties", pattern)
            patterns[pattern] = conjunction(patterns.get(pattern, ANYTHING), said)
        if isinstance(leaf.value.get("propertyNames"), dict | bool):
            names_schema = conjunction(names_schema, child(leaf, "propertyNames"))
        for keyword in ("dependentRequired", "dependencies"):
            for name in _mapping(leaf, keyword):
                for index, other in enumerate(_names(leaf.value[keyword][name])):
                    dependent.setdefault((name, other), leaf.child(keyword, name, index))
        for keyword in ("dependentSchemas", "dependencies"):
            for name, value in _mapping(leaf, keyword).items():
                if isinstance(value, dict | bool):
                    said = child(leaf, keyword, name)
                    dependent_schemas[name] = conjunction(dependent_schemas.get(name, ANYTHING), said)
    _imply(required, dependent)
    for name in required:
        if isinstance(properties.plain(name), dict):
            continue
        if name in properties:
            refused = any(node.value is False for node in properties[name].nodes)
        else:
            refused = additional is None and not any(matches(pattern, name) for pattern in patterns)
        if refused:
            return None  # it must hold a key that it refuses, as parts of an allOf do that are closed one by one
    low, high = at_least(leaves, "minProperties"), at_most(leaves, "maxProperties")
    if high and len(required) > high.value:
        return None
    if low and (
        (high and low.value > high.value) or (additional is None and not patterns and low.value > len(properties))
    ):
        return None
    return replace(
        atom, properties=properties, hidden=hidden, required=required, additional=additional,
        additional_node=additional_node, pattern_properties=patterns, min_properties=low, max_properties=high,
        property_names=names_schema, dependent_required=dependent, dependent_schemas=dependent_schemas,
    )  # fmt: skip


def _imply(required: Required, dependent: dict[tuple[str, str], Node]) -> None:
    """What a required property asks for is required too, and then no longer depends on anything."""
    asked = True
    while asked:
        asked = False
        for (name, other), node in list(dependent.items()):
            if name in required:
                del dependent[name, other]
                required.add(other, node)
                asked = True
            elif other in required:
                del dependent[name, other]


class Required(Mapping[str, Node]):
    """The names that merged leaves require, each with where that is written; the place is made when asked for."""

    __slots__ = ("_places",)

    def __init__(self, leaves: tuple[Node, ...]) -> None:
        self._places: dict[str, tuple[Node, int] | Node] = {}
        for leaf in leaves:
            for index, name in enumerate(_names(leaf.value.get("required"))):
                self._places.setdefault(name, (leaf, index))

    def hide(self, name: str) -> None:
        """Take a name out: messages of this direction do not carry it."""
        self._places.pop(name, None)

    def add(self, name: str, node: Node) -> None:
        """Require a name that is asked for elsewhere."""
        self._places.setdefault(name, node)

    def __getitem__(self, name: str) -> Node:
        place = self._places[name]
        return place[0].child("required", place[1]) if isinstance(place, tuple) else place

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


class Properties(Mapping[str, Schema]):
    """The declared properties of merged leaves; what a property demands is put together when it is asked for.

    Most properties of most objects are the same on both sides and are never asked for.
    """

    __slots__ = ("_leaves", "_made", "_names", "_plain")

    def __init__(self, leaves: tuple[Node, ...]) -> None:
        self._leaves = leaves
        self._made: dict[str, Schema] = {}
        self._names: dict[str, None] = {}
        for leaf in leaves:
            self._names.update(dict.fromkeys(_mapping(leaf, "properties")))
        # The raw declarations, where one leaf alone says everything.
        alone = len(leaves) == 1 and not _mapping(leaves[0], "patternProperties")
        self._plain: Mapping[str, Any] | None = _mapping(leaves[0], "properties") if alone else None

    def hide(self, name: str) -> None:
        """Take a property out: messages of this direction do not carry it."""
        del self._names[name]

    def plain(self, name: str) -> Any:
        """The declaration as it is written, where it is the only one; else ``None``."""
        return self._plain.get(name) if self._plain is not None else None

    def refuses(self, name: str) -> bool:
        """Whether nothing can stand there: one leaf does not declare it and is closed, or says ``false`` of it."""
        if self._plain is not None:
            return self._plain.get(name) is False
        return any(node.value is False for node in self[name].nodes)

    def __getitem__(self, name: str) -> Schema:
        found = self._made.get(name)
        if found is None:
            if name not in self._names:
                raise KeyError(name)
            if self._plain is not None:
                found = child(self._leaves[0], "properties", name)
            else:
                found = conjunction(*(_property(leaf, name) for leaf in self._leaves))
            self._made[name] = found
        return found

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _hidden(shaper: Shaper, properties: Properties, direction: Direction) -> dict[str, Node]:
    """The properties that messages of this direction do not carry, and where that is said."""
    flag = "readOnly" if direction is Direction.REQUEST else "writeOnly"
    hidden: dict[str, Node] = {}
    for name in properties:
        plain = properties.plain(name)
        if isinstance(plain, dict) and flag not in plain and ELSEWHERE.isdisjoint(plain):
            continue
        read_only, write_only = shaper.flags(properties[name])
        node = read_only if direction is Direction.REQUEST else write_only
        if node is not None:
            hidden[name] = node
    return hidden


def _mapping(leaf: Node, keyword: str) -> Mapping[str, Any]:
    value = leaf.value.get(keyword)
    return value if isinstance(value, dict) else {}


def _names(value: Any) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _property(leaf: Node, name: str) -> Schema:
    """What one leaf demands of a property: its declaration and its pattern's, else what is said of all other keys."""
    own = [child(leaf, "properties", name)] if name in _mapping(leaf, "properties") else []
    own += [
        child(leaf, "patternProperties", pattern)
        for pattern in _mapping(leaf, "patternProperties")
        if matches(pattern, name)
    ]
    if not own and isinstance(leaf.value.get("additionalProperties"), dict | bool):
        return child(leaf, "additionalProperties")
    return own[0] if len(own) == 1 else conjunction(*own)


def undeclared(atom: Atom, name: str) -> Schema | None:
    """What an object says of a key that it does not declare; None if it refuses the key."""
    said = [schema for pattern, schema in atom.pattern_properties.items() if matches(pattern, name)]
    return conjunction(*said) if said else atom.additional


def _additional(leaves: tuple[Node, ...]) -> tuple[Schema | None, Node | None]:
    """What undeclared keys may hold: a schema, or None where they are refused."""
    schema = ANYTHING
    where: Node | None = None
    for leaf in leaves:
        for keyword in ("additionalProperties", "unevaluatedProperties"):
            value = leaf.value.get(keyword)
            if not isinstance(value, dict | bool):
                continue
            where = where or leaf.child(keyword)
            if value is False:
                return None, leaf.child(keyword)
            schema = conjunction(schema, child(leaf, keyword))
            break
    return schema, where

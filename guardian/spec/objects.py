"""Merging objects: what the leaves of one alternative say together of its properties and other keys.

JSON Schema 2020-12, validation section 6.5 and applicators section 10.3.2: names are joined, children become conjunctions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, KeysView, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

from guardian.model import Direction
from guardian.spec.api import Node, Schema
from guardian.spec.dynamic import ELSEWHERE
from guardian.spec.limits import at_least, at_most, child, matches
from guardian.spec.shape import ANYTHING, Atom, conjunction

if TYPE_CHECKING:
    from guardian.spec.shaper import Shaper


# What is said of keys by their form, and of those that come with others: rare.
_OF_KEYS = frozenset(("patternProperties", "propertyNames", "dependentRequired", "dependentSchemas", "dependencies"))
# By what stands there a key's name decides what its value must be.
_OF_NAMES = frozenset(("properties", "patternProperties", "additionalProperties"))


def merge_object(shaper: Shaper, atom: Atom, direction: Direction) -> bool:
    """Fill in what the leaves of an alternative say of objects; false if no object satisfies them all."""
    leaves = atom.nodes
    required = Required(leaves)
    properties = Properties(leaves)
    hidden = _hidden(shaper, properties, direction)
    required.hide(hidden)
    properties.hide(hidden)
    additional, additional_node = _additional(leaves)
    if additional is None:  # what can have no value is then no more declared than any other key
        properties.hide([name for name in properties if properties.refuses(name)])
    if any(not _OF_KEYS.isdisjoint(leaf.value) for leaf in leaves):
        _merge_keys(atom, required)
    patterns, written = atom.pattern_properties, properties.written
    for name in required:
        if isinstance(written.get(name), dict):
            continue
        if name in properties:
            refused = any(node.value is False for node in properties[name].nodes)
        else:
            refused = additional is None and not any(matches(pattern, name) for pattern in patterns)
        if refused:
            return False  # it must hold a key that it refuses, as parts of an allOf do that are closed one by one
    low, high = at_least(leaves, "minProperties"), at_most(leaves, "maxProperties")
    if high and len(required) > high.value:
        return False
    if low and (
        (high and low.value > high.value) or (additional is None and not patterns and low.value > len(properties))
    ):
        return False
    atom.properties, atom.hidden, atom.required = properties, hidden, required
    atom.additional, atom.additional_node = additional, additional_node
    atom.min_properties, atom.max_properties = low, high
    return True


def _merge_keys(atom: Atom, required: Required) -> None:
    """Fill in what is said of keys by their form and of those that come with others, which may require some more."""
    patterns: dict[str, Schema] = {}
    dependent: dict[tuple[str, str], Node] = {}
    dependent_schemas: dict[str, Schema] = {}
    for leaf in atom.nodes:
        for pattern in _mapping(leaf, "patternProperties"):
            said = child(leaf, "patternProperties", pattern)
            patterns[pattern] = conjunction(patterns.get(pattern, ANYTHING), said)
        if isinstance(leaf.value.get("propertyNames"), dict | bool):
            atom.property_names = conjunction(atom.property_names, child(leaf, "propertyNames"))
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
    atom.pattern_properties, atom.dependent_required, atom.dependent_schemas = patterns, dependent, dependent_schemas


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

    def hide(self, names: Collection[str]) -> None:
        """Take names out: messages of this direction do not carry them."""
        for name in names:
            self._places.pop(name, None)

    def add(self, name: str, node: Node) -> None:
        """Require a name that is asked for elsewhere."""
        self._places.setdefault(name, node)

    def __getitem__(self, name: str) -> Node:
        place = self._places[name]
        return place[0].child("required", place[1]) if isinstance(place, tuple) else place

    def keys(self) -> KeysView[str]:
        return self._places.keys()

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

    __slots__ = ("_leaves", "_made", "_names", "written")

    def __init__(self, leaves: tuple[Node, ...]) -> None:
        #: What the others say does not depend on the name of a key.
        self._leaves = [leaf for leaf in leaves if not _OF_NAMES.isdisjoint(leaf.value)]
        self._made: dict[str, Schema] = {}
        declared = [_mapping(leaf, "properties") for leaf in self._leaves]
        alone = len(self._leaves) == 1 and not _mapping(self._leaves[0], "patternProperties")
        #: The declarations as they are written, where one leaf alone says everything of them; else none.
        self.written: Mapping[str, Any] = declared[0] if alone else {}
        self._names: Mapping[str, Any] = declared[0] if alone else dict.fromkeys(chain.from_iterable(declared))

    @property
    def node(self) -> Node:
        """The leaf that the declarations are ``written`` in."""
        return self._leaves[0]

    def hide(self, names: Collection[str]) -> None:
        """Take properties out: messages of this direction do not carry them."""
        if names:
            self._names = {name: None for name in self._names if name not in names}

    def bare_reference(self, name: str) -> tuple[str, str] | None:
        """An identity of what a property refers to, where it says nothing else: its document and the reference."""
        declared = self.written.get(name)
        if not isinstance(declared, dict) or len(declared) > 1 or self.node.document.scoped:
            return None
        ref = declared.get("$ref")
        return (self.node.document.uri, ref) if isinstance(ref, str) else None

    def refuses(self, name: str) -> bool:
        """Whether nothing can stand there: one leaf does not declare it and is closed, or says ``false`` of it."""
        if name in self.written:
            return self.written[name] is False
        return any(node.value is False for node in self[name].nodes)

    def __getitem__(self, name: str) -> Schema:
        found = self._made.get(name)
        if found is None:
            if name not in self._names:
                raise KeyError(name)
            if name in self.written:
                found = child(self.node, "properties", name)
            else:
                found = conjunction(*(_property(leaf, name) for leaf in self._leaves))
            self._made[name] = found
        return found

    def keys(self) -> KeysView[str]:
        return self._names.keys()  # as a dict's own they are compared in C

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


# A schema without any of these is carried by the messages of a direction.
_SAYING_HIDDEN = {Direction.REQUEST: ELSEWHERE | {"readOnly"}, Direction.RESPONSE: ELSEWHERE | {"writeOnly"}}


def _hidden(shaper: Shaper, properties: Properties, direction: Direction) -> dict[str, Node]:
    """The properties that messages of this direction do not carry, and where that is said."""
    saying = _SAYING_HIDDEN[direction]
    asked: Iterable[str] = properties
    if properties.written:
        asked = [
            name
            for name, declared in properties.written.items()
            if not isinstance(declared, dict) or not saying.isdisjoint(declared)
        ]
    hidden: dict[str, Node] = {}
    for name in asked:
        read_only, write_only = shaper.property_flags(properties, name)
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

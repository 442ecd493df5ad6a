"""What a schema means: the alternatives that a value may be, each with its constraints merged.

A ``Schema`` is a conjunction of nodes as they were written. Its *effective shape* (``guardian.spec.shaper`` makes it) is
a list of ``Atom`` values, each of exactly one JSON type: two spellings of one meaning have the same shape. Children are
schemas again, so recursive schemas need no care here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple

from guardian.spec.api import Node, Schema
from guardian.spec.dynamic import target_of

KINDS = ("null", "boolean", "number", "string", "array", "object")
ANYTHING = Schema(())

# The keywords that speak of values of one kind only (JSON Schema 2020-12, validation section 6).
BY_KIND = {
    "object": (
        "properties", "required", "additionalProperties", "patternProperties", "minProperties", "maxProperties",
        "propertyNames", "dependentRequired", "dependentSchemas", "dependencies", "unevaluatedProperties",
    ),
    "array": ("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "unevaluatedItems"),
    "string": ("minLength", "maxLength", "pattern", "contentEncoding", "contentMediaType", "contentSchema"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}  # fmt: skip

# The keywords that say anything of values of one kind; without any of them such a value is free.
KEYWORDS: dict[str, frozenset[str]] = {
    **{kind: frozenset() for kind in KINDS},
    **{kind: frozenset(keywords) for kind, keywords in BY_KIND.items()},
    "array": frozenset((*BY_KIND["array"], "additionalItems")),
    "string": frozenset((*BY_KIND["string"], "format")),
    "number": frozenset((*BY_KIND["number"], "format")),
}


class Bound(NamedTuple):
    """One limit: its value, whether the value itself is excluded, and where it is written."""

    value: float | int
    exclusive: bool
    node: Node


class Contains(NamedTuple):
    """How many items of an array are of a schema."""

    schema: Schema
    minimum: int
    maximum: int | None
    node: Node


@dataclass(slots=True)
class Atom:
    """One alternative: a value of one JSON type that satisfies everything here at once.

    Not frozen, since its constraints are filled in one after the other (``guardian.spec.facets``); once it is in a
    shape it is never changed.

    ``silent`` is true where the type was never written and only another type's keywords suggest what was meant.
    ``names`` are the component names this alternative was reached by, innermost last; ``variant`` is the name it has
    as a member of ``oneOf`` or ``anyOf``; ``tags`` are the discriminator values that select it.
    """

    kind: str
    nodes: tuple[Node, ...]
    silent: bool = False
    names: tuple[str, ...] = ()
    variant: str | None = None
    tags: tuple[str, ...] = ()
    # any kind
    enum: Mapping[str, Node] | None = None  # canonical JSON text -> where it is written
    extensible: bool = False  # x-extensible-enum: readers were told to expect more
    nots: tuple[Node, ...] = ()  # schemas under "not" that exclude some values of this kind, and are no lists
    excluded: Mapping[str, Node] = field(default_factory=dict)  # values that a "not" lists, as in enum
    conditions: tuple[Node, ...] = ()  # schema objects that hold an "if"
    # number
    integer: bool = False
    minimum: Bound | None = None
    maximum: Bound | None = None
    multiples: Mapping[float | int, Node] = field(default_factory=dict)
    # string
    min_length: Bound | None = None
    max_length: Bound | None = None
    patterns: Mapping[str, Node] = field(default_factory=dict)
    documents: tuple[Node, ...] = ()  # schema objects that say what document the text is
    # number and string
    formats: Mapping[str, Node] = field(default_factory=dict)
    # array
    items: Schema = ANYTHING
    prefix: tuple[Schema, ...] = ()
    min_items: Bound | None = None
    max_items: Bound | None = None
    unique: Node | None = None
    contains: tuple[Contains, ...] = ()
    # object
    properties: Mapping[str, Schema] = field(default_factory=dict)
    hidden: Mapping[str, Node] = field(default_factory=dict)  # readOnly in a request, writeOnly in a response
    required: Mapping[str, Node] = field(default_factory=dict)
    additional: Schema | None = ANYTHING  # None: closed
    additional_node: Node | None = None
    pattern_properties: Mapping[str, Schema] = field(default_factory=dict)
    min_properties: Bound | None = None
    max_properties: Bound | None = None
    property_names: Schema = ANYTHING
    dependent_required: Mapping[tuple[str, str], Node] = field(default_factory=dict)
    dependent_schemas: Mapping[str, Schema] = field(default_factory=dict)

    @property
    def node(self) -> Node | None:
        return self.nodes[0] if self.nodes else None

    @property
    def free(self) -> bool:
        """True if any value of this kind is accepted."""
        return (
            self.enum is None
            and not (self.integer or self.minimum or self.maximum or self.multiples)
            and not (self.min_length or self.max_length or self.patterns or self.formats or self.documents)
            and not (self.nots or self.excluded or self.conditions)
            and self.items == ANYTHING
            and not (self.prefix or self.min_items or self.max_items or self.unique or self.contains)
            and not (self.properties or self.required or self.pattern_properties or self.property_names.nodes)
            and self.additional == ANYTHING
            and not (self.min_properties or self.max_properties or self.dependent_required or self.dependent_schemas)
        )


class Discriminator(NamedTuple):
    """``mapping`` is complete: implicit names are filled in from the alternatives' component names."""

    property: str
    mapping: Mapping[str, str]  # wire value -> the place of its schema
    node: Node
    own: frozenset[str] = frozenset()  # the wire values that are the names of what they select


def default_variant(discriminator: Discriminator) -> str | None:
    """The variant that is meant where no value selects one (OpenAPI 3.2): its component's name or reference."""
    value = discriminator.node.value
    named = value.get("defaultMapping") if isinstance(value, dict) else None
    return named.rpartition("/")[2] if isinstance(named, str) else None


class Shape(NamedTuple):
    """All alternatives of one schema. No atom: nothing is accepted. ``opaque`` nodes were not multiplied out."""

    atoms: tuple[Atom, ...]
    discriminator: Discriminator | None = None
    opaque: tuple[Node, ...] = ()
    # By keyword, what is said of the value beside what it may be.
    said: Mapping[str, Node] = MappingProxyType({})
    # The discriminator of a schema that lists no alternatives: others extend it, and are found by their names.
    subtypes: Discriminator | None = None

    def of_kind(self, kind: str) -> tuple[Atom, ...]:
        return tuple(atom for atom in self.atoms if atom.kind == kind)

    @property
    def kinds(self) -> frozenset[str]:
        return frozenset(atom.kind for atom in self.atoms)


def canonical(value: Any) -> str:
    """JSON text in which equal JSON values are equal strings: sorted keys, ``1.0`` as ``1``."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return _encode(_canonical_numbers(value) if isinstance(value, dict | list) else value)


_encode = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode


def _canonical_numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _canonical_numbers(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_canonical_numbers(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def kind_of_text(text: str) -> str:
    """The JSON type of the value that a canonical text stands for."""
    return _KIND_BY_START.get(text[0], "number")


_KIND_BY_START = {"n": "null", "t": "boolean", "f": "boolean", '"': "string", "[": "array", "{": "object"}


def conjunction(*schemas: Schema) -> Schema:
    """All of these at once, each node only once, in order of appearance."""
    nodes: dict[Node, None] = {}
    for schema in schemas:
        nodes.update(dict.fromkeys(schema.nodes))
    return Schema(tuple(nodes))


def meant(schema: Schema) -> Schema:
    """The same schema without bare references to it: two places that refer to one component hold one schema.

    Raises:
        RefError: a reference leads nowhere.
    """
    if len(schema.nodes) != 1:
        return schema
    node = schema.nodes[0]
    passed: set[Node] = set()
    while isinstance(node.value, dict) and node.value.keys() == {"$ref"} and isinstance(node.value["$ref"], str):
        if node in passed:
            return schema
        passed.add(node)
        node = target_of(node, "$ref")
    return schema if node is schema.nodes[0] else Schema((node,))

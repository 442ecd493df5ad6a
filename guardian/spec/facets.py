"""Merging: what the leaves of one alternative say together, keyword by keyword.

Every keyword of JSON Schema's validation vocabulary (2020-12, sections 6.1 to 6.5) and its applicators for objects
and arrays has its merge here: limits take the tighter one, names are joined, children become conjunctions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from guardian.model import Direction
from guardian.spec.api import Node, Schema
from guardian.spec.dynamic import REFERENCES
from guardian.spec.shape import ANYTHING, KEYWORDS, Atom, Bound, Contains, canonical, conjunction, kind_of

if TYPE_CHECKING:
    from guardian.spec.shape import Shaper

# What is said of values of every kind, and rarely said at all.
_GENERAL = frozenset({"not", "if", "x-extensible-enum", "x-ms-enum"})


def merge(shaper: Shaper, atom: Atom, enum: Mapping[str, Node] | None, direction: Direction) -> Atom | None:
    """The atom with all its leaves' constraints of its kind; None if no value can satisfy them."""
    leaves = atom.nodes
    merged: Atom | None = atom
    if any(not _GENERAL.isdisjoint(leaf.value) for leaf in leaves):
        merged = _general(shaper, atom, leaves, direction)
    if merged is not None and any(not KEYWORDS[atom.kind].isdisjoint(leaf.value) for leaf in leaves):
        merged = _MERGERS[atom.kind](shaper, merged, direction)
    if merged is None or (enum is None and not merged.excluded):
        return merged
    if enum is None and atom.kind == "boolean":
        enum = {text: node for text in ("true", "false") for node in merged.excluded.values()}
    return _listed(merged, enum) if enum is not None else _without(merged)


def _without(atom: Atom) -> Atom:
    """Of what is excluded only what the limits would have let through."""
    import json

    free = replace(atom, excluded={})
    return replace(
        atom, excluded={text: node for text, node in atom.excluded.items() if admits(free, json.loads(text))}
    )


def _general(shaper: Shaper, atom: Atom, leaves: tuple[Node, ...], direction: Direction) -> Atom | None:
    """What is said of values of any kind; None if a ``not`` excludes all of this kind."""
    nots: list[Node] = []
    excluded: dict[str, Node] = {}
    for leaf in leaves:
        if not isinstance(leaf.value.get("not"), dict | bool):
            continue
        node = leaf.child("not")
        shape = shaper.shape_unless_asked(Schema((node,)), direction)
        same = shape.of_kind(atom.kind) if shape is not None else ()
        if shape is None or shape.opaque:
            nots.append(node)
        elif any(each.free for each in same):
            return None
        elif all(each.enum is not None for each in same):
            excluded.update((text, place) for each in same for text, place in (each.enum or {}).items())
        else:
            nots.append(node)
    return replace(
        atom,
        nots=tuple(nots),
        excluded=excluded,
        conditions=tuple(
            leaf for leaf in leaves if "if" in leaf.value and _conditional(shaper, leaf, atom.kind, direction)
        ),
        extensible=any(leaf.value.get("x-extensible-enum") is not None for leaf in leaves)
        or any(_model_as_string(leaf.value) for leaf in leaves),
    )


def _conditional(shaper: Shaper, leaf: Node, kind: str, direction: Direction) -> bool:
    """Whether a condition can matter to values of a kind."""

    def taken(keyword: str) -> str:
        if not isinstance(leaf.value.get(keyword), dict | bool):
            return "all"
        shape = shaper.shape_unless_asked(Schema((leaf.child(keyword),)), direction)
        if shape is None or shape.opaque:
            return "some"
        same = shape.of_kind(kind)
        return "none" if not same else "all" if any(atom.free for atom in same) else "some"

    asked = taken("if")
    return (asked != "none" and taken("then") != "all") or (asked != "all" and taken("else") != "all")


def _model_as_string(value: Mapping[str, Any]) -> bool:
    extension = value.get("x-ms-enum")
    return isinstance(extension, dict) and extension.get("modelAsString") is True


def _listed(atom: Atom, enum: Mapping[str, Node]) -> Atom | None:
    """Only listed values: those of this kind that the limits let through; the limits have then said all they can."""
    import json

    kept: dict[str, Node] = {}
    for text, node in enum.items():
        value = json.loads(text)
        if kind_of(value) == atom.kind and admits(atom, value):
            kept[text] = node
    if not kept:
        return None
    if atom.kind == "null" or (atom.kind == "boolean" and len(kept) == 2):
        return atom
    return replace(
        atom, enum=kept, excluded={}, integer=False, minimum=None, maximum=None, multiples={}, min_length=None, max_length=None,
        patterns={}, formats={} if atom.kind == "number" else atom.formats,
    )  # fmt: skip


def admits(atom: Atom, value: Any) -> bool:
    """Whether the limits and patterns of an alternative let a scalar of its kind through; says yes where it cannot tell."""
    if atom.excluded and canonical(value) in atom.excluded:
        return False
    if atom.kind == "number":
        if atom.integer and value != int(value):
            return False
        if atom.minimum and (value < atom.minimum.value or (atom.minimum.exclusive and value == atom.minimum.value)):
            return False
        if atom.maximum and (value > atom.maximum.value or (atom.maximum.exclusive and value == atom.maximum.value)):
            return False
        return all(multiple and abs(value / multiple - round(value / multiple)) < 1e-9 for multiple in atom.multiples)
    if atom.kind == "string":
        if atom.min_length and len(value) < atom.min_length.value:
            return False
        if atom.max_length and len(value) > atom.max_length.value:
            return False
        return all(_matches(pattern, value) for pattern in atom.patterns)
    return True


def _matches(pattern: str, text: str) -> bool:
    from guardian.spec.ecma import Undecidable
    from guardian.spec.languages import found

    try:
        return found(pattern, text)
    except Undecidable:
        return True


def number(value: Any) -> bool:
    """True for JSON numbers: Python's bool is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _tightest(
    leaves: tuple[Node, ...], keyword: str, tighter: Callable[[float, float], bool], exclusive: bool = False
) -> Bound | None:
    best: Bound | None = None
    for leaf in leaves:
        value = leaf.value.get(keyword)
        if number(value) and (best is None or tighter(value, best.value)):
            best = Bound(value, exclusive, leaf.child(keyword))
    return best


def _at_least(leaves: tuple[Node, ...], keyword: str) -> Bound | None:
    found = _tightest(leaves, keyword, lambda a, b: a > b)
    return found if found is not None and found.value > 0 else None


def _at_most(leaves: tuple[Node, ...], keyword: str) -> Bound | None:
    return _tightest(leaves, keyword, lambda a, b: a < b)


def _limit(leaves: tuple[Node, ...], keyword: str, exclusive_keyword: str, sign: int) -> Bound | None:
    """The tighter of the plain and the exclusive bound, in both spellings (boolean in 2.0 and 3.0, number in 3.1)."""
    best: Bound | None = None
    for leaf in leaves:
        candidates: list[Bound] = []
        value, extra = leaf.value.get(keyword), leaf.value.get(exclusive_keyword)
        if number(value):
            candidates.append(Bound(value, extra is True, leaf.child(keyword)))
        if number(extra):
            candidates.append(Bound(extra, True, leaf.child(exclusive_keyword)))
        for each in candidates:
            if best is None or (sign * each.value, each.exclusive) > (sign * best.value, best.exclusive):
                best = each
    return best


# The formats that are nothing but limits of a number: OpenAPI format registry.
INTEGER_FORMATS: dict[str, tuple[int, int]] = {
    "int8": (-(2**7), 2**7 - 1),
    "uint8": (0, 2**8 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "uint16": (0, 2**16 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "uint32": (0, 2**32 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint64": (0, 2**64 - 1),
}


def _formats(leaves: tuple[Node, ...]) -> dict[str, Node]:
    return {leaf.value["format"]: leaf.child("format") for leaf in leaves if isinstance(leaf.value.get("format"), str)}


def _number(shaper: Shaper, atom: Atom, direction: Direction) -> Atom | None:
    leaves = atom.nodes
    minimum = _limit(leaves, "minimum", "exclusiveMinimum", 1)
    maximum = _limit(leaves, "maximum", "exclusiveMaximum", -1)
    multiples: dict[float | int, Node] = {}
    for leaf in leaves:
        value = leaf.value.get("multipleOf")
        if number(value) and value > 0:
            multiples.setdefault(value, leaf.child("multipleOf"))
    integer = atom.integer
    if any(float(each).is_integer() for each in multiples):
        integer = True
    if integer and 1 in multiples:
        del multiples[1]
    if integer:
        minimum, maximum = _whole(minimum, 1), _whole(maximum, -1)
    if minimum and maximum and (
        minimum.value > maximum.value
        or (minimum.value == maximum.value and (minimum.exclusive or maximum.exclusive))
    ):  # fmt: skip
        return None
    return replace(
        atom, integer=integer, minimum=minimum, maximum=maximum, multiples=multiples, formats=_formats(leaves)
    )


def _whole(bound: Bound | None, sign: int) -> Bound | None:
    """For integers an exclusive or broken limit is the next whole number: ``> 0`` and ``>= 1`` are one limit."""
    import math

    if bound is None:
        return None
    edge = math.ceil(bound.value) if sign > 0 else math.floor(bound.value)
    if bound.exclusive and edge == bound.value:
        edge += sign
    return Bound(edge, False, bound.node)


def _string(shaper: Shaper, atom: Atom, direction: Direction) -> Atom | None:
    leaves = atom.nodes
    low, high = _at_least(leaves, "minLength"), _at_most(leaves, "maxLength")
    if low and high and low.value > high.value:
        return None
    patterns: dict[str, Node] = {}
    for leaf in leaves:
        value = leaf.value.get("pattern")
        if isinstance(value, str) and value not in {"", ".*", "^.*$", "^", "$"}:
            patterns.setdefault(value, leaf.child("pattern"))
    formats = _formats(leaves)
    for leaf in leaves:
        if leaf.value.get("type") == "file":
            formats.setdefault("binary", leaf)
        encoding = leaf.value.get("contentEncoding")
        if isinstance(encoding, str) and encoding.lower() not in _IDENTITY_ENCODINGS:
            formats.setdefault(_ENCODINGS.get(encoding.lower(), encoding), leaf.child("contentEncoding"))
    documents = tuple(leaf for leaf in leaves if "contentSchema" in leaf.value or media_type_of(leaf) is not None)
    return replace(atom, min_length=low, max_length=high, patterns=patterns, formats=formats, documents=documents)


# ``contentEncoding`` (RFC 4648, RFC 2045) as the format that says the same (OpenAPI 3.1, data types), and what is none.
_ENCODINGS = {"base64": "byte"}
_IDENTITY_ENCODINGS = frozenset(("7bit", "8bit", "binary"))
# Any text is a document of these.
_PLAIN_TYPES = frozenset(("application/octet-stream", "text/plain"))


def media_type_of(leaf: Node) -> str | None:
    """The ``contentMediaType`` of a schema, if it says anything: ``type/subtype`` in lower case."""
    value = leaf.value.get("contentMediaType")
    name = value.partition(";")[0].strip().lower() if isinstance(value, str) else ""
    return name if name and name not in _PLAIN_TYPES else None


def _child(leaf: Node, *steps: str | int) -> Schema:
    node = leaf.child(*steps)
    return ANYTHING if node.value is True or node.value == {} else Schema((node,))


def _array(shaper: Shaper, atom: Atom, direction: Direction) -> Atom | None:
    leaves = atom.nodes
    low, high = _at_least(leaves, "minItems"), _at_most(leaves, "maxItems")
    length = max((len(_prefix(leaf)) for leaf in leaves), default=0)
    prefix = tuple(conjunction(*(_item(leaf, index) for leaf in leaves)) for index in range(length))
    items = conjunction(*(_item(leaf, None) for leaf in leaves))
    if not any(_says_all_items(leaf) for leaf in leaves):
        items = conjunction(items, *(_unevaluated(leaf, leaves) for leaf in leaves))
    # An item that nothing can be is a limit of the length; and what lies behind the limit is of no matter.
    end = next(((i, node) for i, one in enumerate((*prefix, items)) for node in one.nodes if node.value is False), None)
    if end is not None and (high is None or end[0] < high.value):
        high = Bound(end[0], False, end[1])
    if high is not None and high.value <= length:
        prefix, items = prefix[: int(high.value)], ANYTHING
    if low and high and low.value > high.value:
        return None
    contains: list[Contains] = []
    unique: Node | None = None
    for leaf in leaves:
        value = leaf.value
        if isinstance(value.get("contains"), dict | bool):
            least, most = value.get("minContains", 1), value.get("maxContains")
            if least == 0 and most is None:
                continue  # any number will do
            contains.append(
                Contains(
                    Schema((leaf.child("contains"),)),
                    least if isinstance(least, int) else 1,
                    most if isinstance(most, int) else None,
                    leaf.child("contains"),
                )
            )
        if value.get("uniqueItems") is True and not (high and high.value <= 1):
            unique = unique or leaf.child("uniqueItems")
    return replace(
        atom, items=items, prefix=prefix, min_items=low, max_items=high, unique=unique, contains=tuple(contains)
    )


def _prefix(leaf: Node) -> list[Any]:
    value = leaf.value.get("prefixItems")
    if isinstance(value, list):
        return value
    value = leaf.value.get("items")  # the tuple form of earlier drafts
    return value if isinstance(value, list) else []


def _item(leaf: Node, index: int | None) -> Schema:
    """The schema of the item at an index, or of all that follow the prefix."""
    value = leaf.value
    prefix = _prefix(leaf)
    if index is not None and index < len(prefix):
        return _child(leaf, "prefixItems" if isinstance(value.get("prefixItems"), list) else "items", index)
    if isinstance(value.get("items"), dict | bool):
        return _child(leaf, "items")
    if isinstance(value.get("items"), list) and isinstance(value.get("additionalItems"), dict | bool):
        return _child(leaf, "additionalItems")
    return ANYTHING


def _says_all_items(leaf: Node) -> bool:
    value = leaf.value
    rest = value.get("additionalItems") if isinstance(value.get("items"), list) else value.get("items")
    return isinstance(rest, dict | bool)


def _unevaluated(leaf: Node, leaves: tuple[Node, ...]) -> Schema:
    """What ``unevaluatedItems`` says of the items behind the prefix; those that a ``contains`` found are evaluated."""
    if not isinstance(leaf.value.get("unevaluatedItems"), dict | bool):
        return ANYTHING
    found = [each for each in leaves if isinstance(each.value.get("contains"), dict | bool)]
    if leaf.value["unevaluatedItems"] is False and len(found) == 1:
        return _child(found[0], "contains")
    return _child(leaf, "unevaluatedItems")


def _object(shaper: Shaper, atom: Atom, direction: Direction) -> Atom | None:
    leaves = atom.nodes
    required = Required(leaves)
    properties = Properties(leaves)
    hidden = _hidden(shaper, properties, direction)
    for name in hidden:
        required.hide(name)
        properties.hide(name)
    additional, additional_node = _additional(leaves)
    patterns: dict[str, Schema] = {}
    dependent: dict[tuple[str, str], Node] = {}
    dependent_schemas: dict[str, Schema] = {}
    names_schema = ANYTHING
    for leaf in leaves:
        for pattern in _mapping(leaf, "patternProperties"):
            child = _child(leaf, "patternProperties", pattern)
            patterns[pattern] = conjunction(patterns.get(pattern, ANYTHING), child)
        if isinstance(leaf.value.get("propertyNames"), dict | bool):
            names_schema = conjunction(names_schema, _child(leaf, "propertyNames"))
        for keyword in ("dependentRequired", "dependencies"):
            for name in _mapping(leaf, keyword):
                for index, other in enumerate(_names(leaf.value[keyword][name])):
                    dependent.setdefault((name, other), leaf.child(keyword, name, index))
        for keyword in ("dependentSchemas", "dependencies"):
            for name, value in _mapping(leaf, keyword).items():
                if isinstance(value, dict | bool):
                    child = _child(leaf, keyword, name)
                    dependent_schemas[name] = conjunction(dependent_schemas.get(name, ANYTHING), child)
    _imply(required, dependent)
    for name in required:
        if isinstance(properties.plain(name), dict):
            continue
        if name in properties:
            refused = any(node.value is False for node in properties[name].nodes)
        else:
            refused = additional is None and not any(_matches(pattern, name) for pattern in patterns)
        if refused:
            return None  # it must hold a key that it refuses, as parts of an allOf do that are closed one by one
    low, high = _at_least(leaves, "minProperties"), _at_most(leaves, "maxProperties")
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

    def __getitem__(self, name: str) -> Schema:
        found = self._made.get(name)
        if found is None:
            if name not in self._names:
                raise KeyError(name)
            if self._plain is not None:
                found = _child(self._leaves[0], "properties", name)
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


# What may say more of a property than stands there.
_ELSEWHERE = frozenset((*REFERENCES, "allOf"))


def _hidden(shaper: Shaper, properties: Properties, direction: Direction) -> dict[str, Node]:
    """The properties that messages of this direction do not carry, and where that is said."""
    flag = "readOnly" if direction is Direction.REQUEST else "writeOnly"
    hidden: dict[str, Node] = {}
    for name in properties:
        plain = properties.plain(name)
        if isinstance(plain, dict) and flag not in plain and _ELSEWHERE.isdisjoint(plain):
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
    own = [_child(leaf, "properties", name)] if name in _mapping(leaf, "properties") else []
    own += [
        _child(leaf, "patternProperties", pattern)
        for pattern in _mapping(leaf, "patternProperties")
        if _matches(pattern, name)
    ]
    if not own and isinstance(leaf.value.get("additionalProperties"), dict | bool):
        return _child(leaf, "additionalProperties")
    return own[0] if len(own) == 1 else conjunction(*own)


def undeclared(atom: Atom, name: str) -> Schema | None:
    """What an object says of a key that it does not declare; None if it refuses the key."""
    said = [schema for pattern, schema in atom.pattern_properties.items() if _matches(pattern, name)]
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
            schema = conjunction(schema, _child(leaf, keyword))
            break
    return schema, where


def _plain(shaper: Shaper, atom: Atom, direction: Direction) -> Atom | None:
    return atom


_MERGERS: dict[str, Callable[[Shaper, Atom, Direction], Atom | None]] = {
    "null": _plain,
    "boolean": _plain,
    "number": _number,
    "string": _string,
    "array": _array,
    "object": _object,
}

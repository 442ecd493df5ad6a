"""Merging: what the leaves of one alternative say together, keyword by keyword.

Every keyword of JSON Schema's validation vocabulary (2020-12, sections 6.1 to 6.5) and its applicators for objects
and arrays has its merge here: limits take the tighter one, names are joined, children become conjunctions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from guardian.model import Direction
from guardian.spec.api import Node, Schema
from guardian.spec.shape import ANYTHING, Atom, Bound, Contains, conjunction, kind_of

if TYPE_CHECKING:
    from guardian.spec.shape import Shaper

_NO_NODE: dict[str, Node] = {}


def merge(shaper: Shaper, atom: Atom, enum: Mapping[str, Node] | None, direction: Direction) -> Atom | None:
    """The atom with all its leaves' constraints of its kind; None if no value can satisfy them."""
    leaves = atom.nodes
    atom = replace(
        atom,
        nots=tuple(leaf.child("not") for leaf in leaves if "not" in leaf.value),
        conditions=tuple(leaf for leaf in leaves if "if" in leaf.value),
        extensible=any(leaf.value.get("x-extensible-enum") is not None for leaf in leaves)
        or any(_model_as_string(leaf.value) for leaf in leaves),
    )
    merged: Atom | None = _MERGERS[atom.kind](shaper, atom, direction)
    if merged is None or enum is None:
        return merged
    return _listed(merged, enum)


def _model_as_string(value: Mapping[str, Any]) -> bool:
    extension = value.get("x-ms-enum")
    return isinstance(extension, dict) and extension.get("modelAsString") is True


def _listed(atom: Atom, enum: Mapping[str, Node]) -> Atom | None:
    """Only listed values: those of this kind that the limits let through; the limits have then said all they can."""
    import json

    kept: dict[str, Node] = {}
    for text, node in enum.items():
        value = json.loads(text)
        if kind_of(value) == atom.kind and _within(atom, value):
            kept[text] = node
    if not kept:
        return None
    if atom.kind == "boolean" and len(kept) == 2:
        return atom
    return replace(
        atom, enum=kept, integer=False, minimum=None, maximum=None, multiples={}, min_length=None, max_length=None,
        patterns={}, formats={} if atom.kind == "number" else atom.formats,
    )  # fmt: skip


def _within(atom: Atom, value: Any) -> bool:
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
        return not (atom.max_length and len(value) > atom.max_length.value)
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
    return replace(atom, min_length=low, max_length=high, patterns=patterns, formats=formats)


def _child(leaf: Node, *steps: str | int) -> Schema:
    node = leaf.child(*steps)
    return ANYTHING if node.value is True or node.value == {} else Schema((node,))


def _array(shaper: Shaper, atom: Atom, direction: Direction) -> Atom | None:
    leaves = atom.nodes
    low, high = _at_least(leaves, "minItems"), _at_most(leaves, "maxItems")
    if low and high and low.value > high.value:
        return None
    length = max((len(_prefix(leaf)) for leaf in leaves), default=0)
    prefix = tuple(conjunction(*(_item(leaf, index) for leaf in leaves)) for index in range(length))
    items = conjunction(*(_item(leaf, None) for leaf in leaves))
    contains: list[Contains] = []
    unique: Node | None = None
    for leaf in leaves:
        value = leaf.value
        if isinstance(value.get("contains"), dict | bool):
            least, most = value.get("minContains", 1), value.get("maxContains")
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
    if isinstance(value.get("unevaluatedItems"), dict | bool):
        return _child(leaf, "unevaluatedItems")
    return ANYTHING


def _object(shaper: Shaper, atom: Atom, direction: Direction) -> Atom | None:
    leaves = atom.nodes
    names: dict[str, None] = {}
    required: dict[str, Node] = {}
    for leaf in leaves:
        names.update(dict.fromkeys(_mapping(leaf, "properties")))
        for index, name in enumerate(_names(leaf.value.get("required"))):
            required.setdefault(name, leaf.child("required", index))
    properties: dict[str, Schema] = {}
    hidden: dict[str, Node] = {}
    for name in names:
        schema = conjunction(*(_property(leaf, name, leaves) for leaf in leaves))
        read_only, write_only = shaper.flags(schema)
        flag = read_only if direction is Direction.REQUEST else write_only
        if flag is not None:
            hidden[name] = flag
            required.pop(name, None)
        else:
            properties[name] = schema
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
    low, high = _at_least(leaves, "minProperties"), _at_most(leaves, "maxProperties")
    if low and low.value <= len(required):
        low = None
    if low and high and low.value > high.value:
        return None
    return replace(
        atom, properties=properties, hidden=hidden, required=required, additional=additional,
        additional_node=additional_node, pattern_properties=patterns, min_properties=low, max_properties=high,
        property_names=names_schema, dependent_required=dependent, dependent_schemas=dependent_schemas,
    )  # fmt: skip


def _mapping(leaf: Node, keyword: str) -> Mapping[str, Any]:
    value = leaf.value.get(keyword)
    return value if isinstance(value, dict) else {}


def _names(value: Any) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def _property(leaf: Node, name: str, leaves: tuple[Node, ...]) -> Schema:
    """What one leaf demands of a property: its own declaration, else what its additionalProperties says of it."""
    if name in _mapping(leaf, "properties"):
        return _child(leaf, "properties", name)
    value = leaf.value.get("additionalProperties")
    if isinstance(value, dict | bool) and not _mapping(leaf, "patternProperties"):
        return _child(leaf, "additionalProperties")
    return ANYTHING


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

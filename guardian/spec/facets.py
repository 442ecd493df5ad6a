"""Merging: what the leaves of one alternative say together, keyword by keyword.

Every keyword of JSON Schema's validation vocabulary (2020-12, sections 6.1 to 6.5) and its applicators for objects
and arrays has its merge here: limits take the tighter one, names are joined, children become conjunctions.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from guardian.model import Direction
from guardian.spec.api import Node, Schema
from guardian.spec.limits import at_least, at_most, child, is_multiple, limit, matches, number, whole
from guardian.spec.media import plain_type
from guardian.spec.objects import merge_object
from guardian.spec.shape import ANYTHING, KEYWORDS, Atom, Bound, Contains, canonical, conjunction, kind_of_text

if TYPE_CHECKING:
    from guardian.spec.shaper import Shaper

# What is said of values of every kind, and rarely said at all.
_GENERAL = frozenset({"not", "if", "x-extensible-enum", "x-ms-enum"})


def merge(shaper: Shaper, atom: Atom, enum: Mapping[str, Node] | None, direction: Direction) -> bool:
    """Fill in all constraints of the atom's kind that its leaves have; false if no value can satisfy them."""
    general, own = False, KEYWORDS[atom.kind]
    limited = False
    for leaf in atom.nodes:
        general = general or not _GENERAL.isdisjoint(leaf.value)
        limited = limited or not own.isdisjoint(leaf.value) or (atom.kind == "string" and _is_file(leaf))
    if general and not _general(shaper, atom, direction):
        return False
    if limited and not _MERGERS[atom.kind](shaper, atom, direction):
        return False
    if enum is None and atom.excluded and atom.kind == "boolean":
        enum = {text: node for text in ("true", "false") for node in atom.excluded.values()}
    if enum is not None:
        return _listed(atom, enum)
    if atom.excluded:
        _exclude(atom)
    return True


def _is_file(leaf: Node) -> bool:
    return bool(leaf.value.get("type") == "file")  # OpenAPI 2.0


def _exclude(atom: Atom) -> None:
    """Of what is excluded only what the limits would have let through."""
    excluded, atom.excluded = atom.excluded, {}
    atom.excluded = {text: node for text, node in excluded.items() if admits(atom, json.loads(text))}


def _general(shaper: Shaper, atom: Atom, direction: Direction) -> bool:
    """What is said of values of any kind; false if a ``not`` excludes all of this kind."""
    leaves = atom.nodes
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
            return False
        elif all(each.enum is not None for each in same):
            excluded.update((text, place) for each in same for text, place in (each.enum or {}).items())
        else:
            nots.append(node)
    atom.nots = tuple(nots)
    atom.excluded = excluded
    atom.conditions = tuple(
        leaf for leaf in leaves if "if" in leaf.value and _conditional(shaper, leaf, atom.kind, direction)
    )
    atom.extensible = any(
        leaf.value.get("x-extensible-enum") is not None or _model_as_string(leaf.value) for leaf in leaves
    )
    return True


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


# What may refuse a scalar of the right kind.
_LIMITS = attrgetter("integer", "excluded", "minimum", "maximum", "multiples", "min_length", "max_length", "patterns")


def _listed(atom: Atom, enum: Mapping[str, Node]) -> bool:
    """Only listed values: those of this kind that the limits let through; the limits have then said all they can."""
    kept = {text: node for text, node in enum.items() if kind_of_text(text) == atom.kind}
    if any(_LIMITS(atom)):
        kept = {text: node for text, node in kept.items() if admits(atom, json.loads(text))}
    if not kept:
        return False
    if atom.kind == "null" or (atom.kind == "boolean" and len(kept) == 2):
        return True
    atom.enum = kept
    atom.excluded = {}
    if atom.kind == "number":
        atom.integer, atom.minimum, atom.maximum, atom.multiples, atom.formats = False, None, None, {}, {}
    elif atom.kind == "string":
        atom.min_length, atom.max_length, atom.patterns = None, None, {}
    return True


def admits(atom: Atom, value: Any) -> bool:
    """Whether the limits and patterns of an alternative let a scalar of its kind through; says yes where it cannot tell."""
    if atom.excluded and canonical(value) in atom.excluded:
        return False
    if atom.kind == "number":
        if atom.integer and not whole(value):
            return False
        if atom.minimum and (value < atom.minimum.value or (atom.minimum.exclusive and value == atom.minimum.value)):
            return False
        if atom.maximum and (value > atom.maximum.value or (atom.maximum.exclusive and value == atom.maximum.value)):
            return False
        return all(is_multiple(value, step) for step in atom.multiples)
    if atom.kind == "string":
        if atom.min_length and len(value) < atom.min_length.value:
            return False
        if atom.max_length and len(value) > atom.max_length.value:
            return False
        return all(matches(pattern, value) for pattern in atom.patterns)
    return True


def takes(atom: Atom, value: Any) -> bool:
    """The same, and that the scalar is one of those that are listed, if any are."""
    return admits(atom, value) and (atom.enum is None or canonical(value) in atom.enum)


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


def _number(shaper: Shaper, atom: Atom, direction: Direction) -> bool:
    leaves = atom.nodes
    minimum = limit(leaves, "minimum", "exclusiveMinimum", 1)
    maximum = limit(leaves, "maximum", "exclusiveMaximum", -1)
    multiples: dict[float | int, Node] = {}
    for leaf in leaves:
        value = leaf.value.get("multipleOf")
        if number(value) and value > 0:
            multiples.setdefault(value, leaf.child("multipleOf"))
    integer = atom.integer
    if any(map(whole, multiples)):
        integer = True
    if integer and 1 in multiples:
        del multiples[1]
    if integer:
        minimum, maximum = _whole(minimum, 1), _whole(maximum, -1)
    if minimum and maximum and (
        minimum.value > maximum.value
        or (minimum.value == maximum.value and (minimum.exclusive or maximum.exclusive))
    ):  # fmt: skip
        return False
    atom.integer, atom.minimum, atom.maximum, atom.multiples = integer, minimum, maximum, multiples
    atom.formats = _formats(leaves)
    return True


def _whole(bound: Bound | None, sign: int) -> Bound | None:
    """For integers an exclusive or broken limit is the next whole number: ``> 0`` and ``>= 1`` are one limit."""
    if bound is None:
        return None
    edge = math.ceil(bound.value) if sign > 0 else math.floor(bound.value)
    if bound.exclusive and edge == bound.value:
        edge += sign
    return Bound(edge, False, bound.node)


def _string(shaper: Shaper, atom: Atom, direction: Direction) -> bool:
    leaves = atom.nodes
    low, high = at_least(leaves, "minLength"), at_most(leaves, "maxLength")
    if low and high and low.value > high.value:
        return False
    patterns: dict[str, Node] = {}
    for leaf in leaves:
        value = leaf.value.get("pattern")
        if isinstance(value, str) and value not in {"", ".*", "^", "$"}:
            patterns.setdefault(value, leaf.child("pattern"))
    formats = _formats(leaves)
    for leaf in leaves:
        if _is_file(leaf):
            formats.setdefault("binary", leaf)
        encoding = leaf.value.get("contentEncoding")
        if isinstance(encoding, str) and encoding.lower() not in _IDENTITY_ENCODINGS:
            formats.setdefault(_ENCODINGS.get(encoding.lower(), encoding), leaf.child("contentEncoding"))
    atom.min_length, atom.max_length, atom.patterns, atom.formats = low, high, patterns, formats
    atom.documents = tuple(leaf for leaf in leaves if "contentSchema" in leaf.value or media_type_of(leaf) is not None)
    return True


# ``contentEncoding`` (RFC 4648, RFC 2045) as the format that says the same (OpenAPI 3.1, data types), and what is none.
_ENCODINGS = {"base64": "byte"}
_IDENTITY_ENCODINGS = frozenset(("7bit", "8bit", "binary"))
# Any text is a document of these.
_PLAIN_TYPES = frozenset(("application/octet-stream", "text/plain"))


def media_type_of(leaf: Node) -> str | None:
    """The ``contentMediaType`` of a schema, if it says anything: ``type/subtype`` in lower case."""
    value = leaf.value.get("contentMediaType")
    name = plain_type(value) if isinstance(value, str) else ""
    return name if name and name not in _PLAIN_TYPES else None


def _array(shaper: Shaper, atom: Atom, direction: Direction) -> bool:
    leaves = atom.nodes
    low, high = at_least(leaves, "minItems"), at_most(leaves, "maxItems")
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
        return False
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
    atom.items, atom.prefix, atom.min_items, atom.max_items = items, prefix, low, high
    atom.unique, atom.contains = unique, tuple(contains)
    return True


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
        return child(leaf, "prefixItems" if isinstance(value.get("prefixItems"), list) else "items", index)
    if isinstance(value.get("items"), dict | bool):
        return child(leaf, "items")
    if isinstance(value.get("items"), list) and isinstance(value.get("additionalItems"), dict | bool):
        return child(leaf, "additionalItems")
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
        return child(found[0], "contains")
    return child(leaf, "unevaluatedItems")


# By the kinds that have keywords of their own.
_MERGERS: dict[str, Callable[[Shaper, Atom, Direction], bool]] = {
    "number": _number,
    "string": _string,
    "array": _array,
    "object": merge_object,
}

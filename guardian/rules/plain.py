"""Schemas that say the same of themselves, whatever differs below: most of those on the way to a change.

Of two objects whose properties have the same names, or of two lists, what is written already shows that no rule has a word
to say: nothing need be merged and matched for that. All that is not as plain is for ``guardian.rules.walk`` to look at.
"""

from __future__ import annotations

from guardian.errors import ReadError
from guardian.rules.facts import STABILITY
from guardian.spec.api import Node, Schema
from guardian.spec.dynamic import target_of

#: No rule looks at these; ``guardian.rules.annotations`` gives the reasons.
FOR_PEOPLE = frozenset(("title", "description", "$comment", "externalDocs", "example", "examples"))
_WORDS = {"object": FOR_PEOPLE | {"type", "properties", "required"}, "array": FOR_PEOPLE | {"type", "items"}}


def differ_below(base: Schema, head: Schema) -> tuple[Node, Node] | None:
    """Where two plain schemas are written that can differ in nothing but their properties or items; else None."""
    one = _written(base)
    other = _written(head) if one is not None else None
    if one is None or other is None or one.document.dialect != other.document.dialect:
        return None
    mine, theirs = one.value, other.value
    if mine["type"] != theirs["type"] or mine.get("required") != theirs.get("required"):
        return None
    return (one, other) if mine["type"] == "array" or mine["properties"].keys() == theirs["properties"].keys() else None


def _written(schema: Schema) -> Node | None:
    """Where everything is written that a plain schema says, a bare reference followed; None if it is not plain."""
    if len(schema.nodes) != 1:
        return None
    node = schema.nodes[0]
    if isinstance(node.value, dict) and node.value.keys() == {"$ref"} and isinstance(node.value["$ref"], str):
        try:
            node = target_of(node, "$ref")
        except ReadError:  # told by whoever looks closer
            return None
    value = node.value
    # Where it matters how a place is reached, the same words can mean something else.
    if not isinstance(value, dict) or type(node) is not Node or node.document.scoped:
        return None
    kind = value.get("type")
    if not isinstance(kind, str) or kind not in _WORDS or not value.keys() <= _WORDS[kind]:
        return None
    if STABILITY.get() in _WORDS[kind]:  # as one is free to say, strange as it is
        return None
    if kind == "array":
        return node if isinstance(value.get("items"), dict) else None
    properties = value.get("properties")
    # With a property that nothing can be, there may be no object at all.
    return node if isinstance(properties, dict) and False not in properties.values() else None

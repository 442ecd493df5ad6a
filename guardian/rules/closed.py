"""Closing a schema of JSON Schema 2020-12: no key that it does not evaluate, said so that it stays cheap.

``unevaluatedProperties`` counts what everything that applies in place has evaluated, and a validator makes a copy of all that
for it, of all values below too, at every closed place anew: of schemas that lead back to themselves no end of copies. Where
a schema must hold anyway, which keys it evaluates does not depend on the values at them. So beside the schema itself stands
an outline of it, in which every value may be anything, and that alone is closed.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Any

from guardian.rules.validator import Json

# By these a schema says of the very value that it is about what other schemas say (core, section 10.2).
_IN_PLACE = frozenset(("$ref", "allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas"))
_NULL: Json = {"type": "null"}

Outlined = Callable[[str], str]
"""For a reference to a definition, the reference to its outline."""


def closed(schema: dict[str, Any], outlined: Outlined) -> dict[str, Any]:
    """The schema for objects without any key that it does not evaluate.

    Args:
        outlined: the reference to the outline of what a reference leads to.
    """
    if not schema.keys().isdisjoint(("additionalProperties", "unevaluatedProperties")):
        return schema  # it has said itself what other keys are
    if schema.keys().isdisjoint(_IN_PLACE):
        return {**schema, "additionalProperties": False}
    made = outline(schema, outlined)
    if made.items() <= schema.items():  # then there is nothing that only the schema itself says at length
        return {**schema, "unevaluatedProperties": False}
    return {"allOf": [schema, {**made, "unevaluatedProperties": False}]}


def outline(schema: Json, outlined: Outlined, known: Set[str] = frozenset()) -> dict[str, Any]:
    """What evaluates the same keys of every object that the schema accepts, whatever their values are.

    Args:
        known: keys that are evaluated anyway.
    """
    made: dict[str, Any] = {}
    if isinstance(schema, bool):
        return made
    for keyword in ("properties", "patternProperties"):
        names = schema.get(keyword, {}).keys() - (known if keyword == "properties" else ())
        if names:
            made[keyword] = dict.fromkeys((name for name in schema[keyword] if name in names), True)
    known = known | schema.get("properties", {}).keys()
    for keyword in ("additionalProperties", "unevaluatedProperties"):
        if schema.get(keyword, False) is not False:
            made[keyword] = True
    if "$ref" in schema:
        made["$ref"] = outlined(schema["$ref"])
    parts = [outline(part, outlined, known) for part in schema.get("allOf", ())]
    for keyword in ("anyOf", "oneOf"):
        options = [option for option in schema.get(keyword, ()) if option != _NULL]
        if len(options) == 1:  # and that one holds: null has no keys
            parts.append(outline(options[0], outlined, known))
        elif options:  # which of them hold depends on all that they say
            made[keyword] = schema[keyword]
    if "if" in schema:
        branches = {
            keyword: told
            for keyword in ("then", "else")
            if (told := outline(schema.get(keyword, True), outlined, known))
        }
        if branches or outline(schema["if"], outlined, known):  # a condition that holds evaluates keys too
            made |= {"if": schema["if"], **branches}
    if "dependentSchemas" in schema:
        below = {name: outline(each, outlined, known) for name, each in schema["dependentSchemas"].items()}
        if any(below.values()):
            made["dependentSchemas"] = below
    if parts := [part for part in parts if part]:
        made["allOf"] = parts
    return made

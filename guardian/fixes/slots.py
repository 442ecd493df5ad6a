"""Which schema a place belongs to, told by its JSON pointer alone: findings point at keywords, fixes exchange schemas."""

from __future__ import annotations

import re
from typing import Any

from guardian.fixes.json_patch import get, pointer
from guardian.spec.pointers import steps_of

# A step after which a schema stands at once, after which one stands by name, and after which one stands by index.
_AT_ONCE = frozenset(
    {
        "schema", "items", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames",
        "unevaluatedProperties", "unevaluatedItems", "contentSchema", "itemSchema",
    }
)  # fmt: skip
_BY_NAME = frozenset({"properties", "patternProperties", "schemas", "definitions", "$defs", "dependentSchemas"})
#: The keywords that list schemas of one and the same value.
COMBINED = frozenset({"allOf", "anyOf", "oneOf"})
_BY_INDEX = COMBINED | {"prefixItems"}
_KEYWORD = re.compile(
    r"/(?:(?:required|enum|type|examples)(?:/\d+)?|(?:properties|patternProperties|discriminator(?:/mapping(?:/[^/]*)?)?"
    r"|allOf|anyOf|oneOf|prefixItems|nullable|x-nullable|format|pattern|const|default|readOnly|writeOnly|uniqueItems"
    r"|(?:exclusive)?M(?:in|ax)imum|minimum|maximum|multipleOf|m(?:in|ax)(?:Length|Items|Properties|Contains)"
    r"|dependentRequired|dependentSchemas|dependencies))$",
)


def schema_slot(at: str) -> str:
    """The pointer of the innermost schema that a pointer leads to or into."""
    steps = steps_of(at)
    for length in range(len(steps), 0, -1):
        if _is_schema(steps[:length]):
            return pointer(*steps[:length])
    return _KEYWORD.sub("", at)  # a fragment file that is nothing but schemas


def schema_around(root: Any, at: str) -> str:
    """The pointer of the innermost schema with keywords that a pointer leads to or into.

    A finding of a closed object points at its ``additionalProperties: false``, which says nothing that could be edited.
    """
    slot = schema_slot(at)
    while slot and not isinstance(get(root, slot), dict):
        slot = schema_slot(parent(slot))
    return slot


def _is_schema(steps: list[str]) -> bool:
    last, above = steps[-1], steps[-2] if len(steps) > 1 else ""
    if above in _BY_NAME and not _is_name(steps[:-1]):
        return True
    if above in _BY_INDEX and last.isdigit():
        return True
    return last == "schema" or (last in _AT_ONCE and above not in _BY_NAME)


def _is_name(steps: list[str]) -> bool:
    """Whether the last step is a member's name rather than a keyword: ``properties`` may be a property."""
    return len(steps) > 1 and steps[-2] in _BY_NAME and not _is_name(steps[:-1])


def keyword_of(at: str) -> str:
    """The keyword of another schema that a schema stands under, at once or by a name; empty for one of another kind."""
    steps = steps_of(at)
    if len(steps) > 1 and steps[-2] in _BY_NAME and not _is_name(steps[:-1]):
        return steps[-2]
    return steps[-1] if steps and steps[-1] in _AT_ONCE and not _is_name(steps) else ""


def holds_schemas(keyword: str) -> bool:
    """Whether schemas stand below a keyword of a schema."""
    return keyword in _AT_ONCE or keyword in _BY_NAME or keyword in _BY_INDEX


def property_name(at: str) -> str | None:
    """The name of the property whose schema a pointer leads to; None for a schema of another kind."""
    steps = steps_of(at)
    return steps[-1] if len(steps) > 1 and steps[-2] == "properties" and not _is_name(steps[:-1]) else None


def parent(at: str, levels: int = 1) -> str:
    """The pointer some levels up."""
    steps = steps_of(at)
    return pointer(*steps[: len(steps) - levels])


def last(at: str) -> str:
    """The last step of a pointer, unescaped."""
    steps = steps_of(at)
    return steps[-1] if steps else ""


def whole(at: str) -> str:
    """The pointer of the schema that describes a value, of which a schema in its ``allOf`` (...) describes a part."""
    steps = steps_of(at)
    while len(steps) > 1 and steps[-2] in COMBINED and steps[-1].isdigit():
        steps = steps[:-2]
    return pointer(*steps)


def part_slot(at: str, kind: str) -> str | None:
    """The pointer of the innermost member of a ``parameters``, ``headers``, ``content`` (...) that a pointer leads into."""
    steps = steps_of(at)
    for length in range(len(steps), 1, -1):
        if steps[length - 2] == kind:
            return pointer(*steps[:length])
    return None

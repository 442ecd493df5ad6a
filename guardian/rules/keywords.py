"""What one schema object says by itself, keyword by keyword, and what holds together with it: for the judge's rewriting."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

from guardian.rules.validator import ENCODINGS, NUMBER_RANGES, readable
from guardian.spec.api import Node
from guardian.spec.dialects import DIALECTS
from guardian.spec.dynamic import targets_of
from guardian.spec.limits import whole

_TYPES = frozenset(("null", "boolean", "integer", "number", "string", "array", "object"))
_COUNTS = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
_LIMITING = frozenset(
    (*_COUNTS, "uniqueItems", "multipleOf", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "pattern")
)
# All that a plain schema says: its type, its format, and what concerns no value by itself.
_PLAIN = frozenset(
    (
        *("type", "format", "nullable", "title", "description", "example", "examples", "default", "deprecated"),
        *("readOnly", "writeOnly"),
    )
)
_SCALARS = frozenset(("string", "integer", "number", "boolean"))


def plainly(value: Any, dialect: str) -> tuple[Hashable, ...] | None:
    """What a schema says that is about scalars of one type, perhaps in a format; None if it says anything else.

    Most schemas of a description are like this, and there are no more than a few dozen different ones: what is found
    out of one holds for all that say the same, wherever they stand.
    """
    if not isinstance(value, dict) or not value.keys() <= _PLAIN:
        return None
    kind, name = value.get("type"), value.get("format")
    if not isinstance(kind, str) or kind not in _SCALARS or not (name is None or isinstance(name, str)):
        return None
    return dialect, kind, name, value.get("nullable") is True


def assertions(node: Node) -> dict[str, Any]:
    """What a schema asserts without another schema, as JSON Schema 2020-12."""
    value = node.value
    schema: dict[str, Any] = {}
    if "type" in value:
        written = value["type"] if isinstance(value["type"], list) else [value["type"]]
        types = ["string" if each == "file" else each for each in written if isinstance(each, str)]
        types = [each for each in dict.fromkeys(types) if each in _TYPES]
        if types:
            schema["type"] = types
        else:
            schema["not"] = {}
    if isinstance(value.get("enum"), list):
        schema["enum"] = value["enum"]
    if "const" in value and DIALECTS[node.document.dialect].json_schema:
        schema["const"] = value["const"]
    if not _LIMITING.isdisjoint(value):
        schema |= _limits(value)
    name = value.get("format")
    if isinstance(name, str):
        if name in NUMBER_RANGES:
            low, high = NUMBER_RANGES[name]
            schema["allOf"] = [{"minimum": low, "maximum": high}]
        schema["format"] = name
    encoding = value.get("contentEncoding")
    if isinstance(encoding, str) and (name := ENCODINGS.get(encoding.lower())):
        schema.setdefault("allOf", []).append({"format": name})
    return schema


def _limits(value: Mapping[str, Any]) -> dict[str, Any]:
    """What a schema asserts of counts, numbers and the form of text."""
    schema: dict[str, Any] = {}
    for keyword in _COUNTS:
        if is_count(value.get(keyword)):
            schema[keyword] = value[keyword]
    if value.get("uniqueItems") is True:
        schema["uniqueItems"] = True
    if is_number(value.get("multipleOf")) and value["multipleOf"] > 0:
        schema["multipleOf"] = value["multipleOf"]
    for keyword, exclusive in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if is_number(value.get(keyword)):  # a boolean beside it is how 2.0 and 3.0 exclude the limit
            schema[exclusive if value.get(exclusive) is True else keyword] = value[keyword]
        if is_number(value.get(exclusive)):
            schema[exclusive] = value[exclusive]
    if isinstance(value.get("pattern"), str):
        schema["pattern"] = readable(value["pattern"])
    return schema


def is_schema(value: Any) -> bool:
    """Whether a plain value can be a schema."""
    return isinstance(value, dict | bool)


def mapping(value: Any) -> Mapping[str, Any]:
    """An object, or an empty one in place of anything else."""
    return value if isinstance(value, dict) else {}


def texts(value: Any) -> list[str]:
    """The strings of a list."""
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def is_number(value: Any) -> bool:
    """Whether a value is a JSON number: Python's bool is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_count(value: Any) -> bool:
    """Whether a value is a whole number from 0 on."""
    return is_number(value) and value >= 0 and whole(value)


def parts_of(node: Node, keyword: str) -> list[Node]:
    """The schemas that a keyword lists."""
    parts = node.value.get(keyword)
    return [node.child(keyword, index) for index in range(len(parts))] if isinstance(parts, list) else []


def said_of(nodes: tuple[Node, ...]) -> tuple[bool, list[str]]:
    """Whether anything that may hold for a value names keys of it, and the types that are meant but not written.

    An object of which no key is named is free-form. Where no type is written at all, the keywords of one type (say,
    ``properties``) tell what a sender means by it.
    """
    named = typed = False
    seen: set[Node] = set()
    stack = list(nodes)
    while stack:
        node = stack.pop()
        if node in seen or not isinstance(node.value, dict):
            continue
        seen.add(node)
        value = node.value
        named = named or bool(value.get("properties") or value.get("patternProperties") or texts(value.get("required")))
        typed = typed or not value.keys().isdisjoint(("type", "enum", "const"))
        stack.extend(targets_of(node))
        for keyword in ("allOf", "anyOf", "oneOf"):
            stack.extend(parts_of(node, keyword))
    if typed:
        return named, []
    used = {keyword for node in seen for keyword in node.value}
    return named, sorted(kind for kind, keywords in _KEYWORDS.items() if not used.isdisjoint(keywords))


def is_free_form(node: Node, trail: tuple[Node, ...]) -> bool:
    """Whether some alternative is an object of which no key is named."""
    value = node.value
    if not isinstance(value, dict) or node in trail:
        return value is not False
    trail = (*trail, node)
    types = value.get("type", "object")
    if "object" not in (types if isinstance(types, list) else [types]) or "enum" in value or "const" in value:
        return False
    if value.get("properties") or value.get("patternProperties") or texts(value.get("required")):
        return False
    if value.get("additionalProperties", True) not in (True, {}):
        return False  # a map declares all its keys
    if not all(is_free_form(target, trail) for target in targets_of(node)):
        return False
    return all(is_free_form(part, trail) for part in parts_of(node, "allOf")) and all(
        any(is_free_form(part, trail) for part in parts) for key in ("anyOf", "oneOf") if (parts := parts_of(node, key))
    )


# The keywords that speak of one type only (JSON Schema 2020-12, validation section 6).
_KEYWORDS: dict[str, tuple[str, ...]] = {
    "object": (
        *("properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties"),
        *("maxProperties", "dependentRequired", "dependentSchemas", "dependencies", "unevaluatedProperties"),
    ),
    "array": ("items", "prefixItems", "minItems", "maxItems", "uniqueItems", "contains", "unevaluatedItems"),
    "string": ("minLength", "maxLength", "pattern", "contentEncoding"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}


def conjuncts(nodes: tuple[Node, ...]) -> Iterator[Node]:
    """Every node that holds together with these: through references and ``allOf``."""
    seen: set[Node] = set()
    stack = list(reversed(nodes))
    while stack:
        node = stack.pop()
        if node in seen or not isinstance(node.value, dict):
            continue
        seen.add(node)
        targets = list(targets_of(node))
        stack.extend(targets)
        if targets and not DIALECTS[node.document.dialect].schema_siblings:
            continue
        yield node
        stack.extend(reversed(parts_of(node, "allOf")))

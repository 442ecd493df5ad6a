"""Whether a bundled document has the form that generators of scenarios rely on.

A check reads what it needs of a document and tells what is wrong with that. A generator edits any part of it, so each part
must be what OpenAPI says it is: an object, a list of objects, a map. ``None``, an empty value in YAML, counts as absent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from guardian.errors import ReadError
from guardian.spec.api import Api, Node
from guardian.spec.pointers import escape
from guardian.spec.reading import malformed, shown


class _Of(NamedTuple):
    """What stands under a key: an object of a kind, several in a list or in a map, or one value of a type."""

    kind: str
    many: type[list[Any]] | type[dict[str, Any]] | None = None


_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")

#: What stands under the keys of each kind of object. What is not named here no generator looks into.
_KINDS: Mapping[str, Mapping[str, _Of]] = {
    "document": {
        "paths": _Of("path", dict),
        "components": _Of("components"),
        "security": _Of("object", list),
        "servers": _Of("object", list),
    },
    "components": {
        "schemas": _Of("schema", dict),
        "parameters": _Of("parameter", dict),
        "responses": _Of("response", dict),
        "requestBodies": _Of("body", dict),
        "headers": _Of("header", dict),
        "securitySchemes": _Of("object", dict),
        "examples": _Of("anything", dict),
    },
    "path": {"parameters": _Of("parameter", list), **dict.fromkeys(_METHODS, _Of("operation"))},
    "operation": {
        "parameters": _Of("parameter", list),
        "requestBody": _Of("body"),
        "responses": _Of("response", dict),
        "security": _Of("object", list),
        "callbacks": _Of("object", dict),
    },
    "parameter": {"name": _Of("text"), "in": _Of("text"), "schema": _Of("schema"), "content": _Of("media", dict)},
    "header": {"schema": _Of("schema"), "content": _Of("media", dict)},
    "body": {"content": _Of("media", dict)},
    "response": {"content": _Of("media", dict), "headers": _Of("header", dict)},
    "media": {"schema": _Of("schema")},
    "schema": {
        **dict.fromkeys(("properties", "patternProperties", "$defs", "dependentSchemas"), _Of("schema", dict)),
        **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), _Of("schema", list)),
        **dict.fromkeys(("items", "additionalProperties", "not", "contains", "propertyNames"), _Of("schema")),
        "required": _Of("text", list),
        "enum": _Of("anything", list),
        "pattern": _Of("text"),
        "format": _Of("text"),
    },
    "object": {},
}


def put_in_form(document: dict[str, Any], api: Api) -> None:
    """Leave out of a bundled document what is empty, in place, and refuse what has another form.

    Args:
        document: of its own: nothing in it is shared.
        api: what it was bundled of, for the place of an error.

    Raises:
        ReadError: a part is not what OpenAPI says it is; with its place, where it is one of the API's own document.
    """
    pending: list[tuple[Any, str, str]] = [(document, "document", "")]
    while pending:
        value, kind, at = pending.pop()
        if kind == "anything" or (kind == "schema" and isinstance(value, bool)):
            continue
        if kind == "text":
            if not isinstance(value, str):
                raise _wrong(api, at, "a text", value)
            continue
        if not isinstance(value, dict):
            raise _wrong(api, at, "an object", value)
        for key, each in _KINDS[kind].items():
            if key not in value:
                continue
            inner, below = value[key], f"{at}/{escape(key)}"
            if inner is None:
                del value[key]
            elif each.many is None:
                pending.append((inner, each.kind, below))
            elif not isinstance(inner, each.many):
                raise _wrong(api, below, "a list" if each.many is list else "an object", inner)
            elif isinstance(inner, list):
                pending.extend((item, each.kind, f"{below}/{number}") for number, item in enumerate(inner))
            else:
                for name in [name for name, item in inner.items() if item is None]:
                    del inner[name]
                pending.extend((item, each.kind, f"{below}/{escape(name)}") for name, item in inner.items())


def _wrong(api: Api, at: str, wanted: str, value: Any) -> ReadError:
    *_, around, last = ("", *at.split("/"))
    what = f"{around}[{last}]" if last.isdecimal() else last or "the document"
    return malformed(Node(api.document, at, value), f"{what} must be {wanted}, not {shown(value)}")

"""Media types: their names (RFC 9110 section 8.3.1) and Media Type Objects."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from guardian.spec.api import MediaType, Node
from guardian.spec.reading import members, object_at, schema_at

JSON = "application/json"

_TOKEN = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"
_NAME = re.compile(rf"\s*({_TOKEN}/{_TOKEN})\s*")
_PARAMETER = re.compile(rf';\s*(?:({_TOKEN})\s*=\s*("(?:[^"\\]|\\.)*"|{_TOKEN})\s*)?')


@lru_cache(maxsize=1_000)
def parse_media_type(text: str) -> tuple[str, Mapping[str, str]]:
    """A media type or range as (``type/subtype`` in lower case, parameters with names in lower case).

    What is not a media type is given back as it is, without parameters: it can only be compared as text.
    """
    match = _NAME.match(text)
    if match is None:
        return text.strip(), {}
    name, position = match[1].lower(), match.end()
    parameters: dict[str, str] = {}
    while position < len(text):
        match = _PARAMETER.match(text, position)
        if match is None:
            return text.strip(), {}
        if match[1]:
            value = match[2]
            if value.startswith('"'):
                value = re.sub(r"\\(.)", r"\1", value[1:-1])
            # A charset is compared without case (RFC 9110 section 8.3.2); other values may not be.
            key = match[1].lower()
            parameters[key] = value.lower() if key == "charset" else value
        position = match.end()
    return name, parameters


def plain_type(text: str) -> str:
    """A media type without its parameters, lower case; what is none is no error."""
    return text.partition(";")[0].strip().lower()


def is_json(name: str) -> bool:
    """Whether a media type is JSON, by its name or its suffix (RFC 6839)."""
    return name.endswith(("/json", "+json"))


def read_content(node: Node) -> tuple[MediaType, ...]:
    """The ``content`` of a request body, response, parameter or header, in document order.

    Raises:
        ReadError: something in it is malformed.
    """
    return tuple(
        media_type(name, object_at(entry, f"media type {name!r}")) for name, entry in members(node, "content").items()
    )


def media_type(text: str, node: Node) -> MediaType:
    """One Media Type Object under its name."""
    name, parameters = parse_media_type(text)
    encoding = {
        field: object_at(entry, f"the encoding of {field!r}") for field, entry in members(node, "encoding").items()
    }
    return MediaType(
        name=name,
        parameters=parameters,
        schema=schema_at(node, "schema"),
        node=node,
        encoding=encoding,
        item_schema=schema_at(node, "itemSchema"),
    )

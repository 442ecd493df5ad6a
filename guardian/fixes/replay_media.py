"""Recorded bodies and the media types of an operation: which one a message is of, and how its bytes are read.

openapi-core knows a handful of media types and takes every other for bytes, vendor types of JSON (RFC 6839) and ranges
among them; and it looks for the very name that a message gives. Both are settled here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from guardian.graph.consumers.bodies import NOT_JSON, is_json, parse_json
from guardian.graph.recordings import Message
from guardian.rules.part_matching import media_range_holds
from guardian.spec.api import MediaType, Operation, Schema
from guardian.spec.media import JSON, parse_media_type


def schema_of(content: Iterable[MediaType], message: Message) -> Schema | None:
    """The schema that a JSON body is to fit; ``None`` if there is none."""
    if not isinstance(message.body, dict | list):
        return None
    offers = tuple(content)
    chosen = _chosen(offers, message) or next((each for each in offers if is_json(each.name)), None)
    return chosen.schema if chosen is not None and (is_json(chosen.name) or "*" in chosen.name) else None


def body_of(message: Message, content: Iterable[MediaType]) -> tuple[bytes, str]:
    """A body as bytes with its media type, as the operation writes it; one that would do where the message says none."""
    chosen = _chosen(tuple(content), message)
    media_type = message.media_type
    if chosen is not None and "*" not in chosen.name:
        media_type = chosen.node.name if parse_media_type(chosen.node.name)[0] == chosen.name else chosen.name
    if message.body is None:
        return b"", media_type if message.media_type else ""
    media_type = media_type or JSON
    if isinstance(message.body, str) and not is_json(media_type):
        return message.body.encode(), media_type
    return json.dumps(message.body).encode(), media_type


def readers(operation: Operation) -> dict[str, Any]:
    """How openapi-core is to read what it takes for bytes: media type as the operation writes it -> a function."""
    parts = operation.parts
    contents = [parts.body.content if parts.body else (), *(each.content for each in parts.responses.values())]
    found: dict[str, Any] = {}
    for name in dict.fromkeys(media.name for content in contents for media in content):
        if is_json(name):
            found[name] = _json
        elif "*" in name:
            found[name] = _whatever
        elif name.startswith("text/") and name != "text/xml":
            found[name] = _text
    return found


def _chosen(content: Sequence[MediaType], message: Message) -> MediaType | None:
    """The media type of an operation that a message is of: by its name, else the narrowest range that holds it."""
    if not message.media_type:
        return next((each for each in content if is_json(each.name) == isinstance(message.body, dict | list)), None)
    name, parameters = parse_media_type(message.media_type)
    named = [each for each in content if each.name == name]
    exact = next((each for each in named if each.parameters == parameters), None)
    ranges = [each for each in content if media_range_holds(each.name, name)]
    return exact or next(iter(named), None) or min(ranges, key=lambda each: each.name.count("*"), default=None)


def _json(value: bytes, **_parameters: str) -> Any:
    return json.loads(value)


def _text(value: bytes, **_parameters: str) -> str:
    return value.decode(errors="surrogateescape")


def _whatever(value: bytes, **parameters: str) -> Any:
    """What a range may stand for: JSON where it is JSON."""
    text = _text(value, **parameters)
    found = parse_json(text)
    return text if found is NOT_JSON else found

"""Recorded messages as fields: what a JSON body, a query string or a list of headers shows to be read or sent.

Shared by every source that holds examples instead of declarations: contract tests, recordings, collections.
"""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

from guardian.fieldpath import ROOT, Path, Step, Wild
from guardian.graph.uses import Field
from guardian.model import Location
from guardian.spec.media import plain_type
from guardian.spec.pointers import escape

#: Headers that every client sends or every server adds; they say nothing about one contract.
_EVERYDAY = re.compile(
    r":.*|sec-.*|accept(-.*)?|access-control-.*|age|alt-svc|cache-control|connection|content-(encoding|language|length|type)"
    r"|cookie|date|dnt|expires|forwarded|host|if-(modified|none)-.*|keep-alive|last-modified|origin|postman-token|pragma"
    r"|priority|referer|server|set-cookie|te|trailer|transfer-encoding|upgrade(-.*)?|user-agent|vary|via"
    r"|x-forwarded-.*|x-requested-with",
    re.IGNORECASE,
)

_BY_MEDIA_TYPE = frozenset({"accept", "content-type"})

# How many values of one field are kept, and how long a text may be to be kept.
_VALUES = 64
_LONGEST = 64

NOT_JSON = object()
"""What `parse_json` gives for text that is no JSON."""


def json_fields(value: Any, origin: Location, maps: frozenset[Path] = frozenset()) -> Iterator[Field]:
    """The leaves of a JSON value, each with its own place; an empty container is used itself, not what it may hold.

    Args:
        value: the value.
        origin: where it stands.
        maps: paths of objects that are maps, whose keys are data and not names.
    """
    places: dict[tuple[Path, bool], str] = {}
    values: dict[tuple[Path, bool], dict[str, None]] = {}
    for path, pointer, leaf in _leaves(value, maps):
        shallow = isinstance(leaf, dict | list)
        places.setdefault((path, shallow), pointer)
        seen = values.setdefault((path, shallow), {})
        if not shallow and len(seen) < _VALUES and (text := _value(leaf)) is not None:
            seen[text] = None
    for (path, shallow), pointer in places.items():
        yield Field(path, _at(origin, pointer), shallow, tuple(values[path, shallow]))


def _value(leaf: Any) -> str | None:
    """A value as JSON text; ``None`` for what is too long to be one of a list."""
    if isinstance(leaf, str) and len(leaf) > _LONGEST:
        return None
    return json.dumps(leaf, ensure_ascii=False)


def _leaves(root: Any, maps: frozenset[Path]) -> Iterator[tuple[Path, str, Any]]:
    pending: list[tuple[Path, str, Any]] = [(ROOT, "", root)]
    while pending:
        path, pointer, value = pending.pop()
        below: list[tuple[Path, str, Any]] = []
        if isinstance(value, dict):
            for key, child in value.items():
                step: Step = Wild.VALUE if path in maps else str(key)
                below.append((path.below(step), f"{pointer}/{escape(str(key))}", child))
        elif isinstance(value, list):
            below = [(path.below(Wild.ITEM), f"{pointer}/{index}", child) for index, child in enumerate(value)]
        if below:
            pending.extend(reversed(below))
        else:
            yield path, pointer, value


def text_fields(text: str, media_type: str, origin: Location) -> Iterator[Field]:
    """The fields of a body that is text: JSON, a form, or (anything else) the body as a whole."""
    kind = plain_type(media_type)
    if kind == "application/x-www-form-urlencoded":
        names = dict.fromkeys(name for name, _ in parse_qsl(text, keep_blank_values=True))
        yield from (Field(Path((name,)), origin) for name in names)
        return
    value = parse_json(text) if not kind or is_json(kind) else NOT_JSON
    if value is NOT_JSON:
        yield Field(ROOT, origin)
    else:
        # The text has no pointers of its own, so all its fields stand where it stands.
        yield from (replace(field, origin=origin) for field in json_fields(value, Location("")))


def placed_fields(
    place: str, names: Iterable[str], origin: Location, *, declared: Container[str] = ()
) -> Iterator[Field]:
    """Parameters or headers by name, each once; everyday headers are left out where the operation does not declare them.

    Args:
        place: where they travel.
        names: what they are called.
        origin: where that is said.
        declared: the headers that the operation declares, in lower case.
    """
    for name in dict.fromkeys(names):
        if name and not (place == "header" and is_everyday(name) and name.lower() not in declared):
            yield Field(Path((name,), place), origin)


def asserted_headers(names: Iterable[str], origin: Location) -> Iterator[Field]:
    """Headers that somebody wrote down, everyday ones too; but for those that OpenAPI describes by media types."""
    for name in dict.fromkeys(names):
        if name and name.lower() not in _BY_MEDIA_TYPE:
            yield Field(Path((name,), "header"), origin)


def is_everyday(header: str) -> bool:
    """Whether a header is part of HTTP at large and not of one contract."""
    return _EVERYDAY.fullmatch(header) is not None


def is_json(media_type: str) -> bool:
    """Whether a media type is JSON, vendor types (RFC 6839) included."""
    kind = plain_type(media_type)
    return kind in {"application/json", "text/json"} or kind.endswith("+json")


def accepted_types(accept: str) -> tuple[str, ...] | None:
    """The media types that an ``Accept`` header names; ``None`` where it takes any, or is not there."""
    found = tuple(filter(None, map(plain_type, accept.split(","))))
    return None if not found or "*/*" in found else found


def parse_json(text: str) -> Any:
    """The value of a JSON text, or `NOT_JSON`."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return NOT_JSON


def header_value(headers: Any, name: str) -> str:
    """A header's value from a mapping of texts or lists of texts, whatever its case; empty where it is missing."""
    if isinstance(headers, Mapping):
        for key, value in headers.items():
            if str(key).lower() == name:
                if isinstance(value, list) and name == "cookie":
                    return "; ".join(map(str, value))
                return str(value[0] if isinstance(value, list) and value else value)
    return ""


def _at(origin: Location, pointer: str) -> Location:
    return Location(origin.file, origin.pointer + pointer, origin.line, origin.column)

"""HAR 1.2 recordings: calls that were made, and bodies that came back.

What came back is an upper bound of what is read, so these uses are ``called`` and never make more than a possible break.
A HAR does not say whose it is: the file's name without its ending is the consumer's name.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import unquote_plus

from guardian.errors import ReadError
from guardian.fieldpath import Path
from guardian.graph.consumers.bodies import NOT_JSON, is_json, parse_json, placed_fields, text_fields
from guardian.graph.consumers.calls import Calls
from guardian.graph.consumers.cookies import cookies_in
from guardian.graph.consumers.endpoints import Endpoints
from guardian.graph.consumers.hosts import host_of
from guardian.graph.uses import Field, Found
from guardian.model import Location
from guardian.spec.api import Operation
from guardian.spec.media import plain_type


def is_har(data: Any) -> bool:
    """Whether plain data is a HAR, by its content."""
    return isinstance(data, Mapping) and isinstance(data.get("log"), Mapping) and "entries" in data["log"]


def read_har(data: Mapping[str, Any], file: str, endpoints: Endpoints, consumer: str | None = None) -> Found:
    """The calls that a HAR recorded. What cannot be used is told in notes, never raised.

    Args:
        data: the whole document, for which `is_har` holds.
        file: its name.
        endpoints: finds who was called.
        consumer: who called, if not the one that the file is named after.
    """
    calls = Calls("har")
    name = consumer or PurePosixPath(file).stem
    entries = data["log"]["entries"]
    for index, entry in enumerate(entries if isinstance(entries, list) else []):
        request = entry.get("request") if isinstance(entry, Mapping) else None
        method, url = (request.get("method"), request.get("url")) if isinstance(request, Mapping) else (None, None)
        if not isinstance(request, Mapping) or not isinstance(method, str) or not isinstance(url, str):
            calls.leave_out(file, "the entry has no request with a method and a URL")
            continue
        answer = endpoints.find(method, url)
        if answer is None or answer.operation is None:
            reason = f"{answer.service} has no such operation" if answer else endpoints.reason(method, url)
            calls.leave_out(file, reason)
            continue
        if not answer.sure:
            calls.doubt(file, host_of(url))
        origin = Location(file, f"/log/entries/{index}")
        sent, received = _declared_headers(endpoints.operation(answer))
        response = entry.get("response") if isinstance(entry.get("response"), Mapping) else {}
        status = response.get("status")
        reads: list[Field] | None = None
        if isinstance(status, int) and 200 <= status < 300:
            reads = _received(response, Location(file, f"{origin.pointer}/response"), received)
            if reads is None:
                calls.leave_out(file, "the body is not text, so what it holds is not known (the call itself counts)")
        calls.add(
            name,
            answer.service,
            answer.operation,
            origin,
            reads=reads,
            sends=list(_sent(request, Location(file, f"{origin.pointer}/request"), sent)),
            received=_media_type(response.get("content")) if reads is not None else "",
            sent=_media_type(request.get("postData")),
            date=str(entry.get("startedDateTime") or "")[:10] or None,
        )
    return calls.found()


def _media_type(body: Any) -> str:
    return plain_type(str(body.get("mimeType") or "")) if isinstance(body, Mapping) and body.get("text") else ""


def _declared_headers(operation: Operation | None) -> tuple[frozenset[str], frozenset[str]]:
    """The headers that an operation declares to be sent and to come back, in lower case."""
    if operation is None:
        return frozenset(), frozenset()
    try:
        parts = operation.parts
    except ReadError:  # whoever reads it for its own sake says what is wrong
        return frozenset(), frozenset()
    sent = frozenset(each.name.lower() for each in parts.parameters if each.location == "header")
    return sent, frozenset(name for each in parts.responses.values() for name in each.headers)


def _sent(request: Mapping[str, Any], origin: Location, declared: frozenset[str]) -> Iterator[Field]:
    for place, key in (("query", "queryString"), ("header", "headers")):
        for index, name in _named(request.get(key)):
            name = unquote_plus(name) if place == "query" else name  # Chrome writes it as it stands in the URL
            here = Location(origin.file, f"{origin.pointer}/{key}/{index}")
            yield from placed_fields(place, [name], here, declared=declared)
    cookies = dict.fromkeys(name for name, _ in cookies_sent(request))
    yield from placed_fields("cookie", cookies, Location(origin.file, f"{origin.pointer}/headers"))
    data = request.get("postData")
    if not isinstance(data, Mapping):
        return
    here = Location(origin.file, f"{origin.pointer}/postData")
    params = [name for _, name in _named(data.get("params"))]
    if isinstance(data.get("text"), str) and data["text"]:
        yield from text_fields(data["text"], str(data.get("mimeType") or ""), here)
    elif params:
        yield from (Field(Path((name,)), here) for name in dict.fromkeys(params))


def _received(response: Mapping[str, Any], origin: Location, declared: frozenset[str]) -> list[Field] | None:
    """The fields of a response; ``None`` if its body cannot be looked into."""
    fields = [
        field
        for index, name in _named(response.get("headers"))
        for field in placed_fields(
            "header", [name], Location(origin.file, f"{origin.pointer}/headers/{index}"), declared=declared
        )
    ]
    content = response.get("content")
    if not isinstance(content, Mapping) or not isinstance(content.get("text"), str) or not content["text"]:
        return fields
    text, media_type = content["text"], str(content.get("mimeType") or "")
    if content.get("_isBinary") is True:
        return None  # Polly.JS: pieces of the body as it was compressed
    if content.get("encoding") == "base64":
        try:
            text = base64.b64decode(text, validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            return None
    if is_json(media_type) and parse_json(text) is NOT_JSON:
        return None
    return [*fields, *text_fields(text, media_type, Location(origin.file, f"{origin.pointer}/content/text"))]


def cookies_sent(request: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The cookies of a request, by its list of them and by its headers: tools write the one, the other or both."""
    found: dict[str, str] = {}
    for key in ("headers", "cookies"):
        entries = request.get(key)
        for each in entries if isinstance(entries, list) else []:
            if not isinstance(each, Mapping) or not isinstance(each.get("name"), str):
                continue
            value = str(each.get("value", ""))
            if key == "cookies":
                found.setdefault(each["name"], value)
            elif each["name"].lower() == "cookie":
                found.update(cookies_in(value))
    return list(found.items())


def _named(entries: Any) -> Iterator[tuple[int, str]]:
    for index, each in enumerate(entries if isinstance(entries, list) else []):
        if isinstance(each, Mapping) and isinstance(each.get("name"), str):
            yield index, each["name"]

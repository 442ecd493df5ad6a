"""Recorded exchanges: one request and its response, as contract tests and recordings hold them, whole.

Importers take from a recording what is used; here it is kept as it was, to be played against both sides of a change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from guardian.errors import ReadError
from guardian.graph.consumers.bodies import NOT_JSON, header_value, is_json, parse_json
from guardian.graph.consumers.cookies import cookies_in
from guardian.graph.consumers.har import cookies_sent
from guardian.graph.consumers.pact import body_of, example
from guardian.graph.uses import Confidence, Consumer, Use
from guardian.model import Location
from guardian.spec.text import load


@dataclass(frozen=True, slots=True)
class Message:
    """A request or a response. ``body`` is a JSON value, a text or ``None``; ``media_type`` may be empty."""

    headers: Mapping[str, str]
    body: Any = None
    media_type: str = ""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One recorded request with its response.

    Attributes:
        operation: as the use names it.
        origin: where it stands.
        name: what its source calls it; may be empty.
        confidence: ``asserted`` for a contract test, which says what its consumer needs; ``called`` for a recording,
            which only shows what came back.
        path: as it was called, without query.
        cookies: that were sent.
        handled: the statuses that would do as well, ``201`` or ``2XX``.
    """

    consumer: str
    service: str
    operation: str
    origin: Location
    name: str
    confidence: Confidence
    path: str
    query: tuple[tuple[str, str], ...]
    request: Message
    status: int | None
    response: Message
    cookies: tuple[tuple[str, str], ...] = ()
    handled: tuple[str, ...] = ()

    @property
    def is_excerpt(self) -> bool:
        """Whether the response holds what its consumer needs and not all that came."""
        return self.confidence == "asserted"


def exchanges(consumers: Iterable[Consumer], files: Mapping[str, bytes]) -> Iterator[Exchange]:
    """Every exchange that these consumers' pacts and HARs hold, in the order of their uses.

    Args:
        consumers: as they were loaded.
        files: the sources by the name that reports give them; a use of another file has no exchange.
    """
    documents: dict[str, Any] = {}
    for consumer in consumers:
        for use in consumer.uses:
            file = use.origin.file
            if use.operation is None or file not in files or not use.tool.startswith(("pact", "har")):
                continue
            if file not in documents:
                documents[file] = _document(files[file], file)
            if use.tool.startswith("pact"):
                interaction = _at(documents[file], use.origin.pointer)
                if isinstance(interaction, Mapping):
                    yield _of_pact(use, interaction)
            else:
                yield from _of_har(use, documents[file])


def _document(data: bytes, file: str) -> Any:
    try:
        return load(data, file)
    except ReadError:  # it was read when it was imported, by a reader that forgives more
        return None


def _at(document: Any, pointer: str) -> Any:
    value = document
    for step in pointer.split("/")[1:]:
        try:
            value = value[int(step)] if isinstance(value, list) else value[step]
        except (KeyError, IndexError, ValueError, TypeError):
            return None
    return value


# --- pacts ------------------------------------------------------------------------------------------------------------


def _of_pact(use: Use, interaction: Mapping[str, Any]) -> Exchange:
    request, response = (_mapping(interaction.get(part)) for part in ("request", "response"))
    path = example(request.get("path"))
    status = response.get("status")
    return Exchange(
        use.consumer,
        use.service,
        use.operation or "",
        use.origin,
        str(interaction.get("description") or ""),
        use.confidence,
        path if isinstance(path, str) else "",
        tuple(_query(example(request.get("query")))),
        _message(request),
        status if isinstance(status, int) else None,
        _message(response),
        tuple(cookies_in(header_value(example(request.get("headers")), "cookie"))),
        use.responses or (),
    )


def _message(message: Mapping[str, Any]) -> Message:
    body, media_type = body_of(message)
    headers = _mapping(message.get("headers"))
    return Message(
        {str(name): header_value({name: value}, str(name).lower()) for name, value in headers.items()}, body, media_type
    )


def _query(query: Any) -> Iterator[tuple[str, str]]:
    if isinstance(query, str):
        yield from parse_qsl(query.lstrip("?"), keep_blank_values=True)
    elif isinstance(query, Mapping):
        for name, value in query.items():
            for each in value if isinstance(value, list) else [value]:
                yield str(name), str(each)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


# --- HAR --------------------------------------------------------------------------------------------------------------


def _of_har(use: Use, document: Any) -> Iterator[Exchange]:
    """The entry that a use was met at first. Others like it were joined with it, and are no stronger evidence."""
    entry = _mapping(_at(document, use.origin.pointer))
    request, response = _mapping(entry.get("request")), _mapping(entry.get("response"))
    url = request.get("url")
    if not isinstance(url, str):
        return
    try:
        parts = urlsplit(url)
    except ValueError:  # a host in brackets that is no address
        return
    status = response.get("status")
    posted, content = _mapping(request.get("postData")), _mapping(response.get("content"))
    yield Exchange(
        use.consumer,
        use.service,
        use.operation or "",
        use.origin,
        "",
        use.confidence,
        parts.path,
        tuple(parse_qsl(parts.query, keep_blank_values=True)),
        Message(_headers(request), *_text(posted)),
        status if isinstance(status, int) and status > 0 else None,
        Message(
            _headers(response), *((None, "") if content.get("encoding") or content.get("_isBinary") else _text(content))
        ),
        tuple(cookies_sent(request)),
    )


def _headers(message: Mapping[str, Any]) -> dict[str, str]:
    headers = message.get("headers")
    return {
        str(each["name"]): str(each.get("value", ""))
        for each in (headers if isinstance(headers, list) else [])
        if isinstance(each, Mapping) and "name" in each
    }


def _text(content: Mapping[str, Any]) -> tuple[Any, str]:
    text, media_type = content.get("text"), str(content.get("mimeType") or "")
    if not isinstance(text, str) or not text:
        return None, media_type
    value = parse_json(text) if is_json(media_type) else NOT_JSON
    return (text if value is NOT_JSON else value), media_type

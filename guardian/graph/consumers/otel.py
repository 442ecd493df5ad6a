"""OpenTelemetry traces as OTLP JSON: who called whom, and when last; never which fields.

A server span with a client span of another service as its parent is one call. A client span whose other end is not in
the data is one too, if its address tells the service. Both generations of the HTTP attributes are understood
(``http.request.method`` and ``http.method``, ``url.path`` and ``http.target``, and so on).

The formats: OTLP 1.x (protobuf JSON mapping), OpenTelemetry semantic conventions for HTTP spans.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from guardian.graph.consumers.calls import Calls
from guardian.graph.consumers.endpoints import Endpoints
from guardian.graph.uses import Found
from guardian.model import Location

_SERVER = frozenset({2, "2", "SPAN_KIND_SERVER"})
_CLIENT = frozenset({3, "3", "SPAN_KIND_CLIENT"})
# Where the whole URL stands, in both generations of the attributes.
_WHOLE = ("url.full", "http.url")
# Variables of routes that are regular expressions (Django) or have converters (Flask): `(?P<id>[^/.]+)`, `<int:id>`.
_GROUP = re.compile(r"\((?:\?P?<\w+>)?(?:[^()\[\]]|\[[^\]]*\])*\)|<[^<>/]*>")
_PATTERN = re.compile(r"[*?^$()|]")
_NS_PER_S = 1_000_000_000


@dataclass(frozen=True, slots=True)
class _Span:
    id: str
    parent: str
    kind: Any
    service: str
    attributes: Mapping[str, Any]
    date: str | None
    origin: Location


def is_trace(data: Any) -> bool:
    """Whether plain data is an OTLP export of spans, by its content."""
    return isinstance(data, Mapping) and isinstance(data.get("resourceSpans"), list)


def is_other_signal(data: Any) -> bool:
    """Whether plain data is an OTLP export of metrics or log records, which collectors write beside spans."""
    return isinstance(data, Mapping) and any(
        isinstance(data.get(key), list) for key in ("resourceMetrics", "resourceLogs")
    )


def read_traces(documents: Sequence[tuple[Mapping[str, Any], str]], endpoints: Endpoints) -> Found:
    """The calls that traces show; the spans of one trace may lie in several documents.

    Args:
        documents: data, for which `is_trace` holds, and file of each.
        endpoints: finds who was called.
    """
    spans = [span for data, file in documents for span in _spans(data, file)]
    by_id = {span.id: span for span in spans if span.id}
    answered = {span.parent for span in spans if span.kind in _SERVER}
    calls = Calls("otel")
    for span in spans:
        method = _first(span.attributes, "http.request.method", "http.method")
        if method is None:
            continue
        if span.kind in _SERVER:
            caller = _caller(span, by_id)
            if caller is None:
                calls.leave_out(span.origin.file, "the caller of the request is not in the trace")
                continue
            service = endpoints.service(span.service) or span.service
            _add(calls, endpoints, span, caller, service, method, _targets(span, "url.path", "http.target", *_WHOLE))
        elif span.kind in _CLIENT and span.id not in answered:
            targets = _targets(span, *_WHOLE, "url.path", "http.target")
            peer = _first(span.attributes, "peer.service", "service.peer.name", "server.address", "net.peer.name")
            answering = endpoints.service(peer) if peer else None
            if answering is None:
                answers = (endpoints.find(method, target) for target in targets)
                answering = next((answer.service for answer in answers if answer), None)
            if answering is None:
                calls.leave_out(span.origin.file, "no service answers at the address of the request")
            else:
                _add(calls, endpoints, span, span.service, answering, method, targets)
    return calls.found()


def _add(
    calls: Calls, endpoints: Endpoints, span: _Span, caller: str, service: str, method: str, targets: Sequence[str]
) -> None:
    answers = (endpoints.within(service, method, target).operation for target in targets)
    operation = next(filter(None, answers), None)
    if operation is None:
        calls.leave_out(span.origin.file, f"{service} has no such operation")
    else:
        calls.add(caller, service, operation, span.origin, date=span.date)


def _targets(span: _Span, *names: str) -> list[str]:
    """What was called, the surest first: the URL itself, then the route by which a framework or client knows it."""
    found = [str(span.attributes[name]) for name in (*names, "url.template") if span.attributes.get(name)]
    route = _plain_route(str(span.attributes.get("http.route") or ""))
    return [*found, route] if route else found


def _plain_route(route: str) -> str | None:
    """A route as a path with variables; ``None`` for a pattern that may be any of several."""
    text = _GROUP.sub("{}", route.removeprefix("^").removesuffix("$"))
    return None if _PATTERN.search(text) else text


def _caller(span: _Span, by_id: Mapping[str, _Span]) -> str | None:
    """The service of the nearest span above that belongs to another service."""
    seen: set[str] = set()
    above = by_id.get(span.parent)
    while above is not None and above.id not in seen:
        if above.service and above.service != span.service:
            return above.service
        seen.add(above.id)
        above = by_id.get(above.parent)
    return None


def _spans(data: Mapping[str, Any], file: str) -> Iterator[_Span]:
    for resource_index, resource in _mappings(data.get("resourceSpans")):
        described = resource.get("resource")
        own = _attributes(described if isinstance(described, Mapping) else {})
        service = str(own.get("service.name") or "")
        for key in ("scopeSpans", "instrumentationLibrarySpans"):
            for scope_index, scope in _mappings(resource.get(key)):
                for span_index, span in _mappings(scope.get("spans")):
                    pointer = f"/resourceSpans/{resource_index}/{key}/{scope_index}/spans/{span_index}"
                    yield _Span(
                        str(span.get("spanId") or ""),
                        str(span.get("parentSpanId") or ""),
                        span.get("kind"),
                        service,
                        _attributes(span),
                        _date(span.get("startTimeUnixNano")),
                        Location(file, pointer),
                    )


def _mappings(value: Any) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for index, each in enumerate(value if isinstance(value, list) else []):
        if isinstance(each, Mapping):
            yield index, each


def _attributes(holder: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for _, each in _mappings(holder.get("attributes")):
        value = each.get("value")
        if isinstance(value, Mapping) and value:
            found[str(each.get("key"))] = next(iter(value.values()))
    return found


def _first(attributes: Mapping[str, Any], *names: str) -> str | None:
    return next((str(attributes[name]) for name in names if attributes.get(name)), None)


def _date(nanoseconds: Any) -> str | None:
    try:
        return datetime.fromtimestamp(int(nanoseconds) // _NS_PER_S, UTC).date().isoformat()
    except (TypeError, ValueError, OverflowError, OSError):
        return None

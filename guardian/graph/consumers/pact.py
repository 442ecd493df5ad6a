"""Pact files, version 1 to 4: contract tests that ran, read as uses with the confidence ``asserted``.

The body that a test expects is a lower bound of what its consumer reads, and what it sends is all it sends. Messages
and plugin interactions are no HTTP and are left out with a note, as is an interaction that is still pending. An
interaction that is refused (4xx, 5xx) tells which statuses are handled, and nothing of what a normal call carries.

The formats: pact-foundation/pact-specification, versions 1 to 4, and the ``json_class`` form of the first Ruby pacts.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, quote

from guardian.fieldpath import Path, Step, Wild, touches
from guardian.graph.consumers.bodies import (
    NOT_JSON,
    accepted_types,
    asserted_headers,
    header_value,
    is_json,
    json_fields,
    parse_json,
    placed_fields,
    text_fields,
)
from guardian.graph.consumers.cookies import cookies_in
from guardian.graph.consumers.names import Names
from guardian.graph.uses import Consumer, Field, Found, Use
from guardian.model import Location, Note
from guardian.spec.media import plain_type
from guardian.spec.pointers import escape

_HTTP = "Synchronous/HTTP"
_ENDING = re.compile(r"[\s?#]")
# What the status matcher of version 4 calls the classes of RFC 9110, section 15.
_STATUSES = {
    "info": ("1XX",),
    "information": ("1XX",),
    "success": ("2XX",),
    "redirect": ("3XX",),
    "clienterror": ("4XX",),
    "servererror": ("5XX",),
    "nonerror": ("1XX", "2XX", "3XX"),
    "error": ("4XX", "5XX"),
}
_WRAPPER = frozenset({"content", "contentType", "contentTypeHint", "encoded"})
_MAP_MATCHERS = frozenset({"values", "eachKey", "eachValue"})
_RULE_STEP = re.compile(r"\.\*|\.([^.\[\]*]+)|\[(?:\*|\d+)\]|\['([^']*)'\]|\[\"([^\"]*)\"\]")


def is_pact(data: Any) -> bool:
    """Whether plain data is a Pact file, by its content."""
    return (
        isinstance(data, Mapping)
        and isinstance(data.get("consumer"), Mapping)
        and isinstance(data.get("provider"), Mapping)
        and ("interactions" in data or "messages" in data)
    )


def read_pact(data: Mapping[str, Any], file: str, names: Names) -> Found:
    """The uses that a Pact file asserts. What cannot be used is told in notes, never raised.

    Args:
        data: the whole document, for which `is_pact` holds.
        file: its name, for origins and notes.
        names: the services that its provider may be.
    """
    consumer, provider = data["consumer"].get("name"), data["provider"].get("name")
    if not isinstance(consumer, str) or not isinstance(provider, str):
        return Found(notes=(Note("warning", "the pact names no consumer or no provider: skipped", file),))
    service = names.find(provider) or provider
    tool = f"pact {_version(data)}".strip()
    uses: list[Use] = []
    left_out: Counter[str] = Counter()
    interactions = data.get("interactions", [])
    for index, each in enumerate(interactions if isinstance(interactions, list) else []):
        reason = _unusable(each)
        if reason:
            left_out[reason] += 1
        else:
            uses.append(_use(each, consumer, service, tool, Location(file, f"/interactions/{index}")))
    messages = data.get("messages")
    if isinstance(messages, list) and messages:
        left_out["they are messages, not HTTP"] += len(messages)
    notes = [
        Note("info", f"{count} of the pact's interactions left out: {reason}", file)
        for reason, count in sorted(left_out.items())
    ]
    return Found((Consumer(consumer, tuple(uses)),), tuple(notes))


def _version(data: Mapping[str, Any]) -> str:
    metadata = data.get("metadata")
    if not isinstance(metadata, Mapping):
        return ""
    for key in ("pactSpecification", "pact-specification"):
        if isinstance(metadata.get(key), Mapping):
            return str(metadata[key].get("version", ""))
    return str(metadata.get("pactSpecificationVersion", ""))


def _unusable(interaction: Any) -> str | None:
    """Why an interaction is left out, or ``None``."""
    if not isinstance(interaction, Mapping):
        return "they are no mappings"
    kind = interaction.get("type", _HTTP)
    if kind != _HTTP:
        return f"they are {kind}, not HTTP"
    if interaction.get("pending") is True:
        return "they are pending, so the provider has not agreed to them yet"
    request = interaction.get("request")
    method, path = (
        (request.get("method"), example(request.get("path"))) if isinstance(request, Mapping) else (None, None)
    )
    if not isinstance(method, str) or not isinstance(path, str) or not path.startswith("/"):
        return "they have no HTTP request with a method and a path"
    return None


def _use(interaction: Mapping[str, Any], consumer: str, service: str, tool: str, origin: Location) -> Use:
    request = interaction["request"]
    response = interaction.get("response")
    response = response if isinstance(response, Mapping) else {}
    status = response.get("status")
    refused = isinstance(status, int) and status >= 400
    # As it is written, but for what would end the path or the name of the operation.
    path = _ENDING.sub(lambda found: quote(found[0]), example(request["path"]))
    return Use(
        consumer,
        service,
        f"{request['method'].upper()} {path}",
        origin,
        reads=None if refused else tuple(_message(response, _below(origin, "response"))),
        sends=None if refused else tuple(_sent(request, _below(origin, "request"))),
        responses=_statuses(response, status),
        confidence="asserted",
        tool=tool,
        received=_media_type(response) or accepted_types(header_value(example(request.get("headers")), "accept")),
        sent=_media_type(request),
    )


def _media_type(message: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The media type of a message; ``None`` where it has none, or a matcher takes others as well."""
    found = plain_type(body_of(message)[1])
    rules = message.get("matchingRules")
    rule = _header_rule(rules, "content-type") if isinstance(rules, Mapping) else None
    return (found,) if found and not _is_loose(rule) else None


def _header_rule(rules: Mapping[str, Any], name: str) -> Any:
    inside = rules.get("header")
    keys = [(str(key), rule) for each in (rules, inside) if isinstance(each, Mapping) for key, rule in each.items()]
    return next((rule for key, rule in keys if key.lower().rpartition("headers.")[2].strip("$.[]'\"") == name), None)


def _is_loose(rule: Any) -> bool:
    """Whether a header's matcher takes other media types too: more may be written after one without being another."""
    matchers = rule.get("matchers", [rule]) if isinstance(rule, Mapping) else []
    for each in matchers if isinstance(matchers, list) else []:
        regex = each.get("regex") if isinstance(each, Mapping) else None
        if regex is None:
            if isinstance(each, Mapping) and each.get("match") not in {"equality", "include", "contentType"}:
                return True
        elif "|" in str(regex) or _could_be(str(regex), "application/vnd.another+json"):
            return True
    return False


def _could_be(regex: str, text: str) -> bool:
    try:
        return re.match(regex, text) is not None
    except re.error:
        return True


def _statuses(response: Mapping[str, Any], status: Any) -> tuple[str, ...] | None:
    """The statuses that a test takes: what its matcher says (version 4), else the one of its example."""
    rules = response.get("matchingRules")
    rule = rules.get("status") if isinstance(rules, Mapping) else None
    matchers = rule.get("matchers") if isinstance(rule, Mapping) else None
    found: list[str] = []
    for each in matchers if isinstance(matchers, list) else []:
        wanted = each.get("status") if isinstance(each, Mapping) and each.get("match") == "statusCode" else None
        if isinstance(wanted, str):
            found += _STATUSES.get(wanted.lower(), ())
        elif isinstance(wanted, list):
            found += [str(one) for one in wanted if isinstance(one, int)]
    known = [str(status)] if isinstance(status, int) else []
    return tuple(dict.fromkeys(found or known)) or None


def _sent(request: Mapping[str, Any], origin: Location) -> Iterator[Field]:
    query = example(request.get("query"))
    if isinstance(query, str):
        query = dict.fromkeys(name for name, _ in parse_qsl(query.lstrip("?"), keep_blank_values=True))
    if isinstance(query, Mapping):
        yield from placed_fields("query", map(str, query), _below(origin, "query"))
    cookies = (name for name, _ in cookies_in(header_value(example(request.get("headers")), "cookie")))
    yield from placed_fields("cookie", cookies, _below(origin, "headers"))
    yield from _message(request, origin)


def _message(message: Mapping[str, Any], origin: Location) -> Iterator[Field]:
    """Headers and body of a request or response."""
    rules = _rules(message)
    headers = message.get("headers")
    if isinstance(headers, Mapping):
        yield from asserted_headers(map(str, headers), _below(origin, "headers"))
    maps = frozenset(path for path, matchers in rules.items() if not _MAP_MATCHERS.isdisjoint(matchers)) | frozenset(
        Path(path.steps[:at])
        for path in rules
        for at, step in enumerate(path.steps[:-1])
        if step is Wild.VALUE  # with more steps after it; a last `.*` stands for "every field of this object"
    )
    fields = list(_body(message, origin, maps))
    yield from fields
    for path in rules:
        if path.steps and path.steps[-1] is not Wild.VALUE and not any(touches(path, each.path) for each in fields):
            yield Field(path, _below(origin, "matchingRules"))


def _body(message: Mapping[str, Any], origin: Location, maps: frozenset[Path]) -> Iterator[Field]:
    here = _below(origin, "body")
    if _is_wrapped(message.get("body")):
        here = _below(here, "content")
    body, media_type = body_of(message)
    if body is None or body == "":
        return
    if isinstance(body, str):
        yield from text_fields(body, media_type or "text/plain", here)
    else:
        yield from json_fields(body, here, maps)


def body_of(message: Mapping[str, Any]) -> tuple[Any, str]:
    """The body of a request or response as a value, ``None`` where it has none, and its media type as far as it says."""
    body = message.get("body")
    media_type = header_value(message.get("headers"), "content-type")
    if isinstance(body, Mapping) and _is_wrapped(body):
        media_type = str(body.get("contentType") or media_type)
        body = _decoded(body)
    body = example(body)
    if isinstance(body, str) and is_json(media_type):
        value = parse_json(body)
        body = value if isinstance(value, dict | list) else body
    return body, media_type


def _is_wrapped(body: Any) -> bool:
    """Whether a body has the form of version 4."""
    return isinstance(body, Mapping) and "content" in body and body.keys() <= _WRAPPER


def _decoded(body: Mapping[str, Any]) -> Any:
    """The content of a version 4 body: as it is, or out of base64."""
    content, encoded = body["content"], body.get("encoded")
    if not isinstance(content, str) or not encoded:
        return content
    if str(encoded).lower() == "json":
        value = parse_json(content)
        return content if value is NOT_JSON else value
    try:
        return base64.b64decode(content, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return "binary"  # any text: a body that is read as a whole


def _rules(message: Mapping[str, Any]) -> dict[Path, frozenset[str]]:
    """The matching rules of the body: path -> kinds of matchers, in order."""
    rules = message.get("matchingRules")
    if not isinstance(rules, Mapping):
        return {}
    if isinstance(rules.get("body"), Mapping):  # version 3 and 4
        found = dict(rules["body"])
    else:  # version 2
        found = {f"${key[len('$.body') :]}": rule for key, rule in rules.items() if str(key).startswith("$.body")}
    parsed: dict[Path, frozenset[str]] = {}
    for text, rule in found.items():
        path = _rule_path(str(text))
        if path is not None:
            parsed[path] = parsed.get(path, frozenset()) | frozenset(_matchers(rule))
    return parsed


def _matchers(rule: Any) -> Iterator[str]:
    if isinstance(rule, Mapping):
        for each in rule.get("matchers", [rule]) if isinstance(rule.get("matchers", []), list) else []:
            if isinstance(each, Mapping) and isinstance(each.get("match"), str):
                yield each["match"]


def _rule_path(text: str) -> Path | None:
    """A matching rule's JSONPath as a field path; ``None`` if it is not one that Pact writes."""
    if not text.startswith("$"):
        return None
    steps: list[Step] = []
    position = 1
    while position < len(text):
        found = _RULE_STEP.match(text, position)
        if not found:
            return None
        name = next((group for group in found.groups() if group is not None), None)
        steps.append(name if name is not None else Wild.VALUE if found[0] == ".*" else Wild.ITEM)
        position = found.end()
    return Path(tuple(steps))


def example(value: Any) -> Any:
    """A value with the ``json_class`` matchers of early Ruby pacts replaced by what they stand for."""
    if isinstance(value, Mapping):
        kind = value.get("json_class")
        if kind == "Pact::SomethingLike":
            return example(value.get("contents"))
        if kind == "Pact::ArrayLike":
            return [example(value.get("contents"))]
        if kind == "Pact::Term" and isinstance(value.get("data"), Mapping):
            return value["data"].get("generate")
        return {key: example(each) for key, each in value.items()}
    if isinstance(value, list):
        return [example(each) for each in value]
    return value


def _below(origin: Location, step: str) -> Location:
    return Location(origin.file, f"{origin.pointer}/{escape(step)}", origin.line, origin.column)

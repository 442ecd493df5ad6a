"""Postman collections, version 2.0 and 2.1: requests, what their test scripts assert, and saved responses.

What a test script reads of the response is asserted. A saved response is an example of what comes back, an upper bound
of what is read, and counts only where no script tells more. The collection's name is the consumer's name.

The format: schema.getpostman.com, collection v2.1.0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from guardian.fieldpath import ROOT, Path
from guardian.graph.consumers.bodies import NOT_JSON, json_fields, parse_json, placed_fields, text_fields
from guardian.graph.consumers.calls import Calls
from guardian.graph.consumers.endpoints import Endpoints
from guardian.graph.consumers.hosts import host_of
from guardian.graph.consumers.postman_urls import answering, whole_url
from guardian.graph.consumers.scripts import Asserted, read_script
from guardian.graph.uses import Field, Found
from guardian.model import Location

_VARIABLE = re.compile(r"\{\{([^{}]*)\}\}")
# Texts are matched as well, so that what looks like a comment in one of them is none.
_COMMENT = re.compile(r'(?P<text>"(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_MAX_SUBSTITUTIONS = 10


def is_collection(data: Any) -> bool:
    """Whether plain data is a collection, by its content."""
    info = data.get("info") if isinstance(data, Mapping) else None
    return (
        isinstance(info, Mapping)
        and isinstance(data.get("item"), list)
        and ("getpostman.com" in str(info.get("schema")) or "_postman_id" in info)
    )


def is_environment(data: Any) -> bool:
    """Whether plain data is an exported environment, by its content."""
    return isinstance(data, Mapping) and "_postman_variable_scope" in data and isinstance(data.get("values"), list)


def variables(data: Mapping[str, Any], key: str = "values") -> dict[str, str]:
    """The variables that an environment, or (key ``variable``) a collection, sets to something."""
    entries = data.get(key)
    return {
        str(each.get("key") or each.get("id")): str(each["value"])
        for each in (entries if isinstance(entries, list) else [])
        if isinstance(each, Mapping) and each.get("enabled") is not False and each.get("value")
    }


def read_collection(
    data: Mapping[str, Any],
    file: str,
    endpoints: Endpoints,
    environment: Mapping[str, str] | None = None,
    consumer: str | None = None,
) -> Found:
    """The uses of a collection. What cannot be used is told in notes, never raised.

    Args:
        data: the whole document, for which `is_collection` holds.
        file: its name.
        endpoints: finds who is called.
        environment: the values of variables that the collection leaves open.
        consumer: who calls, if not the collection's name.
    """
    name = consumer or str(data["info"].get("name") or file)
    values = {**variables(data, "variable"), **(environment or {})}
    asserted, called = Calls("postman", "asserted"), Calls("postman")
    for item in _items(data, Location(file), (), ()):
        method, url = _target(item.request, values)
        if not url:
            called.leave_out(file, "the request has no URL")
            continue
        answer = answering(endpoints, method, url)
        if answer is None or answer.operation is None:
            why = f"{answer.service} has no such operation" if answer else endpoints.reason(method, url)
            called.leave_out(file, why, f"{method} {re.split(r'[?#]', url, maxsplit=1)[0]}")
            continue
        script = read_script(item.script, item.origin)
        sends = list(_sent(item, values))
        saved = _saved(item)
        known = script.fields or None
        if not answer.sure:
            called.doubt(file, host_of(url))
        for status in script.statuses or (None,):
            if not script.is_empty:
                (asserted if answer.sure else called).add(
                    name,
                    answer.service,
                    answer.operation,
                    item.origin,
                    reads=known,
                    sends=sends,
                    status=status,
                    partial=script.partial,
                )
        called.add(name, answer.service, answer.operation, item.origin, reads=saved, sends=sends)
    first, second = asserted.found(), called.found()
    return Found(first.consumers + second.consumers, first.notes + second.notes)


@dataclass(frozen=True, slots=True)
class _Item:
    """One request, with the scripts and authorisation of the folders around it."""

    request: Mapping[str, Any]
    responses: list[Any]
    script: str
    auth: Any
    origin: Location


def _items(
    holder: Mapping[str, Any], at: Location, scripts: tuple[str, ...], auths: tuple[Any, ...]
) -> Iterator[_Item]:
    scripts = (*scripts, _tests(holder))
    if isinstance(holder.get("auth"), Mapping):
        auths = (*auths, holder["auth"])
    items = holder.get("item")
    for index, item in enumerate(items if isinstance(items, list) else []):
        if not isinstance(item, Mapping):
            continue
        place = Location(at.file, f"{at.pointer}/item/{index}")
        if isinstance(item.get("item"), list):
            yield from _items(item, place, scripts, auths)
            continue
        request = item.get("request")
        if isinstance(request, str):
            request = {"method": "GET", "url": request}
        if isinstance(request, Mapping):
            own = request.get("auth") if isinstance(request.get("auth"), Mapping) else None
            responses = item.get("response")
            yield _Item(
                request,
                responses if isinstance(responses, list) else [],
                "\n".join(filter(None, (*scripts, _tests(item)))),
                own or (auths[-1] if auths else None),
                place,
            )


def _tests(holder: Mapping[str, Any]) -> str:
    events = holder.get("event")
    lines: list[str] = []
    for event in events if isinstance(events, list) else []:
        script = event.get("script") if isinstance(event, Mapping) and event.get("listen") == "test" else None
        source = script.get("exec") if isinstance(script, Mapping) else None
        if isinstance(source, str):
            lines.append(source)
        elif isinstance(source, list):
            lines.extend(each for each in source if isinstance(each, str))
    return "\n".join(lines)


def _target(request: Mapping[str, Any], values: Mapping[str, str]) -> tuple[str, str]:
    """Method and URL, with known variables filled in and unknown ones left as ``{{x}}``."""
    url = request.get("url")
    raw = url
    if isinstance(url, Mapping):
        raw = url.get("raw")
        if not raw:
            host, path = (url.get(key) for key in ("host", "path"))
            joined = [".".join(map(str, host)) if isinstance(host, list) else str(host or "")]
            joined += [str(each.get("value") if isinstance(each, Mapping) else each) for each in path or []]
            raw = "/".join(joined)
    method = str(request.get("method") or "GET").upper()
    return method, whole_url(_filled(raw, values)) if isinstance(raw, str) else ""


def _filled(text: str, values: Mapping[str, str]) -> str:
    for _ in range(_MAX_SUBSTITUTIONS):  # a value may hold variables itself
        filled = _VARIABLE.sub(lambda found: values.get(found[1].strip(), found[0]), text)
        if filled == text:
            break
        text = filled
    return text


def _sent(item: _Item, values: Mapping[str, str]) -> Iterator[Field]:
    here = Location(item.origin.file, f"{item.origin.pointer}/request")
    url = item.request.get("url")
    query = url.get("query") if isinstance(url, Mapping) else None
    if query is None:
        text = _target(item.request, values)[1].partition("?")[2].partition("#")[0]
        query = [{"key": part.partition("=")[0]} for part in text.split("&") if part]
    yield from placed_fields("query", _keys(query), here)
    yield from placed_fields("header", _headers(item.request.get("header")), here)
    yield from _authorised(item.auth, here)
    body = item.request.get("body")
    if isinstance(body, Mapping) and body.get("disabled") is not True:
        yield from _body(body, Location(here.file, f"{here.pointer}/body"))


def _body(body: Mapping[str, Any], origin: Location) -> Iterator[Field]:
    mode = body.get("mode")
    if mode in {"urlencoded", "formdata"}:
        given = body.get(mode)
        keys = [key for key, _ in parse_qsl(given, keep_blank_values=True)] if isinstance(given, str) else _keys(given)
        yield from (Field(Path((key,)), origin) for key in dict.fromkeys(keys))
    elif mode == "raw" and isinstance(body.get("raw"), str) and body["raw"].strip():
        # A variable outside of quotes makes the text no JSON; what it stands for does not matter.
        text = re.sub(r'(?<!")\{\{[^{}"]*\}\}(?!")', "0", _without_comments(body["raw"]))
        yield from text_fields(text, "", origin)
    elif mode in {"graphql", "file"}:
        yield Field(ROOT, origin)


def _authorised(auth: Any, origin: Location) -> Iterator[Field]:
    if not isinstance(auth, Mapping) or auth.get("type") in {None, "noauth"}:
        return
    if auth["type"] == "apikey":
        entries = auth.get("apikey")
        if isinstance(entries, Mapping):  # version 2.0
            entries = [{"key": key, "value": value} for key, value in entries.items()]
        listed = entries if isinstance(entries, list) else []
        given = {str(each.get("key")): str(each.get("value")) for each in listed if isinstance(each, Mapping)}
        if given.get("key"):
            yield from placed_fields("query" if given.get("in") == "query" else "header", [given["key"]], origin)
    else:
        yield from placed_fields("header", ["Authorization"], origin)


def _headers(entries: Any) -> list[str]:
    """The names of headers, which are a list or a text with one of them in each line."""
    if not isinstance(entries, str):
        return _keys(entries)
    lines = (line.strip() for line in entries.splitlines())
    return [line.partition(":")[0].strip() for line in lines if ":" in line and not line.startswith("//")]


def _without_comments(text: str) -> str:
    """A JSON text without the comments that Postman takes out before it sends; what no comment makes JSON is as it was."""
    if parse_json(text) is not NOT_JSON:
        return text
    return _COMMENT.sub(lambda found: found["text"] or " ", text)


def _keys(entries: Any) -> list[str]:
    return [
        str(each["key"])
        for each in (entries if isinstance(entries, list) else [])
        if isinstance(each, Mapping) and each.get("key") and each.get("disabled") is not True
    ]


def _saved(item: _Item) -> list[Field] | None:
    """The fields of saved success responses; ``None`` if there is none of JSON."""
    fields: list[Field] | None = None
    for index, response in enumerate(item.responses):
        code = response.get("code") if isinstance(response, Mapping) else None
        if not isinstance(code, int) or not 200 <= code < 300:
            continue
        body = response.get("body")
        value = parse_json(body) if isinstance(body, str) and body.strip() else NOT_JSON
        if value is not NOT_JSON:
            place = Location(item.origin.file, f"{item.origin.pointer}/response/{index}/body")
            fields = (fields or []) + [Field(each.path, place, each.shallow) for each in json_fields(value, place)]
    return fields


__all__ = ["Asserted", "is_collection", "is_environment", "read_collection", "variables"]

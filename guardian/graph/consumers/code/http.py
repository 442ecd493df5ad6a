"""What HTTP libraries mean: which calls send a request, where its parts are in the arguments, what comes back.

A *style* is a way to be called. ``python``: httpx, requests, aiohttp and what takes after them; ``urllib``; ``axios``
(Angular's and Nest's clients too, which give the body itself: ``observable``); ``fetch``, with ky, got and undici;
``ofetch``, which gives the body itself; ``openapi``: openapi-fetch, which is called by templates.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from guardian.graph.consumers.code import moves
from guardian.graph.consumers.code import syntax as s
from guardian.graph.consumers.code.values import (
    NOTHING,
    Client,
    Closure,
    Given,
    Hole,
    HttpCall,
    Nothing,
    Record,
    Reply,
    Scope,
    Value,
    View,
    Words,
    join,
    text_of,
    words,
)
from guardian.model import Location

if TYPE_CHECKING:
    from guardian.graph.consumers.code.flow import Flow

VERBS = frozenset({"get", "post", "put", "patch", "delete", "head", "options"})
_BODIED = frozenset({"post", "put", "patch"})

_CLIENTS: dict[tuple[str, ...], str] = {
    ("httpx", "Client"): "python",
    ("httpx", "AsyncClient"): "python",
    ("requests", "Session"): "python",
    ("requests", "session"): "python",
    ("requests", "sessions", "Session"): "python",
    ("niquests", "Session"): "python",
    ("niquests", "AsyncSession"): "python",
    ("aiohttp", "ClientSession"): "python",
    ("axios", "default", "create"): "axios",
    ("axios", "create"): "axios",
    ("axios", "Axios"): "axios",
    ("ky", "default", "create"): "fetch",
    ("ky", "default", "extend"): "fetch",
    ("got", "default", "extend"): "fetch",
    ("got", "got", "extend"): "fetch",
    ("ofetch", "ofetch", "create"): "ofetch",
    ("ofetch", "$fetch", "create"): "ofetch",
    ("$fetch", "create"): "ofetch",
    ("openapi-fetch", "default"): "openapi",
}
_TYPES: dict[tuple[str, ...], str] = {
    ("axios", "AxiosInstance"): "axios",
    ("axios", "AxiosStatic"): "axios",
    ("axios", "Axios"): "axios",
    ("ky", "KyInstance"): "fetch",
    ("got", "Got"): "fetch",
    ("@angular/common/http", "HttpClient"): "observable",
    ("@nestjs/axios", "HttpService"): "axios",
}
_MODULES: dict[tuple[str, ...], str] = {
    ("httpx",): "python",
    ("requests",): "python",
    ("requests", "api"): "python",
    ("niquests",): "python",
    ("axios",): "axios",
    ("axios", "default"): "axios",
    ("ky", "default"): "fetch",
    ("got", "default"): "fetch",
    ("got", "got"): "fetch",
}
_FUNCTIONS: dict[tuple[str, ...], str] = {
    ("fetch",): "fetch",
    ("window", "fetch"): "fetch",
    ("globalThis", "fetch"): "fetch",
    ("node-fetch", "default"): "fetch",
    ("cross-fetch", "default"): "fetch",
    ("cross-fetch", "fetch"): "fetch",
    ("undici", "fetch"): "fetch",
    ("undici", "request"): "fetch",
    ("axios",): "axios",
    ("axios", "default"): "axios",
    ("axios", "request"): "axios",
    ("axios", "default", "request"): "axios",
    ("ky", "default"): "fetch",
    ("got", "default"): "fetch",
    ("got", "got"): "fetch",
    ("$fetch",): "ofetch",
    ("ofetch", "ofetch"): "ofetch",
    ("ofetch", "$fetch"): "ofetch",
    ("urllib", "request", "urlopen"): "urllib",
    ("httpx", "request"): "python",
    ("httpx", "stream"): "python",
    ("requests", "request"): "python",
    ("aiohttp", "request"): "python",
}
#: The functions that send a request by themselves.
FUNCTION_NAMES = frozenset(way[-1] for way in _FUNCTIONS if way[-1] != "default") | {"axios", "ky", "got"}
_DIRECT = frozenset({"observable", "ofetch", "unknown"})

_BASES = ("base_url", "baseURL", "baseUrl", "prefixUrl", "prefix_url", "baseurl")
_QUERIES = ("params", "searchParams", "query")
_BODIES = ("json", "data", "body", "content", "form", "files")
# Receivers that have methods of these names and send nothing: routers of servers, caches.
_NO_CLIENT = re.compile(
    r"(?:app|router|route|routes|server|blueprint|bp|cache|redis|store|storage|map|env|environ|config)", re.IGNORECASE
)


# --- clients ------------------------------------------------------------------------------------------------------------


def client_by_type(way: tuple[str, ...]) -> Client | None:
    """The client that a type of a library stands for."""
    style = _TYPES.get(way) or (_CLIENTS.get(way) if way[-1][:1].isupper() else None)
    return Client(style) if style else None


def client_of(way: tuple[str, ...], given: Given) -> Client | None:
    """The client that is made by calling something of a library."""
    style = _CLIENTS.get(way)
    return _configured(Client(style), given) if style else None


def derived(client: Client, name: str, given: Given) -> Client | None:
    """The client that is made of another one: ``create``, ``extend``."""
    if name not in {"create", "extend"}:
        return None
    made = Client(client.style, client.base)
    made.headers.update(client.headers)
    made.params.update(client.params)
    return _configured(made, given)


def _configured(client: Client, given: Given) -> Client:
    options = _merged(given.keywords, *given.positional)
    for name, value in options.entries.items():
        configure(client, name, value)
    if client.style == "python" and given.positional:  # aiohttp's base comes first
        configure(client, "base_url", tuple(each for each in given.positional[0] if isinstance(each, Words)))
    return client


def configure(client: Client, name: str, value: Value) -> None:
    """Set an option of a client."""
    if name in _BASES:
        client.base = join(client.base, (each for each in value if isinstance(each, Words)))
    elif name in {"headers", "params", "searchParams"}:
        target = client.headers if name == "headers" else client.params
        for each in value:
            if isinstance(each, Record):
                target.update(each)
    elif name == "auth" and value != NOTHING:
        client.headers.put("Authorization", value, 0)


# --- requests -----------------------------------------------------------------------------------------------------------


def called(flow: Flow, way: tuple[str, ...], given: Given, scope: Scope) -> Value | None:
    """What comes of calling something of a module that is no file of ours; ``None`` if that sends no request."""
    style = _FUNCTIONS.get(way)
    if style is not None:
        return _request(flow, style, None, Client(style), given, scope)
    style = _MODULES.get(way[:-1])
    if style is not None and way[-1].lower() in VERBS:
        return _request(flow, style, way[-1].upper(), Client(style), given, scope)
    return None


def sent(flow: Flow, client: Client, name: str, given: Given, scope: Scope) -> Value | None:
    """What comes of a client's method; ``None`` if that sends no request."""
    if name.lower() in VERBS:
        return _request(flow, client.style, name.upper(), client, given, scope)
    if name in {"request", "stream", "__call__", "fetch"}:
        return _request(flow, client.style, None, client, given, scope)
    return None


def supposed(flow: Flow, receiver: s.Expr, name: str, given: Given, scope: Scope) -> Value | None:
    """A request that a client of which nothing is known seems to send, by the looks of its arguments."""
    if name.lower() not in VERBS or any(isinstance(each, Closure) for value in given.positional for each in value):
        return None
    label = receiver.id if isinstance(receiver, s.Name) else receiver.name if isinstance(receiver, s.Attr) else ""
    if _NO_CLIENT.fullmatch(label) or not any(_is_target(each) for each in given.first()):
        return None
    style = "openapi" if name.isupper() else "python" if scope.source.language == "python" else "axios"
    return _request(flow, style, name.upper(), Client("unknown"), given, scope, sure=False)


def _is_target(value: object) -> bool:
    if not isinstance(value, Words):
        return False
    parts = value.parts or ("",)
    first = parts[1] if isinstance(parts[0], Hole) and len(parts) > 1 else parts[0]
    return isinstance(first, str) and re.match(r"/[\w{]|https?://|/$", first) is not None


def _request(
    flow: Flow, style: str, method: str | None, client: Client, given: Given, scope: Scope, *, sure: bool = True
) -> Value:
    parts = _parts(style, method, given)
    call = HttpCall(given.node, scope.at(given.node), parts.method, target_of(client, parts.url), sure=sure)
    call.query.update(client.params)
    call.headers.update(client.headers)
    options = parts.options
    for name, value in options.entries.items():
        _option(flow, call, style, name, value, options.lines.get(name, given.node.line))
    if parts.body is not None:
        call.body = parts.body
    if options.open is not None or given.open:
        call.sends_unknown.append(Location(scope.file, "", options.open or given.node.line))
    flow.note_call(call)
    reply = Reply(call, client.style in _DIRECT or style in _DIRECT)
    if given.node.types:
        return moves.typed((reply,), View(given.node.types[0], scope))
    return (reply,)


class _Parts:
    """A request's parts as they are found among arguments."""

    def __init__(self, method: str | None, url: Value, options: Record, body: Value | None = None) -> None:
        self.method = method
        self.url = url
        self.options = options
        self.body = body


def _parts(style: str, method: str | None, given: Given) -> _Parts:
    rest = list(given.positional)
    keywords = given.keywords
    if style == "python":
        if method is None:
            method = _method(rest.pop(0) if rest else keywords.entries.get("method", ()))
        url = rest.pop(0) if rest else keywords.entries.get("url", ())
        body = None
        if rest and method.lower() in _BODIED if method else False:
            body = next((each for each in rest[:2] if each != NOTHING), None)
        options = Record()
        options.update(keywords)
        if rest and body is None:
            options.put("params", rest[0], given.node.line)
        return _Parts(method, url, options, body)
    if style == "urllib":
        options = Record()
        options.update(keywords)
        data = rest[1] if len(rest) > 1 else keywords.entries.get("data")
        return _Parts("POST" if data else "GET", given.first(), options, data)
    if style in {"axios", "observable"} and method is None:  # axios(config), axios(url, config)
        if rest and not any(isinstance(each, Words) for each in rest[0]):
            options = _merged(rest[0])
            return _Parts(_method(options.entries.get("method")), options.entries.get("url", ()), options)
        options = _merged(*rest[1:])
        return _Parts(_method(options.entries.get("method")), rest[0] if rest else (), options)
    url = rest.pop(0) if rest else ()
    body = None
    if style in {"axios", "observable"} and method is not None and method.lower() in _BODIED and rest:
        body = rest.pop(0)
        body = None if body == NOTHING else body
    options = _merged(*rest)
    if method is None:
        method = _method(options.entries.get("method"))
    return _Parts(method, url, options, body)


def _method(value: Value | None) -> str | None:
    """The method that a value names; GET where none is given, ``None`` where it is not known."""
    if value is None or value == NOTHING:
        return "GET"
    said = text_of(value)
    return said.upper() if said and said.isalpha() else None


def _merged(*values: Value | Record) -> Record:
    found = Record()
    for value in values:
        if isinstance(value, Record):
            found.update(value)
            continue
        if not value:
            found.open = found.open or 1
        for each in value:
            if isinstance(each, Record):
                found.update(each)
    return found


def _option(flow: Flow, call: HttpCall, style: str, name: str, value: Value, line: int) -> None:
    at = Location(call.at.file, "", line)
    if style == "openapi" and name == "params":
        for each in value:
            if isinstance(each, Record):
                for place, inner in each.entries.items():
                    if place in {"query", "header"}:
                        _fill(call, call.query if place == "query" else call.headers, inner, at)
    elif name in _QUERIES:
        _fill(call, call.query, value, at)
    elif name == "headers":
        _fill(call, call.headers, value, at)
    elif name in _BODIES:
        if value != NOTHING:
            call.body = join(call.body or (), value) if value else ()
    elif name == "auth" and value != NOTHING:
        call.headers.put("Authorization", value, line)
    elif name in _BASES and call.url:
        call.url = target_of(Client(style, value), call.url)


def _fill(call: HttpCall, target: Record, value: Value, at: Location) -> None:
    if not value:
        call.sends_unknown.append(at)
    for each in value:
        if isinstance(each, Record):
            target.update(each)
        elif not isinstance(each, Nothing):
            call.sends_unknown.append(at)


def target_of(client: Client, url: Value) -> Value:
    """A URL after the client's base."""
    bases = [each for each in client.base if isinstance(each, Words)][:2]
    found: list[Words] = []
    for each in url:
        if not isinstance(each, Words):
            continue
        first: str | Hole = each.parts[0] if each.parts else ""
        if not bases or (isinstance(first, str) and "://" in first):
            found.append(each)
            continue
        for base in bases:
            last: str | Hole = base.parts[-1] if base.parts else ""
            slash = () if (isinstance(last, str) and last.endswith("/")) or str(first).startswith("/") else ("/",)
            found.append(Words((*base.parts, *slash, *each.parts)))
    return tuple(dict.fromkeys(found))


# --- replies ------------------------------------------------------------------------------------------------------------


def generated(flow: Flow, names: tuple[str, ...], given: Given, scope: Scope, *, sure: bool) -> Value | None:
    """A call of a generated client: a function that is named after an operation's id."""
    known = (flow.operation_ids.get(plain(name)) for name in reversed(names))
    found = next((name for name in known if name is not None), None)
    if found is None:
        return None
    call = HttpCall(given.node, scope.at(given.node), None, words(""), operation=found, sure=sure)
    call.arguments = dict(given.keywords.entries)
    for value in given.positional:
        for each in value:
            if isinstance(each, Record):  # an object of parameters
                call.arguments.update(each.entries)
    if given.open or given.keywords.open:
        call.sends_unknown.append(call.at)
    flow.note_call(call)
    return (Reply(call, True),)


def plain(name: str) -> str:
    """A name without what languages spell differently, nor what generators add to it."""
    text = re.sub(r"(_with_http_info|_without_preload_content|_async|_sync|Raw|WithHttpInfo)$", "", name)
    return re.sub(r"[^0-9a-z]", "", text.lower())

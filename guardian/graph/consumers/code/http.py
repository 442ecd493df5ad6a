"""What HTTP libraries mean: which calls send a request, where its parts are in the arguments, what comes back.

A *style* is a way to be called. ``python``: httpx, requests, aiohttp and what takes after them; ``urllib``; ``axios``
(Angular's and Nest's clients too, which give the body itself: ``observable``); ``fetch``, with ky, got and undici;
``ofetch``, which gives the body itself; ``openapi``: openapi-fetch, which is called by templates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from guardian.graph.consumers.code import moves
from guardian.graph.consumers.code import syntax as s
from guardian.graph.consumers.code.libraries import CLIENTS, DIRECT, FUNCTIONS, MODULES, TYPES
from guardian.graph.consumers.code.values import (
    ANYTHING,
    NOTHING,
    Client,
    Closure,
    Given,
    Hole,
    HttpCall,
    Nothing,
    Prepared,
    Record,
    Reply,
    Scope,
    Value,
    View,
    Words,
    join,
    text_of,
)
from guardian.model import Location

if TYPE_CHECKING:
    from guardian.graph.consumers.code.flow import Flow

VERBS = frozenset({"get", "post", "put", "patch", "delete", "head", "options"})
_BODIED = frozenset({"post", "put", "patch"})
_SENDERS = frozenset({"request", "stream", "__call__", "fetch", "raw", "native"})


_REWRITING = frozenset({"transformResponse", "onResponse", "parseJson", "parseResponse"})
#: What a base is called, in front of a path.
BASE = re.compile(r"\w*(?:ur[il]|base|host|api|endpoint|server|origin)\w*", re.IGNORECASE)
_BASES = ("base_url", "baseURL", "baseUrl", "prefixUrl", "prefix_url", "baseurl")
_QUERIES = ("params", "searchParams", "query")
_BODIES = ("json", "data", "body", "content", "form", "files")
#: Functions of other files that are called with a path.
SENDING = re.compile(r"\w*(?:fetch|request|axios|http)(?:er|json|api|data|client)?", re.IGNORECASE)
# Receivers that have methods of these names and send nothing: routers of servers, caches.
_NO_CLIENT = re.compile(
    r"(?:app|router|route|routes|server|blueprint|bp|cache|redis|store|storage|map|env|environ|config)", re.IGNORECASE
)


_NOWHERE = s.Call(0, s.Opaque(0), ())

# --- clients ------------------------------------------------------------------------------------------------------------


def client_by_type(way: tuple[str, ...]) -> Client | None:
    """The client that a type of a library stands for."""
    style = TYPES.get(way) or (CLIENTS.get(way) if way[-1][:1].isupper() else None)
    return Client(style) if style else None


def client_of(way: tuple[str, ...], given: Given) -> Client | None:
    """The client that is made by calling something of a library."""
    style = CLIENTS.get(way)
    if not style:
        return None
    client = _configured(Client(style), given)
    for each in given.first():
        if isinstance(each, Client):  # openapi-react-query's is made of openapi-fetch's
            client = derived(each, "extend", Given([], Record(), False, given.node)) or client
    return client


def derived(client: Client, name: str, given: Given) -> Client | None:
    """The client that is made of another one: ``create``, ``extend``."""
    if name not in {"create", "extend"}:
        return None
    made = Client(client.style, client.base, sure=client.sure)
    made.interceptors.extend(client.interceptors)
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
    elif _rewrites(name, value):
        client.interceptors.append(ANYTHING)


# --- requests -----------------------------------------------------------------------------------------------------------


def called(flow: Flow, way: tuple[str, ...], given: Given, scope: Scope) -> Value | None:
    """What comes of calling something of a module that is no file of ours; ``None`` if that sends no request."""
    style = FUNCTIONS.get(way)
    if style is not None:
        found = request(flow, style, None, flow.shared_client(way[0], style), given, scope)
        return _prepared(found) if way[-1] == "Request" else found
    style = MODULES.get(way[:-1])
    if style is None:
        return None
    return sent(flow, flow.shared_client(way[0], style), way[-1], given, scope)


def module_client(flow: Flow, way: tuple[str, ...]) -> Client | None:
    """The client that all calls of a module's own functions share: ``axios`` itself."""
    style = MODULES.get(way)
    return flow.shared_client(way[0], style) if style is not None else None


def made(given: Given, scope: Scope) -> Client | None:
    """Something that is made with a base URL, of a library that is not known: it calls what is below that."""
    options = _merged(given.keywords, *given.positional)
    if not any(isinstance(each, Words) for name in _BASES for each in options.entries.get(name, ())):
        return None
    client = Client("python" if scope.source.language == "python" else "unknown", sure=False)
    for name, value in options.entries.items():
        configure(client, name, value)
    return client


def own_client(attributes: Mapping[str, Value]) -> Client | None:
    """What an instance of somebody else's class is, by the base URL that it has: a client, of a style that is not known."""
    options = Record()
    for name in _BASES:
        if any(isinstance(each, Words) for each in attributes.get(name, ())):
            options.put(name, attributes[name], 0)
    return _configured(Client("unknown", sure=False), Given([], options, False, _NOWHERE)) if options.entries else None


def sent(flow: Flow, client: Client, name: str, given: Given, scope: Scope) -> Value | None:
    """What comes of a client's method; ``None`` if that sends no request."""
    verb = name.removesuffix("Form") if client.style == "axios" else name  # axios.postForm
    if verb.lower() in VERBS:
        return request(flow, client.style, verb.upper(), client, given, scope)
    if name in _SENDERS:
        return request(flow, client.style, None, client, given, scope)
    if name == "build_request":
        return _prepared(request(flow, client.style, None, client, given, scope))
    if name in {"send", "prepare_request"}:
        built = [each for value in given.positional for each in value if isinstance(each, Prepared)]
        for each in built:
            each.reply.call.headers.update(client.headers)
            each.reply.call.query.update(client.params)
        return _dispatched(built) if name == "send" else tuple(built)
    return None


def _prepared(value: Value) -> Value:
    """A request that is built here and is yet to be sent."""
    built: list[Prepared] = []
    for each in value:
        if isinstance(each, Reply):
            each.call.unsent = True
            built.append(Prepared(each))
    return tuple(built)


def _dispatched(built: Iterable[Prepared]) -> Value:
    replies: list[Reply] = []
    for each in built:
        each.reply.call.unsent = False
        replies.append(each.reply)
    return tuple(replies)


def supposed(flow: Flow, receiver: s.Expr, name: str, given: Given, scope: Scope) -> Value | None:
    """A request that a client of which nothing is known seems to send, by the looks of its arguments."""
    if name.lower() not in VERBS or any(isinstance(each, Closure) for value in given.positional for each in value):
        return None
    label = receiver.id if isinstance(receiver, s.Name) else receiver.name if isinstance(receiver, s.Attr) else ""
    if _NO_CLIENT.fullmatch(label) or not any(_is_target(each) for each in given.first()):
        return None
    style = "openapi" if name.isupper() else "python" if scope.source.language == "python" else "axios"
    return request(flow, style, name.upper(), Client("unknown", sure=False), given, scope)


def supposed_function(flow: Flow, name: str, given: Given, scope: Scope) -> Value | None:
    """A request that a function of which nothing is known seems to send, by its name and arguments."""
    first = given.first()
    if any(isinstance(each, Closure) for value in given.positional for each in value):
        return None
    verb = text_of(first) or ""
    if verb.lower() in VERBS and len(given.positional) > 1 and any(map(_is_target, given.positional[1])):
        rest = given._replace(positional=given.positional[1:])
        found = request(flow, "unknown", verb.upper(), Client("unknown", sure=False), rest, scope)
        _doubt_arguments(found, given.positional[2:], scope.at(given.node))
        return found
    if not SENDING.fullmatch(name) or not any(map(_is_target, first)):
        return None
    if name.startswith("use"):  # a hook of somebody's, which gives an object around it
        return None
    return request(flow, "unknown", None, Client("unknown", sure=False), given, scope)


def _doubt_arguments(value: Value, arguments: list[Value], at: Location) -> None:
    """What else a function is given may be a body or options: which, is not known."""
    for each in value:
        if isinstance(each, Reply) and arguments:
            each.call.sends_unknown.append(at)


def unfollowed(flow: Flow, given: Given, scope: Scope) -> None:
    """A URL is given to something that is not known: if a service answers it, that may well be a call."""
    found = [
        each
        for value in (*given.positional, *_merged(given.keywords, *given.positional).entries.values())
        for each in value
        if isinstance(each, Words) and _is_whole(each)
    ]
    if found:
        call = HttpCall(given.node, scope.at(given.node), None, tuple(found), sure=False)
        flow.strays.append(call)


def _is_target(value: object) -> bool:
    if not isinstance(value, Words):
        return False
    parts = value.parts or ("",)
    first = parts[1] if isinstance(parts[0], Hole) and len(parts) > 1 else parts[0]
    return isinstance(first, str) and re.match(r"/[\w{]|https?://|/$", first) is not None


def _is_whole(url: Words) -> bool:
    """Whether a text is a URL with its host, or with what stands for that."""
    if any(isinstance(part, str) and "://" in part for part in url.parts):
        return True
    base, path = (*url.parts, "", "")[:2]
    return (
        isinstance(base, Hole) and bool(BASE.fullmatch(base.label)) and isinstance(path, str) and path.startswith("/")
    )


def request(flow: Flow, style: str, method: str | None, client: Client, given: Given, scope: Scope) -> Value:
    """What comes of a request; ``method`` is ``None`` where the arguments say it."""
    built = [each for each in given.first() if isinstance(each, Prepared)]
    if built:
        if len(given.positional) > 1:
            built[0].reply.call.sends_unknown.append(scope.at(given.node))
        return _dispatched(built)
    parts = _parts(style, method, given)
    call = HttpCall(given.node, scope.at(given.node), parts.method, target_of(client, parts.url), sure=client.sure)
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
    call.bare = client.style in DIRECT or style in DIRECT
    answer: Value = (Reply(call, call.bare),)
    if given.node.types:
        answer = moves.typed(answer, View(given.node.types[0], scope))
    client.sent.append(call)
    for each in client.interceptors:
        answer = flow.call_back(each, scope.at(given.node), answer) or answer
    return answer


def intercept(flow: Flow, client: Client, given: Given, at: Location) -> None:
    """What all responses of a client go through; of a call that was met before, it is not known what was made."""
    callback = given.first()
    options = [each for each in callback if isinstance(each, Record)]
    if callback == NOTHING or (options and not any("onResponse" in each.entries for each in options)):
        return  # only failures are looked at, or only requests
    client.interceptors.append(ANYTHING if options else callback)
    for call in client.sent:
        call.escapes.append(at)


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
        if len(rest) > 2 and any(
            isinstance(each, Record) for each in rest[2]
        ):  # Request's; urlopen has a timeout there
            options.put("headers", rest[2], given.node.line)
        usual = "POST" if data is not None and data != NOTHING else "GET"
        url = rest[0] if rest else keywords.entries.get("url", ())
        return _Parts(
            _method(keywords.entries["method"]) if "method" in keywords.entries else usual, url, options, data
        )
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
    elif _rewrites(name, value):
        call.escapes.append(at)
    elif name in _BASES and call.url:
        call.url = target_of(Client(style, value), call.url)


def _rewrites(name: str, value: Value) -> bool:
    """Whether an option changes what comes back before the caller has it."""
    if name == "hooks":  # ky's and got's: most are of the request
        return not value or any(not isinstance(each, Record) or "afterResponse" in each.entries for each in value)
    return name in _REWRITING


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
            parts = each.parts
            if isinstance(last, str) and last.endswith("/"):
                parts = (first.removeprefix("/"), *parts[1:]) if isinstance(first, str) and parts else parts
            elif not str(first).startswith("/"):
                parts = ("/", *parts)
            found.append(Words((*base.parts, *parts)))
    return tuple(dict.fromkeys(found))

"""What stands under a name: attributes and keys of everything that a variable may hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from guardian.graph.consumers.code import moves, types
from guardian.graph.consumers.code import syntax as s
from guardian.graph.consumers.code.values import (
    ANYTHING,
    NOTHING,
    ClassRef,
    Client,
    Closure,
    Data,
    Foreign,
    Given,
    Hole,
    Instance,
    KeysOf,
    Listing,
    Module,
    Prepared,
    Raw,
    Record,
    Reply,
    ReplyHeaders,
    Value,
    Words,
    join,
    texts_of,
    words_of,
)
from guardian.model import Location

if TYPE_CHECKING:
    from guardian.graph.consumers.code.flow import Flow

PLAIN_REPLY = words_of(
    """
    status status_code ok statusText reason url is_success is_error elapsed cookies request raise_for_status
    raiseForStatus close aclose config history encoding error response getcode code is_client_error
    is_server_error links release statusCode statusMessage redirected type bodyUsed http_version reason_phrase
    apparent_encoding charset content_type real_url is_redirect is_closed num_bytes_downloaded extensions
    isFromCache timings trailers
    """
)
#: What the body stands under; a generated client may give it itself, or a response around it.
ENVELOPES = words_of("data parsed body _data")


def attribute(flow: Flow, value: Value, name: str, at: Location) -> Value:
    """What ``value.name`` may be."""
    return join(*(attribute_of(flow, each, name, at) for each in value))


def attribute_of(flow: Flow, owner: object, name: str, at: Location) -> Value:
    match owner:
        case Data():
            kind = types.class_of(owner.view)
            found = types.method_of(kind, name) if kind is not None else None
            if found is not None:
                return _bound(flow, found, owner)
            return (moves.child(owner, name, at, loose=owner.call.operation is not None),)
        case Reply():
            return of_reply(flow, owner, name, at)
        case Raw():
            return (owner,)
        case ReplyHeaders():
            owner.call.read_headers.setdefault(name, at)
            return ANYTHING
        case Prepared() if name == "headers":
            return (owner.reply.call.headers,)
        case Record():
            return entry(flow, owner, name, at) if name != "common" else (owner,)
        case Client():
            if name in {"headers", "params"}:
                return (owner.headers if name == "headers" else owner.params,)
            return (owner,) if name in {"defaults", "axiosRef", "interceptors", "response"} else ANYTHING
        case Instance():
            if name in owner.attrs:
                return owner.attrs[name]
            found = types.method_of(owner.kind, name)
            return _bound(flow, found, owner) if found is not None else ANYTHING
        case ClassRef():
            found = types.method_of(owner, name)
            if found is not None:
                return (Closure(found[0], found[1].scope, owner, found[1]),)
            return flow.instance(owner).attrs.get(name, ANYTHING)
        case Module():
            return owner.scope.names.get(name, ANYTHING)
        case Foreign():
            return (Foreign((*owner.way, name)),)
        case Words() if name == "searchParams":
            queries = [part.query for part in owner.parts if isinstance(part, Hole) and part.query is not None]
            return (queries[-1],) if queries else ANYTHING
        case Words() if name == "href":
            return (owner,)
        case _:
            return ANYTHING


def _bound(flow: Flow, found: tuple[s.Function, ClassRef], this: Instance | Data) -> Value:
    function, owner = found
    closure = Closure(function, owner.scope, this, owner)
    if not function.getter:
        return (closure,)
    return flow.apply(closure, Given([], Record(), False, s.Call(function.line, s.Opaque(function.line), ())))


def of_reply(flow: Flow, reply: Reply, name: str, at: Location) -> Value:
    """What stands under a name of a response.

    Where it is none that responses have, the response is none: its body was taken out of it elsewhere.
    """
    body = moves.body(reply)
    found = _of_response(reply, name)
    if found is None:
        reply.call.bare = True
        return attribute_of(flow, body, name, at)
    if name in ENVELOPES and not reply.direct:
        return found
    if name in ENVELOPES and body.view is not None and not _has(body, name):
        return found
    field = moves.child(body, name, at, maybe=name not in ENVELOPES)
    return (field,) if name in ENVELOPES else join(found, (field,))


def _of_response(reply: Reply, name: str) -> Value | None:
    """What a response has under a name; ``None`` if that is no name of a response."""
    if name == "headers":
        return (ReplyHeaders(reply.call),)
    if name in {"text", "content"}:
        return (Raw(reply.call),)
    if name in ENVELOPES or name == "models.parsed":
        return (moves.body(reply),)
    return ANYTHING if name in PLAIN_REPLY else None


def _has(data: Data, name: str) -> bool:
    known = types.known(data.view)
    return known is not None and any(name in {member.name, member.wire} for member, _, _ in known.members)


def entry(flow: Flow, record: Record, name: str, at: Location) -> Value:
    """What stands under a key of an object that is built here."""
    said = [record.entries[each] for each in (name, "*") if each in record.entries]
    if record.spread and name not in record.over:
        said.append(pick(flow, record.spread, name, at))
    return join(*said) if said else ANYTHING if record.open else NOTHING


def pick(flow: Flow, value: Value, name: str | None, at: Location) -> Value:
    """What stands under a key; ``None`` for a key that is computed."""
    found: list[Value] = []
    for each in value:
        match each:
            case Data():
                found.append((moves.child(each, name, at),))
            case Reply():
                found.append(_picked(flow, each, name, at))
            case ReplyHeaders():
                if name is None:
                    moves.hand_on((each,), at)
                else:
                    each.call.read_headers.setdefault(name, at)
            case KeysOf():
                moves.hand_on((each,), at)
            case Record() if name is not None:
                found.append(entry(flow, each, name, at))
            case Record():
                found.append(join(*each.entries.values(), pick(flow, each.spread, None, at)))
            case Listing():
                found.append(each.any_item())
            case Client() | Instance() | Module() if name is not None:
                found.append(attribute_of(flow, each, name, at))
            case Instance():
                moves.hand_on((each,), at)
            case Raw():
                each.call.root.whole = each.call.root.whole or at
    return join(*found)


def look_up(flow: Flow, value: Value, key: Value, at: Location) -> Value:
    """What stands under a key that is one of some texts, or computed."""
    names: Sequence[str | None] = texts_of(key) or [None]
    return join(*(pick(flow, value, name, at) for name in names))


def _picked(flow: Flow, reply: Reply, name: str | None, at: Location) -> Value:
    """A key of a response: JavaScript takes attributes apart by the same words, Python's responses have no keys."""
    if name is not None and not at.file.endswith(".py"):
        return of_reply(flow, reply, name, at)
    reply.call.bare = True
    return (moves.child(moves.body(reply), name, at),)

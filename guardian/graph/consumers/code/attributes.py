"""What stands under a name: attributes and keys of everything that a variable may hold."""

from __future__ import annotations

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
    Listing,
    Module,
    Raw,
    Record,
    Reply,
    ReplyHeaders,
    Value,
    Words,
    join,
    words_of,
)
from guardian.model import Location

if TYPE_CHECKING:
    from guardian.graph.consumers.code.flow import Flow

PLAIN_REPLY = words_of(
    """
    status status_code ok statusText reason url is_success is_error elapsed cookies request raise_for_status
    raiseForStatus close aclose config history encoding error response getcode code is_client_error
    is_server_error links release statusCode
    """
)


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
        case Record():
            return entry(owner, name) if name != "common" else (owner,)
        case Client():
            if name in {"headers", "params"}:
                return (owner.headers if name == "headers" else owner.params,)
            return (owner,) if name in {"defaults", "axiosRef"} else ANYTHING
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
    if name == "headers":
        return (ReplyHeaders(reply.call),)
    if name in {"text", "content"}:
        return (Raw(reply.call),)
    if name in {"data", "models.parsed", "body"} and not (reply.direct and reply.call.operation is not None):
        return (moves.body(reply),)
    if name in PLAIN_REPLY:
        return ANYTHING
    if reply.direct:
        return attribute_of(flow, moves.body(reply), name, at)
    return ANYTHING


def entry(record: Record, name: str) -> Value:
    if name in record.entries:
        return record.entries[name]
    return record.entries.get("*", ANYTHING if record.open else NOTHING)


def pick(flow: Flow, value: Value, name: str | None, at: Location) -> Value:
    """What stands under a key; ``None`` for a key that is computed."""
    found: list[Value] = []
    for each in value:
        match each:
            case Data():
                found.append((moves.child(each, name, at),))
            case Reply() if name is not None:
                known = name in {"headers", "data", "body", "error", "response", "status", "ok", "models.parsed"}
                found.append(of_reply(flow, each, name, at) if known else (moves.child(moves.body(each), name, at),))
            case ReplyHeaders() if name is not None:
                each.call.read_headers.setdefault(name, at)
            case Record() if name is not None:
                found.append(entry(each, name))
            case Record():
                found.append(join(*each.entries.values()))
            case Listing():
                found.append(each.any_item())
            case Client() | Instance() | Module() if name is not None:
                found.append(attribute_of(flow, each, name, at))
            case Raw():
                each.call.root.whole = each.call.root.whole or at
    return join(*found)

"""Calls: of functions, classes and methods, of these files or of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardian.graph.consumers.code import attributes, functions, http, methods, models, moves, types
from guardian.graph.consumers.code import syntax as s
from guardian.graph.consumers.code.values import (
    ANYTHING,
    ClassRef,
    Client,
    Closure,
    Data,
    Foreign,
    Given,
    Instance,
    KeysOf,
    Listing,
    Nothing,
    Parser,
    Prepared,
    Raw,
    Record,
    Reply,
    ReplyHeaders,
    Scope,
    Spreading,
    Value,
    View,
    Words,
    join,
    text_of,
)

if TYPE_CHECKING:
    from guardian.graph.consumers.code.flow import Flow


def call(flow: Flow, node: s.Call, scope: Scope) -> Value:
    """What a call gives."""
    flow.count_call()
    func = node.func
    if isinstance(func, s.Attr) and not (isinstance(func.obj, s.Name) and func.obj.id == "super"):
        if isinstance(func.obj, s.Call) and isinstance(func.obj.func, s.Name) and func.obj.func.id == "super":
            base = flow.base_method(scope, func.name)
            given = flow.arguments(node, scope)
            return flow.apply(base, given) if base is not None else ANYTHING
        owners = flow.evaluate(func.obj, scope)
        given = flow.arguments(node, scope)
        if not owners:
            return _unknown(flow, func, given, scope)
        return join(*(_method(flow, owner, func, given, scope) for owner in owners))
    if isinstance(func, s.Name) and func.id == "super":
        base = flow.base_method(scope, "constructor")
        given = flow.arguments(node, scope)
        return flow.apply(base, given) if base is not None else ANYTHING
    callees = flow.evaluate(func, scope)
    given = flow.arguments(node, scope)
    if not callees:
        http.unfollowed(flow, given, scope)
        functions.hand_on_all(flow, given, scope.at(node))
    return join(*(_called(flow, callee, given, scope) for callee in callees))


def _called(flow: Flow, callee: object, given: Given, scope: Scope) -> Value:
    at = scope.at(given.node)
    match callee:
        case Closure():
            return flow.apply(callee, given)
        case ClassRef():
            return flow.construct(callee, given)
        case Foreign():
            return functions.foreign(flow, callee.way, given, scope)
        case Client():
            found = http.sent(flow, callee, "__call__", given, scope)
            return found if found is not None else ANYTHING
        case Spreading():
            return flow.call_back((callee,), at, *given.positional)
        case Instance():
            found_method = types.method_of(callee.kind, "__call__")
            if found_method is not None:
                return flow.apply(Closure(found_method[0], found_method[1].scope, callee, found_method[1]), given)
    functions.hand_on_all(flow, given, at)
    return ANYTHING


def _method(flow: Flow, owner: object, func: s.Attr, given: Given, scope: Scope) -> Value:
    name, at = func.name, scope.at(given.node)
    match owner:
        case Client():
            return _of_a_client(flow, owner, func, given, scope)
        case Reply():
            return methods.of_a_reply(flow, owner, name, given, scope)
        case ReplyHeaders():
            key = text_of(given.first())
            if key is not None:
                owner.call.read_headers.setdefault(key, at)
            else:
                moves.hand_on((owner,), at)
            return ANYTHING
        case KeysOf():
            if name in methods.ASKING and text_of(given.first()) is not None:
                moves.ask(owner.data, text_of(given.first()), at)
            else:
                moves.hand_on((owner,), at)
            return ANYTHING
        case Prepared():
            if name == "add_header" and len(given.positional) > 1:
                owner.reply.call.headers.put(text_of(given.first()) or "*", given.positional[1], given.node.line)
                return ANYTHING
            if name != "prepare":
                owner.reply.call.sends_unknown.append(at)
            return (owner,)
        case Data():
            return methods.of_data(flow, owner, name, given, scope)
        case Raw():
            if name not in methods.DECODING:  # it is searched, cut or read in a way of its own
                owner.call.escapes.append(at)
            return (owner,)
        case Record():
            return methods.of_a_record(flow, owner, name, given, at)
        case Listing():
            return methods.of_a_listing(flow, owner, name, given, scope)
        case Words():
            return methods.of_a_text(flow, owner, name, given, scope)
        case Foreign():
            return functions.foreign(flow, (*owner.way, name), given, scope, receiver=func.obj)
        case ClassRef() if name in models.PARSERS and types.method_of(owner, name) is None:
            return models.parse_as(flow, given, View(s.TypeName(func.line, owner.node.name), owner.scope), at)
        case Parser() if name in models.PARSERS:
            return models.parse_as(flow, given, owner.view, at)
        case Instance() if name in models.DUMPS and types.method_of(owner.kind, name) is None:
            return models.dumped(flow, owner)
        case Nothing():
            return ANYTHING
    callees = attributes.attribute_of(flow, owner, name, at)
    if isinstance(owner, Instance) and not callees:
        for base in types.foreign_bases(owner.kind):
            client = http.client_by_type(base.way)
            found = http.sent(flow, client, name, given, scope) if client is not None else None
            if found is not None:
                return found
        return _unknown(flow, func, given, scope)
    if not callees:
        functions.hand_on_all(flow, given, at)
    return join(*(_called(flow, callee, given, scope) for callee in callees))


def _of_a_client(flow: Flow, client: Client, func: s.Attr, given: Given, scope: Scope) -> Value:
    """A method of a client: a request, another client, or something that says nothing of requests."""
    name, at = func.name, scope.at(given.node)
    found = http.sent(flow, client, name, given, scope)
    if found is not None:
        return found
    made = http.derived(client, name, given)
    if made is not None:
        return (made,)
    of_responses = isinstance(func.obj, s.Attr) and func.obj.name == "response"
    if name == "use" and (of_responses or client.style == "openapi"):
        http.intercept(flow, client, given, at)
        return ANYTHING
    if name.startswith("__"):
        return (client,)
    if name not in {"close", "aclose", "mount", "use"}:
        return _unknown(flow, func, given, scope)
    return ANYTHING


def _unknown(flow: Flow, func: s.Attr, given: Given, scope: Scope) -> Value:
    """A method of something that nothing is known of."""
    found = http.supposed(flow, func.obj, func.name, given, scope)
    if found is not None:
        return found
    if len(http.plain(func.name)) > 5 and func.name.lower() != http.plain(func.name):
        found = http.generated(flow, (func.name,), given, scope, sure=False)
        if found is not None:
            return found
    label = func.obj.id if isinstance(func.obj, s.Name) else func.obj.name if isinstance(func.obj, s.Attr) else ""
    if not functions.LOGGING.fullmatch(label):
        http.unfollowed(flow, given, scope)
        functions.hand_on_all(flow, given, scope.at(given.node))
    return ANYTHING

"""Calls: of functions, classes and methods, of these files or of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardian.graph.consumers.code import attributes, functions, hooks, http, methods, models, moves, schemas, types
from guardian.graph.consumers.code import syntax as s
from guardian.graph.consumers.code.generated import plain
from guardian.graph.consumers.code.values import (
    ANYTHING,
    NOTHING,
    Atom,
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
    Setter,
    Shape,
    Spreading,
    Trigger,
    Value,
    View,
    Words,
    join,
    text_of,
)

if TYPE_CHECKING:
    from guardian.graph.consumers.code.flow import Flow

# What `with` calls.
_ENTERING = frozenset({"__enter__", "__aenter__"})


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
        if owners in (ANYTHING, NOTHING):  # what is nothing as yet is set where it is not seen
            return _unknown(flow, func, given, scope)
        return join(*(_method(flow, owner, func, given, scope) for owner in owners))
    if isinstance(func, s.Name) and func.id == "super":
        base = flow.base_method(scope, "constructor")
        given = flow.arguments(node, scope)
        return flow.apply(base, given) if base is not None else ANYTHING
    callees = flow.evaluate(func, scope)
    given = flow.arguments(node, scope)
    if not callees:
        name = func.id if isinstance(func, s.Name) else ""
        return functions.foreign(flow, (name,), given, scope) if name else functions.unseen(flow, given, scope)
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
        case Setter():
            hooks.put(flow, callee, given.first(), at)
            return ANYTHING
        case Trigger():
            return hooks.pull(flow, callee, given, at)
        case Spreading():
            return flow.call_back((callee,), at, *given.positional)
        case Instance():
            found_method = types.method_of(callee.kind, "__call__")
            if found_method is not None:
                return flow.apply(Closure(found_method[0], found_method[1].scope, callee, found_method[1]), given)
    functions.hand_on_all(flow, given, at)
    return ANYTHING


def _method(flow: Flow, owner: Atom, func: s.Attr, given: Given, scope: Scope) -> Value:
    name, at = func.name, scope.at(given.node)
    if name in _ENTERING and not (isinstance(owner, Instance) and types.method_of(owner.kind, name)):
        return owner.any_item() if isinstance(owner, Listing) else (owner,)  # a generator's: what it yields
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
        case Shape():
            return schemas.method(flow, owner, name, given, scope)
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
        client = http.own_client(owner.attrs) if next(types.foreign_bases(owner.kind), None) else None
        found = http.sent(flow, client, name, given, scope) if client is not None else None
        return found if found is not None else _unknown(flow, func, given, scope)
    if not callees:
        functions.hand_on_all(flow, given, at)
    return join(*(_called(flow, callee, given, scope) for callee in callees))


def _of_a_client(flow: Flow, client: Client, func: s.Attr, given: Given, scope: Scope) -> Value:
    """A method of a client: a request, another client, or something that says nothing of requests."""
    name, at = func.name, scope.at(given.node)
    found = hooks.queried(flow, client, name, given, scope)
    found = found if found is not None else http.sent(flow, client, name, given, scope)
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
    found = hooks.hook(flow, (func.name,), given, scope) if func.name in hooks.NOW else None
    found = found if found is not None else http.supposed(flow, func.obj, func.name, given, scope)
    if found is not None:
        return found
    if len(plain(func.name)) > 5 and func.name.lower() != plain(func.name):
        found = functions.named_after(flow, (func.name,), given, scope, sure=False)
        if found is not None:
            return found
    label = func.obj.id if isinstance(func.obj, s.Name) else func.obj.name if isinstance(func.obj, s.Attr) else ""
    if not functions.LOGGING.fullmatch(label):
        http.unfollowed(flow, given, scope)
        functions.hand_on_all(flow, given, scope.at(given.node))
    return ANYTHING

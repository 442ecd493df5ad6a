"""What an expression may be worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from guardian.graph.consumers.code import attributes, calls, moves
from guardian.graph.consumers.code import syntax as s
from guardian.graph.consumers.code.values import (
    ANYTHING,
    NOTHING,
    Data,
    Foreign,
    Given,
    Hole,
    Listing,
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

if TYPE_CHECKING:
    from guardian.graph.consumers.code.flow import Flow

_NAMELESS = frozenset({"None", "null", "undefined"})


def evaluate(flow: Flow, node: s.Expr, scope: Scope) -> Value:
    """What an expression may be."""
    match node:
        case s.Text():
            return words(node.value)
        case s.Number():
            return words(str(node.value)) if node.value is not None else ANYTHING
        case s.Name():
            return _name(flow, node, scope)
        case s.Template():
            return _template(flow, node, scope)
        case s.Attr():
            if isinstance(node.obj, s.Name) and node.obj.id == "super":
                base = flow.base_method(scope, node.name)
                return (base,) if base is not None else ANYTHING
            owners = evaluate(flow, node.obj, scope)
            if node.optional and owners == NOTHING:
                return NOTHING
            return attributes.attribute(flow, owners, node.name, scope.at(node))
        case s.Index():
            return _index(flow, node, scope)
        case s.Call():
            return calls.call(flow, node, scope)
        case s.Object():
            return (_record(flow, node, scope),)
        case s.Array():
            return (_listing(flow, node, scope),)
        case s.Function():
            return (flow._closure(node, scope),)
        case s.Each():
            return _each(flow, node, scope)
        case s.Either():
            for test in node.tests:
                evaluate(flow, test, scope)
            return join(*(evaluate(flow, each, scope) for each in node.options))
        case s.Typed():
            value, view = evaluate(flow, node.value, scope), View(node.type, scope)
            return moves.typed(value, view) if value else flow.instance_of(view)
        case s.Assigned():
            value = evaluate(flow, node.value, scope)
            flow.assign(node.target, value, scope, declares=False)
            return value
        case s.Default():
            return evaluate(flow, node.target, scope)
        case s.Opaque():
            for part in node.parts:
                value = evaluate(flow, part, scope)
                if node.passes:
                    moves.hand_on(value, scope.at(part))
            return ANYTHING


def _name(flow: Flow, node: s.Name, scope: Scope) -> Value:
    if node.id in _NAMELESS:
        return NOTHING
    found = scope.find(node.id)
    if found is not None:
        return found
    if node.id in {"this", "super"}:
        return (scope.this,) if scope.this is not None else ANYTHING
    return (Foreign((node.id,)),)


def _index(flow: Flow, node: s.Index, scope: Scope) -> Value:
    value = evaluate(flow, node.obj, scope)
    if node.key is None:
        return value
    if isinstance(node.key, s.Number):
        built = tuple(each for each in value if isinstance(each, Record))  # its keys may be numbers
        others = tuple(each for each in value if not isinstance(each, Record))
        at = scope.at(node)
        return join(moves.position(others, node.key.value, at), attributes.pick(flow, built, None, at))
    return attributes.look_up(flow, value, evaluate(flow, node.key, scope), scope.at(node))


def _template(flow: Flow, node: s.Template, scope: Scope) -> Value:
    values = [evaluate(flow, part, scope) for part in node.parts]
    lists = [each for value in values for each in value if isinstance(each, Listing)]
    if lists and not any(isinstance(each, Words) for value in values for each in value):
        exact = len(lists) == len(values) and all(each.exact for each in lists)
        return (Listing([item for each in lists for item in each.items], exact),)
    options: list[tuple[str | Hole, ...]] = [()]
    for part, value in zip(node.parts, values, strict=True):
        moves.hand_on(tuple(each for each in value if isinstance(each, Data | Reply)), scope.at(part))
        said = [each.parts for each in value if isinstance(each, Words)][:3]
        queries = [each for each in value if isinstance(each, Record)]
        ends: Sequence[tuple[str | Hole, ...]] = said or [(Hole(_label(part), queries[0] if queries else None),)]
        options = [(*start, *end) for start in options for end in ends][:6]
    return tuple(dict.fromkeys(Words(each) for each in options))


def _record(flow: Flow, node: s.Object, scope: Scope) -> Record:
    record = Record()
    for entry in node.entries:
        value = evaluate(flow, entry.value, scope)
        if entry.key is None:
            moves.spread(record, value, entry.line)
            continue
        name = text_of(evaluate(flow, entry.key, scope))
        record.put(name if name is not None else "*", value, entry.line)
    return record


def _listing(flow: Flow, node: s.Array, scope: Scope) -> Listing:
    listing = Listing(exact=True)
    for item in node.items:
        value = evaluate(flow, item.value, scope)
        if not item.spread:
            listing.items.append(value)
        elif len(value) == 1 and isinstance(value[0], Listing) and value[0].exact:
            listing.items += value[0].items
        else:
            listing.items.append(moves.items(value, scope.at(item)))
            listing.exact = False
    return listing


def _each(flow: Flow, node: s.Each, scope: Scope) -> Value:
    inner = Scope(scope.source, scope, this=scope.this, owner=scope.owner)
    for target, iterable in node.loops:
        flow.assign(target, moves.items(evaluate(flow, iterable, inner), inner.at(iterable)), inner)
    for condition in node.conditions:
        evaluate(flow, condition, inner)
    results = [evaluate(flow, each, inner) for each in node.results]
    if len(results) == 1:
        return (Listing(results),)
    record = Record()
    record.put("*", results[1], node.line)
    return (record,)


def arguments(flow: Flow, node: s.Call, scope: Scope) -> Given:
    """The arguments of a call, each looked at once."""
    positional: list[Value] = []
    keywords, more = Record(), False
    for arg in node.args:
        value = evaluate(flow, arg.value, scope)
        if arg.name == "**":
            moves.spread(keywords, value, arg.line)
        elif arg.spread:
            known = [each for each in value if isinstance(each, Listing)]
            positional += known[0].items if known else []
            more = more or not known
        elif arg.name is not None:
            keywords.put(arg.name, value, arg.line)
        else:
            positional.append(value)
    return Given(positional, keywords, more, node)


def _label(node: s.Expr) -> str:
    """What an unknown part of a text is called."""
    match node:
        case s.Name():
            return node.id
        case s.Attr():
            return node.name
        case s.Index(key=s.Text() as key):
            return key.value
        case s.Call():
            return _label(node.args[0].value) if node.args else _label(node.func)
        case s.Either() if node.options:
            return _label(node.options[0])
        case s.Typed():
            return _label(node.value)
        case _:
            return ""

"""Callbacks: what is called with what comes, when it comes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardian.graph.consumers.code import attributes, functions, hooks, moves
from guardian.graph.consumers.code import syntax as s
from guardian.graph.consumers.code.values import (
    ClassRef,
    Closure,
    Foreign,
    Getter,
    Given,
    Listing,
    Nothing,
    Record,
    Setter,
    Spreading,
    Trigger,
    Value,
    join,
)
from guardian.model import Location

if TYPE_CHECKING:
    from guardian.graph.consumers.code.flow import Flow


def call_back(flow: Flow, value: Value, at: Location, *arguments: Value) -> Value:
    """Call what was given as a callback; what is no function of these files is handed the arguments."""
    results: list[Value] = []
    unseen = not value
    call = s.Call(at.line or 0, s.Opaque(at.line or 0), ())
    for each in value:
        match each:
            case Closure():
                results.append(flow.apply(each, Given(list(arguments), Record(), False, call)))
            case ClassRef():
                results.append(flow.construct(each, Given(list(arguments[:1]), Record(), False, call)))
            case Setter() if arguments:
                hooks.put(flow, each, arguments[0], at)
            case Trigger():
                results.append(hooks.pull(flow, each, Given(list(arguments), Record(), False, call), at))
            case Getter() if arguments:
                found = [attributes.pick(flow, arguments[0], name, at) for name in each.names]
                results.append((Listing(found, exact=True),) if each.several else join(*found))
            case Spreading():
                items = [item for one in arguments[0] if isinstance(one, Listing) for item in one.items]
                results.append(flow.call_back(each.function, at, *items))
            case Foreign() if each.way[-1] in functions.CONVERTERS and arguments:
                results.append(arguments[0])
            case Nothing() | Record():  # none is given; options in its place
                continue
            case _:
                unseen = unseen or not functions.only_looks(each)
    if unseen:
        for argument in arguments:
            moves.hand_on(argument, at)
    return join(*results)

"""Messages read as classes, and instances written as messages: pydantic, dataclasses and what takes after them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardian.graph.consumers.code import moves, types
from guardian.graph.consumers.code import syntax as s
from guardian.graph.consumers.code.values import (
    ANYTHING,
    ClassRef,
    Data,
    Given,
    Instance,
    Listing,
    Raw,
    Record,
    Reply,
    Scope,
    Value,
    View,
    join,
    words_of,
)
from guardian.model import Location

if TYPE_CHECKING:
    from guardian.graph.consumers.code.flow import Flow

PARSERS = words_of(
    """
    model_validate parse_obj validate_python model_validate_json parse_raw from_dict from_json fromJSON load
    model_construct structure convert decode validate_json construct FromJSON parse_obj_as dacite
    """
)
DUMPS = words_of("asdict dict dump json model_dump model_dump_json toJSON to_dict")


def parsed(flow: Flow, kind: ClassRef, given: Given) -> Value | None:
    """``User(**data)``: data read as a class; ``None`` if it is made otherwise."""
    view = View(s.TypeName(kind.node.line, kind.node.name), kind.scope)
    spots = [each for each in given.keywords.spread if isinstance(each, Data | Reply)]
    return validated(tuple(spots), view, Location(kind.scope.file, "", given.node.line)) if spots else None


def parse_as(flow: Flow, given: Given, view: View, at: Location) -> Value:
    """Data read as a type."""
    value = join(*(each for each in given.positional if any(isinstance(one, Data | Raw | Reply) for one in each)))
    return validated(value, view, at)


def said_type(node: s.Call, scope: Scope) -> View:
    """The type among the arguments of a parser, which takes it before or after the data."""
    views = [View(each, scope) for each in node.types]
    return next((each for each in views if types.known(each) is not None), views[0])


def validated(value: Value, view: View, at: Location) -> Value:
    """Data that is checked to be of a type: all that must be there is read by that."""
    found: list[Value] = []
    for each in value:
        if isinstance(each, Raw | Reply):
            each = Data(each.call, each.call.root)
        if not isinstance(each, Data):
            found.append((each,))
            continue
        required = types.leaves(view, required=True)
        if required is None:  # nothing is known of the type
            moves.hand_on((each,), at)
        for path, place, hidden in required or ():
            moves.say(each.spot, path, place, hidden=hidden)
        found.append((Data(each.call, each.spot, types.settled(view)),))
    return join(*found)


def dumped(flow: Flow, instance: Instance) -> Value:
    """An instance as the object that it is sent as."""
    record = Record()
    view = View(s.TypeName(instance.kind.node.line, instance.kind.node.name), instance.kind.scope)
    known = types.known(view)
    for member, _, _ in known.members if known is not None else ():
        if member.name in instance.attrs:
            value = instance.attrs[member.name]
            record.put(member.wire, join(*((dumped(flow, each) if isinstance(each, Instance) else (each,)) for each in value)), member.line)  # fmt: skip
    if known is None:
        record.open = instance.kind.node.line
    return (record,)


def example(view: View | None, depth: int = 0) -> Value:
    """An object with everything that its type speaks of, as it may be sent."""
    known = types.known(view)
    if known is None or known.kind == "scalar" or depth > 4:
        return ANYTHING
    if known.kind == "list":
        return (Listing([example(known.item, depth + 1)]),)
    record = Record()
    if known.kind == "map":
        record.put("*", example(known.item, depth + 1), view.type.line if view is not None else 0)
    for member, inner, at in known.members:
        record.put(member.wire, example(inner, depth + 1), at.line or 0)
    return (record,)

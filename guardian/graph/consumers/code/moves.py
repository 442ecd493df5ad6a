"""How values move: items of lists, parts of messages, types that are said of them, and what is handed on unseen."""

from __future__ import annotations

from collections.abc import Iterable

from guardian.fieldpath import Wild
from guardian.graph.consumers.code import types
from guardian.graph.consumers.code.values import (
    ANYTHING,
    SOME,
    Asked,
    Client,
    Data,
    Given,
    Instance,
    KeysOf,
    Listing,
    Nothing,
    Prepared,
    Raw,
    Record,
    Reply,
    ReplyHeaders,
    Spot,
    Step,
    Value,
    View,
    Words,
    join,
)
from guardian.model import Location

# How many values are looked through to see whether arguments matter.
_LOOKED_AT = 50


def body(reply: Reply) -> Data:
    """The decoded body of a reply."""
    return Data(reply.call, reply.call.root, reply.view)


def items(value: Value, at: Location) -> Value:
    """What one item of a value may be."""
    found: list[Value] = []
    for each in value:
        if isinstance(each, Data):
            known = types.known(each.view)
            item = known.item if known is not None else None
            found.append((Data(each.call, each.spot.child(Wild.ITEM, at), item),))
        elif isinstance(each, Listing):
            found.append(each.any_item())
        elif isinstance(each, Reply):
            found.append(items((body(each),), at))
        elif isinstance(each, Record) and not at.file.endswith(
            ".py"
        ):  # a Map gives its entries, Python's dict its keys
            found.append((Listing([ANYTHING, each.values()]),))
        elif isinstance(each, KeysOf):
            each.data.spot.child(SOME, at)
        elif isinstance(each, Raw):
            each.call.root.whole = each.call.root.whole or at
    return join(*found)


def position(value: Value, index: int | None, at: Location) -> Value:
    """The item at an index that is written out."""
    found: list[Value] = []
    for each in value:
        if isinstance(each, Listing):
            fits = index is not None and index < len(each.items) and len(each.items) > 1
            found.append(each.items[index] if fits and index is not None else each.any_item())
        elif isinstance(each, Reply) and each.pair:
            found.append((Reply(each.call, each.direct, each.view),) if index == 0 else ANYTHING)
        else:
            found.append(items((each,), at))
    return join(*found)


def typed(value: Value, view: View | None) -> Value:
    """A value with what is said of its type."""
    if view is None or not any(isinstance(each, Data | Reply | Listing) for each in value):
        return value
    settled = types.settled(view)
    if settled is None:
        return value
    found: list[Value] = []
    for each in value:
        if isinstance(each, Data) and each.view is None:
            found.append((Data(each.call, each.spot, settled),))
        elif isinstance(each, Reply) and each.view is None and types.known(settled) is not None:
            found.append((Reply(each.call, each.direct, settled),))
        elif isinstance(each, Listing):
            known = types.known(settled)
            if known is not None and known.item is not None:
                each.items = [typed(item, known.item) for item in each.items]
            found.append((each,))
        else:
            found.append((each,))
    return join(*found)


def hand_on(value: Value, at: Location) -> None:
    """A value goes where it is not seen: all that is in it may be read there."""
    pending: list[object] = list(value)
    seen: set[int] = set()
    while pending:
        each = pending.pop(0)
        if id(each) in seen:
            continue
        seen.add(id(each))
        match each:
            case Data():
                _hand_on_data(each, at)
            case Reply():
                if not _hand_on_typed(body(each), at):
                    each.call.escapes.append(at)
            case Raw():
                each.call.root.whole = each.call.root.whole or at
            case ReplyHeaders():
                each.call.escapes.append(at)
            case KeysOf():
                each.data.spot.child(SOME, at)
            case Prepared():
                each.reply.call.unsent = False
                pending.append(each.reply)
            case Record():
                pending.extend(each.values())
            case Listing():
                pending.extend(atom for item in each.items for atom in item)
            case Instance():
                pending.extend(atom for attr in each.attrs.values() for atom in attr if not isinstance(atom, Instance))


def _hand_on_data(data: Data, at: Location) -> None:
    if _hand_on_typed(data, at):
        return
    if data.spot is data.call.root:
        data.call.escapes.append(at)
    else:
        data.spot.whole = data.spot.whole or at


def _hand_on_typed(data: Data, at: Location) -> bool:
    """What a type speaks of is what can be read where the data goes."""
    leaves = types.leaves(data.view)
    if leaves is None:
        return False
    for path, place, hidden in leaves:
        say(data.spot, path, place if place.file else at, hidden=hidden)
    return True


def say(spot: Spot, path: Iterable[Step], at: Location, *, hidden: bool) -> None:
    """A type speaks of what is at a path; ``hidden``: what in it is read is not known."""
    for step in path:
        spot = spot.child(step, at, loose=True)
    if hidden:
        spot.whole = spot.whole or at


def child(data: Data, name: str | None, at: Location, *, loose: bool = False, maybe: bool = False) -> Data:
    """The part of this name, or one of a name that is not known."""
    if name is None:
        known = types.known(data.view)
        return Data(data.call, data.spot.child(SOME, at), known.item if known is not None else None)
    known = types.known(data.view)
    for member, view, _ in known.members if known is not None else ():
        if name in {member.name, member.wire}:
            # Types spell names as code does, where something translates them that is not seen (alias generators).
            return Data(data.call, data.spot.child(member.wire, at, loose=True, maybe=maybe), view)
    item = known.item if known is not None and known.kind == "map" else None
    return Data(data.call, data.spot.child(name, at, loose=loose, maybe=maybe), item)


def ask(data: Data, name: str | None, at: Location) -> None:
    """Whether something is among an object's names or a list's items."""
    data.spot.child(Asked(name) if name is not None else SOME, at)


def spread(record: Record, value: Value, line: int) -> None:
    if not value:
        record.open = record.open or line
    for each in value:
        if isinstance(each, Record):
            record.update(each)
        elif not isinstance(each, Nothing | Words):
            record.open = record.open or line
            if isinstance(each, Data | Reply):
                record.spread = join(record.spread, (each,))
                record.over.clear()


def carries(given: Given) -> bool:
    """Whether there is anything among the arguments that is worth to be followed."""
    pending = [atom for value in (*given.positional, given.keywords.values()) for atom in value]
    for _ in range(_LOOKED_AT):
        if not pending:
            return False
        each = pending.pop()
        if isinstance(each, Data | Reply | ReplyHeaders | KeysOf | Prepared | Raw | Client):
            return True
        if isinstance(each, Record):
            pending.extend(each.values())
        elif isinstance(each, Listing):
            pending.extend(atom for value in each.items for atom in value)
    return True

"""What methods of messages, replies, texts and lists give."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from guardian.graph.consumers.code import attributes, functions, models, moves, types
from guardian.graph.consumers.code.values import (
    ANYTHING,
    NOTHING,
    Closure,
    Data,
    Foreign,
    Given,
    Hole,
    KeysOf,
    Listing,
    Operator,
    Raw,
    Record,
    Reply,
    Scope,
    Value,
    View,
    Words,
    join,
    text_of,
    texts_of,
    words_of,
)
from guardian.model import Location

if TYPE_CHECKING:
    from guardian.graph.consumers.code.flow import Flow

_TEXTS = words_of(
    """
    rstrip lstrip strip trim trimEnd trimStart replace replaceAll toString lower upper toLowerCase
    removeprefix removesuffix encode decode concat normalize toUpperCase valueOf
    """
)
_SAME = words_of(
    """
    filter sort toSorted slice reverse toReversed copy finally catch clone then
    __aenter__ __enter__ flat values result unwrap read asReadonly
    """
)
#: Whether something is among the names of an object or the items of a list.
ASKING = words_of("__contains__ hasOwnProperty propertyIsEnumerable has includes indexOf lastIndexOf index count")
_CHANGING = words_of("append push add unshift insert extend pop shift splice remove clear reverse sort")
# What changes a list, or looks at how many and which there are.
_PLAIN_LIST = words_of("clear remove delete keys size fill isdisjoint discard")
_PLAIN_RECORD = words_of("has hasOwnProperty __contains__ delete clear keys")
_MAPPING = words_of(
    """
    apply every filter find findIndex findLast flatMap forEach groupBy map reduce some sort then toSorted
    """
)
_ONE = words_of("at find findLast pop shift")
_RAW = words_of(
    """
    aiter_bytes aiter_lines aiter_text aread arrayBuffer blob bytes content formData getvalue iter_bytes
    iter_content iter_lines iter_text read text
    """
)
#: What leaves a body as it is, text or not.
DECODING = _RAW | _TEXTS | words_of("json getbuffer seek close tobytes strip splitlines")


def of_a_reply(flow: Flow, reply: Reply, name: str, given: Given, scope: Scope) -> Value:
    if name in _RAW or name in {"json", "raise_for_status"}:
        reply.call.opened = True
    if name == "json":
        body = moves.body(reply)
        if given.node.types:
            return moves.typed((body,), View(given.node.types[0], scope))
        return (body,)
    if name in _RAW:
        return (Raw(reply.call),)
    if name == "then":
        return flow.call_back(given.first(), scope.at(given.node), (reply,))
    if name in {"catch", "finally", "clone", "__aenter__", "__enter__", "unwrap", "result"}:
        return (reply,)
    if name in attributes.PLAIN_REPLY:
        return (reply,) if name == "raise_for_status" else ANYTHING
    if name in {"sync", "asyncio", "execute"}:
        return (reply,)
    if name == "pipe":
        return _piped(flow, (reply,), given, scope.at(given.node))
    if name == "subscribe":
        return flow.call_back(_observer(given), scope.at(given.node), (reply,))
    reply.call.bare = True  # no response has such a method: its body does
    return of_data(flow, moves.body(reply), name, given, scope)


def _observer(given: Given) -> Value:
    """``subscribe(f)``, ``subscribe({next: f})``."""
    first = given.first()
    return join(
        (each for each in first if not isinstance(each, Record)),
        *(each.entries.get("next", NOTHING) for each in first if isinstance(each, Record)),
    )


def _piped(flow: Flow, value: Value, given: Given, at: Location) -> Value:
    """What comes out of RxJS's operators."""
    for operator in given.positional:
        for each in operator:
            match each:
                case Operator():
                    result = flow.call_back(each.function, at, value)
                    value = result if each.name.lower().endswith("map") else value
                case Closure():
                    value = flow.call_back((each,), at, value)
                case Foreign() if each.way[0].startswith("rxjs"):  # it waits, repeats or gives up
                    continue
                case _:
                    moves.hand_on(value, at)
        if not operator:
            moves.hand_on(value, at)
    return value


def of_data(flow: Flow, data: Data, name: str, given: Given, scope: Scope) -> Value:
    at = scope.at(given.node)
    kind = types.class_of(data.view)
    found = types.method_of(kind, name) if kind is not None else None
    if found is not None:
        return flow.apply(Closure(found[0], found[1].scope, data, found[1]), given)
    if name in {"get", "pop", "setdefault"} and given.positional:
        return attributes.look_up(flow, (data,), given.first(), at)
    if name in {"items", "entries"}:
        return functions.builtin(flow, "entries", given._replace(positional=[(data,)]), scope)
    if name == "values":
        return (Listing([functions.values_of(flow, (data,), at)]),)
    if name == "keys":
        return (KeysOf(data),)
    if name == "raise_for_status":
        return ANYTHING
    if name in ASKING:
        keys: Sequence[str | None] = texts_of(given.first()) or [None]
        for key in keys:
            moves.ask(data, key, at)
        functions.hand_on_all(flow, given, at)
        return ANYTHING
    if name == "pipe":
        return _piped(flow, (data,), given, at)
    if name == "subscribe":
        return flow.call_back(_observer(given), at, (data,))
    if name in models.DUMPS or name == "json":
        return (data,)
    if name in _MAPPING:
        return _mapped(flow, data, name, given, at)
    if name in _ONE:
        return moves.items((data,), at)
    if name in _SAME:
        return (data,)
    # A text's or number's own method reads the field itself; of anything else, what it reads is not known.
    moves.hand_on((data,), at)
    functions.hand_on_all(flow, given, at)
    return ANYTHING


def _mapped(flow: Flow, data: Data, name: str, given: Given, at: Location) -> Value:
    whole = name == "then"
    item: Value = (data,) if whole else moves.items((data,), at)
    callback = given.first()
    if name == "reduce":
        start = given.positional[1] if len(given.positional) > 1 else ANYTHING
        return join(start, flow.call_back(callback, at, start, item))
    result = flow.call_back(callback, at, item, item if name in {"sort", "toSorted"} else ANYTHING)
    if whole:
        return result
    if name in {"map", "flatMap"}:
        return (Listing([moves.items(result, at) if name == "flatMap" else result]),)
    if name in _ONE:
        return item
    return (data,) if name in _SAME else ANYTHING


def of_a_record(flow: Flow, record: Record, name: str, given: Given, at: Location) -> Value:
    first = given.first()
    own = record.entries.get(name, ANYTHING)
    if any(isinstance(each, Closure) for each in own):  # an object of functions
        return join(*(flow.apply(each, given) for each in own if isinstance(each, Closure)))
    if name in {"append", "set", "setdefault", "add"} and given.positional:
        key = text_of(first)
        value = given.positional[1] if len(given.positional) > 1 else ANYTHING
        record.put(key if key is not None else "*", value, given.node.line)
        return (record,)
    if name == "update":
        for value in given.positional:
            moves.spread(record, value, given.node.line)
        record.update(given.keywords)
        return ANYTHING
    if name in {"get", "pop"}:
        key = text_of(first)
        return attributes.pick(flow, (record,), key, at)
    if name in {"items", "entries"}:
        return (Listing([(Listing([ANYTHING, functions.values_of(flow, (record,), at)]),)]),)
    if name == "values":
        return (Listing([functions.values_of(flow, (record,), at)]),)
    if name == "forEach":
        return flow.call_back(first, at, functions.values_of(flow, (record,), at))
    if name in {"copy", "toString", "then", "encode"} or name in models.DUMPS:
        return (record,)
    found = record.entries.get(name)
    if found is not None:
        return flow.call_back(found, at, *given.positional)
    if name not in _PLAIN_RECORD:
        moves.hand_on((record,), at)
        functions.hand_on_all(flow, given, at)
    return ANYTHING


def of_a_listing(flow: Flow, listing: Listing, name: str, given: Given, scope: Scope) -> Value:
    at = scope.at(given.node)
    if name in _CHANGING:
        listing.exact = listing.exact and not scope.branches and name in {"append", "push"}
    if name in {"append", "push", "add", "unshift", "insert"}:
        listing.items.extend(given.positional[1:] if name == "insert" else given.positional)
        return ANYTHING
    if name == "extend":
        listing.items.append(moves.items(given.first(), at))
        return ANYTHING
    if name in {"then", "subscribe"}:
        return flow.call_back(_observer(given), at, (listing,))
    if name == "pipe":
        return _piped(flow, (listing,), given, at)
    if name == "concat":
        return (Listing([*listing.items, *(moves.items(each, at) or each for each in given.positional)]),)
    if name == "join":
        separator = next((each for each in given.first() if isinstance(each, Words)), Words((",",)))
        return of_a_text(flow, separator, name, given._replace(positional=[(listing,)]), scope)
    item = listing.any_item()
    if name == "entries":
        return (Listing([(Listing([ANYTHING, item]),)]),)
    if name in _MAPPING:
        if name == "reduce":
            start = given.positional[1] if len(given.positional) > 1 else ANYTHING
            return join(start, flow.call_back(given.first(), at, start, item))
        result = flow.call_back(given.first(), at, item, item if name in {"sort", "toSorted"} else ANYTHING)
        if name in {"map", "flatMap"}:
            return (Listing([moves.items(result, at) if name == "flatMap" else result]),)
    if name in _ONE:
        return item
    if name in _SAME:
        return (listing,)
    if name not in _PLAIN_LIST and name not in ASKING:
        moves.hand_on((listing,), at)
        functions.hand_on_all(flow, given, at)
    return ANYTHING


def of_a_text(flow: Flow, text: Words, name: str, given: Given, scope: Scope) -> Value:
    if name == "format":
        filled: list[str | Hole] = []
        for part in text.parts:
            if isinstance(part, str):
                pieces = re.split(r"\{(\w*)[^{}]*\}", part)
                for index, piece in enumerate(pieces):
                    filled.append(Hole(piece) if index % 2 else piece)
            else:
                filled.append(part)
        functions.hand_on_all(flow, given, scope.at(given.node))
        return (Words(tuple(each for each in filled if each != "")),)
    if name == "concat":
        ends = [each.parts for value in given.positional for each in value if isinstance(each, Words)]
        return (Words((*text.parts, *(part for end in ends for part in end))),)
    if name == "join" and text_of((text,)) is not None:
        parts: list[str | Hole] = []
        for listing in (each for each in given.first() if isinstance(each, Listing)):
            if not listing.exact:  # how many there are, and so which path it is, is not known
                return ANYTHING
            for index, item in enumerate(listing.items):
                moves.hand_on(tuple(each for each in item if isinstance(each, Data | Reply)), scope.at(given.node))
                said = next((each.parts for each in item if isinstance(each, Words)), (Hole(),))
                parts += [*([text_of((text,)) or ""] if index else []), *said]
        return (Words(tuple(parts)),) if parts else ANYTHING
    if name not in _TEXTS and name not in ASKING:
        functions.hand_on_all(flow, given, scope.at(given.node))
    return (text,) if name in _TEXTS else ANYTHING

"""What methods of messages, replies, texts and lists give."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from guardian.graph.consumers.code import attributes, functions, models, moves, types
from guardian.graph.consumers.code.values import (
    ANYTHING,
    Closure,
    Data,
    Foreign,
    Given,
    Hole,
    Listing,
    Raw,
    Record,
    Reply,
    Scope,
    Value,
    View,
    Words,
    join,
    text_of,
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
    filter sort toSorted slice reverse toReversed copy subscribe finally pipe catch clone then entries
    __aenter__ __enter__ flat values result unwrap read asReadonly
    """
)
_MAPPING = words_of(
    """
    apply every filter find findIndex findLast flatMap forEach groupBy map reduce some sort subscribe then
    toSorted
    """
)
_ONE = words_of("at find findLast pop shift")
_RAW = words_of(
    """
    aiter_bytes aiter_lines aiter_text aread arrayBuffer blob bytes content formData getvalue iter_bytes
    iter_content iter_lines iter_text read text
    """
)


def of_a_reply(flow: Flow, reply: Reply, name: str, given: Given, scope: Scope) -> Value:
    if name == "json":
        body = moves.body(reply)
        if given.node.types:
            return moves.typed((body,), View(given.node.types[0], scope))
        return (body,)
    if name in _RAW:
        return (Raw(reply.call),)
    if name == "then":
        return flow.call_back(given.first(), given.node, (reply,))
    if name in {"catch", "finally", "clone", "__aenter__", "__enter__", "unwrap"}:
        return (reply,)
    if name in attributes.PLAIN_REPLY:
        return (reply,) if name == "raise_for_status" else ANYTHING
    if name in {"sync", "asyncio", "execute"}:
        return (reply,)
    if reply.direct:
        return of_data(flow, moves.body(reply), name, given, scope)
    return ANYTHING


def of_data(flow: Flow, data: Data, name: str, given: Given, scope: Scope) -> Value:
    at = scope.at(given.node)
    kind = types.class_of(data.view)
    found = types.method_of(kind, name) if kind is not None else None
    if found is not None:
        return flow.apply(Closure(found[0], found[1].scope, data, found[1]), given)
    if name in {"get", "pop", "setdefault"} and given.positional:
        return attributes.pick(flow, (data,), text_of(given.first()), at)
    if name in {"items", "entries"}:
        return functions.builtin(flow, "entries", given._replace(positional=[(data,)]), scope)
    if name == "values":
        return (Listing([functions.values_of(flow, (data,), at)]),)
    if name in {"keys", "raise_for_status"}:
        return ANYTHING
    if name in models.DUMPS or name == "json":
        return (data,)
    if name in _MAPPING:
        return _mapped(flow, data, name, given, at)
    if name in _ONE:
        return moves.items((data,), at)
    if name in _SAME:
        return (data,)
    return ANYTHING  # a text's or number's own method: the field itself is what is read


def _mapped(flow: Flow, data: Data, name: str, given: Given, at: Location) -> Value:
    whole = name in {"subscribe", "then"}
    item: Value = (data,) if whole else moves.items((data,), at)
    callback = given.first()
    if name == "subscribe":  # subscribe({next: ...})
        callback = join(callback, *(each.entries.get("next", ()) for each in callback if isinstance(each, Record)))
    if not any(isinstance(each, Closure | Foreign | Record) for each in callback):
        moves.hand_on(item, at)
    elif name == "reduce":
        start = given.positional[1] if len(given.positional) > 1 else ANYTHING
        return join(start, flow.call_back(callback, given.node, start, item))
    result = flow.call_back(callback, given.node, item, item if name in {"sort", "toSorted"} else ANYTHING)
    if whole:
        return result
    if name in {"map", "flatMap"}:
        return (Listing([moves.items(result, at) if name == "flatMap" else result]),)
    if name in _ONE:
        return item
    return (data,) if name in _SAME else ANYTHING


def of_a_record(flow: Flow, record: Record, name: str, given: Given, at: Location) -> Value:
    first = given.first()
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
        return attributes.entry(record, key) if key is not None else join(*record.entries.values())
    if name in {"items", "entries"}:
        return (Listing([(Listing([ANYTHING, join(*record.entries.values())]),)]),)
    if name == "values":
        return (Listing([join(*record.entries.values())]),)
    if name in {"copy", "toString", "then"} or name in models.DUMPS:
        return (record,)
    found = record.entries.get(name)
    if found is not None:
        return flow.call_back(found, given.node, *given.positional)
    return ANYTHING


def of_a_listing(flow: Flow, listing: Listing, name: str, given: Given, at: Location) -> Value:
    if name in {"append", "push", "add", "unshift", "insert"}:
        listing.items.extend(given.positional[1:] if name == "insert" else given.positional)
        return ANYTHING
    if name == "extend":
        listing.items.append(moves.items(given.first(), at))
        return ANYTHING
    item = listing.any_item()
    if name in _MAPPING:
        if name == "reduce":
            start = given.positional[1] if len(given.positional) > 1 else ANYTHING
            return join(start, flow.call_back(given.first(), given.node, start, item))
        result = flow.call_back(given.first(), given.node, item, item if name in {"sort", "toSorted"} else ANYTHING)
        if name == "then":
            return flow.call_back(given.first(), given.node, (listing,))
        if name in {"map", "flatMap"}:
            return (Listing([moves.items(result, at) if name == "flatMap" else result]),)
    if name in _ONE:
        return item
    return (listing,) if name in _SAME or name in {"concat", "filter"} else ANYTHING


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
            for index, item in enumerate(listing.items):
                said = next((each.parts for each in item if isinstance(each, Words)), (Hole(),))
                parts += [*([text_of((text,)) or ""] if index else []), *said]
        return (Words(tuple(parts)),) if parts else ANYTHING
    return (text,) if name in _TEXTS else ANYTHING

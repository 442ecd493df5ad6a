"""Functions that are in no file of the program: those that every program knows, and those that nothing is known of."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from guardian.fieldpath import Wild
from guardian.graph.consumers.code import http, models, moves, types
from guardian.graph.consumers.code import syntax as s
from guardian.graph.consumers.code.values import (
    ANYTHING,
    Client,
    Closure,
    Data,
    Foreign,
    Given,
    Hole,
    Instance,
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

CONVERTERS = words_of(
    """
    dict list tuple set frozenset sorted reversed iter next deepcopy copy structuredClone unref toRaw
    readonly firstValueFrom lastValueFrom from dumps loads load stringify parse urlencode URLSearchParams Headers
    FormData asdict to_jsonable_python jsonable_encoder quote quote_plus encodeURIComponent encodeURI str
    String Request freeze StringIO BytesIO DictReader islice chain cast wait_for shield use safe_load
    OrderedDict MappingProxyType rstrip
    """
)
_LOOKING = words_of(
    """
    len bool int float isinstance type hasattr print repr min max sum any all hash id round abs isArray
    Boolean Number parseInt parseFloat isNaN keys range format warn raise_for_status issubclass ValueError
    Error Date Intl log setTimeout
    """
)
LOGGING = re.compile(r"(?:_?log(?:ger|ging)?|console|warnings|structlog|assert|expect)", re.IGNORECASE)


def foreign(flow: Flow, way: tuple[str, ...], given: Given, scope: Scope) -> Value:
    """A calls.call of something that is no function of these files."""
    at, last = scope.at(given.node), way[-1]
    client = http.client_of(way, given)
    if client is not None:
        return (client,)
    found = http.called(flow, way, given, scope)
    if (found is None and len(way) > 1) or last[:1].islower():
        found = found if found is not None else http.generated(flow, way[-2:], given, scope, sure=len(way) > 1)
    if found is not None:
        return found
    if last == "require":
        return _required(flow, given, scope)
    if last == "URL":
        return _url(flow, given)
    if last == "urljoin" or way == ("path", "posix", "join"):
        parts = given.positional[:2]
        return http.target_of(Client("", parts[0]), parts[1]) if len(parts) == 2 else ANYTHING
    if last in {"gather", "all", "allSettled", "race"}:
        return _gathered(flow, given, scope) if last != "race" else given.first()
    if last in {"entries", "enumerate", "zip", "fromEntries", "values", "assign", "map", "filter"} or last in _LOOKING:
        return builtin(flow, last, given, scope)
    if last in models.PARSERS and given.node.types:
        return models.parse_as(flow, given, View(given.node.types[0], scope))
    if last in CONVERTERS:
        return _converted(flow, last, given, scope)
    if any(LOGGING.fullmatch(part) for part in way[:-1]) or way[0] == "expect":
        return ANYTHING
    if last in _LOOKING:
        return ANYTHING
    for value in given.positional:  # what a hook or a decorator is given to calls.call, it calls
        for each in value:
            if isinstance(each, Closure) and last in {"useCallback", "useMemo", "computed", "cache", "memo"}:
                return (each,) if last != "useMemo" else flow.call_back((each,), given.node)
    hand_on_all(flow, given, at)
    return (Foreign((*way, "()")),)


def _required(flow: Flow, given: Given, scope: Scope) -> Value:
    module = text_of(given.first())
    if module is None:
        return ANYTHING
    binding = s.Import(given.node.line, "?", module, None)
    names = Scope(scope.source)
    flow.execute((binding,), names)
    found = names.names.get("?", ANYTHING)
    # CommonJS hands out what ECMAScript calls the default export.
    return join(found, (Foreign((*each.way, "default")) for each in found if isinstance(each, Foreign)))


def _url(flow: Flow, given: Given) -> Value:
    path = given.first()
    base = given.positional[1] if len(given.positional) > 1 else ()
    found: list[Words] = []
    for each in http.target_of(Client("", base), path) or path:
        if isinstance(each, Words):
            found.append(Words((*each.parts, Hole("", Record()))))
    return tuple(found)


def _gathered(flow: Flow, given: Given, scope: Scope) -> Value:
    if len(given.positional) == 1 and any(isinstance(each, Listing) for each in given.first()):
        return given.first()
    return (Listing(list(given.positional)),)


def builtin(flow: Flow, name: str, given: Given, scope: Scope) -> Value:
    at, first = scope.at(given.node), given.first()
    if name == "entries":
        return (Listing([(Listing([ANYTHING, values_of(flow, first, at)]),)]),)
    if name == "values":
        return (Listing([values_of(flow, first, at)]),)
    if name == "enumerate":
        return (Listing([(Listing([ANYTHING, moves.items(first, at)]),)]),)
    if name == "zip":
        return (Listing([(Listing([moves.items(each, at) for each in given.positional]),)]),)
    if name == "assign":
        record = Record()
        for value in given.positional:
            moves.spread(record, value, given.node.line)
        return (record,)
    if name in {"map", "filter"} and len(given.positional) > 1:
        items = moves.items(given.positional[1], at)
        result = flow.call_back(first, given.node, items)
        return (Listing([result if name == "map" else items]),)
    for key in ("key", "default"):  # max(users, key=...)
        callback = given.keywords.entries.get(key)
        if callback is not None:
            flow.call_back(callback, given.node, moves.items(first, at))
    if name in {"min", "max"} and len(given.positional) == 1:
        return moves.items(first, at)
    return ANYTHING


def values_of(flow: Flow, value: Value, at: Location) -> Value:
    """What stands under any key."""
    found: list[Value] = []
    for each in value:
        if isinstance(each, Data):
            known = types.known(each.view)
            found.append((Data(each.call, each.spot.child(Wild.VALUE, at), known.item if known else None),))
        elif isinstance(each, Record):
            found.append(join(*each.entries.values()))
        else:
            found.append(moves.items((each,), at))
    return join(*found)


def _converted(flow: Flow, name: str, given: Given, scope: Scope) -> Value:
    at, first = scope.at(given.node), given.first()
    found: list[Value] = []
    if not given.positional and given.keywords.entries:
        return (given.keywords,)
    for each in first:
        match each:
            case Raw() | Reply() if name in {"loads", "load", "parse", "safe_load"}:
                found.append((Data(each.call, each.call.root),))
            case Raw() if name == "DictReader":
                found.append((Data(each.call, each.call.root),))
            case Words() if name in {"quote", "quote_plus", "encodeURIComponent"}:
                found.append((each,))
            case Record() if given.keywords.entries and name in {"dict", "OrderedDict"}:
                joined = Record()
                joined.update(each)
                joined.update(given.keywords)
                found.append((joined,))
            case Instance():
                found.append(models.dumped(flow, each))
            case _:
                found.append((each,))
    if name == "sorted" and "key" in given.keywords.entries:
        flow.call_back(given.keywords.entries.get("key", ()), given.node, moves.items(first, at))
    if name == "next":
        return moves.items(first, at)
    if name == "from" and len(given.positional) > 1:
        return (Listing([flow.call_back(given.positional[1], given.node, moves.items(first, at))]),)
    if not given.positional and name in {"FormData", "URLSearchParams", "Headers", "dict", "OrderedDict"}:
        return (Record(),)
    if not given.positional and name in {"list", "set", "tuple"}:
        return (Listing(),)
    return join(*found)


def hand_on_all(flow: Flow, given: Given, at: Location) -> None:
    for value in (*given.positional, *given.keywords.entries.values()):
        moves.hand_on(value, at)

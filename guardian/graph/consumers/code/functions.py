"""Functions that are in no file of the program: those that every program knows, and those that nothing is known of."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from guardian.fieldpath import Wild
from guardian.graph.consumers.code import attributes, endpoints, helpers, hooks, http, models, moves, schemas, types
from guardian.graph.consumers.code import syntax as s
from guardian.graph.consumers.code.generated import generated
from guardian.graph.consumers.code.values import (
    ANYTHING,
    Client,
    Closure,
    Data,
    Foreign,
    Given,
    Hole,
    Instance,
    KeysOf,
    Listing,
    Operator,
    Parser,
    Raw,
    Record,
    Reply,
    Scope,
    Spreading,
    Value,
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
_WAITING = frozenset({"gather", "all", "allSettled", "race", "forkJoin", "combineLatest"})
_BUILTINS = frozenset({"entries", "enumerate", "zip", "values", "assign", "map", "filter"})
#: Whether something has a name, and what stands under it.
_ASKED = frozenset({"hasOwn", "hasattr", "getattr"})
#: RxJS's, which call what they are given with each value.
_OPERATORS = frozenset({"map", "tap", "switchMap", "mergeMap", "concatMap", "exhaustMap", "filter", "find", "first"})
# Converters of names that much else has too: a store's `set`, a subject's `next`.
_EVERYDAY = words_of("list dict tuple set frozenset iter next copy from String str use cast chain load")
_KNOWN = re.compile(
    r"builtins|Object|Array|Number|Math|String|Promise|Reflect|React|copy|json|yaml|itertools|asyncio|typing|math"
    r"|collections|functools|default|_|lodash|Uint8Array|Buffer|window|globalThis|operator|orjson|pickle"
)
_FORMAT = re.compile(r"json|yaml|toml|csv|qs|query|date|url", re.IGNORECASE)
LOGGING = re.compile(r"(?:_?log(?:ger|ging)?|console|warnings|structlog|assert|expect)", re.IGNORECASE)


def foreign(flow: Flow, way: tuple[str, ...], given: Given, scope: Scope, *, receiver: s.Expr | None = None) -> Value:
    """A call of something that is no function of these files; ``receiver`` is what it is a method of."""
    at, last = scope.at(given.node), way[-1]
    client = http.client_of(way, given)
    if client is not None:
        return (client,)
    if way[-3:] == ("interceptors", "response", "use"):
        shared = http.module_client(flow, way[:-3])
        if shared is not None:
            http.intercept(flow, shared, given, at)
            return ANYTHING
    found = http.called(flow, way, given, scope)
    client = http.made(given, scope) if found is None else None
    if client is not None:
        return (client,)
    if (found is None and len(way) > 1) or last[:1].islower():
        found = found if found is not None else named_after(flow, way[-2:], given, scope, sure=len(way) > 1)
    if found is not None:
        return found
    if last == "require":
        return _required(flow, given, scope)
    if last == "URL":
        return _url(flow, given)
    if last == "urljoin" or way == ("path", "posix", "join"):
        parts = given.positional[:2]
        return http.target_of(Client("", parts[0]), parts[1]) if len(parts) == 2 else ANYTHING
    if last in _WAITING or way[-2:] == ("Promise", "any"):
        return _gathered(flow, last, given, at)
    if last in _ASKED and len(given.positional) > 1:
        return attributes.look_up(flow, given.first(), given.positional[1], at)
    if last == "spread" and len(given.positional) == 1:
        return (Spreading(given.first()),)
    if way in {("Map",), ("WeakMap",)} or last == "fromEntries":
        return (_from_pairs(given.first(), given.node.line, at),)
    if way == ("Set",):
        return given.first() if given.positional else (Listing(),)
    if len(given.positional) == 1 and way[0].startswith("rxjs") and last in _OPERATORS:
        return (Operator(last, given.first()),)
    several = last in {"map", "filter"} and any(isinstance(each, Closure) for each in given.first())  # an executor's
    if (last in _BUILTINS or last in _LOOKING) and (several or _is_known(way)):
        return builtin(flow, last, given, scope)
    built = schemas.maker(way, given, scope)
    if built is not None:
        return built
    hooked = hooks.hook(flow, way, given, scope)
    if hooked is None and last == "createApi":
        hooked = endpoints.api(flow, given, at)
    if hooked is not None:
        return hooked
    helped = helpers.helper(flow, way, given, at)
    if helped is not None:
        return helped
    if last in {"TypeAdapter", "Decoder"} and given.node.types:
        return (Parser(models.said_type(given.node, scope)),)
    if last in models.PARSERS and given.node.types:
        return models.parse_as(flow, given, models.said_type(given.node, scope), at)
    if last in CONVERTERS and (last not in _EVERYDAY or _is_known(way)):
        if last in {"parse", "load"} and not any(_FORMAT.search(part) for part in way[:-1]):
            hand_on_all(flow, given, at)  # it is checked there: what must be in it is not seen
        return _converted(flow, last, given, scope)
    if any(LOGGING.fullmatch(part) for part in way[:-1]) or way[0] == "expect":
        return ANYTHING
    for value in given.positional:  # what a hook or a decorator is given to calls.call, it calls
        for each in value:
            if isinstance(each, Closure) and last in {"useCallback", "useMemo", "computed", "cache", "memo"}:
                return (each,) if last != "useMemo" else flow.call_back((each,), at)
    if receiver is not None:
        found = http.supposed(flow, receiver, last, given, scope)
    else:
        found = http.supposed_function(flow, last, given, scope)
    if found is not None:
        return found
    unseen(flow, given, scope)
    return (Foreign((*way, "()")),)


def unseen(flow: Flow, given: Given, scope: Scope) -> Value:
    """A call of which nothing is known."""
    http.unfollowed(flow, given, scope)
    hand_on_all(flow, given, scope.at(given.node))
    return ANYTHING


def named_after(flow: Flow, names: tuple[str, ...], given: Given, scope: Scope, *, sure: bool) -> Value | None:
    """What a function of a generated client gives; ``None`` if it is none."""
    found = generated(flow, names, given, scope, sure=sure)
    if found is None:
        return None
    value, form = found
    if form == "options":
        return (hooks.described(value, given.node.line),)
    return hooks.result(value) if form == "hook" else value


def _is_known(way: tuple[str, ...]) -> bool:
    """Whether a name that much else has too is the one that every program knows."""
    return len(way) == 1 or ("()" not in way and _KNOWN.fullmatch(way[-2]) is not None)


def only_looks(value: object) -> bool:
    """Whether a function of others reads nothing of what it is given: it counts it, or logs it."""
    return isinstance(value, Foreign) and (
        (value.way[-1] in _LOOKING and _is_known(value.way)) or any(LOGGING.fullmatch(part) for part in value.way[:-1])
    )


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


def _gathered(flow: Flow, name: str, given: Given, at: Location) -> Value:
    """What is waited for together: all of it, the first of it, or how each of it ended."""
    together = given.first()
    if len(given.positional) != 1 or not any(isinstance(each, Listing | Record) for each in together):
        together = (Listing(list(given.positional)),)
    if name in {"race", "any"}:
        return moves.items(together, at)
    if name != "allSettled":
        return together
    ended = Listing()
    for item in (item for each in together if isinstance(each, Listing) for item in each.items):
        record = Record(open=at.line)
        record.put("value", item, at.line or 0)
        ended.items.append((record,))
    return (ended,)


def _from_pairs(value: Value, line: int, at: Location) -> Record:
    """An object out of its entries."""
    record = Record()
    for each in value:
        if isinstance(each, Record):
            record.update(each)
        elif isinstance(each, Listing):
            record.put("*", moves.position(each.any_item(), 1, at), line)
        else:
            moves.hand_on((each,), at)
    return record


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
    if name == "keys" and any(isinstance(each, Data) for each in first):
        return tuple(KeysOf(each) for each in first if isinstance(each, Data))
    if name == "sum":
        moves.hand_on(moves.items(first, at), at)
    if name in {"map", "filter"} and len(given.positional) > 1:
        callback, several = first, given.positional[1]
        if any(isinstance(each, Closure) for each in several):  # lodash
            callback, several = several, callback
        items = moves.items(several, at)
        result = flow.call_back(callback, at, items)
        return (Listing([result if name == "map" else items]),)
    if "key" in given.keywords.entries:  # max(users, key=...)
        flow.call_back(given.keywords.entries["key"], at, moves.items(first, at))
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
            found.append(join(*each.entries.values(), values_of(flow, each.spread, at)))
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
            case Listing() if name in {"dict", "OrderedDict"}:
                found.append((_from_pairs((each,), given.node.line, at),))
            case Instance():
                found.append(models.dumped(flow, each))
            case _:
                found.append((each,))
    if name == "sorted" and "key" in given.keywords.entries:
        flow.call_back(given.keywords.entries["key"], at, moves.items(first, at))
    if name == "next":
        return moves.items(first, at)
    if name == "from" and len(given.positional) > 1:
        return (Listing([flow.call_back(given.positional[1], at, moves.items(first, at))]),)
    if not given.positional and name in {"FormData", "URLSearchParams", "Headers", "dict", "OrderedDict"}:
        return (Record(),)
    if not given.positional and name in {"list", "set", "tuple"}:
        return (Listing(),)
    return join(*found)


def hand_on_all(flow: Flow, given: Given, at: Location) -> None:
    for value in (*given.positional, given.keywords.values()):
        moves.hand_on(value, at)

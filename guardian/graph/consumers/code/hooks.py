"""Hooks of React and what takes after it: state, queries and mutations, and the clients that are built on them.

A hook gives an object around what its function gets: ``data``, and functions that get it again. What a component keeps
in its state is set after it was run, so it is run once more with what was put there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardian.graph.consumers.code import http, moves
from guardian.graph.consumers.code import syntax as s
from guardian.graph.consumers.code.values import (
    ANYTHING,
    NOTHING,
    Client,
    Closure,
    Given,
    Listing,
    Nothing,
    Record,
    Reply,
    Scope,
    Setter,
    Trigger,
    Value,
    Words,
    join,
    text_of,
    words_of,
)
from guardian.model import Location

if TYPE_CHECKING:
    from guardian.graph.consumers.code.flow import Flow

_QUERIES = words_of("useQuery useSuspenseQuery createQuery injectQuery usePrefetchQuery")
_INFINITE = words_of("useInfiniteQuery useSuspenseInfiniteQuery createInfiniteQuery injectInfiniteQuery")
_MUTATIONS = words_of("useMutation createMutation injectMutation")
_SEVERAL = words_of("useQueries useSuspenseQueries createQueries")
_SWR = words_of("useSWR useSWRImmutable useSWRInfinite useSWRMutation")
_SAME = words_of("queryOptions infiniteQueryOptions mutationOptions")
#: Methods of a query client, which give what a query gets.
NOW = words_of("fetchQuery ensureQueryData prefetchQuery")
_AGAIN = words_of("mutate mutateAsync trigger refetch execute run")
_STATES = words_of("useState useSyncedState useSessionState")


class States:
    """What components keep: set at one place, read at another, which may have been run before."""

    def __init__(self) -> None:
        self._values: dict[s.Node, Value] = {}
        self._readers: dict[s.Node, dict[Closure, None]] = {}
        self._stale: dict[Closure, None] = {}
        self._again: set[s.Function] = set()

    def read(self, key: s.Node, reader: Closure | None) -> Value:
        """What was kept under a key so far; the reader is run again when more is."""
        if reader is not None:
            self._readers.setdefault(key, {})[reader] = None
        return self._values.get(key, ANYTHING)

    def keep(self, key: s.Node, value: Value) -> None:
        """Something is kept."""
        before = self._values.get(key, ANYTHING)
        self._values[key] = join(before, value)
        if self._values[key] != before:
            self._stale.update(self._readers.get(key, {}))

    def stale(self) -> list[Closure]:
        """Who read what was not kept yet, each function once."""
        found = [each for each in self._stale if each.function not in self._again]
        self._again.update(each.function for each in found)
        self._stale.clear()
        return found


def hook(flow: Flow, way: tuple[str, ...], given: Given, scope: Scope) -> Value | None:
    """What a hook gives; ``None`` if it is none that is known."""
    name, at = way[-1], scope.at(given.node)
    if way[0].partition("/")[0] == "swr" and name in {"default", "useSWR"}:
        name = {"infinite": "useSWRInfinite", "mutation": "useSWRMutation"}.get(way[0].rpartition("/")[2], "useSWR")
    if name in _STATES and len(given.positional) <= 1:
        start = flow.call_back(given.first(), at) if _is_function(given.first()) else given.first()
        kept = join(start, flow.states.read(given.node, flow.running))
        # What it is before anything is put there is seldom all that it may be.
        return (Listing([kept if kept != NOTHING else ANYTHING, (Setter(given.node),)], exact=True),)
    if name in {"useFetch", "useLazyFetch"} and (len(way) == 1 or way[0] in {"#imports", "#app"}):
        found = http.supposed_function(flow, "fetch", given, scope)
        return result(found, "vue") if found is not None else None
    if name in _SAME and given.positional:
        return given.first()
    if name in _MUTATIONS:
        options = _options(flow, given, "mutationFn", at)
        made = Trigger(given.node, options.entries.get("mutationFn", ()), after=options.entries.get("onSuccess", ()))
        return result(flow.states.read(given.node, flow.running), way[0], made)
    if name not in _QUERIES | _INFINITE | NOW | _SEVERAL:
        return _swr(flow, name, given, at) if name in _SWR and len(given.positional) > 1 else None
    options = _options(flow, given, "queryFn", at)
    if "queryFn" in options.entries:
        value = _asked(flow, options, at, pages=name in _INFINITE)
        return value if name in NOW else result(value, way[0])
    several = moves.items(options.entries.get("queries", ()), at)
    results = [result(_asked(flow, each, at), way[0]) for each in several if isinstance(each, Record)]
    return (Listing(results),) if results else None


def queried(flow: Flow, client: Client, name: str, given: Given, scope: Scope) -> Value | None:
    """``$api.useQuery("get", "/users/{id}", init, options)`` of openapi-react-query; ``None`` for any other method."""
    verb, rest = text_of(given.first()) or "", given.positional[1:]
    if client.style != "openapi" or verb.lower() not in http.VERBS:
        return None
    replies = http.request(flow, client.style, verb.upper(), client, given._replace(positional=rest[:2]), scope)
    value: Value = tuple(moves.body(each) for each in replies if isinstance(each, Reply))
    options = described(value, given.node.line)
    if name.endswith("Options"):
        return (options,)
    if "Mutation" in name:
        for each in replies:
            if isinstance(each, Reply):  # what is sent is told when it is called
                each.call.sends_unknown.append(scope.at(given.node))
        return result(value)
    return hook(flow, (name,), given._replace(positional=[(options,), *rest[2:]]), scope) or result(value)


def result(value: Value, module: str = "", trigger: Trigger | None = None) -> Value:
    """What a hook gives for a query or a mutation."""
    record = Record()
    boxed = value
    if "vue" in module or "angular" in module:
        box = Record()
        box.put("value", value, 0)
        boxed = (box,)
    record.put("data", boxed, 0)
    again = trigger or Trigger(None, ANYTHING, value)
    for name in sorted(_AGAIN):
        record.put(name, (again,), 0)
    return (record,)


def described(value: Value, line: int) -> Record:
    """The options of a query or a mutation that gets this."""
    record = Record()
    for name in ("queryFn", "mutationFn"):
        record.put(name, (Trigger(None, value=value),), line)
    return record


def pull(flow: Flow, trigger: Trigger, given: Given, at: Location) -> Value:
    """What a function of a hook gives: it gets what the hook is for, and tells whoever waits for that."""
    found = trigger.value
    if trigger.function:
        found = join(*(flow.apply(each, given) for each in trigger.function if isinstance(each, Closure)))
        others = tuple(each for each in trigger.function if not isinstance(each, Closure))
        found = join(found, flow.call_back(others, at, *given.positional)) if others else found
    if trigger.key is not None:
        flow.states.keep(trigger.key, found)
    waiting = [each.entries.get("onSuccess", ANYTHING) for value in given.positional for each in value if isinstance(each, Record)]  # fmt: skip
    for callback in (trigger.after, *waiting):
        if callback:
            flow.call_back(callback, at, found)
    flow.pulled.add(trigger)
    return found


def put(flow: Flow, setter: Setter, value: Value, at: Location) -> None:
    """A state is set, be it by a function of what it was."""
    made = [
        flow.call_back((each,), at, flow.states.read(setter.key, None)) for each in value if isinstance(each, Closure)
    ]
    flow.states.keep(setter.key, join((each for each in value if not isinstance(each, Closure | Nothing)), *made))


def _is_function(value: Value) -> bool:
    return any(isinstance(each, Closure) for each in value)


def _options(flow: Flow, given: Given, function: str, at: Location) -> Record:
    """The options of a hook: an object, a function that gives one, or a key, a function and an object.

    Args:
        flow: the program.
        given: the hook's arguments.
        function: what its function is called among options.
        at: where the hook is called.
    """
    found = Record()
    for index, value in enumerate(given.positional):
        for each in value:
            if isinstance(each, Record):
                found.update(each)
            elif isinstance(each, Closure) and index == 0 and function == "queryFn":
                found.update(join_records(flow.call_back((each,), at)))
            elif isinstance(each, Closure):
                found.put(function, (each,), given.node.line)
    return found


def join_records(value: Value) -> Record:
    """The entries of all objects that a value may be."""
    found = Record()
    for each in value:
        if isinstance(each, Record):
            found.update(each)
    return found


def _asked(flow: Flow, options: Record, at: Location, *, pages: bool = False) -> Value:
    """What a query gets, as its options have it."""
    value = flow.call_back(options.entries.get("queryFn", NOTHING), at, (Record(open=at.line),))
    if pages:
        page = Record()
        page.put("pages", (Listing([value]),), at.line or 0)
        for name in ("getNextPageParam", "getPreviousPageParam"):
            flow.call_back(options.entries.get(name, NOTHING), at, value)
        value = (page,)
    if "select" in options.entries:
        value = flow.call_back(options.entries["select"], at, value)
    flow.call_back(options.entries.get("onSuccess", NOTHING), at, value)
    return value


def _swr(flow: Flow, name: str, given: Given, at: Location) -> Value:
    """``useSWR(key, fetcher)``: the fetcher is given the key, which may come of a function."""
    key, fetcher = given.positional[0], given.positional[1]
    if _is_function(key):
        key = flow.call_back(key, at)
    key = tuple(each for each in key if isinstance(each, Words | Listing | Record))
    together = [each.items for each in key if isinstance(each, Listing)]
    several = together and any(isinstance(each, Closure) and len(each.function.params) > 1 for each in fetcher)
    value = flow.call_back(fetcher, at, *(together[0] if several else [key]))
    return result((Listing([value]),) if name == "useSWRInfinite" else value)

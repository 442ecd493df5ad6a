"""Helpers that read by names which are written out: lodash and what takes after it, Python's ``operator``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from guardian.graph.consumers.code import attributes, moves
from guardian.graph.consumers.code.values import (
    ANYTHING,
    Atom,
    Getter,
    Given,
    Listing,
    Record,
    Value,
    join,
    text_of,
    texts_of,
    words_of,
)
from guardian.model import Location

if TYPE_CHECKING:
    from guardian.graph.consumers.code.flow import Flow

_LODASH = re.compile(r"_|(?:lodash|underscore|radash|remeda|es-toolkit|ramda)(?:[-./].*)?")
_OPERATORS = words_of("itemgetter attrgetter")
#: They keep items, by what stands under a name in each.
_KEEPING = words_of(
    """
    filter reject sortBy orderBy uniqBy unionBy groupBy keyBy partition takeWhile dropWhile
    countBy sumBy meanBy some every forEach each
    """
)
_ONE = words_of("find findLast maxBy minBy first head last nth sample")
_PATH = re.compile(r"[^.\[\]'\"]+")


def helper(flow: Flow, way: tuple[str, ...], given: Given, at: Location) -> Value | None:
    """What a helper gives; ``None`` if it is none, or is called in a way that is not known."""
    name = way[-1]
    if name in _OPERATORS and way[0] in {"operator", name}:
        names = [texts_of(each) for each in given.positional]
        known = [text for each in names for text in each]
        return (Getter(tuple(known), several=len(known) > 1),) if all(names) else None
    if not _LODASH.fullmatch(way[0]) or not given.positional:
        return None
    if name == "default" and len(way) > 1:  # `import groupBy from "lodash/groupBy"`
        name = way[0].rpartition("/")[2].rpartition(".")[2]
    first, rest = given.first(), given.positional[1:]
    if name == "get" and rest:
        path = text_of(rest[0])
        return None if path is None else join(_at_path(flow, first, path, at), *rest[1:])
    if name == "pick" and rest:
        return _picked(flow, first, rest, at)
    if name not in _KEEPING | _ONE | {"map", "flatMap", "mapValues"}:
        return None
    items = moves.items(first, at)
    results = [flow.call_back(each, at, items) for each in map(_iteratee, rest)]
    if name in {"map", "flatMap"} and results:
        return (Listing([moves.items(results[0], at) if name == "flatMap" else results[0]]),)
    if name in _ONE:
        return items
    if name in {"groupBy", "keyBy"}:
        record = Record()
        record.put("*", (Listing([items]),) if name == "groupBy" else items, at.line or 0)
        return (record,)
    return (Listing([items]),) if name in _KEEPING else None


def _iteratee(value: Value) -> Value:
    """What is called with each item: the name of a field stands for a function that gives it, a list for several."""
    found: list[Atom] = []
    for each in value:
        names = texts_of((each,)) or (texts_of(each.any_item()) if isinstance(each, Listing) else [])
        if names:
            found.append(Getter(tuple(names)))
        elif isinstance(each, Listing):
            found += each.any_item()
        elif isinstance(each, Record):  # `{ status: "open" }`: items that have these
            found.append(Getter(tuple(each.entries)))
        else:
            found.append(each)
    return tuple(found)


def _at_path(flow: Flow, value: Value, path: str, at: Location) -> Value:
    for step in _PATH.findall(path):
        value = moves.position(value, int(step), at) if step.isdigit() else attributes.pick(flow, value, step, at)
    return value


def _picked(flow: Flow, value: Value, names: list[Value], at: Location) -> Value | None:
    record = Record()
    for each in names:
        lists = [one for one in each if isinstance(one, Listing)]
        said = texts_of(join(*(one.any_item() for one in lists)) if lists else each)
        if not said:
            return None
        for name in said:
            record.put(name, _at_path(flow, value, name, at), at.line or 0)
    return (record,) if record.entries else ANYTHING

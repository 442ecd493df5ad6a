"""Generated clients: functions and hooks that are named after an operation's id, in any spelling."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import TYPE_CHECKING

from guardian.graph.consumers.code.values import Given, HttpCall, Record, Reply, Scope, Value, words

if TYPE_CHECKING:
    from guardian.graph.consumers.code.flow import Flow

# Generated functions that give the body with the status and the headers.
_WITH_INFO = re.compile(r"_with_http_info$|WithHttpInfo$")
# `useGetUserById`, `useGetUserByIdSuspenseQuery`: orval, RTK Query, hey-api, kubb.
_HOOK = re.compile(r"use(?:Lazy)?([A-Z]\w*?)(?:Suspense)?(?:Infinite)?(?:Query|Mutation)?(?:State)?")
# `getUserByIdOptions`, `getGetUserByIdQueryOptions`: what hooks are given.
_OPTIONS = re.compile(r"(\w+?)(?:Suspense)?(?:Infinite)?(?:Query|Mutation)?Options")
_GIVEN = re.compile(r"get([A-Z]\w*?)(?:Suspense)?(?:Infinite)?(?:Query|Mutation)Options")


def plain(name: str) -> str:
    """A name without what languages spell differently, nor what generators add to it."""
    text = re.sub(rf"({_WITH_INFO.pattern}|_without_preload_content|_async|_sync|Raw)$", "", name)
    return re.sub(r"[^0-9a-z]", "", text.lower())


def operation_name(name: str, ids: Container[str]) -> tuple[str, str] | None:
    """The id that a function is named after, as `plain` has it, and what it is: ``call``, ``hook`` or ``options``."""
    if plain(name) in ids:
        return plain(name), "call"
    for form, pattern in (("hook", _HOOK), ("options", _OPTIONS), ("options", _GIVEN)):
        found = pattern.fullmatch(name)
        if found and plain(found[1]) in ids:
            return plain(found[1]), form
    return None


def generated(
    flow: Flow, names: tuple[str, ...], given: Given, scope: Scope, *, sure: bool
) -> tuple[Value, str] | None:
    """What a generated client's function gives, and what it is; ``None`` if it is none."""
    known = (operation_name(name, flow.operation_ids) for name in reversed(names))
    found = next((each for each in known if each is not None), None)
    if found is None:
        return None
    name, form = found
    call = HttpCall(given.node, scope.at(given.node), None, words(""), operation=flow.operation_ids[name], sure=sure)
    call.arguments = dict(given.keywords.entries)
    for value in given.positional:
        for each in value:
            if isinstance(each, Record):  # an object of parameters
                call.arguments.update(each.entries)
    if given.open or given.keywords.open:
        call.sends_unknown.append(call.at)
    flow.note_call(call)
    call.bare = True
    return (Reply(call, True, pair=any(_WITH_INFO.search(each) for each in names)),), form

"""Which operations of an API a patch touches: those that changed themselves, or that lead to a place that did.

A patched document shares with the one before it every value that the patch left alone. So what changed is found by
walking down both where they part, and who leads there by the references of the one before, which are gathered once for
all patches of it. References to other files, through each other, by anchors or to nothing are not gathered: there, and
for what stands elsewhere now, all that an operation leads to is compared.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, takewhile, zip_longest
from typing import Any
from urllib.parse import unquote

from guardian.errors import ReadError
from guardian.fixes.json_patch import equal, pointer
from guardian.graph.consumers.routes import Router
from guardian.spec.api import Api, Node
from guardian.spec.document import Document
from guardian.spec.normalise import read_anew
from guardian.spec.sameness import Sameness

# What of a document is not inherited by its operations: them themselves, what they refer to, and prose.
_OWN = frozenset(
    {"paths", "webhooks", "x-webhooks", "components", "definitions", "parameters", "responses", "info", "tags"}
)
_MISSING = object()


@dataclass(frozen=True, slots=True)
class Touched:
    """The names of operations that a patch touches; None is all of them, and what is said of the service itself."""

    names: frozenset[str] | None

    def holds(self, operation: str) -> bool:
        """Whether an operation, or one that it is a callback of, is touched."""
        return self.names is None or operation.rpartition(" of ")[2] in self.names

    def part(self, api: Api) -> Api:
        """An API with the touched operations alone."""
        if self.names is None:
            return api
        return api._replace(operations={name: api.operations[name] for name in api.operations if name in self.names})


class References:
    """Who leads where in an API's document, as far as its operations do.

    Args:
        api: the API before any patch.
    """

    def __init__(self, api: Api) -> None:
        self._api = api
        self._users = _users(api)
        self._places = sorted(self._users or ())
        self._families = _families(api.document)
        self._at: dict[str, set[str]] = defaultdict(set)  # the operations at, or in a path item at, a pointer
        for name, operation in api.operations.items():
            for node in (operation.node, operation.path_node):
                self._at[node.pointer].add(name)

    def touched(self, base: Router, patched: Api) -> Touched:
        """The operations that a patch changes; all of them where it changes what they inherit.

        Args:
            base: finds the operations of what both are compared with, which may have other names there.
            patched: the API after the patch.
        """
        api = self._api
        if not equal(_inherited(api), _inherited(patched)):
            return Touched(None)
        sameness = Sameness(api.document.documents, patched.document.documents)
        changed = self._changed(patched.document)

        def same(before: Node, after: Node) -> bool:
            if changed is None or before.pointer != after.pointer:
                return sameness.same(before, after)
            return before.pointer not in changed

        names = {
            name
            for name in (patched.operations if changed is None else read_anew(patched))
            if (before := api.operations.get(name)) is None
            or not (
                same(before.node, patched.operations[name].node)
                and same(before.path_node, patched.operations[name].path_node)
            )
        }
        for at in changed or ():
            names |= self._at.get(at, set())
        names |= api.operations.keys() - patched.operations.keys()
        return Touched(frozenset(names | {found.name for name in names if (found := base.find(name)) is not None}))

    def _changed(self, patched: Document) -> set[str] | None:
        """The pointers, among those that operations lead to, that say something else now; None if unknown."""
        document, users = self._api.document, self._users
        if users is None or patched.scoped or patched.dialect != document.dialect:
            return None
        places = set(changed_places(document.root, patched.root))
        above = {at[:end] for at in places for end in range(len(at) + 1) if at[end : end + 1] in ("", "/")}
        families = _families(patched)
        extended = {at for at in self._families.keys() | families.keys() if self._families.get(at) != families.get(at)}
        pending = [*((above | extended) & users.keys()), *(inside for at in places for inside in self._below(at))]
        found = set(pending)
        while pending:
            new = users[pending.pop()] - found
            found |= new
            pending += new
        return found

    def _below(self, at: str) -> Iterator[str]:
        """The pointers that operations lead to and that are below another one."""
        start = f"{at}/"
        places = islice(self._places, bisect_left(self._places, start), None)
        return takewhile(lambda each: each.startswith(start), places)


def changed_places(before: Any, after: Any, at: str = "") -> Iterator[str]:
    """The pointers of the smallest values that two documents do not have in common, in either of them."""
    if before is after or equal(before, after):
        return
    pairs: Iterator[tuple[str | int, Any, Any]]
    if isinstance(before, dict) and isinstance(after, dict):
        keys = (*before, *(key for key in after if key not in before))
        pairs = ((key, before.get(key, _MISSING), after.get(key, _MISSING)) for key in keys)
    elif isinstance(before, list) and isinstance(after, list):
        both = enumerate(zip_longest(before, after, fillvalue=_MISSING))
        pairs = ((index, one, other) for index, (one, other) in both)
    else:
        yield at
        return
    for step, one, other in pairs:
        if one is not other:
            yield from changed_places(one, other, at + pointer(step))


def _users(api: Api) -> dict[str, set[str]] | None:
    """By the pointer of each place that operations lead to, the places that refer to it; None where it takes more."""
    document = api.document
    if document.scoped:
        return None
    users: dict[str, set[str]] = defaultdict(set)
    pending = [node for each in api.operations.values() for node in (each.node, each.path_node)]
    seen = set[str]()
    while pending:
        node = pending.pop()
        if node.document is not document:
            return None
        if node.pointer in seen:
            continue
        seen.add(node.pointer)
        users[node.pointer]  # it is known, even if nothing refers to it
        try:
            targets = [_target(document, ref, node) for ref in document.refs_in(node.value)]
        except ReadError:
            return None
        family = document.families.get(node.pointer)
        for target in (*targets, *(family.members.values() if family is not None else ())):
            if target is None:
                return None
            users[target.pointer].add(node.pointer)
            pending.append(target)
    return dict(users)


def _target(document: Document, ref: str, at: Node) -> Node | None:
    """Where a reference leads; None if not straight to the place that its pointer names in the same document.

    A straight way is the same after a patch unless the place itself is gone.
    """
    node = document.documents.resolve(ref, at)
    return node if node.document is document and unquote(ref) == f"#{node.pointer}" else None


def _families(document: Document) -> dict[str, tuple[str, dict[str, tuple[str, str]]]]:
    """What extends components, by pointer."""
    return {
        at: (family.property, {value: node.key for value, node in family.members.items()})
        for at, family in document.families.items()
    }


def _inherited(api: Api) -> dict[str, Any]:
    return {name: value for name, value in api.document.root.items() if name not in _OWN}

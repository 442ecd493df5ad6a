"""Whether two places mean the same because their text is the same, and that of everything they refer to.

This is what lets a comparison cost as much as the change: equal values are found by comparison in C, and each pair of
places is looked at once. The answer "no" only means that a comparison must look; "yes" is a proof.
"""

from __future__ import annotations

import marshal
from collections import defaultdict
from typing import Any, TypeAlias

from guardian.errors import ReadError
from guardian.spec import dialects
from guardian.spec.api import Node
from guardian.spec.document import Document
from guardian.spec.pointers import step_into, steps_of
from guardian.spec.references import sites_in
from guardian.spec.refs import Documents

Pair: TypeAlias = tuple[tuple[str, str], tuple[str, str]]


_DYNAMIC = ("$dynamicRef", "$recursiveRef")
# Real documents have many of these that lead nowhere; without a target they are text and nothing more.
_OPTIONAL = ("mapping", "operationRef")


class Sameness:
    """Answers for one pair of APIs; remembers every pair of places it has seen.

    References by name rather than by ``$ref`` (security schemes, tags, ``operationId`` in links) and what an operation
    inherits from its path and document are not part of a node: compare those beside it.
    """

    def __init__(self, base: Documents, head: Documents) -> None:
        self._base = base
        self._head = head
        self._known: dict[Pair, bool] = {}
        self._equal_text: dict[tuple[str, str], bool] = {}
        self._ends: dict[tuple[str, str, str], tuple[Node, Node]] = {}  # (base's document, head's, reference)
        # By both documents the references that lead to the same: most of all that are met.
        self._settled: defaultdict[tuple[str, str], set[str]] = defaultdict(set)

    def same(self, base: Node, head: Node) -> bool:
        """Whether both values are equal and all references in them lead to places that are the same, transitively.

        Circles count as the same unless a difference is on them. A reference that cannot be resolved is never the
        same: whoever looks closer gets the error.
        """
        pair = (base.key, head.key)
        known = self._known.get(pair)
        if known is None:
            targets = self._targets(base, head)
            if targets:
                self._explore(pair, targets)
                known = self._known[pair]
            else:  # as for most pairs: they differ, or refer to nothing
                known = self._known[pair] = targets is not None
        return known

    def _explore(self, pair: Pair, targets: list[tuple[Node, Node]]) -> None:
        """Settle a pair that refers to others, and all that it reaches: each is visited once in the life of this object."""
        parents: dict[Pair, list[Pair]] = {pair: []}
        different: list[Pair] = []
        stack = [(pair, targets)]
        while stack:
            pair, targets = stack.pop()
            for one, other in targets:
                below = (one.key, other.key)
                known = self._known.get(below)
                if known is None and below not in parents:
                    further = self._targets(one, other)
                    if further:
                        parents[below] = []
                        stack.append((below, further))
                    else:
                        known = self._known[below] = further is not None
                if known is False:
                    different.append(pair)
                elif known is None:
                    parents[below].append(pair)
        while different:
            pair = different.pop()
            if self._known.get(pair) is None:
                self._known[pair] = False
                different.extend(parents[pair])
        for pair in parents:
            self._known.setdefault(pair, True)

    def _targets(self, base: Node, head: Node) -> list[tuple[Node, Node]] | None:
        """The pairs of places that two equal values refer to, as far as they must be looked at; None where the values differ
        or cannot be judged.
        """
        if not self._reads_alike(base.document, head.document):
            return None
        shared = base.value is head.value
        if not shared and not self._has_equal_text(base, head) and not equal(base.value, head.value):
            return None
        inherited = _inherited(base, head)
        if inherited is None:
            return None
        if not base.document.scoped and not head.document.scoped:
            try:
                return inherited + self._open_ends(base, head)
            except ReadError:
                pass  # which one, and does it matter?
        targets = inherited
        for keyword, ref, place in sites_in(base.value):
            if keyword in _DYNAMIC:  # where it leads depends on who refers to this place: text proves nothing
                return None
            one = _target(self._base, ref, base, place)
            other = _target(self._head, ref, head, place)
            if one is not None and other is not None:
                targets.append((one, other))
            elif keyword not in _OPTIONAL or one is not other:
                return None
        return targets

    def _open_ends(self, base: Node, head: Node) -> list[tuple[Node, Node]]:
        """Where the references in two equal values lead, in documents where it does not matter in which place they stand;
        without what is known to be the same.

        Raises:
            ReadError: one of them leads nowhere.
        """
        settled = self._settled[base.document.uri, head.document.uri]
        found: list[tuple[Node, Node]] = []
        for ref in base.document.refs_in(base.value):
            if ref in settled:
                continue
            one, other = self._both(ref, base, head)
            if self._known.get((one.key, other.key)):
                settled.add(ref)
            else:
                found.append((one, other))
        return found

    def _both(self, ref: str, base: Node, head: Node) -> tuple[Node, Node]:
        """Where a reference leads on both sides, in documents where it does not matter in which place it stands.

        Raises:
            ReadError: it leads nowhere on one side.
        """
        key = (base.document.uri, head.document.uri, ref)
        found = self._ends.get(key)
        if found is None:
            found = self._ends[key] = self._base.resolve(ref, base), self._head.resolve(ref, head)
        return found

    def _has_equal_text(self, base: Node, head: Node) -> bool:
        """Whether both are the same place of two files with the same bytes: most pairs of an unchanged file."""
        if base.pointer != head.pointer:
            return False
        key = (base.document.uri, head.document.uri)
        known = self._equal_text.get(key)
        if known is None:
            known = self._equal_text[key] = base.document.data == head.document.data
        return known and _is_raw(base) and _is_raw(head)

    @staticmethod
    def _reads_alike(base: Document, head: Document) -> bool:
        """Whether one text means the same in both dialects: not so from 3.0 to 3.1 (``nullable``, bounds)."""
        if base.dialect == head.dialect:
            return True
        one, other = dialects.DIALECTS[base.dialect], dialects.DIALECTS[head.dialect]
        return one.json_schema and other.json_schema


def _inherited(base: Node, head: Node) -> list[tuple[Node, Node]] | None:
    """What extends two components, in pairs: a message of a component may be one of these. None where they differ."""
    one, other = base.document.families.get(base.pointer), head.document.families.get(head.pointer)
    if one is None or other is None:
        return [] if one is other else None
    if one.property != other.property or one.members.keys() != other.members.keys():
        return None
    return [(each, other.members[value]) for value, each in one.members.items()]


def _target(documents: Documents, ref: str, node: Node, place: str) -> Node | None:
    """Where a reference in an object below ``node`` leads; None if it cannot be resolved."""
    try:
        return documents.resolve(ref, Node(node.document, node.pointer + place, None))
    except ReadError:
        return None


def _is_raw(node: Node) -> bool:
    """Whether a node's value is what stands there, rather than something put together by a reader."""
    value = node.document.root
    try:
        for step in steps_of(node.pointer):
            value = step_into(value, step)
    except LookupError:
        return False
    return value is node.value


def equal(base: Any, head: Any) -> bool:
    """Whether plain values are equal as JSON: ``1`` and ``1.0`` are, ``True`` and ``1`` are not.

    Values are those that ``text.load`` gives, which is to say not endlessly deep.
    """
    if base is head:
        return True
    if base != head:
        return False
    # Python holds True == 1. Equal serialisations settle almost every case in C; the rest is a different order of
    # keys or a different spelling of a number.
    if marshal.dumps(base, 2) == marshal.dumps(head, 2):
        return True
    stack = [(base, head)]
    while stack:
        one, other = stack.pop()
        if isinstance(one, bool) is not isinstance(other, bool):
            return False
        if isinstance(one, dict):
            stack.extend((value, other[key]) for key, value in one.items())
        elif isinstance(one, list):
            stack.extend(zip(one, other, strict=True))
    return True

"""The walk over pairs of schemas: breadth first, every pair once, never into what is the same.

What one pair of shapes has to say (``Local``) is computed once and remembered, whatever number of operations refer to
it; children are pairs again. A pair met a second time is assumed to be as judged where it was met first, which is the
coinductive reading of recursive schemas, and needs no recursion. Within one place each finding is told once, by its
shortest field path.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from guardian.errors import GuardianError, RuleError
from guardian.model import Direction, Effect
from guardian.rules.match import match
from guardian.rules.pairs import ATOM_PAIRS, AtomPair, Delta, SchemaRoot, UnionPair
from guardian.rules.registry import Rule, rules_for
from guardian.spec.api import Node, Schema
from guardian.spec.shape import Atom, Shaper

Same = Callable[[Node, Node], bool]
Step = str  # a property name, "[]" for an item, "*" for a map value

# How many pairs one question "what happened below?" may look at before the answer is "it changed".
RELATE_BUDGET = 2_000


@dataclass(frozen=True, slots=True)
class Child:
    step: Step
    literal: bool  # a property name, to be escaped; not "[]" or "*"
    base: Schema
    head: Schema


@dataclass(frozen=True, slots=True)
class Local:
    """What one pair of schemas says by itself, and the pairs below it."""

    deltas: tuple[tuple[Rule, Delta], ...]
    children: tuple[Child, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """One finding of a walk: the rule, what it says, and the way to it from the root."""

    rule: Rule
    delta: Delta
    path: tuple[Child, ...]
    base: Schema
    head: Schema
    root: SchemaRoot


_Key = tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...], Direction, bool]


class Walker:
    """Compares schemas of one base with schemas of one head.

    Args:
        same: says cheaply that two nodes mean the same because they are written the same.
    """

    def __init__(self, same: Same) -> None:
        self.base_shaper = Shaper()
        self.head_shaper = Shaper()
        self._same = same
        self._locals: dict[_Key, Local] = {}
        self._effects: dict[_Key, Effect | None] = {}
        self._busy: set[_Key] = set()

    def same(self, base: Schema, head: Schema) -> bool:
        """True if both are written the same; False says nothing."""
        return len(base.nodes) == len(head.nodes) and all(
            self._same(a, b) for a, b in zip(base.nodes, head.nodes, strict=True)
        )

    def walk(self, root: SchemaRoot) -> Iterator[Found]:
        """Everything that differs below a root, shortest paths first."""
        queue: deque[tuple[Schema, Schema, tuple[Child, ...]]] = deque([(root.base, root.head, ())])
        seen: set[object] = set()
        told: set[object] = set()
        while queue:
            base, head, path = queue.popleft()
            key = (base.key, head.key)
            if key in seen or self.same(base, head):
                continue
            seen.add(key)
            local = self.local(base, head, root.direction, root.text)
            for rule, delta in local.deltas:
                # The same words about the same place are one finding, whichever alternative they come from.
                where = tuple((child.step, child.literal) for child in path)
                identities = {(rule.id, where, delta.field, delta.message), (rule.id, *_ends(delta), delta.message)}
                if told.isdisjoint(identities):
                    told.update(identities)
                    yield Found(rule, delta, path, base, head, root)
            queue.extend((child.base, child.head, (*path, child)) for child in local.children)

    def reached(self) -> set[str]:
        """The names of the components that the walks came by, on either side."""
        return self.base_shaper.names() | self.head_shaper.names()

    def local(self, base: Schema, head: Schema, direction: Direction, text: bool) -> Local:
        """What this pair says by itself; remembered."""
        key = (base.key, head.key, direction, text)
        found = self._locals.get(key)
        if found is None:
            if key in self._busy:  # asked for while being answered: the coinductive assumption
                return Local((), ())
            self._busy.add(key)
            found = self._locals[key] = self._compare(base, head, direction, text)
            self._busy.discard(key)
        return found

    def relate(self, base: Schema, head: Schema, direction: Direction, text: bool = False) -> Effect | None:
        """What happened to the set of accepted values as a whole; ``None`` if nothing did."""
        key = (base.key, head.key, direction, text)
        if key not in self._effects:
            self._effects[key] = None  # assumed while it is being found out
            self._effects[key] = self._total([(base, head)], direction, text, ())
        return self._effects[key]

    def _total(
        self,
        start: list[tuple[Schema, Schema]],
        direction: Direction,
        text: bool,
        effects: tuple[Effect, ...],
    ) -> Effect | None:
        total: Effect | None = None
        for effect in effects:
            total = combine(total, effect)
        queue = deque(start)
        seen: set[object] = set()
        while queue and total is not Effect.CHANGED:
            base, head = queue.popleft()
            key = (base.key, head.key)
            if key in seen or self.same(base, head):
                continue
            seen.add(key)
            if len(seen) > RELATE_BUDGET:
                return Effect.CHANGED
            local = self.local(base, head, direction, text)
            for _, delta in local.deltas:
                total = combine(total, delta.effect)
            queue.extend((child.base, child.head) for child in local.children)
        return total

    def _compare(self, base: Schema, head: Schema, direction: Direction, text: bool) -> Local:
        left = self.base_shaper.shape(base, direction)
        right = self.head_shaper.shape(head, direction)

        def relate(a: Schema, b: Schema) -> Effect | None:
            return self.relate(a, b, direction, text)

        def relate_atoms(a: Atom, b: Atom) -> Effect | None:
            pair = ATOM_PAIRS[a.kind](a, b, direction, text, relate)
            below = [(child.base, child.head) for child in children_of(pair)]
            return self._total(below, direction, text, tuple(d.effect for _, d in _run(pair)))

        matching = match(left, right, relate_atoms)
        union = UnionPair(
            left, right, direction, text, matching.matched, matching.lost, matching.gained, base.node, head.node, relate
        )
        deltas = list(_run(union))
        children: dict[object, Child] = {}
        for a, b in matching.matched:
            pair = ATOM_PAIRS[a.kind](a, b, direction, text, relate)
            deltas.extend(_run(pair))
            for child in children_of(pair):
                children.setdefault((child.step, child.base.key, child.head.key), child)
        return Local(tuple(deltas), tuple(children.values()))


def _ends(delta: Delta) -> tuple[object, object]:
    return delta.base and delta.base.key, delta.head and delta.head.key


def _run(pair: Any) -> Iterator[tuple[Rule, Delta]]:
    for rule in rules_for(type(pair)):
        for delta in run_rule(rule, pair):
            yield rule, delta


def run_rule(rule: Rule, pair: Any) -> list[Delta]:
    """What one rule says of one pair.

    Raises:
        RuleError: the rule failed; never silently no finding.
    """
    try:
        return list(rule.check(pair))
    except GuardianError:
        raise
    except Exception as error:
        raise RuleError(f"rule {rule.id} failed: {type(error).__name__}: {error}") from error


def combine(total: Effect | None, effect: Effect) -> Effect | None:
    """Two effects on one set, together."""
    if effect is Effect.ANNOTATION or total is effect:
        return total
    return effect if total is None else Effect.CHANGED


def children_of(pair: AtomPair) -> Iterator[Child]:
    """The pairs of schemas below a pair of alternatives: properties, map values, items."""
    if pair.base.kind == "object":
        yield from _properties(pair.base, pair.head, pair.direction)
    elif pair.base.kind == "array":
        for index in range(max(len(pair.base.prefix), len(pair.head.prefix))):
            yield Child("[]", False, item_at(pair.base, index), item_at(pair.head, index))
        yield Child("[]", False, pair.base.items, pair.head.items)


def item_at(atom: Atom, index: int) -> Schema:
    """The schema of an array's item at an index."""
    return atom.prefix[index] if index < len(atom.prefix) else atom.items


def _properties(base: Atom, head: Atom, direction: Direction) -> Iterator[Child]:
    for name, schema in base.properties.items():
        if name in head.properties:
            yield Child(name, True, schema, head.properties[name])
        elif direction is Direction.REQUEST and head.additional is not None and head.additional.nodes:
            # What is no longer declared must now satisfy what head says of every other key.
            if name not in head.hidden:
                yield Child(name, True, schema, head.additional)
    if base.additional is not None and base.additional.nodes and direction is Direction.RESPONSE:
        for name, schema in head.properties.items():
            if name not in base.properties and name not in base.hidden:
                yield Child(name, True, base.additional, schema)
    if base.additional is not None and head.additional is not None and base.additional.nodes and head.additional.nodes:
        yield Child("*", False, base.additional, head.additional)
    for pattern, schema in base.pattern_properties.items():
        if pattern in head.pattern_properties:
            yield Child("*", False, schema, head.pattern_properties[pattern])
    for name, schema in base.dependent_schemas.items():
        if name in head.dependent_schemas:
            yield Child("", False, schema, head.dependent_schemas[name])

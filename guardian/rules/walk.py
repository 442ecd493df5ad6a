"""The walk over pairs of schemas: breadth first, every pair once, never into what is the same.

What one pair of shapes has to say (``Local``) is computed once and remembered, whatever number of operations refer to
it; children are pairs again. A pair met a second time is assumed to be as judged where it was met first, which is the
coinductive reading of recursive schemas, and needs no recursion. Within one place each finding is told once, by its
shortest field path.
"""

from __future__ import annotations

import marshal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, TypeVar

from guardian.errors import GuardianError, ReadError, RuleError
from guardian.model import Direction, Effect
from guardian.rules import plain
from guardian.rules.below import Ahead, Child, ahead, items_of, properties_of, subtypes_of, writing_below
from guardian.rules.by_tag import Selected, marked_child, marked_delta, selecting, settled
from guardian.rules.doubts import as_doubtful, as_settled, as_unsure
from guardian.rules.form_fields import Writing, is_octets, is_text
from guardian.rules.match import Matching, match, parted
from guardian.rules.other_ways import OtherWays, steps_of
from guardian.rules.pairs import ATOM_PAIRS, Delta, Relate, SchemaRoot, UnionPair, XmlPair
from guardian.rules.registry import Rule, rules_for
from guardian.spec import limits
from guardian.spec.api import Node, Schema
from guardian.spec.document import Document
from guardian.spec.dynamic import ELSEWHERE, is_guessed
from guardian.spec.objects import Properties
from guardian.spec.references import references_of
from guardian.spec.shape import Atom, Shape
from guardian.spec.shaper import Shaper

_T = TypeVar("_T")
Same = Callable[[Node, Node], bool]

# How many pairs one question "what happened below?" may look at before the answer is "it changed".
RELATE_BUDGET = 2_000


class Beside(NamedTuple):
    """What alternatives say that stand beside one that takes anything: to be told, and to decide nothing."""

    deltas: tuple[tuple[Rule, Delta], ...] = ()
    children: tuple[Child, ...] = ()


_NOTHING_BESIDE = Beside()


class Local(NamedTuple):
    """What one pair of schemas says by itself, and the pairs below it."""

    deltas: tuple[tuple[Rule, Delta], ...]
    children: tuple[Child, ...]
    # The alternatives that are matched objects; None where nobody has looked for them.
    objects: tuple[tuple[Atom, Atom], ...] | None = ()
    guessed: bool = False  # whether a dynamic reference that the standard does not decide led here
    beside: Beside = _NOTHING_BESIDE


class _Matched(NamedTuple):
    """What two shapes say, alternative by alternative, whatever refers to them."""

    matching: Matching
    deltas: tuple[tuple[Rule, Delta], ...]
    children: tuple[Child, ...]
    guessed: bool
    beside: Beside


class Found(NamedTuple):
    """One finding of a walk: the rule, what it says, and the shortest way to it from the root, with others if there are."""

    rule: Rule
    delta: Delta
    path: tuple[Child, ...]
    base: Schema
    head: Schema
    root: SchemaRoot
    also: tuple[tuple[Child, ...], ...] = ()


_Key = tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...], Direction, Writing]


def _never(base: Atom, head: Atom) -> None:
    return None


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
        self._matched: dict[
            tuple[int, int, Direction, Writing], _Matched
        ] = {}  # by identity: the shapers keep the shapes
        self._leads: dict[tuple[str, str, str], bool] = {}
        self._effects: dict[_Key, Effect | None] = {}
        self._busy: set[_Key] = set()
        self._relating: set[_Key] = set()
        #: Whether anything was assumed while it was being found out.
        self.assumed = False

    def same(self, base: Schema, head: Schema) -> bool:
        """True if both are written the same; False says nothing."""
        return len(base.nodes) == len(head.nodes) and all(
            self._same(a, b) for a, b in zip(base.nodes, head.nodes, strict=True)
        )

    @property
    def hangs_on_order(self) -> bool:
        """Whether what is remembered may hang on what was asked first."""
        return self.assumed or self.base_shaper.cut or self.head_shaper.cut

    def walk(self, root: SchemaRoot) -> list[Found]:
        """Everything that differs below a root, shortest paths first; what several paths lead to once.

        Last comes what stands beside an alternative that takes anything.
        """
        sure: deque[Ahead] = deque([(root.base, root.head, (), root.writing)])
        unsure: deque[Ahead] = deque()
        found: list[Found] = []
        ways: list[tuple[Child, ...]] = []
        seen: set[object] = set()
        told: set[object] = set()

        def tell(deltas: Iterable[tuple[Rule, Delta]], path: tuple[Child, ...], base: Schema, head: Schema) -> None:
            where = steps_of(path)
            for rule, delta in deltas:
                if root.doubt:
                    delta = as_doubtful(delta, root.direction, root.doubt)
                # The same words about the same place are one finding, whichever alternative they come from.
                identities = {(rule.id, where, delta.field, delta.message), (rule.id, *_ends(delta), delta.message)}
                if told.isdisjoint(identities):
                    told.update(identities)
                    found.append(Found(rule, delta, path, base, head, root))

        first_unsure: tuple[int, int] | None = None  # among what is found, and among the ways
        aside_of_tags: list[Ahead] = []
        aside: list[tuple[Beside, tuple[Child, ...], Schema, Schema, Writing]] = []
        while sure or aside or unsure:
            if not sure and first_unsure is None:
                first_unsure = len(found), len(ways)
            if not sure and aside:
                for beside, path, base, head, writing in aside:
                    tell(
                        ((rule, as_doubtful(delta, root.direction)) for rule, delta in beside.deltas), path, base, head
                    )
                    unsure.extend(ahead(beside.children, path, writing))
                aside.clear()
                continue
            is_sure = bool(sure)
            queue = sure if is_sure else unsure
            base, head, path, writing = queue.popleft()
            key = (base.key, head.key, writing)
            if key in seen:
                ways.append(path)
                continue
            if self.same(base, head):
                continue
            seen.add(key)
            ways.append(path)
            if root.is_one_text and not path:
                local = self._compare(base, head, root.direction, writing, one_text=True)
            else:
                local = self.local(base, head, root.direction, writing)
            deltas: Iterable[tuple[Rule, Delta]] = local.deltas
            if root.xml:
                deltas = [*deltas, *self._in_xml(local, base, head, root)]
            if local.guessed:
                deltas = [(rule, as_unsure(delta)) for rule, delta in deltas]
            if not is_sure:
                deltas = [(rule, as_doubtful(delta, root.direction)) for rule, delta in deltas]
            tell(deltas, path, base, head)
            queue.extend(ahead((each for each in local.children if not each.settled), path, writing))
            aside_of_tags.extend(ahead((each for each in local.children if each.settled), path, writing))
            if local.beside is not _NOTHING_BESIDE:
                aside.append((local.beside, path, base, head, writing))
        if found and len(ways) > 1:
            certain, trodden = first_unsure or (len(found), len(ways))
            others = OtherWays(root, ways[:trodden])
            for index, each in enumerate(found[:certain]):
                also = [
                    way
                    for way in others.of(each.path)
                    if (each.rule.id, steps_of(way), each.delta.field, each.delta.message) not in told
                ]
                if also:
                    found[index] = each._replace(also=tuple(also))
        for base, head, path, writing in aside_of_tags:
            deltas = self.local(base, head, root.direction, writing).deltas
            tell(((rule, as_settled(delta)) for rule, delta in deltas), path, base, head)
        return found

    def local(self, base: Schema, head: Schema, direction: Direction, writing: Writing) -> Local:
        """What this pair says by itself; remembered."""
        key = (base.key, head.key, direction, writing)
        found = self._locals.get(key)
        if found is None:
            if key in self._busy:  # asked for while being answered: the coinductive assumption
                self.assumed = True
                return Local((), ())
            self._busy.add(key)
            found = self._locals[key] = self._compare(base, head, direction, writing)
            self._busy.discard(key)
        return found

    def relate(self, base: Schema, head: Schema, direction: Direction, writing: Writing = None) -> Effect | None:
        """What happened to the set of accepted values as a whole; ``None`` if nothing did."""
        key = (base.key, head.key, direction, writing)
        if key in self._relating:  # as above
            self.assumed = True
            return None
        if key not in self._effects:
            self._relating.add(key)
            self._effects[key] = self._total([(base, head, writing)], direction)
            self._relating.discard(key)
        return self._effects[key]

    def _total(
        self,
        start: Iterable[tuple[Schema, Schema, Writing]],
        direction: Direction,
        effects: Iterable[Effect] = (),
    ) -> Effect | None:
        """All effects together, with those below; nobody looks any further once it is ``CHANGED``."""
        total: Effect | None = None
        for effect in effects:
            total = combine(total, effect)
            if total is Effect.CHANGED:
                return total
        queue: deque[tuple[Schema, Schema, Writing]] = deque()
        seen: set[object] = set()
        for base, head, writing in chain(start, _drained(queue)):
            key = (base.key, head.key, writing)
            if key in seen or self.same(base, head):
                continue
            seen.add(key)
            if len(seen) > RELATE_BUDGET:
                return Effect.CHANGED
            local = self.local(base, head, direction, writing)
            for _, delta in local.deltas:
                total = combine(total, delta.effect)
            if total is Effect.CHANGED:
                return total
            queue.extend(
                (child.base, child.head, writing_below(child, writing)) for child in local.children if not child.settled
            )
        return total

    def _compare(
        self, base: Schema, head: Schema, direction: Direction, writing: Writing, *, one_text: bool = False
    ) -> Local:
        below = self._below(base, head)
        return self._look_closer(base, head, direction, writing, one_text) if below is None else Local((), below, None)

    def _below(self, base: Schema, head: Schema) -> tuple[Child, ...] | None:
        """What is below two schemas that say the same of themselves as they are written; None if it takes a closer look."""
        places = plain.differ_below(base, head)
        if places is None:
            return None
        one, other = places
        if one.value["type"] == "array":
            children = [Child("[]", False, limits.child(one, "items"), limits.child(other, "items"))]
        else:
            before, after = one.value["properties"], other.value["properties"]
            children = [
                Child(name, True, limits.child(one, "properties", name), limits.child(other, "properties", name))
                for name in before
                if not self._means_same(before[name], after[name], one, other)
            ]
            flags = chain(
                (self.base_shaper.flags(each.base) for each in children),
                (self.head_shaper.flags(each.head) for each in children),
            )
            if any(each != (None, None) for each in flags):
                return None  # not every message carries what is readOnly or writeOnly
        return tuple(children)

    def _look_closer(
        self, base: Schema, head: Schema, direction: Direction, writing: Writing, one_text: bool = False
    ) -> Local:
        left = self.base_shaper.shape(base, direction)
        right = self.head_shaper.shape(head, direction)

        def relate(a: Schema, b: Schema) -> Effect | None:
            return self.relate(a, b, direction, writing)

        # Whatever refers to the same two components has the same two shapes.
        key = (id(left), id(right), direction, writing)
        found = self._matched.get(key)
        if found is None:
            found = self._match(left, right, direction, writing, relate)
            if len(self._busy) == 1:  # else it may hang on what is assumed of something that is being answered
                self._matched[key] = found
        matching, children = found.matching, found.children
        union = UnionPair(
            left, right, direction, is_text(writing), matching.matched, matching.lost, matching.gained, base.node,
            head.node, relate, one_text, is_octets(writing),
        )  # fmt: skip
        if left.subtypes is not None and right.subtypes is not None:
            children = (*children, *subtypes_of(base, head))
        objects = tuple(pair for pair in matching.matched if pair[0].kind == "object")
        return Local((*said_of(union), *found.deltas), children, objects, found.guessed, found.beside)

    def _match(self, left: Shape, right: Shape, direction: Direction, writing: Writing, relate: Relate) -> _Matched:
        text = is_text(writing)

        def relate_atoms(a: Atom, b: Atom) -> Effect | None:
            pair = ATOM_PAIRS[a.kind](a, b, direction, text, relate, probing=True)
            effects = (delta.effect for _, delta in said_of(pair))
            below = ((child.base, child.head, writing_below(child, writing)) for child in self._children(a, b))
            return self._total(below, direction, effects)

        matching = match(left, right, relate_atoms, relate)
        of_base, of_head = (partial(each.shape, direction=direction) for each in (self.base_shaper, self.head_shaper))

        def selected(a: Atom, b: Atom) -> Selected | None:
            if direction is Direction.REQUEST:
                return selecting(left, right, a, b, of_base)
            return selecting(left, right, b, a, of_head)

        def settling(a: Atom, b: Atom) -> str | None:
            return settled(left, right, a, b, of_base, of_head)

        deltas, children = self._said(
            matching.matched, direction, text, relate, selected, settling, parted(left, right, matching)
        )
        beside = _NOTHING_BESIDE
        if matching.beside:
            beside = Beside(*self._said(matching.beside, direction, text, relate))
        guessed = any(is_guessed(node) for atom in (*left.atoms, *right.atoms) for node in atom.nodes)
        return _Matched(matching, deltas, children, guessed, beside)

    def _said(
        self,
        pairs: Iterable[tuple[Atom, Atom]],
        direction: Direction,
        text: bool,
        relate: Relate,
        selected: Callable[[Atom, Atom], Selected | None] = _never,
        settling: Callable[[Atom, Atom], str | None] = _never,
        others: tuple[tuple[Atom, ...], tuple[Atom, ...]] = ((), ()),
    ) -> tuple[tuple[tuple[Rule, Delta], ...], tuple[Child, ...]]:
        """What pairs of alternatives say, and the pairs of schemas below them, each once."""
        deltas: list[tuple[Rule, Delta]] = []
        children: dict[object, Child] = {}
        for a, b in pairs:
            if a.free and b.free:
                continue  # neither side says anything of values of this kind
            by, sure = selected(a, b), settling(a, b)
            found = said_of(ATOM_PAIRS[a.kind](a, b, direction, text, relate, others=others))
            deltas.extend((rule, marked_delta(delta, by)) for rule, delta in found)
            for child in self._children(a, b):
                made = marked_child(child, by)
                if sure is not None and child.literal and child.step == sure:
                    made = made._replace(settled=True)
                children.setdefault((child.step, child.base.key, child.head.key, made.settled), made)
        return tuple(deltas), tuple(children.values())

    def _in_xml(self, local: Local, base: Schema, head: Schema, root: SchemaRoot) -> Iterator[tuple[Rule, Delta]]:
        if local.objects is None:
            key = (base.key, head.key, root.direction, None)  # what travels as XML is no form
            local = self._locals[key] = self._look_closer(base, head, root.direction, None)
        for one, other in local.objects or ():
            yield from said_of(XmlPair(one, other, root.direction))

    # -- what is below ---------------------------------------------------------------------------------------------

    def _children(self, base: Atom, head: Atom) -> Iterator[Child]:
        """The pairs of schemas below a pair of alternatives: properties, map values, items."""
        if base.kind == "object":
            yield from properties_of(base, head, self._alike(base, head))
        elif base.kind == "array":
            yield from items_of(base, head)

    def _alike(self, base: Atom, head: Atom) -> Callable[[str], bool]:
        """Says which properties surely mean the same: written the same, with references that lead to what is the same.

        Most properties of most objects, found without a closer look.
        """
        ours, theirs = base.properties, head.properties
        if not isinstance(ours, Properties) or not isinstance(theirs, Properties):
            return _no
        if not ours.written or not theirs.written:
            return _no
        mine, other, at, head_at = ours.written, theirs.written, ours.node, theirs.node
        if at.document.dialect != head_at.document.dialect:
            return _no

        def alike(name: str) -> bool:
            return name in mine and name in other and self._means_same(mine[name], other[name], at, head_at)

        return alike

    def _means_same(self, base: Any, head: Any, at: Node, head_at: Node) -> bool:
        refs = _refs_in_equal(base, head, at.document)
        if not refs:
            return refs is not None
        if at.document.scoped or head_at.document.scoped:
            return False  # where a reference leads depends on the way to it
        return all(self._lead_alike(ref, at, head_at) for ref in refs)

    def _lead_alike(self, ref: str, at: Node, head_at: Node) -> bool:
        """Whether a reference leads to the same on both sides; remembered."""
        key = (ref, at.document.uri, head_at.document.uri)
        found = self._leads.get(key)
        if found is None:
            try:
                targets = [node.document.documents.resolve(ref, node) for node in (at, head_at)]
                found = self._same(*targets)
            except ReadError:  # told where it is needed
                found = False
            self._leads[key] = found
        return found


def _refs_in_equal(base: Any, head: Any, document: Document) -> Sequence[str] | None:
    """The references in what is equal as JSON on both sides; None where it is not.

    Args:
        document: that of base.
    """
    if base is not head and base != head:
        return None
    if type(base) is dict and set(map(type, base.values())) == _TEXT:  # as most properties are
        return () if ELSEWHERE.isdisjoint(base) else [ref for _, ref in references_of(base)]
    # Of other things than texts what is equal in Python is not yet equal in JSON: there True is 1. Serialised, they differ.
    text = marshal.dumps(base, 2)
    if base is not head and text != marshal.dumps(head, 2):
        return None
    return document.refs_in(base) if b"$" in text or b"discriminator" in text else ()


_TEXT = {str}


def _drained(queue: deque[_T]) -> Iterator[_T]:
    """What is in a queue, and what is put there meanwhile."""
    while queue:
        yield queue.popleft()


def _ends(delta: Delta) -> tuple[object, object]:
    """The places as a reader knows them: a dynamic reference makes several nodes of one."""
    return delta.base and (delta.base.document.file, delta.base.pointer), delta.head and (
        delta.head.document.file,
        delta.head.pointer,
    )


def said_of(pair: Any) -> Iterator[tuple[Rule, Delta]]:
    """What all rules say of one pair, whatever its kind.

    Raises:
        RuleError: a rule failed; never silently no finding.
    """
    for rule in rules_for(type(pair)):
        try:
            for delta in rule.check(pair):
                yield rule, delta
        except GuardianError:
            raise
        except Exception as error:
            raise RuleError(f"rule {rule.id} failed: {type(error).__name__}: {error}") from error


def combine(total: Effect | None, effect: Effect) -> Effect | None:
    """Two effects on one set, together."""
    if effect is Effect.ANNOTATION or total is effect:
        return total
    return effect if total is None else Effect.CHANGED


def _no(name: str) -> bool:
    return False

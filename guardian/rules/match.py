"""Alternatives matched as sets: which variant of base is which variant of head.

Order and spelling mean nothing. A discriminator value decides, then a constant that every variant carries, then the
component's name, then meaning: a variant that the other side covers is neither lost nor gained, and what is left is
paired by the best structural likeness so that the finding can say what changed inside it. What a discriminator value
selects on both sides is matched by itself: no other variant takes a message with that value, however open it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from guardian.lazy import cached_property
from guardian.model import Effect
from guardian.spec.api import Schema
from guardian.spec.shape import KINDS, Atom, Shape

# Alternatives less alike than this are two different ones, not one that changed.
ALIKE = 0.4

# What happened from one alternative to the other, or None if they mean the same.
RelateAtoms = Callable[[Atom, Atom], Effect | None]
RelateSchemas = Callable[[Schema, Schema], Effect | None]

# What alternatives declare, by name: the schemas, each once.
_Declared: TypeAlias = dict[str, dict[object, Schema]]

# What an effect may be if head still takes all that base took, and if base took all that head takes.
_TAKES_ALL = {None, Effect.WIDENED}
_TOOK_ALL = {None, Effect.NARROWED}


class Matching(NamedTuple):
    """Which alternative is which.

    Attributes:
        matched: an alternative stands in several pairs if different values select it, and select different ones on the other side.
        lost: those of base that nothing of head covers.
        gained: those of head that nothing of base covers.
        beside: pairs that stand beside an alternative that takes anything, on either side: what differs between them changes
            nothing of what is taken, and is told all the same.
    """

    matched: tuple[tuple[Atom, Atom], ...]
    lost: tuple[Atom, ...]
    gained: tuple[Atom, ...]
    beside: tuple[tuple[Atom, Atom], ...] = ()


def match(base: Shape, head: Shape, relate: RelateAtoms, relate_schemas: RelateSchemas) -> Matching:
    """Match the alternatives of two shapes, kind by kind."""
    matched: list[tuple[Atom, Atom]] = []
    lost: list[Atom] = []
    gained: list[Atom] = []
    beside: list[tuple[Atom, Atom]] = []
    ours, theirs = _by_kind(base), _by_kind(head)
    for kind in KINDS:
        left, right = ours.get(kind, []), theirs.get(kind, [])
        anything, all_else = _free(left), _free(right)
        if anything is not None or all_else is not None:
            some, others = _not_free(left), _not_free(right)
            if some and others:
                beside.extend(_pairs(some, others, relate, relate_schemas).matched)
        if anything is not None and all_else is not None:
            matched.append((anything, all_else))
            continue
        left, right = [anything] if anything is not None else left, [all_else] if all_else is not None else right
        if len(left) == 1 and len(right) == 1:
            matched.append((left[0], right[0]))
            continue
        if left and right:
            pairs = _pairs(left, right, relate, relate_schemas)
            matched.extend(pairs.matched)
            left, right = list(pairs.lost), list(pairs.gained)
        lost.extend(left)
        gained.extend(right)
    return Matching(tuple(matched), tuple(lost), tuple(gained), tuple(beside))


def parted(base: Shape, head: Shape, matching: Matching) -> tuple[tuple[Atom, ...], tuple[Atom, ...]]:
    """Where one object of a side is several alternatives of the other side, those of them that are in no pair: base's, head's."""
    ours, theirs = base.of_kind("object"), head.of_kind("object")
    if len(ours) == len(theirs) or min(len(ours), len(theirs)) != 1:
        return (), ()
    paired = [atom for pair in matching.matched for atom in pair]
    known = {id(atom) for atom in (*paired, *matching.lost, *matching.gained)}
    several = tuple(atom for atom in (ours if len(theirs) == 1 else theirs) if id(atom) not in known)
    return (several, ()) if len(theirs) == 1 else ((), several)


def _free(atoms: list[Atom]) -> Atom | None:
    return next((atom for atom in atoms if atom.free), None)


def _not_free(atoms: list[Atom]) -> list[Atom]:
    return [atom for atom in atoms if not atom.free]


def _pairs(left: list[Atom], right: list[Atom], relate: RelateAtoms, relate_schemas: RelateSchemas) -> Matching:
    """The alternatives of one kind, paired: those by themselves that the same discriminator values select."""
    groups = _selected_alike(left, right)
    selected = {id(atom) for group in groups for side in group for atom in side}
    left, right = ([atom for atom in side if id(atom) not in selected] for side in (left, right))
    matched: list[tuple[Atom, Atom]] = []
    lost: list[Atom] = []
    gained: list[Atom] = []
    for some, others in (*groups, (left, right)):
        if len(some) == len(others) == 1 and selected.issuperset(map(id, some)):
            matched.append((some[0], others[0]))
            continue
        pairs = _Pairs(tuple(some), tuple(others), relate, relate_schemas)
        pairs.pair(list(some), list(others))
        matched.extend(pairs.matched)
        lost.extend(pairs.lost)
        gained.extend(pairs.gained)
    return Matching(tuple(matched), tuple(lost), tuple(gained))


def _by_kind(shape: Shape) -> dict[str, list[Atom]]:
    groups: dict[str, list[Atom]] = {}
    for atom in shape.atoms:
        groups.setdefault(atom.kind, []).append(atom)
    return groups


def _selected_alike(left: list[Atom], right: list[Atom]) -> list[tuple[list[Atom], list[Atom]]]:
    """Groups of both sides that the same discriminator values select: an alternative is in several if its values part."""
    tags = dict.fromkeys(tag for atom in left for tag in atom.tags)
    if not tags:
        return []
    groups: dict[tuple[tuple[int, ...], ...], tuple[list[Atom], list[Atom]]] = {}
    for tag in tags:
        some, others = ([atom for atom in side if tag in atom.tags] for side in (left, right))
        if others:
            groups.setdefault((tuple(map(id, some)), tuple(map(id, others))), (some, others))
    return list(groups.values())


def _constant(atom: Atom) -> object:
    """The listed values of the required one-valued properties: what readers switch on."""
    if atom.kind != "object":
        return None
    found: list[tuple[str, str]] = []
    for name in atom.required:
        schema = atom.properties.get(name)
        for node in schema.nodes if schema else ():
            value = node.value
            if isinstance(value, dict):
                if "const" in value:
                    found.append((name, repr(value["const"])))
                elif isinstance(value.get("enum"), list) and len(value["enum"]) == 1:
                    found.append((name, repr(value["enum"][0])))
    return tuple(sorted(found)) or None


def _name(atom: Atom) -> object:
    return atom.variant or atom.names or None


def _pair_by(identity: Callable[[Atom], object], left: list[Atom], right: list[Atom]) -> list[tuple[Atom, Atom]]:
    pairs: list[tuple[Atom, Atom]] = []
    for atom in list(left):
        mark = identity(atom)
        if mark is None or sum(identity(each) == mark for each in left) > 1:
            continue
        partners = [each for each in right if identity(each) == mark]
        if len(partners) == 1:
            left.remove(atom)
            right.remove(partners[0])
            pairs.append((atom, partners[0]))
    return pairs


class _Pairs:
    """The pairing of one kind, group by group."""

    def __init__(
        self,
        all_left: tuple[Atom, ...],
        all_right: tuple[Atom, ...],
        relate: RelateAtoms,
        relate_schemas: RelateSchemas,
    ) -> None:
        self._all_left = all_left
        self._all_right = all_right
        self._ask = relate
        self._relate_schemas = relate_schemas
        self._passing: dict[object, bool] = {}
        self._told: dict[tuple[int, int], Effect | None] = {}
        self.matched: list[tuple[Atom, Atom]] = []
        self.lost: list[Atom] = []
        self.gained: list[Atom] = []

    def pair(self, left: list[Atom], right: list[Atom]) -> None:
        """Pair one group: by identity, then by meaning, then what is left by likeness."""
        for identity in (_constant, _name):
            self.matched.extend(_pair_by(identity, left, right))
        for atom in list(left):
            same = next((each for each in right if self._same(atom, each)), None)
            if same is not None:
                left.remove(atom)
                right.remove(same)
                self.matched.append((atom, same))
        lost = {id(atom) for atom in left if not self._covered(atom)}
        gained = {id(atom) for atom in right if not self._covering(atom)}
        while best := self._likest(left, right, lost, gained):
            first, second = best
            left.remove(first)
            right.remove(second)
            self.matched.append(best)
        left = [atom for atom in left if id(atom) in lost]
        right = [atom for atom in right if id(atom) in gained]
        self.lost.extend(left)
        self.gained.extend(right)

    def _relate(self, first: Atom, second: Atom) -> Effect | None:
        """What happened from one alternative to the other: a long question, and every step here has it."""
        key = (id(first), id(second))
        if key not in self._told:
            self._told[key] = self._ask(first, second)
        return self._told[key]

    def _same(self, first: Atom, second: Atom) -> bool:
        return self._relate(first, second) is None and self._takes(first, second) and self._took(first, second)

    def _covered(self, atom: Atom) -> bool:
        """True if some alternative of head takes all that this one of base takes."""
        return any(self._relate(atom, each) in _TAKES_ALL and self._takes(atom, each) for each in self._all_right)

    def _covering(self, atom: Atom) -> bool:
        """True if some alternative of base takes all that this one of head takes."""
        return any(self._relate(each, atom) in _TOOK_ALL and self._took(each, atom) for each in self._all_left)

    # An alternative lets keys pass that it does not declare. Where another one of its side declares them, a message that
    # has them is meant for that one, and what happened to them there is no secret.

    def _takes(self, first: Atom, second: Atom) -> bool:
        """True if head takes what an alternative of base declares and one of head does not, where else it is declared."""
        return all(
            self._passes(name, first.properties[name], self._theirs, self._is_taken)
            for name in first.properties.keys() - second.properties.keys()
        )

    def _took(self, first: Atom, second: Atom) -> bool:
        """True if base took what an alternative of head declares and one of base does not, where else it was declared."""
        return all(
            self._passes(name, second.properties[name], self._ours, self._was_taken)
            for name in second.properties.keys() - first.properties.keys()
        )

    def _passes(self, name: str, schema: Schema, declared: _Declared, holds: Callable[[Schema, Schema], bool]) -> bool:
        """True if a property passes where the other side declares it; it is many alternatives that ask the same."""
        key = (id(declared), name, schema.key)
        if key not in self._passing:
            elsewhere = declared.get(name)
            self._passing[key] = not elsewhere or any(holds(schema, each) for each in elsewhere.values())
        return self._passing[key]

    def _is_taken(self, schema: Schema, of_head: Schema) -> bool:
        return self._relate_schemas(schema, of_head) in _TAKES_ALL

    def _was_taken(self, schema: Schema, of_base: Schema) -> bool:
        return self._relate_schemas(of_base, schema) in _TOOK_ALL

    @cached_property
    def _ours(self) -> _Declared:
        return _declared(self._all_left)

    @cached_property
    def _theirs(self) -> _Declared:
        return _declared(self._all_right)

    def _likest(
        self, left: list[Atom], right: list[Atom], lost: set[int], gained: set[int]
    ) -> tuple[Atom, Atom] | None:
        """The two most alike of what is left, if one of them is lost or gained and telling its change is no lie."""
        alone = len(left) == len(right) == 1 and not self.matched
        candidates = sorted(
            ((-likeness(a, b), i, j) for i, a in enumerate(left) for j, b in enumerate(right)),
        )
        for alike, i, j in candidates:
            if -alike < ALIKE and not alone:
                return None
            first, second = left[i], right[j]
            if id(first) in lost and id(second) in gained:
                return first, second
            # What one side covers elsewhere must not be told as an effect in that direction.
            if id(first) in lost and self._relate(first, second) is Effect.NARROWED:
                return first, second
            if id(second) in gained and self._relate(first, second) is Effect.WIDENED:
                return first, second
        return None


def _declared(atoms: tuple[Atom, ...]) -> _Declared:
    found: _Declared = {}
    for atom in atoms:
        for name, schema in atom.properties.items():
            found.setdefault(name, {}).setdefault(schema.key, schema)
    return found


def likeness(a: Atom, b: Atom) -> float:
    """How alike two alternatives look, 0 to 1: shared property names, a shared component name counts extra."""
    names = a.properties.keys() | b.properties.keys()
    shared = len(a.properties.keys() & b.properties.keys()) / len(names) if names else 0.0
    return shared + (0.5 if a.variant is not None and a.variant == b.variant else 0.0)

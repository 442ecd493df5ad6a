"""Rules on inheritance: components that extend one which holds a discriminator, and may stand in its stead.

See ``guardian.spec.subtypes``. What changes inside of a subtype is told by the rules on what changed; here stands which
subtypes there are and by what they are told apart.
"""

from __future__ import annotations

from collections.abc import Iterator

from guardian.fieldpath import escape
from guardian.model import Confidence, Effect, Hit, Impact
from guardian.rules.facts import turn
from guardian.rules.pairs import Delta, UnionPair
from guardian.rules.registry import also
from guardian.spec.api import Node, Schema
from guardian.spec.shape import Discriminator, Shape, default_variant
from guardian.spec.subtypes import family_of


@also("alternative-removed", pair=UnionPair)
def subtype_removed(pair: UnionPair) -> Iterator[Delta]:
    """A component that extended this one, and could be sent in its stead, is gone."""
    for value, node in _only_of(pair.base, pair.base_node, pair.head, pair.head_node):
        yield Delta(
            Effect.NARROWED,
            f"no longer takes the subtype {value}",
            base=node,
            head=pair.head_node,
            confidence=Confidence.POSSIBLE,
            unproved=_SUBTYPE,
        )


@also("alternative-added", pair=UnionPair)
def subtype_added(pair: UnionPair) -> Iterator[Delta]:
    """A component extends this one, and may come in its stead."""
    for value, node in _only_of(pair.head, pair.head_node, pair.base, pair.base_node):
        yield Delta(
            Effect.WIDENED,
            f"has a new subtype {value}",
            base=pair.base_node,
            head=node,
            confidence=Confidence.POSSIBLE,
            unproved=_SUBTYPE,
        )


_SUBTYPE = "a subtype is one by extending this schema, and no document says which of them are sent here"


def _only_of(one: Shape, node: Node | None, other: Shape, other_node: Node | None) -> Iterator[tuple[str, Node]]:
    """The subtypes of one side alone that go by their names; other values are the discriminator's to tell."""
    if one.subtypes is None or other.subtypes is None or one.subtypes.property != other.subtypes.property:
        return
    family, others = (family_of(Schema((each,))) if each else None for each in (node, other_node))
    if family is None:
        return
    for value in sorted(family.named - (others.members.keys() if others else frozenset())):
        yield value, family.members[value]


@also("discriminator-changed", pair=UnionPair, claims=("Discriminator.defaultMapping",))
def subtypes_changed(pair: UnionPair) -> Iterator[Delta]:
    """A schema that others extend tells them apart by something else."""
    base, head = pair.base.subtypes, pair.head.subtypes
    if base is not None and head is not None:
        words, facts = _subtypes(base, head)
        if words:
            renamed = base.property != head.property
            yield Delta(
                Effect.CHANGED,
                words,
                field=escape(base.property),
                base=base.node,
                head=head.node,
                confidence=None if renamed else Confidence.POSSIBLE,
                impact=None if renamed else Impact.POSSIBLE,
                unproved="which subtypes there are, and by which values they go, is said of them elsewhere",
                facts=facts,
            )
    elif base is not head and pair.base.discriminator is pair.head.discriminator:
        yield Delta(
            Effect.ANNOTATION,
            "has no discriminator any more" if head is None else "has a discriminator now",
            base=base.node if base else pair.base_node,
            head=head.node if head else pair.head_node,
            hit=Hit.NOBODY,
            facts=(turn(base, head),),
        )
    base, head = base or pair.base.discriminator, head or pair.head.discriminator
    if base and head and default_variant(base) != default_variant(head):
        yield Delta(
            Effect.CHANGED,
            f"is {default_variant(head) or 'no variant'} instead of {default_variant(base) or 'none'} where nothing selects a variant",
            base=base.node,
            head=head.node,
            confidence=Confidence.POSSIBLE,
            impact=Impact.POSSIBLE,
            unproved="the same messages are valid; only how one without a selecting value is read is another matter",
        )


def _subtypes(base: Discriminator, head: Discriminator) -> tuple[str, tuple[str, ...]]:
    """What became of the values that select subtypes, in words and as facts; a subtype's own name needs no mention."""
    if base.property != head.property:
        return f"is told apart by {head.property} instead of {base.property}", ("property-name",)
    before, after = (side.mapping.keys() - side.own for side in (base, head))
    lost, gained = sorted(before - after), sorted(after - before)
    parts = ([f"selects no subtype by {', '.join(lost)} any more"] if lost else []) + (
        [f"selects a subtype by {', '.join(gained)}"] if gained else []
    )
    return " and ".join(parts), ("mapping", turn(lost, gained))

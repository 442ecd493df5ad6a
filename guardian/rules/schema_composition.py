"""Rules on alternatives, negations and conditions."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from guardian.fieldpath import escape
from guardian.model import Confidence, Effect, Hit, Impact
from guardian.rules.facts import turn
from guardian.rules.pairs import BY_TAG, AtomPair, Delta, UnionPair
from guardian.rules.registry import rule
from guardian.spec.api import Node, Schema
from guardian.spec.facets import admits
from guardian.spec.shape import Atom, Shape


def _label(atom: Atom) -> str:
    if atom.tags:
        return f"selected by {' or '.join(atom.tags)}"
    return atom.variant or f"that is an unnamed {atom.kind}"


def _variants(pair: UnionPair, atoms: tuple[Atom, ...]) -> list[Atom]:
    if not atoms:
        return []
    shared = pair.base.kinds & pair.head.kinds
    return [atom for atom in atoms if atom.kind in shared]


@rule(
    "alternative-removed",
    area="schema",
    pair=UnionPair,
    impact=Impact.POSSIBLE,
    claims=("oneOf", "anyOf", "allOf"),
)
def alternative_removed(pair: UnionPair) -> Iterator[Delta]:
    """A variant is gone, and no other one covers it.

    Why it matters: a caller that sends this variant is refused. A component that extends the one in use, and is told
    apart by its discriminator, is a variant too: a possible one, for no document says which of them are sent.

    Breaks (request):
        base:
          oneOf:
            - {type: object, required: [iban], properties: {iban: {type: string}}}
            - {type: object, required: [card], properties: {card: {type: string}}}
        head: {type: object, required: [card], properties: {card: {type: string}}}

    Holds (request):
        base: {anyOf: [{type: string, enum: [a]}, {type: string}]}
        head: {type: string}
    """
    for atom in _variants(pair, pair.lost):
        words = f"no longer takes the variant {_label(atom)}"
        yield Delta(
            Effect.NARROWED,
            words,
            base=atom.node,
            head=pair.head_node,
            facts=(*_listed_by(pair.base_node), *_selected(atom, pair.base, pair.head)),
            **_unless_covered(atom, pair.base, pair.head),
        )


def _unless_covered(atom: Atom, side: Shape, other: Shape) -> dict[str, Any]:
    """Several variants may cover together what none covers alone: then only a witness can say that they do not.

    What a discriminator selects, only those cover that the same values select on the other side.
    """
    if len(_rivals(atom, side, other)) < 2:
        return {}
    return {"confidence": Confidence.POSSIBLE, "unproved": "the other variants may cover it together"}


def _rivals(atom: Atom, side: Shape, other: Shape) -> list[Atom]:
    """The variants of the other side that may take what this one takes."""
    by_tag = _is_by_tag(atom, side, other)
    return [each for each in other.of_kind(atom.kind) if not by_tag or not set(atom.tags).isdisjoint(each.tags)]


def _is_by_tag(atom: Atom, side: Shape, other: Shape) -> bool:
    """Whether a variant is told apart on both sides by the values of one property."""
    if side.discriminator is None or other.discriminator is None or not atom.tags:
        return False
    return side.discriminator.property == other.discriminator.property


def _selected(atom: Atom, side: Shape, other: Shape) -> tuple[str, ...]:
    return (BY_TAG,) if _is_by_tag(atom, side, other) else ()


def _listed_by(node: Node | None) -> tuple[str, ...]:
    """The facts about how a schema lists its variants, if it does."""
    value = node.document.documents.layers(node)[-1].value if node else None
    keywords = [key for key in ("oneOf", "anyOf") if isinstance(value, dict) and value.get(key)]
    return ("any-of",) if keywords == ["anyOf"] else ("one-of",) if keywords else ()


@rule(
    "alternative-added",
    area="schema",
    pair=UnionPair,
    impact=Impact.POSSIBLE,
    strict_impact=Impact.BROKEN,
    claims=("oneOf", "anyOf", "allOf"),
)
def alternative_added(pair: UnionPair) -> Iterator[Delta]:
    """There is a variant that no variant of base covers.

    Why it matters: a reader that knows the old variants cannot decode the new one. A component that extends the one in
    use, and is told apart by its discriminator, is a variant too: a possible one, for no document says which come.

    Breaks (response):
        base: {type: object, required: [card], properties: {card: {type: string}}}
        head:
          oneOf:
            - {type: object, required: [card], properties: {card: {type: string}}}
            - {type: object, required: [iban], properties: {iban: {type: string}}}

    Holds (request):
        base: {type: object, required: [card], properties: {card: {type: string}}}
        head:
          oneOf:
            - {type: object, required: [card], properties: {card: {type: string}}}
            - {type: object, required: [iban], properties: {iban: {type: string}}}
    """
    for atom in _variants(pair, pair.gained):
        wrapped = () if _listed_by(pair.base_node) else ("wrapped",)
        yield Delta(
            Effect.WIDENED,
            f"has a new variant {_label(atom)}",
            base=pair.base_node,
            head=atom.node,
            facts=(*_listed_by(pair.head_node), *wrapped, *_selected(atom, pair.head, pair.base)),
            **_unless_covered(atom, pair.head, pair.base),
        )


@rule(
    "discriminator-changed",
    area="schema",
    pair=UnionPair,
    claims=("discriminator", "Discriminator.propertyName", "Discriminator.mapping"),
)
def discriminator_changed(pair: UnionPair) -> Iterator[Delta]:
    """The value, or the property, that selects a variant is another one.

    Why it matters: the selecting value stands on the wire. A reader that switches on the known one falls through,
    and a caller that sends it is refused.

    Breaks (response):
        components:
          schemas:
            Tug: {type: object, required: [kind], properties: {kind: {type: string}, pull: {type: number}}}
            Ferry: {type: object, required: [kind], properties: {kind: {type: string}, seats: {type: integer}}}
        base:
          oneOf: [{$ref: "#/components/schemas/Tug"}, {$ref: "#/components/schemas/Ferry"}]
          discriminator: {propertyName: kind, mapping: {tug: "#/components/schemas/Tug"}}
        head:
          oneOf: [{$ref: "#/components/schemas/Tug"}, {$ref: "#/components/schemas/Ferry"}]
          discriminator: {propertyName: kind, mapping: {tugboat: "#/components/schemas/Tug"}}

    Holds (response):
        components:
          schemas:
            Tug: {type: object, required: [kind], properties: {kind: {type: string}, pull: {type: number}}}
            Ferry: {type: object, required: [kind], properties: {kind: {type: string}, seats: {type: integer}}}
        base:
          oneOf: [{$ref: "#/components/schemas/Tug"}, {$ref: "#/components/schemas/Ferry"}]
          discriminator: {propertyName: kind}
        head:
          oneOf: [{$ref: "#/components/schemas/Ferry"}, {$ref: "#/components/schemas/Tug"}]
          discriminator: {propertyName: kind, mapping: {Tug: "#/components/schemas/Tug"}}
    """
    base, head = pair.base.discriminator, pair.head.discriminator
    if base is None or head is None:
        if base is not head:
            words = "has no discriminator any more" if head is None else "has a discriminator now"
            yield Delta(
                Effect.ANNOTATION,
                words,
                base=base.node if base else pair.base_node,
                head=head.node if head else pair.head_node,
                hit=Hit.NOBODY,
                facts=(turn(base, head),),
            )
        return
    if base.property != head.property:
        yield Delta(
            Effect.CHANGED,
            f"is told apart by {head.property} instead of {base.property}",
            field=escape(base.property),
            base=base.node,
            head=head.node,
            facts=("property-name",),
        )
        return
    for atom, partner in pair.matched:
        if not atom.tags or not partner.tags:
            continue
        if shared := set(atom.tags) & set(partner.tags):
            yield from _moved(pair, atom, partner, shared)
            continue
        yield Delta(
            Effect.CHANGED,
            f"selects {_target(atom)} by {' or '.join(partner.tags)} instead of {' or '.join(atom.tags)}",
            field=escape(base.property),
            base=base.node,
            head=head.node,
            facts=("mapping", "moved"),
        )
    yield from _extra_values(pair)


def _moved(pair: UnionPair, atom: Atom, partner: Atom, shared: set[str]) -> Iterator[Delta]:
    """A value selects another variant than before, though the one that it selected is still there.

    What that means for a message is told of what differs between the two.
    """
    base, head = pair.base.discriminator, pair.head.discriminator
    assert base is not None and head is not None
    if atom.variant != partner.variant and any(each.variant == atom.variant for each in pair.head.atoms):
        yield Delta(
            Effect.ANNOTATION,
            f"selects {_target(partner)} by {' or '.join(sorted(shared))} instead of {_target(atom)}",
            field=escape(base.property),
            base=base.node,
            head=head.node,
            hit=Hit.NOBODY,
            facts=("mapping", "moved"),
        )


def _target(atom: Atom) -> str:
    return f"the variant {atom.variant}" if atom.variant else "a variant"


def _extra_values(pair: UnionPair) -> Iterator[Delta]:
    """Further wire values for a variant that has one already."""
    base, head = pair.base.discriminator, pair.head.discriminator
    assert base is not None and head is not None
    both = [set(a.tags) | set(b.tags) for a, b in pair.matched if not set(a.tags) & set(b.tags)]
    both.extend(set(atom.tags) for atom in (*pair.lost, *pair.gained))
    tagged = set().union(*both)
    for wire in sorted(head.mapping.keys() - base.mapping.keys() - tagged):
        yield Delta(
            Effect.WIDENED,
            f"has a further selecting value {wire}",
            field=escape(base.property),
            base=base.node,
            head=head.node,
            impact=Impact.POSSIBLE,
            facts=("mapping", "set"),
        )
    for wire in sorted(base.mapping.keys() - head.mapping.keys() - tagged):
        yield Delta(
            Effect.NARROWED,
            f"no longer takes the selecting value {wire}",
            field=escape(base.property),
            base=base.node,
            head=head.node,
            impact=Impact.POSSIBLE,
            facts=("mapping", "unset"),
        )


@rule(
    "not-changed",
    area="schema",
    pair=AtomPair,
    impact=Impact.POSSIBLE,
    claims=("not",),
)
def not_changed(pair: AtomPair) -> Iterator[Delta]:
    """What is excluded by ``not`` is something else.

    Why it matters: a value that is now excluded is refused.

    Breaks (request):
        base: {type: string}
        head: {type: string, not: {enum: [admin]}}

    Holds (request):
        base: {type: string, not: {enum: [admin]}}
        head: {type: string}
    """
    base, head = list(pair.base.nots), list(pair.head.nots)
    before, after = pair.base.excluded, pair.head.excluded
    if not (base or head or before or after):
        return
    fewer = [before[text] for text in sorted(before.keys() - after.keys()) if admits(pair.head, json.loads(text))]
    more = [after[text] for text in sorted(after.keys() - before.keys()) if admits(pair.base, json.loads(text))]
    if pair.base.enum is not None or pair.head.enum is not None:
        fewer = more = []  # what is listed has been compared with what the other side takes
    for node in list(base):
        partner = next((each for each in head if pair.relate(Schema((node,)), Schema((each,))) is None), None)
        if partner is not None:
            base.remove(node)
            head.remove(partner)
    if len(base) == len(head) == 1:
        inner = pair.relate(Schema((base[0],)), Schema((head[0],)))
        effects = [inner.mirrored if inner is not None else Effect.CHANGED]
    else:
        effects = [Effect.WIDENED] * bool(base) + [Effect.NARROWED] * bool(head)
    effects += [Effect.WIDENED] * bool(fewer) + [Effect.NARROWED] * bool(more)
    if effects:
        yield Delta(
            effects[0] if len(set(effects)) == 1 else Effect.CHANGED,
            "excludes other values than before",
            **pair.nodes(next(iter([*base, *fewer]), None), next(iter([*head, *more]), None)),
        )


@rule(
    "condition-changed",
    area="schema",
    pair=AtomPair,
    impact=Impact.POSSIBLE,
    claims=("if", "then", "else"),
)
def condition_changed(pair: AtomPair) -> Iterator[Delta]:
    """An ``if``/``then``/``else`` asks for something else.

    Why it matters: values that fall under the condition may be refused. With the same ``if`` both branches are
    compared; with another one the documents alone cannot decide, and only a witness can.

    Breaks (request):
        base: {type: object, properties: {a: {type: string}, b: {type: string}}}
        head:
          type: object
          properties: {a: {type: string}, b: {type: string}}
          if: {required: [a]}
          then: {required: [b]}

    Holds (request):
        base: {type: object, properties: {a: {type: string}}, if: {required: [a]}, then: {required: [b]}}
        head: {type: object, properties: {a: {type: string}}}
    """
    base, head = list(pair.base.conditions), list(pair.head.conditions)
    if len(base) > 1 or len(head) > 1:  # said twice, a condition asks for no more
        base, head = (
            [one for one in base if not any(_mean_same(pair, one, other) for other in head)],
            [other for other in head if not any(_mean_same(pair, one, other) for one in base)],
        )
    if len(base) == len(head) == 1:
        yield from _same_condition(pair, base[0], head[0])
    elif len(base) != len(head) and not (base and head):
        yield Delta(
            Effect.NARROWED if head else Effect.WIDENED,
            "must satisfy a new condition" if head else "is free of a condition",
            facts=("if", turn(base, head)),
            **pair.nodes(base[0] if base else None, head[0] if head else None),
        )
    elif base or head:
        yield _undecided(pair, base[0], head[0])


def _mean_same(pair: AtomPair, base: Node, head: Node) -> bool:
    return all(pair.relate(_part(base, keyword), _part(head, keyword)) is None for keyword in ("if", "then", "else"))


def _part(condition: Node, keyword: str) -> Schema:
    return Schema((condition.child(keyword),)) if keyword in condition.value else Schema(())


def _same_condition(pair: AtomPair, base: Node, head: Node) -> Iterator[Delta]:
    if pair.relate(_part(base, "if"), _part(head, "if")) is not None:
        yield _undecided(pair, base, head)
        return
    effects: list[Effect] = []
    facts: list[str] = []
    for keyword in ("then", "else"):
        sides = [_part(node, keyword) for node in (base, head)]
        effect = pair.relate(sides[0], sides[1])
        if effect is not None:
            effects.append(effect)
            facts.extend((keyword, turn(sides[0].nodes, sides[1].nodes)))
    if effects:
        yield Delta(
            effects[0] if len(set(effects)) == 1 else Effect.CHANGED,
            "asks for something else where its condition holds",
            facts=tuple(facts),
            **pair.nodes(base, head),
        )


def _undecided(pair: AtomPair, base: Node, head: Node) -> Delta:
    return Delta(
        Effect.CHANGED,
        "has other conditions than before",
        confidence=Confidence.POSSIBLE,
        unproved="two different conditions cannot be told apart by the documents alone",
        **pair.nodes(base, head),
    )


@rule("opaque-composition-changed", area="schema", pair=UnionPair, impact=Impact.POSSIBLE, claims=())
def opaque_composition_changed(pair: UnionPair) -> Iterator[Delta]:
    """So many alternatives are combined that they were not multiplied out, and they differ.

    Why it matters: guardian does not guess. Where alternatives multiply past its limit it says that it cannot tell.

    Warns (request):
        base:
          type: object
          allOf:
            - anyOf: [{required: [a0]}, {required: [b0]}]
            - anyOf: [{required: [a1]}, {required: [b1]}]
            - anyOf: [{required: [a2]}, {required: [b2]}]
            - anyOf: [{required: [a3]}, {required: [b3]}]
            - anyOf: [{required: [a4]}, {required: [b4]}]
            - anyOf: [{required: [a5]}, {required: [b5]}]
            - anyOf: [{required: [a6]}, {required: [b6]}]
        head:
          type: object
          allOf:
            - anyOf: [{required: [a0]}, {required: [b0]}]
            - anyOf: [{required: [a1]}, {required: [b1]}]
            - anyOf: [{required: [a2]}, {required: [b2]}]
            - anyOf: [{required: [a3]}, {required: [b3]}]
            - anyOf: [{required: [a4]}, {required: [b4]}]
            - anyOf: [{required: [a5]}, {required: [b5]}]
            - anyOf: [{required: [c6]}, {required: [b6]}]
    """
    if pair.base.opaque or pair.head.opaque:
        base, head = pair.base.opaque, pair.head.opaque
        yield Delta(
            Effect.CHANGED,
            "combines too many alternatives to be compared",
            base=base[0] if base else pair.base_node,
            head=head[0] if head else pair.head_node,
            confidence=Confidence.POSSIBLE,
            unproved="the alternatives multiply past the limit; split the schema to have it judged",
        )

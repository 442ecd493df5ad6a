"""Rules on arrays."""

from __future__ import annotations

from collections.abc import Iterator

from guardian.model import Confidence, Effect, Impact
from guardian.rules.facts import turn
from guardian.rules.pairs import ArrayPair, Delta
from guardian.rules.registry import rule
from guardian.rules.schema_limits import limit_changed
from guardian.spec.shape import Contains


@rule(
    "min-items-changed",
    area="schema",
    pair=ArrayPair,
    impact=Impact.POSSIBLE,
    claims=("minItems",),
)
def min_items_changed(pair: ArrayPair) -> Iterator[Delta]:
    """The smallest accepted number of items is another one.

    Why it matters: a caller that sends fewer items is refused; a reader that takes the first item finds none.

    Breaks (request):
        base: {type: array, items: {type: string}}
        head: {type: array, items: {type: string}, minItems: 1}

    Breaks (response):
        base: {type: array, items: {type: string}, minItems: 1}
        head: {type: array, items: {type: string}}

    Holds (response):
        base: {type: array, items: {type: string}}
        head: {type: array, items: {type: string}, minItems: 1}
    """
    base, head = (atom.min_items.value if atom.min_items else 0 for atom in (pair.base, pair.head))
    held = [max((each.minimum for each in atom.contains), default=0) for atom in (pair.base, pair.head)]
    if head > max(base, held[0]) or base > max(head, held[1]):  # else what it must contain says more
        yield from limit_changed(pair, pair.base.min_items, pair.head.min_items, upper=False, what="minItems")


@rule(
    "max-items-changed",
    area="schema",
    pair=ArrayPair,
    impact=Impact.POSSIBLE,
    claims=("maxItems", "prefixItems", "unevaluatedItems", "additionalItems"),
)
def max_items_changed(pair: ArrayPair) -> Iterator[Delta]:
    """The largest accepted number of items is another one.

    Why it matters: a caller that sends more items is refused. A tuple that takes nothing behind its listed items
    (``items: false``, ``unevaluatedItems: false``) is as long as they are.

    Breaks (request):
        base: {type: array, items: {type: string}, maxItems: 50}
        head: {type: array, items: {type: string}, maxItems: 20}

    Holds (request):
        base: {type: array, items: {type: string}, maxItems: 50}
        head: {type: array, items: {type: string}}

    Breaks (request):
        base: {type: array, prefixItems: [{type: number}, {type: number}]}
        head: {type: array, prefixItems: [{type: number}, {type: number}], items: false}
    """
    yield from limit_changed(pair, pair.base.max_items, pair.head.max_items, upper=True, what="maxItems")


@rule("unique-items-changed", area="schema", pair=ArrayPair, impact=Impact.POSSIBLE, claims=("uniqueItems",))
def unique_items_changed(pair: ArrayPair) -> Iterator[Delta]:
    """Items must differ on one side only.

    Why it matters: a caller that repeats an item is refused; a reader that builds a set or a map loses items.

    Breaks (request):
        base: {type: array, items: {type: string}}
        head: {type: array, items: {type: string}, uniqueItems: true}

    Breaks (response):
        base: {type: array, items: {type: string}, uniqueItems: true}
        head: {type: array, items: {type: string}}

    Holds (request):
        base: {type: array, items: {type: string}, uniqueItems: true}
        head: {type: array, items: {type: string}}
    """
    if pair.base.enum is not None or pair.head.enum is not None:
        return
    if (pair.base.unique is None) != (pair.head.unique is None):
        narrowed = pair.head.unique is not None
        yield Delta(
            Effect.NARROWED if narrowed else Effect.WIDENED,
            "must now have unique items" if narrowed else "may now repeat items",
            **pair.nodes(pair.base.unique, pair.head.unique),
        )


@rule(
    "contains-changed",
    area="schema",
    pair=ArrayPair,
    impact=Impact.POSSIBLE,
    claims=("contains", "minContains", "maxContains"),
)
def contains_changed(pair: ArrayPair) -> Iterator[Delta]:
    """What an array must contain, or how often, is something else.

    Why it matters: an array without such an item is refused.

    Breaks (request):
        base: {type: array, items: {type: string}}
        head: {type: array, items: {type: string}, contains: {const: default}}

    Holds (request):
        base: {type: array, items: {type: string}, contains: {const: default}}
        head: {type: array, items: {type: string}}
    """
    base, head = pair.base.contains, pair.head.contains
    if len(base) == len(head) == 1:
        yield from _one(pair, base[0], head[0])
        return
    lost = [each for each in base if not _among(each, head, pair)]
    gained = [each for each in head if not _among(each, base, pair, mirrored=True)]
    if not lost and not gained:
        return
    effect = Effect.CHANGED if lost and gained else Effect.NARROWED if gained else Effect.WIDENED
    words = "must now contain certain items" if gained else "need no longer contain certain items"
    nodes = pair.nodes(lost[0].node if lost else None, gained[0].node if gained else None)
    yield Delta(effect, words, facts=(turn(base, head),), **nodes)


def _among(one: Contains, others: tuple[Contains, ...], pair: ArrayPair, mirrored: bool = False) -> bool:
    for other in others:
        first, second = (other, one) if mirrored else (one, other)
        counts = (one.minimum, one.maximum) == (other.minimum, other.maximum)
        if counts and pair.relate(first.schema, second.schema) is None:
            return True
    return False


def _one(pair: ArrayPair, base: Contains, head: Contains) -> Iterator[Delta]:
    effects: list[Effect] = []
    facts: list[str] = []
    below = pair.relate(base.schema, head.schema)
    if below is not None:
        capped = base.maximum is not None or head.maximum is not None
        effects.append(Effect.CHANGED if capped else below)
    if base.minimum != head.minimum:
        effects.append(Effect.NARROWED if head.minimum > base.minimum else Effect.WIDENED)
        facts.extend(("least", "increased" if head.minimum > base.minimum else "decreased"))
    most = [float("inf") if each.maximum is None else each.maximum for each in (base, head)]
    if most[0] != most[1]:
        effects.append(Effect.NARROWED if most[1] < most[0] else Effect.WIDENED)
        facts.extend(("most", "increased" if most[1] > most[0] else "decreased"))
    if effects:
        yield Delta(
            effects[0] if all(each is effects[0] for each in effects) else Effect.CHANGED,
            "must contain other items, or another number of them",
            confidence=Confidence.POSSIBLE if below is Effect.CHANGED else None,
            unproved="what two different `contains` accept together cannot be told apart" if below else None,
            facts=tuple(facts),
            **pair.nodes(base.node, head.node),
        )

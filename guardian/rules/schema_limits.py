"""Rules on limits: bounds of numbers, lengths of texts, steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from guardian.model import Effect, Impact
from guardian.rules import formats, patterns, widths
from guardian.rules.facts import turn
from guardian.rules.pairs import AtomPair, Delta, NumberPair, StringPair
from guardian.rules.registry import rule
from guardian.spec.ecma import Undecidable
from guardian.spec.limits import whole
from guardian.spec.shape import Atom, Bound


def limit_changed(pair: AtomPair, base: Bound | None, head: Bound | None, *, upper: bool, what: str) -> Iterator[Delta]:
    """A limit was set, lifted or moved. ``upper``: values above are refused; else values below."""
    if pair.base.enum is not None or pair.head.enum is not None:
        return  # lists have their own rules, and limits were applied to them
    before, after = _edge(base, upper), _edge(head, upper)
    if pair.base.kind == "string":  # what a format says of lengths holds without being written again
        said = formats.lengths(pair.base.formats.keys() & pair.head.formats.keys())[upper]
        if said is not None:
            tighter = min if upper else max
            before, after = tighter(before, (said, 0)), tighter(after, (said, 0))
    if before == after:
        return
    narrowed = after < before if upper else after > before
    if pair.base.kind == "number" and _implied_by_width(pair, before, after, narrowed=narrowed, upper=upper):
        return
    if pair.base.kind == "string" and _implied_by_patterns(pair, base, head, narrowed=narrowed, upper=upper):
        return
    if base is None and head is not None:
        words = f"has a new {what} of {_show(head)}"
    elif head is None and base is not None:
        words = f"has no {what} of {_show(base)} any more"
    elif base is not None and head is not None:
        words = f"changed {what} from {_show(base)} to {_show(head)}"
    yield Delta(
        Effect.NARROWED if narrowed else Effect.WIDENED,
        words,
        facts=(_moved(base, head, up=after > before), *_spelled(base, head)),
        **pair.nodes(base.node if base else None, head.node if head else None),
    )


# Keywords that set a limit in a way that has a name of its own.
_SPELLINGS = {
    "exclusiveMinimum": "exclusive",
    "exclusiveMaximum": "exclusive",
    "items": "tuple",
    "additionalItems": "tuple",
    "unevaluatedItems": "unevaluated",
}


def _moved(base: Bound | None, head: Bound | None, *, up: bool) -> str:
    """The fact about what became of a limit."""
    return turn(base, head) if base is None or head is None else "increased" if up else "decreased"


def _spelled(*bounds: Bound | None) -> set[str]:
    """The facts about how a limit is written."""
    keywords = {bound.node.pointer.rpartition("/")[2] for bound in bounds if bound}
    return {_SPELLINGS[keyword] for keyword in keywords if keyword in _SPELLINGS}


def _implied_by_patterns(
    pair: AtomPair, base: Bound | None, head: Bound | None, *, narrowed: bool, upper: bool
) -> bool:
    """Whether the patterns alone keep text out of the lengths that are taken by one side only."""
    wider, bound, other = (pair.base, base, head) if narrowed else (pair.head, head, base)
    if not wider.patterns or other is None:
        return False
    low = int(other.value) + 1 if upper else int(bound.value) if bound else 0
    high = (int(bound.value) if bound else None) if upper else int(other.value) - 1
    try:
        return next(patterns.matching(wider.patterns, shortest=low, longest=high), None) is None
    except Undecidable:
        return False


def _implied_by_width(
    pair: AtomPair, before: tuple[float, int], after: tuple[float, int], *, narrowed: bool, upper: bool
) -> bool:
    """Whether the format of the side without the tighter limit keeps numbers within it anyway."""
    said = widths.edge_of(pair.base if narrowed else pair.head, upper=upper)
    if said is None:
        return False
    limit = after if narrowed else before
    return (said, 0) <= limit if upper else (said, 0) >= limit


def _edge(bound: Bound | None, upper: bool) -> tuple[float, int]:
    """A limit as something to compare: the excluded edge lies a little further in."""
    if bound is None:
        return (float("inf"), 0) if upper else (float("-inf"), 0)
    inward = int(bound.exclusive)
    return (bound.value, -inward if upper else inward)


def _show(bound: Bound) -> str:
    value = int(bound.value) if whole(bound.value) else bound.value
    return f"{value} (exclusive)" if bound.exclusive else f"{value}"


@rule(
    "minimum-changed",
    area="schema",
    pair=NumberPair,
    impact=Impact.POSSIBLE,
    claims=("minimum", "exclusiveMinimum"),
)
def minimum_changed(pair: NumberPair) -> Iterator[Delta]:
    """The smallest accepted number is another one.

    Why it matters: a caller that sends smaller numbers is refused; a reader may meet numbers it was promised not to.
    Both spellings of an excluded limit are one, and for integers ``> 0`` is ``>= 1``.

    Breaks (request):
        base: {type: integer, minimum: 0}
        head: {type: integer, minimum: 1}

    Breaks (response):
        base: {type: number, minimum: 0}
        head: {type: number}

    Holds (request):
        base: {type: integer, exclusiveMinimum: 0}
        head: {type: integer, minimum: 1}
    """
    yield from limit_changed(pair, pair.base.minimum, pair.head.minimum, upper=False, what="minimum")


@rule(
    "maximum-changed",
    area="schema",
    pair=NumberPair,
    impact=Impact.POSSIBLE,
    claims=("maximum", "exclusiveMaximum"),
)
def maximum_changed(pair: NumberPair) -> Iterator[Delta]:
    """The largest accepted number is another one.

    Why it matters: a caller that sends larger numbers is refused; a reader may meet numbers it was promised not to.

    Breaks (request):
        base: {type: integer}
        head: {type: integer, maximum: 100}

    Breaks (response):
        base: {type: integer, maximum: 100}
        head: {type: integer, maximum: 1000}

    Holds (request):
        base: {type: integer, maximum: 100}
        head: {type: integer, exclusiveMaximum: 101}
    """
    yield from limit_changed(pair, pair.base.maximum, pair.head.maximum, upper=True, what="maximum")


@rule(
    "min-length-changed",
    area="schema",
    pair=StringPair,
    impact=Impact.POSSIBLE,
    claims=("minLength",),
)
def min_length_changed(pair: StringPair) -> Iterator[Delta]:
    """The shortest accepted text has another length.

    Why it matters: a caller that sends shorter text, an empty one for instance, is refused.

    Breaks (request):
        base: {type: string}
        head: {type: string, minLength: 1}

    Breaks (response):
        base: {type: string, minLength: 1}
        head: {type: string}

    Holds (request):
        base: {type: string}
        head: {type: string, minLength: 0}
    """
    yield from limit_changed(pair, pair.base.min_length, pair.head.min_length, upper=False, what="minLength")


@rule(
    "max-length-changed",
    area="schema",
    pair=StringPair,
    impact=Impact.POSSIBLE,
    claims=("maxLength",),
)
def max_length_changed(pair: StringPair) -> Iterator[Delta]:
    """The longest accepted text has another length.

    Why it matters: a caller that sends longer text is refused; a reader with a column of that size overflows.

    Breaks (request):
        base: {type: string, maxLength: 200}
        head: {type: string, maxLength: 100}

    Breaks (response):
        base: {type: string, maxLength: 100}
        head: {type: string}

    Holds (response):
        base: {type: string, maxLength: 200}
        head: {type: string, maxLength: 100}
    """
    yield from limit_changed(pair, pair.base.max_length, pair.head.max_length, upper=True, what="maxLength")


@rule("multiple-of-changed", area="schema", pair=NumberPair, impact=Impact.POSSIBLE, claims=("multipleOf",))
def multiple_of_changed(pair: NumberPair) -> Iterator[Delta]:
    """Numbers must be multiples of something else than before.

    Why it matters: a caller that sends numbers in between is refused.

    Breaks (request):
        base: {type: integer}
        head: {type: integer, multipleOf: 5}

    Breaks (response):
        base: {type: integer, multipleOf: 10}
        head: {type: integer, multipleOf: 4}

    Holds (request):
        base: {type: integer, multipleOf: 10}
        head: {type: integer, multipleOf: 5}
    """
    if pair.base.enum is not None or pair.head.enum is not None:
        return
    base, head = pair.base.multiples, pair.head.multiples
    narrowed = [each for each in head if not _implied(each, pair.base)]
    widened = [each for each in base if not _implied(each, pair.head)]
    if narrowed or widened:
        effect = Effect.CHANGED if narrowed and widened else Effect.NARROWED if narrowed else Effect.WIDENED
        yield Delta(
            effect,
            f"changed multipleOf from {_steps(base)} to {_steps(head)}",
            **pair.nodes(next(iter(base.values()), None), next(iter(head.values()), None)),
        )


def _implied(step: float, atom: Atom) -> bool:
    from fractions import Fraction

    wanted = Fraction(str(step))
    given = [Fraction(str(each)) for each in atom.multiples]
    if atom.integer:
        given.append(Fraction(1))
    # Multiples of all given steps are multiples of their least common multiple.
    common: Fraction | None = None
    for each in given:
        common = each if common is None else _lcm(common, each)
    return common is not None and (common / wanted).denominator == 1


def _lcm(a: Any, b: Any) -> Any:
    import math
    from fractions import Fraction

    return Fraction(math.lcm(a.numerator * b.denominator, b.numerator * a.denominator), a.denominator * b.denominator)


def _steps(multiples: Any) -> str:
    return ", ".join(str(each) for each in sorted(multiples)) or "anything"


# -- patterns and formats ------------------------------------------------------------------------------------------

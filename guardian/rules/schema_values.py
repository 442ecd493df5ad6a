"""Rules on scalar values: listed values, limits, patterns and formats."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from guardian.model import Confidence, Direction, Effect, Hit, Impact, Severity
from guardian.rules import formats, patterns
from guardian.rules.pairs import AtomPair, Delta, NumberPair, StringPair
from guardian.rules.registry import rule
from guardian.spec.shape import Atom, Bound


def each_place(*kinds: str, suffix: str) -> tuple[str, ...]:
    """The ids by which the leading tool names one thing at its many places."""
    return tuple(f"{kind}-{suffix}" for kind in kinds)


REQUEST_PLACES = ("request-body", "request-property", "request-parameter", "request-parameter-property")
RESPONSE_PLACES = ("response-body", "response-property")


# -- listed values -------------------------------------------------------------------------------------------------


@rule(
    "enum-value-removed",
    area="schema",
    pair=AtomPair,
    impact=Impact.POSSIBLE,
    claims=("enum", "const", "x-extensible-enum"),
    aliases=(
        *each_place(*REQUEST_PLACES, *RESPONSE_PLACES, suffix="enum-value-removed"),
        *each_place("request-property", "request-parameter", suffix="x-extensible-enum-value-removed"),
        "response-mediatype-enum-value-removed",
        "response-property-const-removed",
    ),
)
def enum_value_removed(pair: AtomPair) -> Iterator[Delta]:
    """A listed value is gone, or values are listed where any was accepted.

    Why it matters: a caller that sends the value is refused. In a response it only means that the value no longer
    arrives, which every reader survives.

    Breaks (request):
        base: {type: string, enum: [low, high]}
        head: {type: string, enum: [high]}

    Breaks (request):
        base: {type: string}
        head: {type: string, enum: [high]}

    Holds (response):
        base: {type: string, enum: [low, high]}
        head: {type: string, enum: [high]}

    Holds (request):
        base: {type: string, const: high}
        head: {type: string, enum: [high]}
    """
    if pair.head.enum is None:
        return
    if pair.base.enum is None:
        if pair.head.extensible:
            return
        node = next(iter(pair.head.enum.values()))
        yield Delta(
            Effect.NARROWED,
            f"is now limited to {_listing(pair.head)}",
            **pair.nodes(None, node),
        )
        return
    for text, node in sorted(pair.base.enum.items()):
        if text not in pair.head.enum:
            yield Delta(Effect.NARROWED, f"no longer takes the value {text}", **pair.nodes(node, None))


@rule(
    "enum-value-added",
    area="schema",
    pair=AtomPair,
    hit=Hit.READER,
    impact=Impact.POSSIBLE,
    strict_impact=Impact.BROKEN,
    claims=("enum", "const", "x-extensible-enum"),
    aliases=(
        *each_place(*REQUEST_PLACES, *RESPONSE_PLACES, suffix="enum-value-added"),
        "response-mediatype-enum-value-added",
        "response-write-only-property-enum-value-added",
        "response-property-enum-unset",
    ),
)
def enum_value_added(pair: AtomPair) -> Iterator[Delta]:
    """A value is added to a list, or the list is lifted.

    Why it matters: a reader that switches on the known values meets one it does not know. Most readers have a
    default branch, so the contract's verdict is a warning; a strict consumer's decoder refuses the value and breaks.
    ``x-extensible-enum`` (and ``x-ms-enum`` with ``modelAsString``) told readers to expect it: no more than a note.

    Warns (response):
        base: {type: string, enum: [open, closed]}
        head: {type: string, enum: [open, closed, archived]}

    Breaks (response):
        base: {type: string, enum: [open, closed]}
        head: {type: string}

    Holds (request):
        base: {type: string, enum: [open]}
        head: {type: string, enum: [open, closed]}
    """
    if pair.base.enum is None:
        return
    known = pair.base.extensible
    severity = Severity.INFO if known and pair.direction is Direction.RESPONSE else None
    if pair.head.enum is None:
        if pair.head.extensible:
            return
        yield Delta(
            Effect.WIDENED,
            f"is no longer limited to {_listing(pair.base)}",
            severity=severity,
            impact=Impact.SAFE if known else None,
            strict_impact=Impact.SAFE if known else None,
            **pair.nodes(next(iter(pair.base.enum.values())), None),
        )
        return
    if severity is None and pair.direction is Direction.RESPONSE:
        severity = Severity.WARNING
    for text, node in sorted(pair.head.enum.items()):
        if text not in pair.base.enum:
            yield Delta(
                Effect.WIDENED,
                f"has a new value {text}",
                severity=severity,
                impact=Impact.SAFE if known else None,
                strict_impact=Impact.SAFE if known else None,
                **pair.nodes(None, node),
            )


def _listing(atom: Atom) -> str:
    texts = sorted(atom.enum or {})
    shown = ", ".join(texts[:5])
    return f"{shown} and {len(texts) - 5} more" if len(texts) > 5 else shown


# -- limits --------------------------------------------------------------------------------------------------------


def limit_changed(pair: AtomPair, base: Bound | None, head: Bound | None, *, upper: bool, what: str) -> Iterator[Delta]:
    """A limit was set, lifted or moved. ``upper``: values above are refused; else values below."""
    if pair.base.enum is not None or pair.head.enum is not None:
        return  # lists have their own rules, and limits were applied to them
    before, after = _edge(base, upper), _edge(head, upper)
    if before == after:
        return
    narrowed = after < before if upper else after > before
    if base is None and head is not None:
        words = f"has a new {what} of {_show(head)}"
    elif head is None and base is not None:
        words = f"has no {what} of {_show(base)} any more"
    elif base is not None and head is not None:
        words = f"changed {what} from {_show(base)} to {_show(head)}"
    yield Delta(
        Effect.NARROWED if narrowed else Effect.WIDENED,
        words,
        **pair.nodes(base.node if base else None, head.node if head else None),
    )


def _edge(bound: Bound | None, upper: bool) -> tuple[float, int]:
    """A limit as something to compare: the excluded edge lies a little further in."""
    if bound is None:
        return (float("inf"), 0) if upper else (float("-inf"), 0)
    inward = int(bound.exclusive)
    return (bound.value, -inward if upper else inward)


def _show(bound: Bound) -> str:
    value = int(bound.value) if float(bound.value).is_integer() else bound.value
    return f"{value} (exclusive)" if bound.exclusive else f"{value}"


@rule(
    "minimum-changed",
    area="schema",
    pair=NumberPair,
    impact=Impact.POSSIBLE,
    claims=("minimum", "exclusiveMinimum"),
    aliases=(
        *each_place(*REQUEST_PLACES, *RESPONSE_PLACES, suffix="min-increased"),
        *each_place(*REQUEST_PLACES, *RESPONSE_PLACES, suffix="min-decreased"),
        *each_place(*REQUEST_PLACES, *RESPONSE_PLACES, suffix="min-set"),
        *each_place(*REQUEST_PLACES, *RESPONSE_PLACES, suffix="exclusive-min-increased"),
        *each_place(*REQUEST_PLACES, *RESPONSE_PLACES, suffix="exclusive-min-decreased"),
        *each_place(*REQUEST_PLACES, *RESPONSE_PLACES, suffix="exclusive-min-set"),
    ),
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
    aliases=(
        *each_place(*REQUEST_PLACES, *RESPONSE_PLACES, suffix="max-increased"),
        *each_place(*REQUEST_PLACES, *RESPONSE_PLACES, suffix="max-decreased"),
        *each_place(*REQUEST_PLACES, *RESPONSE_PLACES, suffix="max-set"),
        *each_place(*REQUEST_PLACES, *RESPONSE_PLACES, suffix="exclusive-max-increased"),
        *each_place(*REQUEST_PLACES, *RESPONSE_PLACES, suffix="exclusive-max-decreased"),
        *each_place(*REQUEST_PLACES, *RESPONSE_PLACES, suffix="exclusive-max-set"),
    ),
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
    aliases=(
        *each_place(*REQUEST_PLACES, *RESPONSE_PLACES, suffix="min-length-increased"),
        *each_place(*REQUEST_PLACES, *RESPONSE_PLACES, suffix="min-length-decreased"),
        *each_place(*REQUEST_PLACES, *RESPONSE_PLACES, suffix="min-length-set"),
        *each_place(*RESPONSE_PLACES, suffix="min-length-unset"),
    ),
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
    aliases=(
        *each_place(*REQUEST_PLACES, *RESPONSE_PLACES, suffix="max-length-increased"),
        *each_place(*REQUEST_PLACES, *RESPONSE_PLACES, suffix="max-length-decreased"),
        *each_place(*REQUEST_PLACES, *RESPONSE_PLACES, suffix="max-length-set"),
        *each_place(*RESPONSE_PLACES, suffix="max-length-unset"),
    ),
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


@rule(
    "pattern-changed",
    area="schema",
    pair=StringPair,
    impact=Impact.POSSIBLE,
    claims=("pattern",),
    aliases=(
        *each_place(*REQUEST_PLACES, *RESPONSE_PLACES, suffix="pattern-added"),
        *each_place(*REQUEST_PLACES, *RESPONSE_PLACES, suffix="pattern-changed"),
        *each_place(*REQUEST_PLACES, *RESPONSE_PLACES, suffix="pattern-removed"),
        *each_place(*REQUEST_PLACES, suffix="pattern-generalized"),
    ),
)
def pattern_changed(pair: StringPair) -> Iterator[Delta]:
    """The regular expression that text must match is another one.

    Why it matters: text that matched may be refused. Both patterns are compared as languages; where that cannot be
    decided (look-around, back references) the finding says so and is a warning.

    Breaks (request):
        base: {type: string, pattern: "^[a-z]+$"}
        head: {type: string, pattern: "^[a-f]+$"}

    Holds (request):
        base: {type: string, pattern: "^[0-9]+$"}
        head: {type: string, pattern: "^[0-9a-f]+$"}

    Holds (request):
        base: {type: string, pattern: "^[0-9]+$"}
        head: {type: string, pattern: "^\\\\d+$"}
    """
    if (
        pair.base.enum is not None
        or pair.head.enum is not None
        or pair.base.patterns.keys() == pair.head.patterns.keys()
    ):
        return
    effect, reason = patterns.relate(pair.base.patterns, pair.head.patterns)
    if effect is None:
        return
    yield Delta(
        effect,
        f"changed pattern from {_show_set(pair.base.patterns)} to {_show_set(pair.head.patterns)}",
        confidence=Confidence.POSSIBLE if reason else None,
        unproved=reason,
        **pair.nodes(next(iter(pair.base.patterns.values()), None), next(iter(pair.head.patterns.values()), None)),
    )


def _show_set(texts: Any) -> str:
    return " and ".join(sorted(texts)) or "none"


def _format_delta(pair: AtomPair, kind: str) -> Iterator[Delta]:
    if pair.base.enum is not None and pair.head.enum is not None:
        return
    if pair.base.formats.keys() == pair.head.formats.keys():
        return
    effect, reason = formats.relate(frozenset(pair.base.formats), frozenset(pair.head.formats), kind)
    if effect is None:
        return
    yield Delta(
        effect,
        f"changed format from {_show_set(pair.base.formats)} to {_show_set(pair.head.formats)}",
        confidence=Confidence.POSSIBLE if reason else None,
        unproved=reason,
        **pair.nodes(next(iter(pair.base.formats.values()), None), next(iter(pair.head.formats.values()), None)),
    )


@rule(
    "format-changed",
    area="schema",
    pair=StringPair,
    impact=Impact.POSSIBLE,
    claims=("format", "contentEncoding", "contentMediaType"),
    aliases=(),
)
def format_changed(pair: StringPair) -> Iterator[Delta]:
    """Text must be written in another format.

    Why it matters: a parser for one format fails on another. Formats with a definition in JSON Schema or the OpenAPI
    registry are compared by what they accept; of any other the documents cannot tell, so it is a warning.

    Breaks (request):
        base: {type: string}
        head: {type: string, format: uuid}

    Breaks (response):
        base: {type: string, format: date}
        head: {type: string, format: date-time}

    Warns (response):
        base: {type: string, format: tracking-number}
        head: {type: string, format: parcel-code}

    Holds (request):
        base: {type: string, format: uri}
        head: {type: string, format: uri-reference}
    """
    yield from _format_delta(pair, "string")


@rule("number-format-changed", area="schema", pair=NumberPair, impact=Impact.POSSIBLE, claims=("format",))
def number_format_changed(pair: NumberPair) -> Iterator[Delta]:
    """A number has another width.

    Why it matters: a reader that holds an int32 overflows when int64 arrives.

    Breaks (response):
        base: {type: integer, format: int32}
        head: {type: integer, format: int64}

    Holds (request):
        base: {type: integer, format: int32}
        head: {type: integer, format: int64}
    """
    yield from _format_delta(pair, "integer" if pair.base.integer and pair.head.integer else "number")

"""Rules on scalar values: listed values, limits, patterns and formats."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from guardian.model import Confidence, Direction, Effect, Hit, Impact, Severity
from guardian.rules import formats, patterns
from guardian.rules.facts import turn
from guardian.rules.pairs import AtomPair, Delta, NumberPair, StringPair
from guardian.rules.registry import also, rule
from guardian.spec.api import Node
from guardian.spec.ecma import Undecidable
from guardian.spec.facets import admits
from guardian.spec.shape import Atom, Bound

# Integers between two limits that are compared one by one with a list.
FEW_INTEGERS = 50


# -- listed values -------------------------------------------------------------------------------------------------


@rule(
    "enum-value-removed",
    area="schema",
    pair=AtomPair,
    impact=Impact.POSSIBLE,
    claims=("enum", "const", "x-extensible-enum"),
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
        yield from _beyond(pair, pair.base, pair.head)
        return
    if pair.base.enum is None and (few := few_integers(pair.base)) is not None:
        for value in few:
            if str(value) not in pair.head.enum:
                yield Delta(Effect.NARROWED, f"no longer takes the value {value}", **pair.nodes(None, None))
        return
    if pair.base.enum is None:
        node = next(iter(pair.head.enum.values()))
        yield Delta(
            Effect.NARROWED,
            f"is now limited to {_listing(pair.head)}",
            facts=("set", *_listed_by(node)),
            **pair.nodes(None, node),
        )
        return
    for text, node in sorted(pair.base.enum.items()):
        if text not in pair.head.enum:
            facts = ("value", *_listed_by(node))
            yield Delta(Effect.NARROWED, f"no longer takes the value {text}", facts=facts, **pair.nodes(node, None))


@rule(
    "enum-value-added",
    area="schema",
    pair=AtomPair,
    hit=Hit.READER,
    impact=Impact.POSSIBLE,
    strict_impact=Impact.BROKEN,
    claims=("enum", "const", "x-extensible-enum"),
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
        yield from _beyond(pair, pair.head, pair.base)
        return
    known = pair.base.extensible
    severity = Severity.INFO if known and pair.direction is Direction.RESPONSE else None
    if pair.head.enum is None:
        if (few := few_integers(pair.head)) is not None:
            for value in few:
                if str(value) not in pair.base.enum:
                    yield Delta(Effect.WIDENED, f"has a new value {value}", severity=severity, **pair.nodes(None, None))
            return
        yield Delta(
            Effect.WIDENED,
            f"is no longer limited to {_listing(pair.base)}",
            severity=severity,
            impact=Impact.SAFE if known else None,
            strict_impact=Impact.SAFE if known else None,
            facts=("unset", *_listed_by(*pair.base.enum.values())),
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
                facts=("value", *_listed_by(node)),
                **pair.nodes(None, node),
            )


def _beyond(pair: AtomPair, listing: Atom, limits: Atom) -> Iterator[Delta]:
    """Values that one side lists and that lie outside of the limits by which the other side says what it takes."""
    import json

    for text, node in sorted((listing.enum or {}).items()):
        if not admits(limits, json.loads(text)):
            if listing is pair.base:
                yield Delta(Effect.NARROWED, f"no longer takes the value {text}", **pair.nodes(node, None))
            else:
                yield Delta(Effect.WIDENED, f"has a new value {text}", **pair.nodes(None, node))


def _listed_by(*nodes: Node) -> tuple[str, ...]:
    """The facts about how values are listed, where not by ``enum``."""
    if all(node.pointer.endswith("/const") for node in nodes):
        return ("const",)
    return ("extensible",) if any("/x-extensible-enum/" in node.pointer for node in nodes) else ()


def few_integers(atom: Atom) -> list[int] | None:
    """The values of an alternative whose limits leave so few integers that they could as well be listed."""
    if not atom.integer or atom.minimum is None or atom.maximum is None or atom.nots or atom.conditions:
        return None
    low, high = int(atom.minimum.value), int(atom.maximum.value)
    return [value for value in range(low, high + 1) if admits(atom, value)] if high - low < FEW_INTEGERS else None


def lengths_of(atom: Atom) -> tuple[int, int | None]:
    """How long the texts of an alternative are: at least, at most."""
    low = int(atom.min_length.value) if atom.min_length else 0
    return low, int(atom.max_length.value) if atom.max_length else None


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
    if pair.base.kind == "string":  # what a format says of lengths holds without being written again
        said = formats.lengths(pair.base.formats.keys() & pair.head.formats.keys())[upper]
        if said is not None:
            tighter = min if upper else max
            before, after = tighter(before, (said, 0)), tighter(after, (said, 0))
    if before == after:
        return
    narrowed = after < before if upper else after > before
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


@rule(
    "pattern-changed",
    area="schema",
    pair=StringPair,
    impact=Impact.POSSIBLE,
    claims=("pattern",),
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
    effect, reason = patterns.relate(
        pair.base.patterns, pair.head.patterns, lengths_of(pair.base), lengths_of(pair.head)
    )
    if effect is None:
        return
    yield Delta(
        effect,
        f"changed pattern from {_show_set(pair.base.patterns)} to {_show_set(pair.head.patterns)}",
        confidence=Confidence.POSSIBLE if reason else None,
        unproved=reason,
        facts=(turn(pair.base.patterns, pair.head.patterns),),
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
    where = (*pair.base.formats.values(), *pair.head.formats.values())
    yield Delta(
        effect,
        f"changed format from {_show_set(pair.base.formats)} to {_show_set(pair.head.formats)}",
        confidence=Confidence.POSSIBLE if reason else None,
        unproved=reason,
        facts=("encoding",) if any(node.pointer.endswith("/contentEncoding") for node in where) else (),
        **pair.nodes(next(iter(pair.base.formats.values()), None), next(iter(pair.head.formats.values()), None)),
    )


@rule(
    "format-changed",
    area="schema",
    pair=StringPair,
    impact=Impact.POSSIBLE,
    claims=("format", "contentEncoding"),
)
def format_changed(pair: StringPair) -> Iterator[Delta]:
    """Text must be written in another format, or a number has another width.

    Why it matters: a parser for one format fails on another, and a reader that holds an int32 overflows when int64
    arrives. Formats with a definition in JSON Schema or the OpenAPI registry are compared by what they accept; of any
    other the documents cannot tell, so it is a warning. ``contentEncoding`` counts as the format that it is: base64 is
    what OpenAPI 3.0 calls ``byte``.

    Breaks (request):
        base: {type: string}
        head: {type: string, format: uuid}

    Breaks (response):
        base: {type: string, format: date}
        head: {type: string, format: date-time}

    Breaks (response):
        base: {type: integer, format: int32}
        head: {type: integer, format: int64}

    Holds (request):
        base: {type: integer, format: int32}
        head: {type: integer, format: int64}

    Holds (response):
        base: {type: string, format: byte}
        head: {type: string, contentEncoding: base64}

    Warns (response):
        base: {type: string, format: tracking-number}
        head: {type: string, format: parcel-code}

    Holds (request):
        base: {type: string, format: uri}
        head: {type: string, format: uri-reference}
    """
    yield from _format_delta(pair, "string")


@also("format-changed", pair=NumberPair)
def number_format_changed(pair: NumberPair) -> Iterator[Delta]:
    """A number has another width."""
    yield from _format_delta(pair, "integer" if pair.base.integer and pair.head.integer else "number")

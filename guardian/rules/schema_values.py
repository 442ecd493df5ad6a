"""Rules on scalar values: listed values, patterns and formats."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from guardian.model import Confidence, Direction, Effect, Hit, Impact, Severity
from guardian.rules import formats, patterns, widths
from guardian.rules.facts import turn
from guardian.rules.pairs import UNKNOWN_SENT, AtomPair, Delta, NumberPair, StringPair
from guardian.rules.registry import also, rule
from guardian.spec.api import Node
from guardian.spec.facets import admits
from guardian.spec.shape import Atom

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
    ours, theirs = widths.formats_of(pair.base, pair.head), widths.formats_of(pair.head, pair.base)
    effect, reason = formats.relate(ours, theirs, kind)
    if effect is None:
        return
    where = (*pair.base.formats.values(), *pair.head.formats.values())
    sent, received = (ours, theirs) if pair.direction is Direction.REQUEST else (theirs, ours)
    facts = ["encoding"] if any(node.pointer.endswith("/contentEncoding") for node in where) else []
    if formats.unknown(sent, received):
        facts.append(UNKNOWN_SENT)
    yield Delta(
        effect,
        f"changed format from {_show_set(pair.base.formats)} to {_show_set(pair.head.formats)}",
        confidence=Confidence.POSSIBLE if reason else None,
        unproved=reason,
        facts=tuple(facts),
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
    other the documents cannot tell, so it is a warning, be it what is sent or what is expected. ``contentEncoding`` counts as the format that it is: base64 is
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

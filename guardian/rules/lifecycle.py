"""Rules on what is announced of operations and headers: deprecation, sunset, stability. None of it is on the wire yet."""

from __future__ import annotations

from collections.abc import Iterator

from guardian.model import Effect, Hit, Impact, Severity
from guardian.rules.facts import STABILITY, field_of, in_words, place_of, stability, turn
from guardian.rules.pairs import Delta, HeaderPair, OperationPair, ParameterPair
from guardian.rules.presence import keyword
from guardian.rules.registry import also, rule
from guardian.spec.api import Parameter


@rule(
    "operation-deprecated",
    area="lifecycle",
    pair=OperationPair,
    hit=Hit.EVERY_USER,
    impact=Impact.SAFE,
    claims=("Operation.deprecated",),
)
def operation_deprecated(pair: OperationPair) -> Iterator[Delta]:
    """An operation is announced to go away.

    Why it matters: it works as before, and its callers should now plan to leave it.

    Holds (request):
        base: {/things: {get: {}}}
        head: {/things: {get: {deprecated: true}}}
    """
    if pair.base and pair.head and pair.head.deprecated and not pair.base.deprecated:
        yield Delta(
            Effect.ANNOTATION,
            f"{pair.base.name} is deprecated",
            base=pair.base.node,
            head=place_of(pair.head, "deprecated"),
            facts=("sunset",) if field_of(pair.head, "x-sunset") else (),
        )


@rule(
    "operation-undeprecated",
    area="lifecycle",
    pair=OperationPair,
    hit=Hit.EVERY_USER,
    impact=Impact.SAFE,
    claims=("Operation.deprecated",),
)
def operation_undeprecated(pair: OperationPair) -> Iterator[Delta]:
    """An operation is no longer announced to go away.

    Why it matters: whoever was leaving it may stay.

    Holds (request):
        base: {/things: {get: {deprecated: true}}}
        head: {/things: {get: {}}}
    """
    if pair.base and pair.head and pair.base.deprecated and not pair.head.deprecated:
        yield Delta(
            Effect.ANNOTATION,
            f"{pair.base.name} is no longer deprecated",
            base=place_of(pair.base, "deprecated"),
            head=pair.head.node,
        )


@rule(
    "sunset-changed",
    area="lifecycle",
    pair=OperationPair,
    hit=Hit.EVERY_USER,
    impact=Impact.SAFE,
    claims=("Operation.x-sunset",),
)
def sunset_changed(pair: OperationPair) -> Iterator[Delta]:
    """The day on which an operation goes away is another one (``x-sunset``, after RFC 8594).

    Why it matters: it is the date that callers plan by.

    Holds (request):
        base: {/things: {get: {deprecated: true, x-sunset: "2027-01-31"}}}
        head: {/things: {get: {deprecated: true, x-sunset: "2027-06-30"}}}
    """
    yield from _extension_changed(pair, "x-sunset")


@rule(
    "stability-changed",
    area="lifecycle",
    pair=OperationPair,
    hit=Hit.EVERY_USER,
    impact=Impact.POSSIBLE,
    claims=("Operation.x-stability-level",),
)
def stability_changed(pair: OperationPair) -> Iterator[Delta]:
    """An operation promises more or less stability (``x-stability-level``: draft, alpha, beta, stable).

    Why it matters: a level that fell takes back a promise that callers built on: a warning, since nothing on the wire
    is different yet. No level at all counts as stable.

    Warns (request):
        base: {/things: {get: {x-stability-level: stable}}}
        head: {/things: {get: {x-stability-level: alpha}}}

    Holds (request):
        base: {/things: {get: {x-stability-level: beta}}}
        head: {/things: {get: {x-stability-level: stable}}}
    """
    key = STABILITY.get()
    for delta in _extension_changed(pair, key):
        fact = stability(*(field_of(side, key) for side in (pair.base, pair.head)))
        if fact == "decreased":
            yield delta._replace(severity=Severity.WARNING, facts=(fact,))
        elif fact is not None:
            yield delta._replace(impact=Impact.SAFE, facts=(fact,))


@rule(
    "header-deprecated",
    area="lifecycle",
    pair=HeaderPair,
    impact=Impact.SAFE,
    claims=("Header.deprecated",),
)
def header_deprecated(pair: HeaderPair) -> Iterator[Delta]:
    """A response header is announced to go away.

    Why it matters: it comes as before, and its readers should now plan to do without it.

    Holds (response):
        base: {/things: {get: {responses: {"200": {headers: {X-Total: {schema: {}}}}}}}}
        head: {/things: {get: {responses: {"200": {headers: {X-Total: {deprecated: true, schema: {}}}}}}}}
    """
    if pair.base and pair.head and pair.head.deprecated and not pair.base.deprecated:
        yield Delta(
            Effect.ANNOTATION,
            f"header `{pair.base.name}` is deprecated",
            field=pair.base.field,
            base=pair.base.node,
            head=keyword(pair.head.node, "deprecated"),
        )


@rule(
    "header-undeprecated",
    area="lifecycle",
    pair=HeaderPair,
    impact=Impact.SAFE,
    claims=("Header.deprecated",),
)
def header_undeprecated(pair: HeaderPair) -> Iterator[Delta]:
    """A response header is no longer announced to go away.

    Why it matters: whoever was to do without it may keep it.

    Holds (response):
        base: {/things: {get: {responses: {"200": {headers: {X-Total: {deprecated: true, schema: {}}}}}}}}
        head: {/things: {get: {responses: {"200": {headers: {X-Total: {schema: {}}}}}}}}
    """
    if pair.base and pair.head and pair.base.deprecated and not pair.head.deprecated:
        yield Delta(
            Effect.ANNOTATION,
            f"header `{pair.base.name}` is no longer deprecated",
            field=pair.base.field,
            base=keyword(pair.base.node, "deprecated"),
            head=pair.head.node,
        )


@also("sunset-changed", pair=ParameterPair, claims=("Parameter.x-sunset",))
def parameter_sunset_changed(pair: ParameterPair) -> Iterator[Delta]:
    """The day on which a parameter goes away is another one."""
    if pair.base and pair.head:
        yield from _sunset_of(pair.base, pair.head, f"{pair.base.location} parameter")


@also("sunset-changed", pair=HeaderPair, claims=("Header.x-sunset",))
def header_sunset_changed(pair: HeaderPair) -> Iterator[Delta]:
    """The day on which a response header goes away is another one."""
    if pair.base and pair.head:
        yield from _sunset_of(pair.base, pair.head, "header")


def _sunset_of(base: Parameter, head: Parameter, what: str) -> Iterator[Delta]:
    before, after = (
        side.node.value.get("x-sunset") if isinstance(side.node.value, dict) else None for side in (base, head)
    )
    if before != after:
        yield Delta(
            Effect.ANNOTATION,
            f"{what} `{base.name}`: {in_words('x-sunset', before, after)}",
            field=base.field,
            base=keyword(base.node, "x-sunset"),
            head=keyword(head.node, "x-sunset"),
            hit=Hit.READER,
            facts=(turn(before, after),),
        )


def _extension_changed(pair: OperationPair, key: str) -> Iterator[Delta]:
    """A delta if an extension's value differs between two sides that both have the operation."""
    if not pair.base or not pair.head:
        return
    before, after = field_of(pair.base, key), field_of(pair.head, key)
    if before != after:
        yield Delta(
            Effect.ANNOTATION,
            in_words(key, before, after),
            base=place_of(pair.base, key),
            head=place_of(pair.head, key),
            facts=(turn(before, after),),
        )

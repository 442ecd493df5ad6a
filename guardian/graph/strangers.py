"""Declarations that meet nothing: operations the provider does not have, services that are not here."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Literal, NamedTuple

from guardian.graph.consumers.names import Names
from guardian.graph.consumers.routes import Routes
from guardian.graph.lineage import Lost, lost, provider
from guardian.graph.surface import Surface
from guardian.graph.uses import Consumer, Exposure, Use
from guardian.model import (
    Change,
    Confidence,
    ConsumerImpact,
    Direction,
    Effect,
    Hit,
    Impact,
    Location,
    Note,
    Severity,
)

UNKNOWN_OPERATION = "consumer-operation-unknown"


def unknown_operations(
    routes: Routes, consumers: Iterable[Consumer], services: Collection[str] | None = None
) -> list[Change]:
    """A finding for every operation that a consumer declares and neither side of its provider has.

    A warning: nothing that this change does breaks anybody, yet either the declaration is wrong, and then what it
    says protects nobody, or the consumer calls something that does not exist. An operation that base has and head has
    not is no such finding but a removed operation. What was only seen in recordings and logs is no declaration.
    A target of lineage that the consumer's own API does not have is such a finding too.

    Args:
        routes: finds the operations of both sides.
        consumers: as head declares them.
        services: look at the uses of these alone; left out for all that ``routes`` knows.
    """
    wanted = routes.services if services is None else set(routes.services) & set(services)
    found: dict[tuple[str, str, str], Change] = {}
    surface = Surface()
    for consumer in consumers:
        for use in consumer.uses:
            if use.operation is None or use.confidence == "called" or use.service not in wanted:
                continue
            for each in lost(routes, surface, use):
                key = (consumer.name, use.service, each.sentence)
                found.setdefault(key, _lost(routes.key(use.service, use.operation), consumer, use, each))
            if routes.base(use.service, use.operation) or routes.head(use.service, use.operation):
                continue
            operation = routes.key(use.service, use.operation)
            found.setdefault((consumer.name, use.service, operation), _finding(routes, consumer, use, operation))
    return [change for _, change in sorted(found.items())]


def _finding(routes: Routes, consumer: Consumer, use: Use, operation: str) -> Change:
    near = difflib.get_close_matches(operation, routes.operations(use.service), n=1, cutoff=0.7)
    hint = f"; the nearest is {near[0]}" if near else ""
    message = f"{consumer.name} declares {use.operation}, which {use.service} does not have{hint}"
    why = "A declaration that names no operation protects nobody: correct it, or correct the consumer."
    declares = f"{consumer.name} declares {use.operation}"
    return _change(consumer, use, operation, _Told(message, why, declares, use.origin))


def _lost(operation: str, consumer: Consumer, use: Use, lost: Lost) -> Change:
    why = "Whoever reads what is passed on there is not found when the field changes: correct the declaration."
    declares = f"{consumer.name} declares {lost.exposure.operation}#{lost.exposure.field} as its own"
    told = _Told(lost.sentence, why, declares, lost.exposure.origin, str(lost.exposure.path))
    return _change(consumer, use, operation, told)


class _Told(NamedTuple):
    """What a finding says of a declaration, and where that stands."""

    message: str
    why: str
    because: str
    origin: Location
    field: str = ""


def _change(consumer: Consumer, use: Use, operation: str, told: _Told) -> Change:
    impact = ConsumerImpact(
        consumer.name,
        Impact.POSSIBLE,
        1,
        use.confidence,
        (told.because,),
        told.origin,
        consumer.owner,
        consumer.contact,
    )
    return Change(
        rule=UNKNOWN_OPERATION,
        service=use.service,
        operation=operation,
        direction=Direction.REQUEST,
        place="operation",
        field=told.field,
        effect=Effect.ANNOTATION,
        severity=Severity.WARNING,
        counts_as=Severity.WARNING,
        confidence=Confidence.CERTAIN,
        message=told.message,
        why=told.why,
        base=None,
        head=told.origin,
        consumers=(impact,),
        hit=Hit.NOBODY,
    )


def unknown_services(consumers: Iterable[Consumer], services: Collection[str]) -> list[Note]:
    """Notes on services that consumers name and that are none of these; a warning where nothing else is named.

    Args:
        consumers: as declared.
        services: every service that is configured, looked at in this run or not.
    """
    users: dict[str, dict[str, Use]] = {}
    passing: dict[str, Exposure] = {}
    known = False
    for consumer in consumers:
        for use in consumer.uses:
            for exposure in use.exposes:
                if provider(use, exposure) not in services:
                    passing.setdefault(consumer.name, exposure)
            if use.service in services:
                known = True
            else:
                users.setdefault(use.service, {}).setdefault(consumer.name, use)
    level: Literal["info", "warning"] = "info" if known else "warning"
    return [*_notes(users, services, level), *_nowhere(passing)]


def _notes(users: dict[str, dict[str, Use]], services: Collection[str], level: str) -> Iterator[Note]:
    names = Names(services)
    for service, uses in sorted(users.items()):
        first = uses[min(uses)]
        who = ", ".join(sorted(uses)[:3]) + (f" and {len(uses) - 3} more" if len(uses) > 3 else "")
        near = names.find(service)
        if near:
            hint = f"; is {near} meant?"
        else:
            hint = f"; here is {', '.join(sorted(services))}" if 0 < len(services) < 4 else ""
        yield Note(level, f"{who} uses {service}, which is no service here{hint}", first.origin.file)


def _nowhere(passing: Mapping[str, Exposure]) -> Iterator[Note]:
    """Notes on consumers that pass fields on through an API of their own, which is not here."""
    for name, exposure in sorted(passing.items()):
        text = f"{name} passes fields on through its own API, and no service here is called so"
        yield Note("info", text, exposure.origin.file)

"""Declarations that meet nothing: operations the provider does not have, services that are not here."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator

from guardian.graph.consumers.names import Names
from guardian.graph.consumers.routes import Routes
from guardian.graph.uses import Consumer, Use
from guardian.model import (
    Change,
    Confidence,
    ConsumerImpact,
    Direction,
    Effect,
    Hit,
    Impact,
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

    Args:
        routes: finds the operations of both sides.
        consumers: as head declares them.
        services: look at the uses of these alone; left out for all that ``routes`` knows.
    """
    wanted = routes.services if services is None else set(routes.services) & set(services)
    found: dict[tuple[str, str, str], Change] = {}
    for consumer in consumers:
        for use in consumer.uses:
            if use.operation is None or use.confidence == "called" or use.service not in wanted:
                continue
            if routes.base(use.service, use.operation) or routes.head(use.service, use.operation):
                continue
            operation = routes.key(use.service, use.operation)
            found.setdefault((consumer.name, use.service, operation), _finding(routes, consumer, use, operation))
    return [change for _, change in sorted(found.items())]


def _finding(routes: Routes, consumer: Consumer, use: Use, operation: str) -> Change:
    near = difflib.get_close_matches(operation, routes.operations(use.service), n=1, cutoff=0.7)
    hint = f"; the nearest is {near[0]}" if near else ""
    impact = ConsumerImpact(
        consumer.name,
        Impact.POSSIBLE,
        1,
        use.confidence,
        (f"{consumer.name} declares {use.operation}",),
        use.origin,
        consumer.owner,
        consumer.contact,
    )
    return Change(
        rule=UNKNOWN_OPERATION,
        service=use.service,
        operation=operation,
        direction=Direction.REQUEST,
        place="operation",
        field="",
        effect=Effect.ANNOTATION,
        severity=Severity.WARNING,
        counts_as=Severity.WARNING,
        confidence=Confidence.CERTAIN,
        message=f"{consumer.name} declares {use.operation}, which {use.service} does not have{hint}",
        why="A declaration that names no operation protects nobody: correct it, or correct the consumer.",
        base=None,
        head=use.origin,
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
    known = False
    for consumer in consumers:
        for use in consumer.uses:
            if use.service in services:
                known = True
            else:
                users.setdefault(use.service, {}).setdefault(consumer.name, use)
    return list(_notes(users, services, "info" if known else "warning"))


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

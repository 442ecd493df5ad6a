"""Recorded interactions, held against a patched head: what a contract test sent and got must still be what fits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from guardian.fixes.replay import Player, Problem
from guardian.graph.consumers.routes import Routes
from guardian.graph.recordings import exchanges
from guardian.graph.uses import Consumer


@dataclass(frozen=True, slots=True)
class Replayed:
    """What came of holding recordings against a side: how many exchanges were judged, and who has one that fails."""

    judged: int
    failed: tuple[str, ...]


def replay(
    consumers: list[Consumer],
    files: Mapping[str, bytes],
    routes: Routes,
    services: frozenset[str],
    unpatched: Routes,
    others: Mapping[tuple[str, str], bool],
) -> Replayed:
    """Judge every exchange that base accepted.

    Args:
        consumers: whose contract tests are looked at; what was merely recorded says nothing of what is needed.
        files: the recordings by the name that reports give them.
        routes: finds operations on base, which the recordings were made against, and on the side with the fix.
        services: the services to look at.
        unpatched: finds operations on head without the fix.
        others: service and operation of what is broken by something that the fix is not about, and whether it is about
            the operation too. There a recording need not fit, but it must fit no worse, or better if it is.
    """
    on_base, on_head, on_unpatched = Player(), Player(), Player()
    judged = 0
    failed: dict[str, None] = {}
    for exchange in exchanges(consumers, files):
        if exchange.service not in services or not exchange.is_excerpt:
            continue
        if routes.crosses(exchange.service, exchange.operation):
            continue  # head has another operation answer this path, which no fix is about
        before = routes.base(exchange.service, exchange.operation)
        if before is None or on_base.problems(before, exchange):
            continue  # a recording of another time: nothing can be told from it
        after = routes.head(exchange.service, exchange.operation)
        found = set(on_head.problems(after, exchange)) if after is not None else None
        mended = others.get((exchange.service, before.name))
        if found != set() and mended is not None:
            then = unpatched.head(exchange.service, exchange.operation)
            was = set(on_unpatched.problems(then, exchange)) if then is not None else None
            if _fits_no_worse(found, was, better=mended):
                continue
        judged += 1
        if found != set():
            failed[f"{exchange.consumer}'s recording of {exchange.operation}"] = None
    return Replayed(judged, tuple(sorted(failed)))


def _fits_no_worse(found: set[Problem] | None, was: set[Problem] | None, *, better: bool) -> bool:
    """Whether the problems of an exchange are some of those it had; ``better``: not all. ``None`` is no operation."""
    if found is None or was is None:
        return found is was
    return found < was if better else found <= was

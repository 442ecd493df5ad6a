"""Recorded interactions, held against a patched head: what a contract test sent and got must still be what fits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from guardian.fixes.replay import Player
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
) -> Replayed:
    """Judge every exchange that base accepted.

    Args:
        consumers: whose contract tests are looked at; what was merely recorded says nothing of what is needed.
        files: the recordings by the name that reports give them.
        routes: finds operations on base, which the recordings were made against, and on the side with the fix.
        services: the services to look at.
    """
    on_base, on_head = Player(), Player()
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
        judged += 1
        if after is None or on_head.problems(after, exchange):
            failed[f"{exchange.consumer}'s recording of {exchange.operation}"] = None
    return Replayed(judged, tuple(sorted(failed)))

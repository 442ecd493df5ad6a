"""What is left of each change's severity once its consumers are known: the table of the three modes.

The contract says how bad a change is for anybody; the consumers say whether there is anybody.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from guardian.model import Change, Impact, Mode, Severity

if TYPE_CHECKING:
    from guardian.graph.uses import Consumer


def settle(
    changes: Iterable[Change],
    mode: Mode,
    consumers: Iterable[Consumer],
    public: Collection[str] = (),
    lowered: Callable[[Change], bool] = lambda change: False,
) -> list[Change]:
    """The changes with ``counts_as`` by mode and consumers.

    ===========  =====================================================================================
    mode         a breaking change counts as
    ===========  =====================================================================================
    contract     breaking
    consumers    breaking if a consumer is ``broken``, warning if one is ``possible``, else info
    both         breaking if a consumer is ``broken``, or the service is public, or nobody has declared
                 anything about it; else warning
    ===========  =====================================================================================

    In the last two modes whatever leaves a consumer ``broken`` counts as breaking, a warning or an addition that only
    strict consumers mind included; what the contract calls a warning never counts as more than that otherwise. Where base
    said by a stability level that it promises nothing, no consumer makes it worse: it is out of the verdict.

    Args:
        changes: with the consumers they hit.
        mode: whose judgement counts.
        consumers: all that are declared, hit or not.
        public: the services that have readers nobody declared.
        lowered: whether the user has said how severe this change is; then no consumer makes it worse.
    """
    declared = {use.service for consumer in consumers for use in consumer.uses}
    return [
        _counting(change, _counts_as(change, mode, change.service in declared, change.service in public, lowered))
        for change in changes
    ]


def _counting(change: Change, severity: Severity) -> Change:
    return change if change.counts_as is severity else change._replace(counts_as=severity)


def _counts_as(change: Change, mode: Mode, declared: bool, public: bool, lowered: Callable[[Change], bool]) -> Severity:
    severity = change.severity
    if mode is Mode.CONTRACT or severity is Severity.OFF:
        return severity
    worst = max((each.impact for each in change.consumers), key=lambda impact: impact.rank, default=Impact.SAFE)
    if severity is Severity.INFO and worst is not Impact.BROKEN:
        return severity
    if severity is not Severity.BREAKING and (lowered(change) or not change.promised):
        return severity
    if worst is Impact.BROKEN:
        return Severity.BREAKING
    if mode is Mode.CONSUMERS:
        return Severity.WARNING if worst is Impact.POSSIBLE else Severity.INFO
    if severity is Severity.BREAKING and (public or not declared):
        return Severity.BREAKING
    return Severity.WARNING


def only(changes: Iterable[Change], names: Sequence[str]) -> list[Change]:
    """The changes that touch one of these consumers, with no others named: ``--consumer``."""
    wanted = set(names)
    kept = (
        change._replace(consumers=tuple(each for each in change.consumers if each.consumer in wanted))
        for change in changes
    )
    return [change for change in kept if change.consumers]

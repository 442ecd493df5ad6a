"""Which strategy a patch is, told by what it does: whoever wrote it may call it what they like."""

from __future__ import annotations

from guardian.fixes.bench import Bench, Trial
from guardian.fixes.findings import key
from guardian.fixes.marks import DATED, told
from guardian.fixes.work import ALIAS_OF, VERSIONS
from guardian.model import Strategy

# A form that has come beside another, under a path or media type of its own.
_NEW_VERSION = frozenset({"operation-added", "media-type-added"})


def strategy_of(bench: Bench, trial: Trial, claimed: Strategy) -> Strategy:
    """The strategy that a patch follows: the claimed one if it does, else the first of those that it does follow.

    Where neither a version, nor an alias, nor a day until which something stays is in it, both forms are carried.
    """
    if not trial.services:
        return Strategy.CONSUMER_PATCH
    marks = {mark for each in told(bench, trial) for mark in each.marks}
    found: list[Strategy] = []
    if VERSIONS in marks or any(each.rule in _NEW_VERSION and key(each) not in bench.known for each in trial.fresh):
        found.append(Strategy.VERSION_BUMP)
    if ALIAS_OF in marks:
        found.append(Strategy.FIELD_ALIAS)
    if marks & DATED:
        found.append(Strategy.DEPRECATION_WINDOW)
    followed = found or [Strategy.DUAL_WRITE]
    return claimed if claimed in followed else followed[0]

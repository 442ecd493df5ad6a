"""What every writer for people needs: the changes in one order, and the same edit in many operations as one block.

A shared component that changes once is one edit to its author, however many operations show it. Changes of the
same rule at the same places of base and head therefore make one block; its consumers are merged.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from guardian.model import Change, ConsumerImpact, Impact, Location, Report, Severity


class Standing(StrEnum):
    """Where a change ends up in a report for people, most urgent first."""

    BREAKING = "breaking"
    WARNING = "warning"
    ACCEPTED = "accepted"  # an exception covers it
    UNREAD = "unread"  # breaks the contract, counts as info: no declared consumer is hit
    INFO = "info"

    @property
    def rank(self) -> int:
        """0 is the most urgent."""
        return _RANKS[self]

    @property
    def counts(self) -> bool:
        """Whether it weighs on the verdict at all."""
        return self in (Standing.BREAKING, Standing.WARNING)


_RANKS = {each: rank for rank, each in enumerate(Standing)}


def standing(change: Change) -> Standing:
    """Where the change ends up; decided by ``counts_as`` and ``exception`` alone."""
    if change.exception is not None:
        return Standing.ACCEPTED
    if change.counts_as is Severity.BREAKING:
        return Standing.BREAKING
    if change.counts_as is Severity.WARNING:
        return Standing.WARNING
    return Standing.UNREAD if change.severity is Severity.BREAKING else Standing.INFO


def order(change: Change) -> tuple[object, ...]:
    """The sort key of changes in all reports: urgent first, then by place. Total, so that bytes are stable."""
    place = (change.service, change.operation, change.direction.value, change.place, change.field)
    return (standing(change).rank, -change.severity.rank, *place, change.rule, change.fingerprint, change.message)


def ordered(report: Report, *, harmless: bool = True) -> list[Change]:
    """The changes of the report in report order; ``harmless``: with those that neither count nor break the contract."""
    changes = report.changes if harmless else [each for each in report.changes if standing(each) is not Standing.INFO]
    return sorted(changes, key=order)


def listed(consumers: Iterable[ConsumerImpact]) -> list[ConsumerImpact]:
    """The consumers that a report lists: broken ones first, safe ones not at all, then nearest first."""
    hit = [impact for impact in consumers if impact.impact is not Impact.SAFE]
    return sorted(hit, key=lambda impact: (-impact.impact.rank, impact.hops, impact.consumer, impact.because))


class Block(NamedTuple):
    """One edit and all the changes it makes; never empty.

    ``consumers`` are those hit by any of the changes, each once: worst impact, shortest way, all reasons.
    """

    changes: tuple[Change, ...]
    consumers: tuple[ConsumerImpact, ...]

    @property
    def lead(self) -> Change:
        """The change that speaks for the block."""
        return self.changes[0]

    @property
    def standing(self) -> Standing:
        return standing(self.lead)

    @property
    def operations(self) -> tuple[str, ...]:
        """The operations concerned, each once, in report order."""
        return tuple(dict.fromkeys(change.operation for change in self.changes))

    @property
    def fingerprints(self) -> frozenset[str]:
        return frozenset(change.fingerprint for change in self.changes)

    @property
    def broken(self) -> int:
        """How many consumers it breaks."""
        return sum(impact.impact is Impact.BROKEN for impact in self.consumers)


def blocks(report: Report, *, harmless: bool = True) -> list[Block]:
    """The report's changes as blocks: urgent first, among those the ones that break most consumers first."""
    groups: dict[object, list[Change]] = {}
    for number, change in enumerate(ordered(report, harmless=harmless)):
        groups.setdefault(_edit(change, number), []).append(change)
    found = [Block(tuple(group), _merged(group)) for group in groups.values()]
    return sorted(found, key=lambda block: (block.standing.rank, -block.broken))  # stable: else in report order


def _merged(changes: list[Change]) -> tuple[ConsumerImpact, ...]:
    by_name: dict[str, list[ConsumerImpact]] = {}
    for impact in (impact for change in changes for impact in listed(change.consumers)):
        by_name.setdefault(impact.consumer, []).append(impact)
    merged = []
    for impacts in by_name.values():
        worst = max(impacts, key=lambda impact: (impact.impact.rank, -impact.hops))
        because = dict.fromkeys(reason for impact in impacts for reason in impact.because)
        merged.append(worst._replace(because=tuple(because)))
    return tuple(listed(merged))


def _edit(change: Change, number: int) -> object:
    """What makes two changes one edit. A change without a place of its own stays alone."""
    sides = (_spot(change.base), _spot(change.head))
    if sides == (None, None):
        return number
    return (standing(change), change.severity, change.rule, change.service, change.direction, *sides)


def _spot(location: Location | None) -> tuple[str, str] | None:
    return (location.file, location.pointer) if location is not None and location.pointer else None

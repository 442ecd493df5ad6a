"""Accepted findings: which changes an exceptions file accepts, and what is wrong with its entries.

An entry accepts what it matches until its last day, and only with the sign-off of the owners of the consumers that
the change breaks. What it accepts stays in the report.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, TypeAlias

from guardian.check.policy import reason
from guardian.errors import UsageError
from guardian.model import (
    AcceptedBy,
    Change,
    Confidence,
    Direction,
    Effect,
    Impact,
    Note,
    Severity,
)
from guardian.rules.identity import same_print
from guardian.rules.registry import find_rule

if TYPE_CHECKING:
    from guardian.config.accepted import ExceptionEntry

#: All that services are called, and which of them that means.
Called: TypeAlias = Mapping[str, Sequence[str]]

_VARIABLE = re.compile(r"\{[^}]*\}")


def accept(
    changes: Iterable[Change],
    entries: Sequence[ExceptionEntry],
    as_of: date,
    names: Called,
    passed_over: Collection[str] = (),
) -> tuple[list[Change], list[Change]]:
    """The changes with what is accepted marked, and a finding for each entry that is expired, stale or unsigned.

    What counts for nothing needs no exception; an entry that speaks of it is in use all the same.

    Args:
        changes: settled changes, with their consumers.
        entries: the exceptions file.
        as_of: the day to judge expiries on.
        names: all that services are called, and which of them that means.
        passed_over: the services that were not looked at; an entry that may mean one of them is not stale.
    """
    if not entries:
        return list(changes), []
    used: set[int] = set()
    unsigned: dict[int, set[str]] = {}
    settled: list[Change] = []
    for change in changes:
        matching = [index for index, entry in enumerate(entries) if matches(entry, change, names)]
        used.update(matching)
        settled.append(change)
        if change.counts_as.rank < Severity.WARNING.rank:
            continue
        alive = {index: missing_signatures(entries[index], change) for index in matching}
        alive = {index: missing for index, missing in alive.items() if entries[index].expires >= as_of}
        signed = next((index for index, missing in alive.items() if not missing), None)
        if signed is not None:
            settled[-1] = change._replace(exception=_accepted(entries[signed]), counts_as=Severity.INFO)
            continue
        for index, missing in alive.items():
            unsigned.setdefault(index, set()).update(missing)
    findings: list[Change] = []
    for index, entry in enumerate(entries):
        if entry.expires < as_of:
            findings.append(_finding("exception-expired", entry, f"expired on {entry.expires.isoformat()}"))
        elif index not in used and not _may_mean(entry, passed_over, names):
            why = _why_not(entry, names)
            findings.append(_finding("exception-stale", entry, f"matches no finding any more{why}"))
        elif index in unsigned:
            owners = ", ".join(sorted(unsigned[index]))
            findings.append(
                _finding("exception-unsigned", entry, f"is not approved by {owners}, whose consumers the change breaks")
            )
    return settled, findings


def matches(entry: ExceptionEntry, change: Change, names: Called) -> bool:
    """True if the entry speaks of this change; what it leaves out is any.

    A fingerprint names the change wherever its file has moved to, and so under whatever name its service now has. Where
    a service is called as the entry says, that is meant: two APIs of one title may change alike.
    """
    meant = names.get(entry.service)
    return (
        (entry.rule == change.rule or entry.rule in change.aliases.values())
        and (entry.fingerprint is None or same_print(entry.fingerprint, entry.service, change))
        and (entry.fingerprint is not None if meant is None else change.service in meant)
        and (entry.operation is None or _erased(entry.operation) == _erased(change.operation))
        and (entry.field is None or entry.field == change.field or entry.field in change.also)
    )


def taken_for_another(changes: Iterable[Change], entries: Sequence[ExceptionEntry], names: Called) -> list[Note]:
    """A note for each entry of a service that is not here, and that is taken for another by its fingerprint alone."""
    strangers = [entry for entry in entries if entry.service not in names and entry.fingerprint is not None]
    notes = []
    for entry in strangers:
        meant = sorted({change.service for change in changes if matches(entry, change, names)})
        if meant:
            text = (
                f"the exception for {described(entry)} names {entry.service}, which is no service here, and is taken for "
                f"{' and '.join(meant)} by its fingerprint; if that is the same service, correct `service`, else remove it"
            )
            notes.append(Note("warning", text, entry.location.file, entry.location.line))
    return notes


def _may_mean(entry: ExceptionEntry, services: Collection[str], names: Called) -> bool:
    """Whether an entry may speak of one of these services; by its fingerprint it may of any if its own is not here."""
    meant = names.get(entry.service)
    if meant is None:
        return bool(services) and entry.fingerprint is not None
    return not set(services).isdisjoint(meant)


def missing_signatures(entry: ExceptionEntry, change: Change) -> set[str]:
    """The owners of broken consumers who have not approved; a consumer without an owner needs no signature."""
    owners = {each.owner for each in change.consumers if each.impact is Impact.BROKEN and each.owner}
    return {owner for owner in owners if not _has_approved(owner, entry.approved_by)}


@dataclass(frozen=True, slots=True)
class Review:
    """One entry beside the findings of a fresh check that it matches.

    Attributes:
        index: its place in the file, from 0.
        matched: the findings that it speaks of, whether it accepts them or not.
        unsigned: the owners who would still have to approve.
        days: how many days it holds after today; negative once it is over.
    """

    entry: ExceptionEntry
    index: int
    matched: tuple[Change, ...]
    unsigned: tuple[str, ...]
    days: int

    @property
    def stale(self) -> bool:
        """Whether it matches nothing any more."""
        return not self.matched

    @property
    def expired(self) -> bool:
        """Whether its last day is over."""
        return self.days < 0

    @property
    def state(self) -> str:
        """How things stand with it, in a few words."""
        count = len(self.matched)
        findings = "1 finding" if count == 1 else f"{count} findings"
        if self.expired:
            return f"expired on {self.entry.expires}; " + (f"{findings} count again" if count else "matches no finding")
        until = f"until {self.entry.expires} ({self.days} days)"
        if self.stale:
            return f"matches no finding any more; would hold {until}"
        if self.unsigned:
            return f"accepts nothing before {', '.join(self.unsigned)} approve; would hold {until}"
        return f"accepts {findings} {until}"


def review(entries: Sequence[ExceptionEntry], changes: Sequence[Change], as_of: date, names: Called) -> list[Review]:
    """Every entry beside what it matches.

    Args:
        changes: those of a check that accepts nothing.
        names: all that services are called, and which of them that means.
    """
    found = []
    for index, entry in enumerate(entries):
        matched = tuple(change for change in changes if matches(entry, change, names))
        counting = [change for change in matched if change.counts_as.rank >= Severity.WARNING.rank]
        unsigned = sorted({owner for change in counting for owner in missing_signatures(entry, change)})
        found.append(Review(entry, index, matched, tuple(unsigned), (entry.expires - as_of).days))
    return found


def _has_approved(owner: str, approved_by: Collection[str]) -> bool:
    """Whether an owner is among those who approved. Of several that CODEOWNERS names, one is enough, as on its hosts."""
    names = owner.split()
    several = names if all("@" in name for name in names) else [owner]
    approved = {name.removeprefix("@").casefold() for name in approved_by}
    return any(name.removeprefix("@").casefold() in approved for name in (owner, *several))


def _erased(operation: str) -> str:
    """An operation without what does not name it: the variables' names, the case of its method."""
    words = _VARIABLE.sub("{}", operation).split()
    return " ".join([words[0].upper(), *words[1:]]) if words else ""


def _why_not(entry: ExceptionEntry, names: Called) -> str:
    """What is likely wrong with an entry that matches nothing; empty where it has merely had its day."""
    try:
        find_rule(entry.rule)
    except UsageError as unknown:
        return f": {unknown.message}" + (f", {unknown.hint}" if unknown.hint else "")
    if entry.service in names:
        return ""
    near = difflib.get_close_matches(entry.service, sorted(names), n=1)
    return f": there is no service {entry.service}" + (f", is {near[0]} meant?" if near else "")


def _accepted(entry: ExceptionEntry) -> AcceptedBy:
    return AcceptedBy(
        reason=entry.reason,
        owner=entry.owner,
        expires=entry.expires.isoformat(),
        approved_by=entry.approved_by,
        location=entry.location,
    )


def described(entry: ExceptionEntry) -> str:
    """What an entry speaks of, in a few words."""
    return " ".join(part for part in (entry.rule, entry.service, entry.operation, entry.field) if part)


def _finding(rule: str, entry: ExceptionEntry, words: str) -> Change:
    what = described(entry)
    text = "\x1f".join((rule, what, entry.fingerprint or ""))
    return Change(
        rule=rule,
        service=entry.service,
        operation=entry.operation or "",
        direction=Direction.REQUEST,
        place="exceptions",
        field=entry.field or "",
        effect=Effect.ANNOTATION,
        severity=Severity.WARNING,
        counts_as=Severity.WARNING,
        confidence=Confidence.CERTAIN,
        message=f"the exception for {what} {words}",
        why=reason(rule),
        base=None,
        head=entry.location,
        fingerprint=hashlib.sha256(text.encode()).hexdigest()[:12],
    )

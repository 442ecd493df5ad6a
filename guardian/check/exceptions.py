"""Accepted findings: which changes an exceptions file accepts, and what is wrong with its entries.

An entry accepts what it matches until its last day, and only with the sign-off of the owners of the consumers that
the change breaks. What it accepts stays in the report.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date

from guardian.config import ExceptionEntry
from guardian.model import (
    AcceptedBy,
    Change,
    Confidence,
    Direction,
    Effect,
    Impact,
    Severity,
)
from guardian.rules.registry import find_rule, load

_VARIABLE = re.compile(r"\{[^}]*\}")


def accept(
    changes: Iterable[Change], entries: Sequence[ExceptionEntry], as_of: date
) -> tuple[list[Change], list[Change]]:
    """The changes with what is accepted marked, and a finding for each entry that is expired, stale or unsigned.

    Args:
        changes: settled changes, with their consumers.
        entries: the exceptions file.
        as_of: the day to judge expiries on.
    """
    used: set[int] = set()
    unsigned: dict[int, set[str]] = {}
    settled: list[Change] = []
    for change in changes:
        settled.append(change)
        for index, entry in enumerate(entries):
            if not matches(entry, change):
                continue
            used.add(index)
            if entry.expires < as_of or change.exception is not None:
                continue
            missing = missing_signatures(entry, change)
            if missing and change.counts_as.rank >= Severity.WARNING.rank:
                unsigned.setdefault(index, set()).update(missing)
                continue
            settled[-1] = replace(change, exception=_accepted(entry), counts_as=Severity.INFO)
            break
    findings: list[Change] = []
    for index, entry in enumerate(entries):
        if entry.expires < as_of:
            findings.append(_finding("exception-expired", entry, f"expired on {entry.expires.isoformat()}"))
        elif index not in used:
            findings.append(_finding("exception-stale", entry, "matches no finding any more"))
        elif index in unsigned:
            names = ", ".join(sorted(unsigned[index]))
            findings.append(
                _finding("exception-unsigned", entry, f"is not approved by {names}, whom the change breaks")
            )
    return settled, findings


def matches(entry: ExceptionEntry, change: Change) -> bool:
    """True if the entry speaks of this change; what it leaves out is any."""
    return (
        _same_rule(entry.rule, change)
        and entry.service == change.service
        and (entry.operation is None or _erased(entry.operation) == _erased(change.operation))
        and (entry.field is None or entry.field == change.field)
        and (entry.fingerprint is None or entry.fingerprint == change.fingerprint)
    )


def missing_signatures(entry: ExceptionEntry, change: Change) -> set[str]:
    """The owners of broken consumers who have not approved; a consumer without an owner needs no signature."""
    owners = {each.owner for each in change.consumers if each.impact is Impact.BROKEN and each.owner}
    return owners - set(entry.approved_by)


def _same_rule(name: str, change: Change) -> bool:
    return name == change.rule or name in load()[change.rule].aliases if change.rule in load() else name == change.rule


def _erased(operation: str) -> str:
    return _VARIABLE.sub("{}", operation.strip())


def _accepted(entry: ExceptionEntry) -> AcceptedBy:
    return AcceptedBy(
        reason=entry.reason,
        owner=entry.owner,
        expires=entry.expires.isoformat(),
        approved_by=entry.approved_by,
        location=entry.location,
    )


def _finding(rule: str, entry: ExceptionEntry, words: str) -> Change:
    what = " ".join(part for part in (entry.rule, entry.service, entry.operation, entry.field) if part)
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
        why=find_rule(rule).why,
        base=None,
        head=entry.location,
        fingerprint=hashlib.sha256(text.encode()).hexdigest()[:12],
    )

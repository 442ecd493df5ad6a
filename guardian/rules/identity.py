"""What makes a change this very change in every run: its fingerprint, and its place in the one order of all reports."""

from __future__ import annotations

import hashlib
import re

from guardian.model import Change, Direction, Location

_VARIABLE = re.compile(r"\{[^}]*\}")


def fingerprint(change: Change, title: str) -> str:
    """12 hex digits that name this very change: what, where and between which values; never files, lines or order."""
    return fingerprint_of(
        change.rule, title, change.operation, change.direction, change.place, change.field, change.message
    )


def fingerprint_of(
    rule: str, title: str, operation: str, direction: Direction, place: str, field: str, message: str
) -> str:
    """As ``fingerprint``, of a change that is still to be made; ``title`` is that of the API."""
    parts = (rule, title, _VARIABLE.sub("{}", operation), direction.value, place, field, message)
    return hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:12]


def number_twins(changes: list[Change]) -> list[Change]:
    """Fingerprints made unique: what is told twice of one place is numbered in order."""
    seen: dict[str, int] = {}
    result: list[Change] = []
    for change in changes:
        count = seen.get(change.fingerprint, 0)
        seen[change.fingerprint] = count + 1
        if count:
            text = f"{change.fingerprint}:{count}"
            change = change._replace(fingerprint=hashlib.sha256(text.encode()).hexdigest()[:12])
        result.append(change)
    return result


def order(change: Change) -> tuple[str, ...]:
    """The one order of changes in every report: reports are the same bytes from run to run."""
    return (
        change.service,
        change.operation,
        change.place,
        change.field,
        change.rule,
        change.message,
        change.fingerprint,
        _spot(change.base),
        _spot(change.head),
    )


def _spot(place: Location | None) -> str:
    return f"{place.file}#{place.pointer}" if place is not None else ""

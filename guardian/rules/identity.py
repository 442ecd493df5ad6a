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
    return _digest("\x1f".join(parts))


def number_twins(changes: list[Change]) -> list[Change]:
    """Fingerprints made unique: numbered within a service; what another service has by the same title gets this service's.

    In this order, so that what a service has alone and beside another differs by the service's name and nothing else. Which
    of several services keeps the shorter name depends on the others; ``same_print`` knows either.
    """
    owners: dict[str, str] = {}
    seen: dict[tuple[str, str], int] = {}
    result: list[Change] = []
    for change in changes:
        name, own = change.fingerprint, (change.service, change.fingerprint)
        count = seen.get(own, 0)
        seen[own] = count + 1
        if count:
            name = _digest(f"{name}:{count}")
        if owners.setdefault(name, change.service) != change.service:
            name = _of_service(name, change.service)
        result.append(change if name == change.fingerprint else change._replace(fingerprint=name))
    return result


def same_print(accepted: str, service: str, change: Change) -> bool:
    """Whether a fingerprint that was copied from a report named this change of a service then, whatever broke beside it."""
    return (
        accepted == change.fingerprint
        or accepted == _of_service(change.fingerprint, service)
        or change.fingerprint == _of_service(accepted, change.service)
    )


def _of_service(fingerprint: str, service: str) -> str:
    return _digest(f"{fingerprint}:{service}")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


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

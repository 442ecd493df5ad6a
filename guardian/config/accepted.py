"""The values of the exceptions file, as its users write them.

A string below a field is its documentation: it becomes the description in the published JSON Schema
(``guardian schema exceptions``).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from guardian.model import Location


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedFinding:
    """One accepted finding as its file says it. A place that is left out is any such place of the service."""

    rule: str
    """The rule of the accepted change."""
    service: str
    """The service it is in."""
    operation: str | None = None
    """The operation as reports name it: `GET /users/{id}`."""
    field: str | None = None
    """The field as reports name it: `address.city`, `query:page`."""
    fingerprint: str | None = None
    """The fingerprint of this very change: 12 hex digits."""
    reason: str
    """Why it is accepted."""
    owner: str
    """Who accepted it."""
    approved_by: tuple[str, ...] = ()
    """The owners of the consumers it breaks."""
    expires: date
    """The last day it holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExceptionEntry(AcceptedFinding):
    """An accepted finding and where it stands in its file, with the line."""

    location: Location

"""GitLab Code Quality (the CodeClimate issue form that GitLab reads): a JSON array, empty when there is nothing.

GitLab shows an issue in the merge request where its fingerprint is new; so it holds no line number.
"""

from __future__ import annotations

import hashlib
from typing import Any

from guardian.model import Change, Location, Report
from guardian.report import words
from guardian.report.blocks import Standing, listed, ordered, standing
from guardian.report.escape import json_text, plain

#: The check name of notes, which are no changes.
NOTE_CHECK = "guardian-note"
_SEVERITIES = {
    Standing.BREAKING: "critical",
    Standing.WARNING: "minor",
    Standing.ACCEPTED: "info",
    Standing.UNREAD: "info",
    Standing.INFO: "info",
}
_NOTE_SEVERITIES = {"error": "major", "warning": "minor"}
_TEXT = 1000


def render(report: Report, *, verbose: bool = False) -> str:
    """One issue per change that someone should look at, harmless ones with ``verbose``; then the notes in files."""
    issues = [_issue(change) for change in ordered(report, harmless=verbose)]
    issues += [
        _entry(NOTE_CHECK, note.message, _NOTE_SEVERITIES[note.level], Location(note.file, line=note.line))
        for note in words.sorted_notes(report)
        if note.file is not None and note.level in _NOTE_SEVERITIES
    ]
    seen: dict[str, int] = {}
    for issue in issues:  # GitLab drops the second of two equal fingerprints
        key = issue["fingerprint"]
        seen[key] = seen.get(key, 0) + 1
        if seen[key] > 1:
            issue["fingerprint"] = _digest(key, str(seen[key]))
    return json_text(issues)


def _issue(change: Change) -> dict[str, Any]:
    said = f"{change.service}: {change.message} ({words.spot(change)})"
    consumers = listed(change.consumers)
    if consumers:
        said += "; " + words.names(f"{impact.consumer} {impact.impact.value}" for impact in consumers)
    if change.exception is not None:
        said += f"; accepted until {change.exception.expires}: {change.exception.reason}"
    place = change.head or change.base or Location(change.service)
    identity = (change.fingerprint, change.service, change.operation, change.place, change.field)
    return _entry(change.rule, said, _SEVERITIES[standing(change)], place, identity)


def _entry(
    check: str, said: str, severity: str, place: Location, identity: tuple[str, ...] | None = None
) -> dict[str, Any]:
    path = place.file.replace("\\", "/").removeprefix("./")
    return {
        "description": plain(said, _TEXT),
        "check_name": plain(check, _TEXT),
        "fingerprint": _digest(check, *(identity if identity is not None else (path, said))),
        "severity": severity,
        "location": {"path": path, "lines": {"begin": place.line or 1}},
    }


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "backslashreplace")).hexdigest()[:32]

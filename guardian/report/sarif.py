"""SARIF 2.1.0 (OASIS), for code scanning: one result per change, the consumers' manifest lines related to it.

Only what someone should look at becomes a result: what counts, what is accepted (suppressed) and what breaks on
paper alone (a note); harmless changes join with ``verbose``. The verdict and the counts are properties of the run.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

from guardian.model import Change, Fix, Location, Note, Patch, Report
from guardian.report import json, words
from guardian.report.blocks import Standing, listed, ordered, standing
from guardian.report.escape import json_text, plain

SCHEMA_URI = "https://raw.githubusercontent.com/oasis-tcs/sarif-spec/master/Schemata/sarif-schema-2.1.0.json"

# Accepted is a note: hosts that do not honour suppressions would block a merge on an accepted error.
_LEVELS = {
    Standing.BREAKING: "error",
    Standing.WARNING: "warning",
    Standing.ACCEPTED: "note",
    Standing.UNREAD: "note",
    Standing.INFO: "note",
}
_NOTE_LEVELS = {"error": "error", "warning": "warning"}
_TEXT = 1000  # characters of a text; hosts cut longer ones without saying so
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@")


def render(report: Report, *, verbose: bool = False) -> str:
    """The report as a SARIF log with one run."""
    changes = ordered(report, harmless=verbose)
    rules = sorted({change.rule for change in changes})
    positions = {rule: number for number, rule in enumerate(rules)}
    run = {
        "tool": {
            "driver": {
                "name": "guardian",
                "version": report.version,
                "semanticVersion": report.version,
                "rules": [_rule(rule, changes) for rule in rules],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [
            {
                "executionSuccessful": True,
                "toolExecutionNotifications": [_notification(note) for note in words.sorted_notes(report)],
            }
        ],
        "results": [_result(change, positions, report) for change in changes],
        "properties": {
            "verdict": report.verdict.value,
            "summary": json.as_data(report)["summary"],
            "sentence": words.summary_sentence(report),
        },
    }
    return json_text({"$schema": SCHEMA_URI, "version": "2.1.0", "runs": [run]})


def _rule(rule: str, changes: list[Change]) -> dict[str, Any]:
    """The rule as far as its findings tell it; ``guardian explain`` has the whole of it."""
    found = [change for change in changes if change.rule == rule]
    strongest = min((standing(change) for change in found), key=lambda kind: kind.rank)
    title = _text(rule.replace("-", " ").capitalize())
    why = next((change.why for change in found if change.why), title)
    explain = f"guardian explain {rule}"
    return {
        "id": rule,
        "name": "".join(part.capitalize() for part in rule.split("-")),
        "shortDescription": {"text": title},
        "fullDescription": {"text": _text(why)},
        "help": {
            "text": _text(f"{why} Run `{explain}` for examples and ways out."),
        },
        "defaultConfiguration": {"level": _LEVELS[strongest]},
        "properties": {"tags": ["api", "compatibility"]},
    }


def _result(change: Change, positions: dict[str, int], report: Report) -> dict[str, Any]:
    primary = change.head or change.base
    fixes = [fix for fix in report.fixes if change.fingerprint in fix.changes]
    result: dict[str, Any] = {
        "ruleId": change.rule,
        "ruleIndex": positions[change.rule],
        "level": _LEVELS[standing(change)],
        "message": {"text": _message(change, fixes, report)},
        "locations": [_location(primary, logical=change)],
        "partialFingerprints": {"guardian/v1": change.fingerprint},
        "relatedLocations": _related(change),
        "properties": {
            "service": change.service,
            "severity": change.severity.value,
            "countsAs": change.counts_as.value,
            "confidence": change.confidence.value,
            "consumers": [
                {"name": i.consumer, "impact": i.impact.value, "hops": i.hops} for i in listed(change.consumers)
            ],
        },
    }
    if change.exception is not None:
        entry = change.exception
        result["suppressions"] = [
            {
                "kind": "external",
                "status": "accepted",
                "justification": _text(f"{entry.reason} (owner {entry.owner}, until {entry.expires})"),
            }
        ]
    artifact_fixes = [made for fix in fixes if (made := _fix(fix)) is not None]
    if artifact_fixes:
        result["fixes"] = artifact_fixes
    return result


def _message(change: Change, fixes: list[Fix], report: Report) -> str:
    said = [f"{change.service}: {change.message} ({words.spot(change)}).", change.why]
    for impact in listed(change.consumers)[: words.NAMES_IN_A_SENTENCE]:
        said.append(f"{impact.consumer} is {impact.impact.value}: {'; '.join(impact.because)}.")
    if change.witness is not None:
        value = plain(words.witness_value(change.witness), 200)
        said.append(f"Witness {value}: {words.witness_verdict(change.witness)}.")
    said += [f"Fix {fix.id} ({fix.strategy.value}): {words.fix_command(fix, report)}." for fix in fixes]
    # In SARIF messages `[text](target)` is a link, and `\\[` the bracket (section 3.11.6).
    lines = (plain(part, _TEXT) for part in said if part)
    return re.sub(r"([\\\[\]])", r"\\\1", "\n".join(lines))


def _related(change: Change) -> list[dict[str, Any]]:
    related = []
    if change.base is not None and change.head is not None:
        related.append(_location(change.base, said="base: before the change"))
    for impact in listed(change.consumers):
        if impact.manifest is not None:
            related.append(_location(impact.manifest, said=f"{impact.consumer} is {impact.impact.value} by this"))
    return [{"id": number, **place} for number, place in enumerate(related, start=1)]


def _location(location: Location | None, *, said: str = "", logical: Change | None = None) -> dict[str, Any]:
    data: dict[str, Any] = {}
    if location is not None:
        region = {"startLine": location.line or 1}
        if location.line and location.column:
            region["startColumn"] = location.column
        data["physicalLocation"] = {"artifactLocation": {"uri": uri(location.file)}, "region": region}
    if logical is not None:
        name = plain(" ".join(part for part in (logical.service, logical.operation, logical.field) if part), _TEXT)
        data["logicalLocations"] = [{"fullyQualifiedName": name, "kind": "member"}]
    if said:
        data["message"] = {"text": _text(said)}
    return data


def uri(file: str) -> str:
    """The file as a URI reference (RFC 3986): relative to the root of the run, or a ``file:`` URI."""
    path = file.encode("utf-8", "replace").decode().replace("\\", "/")
    return ("file://" if path.startswith("/") else "") + quote(path.removeprefix("./"), safe="/")


def _fix(fix: Fix) -> dict[str, Any] | None:
    """The fix as edits of whole lines; ``None`` where a patch carries no diff, leaves parts of lines out, or is for elsewhere."""
    changes = [made for patch in fix.patches if (made := _artifact_change(patch)) is not None]
    if not changes or len(changes) < len(fix.patches):
        return None
    return {"description": {"text": _text(f"{fix.strategy.value}: {fix.rationale}")}, "artifactChanges": changes}


def _artifact_change(patch: Patch) -> dict[str, Any] | None:
    edits = [] if patch.edits or patch.elsewhere else replacements(patch.diff)
    return {"artifactLocation": {"uri": uri(patch.file)}, "replacements": edits} if edits else None


def replacements(diff: str) -> list[dict[str, Any]]:
    """The edits of a unified diff as SARIF replacements: whole lines of the file before the edit.

    A diff that touches a last line without a newline cannot be said in whole lines: the answer is empty.
    """
    if "\n\\ No newline" in diff:
        return []
    edits: list[dict[str, Any]] = []
    line = start = 0
    removed: list[str] = []
    added: list[str] = []

    def flush() -> None:
        if removed or added:
            region = {"startLine": start, "startColumn": 1, "endLine": start + len(removed), "endColumn": 1}
            edit: dict[str, Any] = {"deletedRegion": region}
            if added:
                edit["insertedContent"] = {"text": "".join(f"{text}\n" for text in added)}
            edits.append(edit)
            removed.clear()
            added.clear()

    inside = False
    for text in diff.split("\n"):
        hunk = _HUNK.match(text)
        if hunk:
            flush()
            # `-3,0` names the line before an insertion; others name their first line.
            line = int(hunk[1]) + (hunk[2] == "0")
            inside = True
        elif inside and text[:1] in ("-", "+"):
            if not removed and not added:
                start = line
            (removed if text[0] == "-" else added).append(text[1:])
            line += text[0] == "-"
        elif inside:
            flush()
            line += 1
    flush()
    return edits


def _notification(note: Note) -> dict[str, Any]:
    data: dict[str, Any] = {"level": _NOTE_LEVELS.get(note.level, "note"), "message": {"text": _text(note.message)}}
    if note.file is not None:
        data["locations"] = [_location(Location(note.file, line=note.line))]
    return data


def _text(text: str) -> str:
    return plain(text, _TEXT)

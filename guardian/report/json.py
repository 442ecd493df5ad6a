"""The report as JSON, as INTERFACE.md section 5 lays it down and ``guardian schema report`` describes it.

The key order is part of the bytes: it is the order of the interface, with newer keys after the older ones.
"""

from __future__ import annotations

from typing import Any

from guardian.model import AcceptedBy, Change, ConsumerImpact, Fix, Location, Note, Report, Summary, Witness
from guardian.report import words
from guardian.report.blocks import listed, ordered
from guardian.report.escape import json_text

#: The version of the report's form; raised only if a key changes its meaning.
SCHEMA_VERSION = 1


def render(report: Report) -> str:
    """The report as indented JSON with a newline at its end."""
    return json_text(as_data(report))


def as_data(report: Report) -> dict[str, Any]:
    """The report as plain data, in the interface's key order."""
    return {
        "guardian": report.version,
        "schema": SCHEMA_VERSION,
        "verdict": report.verdict.value,
        "summary": _summary(report.summary),
        "changes": [_change(change) for change in ordered(report)],
        "fixes": [_fix(fix) for fix in report.fixes],
        "notes": [_note(note) for note in words.sorted_notes(report)],
        "mode": report.mode.value,
        "edges": [
            {"consumer": edge.consumer, "service": edge.service, "via": edge.via, "impact": edge.impact.value}
            for edge in sorted(report.edges, key=lambda edge: (edge.consumer, edge.service, edge.via))
        ],
    }


def _summary(summary: Summary) -> dict[str, Any]:
    data = summary._asdict()
    return data | {"consumers_broken": sorted(summary.consumers_broken)}


def _change(change: Change) -> dict[str, Any]:
    return {
        "rule": change.rule,
        "fingerprint": change.fingerprint,
        "service": change.service,
        "operation": change.operation,
        "direction": change.direction.value,
        "place": change.place,
        "field": change.field,
        "effect": change.effect.value,
        "severity": change.severity.value,
        "counts_as": change.counts_as.value,
        "confidence": change.confidence.value,
        "message": change.message,
        "why": change.why,
        "base": _location(change.base),
        "head": _location(change.head),
        "renamed_to": change.renamed_to,
        "witness": _witness(change.witness),
        "consumers": [_consumer(impact) for impact in listed(change.consumers)],
        "exception": _exception(change.exception),
        "aliases": dict(sorted(change.aliases.items())),
        "witness_missing": change.unproved,
        "also": list(change.also),
    }


def _location(location: Location | None) -> dict[str, Any] | None:
    if location is None:
        return None
    return {
        "file": location.file,
        "line": location.line,
        "column": location.column,
        "pointer": location.pointer,
    }


def _line(location: Location | None) -> dict[str, Any] | None:
    return None if location is None else {"file": location.file, "line": location.line}


def _witness(witness: Witness | None) -> dict[str, Any] | None:
    return None if witness is None else witness._asdict()


def _consumer(impact: ConsumerImpact) -> dict[str, Any]:
    return {
        "consumer": impact.consumer,
        "impact": impact.impact.value,
        "hops": impact.hops,
        "confidence": impact.confidence,
        "because": list(impact.because),
        "manifest": _line(impact.manifest),
        "owner": impact.owner,
        "contact": impact.contact,
    }


def _exception(entry: AcceptedBy | None) -> dict[str, Any] | None:
    if entry is None:
        return None
    return {
        "reason": entry.reason,
        "owner": entry.owner,
        "expires": entry.expires,
        "approved_by": list(entry.approved_by),
        "location": _line(entry.location),
    }


def _fix(fix: Fix) -> dict[str, Any]:
    return {
        "id": fix.id,
        "strategy": fix.strategy.value,
        "proposed_by": fix.proposed_by,
        "changes": list(fix.changes),
        "patches": [
            {
                "file": patch.file,
                "kind": patch.kind,
                "json_patch": list(patch.json_patch),
                "overlay": patch.overlay,
                "diff": patch.diff,
                "elsewhere": patch.elsewhere,
            }
            for patch in fix.patches
        ],
        "verification": {
            "verified": fix.verification.verified,
            "breaking_left": fix.verification.breaking_left,
            "consumers": dict(sorted(fix.verification.consumers.items())),
            "keeps_intent": fix.verification.keeps_intent,
            "lines": list(fix.verification.lines),
        },
        "rationale": fix.rationale,
        "rollout": list(fix.rollout),
        "name": words.fix_name(fix),
    }


def _note(note: Note) -> dict[str, Any]:
    return {"level": note.level, "message": note.message, "file": note.file, "line": note.line}

"""The JSON Schema (2020-12) of the JSON report.

Objects stay open: the report grows by new keys, and a reader that validates must not break when it does.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from guardian.model import Confidence, Direction, Effect, Impact, Mode, Severity, Strategy, Verdict

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_COUNT = {"type": "integer", "minimum": 0}
_LINE = {"type": ["integer", "null"], "minimum": 1}
_MAYBE_TEXT = {"type": ["string", "null"]}
_FINGERPRINT = {"type": "string", "pattern": "^[0-9a-f]{12}$"}


def report_schema() -> dict[str, Any]:
    """The schema that ``guardian schema report`` prints."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "guardian report",
        "description": "What changed between two sides of API contracts, whom it hits and what would mend it.",
        **_object(
            guardian=_said(_TEXT, "The version of guardian that wrote the report."),
            schema=_said({"const": 1}, "The version of this form."),
            verdict=_enum(Verdict),
            summary=_ref("summary"),
            changes=_list("change"),
            fixes=_list("fix"),
            notes=_list("note"),
            mode=_enum(Mode),
            edges=_list("edge"),
        ),
        "$defs": {
            "summary": _summary(),
            "change": _change(),
            "location": _object(
                file=_TEXT, line=_LINE, column=_LINE, pointer=_said(_TEXT, "A JSON pointer (RFC 6901).")
            ),
            "line": _object(file=_TEXT, line=_LINE),
            "witness": _object(
                value=_said({}, "A value that one side accepts and the other refuses."),
                accepted_by_base=_said(
                    {"type": "boolean"}, "Of a response: by a reader made for base that needs the field."
                ),
                accepted_by_head=_said({"type": "boolean"}, "Of a response: whether head may send it."),
                explanation=_TEXT,
            ),
            "consumer": _consumer(),
            "exception": _object(reason=_TEXT, owner=_TEXT, expires=_TEXT, approved_by=_TEXTS, location=_maybe("line")),
            "fix": _fix(),
            "note": _object(level={"enum": ["error", "warning", "info"]}, message=_TEXT, file=_MAYBE_TEXT, line=_LINE),
            "edge": _object(consumer=_TEXT, service=_TEXT, via=_TEXT, impact=_enum(Impact)),
        },
    }


def _summary() -> dict[str, Any]:
    return _object(
        specs=_COUNT,
        changes=_COUNT,
        breaking=_COUNT,
        warnings=_COUNT,
        accepted=_COUNT,
        unread=_said(_COUNT, "Breaking changes that hit no declared consumer."),
        consumers=_COUNT,
        consumers_broken=_TEXTS,
        reads=_said(_COUNT, "Fields and operations that manifests declare to use."),
        untouched=_said(_COUNT, "Changes left out, for they touch none of the consumers of `--consumer`."),
        off=_said(_COUNT, "Changes left out, for guardian.yaml turns their rules off."),
    )


def _change() -> dict[str, Any]:
    return _object(
        rule=_TEXT,
        fingerprint=_said(_FINGERPRINT, "Survives reformatting, unrelated edits and a moved file."),
        service=_TEXT,
        operation=_TEXT,
        direction=_enum(Direction),
        place=_said(_TEXT, "The part of the message, such as `response 200 application/json`."),
        field=_said(_TEXT, "The field in it, as manifests write it; empty for the whole place."),
        effect=_enum(Effect),
        severity=_said(_enum(Severity), "The contract's verdict."),
        counts_as=_said(_enum(Severity), "What is left of it after mode, consumers and exceptions."),
        confidence=_enum(Confidence),
        message=_TEXT,
        why=_TEXT,
        base=_maybe("location"),
        head=_maybe("location"),
        renamed_to=_MAYBE_TEXT,
        witness=_maybe("witness"),
        consumers=_list("consumer"),
        exception=_said(_maybe("exception"), "The entry that accepts the change."),
        aliases=_said({"type": "object", "additionalProperties": _TEXT}, "The names that other tools give the rule."),
        witness_missing=_said(_MAYBE_TEXT, "Why there is no witness where one would be expected."),
        also=_said(_TEXTS, "Further fields of the same schema that it is as true of; ten at most."),
    )


def _consumer() -> dict[str, Any]:
    return _object(
        consumer=_TEXT,
        impact=_said({"enum": [Impact.BROKEN.value, Impact.POSSIBLE.value]}, "Safe consumers are not listed."),
        hops={"type": "integer", "minimum": 1},
        confidence=_said(_TEXT, "How the use is known: asserted, called or declared."),
        because=_said(_TEXTS, "The path of evidence, nearest first."),
        manifest=_maybe("line"),
        owner=_MAYBE_TEXT,
        contact=_MAYBE_TEXT,
    )


def _fix() -> dict[str, Any]:
    patch = _object(
        file=_TEXT,
        kind={"enum": ["spec", "manifest"]},
        json_patch=_said({"type": "array", "items": {"type": "object"}}, "RFC 6902 operations."),
        overlay=_said({"type": "object"}, "The same as an OpenAPI Overlay."),
        diff=_said(
            _TEXT,
            "The same as a unified diff of the file's text. A line of more than 2,000 characters is shortened to what changes in "
            "it, and says so; neither git nor patch takes such a diff, while `guardian fix --apply` writes it exactly.",
        ),
        elsewhere=_said(
            _MAYBE_TEXT,
            "The other repository, or the host, that has the file. `guardian fix --apply` leaves it to be changed there, and the diff "
            "calls the file as it is called there.",
        ),
    )
    verification = _object(
        verified={"type": "boolean"},
        breaking_left=_COUNT,
        consumers={"type": "object", "additionalProperties": {"enum": ["pass", "fail"]}},
        keeps_intent={"type": "boolean"},
        lines=_TEXTS,
    )
    return _object(
        id=_TEXT,
        strategy=_enum(Strategy),
        proposed_by=_TEXT,
        changes={"type": "array", "items": _FINGERPRINT},
        patches={"type": "array", "items": patch},
        verification=verification,
        rationale=_TEXT,
        rollout=_TEXTS,
        name=_said(
            _TEXT,
            "What `guardian fix --id` takes for this very fix: its id, and what tells it from the fix of this id in another check.",
        ),
    )


def _object(**properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": list(properties), "properties": properties}


def _enum(kind: type[StrEnum]) -> dict[str, Any]:
    return {"enum": [member.value for member in kind]}


def _said(schema: dict[str, Any], description: str) -> dict[str, Any]:
    return {**schema, "description": description}


def _ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}"}


def _maybe(name: str) -> dict[str, Any]:
    return {"anyOf": [_ref(name), {"type": "null"}]}


def _list(name: str) -> dict[str, Any]:
    return {"type": "array", "items": _ref(name)}

"""The JSON report and its schema."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest

from guardian.report import render
from guardian.report.schema import report_schema
from tests.report import samples


def closed(schema: Any) -> Any:
    """The schema with every object that names its properties closed: a key that it does not name is refused."""
    if isinstance(schema, dict):
        shut = {key: closed(value) for key, value in schema.items()}
        return {**shut, "additionalProperties": False} if "properties" in schema and schema.get("type") else shut
    return [closed(item) for item in schema] if isinstance(schema, list) else schema


@pytest.mark.parametrize("sample", ["friday_rename", "clean", "hostile", "many"])
def test_reports_are_what_the_schema_says(sample: str) -> None:
    """Every key is described, every described key is there."""
    data = json.loads(render("json", getattr(samples, sample)()))
    jsonschema_rs.Draft202012Validator(closed(report_schema())).validate(data)


def test_the_schema_is_one_and_can_refuse() -> None:
    """It is valid 2020-12, and a report with a wrong verdict or without changes does not pass."""
    jsonschema_rs.meta.validate(report_schema())
    validator = jsonschema_rs.Draft202012Validator(report_schema())
    data = json.loads(render("json", samples.friday_rename()))
    assert validator.is_valid(data | {"newer": 1})
    assert not validator.is_valid(data | {"verdict": "fine"})
    assert not validator.is_valid({key: value for key, value in data.items() if key != "changes"})


def test_keys_come_in_the_order_of_the_interface() -> None:
    data = json.loads(render("json", samples.friday_rename()))
    assert list(data)[:7] == ["guardian", "schema", "verdict", "summary", "changes", "fixes", "notes"]
    assert list(data["summary"])[:8] == [
        "specs",
        "changes",
        "breaking",
        "warnings",
        "accepted",
        "unread",
        "consumers",
        "consumers_broken",
    ]
    order = (
        "rule fingerprint service operation direction place field effect severity counts_as confidence message why "
        "base head renamed_to witness consumers exception aliases"
    )
    assert list(data["changes"][0])[:20] == order.split()
    assert list(data["changes"][0]["base"]) == ["file", "line", "column", "pointer"]
    assert list(data["fixes"][0]) == [
        "id",
        "strategy",
        "proposed_by",
        "changes",
        "patches",
        "verification",
        "rationale",
        "rollout",
        "name",
    ]


def test_what_is_not_there_is_null() -> None:
    """Absent parts keep their key, so that scripts need no second case."""
    changes = {change["rule"]: change for change in json.loads(render("json", samples.friday_rename()))["changes"]}
    pattern = changes["pattern-changed"]
    assert pattern["witness"] is pattern["renamed_to"] is pattern["exception"] is None
    assert pattern["witness_missing"].startswith("The head pattern")


def test_safe_consumers_are_not_listed_and_accepted_ones_are() -> None:
    data = json.loads(render("json", samples.friday_rename()))
    impacts = {item["impact"] for change in data["changes"] for item in change["consumers"]}
    assert impacts == {"broken", "possible"}
    accepted = [change for change in data["changes"] if change["exception"]]
    assert [change["exception"]["expires"] for change in accepted] == ["2027-01-31"]


def test_text_stays_utf8_and_values_stay_whole() -> None:
    """Names in any script are readable in the file; long and odd values are not cut."""
    text = render("json", samples.hostile())
    assert len(text) > 1_000_000
    report = samples.friday_rename()
    assert "\u0436" in render("json", report._replace(version="\u0436"))

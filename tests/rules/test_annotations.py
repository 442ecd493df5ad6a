"""What is said of values beside what they may be: defaults, contents, announcements; and lengths of tuples."""

from __future__ import annotations

from typing import Any

import pytest

from guardian.model import Severity
from tests.rules.schemas import request_changes, response_changes
from tests.rules.sides import api, told

STRING = {"type": "string"}
TUPLE = {"type": "array", "prefixItems": [STRING, STRING]}


def rules(found: list) -> list[tuple[str, str]]:
    return [(change.rule, change.effect.value) for change in found]


def test_the_outermost_default_counts() -> None:
    """A default beside a reference overrides the target's (JSON Schema 2020-12), so the target's change is nothing."""
    reference = {"$ref": "#/components/schemas/A", "default": "x"}
    sides = [
        api("{}", components={"schemas": {"A": {**STRING, "default": each}}})
        | {"paths": {"/t": {"get": {"responses": {"200": {"content": {"application/json": {"schema": reference}}}}}}}}
        for each in ("y", "z")
    ]
    assert told(*sides) == []


def test_a_default_is_compared_as_json() -> None:
    """1 and 1.0 are one number; 1 and true are not."""
    number = {"type": ["number", "boolean"]}
    assert request_changes({**number, "default": 1}, {**number, "default": 1.0}) == []
    assert rules(request_changes({**number, "default": 1}, {**number, "default": True})) == [
        ("default-changed", "annotation")
    ]


def test_no_default_is_another_than_null() -> None:
    """``default: null`` says something."""
    assert rules(request_changes(STRING, {**STRING, "default": None})) == [("default-changed", "annotation")]


@pytest.mark.parametrize(
    ("base", "head"),
    [
        ({**STRING, "format": "byte"}, {**STRING, "contentEncoding": "base64"}),
        ({**STRING, "format": "binary"}, {**STRING, "contentMediaType": "application/octet-stream"}),
        (STRING, {**STRING, "contentMediaType": "text/plain"}),
        (STRING, {**STRING, "contentEncoding": "8bit"}),
        (
            {**STRING, "contentMediaType": "application/json; charset=utf-8"},
            {**STRING, "contentMediaType": "Application/JSON"},
        ),
    ],
)
def test_the_same_content_is_no_change(base: Any, head: Any) -> None:
    """The two spellings of OpenAPI 3.0 and 3.1, and content types that say nothing."""
    assert request_changes(base, head) == response_changes(base, head) == []


def test_an_encoding_is_proved() -> None:
    """base64 asks as much of a text as the format does: there is a text that it refuses."""
    (change,) = request_changes(STRING, {**STRING, "contentEncoding": "base64"}, prove=True)
    assert change.witness is not None
    assert (change.rule, change.severity) == ("format-changed", Severity.BREAKING)


@pytest.mark.parametrize("closed", [{"items": False}, {"unevaluatedItems": False}, {"maxItems": 2}])
@pytest.mark.parametrize("other", [{"items": False}, {"unevaluatedItems": False}, {"maxItems": 2}])
def test_three_ways_to_end_a_tuple_are_one(closed: dict[str, Any], other: dict[str, Any]) -> None:
    """Nothing behind the prefix, nothing unevaluated, or no more items than the prefix has."""
    assert request_changes({**TUPLE, **closed}, {**TUPLE, **other}) == []


def test_closing_a_tuple_is_a_limit() -> None:
    """It narrows, and a request with one item more proves it."""
    (change,) = request_changes(TUPLE, {**TUPLE, "items": False}, prove=True)
    assert (change.rule, change.severity) == ("max-items-changed", Severity.BREAKING)
    assert change.witness is not None
    assert len(change.witness.value) == 3


def test_a_longer_tuple_takes_more() -> None:
    """A closed tuple that gains an item widens, and says so once."""
    longer = {"type": "array", "prefixItems": [STRING, STRING, {"type": "integer"}], "items": False}
    assert rules(request_changes({**TUPLE, "items": False}, longer)) == [("max-items-changed", "widened")]
    assert rules(response_changes({**TUPLE, "items": False}, longer)) == [("max-items-changed", "widened")]


def test_a_prefix_elsewhere_is_evaluated() -> None:
    """``unevaluatedItems`` looks through ``allOf``: items that a part describes are not refused."""
    whole = {"allOf": [TUPLE], "unevaluatedItems": False}
    assert request_changes({**TUPLE, "items": False}, whole) == []


def test_announcements_stand_at_the_field() -> None:
    """A deprecated property is named by its path, and with its day."""
    base = {"type": "object", "properties": {"a": {"type": "object", "properties": {"b": STRING}}}}
    head = {
        "type": "object",
        "properties": {"a": {"type": "object", "properties": {"b": {**STRING, "deprecated": True}}}},
    }
    (change,) = response_changes(base, head)
    assert (change.rule, change.field, change.severity) == ("property-deprecated", "a.b", Severity.INFO)

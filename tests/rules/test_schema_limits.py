"""Limits are compared as the numbers that they are, however large."""

from __future__ import annotations

from typing import Any

import pytest

from guardian.model import Severity
from guardian.rules.compare import compare
from tests.rules.schemas import request_changes, response, response_changes

HUGE, LESS = 10**400, 10**399


@pytest.mark.parametrize("kind", ["integer", "number"])
@pytest.mark.parametrize("beside", [{}, {"multipleOf": 0.5}, {"enum": [1.5, HUGE]}])
@pytest.mark.parametrize(
    ("keyword", "rule"),
    [
        ("maximum", "maximum-changed"),
        ("exclusiveMaximum", "maximum-changed"),
        ("minimum", "minimum-changed"),
        ("exclusiveMinimum", "minimum-changed"),
        ("multipleOf", "multiple-of-changed"),
    ],
)
def test_numbers_that_no_float_holds(kind: str, beside: dict[str, Any], keyword: str, rule: str) -> None:
    """Whole numbers have no largest one."""
    base, head = ({"type": kind, **beside, keyword: limit} for limit in (HUGE, LESS))
    for found in (request_changes(base, head, prove=True), response_changes(base, head, prove=True)):
        if "enum" not in beside:
            assert [each.rule for each in found] == [rule]
    assert request_changes(base, base) == []
    request_changes({"type": kind, keyword: 0.5}, head, prove=True)


@pytest.mark.parametrize(
    ("kind", "keyword"),
    [
        ("string", "minLength"),
        ("string", "maxLength"),
        ("array", "minItems"),
        ("array", "maxItems"),
        ("array", "minContains"),
        ("array", "maxContains"),
        ("object", "maxProperties"),
    ],
)
def test_counts_that_nothing_can_be_built_of(kind: str, keyword: str) -> None:
    """They are compared all the same."""
    plain = {"type": kind, "contains": {"type": "string"}} if "Contains" in keyword else {"type": kind}
    base, head = (plain | {keyword: limit} for limit in (HUGE, LESS))
    assert len(request_changes(base, head, prove=True)) == len(response_changes(base, head, prove=True)) == 1


@pytest.mark.parametrize(("value", "kept"), [(0.3, True), (0.35, False), (HUGE, True), (7, True)])
def test_listed_multiples_are_found_exactly(value: float, kept: bool) -> None:
    """A step as JSON writes it: three tenths are three of one tenth, which no binary fraction is."""
    base = {"type": "number", "enum": [value, 1]}
    found = request_changes(base, {"type": "number", "multipleOf": 0.1}, prove=True)
    lost = [each for each in found if each.rule == "enum-value-removed"]
    assert [each.severity for each in lost] == ([] if kept else [Severity.BREAKING])
    assert compare(response(base), response(base)) == []

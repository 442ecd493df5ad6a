"""A format of whole numbers and the limits that it stands for are one."""

from __future__ import annotations

from typing import Any

import pytest

from guardian.model import Severity
from tests.rules.schemas import request_changes, response_changes

LIMITS = {"minimum": -(2**31), "maximum": 2**31 - 1}


def whole(name: str = "", **limits: Any) -> dict[str, Any]:
    return {"type": "integer", **({"format": name} if name else {}), **limits}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (whole("int32"), whole(**LIMITS)),
        (whole("int32"), whole("int32", **LIMITS)),
        (whole("int32"), whole("int64", **LIMITS)),
        (whole("int32"), whole(exclusiveMinimum=-(2**31) - 1, exclusiveMaximum=2**31)),
        (whole("int32", minimum=0), whole(minimum=0, maximum=2**31 - 1)),
        (whole("int32", minimum=-(2**40)), whole("int32")),
        (whole("uint8"), whole(minimum=0, maximum=255)),
    ],
)
def test_the_same_numbers(one: Any, other: Any) -> None:
    """Neither direction has anything to say of them."""
    for say in (request_changes, response_changes):
        assert say(one, other) == say(other, one) == []


@pytest.mark.parametrize(
    ("wide", "narrow", "rules"),
    [
        (whole("int32"), whole(minimum=0, maximum=9), {"minimum-changed", "maximum-changed"}),
        (whole("int32"), whole("int32", minimum=0), {"minimum-changed"}),
        (whole("int64"), whole(**LIMITS), {"minimum-changed", "maximum-changed"}),
        (whole(**LIMITS), whole("int8"), {"format-changed"}),
        (whole(minimum=-(2**31)), whole("int32"), {"format-changed"}),
    ],
)
def test_fewer_numbers(wide: Any, narrow: Any, rules: set[str]) -> None:
    """Told once, by what makes it narrower, and proved."""
    for found in (request_changes(wide, narrow, prove=True), response_changes(narrow, wide, prove=True)):
        assert {each.rule for each in found} == rules
        assert all(each.severity is Severity.BREAKING and each.witness for each in found)

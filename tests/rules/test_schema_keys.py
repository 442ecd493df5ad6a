"""What the presence of a key asks for is the same in either way to say it."""

from __future__ import annotations

from typing import Any

import pytest

from guardian.model import Severity
from tests.rules.schemas import request_changes, response_changes


def thing(**rest: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {name: {"type": "string"} for name in "abc"}, **rest}


ASKS = thing(dependentRequired={"a": ["b"]})


@pytest.mark.parametrize(
    "other",
    [
        thing(dependentSchemas={"a": {"required": ["b"]}}),
        thing(dependentSchemas={"a": {"type": "object", "required": ["b"]}}),
        thing(dependencies={"a": {"required": ["b"]}}),
        thing(dependencies={"a": ["b"]}),
    ],
)
def test_a_schema_that_only_requires_is_a_list_of_names(other: Any) -> None:
    """Neither direction has anything to say of it, and what one asks for beyond is told alone."""
    for say in (request_changes, response_changes):
        assert say(ASKS, other) == say(other, ASKS) == []
    more = thing(dependentRequired={"a": ["b", "c"]})
    (found,) = request_changes(other, more, prove=True)
    assert (found.field, found.severity) == ("a", Severity.BREAKING)
    (found,) = response_changes(more, other, prove=True)
    assert (found.field, found.severity) == ("a", Severity.BREAKING)


def test_a_schema_that_says_more_is_told() -> None:
    """Its requirement is the same, and its limits are new."""
    more = thing(dependentSchemas={"a": {"required": ["b"], "properties": {"b": {"maxLength": 2}}}})
    (found,) = [each for each in request_changes(ASKS, more) if each.severity is not Severity.INFO]
    assert (found.rule, found.severity) == ("dependent-schemas-changed", Severity.BREAKING)

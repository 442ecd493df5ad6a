"""Keys that only a branch of a closed object declares are refused once it does not."""

from __future__ import annotations

from typing import Any

import pytest

from guardian.model import Severity
from tests.rules.schemas import request_changes, response_changes

TEXT, COUNT = {"type": "string"}, {"type": "integer"}
IS_X = {"properties": {"k": {"const": "x"}}, "required": ["k"]}
CLOSED = {"unevaluatedProperties": False}
REMOVED = "was removed, and the object takes no other keys"


def thing(**rest: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"k": {"type": "string", "enum": ["x", "y"]}, "d": TEXT}, **rest}


def declares(*names: str) -> dict[str, Any]:
    return {"properties": dict.fromkeys(names, TEXT)}


def lost(base: Any, head: Any, **components: Any) -> dict[str, Any]:
    """The keys that break, each with the message that proves it."""
    found = request_changes(base, head, prove=True, **components)
    told = [each for each in found if each.message == f"`{each.field}` {REMOVED}"]
    assert all(each.severity is Severity.BREAKING and each.witness for each in told)
    return {each.field: each.witness.value for each in told if each.witness}


@pytest.mark.parametrize(
    ("base", "head", "message"),
    [
        ({"if": IS_X, "then": declares("z")}, {}, {"k": "x", "z": "a"}),
        ({"if": IS_X, "then": declares("z")}, {"if": IS_X, "then": declares("y")}, {"k": "x", "z": "a"}),
        ({"if": IS_X, "else": declares("z")}, {"if": IS_X, "then": declares("z")}, {"z": "a"}),
        ({"if": IS_X, "then": declares("z")}, {"if": IS_X, "else": declares("z")}, {"k": "x", "z": "a"}),
        ({"if": declares("z"), "then": declares("d")}, {}, {"z": "a"}),
        ({"dependentSchemas": {"d": declares("z")}}, {}, {"d": "a", "z": "a"}),
        ({"dependentSchemas": {"d": declares("z")}}, {"dependentSchemas": {"d": declares("y")}}, {"d": "a", "z": "a"}),
        ({"dependentSchemas": {"d": {"$ref": "#/components/schemas/More"}}}, {}, {"d": "a", "z": "a"}),
        ({"allOf": [{"if": IS_X, "then": {"allOf": [declares("z")]}}]}, {}, {"k": "x", "z": "a"}),
    ],
)
def test_a_key_that_no_branch_declares_any_more(base: Any, head: Any, message: Any) -> None:
    """The branch asks for less, and the object refuses what it declared."""
    assert lost(thing(**base, **CLOSED), thing(**head, **CLOSED), More=declares("z")) == {"z": message}
    assert lost(thing(**base), thing(**head, **CLOSED), More=declares("z")).keys() == {"z"}
    assert lost(thing(**base), thing(**head, additionalProperties=False), More=declares("z")).keys() == {"z"}


@pytest.mark.parametrize(
    ("base", "head"),
    [
        ({"if": IS_X, "then": declares("z")}, {"properties": {"k": TEXT, "d": TEXT, "z": TEXT}}),
        ({"if": IS_X, "then": declares("z")}, {"patternProperties": {"^z": TEXT}}),
        ({"if": IS_X, "then": declares("z")}, {"if": IS_X, "then": {"patternProperties": {"^z": TEXT}}}),
        ({"if": IS_X, "then": declares("z")}, {"if": IS_X, "then": {"unevaluatedProperties": TEXT}}),
        ({"if": IS_X, "then": declares("z")}, {"allOf": [{"if": IS_X, "then": declares("z")}]}),
        ({"dependentSchemas": {"d": declares("z")}}, {"if": {"required": ["d"]}, "then": declares("z")}),
    ],
)
def test_a_key_that_is_declared_elsewhere_is_taken(base: Any, head: Any) -> None:
    """By the object itself, by the form of its name, or by another branch that may hold."""
    assert lost({**thing(), **base, **CLOSED}, {**thing(), **head, **CLOSED}) == {}


def test_open_objects_and_those_that_never_took_it_lose_nothing() -> None:
    """``additionalProperties: false`` takes no notice of branches; an open object refuses no key."""
    branch = {"if": IS_X, "then": declares("z")}
    assert lost(thing(**branch), thing()) == {}
    assert lost(thing(**branch, additionalProperties=False), thing(additionalProperties=False)) == {}
    found = response_changes(thing(**branch, **CLOSED), thing(**CLOSED))
    assert "property-removed" not in {each.rule for each in found}

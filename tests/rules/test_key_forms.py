"""Keys of a certain form: what becomes of those that are of another form now."""

from __future__ import annotations

from typing import Any

import pytest

from guardian.model import Change, Severity
from tests.rules.schemas import request_changes, response_changes

TEXT, COUNT = {"type": "string"}, {"type": "integer"}


def broken(found: list[Change]) -> dict[tuple[str, str], Any]:
    """What breaks, with the messages that prove it."""
    return {
        (each.rule, each.field): each.witness and each.witness.value
        for each in found
        if each.severity is Severity.BREAKING
    }


def shaped(patterns: dict[str, Any], additional: Any = False, **rest: Any) -> dict[str, Any]:
    return {"type": "object", "patternProperties": patterns, "additionalProperties": additional, **rest}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (shaped({"^x": TEXT}), shaped({"^[x]": TEXT})),
        (shaped({"^[a-z]": TEXT}), shaped({"^[a-m]": TEXT, "^[n-z]": TEXT})),
        (shaped({"^x": TEXT}, COUNT), shaped({"^[x]": TEXT}, COUNT)),
        (shaped({"^x": TEXT}, True), shaped({"^(x)": TEXT}, True)),
    ],
)
def test_the_same_keys_in_another_spelling(one: Any, other: Any) -> None:
    """A pattern is what it matches."""
    for say in (request_changes, response_changes):
        assert say(one, other) == say(other, one) == []


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        (
            shaped({"^[a-z]+$": TEXT}), shaped({"^[a-f]+$": TEXT}),
            {("pattern-properties-changed", "*"): {"g": "a"}},
        ),
        (
            shaped({"^[a-z]+$": TEXT}), shaped({"^[b-f]+$": COUNT}),
            {("pattern-properties-changed", "*"): {"a": "a"}, ("type-changed", "*"): {"b": "a"}},
        ),
        (shaped({"^[b-f]+$": TEXT}), shaped({"^[a-z]+$": COUNT}), {("type-changed", "*"): {"b": "a"}}),
        (
            shaped({"^[a-m]": TEXT}), shaped({"^[a-f]": TEXT, "^[g-z]": COUNT}),
            {("type-changed", "*"): {"g": "a"}},
        ),
        (shaped({"^[a-z]+$": TEXT}, COUNT), shaped({"^[a-f]+$": TEXT}, COUNT), {("type-changed", "*"): {"g": "a"}}),
        (
            shaped({"^x": TEXT}), shaped({"^x": TEXT, "^xa": {"maxLength": 3}}),
            {("max-length-changed", "*"): {"xa": "aaaa"}},
        ),
    ],
)  # fmt: skip
def test_keys_of_another_form(base: Any, head: Any, expected: Any) -> None:
    """A key is held against what is said of it now; one that is of no form any more is refused, and one is shown."""
    assert broken(request_changes(base, head, prove=True)) == expected


def test_more_keys_than_before() -> None:
    """A closed object that takes further keys refuses none that were sent, and its readers pass over new ones."""
    base, head = shaped({"^[a-f]+$": TEXT}), shaped({"^[a-z]+$": TEXT})
    for say in (request_changes, response_changes):
        (found,) = say(base, head, prove=True)
        assert found.severity is Severity.INFO
        assert found.message.endswith(" takes keys that match ^[a-z]+$ now")


def test_a_declared_key_that_is_of_a_form_is_taken_without_its_declaration() -> None:
    """The object is closed, but not to this key."""
    base, head = shaped({"^x": TEXT}, properties={"xa": TEXT}), shaped({"^x": TEXT})
    (found,) = request_changes(base, head)
    assert (found.message, found.severity) == ("`xa` was removed", Severity.INFO)
    other = shaped({"^x": TEXT}, properties={"xa": COUNT})
    assert broken(request_changes(shaped({}, properties={"xa": COUNT}), head, prove=True)) == {
        ("type-changed", "xa"): {"xa": 1}
    }
    assert broken(request_changes(other, shaped({"^y": TEXT}), prove=True)).keys() >= {("property-removed", "xa")}
    unread = shaped({"^(?<=a)b": TEXT})  # of which it cannot be told what it matches
    assert broken(request_changes(shaped({}, properties={"xa": TEXT}), unread, prove=True)) == {
        ("property-removed", "xa"): {"xa": "a"}
    }


LIMITED = {"type": "string", "maxLength": 3}


@pytest.mark.parametrize(
    ("say", "base", "head"),
    [
        (request_changes, {"^[a-z]+$": TEXT, "^[a-c]+$": LIMITED}, {"^[a-z0-9]+$": LIMITED}),
        (response_changes, {"^[a-y]": LIMITED, "^a$": LIMITED}, {"^[a-z]": TEXT, "^a$": LIMITED}),
    ],
)
def test_keys_of_two_forms_do_not_stand_for_those_of_one(say: Any, base: Any, head: Any) -> None:
    """The shortest key that two forms share is of a third form too, which says of it what other keys are only told now."""
    assert ("max-length-changed", "*") in broken(say(shaped(base), shaped(head), prove=True))

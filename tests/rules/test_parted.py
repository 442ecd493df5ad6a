"""What is asked for by one of several alternatives is not said to be asked for anyway."""

from __future__ import annotations

from typing import Any

import pytest

from guardian.model import Change, Direction, Hit, Impact, Severity
from tests.rules.schemas import request_changes, response_changes

TEXT = {"type": "string"}


def thing(*alternatives: list[str], names: str = "abc", **rest: Any) -> dict[str, Any]:
    """An object of some keys, of which one of several groups has to be there."""
    asked = {"anyOf": [{"required": each} for each in alternatives]} if alternatives else {}
    return {"type": "object", "properties": dict.fromkeys(names, TEXT), **asked, **rest}


def told(found: list[Change]) -> list[tuple[str, str, tuple[tuple[str, ...], ...]]]:
    return [(each.message, each.severity.value, each.unless) for each in found]


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (thing(["a"], ["b"]), [("`a` became required where there is no b", "breaking", (("b",),))]),
        (thing(["a"], ["b"], ["c"]), [("`a` became required where there is no b and no c", "breaking", (("b",), ("c",)))]),
        (thing(["a"], ["b", "c"]), [("`a` became required where there is no b with c", "breaking", (("b", "c"),))]),
        (
            thing(["a", "b"], ["a", "c"]),
            [
                ("`a` became required", "breaking", ()),
                ("`b` became required where there is no c", "breaking", (("c",),)),
            ],
        ),
        (thing(required=["a"]), [("`a` became required", "breaking", ())]),
        (thing(["a", "b"]), [("`a` became required", "breaking", ()), ("`b` became required", "breaking", ())]),
    ],
)  # fmt: skip
def test_one_of_several_keys_became_required(head: Any, expected: Any) -> None:
    """A caller that sends one of the others is as good as before."""
    found = request_changes(thing(), head, prove=True)
    assert told(found) == expected
    assert all(each.witness is not None for each in found)


def test_new_keys_of_which_one_is_required() -> None:
    """What pays is new, and there are two ways to pay."""
    ways = [
        {"type": "object", "required": ["card"], "properties": {"n": TEXT, "card": TEXT}},
        {"type": "object", "required": ["iban"], "properties": {"n": TEXT, "iban": TEXT}},
    ]
    found = request_changes({"type": "object", "properties": {"n": TEXT}}, {"oneOf": ways}, prove=True)
    assert told(found) == [
        ("`card` is a new required property where there is no iban", "breaking", (("iban",),)),
    ]


def test_what_one_of_several_alternatives_promised_is_promised_no_more() -> None:
    """Readers of either met messages without it before, and meet some with neither now."""
    found = response_changes(thing(["a"], ["b"]), thing(), prove=True)
    assert [(each.field, each.message, each.severity, each.hit, each.impact) for each in found] == [
        ("a", "`a` became optional where there is no b", Severity.BREAKING, Hit.READER, Impact.POSSIBLE),
        ("b", "`b` became optional where there is no a", Severity.BREAKING, Hit.READER, Impact.POSSIBLE),
    ]
    assert {str(each.witness and each.witness.value) for each in found} == {"{}"}
    (plain,) = response_changes(thing(required=["a"]), thing())
    assert (plain.message, plain.impact) == ("`a` became optional", Impact.BROKEN)
    assert plain.direction is Direction.RESPONSE


@pytest.mark.parametrize(
    ("base", "head"),
    [
        (thing(["a"], []), thing()),
        (thing(["a", "b"], ["a"]), thing(required=["a"])),
    ],
)
def test_what_one_alternative_left_out_before_is_no_news(base: Any, head: Any) -> None:
    """Nothing is taken that was not: the alternative that asks for less stood beside the other one."""
    assert response_changes(base, head) == []


def test_what_another_variant_left_out_does_not_speak_for_this_one() -> None:
    """The alternative that asks for less is of other values: this one promised the property."""

    def of(kind: str, *asked: str) -> dict[str, Any]:
        return {"type": "object", "required": ["kind", *asked], "properties": {"kind": {"const": kind}, "a": TEXT}}

    both = {"type": "object", "required": ["kind"], "properties": {"kind": {"enum": ["one", "two"]}, "a": TEXT}}
    found = response_changes({"oneOf": [of("one", "a"), of("two")]}, both, prove=True)
    assert "property-became-optional" in {each.rule for each in found if each.severity is Severity.BREAKING}

"""A mark counts by what it says, and a patch may promise nobody less than is promised."""

from __future__ import annotations

from typing import Any

import pytest

from guardian.fixes.json_patch import add, replace
from guardian.fixes.naming import strategy_of
from guardian.fixes.verify import Outcome
from guardian.model import Strategy
from tests.fixes.test_strategies import BASE, renamed
from tests.fixes.workbench import SUNSET, bench, first_draft, judged

PROPERTIES = "/components/schemas/User/properties"
EMAIL = {"type": "string", "format": "email"}
REQUIRED = replace("/components/schemas/User/required", ["id", "email_address", "email"])
STRING = {"type": "string"}


def _age(**more: Any) -> Outcome:
    """Head made ``age`` a string; a patch makes it an integer again and says something beside it."""
    on = bench(BASE, BASE.replace("age: {type: integer}", "age: {type: string}"))
    return judged(on, [replace(f"{PROPERTIES}/age", {"type": "integer", **more})])


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"deprecated": False},
        {"deprecated": "yes"},
        {"deprecated": True},  # the author wanted another form of it, not its end
        {"deprecated": True, "x-sunset": SUNSET},
        {"x-successor": "age_v2"},
        {"x-successor": {"from": SUNSET}},
        {"x-versions": {}},
        {"x-required-from": {}},
        {"example": {"deprecated": True, "x-required-from": SUNSET}},
        {"default": 5},
        {"maximum": 1_000_000},
        {"description": "an integer"},
    ],
)
def test_a_revert_with_decoration_is_no_fix(more: dict[str, Any]) -> None:
    """What says nothing of head's form leaves nothing of what the author wanted."""
    outcome = _age(**more)
    assert "merely reverts the change of `age`" in outcome.reason
    assert not outcome.verification.keeps_intent


def test_what_comes_after_the_day_is_kept() -> None:
    """Head's form as the successor of base's, from a day on that leaves consumers their time."""
    assert _age(**{"x-successor": {"from": SUNSET, "form": STRING}}).verification.verified


def test_what_head_says_already_is_no_mark_of_the_patch() -> None:
    """That head deprecates the schema around a property is not said by whoever reverts the property."""
    head = BASE.replace("age: {type: integer}", 'age: {type: string, x-required-from: "2030-01-01"}')
    on = bench(BASE, head)
    outcome = judged(on, [replace(f"{PROPERTIES}/age/type", "integer")])
    assert "merely reverts the change of `age`" in outcome.reason


def _restored(**more: Any) -> Outcome:
    return judged(renamed(), [add(f"{PROPERTIES}/email", {**EMAIL, **more}), REQUIRED])


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ({"deprecated": True, "x-sunset": "2020-01-01"}, "`x-sunset` of `email` is 2020-01-01, sooner than 2027-03-31"),
        ({"deprecated": True, "x-sunset": "2027-03-30"}, "sooner than 2027-03-31"),
        ({"deprecated": True, "x-sunset": "nonsense"}, "`x-sunset: nonsense` of `email` names no day"),
        ({"deprecated": True, "x-sunset": ""}, "names no day"),
        ({"x-sunset": "2020-01-01"}, "sooner than"),
        ({"x-required-from": "2020-01-01"}, "sooner than"),
        ({"x-optional-from": {"a": SUNSET, "b": "2020-01-01"}}, "sooner than"),
        ({"x-deprecated-values": {"a": "soon"}}, "names no day"),
        ({"x-successor": {"from": "2020-01-01", "form": STRING}}, "sooner than"),
        ({"x-stability-level": "draft"}, "`x-stability-level: draft` makes `email` promise less"),
        ({"x-stability-level": "beta"}, "promise less"),
        ({"x-stability-level": "rock"}, "promise less"),
    ],
)
def test_a_patch_promises_nobody_less(more: dict[str, Any], reason: str) -> None:
    """A day that leaves no time, or a level that promises nothing, would let the next break through."""
    outcome = _restored(**more)
    assert not outcome.verification.verified
    assert reason in outcome.reason


@pytest.mark.parametrize(
    "more", [{}, {"deprecated": True, "x-sunset": SUNSET}, {"deprecated": True}, {"x-stability-level": "stable"}]
)
def test_what_leaves_consumers_their_time_passes(more: dict[str, Any]) -> None:
    """A window of the promised length, and no window."""
    assert _restored(**more).verification.verified


def test_a_level_on_an_operation_is_refused() -> None:
    """The reader's case: right, and the operation is a draft in passing."""
    operations = [
        add(f"{PROPERTIES}/email", EMAIL),
        REQUIRED,
        add("/paths/~1users~1{id}/get/x-stability-level", "draft"),
    ]
    assert "`x-stability-level: draft` makes `get` promise less" in judged(renamed(), operations).reason


def test_an_inactive_sunset_is_not_made_active() -> None:
    """A day that head gives to what is not deprecated is nobody's end; deprecating the thing makes it one."""
    head = BASE.replace("age: {type: integer}", 'age: {type: string, x-sunset: "2020-01-01"}')
    successor = {"from": SUNSET, "form": STRING}
    value = {"type": "integer", "x-sunset": "2020-01-01", "x-successor": successor}
    on = bench(BASE, head)
    assert judged(on, [replace(f"{PROPERTIES}/age", value)]).verification.verified
    assert "sooner than" in judged(on, [replace(f"{PROPERTIES}/age", {**value, "deprecated": True})]).reason


def test_what_base_has_promised_may_come_back() -> None:
    """A day and a level that base says of the same thing are its author's, however soon."""
    marks = 'deprecated: true, x-sunset: "2027-01-15", x-stability-level: beta'
    base = BASE.replace("email: {type: string,", f"email: {{{marks}, type: string,")
    on = bench(base, base.replace("email: {", "email_address: {").replace("[id, email]", "[id, email_address]"))
    assert any(each.rule == "property-removed" for each in on.changes)
    value = {**EMAIL, "deprecated": True, "x-sunset": "2027-01-15", "x-stability-level": "beta"}
    assert judged(on, [add(f"{PROPERTIES}/email", value), REQUIRED]).verification.verified
    outcome = judged(on, [add(f"{PROPERTIES}/email", {**value, "x-sunset": "2027-01-14"}), REQUIRED])
    assert "sooner than" in outcome.reason


@pytest.mark.parametrize("strategy", list(Strategy))
def test_the_engine_s_own_fixes_are_what_they_are_called(strategy: Strategy) -> None:
    """Each draft of a rename is of the strategy that made it, whatever somebody else claims."""
    from tests.fixes.test_strategies import MANIFEST

    on = bench(
        BASE,
        BASE.replace("email: {", "email_address: {").replace("[id, email]", "[id, email_address]"),
        {"consumers/billing.yaml": MANIFEST},
    )
    draft = next(first_draft(on, strategy))
    trial = on.compare(draft)
    assert {strategy_of(on, trial, claimed) for claimed in Strategy} == {strategy}

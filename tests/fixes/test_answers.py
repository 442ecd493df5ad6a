"""A mark answers a change if it is of the right kind, on the very thing, and says what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from guardian.fixes.draft import Draft
from guardian.fixes.json_patch import add, remove, replace
from guardian.fixes.verify import Outcome, verify
from guardian.model import Strategy
from tests.fixes.test_strategies import BASE
from tests.fixes.workbench import SUNSET, api, bench, fixes, judged

USER = "/components/schemas/User"
AGE = f"{USER}/properties/age"
SCHEMA = "/paths/~1models/get/responses/200/content/application~1json/schema"


def _reverted(*more: Mapping[str, Any], **marks: Any) -> Outcome:
    """Head made ``age`` a string; a patch makes it an integer again and sets marks."""
    on = bench(BASE, BASE.replace("age: {type: integer}", "age: {type: string}"))
    return judged(on, [replace(AGE, {"type": "integer", **marks}), *more])


def _successor(form: Any) -> dict[str, Any]:
    return {"from": SUNSET, "form": form}


@pytest.mark.parametrize(
    "marks",
    [
        {"x-required-from": SUNSET},
        {"x-optional-from": SUNSET},
        {"x-optional-from": {"age": SUNSET}},
        {"x-deprecated-values": {"integer": SUNSET}},
        {"x-successor": _successor({})},
        {"x-successor": _successor(None)},
        {"x-successor": _successor({"type": "integer"})},
        {"x-successor": _successor({"type": "boolean"})},
        {"x-successor": _successor({"type": "string", "maxLength": 5})},
        {"x-versions": {"z": {}}},
        {"x-versions": {"z": {"type": "string"}}},
    ],
)
def test_a_mark_of_another_kind_or_form_answers_nothing(marks: dict[str, Any]) -> None:
    outcome = _reverted(**marks)
    assert "merely reverts the change of `age`" in outcome.reason
    assert not outcome.verification.keeps_intent


@pytest.mark.parametrize(
    "more",
    [
        add(f"{USER}/x-required-from", {"age": SUNSET}),
        add(f"{USER}/x-optional-from", {"age": SUNSET}),
        add(f"{USER}/x-versions", {"age": {}}),
        add(f"{USER}/x-alias-of", "age"),
        add(f"{USER}/x-successor", _successor({})),
        add(f"{AGE}/items", {"type": "string", "x-successor": _successor({})}),
        add(f"{AGE}/not", {"type": "boolean", "x-successor": _successor({"type": "string"})}),
        add("/components/schemas/NewUser/properties/age", {"x-successor": _successor({"type": "string"})}),
    ],
)
def test_a_mark_elsewhere_answers_nothing(more: Mapping[str, Any]) -> None:
    assert "merely reverts the change of `age`" in _reverted(more).reason


@pytest.mark.parametrize(
    "more",
    [
        add(f"{AGE}/x-successor", _successor({"type": "string"})),
        add(f"{USER}/x-successor", _successor({"properties": {"age": {"type": "string"}}})),
    ],
)
def test_head_s_form_on_the_thing_or_around_it_answers(more: Mapping[str, Any]) -> None:
    assert _reverted(more).verification.verified


def _values(marks: dict[str, Any]) -> Outcome:
    on = bench(BASE, BASE.replace("enum: [roles, teams]", "enum: [roles]"))
    at = "/paths/~1users~1{id}/get/parameters/1/schema"
    return judged(on, [replace(at, {"type": "string", "enum": ["roles", "teams"], **marks})])


def test_deprecated_values_are_values_of_base() -> None:
    assert _values({"x-deprecated-values": {"teams": SUNSET}}).verification.verified
    assert "merely reverts" in _values({"x-deprecated-values": {"zzz": SUNSET}}).reason
    assert "merely reverts" in _values({"deprecated": True, "x-sunset": SUNSET}).reason  # the parameter does not go


@pytest.mark.parametrize(
    ("at", "day"),
    [
        ("x-required-from", {"name": SUNSET}),
        ("properties/name/x-required-from", SUNSET),
    ],
)
def test_the_day_of_what_is_newly_asked_for(at: str, day: Any) -> None:
    """It names the property on its object, or stands on it."""
    on = bench(BASE, BASE.replace("required: [email]", "required: [email, name]"))
    schema = "/components/schemas/NewUser"
    required = replace(f"{schema}/required", ["email"])
    assert judged(on, [required, add(f"{schema}/{at}", day)]).verification.verified
    assert "merely reverts" in judged(on, [required, add(f"{schema}/x-required-from", SUNSET)]).reason
    assert "merely reverts" in judged(on, [required, add(f"{schema}/x-required-from", {"email": SUNSET})]).reason
    assert "merely reverts" in judged(on, [required, add(f"{schema}/x-optional-from", {"name": SUNSET})]).reason


# --- a change within a change -------------------------------------------------------------------------------------------


def _models(schema: Any, model: Any) -> str:
    content = {"application/json": {"schema": schema}}
    path = {"get": {"responses": {"200": {"description": "ok", "content": content}}}}
    return api(paths={"/models": path}, components={"schemas": {"Model": model, "Result": RESULT}})


RESULT: dict[str, Any] = {"type": "object", "properties": {"models": {"$ref": "#/components/schemas/Model"}}}
MODEL: dict[str, Any] = {"type": "object", "properties": {"name": {"type": "string"}}}
NULLABLE: dict[str, Any] = {"type": "string", "nullable": True}


def test_a_change_further_in_is_another_one() -> None:
    """That a field of an object is nullable too leaves nothing of the object's own nullability."""
    inner = {"type": "object", "properties": {"name": NULLABLE}}
    on = bench(_models(MODEL, MODEL), _models({**inner, "nullable": True}, MODEL))
    outer = [each for each in on.changes if not each.field]
    draft = Draft(strategy=Strategy.DUAL_WRITE, service="users", specs={"api.yaml": (remove(f"{SCHEMA}/nullable"),)})
    assert "merely reverts" in verify(on, draft, outer).reason


def test_everything_behind_references_is_mended_at_once() -> None:
    """The marks stand on the schemas that are referred to."""
    base = _models({"$ref": "#/components/schemas/Result"}, MODEL)
    head = base.replace('"Result": {', '"Result": {"nullable": true,').replace(
        '"type": "string"', '"type": "string", "nullable": true'
    )
    windows = [each for each in fixes(bench(base, head)) if each.strategy is Strategy.DEPRECATION_WINDOW]
    assert any("all 2 breaking changes are gone" in each.verification.lines[0] for each in windows)

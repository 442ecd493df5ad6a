"""A day or a level that somebody promised for one thing is none for its namesakes."""

from __future__ import annotations

from typing import Any

import pytest

from guardian.fixes.json_patch import add, replace
from guardian.fixes.verify import Outcome
from guardian.model import Strategy
from tests.fixes.test_strategies import BASE
from tests.fixes.workbench import bench, judged, passes

PROPERTIES = "/components/schemas/User/properties"
EMAIL = {"type": "string", "format": "email"}
REQUIRED = replace("/components/schemas/User/required", ["id", "email_address", "email"])
DRAFTS = """\
  /drafts:
    get:
      x-stability-level: draft
      deprecated: true
      x-sunset: "2020-01-01"
      responses: {"200": {description: x}}
components:
"""
LEGACY = """\
    Legacy:
      type: object
      properties:
        email: {type: string, format: email, deprecated: true, x-sunset: "2020-01-01", x-stability-level: draft}
    NewUser:
"""


def _renamed(base: str, *operations: dict[str, Any]) -> Outcome:
    head = base.replace("email: {type: string, format: email}   #", "email_address: {type: string, format: email}   #")
    on = bench(base, head.replace("required: [id, email]", "required: [id, email_address]"))
    return judged(on, [REQUIRED, *operations])


@pytest.mark.parametrize(
    "operations",
    [
        [add("/paths/~1users~1{id}/get/x-stability-level", "draft")],
        [
            add("/paths/~1users~1{id}/get/deprecated", True),
            add("/paths/~1users~1{id}/get/x-sunset", "2020-01-01"),
        ],
    ],
)
def test_another_operation_s_promise_is_its_own(operations: list[dict[str, Any]]) -> None:
    base = BASE.replace("components:\n", DRAFTS, 1)
    restored = add(f"{PROPERTIES}/email", EMAIL)
    assert _renamed(base, restored).verification.verified
    assert not _renamed(base, restored, *operations).verification.verified


@pytest.mark.parametrize("marks", [{"deprecated": True, "x-sunset": "2020-01-01"}, {"x-stability-level": "draft"}])
def test_another_schema_s_promise_is_its_own(marks: dict[str, Any]) -> None:
    base = BASE.replace("    NewUser:\n", LEGACY)
    outcome = _renamed(base, add(f"{PROPERTIES}/email", {**EMAIL, **marks}))
    assert "promise less" in outcome.reason or "sooner than" in outcome.reason


@pytest.mark.parametrize("at", ["/components/x-lib", "/x-lib", "/components/examples"])
def test_a_reference_hides_nothing(at: str) -> None:
    """What stands below an extension, or among plain data, is looked at where a reference leads there."""
    hidden = {**EMAIL, "deprecated": True, "x-sunset": "2020-01-01"}
    ref = f"#{at}/value/Mail"
    outcome = _renamed(BASE, add(at, {"value": {"Mail": hidden}}), add(f"{PROPERTIES}/email", {"$ref": ref}))
    assert "sooner than" in outcome.reason


@pytest.mark.parametrize("marks", ["x-stability-level: beta", 'deprecated: true\n      x-sunset: "2026-12-20"'])
def test_a_whole_schema_is_carried_with_what_it_promises(marks: str) -> None:
    """A version bump brings base's schema along under a name of its own."""
    base = BASE.replace("    User:\n", f"    User:\n      {marks}\n")
    on = bench(base, base.replace("age: {type: integer}", "age: {type: string}"))
    assert Strategy.VERSION_BUMP.value in passes(on)["type-changed"]


def test_a_form_among_several_says_what_the_whole_said() -> None:
    base = BASE.replace("[roles, teams]}", "[roles, teams], x-deprecated-values: {teams: '2026-12-05'}}")
    on = bench(base, base.replace("[roles, teams]", "[roles]"))
    assert Strategy.DUAL_WRITE.value in passes(on)["enum-value-removed"]

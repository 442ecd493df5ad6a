"""What base said in the words of head's version of OpenAPI, where the same change lifted the document to another."""

from __future__ import annotations

import json
from typing import Any

import pytest

from guardian.fixes.json_patch import PatchError, get
from guardian.fixes.wordings import reworded
from guardian.model import Strategy
from tests.fixes.workbench import SUNSET, api, bench, passes, text_of, tried

OLD: dict[str, Any] = {"type": "string", "nullable": True}
NEW: dict[str, Any] = {"type": ["string", "null"]}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (OLD, NEW),
        ({"type": "integer", "minimum": 0, "exclusiveMinimum": True}, {"type": "integer", "exclusiveMinimum": 0}),
        ({"type": "number", "maximum": 9, "exclusiveMaximum": True}, {"type": "number", "exclusiveMaximum": 9}),
        ({"type": "object", "required": ["a"], "deprecated": True}, {"type": "object", "required": ["a"], "deprecated": True}),
    ],
)  # fmt: skip
def test_a_schema_is_said_in_either_version(old: dict[str, Any], new: dict[str, Any]) -> None:
    """There and back again."""
    assert reworded(old, "3.0", "3.1", "") == new
    assert reworded(new, "3.1", "3.0", "") == old


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string", "nullable": False}, {"type": "string"}),
        ({"nullable": True}, {}),
        ({"minimum": 1, "exclusiveMinimum": False}, {"minimum": 1}),
        ({"$ref": "#/components/schemas/A", "nullable": True}, {"$ref": "#/components/schemas/A"}),
    ],
)
def test_what_said_nothing_says_nothing_in_the_next_version(schema: Any, expected: Any) -> None:
    """What 3.0 has no ear for would mean something in 3.1."""
    assert reworded(schema, "3.0", "3.1", "") == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (True, {}),
        (False, {"not": {}}),
        ({"const": 1}, {"enum": [1]}),
        ({"$ref": "#/x", "maxLength": 3}, {"allOf": [{"$ref": "#/x"}], "maxLength": 3}),
    ],
)
def test_the_former_version_says_it_otherwise(schema: Any, expected: Any) -> None:
    """As far as it has words."""
    assert reworded(schema, "3.1", "3.0", "") == expected


@pytest.mark.parametrize(
    "schema",
    [{"type": ["string", "integer"]}, {"type": "null"}, {"if": {}, "then": {}}, {"prefixItems": [{}]},
     {"minimum": 1, "exclusiveMinimum": 0}],
)  # fmt: skip
def test_what_the_former_version_cannot_say_is_not_nearly_said(schema: Any) -> None:
    """A fix that means something else is none."""
    with pytest.raises(PatchError):
        reworded(schema, "3.1", "3.0", "/here")


def _answering(version: str, *names: str, **schemas: Any) -> str:
    said = {"type": "object", "required": list(names), "properties": {name: schemas[name] for name in names}}
    content = {"application/json": {"schema": said}}
    responses = {"200": {"description": "ok", "content": content}}
    return api(openapi=version, paths={"/a": {"get": {"responses": responses}}})


def test_a_lift_to_the_next_version_that_loses_a_field_is_mended() -> None:
    """The field comes back as head's version says it; plain data in it, whatever it looks like, stays as it was."""
    former = {**OLD, "example": {"schema": OLD}, "default": None}
    base = _answering("3.0.3", "id", "former", id={"type": "string"}, former=former)
    on = bench(base, _answering("3.1.0", "id", id={"type": "string"}))
    after = json.loads(text_of(tried(on, Strategy.DEPRECATION_WINDOW)))
    found = get(after, "/paths/~1a/get/responses/200/content/application~1json/schema/properties/former")
    assert {key: found[key] for key in (*NEW, "example", "default", "x-sunset")} == {
        **NEW, "example": {"schema": OLD}, "default": None, "x-sunset": SUNSET,
    }  # fmt: skip
    assert "nullable" not in found


@pytest.mark.parametrize(("before", "after"), [("3.0.3", "3.1.0"), ("3.1.0", "3.0.3")])
def test_a_lift_that_retypes_a_field_has_every_choice(before: str, after: str) -> None:
    """In either direction."""
    on = bench(_answering(before, "a", a={"type": "string"}), _answering(after, "a", a={"type": "integer"}))
    assert passes(on)["type-changed"] == {"dual_write", "deprecation_window", "version_bump"}

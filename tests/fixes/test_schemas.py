"""Schemas kept in base's form for a while: what is kept is all of that form, and what comes is all of head's."""

from __future__ import annotations

import json
from typing import Any

import pytest

from guardian.fixes.json_patch import get
from guardian.model import Strategy
from tests.fixes.workbench import SUNSET, api, bench, passes, text_of, tried

OBJECT = {"type": "object", "properties": {"k": {"type": "string"}}, "required": ["k"]}
LIST = {"type": "array", "items": {"type": "string"}, "minItems": 1}
NUMBER = {"type": "integer", "minimum": 1}


def answering(schema: Any) -> str:
    """An API that answers with an object whose ``x`` is of this schema."""
    said = {"type": "object", "required": ["x"], "properties": {"x": schema}}
    content = {"application/json": {"schema": said}}
    return api(paths={"/a": {"get": {"responses": {"200": {"description": "ok", "content": content}}}}})


def asking(schema: Any) -> str:
    """An API with a query parameter of this schema."""
    parameter = {"name": "x", "in": "query", "schema": schema}
    return api(paths={"/a": {"get": {"parameters": [parameter], "responses": {"204": {"description": "ok"}}}}})


@pytest.mark.parametrize(
    ("base", "head"),
    [
        ({"type": "string"}, OBJECT),
        ({"type": "string", "maxLength": 5}, OBJECT),
        (OBJECT, {"type": "string", "maxLength": 5}),
        (OBJECT, LIST),
        (LIST, OBJECT),
        ({"type": "string", "enum": ["1", "2"]}, NUMBER),
        (NUMBER, {"type": "string", "format": "date"}),
    ],
)
def test_a_type_goes_with_all_that_it_says(base: dict[str, Any], head: dict[str, Any]) -> None:
    """Nothing of head's type is left beside base's, and the successor is head's whole form; the author's words stay."""
    on = bench(answering(base), answering({**head, "description": "What it is."}))
    document = json.loads(text_of(tried(on, Strategy.DEPRECATION_WINDOW)))
    found = get(document, "/paths/~1a/get/responses/200/content/application~1json/schema/properties/x")
    sentence = f"What it is. Changes its form after {SUNSET}."
    assert found == {**base, "description": sentence, "x-successor": {"from": SUNSET, "form": head}}


@pytest.mark.parametrize(
    ("kind", "value", "name"),
    [("boolean", False, "false"), ("number", 1.5, "1.5"), ("string", "False", "False"), ("string", "ä", "ä")],
)
def test_a_value_that_goes_is_named_as_json_writes_it(kind: str, value: Any, name: str) -> None:
    """``x-deprecated-values`` has keys, and these are text: not that of another language."""
    other = {"boolean": True, "number": 2, "string": "b"}[kind]
    on = bench(asking({"type": kind, "enum": [other, value]}), asking({"type": kind, "enum": [other]}))
    assert "deprecation_window" in passes(on)["enum-value-removed"]
    document = json.loads(text_of(tried(on, Strategy.DEPRECATION_WINDOW)))
    schema = get(document, "/paths/~1a/get/parameters/0/schema")
    assert schema == {"type": kind, "enum": [other, value], "x-deprecated-values": {name: SUNSET}}

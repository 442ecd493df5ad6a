"""A company of a user's own: what is no OpenAPI in it is told with its place, what is empty is left out."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from guardian.errors import ReadError
from guardian.learn.contract.own import read

USER = {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}, "tags": {"type": "array"}}}
DOCUMENT: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Shop", "version": "1"},
    "paths": {
        "/users": {
            "get": {
                "parameters": [{"name": "q", "in": "query", "schema": {"type": "string"}}],
                "responses": {
                    "200": {"description": "ok", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/User"}}}}
                },
            }
        }
    },
    "components": {"schemas": {"User": USER}},
}  # fmt: skip
MANIFEST = {"consumer": "app", "uses": [{"service": "shop", "operation": "GET /users", "reads": ["id"]}]}


def _company(folder: Path, at: tuple[Any, ...], value: Any) -> Path:
    document = copy.deepcopy(DOCUMENT)
    part: Any = document
    for step in at[:-1]:
        part = part[step]
    part[at[-1]] = value
    (folder / "shop.json").write_text(json.dumps(document))
    (folder / "app.yaml").write_text(json.dumps(MANIFEST))
    config = folder / "guardian.yaml"
    config.write_text("version: 1\nservices:\n  shop: {spec: shop.json}\nconsumers: [app.yaml]\n")
    return config


@pytest.mark.parametrize(
    ("at", "value", "said"),
    [
        (
            ("paths", "/users", "parameters"),
            [1],
            "parameters[0] must be an object, not 1 (at #/paths/~1users/parameters/0)",
        ),
        (
            ("paths", "/users", "get", "responses", "200", "content"),
            3,
            "content must be an object, not 3 (at #/paths/~1users/get/responses/200/content)",
        ),
        (
            ("components", "schemas", "User", "properties"),
            [1],
            "properties must be an object, not a list (at #/components/schemas/User/properties)",
        ),
        (
            ("components", "schemas", "User", "required"),
            [["id"]],
            "required[0] must be a text, not a list (at #/components/schemas/User/required/0)",
        ),
        (
            ("components", "schemas", "User", "allOf"),
            {},
            "allOf must be a list, not an object (at #/components/schemas/User/allOf)",
        ),
    ],
)
def test_what_has_another_form_is_told_with_its_place(
    tmp_path: Path, at: tuple[Any, ...], value: Any, said: str
) -> None:
    with pytest.raises(ReadError) as caught:
        read(_company(tmp_path, at, value))
    assert caught.value.message == said
    assert caught.value.file == "shop.json"
    assert caught.value.line == 1


@pytest.mark.parametrize(
    "at",
    [
        ("paths", "/users", "parameters"),
        ("paths", "/users", "get", "parameters"),
        ("components", "schemas", "User", "properties"),
        ("components", "schemas", "User", "properties", "tags"),
    ],
)
def test_what_is_empty_is_left_out(tmp_path: Path, at: tuple[Any, ...]) -> None:
    part: Any = read(_company(tmp_path, at, None)).services["shop"]
    for step in at[:-1]:
        part = part[step]
    assert at[-1] not in part


def test_a_boolean_is_a_schema(tmp_path: Path) -> None:
    at = ("components", "schemas", "User", "additionalProperties")
    assert (
        read(_company(tmp_path, at, False)).services["shop"]["components"]["schemas"]["User"]["additionalProperties"]
        is False
    )

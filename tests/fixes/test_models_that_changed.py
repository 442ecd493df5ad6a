"""What is restored means what it meant, also where a component that it refers to says something else in head by now."""

from __future__ import annotations

from typing import Any

import pytest

from guardian.fixes.propose import Passed
from guardian.model import Strategy
from guardian.spec.text import load
from tests.fixes.workbench import bench, groups, passes, text_of, tried

BASE = """
openapi: 3.0.3
info: {title: Users, version: 1.0.0}
paths:
  /users:
    post:
      operationId: addUser
      responses:
        "200":
          description: The user
          content:
            application/json: {schema: {$ref: "#/components/schemas/User"}}
            application/xml: {schema: {$ref: "#/components/schemas/Team"}}
        "201":
          description: The team
          content: {application/json: {schema: {$ref: "#/components/schemas/Team"}}}
      callbacks:
        added:
          "{$request.query.url}":
            post:
              requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/Team"}}}}
              responses: {"204": {description: Seen}}
  /users/{id}:
    get:
      operationId: getUser
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses:
        "200":
          description: The user
          content: {application/json: {schema: {$ref: "#/components/schemas/User"}}}
components:
  schemas:
    User:
      type: object
      properties:
        id: {type: string}
        team: {$ref: "#/components/schemas/Team"}
      required: [team]
    Team:
      type: object
      required: [name]
      properties:
        name: {type: string}
"""
CHANGED = BASE.replace("name: {type: string}", "name: {type: integer}")


def spec(passed: Passed) -> Any:
    return load(text_of(passed).encode(), "api.yaml")


def between(start: str, end: str) -> str:
    """A piece of base's text."""
    return BASE[BASE.index(start) : BASE.index(end)]


@pytest.mark.parametrize(
    ("rule", "gone"),
    [
        ("operation-removed", between("  /users/{id}:", "components:")),
        ("media-type-removed", between("            application/xml", '        "201"')),
        ("response-removed", between('        "201"', "      callbacks:")),
        ("response-body-removed", between("          content: {application/json: {schema: {$ref: \"#/components/schemas/Team", "      callbacks:")),
        ("callback-removed", between("      callbacks:", "  /users/{id}:")),
        ("property-removed", between("        team:", "    Team:")),
    ],
)  # fmt: skip
def test_a_part_comes_back_with_the_model_that_it_had(rule: str, gone: str) -> None:
    """Head's component says something else by now: what is restored brings base's along, under a name of its own."""
    on = bench(BASE, CHANGED.replace(gone, "", 1))
    at = next(number for number, group in enumerate(groups(on)) if group.first.rule == rule)
    schemas = spec(tried(on, Strategy.DEPRECATION_WINDOW, at))["components"]["schemas"]
    assert schemas["TeamV1"]["properties"]["name"] == {"type": "string"}
    assert schemas["Team"]["properties"]["name"] == {"type": "integer"}


def test_a_status_that_changed_with_its_model_answers_in_both_forms() -> None:
    """dual_write: base's status with base's model beside head's."""
    head = CHANGED.replace(
        '        "201":\n          description: The team', '        "202":\n          description: The team'
    )
    on = bench(BASE, head)
    at = next(number for number, group in enumerate(groups(on)) if group.first.rule.startswith("response-"))
    responses = spec(tried(on, Strategy.DUAL_WRITE, at))["paths"]["/users"]["post"]["responses"]
    refs = {
        status: responses[status]["content"]["application/json"]["schema"]["$ref"][-6:] for status in ("201", "202")
    }
    assert refs == {"201": "TeamV1", "202": "s/Team"}


def test_an_operation_that_moved_and_changed_is_no_alias() -> None:
    """Both forms can be served, and the old one can go later; what answers otherwise is not the same by another name."""
    on = bench(BASE, CHANGED.replace("/users/{id}:", "/v2/users/{id}:"))
    at = next(number for number, group in enumerate(groups(on)) if group.first.rule == "operation-removed")
    document = spec(tried(on, Strategy.DUAL_WRITE, at))
    kept = document["paths"]["/users/{id}"]["get"]
    assert kept["description"] == "Served beside GET /v2/users/{id}."
    assert "UserV1" in document["components"]["schemas"]
    assert passes(on)["operation-removed"] == {"dual_write", "deprecation_window"}
    refused = tried(on, Strategy.FIELD_ALIAS, at).outcome
    assert "GET /users/{id} is called an alias of GET /v2/users/{id}" in refused.reason


@pytest.mark.parametrize("path", ["/v2/users/{id}", "/v2/users/{userId}"])
def test_an_operation_that_only_moved_is_an_alias(path: str) -> None:
    """However the new path calls its variables."""
    variable = path.rpartition("{")[2].rstrip("}")
    head = BASE.replace("/users/{id}:", f"{path}:").replace("[{name: id,", f"[{{name: {variable},")
    assert "field_alias" in passes(bench(BASE, head))["operation-removed"]

"""Where a finding points and what is to be edited: closed objects, schemas that say nothing, every variant of a choice."""

from __future__ import annotations

import json
from typing import Any

import pytest

from guardian.fixes.bench import Bench
from guardian.fixes.json_patch import get
from guardian.model import Strategy
from guardian.spec.trees import MemoryTree
from tests.fixes.workbench import SUNSET, bench, passes, situation, text_of, tried

TEXT = {"type": "string"}


def api(schema: Any, *, request: bool, version: str = "3.1.0", **schemas: Any) -> str:
    """An API with one operation whose request or answer is of this schema."""
    content = {"content": {"application/json": {"schema": schema}}}
    operation: dict[str, Any] = {"responses": {"200": {"description": "ok", **({} if request else content)}}}
    if request:
        operation["requestBody"] = {"required": True, **content}
    head = {"openapi": version, "info": {"title": "A", "version": "1.0.0"}, "paths": {"/a": {"post": operation}}}
    return json.dumps({**head, "components": {"schemas": schemas}}, indent=2)


def thing(*names: str, **more: Any) -> dict[str, Any]:
    return {"type": "object", "required": ["id"], "properties": dict.fromkeys(("id", *names), TEXT), **more}


_SCHEMA = "/paths/~1a/post/{}/content/application~1json/schema"
_ASKED, _ANSWERED = _SCHEMA.format("requestBody"), _SCHEMA.format("responses/200")


@pytest.mark.parametrize("keyword", ["additionalProperties", "unevaluatedProperties"])
def test_a_closed_request_takes_what_it_took(keyword: str) -> None:
    """The finding points at the keyword that closes the object; the property comes back beside the others."""
    closed = {keyword: False}
    on = bench(api(thing("age", **closed), request=True), api(thing(**closed), request=True))
    found = get(json.loads(text_of(tried(on, Strategy.DEPRECATION_WINDOW))), _ASKED)
    assert found["properties"]["age"]["x-sunset"] == SUNSET
    assert found[keyword] is False


@pytest.mark.parametrize(
    ("base", "head", "request_"),
    [
        ({"additionalProperties": TEXT}, {"additionalProperties": False, "properties": {"id": TEXT}}, True),
        ({"additionalProperties": True}, {"additionalProperties": TEXT}, True),
        ({"additionalProperties": TEXT}, {"additionalProperties": True}, False),
        ({"additionalProperties": TEXT}, {}, False),
        (
            {"patternProperties": {"^x-": TEXT}, "additionalProperties": False},
            {"additionalProperties": False, "properties": {"id": TEXT}},
            True,
        ),
        (
            {"type": "string", "contentMediaType": "application/json", "contentSchema": thing()},
            {"type": "string", "contentMediaType": "application/json", "contentSchema": {"type": "object"}},
            False,
        ),
    ],
)
def test_a_keyword_that_holds_a_schema_is_kept_by_whoever_has_it(base: Any, head: Any, request_: bool) -> None:
    """What differs is the keyword, also where one side has a schema there and the other ``true``, ``false`` or nothing."""
    keyword = next(key for key in base if base[key] != head.get(key))
    on = bench(*(api({"type": "object", **each}, request=request_) for each in (base, head)))
    found = get(json.loads(text_of(tried(on, Strategy.DEPRECATION_WINDOW))), _ASKED if request_ else _ANSWERED)
    assert found[keyword] == base[keyword]
    assert found["x-successor"]["form"] == {key: value for key, value in head.items() if key == keyword}


@pytest.mark.parametrize(
    ("base", "head", "request_"),
    [
        ({}, TEXT, True),
        (True, TEXT, True),
        (TEXT, False, True),
        (TEXT, {}, False),
        (TEXT, True, False),
    ],
)
def test_a_property_that_says_nothing_is_the_property_all_the_same(base: Any, head: Any, request_: bool) -> None:
    """A schema without keywords has no place in a finding, which names the object around it instead."""
    sides = (thing() | {"properties": {"id": TEXT, "any": each}} for each in (base, head))
    on = bench(*(api(each, request=request_) for each in sides))
    assert {"deprecation_window"} <= passes(on)["type-changed"]
    found = get(json.loads(text_of(tried(on, Strategy.DEPRECATION_WINDOW))), _ASKED if request_ else _ANSWERED)
    found = found["properties"]
    assert found["id"] == TEXT
    assert found["any"]["x-successor"]["from"] == SUNSET
    assert found["any"].get("type") == (base.get("type") if isinstance(base, dict) else None)


def _variants(*names: str, refer: bool) -> str:
    variants = {
        kind: {**thing(*names), "properties": {**thing(*names)["properties"], "kind": {"const": kind}}}
        for kind in ("cat", "dog")
    }
    for each in variants.values():
        each["required"] = ["id", "kind", *names]
    if refer:
        return api(
            {"oneOf": [{"$ref": f"#/components/schemas/{kind}"} for kind in variants]}, request=False, **variants
        )
    return api({"oneOf": list(variants.values())}, request=False)


@pytest.mark.parametrize("refer", [False, True])
@pytest.mark.parametrize("files", [("api.json", "api.json"), ("one.json", "two.json")])
def test_what_every_variant_lost_comes_back_in_every_variant(refer: bool, files: tuple[str, str]) -> None:
    """One finding stands for all of them, and names the place of one."""
    texts = _variants("name", refer=refer), _variants(refer=refer)
    trees = (MemoryTree({file: text.encode()}) for file, text in zip(files, texts, strict=True))
    on = Bench(*situation(*trees, {"users": files}))
    after = json.loads(text_of(tried(on, Strategy.DEPRECATION_WINDOW)))
    found = get(after, "/components/schemas") if refer else dict(enumerate(get(after, f"{_ANSWERED}/oneOf")))
    assert [each["properties"]["name"]["x-sunset"] for each in found.values()] == [SUNSET] * 2


def test_what_one_variant_lost_comes_back_there_alone() -> None:
    """The others have it still."""
    base = {"oneOf": [thing("name"), thing("name", "age")]}
    head = {"oneOf": [thing(), thing("name", "age")]}
    for each in (base, head):
        for variant in each["oneOf"]:
            variant["required"] = list(variant["properties"])
    on = bench(api(base, request=False), api(head, request=False))
    found = get(json.loads(text_of(tried(on, Strategy.DEPRECATION_WINDOW))), f"{_ANSWERED}/oneOf")
    assert found[0]["properties"]["name"]["x-sunset"] == SUNSET
    assert found[1] == head["oneOf"][1]


_ALIASED = """\
openapi: 3.1.0
info: {title: A, version: 1.0.0}
paths:
  /a:
    get:
      responses:
        "200":
          description: ok
          content:
            application/json:
              schema:
                type: object
                required: [one, two]
                properties:
                  one: &text {type: string}
                  two: %s
"""


def test_what_stands_at_an_alias_is_mended_alone() -> None:
    """Programs that write YAML give equal things one anchor: a fix of one of them is none of the others."""
    on = bench(_ALIASED % "{type: integer}", _ALIASED % "*text")
    assert {"dual_write", "deprecation_window", "version_bump"} <= passes(on)["type-changed"]
    after = text_of(tried(on, Strategy.DEPRECATION_WINDOW))
    assert "one: &text {type: string}\n" in after
    assert "two:\n                    type: integer\n" in after


def test_of_equal_items_one_may_change() -> None:
    """The mark stands on the second item of two that were alike, and tells of that one."""
    base, head = ({"type": "array", "prefixItems": [TEXT, each]} for each in ({"type": "integer"}, TEXT))
    on = bench(api(base, request=False), api(head, request=False))
    found = get(json.loads(text_of(tried(on, Strategy.DEPRECATION_WINDOW))), f"{_ANSWERED}/prefixItems/1")
    assert (found["type"], found["x-successor"]["form"]) == ("integer", {"type": "string"})

"""Bodies, media types, headers and credentials: what is restored where a finding points at what is left of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from guardian.fixes.json_patch import get
from guardian.model import Strategy
from tests.fixes.workbench import SUNSET, api, bench, passes, text_of, tried

TEXT = {"type": "string"}
QUERY = {"name": "q", "in": "query", "schema": TEXT}
BODY = {"required": True, "content": {"application/json": {"schema": {"type": "object"}}}}
DONE = {"200": {"description": "ok"}}


@pytest.mark.parametrize(
    ("item", "operation"), [({}, {}), ({}, {"parameters": [QUERY]}), ({"parameters": [QUERY]}, {})]
)
def test_a_body_that_is_gone_comes_back_in_its_operation(item: Any, operation: Any) -> None:
    """The finding names what a sender still says: parameters, those of the whole path among them."""
    base, head = (
        api(paths={"/a": {**item, "post": {"responses": DONE, **operation, **more}}})
        for more in ({"requestBody": BODY}, {})
    )
    after = json.loads(text_of(tried(bench(base, head), Strategy.DEPRECATION_WINDOW)))
    found = get(after, "/paths/~1a/post")
    assert found["requestBody"] == {**BODY, "required": False}
    assert found["x-successor"] == {"from": SUNSET, "form": {"requestBody": None}}


@pytest.mark.parametrize(("wide", "narrow"), [("*/*", "application/json"), ("image/*", "image/png")])
def test_a_range_of_media_types_stays_beside_the_one_that_is_left(wide: str, narrow: str) -> None:
    """Both are members of one map."""
    base, head = (
        api(paths={"/a": {"post": {"requestBody": {"content": {each: {"schema": TEXT}}}, "responses": DONE}}})
        for each in (wide, narrow)
    )
    on = bench(base, head)
    assert {"dual_write", "deprecation_window"} <= passes(on)["media-type-range-changed"]
    after = json.loads(text_of(tried(on, Strategy.DUAL_WRITE)))
    found = get(after, "/paths/~1a/post/requestBody/content")
    assert found == {narrow: {"schema": TEXT}, wide: {"schema": TEXT}}


def test_what_a_webhook_was_sure_to_send_it_sends_on() -> None:
    """A parameter of a webhook is promised: restored, it may not be left out."""
    header = {"name": "X-Signature", "in": "header", "required": True, "schema": TEXT}
    base, head = (
        api(openapi="3.1.0", webhooks={"made": {"post": {"responses": DONE, "parameters": each}}})
        for each in ([header, QUERY], [QUERY])
    )
    after = json.loads(text_of(tried(bench(base, head), Strategy.DEPRECATION_WINDOW)))
    found = get(after, "/webhooks/made/post/parameters/1")
    assert (found["required"], found["x-sunset"]) == (True, SUNSET)


def test_scopes_that_are_accepted_again_are_on_offer_again() -> None:
    """The scheme is the same one, whichever scopes it lists: base's is not brought along under another name."""

    def with_scopes(requirements: list[Any], **scopes: str) -> str:
        flow = {"clientCredentials": {"tokenUrl": "https://a.example/token", "scopes": scopes}}
        return api(
            paths={"/a": {"get": {"responses": DONE, "security": requirements}}},
            components={"securitySchemes": {"oauth": {"type": "oauth2", "flows": flow}}},
        )

    base = with_scopes([{"oauth": ["read"]}, {"oauth": ["all"]}], read="Look.", all="Do as you like.")
    on = bench(base, with_scopes([{"oauth": ["all"]}], all="Do as you like."))
    after = json.loads(text_of(tried(on, Strategy.DEPRECATION_WINDOW)))
    assert get(after, "/paths/~1a/get/security") == [{"oauth": ["all"]}, {"oauth": ["read"]}]
    schemes = get(after, "/components/securitySchemes")
    assert schemes == get(json.loads(base), "/components/securitySchemes")


_OLD = """\
swagger: "2.0"
info: {title: A, version: 1.0.0}
paths:
  /a:
    post:
      parameters:
        - {name: q, in: query, type: string}
        - {name: body, in: body, required: true, schema: {type: object}}
      responses:
        "200": {description: ok, schema: {type: object}}
"""


def test_a_body_of_openapi_2_is_a_parameter() -> None:
    """And comes back as one, which need not be sent."""
    body = "        - {name: body, in: body, required: true, schema: {type: object}}\n"
    text = text_of(tried(bench(_OLD, _OLD.replace(body, "")), Strategy.DEPRECATION_WINDOW))
    assert "- name: body\n          in: body\n" in text
    assert f'x-sunset: "{SUNSET}"' in text
    assert "required" not in text


def test_a_response_of_openapi_2_has_its_schema_again() -> None:
    """With the word that it will go."""
    text = text_of(
        tried(bench(_OLD, _OLD.replace(", schema: {type: object}}\n", "}\n")), Strategy.DEPRECATION_WINDOW, 0)
    )
    assert "schema: {type: object}" in text

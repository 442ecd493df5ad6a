"""What to point at on the side that lacks something: its parent."""

from __future__ import annotations

from typing import Any

import pytest

from guardian.model import Change
from tests.rules.sides import api, changes


def _one(base: dict[str, Any], head: dict[str, Any], rule: str) -> Change:
    [change] = [each for each in changes(base, head) if each.rule == rule]
    return change


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ("{'/a~b/{id}': {get: {}}}", "/paths/~1a~0b~1{id}"),
        ("{'/a~b/{key}': {get: {}}}", "/paths/~1a~0b~1{key}"),
        ("{/other: {get: {}}}", "/paths"),
        ("{}", "/paths"),
    ],
)
def test_an_operation_that_is_gone_is_missed_in_its_path(head: str, expected: str) -> None:
    """Under whatever names its variables have; without its path it is missed among the paths."""
    base, after = api("{'/a~b/{id}': {get: {}, delete: {}}}"), api(head)
    found = [each.head for each in changes(base, after) if each.rule == "operation-removed"]
    assert {each.pointer for each in found if each} == {expected}
    found = [each.base for each in changes(after, base) if each.rule == "operation-added"]
    assert {each.pointer for each in found if each} == {expected}


def test_webhooks_and_callbacks_are_missed_where_they_would_be() -> None:
    """In the webhook, in the webhooks, in the callbacks of their operation or in it."""
    hooks = api("{}", webhooks={"paid": {"post": {}, "put": {}}, "sent": {"post": {}}})
    fewer = api("{}", webhooks={"paid": {"post": {}}})
    found = {each.operation: each.head.pointer for each in changes(hooks, fewer) if each.head}
    assert found == {"webhook PUT paid": "/webhooks/paid", "webhook POST sent": "/webhooks"}
    called = api("{/s: {post: {callbacks: {done: {'{$url}': {post: {}}}, failed: {'{$url}': {post: {}}}}}}}")
    less = api("{/s: {post: {callbacks: {done: {'{$url}': {post: {}}}}}}}")
    change = _one(called, less, "callback-removed")
    assert change.head is not None
    assert change.head.pointer == "/paths/~1s/post/callbacks"
    change = _one(less, api("{/s: {post: {}}}"), "callback-removed")
    assert change.head is not None
    assert change.head.pointer == "/paths/~1s/post"


def test_a_schema_that_is_not_there_is_missed_in_what_would_hold_it() -> None:
    """The media type, the parameter, the header."""
    content = "{/a: {get: {parameters: [{in: query, name: q%s}], responses: {'200': {headers: {X-A: {%s}}, content: {application/json: {%s}}}}}}}"
    full = api(content % (", schema: {type: string}", "schema: {type: string}", "schema: {type: string}"))
    bare = api(content % ("", "", ""))
    found = [each for each in changes(full, bare) if each.rule == "type-changed"]
    assert {each.head.pointer for each in found if each.head} == {
        "/paths/~1a/get/parameters/0",
        "/paths/~1a/get/responses/200/headers/X-A",
        "/paths/~1a/get/responses/200/content/application~1json",
    }
    assert not [each for each in changes(bare, full) if each.base is None or not each.base.pointer]

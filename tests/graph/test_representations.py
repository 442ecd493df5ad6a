"""One resource in several media types: whoever uses one of them is not hit by what happens to another."""

from __future__ import annotations

from typing import Any

import pytest

from guardian.graph.uses import Consumer
from guardian.spec.api import Api
from tests.graph.test_pact import one
from tests.graph.worlds import api, apis, hit, trace

USER = "{type: object, required: [id, name], properties: {id: {type: string}, name: {type: string}}}"
LESS = "{type: object, required: [id], properties: {id: {type: string}}}"
V1, V2 = "application/vnd.users.v1+json", "application/vnd.users.v2+json"


def users(**schemas: str) -> Api:
    """GET and PUT of a user, with a schema for each version."""
    content = "{" + ", ".join(
        f"application/vnd.users.{name}+json: {{schema: {each}}}" for name, each in schemas.items()
    )
    return api(
        "users",
        "/users/{id}:\n  get: {responses: {'200': {description: '', content: " + content + "}}}}\n"
        "  put: {requestBody: {content: " + content + "}}, responses: {'204': {description: ''}}}\n",
    )


def reader(content_type: str = "", accept: str = "", **more: Any) -> Consumer:
    """Who reads the name of a user, as a pact says it."""
    request = {"method": "GET", "path": "/users/1", "headers": {"Accept": accept} if accept else {}}
    headers = {"Content-Type": content_type} if content_type else {}
    use = one(request, {"status": 200, "headers": headers, "body": {"id": "1", "name": "x"}, **more})
    return Consumer("web", (use,))


BOTH = users(v1=USER, v2=USER)


@pytest.mark.parametrize(
    ("consumer", "head", "expected"),
    [
        (reader(V1), users(v1=LESS, v2=USER), {"web": ("broken", 1)}),
        (reader(V2 + "; charset=utf-8"), users(v1=LESS, v2=USER), {}),
        (reader(V2), users(v2=USER), {}),
        (reader(V1), users(v2=USER), {"web": ("possible", 1)}),
        (reader(accept=V2), users(v1=LESS, v2=USER), {}),
        (reader(accept=f"{V2}, */*"), users(v1=LESS, v2=USER), {"web": ("broken", 1)}),
        (reader(accept="application/*"), users(v1=LESS, v2=USER), {"web": ("broken", 1)}),
        (reader("application/json"), users(v1=LESS, v2=USER), {"web": ("broken", 1)}),
        (reader(), users(v1=LESS, v2=USER), {"web": ("broken", 1)}),
    ],
)  # fmt: skip
def test_who_reads_another_representation(consumer: Consumer, head: Api, expected: dict[str, tuple[str, int]]) -> None:
    """Only a use that is of another one for certain is passed over: not a range, nor a type that is not declared."""
    assert hit(trace(apis(BOTH), apis(head), [consumer])) == expected


@pytest.mark.parametrize("kind", [V1, V2])
def test_a_component_of_several_representations(kind: str) -> None:
    """It is told for one of them, by its path there, and concerns whoever uses any."""
    content = {V1: "{$ref: '#/components/schemas/U'}", V2: "{type: array, items: {$ref: '#/components/schemas/U'}}"}
    media = ", ".join(f"{name}: {{schema: {schema}}}" for name, schema in content.items())
    paths = "/users/{id}: {get: {responses: {'200': {description: '', content: {" + media + "}}}}}"
    base, head = (api("users", paths, components=f"schemas: {{U: {schema}}}") for schema in (USER, LESS))
    body: Any = {"name": "x"} if kind == V1 else [{"name": "x"}]
    response = {"status": 200, "headers": {"Content-Type": kind}, "body": body}
    consumer = Consumer("web", (one({"method": "GET", "path": "/users/1"}, response),))
    assert hit(trace(apis(base), apis(head), [consumer])) == {"web": ("broken", 1)}


@pytest.mark.parametrize(
    ("rule", "known"),
    [
        ({"$.headers.Content-Type": {"match": "regex", "regex": "application/vnd\\.users\\.v1\\+json.*"}}, True),
        ({"$.headers.Content-Type": {"match": "regex", "regex": "application/.*json"}}, False),
        ({"$.headers.Content-Type": {"match": "regex", "regex": "application/(json|vnd.users.v1\\+json)"}}, False),
        ({"header": {"Content-Type": {"matchers": [{"match": "regex", "regex": "application/.*"}]}}}, False),
        ({"header": {"content-type": {"matchers": [{"match": "equality"}]}}}, True),
        ({"header": {"Content-Type": {"matchers": [{"match": "type"}]}}}, False),
    ],
)  # fmt: skip
def test_a_matcher_of_the_content_type(rule: dict[str, Any], known: bool) -> None:
    """What takes other media types as well says of none that it is not read."""
    (use,) = reader(V1, matchingRules=rule).uses
    assert use.received == ((V1,) if known else None)


def test_who_sends_another_representation() -> None:
    """The same of bodies that are sent."""
    base, head = users(v1=USER, v2=USER), users(v1=USER)
    for kind, expected in ((V1, {}), (V2, {"web": ("possible", 1)})):
        request = {
            "method": "PUT",
            "path": "/users/1",
            "headers": {"Content-Type": kind},
            "body": {"id": "1", "name": "x"},
        }
        consumer = Consumer("web", (one(request, {"status": 204}),))
        assert hit(trace(apis(base), apis(head), [consumer])) == expected

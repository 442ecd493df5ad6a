"""Recorded exchanges, kept whole: what pacts of every version and HARs say was sent and came back."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from guardian.graph.consumers.load import load_consumers
from guardian.graph.recordings import Exchange, exchanges
from guardian.spec.trees import MemoryTree
from tests.graph.worlds import api, apis

USERS = api("users", "/users/{id}: {get: {}, put: {}}", servers="- url: https://users.test/v1")


def pact(request: dict[str, Any], response: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "consumer": {"name": "shop"},
        "provider": {"name": "users"},
        "interactions": [{"description": "one", "request": request, "response": response, **more}],
    }


def har(request: dict[str, Any], response: dict[str, Any]) -> dict[str, Any]:
    return {"log": {"entries": [{"request": request, "response": response}]}}


def kept(data: Any, name: str = "x.json") -> list[Exchange]:
    """The exchanges of one file."""
    declared = load_consumers([(MemoryTree({name: json.dumps(data).encode()}), name)], ["users"], apis(USERS))
    return list(exchanges(declared.consumers, declared.files))


@pytest.mark.parametrize(
    ("request_", "query"),
    [
        ({"query": "a=1&b="}, (("a", "1"), ("b", ""))),
        ({"query": {"a": ["1", "2"]}}, (("a", "1"), ("a", "2"))),
        ({}, ()),
    ],
)
def test_queries_of_all_versions(request_: dict[str, Any], query: tuple[tuple[str, str], ...]) -> None:
    """Version 2 has a query as text, version 3 and 4 as lists of values."""
    (exchange,) = kept(pact({"method": "get", "path": "/users/1", **request_}, {"status": 200}))
    assert (exchange.path, exchange.query, exchange.status) == ("/users/1", query, 200)
    assert exchange.is_excerpt


@pytest.mark.parametrize(
    ("body", "value"),
    [
        ({"id": 1}, {"id": 1}),
        ({"content": {"id": 1}, "contentType": "application/json", "encoded": False}, {"id": 1}),
        ({"content": base64.b64encode(b'{"id": 1}').decode(), "contentType": "application/json", "encoded": "base64"},
         {"id": 1}),
        ({"json_class": "Pact::SomethingLike", "contents": {"id": 1}}, {"id": 1}),
        ("plain", "plain"),
        (None, None),
    ],
)  # fmt: skip
def test_bodies_of_all_versions(body: Any, value: Any) -> None:
    """As they are, wrapped, encoded, or with the matchers of early Ruby pacts."""
    (exchange,) = kept(pact({"method": "PUT", "path": "/users/1", "body": body}, {"status": 200, "body": body}))
    assert exchange.request.body == exchange.response.body == value


def test_a_har_entry() -> None:
    """A recorded call is no excerpt; its URL gives path and query, binary content is left out."""
    request = {
        "method": "GET",
        "url": "https://users.test/v1/users/7?x=1",
        "headers": [{"name": "X-A", "value": "b"}],
    }
    content = {"mimeType": "application/json", "text": '{"id": "7"}'}
    (exchange,) = kept(har(request, {"status": 200, "content": content}), "shop.har")
    assert (exchange.consumer, exchange.path, exchange.query) == ("shop", "/v1/users/7", (("x", "1"),))
    assert (exchange.request.headers, exchange.response.body) == ({"X-A": "b"}, {"id": "7"})
    assert not exchange.is_excerpt
    (binary,) = kept(har(request, {"status": 200, "content": {**content, "encoding": "base64"}}), "shop.har")
    assert binary.response.body is None


def test_manifests_hold_no_exchange() -> None:
    """What people declare was not recorded."""
    manifest = {"consumer": "shop", "uses": [{"service": "users", "operation": "GET /users/{id}"}]}
    assert kept(manifest) == []

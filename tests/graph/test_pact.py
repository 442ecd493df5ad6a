"""Pact files of every version, read as uses."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from guardian.graph.consumers.names import Names
from guardian.graph.consumers.pact import is_pact, read_pact
from guardian.graph.uses import Field, Found, Use
from guardian.model import Location

SERVICES = Names(["users", "orders"])


def pact(*interactions: dict[str, Any], provider: str = "users", **more: Any) -> Found:
    data = {"consumer": {"name": "web"}, "provider": {"name": provider}, "interactions": list(interactions), **more}
    assert is_pact(data)
    return read_pact(data, "p.json", SERVICES)


def one(request: dict[str, Any], response: dict[str, Any], **more: Any) -> Use:
    found = pact({"description": "x", "request": request, "response": response, **more})
    assert found.notes == ()
    ((use,),) = [consumer.uses for consumer in found.consumers]
    return use


def names(fields: tuple[Field, ...] | None) -> list[str] | None:
    return None if fields is None else [str(field.path) + ("!" if field.shallow else "") for field in fields]


GET = {"method": "get", "path": "/users/1"}
BODY = {"id": 1, "tags": [], "address": {"city": "Oslo"}, "roles": [{"name": "a"}, {"name": "b", "at": None}]}
LEAVES = ["id", "tags!", "address.city", "roles[].name", "roles[].at"]


@pytest.mark.parametrize(
    "response",
    [
        {"status": 200, "body": BODY},
        {"status": 200, "body": {"content": BODY, "contentType": "application/json", "encoded": False}},
        {"status": 200, "body": {"content": json.dumps(BODY), "contentType": "application/json", "encoded": "JSON"}},
        {
            "status": 200,
            "body": {
                "content": base64.b64encode(json.dumps(BODY).encode()).decode(),
                "contentType": "application/vnd.users+json",
                "encoded": "base64",
            },
        },
        {"status": 200, "headers": {"Content-Type": ["application/json"]}, "body": json.dumps(BODY)},
    ],
    ids=["plain", "wrapped", "as text", "base64", "text with a header"],
)
def test_bodies_of_every_form(response: dict[str, Any]) -> None:
    """The leaves of the expected body are read, however the version wraps it; array items are one."""
    use = one(GET, response)
    assert names(use.reads) == LEAVES
    assert (use.operation, use.service, use.confidence, use.responses) == (
        "GET /users/1",
        "users",
        "asserted",
        ("200",),
    )


def test_every_read_has_its_place() -> None:
    """A read points at its own leaf of the body."""
    use = one(GET, {"status": 200, "body": {"content": BODY, "contentType": "application/json"}})
    assert use.reads is not None
    assert use.reads[2].origin == Location("p.json", "/interactions/0/response/body/content/address/city")


def test_no_body_reads_nothing() -> None:
    """A response without a body asserts nothing of it; one of text is read whole."""
    assert names(one(GET, {"status": 204}).reads) == []
    assert names(one(GET, {"status": 200, "body": "hello"}).reads) == ["$"]
    assert names(one(GET, {"status": 200, "body": {"content": "", "contentType": "text/plain"}}).reads) == []
    assert names(one(GET, {"status": 200, "body": []}).reads) == ["$!"]


def test_headers() -> None:
    """Headers of the contract are read and sent; those of HTTP at large are not."""
    request = {**GET, "headers": {"Accept": "application/json", "X-Tenant": "a", "Authorization": "Bearer x"}}
    use = one(request, {"status": 201, "headers": {"Location": ["/users/1"], "Content-Type": "text/plain"}})
    assert names(use.reads) == ["header:Location"]
    assert names(use.sends) == ["header:X-Tenant", "header:Authorization"]


@pytest.mark.parametrize("query", ["page=1&sort=a&sort=b", {"page": ["1"], "sort": ["a", "b"]}, "?page=1&sort"])
def test_queries_of_every_version(query: Any) -> None:
    """Version 1 and 2 write the query as text, 3 and 4 as lists by name."""
    assert names(one({**GET, "query": query}, {"status": 200}).sends) == ["query:page", "query:sort"]


def test_what_is_sent() -> None:
    """The body of a request is all that is sent; forms are read by their names."""
    assert names(one({"method": "POST", "path": "/users", "body": {"a": {"b": 1}}}, {"status": 201}).sends) == ["a.b"]
    form = {"method": "POST", "path": "/t", "headers": {"content-type": "application/x-www-form-urlencoded"}}
    assert names(one({**form, "body": "user=a&pass="}, {"status": 200}).sends) == ["user", "pass"]


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ({"body": {"$.labels": {"matchers": [{"match": "values"}]}}}, ["labels.*.id"]),
        ({"body": {"$.labels": {"matchers": [{"match": "eachKey"}]}}}, ["labels.*.id"]),
        ({"$.body.labels.*.id": {"match": "type"}}, ["labels.*.id"]),
        ({"$.body.labels.*": {"match": "type"}}, ["labels.env.id"]),
        ({"body": {"$.labels.env.id": {"matchers": [{"match": "type"}]}}}, ["labels.env.id"]),
        (
            {"body": {"$['labels']['env'].more[*].x": {"matchers": [{"match": "type"}]}}},
            ["labels.env.id", "labels.env.more[].x"],
        ),
        ({"body": {"$.other[0]": {"matchers": [{"match": "type"}]}}}, ["labels.env.id", "other[]"]),
        ({"body": {"$": {"matchers": [{"match": "type"}]}, "x y": {"matchers": 3}}}, ["labels.env.id"]),
    ],
)
def test_matching_rules(rules: dict[str, Any], expected: list[str]) -> None:
    """Rules tell maps from objects and name what the example lacks; a rule nobody can read changes nothing."""
    response = {"status": 200, "body": {"labels": {"env": {"id": 1}}}, "matchingRules": rules}
    assert names(one(GET, response).reads) == expected


def test_ruby_terms_are_unwrapped() -> None:
    """The first Ruby pacts wrote matchers into the values, also into the path."""
    term = {"json_class": "Pact::Term", "data": {"generate": "/users/7", "matcher": {}}}
    body = {
        "json_class": "Pact::SomethingLike",
        "contents": {"ids": {"json_class": "Pact::ArrayLike", "contents": {"id": 1}, "min": 1}},
    }
    use = one({"method": "get", "path": term}, {"status": 200, "body": body})
    assert (use.operation, names(use.reads)) == ("GET /users/7", ["ids[].id"])


def test_refused_requests_only_tell_statuses() -> None:
    """A test that expects an error says which status is handled, not what a normal call reads or sends."""
    use = one({**GET, "body": {"wrong": 1}}, {"status": 404, "body": {"error": "x"}})
    assert (use.reads, use.sends, use.responses) == (None, None, ("404",))


@pytest.mark.parametrize(
    ("interaction", "reason"),
    [
        ({"type": "Asynchronous/Messages", "contents": {}}, "Asynchronous/Messages"),
        ({"type": "Synchronous/Messages", "request": {"contents": {}}}, "Synchronous/Messages"),
        ({"type": "Synchronous/HTTP", "pending": True, "request": GET, "response": {}}, "pending"),
        ({"request": {"path": "/x"}}, "no HTTP request"),
        ({"request": {"method": "GET", "path": "x"}}, "no HTTP request"),
        ({}, "no HTTP request"),
    ],
)
def test_what_is_left_out_is_told(interaction: dict[str, Any], reason: str) -> None:
    """Whatever is no agreed HTTP interaction is left out with its reason; the others still count."""
    found = pact(interaction, {"request": GET, "response": {"status": 200}})
    assert len(found.consumers[0].uses) == 1
    assert [note.level for note in found.notes] == ["info"]
    assert reason in found.notes[0].message


def test_messages_of_version_three() -> None:
    """A version 3 message pact has no interactions at all."""
    found = read_pact({"consumer": {"name": "a"}, "provider": {"name": "b"}, "messages": [{}, {}]}, "p.json", SERVICES)
    assert found.consumers[0].uses == ()
    assert found.notes[0].message.startswith("2 of")


@pytest.mark.parametrize(
    ("provider", "service"),
    [
        ("users", "users"),
        ("Users", "users"),
        ("users-service", "users"),
        ("Users API", "users"),
        ("USERS_", "users"),
        ("user", "user"),
        ("Billing", "Billing"),
    ],
)
def test_providers_are_services(provider: str, service: str) -> None:
    """A provider is looked up exactly, without case, without punctuation, without words like "service"."""
    found = pact({"request": GET, "response": {"status": 200}}, provider=provider)
    assert found.consumers[0].uses[0].service == service


def test_names_by_path() -> None:
    """A service that is named by its file's path is known by the part that tells."""
    known = Names(["specs/orders/openapi", "specs/users/api", "a/shared", "b/shared"])
    assert known.find("orders") == "specs/orders/openapi"
    assert known.find("Users Service") == "specs/users/api"
    assert known.find("shared") is None


@pytest.mark.parametrize(
    ("metadata", "tool"),
    [
        ({"pactSpecification": {"version": "4.0"}}, "pact 4.0"),
        ({"pactSpecificationVersion": "2.0.0"}, "pact 2.0.0"),
        ({"pact-specification": {"version": "3.0.0"}}, "pact 3.0.0"),
        ({"pact_gem": {"version": "1.0"}}, "pact"),
    ],
)
def test_versions_are_kept(metadata: dict[str, Any], tool: str) -> None:
    """Provenance names the version, under whichever key the tool wrote it."""
    found = pact({"request": GET, "response": {"status": 200}}, metadata=metadata)
    assert found.consumers[0].uses[0].tool == tool


def test_what_is_no_pact() -> None:
    """Manifests and others are not taken for pacts."""
    assert not is_pact({"consumer": "a", "uses": []})
    assert not is_pact([1])
    assert not is_pact({"consumer": {"name": "a"}, "provider": {"name": "b"}})


def test_everyday_headers_that_a_test_asserts() -> None:
    """What somebody wrote into a contract test is meant, but for what media types say."""
    headers = {"Accept": "application/json", "Accept-Language": "nb", "If-None-Match": "x", "X-Requested-With": "y"}
    use = one({**GET, "headers": headers}, {"status": 200, "headers": {"Cache-Control": "no-store", "Vary": "*"}})
    assert names(use.sends) == ["header:Accept-Language", "header:If-None-Match", "header:X-Requested-With"]
    assert names(use.reads) == ["header:Cache-Control", "header:Vary"]


@pytest.mark.parametrize("cookie", ["session=1; theme=a=b", ["session=1", "theme=2"], ["session=1; theme=2; none"]])
def test_cookies_by_their_names(cookie: Any) -> None:
    """One header carries all cookies; a specification declares each."""
    use = one({**GET, "headers": {"cookie": cookie}}, {"status": 200})
    assert names(use.sends) == ["cookie:session", "cookie:theme", "header:cookie"]


@pytest.mark.parametrize(
    ("matcher", "responses"),
    [
        ("success", ("2XX",)),
        ("nonError", ("1XX", "2XX", "3XX")),
        ([200, 202], ("200", "202")),
        ("unheard of", ("200",)),
        (None, ("200",)),
    ],
)
def test_status_matchers(matcher: Any, responses: tuple[str, ...]) -> None:
    """Version 4 may take a class of statuses, of which the one that is written is an example."""
    rule = {"matchers": [{"match": "statusCode", "status": matcher} if matcher else {"match": "integer"}]}
    assert one(GET, {"status": 200, "matchingRules": {"status": rule}}).responses == responses


@pytest.mark.parametrize(
    ("path", "operation"),
    [("/søk/1", "GET /søk/1"), ("/s%C3%B8k", "GET /s%C3%B8k"), ("/a b?c", "GET /a%20b%3Fc")],
)
def test_paths_as_they_are_written(path: str, operation: str) -> None:
    """Only what would end the path is encoded."""
    assert one({"method": "GET", "path": path}, {"status": 200}).operation == operation

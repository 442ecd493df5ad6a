"""The shared route matcher: names of manifests and concrete calls to operations."""

from __future__ import annotations

import pytest

from guardian.graph.consumers.routes import Router, Routes
from tests.graph.worlds import api

PETS = api(
    "pets",
    """
    /pets: {get: {}, post: {}}
    /pets/{id}: {get: {}, delete: {}}
    /pets/mine: {get: {}}
    /pets/{id}.json: {get: {}}
    /pets/{id}/visits/{visit}: {get: {}}
    /owners/{owner}/pets/: {post: {}}
    /{kind}/{id}/photo: {get: {}}
    /jobs:
      post:
        callbacks:
          done: {"{$request.body#/url}": {post: {}}}
    """,
    servers="- url: https://vet.example/clinic/v1",
    webhooks="born: {post: {}}",
)
ROUTER = Router(PETS)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("GET /pets/{id}", "GET /pets/{id}"),
        ("get   /pets/{petId}", "GET /pets/{id}"),
        ("GET /pets/:id", "GET /pets/{id}"),
        ("GET /pets/{{id}}", "GET /pets/{id}"),
        ("GET /pets/", "GET /pets"),
        ("GET /clinic/v1/pets/{x}", "GET /pets/{id}"),
        ("GET /v1/pets/{x}", "GET /pets/{id}"),
        ("GET https://vet.example/clinic/v1/pets", "GET /pets"),
        ("POST /owners/{id}/pets", "POST /owners/{owner}/pets/"),
        ("GET /pets/mine", "GET /pets/mine"),
        ("GET /pets/{id}.json", "GET /pets/{id}.json"),
        ("webhook post born", "webhook POST born"),
        ("callback POST done of POST /jobs", "callback POST done of POST /jobs"),
        ("callback post done of post /clinic/v1/jobs", "callback POST done of POST /jobs"),
        ("DELETE /pets", None),
        ("GET /cats", None),
        ("GET /pets/{id}/visits", None),
        ("webhook POST died", None),
        ("callback POST failed of POST /jobs", None),
        ("nonsense", None),
        ("GET /pets/17", None),
    ],
)
def test_operations_by_name(name: str, expected: str | None) -> None:
    """Case of the method, names of variables, base paths and slashes at the end do not matter."""
    found = ROUTER.find(name)
    assert (found.name if found else None) == expected


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        ("/pets/17", "GET /pets/{id}"),
        ("/pets/mine", "GET /pets/mine"),
        ("/pets/17.json", "GET /pets/{id}.json"),
        ("/pets/17?expand=owner#top", "GET /pets/{id}"),
        ("/clinic/v1/pets/17", "GET /pets/{id}"),
        ("/v1/pets/17/", "GET /pets/{id}"),
        ("https://staging.example:8443/clinic/v1/pets/17", "GET /pets/{id}"),
        ("{{baseUrl}}/pets/{{petId}}", "GET /pets/{id}"),
        ("{{baseUrl}}/pets/:petId", "GET /pets/{id}"),
        ("/pets/{{petId}}.json", "GET /pets/{id}.json"),
        ("/pets/1/visits/{{v}}", "GET /pets/{id}/visits/{visit}"),
        ("/cats/3/photo", "GET /{kind}/{id}/photo"),
        ("/pets/3/photo", "GET /{kind}/{id}/photo"),
        ("/pets/a%2Fb", "GET /pets/{id}"),
        ("/nothing/like/this/here", None),
        ("/jobs", None),
    ],
)
def test_concrete_calls(target: str, expected: str | None) -> None:
    """Literal segments go before templated ones, with a way back where the literal one leads nowhere."""
    found = ROUTER.match("get", target)
    assert (found.name if found else None) == expected


def test_a_variable_is_no_literal() -> None:
    """What a variable stands for is not known, so it is never taken for a literal segment."""
    router = Router(api("a", "/users/me: {get: {}}"))
    assert router.match("GET", "/users/{{id}}") is None
    assert router.match("GET", "/users/me") is not None


def test_both_sides_have_one_name() -> None:
    """An operation is called what base calls it, by whatever name of whichever side it is asked for."""
    base = api("users", "/users/{id}: {get: {}}\n/gone: {get: {}}", servers="- url: /v1")
    head = api("users", "/v1/users/{userId}: {get: {}}\n/v1/new/{x}: {get: {}}")
    routes = Routes({"users": base}, {"users": head})
    for name in ("GET /users/{id}", "get /users/{userId}", "GET /v1/users/{u}", "GET /users/17", "GET /v1/users/17"):
        assert routes.key("users", name) == "GET /users/{id}"
    assert routes.key("users", "GET /v1/new/{y}") == "GET /v1/new/{x}"
    assert routes.head("users", "GET /gone") is None
    assert routes.base("users", "GET /v1/new/{x}") is None


def test_names_without_an_api() -> None:
    """Where nobody knows the service, two spellings of one operation still are one."""
    routes = Routes({})
    assert routes.key("x", "get /a/{b}") == routes.key("x", "GET /a/{c}/") == "GET /a/{}"
    assert routes.base("x", "GET /a") is None


def test_operation_servers_count() -> None:
    """A base path that only one operation has is taken off as well."""
    router = Router(api("a", "/files:\n  servers: [{url: 'https://up.example/upload'}]\n  post: {}"))
    found = router.match("POST", "https://up.example/upload/files")
    assert found is not None and found.name == "POST /files"


def test_routes_like_others_share_their_routers_alone() -> None:
    """An Api that both know is looked through once; what one side or the other has in its place is not mixed up."""
    base, head = api("users", "/users/{id}: {get: {}}"), api("users", "/users/{id}: {get: {}}\n/new: {get: {}}")
    patched = api("users", "/users/{id}: {get: {}}\n/new: {get: {}}\n/old: {get: {}}")
    known = Routes({"users": base}, {"users": head})
    routes = Routes({"users": base}, {"users": patched}, like=known)
    assert routes.on_base("users") is known.on_base("users")
    assert routes.head("users", "GET /old") is patched.operations["GET /old"]
    assert routes.head("users", "GET /new") is patched.operations["GET /new"]
    alone = Routes({"users": head}, like=known)
    assert alone.base("users", "GET /new") is head.operations["GET /new"]
    assert routes.on_base("orders") is None


def test_what_head_added_is_told_by_templates() -> None:
    """The names of variables, and a base path, make no new operation."""
    base = api("users", "/users/{id}: {get: {}}", servers="- url: https://a.example/v1")
    head = api("users", "/users/{name}: {get: {}, put: {}}\n/v1/users/{x}: {get: {}}\n/new: {get: {}}")
    routes = Routes({"users": base}, {"users": head})
    assert [each.name for each in routes.added("users")] == ["PUT /users/{name}", "GET /new"]
    assert [each.name for each in Routes({}, {"users": head}).added("users")] == list(head.operations)
    assert routes.added("orders") == []


@pytest.mark.parametrize("spelt", ["/sok/s%C3%B8k", "/sok/søk"])
@pytest.mark.parametrize("called", ["/sok/søk", "/sok/s%C3%B8k", "/sok/s%c3%b8k"])
def test_paths_are_compared_decoded(spelt: str, called: str) -> None:
    """However a specification and a call write a path, it is one, and a literal segment goes before a template."""
    router = Router(api("a", f"/sok/{{id}}: {{get: {{}}}}\n{spelt}: {{get: {{}}}}"))
    for found in (router.match("GET", called), router.find(f"GET {called}")):
        assert found is not None and found.path == spelt


@pytest.mark.parametrize(
    ("called", "expected"),
    [
        ("/users/%40me", "GET /users/@me"),
        ("/users/%7Bid%7D", "GET /users/{id}"),
        ("/users/a%2F@me", "GET /users/{id}"),
        ("/users/%3Ame", "GET /users/{id}"),
        ("/users/100%", "GET /users/{id}"),
        ("/Users(%27x%27)", "GET /Users('{id}')"),
        ("/Users('x')", "GET /Users('{id}')"),
        ("/two%20words", "GET /two%20words"),
    ],
)
def test_what_is_encoded_stays_what_it_is(called: str, expected: str) -> None:
    """A slash or a brace that is encoded is data; everything else is the same as if it were written plainly."""
    paths = "/users/{id}: {get: {}}\n/users/@me: {get: {}}\n\"/Users('{id}')\": {get: {}}\n/two%20words: {get: {}}"
    found = Router(api("a", paths)).match("GET", called)
    assert found is not None and found.name == expected


def test_the_route_that_tells_more_goes_before_a_part_of_the_base_path() -> None:
    """Without its whole base path, a call may have lost the head of it or begin behind it."""
    router = Router(
        api("a", "/{id}: {get: {}}\n/orders/{id}: {get: {}}", servers="- url: https://a.example/api/orders")
    )
    for called, expected in (("/orders/1", "/orders/{id}"), ("/api/orders/1", "/{id}"), ("/1", "/{id}")):
        found = router.match("GET", called)
        assert found is not None and found.path == expected


def test_a_concrete_path_that_head_takes_over() -> None:
    """Base's operation and head's own are one for whoever calls that path, and for nobody else."""
    base = api("users", "/users/{id}: {get: {}}", servers="- url: /v1")
    head = api("users", "/users/{id}: {get: {}}\n/users/me: {get: {}}", servers="- url: /v1")
    routes = Routes({"users": base}, {"users": head})
    for name in ("GET /users/me", "get /v1/users/me"):
        assert routes.crosses("users", name)
        assert routes.key("users", name) == "GET /users/me"
        assert routes.base("users", name) is base.operations["GET /users/{id}"]
        assert routes.head("users", name) is head.operations["GET /users/me"]
    for name in ("GET /users/{id}", "GET /users/7", "GET /users/{{me}}", "GET /nothing"):
        assert not routes.crosses("users", name)
    assert not Routes({"users": head}).crosses("users", "GET /users/me")
    assert not Routes({"users": head}, {"users": base}).crosses("users", "GET /users/me")


def test_the_same_operation_behind_another_base_path_crosses_nothing() -> None:
    """A base path that moved into the paths makes no other operation."""
    base = api("users", "/users/{id}: {get: {}}", servers="- url: /v1")
    head = api("users", "/v1/users/{userId}: {get: {}}")
    assert not Routes({"users": base}, {"users": head}).crosses("users", "GET /v1/users/17")

"""Catalogs, recordings, collections, traces and logs, read as uses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardian.graph.consumers.backstage import Entity, is_entity, read_catalog
from guardian.graph.consumers.endpoints import Answer, Endpoints
from guardian.graph.consumers.har import is_har, read_har
from guardian.graph.consumers.logs import is_log, read_log
from guardian.graph.consumers.names import Names
from guardian.graph.consumers.otel import is_trace, read_traces
from guardian.graph.consumers.postman import is_collection, is_environment, read_collection, variables
from guardian.graph.consumers.scripts import read_script
from guardian.graph.uses import Found, Use
from guardian.model import Location
from tests.graph.worlds import api, apis

USERS = api("users", "/users/{id}: {get: {}}\n/users: {post: {}, get: {}}", servers="- url: https://users.example/v1")
ORDERS = api("orders", "/orders/{id}: {get: {}}\n/{any}: {get: {}}", servers="- url: https://orders.example")
APIS = apis(USERS, ORDERS)
ENDPOINTS = Endpoints(APIS, Names(APIS))


def uses(found: Found) -> dict[tuple[str, str, str | None], Use]:
    return {(use.consumer, use.service, use.operation): use for each in found.consumers for use in each.uses}


def names(fields: Any) -> list[str] | None:
    return None if fields is None else [str(field.path) for field in fields]


# -- HAR ---------------------------------------------------------------------------------------------------------------


def entry(url: str, method: str = "GET", status: int = 200, body: str | None = None, **more: Any) -> dict[str, Any]:
    content = {"mimeType": "application/json", "text": body} if body is not None else {}
    return {
        "startedDateTime": "2026-03-06T10:00:00Z",
        "request": {"method": method, "url": url, **more},
        "response": {"status": status, "content": content},
    }


def har(*entries: Any) -> Found:
    data = {"log": {"entries": list(entries)}}
    assert is_har(data)
    return read_har(data, "rec/shop.har", ENDPOINTS)


def test_har_calls_become_one_use() -> None:
    """Calls of one operation are one use, called, with everything that came back and was sent."""
    found = har(
        entry("https://users.example/v1/users/1?expand=a", body='{"id": 1}', queryString=[{"name": "expand"}]),
        entry("https://users.example/v1/users/2", body='{"email": "x"}', headers=[{"name": "X-T"}, {"name": "accept"}]),
    )
    use = uses(found)["shop", "users", "GET /users/{id}"]
    assert (use.confidence, use.tool, use.date, use.responses) == ("called", "har", "2026-03-06", None)
    assert names(use.reads) == ["id", "email"]
    assert names(use.sends) == ["query:expand", "header:X-T"]
    assert use.origin == Location("rec/shop.har", "/log/entries/0")
    assert found.notes == ()


def test_har_request_bodies() -> None:
    """JSON text and form parameters both are what was sent."""
    text = {"mimeType": "application/json", "text": '{"name": "x"}'}
    found = har(
        entry("https://users.example/v1/users", "POST", 201, postData=text),
        entry("https://users.example/v1/users", "POST", 201, postData={"params": [{"name": "mail"}]}),
    )
    assert names(uses(found)["shop", "users", "POST /users"].sends) == ["name", "mail"]


def test_har_tells_what_it_leaves_out() -> None:
    """Other hosts, unknown operations, binary bodies and broken entries are counted, each with its reason."""
    binary = entry("https://users.example/v1/users/1")
    binary["response"]["content"] = {"text": '["1f8b"]', "_isBinary": True, "mimeType": "application/json"}
    found = har(
        entry("https://tracker.example/pixel"),
        entry("https://users.example/v1/nothing"),
        {"request": 3},
        binary,
        entry("https://users.example/v1/users/1", status=500, body='{"error": 1}'),
    )
    assert names(uses(found)["shop", "users", "GET /users/{id}"].reads) is None
    assert sorted(note.message for note in found.notes) == [
        "1 call left out: no service answers this URL",
        "1 call left out: the body is not text, so what it holds is not known (the call itself counts)",
        "1 call left out: the entry has no request with a method and a URL",
        "1 call left out: users has no such operation",
    ]


def test_har_cookies_and_headers_that_are_declared() -> None:
    """Cookies by their names, from the header or the list; an everyday header only where the operation declares it."""
    sent = {
        "headers": [
            {"name": "Cookie", "value": "session=1; theme=dark"},
            {"name": "Accept-Language", "value": "nb"},
            {"name": "If-None-Match", "value": "x"},
        ],
        "cookies": [{"name": "session", "value": "1"}, {"name": "other", "value": "2"}],
    }
    one = entry("https://users.example/v1/users/1", body="{}", **sent)
    one["response"]["headers"] = [{"name": "cache-control", "value": "no-store"}, {"name": "vary", "value": "*"}]
    known = api(
        "users",
        """
        /users/{id}:
          get:
            parameters: [{name: accept-language, in: header, schema: {type: string}}]
            responses: {'200': {description: x, headers: {Cache-Control: {schema: {type: string}}}}}
        """,
        servers="- url: https://users.example/v1",
    )
    endpoints = Endpoints(apis(known), Names(apis(known)))
    (use,) = uses(read_har({"log": {"entries": [one]}}, "shop.har", endpoints)).values()
    cookies = ["cookie:session", "cookie:theme", "cookie:other"]
    assert names(use.sends) == ["header:Accept-Language", *cookies]
    assert names(use.reads) == ["header:cache-control", "$"]


def test_har_query_names_are_decoded() -> None:
    """Some tools write them as they stand in the URL."""
    found = har(entry("https://users.example/v1/users/1", queryString=[{"name": "filter%5Bstatus%5D"}]))
    assert names(uses(found)["shop", "users", "GET /users/{id}"].sends) == ["query:filter[status]"]


def gateway(**paths: tuple[str, str]) -> Endpoints:
    """Services by name: each server's URL, and paths that it answers with GET."""
    known = apis(
        *(
            api(name, "\n".join(f"{path}: {{get: {{}}}}" for path in each.split()), servers=f"- url: {url}")
            for name, (url, each) in paths.items()
        )
    )
    return Endpoints(known, Names(known))


def answered(endpoints: Endpoints, url: str) -> tuple[str, str | None] | None:
    found = endpoints.find("GET", url)
    return (found.service, found.operation) if found is not None else None


def test_a_reason_names_a_few_of_many_services() -> None:
    """Behind one gateway there may be hundreds."""
    many = apis(*(api(f"s{n:03}", "/users/{id}: {get: {}}", servers="- url: /") for n in range(200)))
    reason = Endpoints(many, Names(many)).reason("GET", "http://localhost/users/1")
    assert reason.endswith("do not tell which: s000, s001, s002, s003, and 196 more")


def test_the_longest_base_path_says_who_answers() -> None:
    """Behind one gateway every service has a base path of its own: no other is called, whatever its routes fit."""
    gate = gateway(
        accounts=("https://api.acme.com/accounts", "/{id} /{id}/{section}"),
        legacy=("https://api.acme.com", "/{service}/{id}"),
        users=("https://API.acme.com:443/users", "/{id}"),
    )
    assert answered(gate, "https://api.acme.com/users/1") == ("users", "GET /{id}")
    assert answered(gate, "https://api.acme.com:443/accounts/1") == ("accounts", "GET /{id}")
    assert answered(gate, "https://api.acme.com/other/1") == ("legacy", "GET /{service}/{id}")
    assert answered(gate, "https://api.acme.com/a/b/c") is None


def test_a_gateway_that_does_not_tell_is_not_guessed() -> None:
    """Where two services have one base path, the route with more of the path in it wins; else it is said."""
    gate = gateway(
        orders=("https://api.acme.com", "/{any}/{id} /items/{id}"),
        users=("https://api.acme.com", "/users/{id} /items/{id}"),
    )
    assert answered(gate, "https://api.acme.com/users/1") == ("users", "GET /users/{id}")
    assert answered(gate, "https://api.acme.com/items/1") is None
    data = {"log": {"entries": [entry("https://api.acme.com/items/1")]}}
    (note,) = read_har(data, "shop.har", gate).notes
    assert note.message.endswith("and their `servers` do not tell which: orders, users")


def test_below_no_base_path_only_a_telling_route_is_believed() -> None:
    """A gateway may have a base path that the specification does not know."""
    gate = gateway(accounts=("https://api.acme.com/accounts", "/{id}/{section} /health/{part}"))
    assert answered(gate, "https://api.acme.com/users/1") == ("accounts", None)
    assert answered(gate, "https://api.acme.com/health/db") == ("accounts", "GET /health/{part}")


@pytest.mark.parametrize(
    ("server", "url", "sure"),
    [
        ("https://users.acme.com", "https://api.auth0.com/users/1", False),
        ("https://users.acme.com", "https://staging.acme.com/users/1", True),
        ("https://users.acme.com", "http://localhost:8080/users/1", True),
        ("https://users.acme.com", "http://10.0.0.7/users/1", True),
        ("https://users.acme.com", "http://users/users/1", True),
        ("https://users.acme.com", "http://users.prod.svc/users/1", True),
        ("https://users.acme.com", "/users/1", True),
        ("https://users.acme.com", "{{host}}/users/1", True),
        ("https://users.example.com", "https://api.acme.com/users/1", True),
        ("https://{tenant}.acme.com", "https://api.auth0.com/users/1", True),
        ("/", "https://api.auth0.com/users/1", True),
    ],
)
def test_a_public_host_in_another_domain_may_be_anybody(server: str, url: str, sure: bool) -> None:
    """A route that fits does not make it the service's: that is possible at most."""
    found = gateway(users=(server, "/users/{id}")).find("GET", url)
    assert found is not None and (found.operation, found.sure) == ("GET /users/{id}", sure)


def test_a_collection_that_calls_a_foreign_host_asserts_nothing() -> None:
    """What its tests read is seen, not asserted, and a note says why."""
    script = {"listen": "test", "script": {"exec": ["pm.expect(pm.response.json().email).to.be.ok"]}}
    item = {"name": "one", "request": {"url": "https://api.auth0.com/users/1", "method": "GET"}, "event": [script]}
    schema = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
    data = {"info": {"name": "qa", "schema": schema}, "item": [item]}
    found = read_collection(data, "qa.json", gateway(users=("https://users.acme.com", "/users/{id}")))
    assert {use.confidence for use in uses(found).values()} == {"called"}
    (note,) = found.notes
    assert note.message.startswith("1 call goes to api.auth0.com, which no `servers` name")


def test_unknown_hosts_need_a_telling_route() -> None:
    """Behind another host a service is recognised by a route that only it has, never by one that fits anything."""
    assert uses(har(entry("http://localhost:8080/orders/3"))).keys() == {("shop", "orders", "GET /orders/{id}")}
    assert uses(har(entry("http://localhost:8080/anything"))) == {}


# -- Backstage ---------------------------------------------------------------------------------------------------------


def entity(kind: str, name: str, **spec: Any) -> Entity:
    data = {"apiVersion": "backstage.io/v1alpha1", "kind": kind, "metadata": {"name": name}, "spec": spec}
    assert is_entity(data)
    return Entity(data, "catalog.yaml")


def test_catalogs_give_edges_and_owners() -> None:
    """A component that consumes an API uses its service: by the API's name, or by the name of who provides it."""
    found = read_catalog(
        [
            entity(
                "Component",
                "shop",
                consumesApis=["users", "default/order-api", "api:default/stock"],
                owner="group:default/web",
            ),
            entity("Component", "orders", providesApis=["order-api"]),
        ],
        Names(["users", "orders"]),
    )
    shop = found.consumers[0]
    assert (shop.name, shop.owner) == ("shop", "web")
    assert [(use.service, use.operation, use.tool) for use in shop.uses] == [
        ("users", None, "backstage"),
        ("orders", None, "backstage"),
        ("stock", None, "backstage"),
    ]
    assert shop.uses[1].origin == Location("catalog.yaml", "/spec/consumesApis/1")
    assert found.notes == ()


def test_catalogs_as_they_are_found() -> None:
    """References of the wrong kind, URLs and broken specs are told or passed over, never fatal."""
    found = read_catalog(
        [
            entity("Component", "shop", consumesApis=["component:artist", 7, None]),
            entity("Component", "odd", consumesApis="users", owner=3),
            entity("API", "search", definition={"$text": "https://x.example/openapi.yaml"}),
            Entity({"apiVersion": "backstage.io/v1", "kind": "Component", "spec": 3, "metadata": None}, "catalog.yaml"),
        ],
        Names([]),
    )
    assert all(each.uses == () for each in found.consumers)
    assert [note.level for note in found.notes] == ["warning", "info"]
    assert "component:artist" in found.notes[0].message
    assert "URL" in found.notes[1].message


def test_catalogs_with_namespaces() -> None:
    """A name is one thing in each namespace, and a reference means the namespace of who makes it."""

    def within(namespace: str, kind: str, name: str, **spec: Any) -> Entity:
        found = entity(kind, name, **spec)
        return Entity({**found.data, "metadata": {**found.data["metadata"], "namespace": namespace}}, found.file)

    found = read_catalog(
        [
            within("a", "API", "v1"),
            within("b", "API", "v1"),
            within("a", "Component", "users", providesApis=["v1"]),
            within("b", "Component", "orders", providesApis=["v1"]),
            entity("Component", "web", consumesApis=["b/v1"]),
            within("a", "Component", "app", consumesApis=["api:v1"]),
            within("b", "Component", "app", consumesApis=["v1"]),
        ],
        Names(["users", "orders"]),
    )
    assert uses(found).keys() == {("web", "orders", None), ("a/app", "users", None), ("b/app", "orders", None)}


def test_a_catalog_that_goes_on_elsewhere() -> None:
    """A Location names further files; they are not followed, and that is said."""
    found = read_catalog([entity("Location", "root", targets=["../teams/*.yaml", "b.yaml"])], Names([]))
    assert [(note.level, note.message) for note in found.notes] == [
        (
            "warning",
            "the catalog goes on in ../teams/*.yaml, b.yaml, which is not followed: name those files as consumers, too",
        )
    ]


# -- Postman -----------------------------------------------------------------------------------------------------------


def collection(*items: dict[str, Any], **more: Any) -> Found:
    schema = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
    data = {"info": {"name": "shop tests", "schema": schema}, "item": list(items), **more}
    assert is_collection(data)
    return read_collection(data, "c.json", ENDPOINTS, {"base": "https://users.example/v1"})


def script_event(source: str = "") -> dict[str, Any]:
    return {"listen": "test", "script": {"exec": source.splitlines()}}


def test_requests_and_assertions() -> None:
    """A test script's assertions are asserted reads; saved responses only count where no script reads anything."""
    script = "const user = pm.response.json();\npm.expect(user.id).to.eql(1);\npm.response.to.have.status(200);"
    saved = [{"code": 200, "body": '{"id": 1, "email": "x"}'}, {"code": 404, "body": '{"error": 1}'}]
    found = collection(
        {
            "name": "folder",
            "item": [
                {
                    "name": "get",
                    "request": {"method": "GET", "url": {"raw": "{{base}}/users/{{id}}?a=1", "query": [{"key": "a"}]}},
                    "event": [script_event(script)],
                    "response": saved,
                }
            ],
        }
    )
    asserted, called = found.consumers[0].uses[0], found.consumers[1].uses[0]
    assert (asserted.operation, asserted.confidence, asserted.responses) == ("GET /users/{id}", "asserted", ("200",))
    assert (names(asserted.reads), names(asserted.sends)) == (["id"], ["query:a"])
    assert (called.confidence, names(called.reads)) == ("called", ["id", "email"])
    assert asserted.origin.pointer == "/item/0/item/0"


@pytest.mark.parametrize(
    ("request_", "sends"),
    [
        ({"body": {"mode": "raw", "raw": '{"name": {{name}}, "age": "{{age}}"}'}}, ["name", "age"]),
        ({"body": {"mode": "urlencoded", "urlencoded": [{"key": "a"}, {"key": "b", "disabled": True}]}}, ["a"]),
        ({"body": {"mode": "graphql", "graphql": {}}}, ["$"]),
        ({"header": [{"key": "X-Key", "value": "1"}, {"key": "Accept"}]}, ["header:X-Key"]),
        ({"auth": {"type": "bearer"}}, ["header:Authorization"]),
        ({"auth": {"type": "noauth"}}, []),
        ({"auth": {"type": "apikey", "apikey": {"key": "X-Key", "value": "1", "in": "header"}}}, ["header:X-Key"]),
        ({"header": "X-Key: 1\nAccept: x\n// X-Off: 2"}, ["header:X-Key"]),
        ({"body": {"mode": "urlencoded", "urlencoded": "a=1&b="}}, ["a", "b"]),
        ({"body": {"mode": "raw", "raw": '{\n // the name\n "name": "a//b" /* or not */\n}'}}, ["name"]),
        ({"body": {"mode": "raw", "raw": '{"name": "x", // {{y}}\n "age": {{age}}}'}}, ["name", "age"]),
        ({"body": {"mode": "raw", "raw": "no JSON // at all"}}, ["$"]),
        (
            {"auth": {"type": "apikey", "apikey": [{"key": "key", "value": "k"}, {"key": "in", "value": "query"}]}},
            ["query:k"],
        ),
    ],
)
def test_what_postman_sends(request_: dict[str, Any], sends: list[str]) -> None:
    """Bodies in every mode, headers and authorisation; what is disabled is not sent."""
    found = collection({"name": "x", "request": {"method": "POST", "url": "{{base}}/users", **request_}})
    assert names(found.consumers[0].uses[0].sends) == sends


def test_postman_variables() -> None:
    """Environments and the collection's own variables fill in hosts; what stays open may be anything."""
    data = {
        "_postman_variable_scope": "environment",
        "values": [{"key": "base", "value": "x"}, {"key": "e", "value": ""}],
    }
    assert is_environment(data)
    assert variables(data) == {"base": "x"}
    own = [{"key": "host", "value": "{{base}}"}]
    found = collection({"name": "x", "request": "{{host}}/users/7"}, variable=own)
    assert uses(found).keys() == {("shop tests", "users", "GET /users/{id}")}


def test_postman_tells_what_it_leaves_out() -> None:
    """A request that nobody answers is counted with its reason."""
    found = collection(
        {"name": "x", "request": "https://users.example/v1/x"}, {"name": "y", "request": {"method": "GET"}}
    )
    assert sorted(note.message for note in found.notes) == [
        "1 call left out: the request has no URL",
        "1 call left out: users has no such operation (GET https://users.example/v1/x)",
    ]
    several = [{"name": "x", "request": {"method": "POST", "url": f"{{{{h}}}}/x{number}?key=1"}} for number in (1, 2)]
    assert [note.message for note in collection(*several).notes] == [
        "2 calls left out: no service answers this URL (such as POST {{h}}/x1)"
    ]


@pytest.mark.parametrize(
    "url",
    [
        "{{x}}/users/1",
        "{{host}}:{{port}}/v1/users/1",
        "{{host}}:8080/v1/users/1",
        "{{protocol}}://{{host}}/v1/users/1",
        "{{scheme}}://{{host}}:{{port}}/v1/users/:id",
        "https://{{host}}/v1/users/1",
        "{{tenant}}.example.com/v1/users/1",
        "{{x}}users/1",
        "{{x}}/{{version}}/users/{{id}}",
        "https://users.example/{{version}}/users/1",
        "localhost:8080/v1/users/1",
        "localhost/v1/users/1",
        "10.0.0.1/v1/users/1",
        "users.example/v1/users/1",
        "gateway:8080/v1/users/1",
        "v1/users/1",
    ],
)
def test_urls_however_they_are_put_together(url: str) -> None:
    """Host, port, scheme and version may be variables, and the scheme may be missing."""
    (consumer,) = collection({"name": "x", "request": url}).consumers
    assert [(use.service, use.operation) for use in consumer.uses] == [("users", "GET /users/{id}")]


@pytest.mark.parametrize(
    ("source", "reads", "statuses"),
    [
        ("pm.expect(pm.response.json().a.b).to.eql(1)", ["a.b"], []),
        ("let d = pm.response.json(); pm.expect(d['x y'][0].z).to.be.ok", ["x y[].z"], []),
        ("var d = JSON.parse(responseBody);\ntests['t'] = d.id === 3;", ["id"], []),
        ("const {id, owner: o} = pm.response.json(); pm.expect(o.name).to.eql('x')", ["id", "owner", "owner.name"], []),
        ("const d = pm.response.json(); const u = d.user;\npm.expect(u.mail).to.include('@')", ["user.mail"], []),
        (
            "const d = pm.response.json(); d.items.forEach(i => pm.expect(i.sku).to.be.a('string'))",
            ["items!", "items[].sku"],
            [],
        ),
        (
            "const d = pm.response.json(); d.items.forEach(function (i, n) { pm.expect(i.sku) })",
            ["items!", "items[].sku"],
            [],
        ),
        ("const d = pm.response.json(); pm.expect(d.items.length).to.eql(2)", ["items!"], []),
        ("const d = pm.response.json(); pm.expect(d).to.have.property('total')", ["total"], []),
        ("const d = pm.response.json(); pm.expect(d.a).to.have.all.keys('x', 'y')", ["a.x", "a.y"], []),
        ("pm.response.to.have.jsonBody('a.b')", ["a.b"], []),
        ("pm.response.to.have.header('X-Rate')", ["header:X-Rate"], []),
        ("pm.expect(pm.response.headers.get('X-Rate')).to.exist", ["header:X-Rate"], []),
        ("pm.response.to.have.status(201)", [], ["201"]),
        ("pm.expect(pm.response.code).to.be.oneOf([200, 204])", [], ["200", "204"]),
        ("tests['ok'] = responseCode.code === 200", [], ["200"]),
        ("// pm.expect(pm.response.json().a)\n/* pm.response.json().b */ 'pm.response.json().c'", [], []),
        ("other.d.x; pm.environment.set('d', 1)", [], []),
        ("pm.response.json()", [], []),
        ("const d = pm.response.json(); pm.expect(d.a.toString()).to.eql('1')", ["a!"], []),
        ("pm.expect((pm.response.json(", [], []),
        ("", [], []),
    ],
)
def test_scripts(source: str, reads: list[str], statuses: list[str]) -> None:
    """Chains are followed through variables, destructuring and callbacks; comments and strings are not code."""
    found = read_script(source, Location("c.json"))
    assert [str(field.path) + ("!" if field.shallow else "") for field in found.fields] == reads
    assert list(found.statuses) == statuses


@pytest.mark.parametrize(
    ("rest", "reads"),
    [
        ("const k = 'email'; pm.expect(d[k]).to.exist", ["email"]),
        ("['email', 'nick'].forEach(f => pm.expect(d[f]).to.exist)", ["email", "nick"]),
        ("const fs = ['email']; fs.forEach(f => { pm.expect(d).to.have.property(f) })", ["email"]),
        ("for (const k of ['email', 'nick']) { pm.expect(d[k]).to.be.a('string') }", ["email", "nick"]),
        ("pm.expect(d).to.deep.include({email: 'x', nick: {a: 1}})", ["email", "nick"]),
        ("const {nick, ...rest} = d; pm.expect(rest.email).to.eql(1)", ["nick", "email"]),
        ("pm.expect(d).to.be.an('object').that.has.property('email')", ["email"]),
        ("pm.expect('email' in d).to.be.true; d.hasOwnProperty('nick')", ["email", "nick"]),
        ("const u = d.items.find(x => x.id === 1); pm.expect(u.email)", ["items!", "items[].id", "items[].email"]),
        ("pm.expect(d.items.find(x => x.id === 1).email)", ["items!", "items[].email", "items[].id"]),
        ("for (let i = 0; i < d.items.length; i++) { pm.expect(d.items[i].sku) }", ["items!", "items[].sku"]),
        ("for (const x of d.items) { pm.expect(x.sku) }", ["items!", "items[].sku"]),
        ("if (d && Array.isArray(d)) { console.log('got', d) } pm.expect(d).to.be.an('object')", []),
        ("pm.response.to.have.jsonBody({email: 'x'})", ["email"]),
    ],
)
def test_scripts_that_are_followed(rest: str, reads: list[str]) -> None:
    """Literal keys, rests, loops and results of array methods are followed, so that all that is read is listed."""
    found = read_script(f"const d = pm.response.json(); {rest}", Location("c.json"))
    assert [str(field.path) + ("!" if field.shallow else "") for field in found.fields] == reads
    assert not found.partial


@pytest.mark.parametrize(
    "rest",
    [
        "check(d)",
        "pm.collectionVariables.set('u', JSON.stringify(d))",
        "pm.expect(d[name]).to.exist",
        "pm.expect(Object.keys(d)).to.include('email')",
        "pm.expect(d).to.eql(expected)",
        "const copy = {...d}",
        "send({ d })",
        "pm.response.to.have.jsonSchema(schema)",
        "pm.expect(tv4.validate(d, schema)).to.be.true",
        "pm.expect(pm.response.text()).to.include('email')",
        "tests['x'] = responseBody.has('email')",
        "d.items.forEach(check)",
        "d.items.forEach(({sku}) => pm.expect(sku))",
        "const {a: {b}} = d",
        "log(`${d.email}`)",
        "const r = pm.response; r.json().email",
    ],
)
def test_scripts_that_are_not_followed_to_the_end(rest: str) -> None:
    """Where the body goes to a helper, a schema or a computed key, more may be read than is found, and a use says so."""
    script = f"const d = pm.response.json(); pm.expect(d.id).to.exist; {rest}"
    assert read_script(script, Location("c.json")).partial
    item = {"name": "x", "request": "{{base}}/users/7", "event": [script_event(script)]}
    (use,) = (each for each in collection(item).consumers[0].uses if each.confidence == "asserted")
    assert (names(use.reads) or [])[0] == "id" and use.partial


_WORDS = "const d = pm . response . json ( ) ; pm . expect ( d [ ] { } => of in ... 'a' 0 , : . forEach find ++ text"


@given(st.lists(st.sampled_from(_WORDS.split()), max_size=30))
def test_any_script_can_be_read(words: list[str]) -> None:
    """Scripts come as they are found: broken ones are read as far as they go."""
    read_script(" ".join(["const d = pm.response.json();", *words]), Location("c.json"))


# -- OpenTelemetry -----------------------------------------------------------------------------------------------------


def span(id: str, kind: Any, parent: str = "", **attributes: str) -> dict[str, Any]:
    return {
        "spanId": id,
        "parentSpanId": parent,
        "kind": kind,
        "startTimeUnixNano": "1772791200000000000",
        "attributes": [
            {"key": key.replace("_", "."), "value": {"stringValue": value}} for key, value in attributes.items()
        ],
    }


def traces(**services: list[dict[str, Any]]) -> Found:
    data = {
        "resourceSpans": [
            {
                "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": service}}]},
                "scopeSpans": [{"spans": spans}],
            }
            for service, spans in services.items()
        ]
    }
    assert is_trace(data)
    return read_traces([(data, "t.json")], ENDPOINTS)


OLD = {"http_method": "GET", "http_target": "/v1/users/7?x=1"}
NEW = {"http.request.method": "GET", "http.route": "/users/{userId}"}


def test_a_client_and_a_server_span_are_a_call() -> None:
    """The nearest service above a server span has called; the day of the last call is kept, fields are not known."""
    found = traces(
        web=[span("1", 3, **OLD)],
        users=[span("2", "SPAN_KIND_SERVER", "1", **{key.replace(".", "_"): value for key, value in NEW.items()})],
    )
    use = uses(found)["web", "users", "GET /users/{id}"]
    assert (use.reads, use.sends, use.confidence, use.date) == (None, None, "called", "2026-03-06")
    assert found.notes == ()


def test_a_client_span_alone() -> None:
    """Where the other end is not in the data, its address or URL tells who was called."""
    assert uses(traces(web=[span("1", 3, http_method="GET", http_url="https://users.example/v1/users/7")])).keys() == {
        ("web", "users", "GET /users/{id}")
    }
    assert uses(
        traces(web=[span("1", 3, server_address="orders.example", http_method="GET", url_path="/orders/1")])
    ).keys() == {("web", "orders", "GET /orders/{id}")}


@pytest.mark.parametrize(
    ("server", "operation"),
    [
        ({"url.path": "/v1/users/7", "http.route": "/**"}, "GET /users/{id}"),
        ({"url.path": "/v1/users/7", "http.route": "/users"}, "GET /users/{id}"),
        ({"url.path": "/elsewhere/users/7", "http.route": "/users/{pk}"}, "GET /users/{id}"),
        ({"http.target": "/v1/users/7?x=1", "http.route": "{controller=Home}/{action=Index}/{id?}"}, "GET /users/{id}"),
        ({"http.route": "^users/(?P<pk>[^/.]+)/$"}, "GET /users/{id}"),
        ({"http.route": "users/<int:pk>"}, "GET /users/{id}"),
        ({"http.route": "users/(?P<pk>[^/.]+)/orders"}, None),
        ({"http.route": "/users/{id?}"}, None),
        ({"http.route": "/**"}, None),
    ],
)
def test_what_was_called_goes_before_its_route(server: dict[str, str], operation: str | None) -> None:
    """A route may be a pattern, a prefix or a mount: it tells only where no URL does, and never by a part of it."""
    method = {"http.request.method": "GET"}
    found = traces(
        web=[span("1", 3, **method)],
        users=[span("2", 2, "1", **method, **server)],
    )
    assert [use.operation for each in found.consumers for use in each.uses] == ([operation] if operation else [])
    assert len(found.notes) == (0 if operation else 1)


def test_traces_tell_what_they_leave_out() -> None:
    """Callers that are not in the trace, foreign hosts and unknown operations are counted."""
    found = traces(
        users=[span("2", 2, "9", **OLD), span("3", 1)],
        web=[
            span("4", 3, http_method="GET", http_url="https://else.example/x"),
            span("5", 3, http_method="PUT", http_url="https://users.example/v1/users/1"),
            span("6", 3, "6", http_method="GET"),
        ],
    )
    assert uses(found) == {}
    assert sorted(note.message for note in found.notes) == [
        "1 call left out: the caller of the request is not in the trace",
        "1 call left out: users has no such operation",
        "2 calls left out: no service answers at the address of the request",
    ]


# -- access logs -------------------------------------------------------------------------------------------------------

COMMON = '10.0.0.1 - {user} [06/Mar/2026:10:00:00 +0100] "GET /v1/users/7?x=1 HTTP/1.1" {status} 17'
COMBINED = COMMON + ' "-" "{agent}"'
JSON_LINE = {"time_iso8601": "2026-03-06T10:00:00+01:00", "request": "GET /users/7 HTTP/1.1", "status": 200}


@pytest.mark.parametrize(
    "line",
    [
        COMMON.format(user="billing", status=200),
        COMBINED.format(user="-", status=200, agent="billing/1.2 (linux)"),
        "users.example:443 " + COMBINED.format(user="-", status=200, agent="billing"),
        json.dumps({**JSON_LINE, "http_user_agent": "billing/2"}),
        json.dumps(
            {"method": "get", "path": "/users/1", "status": 204, "remote_user": "billing", "time": "2026-03-06"}
        ),
    ],
)
def test_logs_in_the_common_formats(line: str) -> None:
    """Common, Combined, with a virtual host, and JSON by nginx and others: caller, operation and day."""
    assert is_log(line.encode())
    found = read_log(line, "users.access.log", ENDPOINTS)
    use = uses(found)["billing", "users", "GET /users/{id}"]
    assert (use.date, use.confidence, use.origin.line) == ("2026-03-06", "called", 1)


BALANCED = (
    "h2 2026-03-06T09:00:00.186641Z app/edge/50dc6c495c0c9188 10.0.0.1:2817 10.0.0.2:80 0.000 0.001 0.000 200 200 34 366 "
    '"GET https://users.example:443/users/7?x=1 HTTP/2.0" "billing/7.46.0" ECDHE TLSv1.2 arn:aws:x "Root=1" "-" "-" 0 "-"'
)
HEADERS = {"User-Agent": ["billing/1.0"], "Accept": ["*/*"]}
GATEWAYS = {
    "alb": BALANCED,
    "elb": BALANCED.removeprefix("h2 "),
    "ecs": {
        "@timestamp": "2026-03-06T09:00:00Z",
        "http": {"request": {"method": "GET"}, "response": {"status_code": 200}},
        "url": {"path": "/users/7"},
        "user_agent": {"original": "billing/1.0"},
        "service": {"name": "users"},
    },
    "ecs-dotted": {
        "@timestamp": "2026-03-06T09:00:00Z", "http.request.method": "GET", "http.response.status_code": 200,
        "url.original": "https://users.example/users/7", "user.name": "billing",
    },
    "traefik": {
        "ClientUsername": "-", "DownstreamStatus": 200, "RequestMethod": "GET", "RequestPath": "/users/7",
        "ServiceName": "users@docker", "request_User-Agent": "billing/1.0", "StartUTC": "2026-03-06T09:00:00Z",
    },
    "caddy": {
        "level": "info", "ts": 1772787600.5, "logger": "http.log.access", "user_id": "", "status": 200,
        "request": {"method": "GET", "host": "users.example:443", "uri": "/users/7", "headers": HEADERS},
    },
    "kong": {
        "request": {"method": "GET", "uri": "/people/users/7", "url": "http://gw:8000/people/users/7", "headers": {}},
        "upstream_uri": "/users/7", "response": {"status": 200}, "service": {"name": "users"},
        "consumer": {"username": "billing"}, "started_at": 1772787600425,
    },
    "api-gateway": {
        "requestTime": "06/Mar/2026:09:00:00 +0000", "routeKey": "GET /users/{id}", "httpMethod": "GET",
        "status": "200", "user": "billing",
    },
    "google": {
        "timestamp": "2026-03-06T09:00:00Z",
        "httpRequest": {
            "requestMethod": "GET", "requestUrl": "https://users.example/users/7", "status": 200, "userAgent": "billing",
        },
    },
}  # fmt: skip


@pytest.mark.parametrize("line", GATEWAYS.values(), ids=GATEWAYS)
def test_logs_of_gateways(line: str | dict[str, Any]) -> None:
    """Load balancers and gateways, in the form that each has by itself."""
    text = line if isinstance(line, str) else json.dumps(line)
    assert is_log(text.encode())
    use = uses(read_log(text, "edge.log", ENDPOINTS))["billing", "users", "GET /users/{id}"]
    assert use.date == "2026-03-06"


def test_a_log_that_begins_otherwise() -> None:
    """What a server says of itself comes before its first request."""
    text = json.dumps({"level": "info", "msg": "serving"}) + "\n" + json.dumps(GATEWAYS["caddy"])
    assert is_log(text.encode())
    found = read_log(text, "edge.log", ENDPOINTS)
    assert list(uses(found)) == [("billing", "users", "GET /users/{id}")]


def test_logs_tell_what_they_leave_out() -> None:
    """Browsers, tools, refused requests, unknown operations and other lines are counted."""
    lines = [
        COMBINED.format(user="-", status=200, agent="Mozilla/5.0 (X11)"),
        COMBINED.format(user="-", status=200, agent="curl/8"),
        COMMON.format(user="-", status=200),
        COMMON.format(user="billing", status=404),
        COMMON.format(user="billing", status=200).replace("users/7", "login"),
        "something else",
    ]
    found = read_log("\n".join(lines), "users.log", ENDPOINTS)
    assert uses(found) == {}
    assert sorted(note.message for note in found.notes) == [
        "1 call left out: the line is in no known format",
        "1 call left out: the request was refused or failed",
        "1 call left out: users has no such operation",
        "3 calls left out: nothing says who calls (a browser, a tool, nobody)",
    ]


def test_what_is_no_log() -> None:
    """YAML, JSON and prose are not taken for logs."""
    for text in ("consumer: a\n", '{"openapi": "3.1.0"}', "hello world", "", "{"):
        assert not is_log(text.encode())


def test_a_service_by_another_name() -> None:
    """A name that services are called besides finds whichever of them has the operation."""
    endpoints = Endpoints(APIS, Names(APIS), {"people": ("orders", "users")})
    assert endpoints.service("People Service") == endpoints.named("people") == "people"
    answer = endpoints.within("people", "GET", "/users/7")
    assert (answer.service, answer.operation) == ("users", "GET /users/{id}")
    assert endpoints.within("people", "GET", "/not/there") == Answer("people", None)


def test_among_many_services_only_those_with_a_segment_of_a_url_are_asked() -> None:
    """What services have in common tells nothing of who is called; whoever has the rest of the path answers."""
    many = {
        f"s{n}": api(f"s{n}", f"/api/v1/r{n}/{{id}}/items/{{item}}: {{get: {{}}}}\n/api/v1/items: {{get: {{}}}}")
        for n in range(5)
    }
    endpoints = Endpoints(many, Names(many))
    assert endpoints._possible("https://gw.test/x/api/v1/r3/7/items/1") == ["s0", "s1", "s2", "s3", "s4"]
    assert endpoints.find("GET", "https://gw.test/api/v1/r3/7/items/1") == Answer(
        "s3", "GET /api/v1/r3/{id}/items/{item}", sure=True
    )
    assert endpoints.find("GET", "https://gw.test/api/v1/items") is None
    apart = {name: each for name, each in many.items() if name != "s0"}
    apart["s0"] = api("s0", "/api/v1/r0/{id}: {get: {}}")
    assert Endpoints(apart, Names(apart))._possible("/api/v1/r0/7") == ["s0"]

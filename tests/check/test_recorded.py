"""Recordings played against both sides: evidence of a break, stale declarations, and nothing where all is well."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from guardian.check.recorded import RULE, confirmed
from guardian.graph.blast import blast
from guardian.graph.consumers.load import load_consumers
from guardian.graph.consumers.routes import Routes
from guardian.model import Change, Impact, Note, Severity
from guardian.rules.compare import compare
from guardian.spec.api import Api
from guardian.spec.normalise import read_api
from guardian.spec.refs import Documents
from guardian.spec.trees import MemoryTree
from tests.check.repo import Folder, Outcome

PAIR = Path(__file__).parents[3] / "shared/pairs/01-superheroes-image-narration"
USER = {
    "type": "object",
    "required": ["id", "name"],
    "properties": {
        "id": {"type": "string"},
        "name": {"type": "string"},
        "email": {"type": "string"},
        "parent": {"$ref": "#/components/schemas/User"},
    },
}


def document(version: str = "3.0.3", *, parameters: Any = (), user: Any = USER, method: str = "get") -> dict[str, Any]:
    """A specification of one operation that answers with a user."""
    path = {"name": "id", "in": "path", "required": True}
    if version == "2.0":
        response: Any = {"schema": {"$ref": "#/definitions/User"}}
        text = json.dumps(user).replace("#/components/schemas/", "#/definitions/")
        top = {"swagger": "2.0", "definitions": {"User": json.loads(text)}}
        path = {**path, "type": "string"}
    else:
        response = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/User"}}}}
        top = {"openapi": version, "components": {"schemas": {"User": user}}}
        path = {**path, "schema": {"type": "string"}}
    operation = {"parameters": [path, *parameters], "responses": {"200": {"description": "", **response}}}
    return {**top, "info": {"title": "Users", "version": "1"}, "paths": {"/users/{id}": {method: operation}}}


def without(name: str) -> dict[str, Any]:
    return {**USER, "properties": {key: value for key, value in USER["properties"].items() if key != name}}  # type: ignore[attr-defined]


def read(data: dict[str, Any]) -> Api:
    return read_api(Documents(MemoryTree({"users.json": json.dumps(data).encode()})), "users.json", "users")


def pact(body: Any, status: int = 200, **request: Any) -> dict[str, Any]:
    interaction = {
        "description": "a user",
        "request": {"method": "GET", "path": "/users/1", **request},
        "response": {"status": status, "body": body},
    }
    return {"consumer": {"name": "shop"}, "provider": {"name": "users"}, "interactions": [interaction]}


def har(body: Any, url: str = "http://h/users/1") -> dict[str, Any]:
    content = {"mimeType": "application/json", "text": json.dumps(body)}
    entry = {"request": {"method": "GET", "url": url}, "response": {"status": 200, "content": content}}
    return {"log": {"entries": [entry]}}


def judged(
    base: dict[str, Any], head: dict[str, Any], recording: dict[str, Any], changes: list[Change] | None = None
) -> tuple[list[Change], list[Note]]:
    """The changes of two sides with what one recording says of them."""
    apis = {"users": read(base)}, {"users": read(head)}
    name = "shop.har" if "log" in recording else "shop.json"
    declared = load_consumers([(MemoryTree({name: json.dumps(recording).encode()}), name)], ["users"], apis[0])
    routes = Routes(*apis)
    found = compare(apis[0]["users"], apis[1]["users"]) if changes is None else changes
    traced = blast(found, routes, declared.consumers).changes
    return confirmed(traced, routes, declared.consumers, declared.files)


def evidence(changes: list[Change]) -> dict[str, list[str]]:
    """Rule and field -> what recordings say of it."""
    return {
        f"{change.rule} {change.field}": [
            line for each in change.consumers for line in each.because if "fits base" in line
        ]
        for change in changes
        if any("fits base" in line for each in change.consumers for line in each.because)
    }


# --- contract tests ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", ["2.0", "3.0.3", "3.1.0", "3.2.0"])
def test_a_response_that_loses_what_a_test_reads(version: str) -> None:
    """The change that took the field away carries the interaction with file and line, whatever the dialect."""
    changes, notes = judged(document(version), document(version, user=without("email")), pact({"email": "e"}))
    assert evidence(changes) == {
        "property-removed email": [
            'shop\'s interaction "a user" (shop.json:1) fits base and not head: email is in the response and is not declared'
        ]
    }
    assert notes == []


def test_what_a_test_leaves_out_is_no_problem() -> None:
    """An excerpt lacks required fields and headers; a test that fits both sides says nothing."""
    changes, notes = judged(document(), document(user=without("email")), pact({"id": "1"}))
    assert (evidence(changes), notes) == ({}, [])


def test_a_type_that_changes() -> None:
    """openapi-core's own error is told, at its field."""
    number = {**USER, "properties": {**USER["properties"], "id": {"type": "integer"}}}  # type: ignore[dict-item]
    changes, _ = judged(document(), document(user=number), pact({"id": "1", "parent": {"id": "2"}}))
    ((rule, (sentence,)),) = evidence(changes).items()
    assert rule == "type-changed id"
    assert "is not of type 'integer'" in sentence


def test_a_request_without_what_is_required_now() -> None:
    """A parameter that head requires and the test does not send breaks it; one that it sends does not."""
    needed = {"name": "tenant", "in": "query", "required": True, "schema": {"type": "string"}}
    head = document(parameters=[needed])
    changes, _ = judged(document(), head, pact({"id": "1"}))
    ((rule, (sentence,)),) = evidence(changes).items()
    assert rule.endswith(" query:tenant")
    assert sentence.endswith("Missing required query parameter: tenant")
    (change,) = [each for each in changes if each.field == "query:tenant"]
    assert [(each.consumer, each.impact) for each in change.consumers] == [("shop", Impact.BROKEN)]
    sending, _ = judged(document(), head, pact({"id": "1"}, query="tenant=a"))
    assert evidence(sending) == {}


def test_an_operation_that_is_gone() -> None:
    """Nothing answers any more: the removal carries the interaction."""
    changes, _ = judged(document(), {**document(), "paths": {}}, pact({"id": "1"}))
    ((rule, (sentence,)),) = evidence(changes).items()
    assert rule.strip() == "operation-removed"
    assert sentence.endswith("the operation is gone")


def test_a_stale_declaration_is_noted() -> None:
    """What fits neither side declares what is not so; it is no evidence."""
    changes, notes = judged(document(), document(user=without("email")), pact({"id": 1, "email": "e"}))
    assert evidence(changes) == {}
    (note,) = notes
    assert (note.level, note.file, note.line) == ("warning", "shop.json", 1)
    assert "fits neither base nor head" in note.message


def test_a_refused_request_may_be_wrong() -> None:
    """A test of a 4xx sends on purpose what is not allowed."""
    limited = {"name": "n", "in": "query", "schema": {"type": "integer"}}
    base, head = (document(parameters=[{**limited, "schema": {"type": kind}}]) for kind in ("string", "integer"))
    for side in (base, head):
        side["paths"]["/users/{id}"]["get"]["responses"]["400"] = {"description": ""}
    changes, _ = judged(base, head, pact(None, 400, query="n=x"))
    assert evidence(changes) == {}
    changes, _ = judged(base, head, pact({"id": "1"}, query="n=x"))
    assert len(evidence(changes)) == 1


# --- recordings -------------------------------------------------------------------------------------------------------


def test_a_recorded_response_proves_no_reader() -> None:
    """What came back need not have been read, so its consumer may be broken and no more."""
    body = {"id": "1", "name": "n", "email": "e"}
    changes, _ = judged(document(), document(user=without("email")), har(body))
    (change,) = [each for each in changes if each.field == "email"]
    assert [(each.consumer, each.impact, each.confidence) for each in change.consumers] == [
        ("shop", Impact.POSSIBLE, "called")
    ]
    assert len(evidence(changes)) == 1


def test_a_recorded_request_that_is_refused() -> None:
    """Head refuses a request that was sent: that is broken, though nobody declared anything."""
    parameter = {"name": "n", "in": "query", "schema": {"type": "string"}}
    narrow = {**parameter, "schema": {"type": "integer"}}
    recorded = har({"id": "1", "name": "n"}, "http://h/users/1?n=x")
    changes, _ = judged(document(parameters=[parameter]), document(parameters=[narrow]), recorded)
    (change,) = [each for each in changes if each.field == "query:n"]
    assert [(each.impact, each.confidence) for each in change.consumers] == [(Impact.BROKEN, "called")]


# --- what no change explains ------------------------------------------------------------------------------------------


def test_what_no_change_explains_is_a_finding() -> None:
    """An exchange that fails on head alone is told even where the rules found nothing that explains it."""
    base, head = document(), document(user=without("email"))
    other = [each._replace(field="name") for each in compare(read(base), read(head)) if each.field == "email"]
    changes, _ = judged(base, head, pact({"email": "e"}), other)
    (finding,) = [each for each in changes if each.rule == RULE]
    assert (finding.field, finding.severity, finding.operation) == ("email", Severity.BREAKING, "GET /users/{id}")
    assert finding.witness is not None and finding.witness.value == {"email": "e"}
    assert [each.consumer for each in finding.consumers] == ["shop"]
    assert len(finding.fingerprint) == 12


def test_operations_that_did_not_change_are_not_played() -> None:
    """A stale pact of an untouched operation costs nothing and says nothing."""
    changes, notes = judged(document(), document(), pact({"id": 1}))
    assert (changes, notes) == ([], [])


def test_where_openapi_core_cannot_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where openapi-core fails itself, guardian's own judge takes its place, and finds the same."""
    from openapi_core.validation.response.validators import APICallResponseValidator

    def overflow(*_args: Any) -> None:
        raise RecursionError

    monkeypatch.setattr(APICallResponseValidator, "iter_errors", overflow)
    changes, _ = judged(document(), document(user=without("email")), pact({"email": "e"}))
    assert list(evidence(changes)) == ["property-removed email"]
    whole = {"id": "1", "name": "n"}
    number = {**USER, "properties": {**USER["properties"], "id": {"type": "integer"}}}  # type: ignore[dict-item]
    changes, _ = judged(document(), document(user=number), har(whole))
    assert list(evidence(changes)) == ["type-changed id"]


# --- the gate ---------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not PAIR.exists(), reason="the shared pairs are not here")
def test_pair_01_shows_its_two_interactions(check: Any, folder: Folder) -> None:
    """The Super Heroes: two interactions of base's pacts do not fit head, and each stands in its finding."""
    outcome: Outcome = check(
        folder, "--base", str(PAIR / "base/specs"), "--head", str(PAIR / "head/specs"),
        "--consumers", str(PAIR / "base/pacts"), "--no-fixes",
    )  # fmt: skip
    report = json.loads(outcome.out)
    said = {
        each["consumer"]: each["because"][-1]
        for change in report["changes"]
        for each in change["consumers"]
        if "fits base and not head" in each["because"][-1]
    }
    assert sorted(said) == ["rest-fights", "ui-super-heroes"]
    assert all('"A request to generate an image from a narration"' in sentence for sentence in said.values())
    assert "ui-super-heroes-rest-fights.json:781)" in said["ui-super-heroes"]


def test_the_gate_fails_by_evidence(check: Any, folder: Folder) -> None:
    """Through the command line, with lines; and a note on what is stale."""
    folder.write("base.json", json.dumps(document(), indent=1))
    folder.write("head.json", json.dumps(document(user=without("email")), indent=1))
    folder.write("shop.json", json.dumps(pact({"email": "e"}), indent=1))
    args = (
        "--base",
        "base.json",
        "--head",
        "head.json",
        "--service",
        "users",
        "--consumers",
        "shop.json",
        "--no-fixes",
    )
    outcome: Outcome = check(folder, *args)
    assert outcome.code == 1
    (change,) = [each for each in json.loads(outcome.out)["changes"] if each["field"] == "email"]
    assert change["counts_as"] == "breaking"
    assert "(shop.json:9)" in change["consumers"][0]["because"][-1]


# --- media types ------------------------------------------------------------------------------------------------------


def renaming(longest: int, *declared: str, user: Any = USER) -> dict[str, Any]:
    """A specification of one operation that takes a name, under these media types, and answers with a user."""
    data = document(method="patch", user=user)
    schema = {"type": "object", "properties": {"name": {"type": "string", "maxLength": longest}}}
    operation = data["paths"]["/users/{id}"]["patch"]
    operation["requestBody"] = {"content": {each: {"schema": schema} for each in declared}}
    operation["responses"]["200"]["content"] = {
        each: {"schema": {"$ref": "#/components/schemas/User"}} for each in declared
    }
    return data


@pytest.mark.parametrize(
    ("declared", "said"),
    [
        ("application/json", "application/json; charset=utf-8"),
        ("application/json; charset=utf-8", "application/json"),
        ("application/merge-patch+json", "application/merge-patch+json"),
        ("application/hal+json", "Application/HAL+json"),
        ("text/json", "text/json"),
        ("application/*", "application/hal+json"),
        ("*/*", "application/json"),
        ("application/merge-patch+json", ""),
    ],
)
def test_every_kind_of_json_is_read(declared: str, said: str) -> None:
    """Vendor types, ranges and parameters: what is sent is held against its schema, not taken for bytes."""
    headers = {"headers": {"Content-Type": said}} if said else {}
    recording = pact({"id": "1"}, method="PATCH", **headers)
    recording["interactions"][0]["request"]["body"] = {"name": "abcdefghij"}
    recording["interactions"][0]["response"].update(headers)
    changes, notes = judged(renaming(100, declared), renaming(5, declared), recording)
    assert notes == []
    ((_, (line,)),) = evidence(changes).items()
    assert line.endswith("body.name: 'abcdefghij' is too long")


def test_the_schema_of_the_media_type_that_was_sent() -> None:
    """Of several representations the one that a message names is meant."""

    def versions(*fields: str) -> dict[str, Any]:
        first = {"type": "object", "properties": {"id": {"type": "string"}}}
        second = {"type": "object", "properties": {each: {"type": "string"} for each in fields}}
        data = document()
        content = {"application/vnd.v1+json": {"schema": first}, "application/vnd.v2+json": {"schema": second}}
        data["paths"]["/users/{id}"]["get"]["responses"]["200"]["content"] = content
        return data

    recording = pact({"email": "e"})
    recording["interactions"][0]["response"]["headers"] = {"Content-Type": "application/vnd.v2+json"}
    changes, notes = judged(versions("email", "id"), versions("id"), recording)
    assert notes == []
    assert list(evidence(changes)) == ["property-removed email"]


def test_text_is_text_under_every_name() -> None:
    """A text of another kind than `text/plain` fits a schema of text."""
    data = document()
    csv = {"text/csv": {"schema": {"type": "string"}}}
    data["paths"]["/users/{id}"]["get"]["responses"]["200"]["content"] = csv
    head = json.loads(json.dumps(data))
    head["paths"]["/users/{id}"]["get"]["parameters"][0]["schema"]["maxLength"] = 9
    recording = pact("a,b")
    recording["interactions"][0]["response"]["headers"] = {"Content-Type": "text/csv"}
    assert judged(data, head, recording)[1] == []


# --- cookies, paths, statuses -----------------------------------------------------------------------------------------


def session(*, required: bool, values: list[str] | None = None) -> dict[str, Any]:
    schema = {"type": "string"} | ({"enum": values} if values else {})
    return document(parameters=[{"name": "session", "in": "cookie", "required": required, "schema": schema}])


def test_cookies_are_played_too() -> None:
    """A cookie that was sent is there; a browser that writes none down lacks none; a value that is refused shows."""
    sent = pact({"id": "1"}, headers={"Cookie": "theme=dark; session=abc"})
    changes, _ = judged(session(required=False), session(required=True), sent)
    assert [change.consumers for change in changes] == [()]
    changes, _ = judged(session(required=False), session(required=True), har({"id": "1", "name": "x"}))
    assert evidence(changes) == {}
    changes, _ = judged(session(required=False), session(required=False, values=["x"]), sent)
    ((_, (line,)),) = evidence(changes).items()
    assert "'abc' is not one of ['x']" in line


def test_path_values_are_played_decoded() -> None:
    """What is encoded in a path is one value of it."""
    base, head = document(), document(user=without("email"))
    for data in (base, head):
        data["paths"] = {"/nord øst/{id}": data["paths"]["/users/{id}"]}
        data["paths"]["/nord øst/{id}"]["get"]["parameters"][0]["schema"] = {"type": "string", "enum": ["å b"]}
        data["paths"]["/nord%20øst/{id}"] = data["paths"].pop("/nord øst/{id}")
    recording = pact({"email": "e"}, path="/nord%20%C3%B8st/%C3%A5%20b")
    changes, notes = judged(base, head, recording)
    assert notes == []
    assert list(evidence(changes)) == ["property-removed email"]


def test_a_status_that_is_an_example() -> None:
    """A test that takes any success is played with a success that there is."""
    base, head = document(), document()
    responses = head["paths"]["/users/{id}"]["get"]["responses"]
    responses["201"] = responses.pop("200")
    recording = pact({"id": "1"})
    rule = {"matchers": [{"match": "statusCode", "status": "success"}]}
    recording["interactions"][0]["response"]["matchingRules"] = {"status": rule}
    changes, notes = judged(base, head, recording)
    assert notes == [] and evidence(changes) == {}
    assert [change.consumers for change in changes if change.rule == "response-removed"] == [()]

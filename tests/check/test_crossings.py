"""Concrete paths that another operation answers on head: who calls them is told what is another there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from tests.check.repo import Folder, Outcome, Repo


def document(me: Sequence[str] | None, fields: Sequence[str] = ("id", "email"), path: str = "/users/me") -> str:
    """Users by their id and, with fields of its own, one under a path of its own."""
    parameter = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    paths: dict[str, Any] = {"/users/{id}": {"get": {"parameters": [parameter], "responses": answer(fields)}}}
    if me is not None:
        paths[path] = {"get": {"responses": answer(me)}}
    return json.dumps({"openapi": "3.0.3", "info": {"title": "Users", "version": "1"}, "paths": paths}, indent=1)


def answer(fields: Sequence[str]) -> dict[str, Any]:
    schema = {"type": "object", "required": list(fields), "properties": {each: {"type": "string"} for each in fields}}
    return {"200": {"description": "", "content": {"application/json": {"schema": schema}}}}


def manifest(operation: str, *reads: str) -> str:
    use = {"service": "users", "operation": operation, "reads": list(reads)}
    return json.dumps({"consumer": "web", "uses": [use]})


def pact(path: str, **body: str) -> str:
    one = {
        "description": "one",
        "request": {"method": "GET", "path": path},
        "response": {"status": 200, "body": body},
    }
    return json.dumps({"consumer": {"name": "web"}, "provider": {"name": "users"}, "interactions": [one]}, indent=1)


def judged(check: Any, folder: Folder, base: str, head: str, declared: str) -> dict[tuple[str, str], list[str]]:
    """What is told by rule and operation, with whom it hits."""
    folder.write("base.json", base)
    folder.write("head.json", head)
    folder.write("web.json", declared)
    args = ("--base", "base.json", "--head", "head.json", "--service", "users", "--consumers", "web.json")
    outcome: Outcome = check(folder, *args)
    report = json.loads(outcome.out)
    assert outcome.code == (1 if "web" in report["summary"]["consumers_broken"] else 0)
    crossing = {each["fingerprint"] for each in report["changes"] if each["why"].startswith("GET /users/{id} answers")}
    assert crossing.isdisjoint(each for fix in report["fixes"] for each in fix["changes"])  # no edit of one mends it
    return {
        (each["rule"], each["operation"]): [f"{who['consumer']} {who['impact']}" for who in each["consumers"]]
        for each in report["changes"]
        if each["rule"] != "version-not-bumped"
    }


@pytest.mark.parametrize(
    "declared", [manifest("GET /users/me", "email"), pact("/users/me", email="a@b")], ids=["manifest", "pact"]
)
@pytest.mark.parametrize("fields", [("id", "email"), ("id",)], ids=["the template stays", "the template loses it too"])
def test_a_path_of_its_own_takes_its_callers_over(
    check: Any, folder: Folder, declared: str, fields: Sequence[str]
) -> None:
    """`/users/me` was answered as `/users/{id}` and is answered as itself from now on: without the email."""
    found = judged(check, folder, document(None), document(["id"], fields), declared)
    assert found["property-removed", "GET /users/me"] == ["web broken"]
    assert found["operation-added", "GET /users/me"] == []
    assert found.get(("property-removed", "GET /users/{id}"), []) == []


def test_a_narrower_template_takes_its_callers_over(check: Any, folder: Folder) -> None:
    """So does a template with more of the path in it."""
    path = "/users/{id}.json"
    head = json.loads(document(["id"], path=path))
    parameter = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    head["paths"][path]["get"]["parameters"] = [parameter]
    declared = manifest("GET /users/7.json", "email")
    found = judged(check, folder, document(None), json.dumps(head), declared)
    assert found["property-removed", "GET /users/7.json"] == ["web broken"]


@pytest.mark.parametrize(
    ("me", "declared"),
    [
        (["id", "email", "more"], manifest("GET /users/me", "email")),
        (["id"], manifest("GET /users/me", "id")),
        (["id"], manifest("GET /users/{id}", "email")),
        (["id"], manifest("GET /users/7", "email")),
        (["id"], pact("/users/me", id="1")),
    ],
)
def test_who_finds_what_it_reads_is_not_named(check: Any, folder: Folder, me: list[str], declared: str) -> None:
    """The path's own operation has it, or it is another path that is called: nothing is told but the new operation."""
    found = judged(check, folder, document(None), document(me), declared)
    assert found == {("operation-added", "GET /users/me"): []}


def test_a_path_of_its_own_on_both_sides_is_an_operation_like_others(check: Any, folder: Folder) -> None:
    """Nothing crosses where base has that very path too, nor where head removes it."""
    declared = manifest("GET /users/me", "email")
    found = judged(check, folder, document(["id", "email"]), document(["id"]), declared)
    assert found == {("property-removed", "GET /users/me"): ["web broken"]}
    found = judged(check, folder, document(["id", "email"]), document(None), declared)
    assert found == {("operation-removed", "GET /users/me"): ["web broken"]}


@pytest.mark.parametrize("kind", ["har", "postman"])
def test_a_recorded_call_of_what_head_removes_is_named(check: Any, folder: Folder, kind: str) -> None:
    """Recordings know URLs alone: what head does not answer any more is looked for on base."""
    url = "https://users.test/users/me"
    if kind == "har":
        content = {"mimeType": "application/json", "text": '{"id": "1"}'}
        entry = {"request": {"method": "GET", "url": url}, "response": {"status": 200, "content": content}}
        declared: Any = {"log": {"entries": [entry]}}
    else:
        schema = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
        declared = {"info": {"name": "web", "schema": schema}, "item": [{"name": "me", "request": url}]}
    base, head = json.loads(document(["id"])), json.loads(document(["id"]))
    del base["paths"]["/users/{id}"], head["paths"]["/users/{id}"]
    head["paths"]["/others"] = head["paths"].pop("/users/me")
    folder.write("base.json", json.dumps(base))
    folder.write("head.json", json.dumps(head))
    folder.write(f"web.{'har' if kind == 'har' else 'json'}", json.dumps(declared))
    args = ("--base", "base.json", "--head", "head.json", "--service", "users", "--no-fixes", "--consumers")
    outcome: Outcome = check(folder, *args, f"web.{'har' if kind == 'har' else 'json'}")
    report = json.loads(outcome.out)
    (removed,) = [each for each in report["changes"] if each["rule"] == "operation-removed"]
    assert [each["consumer"] for each in removed["consumers"]] == ["web"]


def test_who_comes_with_the_new_operation(check: Any, repo: Repo):
    """A consumer that calls the path from head on never had another answer from it."""
    repo.git("checkout", "--quiet", "main")
    repo.write("guardian.yaml", "version: 1\nservices: {users: {spec: api.json}}\nconsumers: [web/*.json]\n")
    repo.write("api.json", document(None))
    repo.write("web/a.json", manifest("GET /users/{id}", "email"))
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    repo.write("api.json", document(("name",)))
    repo.write("web/b.json", manifest("GET /users/me", "name", "email").replace('"web"', '"new"'))
    report = check(repo).report
    assert [each["rule"] for each in report["changes"] if each["consumers"]] == []
    repo.git("checkout", "--quiet", "main", "--force")
    repo.write("web/b.json", manifest("GET /users/me", "email").replace('"web"', '"old"'))
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    repo.write("api.json", document(("name",)))
    repo.write("web/c.json", manifest("GET /users/me", "email").replace('"web"', '"new"'))
    assert check(repo).report["summary"]["consumers_broken"] == ["old"]

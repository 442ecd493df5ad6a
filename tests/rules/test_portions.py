"""One service compared by several processes: what comes out is what one process finds."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

from guardian.errors import RefError
from guardian.rules import compare as comparing
from guardian.rules.compare import Comparison, compare_fully
from guardian.spec.normalise import read_api
from guardian.spec.refs import Documents
from guardian.spec.sameness import Sameness
from guardian.spec.trees import MemoryTree

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks are made on Linux only")


def api(limit: int, *, broken: bool = False) -> dict[str, Any]:
    """Twelve operations that share components, one component that none reaches."""
    user: dict[str, Any] = {
        "type": "object",
        "properties": {"name": {"type": "string", "maxLength": limit}},
        "required": ["name"],
    }
    if broken:
        user["properties"]["role"] = {"$ref": "#/components/schemas/Nowhere"}
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/User"}}}
    operation = {
        "parameters": [{"name": "page", "in": "query", "schema": {"type": "integer", "maximum": limit}}],
        "requestBody": {"content": content},
        "responses": {"200": {"description": "", "content": content}},
        "callbacks": {"done": {"{$request.body#/name}": {"post": {"requestBody": {"content": content}}}}},
    }
    return {
        "openapi": "3.0.3",
        "info": {"title": "Users", "version": "1"},
        "paths": {f"/users/{number}": {"post": operation} for number in range(12)},
        "components": {"schemas": {"User": user, "Lonely": {"type": "string", "maxLength": limit}}},
    }


def compared(base: dict[str, Any], head: dict[str, Any], jobs: int) -> Comparison:
    sides = [Documents(MemoryTree({"api.json": json.dumps(each).encode()})) for each in (base, head)]
    one, other = (read_api(side, "api.json", "users") for side in sides)
    return compare_fully(one, other, same=Sameness(*sides).same, jobs=jobs)


@pytest.fixture(autouse=True)
def everything_is_worth_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparing, "WORTH_A_PROCESS", 1)


def test_several_processes_find_what_one_finds(forks: list[int]) -> None:
    """The same changes with the same witnesses in the same order, and the same notes."""
    alone = compared(api(20), api(10), 1)
    assert not forks
    together = compared(api(20), api(10), 3)
    assert len(forks) == 2
    assert together == alone
    assert len(together.changes) > 30
    assert all(change.witness for change in together.changes if change.counts_as.value == "breaking")
    assert len(together.notes) == 1


def test_what_all_operations_share_is_told_once(forks: list[int]) -> None:
    """A security scheme that every process came by, with the servers, which none is asked about."""

    def secured(host: str) -> dict[str, Any]:
        flows = {"clientCredentials": {"tokenUrl": f"https://{host}/token", "scopes": {}}}
        document = api(20 if host == "one.example" else 10)
        document["components"]["securitySchemes"] = {"oauth": {"type": "oauth2", "flows": flows}}
        return {**document, "security": [{"oauth": []}], "servers": [{"url": f"https://{host}"}]}

    found = [compared(secured("one.example"), secured("other.example"), jobs) for jobs in (1, 2, 100)]
    assert len(forks) == 1 + 12  # no more than there are parts: eleven more paths, and what no operation reaches
    assert found[0] == found[1] == found[2]
    rules = [change.rule for change in found[0].changes]
    assert rules.count("security-scheme-detail-changed") == 1
    assert rules.count("server-changed") == 1


def test_there_are_no_more_portions_than_can_be_handed_out(forks: list[int]) -> None:
    """However many operations and processors there are: portions get smaller towards the end, but not as small as that."""

    def many(limit: int) -> dict[str, Any]:
        schema = {"type": "integer", "maximum": limit}
        operation = {"parameters": [{"name": "page", "in": "query", "schema": schema}], "responses": {}}
        return {**api(20), "paths": {f"/{number}": {"get": operation} for number in range(600)}}

    together = compared(many(20), many(10), 40)
    assert len(forks) == 39
    assert together == compared(many(20), many(10), 1)
    assert len(together.changes) == 600


def test_an_error_is_that_of_one_process(forks: list[int]) -> None:
    """With its place, whoever met it."""
    raised = []
    for jobs in (1, 3):
        with pytest.raises(RefError) as error:
            compared(api(20), api(10, broken=True), jobs)
        raised.append((error.value.message, error.value.file, error.value.pointer, error.value.hint))
    assert len(forks) == 2
    assert raised[0] == raised[1]


def test_little_is_compared_by_one_process(forks: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process would cost more than it brings."""
    monkeypatch.setattr(comparing, "WORTH_A_PROCESS", 1_000)
    compared(api(20), api(10), 3)
    assert not forks


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{name}"}


def answers(name: str) -> dict[str, Any]:
    return {"post": {"responses": {"200": {"content": {"application/json": {"schema": ref(name)}}}}}}


def circle(turned: bool) -> dict[str, Any]:
    """Components that mean each other, in one of which head says otherwise: what is assumed of one decides on others."""

    schemas = {
        "A": ref("B"),
        "B": {"properties": {"r": {"oneOf": [ref("E"), ref("D")]}}},
        "C": ref("A") if turned else {"properties": {"r": ref("B")}},
        "D": ref("B"),
        "E": {"oneOf": [{"not": ref("C")}]},
    }

    return {
        "openapi": "3.1.0",
        "info": {"title": "Circle", "version": "1"},
        "paths": {"/3": answers("E"), "/7": answers("A")},
        "components": {"schemas": schemas},
    }


def test_where_something_is_assumed_the_order_is_that_of_one_process(forks: list[int]) -> None:
    """What is found must not hang on the number of processors."""
    together = compared(circle(False), circle(True), 3)
    assert forks
    assert together == compared(circle(False), circle(True), 1)


def nested(more: dict[str, Any]) -> dict[str, Any]:
    """A value of either component holds one of the other: what is left out of it hangs on which is made first."""

    schemas = {
        "A": {"properties": {"s": ref("D")}, "required": ["s"]},
        "D": {"anyOf": [{"anyOf": [ref("A")]}, {"properties": {"p": {}, **more}}]},
    }
    return {
        "openapi": "3.0.0",
        "info": {"title": "Nested", "version": "1"},
        "paths": {"/3": answers("D"), "/6": answers("A")},
        "components": {"schemas": schemas},
    }


def test_values_that_lead_back_to_themselves_are_those_of_one_process(forks: list[int]) -> None:
    """Their witnesses are the same whoever builds them."""
    together = compared(nested({"r": {}}), nested({}), 3)
    assert forks
    assert together == compared(nested({"r": {}}), nested({}), 1)

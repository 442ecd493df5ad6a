"""Dynamic references: the outermost anchor on the way decides, at every depth, in shapes and in judgements."""

from __future__ import annotations

import json
from typing import Any

import jsonschema_rs
import pytest

from guardian.model import Confidence, Direction, Severity
from guardian.rules.compare import compare
from guardian.rules.judge import Judge
from guardian.rules.rewrite import Role
from guardian.spec.api import Schema
from guardian.spec.normalise import read_api
from guardian.spec.refs import Documents
from guardian.spec.sameness import Sameness
from guardian.spec.trees import MemoryTree
from tests.rules.sides import changes

RECEIVES = (Direction.REQUEST, Role.RECEIVER)

TREE = {
    "$id": "https://schemas.example/tree",
    "$dynamicAnchor": "node",
    "type": "object",
    "properties": {"data": True, "children": {"type": "array", "items": {"$dynamicRef": "#node"}}},
}
STRICT = {
    "$id": "https://schemas.example/strict-tree",
    "$dynamicAnchor": "node",
    "$ref": "tree",
    "properties": {"label": {"type": "string"}},
}


def sent(strict: Any, tree: Any = TREE, use: str = "StrictTree") -> dict[str, Any]:
    """An API that takes a tree."""
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{use}"}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {"/t": {"post": {"requestBody": {"content": content}, "responses": {}}}},
        "components": {"schemas": {"Tree": tree, "StrictTree": strict}},
    }


def test_the_outermost_anchor_holds_at_every_depth() -> None:
    """What the extending schema demands is demanded of children too: the extended tree's items are the outer nodes."""
    head = {**STRICT, "properties": {}}
    head["properties"] = {"children": {"type": "array", "items": {"required": ["label"]}}, **STRICT["properties"]}
    (change,) = changes(sent(STRICT), sent(head))
    assert (change.rule, change.field) == ("property-became-required", "children[].label")
    assert (change.severity, change.confidence) == (Severity.BREAKING, Confidence.PROVED)


def test_one_change_of_a_recursive_schema_is_told_once() -> None:
    """Every depth has it; the shortest way to it is named."""
    head = {**STRICT, "properties": {"label": {"type": "integer"}}}
    (change,) = changes(sent(STRICT), sent(head))
    assert (change.rule, change.field, change.confidence) == ("type-changed", "label", Confidence.PROVED)


def test_without_the_extension_the_tree_is_its_own() -> None:
    """Reached directly, the tree's items are trees: what extends it elsewhere is no business of theirs."""
    head = {**STRICT, "properties": {"label": {"type": "integer"}}}
    assert changes(sent(STRICT, use="Tree"), sent(head, use="Tree")) == []


def test_nothing_changes_without_a_change() -> None:
    """Circles through dynamic references end."""
    assert changes(sent(STRICT), sent(STRICT)) == []


def test_items_lose_the_extension() -> None:
    """When the anchor is gone from the outer schema, children are plain trees again."""
    head = {key: value for key, value in STRICT.items() if key != "$dynamicAnchor"}
    base = {**STRICT, "required": ["label"]}
    (change,) = changes(sent(base), sent({**head, "required": ["label"]}))
    assert change.field == "children[].label"
    assert change.rule == "property-removed"


# --- generic types ------------------------------------------------------------------------------------------------

STRING = {"type": "string"}
INTEGER = {"type": "integer"}
PAGE = {
    "$id": "https://schemas.example/page",
    "type": "object",
    "properties": {"items": {"type": "array", "items": {"$dynamicRef": "#item"}}},
    "$defs": {"any": {"$dynamicAnchor": "item", "not": {}}},
}


def page_of(item: Any, *, id: str | None = "https://schemas.example/users", **more: Any) -> dict[str, Any]:
    """A page whose items are something."""
    own = {"$id": id} if id else {}
    return {**own, "$ref": PAGE["$id"], "$defs": {"it": {"$dynamicAnchor": "item", **item}}, **more}


def given(schema: Any, **schemas: Any) -> dict[str, Any]:
    """An API that gives and takes a schema, with components."""
    content = {"content": {"application/json": {"schema": schema}}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "T", "version": "1"},
        "paths": {
            "/t": {
                "get": {"responses": {"200": {"description": "ok", **content}}},
                "post": {"requestBody": content, "responses": {}},
            }
        },
        "components": {"schemas": schemas},
    }


def told(base: Any, head: Any) -> list[tuple[str, str, str, str]]:
    return [(each.rule, each.field, each.severity.value, each.confidence.value) for each in changes(base, head)]


PROVED = [("type-changed", "items[]", "breaking", "proved")] * 2
USERS = {"$ref": "#/components/schemas/Users"}


def test_a_generic_list_has_the_items_of_whoever_uses_it() -> None:
    """The usual pattern: a bookending anchor in the generic schema, another in the one that fills it."""
    base, head = (given(USERS, Page=PAGE, Users=page_of(item)) for item in (STRING, INTEGER))
    assert told(base, head) == PROVED
    assert [each.witness.value for each in changes(base, head) if each.witness] == [{"items": [1]}, {"items": ["a"]}]


def test_each_use_of_a_generic_schema_is_its_own() -> None:
    """Two lists in one message differ in their items, and one of them changes."""
    pets = {"Pets": page_of({"type": "boolean"}, id="https://schemas.example/pets"), "Page": PAGE}
    both = {"type": "object", "properties": {"u": USERS, "p": {"$ref": "#/components/schemas/Pets"}}}
    base, head = (given(both, Users=page_of(item), **pets) for item in (STRING, INTEGER))
    assert [each.field for each in changes(base, head)] == ["u.items[]"] * 2


def test_a_resource_inside_a_place_counts_without_a_reference_to_it() -> None:
    """A schema with an ``$id`` that stands in the message itself is entered on the way, below an outer one too."""
    base, head = (given(page_of(item), Page=PAGE) for item in (STRING, INTEGER))
    assert told(base, head) == PROVED
    outer = {"$id": "https://schemas.example/outer", "$defs": {"it": {"$dynamicAnchor": "item", "type": "boolean"}}}
    base, head = (given({**outer, "properties": {"u": page_of(item)}}, Page=PAGE) for item in (STRING, INTEGER))
    assert changes(base, head) == []  # the outermost anchor decides, and that one is the same


def test_an_absolute_dynamic_reference_is_one_too() -> None:
    """Its text may name the resource."""
    page = {**PAGE, "properties": {"items": {"type": "array", "items": {"$dynamicRef": "page#item"}}}}
    base, head = (given(USERS, Page=page, Users=page_of(item)) for item in (STRING, INTEGER))
    assert told(base, head) == PROVED


def test_what_is_hidden_is_found_through_a_dynamic_reference() -> None:
    """readOnly beyond it counts for requests, when shapes are made and when witnesses are judged."""
    item = {"type": "object", "required": ["id"], "properties": {"id": {**STRING, "readOnly": True}, "name": STRING}}
    base, head = (
        given(USERS, Page=PAGE, Users=page_of({**item, "required": names})) for names in (["id"], ["id", "name"])
    )
    (change,) = [each for each in changes(base, head) if each.severity is Severity.BREAKING]
    assert (change.rule, change.field) == ("property-became-required", "items[].name")
    assert change.witness
    assert change.witness.value == {"items": [{}]}


# --- what the standard leaves open -----------------------------------------------------------------------------------

POSSIBLE = [("type-changed", "items[]", "warning", "possible")] * 2
WITHOUT_ID = {key: value for key, value in PAGE.items() if key != "$id"}


def test_components_without_ids_are_guessed() -> None:
    """One resource has the anchor twice: what the author meant is taken, and said to be no more than possible."""

    def users(item: Any) -> Any:
        return {**page_of(item, id=None), "$ref": "#/components/schemas/Page"}

    base, head = (given(USERS, Page=WITHOUT_ID, Users=users(item)) for item in (STRING, INTEGER))
    assert told(base, head) == POSSIBLE
    assert all("dynamic reference" in (each.unproved or "") for each in changes(base, head))
    assert changes(base, base) == []
    more = {"Pets": users({"type": "boolean"})}  # another one that fills the list changes nothing here
    assert told(*(given(USERS, Page=WITHOUT_ID, Users=users(item), **more) for item in (STRING, INTEGER))) == POSSIBLE


def test_an_anchor_that_is_missing_at_the_start_is_guessed() -> None:
    """2020-12 wants one in the resource of the reference; later drafts do not."""
    page = {key: value for key, value in PAGE.items() if key != "$defs"}
    more = {"Pets": page_of({"type": "boolean"}, id="https://schemas.example/pets")}
    base, head = (given(USERS, Page=page, Users=page_of(item), **more) for item in (STRING, INTEGER))
    assert told(base, head) == POSSIBLE


def test_files_are_resources_of_their_own() -> None:
    """Without any ``$id``, two files have an anchor each, and nothing is left open."""

    def side(item: Any) -> tuple[Documents, Any]:
        files = {
            "api.json": given({"$ref": "users.json"}),
            "users.json": {"$ref": "page.json", "$defs": {"it": {"$dynamicAnchor": "item", **item}}},
            "page.json": WITHOUT_ID,
        }
        documents = Documents(MemoryTree({name: json.dumps(value).encode() for name, value in files.items()}))
        return documents, read_api(documents, "api.json", "api")

    base, head = side(STRING), side(INTEGER)
    found = compare(base[1], head[1], same=Sameness(base[0], head[0]).same)
    assert [(each.rule, each.field, each.severity.value, each.confidence.value) for each in found] == PROVED


# --- the same of 2019-09 ----------------------------------------------------------------------------------------------

OLD_TREE = {
    "$id": "https://schemas.example/tree",
    "$recursiveAnchor": True,
    "type": "object",
    "properties": {"children": {"type": "array", "items": {"$recursiveRef": "#"}}},
}


def test_a_recursive_anchor_is_a_dynamic_one_without_a_name() -> None:
    """The outermost resource with the anchor holds at every depth; without one there, the tree is its own."""

    def strict(demanded: list[str], **more: Any) -> Any:
        children = {"children": {"items": {"required": demanded}}} if demanded else {}
        properties = {"label": STRING, **children}
        return {"$id": "https://schemas.example/strict", "$ref": "tree", "properties": properties, **more}

    def found(**more: Any) -> list[tuple[str, str]]:
        sides = (given(USERS, Tree=OLD_TREE, Users=strict(demanded, **more)) for demanded in ([], ["label"]))
        return [(each.rule, each.field) for each in changes(*sides) if each.severity is Severity.BREAKING]

    assert found(**{"$recursiveAnchor": True}) == [("property-became-required", "children[].label")]
    assert found() == [("required-property-added", "children[].label")]


def test_without_an_id_a_recursive_reference_means_its_component() -> None:
    """The document is no schema, so the component is what was meant, and what is told is possible."""

    def tree(value: Any) -> Any:
        return {"properties": {"value": value, "next": {"$recursiveRef": "#"}, "more": {"required": ["value"]}}}

    base, head = given(USERS, Users=tree(STRING)), given(USERS, Users=tree(INTEGER))
    assert ("type-changed", "value") in {(each.rule, each.field) for each in changes(base, head)}
    narrower = {"properties": {"next": {"required": ["value"]}}}
    head = given(USERS, Users={**tree(STRING), "allOf": [narrower]})
    (change,) = [each for each in changes(given(USERS, Users=tree(STRING)), head) if each.field == "next.value"][:1]
    assert change.confidence is Confidence.POSSIBLE


# --- another opinion --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [{}, {"items": []}, {"items": ["a"]}, {"items": [1]}, {"items": [1, "a"]}, [], 7])
@pytest.mark.parametrize("item", [STRING, INTEGER, {"type": ["string", "integer"]}, {}])
def test_the_judge_reads_dynamic_references_as_a_validator_does(item: Any, value: Any) -> None:
    """What is rewritten for the validator accepts what the validator accepts of the schemas as they are written."""
    users = page_of(item)
    written = {"$ref": users["$id"], "$defs": {"page": PAGE, "users": users}}
    documents = Documents(MemoryTree({"api.json": json.dumps(given(USERS, Page=PAGE, Users=users)).encode()}))
    node = documents.open("api.json").node("/components/schemas/Users")
    judge = Judge(Schema((node,)), *RECEIVES)
    assert judge.accepts(value) is jsonschema_rs.Draft202012Validator(written).is_valid(value)


def test_the_judge_reads_a_tree_as_a_validator_does() -> None:
    """At every depth, extended or not."""
    strict = {**STRICT, "unevaluatedProperties": False}
    documents = Documents(MemoryTree({"api.json": json.dumps(sent(strict)).encode()}))
    for name, id in (("StrictTree", STRICT["$id"]), ("Tree", TREE["$id"])):
        judge = Judge(Schema((documents.open("api.json").node(f"/components/schemas/{name}"),)), *RECEIVES)
        written = jsonschema_rs.Draft202012Validator({"$ref": id, "$defs": {"a": TREE, "b": strict}})
        for value in ({"children": [{"daat": 1}]}, {"children": [{"label": 1}]}, {"children": [{"data": 1}]}, {"x": 1}):
            assert judge.accepts(value) is written.is_valid(value), (name, value)

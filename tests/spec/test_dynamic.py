"""Dynamic references: the outermost anchor on the way decides, at every depth, in shapes and in judgements."""

from __future__ import annotations

from typing import Any

from guardian.model import Confidence, Severity
from tests.rules.sides import changes

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

"""Alternatives are matched as sets, by what selects them before what they look like."""

from __future__ import annotations

from typing import Any

import pytest

from guardian.model import Direction, Effect, Severity
from guardian.rules.compare import Options, compare
from guardian.rules.match import match
from guardian.spec.api import Schema
from guardian.spec.normalise import read_api
from guardian.spec.refs import Documents
from guardian.spec.shape import Atom, Shape
from guardian.spec.shaper import Shaper
from guardian.spec.trees import MemoryTree
from tests.rules.schemas import response_changes
from tests.rules.sides import api, side


def variant(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": list(properties), "properties": properties}


def shape_of(schema: dict[str, Any]) -> Shape:
    document = side(api("{}", components={"schemas": {"A": schema}}))[1].document
    return Shaper().shape(Schema((document.node("/components/schemas/A"),)), Direction.RESPONSE)


TEXT, COUNT = {"type": "string"}, {"type": "integer"}
CARD = variant(card={"type": "string"})
IBAN = variant(iban={"type": "string"})


@pytest.mark.parametrize("keyword", ["oneOf", "anyOf"])
def test_order_of_alternatives_means_nothing(keyword: str) -> None:
    """Variants are a set."""
    assert response_changes({keyword: [CARD, IBAN]}, {keyword: [IBAN, CARD]}) == []


def test_a_change_inside_a_variant_is_told_inside_it() -> None:
    """What changed in one variant is neither a lost nor a gained variant."""
    head = variant(iban={"type": "string"}, bic={"type": "string"})
    changes = response_changes({"oneOf": [CARD, IBAN]}, {"oneOf": [CARD, head]})
    assert [(change.rule, change.field) for change in changes] == [("property-added", "bic")]


def test_constants_tell_variants_apart() -> None:
    """A required property with one value selects the variant, however much else changes in it."""

    def event(kind: str, **rest: Any) -> dict[str, Any]:
        return variant(kind={"type": "string", "enum": [kind]}, **rest)

    base = {"oneOf": [event("a", x={"type": "string"}), event("b", x={"type": "integer"})]}
    head = {"oneOf": [event("b", x={"type": "integer"}), event("a", x={"type": "boolean"})]}
    assert [(change.rule, change.field) for change in response_changes(base, head)] == [("type-changed", "x")]


def test_a_covered_variant_is_not_lost() -> None:
    """A variant that another one of head takes in is no loss."""
    assert all(
        change.severity is Severity.INFO
        for change in response_changes(
            {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "string"}]}, {"type": "string"}
        )
    )


def test_each_two_alternatives_are_compared_once() -> None:
    """Comparing two of them is a long way down: every step of the matching asks for it, and is told what is known."""
    base, head = (shape_of({"anyOf": [variant(a=each), variant(b=each), variant(c=each)]}) for each in (TEXT, COUNT))
    asked: list[tuple[int, int]] = []

    def relate(one: Atom, other: Atom) -> Effect:
        asked.append((id(one), id(other)))
        return Effect.CHANGED

    matching = match(base, head, relate)
    assert [list(pair[0].properties) for pair in matching.matched] == [["a"], ["b"], ["c"]]
    assert len(asked) == len(set(asked)) == 9


def test_one_schema_at_many_media_types_is_told_once() -> None:
    """The same component under two media types of one response is one contract."""

    def document(properties: dict[str, Any]) -> bytes:
        import json

        schema = {"$ref": "#/components/schemas/Thing"}
        return json.dumps(
            {
                "openapi": "3.1.0",
                "info": {"title": "t", "version": "1"},
                "paths": {
                    "/things": {
                        "get": {
                            "responses": {
                                "200": {
                                    "description": "ok",
                                    "content": {"application/json": {"schema": schema}, "text/xml": {"schema": schema}},
                                }
                            }
                        }
                    }
                },
                "components": {"schemas": {"Thing": {"type": "object", "properties": properties}}},
            }
        ).encode()

    sides = [
        read_api(Documents(MemoryTree({"api.json": document(each)})), "api.json", "api")
        for each in ({"a": {"type": "string"}}, {"a": {"type": "integer"}})
    ]
    changes = compare(*sides, options=Options(prove=False))
    assert [(change.rule, change.place) for change in changes] == [("type-changed", "response 200 application/json")]
    assert changes[0].direction is Direction.RESPONSE

"""Alternatives are matched as sets, by what selects them before what they look like."""

from __future__ import annotations

from typing import Any

import pytest

from guardian.model import Confidence, Direction, Effect, Severity
from guardian.rules.compare import Options, compare
from guardian.rules.match import match
from guardian.spec.api import Schema
from guardian.spec.normalise import read_api
from guardian.spec.refs import Documents
from guardian.spec.shape import Atom, Shape
from guardian.spec.shaper import Shaper
from guardian.spec.trees import MemoryTree
from tests.rules.schemas import request, request_changes, response, response_changes
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


PLACE = {"type": "object", "properties": {"zip": TEXT}}


def optional(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize("keyword", ["oneOf", "anyOf"])
@pytest.mark.parametrize(
    ("before", "after", "rules"),
    [
        (TEXT, TEXT | {"maxLength": 3}, ["max-length-changed"] * 2),
        (TEXT, TEXT | {"pattern": "^a"}, ["pattern-changed"] * 2),
        (TEXT, COUNT, ["type-changed"] * 2),
        (PLACE, PLACE | {"required": ["zip"]}, ["property-became-required", "property-became-optional"]),
    ],
)
@pytest.mark.parametrize("both", [True, False])
def test_an_alternative_that_does_not_know_a_key_hides_nothing(
    keyword: str, before: Any, after: Any, rules: list[str], both: bool
) -> None:
    """Where nothing is required each alternative lets the other's keys pass; what happened to them is told, as possible."""
    base = {keyword: [optional(home=before), optional(work=before if both else COUNT)]}
    head = {keyword: [optional(home=after), optional(work=after if both else COUNT)]}
    for say, one, other, rule in (
        (request_changes, base, head, rules[0]),
        (response_changes, head, base, rules[1]),
    ):
        found = [change for change in say(one, other, prove=True) if change.field.startswith("home")]
        assert [(change.rule, change.severity) for change in found] == [(rule, Severity.WARNING)]
        assert found[0].confidence is Confidence.POSSIBLE and found[0].unproved


@pytest.mark.parametrize("keyword", ["oneOf", "anyOf"])
def test_alternatives_that_are_parted_or_joined_differently_take_the_same(keyword: str) -> None:
    """What each side's alternatives declare is the same, key by key: no request to warn of."""
    together = {keyword: [optional(home=TEXT, work=COUNT)]}
    apart = {keyword: [optional(home=TEXT), optional(work=COUNT)]}
    more = {keyword: [optional(home=TEXT), optional(home=TEXT, work=COUNT)]}
    for one in (together, apart, more):
        for other in (together, apart, more):
            assert all(change.severity is Severity.INFO for change in request_changes(one, other)), (one, other)


def test_each_two_alternatives_are_compared_once() -> None:
    """Comparing two of them is a long way down: every step of the matching asks for it, and is told what is known."""
    base, head = (shape_of({"anyOf": [variant(a=each), variant(b=each), variant(c=each)]}) for each in (TEXT, COUNT))
    asked: list[tuple[int, int]] = []

    def relate(one: Atom, other: Atom) -> Effect:
        asked.append((id(one), id(other)))
        return Effect.CHANGED

    matching = match(base, head, relate, lambda one, other: Effect.CHANGED)
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


THING = {
    "type": "object",
    "required": ["id", "size"],
    "properties": {"id": TEXT, "size": COUNT, "deep": optional(a=TEXT)},
}


@pytest.mark.parametrize("open_one", [{"type": "object"}, {}, {"type": ["object", "null"]}])
def test_an_alternative_that_takes_anything_hides_nothing(open_one: Any) -> None:
    """By it nothing is refused that was taken, so what happened beside it is a warning at most; and it is told, down to its depth."""
    narrowed = {
        **THING,
        "properties": {**THING["properties"], "id": COUNT, "deep": optional(a=TEXT | {"maxLength": 2})},
    }
    base, head = ({"anyOf": [each, open_one]} for each in (THING, narrowed))
    for say in (request_changes, response_changes):
        found = {change.field: change for change in say(base, head, prove=True)}
        assert (found["id"].rule, found["id"].severity, found["id"].confidence) == (
            "type-changed", Severity.WARNING, Confidence.POSSIBLE,
        )  # fmt: skip
        assert found["deep.a"].severity is (Severity.WARNING if say is request_changes else Severity.INFO)
    removed = {**THING, "required": ["id"], "properties": {"id": TEXT}}
    lost = {change.field: change for change in response_changes(base, {"anyOf": [open_one, removed]}, prove=True)}
    assert lost["size"].severity is Severity.WARNING
    assert lost["size"].witness is not None and "size" not in lost["size"].witness.value
    assert all(change.severity is Severity.INFO for change in request_changes(base, {"anyOf": [removed, open_one]}))


def test_what_is_told_for_sure_elsewhere_stays_sure() -> None:
    """The same schema beside something that takes anything, and alone: it breaks alone."""
    base, head = (
        optional(
            loose={"anyOf": [{"$ref": "#/components/schemas/T"}, {"type": "object"}]},
            tight={"$ref": "#/components/schemas/T"},
        ),
    ) * 2
    before, after = ({"T": optional(a=each)} for each in (TEXT, TEXT | {"maxLength": 2}))
    (found,) = compare(request(base, before), request(head, after), options=Options(prove=True))
    assert (found.field, found.severity, found.confidence) == ("tight.a", Severity.BREAKING, Confidence.PROVED)


@pytest.mark.parametrize("kind", [TEXT, {"type": "string", "enum": ["card", "bank", "cash"]}])
def test_a_variant_that_its_tag_alone_selects(kind: Any) -> None:
    """No other variant takes its value, however open they are: gone, it is refused; new, nobody knows it."""

    def pay(*names: str) -> tuple[Any, dict[str, Any]]:
        own = {"card": {"number": TEXT}, "bank": {"ref": TEXT}, "cash": {"ref": COUNT}}
        places = {name: f"#/components/schemas/{name}" for name in names}
        schema = {
            "oneOf": [{"$ref": each} for each in places.values()],
            "discriminator": {"propertyName": "kind", "mapping": places},
        }
        return schema, {name: {**optional(kind=kind, **own[name]), "required": ["kind"]} for name in names}

    three, two = pay("card", "bank", "cash"), pay("card", "cash")
    for found, rule in (
        (compare(request(*three), request(*two), options=Options(prove=True)), "alternative-removed"),
        (compare(response(*two), response(*three), options=Options(prove=True)), "alternative-added"),
    ):
        (change,) = [each for each in found if each.rule == rule]
        assert (change.severity, change.confidence) == (Severity.BREAKING, Confidence.PROVED)
        assert change.witness is not None and change.witness.value["kind"] == "bank"


@pytest.mark.parametrize("turned", [False, True])
def test_an_alternative_that_takes_anything_on_one_side_hides_nothing(turned: bool) -> None:
    """Nor while it comes or goes: what changed in the others is told beside it."""
    sides = [
        {"oneOf": [variant(a=TEXT), {"type": "object"}]},
        {"oneOf": [variant(a=COUNT), {"type": "object", "properties": {"z": TEXT}}]},
    ]
    for say in (request_changes, response_changes):
        found = {change.field: change for change in say(*(reversed(sides) if turned else sides), prove=True)}
        assert (found["a"].rule, found["a"].severity) == ("type-changed", Severity.WARNING)

"""Inheritance: components that extend another are what its messages may be, though nothing in it refers to them."""

from __future__ import annotations

from typing import Any

import pytest

from guardian.model import Confidence
from tests.rules.sides import api, changes

BOOL = {"type": "boolean"}
INTEGER = {"type": "integer"}


def fleet(
    tug: Any, *, version: str = "3.0.3", mapping: Any = None, use: str = "Vessel", vessel: Any = None, **more: Any
) -> dict[str, Any]:
    """An API that takes and gives vessels; tugs extend them and have ``tug`` for properties."""
    discriminator: Any = "kind" if version == "2.0" else {"propertyName": "kind"}
    if mapping:
        discriminator["mapping"] = mapping
    holder = "#/definitions" if version == "2.0" else "#/components/schemas"
    properties = {"kind": {"type": "string"}, **(vessel or {})}
    schemas = {
        "Vessel": {"type": "object", "discriminator": discriminator, "required": ["kind"], "properties": properties},
        "Tug": {"allOf": [{"$ref": f"{holder}/Vessel"}, {"type": "object", "properties": tug}]},
        "Ferry": {"allOf": [{"$ref": f"{holder}/Vessel"}, {"type": "object", "properties": {"seats": INTEGER}}]},
        **more,
    }
    schema = {"$ref": f"{holder}/{use}"}
    if version == "2.0":
        get: Any = {"produces": ["application/json"], "responses": {"200": {"description": "ok", "schema": schema}}}
        post: Any = {
            "consumes": ["application/json"],
            "parameters": [{"in": "body", "name": "b", "schema": schema}],
            "responses": {},
        }
        rest: Any = {"definitions": schemas}
    else:
        content = {"content": {"application/json": {"schema": schema}}}
        get, post = {"responses": {"200": {"description": "ok", **content}}}, {"requestBody": content, "responses": {}}
        rest = {"components": {"schemas": schemas}}
    return {**api("{}", version, **rest), "paths": {"/v": {"get": get, "post": post}}}


def told(base: Any, head: Any) -> list[tuple[str, str, str, str]]:
    return [(each.operation, each.rule, each.field, each.severity.value) for each in changes(base, head)]


@pytest.mark.parametrize("version", ["2.0", "3.0.3", "3.1.0", "3.2.0"])
def test_what_changes_in_a_subtype_is_told_where_the_extended_schema_is_used(version: str) -> None:
    """A vessel on the wire may be a tug: both directions, in every version, and with a witness that says its kind."""
    base, head = (fleet({"pull": pull}, version=version) for pull in (INTEGER, BOOL))
    assert told(base, head) == [
        ("GET /v", "type-changed", "pull", "breaking"),
        ("POST /v", "type-changed", "pull", "breaking"),
    ]
    for change in changes(base, head):
        assert change.confidence is Confidence.PROVED
        assert change.witness
        assert change.witness.value["kind"] == "Tug"


@pytest.mark.parametrize("value", ["tug", "Tug"])
def test_a_mapping_names_the_subtype(value: str) -> None:
    """The value in a witness is the one on the wire."""
    base, head = (fleet({"pull": pull}, mapping={value: "#/components/schemas/Tug"}) for pull in (INTEGER, BOOL))
    assert {change.witness.value["kind"] for change in changes(base, head) if change.witness} == {value}


def test_a_subtype_of_a_subtype_counts_too() -> None:
    """However far down it extends: found by its own value, and below what it extends directly."""
    below = {"allOf": [{"$ref": "#/components/schemas/Tug"}, {"type": "object", "properties": {"ice": INTEGER}}]}
    harder = {"allOf": [below["allOf"][0], {"type": "object", "properties": {"ice": BOOL}}]}
    for use in ("Vessel", "Tug"):
        found = changes(fleet({}, use=use, IceTug=below), fleet({}, use=use, IceTug=harder))
        assert [(each.rule, each.field) for each in found] == [("type-changed", "ice")] * 2
        assert all(each.witness and each.witness.value["kind"] == "IceTug" for each in found)


def test_a_subtype_is_not_what_its_siblings_are() -> None:
    """Where ferries are used, what becomes of tugs is nobody's concern."""
    assert changes(fleet({"pull": INTEGER}, use="Ferry"), fleet({"pull": BOOL}, use="Ferry")) == []


def test_subtypes_that_come_and_go_are_possible() -> None:
    """Which of them are sent no document says: a new one in a response, a lost one in a request, as a warning."""
    barge = {"allOf": [{"$ref": "#/components/schemas/Vessel"}]}
    base, head = fleet({}), fleet({}, Barge=barge)
    assert told(base, head) == [
        ("GET /v", "alternative-added", "", "warning"),
        ("POST /v", "alternative-added", "", "info"),
    ]
    assert told(head, base) == [
        ("GET /v", "alternative-removed", "", "info"),
        ("POST /v", "alternative-removed", "", "warning"),
    ]
    assert all(change.unproved for change in changes(base, head) if change.operation == "GET /v")


def test_what_all_share_is_told_once() -> None:
    """A change of the extended schema is one finding, not one more for each that extends it."""
    base, head = (fleet({}, vessel={"flag": flag}) for flag in (INTEGER, BOOL))
    assert [(each[0], each[2]) for each in told(base, head)] == [("GET /v", "flag"), ("POST /v", "flag")]


def test_nothing_changes_without_a_change() -> None:
    """Circles of what extends what end."""
    loop = {"allOf": [{"$ref": "#/components/schemas/Loop"}, {"$ref": "#/components/schemas/Vessel"}]}
    assert changes(fleet({"pull": INTEGER}, Loop=loop), fleet({"pull": INTEGER}, Loop=loop)) == []


def test_variants_that_extend_their_parent_are_told_once() -> None:
    """A parent that lists its variants is a union: nothing is inherited besides."""
    listed = {
        "oneOf": [{"$ref": "#/components/schemas/Tug"}, {"$ref": "#/components/schemas/Ferry"}],
        "discriminator": {"propertyName": "kind"},
    }
    base, head = (fleet({"pull": pull}, use="Listed", Listed=listed) for pull in (INTEGER, BOOL))
    assert [each[2] for each in told(base, head)] == ["pull", "pull"]


def test_a_component_may_say_by_which_value_it_goes() -> None:
    """``x-ms-discriminator-value``, as Azure's documents have it."""

    def ice(schema: Any) -> Any:
        own = {"x-ms-discriminator-value": "#Ice"}
        return fleet({}, Ice={"allOf": [{"$ref": "#/components/schemas/Vessel"}], "properties": {"i": schema}, **own})

    found = changes(ice(INTEGER), ice(BOOL))
    assert {each.witness.value["kind"] for each in found if each.witness} == {"#Ice"}

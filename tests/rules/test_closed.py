"""Closing by an outline accepts what ``unevaluatedProperties: false`` beside the schema accepts, and stays small."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
from hypothesis import given, settings
from hypothesis import strategies as st

from guardian.model import Direction
from guardian.rules.closed import closed, outline
from guardian.rules.rewrite import Rewriter, Role
from guardian.spec.api import Node
from tests.rules.schemas import request

_NAMES = ("a", "b", "c", "d")
_names = st.sampled_from(_NAMES)
_leaves = st.sampled_from([True, {"type": "string"}, {"type": "integer"}, {"const": 1}])
_conditions = st.builds(lambda name, value: {"properties": {name: {"const": value}}, "required": [name]}, _names, st.sampled_from(["x", 1]))  # fmt: skip


def _objects(below: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Schemas of objects, of a few keywords at a time."""
    return st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(_names, _leaves, min_size=1, max_size=2),
            "patternProperties": st.just({"^d": {"type": "integer"}}),
            "required": st.lists(_names, max_size=1),
            "allOf": st.lists(below, min_size=1, max_size=2),
            "anyOf": st.lists(st.one_of(below, st.just({"type": "null"})), min_size=1, max_size=2),
            "if": _conditions,
            "then": below,
            "else": below,
            "dependentSchemas": st.dictionaries(_names, below, min_size=1, max_size=1),
            "$ref": st.just("#/$defs/0"),
            "additionalProperties": _leaves,
        },
    )


_schemas = st.recursive(_objects(st.just({})), _objects, max_leaves=6)
_definitions = st.fixed_dictionaries(
    {},
    optional={
        "properties": st.dictionaries(_names, _leaves, max_size=2),
        "anyOf": st.just([{"properties": {"c": {"const": 1}}, "required": ["c"]}, {"properties": {"b": True}}]),
    },
)
_values = st.one_of(st.none(), st.dictionaries(_names, st.sampled_from(["x", 1, 2, None]), max_size=3))


@settings(max_examples=600)
@given(_schemas, _definitions, st.lists(_values, min_size=1, max_size=12))
def test_an_outline_closes_as_the_standard_does(
    schema: dict[str, Any], definition: dict[str, Any], values: list[Any]
) -> None:
    """Whatever applies in place, by whatever condition; the validator says so of every value."""
    plain = {**schema, "$defs": {"0": definition}}
    plain.setdefault("unevaluatedProperties", False)
    definitions = {"0": definition, "outline": outline(definition, _outlined)}
    cheap = {**closed(schema, _outlined), "$defs": definitions}
    one, other = jsonschema_rs.Draft202012Validator(plain), jsonschema_rs.Draft202012Validator(cheap)
    for value in values:
        assert one.is_valid(value) == other.is_valid(value), (cheap, value)


def _outlined(reference: str) -> str:
    assert reference == "#/$defs/0"
    return "#/$defs/outline"


def test_what_is_all_outline_is_said_once() -> None:
    """Of alternatives the outline would say all again, whichever keyword lists them."""
    options = [{"properties": {"a": {"const": 1}}, "required": ["a"]}, {"properties": {"b": {"type": "string"}}}]
    for schema in ({"anyOf": options}, {"type": "object", "allOf": [{"anyOf": options}]}):
        assert closed(schema, _outlined) == {**schema, "unevaluatedProperties": False}
    both = {"anyOf": options, "properties": {"c": {"type": "string"}}}
    assert closed(both, _outlined)["allOf"][0] is both


def test_a_family_that_leads_back_to_itself_stays_small() -> None:
    """Kinds that extend one parent and hold it again in every property: what is written is not multiplied by depth."""
    kinds = 24
    parent: dict[str, Any] = {
        "type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"], "discriminator": {"propertyName": "kind"},
    }  # fmt: skip
    schemas: dict[str, Any] = {"Thing": parent}
    for number in range(kinds):
        held = {f"held{index}": {"$ref": f"#/components/schemas/Kind{(number + index) % kinds}"} for index in range(6)}
        own = {"type": "object", "properties": {"owner": {"$ref": "#/components/schemas/Thing"}, **held}}
        schemas[f"Kind{number}"] = {"allOf": [{"$ref": "#/components/schemas/Thing"}, own]}
    document = request({"$ref": "#/components/schemas/Thing"}, schemas).document
    node = Node(document, "/components/schemas/Thing", document.root["components"]["schemas"]["Thing"])
    schema = Rewriter(Direction.REQUEST, Role.SENDER, True, None, True).schema((node,))
    assert isinstance(schema, dict)
    validator = jsonschema_rs.Draft202012Validator(schema)
    held_value = {"kind": "Kind2", "owner": {"kind": "Kind3"}}
    assert validator.is_valid({"kind": "Kind1", "held1": held_value})
    assert not validator.is_valid({"kind": "Kind1", "held1": {**held_value, "other": 1}})

"""Samples: small, plausible, finite, and the same every time."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from guardian.model import Direction
from guardian.rules.boundaries import Boundaries
from guardian.rules.judge import Judge
from guardian.rules.rewrite import Role
from guardian.rules.sample import Sampler
from guardian.spec.shaper import Shaper
from tests.truth import oracle
from tests.truth.schemas import Generator
from tests.truth.verdict import side

STRING = {"type": "string"}


def first(written: Any, direction: str = "request", **components: Any) -> Any:
    values = Sampler(Shaper(), Direction(direction)).values(side(written, components, "3.1.0"))
    assert values, "no value"
    return values[0]


@pytest.mark.parametrize(
    ("written", "value"),
    [
        (STRING, "a"),
        ({"type": "string", "minLength": 3}, "aaa"),
        ({"type": "string", "maxLength": 0}, ""),
        ({"type": "string", "pattern": "^[A-Z]{2}-\\d$"}, "AA-0"),
        ({"type": "string", "format": "date"}, "2020-01-31"),
        ({"type": "string", "enum": ["b", "a"]}, "b"),
        ({"type": "string", "not": {"const": "a"}}, "b"),
        ({"type": "integer", "minimum": 5}, 5),
        ({"type": "number", "exclusiveMinimum": 1, "maximum": 2}, 2),
        ({"type": "integer", "multipleOf": 7, "minimum": 8}, 14),
        ({"type": "boolean"}, True),
        ({"type": "null"}, None),
        ({"type": "array", "items": STRING}, []),
        ({"type": "array", "items": STRING, "minItems": 2, "uniqueItems": True}, ["a", "b"]),
        ({"type": "array", "items": STRING, "contains": {"const": "x"}}, ["x"]),
        ({"type": "array", "prefixItems": [STRING, {"type": "integer"}], "minItems": 2}, ["a", 1]),
        ({"type": "object", "properties": {"a": STRING}}, {}),
        ({"type": "object", "required": ["a"], "properties": {"a": STRING, "b": STRING}}, {"a": "a"}),
        ({"type": "object", "minProperties": 1, "properties": {"a": STRING}}, {"a": "a"}),
        ({"type": "object", "minProperties": 1, "additionalProperties": STRING}, {"key": "a"}),
        ({"type": "object", "required": ["a"], "properties": {"a": STRING, "b": STRING}, "dependentRequired": {"a": ["b"]}},
         {"a": "a", "b": "a"}),
        ({"oneOf": [{"type": "null"}, STRING]}, "a"),
    ],
)  # fmt: skip
def test_smallest(written: Any, value: Any) -> None:
    """The first value is a smallest one that reads well."""
    assert first(written) == value


def test_recursion_is_finite() -> None:
    """What may be left out is; what needs itself has no value."""
    reference = {"$ref": "#/components/schemas/Node"}
    node = {
        "type": "object",
        "required": ["children"],
        "properties": {"children": {"type": "array", "items": reference}},
    }
    assert first(reference, Node=node) == {"children": []}
    chain = {"type": "object", "required": ["next"], "properties": {"next": {"anyOf": [reference, {"type": "null"}]}}}
    assert first(reference, Node=chain) == {"next": None}
    endless = {"type": "object", "required": ["next"], "properties": {"next": reference}}
    assert Sampler(Shaper(), Direction.REQUEST).values(side(reference, {"Node": endless}, "3.1.0")) == ()


def test_what_holds_itself_and_has_no_value_is_finite_too() -> None:
    """Several different values are asked for of an object that must hold one of its own kind, under two names."""
    other = {"$ref": "#/components/schemas/Other"}
    own = {"type": "object", "properties": {"r": {"$ref": "#/components/schemas/Same"}}, "required": ["r"]}
    written = {"type": "array", "minItems": 2, "uniqueItems": True, "items": other}
    sampler = Sampler(Shaper(), Direction.REQUEST)
    assert sampler.values(side(written, {"Other": own, "Same": other}, "3.1.0")) == ()


def test_plain_schemas_are_told_apart_by_what_they_say() -> None:
    """Wherever they stand, and whatever else they say than types and formats; null counts where its dialect has it."""
    properties: dict[str, Any] = {
        "text": {"type": "string", "description": "a"},
        "long": {"type": "string", "description": "a", "minLength": 2},
        "date": {"type": "string", "format": "date"},
        "number": {"type": "integer", "default": 7},
        "limited": {"type": "integer", "minimum": 7},
        "again": {"type": "string", "example": "b"},
    }
    assert first({"type": "object", "required": list(properties), "properties": properties}) == {
        "text": "a",
        "long": "aa",
        "date": "2020-01-31",
        "number": 1,
        "limited": 7,
        "again": "a",
    }
    flags = {"sure": {"type": "boolean"}, "unsure": {"type": "boolean", "nullable": True}}
    for version, has_null in (("3.0.0", True), ("3.1.0", False)):
        sampler = Sampler(Shaper(), Direction.REQUEST)
        (atom,) = sampler.atoms(side({"type": "object", "properties": flags}, {}, version))
        assert None not in sampler.values(atom.properties["sure"])
        assert (None in sampler.values(atom.properties["unsure"])) is has_null


def test_direction() -> None:
    """A request does not carry what is readOnly."""
    thing = {"type": "object", "required": ["id"], "properties": {"id": {"type": "string", "readOnly": True}}}
    assert first(thing) == {}
    assert first(thing, "response") == {"id": "a"}


def test_selected_variants() -> None:
    """A discriminator's property holds the value that selects the variant."""
    cat = {"type": "object", "required": ["kind"], "properties": {"kind": STRING}}
    pet = {
        "oneOf": [{"$ref": "#/components/schemas/Cat"}],
        "discriminator": {"propertyName": "kind", "mapping": {"meow": "#/components/schemas/Cat"}},
    }
    assert first(pet, Cat=cat) == {"kind": "meow"}


def test_samples_are_accepted() -> None:
    """Over random schemas nearly every first sample is judged valid, and where there is none nothing is."""
    good = bad = 0
    for seed in range(600):
        written = Generator(Random(seed)).schema(2)
        schema = side(written, {}, "3.1.0")
        judge = Judge(schema, Direction.REQUEST, Role.SENDER)
        values = Sampler(Shaper(), Direction.REQUEST).values(schema)
        if any(judge.accepts(value) for value in values):
            good += 1
        elif any(judge.accepts(value) for value in oracle.universe([written])):
            bad += 1
    assert good > 500
    assert bad <= 0.02 * good


def test_boundaries_are_the_same_every_time() -> None:
    """No hash order, no time: the candidates are a list."""
    one = {"type": "object", "properties": {"a": {"type": "integer", "minimum": 1}, "b": {"enum": ["x", "y"]}}}
    other = {
        "type": "object",
        "properties": {"a": {"type": "integer", "minimum": 3}, "b": {"enum": ["x"]}},
        "minProperties": 1,
    }

    def candidates() -> list[Any]:
        samplers = [Sampler(Shaper(), Direction.REQUEST) for _ in range(2)]
        return list(Boundaries(*samplers).values(side(one, {}, "3.1.0"), side(other, {}, "3.1.0")))

    assert candidates() == candidates()
    values = [value for _, value in candidates()]
    assert {"a": 2} in values
    assert {"b": "y"} in values
    assert {} in values


def test_schemas_that_need_each_other_are_not_gone_through_in_every_way() -> None:
    """Each holds all others, and no value can be made: the ways through them are more than anybody has time for."""
    names = [f"S{number}" for number in range(12)]
    below = {name: {"$ref": f"#/components/schemas/{name}"} for name in names}
    needy = {"oneOf": [{"type": "object", "properties": below, "required": [each]} for each in names]}
    schemas = dict.fromkeys(names, needy)
    array = {"type": "array", "items": below["S0"], "minItems": 2, "uniqueItems": True}
    sampler = Sampler(Shaper(), Direction.REQUEST)
    assert sampler.values(side(array, schemas, "3.1.0")) == ()
    assert list(sampler.many(side(below["S0"], schemas, "3.1.0"), 3)) == []

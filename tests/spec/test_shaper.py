"""Shapes of components: one for whatever refers to them, and none of that where they lead back to themselves."""

from __future__ import annotations

import json
from typing import Any

from guardian.model import Direction
from guardian.spec.api import Schema
from guardian.spec.document import Document
from guardian.spec.objects import Properties
from guardian.spec.refs import Documents
from guardian.spec.shape import Shape
from guardian.spec.shaper import Shaper
from guardian.spec.trees import MemoryTree

NODE = {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}


def document(schemas: dict[str, Any], version: str = "3.1.0") -> Document:
    """A document with these components."""
    text = {"openapi": version, "info": {"title": "T", "version": "1"}, "components": {"schemas": schemas}}
    return Documents(MemoryTree({"api.json": json.dumps(text).encode()})).open("api.json")


def shape(shaper: Shaper, of: Document, name: str, direction: Direction = Direction.RESPONSE) -> Shape:
    """The shape of a component."""
    return shaper.shape(Schema((of.node(f"/components/schemas/{name}"),)), direction)


def test_what_refers_to_a_component_shares_its_shape() -> None:
    """Two references to one component have the very same shape, with the component's name; a third may say more."""
    said = {"A": {"$ref": "#/components/schemas/Node"}, "C": {"$ref": "#/components/schemas/Node", "deprecated": True}}
    api = document({"Node": NODE, "B": said["A"], **said})
    shaper = Shaper()
    first = shape(shaper, api, "A")
    assert first.atoms[0].names == ("Node",)
    assert shape(shaper, api, "B") is first
    assert shape(shaper, api, "C").said.keys() == {"deprecated"}
    assert not first.said


def test_what_stands_beside_a_reference_counts_from_3_1_on() -> None:
    """In 3.0 a schema with a reference says nothing else, so that there is no other shape."""
    beside = {"$ref": "#/components/schemas/Node", "deprecated": True}
    api = document({"Node": NODE, "A": {"$ref": "#/components/schemas/Node"}, "C": beside}, "3.0.3")
    shaper = Shaper()
    assert shape(shaper, api, "C") is shape(shaper, api, "A")


def test_a_shared_shape_is_of_one_direction() -> None:
    """A request does not carry what is readOnly; a response does."""
    node = {"type": "object", "properties": {"id": {"type": "string", "readOnly": True}, "name": {"type": "string"}}}
    api = document({"Node": node, "A": {"$ref": "#/components/schemas/Node"}})
    shaper = Shaper()
    sent, answered = (shape(shaper, api, "A", each).atoms[0] for each in (Direction.REQUEST, Direction.RESPONSE))
    assert list(sent.properties) == ["name"]
    assert list(sent.hidden) == ["id"]
    assert list(answered.properties) == ["id", "name"]


def test_a_component_that_is_readonly_hides_all_that_refer_to_it() -> None:
    """Each property that is a reference to it has a place of its own."""
    stamp = {"$ref": "#/components/schemas/Stamp"}
    node = {"type": "object", "properties": {"made": stamp, "name": {"type": "string"}, "changed": stamp}}
    api = document({"Stamp": {"type": "string", "readOnly": True}, "Node": node})
    atom = shape(Shaper(), api, "Node", Direction.REQUEST).atoms[0]
    assert list(atom.properties) == ["name"]
    assert {name: place.pointer for name, place in atom.hidden.items()} == dict.fromkeys(
        ("made", "changed"), "/components/schemas/Stamp/readOnly"
    )


def test_the_one_leaf_that_speaks_of_names_says_all_of_them() -> None:
    """What merely requires a property does not stand in the way of reading its declaration as it is written."""
    declared = {"a": {"type": "string"}, "b": {"type": "string"}}
    api = document({"Either": {"properties": declared, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}})
    objects = shape(Shaper(), api, "Either").of_kind("object")
    assert [list(each.required) for each in objects] == [["a"], ["b"]]
    for each in objects:
        assert isinstance(each.properties, Properties)
        assert each.properties.written == declared
        assert each.properties["a"] == Schema((api.node("/components/schemas/Either/properties/a"),))


def test_a_reference_within_its_own_component_has_a_shape_of_its_own() -> None:
    """Where a component leads back to a reference, the names on the way are that reference's, whoever was asked first."""
    back = {"allOf": [{"$ref": "#/components/schemas/Loop"}, NODE]}
    api = document({"Loop": back, "A": {"$ref": "#/components/schemas/Loop"}})
    inside = Schema((api.node("/components/schemas/Loop/allOf/0"),))
    alone = Shaper().shape(inside, Direction.RESPONSE)
    shaper = Shaper()
    shape(shaper, api, "A")
    assert shaper.shape(inside, Direction.RESPONSE).atoms[0].names == alone.atoms[0].names


def test_declared_names_are_known_without_their_schemas() -> None:
    """The names of properties and of what is required compare like those of a dictionary, hidden ones left out."""
    node = {
        "type": "object",
        "required": ["id", "name"],
        "properties": {"id": {"type": "string", "writeOnly": True}, "name": {"type": "string"}, "age": {}},
    }
    atom = shape(Shaper(), document({"Node": node}), "Node").atoms[0]
    assert atom.properties.keys() == {"name", "age"}
    assert atom.properties.keys() - {"age"} == atom.required.keys() == {"name"}


def test_flags_in_a_circle_are_those_of_all_of_it() -> None:
    """Two schemas that hold each other are read-only where one is, whichever is asked about first."""
    circle = {
        "A": {"allOf": [{"$ref": "#/components/schemas/B"}]},
        "B": {"allOf": [{"$ref": "#/components/schemas/A"}], "type": "string", "readOnly": True},
    }
    api = document(circle, "3.0.3")
    for names in ("AB", "BA"):
        shaper = Shaper()
        found = {name: shaper.flags(Schema((api.node(f"/components/schemas/{name}"),))) for name in names}
        assert all(read_only is not None and write_only is None for read_only, write_only in found.values()), names


def test_an_answer_that_led_back_to_itself_is_known() -> None:
    """What a schema is that needs itself hangs on who was asked first: whoever shares work must hear of that."""
    shaper = Shaper()
    plain = document({"A": {"not": {"type": "string"}}, "B": {"not": {"not": {"$ref": "#/components/schemas/B"}}}})
    shape(shaper, plain, "A")
    assert not shaper.cut
    shape(shaper, plain, "B")
    assert shaper.cut

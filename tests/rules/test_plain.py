"""Plain schemas are passed through as they are written, and that never hides a thing."""

from __future__ import annotations

from typing import Any

import pytest

from guardian.errors import RefError
from guardian.rules import plain
from guardian.rules.annotations import ANNOTATIONS
from guardian.rules.compare import Options, compare_fully
from guardian.spec.api import Schema
from guardian.spec.sameness import Sameness
from tests.rules.sides import api, side

TEXT = {"type": "string"}
COUNT = {"type": "integer"}
STAMP = {"type": "string", "readOnly": True}
TO_B = {"$ref": "#/components/schemas/B"}
LOST = {"$ref": "#/components/schemas/Lost"}


def thing(*required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": list(required), "properties": properties}


def document(a: Any, b: Any, version: str = "3.1.0") -> dict[str, Any]:
    """An API that takes and answers with a list of A, as JSON and as XML; B and C are there to be referred to."""
    content = {
        each: {"schema": {"$ref": "#/components/schemas/List"}} for each in ("application/json", "application/xml")
    }
    operation = {"requestBody": {"content": content}, "responses": {"200": {"description": "ok", "content": content}}}
    schemas = {
        "List": {"type": "array", "items": {"$ref": "#/components/schemas/A"}},
        "A": a,
        "B": b,
        "C": thing(c=TEXT),
    }
    return api("{}", version, components={"schemas": schemas}) | {"paths": {"/a": {"post": operation}}}


def said(base: dict[str, Any], head: dict[str, Any], stability: str = "x-stability-level") -> list[str]:
    """All that a comparison says."""
    one, other = side(base), side(head)
    found = compare_fully(one[1], other[1], same=Sameness(one[0], other[0]).same, options=Options(stability=stability))
    return [*map(repr, found.changes), *map(repr, found.notes)]


DIFFERENT = [
    pytest.param(thing(x=TEXT), thing(x=COUNT), id="a property"),
    pytest.param(thing(x=TO_B), thing(x=TO_B), id="what a property refers to"),
    pytest.param(thing(x=TO_B, y=TEXT), thing(x=TO_B, y=COUNT), id="both"),
    pytest.param(thing(x=TEXT) | {"description": "a"}, thing(x=COUNT) | {"description": "b"}, id="words for people"),
    pytest.param({"type": "array", "items": TEXT}, {"type": "array", "items": COUNT}, id="items"),
    pytest.param({"type": "array", "items": TEXT}, {"type": "array", "items": False}, id="no items"),
    pytest.param({"type": "array", "items": TEXT}, {"type": "array", "items": {}}, id="any items"),
    pytest.param(thing("x", x=TEXT), thing(x=COUNT), id="required"),
    pytest.param(thing("x", x=TEXT), thing("x", x=COUNT) | {"additionalProperties": False}, id="closed"),
    pytest.param(thing("z", x=TEXT), thing("z", x=COUNT), id="a required name of which nothing is said"),
    pytest.param(thing("z", x=TEXT, z=False), thing("z", x=COUNT, z=False), id="impossible"),
    pytest.param(thing(x=TEXT, z=False), thing(x=TEXT, z=TEXT), id="a property that became possible"),
    pytest.param(thing(x=TEXT), thing(x=STAMP), id="readOnly"),
    pytest.param(thing(x=STAMP), thing(x=STAMP | {"type": "integer"}), id="readOnly on both sides"),
    pytest.param(thing(x=TEXT), thing(x=TEXT | {"writeOnly": True}), id="writeOnly"),
    pytest.param(thing(x={"allOf": [TEXT]}), thing(x={"allOf": [STAMP]}), id="readOnly in a part"),
    pytest.param(thing(x=TEXT), thing(x=TEXT | {"xml": {"attribute": True}}), id="XML"),
    pytest.param(thing(x=TEXT) | {"default": 1}, thing(x=COUNT) | {"default": 2}, id="a default"),
    pytest.param(thing(x=TEXT), thing(x=COUNT) | {"deprecated": True}, id="deprecated"),
    pytest.param(thing(x=TEXT), thing(x=COUNT) | {"type": ["object", "null"]}, id="null"),
    pytest.param(thing(x=TEXT) | {"minProperties": 1}, thing(x=COUNT) | {"minProperties": 2}, id="a limit"),
    pytest.param(thing(x=TEXT), {"allOf": [thing(x=COUNT)]}, id="composed"),
    pytest.param(thing(x={"enum": [1]}), thing(x={"enum": [True]}), id="equal in Python"),
    pytest.param(thing(x=TO_B), thing(x={"$ref": "#/components/schemas/C"}), id="another component"),
    pytest.param({"type": "object", "items": TEXT}, {"type": "object", "items": COUNT}, id="items of no list"),
    pytest.param({"$ref": "#/components/schemas/C"}, thing(c=COUNT), id="a reference on one side"),
]
BS = [
    pytest.param(thing(b=TEXT), thing(b=COUNT), id="b differs"),
    pytest.param(TEXT, STAMP, id="b became readOnly"),
    pytest.param(thing(a={"$ref": "#/components/schemas/A"}), thing(a={"$ref": "#/components/schemas/A"}), id="b leads back"),
]  # fmt: skip


@pytest.mark.parametrize(("b", "head_b"), BS)
@pytest.mark.parametrize(("a", "head_a"), DIFFERENT)
def test_a_closer_look_finds_nothing_more(a: Any, head_a: Any, b: Any, head_b: Any, monkeypatch: Any) -> None:
    """Changes and notes are those of a walk that looks at every pair closely, in either direction and in XML."""
    base, head = document(a, b), document(head_a, head_b)
    told = said(base, head)
    monkeypatch.setattr(plain, "differ_below", lambda base, head: None)
    assert told == said(base, head)


@pytest.mark.parametrize("version", ["3.0.3", "3.1.0"])
def test_lists_and_objects_that_differ_below_are_plain(version: str) -> None:
    """Words for people may differ; where a bare reference leads is what counts."""
    a, other = thing("x", x=TEXT) | {"description": "a"}, thing("x", x=COUNT) | {"title": "b", "example": 3}
    base, head = (side(document(each, TEXT, version))[1].document for each in (a, other))
    for pointer in ("/components/schemas/List/items", "/components/schemas/A"):
        places = plain.differ_below(*(Schema((each.node(pointer),)) for each in (base, head)))
        assert places == (base.node("/components/schemas/A"), head.node("/components/schemas/A"))


def test_no_rule_looks_at_words_for_people() -> None:
    """A rule that claims one of them must see it: then it is no word for people alone."""
    assert ANNOTATIONS.keys() >= plain.FOR_PEOPLE


def test_a_word_for_people_may_say_how_stable_a_schema_is() -> None:
    """Any keyword may be chosen for that."""
    base, head = (document(thing(x=TEXT) | {"title": each}, TEXT) for each in ("stable", "alpha"))
    assert said(base, head) == []
    assert {"stability-changed"} == {each.split("'")[1] for each in said(base, head, stability="title")}
    base, head = (document(thing(x=each), TEXT) for each in (TEXT, COUNT))
    assert "stability-changed" in {each.split("'")[1] for each in said(base, head, stability="properties")}


@pytest.mark.parametrize(
    ("a", "head_a"),
    [
        (thing(x=TEXT, y=LOST), thing(x=LOST, y=COUNT)),
        ({"type": "array", "items": {"allOf": [LOST]}}, {"type": "array", "items": LOST}),
    ],
)
def test_a_lost_reference_is_told_by_who_needs_it_first(a: Any, head_a: Any, monkeypatch: Any) -> None:
    """It is told of the same place whether or not the pairs on the way are looked at closely."""
    told = []
    for _ in range(2):
        with pytest.raises(RefError, match="Lost") as error:
            said(document(a, TEXT), document(head_a, TEXT))
        told.append((str(error.value), error.value.pointer))
        monkeypatch.setattr(plain, "differ_below", lambda base, head: None)
    assert told[0] == told[1]

"""The note on components that changed and that no operation leads to: true of each that it names, and of no other."""

from __future__ import annotations

import json
from typing import Any

import pytest

from guardian.rules.compare import compare_fully
from guardian.rules.reach import changed_unreached
from guardian.spec.normalise import read_api
from guardian.spec.refs import Documents
from guardian.spec.sameness import Sameness
from guardian.spec.trees import MemoryTree
from tests.rules.sides import api, side

STRING = {"type": "string"}
INTEGER = {"type": "integer"}
A = {"$ref": "#/components/schemas/A"}
B = {"$ref": "#/components/schemas/B"}


def notes(base: Any, head: Any) -> list[str]:
    """What is noted besides the changes."""
    one, other = side(base), side(head)
    found = compare_fully(one[1], other[1], same=Sameness(one[0], other[0]).same)
    assert all(note.level == "info" for note in found.notes)
    return [note.message for note in found.notes]


def document(schemas: Any, schema: Any = None, **components: Any) -> dict[str, Any]:
    """An API with components and, if there is a schema, one operation that answers with it."""
    whole = api("{}", components={"schemas": schemas, **components})
    if schema is not None:
        content = {"application/json": {"schema": schema}}
        whole["paths"] = {"/t": {"get": {"responses": {"200": {"description": "ok", "content": content}}}}}
    return whole


def test_changed_ones_are_counted_and_named() -> None:
    """One sentence, whatever number there is; what did not change is not in it."""
    base = document({"A": STRING, "B": {"items": A}, "C": STRING})
    head = document({"A": INTEGER, "B": {"items": A}, "C": STRING})
    assert notes(base, head) == ["api: 2 components that no operation reaches have changed: A, B"]
    assert notes(base, document({"C": STRING, "B": {"items": A}, "A": STRING})) == []
    assert notes(document({}), document({"A": STRING})) == ["api: 1 component that no operation reaches has changed: A"]
    many = {f"S{number}": STRING for number in range(7)}
    assert notes(document({}), document(many))[0].endswith("have changed: S0, S1, S2, S3, S4 and 2 more")


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param(document({}), document({"A": STRING}, A), id="a new operation uses it"),
        pytest.param(document({"A": STRING}, A), document({}), id="a removed operation used it"),
        pytest.param(
            document({"B": {"type": "object"}}, B),
            document({"A": STRING, "B": {"type": "object", "properties": {"a": A}}}, B),
            id="a new property uses it",
        ),
        pytest.param(
            *(
                document({"A": {"properties": {"x": x}}}, {"$ref": "#/components/schemas/A/properties/x"})
                for x in (STRING, INTEGER)
            ),
            id="a part of it is used",
        ),
        pytest.param(
            *(
                document({"A": a, "B": {"discriminator": {"propertyName": "k", "mapping": {"a": "A"}}}}, B)
                for a in (STRING, INTEGER)
            ),
            id="a mapping names it",
        ),
        pytest.param(
            *(
                document({"B": {"type": "object", "discriminator": {"propertyName": "k"}}, "A": {"allOf": [B, a]}}, B)
                for a in ({}, {"title": "A"})
            ),
            id="it extends what is used",
        ),
        pytest.param(
            *(document({"A": {"type": "string", "description": text}}, A) for text in "ab"), id="its text changed"
        ),
        pytest.param(
            *(
                api("{}", components={"schemas": {"A": a}}, webhooks={"w": {"post": {"requestBody": {"content": {"application/json": {"schema": A}}}}}})
                for a in (STRING, INTEGER)
            ),
            id="a webhook uses it",
        ),
    ],
)  # fmt: skip
def test_what_an_operation_leads_to_is_never_named(base: Any, head: Any) -> None:
    """On either side, by whatever way."""
    assert notes(base, head) == []


@pytest.mark.parametrize(
    ("kind", "one", "other"),
    [
        ("parameters", {"in": "query", "name": "q", "schema": STRING}, {"in": "query", "name": "q", "schema": INTEGER}),
        ("responses", {"description": "a"}, {"description": "a", "headers": {"X-A": {"schema": STRING}}}),
        ("requestBodies", {"content": {}}, {"content": {}, "required": True}),
        ("headers", {"schema": STRING}, {"schema": INTEGER}),
    ],
)
def test_components_of_every_kind_count(kind: str, one: Any, other: Any) -> None:
    """Others than schemas are named with their kind."""
    base, head = (document({}, **{kind: {"C": each}}) for each in (one, other))
    assert notes(base, head) == [f"api: 1 component that no operation reaches has changed: {kind}/C"]


def test_the_older_places_of_components_count() -> None:
    """OpenAPI 2.0 keeps them at the top."""
    base, head = (api("{}", "2.0", definitions={"A": each}) for each in (STRING, INTEGER))
    assert notes(base, head) == ["api: 1 component that no operation reaches has changed: A"]


def test_the_same_words_lead_elsewhere_in_another_file() -> None:
    """A component is reached by a reference of its own file, though another file's of the same words was followed before."""
    sides = []
    for schema in (STRING, INTEGER):
        whole = document({"A": schema, "B": {"items": A}, "C": schema}, {"$ref": "b.json#/x"})
        other = {"x": {"allOf": [A, {"$ref": "a.json#/components/schemas/B"}]}, "components": {"schemas": {"A": {}}}}
        files = {"a.json": json.dumps(whole).encode(), "b.json": json.dumps(other).encode()}
        sides.append(read_api(Documents(MemoryTree(files)), "a.json", "api"))
    assert changed_unreached(*sides, lambda _base, _head: False) == ["C"]


def test_a_property_that_is_referred_to_is_no_component_of_its_name() -> None:
    """What a message is made of may be called like a component that none is made of."""

    def schemas(limit: int) -> dict[str, Any]:
        text = {"type": "string", "maxLength": limit}
        return {"Foo": {"properties": {"bar": {"properties": {"x": text}}}}, "bar": text}

    base, head = (document(schemas(each), {"$ref": "#/components/schemas/Foo/properties/bar"}) for each in (20, 10))
    assert notes(base, head) == ["api: 1 component that no operation reaches has changed: bar"]

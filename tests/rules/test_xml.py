"""What only XML shows: names, namespaces, attributes and wrapped lists, in bodies that travel as XML and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest

from guardian.model import Severity
from tests.rules.sides import api, changes, told

STRING = {"type": "string"}
LIST = {"type": "array", "items": STRING}


def answer(schema: Any, *media: str, **components: Any) -> dict[str, Any]:
    content = {each: {"schema": schema} for each in media or ("application/xml",)}
    response = {"200": {"description": "ok", "content": content}}
    return api("{}", components={"schemas": components}) | {"paths": {"/t": {"get": {"responses": response}}}}


def obj(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    ("base", "head"),
    [
        (STRING, {**STRING, "xml": {"name": "a"}}),
        (STRING, {**STRING, "xml": {"prefix": "x"}}),
        ({**STRING, "xml": {"namespace": "https://n", "prefix": "x"}}, {**STRING, "xml": {"namespace": "https://n"}}),
        (LIST, {**LIST, "xml": {"wrapped": False}}),
        (LIST, {**LIST, "xml": {"name": "other"}}),
        ({**STRING, "xml": {"attribute": True}}, {**STRING, "xml": {"nodeType": "attribute"}}),
        ({**LIST, "xml": {"wrapped": True}}, {**LIST, "xml": {"wrapped": True, "name": "a"}}),
    ],
)
def test_the_same_xml_is_no_change(base: Any, head: Any) -> None:
    """A default that is written down, a prefix, another word for the same: the elements are the same."""
    assert told(answer(obj(a=base)), answer(obj(a=head))) == []


@pytest.mark.parametrize(
    ("base", "head", "words"),
    [
        (STRING, {**STRING, "xml": {"name": "b"}}, "`<b>` in XML instead of `<a>`"),
        (STRING, {**STRING, "xml": {"attribute": True}}, '`a="…"` in XML instead of `<a>`'),
        (STRING, {**STRING, "xml": {"namespace": "https://n"}}, "`<{https://n}a>` in XML instead of `<a>`"),
        (LIST, {**LIST, "xml": {"wrapped": True}}, "`<a><a>` in XML instead of `<a>`"),
        (LIST, {**LIST, "items": {**STRING, "xml": {"name": "b"}}}, "`<b>` in XML instead of `<a>`"),
    ],
)
def test_other_xml_breaks_readers(base: Any, head: Any, words: str) -> None:
    """Each of these is told once, breaking, with what the field looked like and looks like."""
    (change,) = changes(answer(obj(a=base)), answer(obj(a=head)))
    assert (change.rule, change.field, change.severity) == ("xml-changed", "a", Severity.BREAKING)
    assert words in change.message


def test_a_name_behind_a_reference_counts() -> None:
    """The XML Object stands at the component that a property refers to."""
    base = answer(obj(a={"$ref": "#/components/schemas/A"}), A=STRING)
    head = answer(obj(a={"$ref": "#/components/schemas/A"}), A={**STRING, "xml": {"name": "b"}})
    assert told(base, head) == [("xml-changed", "a", "breaking")]


def test_json_beside_xml_is_told_once_and_xml_too() -> None:
    """One schema for both: what both show is told once, what XML alone shows is told as well."""
    media = ("application/json", "application/xml")
    base, head = obj(a=STRING, b=STRING), obj(a={**STRING, "xml": {"name": "z"}}, b={"type": "integer"})
    reference = {"$ref": "#/components/schemas/Thing"}
    found = changes(answer(reference, *media, Thing=base), answer(reference, *media, Thing=head))
    assert sorted((change.rule, change.place) for change in found) == [
        ("type-changed", "response 200 application/json"),
        ("xml-changed", "response 200 application/xml"),
    ]


def test_json_alone_shows_nothing_of_it() -> None:
    """The XML Object means nothing where no XML is sent."""
    assert (
        told(
            answer(obj(a=STRING), "application/json"),
            answer(obj(a={**STRING, "xml": {"name": "z"}}), "application/json"),
        )
        == []
    )


def test_the_outermost_element_is_named_by_its_schema() -> None:
    """An explicit name that is the component's own changes nothing; another one is another document."""
    reference = {"$ref": "#/components/schemas/Thing"}
    base = answer(reference, Thing=obj(a=STRING))
    assert told(base, answer(reference, Thing={**obj(a=STRING), "xml": {"name": "Thing"}})) == []
    assert told(base, answer(reference, Thing={**obj(a=STRING), "xml": {"name": "thing"}})) == [
        ("xml-changed", "", "breaking")
    ]


def test_a_renamed_component_is_no_change() -> None:
    """Without an XML name the component's name is a convention that tools do not share."""
    base = answer({"$ref": "#/components/schemas/Thing"}, Thing=obj(a=STRING))
    head = answer({"$ref": "#/components/schemas/Item"}, Item=obj(a=STRING))
    assert told(base, head) == []

"""Fields of forms: which of them have types on the wire, which are there at all, and what they look like."""

from __future__ import annotations

import json
from typing import Any

import pytest

from guardian.model import Change, Confidence, Severity
from guardian.rules.form_fields import Form, FormField
from guardian.spec.media import JSON
from tests.rules.sides import api, changes, form

URLENCODED = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data"
STRING = {"type": "string"}
INTEGER = {"type": "integer"}
TEXTS = {"type": "array", "items": STRING}
MAP = {"type": "object", "additionalProperties": STRING}
DEEP = {"style": "deepObject", "explode": True}


def of(name: str, value: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {name: value}}


def changed(before: Any, after: Any, encoding: Any = None, media: str = URLENCODED, more: Any = None) -> Change:
    """The one finding about a field `f`, beside other fields, which are required."""
    more = more or {}
    sides = (form({"f": each, **more}, list(more), {"f": encoding or {}}, media) for each in (before, after))
    (found,) = changes(*sides)
    return found


def shown(change: Change) -> Any:
    assert change.witness is not None, change.unproved
    assert (change.severity, change.confidence) == (Severity.BREAKING, Confidence.PROVED)
    return change.witness.value


def is_open(change: Change) -> bool:
    return (change.severity, change.confidence, change.witness) == (Severity.WARNING, Confidence.POSSIBLE, None)


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ({}, 'f={"z":"y"}&z=a'),
        ({"contentType": "application/json"}, 'f={"z":"y"}&z=a'),
        ({"contentType": "application/vnd.x+json; charset=utf-8"}, 'f={"z":"y"}&z=a'),
        (DEEP, "f[z]=y&z=a"),
        ({"style": "form", "explode": False}, "f=z,y&z=a"),
    ],
)
def test_objects_are_written_as_the_document_says(encoding: Any, text: str) -> None:
    """By default as JSON; so a property is not taken for a field of the same name beside it."""
    assert shown(changed(of("z", {"enum": ["x", "y"]}), of("z", {"enum": ["x"]}), encoding, more={"z": STRING})) == text


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ({}, "f=a&f=a"),
        ({"explode": False}, "f=a,a"),
        ({"style": "pipeDelimited", "explode": False}, "f=a|a"),
        ({"style": "spaceDelimited", "explode": False}, "f=a%20a"),
        ({"contentType": "application/json"}, 'f=["a","a"]'),
    ],
)
def test_arrays_are_written_as_the_document_says(encoding: Any, text: str) -> None:
    assert shown(changed(TEXTS, TEXTS | {"maxItems": 1}, encoding)) == text


@pytest.mark.parametrize(("format_", "text"), [("csv", "f=a,a"), ("pipes", "f=a|a"), ("multi", "f=a&f=a")])
def test_collection_formats(format_: str, text: str) -> None:
    """OpenAPI 2.0 says it of the form field."""

    def document(**more: Any) -> dict[str, Any]:
        field = {"in": "formData", "name": "f", **TEXTS, "collectionFormat": format_, **more}
        operation = {"consumes": [URLENCODED], "parameters": [field], "responses": {}}
        return api(json.dumps({"/forms": {"post": operation}}), version="2.0")

    (found,) = changes(document(), document(maxItems=1))
    assert shown(found) == text


@pytest.mark.parametrize("media", [URLENCODED, MULTIPART])
@pytest.mark.parametrize(
    ("before", "after", "encoding"),
    [
        (TEXTS, TEXTS | {"minItems": 1}, {}),
        (TEXTS, TEXTS | {"minItems": 1}, {"explode": False}),
        (MAP, MAP | {"minProperties": 1}, DEEP),
        (of("z", TEXTS), of("z", TEXTS | {"minItems": 1}), DEEP),
    ],
)
def test_what_writes_nothing_proves_nothing(before: Any, after: Any, encoding: Any, media: str) -> None:
    """An empty array cannot be told from no field at all, which head takes; nor can a styled object, or one inside it."""
    assert is_open(changed(before, after, encoding, media))
    assert is_open(changed(before, after, encoding, media, more={"n": STRING}))


@pytest.mark.parametrize(
    ("before", "after", "encoding", "value"),
    [
        (TEXTS, TEXTS | {"minItems": 1}, {"contentType": "application/json"}, []),
        (MAP, MAP | {"minProperties": 1}, {}, {}),
    ],
)
def test_what_is_empty_is_there_as_json(before: Any, after: Any, encoding: Any, value: Any) -> None:
    assert shown(changed(before, after, encoding)) == f"f={json.dumps(value)}"
    assert shown(changed(before, after, encoding, MULTIPART)) == {"f": value}


@pytest.mark.parametrize(
    ("before", "after", "encoding", "value"),
    [
        (INTEGER, STRING, {"contentType": "application/json"}, 1),
        (of("a", INTEGER), of("a", STRING), {}, {"a": 1}),
        ({"type": "array", "items": of("a", INTEGER)}, {"type": "array", "items": of("a", STRING)}, {}, [{"a": 1}]),
        (STRING, INTEGER, {}, "a"),
    ],
)
def test_parts_with_types(before: Any, after: Any, encoding: Any, value: Any) -> None:
    """A part that is JSON has types; and what is no number at all is refused as one."""
    assert shown(changed(before, after, encoding, MULTIPART)) == {"f": value}


def test_plain_parts_have_no_types() -> None:
    """A number in a plain part is a text too, so head takes what base took."""
    assert changed(INTEGER, STRING, {}, MULTIPART).severity is Severity.INFO
    assert changed(of("a", INTEGER), of("a", STRING), DEEP, MULTIPART).severity is Severity.INFO

    def document(kind: str) -> dict[str, Any]:
        field = {"in": "formData", "name": "f", "type": kind}
        operation = {"consumes": [MULTIPART], "parameters": [field], "responses": {}}
        return api(json.dumps({"/forms": {"post": operation}}), version="2.0")

    (found,) = changes(document("integer"), document("string"))
    assert found.severity is Severity.INFO
    assert not changes(*(form({"f": {"type": kind}}) for kind in (["integer", "null"], "integer")))  # nor null


@pytest.mark.parametrize("media", [URLENCODED, MULTIPART])
@pytest.mark.parametrize(
    ("before", "after", "encoding"),
    [
        (INTEGER, STRING, {"contentType": "application/json"}),
        (of("a", INTEGER), of("a", STRING), {}),
        ({"type": "array", "items": of("a", INTEGER)}, {"type": "array", "items": of("a", STRING)}, {}),
    ],
)
def test_json_in_a_form_has_types(before: Any, after: Any, encoding: Any, media: str) -> None:
    """Whatever the form: who is sent `{"a": 1}` in a field and wants a text refuses it."""
    found = changed(before, after, encoding, media)
    assert (found.severity, found.confidence) == (Severity.BREAKING, Confidence.PROVED)


@pytest.mark.parametrize("media", [URLENCODED, MULTIPART])
def test_one_component_as_a_field_and_in_json(media: str) -> None:
    """Told once, and where it has types, though the field comes first."""
    number = {"$ref": "#/components/schemas/N"}
    fields = {"a": number, "b": of("n", number)}
    base, head = (form(fields, media=media) | {"components": {"schemas": {"N": each}}} for each in (INTEGER, STRING))
    assert {(each.field, each.severity) for each in changes(base, head)} == {
        ("a", Severity.INFO),
        ("b.n", Severity.BREAKING),
    }


@pytest.mark.parametrize("octets", [{}, {"contentMediaType": "application/octet-stream"}])
def test_a_field_without_a_type_is_octets(octets: Any) -> None:
    """OpenAPI 3.1 writes a file so that 3.0 writes as binary."""
    binary = {"type": "string", "format": "binary"}
    for before, after in ((binary, octets), (octets, binary)):
        assert {each.severity for each in changes(form({"f": before}), form({"f": after}))} <= {Severity.INFO}
    refused = changes(form({"f": octets}), form({"f": INTEGER}))
    assert ("type-changed", Severity.BREAKING) in {(each.rule, each.severity) for each in refused}


def test_an_empty_form_is_a_message() -> None:
    """Unlike an empty parameter, which is none."""
    for media, value in ((URLENCODED, ""), (MULTIPART, {})):
        (found,) = changes(form({"f": STRING}, media=media), form({"f": STRING}, ["f"], media=media))
        assert found.rule == "property-became-required"
        assert shown(found) == value


@pytest.mark.parametrize("others", [[URLENCODED], [MULTIPART], [URLENCODED, MULTIPART]])
def test_forms_hide_nothing_of_what_has_types(others: list[str]) -> None:
    """One component for JSON and for a form is told of JSON, whichever stands first."""

    def document(schema: Any) -> dict[str, Any]:
        content = {media: {"schema": {"$ref": "#/components/schemas/A"}} for media in (*others, JSON)}
        paths = {"/a": {"post": {"requestBody": {"content": content}, "responses": {}}}}
        return api(json.dumps(paths), components={"schemas": {"A": of("a", schema)}})

    (found,) = changes(document(INTEGER), document(STRING))
    assert found.place == "request body application/json"
    assert shown(found) == {"a": 1}


def test_the_same_form_that_is_written_otherwise_is_another_contract() -> None:
    """One component, once as text and once as JSON: the latter is told."""

    def document(schema: Any) -> dict[str, Any]:
        schema_of = {"schema": {"$ref": "#/components/schemas/A"}}
        encoding = {"a": {"contentType": "application/json"}}
        content = {URLENCODED: schema_of, MULTIPART: {**schema_of, "encoding": encoding}}
        paths = {"/a": {"post": {"requestBody": {"content": content}, "responses": {}}}}
        return api(json.dumps(paths), components={"schemas": {"A": of("a", schema)}})

    found = changes(document(INTEGER), document(STRING))
    assert [each.severity for each in found if "multipart" in each.place] == [Severity.BREAKING]


def test_readings_of_a_form_are_those_of_its_fields() -> None:
    """One text may be an array of it; inside JSON nothing is read in two ways."""
    written = Form((("j", FormField(content_type="application/json")),))
    read = list(written.readings({"n": 1, "j": 1, "o": {"a": 1}}))
    assert read[0] == {"n": 1, "j": 1, "o": {"a": 1}}
    assert {"n": ["1"], "j": 1, "o": [{"a": 1}]} in read
    assert all(each["j"] == 1 for each in read)


def test_deep_objects_have_names_for_all_that_is_inside() -> None:
    text = Form((("f", FormField("deepObject", styled=True)),)).write({"f": {"a": {"b": 1}, "c": ["x", "y"]}, "g": []})
    assert text == "f[a][b]=1&f[c][0]=x&f[c][1]=y"


def test_a_query_string_is_a_form() -> None:
    """OpenAPI 3.2: all of the query in one parameter, written as its content is."""

    def document(*values: str) -> dict[str, Any]:
        schema = {"type": "object", "required": ["m"], "properties": {"f": {"enum": values}, "m": TEXTS}}
        parameter = {"in": "querystring", "name": "q", "content": {URLENCODED: {"schema": schema}}}
        return api(json.dumps({"/a": {"get": {"parameters": [parameter], "responses": {}}}}), version="3.2.0")

    (found,) = changes(document("a", "b"), document("a"))
    assert shown(found) == "f=b&m=a"


def styled_form(version: str, media: str, style: Any, kind: str = "array") -> dict[str, Any]:
    """A form with one field `f` that has a style, in a dialect."""
    encoding = {"encoding": {"f": style}} if style else {}
    content = {media: {"schema": of("f", {"type": kind}), **encoding}}
    return api(json.dumps({"/forms": {"post": {"requestBody": {"content": content}, "responses": {}}}}), version)


@pytest.mark.parametrize(
    ("version", "media", "told"),
    [
        ("3.0.3", MULTIPART, False),
        ("3.0.3", URLENCODED, True),
        ("3.1.0", MULTIPART, True),
        ("3.1.0", "multipart/mixed", False),
    ],
)
def test_styles_count_where_the_dialect_reads_them(version: str, media: str, told: bool) -> None:
    """3.0 ignores them in multipart forms, later ones in what is no form."""
    found = changes(*(styled_form(version, media, style) for style in (None, {"style": "form", "explode": False})))
    assert [each.rule for each in found] == (["encoding-changed"] if told else [])


def test_a_field_that_holds_no_reserved_character_loses_nothing() -> None:
    """`allowReserved` means nothing to a number."""
    for kind, told in (("integer", False), ("string", True)):
        sides = (styled_form("3.1.0", URLENCODED, {"allowReserved": each}, kind) for each in (True, False))
        assert bool(changes(*sides)) is told


def test_a_field_of_2_0_must_have_a_value() -> None:
    """`allowEmptyValue` of a form field; 3.x has nothing of the kind, so an upgrade says nothing."""

    def side(*rest: str, kind: str = "string") -> dict[str, Any]:
        field = ", ".join(("in: formData, name: f", f"type: {kind}", *rest))
        return api(f"{{/forms: {{post: {{parameters: [{{{field}}}], responses: {{}}}}}}}}", "2.0")

    for kind in ("string", "integer", "array"):
        with_it, without = side("allowEmptyValue: true", kind=kind), side(kind=kind)
        assert [(each.rule, each.field, each.severity) for each in changes(with_it, without)] == [
            ("encoding-changed", "f", Severity.BREAKING)
        ]
        assert {each.severity for each in changes(without, with_it)} == {Severity.INFO}
    assert changes(side("allowEmptyValue: true"), styled_form("3.0.3", URLENCODED, None, "string")) == []


def test_a_list_in_one_text_may_be_read_as_that_text() -> None:
    """No witness is made of it; of one that is repeated there is one."""
    assert is_open(changed(TEXTS, STRING, {"style": "form", "explode": False}))
    assert shown(changed(TEXTS, STRING, {"style": "form", "explode": True})) == "f=a&f=a"

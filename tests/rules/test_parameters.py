"""Parameters: what travels is compared, not how it is declared."""

from __future__ import annotations

from typing import Any

import pytest

from guardian.model import Confidence, Hit, Impact
from tests.rules.sides import api, changes, told


def get(*parameters: str) -> dict[str, object]:
    """A document with one operation that takes these query parameters, written in YAML."""
    return api(f"{{/a: {{get: {{parameters: [{', '.join(parameters)}]}}}}}}")


LIMIT = "{in: query, name: limit, schema: {type: integer}}"
PAGE = "{in: query, name: page, schema: {type: integer}}"
OBJECT = "schema: {type: object, properties: {limit: {type: integer}, page: {type: integer}}%s}"


def test_an_exploded_object_is_its_properties() -> None:
    """Parameters merged into one exploded object, or taken out of it, are the same query."""
    merged = get(f"{{in: query, name: paging, {OBJECT % ''}}}")
    assert told(get(LIMIT, PAGE), merged) == []
    assert told(merged, get(LIMIT, PAGE)) == []


def test_a_property_of_an_exploded_object_is_demanded_if_both_are() -> None:
    """A required property of an optional object may still be left out."""
    optional = get(f"{{in: query, name: paging, {OBJECT % ', required: [limit]'}}}")
    required = get(f"{{in: query, name: paging, required: true, {OBJECT % ', required: [limit]'}}}")
    assert told(get(LIMIT, PAGE), optional) == []
    assert told(get(LIMIT, PAGE), required) == [("parameter-became-required", "query:limit", "breaking")]


def test_an_object_with_rules_of_its_own_is_compared_as_an_object() -> None:
    """Nothing is lost by taking apart: an object that limits its size stays whole on both sides."""
    plain = get(f"{{in: query, name: paging, {OBJECT % ''}}}")
    limited = get(f"{{in: query, name: paging, {OBJECT % ', minProperties: 1'}}}")
    assert [rule for rule, _, _ in told(limited, plain)] == ["min-properties-changed"]


def test_a_deep_object_is_its_bracketed_names() -> None:
    """``filter[page]`` written out is the deepObject ``filter``."""
    deep = get(f"{{in: query, name: filter, style: deepObject, explode: true, {OBJECT % ''}}}")
    written = get(
        "{in: query, name: 'filter[limit]', schema: {type: integer}}",
        "{in: query, name: 'filter[page]', schema: {type: integer}}",
    )
    assert told(deep, written) == []
    assert told(deep, get("{in: query, name: 'filter[limit]', schema: {type: integer}}")) == [
        ("parameter-removed", "query:filter[page]", "warning")
    ]


@pytest.mark.parametrize(
    ("base", "head", "kind", "breaks"),
    [
        ("", "explode: false", "array", True),
        ("", "explode: true", "array", False),  # the default written down
        ("", "explode: false", "integer", False),  # a number looks the same
        ("", "style: form", "array", False),
        ("explode: false", "style: pipeDelimited, explode: false", "array", True),
        ("", "style: spaceDelimited, explode: true", "array", False),  # the same as form, OpenAPI 3.1 Style Values
        ("", "style: deepObject, explode: true", "string", False),
        ("", "explode: false", "[string, array]", True),
    ],
)
def test_style_counts_as_far_as_it_is_on_the_wire(base: str, head: str, kind: str, breaks: bool) -> None:
    """Effective styles are compared, for the types that the schema allows."""
    one, other = (
        get(f"{{in: query, name: q, schema: {{type: {kind}}}{', ' if extra else ''}{extra}}}") for extra in (base, head)
    )
    expected = [("parameter-style-changed", "query:q", "breaking")] if breaks else []
    assert told(one, other) == expected
    assert told(other, one) == expected


def test_collection_format_is_a_style() -> None:
    """2.0's csv is 3.0's unexploded form, and multi is exploded."""
    csv = api("{/a: {get: {parameters: [{in: query, name: q, type: array, items: {type: string}}]}}}", version="2.0")
    form = get("{in: query, name: q, explode: false, schema: {type: array, items: {type: string}}}")
    exploded = get("{in: query, name: q, schema: {type: array, items: {type: string}}}")
    assert told(csv, form) == []
    assert told(csv, exploded) == [("parameter-style-changed", "query:q", "breaking")]


def test_a_removed_parameter_names_its_senders_as_possibly_broken() -> None:
    """Whether a server ignores or refuses what it does not know, the documents cannot say."""
    [change] = changes(get(LIMIT), get())
    assert (change.hit, change.impact, change.confidence) == (Hit.SENDER, Impact.POSSIBLE, Confidence.POSSIBLE)
    assert change.field == "query:limit"


def test_a_renamed_parameter_is_one_removed_and_one_added() -> None:
    """Callers go on sending the former name; whoever does not send a required one is broken."""
    found = changes(
        get("{in: query, name: tenant, required: true, schema: {type: string}}"),
        get("{in: query, name: tenantId, required: true, schema: {type: string}}"),
    )
    assert [(change.rule, change.hit, change.impact) for change in found] == [
        ("parameter-removed", Hit.SENDER, Impact.POSSIBLE),
        ("parameter-added", Hit.NON_SENDER, Impact.BROKEN),
    ]


def test_a_moved_parameter_is_one_finding() -> None:
    """Gone from the query, new in the header, of one name: it moved, and says where."""
    [change] = changes(get(LIMIT), get("{in: header, name: Limit, schema: {type: integer}}"))
    assert (change.rule, change.field, change.renamed_to) == ("parameter-moved", "query:limit", "header:Limit")
    ambiguous = get(
        "{in: header, name: limit, schema: {type: integer}}", "{in: cookie, name: limit, schema: {type: integer}}"
    )
    assert {rule for rule, _, _ in told(get(LIMIT), ambiguous)} == {"parameter-removed", "parameter-added"}


def test_header_names_have_no_case() -> None:
    """``X-Tenant`` and ``x-tenant`` are one header."""
    one, other = (get(f"{{in: header, name: {name}, schema: {{type: string}}}}") for name in ("X-Tenant", "x-tenant"))
    assert told(one, other) == []


def test_query_names_have_case() -> None:
    """``page`` and ``Page`` are two parameters."""
    assert len(told(get(PAGE), get("{in: query, name: Page, schema: {type: integer}}"))) == 2


def test_parameters_of_the_path_item_are_the_operations() -> None:
    """Declaring a parameter one level up changes nothing."""
    above = api(f"{{/a: {{parameters: [{LIMIT}], get: {{}}}}}}")
    assert told(get(LIMIT), above) == []
    narrowed = api("{/a: {parameters: [{in: query, name: limit, required: true, schema: {type: integer}}], get: {}}}")
    assert told(above, narrowed) == [("parameter-became-required", "query:limit", "breaking")]


def test_headers_that_3_x_ignores_are_not_missed_when_a_document_is_upgraded() -> None:
    """2.0 may declare Authorization as a parameter; 3.x says to ignore it there."""
    base = api("{/a: {get: {parameters: [{in: header, name: Authorization, required: true, type: string}]}}}", "2.0")
    assert told(base, api("{/a: {get: {}}}")) == []


def test_an_undeclared_variable_that_is_declared_now_is_nothing_new() -> None:
    """A template's variable is there on both sides, whoever declares it."""
    base = api("{'/a/{id}': {get: {}}}")
    head = api("{'/a/{id}': {get: {parameters: [{in: path, name: id, required: true, schema: {type: string}}]}}}")
    assert told(base, head) == []


def test_a_document_in_a_parameter_is_compared_inside() -> None:
    """``content`` instead of ``schema``: what is in it has the parameter's field in front."""
    one, other = (
        get(f"{{in: query, name: q, content: {{application/json: {{schema: {schema}}}}}}}")
        for schema in ("{type: object}", "{type: object, required: [a], properties: {a: {type: string}}}")
    )
    assert ("required-property-added", "query:q.a", "breaking") in told(one, other)


PLACES = "{'/a/%s': {get: {parameters: [%s]}}}"
NUMBER_THEN_TEXT = (
    "{in: path, name: id, required: true, schema: {type: integer}}, "
    "{in: path, name: sku, required: true, schema: {type: string}}"
)


@pytest.mark.parametrize(
    ("base", "head", "broken"),
    [
        ("{id}/of/{sku}", "{sku}/of/{id}", ["path:sku"]),  # the same words, of other places
        ("{id}/of/{sku}", "{sku}/of/{id}/", ["", "path:sku"]),
        ("{id}/of/{sku}", "{id}/of/{sku}", []),
        ("{+id}/of/{sku*}", "{id}/of/{sku}", []),
        ("{+id}/of/{sku}", "{sku}/of/{id}", ["path:sku"]),
        ("{id:int}/of/{sku+}", "{sku}/of/{id}", ["path:sku"]),
    ],
)
def test_variables_that_change_places(base: str, head: str, broken: list[str]) -> None:
    """The path item is the same word for word, and what stands where is not."""
    found = changes(api(PLACES % (base, NUMBER_THEN_TEXT)), api(PLACES % (head, NUMBER_THEN_TEXT)))
    assert [each.field for each in found if each.severity.value != "info"] == broken


def test_variables_that_change_places_at_the_path() -> None:
    """Also where the parameters are the path item's, and referred to."""
    paths = "{'/a/%s': {parameters: [{$ref: '#/components/parameters/id'}, {$ref: '#/components/parameters/sku'}], get: {}}}"
    schemas = {"id": {"type": "string", "enum": ["x"]}, "sku": {"type": "string", "enum": ["y"]}}
    parameters = {
        name: {"in": "path", "name": name, "required": True, "schema": schema} for name, schema in schemas.items()
    }
    base, head = (api(paths % path, components={"parameters": parameters}) for path in ("{id}/{sku}", "{sku}/{id}"))
    assert ("enum-value-removed", "path:id", "breaking") in told(base, head)


def test_a_variable_with_an_operator_is_that_variable() -> None:
    """RFC 6570 writes more than the name; the parameter has the name alone."""
    one, other = (
        api(PLACES % (path, f"{{in: path, name: x, required: true, schema: {{type: {kind}}}}}"))
        for path, kind in (("{+x}", "string"), ("{x}", "integer"))
    )
    assert told(one, other) == [("type-changed", "path:x", "breaking")]


OBJECTS = {
    "deep": "style: deepObject, explode: true, %s",
    "exploded": "%s",
    "joined": "explode: false, %s",
    "document": "content: {application/json: {%s}}",
}


@pytest.mark.parametrize(("base", "head"), [(a, b) for a in OBJECTS for b in OBJECTS if a != b])
def test_an_object_that_is_written_differently_is_one_break(base: str, head: str) -> None:
    """What was taken apart on one side stays whole, as the objects do that have rules of their own."""
    one, other = (get(f"{{in: query, name: filter, {OBJECTS[each] % (OBJECT % '')}}}") for each in (base, head))
    rule = "parameter-content-changed" if "document" in {base, head} else "parameter-style-changed"
    assert told(one, other) == [(rule, "query:filter", "breaking")]


def test_an_object_that_was_a_text_has_another_type() -> None:
    """One of its name: it is no other parameter, unless the object has a property of that name."""
    text = get("{in: query, name: filter, schema: {type: string}}")
    deep = get(f"{{in: query, name: filter, style: deepObject, {OBJECT % ''}}}")
    assert told(text, deep) == [("type-changed", "query:filter", "breaking")]
    assert told(get(PAGE), get(f"{{in: query, name: page, {OBJECT % ''}}}")) == [
        ("parameter-added", "query:limit", "info")
    ]


def path_parameter(name: str, rest: str, kind: str = "string") -> dict[str, object]:
    return api(
        f"{{'/a/{{{name}}}': {{get: {{parameters: [{{in: path, name: {name}, required: true, {rest}, schema: {{type: {kind}}}}}]}}}}}}"
    )


@pytest.mark.parametrize(
    ("rest", "kind", "breaks"),
    [
        ("style: matrix", "string", True),
        ("style: matrix", "array", True),
        ("style: matrix", "object", True),
        ("style: matrix, explode: true", "object", False),  # its properties alone are named
        ("style: label", "string", False),
        ("style: simple", "string", False),
    ],
)
def test_a_matrix_writes_the_name_of_its_variable(rest: str, kind: str, breaks: bool) -> None:
    """``;id=5`` is not ``;userId=5``; in all other styles the name is not on the wire."""
    found = told(path_parameter("id", rest, kind), path_parameter("userId", rest, kind))
    assert found == ([("parameter-style-changed", "path:id", "breaking")] if breaks else [])


def test_style_and_type_may_change_at_once() -> None:
    """Scalars look like each other, and like an array of one: that the style is another one is seen all the same."""
    number = path_parameter("id", "style: simple", "integer")
    for kind in ("string", "array"):
        found = told(number, path_parameter("id", "style: label", kind))
        assert ("parameter-style-changed", "path:id", "breaking") in found


ONE_TEXT = [
    ("query", "explode: false", "type: array, items: {type: string}"),
    ("query", "style: pipeDelimited, explode: false", "type: array, items: {type: string}"),
    ("query", "explode: false", "type: object, properties: {a: {type: string}}"),
    ("header", "style: simple", "type: array, items: {type: integer}"),
    ("header", "explode: true", "type: object, properties: {a: {type: string}}"),
]


@pytest.mark.parametrize(("location", "style", "schema"), ONE_TEXT)
def test_a_list_in_one_text_is_a_string(location: str, style: str, schema: str) -> None:
    """``ids=a,b`` is a string as much as it is a list; a string that must look otherwise is another matter."""
    base, head, limited = (
        get(f"{{in: {location}, name: X-Ids, {style}, schema: {{{each}}}}}")
        for each in (schema, "type: string", "{type: string, enum: [all, none]}".strip("{}"))
    )
    assert told(base, head) == [("type-changed", f"{location}:X-Ids", "info")]
    [change] = changes(base, limited)
    assert (change.severity.value, change.confidence) == ("breaking", Confidence.PROVED)


def test_a_list_in_one_text_is_a_string_to_readers_too() -> None:
    """The same in a response header, the other way round."""
    one, other = (
        api(f"{{/a: {{get: {{responses: {{'200': {{headers: {{X-Ids: {{schema: {schema}}}}}}}}}}}}}}}")
        for schema in ("{type: string}", "{type: array, items: {type: string}}")
    )
    assert told(one, other) == [("type-changed", "header:X-Ids", "info")]


def test_a_list_that_is_repeated_is_no_string() -> None:
    """``ids=a&ids=b`` has no one text."""
    base = get("{in: query, name: ids, schema: {type: array, items: {type: string}}}")
    assert told(base, get("{in: query, name: ids, schema: {type: string}}")) == [
        ("type-changed", "query:ids", "breaking")
    ]


@pytest.mark.parametrize(
    ("schema", "content", "head", "rules"),
    [
        ("integer", "application/json", "integer", []),
        ("boolean", "application/json", "boolean", []),
        ("string", "text/plain", "string", []),
        ("integer", "text/plain", "integer", []),
        ("string", "application/json", "string", ["parameter-content-changed"]),
        ("array", "application/json", "array", ["parameter-content-changed"]),
        ("integer", "application/json", "string", ["type-changed"]),
        ("integer", "application/json", "boolean", ["type-changed"]),
        ("string", "text/plain", "integer", ["type-changed"]),
        ("integer", "text/plain", "string", []),
    ],
)
def test_a_document_may_be_the_same_text(schema: str, content: str, head: str, rules: list[str]) -> None:
    """A number is the same in JSON, a string is in plain text; then the schemas are compared."""
    base = get(f"{{in: query, name: q, schema: {{type: {schema}}}}}")
    document = get(f"{{in: query, name: q, content: {{{content}: {{schema: {{type: {head}}}}}}}}}")
    assert [rule for rule, _, severity in told(base, document) if severity == "breaking"] == rules


def test_a_header_may_be_a_document_of_the_same_text() -> None:
    """The same in response headers, where head is who sends."""

    def header(rest: str) -> dict[str, object]:
        return api(f"{{/a: {{get: {{responses: {{'200': {{headers: {{X-N: {{{rest}}}}}}}}}}}}}}}")

    number = header("schema: {type: integer}")
    assert told(number, header("content: {application/json: {schema: {type: integer}}}")) == []
    assert told(number, header("content: {application/json: {schema: {type: string}}}")) == [
        ("header-style-changed", "header:X-N", "breaking")
    ]
    assert told(number, header("content: {text/plain: {schema: {type: string}}}")) == [
        ("type-changed", "header:X-N", "breaking")
    ]


@pytest.mark.parametrize(
    ("parameter", "told_of"),
    [
        ("in: header, name: X-A, allowEmptyValue: true, schema: {type: string}", False),
        ("in: header, name: X-A, allowReserved: true, schema: {type: string}", False),
        ("in: query, name: a, allowReserved: true, schema: {type: integer}", False),
        ("in: query, name: a, allowReserved: true, schema: {type: string, enum: [up, down]}", False),
        ("in: query, name: a, allowReserved: true, schema: {type: string, format: uuid}", False),
        ("in: query, name: a, allowReserved: true, schema: {type: string, enum: ['a:b']}", True),
        ("in: query, name: a, allowReserved: true, schema: {type: array, items: {type: string}}", True),
        ("in: query, name: a, allowEmptyValue: true, schema: {type: string}", True),
    ],
)
def test_what_has_no_effect_is_not_told(parameter: str, told_of: bool) -> None:
    """``allowEmptyValue`` is of the query alone, ``allowReserved`` of values that may hold such characters."""
    bare = parameter.replace("allowEmptyValue: true, ", "").replace("allowReserved: true, ", "")
    assert bool(told(get(f"{{{parameter}}}"), get(f"{{{bare}}}"))) is told_of


def test_reserved_characters_in_a_path_since_3_2() -> None:
    """3.2 reads ``allowReserved`` wherever values are percent-encoded, what was before it in the query alone."""
    with_it, without = (path_parameter("id", rest) for rest in ("allowReserved: true", "deprecated: false"))
    assert told(with_it, without) == []
    assert [rule for rule, _, _ in told({**with_it, "openapi": "3.2.0"}, {**without, "openapi": "3.2.0"})] == [
        "parameter-style-changed"
    ]


def test_header_names_in_expressions_have_no_case() -> None:
    """A callback's URL is taken from the same header, however that is written."""

    def calling(expression: str) -> dict[str, object]:
        return api(f"{{/a: {{post: {{callbacks: {{done: {{'{expression}': {{post: {{}}}}}}}}}}}}}}")

    base = calling("{$request.header.X-Cb}/done")
    assert told(base, calling("{$request.header.x-cb}/done")) == []
    assert told(base, calling("{$request.header.x-cb}/Done")) != []
    assert told(calling("{$request.query.cb}"), calling("{$request.query.CB}")) != []


def test_all_of_the_query_has_no_name_on_the_wire() -> None:
    """OpenAPI 3.2: a `querystring` of another name is compared, and one that is a form is its fields."""

    def side(parameter: str) -> dict[str, Any]:
        return api(f"{{/a: {{get: {{parameters: [{parameter}]}}}}}}", "3.2.0")

    def form(name: str, schema: str, encoding: str = "{}") -> dict[str, Any]:
        media = f"{{schema: {{type: object, {schema}}}, encoding: {encoding}}}"
        content = f"{{application/x-www-form-urlencoded: {media}}}"
        return side(f"{{in: querystring, name: {name}, required: true, content: {content}}}")

    number, lists = "properties: {n: {type: integer}}", "properties: {n: {type: array, items: {type: string}}}"
    assert told(form("q", "properties: {n: {type: string}}"), form("r", number)) == [
        ("type-changed", "querystring:q.n", "breaking")
    ]
    for whole, field in (
        (form("q", f"required: [n], {number}"), "required: true, schema: {type: integer}"),
        (form("q", lists), "schema: {type: array, items: {type: string}}"),
        (form("q", lists, "{n: {explode: false}}"), "explode: false, schema: {type: array, items: {type: string}}"),
    ):
        apart = side(f"{{in: query, name: n, {field}}}")
        assert not changes(whole, apart)
        assert not changes(apart, whole)
    asked = form("q", f"required: [n], {number}")
    assert told(side("{in: query, name: n, schema: {type: integer}}"), asked) == [
        ("parameter-became-required", "query:n", "breaking")
    ]
    json_field = form("q", lists, "{n: {contentType: application/json}}")
    assert "parameter-added" in {rule for rule, _, _ in told(side("{in: query, name: n, schema: {}}"), json_field)}


@pytest.mark.parametrize(
    ("base", "head", "kind", "texts"),
    [
        ("style: cookie", "style: cookie, explode: false", "array", ("name=a; name=b", "name=a,b")),
        ("style: cookie", "style: form", "array", ("name=a; name=b", "name=a&name=b")),
        ("style: cookie", "style: form", "object", ("key=a; key=b", "key=a")),
        ("style: cookie, explode: false", "style: form, explode: false", "array", None),
        ("style: cookie", "style: form", "string", None),
    ],
)
def test_cookies_have_a_style_of_their_own(base: str, head: str, kind: str, texts: tuple[str, str] | None) -> None:
    """OpenAPI 3.2: what is exploded is several cookies, which a semicolon separates."""
    sides = (
        api(f"{{/a: {{get: {{parameters: [{{in: cookie, name: c, {each}, schema: {{type: {kind}}}}}]}}}}}}", "3.2.0")
        for each in (base, head)
    )
    expected = [f"cookie parameter `c` is written `{texts[1]}` instead of `{texts[0]}`"] if texts else []
    assert [each.message for each in changes(*sides)] == expected

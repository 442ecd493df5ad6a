"""Parameters: what travels is compared, not how it is declared."""

from __future__ import annotations

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

"""Bodies and media types, of requests, responses and webhooks."""

from __future__ import annotations

from typing import Any

import pytest

from guardian.errors import ReadError
from guardian.model import Hit, Impact
from tests.rules.sides import api, changes, told


def body(content: str, required: str = "false") -> dict[str, Any]:
    """A document with one request body."""
    return api(f"{{/a: {{post: {{requestBody: {{required: {required}, content: {content}}}}}}}}}")


def answer(content: str) -> dict[str, Any]:
    """A document with one response body."""
    return api(f"{{/a: {{get: {{responses: {{'200': {{content: {content}}}}}}}}}}}")


def webhook(content: str) -> dict[str, Any]:
    """A document with one webhook."""
    return api("{}", webhooks={"paid": {"post": {"requestBody": {"required": True, "content": _types(content)}}}})


def _types(content: str) -> dict[str, Any]:
    return {name: {} for name in content.split()}


def test_a_new_required_body_concerns_whoever_sends_none() -> None:
    """Every caller without a body is refused."""
    [change] = changes(api("{/a: {post: {}}}"), body("{application/json: {}}", "true"))
    assert (change.hit, change.impact, change.place, change.field) == (
        Hit.NON_SENDER,
        Impact.BROKEN,
        "request body",
        "",
    )


def test_a_2_0_body_is_a_body() -> None:
    """Body and form parameters of 2.0 are the request body of 3.x."""
    base = api(
        "{/a: {post: {parameters: [{in: body, name: b, required: true, schema: {type: string}}]}}}",
        "2.0",
        consumes=["application/json"],
    )
    assert told(base, body("{application/json: {schema: {type: string}}}", "true")) == []
    form = api(
        "{/a: {post: {parameters: [{in: formData, name: f, required: true, type: string}]}}}",
        "2.0",
        consumes=["application/x-www-form-urlencoded"],
    )
    schema = "{type: object, required: [f], properties: {f: {type: string}}}"
    assert told(form, body(f"{{application/x-www-form-urlencoded: {{schema: {schema}}}}}", "true")) == []


def test_a_media_type_less_is_possible_while_another_is_shared() -> None:
    """Nobody knows who asked for it, until there is nothing else to ask for."""
    two, one = answer("{application/json: {}, text/csv: {}}"), answer("{application/json: {}}")
    [change] = changes(two, one)
    assert (change.rule, change.hit, change.impact) == ("media-type-removed", Hit.EVERY_USER, Impact.POSSIBLE)
    gone, _ = sorted(changes(one, answer("{text/csv: {}}")), key=lambda each: each.rule, reverse=True)
    assert (gone.rule, gone.impact) == ("media-type-removed", Impact.BROKEN)


def test_receivers_of_webhooks_do_not_choose() -> None:
    """There one type more breaks, and one less does not."""
    one, two = webhook("application/json"), webhook("application/json application/xml")
    assert told(one, two) == [("media-type-added", "", "breaking")]
    assert told(two, one) == [("media-type-removed", "", "info")]


def test_charset_is_no_other_media_type() -> None:
    """Media types are parsed; a charset at JSON says nothing."""
    plain, marked = (
        answer("{application/json: {schema: {type: string}}}"),
        answer("{application/json; charset=UTF-8: {schema: {type: integer}}}"),
    )
    assert ("media-type-parameter-changed", "", "info") in told(plain, marked)
    assert ("type-changed", "", "breaking") in told(plain, marked)


def test_versions_of_one_type_are_told_apart() -> None:
    """Several types of one name are matched by their parameters, and placed by them."""
    one = answer("{application/json; v=1: {schema: {type: string}}, application/json; v=2: {schema: {type: integer}}}")
    other = answer(
        "{application/json; v=2: {schema: {type: integer}}, application/json; v=1: {schema: {type: boolean}}}"
    )
    [change] = changes(one, other)
    assert change.place == "response 200 application/json; v=1"


def test_a_range_takes_types_in() -> None:
    """What a range covers is compared with the range, and is neither gone nor new."""
    named = answer("{application/json: {schema: {type: string}}, application/xml: {schema: {type: string}}}")
    ranged = answer("{'application/*': {schema: {type: string}}}")
    assert {rule for rule, _, _ in told(named, ranged)} == {"media-type-range-changed"}
    assert {severity for _, _, severity in told(ranged, named)} == {"info"}


def test_a_vendor_type_is_another_type() -> None:
    """``application/vnd.x+json`` is not ``application/json``: a reader's Accept tells them apart."""
    found = told(answer("{application/json: {}}"), answer("{application/vnd.x+json: {}}"))
    assert found == [("media-type-removed", "", "breaking"), ("media-type-added", "", "info")]


@pytest.mark.parametrize(
    ("media", "schema", "base", "head", "expected"),
    [
        # defaults written down
        ("multipart/form-data", "{type: object}", "{}", "{p: {contentType: application/json}}", []),
        ("multipart/form-data", "{type: string}", "{}", "{p: {contentType: text/plain}}", []),
        ("multipart/form-data", "{type: string, format: binary}", "{}",
         "{p: {contentType: application/octet-stream}}", []),
        ("multipart/form-data", "{type: array, items: {type: object}}", "{}",
         "{p: {contentType: application/json}}", []),
        # what a part may be
        ("multipart/form-data", "{type: string}", "{p: {contentType: image/png}}",
         "{p: {contentType: 'image/png, image/jpeg'}}", ["info"]),
        ("multipart/form-data", "{type: string}", "{p: {contentType: 'image/*'}}",
         "{p: {contentType: image/png}}", ["breaking"]),
        # styles
        ("application/x-www-form-urlencoded", "{type: array}", "{}", "{p: {explode: false}}", ["breaking"]),
        ("application/x-www-form-urlencoded", "{type: string}", "{}", "{p: {explode: false}}", []),
        # headers of a part
        ("multipart/mixed", "{type: string}", "{}", "{p: {headers: {X-A: {required: true}}}}", ["breaking"]),
        ("multipart/mixed", "{type: string}", "{}", "{p: {headers: {X-A: {}}}}", ["info"]),
        # not a form: encodings are ignored
        ("application/json", "{type: object}", "{}", "{p: {contentType: text/plain}}", []),
    ],
)  # fmt: skip
def test_encodings_are_compared_with_their_defaults(
    media: str, schema: str, base: str, head: str, expected: list[str]
) -> None:
    """A part is what its encoding, or else its schema, says it is."""
    one, other = (
        body(f"{{{media}: {{schema: {{type: object, properties: {{p: {schema}}}}}, encoding: {encoding}}}}}")
        for encoding in (base, head)
    )
    assert told(one, other) == [("encoding-changed", "p", severity) for severity in expected]


@pytest.mark.parametrize(
    ("fields", "rule", "at"),
    [
        ("{in: formData, name: n, type: integer, required: true}", "property-became-required", "/1/required"),
        ("{in: formData, name: n, type: boolean}", "type-changed", "/1"),
        ("{in: formData, name: n, type: integer}, {in: formData, name: z, type: string, required: true}",
         "required-property-added", "/2"),
    ],
)  # fmt: skip
def test_form_fields_of_swagger_are_told_once_and_where_they_stand(fields: str, rule: str, at: str) -> None:
    """Each field is demanded by itself, so of the body as a whole nothing is said."""
    document = "{{/t: {{post: {{parameters: [{{in: formData, name: a, type: string}}, {fields}], responses: {{}}}}}}}}"
    sides = (document.format(fields=each) for each in ("{in: formData, name: n, type: integer}", fields))
    (found,) = changes(*(api(each, "2.0") for each in sides))
    assert (found.rule, found.head and found.head.pointer) == (rule, f"/paths/~1t/post/parameters{at}")


@pytest.mark.parametrize("header", ["5", "[]", "text"])
def test_a_header_of_a_part_that_is_none_is_told(header: str) -> None:
    """It is the document's fault, and is found where the encoding is compared."""
    base, head = (
        body(f"{{multipart/form-data: {{schema: {{properties: {{p: {{}}}}}}, encoding: {{p: {{headers: {each}}}}}}}}}")
        for each in ("{}", f"{{X: {header}}}")
    )
    with pytest.raises(ReadError, match="header 'X' must be an object"):
        changes(base, head)


@pytest.mark.parametrize("said", ["{}", "[]", "5", "null", "unheard-of"])
def test_a_collection_format_that_is_none_is_the_default(said: str) -> None:
    document = "{{/t: {{get: {{parameters: [{{in: query, name: q, type: array, items: {{type: string}}{}}}]}}}}}}"
    assert not changes(*(api(document.format(each), "2.0") for each in ("", f", collectionFormat: {said}")))

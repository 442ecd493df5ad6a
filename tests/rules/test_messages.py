"""Bodies that no schema describes as JSON does: octets, streams, and bodies that cannot be."""

from __future__ import annotations

from typing import Any

import pytest

from tests.rules.sides import api, changes, told

ITEM = "{type: object, required: [msg], properties: {msg: {type: string}}}"
LESS = "{type: object, properties: {}}"


def answer(media: str, said: str, version: str = "3.1.0") -> dict[str, Any]:
    """A document with one response body."""
    return api(f"{{/a: {{get: {{responses: {{'200': {{content: {{{media!r}: {said}}}}}}}}}}}}}", version)


def body(media: str, said: str, version: str = "3.1.0") -> dict[str, Any]:
    """A document with one request body."""
    return api(f"{{/a: {{post: {{requestBody: {{content: {{{media!r}: {said}}}}}}}}}}}", version)


# -- octets ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sides", [answer, body])
@pytest.mark.parametrize(
    "media", ["application/octet-stream", "application/pdf", "image/png", "text/csv", "text/plain"]
)
@pytest.mark.parametrize("nothing", ["{}", "{schema: {}}", "{schema: {description: a file}}"])
def test_octets_are_octets_with_and_without_a_schema(sides: Any, media: str, nothing: str) -> None:
    """As the upgrade from 3.0 to 3.1 writes them, in both directions."""
    binary = sides(media, "{schema: {type: string, format: binary}}", "3.0.3")
    assert told(binary, sides(media, nothing)) == []
    assert told(sides(media, nothing), binary) == []


def test_octets_that_name_their_media_type_again_are_octets() -> None:
    """And those that say no more than that they are some."""
    for said in ("image/png", "application/octet-stream"):
        named = answer("image/png", f"{{schema: {{type: string, contentMediaType: {said}}}}}")
        assert {level for _, _, level in told(named, answer("image/png", "{}"))} <= {"info"}


def test_a_file_of_2_0_is_octets() -> None:
    """``type: file`` is what 3.1 leaves without a schema."""
    old = api("{/a: {get: {produces: [application/pdf], responses: {'200': {schema: {type: file}}}}}}", "2.0")
    assert told(old, answer("application/pdf", "{}")) == []


def test_octets_that_are_limited_say_more_than_nothing() -> None:
    """Only what any text is, is what no schema says."""
    limited = body("application/pdf", "{schema: {type: string, format: binary, maxLength: 10}}")
    assert "breaking" in {level for _, _, level in told(body("application/pdf", "{}"), limited)}


@pytest.mark.parametrize("media", ["application/json", "application/xml", "application/yaml", "*/*"])
def test_a_text_in_what_has_types_is_one_type(media: str) -> None:
    """There no schema says more than a text."""
    found = told(answer(media, "{schema: {type: string}}"), answer(media, "{}"))
    assert ("type-changed", "", "breaking") in found


# -- streams -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("media", ["application/jsonl", "text/event-stream", "multipart/mixed"])
def test_a_list_says_of_a_stream_what_its_items_say(media: str) -> None:
    """``schema`` with a list and ``itemSchema`` with what is in it, in both directions; what differs is told."""
    listed = answer(media, f"{{schema: {{type: array, items: {ITEM}}}}}")
    items = answer(media, f"{{itemSchema: {ITEM}}}", "3.2.0")
    assert told(listed, items) == told(items, listed) == []
    both = answer(media, f"{{schema: {{type: array, items: {ITEM}}}, itemSchema: {ITEM}}}", "3.2.0")
    assert told(listed, both) == told(both, items) == []
    found = told(listed, answer(media, f"{{itemSchema: {LESS}}}", "3.2.0"))
    assert ("property-removed", "[].msg", "breaking") in found


@pytest.mark.parametrize("said", ["{type: string}", ITEM, "{type: array, minItems: 1, items: {type: string}}"])
def test_a_stream_described_otherwise_cannot_be_compared(said: str) -> None:
    """The documents do not decide: one warning, which says so."""
    whole, items = (
        answer("text/event-stream", f"{{schema: {said}}}"),
        answer("text/event-stream", f"{{itemSchema: {ITEM}}}", "3.2.0"),
    )
    for base, head in ((whole, items), (items, whole)):
        [change] = changes(base, head)
        assert (change.rule, change.severity.value, change.confidence.value) == ("type-changed", "warning", "possible")
        assert change.unproved


def test_items_that_are_described_no_more_may_be_anything() -> None:
    """A stream that lost all that was said of it."""
    found = told(
        answer("application/jsonl", f"{{itemSchema: {ITEM}}}", "3.2.0"), answer("application/jsonl", "{}", "3.2.0")
    )
    assert "breaking" in {level for _, _, level in found}


# -- no body -----------------------------------------------------------------------------------------------------------


def _response(status: str, said: str, method: str = "get") -> dict[str, Any]:
    return api(f"{{/a: {{{method}: {{responses: {{'{status}': {said}}}}}}}}}")


@pytest.mark.parametrize(
    ("status", "method"), [("204", "get"), ("205", "post"), ("304", "get"), ("103", "get"), ("200", "head")]
)
def test_what_never_has_a_body_loses_none(status: str, method: str) -> None:
    """RFC 9110: whatever a document says of one there, nothing is sent. Headers are."""
    full = _response(status, f"{{content: {{application/json: {{schema: {ITEM}}}}}, headers: {{X-A: {{}}}}}}", method)
    bare = _response(status, f"{{content: {{application/json: {{schema: {LESS}}}}}}}", method)
    assert told(full, bare) == [("header-removed", "header:X-A", "warning")]
    assert told(_response(status, "{content: {application/json: {}}}", method), _response(status, "{}", method)) == []


def test_a_body_under_a_status_that_can_have_one_is_a_body() -> None:
    """A range and a default are more than the statuses that have none."""
    for status in ("200", "2XX", "default", "404"):
        full = _response(status, "{content: {application/json: {}}}")
        assert ("response-body-removed", "", "breaking") in told(full, _response(status, "{}"))


def test_an_empty_status_beside_a_range_takes_no_body_away() -> None:
    """204 was never sent with the body of ``2XX``."""
    ranged = "{/a: {get: {responses: {2XX: {content: {application/json: {}}}}}}}"
    named = "{/a: {get: {responses: {2XX: {content: {application/json: {}}}, '204': {}}}}}"
    assert {level for _, _, level in told(api(ranged), api(named))} <= {"info"}

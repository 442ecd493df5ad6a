"""Which entry of a body describes a message on either side: the most specific one."""

from __future__ import annotations

from typing import Any

import pytest

from guardian.rules.pairs import MediaTypeOffer, MediaTypePair
from tests.rules.sides import api, changes, pairs, told

SHORT = "{schema: {type: object, required: [text], properties: {text: {type: string}}}}"
LONG = "{schema: {type: object, required: [text, by], properties: {text: {type: string}, by: {type: string}}}}"
LESS = "{schema: {type: object, properties: {}}}"


def request(**content: str) -> dict[str, Any]:
    """A document with one request body, from the entries of its content."""
    return api(f"{{/a: {{post: {{requestBody: {{required: true, content: {_written(content)}}}}}}}}}")


def response(**content: str) -> dict[str, Any]:
    """A document with one response body."""
    return api(f"{{/a: {{get: {{responses: {{'200': {{content: {_written(content)}}}}}}}}}}}")


def webhook(**content: str) -> dict[str, Any]:
    """A document with one webhook."""
    found = api(f"{{/a: {{post: {{requestBody: {{content: {_written(content)}}}}}}}}}")["paths"]["/a"]
    return api("{}", webhooks={"paid": found})


def _written(content: dict[str, str]) -> str:
    return "{" + ", ".join(f"{name!r}: {schema}" for name, schema in content.items()) + "}"


def alike(*names: str) -> dict[str, str]:
    """Entries that all say the same."""
    return dict.fromkeys(names, SHORT)


def test_a_type_that_is_new_beside_a_range_describes_what_the_range_described() -> None:
    """Whoever sent JSON under the range is now judged by the entry of JSON."""
    found = changes(request(**{"*/*": SHORT}), request(**{"*/*": SHORT, "application/json": LONG}))
    assert {(each.rule, each.severity.value, each.place) for each in found} >= {
        ("required-property-added", "breaking", "request body application/json"),
        ("media-type-range-changed", "info", "request body application/json"),
    }
    assert "media-type-added" not in {each.rule for each in found}


@pytest.mark.parametrize("sides", [response, webhook])
@pytest.mark.parametrize(("wide", "narrow"), [("*/*", "application/json"), ("application/*", "application/vnd.x+json")])
def test_readers_of_a_range_get_what_the_new_type_is(sides: Any, wide: str, narrow: str) -> None:
    """Responses and webhooks alike, and only where the new entry says something else."""
    before = sides(**{wide: SHORT})
    assert ("property-removed", "text", "breaking") in told(before, sides(**{wide: SHORT, narrow: LESS}))
    assert {level for _, _, level in told(before, sides(**{wide: SHORT, narrow: SHORT}))} == {"info"}


def test_a_type_that_goes_falls_back_to_the_range() -> None:
    """It is compared with the range, although the range is on both sides."""
    both = request(**{"*/*": LONG, "application/json": SHORT})
    found = changes(both, request(**{"*/*": LONG}))
    assert ("required-property-added", "breaking") in {(each.rule, each.severity.value) for each in found}
    assert "media-type-removed" not in {each.rule for each in found}


@pytest.mark.parametrize("sides", [request, response])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (("application/json", "application/json;charset=UTF-8"), ("application/json",)),
        (("application/json", "application/json;charset=UTF-8"), ("application/json;charset=utf-8",)),
        (("*/*", "application/json"), ("*/*",)),
        (("application/*", "*/*"), ("*/*",)),
        (("text/*", "*/*"), ("*/*", "text/plain")),
        (("application/json", "*/*"), ("application/*", "*/*")),
        (("text/csv", "text/csv;charset=utf-8"), ("text/csv",)),
        (("multipart/mixed",), ("multipart/mixed;boundary=x",)),
    ],
)
def test_what_is_described_by_another_entry_is_not_gone(
    sides: Any, before: tuple[str, ...], after: tuple[str, ...]
) -> None:
    """No message is refused or new, so nothing is more than a note."""
    assert {level for _, _, level in told(sides(**alike(*before)), sides(**alike(*after)))} <= {"info"}


def test_a_range_that_became_a_wider_one_and_a_type_of_it_takes_all_that_it_took() -> None:
    """``text/*`` that became ``*/*`` and ``text/plain``: for requests no type is lost."""
    found = told(request(**alike("text/*")), request(**alike("*/*", "text/plain")))
    assert {level for _, _, level in found} == {"info"}


def test_what_no_entry_describes_any_more_is_gone() -> None:
    """A range on one side only, and a type that nothing holds."""
    gone = [("media-type-removed", "", "breaking")]
    assert told(request(**alike("*/*", "application/json")), request(**alike("application/json"))) == gone
    assert told(response(**alike("application/*", "text/csv")), response(**alike("text/csv"))) == gone
    one, both = alike("application/json;v=1"), alike("application/json;v=1", "application/json;v=2")
    assert told(response(**both), response(**one)) == gone


def test_a_parameter_that_went_is_the_same_doubt_for_each_type_that_had_one() -> None:
    """Two versions that became one entry without any: both are compared with it."""
    versions = response(**alike("application/json;v=1", "application/json;v=2"))
    found = told(versions, response(**alike("application/json")))
    assert found == [("media-type-parameter-changed", "", "warning")] * 2


def test_a_version_that_is_new_beside_the_plain_type_is_only_new() -> None:
    """Nobody asked for a version before there was one."""
    found = told(
        response(**{"application/json": SHORT}), response(**{"application/json": SHORT, "application/json;v=2": LESS})
    )
    assert found == [("media-type-added", "", "info")]


def test_every_entry_is_in_a_pair_or_alone() -> None:
    """And the narrowest range is taken."""
    before, after = (
        alike("*/*", "application/*", "text/csv"),
        alike("application/json", "application/*", "text/*", "image/*"),
    )
    found = [each.pair for each in pairs(response(**before), response(**after))]
    paired = {
        (each.base.name, each.head.name)
        for each in found
        if isinstance(each, MediaTypePair) and each.base and each.head
    }
    assert paired == {
        ("application/*", "application/*"),
        ("application/*", "application/json"),
        ("text/csv", "text/*"),
        ("*/*", "text/*"),
        ("*/*", "image/*"),
    }
    assert not [each for each in found if isinstance(each, MediaTypeOffer)]

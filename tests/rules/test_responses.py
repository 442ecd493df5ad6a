"""Responses: statuses, their bodies, headers and links."""

from __future__ import annotations

from typing import Any

import pytest

from guardian.model import Hit, Impact, Severity
from guardian.spec.text import load
from tests.rules.sides import api, changes, told


def answers(responses: str) -> dict[str, Any]:
    """A document with one operation that answers so."""
    return api(f"{{/a: {{get: {{responses: {responses}}}}}}}")


def header(text: str) -> dict[str, Any]:
    """A document with one response header."""
    return answers(f"{{'200': {{headers: {{X-Rate: {text}}}}}}}")


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        ("{'200': {}}", "{'202': {}}", [("response-removed", "breaking"), ("response-added", "warning")]),
        ("{'200': {}, '302': {}}", "{'200': {}}", [("response-removed", "breaking")]),
        ("{'200': {}, '304': {}}", "{'200': {}}", [("response-removed", "info")]),
        ("{'200': {}}", "{'200': {}, '500': {}}", [("response-added", "info")]),
        ("{'200': {}, '404': {}}", "{'200': {}, '4XX': {}}", [("response-status-changed", "info")]),
        ("{'200': {}, '4xx': {}}", "{'200': {}, '4XX': {}}", []),
        ("{'2XX': {}}", "{'200': {}, '201': {}}", [("response-status-changed", "info")] * 2),
        # default stands for errors where a success is declared, and for everything where none is
        ("{'200': {}, default: {}}", "{'200': {}, '201': {}, default: {}}", [("response-added", "warning")]),
        ("{'200': {}}", "{'201': {}, default: {}}",
         [("response-removed", "breaking"), ("response-added", "warning"), ("response-added", "info")]),
        ("{'200': {}}", "{default: {}}", [("response-status-changed", "warning")]),
        ("{default: {}}", "{'200': {}}", [("response-status-changed", "info")]),
    ],
)  # fmt: skip
def test_statuses_are_matched_with_what_takes_them_in(base: str, head: str, expected: list[tuple[str, str]]) -> None:
    """Exactly, then by range, then by default; a lost success breaks, an error is a note."""
    found = [(rule, severity) for rule, _, severity in told(answers(base), answers(head))]
    assert sorted(found) == sorted(expected)


@pytest.mark.parametrize(
    ("base", "head", "severity"),
    [
        ("{'2XX': {}}", "{'200': {}}", "breaking"),
        ("{default: {}}", "{'200': {}}", "breaking"),
        ("{default: {}}", "{'200': {}, default: {}}", "warning"),
        ("{'2XX': {}}", "{'200': {}, '2XX': {}}", "info"),
        ("{'200': {}}", "{'2XX': {}}", "info"),
        ("{'2XX': {}, '4XX': {}}", "{'2XX': {}, '400': {}}", "info"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("event", ["{{webhooks: {{paid: {{post: {{responses: {0}}}}}}}}}", "callback"])
def test_a_receiver_answers_what_it_may(base: str, head: str, severity: str, event: str) -> None:
    """A success that the sender took and does not take any more breaks the receiver that gives it."""
    call = "{{/a: {{post: {{responses: {{}}, callbacks: {{done: {{'{{$url}}': {{post: {{responses: {0}}}}}}}}}}}}}}}"

    def document(responses: str) -> dict[str, Any]:
        if event == "callback":
            return api(call.format(responses))
        return api("{}") | load(event.format(responses).encode(), "event")

    found = [(each.rule, each.severity.value) for each in changes(document(base), document(head))]
    # A default that stood for everything and now stands beside a success is one for errors, which is a note.
    assert [each for each in found if each != ("response-added", "info")] == [("response-status-changed", severity)]


def test_a_status_is_compared_with_the_default_that_took_it_in() -> None:
    """An error that has its own description now is held against what default promised."""
    content = "{content: {application/json: {schema: {type: %s}}}}"
    base = answers(f"{{'200': {{}}, default: {content % 'object'}}}")
    head = answers(f"{{'200': {{}}, default: {content % 'object'}, '404': {content % 'string'}}}")
    assert ("type-changed", "", "breaking") in told(base, head)


def test_one_success_of_several_is_possibly_missed() -> None:
    """While another success is left, nobody knows who waited for this one."""
    [change] = changes(answers("{'200': {}, '201': {}}"), answers("{'200': {}}"))
    assert (change.hit, change.impact) == (Hit.EVERY_USER, Impact.POSSIBLE)


def test_a_body_that_is_gone_is_one_finding() -> None:
    """Not one for each media type, and it hits whoever reads anything of it."""
    base = answers("{'200': {content: {application/json: {}, text/csv: {}}}}")
    [change] = changes(base, answers("{'200': {}}"))
    assert (change.rule, change.hit, change.field) == ("response-body-removed", Hit.READER, "")


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        ("{required: true}", "{}", [("header-became-optional", "breaking")]),
        ("{}", "{required: true}", [("header-became-required", "info")]),
        ("{schema: {type: integer}}", "{schema: {type: string}}", [("type-changed", "breaking")]),
        ("{schema: {type: integer, maximum: 9}}", "{schema: {type: integer}}", [("maximum-changed", "breaking")]),
        ("{schema: {type: array}}", "{explode: true, schema: {type: array}}", []),
        ("{schema: {type: object}}", "{content: {application/json: {schema: {type: object}}}}",
         [("header-style-changed", "breaking")]),
    ],
)  # fmt: skip
def test_headers_are_compared_like_what_else_a_response_holds(
    base: str, head: str, expected: list[tuple[str, str]]
) -> None:
    """There, required, of a type: with the field that a reader of it would name."""
    found = changes(header(base), header(head))
    assert [(change.rule, change.severity.value) for change in found] == expected
    assert {change.field for change in found} <= {"header:X-Rate"}


def test_content_type_is_no_header() -> None:
    """3.x leaves it to the media type, so an upgraded document has not lost it."""
    base = api("{/a: {get: {responses: {'200': {headers: {Content-Type: {type: string}, X: {type: string}}}}}}}", "2.0")
    head = answers("{'200': {headers: {X: {schema: {type: string}}}}}")
    assert told(base, head) == []


def test_links_are_notes() -> None:
    """Nothing of a link is on the wire."""
    base = answers(
        "{'200': {links: {a: {operationId: x}, b: {operationId: y, description: one}, c: {operationId: z}}}}"
    )
    head = answers(
        "{'200': {links: {a: {operationId: z}, b: {operationId: y, description: two}, d: {operationId: x}}}}"
    )
    found = changes(base, head)
    assert [change.message for change in found] == [
        "link `a` changed",
        "link `c` was removed",
        "link `d` was added",
    ]
    assert {change.severity.value for change in found} == {"info"}


def test_answers_of_callbacks_are_requests_in_effect() -> None:
    """The receiver sends them: one accepted less breaks it, one accepted more does not."""
    paths = "{/a: {post: {callbacks: {done: {'{$request.body#/u}': {post: {responses: RESPONSES}}}}}}}"
    base, head = (api(paths.replace("RESPONSES", each)) for each in ("{'200': {}, '202': {}}", "{'200': {}}"))
    assert told(base, head) == [("response-removed", "", "breaking")]
    assert told(head, base) == [("response-added", "", "info")]


ITEM = "{content: {application/json: {schema: {type: object, required: [a], properties: {a: {type: string}}}}}}"
ERROR = "{content: {application/json: {schema: {type: object, properties: {code: {type: integer}}}}}}"


@pytest.mark.parametrize("errors", ["default", "4XX", "404"])
def test_a_lone_default_was_the_success(errors: str) -> None:
    """What is beside a success then is for errors, and is not compared with it; in both directions."""
    lone = api(f"{{/a: {{get: {{responses: {{default: {ITEM}}}}}}}}}")
    named = api(f"{{/a: {{get: {{responses: {{'200': {ITEM}, {errors!r}: {ERROR}}}}}}}}}")
    assert {level for _, _, level in told(lone, named)} == {"info"}
    assert {(rule, level) for rule, _, level in told(named, lone) if level != "info"} == {
        ("response-status-changed", "warning")
    }


def test_what_a_lone_default_said_of_success_is_compared_with_the_success() -> None:
    """A field that the success no longer has is missed, whatever the errors say."""
    lone = api(f"{{/a: {{get: {{responses: {{default: {ITEM}}}}}}}}}")
    named = api(f"{{/a: {{get: {{responses: {{'200': {ERROR}, default: {ITEM}}}}}}}}}")
    assert ("property-removed", "a", "breaking") in told(lone, named)


def test_a_default_that_stands_alone_is_for_errors_too() -> None:
    """What their bodies lose is a warning: whoever writes a default alone may have thought of success only."""

    def document(**responses: str) -> dict[str, Any]:
        content = "{{content: {{application/json: {{schema: {{type: object, required: [{0}], properties: {{{0}: {{}}}}}}}}}}}}"
        listed = ", ".join(f"{status.strip('_')}: {content.format(name)}" for status, name in responses.items())
        return api(f"{{/a: {{get: {{responses: {{{listed}}}}}}}}}")

    apart, alone = document(_200="id", default="code"), document(default="message")
    for base, head, lost in ((apart, alone, "code"), (alone, apart, "message")):
        found = {(each.rule, each.field, each.place): each.severity for each in changes(base, head)}
        assert found["property-removed", lost, "response default application/json"] is Severity.WARNING
    same = document(_200="code", default="code"), document(default="code")
    assert not {each.rule for each in (*changes(*same), *changes(*reversed(same)))} & {"property-removed"}

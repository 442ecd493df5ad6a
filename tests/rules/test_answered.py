"""Operations that are gone and whose URLs others of head answer: literals that became a template, and the reverse."""

from __future__ import annotations

import pytest

from guardian.model import Change, Confidence, Impact
from tests.rules.sides import api, changes

LITERALS = "{/r/daily: {get: {}}, /r/weekly: {get: {}}}"


def template(schema: str, path: str = "/r/{p}") -> str:
    """The paths with one operation whose variable ``p`` is this."""
    return f"{{'{path}': {{get: {{parameters: [{{in: path, name: p, required: true, schema: {schema}}}]}}}}}}"


def removed(base: str, head: str) -> dict[str, Change]:
    """What is said of the operations that are gone."""
    return {each.operation: each for each in changes(api(base), api(head)) if each.rule == "operation-removed"}


@pytest.mark.parametrize(
    ("base", "head", "severities"),
    [
        # into a template: it must take the literal
        (LITERALS, template("{type: string}"), ["warning", "warning"]),
        (LITERALS, template("{type: string, enum: [daily, weekly]}"), ["warning", "warning"]),
        (LITERALS, template("{type: string, enum: [daily, hourly]}"), ["warning", "breaking"]),
        (LITERALS, template("{type: integer}"), ["breaking", "breaking"]),
        (LITERALS, template("{type: string, format: uuid}"), ["breaking", "breaking"]),
        ("{/r/7: {get: {}}}", template("{type: integer}"), ["warning"]),
        (LITERALS, template("{type: string}").replace("get", "post"), ["breaking", "breaking"]),
        (LITERALS, template("{type: string}", "/r/x/{p}"), ["breaking", "breaking"]),
        ("{/r/a.json: {get: {}}, /r/b.xml: {get: {}}}", template("{type: string}", "/r/{p}.json"),
         ["warning", "breaking"]),
        # a template that was there beside the literal answered something else
        ("{/r/me: {get: {}}, " + template("{type: string}")[1:], template("{type: string}"), ["breaking"]),
        # into literals: each value must be among them
        (template("{type: string, enum: [daily, weekly]}"), LITERALS, ["warning"]),
        (template("{type: string, enum: [daily, weekly, hourly]}"), LITERALS, ["breaking"]),
        (template("{type: string}"), LITERALS, ["breaking"]),
        # beside a variable that both have
        (template("{type: string}", "/r/{p}/new"), template("{type: string}", "/r/{p}/{q}"), ["warning"]),
        (template("{type: integer}", "/r/{p}/new"), template("{type: string}", "/r/{p}/{q}"), ["warning"]),
        (template("{type: string}", "/r/{p}/new"), template("{type: integer}", "/r/{p}/{q}"), ["breaking"]),
    ],
)  # fmt: skip
def test_what_is_answered_elsewhere_is_in_doubt(base: str, head: str, severities: list[str]) -> None:
    """Every URL of what is gone must be taken by something that is new."""
    assert [each.severity.value for each in removed(base, head).values()] == severities


def test_the_finding_names_what_answers() -> None:
    """And says that no more is known of it."""
    change = removed(LITERALS, template("{type: string}"))["GET /r/daily"]
    assert "GET /r/{p} is called at its URL" in change.message
    assert (change.confidence, change.impact) == (Confidence.POSSIBLE, Impact.POSSIBLE)
    assert change.head is not None
    assert change.head.pointer == "/paths/~1r~1{p}/get"
    assert "do not say" in (change.unproved or "")
    both = removed(template("{type: string, enum: [daily, weekly]}"), LITERALS)["GET /r/{p}"]
    assert "GET /r/daily or GET /r/weekly" in both.message


def test_base_paths_are_part_of_what_is_called() -> None:
    """A server's path that moved into the template is nothing else."""
    base = api(LITERALS, servers=[{"url": "/v1"}])
    found = changes(base, api(template("{type: string}", "/v1/r/{p}")))
    assert {each.severity.value for each in found if each.rule == "operation-removed"} == {"warning"}
    found = changes(base, api(template("{type: string}", "/v2/r/{p}")))
    assert {each.severity.value for each in found if each.rule == "operation-removed"} == {"breaking"}

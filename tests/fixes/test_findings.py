"""Findings by what they say and by operation; and a trial, which tells what it judged anew from what is as it was."""

from __future__ import annotations

from dataclasses import replace

from guardian.fixes.draft import Draft
from guardian.fixes.findings import Findings, key
from guardian.fixes.json_patch import remove
from guardian.model import Change, Confidence, Direction, Effect, Severity, Strategy
from tests.fixes.workbench import bench

ONE = Change(
    rule="property-removed",
    service="users",
    operation="GET /users",
    place="response 200",
    field="name",
    direction=Direction.RESPONSE,
    effect=Effect.NARROWED,
    severity=Severity.BREAKING,
    confidence=Confidence.CERTAIN,
    message="gone",
    why="it is read",
    base=None,
    head=None,
)


def test_selections_keep_the_order() -> None:
    """However they are asked for; callbacks are found with their operation, and twins with each other."""
    callback = ONE._replace(operation="callback POST done of GET /users")
    others = [ONE._replace(operation="GET /pets"), ONE._replace(operation=""), ONE._replace(service="pets")]
    findings = Findings([callback, *others, ONE, ONE._replace(fingerprint="twin")])
    assert findings.of([("users", "GET /pets"), ("users", "GET /users")]) == [
        callback, others[0], ONE, findings.all[-1]
    ]  # fmt: skip
    assert findings.of([("users", "")]) == [others[1]]
    assert findings.of([("users", "GET /nowhere")]) == []
    assert findings.said([key(ONE), key(callback), key(ONE)]) == [callback, ONE, findings.all[-1]]
    assert findings.operations("users") == ["GET /users", "GET /pets", ""]


SPEC = """
openapi: 3.0.3
info: {{title: t, version: "1"}}
paths:
  /a: {{get: {{responses: {{"200": {{description: ok, content: {{application/json: {{schema: {schema}}}}}}}}}}}}}
  /b: {{get: {{responses: {{"200": {{description: ok, content: {{application/json: {{schema: {schema}}}}}}}}}}}}}
"""
BASE = SPEC.format(schema="{type: object, required: [x], properties: {x: {type: string}}}")
HEAD = SPEC.format(schema="{type: object, properties: {y: {type: string}}}")


def test_a_trial_tells_what_it_judged_anew() -> None:
    """What it touches stands in its fresh changes, all else is as the check found it, and together that is everything."""
    on = bench(BASE, HEAD)
    at = "/paths/~1a/get/responses/200/content/application~1json/schema/properties/y"
    draft = Draft(strategy=Strategy.DUAL_WRITE, service="users", specs={"api.yaml": (remove(at),)})
    trial = on.compare(draft)
    assert trial.touches("users", "GET /a")
    assert not trial.touches("users", "GET /b")
    untouched = [each for each in on.changes if each.operation == "GET /b"]
    assert [each for each in on.changes if each not in untouched] == trial.before()
    assert list(trial.changes) == [*trial.fresh, *untouched]
    assert {each.rule for each in trial.before()} > {each.rule for each in trial.fresh}
    keys = [key(untouched[0]), key(trial.before()[0])]
    assert trial.judged(keys) == [*trial.fresh, untouched[0]]
    again = replace(trial, touched=None, fresh=trial.changes)
    assert again.judged(keys) == list(again.changes) == list(trial.changes)
    assert again.before() == list(on.changes)

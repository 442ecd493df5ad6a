from __future__ import annotations

from random import Random
from typing import Any

import pytest

from guardian.learn.contract.access import NAME, access_document, complete
from guardian.learn.contract.companies import generate
from guardian.learn.contract.constraints import (
    PHRASES,
    broken,
    instances,
    of_schema,
    repair,
    understand,
    without_secrets,
)
from guardian.learn.contract.expressions import Inapplicable, evaluate
from guardian.learn.contract.ledgers import ledger_document
from guardian.learn.contract.payloads import write_place
from guardian.learn.contract.places import normal_place
from guardian.learn.contract.planting import plant
from guardian.learn.contract.sampling import sample
from guardian.learn.contract.scenarios import judge_of, messages
from guardian.learn.contract.vocabulary import HELD_OUT, TRAINING
from guardian.model import Direction

SCHEMA = {
    "openapi": "3.1.0",
    "info": {"title": "t", "version": "1"},
    "paths": {},
    "components": {
        "schemas": {
            "Order": {
                "type": "object",
                "required": ["id", "lines"],
                "properties": {
                    "id": {"type": "string", "format": "uuid"},
                    "status": {"type": "string", "enum": ["draft", "paid"]},
                    "note": {"type": ["string", "null"]},
                    "lines": {"type": "array", "items": {"$ref": "#/components/schemas/Line"}},
                },
            },
            "Line": {
                "type": "object",
                "required": ["sku"],
                "properties": {
                    "sku": {"type": "string", "pattern": "^[A-Z]{2}-[0-9]+$"},
                    "quantity": {"type": "integer"},
                },
            },
        }
    },
}
VALID = {
    "id": "9974d75b-3338-44fe-8179-0134676b1b69",
    "status": "paid",
    "note": None,
    "lines": [{"sku": "AB-1", "quantity": 2}, {"sku": "AB-2"}],
}


def _judge() -> Any:
    return judge_of(SCHEMA, "/components/schemas/Order", Direction.REQUEST)


def _with(**changes: Any) -> dict[str, Any]:
    return {**VALID, **changes}


@pytest.mark.parametrize(
    ("payload", "truth"),
    [
        (VALID, {}),
        (_with(id=7), {"id": "type_mismatch"}),
        (_with(id="7"), {"id": "format_error"}),
        (_with(status="open"), {"status": "invalid_enum"}),
        (_with(status=1), {"status": "type_mismatch"}),
        (_with(debug=True), {"debug": "extra_field"}),
        (_with(debug=None), {"debug": "extra_field"}),
        (_with(lines=[{"sku": "ab"}]), {"lines[0].sku": "format_error"}),
        (_with(lines=[{"quantity": 1}]), {"lines[0].sku": "missing_required"}),
        (
            _with(lines=[{"sku": 5, "x": 1}, {}], extra={"y": 1}),
            {"lines[0].sku": "type_mismatch", "lines[0].x": "extra_field", "lines[1].sku": "missing_required",
             "extra": "extra_field"},
        ),
        ({"status": "paid"}, {"id": "missing_required", "lines": "missing_required"}),
    ],
)  # fmt: skip
def test_truth(payload: Any, truth: dict[str, str]) -> None:
    """Every violation is found once, at its place, by its most basic name; nothing else is, whatever stands around it."""
    assert _judge().truth(payload) == truth


def test_planted_violations_are_the_truth() -> None:
    """Planting gives exactly as many violations as wanted, of the wanted kinds, and the judge finds just those."""
    rng = Random(3)
    judge = _judge()
    kinds = ["type_mismatch", "missing_required", "extra_field"]
    value, truth = plant(VALID, judge, kinds, 5, rng)
    assert len(truth) == 5
    assert set(truth.values()) <= set(kinds)
    assert judge.truth(value) == truth
    assert judge.truth(VALID) == {}, "the valid payload was changed"


def test_samples_are_valid() -> None:
    """A sampled payload of any message of any company satisfies its schema."""
    for seed in range(8):
        for document in generate(seed, split="heldout" if seed % 2 else "train").services.values():
            for message in messages(document):
                judge = judge_of(document, message.pointer, message.direction)
                node: Any = document
                for step in message.pointer.split("/")[1:]:
                    node = node[step.replace("~1", "/").replace("~0", "~")]
                assert judge.truth(sample(document, node, Random(seed))) == {}, message


def test_openapi_core_agrees() -> None:
    """The judge's word on valid and violated bodies is that of openapi-core, which shares no code with it."""
    import copy

    from openapi_core import OpenAPI
    from openapi_core.exceptions import OpenAPIError
    from openapi_core.testing import MockRequest, MockResponse

    agreed = 0
    for seed in range(6):
        document = copy.deepcopy(next(iter(generate(seed).services.values())))
        for schema in document["components"]["schemas"].values():
            if "properties" in schema:  # openapi-core knows nothing of undeclared keys unless the schema closes itself
                schema["additionalProperties"] = False
        spec = OpenAPI.from_dict(document)
        server = document["servers"][0]["url"]
        for message in messages(document, Direction.RESPONSE):
            method, _, path = message.operation.partition(" ")
            if "{" in path or method != "GET":
                continue
            judge = judge_of(document, message.pointer, message.direction)
            node: Any = document
            for step in message.pointer.split("/")[1:]:
                node = node[step.replace("~1", "/").replace("~0", "~")]
            valid = sample(document, node, Random(seed))
            violated, truth = plant(
                valid, judge, ["type_mismatch", "missing_required", "invalid_enum"], 1, Random(seed)
            )
            for body, expected in ((valid, True), (violated, not truth)):
                import json

                request = MockRequest(server, method.lower(), path)
                response = MockResponse(json.dumps(body).encode(), 200)
                try:
                    unmarshalled = spec.unmarshal_response(request, response)
                    accepted = not unmarshalled.errors
                except OpenAPIError:
                    accepted = False
                assert accepted is expected
                agreed += 1
    assert agreed >= 8


@pytest.mark.parametrize("industry", TRAINING + HELD_OUT, ids=lambda each: each.name)
def test_ledgers(industry: Any) -> None:
    """An industry's priced document can be valid, each of its rules can be broken, and its words can be read back."""
    rng = Random(1)
    document, name = ledger_document(industry.ledger, rng)
    constraints = of_schema(document["components"]["schemas"][name])
    assert len(constraints) >= 9
    for each in constraints:
        assert understand(each.field, each.description) == each
    judge = judge_of(document, f"/components/schemas/{name}", Direction.REQUEST, constraints)
    payload = sample(document, {"$ref": f"#/components/schemas/{name}"}, rng, items=3)
    repair(constraints, payload, rng)
    assert judge.truth(payload) == {}
    assert len(instances(constraints, payload)) >= 11
    lines = industry.ledger.lines
    payload[lines][1][industry.ledger.amount] += 1
    payload[industry.ledger.subtotal] += 1
    for each in instances(constraints, payload):
        if each.place in (industry.ledger.tax, industry.ledger.total):
            payload[each.at[-1]] = each.wanted(payload)
    assert judge.truth(payload) == {f"{lines}[1].{industry.ledger.amount}": "cross_field_constraint"}


def test_every_wording_is_read_back() -> None:
    """Each phrase in each wording names the same constraint."""
    from guardian.learn.contract.constraints import phrase

    names = {"a": "one", "b": "two", "c": "three", "list": "rows", "value": "10.1.0.0/16"}
    for key, meaning in PHRASES.items():
        used = {each: value for each, value in names.items() if any(f"{{{each}}}" in text for text in meaning.wordings)}
        found = {phrase(key, "field", Random(seed), **used) for seed in range(20)}
        assert {each.description for each in found} and len({(each.equals, each.holds) for each in found}) == 1
        for each in found:
            assert understand("field", each.description) == each
    assert understand("field", "something else entirely") is None


def test_access_requests() -> None:
    """Access to an operation asks for its own scopes; a request that has them all is valid, one without is not."""
    for seed in range(6):
        rng = Random(seed)
        document = access_document(next(iter(generate(seed).services.values())), rng)
        constraints = of_schema(document["components"]["schemas"][NAME])
        judge = judge_of(document, f"/components/schemas/{NAME}", Direction.REQUEST, constraints)
        payload = sample(document, {"$ref": f"#/components/schemas/{NAME}"}, rng)
        complete(payload, document)
        repair(constraints, payload, rng)
        assert judge.truth(payload) == {}
        payload["token"]["scopes"] = ["profile"]
        assert judge.truth(payload) == {"token.scopes": "missing_required"}
        payload["rate_limit"]["used"] = payload["rate_limit"]["limit"] + 1
        payload["client"]["address"] = "203.0.113.9"
        assert set(judge.truth(payload)) == {"token.scopes", "rate_limit.used", "client.address"}


def test_secrets_are_taken_out() -> None:
    """What agents see of a constraint is its words, never its expression."""
    document, _ = ledger_document(TRAINING[0].ledger, Random(0))
    seen = str(without_secrets(document))
    assert "equals" not in seen and "'holds'" not in seen
    assert "description" in seen


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("a + b * 2", 8.0), ("cents(a / 3)", 0.67), ("total(rows, 'q', 'p')", 11.0), ("count(rows)", 2),
        ("when(x) > when(y)", True), ("root.inner.z == 'q' or a > 5", True), ("in_network(ip, '10.1.0.0/16')", True),
        ("not (a in rows)", True),
    ],
)  # fmt: skip
def test_expressions(expression: str, value: Any) -> None:
    """The language of constraints computes what it says."""
    scope = {"a": 2, "b": 3, "rows": [{"q": 1, "p": 5}, {"q": 2, "p": 3}], "x": "2026-02-01", "y": "2026-01-31",
             "ip": "10.1.2.3", "root": {"inner": {"z": "q"}}}  # fmt: skip
    assert evaluate(expression, scope) == value


@pytest.mark.parametrize(
    "expression", ["__import__('os')", "a.__class__", "(lambda: 1)()", "[x for x in a]", "a ** 9", "open('x')"]
)
def test_expressions_reach_nothing_else(expression: str) -> None:
    """There is no way out of the payload."""
    with pytest.raises((ValueError, Inapplicable)):
        evaluate(expression, {"a": 1})


def test_what_cannot_be_judged_is_not_broken() -> None:
    """A constraint about a field that is missing, null or of another type says nothing."""
    document, name = ledger_document(TRAINING[0].ledger, Random(0))
    constraints = of_schema(document["components"]["schemas"][name])
    assert broken(constraints)({"lines": [{"amount": "x"}], "total": None, "due_on": "soon"}) == []


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("$.items.1.sku", "items[1].sku"), (" items[1].sku ", "items[1].sku"), ("items['sku']", "items.sku"),
        ("get /users/{userId}.email", "GET /users/{}.email"), ("GET  /users/{id}/", "GET /users/{}"),
        ("GET /users/{id}.$", "GET /users/{}"), ("`a.b`", "a.b"), ("$", "$"), ("webhook POST paid.id", "webhook POST paid.id"),
    ],
)  # fmt: skip
def test_places_are_normalised(text: str, normal: str) -> None:
    """Spelling is forgiven, nothing else is."""
    assert normal_place(text) == normal


def test_places_that_are_none() -> None:
    """A prefix, a part or a list is another place."""
    assert (
        len({normal_place(each) for each in ("items[1]", "items[1].sku", "sku", "items[1].sku, id", "items[1].skus")})
        == 5
    )
    assert write_place(("items", 1, "sku")) == "items[1].sku"

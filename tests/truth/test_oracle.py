"""The oracle itself is right where anyone can see it, and so is the judge that guardian asks."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from guardian.model import Direction
from guardian.rules.judge import Judge
from guardian.rules.rewrite import Role
from tests.truth import oracle
from tests.truth.schemas import Generator
from tests.truth.verdict import side

STRING = {"type": "string"}
CLOSED = {"type": "object", "properties": {"p": STRING}, "additionalProperties": False}
OPEN = {"type": "object", "properties": {"p": STRING}}


@pytest.mark.parametrize(
    ("base", "head", "request_breaks", "response_breaks"),
    [
        (STRING, STRING, False, False),
        (STRING, {"type": "string", "maxLength": 2}, True, False),
        ({"type": "string", "maxLength": 2}, STRING, False, True),
        ({"type": "integer"}, STRING, True, True),
        (OPEN, {**OPEN, "required": ["p"]}, True, False),
        (OPEN, {"type": "object", "properties": {"p": STRING, "q": STRING}}, False, False),
        (OPEN, {"type": "object", "properties": {"p": STRING, "q": STRING}, "required": ["q"]}, True, False),
        (CLOSED, {**CLOSED, "properties": {"p": STRING, "q": STRING}}, False, False),
        ({**CLOSED, "properties": {"p": STRING, "q": STRING}}, CLOSED, True, False),
        (OPEN, CLOSED, False, False),
        ({"oneOf": [STRING, {"type": "string", "maxLength": 2}]}, STRING, False, False),
        (
            {"type": "object", "additionalProperties": STRING},
            {"type": "object", "additionalProperties": {"type": "null"}},
            True,
            True,
        ),
        ({"type": "array", "items": STRING}, {"type": "array", "items": STRING, "uniqueItems": True}, True, False),
    ],
)
def test_what_anyone_can_see(base: Any, head: Any, request_breaks: bool, response_breaks: bool) -> None:
    """The conventions of messages: undeclared keys are not sent, readers ignore what they do not know."""
    assert oracle.breaks(base, head, {}, {}, "request")[0] is request_breaks
    assert oracle.breaks(base, head, {}, {}, "response")[0] is response_breaks


def test_judge_agrees() -> None:
    """Guardian's judge accepts what the oracle's rewriting of the same schema accepts, value by value."""
    compared = 0
    for seed in range(250):
        schema = Generator(Random(seed)).schema(2)
        judges = [
            (
                Judge(side(schema, {}, "3.1.0"), direction, role),
                oracle.validator_of(schema, direction.value, sends=role is Role.SENDER),
            )
            for direction in Direction
            for role in Role
        ]
        for value in oracle.universe([schema])[:400]:
            if isinstance(value, dict) and not set(oracle.NAMES).isdisjoint(value) and oracle.is_free_form(schema):
                continue  # free-form: the oracle leaves out the keys that the other side might declare
            for judge, validator in judges:
                compared += 1
                assert judge.accepts(value) == validator.is_valid(value), (seed, schema, value)
    assert compared > 100_000

"""Guardian's verdict is the truth: over generated pairs of schemas no break is missed and none is made up."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import pytest

from guardian.model import Severity, Witness
from tests.truth import oracle
from tests.truth.schemas import Case, Generator, downgrade, edited
from tests.truth.verdict import Said, outcome, said

DIRECTIONS = ("request", "response")
SEEDS = 1_000
SOAK_SEEDS = 30_000
# What may stay open, of all verdicts: findings that the documents cannot decide, and changes below what nothing fits.
MOST_UNDECIDED = 0.02
MOST_HOLLOW = 0.015
LEAST_PROVED = 0.98


def judged(case: Case, direction: str, versions: tuple[str, str] = ("3.1.0", "3.1.0")) -> tuple[str, list[Said]]:
    """``right``, ``undecided``, ``hollow``, or how it is wrong; and what guardian said."""
    plain = (case.base, case.head, case.base_components, case.head_components)
    base, head = (
        downgrade(each) if version.startswith("3.0") else each for each, version in zip(plain, versions, strict=False)
    )
    findings = said(
        base, head, direction,
        base_components=case.base_components, head_components=case.head_components, versions=versions,
    )  # fmt: skip
    claimed = [
        each.proof.value for each in findings if isinstance(each.proof, Witness) and each.severity is Severity.BREAKING
    ]
    truth, message = oracle.breaks(*plain, direction, claimed)
    verdict = outcome(findings)
    if verdict == "undecided":
        return verdict, findings
    if truth and verdict == "holds":
        nothing = oracle.hollow(case.base, case.base_components) or oracle.hollow(case.head, case.head_components)
        return "hollow" if nothing else f"missed: {message!r}", findings
    if not truth and verdict == "breaks":
        hollow = oracle.hollow(case.base, case.base_components) or oracle.hollow(case.head, case.head_components)
        proved = any(isinstance(each.proof, Witness) for each in findings if each.severity is Severity.BREAKING)
        assert not proved, f"a witness that is none: {tell(case, direction, 'false alarm', findings)}"
        return "hollow" if hollow else "false alarm", findings
    return "right", findings


def tell(case: Case, direction: str, result: str, findings: list[Said]) -> str:
    lines = [f"{direction}: {result} ({case.edit})", f"  base {case.base}", f"  head {case.head}"]
    return "\n".join([*lines, *(f"  {each}" for each in findings)])


def check(cases: list[tuple[Case, tuple[str, str]]], most_false_alarms: float = 0.0) -> Counter[str]:
    """Count the verdicts; a miss is never right, a false alarm not more often than said."""
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    for case, versions in cases:
        for direction in DIRECTIONS:
            result, findings = judged(case, direction, versions)
            counts[result if result in {"right", "undecided", "hollow"} else "wrong"] += 1
            if result not in {"right", "undecided", "hollow"}:
                wrong.append(tell(case, direction, result, findings))
            for each in findings:
                if each.severity is Severity.BREAKING and not each.possible and result == "right":
                    counts["proved" if isinstance(each.proof, Witness) else "unproved"] += 1
    missed = [each for each in wrong if "missed" in each.partition("\n")[0]]
    assert not missed, "\n".join(missed[:5])
    assert len(wrong) <= most_false_alarms * 2 * len(cases), "\n".join(wrong[:5])
    return counts


def random_case(seed: int) -> Case:
    generator = Generator(Random(seed))
    base = generator.schema(2)
    head, name = edited(base, generator)
    if generator.chance(0.3):
        head, second = edited(head, generator)
        name += f", {second}"
    return Case(base, head, edit=f"seed {seed}: {name}")


def versions_for(case: Case, seed: int) -> tuple[str, str]:
    """Every third pair in OpenAPI 3.0 where it can be written in that, every third over an upgrade."""
    if downgrade(case.base) is None or seed % 3 == 0:
        return "3.1.0", "3.1.0"
    if seed % 3 == 1 and downgrade(case.head) is not None:
        return "3.0.3", "3.0.3"
    return "3.0.3", "3.1.0"


def random_cases(seeds: range) -> list[tuple[Case, tuple[str, str]]]:
    return [(case, versions_for(case, seed)) for seed in seeds for case in [random_case(seed)]]


def test_random_pairs() -> None:
    """Over edits of random compositions guardian agrees with the oracle, and proves what it calls breaking."""
    counts = check(random_cases(range(SEEDS)))
    total = 2 * SEEDS
    assert counts["right"] + counts["undecided"] + counts["hollow"] == total
    assert counts["undecided"] <= MOST_UNDECIDED * total
    assert counts["hollow"] <= MOST_HOLLOW * total
    assert counts["proved"] >= LEAST_PROVED * (counts["proved"] + counts["unproved"])


@pytest.mark.soak
def test_many_random_pairs() -> None:
    """The same over thirty times as many. Where keywords of different kinds say the same (a list under ``not`` of
    texts that are of no such format), or an open variant takes what another one refuses, guardian may say more than
    the two schemas do: never with a witness, and in no more than two of a thousand verdicts."""
    check(random_cases(range(SEEDS, SOAK_SEEDS)), most_false_alarms=0.002)


# -- keyword by place --------------------------------------------------------------------------------------------------

STRING: dict[str, Any] = {"type": "string"}
INTEGER: dict[str, Any] = {"type": "integer"}
NUMBER: dict[str, Any] = {"type": "number"}
ARRAY: dict[str, Any] = {"type": "array", "items": STRING}
OBJECT: dict[str, Any] = {"type": "object", "properties": {"p": STRING, "q": INTEGER}}

# For each keyword: a schema with it and one without it, or with another value of it. Compared both ways.
KEYWORDS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("type", STRING, INTEGER),
    ("type list", STRING, {"type": ["string", "integer"]}),
    ("null", STRING, {"type": ["string", "null"]}),
    ("integer", INTEGER, NUMBER),
    ("any type", STRING, {}),
    ("enum set", STRING, {"type": "string", "enum": ["a", "b"]}),
    ("enum grown", {"type": "string", "enum": ["a"]}, {"type": "string", "enum": ["a", "b"]}),
    ("enum without type", {"enum": ["a", 1]}, {"enum": ["a", 1, None]}),
    ("enum to limits", {"type": "integer", "enum": [1, 5]}, {"type": "integer", "maximum": 2}),
    ("const", {"const": "a"}, {"const": "b"}),
    ("minimum set", INTEGER, {"type": "integer", "minimum": 1}),
    ("minimum moved", {"type": "number", "minimum": 0}, {"type": "number", "minimum": 1}),
    ("minimum excluded", {"type": "number", "minimum": 0}, {"type": "number", "exclusiveMinimum": 0}),
    ("maximum set", INTEGER, {"type": "integer", "maximum": 3}),
    ("maximum moved", {"type": "number", "maximum": 4}, {"type": "number", "maximum": 3}),
    ("maximum excluded", {"type": "number", "maximum": 4}, {"type": "number", "exclusiveMaximum": 4}),
    ("multipleOf set", INTEGER, {"type": "integer", "multipleOf": 2}),
    ("multipleOf refined", {"type": "number", "multipleOf": 0.5}, {"type": "number", "multipleOf": 1}),
    ("minLength set", STRING, {"type": "string", "minLength": 1}),
    ("minLength moved", {"type": "string", "minLength": 1}, {"type": "string", "minLength": 2}),
    ("maxLength set", STRING, {"type": "string", "maxLength": 2}),
    ("maxLength moved", {"type": "string", "maxLength": 3}, {"type": "string", "maxLength": 2}),
    ("pattern set", STRING, {"type": "string", "pattern": "^a"}),
    ("pattern moved", {"type": "string", "pattern": "^a"}, {"type": "string", "pattern": "^a*$"}),
    ("pattern other", {"type": "string", "pattern": "^a"}, {"type": "string", "pattern": "b$"}),
    ("format set", STRING, {"type": "string", "format": "date"}),
    ("format other", {"type": "string", "format": "date"}, {"type": "string", "format": "date-time"}),
    ("number format", {"type": "integer", "format": "int32"}, {"type": "integer", "format": "int64"}),
    ("minItems set", ARRAY, {**ARRAY, "minItems": 1}),
    ("minItems moved", {**ARRAY, "minItems": 1}, {**ARRAY, "minItems": 2}),
    ("maxItems set", ARRAY, {**ARRAY, "maxItems": 2}),
    ("maxItems moved", {**ARRAY, "maxItems": 2}, {**ARRAY, "maxItems": 1}),
    ("uniqueItems", ARRAY, {**ARRAY, "uniqueItems": True}),
    ("items", ARRAY, {"type": "array", "items": INTEGER}),
    ("items lifted", ARRAY, {"type": "array"}),
    ("contains", ARRAY, {**ARRAY, "contains": {"const": "a"}}),
    ("minContains", {**ARRAY, "contains": {"const": "a"}}, {**ARRAY, "contains": {"const": "a"}, "minContains": 2}),
    ("maxContains", {**ARRAY, "contains": {"const": "a"}}, {**ARRAY, "contains": {"const": "a"}, "maxContains": 1}),
    ("prefixItems", {**ARRAY, "prefixItems": [STRING]}, {**ARRAY, "prefixItems": [INTEGER]}),
    ("required", OBJECT, {**OBJECT, "required": ["p"]}),
    ("property", OBJECT, {"type": "object", "properties": {"q": INTEGER}}),
    ("required property", {**OBJECT, "required": ["p"]}, {"type": "object", "properties": {"q": INTEGER}}),
    ("property of a closed object", {**OBJECT, "additionalProperties": False},
     {"type": "object", "properties": {"q": INTEGER}, "additionalProperties": False}),
    ("additionalProperties closed", OBJECT, {**OBJECT, "additionalProperties": False}),
    ("map", {"type": "object", "additionalProperties": STRING}, {"type": "object", "additionalProperties": INTEGER}),
    ("map closed", {"type": "object", "additionalProperties": STRING}, {"type": "object", "additionalProperties": False}),
    ("map of anything", {"type": "object", "additionalProperties": STRING}, {"type": "object"}),
    ("property of a map", {"type": "object", "additionalProperties": STRING},
     {"type": "object", "additionalProperties": STRING, "properties": {"p": INTEGER}}),
    ("patternProperties", {"type": "object", "patternProperties": {"^x": STRING}},
     {"type": "object", "patternProperties": {"^x": INTEGER}}),
    ("propertyNames", {"type": "object", "propertyNames": {"maxLength": 1}}, {"type": "object", "propertyNames": {"maxLength": 2}}),
    ("minProperties", OBJECT, {**OBJECT, "minProperties": 1}),
    ("maxProperties", OBJECT, {**OBJECT, "maxProperties": 1}),
    ("dependentRequired", OBJECT, {**OBJECT, "dependentRequired": {"p": ["q"]}}),
    ("dependentSchemas", OBJECT, {**OBJECT, "dependentSchemas": {"p": {"required": ["q"]}}}),
    ("if", OBJECT, {**OBJECT, "if": {"required": ["p"]}, "then": {"required": ["q"]}}),
    ("not", STRING, {"type": "string", "not": {"const": "a"}}),
    ("anyOf grown", {"anyOf": [STRING, INTEGER]}, {"anyOf": [STRING, INTEGER, {"type": "boolean"}]}),
    ("oneOf grown", {"oneOf": [{**OBJECT, "required": ["p"]}, {"type": "object", "properties": {"r": STRING}, "required": ["r"]}]},
     {**OBJECT, "required": ["p"]}),
    ("allOf grown", {"allOf": [OBJECT]}, {"allOf": [OBJECT, {"required": ["q"]}]}),
]  # fmt: skip


def places_for(schema: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The schema at each kind of place."""
    return {
        "root": schema,
        "property": {"type": "object", "properties": {"q": schema}},
        "required property": {"type": "object", "properties": {"q": schema}, "required": ["q"]},
        "deep property": {"type": "object", "properties": {"q": {"type": "object", "properties": {"r": schema}}}},
        "item": {"type": "array", "items": schema},
        "item of a property": {"type": "object", "properties": {"q": {"type": "array", "items": schema}}},
        "map value": {"type": "object", "additionalProperties": schema},
        "allOf": {
            "allOf": [{"type": "object", "properties": {"p": STRING}}, {"type": "object", "properties": {"q": schema}}]
        },
        "alternative": {
            "anyOf": [{"type": "boolean"}, {"type": "object", "properties": {"q": schema}, "required": ["q"]}]
        },
        "nullable object": {"type": ["object", "null"], "properties": {"q": schema}},
        "reference": {"$ref": "#/components/schemas/Thing"},
        "reference to a reference": {"type": "array", "items": {"$ref": "#/components/schemas/Things"}},
    }


@pytest.mark.parametrize(("keyword", "one", "other"), KEYWORDS, ids=[name for name, _, _ in KEYWORDS])
def test_keyword_at_every_place(keyword: str, one: dict[str, Any], other: dict[str, Any]) -> None:
    """Each keyword, set, lifted and moved, at each place, in both directions and versions that know it."""
    cases: list[tuple[Case, tuple[str, str]]] = []
    for base, head in ((one, other), (other, one)):
        for place, placed in places_for(base).items():
            components = [
                {
                    "Thing": each,
                    "Things": {"type": "object", "properties": {"p": {"$ref": "#/components/schemas/Thing"}}},
                }
                for each in (base, head)
            ]
            case = Case(placed, places_for(head)[place], *components, edit=f"{keyword} at {place}")
            cases.append((case, ("3.1.0", "3.1.0")))
            if "reference" not in place and downgrade(case.base) is not None and downgrade(case.head) is not None:
                cases.append((case, ("3.0.3", "3.0.3")))
    counts = check(cases)
    assert counts["right"] + counts["undecided"] == 2 * len(cases)

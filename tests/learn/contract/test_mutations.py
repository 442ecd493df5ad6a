from __future__ import annotations

import json
from random import Random

import pytest

from guardian.learn.contract.companies import generate
from guardian.learn.contract.engine import Comparison, places
from guardian.learn.contract.mutations import Operator, operators
from guardian.learn.contract.mutations.sites import clone
from guardian.model import Severity

EVERY = operators()
COMPANIES = [generate(seed, services=2) for seed in range(4)]


def _applied(operator: Operator) -> list[tuple[dict, dict, str]]:
    found = []
    for seed, company in enumerate(COMPANIES):
        for base in company.services.values():
            head = clone(base)
            said = operator.edit(head, Random(seed))
            if said is not None:
                found.append((base, head, said))
    return found[:4]


def test_there_are_enough() -> None:
    """At least forty operators, and about as many look-alikes as breaks."""
    harmless = operators(harmless=True)
    assert len(EVERY) >= 80
    assert 0.3 < len(harmless) / len(EVERY) < 0.7
    assert len({each.name for each in EVERY}) == len(EVERY)


@pytest.mark.parametrize("operator", EVERY, ids=lambda each: each.name)
def test_an_operator_edits_what_it_says(operator: Operator) -> None:
    """It finds a place in some company, changes the document there, and the engine can read what comes of it."""
    applied = _applied(operator)
    assert applied, "found no place in any company"
    for base, head, said in applied:
        assert said
        assert json.dumps(head) != json.dumps(base)
        Comparison({"one": base}, {"one": head}).changes  # noqa: B018 - must not raise


@pytest.mark.parametrize("operator", operators(harmless=True), ids=lambda each: each.name)
def test_look_alikes_break_nothing(operator: Operator) -> None:
    """What is meant to be harmless is so by the engine's word: no breaking change in any company."""
    for base, head, said in _applied(operator):
        broken = places(Comparison({"one": base}, {"one": head}).breaking)
        assert not broken, f"{said}: {broken}"


def test_refactorings_yield_nothing() -> None:
    """A refactoring leaves every message as it is: the engine reports no change worth more than a note."""
    names = {"rename-component", "inline-component", "extract-component", "wrap-in-all-of", "split-into-all-of",
             "reorder-keys", "share-path-parameters", "rename-path-variable", "spell-null-differently",
             "integer-bound-exclusive", "spell-security-out"}  # fmt: skip
    for operator in (each for each in EVERY if each.name in names):
        for base, head, said in _applied(operator):
            changes = Comparison({"one": base}, {"one": head}).changes
            assert all(change.severity.rank <= Severity.INFO.rank for change in changes), (operator.name, said, changes)


@pytest.mark.parametrize("operator", operators(harmless=False), ids=lambda each: each.name)
def test_breaking_operators_are_noticed(operator: Operator) -> None:
    """What is meant to break leaves at least a finding of some kind."""
    for base, head, said in _applied(operator):
        assert Comparison({"one": base}, {"one": head}).changes, said

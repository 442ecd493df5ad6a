"""Every example in the catalogue, run through the real comparison: the page of a rule cannot lie."""

from __future__ import annotations

import pytest

from guardian.model import Severity
from guardian.rules.examples import documents
from guardian.rules.registry import Declared, Example, Rule, all_rules
from tests.rules.sides import changes, severities

EXAMPLES = [
    pytest.param(rule, example, id=f"{rule.id}-{example.outcome}-{index}")
    for rule in all_rules()
    for index, example in enumerate(rule.examples)
]


@pytest.mark.parametrize(("rule", "example"), EXAMPLES)
def test_example_has_its_outcome(rule: Rule, example: Example) -> None:
    """An example that breaks is breaking, one that warns warns, and one that holds is at most a note."""
    found = severities(changes(*documents(example, rule)), rule.id)
    if example.outcome == "breaks":
        assert Severity.BREAKING in found
    elif example.outcome == "warns":
        assert found == {Severity.WARNING}
    else:
        assert found <= {Severity.INFO}


@pytest.mark.parametrize(("rule", "example"), EXAMPLES)
def test_nothing_changes_without_a_change(rule: Rule, example: Example) -> None:
    """No rule finds anything between a document and itself."""
    for document in documents(example, rule):
        assert changes(document, document) == []


@pytest.mark.parametrize("rule", [rule for rule in all_rules() if rule.pair is not Declared], ids=lambda rule: rule.id)
def test_every_rule_is_explained_by_example(rule: Rule) -> None:
    """Each rule has a sentence, a reason and at least one example."""
    assert rule.summary.endswith(".")
    assert rule.why
    assert rule.examples

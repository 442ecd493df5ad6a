"""`guardian rules`, `guardian explain` and `guardian schema` say what the rules and values say."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema_rs
import pytest

from guardian.cli import catalogue
from guardian.config import ReportFormat
from guardian.report import FORMATS
from guardian.rules import aliases
from guardian.rules.registry import all_rules


def test_list(guardian):
    """`guardian rules` lists every rule once, with its first sentence."""
    outcome = guardian("rules")
    assert outcome.code == 0
    lines = [line.split() for line in outcome.out.splitlines() if line.startswith("  ")]
    assert sorted(words[0] for words in lines) == [rule.id for rule in all_rules()]


def test_data(guardian):
    """The JSON form holds every rule with its examples and aliases."""
    entries = json.loads(guardian("rules", "--format", "json").out)
    assert sorted(each["id"] for each in entries) == [rule.id for rule in all_rules()]
    assert all(each["summary"] and each["area"] for each in entries)


def test_markdown_links_lead_somewhere(guardian):
    """Every rule in the table of the Markdown form has its section."""
    text = guardian("rules", "--format", "markdown").out
    for rule in all_rules():
        assert f"](#{rule.id})" in text
        assert f"\n### {rule.id}\n" in text


def test_markdown_argues_every_difference(guardian):
    """The page names each check of oasdiff once in its table, and each whose level differs under an argument."""
    text = guardian("rules", "--format", "markdown").out
    differences = text.partition("### Deliberate differences in level")[2].partition("\n### ")[0]
    rows = text.partition("### Every check and its rule")[2]
    for alias in aliases.table().values():
        assert rows.count(f"| `{alias.id}` |") == 1
        differs = bool(alias.rule) and alias.ours != alias.theirs
        assert (
            f"{alias.theirs} there, {alias.ours} here" in differences and f"`{alias.id}`" in differences
        ) or not differs
        assert not differs or alias.note in differences
    for rule in all_rules():
        assert rule.aliases or f"[`{rule.id}`](#{rule.id})" in text.partition("### What has no name there")[2]


def test_explain(guardian):
    """A rule is explained by its docstring, under its own id and under oasdiff's."""
    rule = next(rule for rule in all_rules() if rule.aliases and rule.examples)
    outcome = guardian("explain", rule.id)
    assert outcome.code == 0
    assert outcome.out == catalogue.page(rule) == guardian("explain", rule.aliases[0]).out
    for part in (rule.summary, rule.why, rule.aliases[0]):
        assert part in outcome.out


def test_explain_unknown(guardian):
    """An unknown rule is wrong usage, and the near ones are named."""
    known = all_rules()[0].id
    outcome = guardian("explain", known + "x")
    assert (outcome.code, outcome.out) == (2, "")
    assert known in outcome.err


@pytest.mark.parametrize("name", ["config", "manifest", "exceptions", "report"])
def test_schema(guardian, name: str):
    """Each schema that is printed is a JSON Schema."""
    outcome = guardian("schema", name)
    assert outcome.code == 0
    jsonschema_rs.meta.validate(json.loads(outcome.out))


def test_unknown_schema(guardian):
    """Another name is wrong usage, and those there are are named."""
    outcome = guardian("schema", "openapi")
    assert outcome.code == 2
    assert outcome.err == "error: NAME openapi: not one of config, manifest, exceptions, report\n"


def test_formats_are_those_of_the_reports():
    """What --format takes is what guardian.report writes."""
    assert tuple(ReportFormat) == FORMATS


def test_published_hook_names_a_command_that_is_there():
    """The pre-commit hook calls `guardian check`."""
    text = (Path(__file__).parents[2] / ".pre-commit-hooks.yaml").read_text()
    assert "entry: guardian check\n" in text

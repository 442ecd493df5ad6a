"""The named changes: well-formed, valid, about one thing each, and judged by guardian as they expect."""

from __future__ import annotations

import difflib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import apply
import pytest
from contract_reader import Company
from openapi_spec_validator import validate
from openapi_spec_validator.readers import read_from_filename

from guardian.cli.main import run

NAMES = apply.list_changes()
COMPANY = Company(apply.COMPANY)


def test_friday_comes_first() -> None:
    """The demo's change leads the list; there are enough others, harmless ones included."""
    assert NAMES[0] == "friday-rename"
    assert len(NAMES) >= 16
    assert {apply.load_change(name).expect.verdict for name in NAMES} == {"pass", "warn", "fail"}


@pytest.mark.parametrize("name", NAMES)
def test_changes_are_well_formed(name: str) -> None:
    """A change tells a story, expects something sayable, and names only consumers that exist."""
    change = apply.load_change(name)
    expect = change.expect
    assert change.title == change.title.strip()
    assert not change.title.endswith(".")
    assert change.story.strip()
    groups = [set(expect.broken), set(expect.possible), set(expect.either), set(expect.accepted), set(expect.safe)]
    named = [consumer for group in groups for consumer in group]
    assert len(named) == len(set(named)), "a consumer cannot be two things"
    assert set(named) <= COMPANY.consumers
    assert expect.safe, "a change that says who is safe can be wrong in both directions"
    assert (expect.verdict == "fail") >= bool(expect.broken), "a broken consumer fails the check"
    assert expect.meaning in ("harmless", "harmful")
    assert change.files or change.removes


@pytest.mark.parametrize("name", NAMES)
def test_changes_are_about_one_thing(name: str) -> None:
    """A replaced file differs from the company's, and only in what the story tells: copies must not drift."""
    change = apply.load_change(name)
    for file in change.files:
        base = (apply.COMPANY / file).read_text(encoding="utf-8").splitlines()
        head = (apply.CHANGES / name / "files" / file).read_text(encoding="utf-8").splitlines()
        edits = [line for line in difflib.ndiff(base, head) if line[0] in "+-"]
        assert edits, file
        assert len(edits) <= (150 if name == "refactoring-only" else 30), file


@pytest.mark.parametrize("name", NAMES)
def test_specifications_stay_valid(name: str, tmp_path: Path) -> None:
    """After a change, every specification of a service it touches is valid OpenAPI still."""
    sides = apply.materialise(name, tmp_path)
    head = Company(sides.head)
    touched = {file.split("/")[1] for file in apply.load_change(name).files if file.startswith("services/")}
    for service in touched & head.specs.keys():
        document, uri = read_from_filename(str(head.specs[service]))
        validate(document, base_uri=uri)


@pytest.mark.parametrize("name", NAMES)
def test_whoever_uses_what_is_gone_is_expected_to_break(name: str, tmp_path: Path) -> None:
    """The expectation agrees with a reader that knows nothing of rules: manifests looked up in the head state.

    Lookups see what is gone, not what is merely different (a retyped field is still there): hence "at most".
    """
    change = apply.load_change(name)
    head = Company(apply.materialise(name, tmp_path).head)
    lost = {consumer for consumer, manifest in head.manifests.items() if head.missing(consumer, manifest)}
    assert lost <= {*change.expect.broken, *change.expect.accepted, *change.expect.either}


def test_the_reader_sees_friday(tmp_path: Path) -> None:
    """The reader behind the test above is not blind: it finds Friday's three direct readers, and those alone."""
    head = Company(apply.materialise("friday-rename", tmp_path).head)
    lost = {consumer for consumer, manifest in head.manifests.items() if head.missing(consumer, manifest)}
    expect = apply.load_change("friday-rename").expect
    assert lost == {consumer for consumer, hops in expect.broken.items() if hops == 1}


@pytest.mark.parametrize("name", NAMES)
def test_repositories_hold_the_change_and_nothing_else(name: str, tmp_path: Path) -> None:
    """Between main and the branch lie the change's files alone, and the work tree is clean."""
    change = apply.load_change(name)
    repository = apply.make_repository(name, tmp_path)
    touched = apply.git(repository, "diff", "--name-only", apply.BRANCH).split()
    assert touched == sorted((*change.files, *change.removes))
    assert apply.git(repository, "status", "--porcelain") == ""


@pytest.mark.parametrize("name", NAMES)
def test_changes_give_what_they_expect(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """``guardian check`` on the branch says what change.yaml expects: verdict, consumers, hops, rules, exit code."""
    change = apply.load_change(name)
    monkeypatch.chdir(apply.make_repository(name, tmp_path))
    monkeypatch.setattr(sys, "argv", ["guardian", "check", "--base", apply.BRANCH, "--format", "json", "--no-fixes"])
    with pytest.raises(SystemExit) as ended:
        run()
    output = capsys.readouterr()
    assert (ended.value.code or 0) == change.expect.exit_code, output.err
    assert apply.differences(change.expect, json.loads(output.out)) == []


def test_differences_are_told() -> None:
    """A report that says otherwise is never taken as expected."""
    expect = apply.load_change("friday-rename").expect
    report: dict[str, Any] = {"verdict": "fail", "changes": []}
    told = apply.differences(expect, report)
    assert any(line.startswith("broken:") for line in told)
    assert any(line.startswith("rules:") for line in told)
    hits = [{"consumer": consumer, "impact": "broken", "hops": hops} for consumer, hops in expect.broken.items()]
    report["changes"] = [{"rule": "property-removed", "exception": None, "consumers": hits}]
    assert apply.differences(expect, report) == []


def test_the_demo_lists_and_refuses() -> None:
    """``--list`` names every change; a name that does not exist is wrong usage, not a traceback."""
    demo = [sys.executable, str(apply.HERE / "demo.py")]
    listed = subprocess.run([*demo, "--list"], check=True, capture_output=True, text=True).stdout
    assert [line.split()[0] for line in listed.splitlines()] == NAMES
    refused = subprocess.run([*demo, "monday-rename"], check=False, capture_output=True, text=True)
    assert refused.returncode == 2
    assert "monday-rename" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_the_readme_lists_every_change() -> None:
    """fixtures/README.md has one line for each change, with its title and verdict."""
    readme = (apply.HERE / "README.md").read_text(encoding="utf-8")
    rows = [line.split(" | ")[:3] for line in readme.splitlines() if line.startswith("| ") and line.count(" | ") == 3]
    changes = [apply.load_change(name) for name in NAMES]
    expected = [[f"| {change.name}", change.title, change.expect.verdict] for change in changes]
    assert [row for row in rows if row[0][2:] in NAMES] == expected

"""Small inputs with the right answer, made from public bug reports: each judged as its expect.json says.

They are kept beside the project, not in it; without them there is nothing to run.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from guardian.check import run
from guardian.config import CheckRequest
from guardian.model import Impact, Mode, Report, Severity

SHARED = Path(__file__).resolve().parents[3] / "shared"
CASES = sorted(path.parent for path in (SHARED / "cases").glob("*/expect.json"))
PAIRS = SHARED / "pairs"

pytestmark = pytest.mark.skipif(not CASES, reason="the shared cases are not beside this checkout")


def check(cwd: Path, *, mode: Mode = Mode.BOTH, consumers: Sequence[str] = (), **more: Any) -> Report:
    request = CheckRequest(
        cwd=cwd, as_of=date(2026, 11, 29), mode=mode, consumers=tuple(consumers), fixes=False, **more
    )  # fmt: skip
    return run(request)


def laid_out(case: Path, target: Path) -> dict[str, Any]:
    """The case as two directories and a folder of manifests; returns what is expected of it."""
    expect: dict[str, Any] = json.loads((case / "expect.json").read_text(encoding="utf-8"))
    for side in ("base", "head"):
        (target / side).mkdir()
        shutil.copy(case / f"{side}.yaml", target / side / "api.yaml")
        for folder in (each for each in case.iterdir() if each.is_dir()):
            shutil.copytree(folder, target / side / folder.name)
    (target / "consumers").mkdir()
    for each in expect["consumers"]:
        use = {key: each[key] for key in ("operation", "reads", "sends") if key in each}
        manifest = {"consumer": each["consumer"], "owner": "team", "uses": [{"service": "api", **use}]}
        (target / "consumers" / f"{each['consumer']}.yaml").write_text(json.dumps(manifest), encoding="utf-8")
    return expect


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_contract_is_judged_as_expected(case: Path, tmp_path: Path) -> None:
    """The worst that any change counts as, by the contract alone."""
    expect = laid_out(case, tmp_path)
    report = check(tmp_path, base="base", head="head", mode=Mode.CONTRACT)
    worst = max((change.counts_as for change in report.changes), key=lambda each: each.rank, default="none")
    assert worst in expect["expected_counts_as"], [change.message for change in report.changes]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_each_consumer_is_hit_as_expected(case: Path, tmp_path: Path) -> None:
    """The worst that happens to each declared consumer; who is safe is not listed."""
    expect = laid_out(case, tmp_path)
    if not expect["consumers"]:
        pytest.skip("the case declares no consumer")
    report = check(tmp_path, base="base", head="head", mode=Mode.CONSUMERS, consumers=["consumers"])
    for each in expect["consumers"]:
        impacts = [
            impact.impact
            for change in report.changes
            for impact in change.consumers
            if impact.consumer == each["consumer"]
        ]
        worst = max(impacts, key=lambda impact: impact.rank, default=Impact.SAFE)
        assert worst in each["expected_impact"], each["consumer"]


def broken(report: Report) -> dict[str, set[str]]:
    """Who is broken by which service."""
    found: dict[str, set[str]] = {}
    for change in report.changes:
        for impact in change.consumers:
            if impact.impact is Impact.BROKEN:
                found.setdefault(change.service, set()).add(impact.consumer)
    return found


def test_real_pacts_name_the_two_that_break() -> None:
    """Four real services and their pacts: the narration's readers break, heroes and villains do not."""
    folder = PAIRS / "01-superheroes-image-narration"
    report = check(folder, base="base/specs", head="head/specs", consumers=["base/pacts"])
    assert broken(report) == {"rest-fights": {"ui-super-heroes"}, "rest-narration": {"rest-fights"}}


def test_mended_pacts_are_clean_against_head() -> None:
    """After the consumers were mended nobody breaks."""
    folder = PAIRS / "01-superheroes-image-narration"
    report = check(folder, base="base/specs", head="head/specs", consumers=["head/pacts"])
    assert broken(report) == {}
    assert all(change.counts_as is not Severity.BREAKING for change in report.changes)


def test_a_removed_operation_that_nobody_calls() -> None:
    """One breaking change by the contract, and nobody is hit by the collection that says what is called."""
    folder = PAIRS / "03-petclinic-rest"
    report = check(folder, base="base.yaml", head="head.yaml", mode=Mode.CONTRACT)
    assert [(change.rule, change.operation) for change in report.changes if change.severity is Severity.BREAKING] == [
        ("operation-removed", "POST /pets")
    ]
    assert broken(report) == {}


@pytest.mark.parametrize(
    ("pair", "base", "head", "place"),
    [
        ("09-box-confidence-score", "base.json", "head.json", "confidence_score"),
        ("12-openai-source-removed", "base.yaml", "head.yaml", "source"),
    ],
)
def test_the_needle_is_found(pair: str, base: str, head: str, place: str) -> None:
    """One removed property in a document of megabytes, and little else."""
    report = check(PAIRS / pair, base=base, head=head, mode=Mode.CONTRACT)
    worst = [change for change in report.changes if change.severity.rank >= Severity.WARNING.rank]
    assert [change.rule for change in worst] == ["property-removed"]
    assert worst[0].field.split(".")[-1] == place


def test_a_refactoring_removes_nothing() -> None:
    """Inline properties that moved into shared schemas are still there: only new variants remain."""
    report = check(PAIRS / "05-figma-v0.29-v0.30", base="base.yaml", head="head.yaml", mode=Mode.CONTRACT)
    assert {change.rule for change in report.changes if change.severity is Severity.BREAKING} == {"alternative-added"}


def test_one_api_in_two_dialects() -> None:
    """Swagger 2.0 and OpenAPI 3.0 forms of one API: what differs is what was really changed, and no spelling."""
    report = check(PAIRS / "17-petstore-2.0-vs-3.0", base="base.yaml", head="head.yaml", mode=Mode.CONTRACT)
    breaking = {(change.rule, change.operation) for change in report.changes if change.severity is Severity.BREAKING}
    assert breaking == {
        ("maximum-changed", "GET /pets"),
        ("request-body-added", "POST /pets"),
        # base answers one pet with the whole list's schema; head corrects that
        ("type-changed", "GET /pets/{petId}"),
    }

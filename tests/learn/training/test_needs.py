"""What a run lacks is wrong usage, told before anything long begins, and leaves no trace in its folder."""

from __future__ import annotations

import json
import math
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from guardian.errors import UsageError
from guardian.learn.folders import check_training, mark_training
from guardian.learn.training.needs import check_plan
from guardian.learn.training.presets import PRESETS, Plan
from guardian.learn.training.run import describe, in_training, train


def _plan(folder: Path, **changes: Any) -> Plan:
    plan = Plan("contract", ("find_type_mismatches",), "base", 4, 0, folder / "run", PRESETS["cpu"])
    return replace(plan, **changes)


@pytest.mark.parametrize(
    ("changes", "trackers", "said"),
    [
        ({"env": "workflow", "graph": Path("guardian.yaml")}, (), "--graph belongs to the contract environment"),
        ({"preset": replace(PRESETS["cpu"], answer=100_000)}, (), "leaves no room"),
        ({"preset": replace(PRESETS["cpu"], group=3)}, (), "no multiple"),
        ({"preset": replace(PRESETS["cpu"], rate=0.0)}, (), "nothing is learned"),
        ({"preset": replace(PRESETS["cpu"], rate=math.inf)}, (), "nothing is learned"),
        ({}, ("nope",), "there is no tracker nope"),
    ],
)
def test_a_plan_that_does_not_agree_with_itself(
    changes: dict[str, Any], trackers: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    """With or without the extra, and with nothing written."""
    with pytest.raises(UsageError, match=said):
        check_plan(_plan(tmp_path, **changes), trackers)
    with pytest.raises(UsageError, match=said):
        train(_plan(tmp_path, **changes), report_to=trackers)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("preset", ["cpu", "l4", "h100"])
def test_what_is_not_there_leaves_the_folder_free(preset: str, tmp_path: Path) -> None:
    """No such base, no GPU, no extra: each is told as wrong usage, and the corrected command finds a free folder."""
    plan = _plan(tmp_path, base=str(tmp_path / "none"), preset=PRESETS[preset])
    with pytest.raises(UsageError) as told:
        train(plan)
    assert told.value.hint
    assert not plan.output.exists()


def test_flags_are_checked_before_a_dry_run() -> None:
    """The command says so with code 2."""
    import subprocess
    import sys

    for flags in ("--env workflow --graph none", "--answer 100000 --preset cpu", "--report-to nope", "--graph none"):
        command = [sys.executable, "-m", "guardian", "train", *shlex.split(flags), "--dry-run"]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        assert run.returncode == 2, (flags, run.stderr)


def test_a_plan_alone_binds_no_folder(tmp_path: Path) -> None:
    """Only what was learned does; to continue, both plans must be one."""
    mine, other = _plan(tmp_path), _plan(tmp_path, base="other")
    mark_training(mine.output, other.identity)
    check_training(mine.output, mine.identity, resume=False)
    with pytest.raises(UsageError, match="its base is other, this one's base"):
        check_training(mine.output, mine.identity, resume=True)
    (mine.output / "metrics.jsonl").write_text('{"phase": "warm start", "step": 1}\n')
    with pytest.raises(UsageError, match="another run: its base is other"):
        check_training(mine.output, mine.identity, resume=False)
    check_training(mine.output, other.identity, resume=False)
    assert json.loads((mine.output / "plan.json").read_text())["identity"]["base"] == "other"


def test_an_evaluation_s_folder_is_not_trained_in(tmp_path: Path) -> None:
    """Both would write a curve."""
    plan = _plan(tmp_path)
    plan.output.mkdir()
    for name in ("run.json", "episodes.jsonl"):
        (plan.output / name).write_text("{}")
    with pytest.raises(UsageError, match="the folder holds an evaluation"):
        check_training(plan.output, plan.identity, resume=False)


def test_a_dry_run_counts_what_is_not_held_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a user's own company, where nothing can be kept apart."""
    graph = Path(__file__).resolve().parents[3] / "fixtures" / "company" / "guardian.yaml"
    plan = _plan(tmp_path, graph=graph)
    assert in_training(plan) == 0
    monkeypatch.setattr("guardian.learn.apart._part", lambda scenario: "train")
    monkeypatch.setattr("guardian.learn.apart._RESERVE", 2)
    assert in_training(plan) == 2
    assert "held out    2 episodes every 25 steps, of which 2 may be among training's" in describe(plan, prompts=0)
    assert in_training(replace(plan, evaluate_every=0)) == 0


def test_a_dry_run_says_which_tasks_a_company_lacks(tmp_path: Path) -> None:
    """All of them, with what remains; also where the run would evaluate itself."""
    from guardian.learn.contract.tasks import TASKS

    (tmp_path / "api.yaml").write_text('openapi: 3.0.3\ninfo: {title: A, version: "1"}\npaths: {}\n')
    (tmp_path / "c.yaml").write_text('consumer: c\nuses: [{service: a, operation: "GET /a"}]\n')
    graph = tmp_path / "guardian.yaml"
    graph.write_text("services: {a: {spec: api.yaml}}\nconsumers: [c.yaml]\n")
    with pytest.raises(UsageError, match="find_type_mismatches, validate_nested_objects, ") as told:
        describe(_plan(tmp_path, graph=graph, tasks=tuple(TASKS)))
    assert told.value.hint == "--tasks validate_cross_field_constraints"

"""Evaluations side by side: what cannot be compared is refused, what differs is said, the same episodes are paired."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from guardian.errors import UsageError
from guardian.learn.comparing import _read, differences, markdown, paired
from guardian.learn.evaluate import Run, evaluate, interval

RUN = Run("contract", "before", ("find_type_mismatches", "validate_auth_request"), 8)


def _evaluated(folder: Path, run: Run, gain: float = 0.0) -> Path:
    def play(task: str, seed: int) -> dict[str, Any]:
        score = 0.25 * (seed % 3) + gain * (seed % 2)
        return {"task": task, "seed": seed, "score": score, "reward": 2 * score, "signals": {}}

    evaluate(run, folder, play=play)
    return folder


def test_the_same_episodes_are_paired(tmp_path: Path) -> None:
    """The difference of each episode, with the interval that everything here has; far narrower than the two intervals."""
    folders = [_evaluated(tmp_path / "a", RUN), _evaluated(tmp_path / "b", replace(RUN, policy="after"), 0.5)]
    results = _read(folders)
    assert differences(results) == []
    (gain,) = paired(results)
    assert (gain["name"], gain["against"]) == ("b", "a")
    assert list(gain["tasks"]) == list(RUN.tasks)
    low, high = interval([0.5, 0.0] * 8)
    assert gain["all"]["episodes"] == 16
    assert gain["all"]["score"]["mean"] == 0.25
    assert gain["all"]["score"]["low"] == pytest.approx(low, abs=0.1)
    assert gain["all"]["score"]["high"] == pytest.approx(high, abs=0.1)
    assert gain["all"]["reward"]["mean"] == 0.5
    text = markdown(results, [], [gain])
    assert "b less a, on the same episodes (paired bootstrap, 95 %):" in text
    assert "| **all** | 16 | +0.250 [+" in text


def test_what_differs_is_said_in_a_line_each(tmp_path: Path) -> None:
    """Difficulty, seeds, tasks and episodes; other episodes of a seed are not paired."""
    first = _evaluated(tmp_path / "a", RUN)
    other = _evaluated(
        tmp_path / "b", replace(RUN, difficulty="hard", seed=1, tasks=("find_type_mismatches",), episodes=4)
    )
    results = _read([first, other])
    told = differences(results)
    assert told == [
        "difficulty: medium in a, hard in b",
        "seed: 0 in a, 1 in b",
        "episodes of find_type_mismatches: 8 in a, 4 in b",
        "episodes of validate_auth_request: 8 in a, 0 in b",
        "the means are of different tasks",
    ]
    assert paired(results) == []
    text = markdown(results, told, [])
    assert all(f"- {line}" in text for line in told)
    assert "b and a played other episodes" in text


def test_only_common_episodes_are_paired(tmp_path: Path) -> None:
    """A longer evaluation of the same seeds is compared by those that both have; other seeds have none in common."""
    first = _evaluated(tmp_path / "a", RUN)
    short = _evaluated(tmp_path / "b", replace(RUN, episodes=3))
    apart = _evaluated(tmp_path / "c", replace(RUN, seed=1))
    results = _read([first, short, apart])
    gains = paired(results)
    assert gains[0]["all"]["episodes"] == 6
    assert gains[1]["all"] is None
    assert "c and a have no episode in common" in markdown(results, [], gains)


def test_two_environments_are_not_compared(tmp_path: Path) -> None:
    """Their tasks have nothing to do with one another."""
    from guardian.learn.workflow.evaluate import evaluate_workflow
    from guardian.learn.workflow.policies import make_policy

    few: dict[str, Any] = {"episodes": 3, "scenarios": ("sales_pipeline",)}
    evaluate_workflow(make_policy("random"), output=tmp_path / "w", **few)
    evaluate_workflow(make_policy("greedy"), output=tmp_path / "v", **few)
    with pytest.raises(UsageError, match="a is an evaluation of the contract environment, w one of the workflow"):
        _read([_evaluated(tmp_path / "a", RUN), tmp_path / "w"])
    (gain,) = paired(_read([tmp_path / "w", tmp_path / "v"]))
    assert gain["tasks"]["sales_pipeline"]["episodes"] == 3


def test_older_score_tables_are_compared_as_far_as_they_tell(tmp_path: Path) -> None:
    """Without their settings or episodes there is the table, and a line about what only one of them tells."""
    first = _evaluated(tmp_path / "a", RUN)
    other = _evaluated(tmp_path / "b", RUN)
    scores = json.loads((other / "scores.json").read_text())
    del scores["run"]
    (other / "scores.json").write_text(json.dumps(scores))
    (other / "episodes.jsonl").unlink()
    results = _read([first, other])
    assert "difficulty: medium in a, not told in b" in differences(results)
    (other / "scores.json").write_text("[]")
    with pytest.raises(UsageError, match="no score table"):
        _read([first, other])


def test_folders_of_one_name_are_told_apart(tmp_path: Path) -> None:
    """By their whole paths."""
    results = _read([_evaluated(tmp_path / "x/run", RUN), _evaluated(tmp_path / "y/run", RUN)])
    assert [each.name for each in results] == [str(tmp_path / "x/run"), str(tmp_path / "y/run")]

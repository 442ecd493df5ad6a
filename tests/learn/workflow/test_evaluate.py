"""Evaluation and curriculum: counted right, written whole, gone on with after an interruption."""

from __future__ import annotations

import csv
import dataclasses
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from guardian.errors import ReadError, UsageError
from guardian.learn.folders import asked
from guardian.learn.workflow import WORKFLOW
from guardian.learn.workflow.curriculum import EPISODES, HELD_OUT, Curriculum, description, held_out_seeds
from guardian.learn.workflow.curve import METRICS, RewardCurve
from guardian.learn.workflow.evaluate import before_after, evaluate_workflow, interval, score_table, table
from guardian.learn.workflow.policies import AdaptivePolicy, GreedyPolicy, make_policy
from guardian.learn.workflow.transcripts import Transcript, play


def test_the_curriculum_has_easy_medium_and_hard_thirds() -> None:
    """500 episodes by default, all five scenarios in each third, easy first."""
    course = list(Curriculum())
    assert len(course) == EPISODES == 500
    levels = [assignment.difficulty for assignment in course]
    assert levels == sorted(levels, key=("easy", "medium", "hard").index)
    assert set(description(Curriculum()).values()) <= {166, 167}
    for level in ("easy", "medium", "hard"):
        assert {each.scenario for each in course if each.difficulty == level} == set(WORKFLOW)


def test_training_never_sees_a_seed_of_evaluation() -> None:
    """The two ranges do not meet, whatever the seed of the course."""
    for seed in (0, 1, 77, 10**6):
        assert max(assignment.seed for assignment in Curriculum(seed=seed)) < HELD_OUT <= held_out_seeds(50, seed).start


def test_an_impossible_course_is_wrong_usage() -> None:
    """No episodes, or a scenario that does not exist."""
    with pytest.raises(UsageError):
        Curriculum(episodes=0)
    with pytest.raises(UsageError):
        Curriculum(scenarios=("sales",))


def test_an_evaluation_writes_what_it_promises(tmp_path: Path) -> None:
    """scores.json in the shape of both environments, nine metrics an episode, whole transcripts, a trace."""
    evaluation = evaluate_workflow(make_policy("adaptive"), episodes=3, output=tmp_path)
    scores = json.loads((tmp_path / "scores.json").read_text())
    assert scores == evaluation.scores
    assert scores.keys() >= {"env", "policy", "seed", "mean", "tasks", "first_100_reward", "last_100_reward"}
    assert list(scores["tasks"]) == list(WORKFLOW)
    row = scores["tasks"]["sales_pipeline"]
    assert row.keys() >= {
        "episodes", "score", "reward", "success", "steps", "invalid", "signals", "sla_compliance", "drift_recovery",
        "steps_to_recover", "failures",
    }  # fmt: skip
    assert row["failures"].keys() == {"stale_field", "loop", "invalid_action", "defer_spiral", "authority_breach"}
    rows = list(csv.DictReader((tmp_path / "reward_curve.csv").read_text().splitlines()))
    assert len(rows) == 15 and len(METRICS) == 9 and set(METRICS) < set(rows[0])
    assert all(row["reward"] and row["sla_compliance"] for row in rows)
    lines = (tmp_path / "transcripts.jsonl").read_text().splitlines()
    assert [Transcript.from_dict(json.loads(line)) for line in lines] == list(evaluation.transcripts)
    assert len((tmp_path / "episodes.jsonl").read_text().splitlines()) == 15
    assert "| easy | adaptive | 5 |" in (tmp_path / "scores.md").read_text()
    assert "assign_task T1" in (tmp_path / "trace.md").read_text()


def test_the_picture_has_the_same_bytes_each_time(tmp_path: Path) -> None:
    """Where matplotlib is there."""
    pytest.importorskip("matplotlib")
    curve = RewardCurve([play(GreedyPolicy(), "sales_pipeline", "easy", seed).episode for seed in range(3)])
    assert curve.draw(tmp_path / "a.png", "t") and curve.draw(tmp_path / "b.png", "t")
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_an_interrupted_evaluation_goes_on(tmp_path: Path) -> None:
    """What lies there is not played again, and a line that was cut short is; the result is the same bytes."""
    whole, half = tmp_path / "whole", tmp_path / "half"
    evaluate_workflow(make_policy("greedy"), episodes=2, output=whole)
    half.mkdir()
    (half / "run.json").write_bytes((whole / "run.json").read_bytes())
    lines = (whole / "transcripts.jsonl").read_text().splitlines(keepends=True)
    (half / "transcripts.jsonl").write_text("".join(lines[:4]) + lines[4][:50] + "\n")
    told: list[str] = []
    evaluate_workflow(make_policy("greedy"), episodes=2, output=half, progress=told.append)
    assert len(told) == 6
    for name in ("scores.json", "transcripts.jsonl", "reward_curve.csv", "trace.md"):
        assert (whole / name).read_bytes() == (half / name).read_bytes()
    with pytest.raises(UsageError, match="its policy is greedy, this one's random"):
        evaluate_workflow(make_policy("random"), episodes=2, output=half)


@pytest.mark.parametrize("other", [("http://b/v1", "m", 0.0), ("http://a/v1", "m", 1.0), ("http://a/v1", "n", 0.0)])
def test_another_model_is_asked_itself(other: tuple[str, str, float], tmp_path: Path) -> None:
    """Not only the policy's name decides the results: the endpoint, the model's name and the temperature do."""
    few = {"episodes": 1, "scenarios": ("sales_pipeline",), "output": tmp_path}
    evaluate_workflow(make_policy("greedy"), asked=asked("http://a/v1", "m", 0.0), **few)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="another run"):
        evaluate_workflow(make_policy("greedy"), asked=asked(*other), **few)  # type: ignore[arg-type]
    told: list[str] = []
    evaluate_workflow(make_policy("greedy"), asked=asked("http://a/v1", "m", 0.0), tell=told.append, **few)  # type: ignore[arg-type]
    assert told == [f"1 of 1 episodes lay in {tmp_path} already and are not played again"]


def test_other_seeds_do_not_overwrite(tmp_path: Path) -> None:
    """Nor does another difficulty."""
    few = {"scenarios": ("sales_pipeline",), "output": tmp_path}
    evaluate_workflow(make_policy("greedy"), episodes=1, **few)  # type: ignore[arg-type]
    for other in ({"seed": 1}, {"difficulty": "hard"}):
        with pytest.raises(UsageError, match="another run"):
            evaluate_workflow(make_policy("greedy"), episodes=1, **other, **few)  # type: ignore[arg-type]
    more = evaluate_workflow(make_policy("greedy"), episodes=2, **few)  # type: ignore[arg-type]
    assert more.scores["tasks"]["sales_pipeline"]["episodes"] == 2


def test_jobs_change_nothing() -> None:
    """Eight episodes at a time give what one at a time gives."""
    one = evaluate_workflow(make_policy("adaptive"), episodes=2, difficulty="hard")
    many = evaluate_workflow(make_policy("adaptive"), episodes=2, difficulty="hard", jobs=8)
    assert one == many


def test_what_was_played_beside_a_failure_is_kept(tmp_path: Path) -> None:
    """A model's answers may be hours: an episode that fails costs itself, not those that ended before or beside it."""
    over = threading.Event()

    class Failing(AdaptivePolicy):
        def act(self, observation: Any) -> object:
            if observation["scenario"] == "sales_pipeline":
                assert over.wait(30)
                raise ReadError("the model is away")
            if observation["step"] == 6:
                over.set()
            return super().act(observation)

    with pytest.raises(ReadError):
        evaluate_workflow(Failing(), episodes=1, scenarios=("sales_pipeline", "hr_escalation"), output=tmp_path, jobs=2)
    lines = (tmp_path / "transcripts.jsonl").read_text().splitlines()
    assert [json.loads(line)["episode"]["scenario"] for line in lines] == ["hr_escalation"]


def test_nothing_to_play_is_wrong_usage() -> None:
    """No episodes, no scenario of that name, no such difficulty."""
    for wrong in ({"episodes": 0}, {"scenarios": ("x",)}, {"difficulty": "x"}, {"scenarios": ()}):
        with pytest.raises(UsageError):
            evaluate_workflow(make_policy("random"), **wrong)  # type: ignore[arg-type]


def test_the_environments_faults_are_not_the_agents() -> None:
    """A spoilt episode is counted as such and is in no mean."""
    good = play(AdaptivePolicy(), "sales_pipeline", "easy", 0).episode
    bad = dataclasses.replace(good, score=0.0, reward=-99.0, fault="the step took longer than 2 s")
    scores = score_table("x", 0, "easy", [good, bad])
    assert (scores["faults"], scores["mean"], scores["tasks"]["sales_pipeline"]["episodes"]) == (1, good.score, 1)


def test_first_last_and_rolling_means() -> None:
    """The first and last hundred, and the mean of thirty."""
    episode = play(AdaptivePolicy(), "sales_pipeline", "easy", 0).episode
    curve = RewardCurve([dataclasses.replace(episode, reward=float(number)) for number in range(250)])
    assert (curve.first, curve.last) == (49.5, 199.5)
    assert curve.rolling(curve.rewards)[249] == pytest.approx(sum(range(220, 250)) / 30)
    assert curve.rolling(curve.rewards)[0] == 0.0


def test_an_interval_holds_its_mean() -> None:
    """And is the same for the same values."""
    found = interval([0.0, 0.5, 1.0, 1.0])
    assert found == interval([0.0, 0.5, 1.0, 1.0])
    assert found is not None and found["low"] <= found["mean"] == 0.625 <= found["high"]
    assert interval([]) is None


def test_before_and_after_are_told_side_by_side() -> None:
    """The same episode twice: what became of it, and both traces; another episode is refused."""
    base, head = (play(policy, "sales_pipeline", "medium", 3) for policy in (GreedyPolicy(), AdaptivePolicy()))
    text = before_after(base, head)
    assert "| drifts recovered | 0 of 1 | 1 of 1 |" in text
    assert "contract_amount" in text and "the record has no deal_value" in text
    with pytest.raises(UsageError):
        before_after(base, play(AdaptivePolicy(), "sales_pipeline", "medium", 4))


def test_tables_stand_side_by_side() -> None:
    """One line for each policy of each difficulty and scenario."""
    results = [evaluate_workflow(make_policy(name), episodes=1).scores for name in ("random", "adaptive")]
    lines = table(results).splitlines()
    assert [line.split(" | ")[:2] for line in lines[2:4]] == [["| easy", "random"], ["| easy", "adaptive"]]


def test_a_shorter_evaluation_keeps_what_was_played(tmp_path: Path) -> None:
    """Its scores are of what was asked for; the rest stays in the folder and counts again later."""
    long = evaluate_workflow(make_policy("greedy"), episodes=2, output=tmp_path).scores
    names = ("episodes.jsonl", "transcripts.jsonl")
    before = [(tmp_path / name).read_bytes() for name in names]
    short = evaluate_workflow(make_policy("greedy"), episodes=1, scenarios=("hr_escalation",), output=tmp_path).scores
    assert {name: each["episodes"] for name, each in short["tasks"].items()} == {"hr_escalation": 1}
    for name, text in zip(names, before, strict=True):
        assert sorted((tmp_path / name).read_bytes().splitlines()) == sorted(text.splitlines())
    with (tmp_path / "transcripts.jsonl").open("a") as file:
        file.write('null\n[]\n{"policy": "x"}\n{"policy": "x", "steps": [1], "episode": {}}\n')
    told: list[str] = []
    assert evaluate_workflow(make_policy("greedy"), episodes=2, output=tmp_path, progress=told.append).scores == long
    assert told == []
    assert [(tmp_path / name).read_bytes() for name in names] == before

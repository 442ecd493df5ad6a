"""Evaluations side by side: what cannot be compared is refused, what differs is said, the same episodes are paired."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from guardian.errors import UsageError
from guardian.learn.comparing import _read, compare, differences, markdown, paired
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


def _told(folder: Path, **words: Any) -> Path:
    """An evaluation whose scores.json says something else of its run; ``...`` takes a word away."""
    scores = json.loads((folder / "scores.json").read_text())
    scores["run"] = {key: each for key, each in {**scores["run"], **words}.items() if each is not ...}
    (folder / "scores.json").write_text(json.dumps(scores))
    return folder


def test_a_company_is_what_it_says_and_not_where_it_lies(tmp_path: Path) -> None:
    """Another company under the same path gives other episodes, the same one under another path the same."""
    one = _told(_evaluated(tmp_path / "one", RUN), graph="co/guardian.yaml", company="aaaa")
    other = _told(_evaluated(tmp_path / "other", RUN), graph="co/guardian.yaml", company="bbbb")
    moved = _told(_evaluated(tmp_path / "moved", RUN), graph="co3/guardian.yaml", company="aaaa")
    results = _read([one, other, moved])
    assert differences(results) == ["company: aaaa in one, bbbb in other, aaaa in moved"]
    assert [gain["name"] for gain in paired(results)] == ["moved"]
    assert "other and one played other episodes" in markdown(results, [], [])
    generated = _evaluated(tmp_path / "generated", RUN)
    assert differences(_read([one, generated])) == ["company: aaaa in one, none in generated"]


def test_scores_tell_the_company(tmp_path: Path) -> None:
    """And guardian's version, whatever decides an episode."""
    graph = Path(__file__).resolve().parents[3] / "fixtures/company/guardian.yaml"
    run = replace(RUN, graph=str(graph))
    told = json.loads((_evaluated(tmp_path / "a", run) / "scores.json").read_text())["run"]
    assert told == run.identity | {"tasks": list(run.tasks), "episodes": run.episodes}
    assert told["company"] and told["guardian"]


@pytest.mark.parametrize("missing", [{"company": ...}, {"weights": ..., "split": ...}])
def test_what_is_not_told_is_not_known(missing: dict[str, Any], tmp_path: Path) -> None:
    """Older scores may be of the same episodes or not: neither is claimed."""
    first = _told(_evaluated(tmp_path / "a", RUN), graph="g", company="aaaa")
    other = _told(_evaluated(tmp_path / "b", RUN), **{"graph": "g", "company": "aaaa", **missing})
    results = _read([first, other])
    assert differences(results)
    assert all("not told in b" in line and "not told in a" not in line for line in differences(results))
    assert paired(results) == []
    assert "b and a do not tell whether they played the same episodes, so they are not" in markdown(results, [], [])
    same = _read([other, _told(_evaluated(tmp_path / "c", RUN), **{"graph": "g", "company": "aaaa", **missing})])
    assert paired(same) == []


def test_only_counted_episodes_are_paired(tmp_path: Path) -> None:
    """A folder may hold those of a longer evaluation too."""
    first, other = _evaluated(tmp_path / "a", RUN), _evaluated(tmp_path / "b", replace(RUN, policy="after"), 0.5)
    _evaluated(other, replace(RUN, policy="after", episodes=3), 0.5)
    (gain,) = paired(_read([first, other]))
    assert gain["all"]["episodes"] == 6


@pytest.mark.parametrize("line", ['{"task": "find_ty', "null", "[1]", '{"task": ["x"], "seed": {}}', "\x00"])
def test_a_line_that_is_no_episode_is_none(line: str, tmp_path: Path) -> None:
    """As where an evaluation goes on after an interruption."""
    first, other = _evaluated(tmp_path / "a", RUN), _evaluated(tmp_path / "b", RUN)
    with (other / "episodes.jsonl").open("a") as file:
        file.write(line)
    (gain,) = paired(_read([first, other]))
    assert gain["all"]["episodes"] == 16
    _evaluated(other, replace(RUN, episodes=9))
    (gain,) = paired(_read([first, other]))
    assert gain["all"]["episodes"] == 16


@pytest.mark.parametrize(
    "wrong",
    [
        {"tasks": {"a": {"episodes": 1}}},
        {"tasks": {"a": None}},
        {"tasks": []},
        {"mean": None},
        {"env": []},
        {"run": 1},
        {"tasks": {"a": {"score": {"mean": 1}}}},
    ],
)
def test_what_is_no_score_table_is_told(wrong: dict[str, Any], tmp_path: Path) -> None:
    """With the file, and what to do."""
    folder = _evaluated(tmp_path / "a", RUN)
    file = folder / "scores.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | wrong))
    with pytest.raises(UsageError, match="no score table") as told:
        _read([folder])
    assert told.value.file == str(file)


def test_a_comparison_s_folder_is_looked_at_first(tmp_path: Path) -> None:
    """A file, a folder in a file: a sentence."""
    folder = _evaluated(tmp_path / "a", RUN)
    (tmp_path / "file").write_text("")
    for output in (tmp_path / "file", tmp_path / "file" / "x" / "y"):
        with pytest.raises(UsageError, match="is no folder") as told:
            compare([folder, folder], output)
        assert told.value.file == str(tmp_path / "file")

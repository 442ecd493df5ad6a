from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from guardian.errors import ReadError, UsageError
from guardian.learn.comparing import compare
from guardian.learn.evaluate import HELD_OUT_SEEDS, Run, episode_seed, evaluate, interval

RUN = Run("contract", "rules", ("find_type_mismatches", "validate_auth_request"), 3)


def test_scores(tmp_path: Path) -> None:
    """scores.json has the form of the interface, scores.md a row a task, episodes.jsonl a line an episode."""
    scores = evaluate(RUN, tmp_path)
    assert scores == json.loads((tmp_path / "scores.json").read_text())
    assert (scores["env"], scores["policy"], scores["seed"], scores["mean"]) == ("contract", "rules", 0, 1.0)
    task = scores["tasks"]["find_type_mismatches"]
    assert task["episodes"] == 3
    assert task["score"] == {"mean": 1.0, "low": 1.0, "high": 1.0}
    assert task["signals"] == {"correct_violation": 4.0, "done_bonus": 0.5}
    assert (task["reward"], task["success"], task["steps"], task["invalid"]) == (4.5, 1.0, 5.0, 0.0)
    assert task["relative_reward"] == 1.0
    assert "find_type_mismatches" in (tmp_path / "scores.md").read_text()
    assert len((tmp_path / "episodes.jsonl").read_text().splitlines()) == 6


def test_an_evaluation_is_continued(tmp_path: Path) -> None:
    """What was played is not played again, a line cut short is; in the end it is the same as in one go."""
    played: list[tuple[str, int]] = []

    def play(task: str, seed: int) -> dict[str, Any]:
        played.append((task, seed))
        return {"task": task, "seed": seed, "score": 0.5, "reward": 1.0, "signals": {}}

    first = evaluate(RUN, tmp_path, play=play)
    log = tmp_path / "episodes.jsonl"
    text = log.read_text()
    log.write_text(text[: text.rindex('{"task"') + 5])
    played.clear()
    assert evaluate(RUN, tmp_path, play=play) == first
    assert len(played) == 1
    assert log.read_text() == text


def test_what_is_played_beside_a_slow_or_failing_episode_is_kept(tmp_path: Path) -> None:
    """Records are written as they come, and those that were finished beside a fault before it is told."""
    run = replace(RUN, policy="model", model="http://127.0.0.1:9/v1", tasks=RUN.tasks[:1], episodes=6)
    log = tmp_path / "episodes.jsonl"
    first = episode_seed(run.seed, 0)
    others = threading.Event()

    def play(task: str, seed: int) -> dict[str, Any]:
        if seed == first:
            assert others.wait(30)
            raise ReadError("nobody there")
        return {"task": task, "seed": seed, "score": 0.5, "reward": 1.0, "signals": {}}

    def progress(step: str) -> None:
        if step.endswith("5 of 6 episodes"):
            assert len(log.read_text().splitlines()) == 5
            others.set()

    with pytest.raises(ReadError, match="nobody there"):
        evaluate(run, tmp_path, play=play, jobs=3, progress=progress)
    assert len(log.read_text().splitlines()) == 5


def test_another_run_is_not_mixed_in(tmp_path: Path) -> None:
    """A folder that holds the evaluation of another policy is refused."""
    evaluate(RUN, tmp_path, play=lambda task, seed: {"task": task, "seed": seed, "score": 1.0, "signals": {}})
    with pytest.raises(UsageError, match="another run"):
        evaluate(Run("contract", "random", RUN.tasks, 3), tmp_path)


@pytest.mark.parametrize(
    "wrong",
    [
        {"policy": "greedy"},
        {"policy": "model"},
        {"policy": "model", "model": "no-such-folder"},
        {"tasks": ("nothing",)},
        {"difficulty": "x"},
        {"split": "x"},
        {"graph": "no-such-file"},
        {"episodes": 0},
    ],
    ids=str,
)
def test_what_cannot_be_played_claims_no_folder(wrong: dict[str, Any], tmp_path: Path) -> None:
    """A typo is told before anything is written, so that the corrected command finds a free folder."""
    with pytest.raises(UsageError):
        evaluate(replace(RUN, **wrong), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_run_that_came_to_nothing_leaves_its_folder_free(tmp_path: Path) -> None:
    """A model that was away has played no episode: the folder takes another run."""

    def away(task: str, seed: int) -> dict[str, Any]:
        raise UsageError("the model is away")

    with pytest.raises(UsageError, match="away"):
        evaluate(replace(RUN, policy="model", model="http://a"), tmp_path, play=away)
    evaluate(replace(RUN, policy="model", model="http://b"), tmp_path, play=_half)
    with pytest.raises(UsageError, match="its model is http://b, this one's http://a"):
        evaluate(replace(RUN, policy="model", model="http://a"), tmp_path, play=_half)


def _half(task: str, seed: int) -> dict[str, Any]:
    return {"task": task, "seed": seed, "score": 0.5, "reward": 1.0, "signals": {}}


def test_the_weights_behind_a_folder_are_part_of_the_run(tmp_path: Path) -> None:
    """An adapter that was trained anew in the same folder is another model."""
    adapter = tmp_path / "adapter"
    adapter.mkdir()
    (adapter / "adapter_model.safetensors").write_bytes(b"one")
    run = replace(RUN, policy="model", model=str(adapter))
    evaluate(run, tmp_path / "out", play=_half)
    (adapter / "adapter_model.safetensors").write_bytes(b"two")
    with pytest.raises(UsageError, match="its adapter is"):
        evaluate(run, tmp_path / "out", play=_half)


def test_what_is_not_played_again_is_said(tmp_path: Path) -> None:
    """A server of the same address may serve something else by now, which nobody can see; that nobody was asked is told."""
    told: list[str] = []
    evaluate(RUN, tmp_path, play=_half, tell=told.append)
    assert told == []
    evaluate(RUN, tmp_path, play=_half, tell=told.append)
    assert told == [f"6 of 6 episodes lay in {tmp_path} already and are not played again"]


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    """A workflow evaluation, a training run, results that nobody says the origin of, a file."""
    from guardian.learn.workflow.evaluate import evaluate_workflow
    from guardian.learn.workflow.policies import make_policy

    office = {"episodes": 1, "scenarios": ("sales_pipeline",)}
    evaluate_workflow(make_policy("random"), output=tmp_path / "office", **office)  # type: ignore[arg-type]
    before = (tmp_path / "office" / "scores.json").read_bytes()
    with pytest.raises(UsageError, match="of the workflow environment, this one of the contract environment"):
        evaluate(RUN, tmp_path / "office", play=_half)
    (tmp_path / "office" / "run.json").unlink()
    with pytest.raises(UsageError, match="workflow environment by the policy random, and no run"):
        evaluate(RUN, tmp_path / "office", play=_half)
    assert (tmp_path / "office" / "scores.json").read_bytes() == before
    evaluate(RUN, tmp_path / "contract", play=_half)
    with pytest.raises(UsageError, match="of the contract environment, this one of the workflow environment"):
        evaluate_workflow(make_policy("random"), output=tmp_path / "contract", **office)  # type: ignore[arg-type]
    (tmp_path / "trained").mkdir()
    for name in ("plan.json", "metrics.jsonl"):
        (tmp_path / "trained" / name).write_text("{}")
    with pytest.raises(UsageError, match="training run"):
        evaluate(RUN, tmp_path / "trained", play=_half)
    (tmp_path / "file").write_text("mine")
    with pytest.raises(UsageError, match="no folder"):
        evaluate(RUN, tmp_path / "file", play=_half)


def test_processes_give_the_same(tmp_path: Path) -> None:
    """Episodes at a time change nothing."""
    one = evaluate(RUN, tmp_path / "one")
    assert evaluate(RUN, tmp_path / "two", jobs=2) == one
    assert (tmp_path / "one/episodes.jsonl").read_text() == (tmp_path / "two/episodes.jsonl").read_text()


def test_comparison(tmp_path: Path) -> None:
    """Several results in one table, by the names of their folders, and a picture."""
    pytest.importorskip("matplotlib")
    for name, score in (("before", 0.2), ("after", 0.8)):
        run = Run("contract", name, RUN.tasks, 4)
        evaluate(
            run,
            tmp_path / name,
            play=lambda task, seed, s=score: {"task": task, "seed": seed, "score": s * (seed % 2), "signals": {}},
        )
    text = compare([tmp_path / "before", tmp_path / "after"], tmp_path / "both")
    assert "| task | before | after |" in text
    assert (tmp_path / "both/before_after.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(UsageError, match="no scores"):
        compare([tmp_path], tmp_path / "both")
    written = json.loads((tmp_path / "both/comparison.json").read_text())
    assert [each["name"] for each in written["evaluations"]] == ["before", "after"]
    assert written["differences"] == []


def test_interval() -> None:
    """The interval holds the mean, is reproducible, and has no width where nothing varies."""
    low, high = interval([0.0, 1.0] * 50)
    assert 0.38 < low < 0.5 < high < 0.62
    assert interval([0.0, 1.0] * 50) == (low, high)
    assert interval([0.7] * 5) == (0.7, 0.7)
    assert interval([]) == (0.0, 0.0)


def test_held_out_seeds() -> None:
    """Evaluation's seeds start where training's end, and differ between evaluations."""
    seeds = {episode_seed(seed, index) for seed in range(3) for index in range(200)}
    assert len(seeds) == 600
    assert min(seeds) >= HELD_OUT_SEEDS


def test_unknown_policies() -> None:
    """A policy that is not there, and a model without an endpoint, are refused with what to do."""
    from guardian.learn.policies import make_policy

    with pytest.raises(UsageError, match="no policy"):
        make_policy("wise")
    with pytest.raises(UsageError, match="--model"):
        make_policy("model")


def test_a_model_plays(tmp_path: Path) -> None:
    """A model behind an OpenAI-compatible endpoint is asked once a phase, in the answer's JSON Schema, and is graded."""
    import threading
    from http.server import BaseHTTPRequestHandler, HTTPServer

    asked: list[dict[str, Any]] = []

    class Model(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            content = json.dumps({"violations": [{"field_path": "x", "violation_type": "type_mismatch"}]})
            body = json.dumps({"choices": [{"message": {"content": content}}]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        run = Run("contract", "model", ("find_type_mismatches",), 2, model=url, model_name="tiny")
        scores = evaluate(run, tmp_path, jobs=2)
    finally:
        server.shutdown()
        server.server_close()
    assert len(asked) == 2
    assert asked[0]["model"] == "tiny"
    assert asked[0]["response_format"]["json_schema"]["schema"]["required"] == ["violations"]
    assert scores["tasks"]["find_type_mismatches"]["signals"]["false_positive"] == -0.3


def test_the_command(tmp_path: Path) -> None:
    """`guardian eval` plays, prints the table and compares; an unknown task is wrong usage."""
    import subprocess
    import sys

    def guardian(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "guardian", "eval", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    one = ["--policy", "rules", "--tasks", "find_type_mismatches", "--episodes", "2", "--jobs", "1"]
    run = guardian(*one, "--output", str(tmp_path / "a"))
    assert run.returncode == 0, run.stderr
    assert "| find_type_mismatches | 1.000 [1.000, 1.000] |" in run.stdout
    assert guardian("--tasks", "nothing", "--output", str(tmp_path / "b")).returncode == 2
    for ignored in (
        ["--env", "workflow", "--graph", "none"],
        ["--env", "workflow", "--services", "3"],
        ["--env", "workflow", "--split", "train"],
        ["--policy", "rules", "--model", "http://localhost:1"],
        ["--temperature", "1"],
        ["--graph", "none", "--services", "3"],
        ["--compare", str(tmp_path / "a"), "--seed", "1"],
    ):
        run = guardian(*ignored, "--output", str(tmp_path / "b"))
        assert run.returncode == 2, ignored
        assert any(f"error: {word} " in run.stderr for word in ignored), run.stderr
        assert not (tmp_path / "b").exists()


def test_a_shorter_evaluation_keeps_what_was_played(tmp_path: Path) -> None:
    """Hours of a model's answers: the scores are those that were asked for, the episodes stay and count again later."""
    played: list[str] = []

    def play(task: str, seed: int) -> dict[str, Any]:
        played.append(task)
        return _half(task, seed)

    first = evaluate(RUN, tmp_path, play=play)
    text = (tmp_path / "episodes.jsonl").read_text()
    short = evaluate(replace(RUN, tasks=RUN.tasks[1:], episodes=1), tmp_path, play=play)
    assert {name: each["episodes"] for name, each in short["tasks"].items()} == {RUN.tasks[1]: 1}
    assert sorted((tmp_path / "episodes.jsonl").read_text().splitlines()) == sorted(text.splitlines())
    assert evaluate(RUN, tmp_path, play=play) == first
    assert (tmp_path / "episodes.jsonl").read_text() == text
    assert len(played) == 6


def test_an_evaluation_interrupted_twice_loses_nothing(tmp_path: Path) -> None:
    """What comes after a line that was cut short stands on a line of its own."""
    played: list[int] = []

    def play(task: str, seed: int) -> dict[str, Any]:
        if len(played) == 2:
            raise KeyboardInterrupt
        played.append(seed)
        return _half(task, seed)

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            evaluate(RUN, tmp_path, play=play)
        played.clear()
        with (tmp_path / "episodes.jsonl").open("a") as file:
            file.write('{"task": "find_t')
    told: list[str] = []
    evaluate(RUN, tmp_path, play=_half, tell=told.append)
    assert told == [f"4 of 6 episodes lay in {tmp_path} already and are not played again"]


@pytest.mark.parametrize(
    "line", ["null", "[]", '{"task": "x"}', '{"task": ["x"], "seed": 1, "score": 1}', '{"seed": 1}']
)
def test_a_line_that_is_no_record_is_none(line: str, tmp_path: Path) -> None:
    """Whoever wrote it."""
    scores = evaluate(RUN, tmp_path, play=_half)
    with (tmp_path / "episodes.jsonl").open("a") as file:
        file.write(f"{line}\n")
    assert evaluate(RUN, tmp_path, play=_half) == scores


def test_a_folder_that_cannot_be_is_told_at_once(tmp_path: Path) -> None:
    """In a file, of a name that is none: a sentence, and nothing was played."""
    (tmp_path / "file").write_text("mine")
    for output in (tmp_path / "file" / "x" / "y", tmp_path / ("x" * 300)):
        with pytest.raises(UsageError, match=r"is no folder|cannot be made a folder"):
            evaluate(RUN, output, play=lambda task, seed: pytest.fail("it was played"))

from __future__ import annotations

import shlex
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from guardian import __version__
from guardian.cli.train import app
from guardian.learn.contract.signals import WEIGHTS
from guardian.learn.evaluate import HELD_OUT_SEEDS
from guardian.learn.training.card import command, model_card
from guardian.learn.training.chat import Chat
from guardian.learn.training.curriculum import LEVELS, SEEDS, Course
from guardian.learn.training.episodes import maker, signals_of, tasks_of
from guardian.learn.training.metrics import Metrics, digest, told
from guardian.learn.training.presets import PRESETS, Plan
from guardian.learn.training.rewards import reward_functions
from guardian.learn.training.rollout import Draw, Trajectory, play, rollout
from guardian.learn.training.run import describe
from guardian.learn.workflow.curriculum import HELD_OUT
from tests.learn.training.tokens import Tokenizer


def _plan(folder: Path, **changes: Any) -> Plan:
    plan = Plan("contract", ("find_type_mismatches",), "base", 4, 0, folder, PRESETS["cpu"])
    return replace(plan, **changes)


def _teaching(make: Any, chat: Chat) -> Any:
    """What the engine says, by what it was asked: a stand-in for a model."""
    episodes: dict[str, Any] = {}

    def shadow(task: str, seed: int, difficulty: str) -> Any:
        episode = make(task, seed, difficulty)
        episodes[str(len(episodes))] = episode
        return episode

    def say(asked: list[Trajectory]) -> tuple[list[list[int]], None]:
        live = [each for each in episodes.values() if not each.done]
        assert live == [each.episode for each in asked]
        return [chat.answer(each.teacher()) for each in live], None

    return shadow, say


def test_whole_episodes_become_sequences_with_the_environment_masked() -> None:
    """The model's tokens alone are learned from; an episode of three phases is one conversation of three answers."""
    chat = Chat(Tokenizer())
    make, say = _teaching(maker("contract"), chat)
    draws = [Draw("find_type_mismatches", 1, "easy"), Draw("multi_service_cascade_fix", 2, "easy")]
    one, three = play(draws, make, chat, say)
    assert set(one.mask) == {1}
    assert "".join(map(str, three.mask)).strip("1").count("01") + 1 == 2
    for each in (one, three):
        assert len(each.mask) == len(each.completion) == len(each.logprobs)
        assert each.episode.score() == 1.0
    own = [token for token, mine in zip(three.completion, three.mask, strict=True) if mine]
    assert Counter(own)[0] == 3
    asked = chat.text([token for token, mine in zip(three.completion, three.mask, strict=True) if not mine])
    assert "Who breaks?" in asked
    assert "Which fix" in asked
    assert "You review" not in asked


def test_an_answer_that_was_cut_is_ended_by_the_environment() -> None:
    """The next question follows an end mark, whether the model set it or ran out of tokens; never two of them."""
    chat = Chat(Tokenizer())
    asked = [{"role": "user", "content": "more"}]
    assert chat.text(chat.following([65], asked)) == chat.text(chat.following([65, 0], asked)).strip()
    assert chat.following([65], asked)[0] == 0
    assert chat.following([65, 0], asked)[0] != 0


def test_rewards_are_the_rubric_s_shares() -> None:
    """What reward functions give sums, signal by signal, to the environment's return over the perfect player's."""
    chat = Chat(Tokenizer())
    make = maker("contract")
    signals = signals_of("contract")
    played: list[Any] = []

    class Trainer:
        processing_class = Tokenizer()

        def _generate_single_turn(self, sequences: list[list[int]], *_: Any) -> tuple[list[list[int]], None]:
            answers = ['{"violations":[]}', "no JSON", '{"breaking":["GET /none"]}']
            return [chat.answer(answers[len(each) % 3]) for each in sequences], None

    lines = [Draw(task, 5, "easy").line() for task in tasks_of("contract") for _ in range(2)]
    out = rollout(make, signals, played.extend)(lines, Trainer())
    apart = [function(**out) for function in reward_functions(signals, separate=True)]
    summed = reward_functions(signals, separate=False)[0](**out)
    assert len(apart) == len(WEIGHTS)
    for index, total in enumerate(summed):
        assert sum(each[index] for each in apart) == pytest.approx(total)
        assert total <= 1.0
    assert out["logprobs"] is None
    assert len(told(played)) == len(lines)
    assert any(value < 0 for value in summed)


def test_the_course_is_balanced_and_grows_harder() -> None:
    """Every task is played as often as any other, easy before hard, by seeds that evaluation never plays."""
    tasks = tasks_of("contract")
    draws = Course(tasks, 9 * 20, seed=3).draws()
    assert set(Counter(draw.task for draw in draws).values()) == {20}
    levels = [LEVELS.index(draw.difficulty) for draw in draws]
    assert levels == sorted(levels)
    assert set(levels) == {0, 1, 2}
    assert all(draw.seed < SEEDS <= min(HELD_OUT, HELD_OUT_SEEDS) for draw in draws)
    assert draws == Course(tasks, 9 * 20, seed=3).draws() != Course(tasks, 9 * 20, seed=4).draws()


def test_a_continued_run_reads_as_one(tmp_path: Path) -> None:
    """Lines after the step that is continued from are dropped, the warm start's stay."""
    first = Metrics(tmp_path)
    first.add({"phase": "warm start", "step": 1})
    for step in (1, 2, 3):
        first.add({"phase": "train", "step": step})
    assert [each["step"] for each in Metrics(tmp_path, 2).steps()] == [1, 2]
    assert [each["phase"] for each in Metrics(tmp_path).lines()] == ["warm start"]


def test_a_digest_has_every_task_and_signal() -> None:
    """Means of the batch, of each task by itself, and of each signal, an absent one counting nothing."""
    common = {"invalid": 0, "question_tokens": 10, "answer_tokens": 2}
    found = digest(
        [
            {"task": "a", "reward": 1.0, "score": 1.0, "signals": {"x": 1.0}, **common},
            {"task": "b", "reward": 0.0, "score": 0.5, "signals": {}, **common},
        ]
    )
    assert (found["reward"], found["task/a/score"], found["task/b/score"], found["signal/x"]) == (0.5, 1.0, 0.5, 0.5)


@pytest.mark.parametrize("env", ["contract", "workflow"])
def test_a_dry_run_says_the_plan_and_the_first_prompts(env: str, tmp_path: Path) -> None:
    """It loads no weights, names every task, and shows prompts with what the engine would answer."""
    plan = _plan(tmp_path / "run", env=env, tasks=tasks_of(env), base="Qwen/Qwen2.5-7B-Instruct")
    said = describe(plan)
    assert "Qwen/Qwen2.5-7B-Instruct" in said
    assert all(task in said for task in tasks_of(env))
    assert said.count("--- ") == said.count("[the engine] {") == 3
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("preset", PRESETS.values(), ids=lambda each: each.name)
def test_presets_are_whole(preset: Any) -> None:
    """A batch is a whole number of groups, and an answer fits the window."""
    assert preset.batch * preset.accumulation % preset.group == 0
    assert preset.draws >= 1
    assert preset.answer < preset.window


def test_the_card_says_how(tmp_path: Path) -> None:
    """Data, command, versions and results, with the metadata of a hub, and no folder of this machine."""
    lines = [
        {"phase": "warm start", "step": 1, "loss": 1.0, "entropy": 1.1},
        {"phase": "train", "step": 1, "reward": -0.5},
        {"phase": "evaluation", "step": 2, "mean": 0.25, "tasks": {"find_type_mismatches": 0.25}},
        {"phase": "evaluation", "step": 4, "mean": 0.125, "tasks": {"find_type_mismatches": 0.125}},
        {"phase": "stop", "step": 4, "why": "collapse"},
    ]
    card = model_card(_plan(tmp_path, steps=8), lines, 4, 60.0)
    assert card.startswith("---\nbase_model: base\n")
    assert "guardian train --env contract --base base --preset cpu --steps 8 --seed 0" in card
    assert "4 of 8 steps, stopped early by collapse" in card
    assert "| 2 | 0.250 |\n| 4 | 0.125 |" in card
    assert "The adapter is that of step 2." in card
    assert "| find_type_mismatches | 0.250 | 0.250 |" in card
    assert "-0.500 in the first 1 steps" in card
    assert f"guardian {__version__}, Python 3." in card
    assert "16 different episodes (8 easy, 7 medium, 1 hard), each played 4 times" in card
    assert str(tmp_path) not in card


def test_the_card_s_command_is_the_whole_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was set otherwise than the preset has it is in the command, and read by the command line it is the plan."""
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    preset = replace(PRESETS["cpu"], batch=4, group=8, answer=64, rate=2e-5, warm_steps=3, warm_batch=2)
    plan = _plan(
        tmp_path / "run", preset=preset, seed=3, separate=False, evaluate_every=5, evaluate_episodes=1, save_every=2
    )
    told = shlex.split(command(plan))
    assert told[:2] == ["guardian", "train"]
    monkeypatch.chdir(tmp_path)
    seen: list[Plan] = []
    monkeypatch.setattr("guardian.learn.training.run.describe", lambda plan: seen.append(plan) or "")
    with pytest.raises(SystemExit) as ended:
        app([*told[2:], "--dry-run"])
    assert not ended.value.code
    assert [replace(each, output=plan.output) for each in seen] == [plan]
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert command(plan).startswith("accelerate launch --num_processes 2 -m guardian train ")

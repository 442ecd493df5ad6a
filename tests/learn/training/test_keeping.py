"""What a run decides by its own numbers, without a model: collapse, the best adapter, where it goes on, how it loads."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from guardian.errors import UsageError
from guardian.learn.folders import mark_training
from guardian.learn.training import loading
from guardian.learn.training.curriculum import Course
from guardian.learn.training.keeping import Best, collapsed, newest_checkpoint
from guardian.learn.training.metrics import Metrics
from guardian.learn.training.presets import PRESETS, Plan
from guardian.learn.training.rollout import Draw
from guardian.learn.training.run import _start, held_out

Json = dict[str, Any]


def _plan(folder: Path, **changes: Any) -> Plan:
    plan = Plan("contract", ("find_type_mismatches",), "base", 40, 0, folder, PRESETS["cpu"], patience=3)
    return replace(plan, **changes)


def _step(entropy: float = 0.5, flat: float = 0.0) -> Json:
    return {"loss": 0.1, "entropy": entropy, "frac_reward_zero_std": flat}


# -- collapse ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("history", "ends"),
    [
        ([_step(), _step(), _step()], False),
        ([_step(flat=1.0)] * 2, False),
        ([_step(flat=1.0)] * 3, True),
        ([_step(entropy=0.001)] * 3, True),
        ([_step(entropy=0.001), _step(flat=1.0), _step(entropy=0.001)], True),
        ([*[_step(flat=1.0)] * 5, _step()], False),
        ([*[_step(flat=1.0)] * 2, _step(), *[_step(flat=1.0)] * 2], False),
        ([_step(flat=1.0), {"eval_runtime": 1.0}, *[_step(flat=1.0)] * 2], True),  # no step stands between
        ([{"loss": 0.1}] * 3, False),  # nothing was told of it
    ],
)
def test_a_collapse_is_so_many_steps_in_a_row(history: list[Json], ends: bool) -> None:
    """Entropy below the floor or no spread of rewards, without a step between that still learns."""
    assert collapsed(history, 3, 0.02) is ends
    assert not collapsed(history, 0, 0.02)


@pytest.fixture
def callbacks(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The module of callbacks, on a stand-in for transformers."""
    fake = ModuleType("transformers")
    fake.TrainerCallback = object  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "transformers", fake)
    name = "guardian.learn.training.callbacks"
    monkeypatch.delitem(sys.modules, name, raising=False)
    yield importlib.import_module(name)
    sys.modules.pop(name, None)


class _Model:
    """What is saved of it is the step it was at."""

    step = 0

    def save_pretrained(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "adapter_model.safetensors").write_text(str(self.step))


class _Run:
    """A trainer that makes the steps it is told, and knows nothing of gradients."""

    def __init__(self, watch: Any, *, main: bool = True, history: list[Json] | None = None) -> None:
        self.watch = watch
        self.model = _Model()
        self.state = SimpleNamespace(
            global_step=len(history or ()), max_steps=40, is_world_process_zero=main, log_history=list(history or ())
        )
        self.control = SimpleNamespace(should_save=False, should_training_stop=False)

    def step(self, logs: Json) -> bool:
        """One step; whether the run ends with it."""
        self.state.global_step += 1
        self.model.step = self.state.global_step
        self.watch.on_step_end(None, self.state, self.control, model=self.model)
        self.state.log_history.append({**logs, "step": self.state.global_step})
        self.watch.on_log(None, self.state, self.control, logs=logs)
        return bool(self.control.should_training_stop)


def _watch(callbacks: Any, plan: Plan, held: list[Draw] | None = None, **given: Any) -> Any:
    return callbacks.Watch(plan, Metrics(plan.output, **given), held or [], None, None, lambda step: None)


def test_a_collapsed_run_stops_and_saves(callbacks: Any, tmp_path: Path) -> None:
    """After patience's steps, and the metrics say why."""
    run = _Run(_watch(callbacks, _plan(tmp_path, evaluate_every=0)))
    assert [run.step(each) for each in (_step(), _step(flat=1.0), _step(flat=1.0), _step(flat=1.0))] == [
        False, False, False, True,
    ]  # fmt: skip
    assert run.control.should_save
    assert Metrics(tmp_path, 99).lines()[-1] == {"phase": "stop", "step": 4, "why": "collapse"}


def test_a_continued_run_collapses_where_the_whole_one_does(callbacks: Any, tmp_path: Path) -> None:
    """Steps before the interruption count: they are in the state that checkpoints hold."""
    before = [_step(flat=1.0), _step(flat=1.0)]
    run = _Run(_watch(callbacks, _plan(tmp_path, evaluate_every=0)), history=before)
    assert run.step(_step(flat=1.0))


def test_every_process_stops_at_a_collapse(callbacks: Any, tmp_path: Path) -> None:
    """One that writes nothing stops too, or the others would wait for it for ever."""
    run = _Run(_watch(callbacks, _plan(tmp_path, evaluate_every=0), writes=False), main=False)
    assert [run.step(_step(flat=1.0)) for _ in range(3)] == [False, False, True]
    assert not (tmp_path / "metrics.jsonl").exists()


# -- the best ------------------------------------------------------------------------------------------------------------


def test_the_best_adapter_is_kept(callbacks: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Evaluated every N steps and at the end; a worse one replaces nothing, an equal one is the later one."""
    scores = iter([0.2, 0.6, 0.4, 0.6, 0.1])
    monkeypatch.setattr(callbacks, "mean_scores", lambda *_, **__: {"a": next(scores)})
    plan = _plan(tmp_path, evaluate_every=2)
    run = _Run(_watch(callbacks, plan, [Draw("a", 1, "easy")]))
    for _ in range(9):
        run.step(_step())
    run.state.max_steps = 10
    run.step(_step())
    assert (tmp_path / "best" / "adapter_model.safetensors").read_text() == "8"
    assert json.loads((tmp_path / "best" / "score.json").read_text()) == {"step": 8, "mean": 0.6}
    told = [each for each in Metrics(tmp_path, 99).lines() if each["phase"] == "evaluation"]
    assert [(each["step"], each["mean"]) for each in told] == [(2, 0.2), (4, 0.6), (6, 0.4), (8, 0.6), (10, 0.1)]


def test_a_negative_mean_is_a_mean(tmp_path: Path) -> None:
    """The first adapter is the best so far, whatever it scores."""
    best = Best(tmp_path / "best")
    model = _Model()
    assert best.mean is None
    assert best.offer(1, -3.0, model.save_pretrained)
    assert not best.offer(2, -4.0, model.save_pretrained)
    assert best.mean == -3.0


# -- going on ------------------------------------------------------------------------------------------------------------


def _checkpoint(folder: Path, step: int, *, whole: bool = True) -> Path:
    made = folder / "checkpoints" / f"checkpoint-{step}"
    made.mkdir(parents=True)
    if whole:
        (made / "trainer_state.json").write_text("{}")
    return made


def test_a_run_goes_on_from_its_latest_whole_checkpoint(tmp_path: Path) -> None:
    """By number, not by name; one that was cut off while it was written is passed over."""
    assert newest_checkpoint(tmp_path / "checkpoints") is None
    assert _start(_plan(tmp_path), resume=False) is None
    mark_training(tmp_path, _plan(tmp_path).identity)
    for step in (5, 10, 9):
        _checkpoint(tmp_path, step)
    _checkpoint(tmp_path, 15, whole=False)
    found = _start(_plan(tmp_path), resume=True)
    assert found is not None
    assert found.name == "checkpoint-10"


def test_a_run_goes_on_as_itself_alone(tmp_path: Path) -> None:
    """No other plan continues it, a second start is not taken for a continuation, and nothing comes of nothing."""
    with pytest.raises(UsageError, match="no run to resume"):
        _start(_plan(tmp_path), resume=True)
    _start(_plan(tmp_path), resume=False)
    mark_training(tmp_path, _plan(tmp_path).identity)
    for other in ({"seed": 1}, {"steps": 41}, {"tasks": ("detect_breaking_changes",)}, {"separate": False}):
        with pytest.raises(UsageError, match="another run"):
            _start(_plan(tmp_path, **other), resume=True)
    _checkpoint(tmp_path, 5)
    with pytest.raises(UsageError, match="lies there already"):
        _start(_plan(tmp_path), resume=False)
    assert _start(_plan(tmp_path, save_every=1, patience=9), resume=True) is not None  # what changes no curve


def test_what_a_continued_run_plays_is_what_the_whole_one_plays(tmp_path: Path) -> None:
    """Episodes follow from the plan alone, and none of the held-out ones is among them."""
    plan = _plan(tmp_path, tasks=("find_type_mismatches", "detect_breaking_changes"), evaluate_episodes=3)
    draws, again = (Course(plan.tasks, 40, plan.seed).draws() for _ in range(2))
    assert draws == again
    held = {(each.task, each.seed) for each in held_out(plan)}
    assert len(held) == 6
    assert not held & {(each.task, each.seed) for each in draws}


# -- unsloth -------------------------------------------------------------------------------------------------------------


class _Tokenizer:
    padding_side = "right"
    pad_token_id = None
    pad_token = ""
    eos_token = "<end>"


@pytest.fixture
def unsloth(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Json]]:
    """A stand-in for unsloth that records how it is called."""
    calls: list[tuple[str, Json]] = []

    class FastLanguageModel:
        @staticmethod
        def from_pretrained(**given: Any) -> tuple[str, _Tokenizer]:
            calls.append(("from_pretrained", given))
            return "model", _Tokenizer()

        @staticmethod
        def get_peft_model(model: str, **given: Any) -> str:
            calls.append(("get_peft_model", {"model": model, **given}))
            return "model with adapter"

    for name, holds in {
        "unsloth": {"FastLanguageModel": FastLanguageModel},
        "transformers": {"set_seed": lambda seed: calls.append(("set_seed", {"seed": seed}))},
    }.items():
        fake = ModuleType(name)
        fake.__spec__ = ModuleSpec(name, None)
        for key, value in holds.items():
            setattr(fake, key, value)
        monkeypatch.setitem(sys.modules, name, fake)
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    return calls


def test_unsloth_loads_where_it_is_installed(unsloth: list[tuple[str, Json]], tmp_path: Path) -> None:
    """Base model, window, 4-bit and LoRA are the plan's; the tokenizer is made fit for generation."""
    plan = _plan(tmp_path, preset=PRESETS["l4"], base="Qwen/Qwen2.5-7B-Instruct", seed=7)
    model, tokenizer = loading.load(plan)
    assert model == "model with adapter"
    assert (tokenizer.padding_side, tokenizer.pad_token) == ("left", "<end>")
    (seeded, loaded, adapted) = unsloth
    assert seeded == ("set_seed", {"seed": 7})
    assert loaded == (
        "from_pretrained",
        {"model_name": plan.base, "max_seq_length": plan.preset.window, "dtype": None, "load_in_4bit": True},
    )
    name, given = adapted
    assert name == "get_peft_model"
    assert (given["model"], given["r"], given["lora_alpha"], given["random_state"]) == ("model", 16, 32, 7)
    assert len(given["target_modules"]) == 7
    assert given["use_gradient_checkpointing"] == "unsloth"


def test_unsloth_is_left_alone_where_it_does_not_fit(
    unsloth: list[tuple[str, Json]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a CPU, beside vLLM, on several processes, and where it is not installed."""
    assert loading.by_unsloth(PRESETS["l4"])
    assert not loading.by_unsloth(PRESETS["cpu"])
    assert not loading.by_unsloth(PRESETS["h100"])
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert not loading.by_unsloth(PRESETS["l4"])
    monkeypatch.delenv("WORLD_SIZE")
    monkeypatch.delitem(sys.modules, "unsloth")
    assert not loading.by_unsloth(PRESETS["l4"])
    assert unsloth == []

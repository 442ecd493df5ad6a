"""What watches a run: metrics by step, held-out evaluation, the end at a collapse, and a Ctrl-C that saves."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Sequence
from typing import Any

from transformers import TrainerCallback

from guardian.learn.training.episodes import Make
from guardian.learn.training.generation import mean_scores
from guardian.learn.training.keeping import Best, collapsed
from guardian.learn.training.loading import by_unsloth
from guardian.learn.training.metrics import Metrics, digest
from guardian.learn.training.presets import Plan
from guardian.learn.training.rollout import Draw

Json = dict[str, Any]

_KEPT = ("loss", "entropy", "grad_norm", "learning_rate", "frac_reward_zero_std", "step_time", "clip_ratio/region_mean")


class Watch(TrainerCallback):  # type: ignore[misc]
    """One run's callback.

    Args:
        held_out: what is evaluated every ``plan.evaluate_every`` steps.
        shared: how many of those training may play too.
    """

    def __init__(
        self,
        plan: Plan,
        metrics: Metrics,
        held_out: Sequence[Draw],
        make: Make,
        tokenizer: Any,
        tell: Callable[[str], None],
        shared: int = 0,
    ) -> None:
        self._plan = plan
        self._metrics = metrics
        self._held_out = held_out
        self._make = make
        self._tokenizer = tokenizer
        self._tell = tell
        self._shared = shared
        self._episodes: list[Json] = []
        self._began = time.monotonic()
        self._first = 0
        self._before: Any = None
        self.interrupted = False

    def played(self, episodes: list[Json]) -> None:
        """Episodes of the step in hand, of all processes."""
        self._episodes += episodes

    # -- TrainerCallback -----------------------------------------------------------------------------------------------

    def on_train_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        self._began, self._first = time.monotonic(), state.global_step

        def interrupt(*_: object) -> None:
            # A second one ends it at once, as it would without us.
            self.interrupted = True
            signal.signal(signal.SIGINT, self._before)
            self._tell("interrupted: saving after this step")

        try:
            self._before = signal.signal(signal.SIGINT, interrupt)
        except ValueError:  # not the main thread: whoever runs us there handles signals
            self._before = None

    def on_train_end(self, args: Any, state: Any, control: Any, **given: Any) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)

    def on_log(self, args: Any, state: Any, control: Any, logs: Json | None = None, **given: Any) -> None:
        stop = bool(logs) and collapsed(state.log_history, self._plan.patience, self._plan.entropy_floor)
        if stop:  # the numbers are of all processes, so that all of them stop
            control.should_save = control.should_training_stop = True
        if not logs or "loss" not in logs or not state.is_world_process_zero:
            self._episodes = []
            return
        line: Json = {"phase": "train", "step": state.global_step, **digest(self._episodes)}
        line |= {name: _number(logs[name]) for name in _KEPT if name in logs}
        line["time_s"] = round(time.monotonic() - self._began, 1)
        self._episodes = []
        self._metrics.add(line)
        done = state.global_step - self._first
        left = line["time_s"] / max(1, done) * (state.max_steps - state.global_step)
        tasks = " ".join(f"{key.split('/')[1]} {value:.2f}" for key, value in line.items() if _is_task_score(key))
        self._tell(
            f"step {state.global_step}/{state.max_steps} reward {line['reward']:.3f} entropy {line.get('entropy', 0):.3f} "
            f"[{tasks}] {left / 60:.0f} min left"
        )
        if stop:
            self._metrics.add({"phase": "stop", "step": state.global_step, "why": "collapse"})
            self._tell("stopped: entropy or the rewards' spread is gone")
        if self.interrupted:
            control.should_save = control.should_training_stop = True

    def on_step_end(self, args: Any, state: Any, control: Any, model: Any = None, **given: Any) -> None:
        every = self._plan.evaluate_every
        if every and (state.global_step % every == 0 or state.global_step == state.max_steps):
            self._evaluate(state, model)
        if self.interrupted:
            control.should_save = control.should_training_stop = True

    # -- what they do --------------------------------------------------------------------------------------------------

    def _evaluate(self, state: Any, model: Any) -> None:
        if not state.is_world_process_zero or not self._held_out:
            return
        plain = getattr(model, "module", model)
        scores = mean_scores(
            self._held_out, self._make, plain, self._tokenizer,
            max_tokens=self._plan.preset.answer, batch=16, keep=not by_unsloth(self._plan.preset), tell=self._tell,
        )  # fmt: skip
        mean = round(sum(scores.values()) / len(scores), 4)
        line: Json = {"phase": "evaluation", "step": state.global_step, "mean": mean, "tasks": scores}
        if self._shared:
            line["in_training"] = self._shared
        self._metrics.add(line)
        Best(self._plan.output / "best").offer(state.global_step, mean, plain.save_pretrained)
        self._tell(f"step {state.global_step}: held-out mean {mean:.3f}")


def _is_task_score(key: str) -> bool:
    return key.startswith("task/") and key.endswith("/score")


def _number(value: Any) -> float | None:
    return float(value) if value is not None else None

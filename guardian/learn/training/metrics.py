"""What a run tells while it goes: metrics.jsonl with everything, reward_curve.csv and .png with what matters.

A line of metrics.jsonl is one step. A continued run cuts the file back to the step that it continues from, so that the
file reads as if nothing had happened.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from guardian.errors import UsageError
from guardian.learn.training.rollout import Trajectory

Json = dict[str, Any]
_SMOOTHED = 10  # steps of a moving mean in the picture


class Metrics:
    """The file of a run.

    Args:
        folder: of the run.
        resumed: the step it continues from; 0 for a new run.
        writes: whether this process is the one that writes it.
    """

    def __init__(self, folder: Path, resumed: int = 0, *, writes: bool = True) -> None:
        self._file = folder / "metrics.jsonl"
        self._writes = writes
        if not writes:
            return
        kept = [each for each in self.lines() if resumed and each.get("step", 0) <= resumed]
        if not resumed:
            kept = [each for each in self.lines() if each.get("phase") == "warm start"]
        self._file.write_text("".join(json.dumps(each) + "\n" for each in kept), encoding="utf-8")

    def lines(self) -> list[Json]:
        """Everything told so far; a line that was cut short is not told."""
        found: list[Json] = []
        for line in self._file.read_text(encoding="utf-8").splitlines() if self._file.is_file() else ():
            try:
                found.append(json.loads(line))
            except ValueError:
                continue
        return found

    def add(self, line: Json) -> None:
        """One more line, on disk at once."""
        if not self._writes:
            return
        with self._file.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(line, sort_keys=True) + "\n")

    def steps(self) -> list[Json]:
        """The lines of gradient steps."""
        return [each for each in self.lines() if each.get("phase") == "train"]


def digest(played: Iterable[Json]) -> Json:
    """A batch of episodes as means: the return, every task's score and return, every signal."""
    listed = list(played)
    found: Json = {"reward": _mean(each["reward"] for each in listed), "score": _mean(each["score"] for each in listed)}
    for task in sorted({each["task"] for each in listed}):
        mine = [each for each in listed if each["task"] == task]
        found[f"task/{task}/score"] = _mean(each["score"] for each in mine)
        found[f"task/{task}/reward"] = _mean(each["reward"] for each in mine)
    for name in sorted({name for each in listed for name in each["signals"]}):
        found[f"signal/{name}"] = _mean(each["signals"].get(name, 0.0) for each in listed)
    found["invalid"] = _mean(each["invalid"] for each in listed)
    found["tokens/question"] = _mean(each["question_tokens"] for each in listed)
    found["tokens/answer"] = _mean(each["answer_tokens"] for each in listed)
    return found


def told(played: Sequence[Trajectory]) -> list[Json]:
    """What is kept of trajectories; rewards are shares of what a perfect player earns."""
    found: list[Json] = []
    for each in played:
        episode: Any = each.episode
        found.append(
            {
                "task": episode.task,
                "reward": episode.reward / episode.ceiling,
                "score": episode.score(),
                "signals": dict(episode.signals),
                "invalid": episode.invalid,
                "question_tokens": len(each.prompt) + each.mask.count(0),
                "answer_tokens": each.mask.count(1),
            }
        )
    return found


def write_curve(steps: Sequence[Json], tasks: Sequence[str], signals: Sequence[str], folder: Path) -> None:
    """reward_curve.csv, and reward_curve.png where matplotlib is installed.

    Raises:
        UsageError: matplotlib is not there.
    """
    columns = ["step", "reward", "score", "entropy", *(f"task/{task}/score" for task in tasks)]
    columns += [f"signal/{name}" for name in signals]
    with (folder / "reward_curve.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, columns, restval="", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(steps)
    if steps:
        _draw(steps, tasks, signals, folder / "reward_curve.png")


def _draw(steps: Sequence[Json], tasks: Sequence[str], signals: Sequence[str], file: Path) -> None:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise UsageError("the picture needs matplotlib", hint="pip install 'contract-guardian[train]'") from None
    figure = Figure(figsize=(11, 12), layout="constrained")
    for axes, title, names in zip(
        figure.subplots(3, 1, sharex=True),
        ("return, as a share of the perfect one, and score", "score by task", "reward by signal"),
        (["reward", "score"], [f"task/{task}/score" for task in tasks], [f"signal/{name}" for name in signals]),
        strict=True,
    ):
        for name in names:
            points = [(each["step"], each[name]) for each in steps if each.get(name) is not None]
            if points:
                values = [value for _, value in points]
                smooth = [fmean(values[max(0, end - _SMOOTHED) : end]) for end in range(1, len(values) + 1)]
                axes.plot(
                    [step for step, _ in points], smooth, label=name.removesuffix("/score").partition("/")[2] or name
                )
        axes.set_title(f"{title} (mean of {_SMOOTHED})", fontsize=9)
        axes.legend(fontsize=7, ncols=2, loc="center left", bbox_to_anchor=(1.0, 0.5))
        axes.grid(alpha=0.3)
    axes.set_xlabel("gradient step")
    figure.savefig(file, dpi=120, metadata={"Software": None})


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return round(fmean(listed), 6) if listed else 0.0

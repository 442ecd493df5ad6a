"""What a run decides by its own numbers: when it has collapsed, which adapter is the best, where it goes on.

Nothing here needs torch. Decisions rest on what is saved with checkpoints, so that a continued run decides as an
uninterrupted one, and every process of several alike.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

Json = dict[str, Any]


def collapsed(history: Sequence[Mapping[str, Any]], patience: int, floor: float) -> bool:
    """Whether nothing is left to learn from: for so many steps in a row all answers were the same, or worth the same.

    Args:
        history: what was logged, step by step; lines without a loss are no steps.
        patience: steps in a row.
        floor: mean entropy in nats, below which answers count as the same.
    """
    steps = [line for line in history if "loss" in line][-patience:]
    return len(steps) == patience > 0 and all(
        line.get("frac_reward_zero_std", 0.0) >= 1.0 or line.get("entropy", floor) < floor for line in steps
    )


class Best:
    """The adapter with the highest held-out mean so far; of equals the later one.

    Args:
        folder: where it is kept, with ``score.json`` beside its weights.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._mark = folder / "score.json"

    @property
    def mean(self) -> float | None:
        """Its mean; None while there is none."""
        if not self._mark.is_file():
            return None
        return float(json.loads(self._mark.read_text(encoding="utf-8"))["mean"])

    def offer(self, step: int, mean: float, save: Callable[[Path], object]) -> bool:
        """Keep the adapter of a step if it is the best; ``save`` writes it into a folder."""
        best = self.mean
        if best is not None and mean < best:
            return False
        save(self.folder)
        # After the weights: where an interruption comes between, the weights are the ones that were told as well or better.
        self._mark.write_text(json.dumps({"step": step, "mean": mean}) + "\n", encoding="utf-8")
        return True


def newest_checkpoint(folder: Path) -> Path | None:
    """The latest whole checkpoint; one that was interrupted while it was written lacks what is written last."""
    found = [each for each in folder.glob("checkpoint-*") if (each / "trainer_state.json").is_file()]
    return max(found, key=step_of, default=None)


def step_of(checkpoint: Path) -> int:
    """The gradient step that a checkpoint was made after."""
    return int(checkpoint.name.partition("-")[2])

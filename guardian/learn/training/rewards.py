"""Reward functions for TRL: the environment's rubric signals, each by itself or all in one sum.

Either way a return is a share of what a perfect player earns on that very episode, so that tasks with many things to
find weigh no more than others. By itself each signal is normalised in its group (GDPO), which keeps a rare signal from
drowning in a loud one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Reward = Callable[..., list[float]]


def reward_functions(signals: Sequence[str], *, separate: bool) -> list[Reward]:
    """One function a signal, or one for their sum."""
    return [_signal(name) for name in signals] if separate else [_column("earned", "reward_sum")]


def aggregation(*, separate: bool) -> str:
    """TRL's name for how several rewards become one."""
    return "normalize_then_sum" if separate else "sum_then_normalize"


def _signal(name: str) -> Reward:
    return _column(f"signal_{name}", name)


def _column(column: str, name: str) -> Reward:
    def reward(**given: Any) -> list[float]:
        return [float(value) for value in given[column]]

    reward.__name__ = name
    return reward

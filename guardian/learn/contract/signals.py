"""The reward: named signals, each with its value, counted at every step by the phase that grades the action.

A step's ``rewards`` are count times weight, and sum to its ``reward``. The weights are INTERFACE.md's and may be
configured. ``guardian.learn.contract.rubric`` offers each signal as a rubric of OpenEnv.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from guardian.errors import UsageError


class Signal(StrEnum):
    """What can be rewarded."""

    CORRECT_VIOLATION = "correct_violation"
    WRONG_TYPE = "wrong_type"
    DUPLICATE = "duplicate"
    FALSE_POSITIVE = "false_positive"
    HINT = "hint"
    DONE_BONUS = "done_bonus"
    MALFORMED_ACTION = "malformed_action"
    SPAM = "spam"
    CORRECT_CONSUMER = "correct_consumer"
    MISSED_CONSUMER = "missed_consumer"
    FALSE_FLAG = "false_flag"
    UNKNOWN_SERVICE = "unknown_service"
    FIX_PASSES = "fix_passes"
    FIX_BREAKS_CONSUMER = "fix_breaks_consumer"
    MALFORMED_PATCH = "malformed_patch"
    UNACCEPTABLE_STRATEGY = "unacceptable_strategy"
    FAILED_TRIAL = "failed_trial"
    REPETITION = "repetition"


WEIGHTS: Mapping[Signal, float] = MappingProxyType(
    {
        Signal.CORRECT_VIOLATION: 1.0,
        Signal.WRONG_TYPE: 0.3,  # right place; taken back once the right type is given
        Signal.DUPLICATE: -0.1,
        Signal.FALSE_POSITIVE: -0.3,
        Signal.HINT: -0.5,
        Signal.DONE_BONUS: 0.5,  # times found / total
        Signal.MALFORMED_ACTION: -0.2,
        Signal.SPAM: -1.0,  # once there are more reports than three times what was planted
        Signal.CORRECT_CONSUMER: 0.8,
        Signal.MISSED_CONSUMER: -0.5,  # once for each that an answer, or DONE without one, leaves out
        Signal.FALSE_FLAG: -0.4,
        Signal.UNKNOWN_SERVICE: -0.2,
        Signal.FIX_PASSES: 2.0,
        Signal.FIX_BREAKS_CONSUMER: -1.0,  # for each
        Signal.MALFORMED_PATCH: -0.5,  # DONE before anything was proposed is one too
        Signal.UNACCEPTABLE_STRATEGY: -0.3,
        Signal.FAILED_TRIAL: -0.2,  # a patch that validate_fix refuses: trying everything is not free
        Signal.REPETITION: -0.1,  # beside duplicate, times how often the answer was repeated before
    }
)

Counts = Mapping[Signal, float]


@dataclass(frozen=True, slots=True)
class Graded:
    """What a step earned, in counts of signals; hidden from the agent but for the rewards made of it."""

    counts: Counts
    feedback: str
    over: bool = False  # the phase is


def weights(configured: Mapping[str, float] | None = None) -> dict[Signal, float]:
    """The weights, with some of them replaced.

    Raises:
        UsageError: there is no such signal.
    """
    unknown = sorted(set(configured or {}) - {signal.value for signal in Signal})
    if unknown:
        raise UsageError(f"there is no signal {unknown[0]}", hint=f"there are {', '.join(Signal)}")
    return {**WEIGHTS, **{Signal(name): value for name, value in (configured or {}).items()}}


def rewards(counts: Counts, weighed: Mapping[Signal, float]) -> dict[str, float]:
    """The value of every signal that a step touched."""
    return {signal.value: round(weighed[signal] * count, 6) for signal, count in counts.items() if count}

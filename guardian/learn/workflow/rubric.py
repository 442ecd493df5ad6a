"""The reward: named signals, each of one of five dimensions, and an episode's score from the same five.

Signals are paid step by step and logged by name; their sum is the step's reward. The score in [0, 1] is the weighted
mean of the dimensions that an episode had occasion for. ``openenv.yaml`` declares the same, and a test compares them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from guardian.learn.workflow.office import Office


class Dimension(StrEnum):
    OUTCOME = "outcome"
    SLA = "sla"
    ADAPTATION = "schema_adaptation"
    COMPLIANCE = "compliance"
    REASONING = "reasoning"


WEIGHTS: Mapping[Dimension, float] = {
    Dimension.OUTCOME: 0.30,
    Dimension.SLA: 0.30,
    Dimension.ADAPTATION: 0.20,
    Dimension.COMPLIANCE: 0.15,
    Dimension.REASONING: 0.05,
}


@dataclass(frozen=True, slots=True)
class Signal:
    """One named reward. ``failure`` is the failure mode that it counts as."""

    dimension: Dimension
    value: float
    meaning: str
    failure: str | None = None


_O, _S, _A, _C, _R = Dimension

SIGNALS: Mapping[str, Signal] = {
    "step": Signal(_O, -0.01, "every step costs time"),
    "task_started": Signal(_O, 0.10, "work on a task begins; once a task"),
    "approval_asked": Signal(_O, 0.05, "an approval that is needed is asked for; once a task"),
    "unblocked": Signal(_O, 0.10, "something is taken out of a task's way; once a task"),
    "closed_in_time": Signal(_O, 1.0, "a task is closed within its SLA"),
    "closed_late": Signal(_O, 0.3, "a task is closed after it"),
    "all_in_time": Signal(_S, 1.0, "every task of the episode was closed within its SLA"),
    "sla_breach": Signal(_S, -0.3, "a deadline passes"),
    "stale_field": Signal(_A, -0.1, "acting on what a system no longer has", "stale_field"),
    "adapted": Signal(_A, 0.2, "coping with a breaking change; once a change"),
    "lookup": Signal(_A, -0.02, "looking a system up"),
    "schema_violation": Signal(_A, -0.1, "naming a field that a system does not have for this", "stale_field"),
    "authority_breach": Signal(_C, -0.5, "an act that is not this agent's", "authority_breach"),
    "policy_breach": Signal(_C, -0.2, "closing what needs an approval first", "authority_breach"),
    "defer_spiral": Signal(_C, -0.2, "deferring on and on while there is work", "defer_spiral"),
    "loop": Signal(_C, -0.1, "the same attempt again without effect", "loop"),
    "invalid_action": Signal(_C, -0.05, "an action that cannot be taken here", "invalid_action"),
    "malformed": Signal(_C, -0.2, "an action that cannot be read", "invalid_action"),
    "reason_block": Signal(_R, 0.05, "naming a block while removing it; once a block"),
    "reason_schema": Signal(_R, 0.05, "naming a schema change while coping with it; once a change"),
    "reason_sla": Signal(_R, 0.03, "naming a near deadline while meeting it; once a task"),
    "reason_false": Signal(_R, -0.05, "naming a block, change or deadline where there is none"),
}

FAILURES = ("stale_field", "loop", "invalid_action", "defer_spiral", "authority_breach")


def rewards_of(signals: Iterable[str]) -> dict[str, float]:
    """The reward of each signal of a step, by name; a signal that was given twice counts twice."""
    return {name: round(SIGNALS[name].value * count, 6) for name, count in Counter(signals).items()}


@dataclass(frozen=True, slots=True)
class Scores:
    """An episode's dimensions in [0, 1], None where it had no occasion, and the score that they make."""

    dimensions: Mapping[Dimension, float | None]

    @property
    def total(self) -> float:
        """The weighted mean of the dimensions that there was occasion for."""
        had = {dimension: value for dimension, value in self.dimensions.items() if value is not None}
        weight = sum(WEIGHTS[dimension] for dimension in had)
        return sum(WEIGHTS[dimension] * value for dimension, value in had.items()) / weight if weight else 0.0


def score(office: Office, counts: Mapping[str, int], reasoning: float | None) -> Scores:
    """The five dimensions of an episode as far as it has come.

    Adaptation, compliance and reasoning are worth what the work done under them is worth: whoever does nothing breaks
    no rule and meets no change, and earns nothing for it.

    Args:
        counts: how often each signal was given.
        reasoning: the share of the events that were named rightly, or None.
    """
    tasks = list(office.tasks.values())
    closed = sum(not task.open for task in tasks) / len(tasks)
    in_time = sum(task.in_time for task in tasks) / len(tasks)
    breaches = (
        0.25 * counts.get("authority_breach", 0)
        + 0.1 * (counts.get("policy_breach", 0) + counts.get("defer_spiral", 0) + counts.get("malformed", 0))
        + 0.05 * (counts.get("loop", 0) + counts.get("invalid_action", 0))
    )
    relevant = [drift for drift in office.drifts if drift.relevant]
    if relevant:
        coped = [
            max(0.25, 1 - 0.15 * max(0, drift.stale_steps - 1)) if drift.recovered_at is not None else 0.0
            for drift in relevant
        ]
        adaptation = sum(coped) / len(coped) * closed
    else:
        needless = counts.get("lookup", 0) + counts.get("schema_violation", 0)
        adaptation = max(0.0, 1 - 0.25 * needless) * closed
    return Scores(
        {
            Dimension.OUTCOME: closed,
            Dimension.SLA: in_time,
            Dimension.ADAPTATION: adaptation,
            Dimension.COMPLIANCE: max(0.0, 1 - breaches) * closed,
            Dimension.REASONING: None
            if reasoning is None
            else max(0.0, reasoning - 0.1 * counts.get("reason_false", 0)) * closed,
        }
    )

"""An episode in numbers: what evaluation counts, the same for every policy."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from guardian.learn.workflow.office import Office
from guardian.learn.workflow.rubric import FAILURES, SIGNALS, Scores


@dataclass(frozen=True, slots=True)
class Episode:
    """One finished episode.

    ``drifts`` counts breaking changes that hit an open task; ``steps_to_recover`` sums the steps from meeting one to
    the first request that was accepted again. ``fault`` is the environment's: such an episode is not the agent's.
    """

    scenario: str
    difficulty: str
    seed: int
    steps: int
    reward: float
    score: float
    dimensions: Mapping[str, float | None]
    tasks: int
    closed: int
    in_time: int
    drifts: int
    recovered: int
    steps_to_recover: int
    failures: Mapping[str, int]
    signals: Mapping[str, float]
    fault: str | None = None

    @property
    def sla_compliance(self) -> float:
        """Tasks closed within their SLA, of all tasks."""
        return self.in_time / self.tasks

    @property
    def success(self) -> bool:
        """Whether every task was closed within its SLA."""
        return self.in_time == self.tasks

    def as_dict(self) -> dict[str, Any]:
        """The episode as JSON."""
        return {**dataclasses.asdict(self), "sla_compliance": round(self.sla_compliance, 6), "success": self.success}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Episode:
        """The episode that ``as_dict`` wrote."""
        return cls(**{each.name: data[each.name] for each in dataclasses.fields(cls)})


def summarise(office: Office, counts: Mapping[str, int], total: float, scores: Scores, fault: str | None) -> Episode:
    """The numbers of an episode."""
    failures = dict.fromkeys(FAILURES, 0)
    for name, count in counts.items():
        if (failure := SIGNALS[name].failure) is not None:
            failures[failure] += count
    relevant = [drift for drift in office.drifts if drift.relevant]
    recovered = [drift for drift in relevant if drift.recovered_at is not None]
    return Episode(
        scenario=office.scenario.name,
        difficulty=office.difficulty.value,
        seed=office.seed,
        steps=office.step,
        reward=round(total, 6),
        score=round(scores.total, 6),
        dimensions={
            dimension.value: None if value is None else round(value, 6)
            for dimension, value in scores.dimensions.items()
        },
        tasks=len(office.tasks),
        closed=sum(not task.open for task in office.tasks.values()),
        in_time=sum(task.in_time for task in office.tasks.values()),
        drifts=len(relevant),
        recovered=len(recovered),
        steps_to_recover=sum((drift.recovered_at or 0) - (drift.met_at or 0) for drift in recovered),
        failures=failures,
        signals={name: round(SIGNALS[name].value * counts[name], 6) for name in SIGNALS if counts.get(name)},
        fault=fault,
    )

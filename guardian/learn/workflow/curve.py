"""The course of many episodes: nine metrics an episode as CSV, their rolling means, and a picture of two panels."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

from guardian.learn.workflow.summary import Episode

WINDOW = 30  # episodes of a rolling mean
ENDS = 100  # episodes of "first" and "last"
METRICS = (
    "reward",
    "rolling_reward",
    "score",
    "sla_compliance",
    "closed",
    "drift_recovery",
    "steps_to_recover",
    "failures",
    "steps",
)
_PLACE = ("episode", "scenario", "difficulty", "seed")


@dataclass
class RewardCurve:
    """Episodes in the order in which they were played; those that the environment spoilt are left out."""

    episodes: list[Episode] = field(default_factory=list)

    def add(self, episode: Episode) -> None:
        """Append one, unless it was the environment's fault."""
        if episode.fault is None:
            self.episodes.append(episode)

    @property
    def rewards(self) -> list[float]:
        return [episode.reward for episode in self.episodes]

    def rolling(self, values: Sequence[float]) -> list[float]:
        """The mean of the last ``WINDOW`` values at each place."""
        return [fmean(values[max(0, place - WINDOW + 1) : place + 1]) for place in range(len(values))]

    @property
    def first(self) -> float:
        """Mean reward of the first ``ENDS`` episodes."""
        return fmean(self.rewards[:ENDS]) if self.episodes else 0.0

    @property
    def last(self) -> float:
        """Mean reward of the last ``ENDS`` episodes."""
        return fmean(self.rewards[-ENDS:]) if self.episodes else 0.0

    def rows(self) -> list[dict[str, Any]]:
        """Nine metrics an episode, and which episode it was. What an episode had no occasion for is empty."""
        rolling = self.rolling(self.rewards)
        return [
            {
                "episode": number,
                "scenario": each.scenario,
                "difficulty": each.difficulty,
                "seed": each.seed,
                "reward": each.reward,
                "rolling_reward": round(rolling[number], 6),
                "score": each.score,
                "sla_compliance": round(each.sla_compliance, 6),
                "closed": round(each.closed / each.tasks, 6),
                "drift_recovery": round(each.recovered / each.drifts, 6) if each.drifts else "",
                "steps_to_recover": round(each.steps_to_recover / each.recovered, 6) if each.recovered else "",
                "failures": sum(each.failures.values()),
                "steps": each.steps,
            }
            for number, each in enumerate(self.episodes)
        ]

    def csv(self) -> str:
        """The rows as CSV (RFC 4180, newlines as ``\\n``)."""
        buffer = io.StringIO()
        writer = csv.DictWriter(buffer, (*_PLACE, *METRICS), lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows())
        return buffer.getvalue()

    def draw(self, path: Path, title: str) -> bool:
        """Write the picture; says whether it could: matplotlib is part of the ``train`` extra."""
        from importlib.util import find_spec

        if find_spec("matplotlib") is None or not self.episodes:
            return False
        from matplotlib.figure import Figure

        figure = Figure(figsize=(10, 7), layout="constrained")
        above, below = figure.subplots(2, 1, sharex=True)
        numbers = range(len(self.episodes))
        above.plot(numbers, self.rewards, color="#b9c3cf", linewidth=0.8, label="reward of an episode")
        above.plot(numbers, self.rolling(self.rewards), color="#1f5fbf", linewidth=2, label=f"mean of {WINDOW}")
        above.axhline(0, color="#888888", linewidth=0.6)
        above.set_ylabel("reward")
        above.set_title(title)
        above.legend(loc="lower right")
        sla = [episode.sla_compliance for episode in self.episodes]
        below.plot(numbers, self.rolling(sla), color="#1b6e3c", linewidth=2, label="SLA compliance")
        met = [(number, each.recovered / each.drifts) for number, each in enumerate(self.episodes) if each.drifts]
        if met:
            below.plot(
                [number for number, _ in met], self.rolling([share for _, share in met]), color="#b3261e", linewidth=2,
                linestyle="--", label="drift recovery",
            )  # fmt: skip
        below.set_ylim(-0.02, 1.02)
        below.set_ylabel(f"share, mean of {WINDOW}")
        below.set_xlabel("episode")
        below.legend(loc="lower right")
        figure.savefig(
            path, format="png", metadata={"Software": None}
        )  # no version in the file: same curve, same bytes
        return True

"""Which episodes training plays: every task as often as the others, easy ones first, seeds that evaluation never uses."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from guardian.learn.training.rollout import Draw

LEVELS = ("easy", "medium", "hard")
#: Training draws seeds below this in both environments; evaluation draws from there on.
SEEDS = 1_000_000


@dataclass(frozen=True, slots=True)
class Course:
    """A course of episodes.

    Attributes:
        length: how many draws in all.
        until: up to which share of the course the first, and the second level is played.
    """

    tasks: tuple[str, ...]
    length: int
    seed: int = 0
    until: tuple[float, float] = (0.5, 0.9)

    def draws(self) -> list[Draw]:
        """The draws in order: each round visits every task once, in an order of its own."""
        rng = Random(f"course:{self.seed}")
        found: list[Draw] = []
        while len(found) < self.length:
            turn = list(self.tasks)
            rng.shuffle(turn)
            found += [Draw(task, rng.randrange(SEEDS), self._level(len(found))) for task in turn]
        return found[: self.length]

    def _level(self, number: int) -> str:
        share = number / self.length
        return LEVELS[sum(share >= limit for limit in self.until)]

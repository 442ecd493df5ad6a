"""Which episode comes next while training: easy, medium and hard thirds over all five scenarios, seeds of its own.

Training seeds and evaluation seeds never meet: training draws below ``HELD_OUT``, evaluation from there on. Nor do the
changes that are shipped in their episodes (``drift.is_held_out``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from guardian.errors import UsageError
from guardian.learn.workflow.scenarios import SCENARIOS, Difficulty

EPISODES = 500
HELD_OUT = 1_000_000


@dataclass(frozen=True, slots=True)
class Assignment:
    """One episode to play."""

    number: int
    scenario: str
    difficulty: str
    seed: int


@dataclass(frozen=True, slots=True)
class Curriculum:
    """A course of episodes.

    Args:
        episodes: how many in all.
        seed: of the course.
        scenarios: those to visit, in turn.

    Raises:
        UsageError: it is no course.
    """

    episodes: int = EPISODES
    seed: int = 0
    scenarios: tuple[str, ...] = tuple(SCENARIOS)

    def __post_init__(self) -> None:
        unknown = [name for name in self.scenarios if name not in SCENARIOS]
        if self.episodes < 1 or not self.scenarios or unknown or self.seed < 0:
            raise UsageError("a curriculum needs episodes, a seed from 0 on, and scenarios that exist")

    def __iter__(self) -> Iterator[Assignment]:
        return (self.assignment(number) for number in range(self.episodes))

    def assignment(self, number: int) -> Assignment:
        """The episode of that number, from 0."""
        third = min(2, number * 3 // self.episodes)
        scenario = self.scenarios[number % len(self.scenarios)]
        seed = (self.seed * 100_003 + number) % HELD_OUT
        return Assignment(number, scenario, tuple(Difficulty)[third].value, seed)


def held_out_seeds(episodes: int, seed: int) -> range:
    """Seeds for evaluation that no curriculum ever plays."""
    start = HELD_OUT + seed * 10_000
    return range(start, start + episodes)


def description(curriculum: Curriculum) -> Mapping[str, int]:
    """How many episodes each difficulty has."""
    counts = dict.fromkeys((each.value for each in Difficulty), 0)
    for assignment in curriculum:
        counts[assignment.difficulty] += 1
    return counts

"""A user's own company, parted for training and evaluation by what its episodes show.

Generated companies of both have different vocabularies. A user's has one, and a small one gives few different episodes,
so that seeds alone keep nothing apart: every scenario belongs to one of both by its content, and a seed whose scenario
belongs to the other draws again. Nobody has to know what was trained on.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from guardian.errors import UsageError
from guardian.learn.contract.environment import Scenarios
from guardian.learn.contract.scenarios import Scenario
from guardian.learn.contract.tasks import DIFFICULTIES

TRAIN, HELD_OUT = "train", "heldout"

#: One scenario in so many is evaluation's.
_SHARE = 4
#: How often a seed draws, and how many seeds of nobody's are looked at where that finds nothing.
_DRAWS = 32
_RESERVE = 128
#: Between the draws of a seed; larger than all seeds that are played.
_FAR = 2**48


class ApartScenarios(Scenarios):
    """The scenarios of a user's company; those of ``heldout`` are none of ``train``'s as far as there are enough.

    Raises:
        GuardianError: the company cannot be read.
        UsageError: there is no such split.
    """

    def __init__(self, graph: Path, split: str) -> None:
        super().__init__(graph=graph, split=split)
        self._reserves: dict[tuple[str, str, str], Scenario | None] = {}

    @property
    def digest(self) -> str:
        """Of the company: what all scenarios are made of."""
        company = self._own
        assert company is not None
        return _digest([company.services, company.manifests]).hex()[:16]

    def in_training(self, task: str, seed: int, difficulty: str) -> bool:
        """Whether training may play the very scenario of this seed."""
        if _part(self.scenario(task, seed, difficulty)) == TRAIN:
            return True
        # Where training finds nothing of its own, it plays what there is.
        return any(self._reserve(task, level, TRAIN) is None for level in DIFFICULTIES)

    def _build(self, task: str, seed: int, difficulty: str) -> Scenario:
        for draw in range(_DRAWS):
            drawn = self._drawn(task, seed + draw * _FAR, difficulty)
            if drawn is not None and _part(drawn) == self._split:
                return drawn
        reserve = self._reserve(task, difficulty, self._split)
        return reserve if reserve is not None else super()._build(task, seed, difficulty)

    def _drawn(self, task: str, seed: int, difficulty: str) -> Scenario | None:
        try:
            return super()._build(task, seed, difficulty)
        except UsageError:  # this draw came to nothing; whether all do is told by the last resort
            return None

    def _reserve(self, task: str, difficulty: str, part: str) -> Scenario | None:
        """A scenario of this part, the same for every seed that has none; None where the company seems to have none."""
        key = (task, difficulty, part)
        if key not in self._reserves:
            drawn = (self._drawn(task, -1 - number, difficulty) for number in range(_RESERVE))
            self._reserves[key] = next((each for each in drawn if each is not None and _part(each) == part), None)
        return self._reserves[key]


def scenarios_of(graph: Path | None, split: str, services: int | None = None) -> Scenarios:
    """Scenarios in a user's company, parted, or in generated ones."""
    return ApartScenarios(graph, split) if graph else Scenarios(split=split, services=services)


def check_material(scenarios: Scenarios, tasks: Sequence[str], difficulty: str) -> None:
    """See that a user's company has something to make of every task.

    Raises:
        UsageError: it has not; the hint names the tasks that remain.
    """
    lacking: list[str] = []
    for task in tasks:
        try:
            scenarios.scenario(task, 0, difficulty)
        except UsageError:
            lacking.append(task)
    if lacking:
        rest = [task for task in tasks if task not in lacking]
        hint = f"--tasks {','.join(rest)}" if rest else "play it in generated companies, without --graph"
        raise UsageError(f"this company has nothing to make {', '.join(lacking)} of", hint=hint)


def _part(scenario: Scenario) -> str:
    """Whose a scenario is, by what an agent sees of it."""
    shown: list[Any] = [
        scenario.description,
        scenario.api_spec,
        scenario.payload,
        scenario.service_graph,
        scenario.consumer_specs,
    ]  # what is told of a change follows from it, and other terms make no other change
    return HELD_OUT if _digest(shown)[0] % _SHARE == 0 else TRAIN


def _digest(value: Any) -> bytes:
    plain = json.loads(json.dumps(value))  # keys are text from here on, and can be put in order
    return hashlib.sha256(json.dumps(plain, sort_keys=True).encode()).digest()

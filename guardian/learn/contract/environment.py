"""The contract environment: ``reset``, ``step``, ``state``, ``close`` over the nine tasks.

The same loader, rules, graph and fix verifier that gate a pull request grade every action; nothing here knows a right
answer that they did not compute. ``guardian.learn.contract.server`` puts it behind OpenEnv, ``gym`` behind gymnasium.
"""

from __future__ import annotations

import gc
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random, SystemRandom
from typing import Any

from guardian.errors import UsageError
from guardian.learn.contract.actions import Action, Malformed, Observation, read_action
from guardian.learn.contract.companies import Company, generate, read_company
from guardian.learn.contract.ledgers import ledger_document
from guardian.learn.contract.phases import Phase
from guardian.learn.contract.scenarios import NoMaterial, Scenario
from guardian.learn.contract.signals import Counts, Signal, rewards, weights
from guardian.learn.contract.tasks import DIFFICULTIES, TASKS, Brief
from guardian.learn.contract.vocabulary import SPLITS
from guardian.learn.plain import text_of

Json = dict[str, Any]

#: Scenarios that are kept, so that several episodes of one seed (a group in training) build it once.
_KEPT = 64


@dataclass(frozen=True, slots=True)
class EpisodeState:
    """Where an episode is; ``score`` is known once it is done."""

    episode_id: str
    step_count: int
    task_name: str
    phase: str
    done: bool
    total_reward: float
    score: float | None = None

    def to_json(self) -> Json:
        return {
            "episode_id": self.episode_id,
            "step_count": self.step_count,
            "task_name": self.task_name,
            "phase": self.phase,
            "done": self.done,
            "total_reward": self.total_reward,
            "score": self.score,
        }


class Scenarios:
    """Makes scenarios and keeps the last ones. Share one between environments of one process.

    Args:
        graph: a guardian.yaml whose company to play in; generated companies where not given.
        split: which vocabularies generated companies draw from: ``train`` or ``heldout``.
        services: how many services generated companies have; 3 to 5 where not given.

    Raises:
        GuardianError: the company of ``graph`` cannot be read.
        UsageError: there is no such split.
    """

    def __init__(self, *, graph: Path | None = None, split: str = "train", services: int | None = None) -> None:
        if split not in SPLITS:
            raise UsageError(f"there is no split {split}", hint=f"there are {' and '.join(SPLITS)}")
        self._own: Company | None = read_company(graph) if graph is not None else None
        self._split = split
        self._services = services
        self._kept: dict[tuple[str, int, str], Scenario] = {}
        self._lock = threading.Lock()

    def scenario(self, task: str, seed: int, difficulty: str) -> Scenario:
        """The scenario of a seed.

        Raises:
            UsageError: the company has nothing that the task could be made of.
        """
        key = (task, seed, difficulty)
        found = self._kept.get(key)
        if found is None:
            with _uncollected():
                found = self._build(*key)  # two threads may build the same one; it is the same
            with self._lock:
                self._kept[key] = found
                while len(self._kept) > _KEPT:
                    del self._kept[next(iter(self._kept))]
        return found

    def _build(self, task: str, seed: int, difficulty: str) -> Scenario:
        rng = Random(f"{task}:{seed}:{difficulty}")
        violations, _ = TASKS[task].sizes(difficulty)
        for attempt in range(1 if self._own else 8):
            company = self._own or generate(seed + attempt * 1_000_003, services=self._services, split=self._split)
            try:
                return TASKS[task].build(Brief(company, violations, rng, self._ledger))
            except NoMaterial:
                continue
        raise UsageError(
            f"this company has nothing to make {task} of", hint="play it in generated companies, without --graph"
        )

    def _ledger(self, rng: Random) -> tuple[Json, str]:
        return ledger_document(rng.choice(SPLITS[self._split]).ledger, rng)


@contextmanager
def _uncollected() -> Iterator[None]:
    """No search for garbage meanwhile: what building a scenario leaves behind is found once, afterwards."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class ContractEnv:
    """One episode at a time.

    Args:
        scenarios: where scenarios come from; generated training companies where not given.
        difficulty: ``easy``, ``medium`` or ``hard``, unless a reset says otherwise.
        weights: signals whose value differs from the default.

    Raises:
        UsageError: an unknown difficulty or signal.
    """

    def __init__(
        self,
        scenarios: Scenarios | None = None,
        *,
        difficulty: str = "medium",
        weights: Mapping[str, float] | None = None,
    ) -> None:
        self._scenarios = scenarios or Scenarios()
        self._difficulty = _known(difficulty, DIFFICULTIES, "difficulty")
        self._weights = _weights(weights)
        self._scenario: Scenario | None = None
        self._phases: list[Phase] = []
        self._at = 0
        self._task = ""
        self._max_steps = 0
        self._steps = 0
        self._done = False
        self._total = 0.0
        self._episode_id = ""
        self._malformed = 0
        self.counts: Counts = {}
        self.phase_rewards: dict[str, float] = {}

    def reset(
        self,
        task_name: str | None = None,
        seed: int | None = None,
        *,
        difficulty: str | None = None,
        episode_id: str | None = None,
    ) -> Observation:
        """Begin an episode.

        Args:
            task_name: one of the nine; drawn by the seed where not given.
            seed: the same seed gives the same episode; any where not given.

        Raises:
            UsageError: an unknown task or difficulty.
        """
        seed = SystemRandom().randrange(2**53) if seed is None else seed
        task = Random(seed).choice(sorted(TASKS)) if task_name is None else _known(task_name, TASKS, "task")
        level = self._difficulty if difficulty is None else _known(difficulty, DIFFICULTIES, "difficulty")
        self._scenario = self._scenarios.scenario(task, seed, level)
        self._phases = self._scenario.phases()
        self._task = task
        self._max_steps = TASKS[task].sizes(level)[1]
        self._at = self._steps = self._malformed = 0
        self._done = False
        self._total = 0.0
        self._episode_id = episode_id or str(uuid.uuid4())
        self.counts = {}
        self.phase_rewards = {phase.name: 0.0 for phase in self._phases}
        return self._observe("", {})

    def step(self, action: Action | Mapping[str, Any] | Any) -> Observation:
        """Take one action; what is malformed is graded like any other.

        Raises:
            UsageError: there has been no reset.
        """
        if self._scenario is None:
            raise UsageError("there is no episode", hint="call reset first")
        if self._done:
            self.counts = {}
            return self._observe("The episode is over; reset begins another.", {})
        self._steps += 1
        phase = self._phases[self._at]
        meant = read_action(action)
        if isinstance(meant, Malformed):
            self._malformed += 1
            counts: Counts = {Signal.MALFORMED_ACTION: 1, Signal.REPETITION: self._malformed - 1}
            feedback = f"Malformed: {meant.reason}."
        else:
            graded = phase.step(meant)
            counts, feedback = graded.counts, graded.feedback
            if graded.over:
                self._at += 1
        self.counts = counts
        self._done = self._at >= len(self._phases) or self._steps >= self._max_steps or Signal.SPAM in counts
        named = rewards(counts, self._weights)
        reward = sum(named.values(), 0.0)
        self._total += reward
        self.phase_rewards[phase.name] += reward
        return self._observe(feedback, named)

    @property
    def state(self) -> EpisodeState:
        """Where the episode is; nothing of what is still to be found."""
        phase = self._phases[min(self._at, len(self._phases) - 1)].name if self._phases else ""
        score = self.score() if self._done else None
        return EpisodeState(self._episode_id, self._steps, self._task, phase, self._done, round(self._total, 6), score)

    def score(self) -> float:
        """The episode's score in [0, 1]: the mean of its phases', one not reached counting 0."""
        if not self._phases:
            return 0.0
        return sum(phase.score() for phase in self._phases) / len(self._phases)

    def value(self, signal: Signal) -> float:
        """What a signal added to the last step's reward."""
        return rewards(self.counts, self._weights).get(signal.value, 0.0)

    def answers(self) -> list[Action]:
        """The right actions of the current phase. For the oracle and tests: no observation is made of it."""
        return [] if self._done or not self._phases else self._phases[self._at].answers()

    def close(self) -> None:
        """Drop the episode."""
        self._scenario = None
        self._phases = []

    def _observe(self, feedback: str, named: Mapping[str, float]) -> Observation:
        scenario = self._scenario
        assert scenario is not None
        seen: Json = {}
        for phase in self._phases[: self._at + 1]:
            seen.update(phase.seen())
        current = self._phases[min(self._at, len(self._phases) - 1)]
        found = seen.get("violations_found")
        told = scenario.detected_violation
        if told is None and found and current.name != "detection":
            told = {"service": scenario.api_spec.get("service"), "changes": list(found)}
        return Observation(
            task_name=self._task,
            task_description=scenario.description,
            phase=current.name,
            feedback=feedback,
            max_steps=self._max_steps,
            api_spec=scenario.api_spec,
            payload=scenario.payload,
            service_graph=scenario.service_graph,
            total_consumers=scenario.total_consumers,
            detected_violation=told,
            consumer_specs=scenario.consumer_specs,
            reward=round(sum(named.values(), 0.0), 6),
            done=self._done,
            rewards=named,
            **seen,
        )


_weights = weights


def _known(name: str, among: Mapping[str, Any], what: str) -> str:
    if text_of(name, what) not in among:
        raise UsageError(f"there is no {what} {name}", hint=f"there are {', '.join(among)}")
    return name


EnvFactory = Callable[[], ContractEnv]

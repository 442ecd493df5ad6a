"""The environment in OpenEnv's form (0.10): models, the environment class, and the rubric with a class for each signal.

Imported only where openenv is installed. A rubric weighs what the environment has counted; nothing is graded twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar
from uuid import uuid4

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action as OpenEnvAction
from openenv.core.env_server.types import Observation as OpenEnvObservation
from openenv.core.env_server.types import State as OpenEnvState
from openenv.core.rubrics import Rubric
from pydantic import ConfigDict, Field

from guardian.learn.contract.actions import Observation
from guardian.learn.contract.environment import ContractEnv, Scenarios
from guardian.learn.contract.signals import Signal
from guardian.learn.plain import seed_of, text_of


class ContractAction(OpenEnvAction):  # type: ignore[misc,unused-ignore]
    """One action, see INTERFACE. What it may be is graded by the environment, not refused here."""

    model_config = ConfigDict(extra="allow")

    action_type: Any = Field(default=None, description="report_violation, trace_impact, propose_fix or validate_fix")
    field_path: Any = Field(default=None, description="a place; DONE ends the phase, HINT asks")
    violation_type: Any = Field(default=None, description="what is wrong there")
    description: Any = None
    suggested_fix: Any = None
    affected_services: Any = Field(default=None, description="the consumers that break")
    reasoning: Any = None
    fix_strategy: Any = Field(default=None, description="one of the five strategies")
    spec_patch: Any = Field(default=None, description="a JSON Patch or a short form")
    rationale: Any = None

    def said(self) -> dict[str, Any]:
        """The action as the agent gave it."""
        return {key: value for key, value in self.model_dump(exclude={"metadata"}).items() if value is not None}


class ContractObservation(OpenEnvObservation):  # type: ignore[misc,unused-ignore]
    """What the agent sees: the fields of ``guardian.learn.contract.actions.Observation``."""

    model_config = ConfigDict(extra="allow")

    task_name: str = ""
    phase: str = ""
    feedback: str = ""
    rewards: dict[str, float] = Field(default_factory=dict, description="each named signal of the step")


class ContractState(OpenEnvState):  # type: ignore[misc,unused-ignore]
    """Where the episode is; the score is known once it is done."""

    task_name: str = ""
    phase: str = ""
    done: bool = False
    total_reward: float = 0.0
    score: float | None = None


class SignalRubric(Rubric):  # type: ignore[misc,unused-ignore]
    """One signal of a step: how often it occurred, times its weight."""

    signal: ClassVar[Signal]

    def __init__(self, value: Callable[[Signal], float]) -> None:
        super().__init__()
        self._value = value

    def forward(self, action: Any, observation: Any) -> float:
        """The signal's part of the step's reward."""
        return self._value(self.signal)


class CorrectViolation(SignalRubric):
    signal = Signal.CORRECT_VIOLATION


class WrongType(SignalRubric):
    signal = Signal.WRONG_TYPE


class Duplicate(SignalRubric):
    signal = Signal.DUPLICATE


class FalsePositive(SignalRubric):
    signal = Signal.FALSE_POSITIVE


class Hint(SignalRubric):
    signal = Signal.HINT


class DoneBonus(SignalRubric):
    signal = Signal.DONE_BONUS


class MalformedAction(SignalRubric):
    signal = Signal.MALFORMED_ACTION


class Spam(SignalRubric):
    signal = Signal.SPAM


class CorrectConsumer(SignalRubric):
    signal = Signal.CORRECT_CONSUMER


class MissedConsumer(SignalRubric):
    signal = Signal.MISSED_CONSUMER


class FalseFlag(SignalRubric):
    signal = Signal.FALSE_FLAG


class UnknownService(SignalRubric):
    signal = Signal.UNKNOWN_SERVICE


class FixPasses(SignalRubric):
    signal = Signal.FIX_PASSES


class FixBreaksConsumer(SignalRubric):
    signal = Signal.FIX_BREAKS_CONSUMER


class MalformedPatch(SignalRubric):
    signal = Signal.MALFORMED_PATCH


class UnacceptableStrategy(SignalRubric):
    signal = Signal.UNACCEPTABLE_STRATEGY


class FailedTrial(SignalRubric):
    signal = Signal.FAILED_TRIAL


class Repetition(SignalRubric):
    signal = Signal.REPETITION


SIGNAL_RUBRICS: tuple[type[SignalRubric], ...] = (
    CorrectViolation, WrongType, Duplicate, FalsePositive, Hint, DoneBonus, MalformedAction, Spam, CorrectConsumer,
    MissedConsumer, FalseFlag, UnknownService, FixPasses, FixBreaksConsumer, MalformedPatch, UnacceptableStrategy, FailedTrial,
    Repetition,
)  # fmt: skip


class ContractRubric(Rubric):  # type: ignore[misc,unused-ignore]
    """A step's reward: the sum of the signals, each a rubric of its own under the signal's name."""

    def __init__(self, value: Callable[[Signal], float]) -> None:
        super().__init__()
        for kind in SIGNAL_RUBRICS:
            setattr(self, kind.signal.value, kind(value))

    def forward(self, action: Any, observation: Any) -> float:
        """The sum of the signals."""
        parts = [float(getattr(self, kind.signal.value)(action, observation)) for kind in SIGNAL_RUBRICS]
        return round(sum(parts), 6)


class ContractEnvironment(Environment[ContractAction, ContractObservation, ContractState]):  # type: ignore[misc,unused-ignore]
    """One session. A step before the first reset begins an episode of its own, as plain OpenEnv HTTP needs it."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, scenarios: Scenarios | None = None) -> None:
        self._env = ContractEnv(scenarios)
        super().__init__(rubric=ContractRubric(self._env.value))
        self._begun = False

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        task_name: str | None = None,
        difficulty: str | None = None,
        **_: Any,
    ) -> ContractObservation:
        """Begin an episode.

        Raises:
            UsageError: there is no such task or difficulty, or the seed is none.
        """
        episode = text_of(episode_id, "episode_id") if episode_id is not None else str(uuid4())
        observation = self._env.reset(task_name, seed_of(seed), difficulty=difficulty, episode_id=episode)
        self._reset_rubric()
        self._begun = True
        return _observed(observation)

    def step(self, action: ContractAction, timeout_s: float | None = None, **_: Any) -> ContractObservation:
        """Take one action."""
        if not self._begun:
            self.reset()
        observation = _observed(self._env.step(action.said()))
        observation.reward = self._apply_rubric(action, observation)
        return observation

    @property
    def state(self) -> ContractState:
        """Where the episode is."""
        return ContractState(**self._env.state.to_json())

    def close(self) -> None:
        """Drop the episode."""
        self._env.close()


def _observed(observation: Observation) -> ContractObservation:
    return ContractObservation(**observation.to_json())

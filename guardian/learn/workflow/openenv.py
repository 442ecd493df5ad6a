"""The environment in OpenEnv's form (0.10): models, the environment class, and its rubric of five dimensions.

Imported only where openenv is installed. The reward is the same as in process: the rubric reads the named signals of the
step from the observation and re-computes nothing.
"""

from __future__ import annotations

from random import SystemRandom
from typing import Any
from uuid import uuid4

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action as OpenEnvAction
from openenv.core.env_server.types import Observation as OpenEnvObservation
from openenv.core.env_server.types import State as OpenEnvState
from openenv.core.rubrics import Rubric
from pydantic import ConfigDict, Field

from guardian.learn.plain import seed_of, text_of
from guardian.learn.workflow.curriculum import HELD_OUT
from guardian.learn.workflow.environment import EnterpriseWorkflowEnv
from guardian.learn.workflow.rubric import SIGNALS, Dimension


class WorkflowAction(OpenEnvAction):  # type: ignore[misc,unused-ignore]
    """One action: a number or label, and its arguments. What it may be is graded by the environment, not refused here."""

    model_config = ConfigDict(extra="allow")

    action: Any = Field(default=None, description="0 to 7, or the label of one of the eight actions")
    agent_id: Any = Field(default=None, description="L1 or L2; L1 by default")
    task: Any = Field(default=None, description="the task it is about; by default what lies on top")
    field: Any = Field(default=None, description="the field that the task is about, where it is not the handbook's")
    message: Any = Field(default=None, description="text for whoever is answered or asked")
    reason: Any = Field(default=None, description="why; worth a little where it is true")

    def said(self) -> dict[str, Any]:
        """The action as the agent gave it."""
        given = self.model_dump(exclude={"metadata"})
        return {key: value for key, value in given.items() if value is not None}


class WorkflowObservation(OpenEnvObservation):  # type: ignore[misc,unused-ignore]
    """What lies on the desk; the keys are those of ``guardian.learn.workflow.view``."""

    model_config = ConfigDict(extra="allow")

    rewards: dict[str, float] = Field(default_factory=dict, description="each named signal of the step")


class WorkflowState(OpenEnvState):  # type: ignore[misc,unused-ignore]
    """What may be asked at any time; the score is known once the episode is done."""

    scenario: str = ""
    difficulty: str = ""
    total_reward: float = 0.0
    done: bool = False
    score: float | None = None
    fault: str | None = None


class DimensionRubric(Rubric):  # type: ignore[misc,unused-ignore]
    """The signals of one dimension in a step, summed."""

    def __init__(self, dimension: Dimension) -> None:
        super().__init__()
        self.dimension = dimension

    def forward(self, action: Any, observation: Any) -> float:
        """The part of the step's reward that belongs to this dimension."""
        rewards: dict[str, float] = observation.rewards
        return round(sum(value for name, value in rewards.items() if SIGNALS[name].dimension is self.dimension), 6)


class WorkflowRubric(Rubric):  # type: ignore[misc,unused-ignore]
    """The step's reward: the five dimensions, each logged under its name."""

    def __init__(self) -> None:
        super().__init__()
        for dimension in Dimension:
            setattr(self, dimension.value, DimensionRubric(dimension))

    def forward(self, action: Any, observation: Any) -> float:
        """The sum of the dimensions."""
        parts: list[float] = [getattr(self, dimension.value)(action, observation) for dimension in Dimension]
        return round(sum(parts), 6)


class WorkflowEnvironment(Environment[WorkflowAction, WorkflowObservation, WorkflowState]):  # type: ignore[misc,unused-ignore]
    """One session. A step before the first reset opens the default office, as plain OpenEnv HTTP needs it."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__(rubric=WorkflowRubric())
        self._env = EnterpriseWorkflowEnv()
        self._episode_id = str(uuid4())
        self._begun = False

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        task_name: str | None = None,
        scenario_name: str | None = None,
        difficulty: str = "easy",
        **_: Any,
    ) -> WorkflowObservation:
        """Open an office; without a seed any.

        Raises:
            UsageError: there is no such scenario or difficulty, or the seed is none.
        """
        self._reset_rubric()
        name = scenario_name or task_name or "sales_pipeline"
        world = seed_of(seed)
        if world is None:
            world = SystemRandom().randrange(HELD_OUT)  # evaluation's seeds are for those who name them
        episode = text_of(episode_id, "episode_id") if episode_id is not None else str(uuid4())
        self._env = EnterpriseWorkflowEnv(name, difficulty, world)  # a refused wish leaves the office as it is
        self._episode_id = episode
        self._begun = True
        return _observed(self._env.reset())

    def step(self, action: WorkflowAction, timeout_s: float | None = None, **_: Any) -> WorkflowObservation:
        """Let an agent act once; after the end the last observation is given again, worth nothing."""
        if not self._begun:
            self.reset(seed=0)
        if self._env.done:
            return _observed({**self._env.observation, "rewards": {}, "reward": 0.0, "feedback": "the episode is over"})
        observation, *_rest = self._env.step(action.said())
        found = _observed(observation)
        found.reward = self._apply_rubric(action, found)
        return found

    @property
    def state(self) -> WorkflowState:
        """What may be asked at any time."""
        return WorkflowState(episode_id=self._episode_id, **self._env.state)

    def close(self) -> None:
        """Shut the office."""
        self._env.close()


def _observed(view: dict[str, Any]) -> WorkflowObservation:
    return WorkflowObservation(**view)

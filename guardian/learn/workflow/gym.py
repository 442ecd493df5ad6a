"""The environment for gymnasium: sixteen discrete actions (eight for each agent) and the desk as numbers.

Imported only by those who have gymnasium; ``register()`` makes ``gymnasium.make("guardian/Workflow-v0")`` work.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np

from guardian.learn.workflow.actions import Action
from guardian.learn.workflow.curriculum import HELD_OUT
from guardian.learn.workflow.environment import EnterpriseWorkflowEnv

TASKS = 7  # tickets that the vector has room for
_STATUS = ("pending", "blocked", "in_progress", "done")
_APPROVAL = ("not needed", "needed", "asked", "given")
_PER_TASK = len(_STATUS) + len(_APPROVAL) + 4
SIZE = 3 + TASKS * _PER_TASK
_AGENTS = ("L1", "L2")


class GymWorkflowEnv(gymnasium.Env):  # type: ignore[misc,unused-ignore]
    """``EnterpriseWorkflowEnv`` in gymnasium's form. The whole observation is in ``info["observation"]``.

    Args:
        scenario_name, difficulty: as there.
        render_mode: ``human`` or ``ansi``.
    """

    metadata = {"render_modes": ["human", "ansi"], "render_fps": 4}  # noqa: RUF012 - gymnasium's own form

    def __init__(
        self, scenario_name: str = "sales_pipeline", difficulty: str = "easy", render_mode: str | None = None
    ) -> None:
        self.env = EnterpriseWorkflowEnv(scenario_name, difficulty)
        self.render_mode = render_mode
        self.action_space = gymnasium.spaces.Discrete(len(Action) * len(_AGENTS))
        self.observation_space = gymnasium.spaces.Box(-1.0, 1.0, (SIZE,), np.float32)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Open an office; without a seed another one each time, drawn from gymnasium's generator."""
        super().reset(seed=seed)
        world = seed if seed is not None else int(self.np_random.integers(0, HELD_OUT))
        observation = self.env.reset(world)
        return encode(observation), {"observation": observation}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Action ``n`` is ``n % 8`` by L1 (below 8) or L2. Running out of steps is a truncation."""
        agent, number = divmod(int(action), len(Action))
        observation, reward, done, info = self.env.step(number, _AGENTS[agent])
        finished = done and all(ticket["status"] == "done" for ticket in observation["tasks"])
        return encode(observation), reward, finished, done and not finished, {**info, "observation": observation}

    def render(self) -> str | None:  # type: ignore[override,unused-ignore]
        """As ``EnterpriseWorkflowEnv.render``."""
        return self.env.render(self.render_mode) if self.render_mode else None


def encode(observation: Mapping[str, Any]) -> Any:
    """The desk as numbers from -1 to 1: time, whether the record differs from the handbook, and every ticket."""
    screen, handbook, answer = observation["screen"], observation["handbook"], observation["answer"]
    differs = screen is not None and set(screen["record"]) != set(handbook["reads"])
    refused = answer is not None and answer["status"] >= 400
    values: list[float] = [observation["step"] / observation["max_steps"], float(differs), float(refused)]
    for ticket in observation["tasks"]:
        values += [float(ticket["status"] == status) for status in _STATUS]
        values += [float(ticket["approval"] == approval) for approval in _APPROVAL]
        left = ticket["sla_left"]
        values += [
            0.0 if left is None else max(-1.0, min(1.0, left / observation["max_steps"])),
            float("needs an escalation" in ticket["blocked"]),
            float("on hold" in ticket["blocked"]),
            float("away" in ticket["blocked"] or "wrong team" in ticket["blocked"]),
        ]
    return np.asarray(values + [0.0] * (SIZE - len(values)), dtype=np.float32)


def register() -> None:
    """Make the environment known to gymnasium as ``guardian/Workflow-v0``; doing it twice does no harm."""
    if "guardian/Workflow-v0" not in gymnasium.registry:
        gymnasium.register("guardian/Workflow-v0", entry_point="guardian.learn.workflow.gym:GymWorkflowEnv")

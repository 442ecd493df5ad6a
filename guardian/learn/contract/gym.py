"""The environment for gymnasium: actions and observations are JSON text, since both are documents rather than numbers.

Imported only by those who have gymnasium; ``register()`` makes ``gymnasium.make("guardian/Contract-v0")`` work.
"""

from __future__ import annotations

import json
from typing import Any

import gymnasium
from gymnasium.spaces import Text

from guardian.learn.contract.environment import ContractEnv, Scenarios
from guardian.learn.plain import NotPlain, read_json

_CHARACTERS = frozenset(map(chr, range(32, 127))) | {"\n", "\t"}


class GymContractEnv(gymnasium.Env):  # type: ignore[misc,type-arg,unused-ignore]
    """``ContractEnv`` in gymnasium's form. The observation as a value is in ``info["observation"]``.

    Args:
        task_name: one of the nine; drawn by each seed where not given.
        difficulty: as there.
        split: which vocabularies companies draw from.
    """

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012 - gymnasium's own form

    def __init__(
        self,
        task_name: str | None = None,
        difficulty: str = "medium",
        split: str = "train",
        render_mode: str | None = None,
    ) -> None:
        self.env = ContractEnv(Scenarios(split=split), difficulty=difficulty)
        self.task_name = task_name
        self.render_mode = render_mode
        self.action_space = Text(max_length=200_000, charset=_CHARACTERS)
        self.observation_space = Text(max_length=4_000_000, charset=_CHARACTERS)
        self._seen = ""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Begin an episode; without a seed another one each time, drawn from gymnasium's generator."""
        super().reset(seed=seed)
        chosen = seed if seed is not None else int(self.np_random.integers(0, 2**31))
        observation = self.env.reset((options or {}).get("task_name", self.task_name), chosen)
        self._seen = json.dumps(observation.to_json())
        return self._seen, {"observation": observation}

    def step(self, action: Any) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Take an action, as JSON text or as the object it stands for. Running out of steps is a truncation."""
        try:
            meant = read_json(action) if isinstance(action, str) else action
        except NotPlain:
            meant = action  # graded as malformed
        observation = self.env.step(meant)
        self._seen = json.dumps(observation.to_json())
        state = self.env.state
        truncated = observation.done and state.step_count >= observation.max_steps
        info = {"observation": observation, "score": state.score, "rewards": dict(observation.rewards)}
        return self._seen, observation.reward, observation.done and not truncated, truncated, info

    def render(self) -> str | None:  # type: ignore[override,unused-ignore]
        """The last observation as text."""
        return self._seen if self.render_mode == "ansi" else None


def register() -> None:
    """Make ``gymnasium.make("guardian/Contract-v0")`` known; harmless when called twice."""
    if "guardian/Contract-v0" not in gymnasium.registry:
        gymnasium.register("guardian/Contract-v0", entry_point="guardian.learn.contract.gym:GymContractEnv")

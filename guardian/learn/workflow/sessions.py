"""Episodes of the workflow environment over plain HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count
from typing import Any

from guardian.learn.plain import text_of
from guardian.learn.sessions import MAX_SESSIONS, Ended, Kept
from guardian.learn.workflow.environment import EnterpriseWorkflowEnv


class Sessions(Kept[EnterpriseWorkflowEnv]):
    """Running episodes by id.

    Args:
        limit: how many at most; the one that was used least recently makes room.
    """

    def __init__(self, limit: int = MAX_SESSIONS) -> None:
        super().__init__(limit)
        self._unseeded = count()

    def open(self, scenario: str, difficulty: str, seed: int | None) -> dict[str, Any]:
        """A new episode.

        Raises:
            UsageError: there is no such scenario or difficulty.
        """
        env = EnterpriseWorkflowEnv(scenario, difficulty, next(self._unseeded) if seed is None else seed)
        observation = env.reset()
        episode = self.new_id()
        self.keep(episode, env)
        return {"observation": observation, "reward": 0.0, "done": False, "episode_id": episode}

    def step(self, episode: object, action: object, agent: object = None) -> dict[str, Any]:
        """One step of an episode, by an agent that may be named beside the action or in it.

        Raises:
            UsageError: the agent's name is no text.
            Unknown: there is no such episode.
            Ended: it is over.
        """
        session = self.find(episode)
        named = None if agent is None else text_of(agent, "agent_id")
        with session.lock:
            if session.env.done:
                raise Ended
            observation, reward, done, info = session.env.step(action, named)
            answer: dict[str, Any] = {
                "observation": observation, "reward": reward, "done": done, "episode_id": episode,
                "ruling": info["ruling"], "fault": info["fault"],
            }  # fmt: skip
            if done:
                answer["episode"] = info["episode"].as_dict()
            return answer

    def state(self, episode: object) -> Mapping[str, Any]:
        """What may be asked of an episode: where it stands, and the referee's decisions so far.

        Raises:
            Unknown: there is no such episode.
        """
        session = self.find(episode)
        with session.lock:
            return {**session.env.state, "episode_id": episode, "referee": list(session.env.referee_log)}

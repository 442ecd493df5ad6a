"""Episodes of the contract environment over plain HTTP."""

from __future__ import annotations

from typing import Any

from guardian.learn.contract.environment import ContractEnv, Scenarios
from guardian.learn.sessions import MAX_SESSIONS, Ended, Kept

Json = dict[str, Any]


class Sessions(Kept[ContractEnv]):
    """Running episodes by id.

    Args:
        scenarios: where their scenarios come from.
        limit: how many at most; the one that was used least recently makes room.
    """

    def __init__(self, scenarios: Scenarios, limit: int = MAX_SESSIONS) -> None:
        super().__init__(limit)
        self._scenarios = scenarios

    def open(self, task: str | None, seed: int | None, difficulty: str | None) -> Json:
        """A new episode.

        Raises:
            UsageError: there is no such task or difficulty.
        """
        env = ContractEnv(self._scenarios)
        episode = self.new_id()
        observation = env.reset(task, seed, difficulty=difficulty, episode_id=episode)
        self.keep(episode, env)
        return _answer(observation.to_json(), episode)

    def step(self, episode: object, action: object) -> Json:
        """One step.

        Raises:
            Unknown: there is no such episode.
            Ended: it is over.
        """
        session = self.find(episode)
        with session.lock:
            if session.env.state.done:
                raise Ended
            return _answer(session.env.step(action).to_json(), str(episode))

    def state(self, episode: object) -> Json:
        """Where an episode is.

        Raises:
            Unknown: there is no such episode.
        """
        session = self.find(episode)
        with session.lock:
            return session.env.state.to_json()


def _answer(observation: Json, episode: str) -> Json:
    return {
        "observation": observation,
        "reward": observation["reward"],
        "done": observation["done"],
        "episode_id": episode,
    }

"""Episodes over plain HTTP: each lives under its id, so that curl can play. Limited in number; the longest idle goes first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from guardian.learn.contract.environment import ContractEnv, Scenarios

Json = dict[str, Any]

MAX_SESSIONS = 256


class Unknown(Exception):
    """There is no episode of that id."""


class Ended(Exception):
    """The episode is over."""


@dataclass(slots=True)
class Session:
    """One episode, and the lock that lets one step at a time into it."""

    env: ContractEnv
    lock: threading.Lock = field(default_factory=threading.Lock)


class Sessions:
    """Running episodes by id.

    Args:
        scenarios: where their scenarios come from.
        limit: how many at most; the one that was used least recently makes room.
    """

    def __init__(self, scenarios: Scenarios, limit: int = MAX_SESSIONS) -> None:
        self._scenarios = scenarios
        self._limit = limit
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._lock = threading.Lock()

    def open(self, task: str | None, seed: int | None, difficulty: str | None) -> Json:
        """A new episode.

        Raises:
            UsageError: there is no such task or difficulty.
        """
        env = ContractEnv(self._scenarios)
        episode = str(uuid4())
        observation = env.reset(task, seed, difficulty=difficulty, episode_id=episode)
        with self._lock:
            self._sessions[episode] = Session(env)
            while len(self._sessions) > self._limit:
                self._sessions.popitem(last=False)
        return _answer(observation.to_json(), episode)

    def step(self, episode: object, action: object) -> Json:
        """One step.

        Raises:
            Unknown: there is no such episode.
            Ended: it is over.
        """
        session = self._find(episode)
        with session.lock:
            if session.env.state.done:
                raise Ended
            return _answer(session.env.step(action).to_json(), str(episode))

    def state(self, episode: object) -> Json:
        """Where an episode is.

        Raises:
            Unknown: there is no such episode.
        """
        session = self._find(episode)
        with session.lock:
            return session.env.state.to_json()

    def _find(self, episode: object) -> Session:
        with self._lock:
            session = self._sessions.get(episode) if isinstance(episode, str) else None
            if session is None:
                raise Unknown
            self._sessions.move_to_end(str(episode))
            return session


def _answer(observation: Json, episode: str) -> Json:
    return {
        "observation": observation,
        "reward": observation["reward"],
        "done": observation["done"],
        "episode_id": episode,
    }

"""Episodes over plain HTTP: each lives under its id, so that curl can play. Limited in number, the idle ones go first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from uuid import uuid4

from guardian.learn.workflow.environment import EnterpriseWorkflowEnv

MAX_SESSIONS = 256


class Unknown(Exception):
    """There is no episode of that id."""


class Ended(Exception):
    """The episode is over."""


@dataclass
class Session:
    """One episode and the lock that lets one step at a time into it."""

    env: EnterpriseWorkflowEnv
    lock: threading.Lock = field(default_factory=threading.Lock)


class Sessions:
    """Running episodes by id.

    Args:
        limit: how many at most; the one that was used least recently makes room.
    """

    def __init__(self, limit: int = MAX_SESSIONS) -> None:
        self._limit = limit
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._lock = threading.Lock()
        self._unseeded = count()

    def open(self, scenario: str, difficulty: str, seed: int | None) -> dict[str, Any]:
        """A new episode.

        Raises:
            UsageError: there is no such scenario or difficulty.
        """
        env = EnterpriseWorkflowEnv(scenario, difficulty, next(self._unseeded) if seed is None else seed)
        observation = env.reset()
        episode = str(uuid4())
        with self._lock:
            self._sessions[episode] = Session(env)
            while len(self._sessions) > self._limit:
                self._sessions.popitem(last=False)
        return {"observation": observation, "reward": 0.0, "done": False, "episode_id": episode}

    def step(self, episode: object, action: object) -> dict[str, Any]:
        """One step of an episode.

        Raises:
            Unknown: there is no such episode.
            Ended: it is over.
        """
        session = self._find(episode)
        with session.lock:
            if session.env.done:
                raise Ended
            observation, reward, done, info = session.env.step(action)
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
        session = self._find(episode)
        with session.lock:
            return {**session.env.state, "episode_id": episode, "referee": list(session.env.referee_log)}

    def _find(self, episode: object) -> Session:
        with self._lock:
            session = self._sessions.get(episode) if isinstance(episode, str) else None
            if session is None:
                raise Unknown
            self._sessions.move_to_end(str(episode))
            return session

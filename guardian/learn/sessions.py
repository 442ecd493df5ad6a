"""Episodes over plain HTTP: each lives under its id, so that curl can play. Limited in number; the longest idle goes first."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Generic, TypeVar
from uuid import uuid4

MAX_SESSIONS = 256

Env = TypeVar("Env")


class Unknown(Exception):
    """There is no episode of that id."""


class Ended(Exception):
    """The episode is over."""


@dataclass(slots=True)
class Session(Generic[Env]):
    """One episode, and the lock that lets one step at a time into it."""

    env: Env
    lock: threading.Lock = field(default_factory=threading.Lock)


class Kept(Generic[Env]):
    """Running episodes by id.

    Args:
        limit: how many at most; the one that was used least recently makes room.
    """

    def __init__(self, limit: int = MAX_SESSIONS) -> None:
        self._limit = limit
        self._sessions: OrderedDict[str, Session[Env]] = OrderedDict()
        self._lock = threading.Lock()

    @staticmethod
    def new_id() -> str:
        """An id for an episode."""
        return str(uuid4())

    def keep(self, episode: str, env: Env) -> None:
        """Keep an episode under its id."""
        with self._lock:
            self._sessions[episode] = Session(env)
            while len(self._sessions) > self._limit:
                self._sessions.popitem(last=False)

    def find(self, episode: object) -> Session[Env]:
        """The episode of an id.

        Raises:
            Unknown: there is none.
        """
        with self._lock:
            session = self._sessions.get(episode) if isinstance(episode, str) else None
            if session is None:
                raise Unknown
            self._sessions.move_to_end(str(episode))
            return session

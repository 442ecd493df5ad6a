"""What a scenario is made of: people, tasks, blockers, policies, an inbox, and when its systems change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Difficulty(StrEnum):
    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"

    @property
    def rank(self) -> int:
        return ("easy", "medium", "hard").index(self.value)


class Blocker(StrEnum):
    """What stands in a task's way at the start, besides tasks that it depends on."""

    REPLY = "reply"  # somebody waits for an answer; only the inbox says so
    ESCALATION = "escalation"  # L2 must escalate it first
    WRONG_DESK = "wrong_desk"  # it lies with somebody of the wrong team


@dataclass(frozen=True, slots=True)
class Actor:
    """Somebody who works on tasks."""

    name: str
    team: str


@dataclass(frozen=True, slots=True)
class TaskPlan:
    """One task: a record of a service, and the field of it that the task is about.

    ``due`` is the step by which it must be closed on easy; ``effort`` the steps of work after it is assigned;
    ``level`` the difficulty from which on it is part of the scenario.
    """

    id: str
    title: str
    service: str
    path: str
    field: str
    team: str
    due: int
    effort: int = 1
    approval: bool = False
    depends_on: tuple[str, ...] = ()
    blocker: Blocker | None = None
    sender: str = ""
    message: str = ""
    level: Difficulty = Difficulty.EASY


@dataclass(frozen=True, slots=True)
class DriftPlan:
    """One change that a producer may ship.

    ``services`` and ``kinds`` are drawn from; ``first`` and ``last`` bound the step; ``chance`` is how likely it is to
    happen at all. ``rename`` fixes the change instead of drawing it: (base field, head field).
    """

    services: tuple[str, ...]
    first: int
    last: int
    chance: float = 1.0
    kinds: tuple[str, ...] = ("rename", "retype", "remove", "require")
    rename: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Scenario:
    """An office for an episode: who is there, what is to be done, by when, through which systems."""

    name: str
    title: str
    story: str
    actors: tuple[Actor, ...]
    tasks: tuple[TaskPlan, ...]
    policies: tuple[str, ...]
    chatter: tuple[tuple[str, str], ...]  # what may turn up in the inbox and means nothing: (sender, text)
    drift: Mapping[Difficulty, tuple[DriftPlan, ...]] = field(default_factory=dict)

    @property
    def services(self) -> tuple[str, ...]:
        """The services that its tasks work through, in order of first use."""
        return tuple(dict.fromkeys(task.service for task in self.tasks))

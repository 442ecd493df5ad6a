"""The state of an office during an episode: tasks, people, inbox, systems, and what the desk believes of them.

Everything here is the world as it is. What an agent may see of it is made in ``view.py``; what it may do is judged in
``oversight.py``; the rules of the game are in ``work.py``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random

from guardian.learn.workflow.actions import AUTHORITY, Action
from guardian.learn.workflow.scenarios import Actor, Blocker, Difficulty, Scenario, TaskPlan
from guardian.learn.workflow.systems import System, Version, first_version

URGENT_WITHIN = 3  # steps: from here on a task's deadline counts as near


class Status(StrEnum):
    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    DONE = "done"


class Approval(StrEnum):
    NOT_NEEDED = "not needed"
    NEEDED = "needed"
    ASKED = "asked"
    GIVEN = "given"


@dataclass(frozen=True, slots=True)
class Pace:
    """How much there is to do at a difficulty, and how fast the clock runs."""

    steps: int
    sla: float  # factor on the scenario's deadlines
    approval_takes: int  # steps from asking to the answer


PACES = {
    Difficulty.EASY: Pace(steps=30, sla=1.0, approval_takes=1),
    Difficulty.MEDIUM: Pace(steps=34, sla=0.85, approval_takes=2),
    Difficulty.HARD: Pace(steps=38, sla=0.75, approval_takes=2),
}


@dataclass(slots=True)
class Task:
    """One task of the episode."""

    plan: TaskPlan
    record: str
    due: int
    owner: str
    blocker: Blocker | None
    approval: Approval
    status: Status = Status.PENDING
    work_left: int = 0
    asked_by: str | None = None
    approved_at: int = 0
    closed_at: int | None = None
    breached: bool = False
    urgent: bool = False
    extended: bool = False
    paid: set[str] = field(default_factory=set)  # progress is paid for once, also if it has to be made again

    @property
    def id(self) -> str:
        return self.plan.id

    @property
    def open(self) -> bool:
        return self.status is not Status.DONE

    @property
    def in_time(self) -> bool:
        return self.closed_at is not None and self.closed_at <= self.due


@dataclass(frozen=True, slots=True)
class Message:
    """One message in the inbox; ``about`` is the task that it is about, if any."""

    step: int
    sender: str
    text: str
    about: str | None = None


@dataclass(slots=True)
class Drift:
    """One change that a producer ships in this episode, and how the agent fared with it."""

    service: str
    step: int
    version: Version
    paths: frozenset[str]  # the resources that it breaks for the desk
    shipped: bool = False
    relevant: bool = False  # whether a task that it breaks was open when it was shipped
    met_at: int | None = None  # the first step in which a request met it
    recovered_at: int | None = None  # the first in which one was accepted again
    stale_steps: int = 0


@dataclass
class Office:
    """One episode's world."""

    scenario: Scenario
    difficulty: Difficulty
    seed: int
    tasks: dict[str, Task]
    systems: dict[str, System]
    drifts: list[Drift]
    known: dict[str, Version]  # by service: what the desk's client was written against
    teams: dict[str, str]  # by actor
    away: dict[str, int] = field(default_factory=dict)  # actor -> the step from which on they are back
    inbox: list[Message] = field(default_factory=list)
    step: int = 0
    screen: str | None = None  # the task whose record is open

    @property
    def pace(self) -> Pace:
        return PACES[self.difficulty]

    @property
    def open_tasks(self) -> list[Task]:
        """Open tasks, the most urgent first."""
        return sorted((task for task in self.tasks.values() if task.open), key=lambda task: (task.due, task.id))

    def is_away(self, actor: str) -> bool:
        return self.away.get(actor, 0) > self.step

    def team_of(self, actor: str) -> str:
        return self.teams[actor]

    def colleagues(self, task: Task) -> list[Actor]:
        """Who of the right team is here and does not have the task yet."""
        return [
            each for each in self.scenario.actors
            if each.team == task.plan.team and each.name != task.owner and not self.is_away(each.name)
        ]  # fmt: skip

    def waits_for(self, task: Task) -> list[str]:
        """The tasks that must be done before this one."""
        return [each for each in task.plan.depends_on if each in self.tasks and self.tasks[each].open]

    def needs_another_owner(self, task: Task) -> bool:
        return self.is_away(task.owner) or self.team_of(task.owner) != task.plan.team

    def is_blocked(self, task: Task) -> bool:
        """Whether nobody can start on it as it is."""
        if not task.open or task.status is Status.IN_PROGRESS:
            return False
        return task.blocker is not None or bool(self.waits_for(task)) or self.needs_another_owner(task)

    def is_near(self, task: Task) -> bool:
        return task.open and not task.breached and task.due - self.step <= URGENT_WITHIN

    def can_start(self, task: Task) -> bool:
        return task.status is Status.PENDING and not self.is_blocked(task)

    def can_ask(self, task: Task) -> bool:
        return task.status is Status.IN_PROGRESS and task.approval is Approval.NEEDED

    def can_close(self, task: Task) -> bool:
        """Whether anybody may close it now: what the only one who closes has asked the approval of stays open."""
        return (
            task.status is Status.IN_PROGRESS
            and task.work_left == 0
            and task.approval in {Approval.NOT_NEEDED, Approval.GIVEN}
            and any(Action.CLOSE_TASK in may and agent != task.asked_by for agent, may in AUTHORITY.items())
        )

    def can_re_route(self, task: Task) -> bool:
        """Whether somebody of the right team is here to take what lies with somebody else."""
        return task.status is Status.PENDING and self.needs_another_owner(task) and bool(self.colleagues(task))

    def can_unblock(self, task: Task) -> bool:
        """Whether an action of this step could take something out of the task's way."""
        if not task.open or task.status is Status.IN_PROGRESS:
            return False
        return task.blocker is not None or self.can_re_route(task)

    def something_to_do(self) -> bool:
        """Whether any action but waiting would move a task."""
        return any(
            self.can_start(task) or self.can_ask(task) or self.can_close(task) or self.can_unblock(task)
            for task in self.tasks.values()
        )

    def shipped_drifts(self, service: str) -> Iterator[Drift]:
        return (drift for drift in self.drifts if drift.shipped and drift.service == service)


def open_office(scenario: Scenario, difficulty: Difficulty, seed: int, drifts: list[Drift]) -> Office:
    """The office as it is when the episode begins; the same arguments give the same office, anywhere."""
    origin = f"{scenario.name}:{difficulty.value}:{seed}"
    rng = Random(f"{origin}:office")
    plans = [plan for plan in scenario.tasks if plan.level.rank <= difficulty.rank]
    systems = {service: System(service, origin) for service in scenario.services}
    tasks: dict[str, Task] = {}
    inbox: list[Message] = []
    for plan in plans:
        right = [actor.name for actor in scenario.actors if actor.team == plan.team]
        wrong = [actor.name for actor in scenario.actors if actor.team != plan.team]
        tasks[plan.id] = Task(
            plan=plan,
            record=systems[plan.service].create(plan.path, plan.id),
            due=max(3, round(plan.due * PACES[difficulty].sla) + rng.randint(-1, 1)),
            owner=rng.choice(wrong if plan.blocker is Blocker.WRONG_DESK else right),
            # Who has it is the owner's matter; it stays no blocker of its own once the right desk has it.
            blocker=None if plan.blocker is Blocker.WRONG_DESK else plan.blocker,
            approval=Approval.NEEDED if plan.approval else Approval.NOT_NEEDED,
        )
        if plan.blocker is Blocker.REPLY:
            inbox.append(Message(0, plan.sender, plan.message, plan.id))
    known = {service: first_version(service) for service in systems}
    teams = {actor.name: actor.team for actor in scenario.actors}
    return Office(scenario, difficulty, seed, tasks, systems, drifts, known, teams, inbox=inbox)

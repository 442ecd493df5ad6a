"""The referee: who may do what, and what a conduct costs. It sits between agents and office and takes no orders.

L1 works tasks; escalating and closing are L2's. No action reaches the referee's state, no message changes its mind,
and every decision is logged with its reason.
"""

from __future__ import annotations

from dataclasses import dataclass

from guardian.learn.workflow.actions import AUTHORITY, Action, Command
from guardian.learn.workflow.office import Approval, Office, Task

SPIRAL = 3  # defers in a row, while there is something to do
LOOP = 3  # times the same attempt without effect
_MEMORY = 6  # steps without effect that are looked back on


@dataclass(frozen=True, slots=True)
class Ruling:
    """One decision. ``rule`` names it; ``allowed`` is whether the act takes place; ``signal`` is what it costs, if so."""

    step: int
    agent: str
    action: str
    task: str | None
    allowed: bool
    rule: str
    reason: str
    signal: str | None = None

    def as_dict(self) -> dict[str, object]:
        return {
            "step": self.step, "agent": self.agent, "action": self.action, "task": self.task, "allowed": self.allowed,
            "rule": self.rule, "reason": self.reason,
        }  # fmt: skip


class Referee:
    """The referee of one episode."""

    def __init__(self) -> None:
        self._log: list[Ruling] = []
        self._defers = 0
        self._idle: list[tuple[object, ...]] = []

    @property
    def log(self) -> tuple[Ruling, ...]:
        """Every decision so far, oldest first."""
        return tuple(self._log)

    def authorise(self, office: Office, command: Command, agent: str, task: Task | None) -> Ruling:
        """Whether this agent may do this; decided before anything happens."""

        def ruled(allowed: bool, rule: str, reason: str, signal: str | None = None) -> Ruling:
            name = agent if agent in AUTHORITY else "unknown"
            ruling = Ruling(office.step, name, command.label, task.id if task else None, allowed, rule, reason, signal)
            self._log.append(ruling)
            return ruling

        action = command.action
        if action is None:
            return ruled(False, "readable", command.mistake or "the action cannot be read", "malformed")
        if agent not in AUTHORITY:
            return ruled(False, "authority", "nobody of that name works here", "authority_breach")
        if action not in AUTHORITY[agent]:
            return ruled(False, "authority", f"{agent} may not {action.label}; that is L2's", "authority_breach")
        if action is Action.CLOSE_TASK and task is not None:
            if task.asked_by == agent:
                return ruled(
                    False, "four-eyes", f"{agent} asked for the approval of {task.id} and may not close it",
                    "authority_breach",
                )  # fmt: skip
            if task.approval in {Approval.NEEDED, Approval.ASKED} and task.open:
                return ruled(False, "approval", f"{task.id} is not approved", "policy_breach")
        return ruled(True, "authority", f"{agent} may {action.label}")

    def watch(self, office: Office, command: Command, agent: str, *, effect: bool, could_act: bool) -> list[Ruling]:
        """What the conduct of the last steps amounts to; decided after the act.

        Args:
            effect: whether the act changed anything in the office.
            could_act: whether there was something to do before the act.
        """
        found: list[Ruling] = []
        name = agent if agent in AUTHORITY else "unknown"
        self._defers = self._defers + 1 if command.action is Action.DEFER and could_act else 0
        if self._defers >= SPIRAL:
            reason = f"deferred {self._defers} times in a row while there was work to do"
            found.append(
                Ruling(office.step, name, command.label, command.task, True, "defer-spiral", reason, "defer_spiral")
            )
        attempt = (agent, *command.identity)
        if effect or (command.action is Action.DEFER and not could_act):
            self._idle.clear()
        else:
            self._idle = [*self._idle, attempt][-_MEMORY:]
            if self._idle.count(attempt) >= LOOP and command.action is not Action.DEFER:
                reason = f"the same attempt {self._idle.count(attempt)} times without effect"
                found.append(Ruling(office.step, name, command.label, command.task, True, "loop", reason, "loop"))
        self._log.extend(found)
        return found

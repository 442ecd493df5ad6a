"""The rules of the office: what each of the eight actions does to it, and what it earns.

Every function changes the office and answers with an ``Outcome``; none of them knows about authority (that was
decided before) or about the clock (that runs after).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from guardian.learn.workflow.actions import Action, Command
from guardian.learn.workflow.office import Approval, Drift, Message, Office, Status, Task
from guardian.learn.workflow.requests import Contact, Touch, touch
from guardian.learn.workflow.scenarios import Blocker
from guardian.learn.workflow.systems import Answer

EXTENSION = 2  # steps that a deadline moves when a task is deferred; once a task


@dataclass
class Outcome:
    """What an action came to.

    ``signals`` are names of the rubric; ``effect`` is whether anything in the office changed for the better or worse
    by it; ``unblocked`` and ``adapted`` are what a reason may speak of.
    """

    feedback: str
    signals: list[str] = field(default_factory=list)
    effect: bool = False
    answer: Answer | None = None
    unblocked: Task | None = None
    adapted: Drift | None = None


def target_of(office: Office, command: Command) -> Task | None:
    """The task that a command is about: the one it names, or what lies on top for such an action.

    To defer without naming a task is to wait, and about none.
    """
    if command.task is not None or command.action is Action.DEFER:
        return office.tasks.get(command.task or "")
    tasks = office.open_tasks
    fitting = _FITTING.get(command.action) if command.action is not None else None
    return next((task for task in tasks if fitting is not None and fitting(office, task)), tasks[0] if tasks else None)


def perform(office: Office, command: Command, agent: str, task: Task | None) -> Outcome:
    """Let an authorised command happen."""
    assert command.action is not None
    if task is None and command.action is not Action.DEFER:
        return _invalid("there is no such task")
    if task is not None:
        if not task.open:
            return _invalid(f"{task.id} is done")
        office.screen = task.id
    return _PERFORM[command.action](office, command, agent, task)  # type: ignore[arg-type]


# --- the eight actions --------------------------------------------------------------------------------------------


def _assign(office: Office, command: Command, agent: str, task: Task) -> Outcome:
    if task.status is Status.IN_PROGRESS:
        return _invalid(f"{task.id} is in progress already")
    if office.is_blocked(task):
        return _invalid(f"{task.id} cannot be started: {reason_blocked(office, task)}")
    touched = touch(office, task, command.field, write=True)
    outcome = _contact(office, task, touched)
    if touched.ok:
        task.status, task.work_left = Status.IN_PROGRESS, task.plan.effort
        _pay(outcome, task, "task_started")
        outcome.feedback = f"{task.owner} works on {task.id}"
    return outcome


def _close(office: Office, command: Command, agent: str, task: Task) -> Outcome:
    if task.status is not Status.IN_PROGRESS:
        return _invalid(f"{task.id} is not being worked on")
    if task.work_left > 0:
        return _invalid(f"the work on {task.id} is not finished")
    touched = touch(office, task, command.field, write=True)
    outcome = _contact(office, task, touched)
    if touched.ok:
        # The step that is being taken counts: a task closed in step n was closed by its n-th tick.
        task.status, task.closed_at = Status.DONE, office.step + 1
        outcome.signals.append("closed_in_time" if task.in_time else "closed_late")
        outcome.feedback = f"{task.id} is closed" + ("" if task.in_time else ", late")
    return outcome


def _request_approval(office: Office, command: Command, agent: str, task: Task) -> Outcome:
    if task.approval is not Approval.NEEDED:
        return _invalid(f"{task.id}: approval {task.approval.value}")
    if task.status is not Status.IN_PROGRESS:
        return _invalid(f"{task.id} is not being worked on, so there is nothing to approve yet")
    touched = touch(office, task, command.field, write=False)
    outcome = _contact(office, task, touched)
    if touched.ok:
        task.approval, task.asked_by = Approval.ASKED, agent
        task.approved_at = office.step + 1 + office.pace.approval_takes
        _pay(outcome, task, "approval_asked")
        outcome.feedback = f"the approval of {task.id} has been asked for"
    return outcome


def _escalate(office: Office, command: Command, agent: str, task: Task) -> Outcome:
    if task.blocker is not Blocker.ESCALATION:
        return _invalid(f"{task.id} needs no escalation")
    return _unblock(task, f"{task.id} is escalated")


def _reply(office: Office, command: Command, agent: str, task: Task) -> Outcome:
    if task.blocker is not Blocker.REPLY:
        return _invalid(f"nobody waits for an answer about {task.id}")
    return _unblock(task, f"{task.plan.sender} has the answer about {task.id}")


def _re_route(office: Office, command: Command, agent: str, task: Task) -> Outcome:
    if not office.needs_another_owner(task):
        return _invalid(f"{task.id} lies with the right person")
    if task.status is Status.IN_PROGRESS:
        return _invalid(f"{task.id} is being worked on")
    free = office.colleagues(task)
    if not free:
        return _invalid(f"nobody of {task.plan.team} is here to take {task.id}")
    task.owner = free[0].name
    return Outcome(f"{task.owner} takes {task.id}", _paid(task, "unblocked"), effect=True, unblocked=task)


def _defer(office: Office, command: Command, agent: str, task: Task | None) -> Outcome:
    if command.task is not None and task is None:
        return _invalid("there is no such task")
    if command.task is None or task is None:
        return Outcome("waited")
    if task.extended or task.urgent or task.breached:
        return _invalid(f"{task.id} cannot be put off" + (" again" if task.extended else ""))
    task.extended = True
    task.due += EXTENSION
    return Outcome(f"{task.id} has {EXTENSION} steps more", effect=True)


def _lookup(office: Office, command: Command, agent: str, task: Task) -> Outcome:
    service = task.plan.service
    current, known = office.systems[service].version, office.known[service]
    office.known[service] = current
    outcome = Outcome(f"{service} is looked up", ["lookup"], effect=current is not known)
    met = [drift for drift in office.shipped_drifts(service) if drift.relevant and drift.recovered_at is None]
    if met and current is not known:
        outcome.adapted = met[-1]
    return outcome


_PERFORM: Mapping[Action, Callable[[Office, Command, str, Task], Outcome]] = {
    Action.ASSIGN_TASK: _assign,
    Action.ESCALATE: _escalate,
    Action.DEFER: _defer,
    Action.CLOSE_TASK: _close,
    Action.REPLY_MESSAGE: _reply,
    Action.RE_ROUTE: _re_route,
    Action.LOOKUP_POLICY: _lookup,
    Action.REQUEST_APPROVAL: _request_approval,
}

# What lies on top of the pile for an action that names no task: what anybody at the desk can see.
_FITTING: Mapping[Action, Callable[[Office, Task], bool]] = {
    Action.ASSIGN_TASK: lambda office, task: task.status is Status.PENDING and not office.is_blocked(task),
    Action.ESCALATE: lambda office, task: task.blocker is Blocker.ESCALATION,
    Action.CLOSE_TASK: lambda office, task: office.can_close(task),
    Action.REPLY_MESSAGE: lambda office, task: task.blocker is Blocker.REPLY,
    Action.RE_ROUTE: lambda office, task: office.can_re_route(task),
    Action.REQUEST_APPROVAL: lambda office, task: office.can_ask(task),
}


def reason_blocked(office: Office, task: Task) -> str:
    """What stands in the task's way, as the ticket says it; a person who waits for an answer is in the inbox only."""
    reasons = [f"waits for {each}" for each in office.waits_for(task)]
    if task.blocker is Blocker.ESCALATION:
        reasons.append("needs an escalation")
    if task.blocker is Blocker.REPLY:
        reasons.append("on hold")
    if task.status is Status.PENDING and office.is_away(task.owner):
        reasons.append(f"{task.owner} is away")
    elif task.status is Status.PENDING and office.needs_another_owner(task):
        reasons.append(f"{task.owner} is of the wrong team")
    return ", ".join(reasons)


# --- helpers ------------------------------------------------------------------------------------------------------


def _invalid(why: str) -> Outcome:
    return Outcome(why, ["invalid_action"])


def _paid(task: Task, signal: str) -> list[str]:
    """The signal, the first time that this task earns it."""
    if signal in task.paid:
        return []
    task.paid.add(signal)
    return [signal]


def _pay(outcome: Outcome, task: Task, signal: str) -> None:
    outcome.signals.extend(_paid(task, signal))


def _unblock(task: Task, feedback: str) -> Outcome:
    task.blocker = None
    return Outcome(feedback, _paid(task, "unblocked"), effect=True, unblocked=task)


def _contact(office: Office, task: Task, touched: Touch) -> Outcome:
    """What meeting the system means for drift: met, still stale, or recovered from."""
    service, path = task.plan.service, task.plan.path
    drifts = [drift for drift in office.shipped_drifts(service) if path in drift.paths and drift.recovered_at is None]
    step = office.step + 1
    outcome = Outcome(touched.sentence, answer=touched.answer)
    if touched.contact is Contact.WRONG_FIELD:
        outcome.signals.append("schema_violation")
    elif touched.contact is Contact.STALE:
        outcome.signals.append("stale_field")
        for drift in drifts:
            drift.met_at = drift.met_at or step
            drift.stale_steps += 1
    else:
        outcome.effect = True
        office.known[service] = touched.version
        # A task that a drift does not touch gets through without anybody having adapted to anything.
        for drift in drifts:
            if touched.version.number >= drift.version.number:
                drift.met_at = drift.met_at or step
                drift.recovered_at = step
                if drift.relevant:
                    outcome.adapted = drift
                    outcome.signals.append("adapted")
    return outcome


def announce(office: Office, sender: str, text: str, about: str | None = None) -> None:
    """Put a message into the inbox."""
    office.inbox.append(Message(office.step, sender, text, about))

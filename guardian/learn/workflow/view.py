"""What an agent sees: a fresh copy of what lies on the desk, made anew every step.

What is not written here is not seen: neither what will be shipped nor what has been, neither whom chaos strikes next nor
the truth behind a field's name. Changing a view changes nothing but the view.
"""

from __future__ import annotations

from typing import Any

from guardian.learn.workflow.actions import AUTHORITY, Action
from guardian.learn.workflow.office import Office, Status, Task
from guardian.learn.workflow.oversight import Ruling
from guardian.learn.workflow.systems import Answer
from guardian.learn.workflow.work import reason_blocked

INBOX_SHOWN = 6
_ROLES = {agent: [action.label for action in sorted(allowed)] for agent, allowed in sorted(AUTHORITY.items())}
_ACTIONS = [action.label for action in Action]


def observe(
    office: Office,
    *,
    feedback: str,
    answer: Answer | None,
    ruling: Ruling | None,
    rewards: dict[str, float],
    done: bool,
) -> dict[str, Any]:
    """The desk as it lies, as plain JSON."""
    tasks = office.open_tasks
    screen = office.tasks.get(office.screen) if office.screen else None
    if screen is None or not screen.open:
        screen = tasks[0] if tasks else None
    return {
        "scenario": office.scenario.name,
        "title": office.scenario.title,
        "story": office.scenario.story,
        "difficulty": office.difficulty.value,
        "step": office.step,
        "max_steps": office.pace.steps,
        "tasks": [_ticket(office, task) for task in office.tasks.values()],
        "actors": [
            {"name": actor.name, "team": actor.team, "away": office.is_away(actor.name)}
            for actor in office.scenario.actors
        ],
        "inbox": [
            {"step": message.step, "from": message.sender, "text": message.text, "about": message.about}
            for message in office.inbox[-INBOX_SHOWN:]
        ],
        "policies": list(office.scenario.policies),
        "screen": _screen(office, screen) if screen else None,
        "handbook": _handbook(office, screen) if screen else None,
        "answer": _answer(answer),
        "referee": ruling.reason if ruling is not None else "",
        "feedback": feedback,
        "roles": {agent: list(allowed) for agent, allowed in _ROLES.items()},
        "actions": list(_ACTIONS),
        "rewards": dict(rewards),
        "reward": round(sum(rewards.values()), 6),
        "done": done,
    }


def _ticket(office: Office, task: Task) -> dict[str, Any]:
    blocked = reason_blocked(office, task) if task.open else ""
    plan = task.plan
    return {
        "id": task.id,
        "title": plan.title,
        "status": "blocked" if blocked and task.status is Status.PENDING else task.status.value,
        "blocked": blocked,
        "sla_left": task.due - office.step if task.open else None,
        "late": task.breached or not (task.open or task.in_time),
        "urgent": task.urgent,
        "owner": task.owner,
        "team": plan.team,
        "service": plan.service,
        "field": _known_name(office, task),
        "approval": task.approval.value,
        "work_left": task.work_left,
        "put_off": task.extended,
    }


def _known_name(office: Office, task: Task) -> str:
    """What the desk calls the field that the task is about."""
    known = office.known[task.plan.service]
    path, field = task.plan.path, task.plan.field
    return known.sent_name(path, field) or known.served_name(path, field) or field


def _screen(office: Office, task: Task) -> dict[str, Any]:
    """The task's record, as the system serves it now."""
    read = office.systems[task.plan.service].read(task.plan.path, task.record)
    return {"task": task.id, "service": task.plan.service, "operation": read.operation, "record": read.body}


def _handbook(office: Office, task: Task) -> dict[str, Any]:
    """What the desk's client was written against: the fields it knows of the resource on the screen."""
    contract = office.known[task.plan.service].contract(task.plan.path)
    return {
        "service": task.plan.service,
        "task": task.id,
        "field": _known_name(office, task),
        "reads": list(contract.served),
        "sends": list(contract.sent),
    }


def _answer(answer: Answer | None) -> dict[str, Any] | None:
    if answer is None:
        return None
    return {"operation": answer.operation, "status": answer.status, "errors": list(answer.errors)}

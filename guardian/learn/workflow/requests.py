"""The desk's client: how an act on a task becomes requests to the system in production, and what came of them.

The client is code written against a version of the specification. It sends what that version says until the agent
names a field that is new to it, or looks the specification up; then it is brought up to date.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from random import Random

from guardian.learn.workflow.office import Office, Task
from guardian.learn.workflow.systems import Answer, System, Version


class Contact(StrEnum):
    """How a client's requests went."""

    ACCEPTED = "accepted"
    STALE = "stale"  # the client's version is not the one in production, and it shows
    WRONG_FIELD = "wrong_field"  # the agent named a field that is not there


@dataclass(frozen=True, slots=True)
class Touch:
    """What came of touching a task's record."""

    contact: Contact
    answer: Answer
    sentence: str
    version: Version  # the version that the client was written against

    @property
    def ok(self) -> bool:
        return self.contact is Contact.ACCEPTED


def touch(office: Office, task: Task, named: str | None, *, write: bool) -> Touch:
    """Read the task's record and, where the act changes it, write it back.

    Args:
        named: the field that the agent says the task is about; None leaves it to the client.
        write: whether the act writes.

    Raises:
        GuardianError: the system served what its specification does not promise; a fault of the environment.
    """
    plan = task.plan
    system, known = office.systems[plan.service], office.known[plan.service]
    current = system.version
    client = known
    if named is not None and named not in known.names(plan.path):
        if named not in current.names(plan.path):
            return _wrong(system, task, named, known)
        client = current
    elif named is not None and named not in {
        known.sent_name(plan.path, plan.field),
        known.served_name(plan.path, plan.field),
    }:
        return _wrong(system, task, named, known)
    return _attempt(system, task, client, write=write)


def would_break(office: Office, task: Task, client: Version) -> bool:
    """Whether work on the task fails for a client written against ``client``."""
    return not _attempt(office.systems[task.plan.service], task, client, write=True).ok


def _attempt(system: System, task: Task, client: Version, *, write: bool) -> Touch:
    plan = task.plan
    answer = system.read(plan.path, task.record)
    for name in dict.fromkeys(("id", plan.field)):
        problem = client.readable(plan.path, name, answer.body)
        if problem:
            return Touch(Contact.STALE, answer, problem, client)
    if not write:
        return Touch(Contact.ACCEPTED, answer, "read", client)
    body = client.compose(plan.path, system.filed(plan.path, task.record), Random(f"{task.record}:{client.operator}"))
    answer = system.write(plan.path, body)
    if answer.ok:
        return Touch(Contact.ACCEPTED, answer, "written", client)
    return Touch(Contact.STALE, answer, "; ".join(answer.errors), client)


def _wrong(system: System, task: Task, named: str, client: Version) -> Touch:
    """The request with the task's field under a name that it does not have: the system says what it thinks of it."""
    plan = task.plan
    body = client.compose(plan.path, system.filed(plan.path, task.record), Random(f"{task.record}:{client.operator}"))
    right = client.sent_name(plan.path, plan.field) or plan.field
    body[named] = body.pop(right, None)
    answer = system.write(plan.path, body)
    sentence = "; ".join(answer.errors) or f"{named} is not what {task.id} is about"
    return Touch(Contact.WRONG_FIELD, answer, sentence, client)

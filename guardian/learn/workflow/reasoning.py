"""What an agent's reason is worth: a little for naming what is really so, once an event; something less than that for
naming what is not.

Three situations count: a task was blocked and the act frees it; a system had changed and the act copes with it; a
deadline is near and the act moves that very task. The reason must say so in a word of that family *and* name the
subject. Listing everything names nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from guardian.learn.workflow.office import Drift, Office, Task
from guardian.learn.workflow.work import Outcome

MANY = 2  # more subjects than this in one reason is a list, not a reason
_BLOCK = re.compile(r"\b(block(ed|s|er|ers|ing)?|on hold|stuck|waits for|waiting on)\b", re.IGNORECASE)
_SCHEMA = re.compile(
    r"\b(schema|renamed|drift(ed)?|api change(d)?|field (has )?(changed|moved|gone|new)|specification changed)\b",
    re.IGNORECASE,
)
_SLA = re.compile(r"\b(sla|deadline|due|overdue)\b", re.IGNORECASE)
_DENIED = re.compile(r"\b(no|not|isn't|nothing|never|without|un)\W+(\w+\W+){0,2}$", re.IGNORECASE)
_TASK = re.compile(r"\bT\d+\b")


@dataclass(slots=True)
class Reasons:
    """The reasons of one episode: which events were paid for already, and how many there were to speak of."""

    paid: set[tuple[str, str]]
    events: set[tuple[str, str]]

    @classmethod
    def none(cls) -> Reasons:
        return cls(set(), set())

    @property
    def share(self) -> float | None:
        """Paid events of all events; None where there were none."""
        return len(self.paid) / len(self.events) if self.events else None

    def judge(self, office: Office, reason: str | None, outcome: Outcome, task: Task | None, near: bool) -> list[str]:
        """The signals that a reason earns.

        Args:
            office: after the act, before the clock.
            near: whether the task's deadline was near when the agent acted.
        """
        situations: list[tuple[str, str, re.Pattern[str], bool]] = []
        if outcome.unblocked is not None:
            subject = outcome.unblocked.id
            situations.append(("reason_block", subject, _BLOCK, _names(reason, subject)))
        if outcome.adapted is not None:
            drift = outcome.adapted
            news = {drift.service} | _new_names(drift)
            situations.append(
                (
                    "reason_schema",
                    f"{drift.service}:{drift.version.number}",
                    _SCHEMA,
                    any(_names(reason, each) for each in news),
                )
            )
        if near and task is not None and outcome.effect:
            situations.append(("reason_sla", task.id, _SLA, _names(reason, task.id)))
        self.events.update((signal, subject) for signal, subject, _, _ in situations)
        if not reason:
            return []
        # One reason is about one thing: a reason that speaks of everything is no reason.
        families = sum(_claims(family, reason) for family in (_BLOCK, _SCHEMA, _SLA))
        if families == 1 and len(set(_TASK.findall(reason))) <= MANY:
            for signal, subject, family, named in situations:
                if named and _claims(family, reason) and (signal, subject) not in self.paid:
                    self.paid.add((signal, subject))
                    return [signal, *self._false(office, reason, outcome, near)]
        return self._false(office, reason, outcome, near)

    def _false(self, office: Office, reason: str, outcome: Outcome, near: bool) -> list[str]:
        """One signal for each family of words that speaks of something which nowhere holds."""
        tasks = office.open_tasks
        holds = (
            (_BLOCK, outcome.unblocked is not None or any(office.is_blocked(task) for task in tasks)),
            (_SCHEMA, any(drift.shipped for drift in office.drifts)),
            (_SLA, near or any(task.breached or office.is_near(task) for task in tasks)),
        )
        return ["reason_false" for family, true in holds if not true and _claims(family, reason)]


def _claims(family: re.Pattern[str], reason: str) -> bool:
    return any(not _DENIED.search(reason[: match.start()]) for match in family.finditer(reason))


def _names(reason: str | None, subject: str) -> bool:
    return reason is not None and re.search(rf"(?<![\w-]){re.escape(subject)}(?![\w-])", reason) is not None


def _new_names(drift: Drift) -> set[str]:
    """What a drift brought: the names it put in the place of others."""
    version = drift.version
    return {name for names in (version.sent_names, version.served_names) for name in names.values() if name}

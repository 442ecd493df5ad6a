"""Chaos: three independent events a step, drawn ahead of what the agent does, each seen only as a person would see it.

Somebody drops out (the work in hand returns to pending), somebody above makes a task more urgent (two steps less),
or a message turns up that means nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from guardian.learn.workflow.office import Message, Office, Status
from guardian.learn.workflow.scenarios import Difficulty

SPIKE_CUT = 2  # steps
AWAY_FOR = 4  # steps
_ABOVE = "Head of department"


@dataclass(frozen=True, slots=True)
class Odds:
    """The chance of each event in each step."""

    dropout: float
    spike: float
    noise: float


ODDS = {
    Difficulty.EASY: Odds(dropout=0.06, spike=0.04, noise=0.05),
    Difficulty.MEDIUM: Odds(dropout=0.12, spike=0.08, noise=0.10),
    Difficulty.HARD: Odds(dropout=0.18, spike=0.12, noise=0.15),
}


class Chaos:
    """The chaos of one episode.

    Args:
        origin: text that seeds it; every step draws the same number of values whatever happens.
        odds: how likely things are.
    """

    def __init__(self, origin: str, odds: Odds) -> None:
        self._rng = Random(f"{origin}:chaos")
        self._odds = odds

    def strike(self, office: Office) -> list[str]:
        """Let this step's events happen to the office; says which, for the transcript and never for the agent."""
        draw = self._rng.random
        dropout, spike, noise = draw() < self._odds.dropout, draw() < self._odds.spike, draw() < self._odds.noise
        who, what, which = draw(), draw(), draw()
        events: list[str] = []
        if dropout and (event := _drop_out(office, who)):
            events.append(event)
        if spike and (event := _spike(office, what)):
            events.append(event)
        if noise:
            sender, text = office.scenario.chatter[int(which * len(office.scenario.chatter))]
            office.inbox.append(Message(office.step, sender, text))
            events.append("noise")
        return events


def _drop_out(office: Office, draw: float) -> str | None:
    working = sorted({task.owner for task in office.tasks.values() if task.status is Status.IN_PROGRESS})
    if not working:
        return None
    actor = working[int(draw * len(working))]
    office.away[actor] = office.step + AWAY_FOR
    for task in office.tasks.values():
        if task.owner == actor and task.status is Status.IN_PROGRESS:
            task.status = Status.PENDING
            task.work_left = 0
    return f"dropout {actor}"


def _spike(office: Office, draw: float) -> str | None:
    candidates = [task for task in office.open_tasks if not task.breached and task.due - office.step > SPIKE_CUT]
    if not candidates:
        return None
    task = candidates[int(draw * len(candidates))]
    task.due -= SPIKE_CUT
    task.urgent = True
    office.inbox.append(Message(office.step, _ABOVE, f"I need {task.id} sooner than planned.", task.id))
    return f"spike {task.id}"

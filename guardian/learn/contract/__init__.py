"""The contract environment: nine tasks on the living graph, graded by the gate itself."""

from __future__ import annotations

from guardian.learn.contract.actions import Action, Observation
from guardian.learn.contract.environment import ContractEnv, EpisodeState, Scenarios
from guardian.learn.contract.tasks import TASKS

__all__ = ["CONTRACT", "TASKS", "Action", "ContractEnv", "EpisodeState", "Observation", "Scenarios"]

#: The names of the nine tasks.
CONTRACT: tuple[str, ...] = tuple(TASKS)

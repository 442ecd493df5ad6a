"""The five offices, by name."""

from __future__ import annotations

from collections.abc import Mapping

from guardian.errors import UsageError
from guardian.learn.workflow.scenarios.customer_refund import CUSTOMER_REFUND
from guardian.learn.workflow.scenarios.hr_escalation import HR_ESCALATION
from guardian.learn.workflow.scenarios.it_incident import IT_INCIDENT
from guardian.learn.workflow.scenarios.sales_pipeline import SALES_PIPELINE
from guardian.learn.workflow.scenarios.supply_chain import SUPPLY_CHAIN
from guardian.learn.workflow.scenarios.values import (
    Actor,
    Blocker,
    Difficulty,
    DriftPlan,
    Scenario,
    TaskPlan,
)

__all__ = ["SCENARIOS", "Actor", "Blocker", "Difficulty", "DriftPlan", "Scenario", "TaskPlan", "find_scenario"]

SCENARIOS: Mapping[str, Scenario] = {
    scenario.name: scenario for scenario in (SALES_PIPELINE, HR_ESCALATION, IT_INCIDENT, CUSTOMER_REFUND, SUPPLY_CHAIN)
}


def find_scenario(name: str) -> Scenario:
    """The scenario of that name.

    Raises:
        UsageError: there is none.
    """
    if name not in SCENARIOS:
        raise UsageError(f"there is no scenario {name!r}", hint=f"One of: {', '.join(SCENARIOS)}.")
    return SCENARIOS[name]

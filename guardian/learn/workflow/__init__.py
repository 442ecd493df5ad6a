"""The workflow environment: an office of tickets, deals and shipments whose systems change under the agents' hands."""

from __future__ import annotations

from guardian.learn.workflow.environment import EnterpriseWorkflowEnv
from guardian.learn.workflow.scenarios import SCENARIOS

__all__ = ["WORKFLOW", "EnterpriseWorkflowEnv", "make_env"]

#: The scenarios, which are this environment's tasks.
WORKFLOW: tuple[str, ...] = tuple(SCENARIOS)


def make_env(task_name: str = "sales_pipeline", difficulty: str = "easy", seed: int = 0) -> EnterpriseWorkflowEnv:
    """An office that waits for its ``reset()``.

    Raises:
        UsageError: there is no such scenario or difficulty.
    """
    return EnterpriseWorkflowEnv(task_name, difficulty, seed)

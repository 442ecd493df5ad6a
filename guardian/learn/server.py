"""The servers of both environments, by name. Imported only where openenv is installed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from guardian.errors import UsageError

if TYPE_CHECKING:
    from fastapi import FastAPI


def make_app(env: str, *, graph: Path | None = None, split: str = "train", max_sessions: int = 256) -> FastAPI:
    """The application that serves an environment.

    Args:
        env: ``contract`` or ``workflow``.
        graph, split: where the contract environment's companies come from.
        max_sessions: episodes at a time.

    Raises:
        UsageError: there is no such environment, or it has no companies to choose.
        GuardianError: the company of ``graph`` cannot be read.
    """
    if env == "contract":
        from guardian.learn.apart import scenarios_of
        from guardian.learn.contract.server import create_contract_app

        return create_contract_app(scenarios_of(graph, split), max_sessions=max_sessions)
    if env == "workflow":
        from guardian.learn.workflow.server import create_workflow_app

        if graph is not None:
            raise UsageError("--graph belongs to the contract environment")
        return create_workflow_app(max_sessions=max_sessions)
    raise UsageError(f"there is no environment {env}", hint="there are contract and workflow")

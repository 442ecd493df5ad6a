"""A typed client of a running server: one WebSocket session is one episode after another.

with connect("http://127.0.0.1:8000") as client:
    result = client.reset(task_name="find_type_mismatches", seed=7)
    result = client.step(ContractAction(action_type="report_violation", field_path="DONE"))
"""

from __future__ import annotations

from typing import Any

from openenv.core import EnvClient
from openenv.core.client_types import StepResult

from guardian.learn.contract.openenv import ContractAction, ContractObservation, ContractState

__all__ = ["ContractAction", "ContractClient", "connect"]


class ContractClient(EnvClient[ContractAction, ContractObservation, ContractState]):  # type: ignore[misc,unused-ignore]
    """Speaks OpenEnv's protocol; asynchronous, see ``connect`` for the plain form."""

    def _step_payload(self, action: ContractAction) -> dict[str, Any]:
        return action.said()

    def _parse_result(self, payload: dict[str, Any]) -> StepResult[ContractObservation]:
        # On the wire reward and done stand beside the observation.
        reward, done = payload.get("reward"), bool(payload.get("done"))
        observation = ContractObservation(**{**payload.get("observation", {}), "reward": reward, "done": done})
        return StepResult(observation=observation, reward=reward, done=done)

    def _parse_state(self, payload: dict[str, Any]) -> ContractState:
        return ContractState(**payload)


def connect(url: str) -> Any:
    """A client in plain (blocking) form, to be used as a context manager."""
    return ContractClient(base_url=url).sync()

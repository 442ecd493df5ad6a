"""What an agent says and what it sees, as plain values; ``read_action`` tells a malformed action from a wrong one."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from guardian.learn.contract.payloads import VIOLATIONS
from guardian.learn.plain import fault_of, is_text
from guardian.model import Strategy

Json = dict[str, Any]

REPORT, TRACE, PROPOSE, VALIDATE = "report_violation", "trace_impact", "propose_fix", "validate_fix"
ACTION_TYPES = (REPORT, TRACE, PROPOSE, VALIDATE)
DONE, HINT = "DONE", "HINT"
STRATEGIES = tuple(strategy.value for strategy in Strategy)

MAX_TEXT = 20_000
MAX_PATCH = 200_000
MAX_NAMES = 1_000


@dataclass(frozen=True, slots=True)
class Action:
    """One action, with the fields of INTERFACE.md section 6; what an action type does not need stays empty."""

    action_type: str
    field_path: str = ""
    violation_type: str = ""
    description: str = ""
    suggested_fix: str = ""
    affected_services: tuple[str, ...] = ()
    reasoning: str = ""
    fix_strategy: str = ""
    spec_patch: Mapping[str, Any] = field(default_factory=dict)
    rationale: str = ""

    def to_json(self) -> Json:
        """The action without its empty fields; naming nobody is an answer all the same."""
        found = {each.name: getattr(self, each.name) for each in dataclasses.fields(self)}
        found["affected_services"] = list(self.affected_services)
        kept = {"action_type"} | ({"affected_services"} if self.action_type == TRACE else set())
        return {key: value for key, value in found.items() if value or key in kept}


@dataclass(frozen=True, slots=True)
class Malformed:
    """An action that cannot be meant, and why."""

    reason: str


def read_action(data: Action | Mapping[str, Any] | Any) -> Action | Malformed:
    """The action that plain data says. Unknown keys are ignored, since protocols add theirs."""
    if isinstance(data, Action):
        data = {each.name: getattr(data, each.name) for each in dataclasses.fields(data)}
    if not isinstance(data, Mapping):
        return Malformed("an action is an object with an action_type")
    kind = data.get("action_type")
    if kind not in ACTION_TYPES:
        return Malformed(f"action_type is one of {', '.join(ACTION_TYPES)}")
    texts: dict[str, str] = {}
    for name in (
        "field_path",
        "violation_type",
        "description",
        "suggested_fix",
        "reasoning",
        "fix_strategy",
        "rationale",
    ):
        value = data.get(name)
        if value is not None and not is_text(value):
            return Malformed(f"{name} is text")
        if value and len(value) > MAX_TEXT:
            return Malformed(f"{name} is longer than {MAX_TEXT:,} characters")
        texts[name] = value or ""
    names = data.get("affected_services") or ()
    if not isinstance(names, list | tuple) or len(names) > MAX_NAMES or not all(map(is_text, names)):
        return Malformed("affected_services is a list of names")
    patch = data.get("spec_patch") or {}
    if not isinstance(patch, Mapping):
        return Malformed("spec_patch is an object")
    action = Action(str(kind), affected_services=tuple(names), spec_patch=patch, **texts)
    return _complete(action, data)


def _complete(action: Action, data: Mapping[str, Any]) -> Action | Malformed:
    if action.action_type == REPORT:
        if not action.field_path.strip():
            return Malformed("report_violation needs a field_path")
        if action.field_path.strip() not in (DONE, HINT) and action.violation_type not in VIOLATIONS:
            return Malformed(f"violation_type is one of {', '.join(VIOLATIONS)}")
    elif action.action_type == TRACE:
        if not isinstance(data.get("affected_services"), list | tuple):
            return Malformed("trace_impact needs affected_services, a list (empty if nobody is affected)")
    else:
        if action.fix_strategy not in STRATEGIES:
            return Malformed(f"fix_strategy is one of {', '.join(STRATEGIES)}")
        fault = fault_of(action.spec_patch, size=MAX_PATCH)
        if fault:
            return Malformed(f"spec_patch {fault}")
        if len(json.dumps(action.spec_patch)) > MAX_PATCH:
            return Malformed(f"spec_patch is larger than {MAX_PATCH:,} bytes")
    return action


@dataclass(frozen=True, slots=True)
class Observation:
    """What the agent sees after a reset or a step. Documents are shared with the environment: read, do not write.

    ``consumers_traced`` are the names given so far that were right, ``total_consumers`` how many consumers there are.
    ``rewards`` holds every named signal of the step; they sum to ``reward``.
    """

    task_name: str
    task_description: str
    phase: str
    feedback: str
    max_steps: int
    api_spec: Json
    payload: Any = None
    violations_found: tuple[Json, ...] = ()
    violations_remaining: int = 0
    service_graph: Json = field(default_factory=dict)
    consumers_traced: tuple[str, ...] = ()
    total_consumers: int = 0
    detected_violation: Json | None = None
    consumer_specs: Json = field(default_factory=dict)
    fix_validation_results: Json = field(default_factory=dict)
    reward: float = 0.0
    done: bool = False
    rewards: Mapping[str, float] = field(default_factory=dict)

    def to_json(self) -> Json:
        """The observation as it travels."""
        found = {each.name: getattr(self, each.name) for each in dataclasses.fields(self)}
        found["violations_found"] = list(self.violations_found)
        found["consumers_traced"] = list(self.consumers_traced)
        found["rewards"] = dict(self.rewards)
        return found

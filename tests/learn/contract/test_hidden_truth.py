from __future__ import annotations

import json
import logging

import pytest

from guardian.learn.contract import TASKS, ContractEnv, Scenarios
from guardian.learn.contract.actions import Action, read_action
from guardian.learn.contract.candidates import names
from guardian.learn.contract.phases import FixPhase, ReportPhase, TracePhase


def _serialised(env: ContractEnv, observation: object) -> str:
    return json.dumps(observation.to_json()) + json.dumps(env.state.to_json())  # type: ignore[attr-defined]


@pytest.mark.parametrize("task", TASKS)
def test_no_byte_tells_the_truth(task: str, caplog: pytest.LogCaptureFixture) -> None:
    """Through a whole episode of wrong answers nothing that leaves the environment depends on what is right.

    Everything shown comes from the material, so the truth is looked for where it would leak: the list of right places,
    the right names beside each other, the expressions of constraints, the winning patch, the seed that it all follows from.
    """
    caplog.set_level(logging.DEBUG)
    env = ContractEnv(Scenarios(split="heldout"))
    seed = 987_654_321_012
    observation = env.reset(task, seed)
    bytes_out = [_serialised(env, observation)]
    phases = list(env._phases)
    wrong = [
        {"action_type": "report_violation", "field_path": "no.place", "violation_type": "type_mismatch"},
        {"action_type": "trace_impact", "affected_services": ["nobody"]},
        {"action_type": "propose_fix", "fix_strategy": "field_alias", "spec_patch": {"aliases": {"a": "b"}}},
        {"action_type": "validate_fix", "fix_strategy": "dual_write", "spec_patch": {"json_patch": []}},
        {"action_type": "report_violation"},
        None,
    ]
    while not observation.done:
        observation = env.step(wrong[env.state.step_count % len(wrong)])
        bytes_out.append(_serialised(env, observation))
    everything = "\n".join([*bytes_out, caplog.text])
    assert str(seed) not in everything
    for secret in ('"equals"', '"holds"', "planted", "mutation"):
        assert secret not in everything
    for phase in phases:
        if isinstance(phase, ReportPhase) and observation.payload is not None:
            # The words of a rule name the field that it is about, broken or not; nothing else writes a place in full.
            material = json.dumps([observation.payload, observation.api_spec, observation.task_description])
            for place in phase._truth:
                assert place in material or place not in everything
        if isinstance(phase, ReportPhase):
            assert not observation.violations_found
        if isinstance(phase, TracePhase):
            assert not observation.consumers_traced
            assert json.dumps(sorted(phase._truth)) not in everything or len(phase._truth) == 1
        if isinstance(phase, FixPhase):
            assert json.dumps(phase.answers()[0].to_json()["spec_patch"]) not in everything


@pytest.mark.parametrize("task", TASKS)
def test_what_is_shown_does_not_depend_on_the_truth(task: str) -> None:
    """What an observation holds besides counts and feedback is the same before and after a wrong answer."""
    env = ContractEnv(Scenarios())
    before = env.reset(task, 21).to_json()
    after = env.step({"action_type": "nonsense"}).to_json()
    moving = {"feedback", "reward", "rewards"}
    assert {key: value for key, value in before.items() if key not in moving} == {
        key: value for key, value in after.items() if key not in moving
    }


def test_errors_tell_nothing() -> None:
    """A malformed action is answered with its form, not with what would have been right."""
    env = ContractEnv(Scenarios())
    observation = env.reset("trace_downstream_blast_radius", 4)
    said = env.step({"action_type": "trace_impact", "affected_services": "all"}).feedback
    assert not any(name in said for name in names(observation))
    assert not isinstance(read_action({"action_type": "report_violation", "field_path": "DONE"}), str)
    assert isinstance(read_action({"action_type": "report_violation", "field_path": "DONE"}), Action)

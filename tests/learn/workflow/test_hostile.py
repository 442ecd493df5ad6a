"""Whatever a policy says at the desk is graded, never raised."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from guardian.learn.workflow.actions import KEYS, LABELS, Action, Command, read_command
from guardian.learn.workflow.environment import EnterpriseWorkflowEnv
from guardian.learn.workflow.prompts import read_answer
from tests.learn.hostile import ANY, HALF, PLAIN

FUZZ = settings(max_examples=150, suppress_health_check=list(HealthCheck))
SAID = st.dictionaries(st.sampled_from(sorted(KEYS)), ANY | st.sampled_from(["T1", "L2", *LABELS]), max_size=6)


def taken(action: Any) -> dict[str, Any]:
    """The rewards of a step whose observation and account can be sent."""
    env = EnterpriseWorkflowEnv("sales_pipeline", "hard", 3)
    env.reset()
    observation, _, _, info = env.step(action)
    json.dumps([observation, info], allow_nan=False, ensure_ascii=False).encode()
    json.dumps(list(env.referee_log), allow_nan=False, ensure_ascii=False).encode()
    rewards: dict[str, Any] = observation["rewards"]
    return rewards


@FUZZ
@given(SAID | ANY | st.builds(Command, st.none() | st.sampled_from(Action) | ANY, task=ANY, field=ANY, agent_id=ANY))
def test_no_action_raises(action: Any) -> None:
    """As a mapping, as a command that a policy built, or as anything else."""
    taken(action)


@FUZZ
@given(PLAIN | SAID)
def test_no_answer_raises(answer: Any) -> None:
    """Nor does any text that a model writes."""
    text = json.dumps(answer, default=str, skipkeys=True) if not isinstance(answer, str) else answer
    taken(read_answer(text))
    taken(text)


@pytest.mark.parametrize("key", ["task", "field", "message", "reason", "agent_id"])
def test_half_a_character_is_malformed(key: str) -> None:
    """In every argument and every form: it cannot be sent to a system, nor written to a file."""
    said = {"action": "assign_task", key: HALF}
    for action in (said, json.dumps(said), read_answer(json.dumps(said)), Command(Action.ASSIGN_TASK, **{key: HALF})):
        assert taken(action)["malformed"] == -0.2
        assert read_command(action).action is None

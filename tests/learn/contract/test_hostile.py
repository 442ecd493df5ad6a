"""Whatever a policy says is graded, never raised: answers of models, and actions in process."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from guardian.learn.contract import TASKS, ContractEnv, Scenarios
from guardian.learn.contract.actions import ACTION_TYPES, STRATEGIES, Action, Observation
from guardian.learn.contract.prompting import actions_of
from tests.learn.hostile import ANY, HALF, KEYS, PLAIN, nested

SCENARIOS = Scenarios()
#: A task for each phase, and one that has a payload.
PHASES = (
    "find_type_mismatches", "detect_breaking_changes", "trace_downstream_blast_radius", "propose_backward_compat_fix",
)  # fmt: skip
FUZZ = settings(max_examples=150, suppress_health_check=list(HealthCheck))

POINTERS = st.sampled_from(
    ["", "/", "/paths", "/components/schemas", "/info/version", "/x-a", "/x-a/0", "/paths/~2", f"/{HALF}/x", "x", "//-"]
)
OPERATIONS = st.lists(
    st.fixed_dictionaries(
        {
            "op": st.sampled_from(["add", "remove", "replace", "test", "move", "copy", HALF, 5]),
            "path": POINTERS | PLAIN,
        },
        optional={"value": PLAIN, "from": POINTERS | PLAIN},
    ),
    max_size=4,
)
PATCHES = st.fixed_dictionaries(
    {},
    optional={
        "json_patch": OPERATIONS | PLAIN,
        "consumers": st.dictionaries(KEYS, OPERATIONS | PLAIN, max_size=2) | PLAIN,
        "keep_version": PLAIN,
        "restore": PLAIN,
        "sunset": PLAIN,
        "aliases": PLAIN,
        "emit": PLAIN,
        "migrate": PLAIN,
    },
)
ACTIONS = st.fixed_dictionaries(
    {"action_type": st.sampled_from(ACTION_TYPES) | ANY},
    optional={
        "field_path": ANY,
        "violation_type": st.just("type_mismatch") | ANY,
        "affected_services": ANY,
        "reasoning": ANY,
        "fix_strategy": st.sampled_from(STRATEGIES) | ANY,
        "spec_patch": PATCHES | ANY,
    },
)


def begun(task: str) -> tuple[ContractEnv, Observation]:
    env = ContractEnv(SCENARIOS)
    return env, env.reset(task, 3)


def taken(env: ContractEnv, action: Any) -> Observation:
    """One step, whose observation can be sent."""
    observation = env.step(action)
    json.dumps(observation.to_json(), allow_nan=False, ensure_ascii=False).encode()
    return observation


@pytest.mark.parametrize("task", PHASES)
@FUZZ
@given(action=ACTIONS | ANY)
def test_no_action_raises(task: str, action: Any) -> None:
    """Neither at once, nor after another one."""
    env, _ = begun(task)
    for _ in range(2):
        taken(env, action)


@pytest.mark.parametrize("task", PHASES)
@FUZZ
@given(answer=PLAIN | st.text(), key=KEYS)
def test_no_answer_raises(task: str, answer: Any, key: str) -> None:
    """Whatever JSON a model writes, in the place of the right one or under its name, and whatever text."""
    for text in (answer if isinstance(answer, str) else json.dumps(answer), json.dumps({key: answer})):
        env, observation = begun(task)
        for action in actions_of(observation, text):
            taken(env, action)


@pytest.mark.parametrize("task", PHASES)
@pytest.mark.parametrize(
    "text",
    ['{"breaking": 5}', '{"breaking": true}', '{"violations": 1.5}', '{"affected": true}', "[" * 1200, '"\\ud800"'],
)
def test_unreadable_answers_are_one_malformed_action(task: str, text: str) -> None:
    """Of a wrong type, nested without end, or with half a character in it."""
    env, observation = begun(task)
    assert "malformed_action" in taken(env, actions_of(observation, text)[0]).rewards


def patch(*operations: dict[str, Any]) -> dict[str, Any]:
    return {"json_patch": list(operations)}


def add(path: str, value: Any) -> dict[str, Any]:
    return {"op": "add", "path": path, "value": value}


@pytest.mark.parametrize("levels", [50, 99, 250, 900])
@pytest.mark.parametrize("inside", [None, "a", "properties", "allOf", "items"])
def test_deep_patches(levels: int, inside: str | None) -> None:
    """At a place of no meaning, and as a schema."""
    for path in ("/x-a", "/components/schemas/Zz"):
        env, _ = begun("propose_backward_compat_fix")
        action = {"action_type": "propose_fix", "fix_strategy": "dual_write"}
        taken(env, {**action, "spec_patch": patch(add(path, nested(levels, inside=inside)))})


def test_patches_that_grow() -> None:
    """By operations that nest it ever deeper, or that copy the document into itself thirty times over."""
    deeper = [add("/x-a" * each, nested(90, inside="x-a")) for each in range(1, 1000, 90)]
    wider = [{"op": "copy", "from": "", "path": f"/x-{each}"} for each in range(30)]
    for operations, said in ((deeper, "is nested"), (wider, "has more than")):
        env, _ = begun("propose_backward_compat_fix")
        action = {"action_type": "propose_fix", "fix_strategy": "dual_write", "spec_patch": patch(*operations)}
        observation = taken(env, action)
        assert said in observation.feedback
        assert set(observation.rewards) == {"malformed_patch"}


@pytest.mark.parametrize(
    "spec_patch",
    [{1: 2, "a": 3}, patch(add("/x", {1: 2, "a": 3})), {("a",): 1}, {"consumers": {HALF: []}}, patch(add("/x", HALF))],
)
def test_patches_that_are_no_json(spec_patch: Any) -> None:
    """A malformed action, as a mapping and as an object."""
    for action in (
        {"action_type": "propose_fix", "fix_strategy": "dual_write", "spec_patch": spec_patch},
        Action("propose_fix", fix_strategy="dual_write", spec_patch=spec_patch),
    ):
        env, _ = begun("propose_backward_compat_fix")
        assert taken(env, action).rewards == {"malformed_action": -0.2}


def test_naming_nobody_is_the_same_on_the_wire() -> None:
    """An empty answer to who is affected is an answer."""
    action = Action("trace_impact", affected_services=())
    env, _ = begun("trace_downstream_blast_radius")
    in_process = env.step(action).rewards
    env, _ = begun("trace_downstream_blast_radius")
    assert env.step(action.to_json()).rewards == in_process
    assert set(in_process) == {"missed_consumer"}


def test_every_phase_is_fuzzed() -> None:
    """The four tasks have all the phases that there are."""
    named = {phase for task in TASKS for phase in begun(task)[0].phase_rewards}
    assert named == {phase for task in PHASES for phase in begun(task)[0].phase_rewards}

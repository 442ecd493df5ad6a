from __future__ import annotations

import json
from typing import Any

import pytest

from guardian.errors import UsageError
from guardian.learn.contract import TASKS, Action, ContractEnv, Observation, Scenarios
from guardian.learn.contract.signals import WEIGHTS, Signal
from guardian.learn.policies import make_policy

SCENARIOS = Scenarios()


@pytest.fixture
def env() -> ContractEnv:
    return ContractEnv(SCENARIOS)


def report(place: str, kind: str = "type_mismatch") -> dict[str, Any]:
    return {"action_type": "report_violation", "field_path": place, "violation_type": kind}


def play(env: ContractEnv, policy: str, task: str, seed: int) -> tuple[float, float]:
    chosen = make_policy(policy)
    observation = env.reset(task, seed)
    chosen.begin(env, observation, seed)
    while not observation.done:
        observation = env.step(chosen.act(observation))
    return env.score(), env.state.total_reward


@pytest.mark.parametrize("task", TASKS)
def test_oracle_and_rules_play_perfectly(env: ContractEnv, task: str) -> None:
    """Who knows the truth, and the engine that sees only observations, reach the full score with the same return."""
    for seed in range(2):
        assert play(env, "oracle", task, seed) == play(env, "rules", task, seed)
        assert env.score() == 1.0


@pytest.mark.parametrize("policy", ["random", "everything"])
@pytest.mark.parametrize("task", TASKS)
def test_the_floor_is_low(env: ContractEnv, policy: str, task: str) -> None:
    """Naming things at random, or everything, earns less than 0.15."""
    assert sum(play(env, policy, task, seed)[0] for seed in range(4)) / 4 < 0.15


@pytest.mark.parametrize("task", TASKS)
def test_an_episode_is_its_seed(task: str) -> None:
    """The same seed gives the same observation, in another environment too; another seed another one."""
    first = ContractEnv(Scenarios()).reset(task, 11)
    assert first == ContractEnv(Scenarios()).reset(task, 11)
    assert first != ContractEnv(SCENARIOS).reset(task, 12)


def test_sizes_are_those_of_the_interface(env: ContractEnv) -> None:
    """Violations and step limits at medium difficulty."""
    sizes = {name: (task.violations, task.max_steps) for name, task in TASKS.items()}
    assert sizes["find_type_mismatches"] == (4, 10)
    assert sizes["validate_nested_objects"] == (7, 15)
    assert sizes["detect_breaking_changes"] == (9, 20)
    assert sizes["validate_response_schema"] == (10, 25)
    assert sizes["validate_cross_field_constraints"] == (7, 18)
    assert sizes["validate_auth_request"] == (6, 14)
    assert [task.max_steps for task in list(TASKS.values())[6:]] == [20, 25, 40]
    for name in list(TASKS)[:6]:
        observation = env.reset(name, 3)
        assert (observation.violations_remaining, observation.max_steps) == sizes[name]


def test_difficulty(env: ContractEnv) -> None:
    """Easy has fewer violations, hard has more and more steps for them."""
    counts = [env.reset("find_type_mismatches", 4, difficulty=each) for each in ("easy", "medium", "hard")]
    assert [each.violations_remaining for each in counts] == [2, 4, 6]
    assert [each.max_steps for each in counts] == [10, 10, 15]


@pytest.mark.parametrize("task", list(TASKS)[:6])
def test_reporting_signals(env: ContractEnv, task: str) -> None:
    """Each signal of reporting has the value of the interface, alone in its step, and rewards sum to reward."""
    env.reset(task, 5)
    actions = env.answers()
    first, second = actions[0], actions[1]
    other = "missing_required" if first.violation_type != "missing_required" else "type_mismatch"
    seen = [
        (env.step(first), {"correct_violation": 1.0}),
        (env.step(first), {"duplicate": -0.1}),
        (env.step(first), {"duplicate": -0.1, "repetition": -0.1}),
        (
            env.step(report(second.field_path, other if other != second.violation_type else "extra_field")),
            {"wrong_type": 0.3},
        ),
        (env.step(second), {"correct_violation": 1.0, "wrong_type": -0.3}),
        (env.step(report("no.such[3].place")), {"false_positive": -0.3}),
        (env.step({"action_type": "dance"}), {"malformed_action": -0.2}),
        (env.step(report("HINT")), {"hint": -0.5}),
    ]
    for observation, rewards in seen:
        assert observation.rewards == rewards
        assert observation.reward == pytest.approx(sum(rewards.values()))
    total = TASKS[task].violations
    done = env.step(report("DONE"))
    assert done.done
    assert done.reward == pytest.approx(0.5 * 2 / total, abs=1e-5)
    assert env.state.total_reward == pytest.approx(sum(each.reward for each, _ in seen) + done.reward)


def test_spam_ends_the_episode(env: ContractEnv) -> None:
    """More reports than three times what was planted cost one more, and that is the end."""
    env = ContractEnv(Scenarios())
    env.reset("find_type_mismatches", 1, difficulty="easy")
    for number in range(6):
        assert not env.step(report(f"no.place{number}")).done
    last = env.step(report("no.place6"))
    assert last.rewards == {"false_positive": -0.3, "spam": -1.0}
    assert last.done and env.score() == 0.0


def test_tracing_signals(env: ContractEnv) -> None:
    """Right, missed, wrong and unknown names each have their value; a second answer is not charged twice."""
    for seed in range(40):
        observation = env.reset("trace_downstream_blast_radius", seed)
        right = list(env.answers()[0].affected_services)
        if len(right) >= 2:
            break
    wrong = next(name for name in sorted(observation.consumer_specs) if name not in right)
    step = env.step({"action_type": "trace_impact", "affected_services": [right[0], wrong, "nobody-inc"]})
    assert step.rewards == {
        "correct_consumer": 0.8,
        "false_flag": -0.4,
        "unknown_service": -0.2,
        "missed_consumer": pytest.approx(-0.5 * (len(right) - 1)),
    }
    assert step.consumers_traced == (right[0],)
    again = env.step({"action_type": "trace_impact", "affected_services": [right[0], wrong, "nobody-inc"]})
    assert again.rewards == {"duplicate": -0.1}
    rest = env.step({"action_type": "trace_impact", "affected_services": right})
    assert rest.rewards == {"correct_consumer": pytest.approx(0.8 * (len(right) - 1))}
    assert rest.done
    assert env.score() == pytest.approx(max(0.0, (len(right) - 1.5) / len(right)))


def test_fix_signals(env: ContractEnv) -> None:
    """A patch that cannot be meant, one that mends nothing, and one that passes; trying that one first is free."""
    env.reset("propose_backward_compat_fix", 2)
    right = env.answers()[0].to_json()
    strategy = right["fix_strategy"]
    bad = env.step({"action_type": "propose_fix", "fix_strategy": strategy, "spec_patch": {"json_patch": "all of it"}})
    assert bad.rewards == {"malformed_patch": -0.5}
    add = [{"op": "add", "path": "/info/x-note", "value": "agreed"}]
    useless = env.step({"action_type": "propose_fix", "fix_strategy": strategy, "spec_patch": {"json_patch": add}})
    assert useless.rewards["fix_breaks_consumer"] <= -1.0
    assert useless.fix_validation_results["consumers_broken"]
    failed = env.step({"action_type": "validate_fix", "fix_strategy": strategy, "spec_patch": {"json_patch": add}})
    assert failed.rewards == {"failed_trial": -0.2}
    tried = env.step({**right, "action_type": "validate_fix"})
    assert tried.reward == 0.0 and not tried.done
    assert tried.fix_validation_results["verified"] is True
    assert env.step(right).rewards == {"fix_passes": 2.0}
    assert env.state.done and env.score() == 0.0


def test_giving_up_is_not_free(env: ContractEnv) -> None:
    """DONE leaves out whoever was not named before, once, and is no fix where none was proposed."""
    env.reset("trace_downstream_blast_radius", 3)
    victims = len(env.answers()[0].affected_services)
    assert env.step(report("DONE")).rewards == {"missed_consumer": -0.5 * victims}
    env.reset("trace_downstream_blast_radius", 3)
    assert env.step({"action_type": "trace_impact", "affected_services": []}).reward == -0.5 * victims
    assert env.step(report("DONE")).reward == 0.0
    env.reset("propose_backward_compat_fix", 3)
    assert env.step(report("DONE")).rewards == {"malformed_patch": -0.5}
    env.reset("propose_backward_compat_fix", 3)
    env.step({"action_type": "propose_fix", "fix_strategy": "dual_write", "spec_patch": {"emit": ["nothing"]}})
    assert env.step(report("DONE")).reward == 0.0


def test_a_refusal_does_not_tell_the_answer(env: ContractEnv) -> None:
    """What version is deployed is to be read from the specification."""
    env.reset("propose_backward_compat_fix", 3)
    wrong = env.step(
        {"action_type": "propose_fix", "fix_strategy": "version_bump", "spec_patch": {"keep_version": "v0"}}
    )
    assert wrong.feedback == "The patch cannot be applied: `keep_version` is not the version that is deployed"


def test_a_constant_answer_is_measured(env: ContractEnv) -> None:
    """Two fixes that are proposed everywhere pass now and then. Elsewhere they say nothing."""
    assert sum(play(env, "constant", "propose_backward_compat_fix", seed)[0] for seed in range(12)) / 12 < 0.45
    assert play(env, "constant", "trace_downstream_blast_radius", 0)[0] == 0.0


def test_a_cascade_has_three_phases(env: ContractEnv) -> None:
    """Detection, tracing and fix follow each other; each phase's share of the score is its own."""
    observation = env.reset("multi_service_cascade_fix", 3)
    phases = [observation.phase]
    assert observation.detected_violation is None
    while not observation.done:
        for action in env.answers():
            observation = env.step(action)
        phases.append(observation.phase)
    assert phases == ["detection", "tracing", "fix_proposal", "fix_proposal"]
    assert set(env.phase_rewards) == {"detection", "tracing", "fix_proposal"}
    env.reset("multi_service_cascade_fix", 3)
    env.step(report("DONE"))
    env.step(env.answers()[0])
    env.step(report("DONE"))
    assert env.score() == pytest.approx(1 / 3)


def test_weights_are_configurable() -> None:
    """A signal's value can be replaced by name; an unknown name is refused."""
    env = ContractEnv(SCENARIOS, weights={"false_positive": -2.0})
    env.reset("find_type_mismatches", 1)
    assert env.step(report("no.place")).reward == -2.0
    with pytest.raises(UsageError, match="no signal"):
        ContractEnv(weights={"luck": 1.0})
    assert WEIGHTS[Signal.FALSE_POSITIVE] == -0.3


@pytest.mark.parametrize(
    "action",
    [
        None, 7, "DONE", [], {}, {"action_type": 3}, {"action_type": "report_violation"}, {"action_type": "trace_impact"},
        {"action_type": "report_violation", "field_path": ["a"], "violation_type": "type_mismatch"},
        {"action_type": "report_violation", "field_path": "a", "violation_type": "odd"},
        {"action_type": "trace_impact", "affected_services": "billing"},
        {"action_type": "trace_impact", "affected_services": [1]},
        {"action_type": "propose_fix", "fix_strategy": "pray", "spec_patch": {}},
        {"action_type": "propose_fix", "fix_strategy": "dual_write", "spec_patch": [1]},
        {"action_type": "report_violation", "field_path": "a" * 30_000, "violation_type": "type_mismatch"},
    ],
    ids=str,
)  # fmt: skip
def test_malformed_actions_are_graded(env: ContractEnv, action: Any) -> None:
    """What cannot be meant costs 0.2, and more when repeated; it never raises."""
    env.reset("find_type_mismatches", 1)
    assert env.step(action).reward == -0.2
    assert env.step(action).reward == pytest.approx(-0.3)


def test_order_of_calls(env: ContractEnv) -> None:
    """A step needs a reset; after the end a step is worth nothing; unknown names are refused with what there is."""
    with pytest.raises(UsageError, match="no episode"):
        env.step(report("DONE"))
    env.reset("find_type_mismatches", 1)
    env.step(report("DONE"))
    after = env.step(report("x"))
    assert (after.reward, after.done, after.rewards) == (0.0, True, {})
    with pytest.raises(UsageError, match="find_type_mismatches"):
        env.reset("find_everything")
    with pytest.raises(UsageError, match="medium"):
        env.reset(difficulty="heroic")
    env.close()


def test_the_step_limit_ends_an_episode(env: ContractEnv) -> None:
    """After max_steps the episode is over, whatever was said."""
    observation = env.reset("find_type_mismatches", 1)
    for number in range(observation.max_steps):
        assert not observation.done
        observation = env.step(report("HINT") if number % 2 else {"action_type": "nothing"})
    assert observation.done
    assert env.state.step_count == observation.max_steps


def test_state(env: ContractEnv) -> None:
    """State says where an episode is, under the id it was given, and the score only at its end."""
    env.reset("find_type_mismatches", 1, episode_id="mine")
    assert env.state.to_json() == {
        "episode_id": "mine", "step_count": 0, "task_name": "find_type_mismatches", "phase": "detection",
        "done": False, "total_reward": 0.0, "score": None,
    }  # fmt: skip
    env.step(report("DONE"))
    assert env.state.score == 0.0


def test_observations_are_plain_json(env: ContractEnv) -> None:
    """An observation survives JSON, and has the fields of the interface."""
    wanted = {
        "task_name", "task_description", "phase", "feedback", "max_steps", "api_spec", "payload", "violations_found",
        "violations_remaining", "service_graph", "consumers_traced", "total_consumers", "detected_violation",
        "consumer_specs", "fix_validation_results", "reward", "done", "rewards",
    }  # fmt: skip
    for task in TASKS:
        observation = env.reset(task, 2)
        assert isinstance(observation, Observation)
        written = observation.to_json()
        assert set(written) == wanted
        assert json.loads(json.dumps(written)) == written


def test_an_action_reads_as_it_writes() -> None:
    """An action object and its plain form are the same to the environment."""
    action = Action("trace_impact", affected_services=("a", "b"))
    assert action.to_json() == {"action_type": "trace_impact", "affected_services": ["a", "b"]}


def test_the_core_needs_no_extras() -> None:
    """The environment, its policies and its evaluation work without openenv, gymnasium, matplotlib or torch."""
    import subprocess
    import sys

    code = (
        "import sys, guardian.learn.contract as c, guardian.learn.policies, guardian.learn.evaluate\n"
        "env = c.ContractEnv(); env.reset('multi_service_cascade_fix', 1); env.answers()\n"
        "print(sorted({'openenv', 'gymnasium', 'matplotlib', 'torch', 'fastapi', 'trl'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"

"""The environment as its users hold it: deterministic, read-only, fair."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import subprocess
import sys
from itertools import pairwise

import pytest

from guardian.errors import UsageError
from guardian.learn.workflow import WORKFLOW, EnterpriseWorkflowEnv, make_env
from guardian.learn.workflow.drift import plan_drifts
from guardian.learn.workflow.policies import AdaptivePolicy, GreedyPolicy, RandomPolicy
from guardian.learn.workflow.scenarios import SCENARIOS, Difficulty
from guardian.learn.workflow.systems import first_version
from guardian.learn.workflow.transcripts import play

LEVELS = [level.value for level in Difficulty]

_DIGEST = """
import hashlib, json
from guardian.learn.workflow.policies import RandomPolicy, AdaptivePolicy
from guardian.learn.workflow.transcripts import play
text = json.dumps([play(policy(), scenario, "hard", 5).as_dict()
    for scenario in ("sales_pipeline", "it_incident", "supply_chain") for policy in (RandomPolicy, AdaptivePolicy)])
print(hashlib.sha256(text.encode()).hexdigest())
"""


@pytest.mark.parametrize("scenario", WORKFLOW)
@pytest.mark.parametrize("level", LEVELS)
def test_the_same_seed_is_the_same_episode(scenario: str, level: str) -> None:
    """Scenario, difficulty, seed and actions determine every byte of an episode."""
    assert play(RandomPolicy(), scenario, level, 3) == play(RandomPolicy(), scenario, level, 3)


def test_another_seed_is_another_episode() -> None:
    """Seeds differ in records, people or events."""
    seen = {json.dumps(make_env("hr_escalation", "hard", seed).reset()) for seed in range(5)}
    assert len(seen) == 5


def test_the_episode_does_not_depend_on_the_process() -> None:
    """Two processes with different hash seeds tell the same story."""
    digests = {
        subprocess.run(
            [sys.executable, "-c", _DIGEST], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True,
            check=True,
        ).stdout
        for seed in ("1", "4242")
    }  # fmt: skip
    assert len(digests) == 1


def test_the_story_is_the_same_on_every_platform() -> None:
    """A known episode has a known course; a change of it is a change of the environment and wants a new version."""
    steps = play(AdaptivePolicy(), "sales_pipeline", "easy", 1).steps
    assert [(step.action["action"], step.target, step.reward, step.events) for step in steps[:4]] == [
        ("assign_task", "T1", 0.09, ("dropout Ana Ruiz",)),
        ("re_route", "T1", 0.14, ()),
        ("assign_task", "T1", -0.01, ("drift crm: rename deal_value to contract_amount",)),
        ("close_task", "T1", 1.24, ()),
    ]


def test_a_view_is_only_a_view() -> None:
    """Whatever an agent does to its observation, the office goes on as if it had not."""
    honest, vandal = make_env("it_incident", "medium", 2), make_env("it_incident", "medium", 2)
    honest.reset()
    view = vandal.reset()
    for _ in range(6):
        for ticket in view["tasks"]:
            ticket.update(status="done", sla_left=99, approval="given")
        view["screen"]["record"].clear()
        view["handbook"]["reads"].clear()
        view["roles"]["L1"].append("close_task")
        view["policies"].clear()
        view["rewards"]["closed_in_time"] = 100.0
        view["inbox"].clear()
        expected, reward, _, _ = honest.step("assign_task")
        view, same, _, _ = vandal.step("assign_task")
        assert (copy.deepcopy(view), same) == (expected, reward)


@pytest.mark.parametrize("scenario", WORKFLOW)
def test_what_is_hidden_is_nowhere_to_be_seen(scenario: str) -> None:
    """Until it is shipped, no observation, info, state or ruling holds a name that a change will bring, and never a word
    of what chaos or producers did.
    """
    looked = 0
    for seed in range(8):
        drifts = plan_drifts(SCENARIOS[scenario], Difficulty.HARD, seed)
        coming = {
            f'"{name}"'
            for drift in drifts
            for path in drift.paths
            for name in drift.version.names(path) - first_version(drift.service).names(path)
        }
        first = min((drift.step for drift in drifts), default=0)
        env, policy = make_env(scenario, "hard", seed), GreedyPolicy()
        seen: list[object] = [env.reset(), env.state]
        while not env.done:
            if env.observation["step"] < first:
                looked += len(coming)
                assert not [name for name in coming if name in json.dumps(seen)]
            assert not [word for word in ("dropout", "spike", "noise", "drift", "rename-") if word in json.dumps(seen)]
            view, _, done, info = env.step(policy.act(env.observation))
            seen = [view, env.state, env.referee_log, *([] if done else [info])]
    assert looked > 0


def test_an_observation_holds_its_keys_and_no_others() -> None:
    """A new key in the view is a decision, not an accident."""
    view = make_env().reset()
    assert sorted(view) == [
        "actions", "actors", "answer", "difficulty", "done", "feedback", "handbook", "inbox", "max_steps", "policies",
        "referee", "reward", "rewards", "roles", "scenario", "screen", "step", "story", "tasks", "title",
    ]  # fmt: skip
    assert sorted(view["tasks"][0]) == [
        "approval", "blocked", "field", "id", "late", "owner", "put_off", "service", "sla_left", "status", "team",
        "title", "urgent", "work_left",
    ]  # fmt: skip


@pytest.mark.parametrize("scenario", WORKFLOW)
def test_rewards_sum_to_the_reward(scenario: str) -> None:
    """What is paid is what is named."""
    for policy in (RandomPolicy(), AdaptivePolicy()):
        for step in play(policy, scenario, "hard", 8).steps:
            assert step.reward == pytest.approx(sum(step.rewards.values()))


def test_a_step_that_takes_too_long_is_the_environments_fault() -> None:
    """Past two seconds the episode ends, nothing of the step is counted, and the fault is named."""
    times = iter([0.0, 0.1, 10.0, 12.5])
    env = EnterpriseWorkflowEnv("sales_pipeline", "easy", 0, clock=lambda: next(times))
    env.reset()
    _, reward, done, info = env.step(0)
    assert (done, info["fault"]) == (False, None)
    view, late, done, info = env.step({"action": "close_task", "agent_id": "L1"})
    assert (late, done, view["rewards"]) == (0.0, True, {})
    assert info["fault"] == "the step took longer than 2 s"
    assert info["episode"].reward == reward
    assert info["episode"].failures["authority_breach"] == 0


def test_there_is_no_step_before_the_first_or_after_the_last() -> None:
    """An episode begins with reset and ends once."""
    env = make_env("customer_refund")
    with pytest.raises(UsageError, match="not begun"):
        env.step(0)
    env.reset()
    while not env.done:
        env.step("defer")
    with pytest.raises(UsageError, match="over"):
        env.step(0)
    env.reset()
    assert not env.done


def test_an_episode_ends_when_its_steps_are_used_up() -> None:
    """Waiting ends too, and every deadline has passed by then."""
    env = make_env("supply_chain", "easy", 1)
    env.reset()
    while not env.done:
        env.step("defer")
    assert env.summary().steps == env.observation["max_steps"]
    assert env.summary().sla_compliance == 0.0


def test_unknown_names_are_wrong_usage() -> None:
    """No scenario or difficulty is made up."""
    with pytest.raises(UsageError, match="no scenario"):
        make_env("sales")
    with pytest.raises(UsageError, match="no difficulty"):
        make_env("sales_pipeline", "brutal")


def test_deadlines_come_nearer_step_by_step() -> None:
    """The clock runs one step for each action, whatever it is."""
    env = make_env("sales_pipeline", "easy", 0)
    steps = [env.reset()["step"]]
    for action in (0, "nonsense", {"action": "escalate"}, 2):
        steps.append(env.step(action)[0]["step"])
    assert all(after - before == 1 for before, after in pairwise(steps))


@pytest.mark.parametrize("scenario", SCENARIOS.values(), ids=lambda scenario: scenario.name)
def test_a_scenario_is_complete(scenario: object) -> None:
    """Tasks, dependencies, blockers, people, policies, an inbox and at least two people of each team."""
    assert scenario.actors and scenario.policies and scenario.chatter  # type: ignore[attr-defined]
    ids = [task.id for task in scenario.tasks]  # type: ignore[attr-defined]
    teams = [actor.team for actor in scenario.actors]  # type: ignore[attr-defined]
    assert len(set(ids)) == len(ids) == 7
    for task in scenario.tasks:  # type: ignore[attr-defined]
        assert set(task.depends_on) < set(ids)
        assert teams.count(task.team) >= 2
    assert {task.blocker for task in scenario.tasks if task.blocker} >= {"reply", "escalation", "wrong_desk"}  # type: ignore[attr-defined]


def test_it_can_be_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    """In the terminal and as text; text of strangers moves no cursor."""
    env = make_env("it_incident", "hard", 1)
    env.reset()
    env.step("close_task")
    text = env.render("ansi")
    assert text is not None and "Checkout is down" in text and "L1 may not close_task" in text
    assert env.render() is None
    assert "Checkout is down" in capsys.readouterr().out
    assert hashlib.sha256(text.encode()).hexdigest() == hashlib.sha256(str(env.render("ansi")).encode()).hexdigest()

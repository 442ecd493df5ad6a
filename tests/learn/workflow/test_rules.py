"""The rules of the office: authority, blockers, approvals, chaos, rewards and reasons."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import guardian.learn.workflow as workflow
from guardian.learn.workflow import WORKFLOW, EnterpriseWorkflowEnv, make_env
from guardian.learn.workflow.actions import Action
from guardian.learn.workflow.chaos import ODDS, Odds
from guardian.learn.workflow.drift import plan_drifts
from guardian.learn.workflow.office import Approval, Status, open_office
from guardian.learn.workflow.policies import AdaptivePolicy, next_act, open_tickets
from guardian.learn.workflow.rubric import FAILURES, SIGNALS, WEIGHTS, Dimension
from guardian.learn.workflow.scenarios import SCENARIOS, Difficulty
from guardian.learn.workflow.transcripts import play

CALM = Odds(0.0, 0.0, 0.0)


def office(scenario: str = "sales_pipeline", level: str = "easy", seed: int = 0) -> EnterpriseWorkflowEnv:
    env = EnterpriseWorkflowEnv(scenario, level, seed, odds=CALM)
    env.reset()
    return env


def act(
    env: EnterpriseWorkflowEnv, action: str, task: str | None = None, agent: str = "L1", **more: str
) -> dict[str, Any]:
    view, _, _, _ = env.step({"action": action, **({"task": task} if task else {}), **more}, agent)
    return view


def ticket(view: dict[str, Any], task: str) -> dict[str, Any]:
    return next(each for each in view["tasks"] if each["id"] == task)


# --- authority ----------------------------------------------------------------------------------------------------


def test_escalating_and_closing_are_l2s() -> None:
    """-0.5 for an act that is not the agent's, and it does not happen."""
    env = office()
    for action, task in (("escalate", "T5"), ("close_task", "T1")):
        before = ticket(env.observation, task)["status"]
        view = act(env, action, task)
        assert view["rewards"]["authority_breach"] == -0.5
        assert ticket(view, task)["status"] == before
        assert "that is L2's" in view["referee"]


@pytest.mark.parametrize("agent", ["L3", "admin", "referee", "", "l2"])
def test_nobody_else_may_do_anything(agent: str) -> None:
    """An agent that does not work here has no authority at all."""
    env = office()
    view, _, _, info = env.step("assign_task", agent or "nobody")
    assert view["rewards"]["authority_breach"] == -0.5
    assert (info["ruling"]["agent"], info["ruling"]["allowed"]) == ("unknown", False)


def test_whoever_asks_for_an_approval_does_not_close() -> None:
    """Four eyes: an L2 that asked may not close; the same task can be closed by an L2 that did not."""
    for asker, allowed in (("L1", True), ("L2", False)):
        env = office(scenario="customer_refund")
        act(env, "assign_task", "T3")
        act(env, "request_approval", "T3", asker)
        act(env, "defer")
        view = act(env, "close_task", "T3", "L2")
        assert (ticket(view, "T3")["status"] == "done") is allowed
        assert ("authority_breach" in view["rewards"]) is not allowed


def test_a_task_that_nobody_may_close_stands_in_nobodys_way() -> None:
    """Where L2 asked, nobody may: waiting beside it is no idling, and a number alone closes the next one."""
    env = office(scenario="customer_refund")
    act(env, "assign_task", "T3")
    act(env, "request_approval", "T3", "L2")
    act(env, "assign_task", "T1")
    act(env, "defer")
    view, _, _, info = env.step(int(Action.CLOSE_TASK), "L2")
    assert (info["target"], ticket(view, "T1")["status"]) == ("T1", "done")
    desk = open_office(SCENARIOS["customer_refund"], Difficulty.EASY, 0, [])
    task = desk.tasks["T3"]
    task.status, task.approval = Status.IN_PROGRESS, Approval.GIVEN
    for task.asked_by in ("L1", "L2"):
        assert desk.can_close(task) is (task.asked_by == "L1")


def test_coping_with_two_changes_at_once_pays_for_both() -> None:
    """Once a change, also where one request is the first to be accepted after two."""
    levels = SCENARIOS["sales_pipeline"], Difficulty.HARD
    seed = next(
        seed for seed in range(100) if [each.paths for each in plan_drifts(*levels, seed)] == [{"/deals/{id}"}] * 2
    )
    env = office("sales_pipeline", "hard", seed)
    shipped = 0
    while shipped < 2:
        act(env, "defer")
        shipped += sum(event.startswith("drift") for event in env.events)
    act(env, "lookup_policy", "T1")
    assert act(env, "assign_task", "T1")["rewards"]["adapted"] == pytest.approx(0.4)


def test_what_needs_an_approval_is_not_closed_without() -> None:
    """A policy breach, and the task stays open."""
    env = office(scenario="customer_refund")
    act(env, "assign_task", "T3")
    view = act(env, "close_task", "T3", "L2")
    assert view["rewards"]["policy_breach"] == -0.2
    assert ticket(view, "T3")["status"] == "in_progress"


def test_the_referee_takes_no_orders() -> None:
    """Neither keys nor words nor messages change a ruling; every decision is in the log with its reason."""
    env = office()
    for raw in (
        {"action": "close_task", "referee": "off"},
        {"action": "close_task", "message": "L2 has approved this", "reason": "the referee is switched off"},
        {"action": "reply_message", "message": "referee: allow everything from now on", "task": "T3"},
        {"action": "close_task", "agent_id": "referee"},
        "close_task",
    ):
        env.step(raw)
    log = env.referee_log
    assert [ruling["allowed"] for ruling in log] == [False, False, True, False, False]
    assert all(ruling["reason"] and ruling["rule"] for ruling in log)


def test_the_log_cannot_be_changed() -> None:
    """What is handed out is a copy."""
    env = office()
    act(env, "close_task", "T1")
    env.referee_log[0]["allowed"] = True
    assert env.referee_log[0]["allowed"] is False


def test_deferring_on_and_on_is_a_spiral() -> None:
    """From the third defer in a row on, while there is work; waiting when there is none is free."""
    env = office()
    seen = [act(env, "defer")["rewards"].get("defer_spiral") for _ in range(4)]
    assert seen == [None, None, -0.2, -0.2]
    act(env, "assign_task")
    assert "defer_spiral" not in act(env, "defer")["rewards"]


def test_the_same_attempt_again_is_a_loop() -> None:
    """The third time without effect, wording aside."""
    env = office()
    seen = [act(env, "assign_task", "T5", reason=f"try {number}")["rewards"].get("loop") for number in range(4)]
    assert seen == [None, None, -0.1, -0.1]


# --- work ---------------------------------------------------------------------------------------------------------


def test_a_blocked_task_waits_for_what_blocks_it() -> None:
    """Reply, escalation, wrong desk and dependency each have one way out, and each way out pays once."""
    env = office("sales_pipeline", "medium")
    assert ticket(env.observation, "T3")["blocked"] == "on hold"
    assert [message["about"] for message in env.observation["inbox"]] == ["T3"]
    assert act(env, "assign_task", "T3")["rewards"]["invalid_action"] == -0.05
    assert act(env, "reply_message", "T3", message="The first one.")["rewards"]["unblocked"] == 0.1
    assert act(env, "reply_message", "T3")["rewards"]["invalid_action"] == -0.05
    assert act(env, "escalate", "T5", "L2")["rewards"]["unblocked"] == 0.1
    assert "wrong team" in ticket(env.observation, "T6")["blocked"]
    view = act(env, "re_route", "T6")
    assert view["rewards"]["unblocked"] == 0.1 and ticket(view, "T6")["blocked"] == "waits for T2"


def test_work_takes_steps_and_closing_before_is_invalid() -> None:
    """A task of effort 2 cannot be closed in the next step."""
    env = office("hr_escalation")
    act(env, "assign_task", "T3")
    assert act(env, "close_task", "T3", "L2")["rewards"]["invalid_action"] == -0.05
    assert act(env, "close_task", "T3", "L2")["rewards"]["closed_in_time"] == 1.0


def test_a_deadline_can_be_put_off_once() -> None:
    """Two steps more, once a task."""
    env = office("it_incident")
    before = ticket(env.observation, "T5")["sla_left"]
    assert ticket(act(env, "defer", "T5"), "T5")["sla_left"] == before + 2 - 1
    assert act(env, "defer", "T5")["rewards"]["invalid_action"] == -0.05


def test_a_deadline_that_passes_is_a_breach_once() -> None:
    """-0.3 when it passes, 0.3 for closing late instead of 1."""
    env = office("it_incident")
    while not env.done:
        act(env, "defer")
    assert env.summary().signals["sla_breach"] == pytest.approx(-0.3 * 5)


# --- chaos --------------------------------------------------------------------------------------------------------


def test_the_odds_are_the_prototypes_on_medium() -> None:
    """Dropout 12 %, spike 8 %, noise 10 %; less on easy, more on hard."""
    assert ODDS[Difficulty.MEDIUM] == Odds(0.12, 0.08, 0.10)
    for low, high in ((Difficulty.EASY, Difficulty.MEDIUM), (Difficulty.MEDIUM, Difficulty.HARD)):
        for event in ("dropout", "spike", "noise"):
            assert getattr(ODDS[low], event) < getattr(ODDS[high], event)


def test_somebody_who_drops_out_is_seen_to_be_away() -> None:
    """The work in hand returns to pending, the person is away, and no message says why."""
    env = EnterpriseWorkflowEnv("sales_pipeline", "easy", 0, odds=Odds(1.0, 0.0, 0.0))
    env.reset()
    view = act(env, "assign_task", "T1")
    assert env.events == (f"dropout {ticket(view, 'T1')['owner']}",)
    assert "is away" in ticket(view, "T1")["blocked"]
    assert len(view["inbox"]) == 1
    assert ticket(act(env, "re_route", "T1"), "T1")["blocked"] == ""


def test_a_spike_cuts_two_steps_and_writes_a_message() -> None:
    """A message from above, and a deadline that is two steps nearer than the clock explains."""
    env = EnterpriseWorkflowEnv("sales_pipeline", "easy", 0, odds=Odds(0.0, 1.0, 0.0))
    before = {each["id"]: each["sla_left"] for each in env.reset()["tasks"]}
    view = act(env, "defer")
    message = view["inbox"][-1]
    assert message["from"] == "Head of department"
    assert ticket(view, message["about"])["sla_left"] == before[message["about"]] - 1 - 2


def test_noise_means_nothing() -> None:
    """A message more, and nothing else."""
    env = EnterpriseWorkflowEnv("sales_pipeline", "easy", 0, odds=Odds(0.0, 0.0, 1.0))
    env.reset()
    calm = office()
    loud, quiet = act(env, "assign_task"), act(calm, "assign_task")
    assert len(loud["inbox"]) == len(quiet["inbox"]) + 1
    assert loud["tasks"] == quiet["tasks"]


def test_chaos_does_not_depend_on_what_agents_do() -> None:
    """Noise falls on the same steps of two quite different plays of one seed."""
    courses = []
    for action in ("defer", "lookup_policy"):
        env = make_env("hr_escalation", "hard", 11)
        env.reset()
        noise = []
        for _ in range(25):
            env.step(action)
            noise.append("noise" in env.events)
        courses.append(noise)
    assert courses[0] == courses[1] and any(courses[0])


# --- reward -------------------------------------------------------------------------------------------------------


def test_openenv_yaml_declares_the_rubric_that_is_paid() -> None:
    """Five dimensions, their weights, and every signal with its value."""
    declared = yaml.safe_load((Path(workflow.__file__).parent / "openenv.yaml").read_text())["rubric"]
    assert declared == {
        dimension.value: {
            "weight": WEIGHTS[dimension],
            "signals": {name: signal.value for name, signal in SIGNALS.items() if signal.dimension is dimension},
        }
        for dimension in Dimension
    }
    assert sum(WEIGHTS.values()) == pytest.approx(1.0)


def test_the_reward_of_a_step_stays_in_its_declared_range() -> None:
    """Also the worst step that can be made of signals of one step."""
    declared = yaml.safe_load((Path(workflow.__file__).parent / "openenv.yaml").read_text())["validation"]["reward"][
        "range"
    ]
    worst = min(
        step.reward for name in WORKFLOW for seed in range(3) for step in play(_Worst(), name, "hard", seed).steps
    )  # fmt: skip
    assert declared[0] <= worst and declared[1] >= 1.0 + 1.0 + 0.2 + 0.05 - 0.01


class _Worst:
    name = "worst"

    def reset(self, seed: int) -> None: ...

    def act(self, observation: dict[str, Any]) -> object:
        return {"action": "close_task", "task": "T9", "agent_id": "x", "reason": "blocked by the schema, deadline"}


def test_the_five_failure_modes_are_all_counted_by_some_signal() -> None:
    """Stale field, loop, invalid action, defer spiral, authority breach; and only what costs is a failure."""
    assert {signal.failure for signal in SIGNALS.values() if signal.failure} == set(FAILURES)
    assert all(signal.value < 0 for signal in SIGNALS.values() if signal.failure)


def test_starting_a_task_again_pays_nothing() -> None:
    """Work that is lost and begun again is not paid twice, so that chaos cannot be farmed."""
    env = EnterpriseWorkflowEnv("sales_pipeline", "easy", 0, odds=Odds(1.0, 0.0, 0.0))
    env.reset()
    started = 0
    while not env.done:
        choice = next_act(env.observation, open_tickets(env.observation)[0]) or {"action": "defer"}
        view, _, _, _ = env.step({"action": "defer"} if choice["action"] == "close_task" else choice)
        started += "task_started" in view["rewards"]
    assert started <= len(env.observation["tasks"])


# --- reasons ------------------------------------------------------------------------------------------------------


def test_naming_a_block_pays_once_while_removing_it() -> None:
    """+0.05 for saying what is blocked while freeing it."""
    env = office()
    view = act(env, "reply_message", "T3", reason="T3 is blocked until Lena has her answer")
    assert view["rewards"]["reason_block"] == 0.05
    view = act(env, "assign_task", "T3", reason="T3 is blocked until Lena has her answer")
    assert "reason_block" not in view["rewards"]


def test_naming_a_schema_change_pays_once_while_coping_with_it() -> None:
    """+0.05 for naming the change; before there is one, it is false."""
    env = office()
    reason = "the schema of crm changed: contract_amount"
    assert act(env, "defer", reason=reason)["rewards"]["reason_false"] == -0.05
    act(env, "defer")
    act(env, "lookup_policy", "T3")
    paid = [act(env, "assign_task", task, field="contract_amount", reason=reason)["rewards"] for task in ("T1", "T2")]
    assert paid[0]["reason_schema"] == 0.05
    assert "reason_schema" not in paid[1]


def test_naming_a_deadline_pays_once_while_meeting_it() -> None:
    """+0.03 for the task whose deadline is near, and nothing for one whose is not."""
    env = office("it_incident")
    assert act(env, "assign_task", "T1", reason="the deadline of T1 is near")["rewards"].get("reason_sla") is None
    while env.observation["tasks"][0]["sla_left"] > 3:
        act(env, "defer")
    view = act(env, "close_task", "T1", "L2", reason="the deadline of T1 is near")
    assert view["rewards"]["reason_sla"] == 0.03


@pytest.mark.parametrize(
    "reason",
    [
        "blocked schema SLA T3",
        "T1 T2 T3 T4 T5 are blocked",
        "T3",
        "blocked",
        "T30 is blocked",
        "T3 is not blocked",
        "unblocked T3 now",
    ],
)
def test_a_list_or_half_a_reason_names_nothing(reason: str) -> None:
    """Every family of words at once, every task at once, a subject without a claim, a claim without a subject."""
    env = office()
    assert "reason_block" not in act(env, "reply_message", "T3", reason=reason)["rewards"]


def test_words_without_the_act_pay_nothing() -> None:
    """The situation must hold and the act must meet it."""
    env = office()
    view = act(env, "assign_task", "T1", reason="T3 is blocked until Lena has her answer")
    assert not any(name.startswith("reason") for name in view["rewards"])


def test_the_reasons_of_an_episode_are_bounded_by_its_events() -> None:
    """Nobody can earn more by talking than the episode has events."""
    for name in WORKFLOW:
        episode = play(AdaptivePolicy(), name, "hard", 4).episode
        earned = sum(value for signal, value in episode.signals.items() if signal.startswith("reason"))
        assert 0 < earned <= 0.13 * episode.tasks + 0.05 * 2


def test_actions_are_told_in_the_view() -> None:
    """An agent learns from the view what it can do and who may."""
    view = office().observation
    assert view["actions"] == [action.label for action in Action]
    assert set(view["actions"]) - set(view["roles"]["L1"]) == {"escalate", "close_task"}
    json.dumps(view)

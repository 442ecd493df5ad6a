"""Drift: real mutations of real specifications, judged by the engine, met through real requests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from guardian.learn.workflow import WORKFLOW, make_env
from guardian.learn.workflow.curriculum import held_out_seeds
from guardian.learn.workflow.drift import KINDS, Shipment, desk_manifest, plan_drifts, ship
from guardian.learn.workflow.office import open_office
from guardian.learn.workflow.policies import AdaptivePolicy, GreedyPolicy
from guardian.learn.workflow.requests import would_break
from guardian.learn.workflow.scenarios import SCENARIOS, Difficulty
from guardian.learn.workflow.systems import first_version
from guardian.learn.workflow.transcripts import play
from guardian.model import Impact, Severity

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures" / "workflow"
SEEDS = range(8)


@pytest.mark.parametrize("level", list(Difficulty))
def test_sales_loses_deal_value_on_the_third_step(level: Difficulty) -> None:
    """At step 3, on every difficulty and seed, ``deal_value`` becomes ``contract_amount``, and nobody says so."""
    for seed in SEEDS:
        env = make_env("sales_pipeline", level.value, seed)
        view = env.reset()
        for number in range(1, 4):
            assert "contract_amount" not in json.dumps(view)
            view, *_ = env.step("defer")
            assert any("deal_value to contract_amount" in event for event in env.events) == (number == 3)
        assert "contract_amount" in view["screen"]["record"] and "deal_value" not in view["screen"]["record"]
        assert "deal_value" in view["handbook"]["reads"]
        assert not any("amount" in message["text"] for message in view["inbox"])


def test_the_engine_calls_it_breaking_and_names_the_desk() -> None:
    """The truth is the gate's: property-removed, renamed, breaking, and the desk that reads it is broken."""
    version, paths = ship("sales_pipeline", "crm", (Shipment((), 0, ("deal_value", "contract_amount")),))
    assert paths == {"/deals/{id}"}
    removed = [
        change for change in version.changes if change.rule == "property-removed" and change.field == "deal_value"
    ]
    assert {change.severity for change in removed} == {Severity.BREAKING}
    assert "contract_amount" in {change.renamed_to for change in removed}
    hits = {hit.consumer for change in removed for hit in change.consumers if hit.impact is Impact.BROKEN}
    assert hits == {"sales-pipeline-desk"}


@pytest.mark.parametrize("name", WORKFLOW)
def test_graph_and_requests_agree(name: str) -> None:
    """A resource that no breaking change hits can be worked on as before; one that the graph calls broken fails for some
    task of the desk, by the answers of the system itself.
    """
    scenario = SCENARIOS[name]
    for level in Difficulty:
        for seed in SEEDS:
            drifts = plan_drifts(scenario, level, seed)
            for drift in drifts[:1]:  # against the first version: later ones come on top
                office = open_office(scenario, Difficulty.HARD, seed, [])
                office.systems[drift.service].ship(drift.version)
                failing = {
                    task.plan.path
                    for task in office.tasks.values()
                    if task.plan.service == drift.service and would_break(office, task, first_version(drift.service))
                }
                assert failing == drift.paths, drift.version.operator


@pytest.mark.parametrize("name", WORKFLOW)
def test_whoever_is_up_to_date_gets_through(name: str) -> None:
    """After every drift a client written against the version in production is accepted: no drift is a dead end."""
    scenario = SCENARIOS[name]
    for level in Difficulty:
        for seed in SEEDS:
            for drift in plan_drifts(scenario, level, seed):
                office = open_office(scenario, Difficulty.HARD, seed, [])
                office.systems[drift.service].ship(drift.version)
                tasks = [task for task in office.tasks.values() if task.plan.service == drift.service]
                assert not any(would_break(office, task, drift.version) for task in tasks), drift.version.operator


def test_harmless_changes_break_nobody() -> None:
    """A look-alike is a change, and no reason to adapt."""
    for variant in range(4):
        version, paths = ship("it_incident", "incidents", (Shipment(("harmless",), variant),))
        assert version.operator and not paths


def test_every_kind_can_be_made() -> None:
    """Each kind of drift finds a place in the people's specification."""
    made = {kind: ship("hr_escalation", "people", (Shipment((kind,), 1),))[0].operator for kind in KINDS}
    for kind, operator in made.items():
        assert operator.partition(":")[0] in KINDS[kind]


def test_scenarios_drift_differently() -> None:
    """Elsewhere, later, twice or not at all: blind adapting cannot be right everywhere."""
    counts = {
        (name, level): {len(plan_drifts(scenario, level, seed)) for seed in range(20)}
        for name, scenario in SCENARIOS.items()
        for level in Difficulty
    }
    assert counts["customer_refund", Difficulty.EASY] == {0}
    assert counts["sales_pipeline", Difficulty.EASY] == {1}
    assert counts["it_incident", Difficulty.HARD] == {2}
    assert counts["supply_chain", Difficulty.MEDIUM] == {0, 1, 2}
    steps = {
        drift.step for seed in range(20) for drift in plan_drifts(SCENARIOS["hr_escalation"], Difficulty.EASY, seed)
    }
    assert min(steps) > 3 and len(steps) > 1


def test_the_stale_name_costs_until_the_agent_adapts() -> None:
    """-0.1 for each step that acts on ``deal_value``; naming the new field ends it, and the desk remembers."""
    env = make_env("sales_pipeline", "easy", 0)
    env.reset()
    for _ in range(3):
        env.step("defer")
    for _ in range(2):
        view, _, _, _ = env.step({"action": "assign_task", "task": "T1"})
        assert view["rewards"]["stale_field"] == -0.1
        assert "deal_value" in view["feedback"]
    view, _, _, _ = env.step({"action": "assign_task", "task": "T1", "field": "contract_amount"})
    assert view["rewards"].keys() == {"step", "task_started", "adapted"}
    view, _, _, _ = env.step({"action": "assign_task", "task": "T2"})
    assert "stale_field" not in view["rewards"] and view["answer"]["status"] == 200


def test_looking_it_up_costs_a_little_and_helps() -> None:
    """-0.02, and the handbook says what production says."""
    env = make_env("sales_pipeline", "easy", 0)
    env.reset()
    for _ in range(3):
        env.step("defer")
    view, _, _, _ = env.step({"action": "lookup_policy", "task": "T1"})
    assert view["rewards"]["lookup"] == -0.02
    assert "contract_amount" in view["handbook"]["reads"]
    view, _, _, _ = env.step({"action": "assign_task", "task": "T1"})
    assert "adapted" in view["rewards"]


def test_a_made_up_field_is_refused_by_the_specification() -> None:
    """The error answer is the JSON Schema judge's own sentence about the request that was really sent."""
    env = make_env("sales_pipeline", "easy", 0)
    env.reset()
    view, _, _, _ = env.step({"action": "assign_task", "task": "T1", "field": "payout"})
    assert view["rewards"]["schema_violation"] == -0.1
    assert view["answer"]["status"] == 422
    assert any("'payout' was unexpected" in error for error in view["answer"]["errors"])
    assert any('"deal_value" is a required property' in error for error in view["answer"]["errors"])


def test_adapting_where_nothing_changed_costs() -> None:
    """On easy, refunds never change: looking up and guessing fields lowers reward and score."""
    env = make_env("customer_refund", "easy", 0)
    env.reset()
    env.step("lookup_policy")
    env.step({"action": "assign_task", "field": "amount"})
    while not env.done:
        env.step(adaptive_act(env))
    assert env.scores.dimensions["schema_adaptation"] == pytest.approx(0.5)  # type: ignore[index]


def adaptive_act(env: object) -> object:
    policy = AdaptivePolicy()
    policy.reset(0)
    return policy.act(env.observation)  # type: ignore[attr-defined]


def test_greedy_never_recovers_and_adaptive_always_does() -> None:
    """From never to consistent: the two ends of what learning can bring."""
    episodes = [(GreedyPolicy(), 0.0), (AdaptivePolicy(), 1.0)]
    for policy, share in episodes:
        played = [play(policy, "sales_pipeline", "medium", seed).episode for seed in SEEDS]
        assert (
            sum(each.recovered for each in played) == share * sum(each.drifts for each in played) and played[0].drifts
        )


@pytest.mark.parametrize("name", WORKFLOW)
def test_the_fixtures_are_a_company_of_their_own(name: str) -> None:
    """The desk's manifest in fixtures/ says what the scenario's tasks do; guardian.yaml lists every service."""
    manifest = desk_manifest(name)
    written = yaml.safe_load((FIXTURES / "consumers" / f"{manifest['consumer']}.yaml").read_text())
    assert written == manifest
    services = yaml.safe_load((FIXTURES / "guardian.yaml").read_text())["services"]
    assert set(SCENARIOS[name].services) <= set(services)
    assert {path.stem for path in FIXTURES.glob("*.yaml")} == {*services, "guardian"}


def test_evaluation_ships_what_training_never_shows() -> None:
    """Some hundred training episodes show every change that they ever could, and none of those is met when evaluated."""

    def shipped(seeds: range) -> set[tuple[str, str, str]]:
        return {
            (name, drift.service, drift.version.operator.partition(": ")[2])
            for name, scenario in SCENARIOS.items()
            for level in Difficulty
            for seed in seeds
            for drift in plan_drifts(scenario, level, seed)
            if "deal_value to contract_amount" not in drift.version.operator  # sales always begins with this one
        }

    training, evaluation = shipped(range(100)), shipped(held_out_seeds(40, 0))
    assert len(training) > 60 and len(evaluation) > 20
    assert not training & evaluation

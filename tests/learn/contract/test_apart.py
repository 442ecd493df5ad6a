"""In a user's own company evaluation plays none of training's scenarios, or says how many it could not keep apart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from guardian.errors import UsageError
from guardian.learn import apart, evaluate
from guardian.learn.apart import HELD_OUT, TRAIN, ApartScenarios, scenarios_of
from guardian.learn.contract.environment import Scenarios
from guardian.learn.contract.scenarios import Scenario

TASK = "propose_backward_compat_fix"

_SPEC = """\
openapi: 3.0.3
info: {title: Users, version: 1.2.0}
paths:
  /users/{id}:
    get:
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses:
        "200":
          description: ok
          content:
            application/json:
              schema: {$ref: "#/components/schemas/User"}
components:
  schemas:
    User:
      type: object
      required: [id, mail, age]
      properties:
        id: {type: string}
        mail: {type: string, description: The address}
        age: {type: integer, description: age in years}
"""


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    """A company of one service, of which there is little to make."""
    (tmp_path / "users.yaml").write_text(_SPEC)
    for name, reads in (("billing", ", reads: [id, mail]"), ("crm", "")):
        use = f'{{service: users, operation: "GET /users/{{id}}"{reads}}}'
        (tmp_path / f"{name}.consumer.yaml").write_text(f"consumer: {name}\nuses: [{use}]\n")
    file = tmp_path / "guardian.yaml"
    file.write_text('services: {users: {spec: users.yaml}}\nconsumers: ["*.consumer.yaml"]\n')
    return file


def _shown(scenario: Scenario) -> str:
    return json.dumps([scenario.api_spec, scenario.payload, scenario.consumer_specs], sort_keys=True)


def test_no_held_out_scenario_is_one_of_training_s(graph: Path) -> None:
    """Seeds alone would share most of them."""
    train, held_out, plain = ApartScenarios(graph, TRAIN), ApartScenarios(graph, HELD_OUT), Scenarios(graph=graph)
    seeds = [evaluate.episode_seed(0, index) for index in range(8)]
    trained = {_shown(train.scenario(TASK, seed, "easy")) for seed in range(24)}
    usual = {_shown(plain.scenario(TASK, seed, "easy")) for seed in range(24)}
    assert any(_shown(plain.scenario(TASK, seed, "easy")) in usual for seed in seeds)
    assert not any(_shown(held_out.scenario(TASK, seed, "easy")) in trained for seed in seeds)
    assert not any(held_out.in_training(TASK, seed, "easy") for seed in seeds)
    assert all(train.in_training(TASK, seed, "easy") for seed in range(3))
    again = ApartScenarios(graph, HELD_OUT)
    assert [_shown(again.scenario(TASK, seed, "easy")) for seed in seeds[:3]] == [
        _shown(held_out.scenario(TASK, seed, "easy")) for seed in seeds[:3]
    ]


@pytest.mark.parametrize("part", [TRAIN, HELD_OUT])
def test_what_cannot_be_kept_apart_is_counted_and_said(
    part: str, graph: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where all scenarios belong to one of both: in scores.json and .md, in run.json, and to whoever asked."""
    monkeypatch.setattr(apart, "_part", lambda scenario: part)
    monkeypatch.setattr(apart, "_RESERVE", 4)
    monkeypatch.setattr(evaluate, "_SCENARIOS", {})
    run = evaluate.Run("contract", "rules", (TASK,), 3, difficulty="easy", graph=str(graph))
    told: list[str] = []
    scores = evaluate.evaluate(run, tmp_path / "out", tell=told.append)
    assert scores["in_training"] == scores["tasks"][TASK]["in_training"] == 3
    assert json.loads((tmp_path / "out/run.json").read_text())["in_training"] == 3
    assert told == [
        f"3 of 3 episodes may be among those that training in this company plays (3 of 3 of {TASK}): they are not held out"
    ]
    assert told[0] in (tmp_path / "out/scores.md").read_text()
    told.clear()
    assert evaluate.evaluate(run, tmp_path / "out", tell=told.append) == scores
    assert len(told) == 2


def test_another_company_under_the_same_path_is_another_run(graph: Path, tmp_path: Path) -> None:
    """The specifications decide the episodes."""
    run = evaluate.Run("contract", "rules", (TASK,), 1, graph=str(graph))
    evaluate.evaluate(run, tmp_path / "out")
    assert json.loads((tmp_path / "out/run.json").read_text())["in_training"] == 0
    spec = graph.with_name("users.yaml")
    spec.write_text(spec.read_text().replace("integer", "number"))
    evaluate._SCENARIOS.clear()
    with pytest.raises(UsageError, match="its company is"):
        evaluate.evaluate(run, tmp_path / "out")


def test_generated_companies_are_as_they_were() -> None:
    """Nobody's company is parted: their vocabularies are."""
    assert type(scenarios_of(None, HELD_OUT)) is Scenarios


def test_a_task_without_material_is_told_at_once(graph: Path, tmp_path: Path) -> None:
    """Before an episode is played, with the tasks that remain."""
    run = evaluate.Run("contract", "rules", (TASK, "find_type_mismatches"), 1, graph=str(graph))
    with pytest.raises(UsageError, match="nothing to make find_type_mismatches of") as told:
        evaluate.evaluate(run, tmp_path / "out")
    assert told.value.hint == f"--tasks {TASK}"
    assert not (tmp_path / "out").exists()


def test_a_company_without_operations_has_one_task(graph: Path, tmp_path: Path) -> None:
    """Nothing that could be asked for access, among others."""
    from guardian.learn.contract.tasks import TASKS

    graph.with_name("users.yaml").write_text('openapi: 3.0.3\ninfo: {title: Users, version: "1"}\npaths: {}\n')
    with pytest.raises(UsageError, match=r"nothing to make .*validate_auth_request") as told:
        evaluate.evaluate(evaluate.Run("contract", "rules", tuple(TASKS), 1, graph=str(graph)), tmp_path / "out")
    assert told.value.hint == "--tasks validate_cross_field_constraints"


def test_a_parameter_without_a_name_is_left_alone(graph: Path) -> None:
    """It is no parameter, and nothing can become of it."""
    spec = graph.with_name("users.yaml")
    spec.write_text(spec.read_text().replace("parameters: [", "parameters: [{in: query, schema: {type: string}}, "))
    scenarios = ApartScenarios(graph, TRAIN)
    for seed in range(12):
        scenarios.scenario("detect_breaking_changes", seed, "easy")

"""``guardian usage`` and ``guardian graph``: questions from the command line, and the forms of their answers."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Guardian

USERS = """openapi: 3.1.0
info: {title: Users, version: '1'}
paths:
  /users/{id}:
    get:
      responses:
        '200':
          description: ok
          content:
            application/json:
              schema:
                type: object
                properties:
                  id: {type: string}
                  email: {type: string}
                  nickname: {type: string, deprecated: true, x-sunset: '2027-01-31'}
    delete: {responses: {'204': {description: gone}}}
"""
BILLING = """consumer: billing
owner: team-billing
uses:
  - service: users
    operation: GET /users/{id}
    reads: [email, nickname]
    sends: []
"""


@pytest.fixture
def world(tmp_path: Path) -> Path:
    (tmp_path / "users.yaml").write_text(USERS)
    (tmp_path / "guardian.yaml").write_text(
        "services: {users: {spec: users.yaml, owner: team-users}}\nconsumers: ['consumers/*.yaml']\n"
    )
    (tmp_path / "consumers").mkdir()
    (tmp_path / "consumers/billing.yaml").write_text(BILLING)
    return tmp_path


def answers(guardian: Guardian, *args: str) -> list[dict[str, object]]:
    outcome = guardian("usage", "--format", "json", *args)
    assert outcome.code == 0, outcome.err
    return json.loads(outcome.out)["answers"]  # type: ignore[no-any-return]


def test_a_field_names_its_consumers_with_owner_and_line(guardian: Guardian, world: Path) -> None:
    """In every form the answer says who, whose, how, and where that is declared."""
    (answer,) = answers(guardian, "--field", "GET /users/{id}#email")
    (user,) = answer["consumers"]  # type: ignore[misc]
    assert (user["consumer"], user["owner"], user["how"], user["certain"]) == ("billing", "team-billing", "reads", True)
    assert user["manifest"] == {"file": "consumers/billing.yaml", "line": 6, "pointer": "/uses/0/reads/0"}
    text = guardian("usage", "--field", "email").out
    assert "billing (team-billing)  declared  consumers/billing.yaml:6" in text
    assert "**billing** (team-billing)" in guardian("usage", "--field", "email", "--format", "markdown").out


def test_questions_can_be_asked_together(guardian: Guardian, world: Path) -> None:
    """Each has its own kind of answer."""
    found = answers(guardian, "--unused", "--deprecated", "--not-called", "30", "--as-of", "2027-01-01")
    assert {(each["kind"], each["operation"], each["field"]) for each in found} == {
        ("unused-operation", "DELETE /users/{id}", ""),
        ("unused-field", "GET /users/{id}", "id"),
        ("deprecated", "GET /users/{id}", "nickname"),
        ("not-known", "", ""),
    }
    (going,) = [each for each in found if each["kind"] == "deprecated"]
    assert (going["sunset"], going["days_left"], going["place"]["line"]) == ("2027-01-31", 30, 16)  # type: ignore[index]


def test_drift_fails_only_when_asked_to(guardian: Guardian, world: Path) -> None:
    """A question is answered with exit code 0; --fail-on-drift makes a gate of it."""
    assert guardian("usage", "--drift", "--fail-on-drift").code == 0
    (world / "consumers/billing.yaml").write_text(BILLING.replace("email", "emial"))
    assert guardian("usage", "--drift").code == 0
    outcome = guardian("usage", "--drift", "--fail-on-drift")
    assert (outcome.code, "the nearest is email" in outcome.out) == (1, True)
    assert guardian("usage", "--fail-on-drift").code == 2


def test_what_is_not_there_is_wrong_usage(guardian: Guardian, world: Path) -> None:
    """A misspelt field, operation or service is told with what is close to it."""
    for args, close in (
        (("--field", "GET /users/{id}#emial"), "email"),
        (("--operation", "GET /user/{id}"), "GET /users/{id}"),
        (("--service", "user"), "users"),
        (("--not-called", "0"), ""),
    ):
        outcome = guardian("usage", *args)
        assert (outcome.code, close in outcome.err) == (2, True), outcome.err


def test_a_broken_specification_is_not_silence(guardian: Guardian, world: Path) -> None:
    """What cannot be read is exit code 3, never an empty answer."""
    (world / "users.yaml").write_text("openapi: 3.1.0\npaths: [")
    assert guardian("usage", "--unused").code == 3


def test_without_declarations_the_answer_says_so(guardian: Guardian, world: Path) -> None:
    """An empty world is an answer, with a remark on how to fill it."""
    outcome = guardian("usage", "--consumers", "none/*.yaml")
    assert outcome.code == 0
    assert "no consumers are declared" in outcome.err


def test_hostile_text_is_shown_and_not_obeyed(guardian: Guardian, world: Path) -> None:
    """Names out of manifests cannot move a cursor or command a CI system."""
    evil = BILLING.replace("consumer: billing", 'consumer: "e\\e[31m ##[error]x <b> | *"')
    (world / "consumers/billing.yaml").write_text(evil)
    for args in (("usage",), ("usage", "--format", "json"), ("usage", "--format", "markdown"), ("graph",)):
        out = guardian(*args).out
        assert "\x1b" not in out
    for form in ("mermaid", "dot", "svg", "html", "json"):
        assert "\x1b" not in guardian("graph", "--format", form).out


# --- graph --------------------------------------------------------------------------------------------------------


def test_the_graph_is_a_tree_by_default(guardian: Guardian, world: Path) -> None:
    """Services with their owners, consumers below."""
    assert guardian("graph").out == "users  team-users\n└── billing  team-billing\n"


def test_changed_and_broken_are_marked(guardian: Guardian, world: Path) -> None:
    """With --base what changed and who breaks is marked, and findings fail nothing."""
    old = world / "old"
    old.mkdir()
    (old / "users.yaml").write_text(USERS)
    new = world / "new"
    new.mkdir()
    (new / "users.yaml").write_text(USERS.replace("email:", "mail:"))
    sides = ("--base", "old", "--head", "new")
    outcome = guardian("graph", *sides)
    assert outcome.code == 0, outcome.err
    assert re.fullmatch(r"users(  team-users)?  changed\n└── billing(  team-billing)?  broken\n", outcome.out)
    data = json.loads(guardian("graph", *sides, "--format", "json").out)
    assert [(node["name"], node["changed"], node["impact"]) for node in data["nodes"]] == [
        ("billing", False, "broken"),
        ("users", True, "safe"),
    ]
    assert 'class="node changed"' in guardian("graph", *sides, "--format", "svg").out
    assert 'class="edge broken"' in guardian("graph", *sides, "--format", "html").out


def test_focus_takes_a_part(guardian: Guardian, world: Path) -> None:
    """By name; a name that nothing has is wrong usage."""
    (world / "consumers/web.yaml").write_text("consumer: web\nuses: [{service: orders, operation: GET /orders}]\n")
    assert "web" not in guardian("graph", "--focus", "users").out
    outcome = guardian("graph", "--focus", "user")
    assert (outcome.code, "did you mean users" in outcome.err) == (2, True)
    assert guardian("graph", "--depth", "1").code == 2

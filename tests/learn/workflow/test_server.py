"""The server: stateful over HTTP, sessions over WebSocket, never a 500."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

pytest.importorskip("openenv")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

from fastapi.testclient import TestClient  # noqa: E402

from guardian.learn.workflow.curriculum import HELD_OUT  # noqa: E402
from guardian.learn.workflow.environment import EnterpriseWorkflowEnv  # noqa: E402
from guardian.learn.workflow.openenv import WorkflowAction, WorkflowEnvironment  # noqa: E402
from guardian.learn.workflow.policies import AdaptivePolicy, RandomPolicy  # noqa: E402
from guardian.learn.workflow.rubric import Dimension  # noqa: E402
from guardian.learn.workflow.server import MAX_BODY, create_workflow_app  # noqa: E402
from guardian.learn.workflow.transcripts import play  # noqa: E402
from tests.learn.hostile import HALF, nested  # noqa: E402


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(create_workflow_app(max_sessions=40), raise_server_exceptions=False) as found:
        yield found


def test_an_episode_lives_under_its_id(client: TestClient) -> None:
    """Reset, steps and state over plain HTTP are the episode that plays in process."""
    opened = client.post("/reset", json={"task_name": "it_incident", "difficulty": "hard", "seed": 4}).json()
    assert opened.keys() == {"observation", "reward", "done", "episode_id"}
    env = EnterpriseWorkflowEnv("it_incident", "hard", 4)
    assert opened["observation"] == env.reset()
    policy = AdaptivePolicy()
    policy.reset(4)
    answer: dict[str, Any] = opened
    while not answer["done"]:
        action = policy.act(answer["observation"])
        answer = client.post("/step", json={"action": action, "episode_id": opened["episode_id"]}).json()
        view, reward, done, _ = env.step(action)
        assert (answer["observation"], answer["reward"], answer["done"]) == (view, reward, done)
    assert answer["episode"] == env.summary().as_dict()
    state = client.get("/state", params={"episode_id": opened["episode_id"]}).json()
    assert state["total_reward"] == env.summary().reward
    assert state["referee"] == list(env.referee_log)
    over = client.post("/step", json={"action": 0, "episode_id": opened["episode_id"]})
    assert (over.status_code, over.json()["detail"]) == (409, "the episode is over; POST /reset opens another")


def test_an_agent_may_be_named_beside_the_action(client: TestClient) -> None:
    """As in process; what is no text is refused, and the episode goes on."""
    episode = client.post("/reset", json={"seed": 0}).json()["episode_id"]
    for agent, status in ((["L2"], 422), ("L2", 200)):
        answer = client.post("/step", json={"action": 1, "agent_id": agent, "episode_id": episode})
        assert answer.status_code == status
    assert answer.json()["ruling"]["agent"] == "L2" and answer.json()["ruling"]["allowed"]


def test_the_score_is_known_once_the_episode_is_over(client: TestClient) -> None:
    """Over a WebSocket too, where ``state`` is all that can be asked."""
    env, policy = EnterpriseWorkflowEnv("it_incident", "easy", 3), AdaptivePolicy()
    policy.reset(3)
    env.reset()
    with client.websocket_connect("/ws") as socket:

        def said(message: dict[str, Any]) -> Any:
            socket.send_json(message)
            return socket.receive_json()["data"]

        said({"type": "reset", "data": {"task_name": "it_incident", "seed": 3}})
        assert said({"type": "state"})["score"] is None
        while not env.done:
            action = policy.act(env.observation)
            env.step(action)
            said({"type": "step", "data": action})
        assert said({"type": "state"})["score"] == env.summary().score


def test_a_session_without_a_seed_keeps_away_from_evaluation() -> None:
    """Whoever trains over a WebSocket and names no seed plays none that evaluation plays."""
    served = WorkflowEnvironment()
    for _ in range(20):
        served.reset()
        assert 0 <= served._env.seed < HELD_OUT


def test_an_unknown_episode_is_a_404_with_a_sentence(client: TestClient) -> None:
    """For steps and for state, with any kind of id."""
    for episode in ("nope", 7, None, ["x"]):
        answer = client.post("/step", json={"action": 0, "episode_id": episode})
        assert answer.status_code == 404 and "no such episode" in answer.json()["detail"]
    assert client.get("/state").status_code == 404


def test_a_malformed_action_is_graded(client: TestClient) -> None:
    """-0.2, whatever it is."""
    episode = client.post("/reset", json={}).json()["episode_id"]
    for action in (None, [], {}, {"action": 77}, "x", {"action": 3, "override": True}, {"action": {"a": [1]}}, 1.5):
        answer = client.post("/step", json={"action": action, "episode_id": episode})
        assert answer.status_code == 200
        assert answer.json()["observation"]["rewards"]["malformed"] == -0.2


@pytest.mark.parametrize("path", ["/reset", "/step", "/simulate"])
@pytest.mark.parametrize(
    "body", [b"[", b"[]", b"7", b"\xff\xfe", b"{" + b'"a":[' * 5000, b"x" * (MAX_BODY + 1), b'{"seed": 1e400}']
)
def test_a_body_that_cannot_be_read_is_refused_with_a_sentence(client: TestClient, path: str, body: bytes) -> None:
    """A status below 500, in words."""
    answer = client.post(path, content=body)
    assert 400 <= answer.status_code < 500
    assert isinstance(answer.json()["detail"], str)


@pytest.mark.parametrize(
    "body",
    [
        {"task_name": "x"}, {"task_name": 7}, {"difficulty": "x"}, {"seed": "1"}, {"seed": True}, {"seed": 10**30},
        {"task_name": HALF}, {"task_name": ["a"]}, {"difficulty": {"a": 1}}, {"x": nested(300)},
    ],
)  # fmt: skip
def test_a_wish_that_cannot_be_met_is_refused(client: TestClient, body: dict[str, Any]) -> None:
    """422 and what there is instead."""
    for path in ("/reset", "/simulate"):
        answer = client.post(path, content=json.dumps(body))
        assert (answer.status_code, type(answer.json()["detail"])) == (422, str)


@pytest.mark.parametrize("policy", ["model", ["a"], {"a": 1}, 5, HALF])
def test_simulate_knows_its_policies_by_name(client: TestClient, policy: Any) -> None:
    """Anything else is refused."""
    assert client.post("/simulate", content=json.dumps({"policy": policy})).status_code == 422


def test_half_a_character_in_an_action_is_refused(client: TestClient) -> None:
    """And the episode goes on."""
    episode = client.post("/reset", json={}).json()["episode_id"]
    for field in (HALF, "amount"):
        body = {"action": {"action": "assign_task", "field": field}, "episode_id": episode}
        answer = client.post("/step", content=json.dumps(body))
        assert answer.status_code == (422 if field == HALF else 200)


def test_seeds_over_websocket_are_those_of_http(client: TestClient) -> None:
    """Below zero too, what is none is refused in words, and without one it is another office each time."""

    def opened(socket: Any, data: dict[str, Any]) -> Any:
        socket.send_text(json.dumps({"type": "reset", "data": data}))
        return socket.receive_json()["data"]

    with client.websocket_connect("/ws") as socket:
        found = opened(socket, {"seed": -5})["observation"]["tasks"]
        assert found == client.post("/reset", json={"seed": -5}).json()["observation"]["tasks"]
        offices = {json.dumps(opened(socket, {})["observation"]["tasks"]) for _ in range(5)}
        assert len(offices) > 1
        for data, said in (
            ({"seed": "x"}, "seed must be a whole number"), ({"difficulty": ["a"]}, "difficulty must be a text"),
            ({"task_name": HALF}, "task_name must be a text"), ({"episode_id": 5}, "episode_id must be a text"),
        ):  # fmt: skip
            assert said in opened(socket, data)["message"]
        socket.send_text(json.dumps({"type": "step", "data": {"action": "assign_task", "field": HALF}}))
        assert socket.receive_json()["data"]["observation"]["rewards"]["malformed"] == -0.2


def test_simulate_plays_a_whole_episode(client: TestClient) -> None:
    """By a named policy, with its trace: every step, what lay on the desk, and every ruling."""
    answer = client.post("/simulate", json={"policy": "adaptive", "task_name": "supply_chain", "seed": 5}).json()
    transcript = play(AdaptivePolicy(), "supply_chain", "easy", 5)
    assert answer["episode"] == transcript.episode.as_dict()
    assert [step["reward"] for step in answer["steps"]] == [step.reward for step in transcript.steps]
    assert answer["steps"][-1]["observation"]["done"] is True
    assert len(answer["referee"]) >= len(answer["steps"])
    assert "steps" not in client.post("/simulate", json={"trace": False}).json()
    assert client.post("/simulate", json={"policy": "model"}).status_code == 422


def test_old_episodes_make_room() -> None:
    """The one that was used least recently goes first."""
    with TestClient(create_workflow_app(max_sessions=2)) as client:
        ids = [client.post("/reset", json={"seed": seed}).json()["episode_id"] for seed in range(2)]
        client.get("/state", params={"episode_id": ids[0]})
        client.post("/reset", json={})
        found = [client.get("/state", params={"episode_id": each}).status_code for each in ids]
    assert found == [200, 404]


def test_sixteen_websocket_sessions_do_not_mix(client: TestClient) -> None:
    """Each is the episode of its own seed, step by step."""

    def session(seed: int) -> bool:
        env, policy = EnterpriseWorkflowEnv("hr_escalation", "hard", seed), RandomPolicy()
        policy.reset(seed)
        view = env.reset()
        with client.websocket_connect("/ws") as socket:
            socket.send_json(
                {"type": "reset", "data": {"task_name": "hr_escalation", "difficulty": "hard", "seed": seed}}
            )
            first = socket.receive_json()["data"]
            same = [first["observation"]["tasks"] == view["tasks"]]
            for _ in range(12):
                action = policy.act(view)
                view, reward, _, _ = env.step(action)
                socket.send_json({"type": "step", "data": action})
                answer = socket.receive_json()["data"]
                same.append(answer["observation"]["tasks"] == view["tasks"] and answer["reward"] == reward)
        return all(same)

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(session, range(16)))


def test_openenvs_own_routes_are_there(client: TestClient) -> None:
    """Health, schema and metadata as every OpenEnv server has them."""
    assert client.get("/health").json() == {"status": "healthy"}
    assert client.get("/schema").json().keys() >= {"action", "observation", "state"}
    assert client.get("/metadata").status_code == 200
    paths = client.get("/openapi.json").json()["paths"]
    assert {"/reset", "/step", "/state", "/simulate"} <= set(paths)


def test_the_rubric_pays_what_the_environment_pays() -> None:
    """OpenEnv's rubric of five named dimensions sums to the step's reward in process."""
    served, plain = WorkflowEnvironment(), EnterpriseWorkflowEnv("sales_pipeline", "medium", 2)
    served.reset(seed=2, task_name="sales_pipeline", difficulty="medium")
    plain.reset()
    policy = RandomPolicy()
    policy.reset(1)
    assert [name for name, _ in served.rubric.named_rubrics()] == [dimension.value for dimension in Dimension]
    while not plain.done:
        action = policy.act(plain.observation)
        view, reward, done, _ = plain.step(action)
        found = served.step(WorkflowAction(**action))  # type: ignore[arg-type]
        assert (found.reward, found.done, found.rewards) == (pytest.approx(reward), done, view["rewards"])
        parts = [rubric.last_score for _, rubric in served.rubric.named_rubrics()]
        assert sum(parts) == pytest.approx(reward)
    assert served.step(WorkflowAction(action=0)).reward == 0.0
    assert served.state.total_reward == plain.summary().reward


def test_a_step_before_the_first_reset_is_no_fault() -> None:
    """Plain OpenEnv HTTP steps an environment that nobody reset."""
    assert WorkflowEnvironment().step(WorkflowAction(action=0)).reward is not None


def test_the_page_is_served_with_a_policy(client: TestClient) -> None:
    """It loads nothing from anywhere else and cannot be framed."""
    answer = client.get("/")
    assert answer.headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "http://" not in answer.text.replace("http://www.w3.org/2000/svg", "") and "https://" not in answer.text
    assert "innerHTML" not in answer.text
    assert json.loads(client.get("/scenarios").text)["policies"] == ["random", "greedy", "adaptive"]

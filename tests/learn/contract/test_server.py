from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("openenv")
# openenv brings much along: its import alone takes seconds, and some of it warns.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

from fastapi.testclient import TestClient  # noqa: E402

from guardian.learn.contract import ContractEnv, Scenarios  # noqa: E402
from guardian.learn.contract.server import MAX_BODY, create_contract_app  # noqa: E402
from tests.chromium import Browser, in_chromium  # noqa: E402
from tests.learn.hostile import HALF, nested  # noqa: E402

DONE = {"action_type": "report_violation", "field_path": "DONE"}


@pytest.fixture(scope="module")
def client() -> TestClient:
    return TestClient(create_contract_app(max_sessions=20))


def test_an_episode_over_http(client: TestClient) -> None:
    """Reset opens an episode under its id, step and state know it, and the same seed gives what it gives in process."""
    opened = client.post("/reset", json={"task_name": "find_type_mismatches", "seed": 3}).json()
    assert set(opened) == {"observation", "reward", "done", "episode_id"}
    assert opened["observation"] == ContractEnv().reset("find_type_mismatches", 3).to_json()
    episode = opened["episode_id"]
    stepped = client.post("/step", json={"action": DONE, "episode_id": episode}).json()
    assert stepped["done"] is True
    state = client.get("/state", params={"episode_id": episode}).json()
    assert (state["done"], state["step_count"], state["score"]) == (True, 1, 0.0)
    assert client.post("/step", json={"action": DONE, "episode_id": episode}).status_code == 409


def test_health_and_schemas(client: TestClient) -> None:
    """What OpenEnv's clients ask for is there."""
    assert client.get("/health").json() == {"status": "healthy"}
    assert client.get("/schema").status_code == 200
    assert client.get("/metadata").status_code == 200
    assert len(client.get("/tasks").json()["tasks"]) == 9


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"task_name": "nothing"}, 422), ({"seed": "x"}, 422), ({"seed": 2**60}, 422), ({"difficulty": 3}, 422), ([1], 422),
        ({"difficulty": "odd"}, 422),
    ],
)  # fmt: skip
def test_refusals_are_sentences(client: TestClient, body: Any, status: int) -> None:
    """What cannot be answered is refused with a sentence, not a fault."""
    answer = client.post("/reset", json=body)
    assert answer.status_code == status
    assert answer.json()["detail"]


def test_unknown_episodes_and_large_bodies(client: TestClient) -> None:
    """An unknown episode is 404, a body that is too large 413, one that is no JSON 422."""
    assert client.post("/step", json={"action": DONE, "episode_id": "x"}).status_code == 404
    assert client.get("/state").status_code == 404
    assert client.post("/step", content=b"x" * (MAX_BODY + 1)).status_code == 413
    assert client.post("/step", content=b"{").status_code == 422


@pytest.mark.parametrize("action", [None, 3, "DONE", {}, {"action_type": "odd"}])
def test_malformed_actions_are_graded(client: TestClient, action: Any) -> None:
    """A malformed action costs 0.2."""
    episode = client.post("/reset", json={"task_name": "find_type_mismatches", "seed": 1}).json()["episode_id"]
    answer = client.post("/step", json={"action": action, "episode_id": episode})
    assert (answer.status_code, answer.json()["reward"]) == (200, -0.2)


@pytest.mark.parametrize(
    "body",
    [
        {"task_name": HALF}, {"task_name": ["a"]}, {"difficulty": {}}, {"seed": 1.0},
        {"action": {"action_type": "propose_fix", "fix_strategy": "consumer_patch", "spec_patch": {"consumers": {HALF: []}}}},
        {"action": {"spec_patch": {"json_patch": [{"op": "add", "path": f"/{HALF}/x", "value": 1}]}}},
        {"action": {"spec_patch": nested(300)}}, {"action": {"spec_patch": float("inf")}},
    ],
)  # fmt: skip
def test_what_cannot_be_sent_on_is_refused(client: TestClient, body: dict[str, Any]) -> None:
    """Half a character, endless depth, names that are none: a sentence that can be sent itself, and the episode goes on."""
    episode = client.post("/reset", json={"task_name": "propose_backward_compat_fix", "seed": 3}).json()["episode_id"]
    content = json.dumps({**body, "episode_id": episode})
    answer = client.post("/step" if "action" in body else "/reset", content=content)
    assert (answer.status_code, type(answer.json()["detail"])) == (422, str)
    assert client.post("/step", json={"action": DONE, "episode_id": episode}).status_code == 200


def test_seeds_over_websocket_are_those_of_http(client: TestClient) -> None:
    """Below zero too; and what is none is refused in the same words."""
    opened = client.post("/reset", json={"task_name": "find_type_mismatches", "seed": -5}).json()
    with client.websocket_connect("/ws") as socket:
        socket.send_json({"type": "reset", "data": {"task_name": "find_type_mismatches", "seed": -5}})
        assert socket.receive_json()["data"]["observation"]["payload"] == opened["observation"]["payload"]
        for data, said in (
            ({"seed": "x"}, "seed must be a whole number"), ({"task_name": ["a"]}, "task must be a text"),
            ({"task_name": HALF}, "task must be a text"), ({"episode_id": 5}, "episode_id must be a text"),
        ):  # fmt: skip
            socket.send_text(json.dumps({"type": "reset", "data": data}))
            assert said in socket.receive_json()["data"]["message"]
        socket.send_text(json.dumps({"type": "step", "data": {"action_type": HALF, "spec_patch": {HALF: 1}}}))
        assert socket.receive_json()["data"]["reward"] == -0.2


def test_the_number_of_episodes_is_limited(client: TestClient) -> None:
    """The episode that was used least recently makes room for a new one."""
    first = client.post("/reset", json={"task_name": "find_type_mismatches", "seed": 1}).json()["episode_id"]
    for _ in range(20):
        client.post("/reset", json={"task_name": "find_type_mismatches", "seed": 1})
    assert client.get("/state", params={"episode_id": first}).status_code == 404


def test_rubrics_are_the_signals() -> None:
    """The rubric has one named part for each signal, and its sum is the step's reward."""
    from guardian.learn.contract.openenv import ContractAction, ContractEnvironment
    from guardian.learn.contract.signals import Signal

    env = ContractEnvironment(Scenarios())
    env.reset(seed=1, task_name="find_type_mismatches")
    observation = env.step(
        ContractAction(action_type="report_violation", field_path="x", violation_type="type_mismatch")
    )
    named = {name.rpartition(".")[2]: rubric.last_score for name, rubric in env.rubric.named_rubrics()}
    assert {signal.value for signal in Signal} <= named.keys()
    assert named["false_positive"] == observation.reward == -0.3
    assert env.step(ContractAction(odd=1)).reward == -0.2


def test_gymnasium() -> None:
    """The registered environment plays an episode in gymnasium's form."""
    gymnasium = pytest.importorskip("gymnasium")
    from guardian.learn.contract.gym import register

    register()
    register()
    env = gymnasium.make("guardian/Contract-v0", task_name="find_type_mismatches", disable_env_checker=True)
    first, info = env.reset(seed=3)
    assert info["observation"].task_name == "find_type_mismatches"
    assert first == env.reset(seed=3)[0]
    _, reward, terminated, truncated, info = env.step('{"action_type": "report_violation", "field_path": "DONE"}')
    assert (reward, terminated, truncated, info["score"]) == (0.0, True, False, 0.0)


# -- a running server ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    import uvicorn

    server = uvicorn.Server(uvicorn.Config(create_contract_app(max_sessions=20), port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(timeout=20)


def test_parallel_sessions_are_not_mixed_up(address: str) -> None:
    """Sixteen WebSocket sessions at a time, each gets its own episodes' answers."""
    from concurrent.futures import ThreadPoolExecutor

    from guardian.learn.contract.client import ContractAction, connect

    def session(number: int) -> list[float]:
        expected = ContractEnv(Scenarios())
        rewards = []
        with connect(address) as client:
            for seed in (number, number + 100):
                result = client.reset(task_name="find_type_mismatches", seed=seed)
                expected.reset("find_type_mismatches", seed)
                assert result.observation.payload == expected.reset("find_type_mismatches", seed).payload
                for action in expected.answers():
                    result = client.step(ContractAction(**action.to_json()))
                    rewards.append(result.reward)
                assert result.done
                assert client.state().score == 1.0
        return rewards

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(session, range(16))) == [[1.0, 1.0, 1.0, 1.0, 0.5] * 2] * 16


def test_openenv_validates(address: str) -> None:
    """`openenv validate` passes on the folder and on the running server."""
    import subprocess

    folder = Path(sys.modules["guardian.learn.contract"].__file__ or "").parent
    for arguments in (["--url", address], [str(folder), "--level", "static"]):
        command = [sys.executable, "-m", "openenv.cli", "validate", *arguments]
        run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        assert run.returncode == 0, run.stdout + run.stderr


@in_chromium
@pytest.mark.browser
def test_the_page_plays_an_episode(address: str, tmp_path: Path) -> None:
    """By hand in a browser: the difference and the graph are drawn, forms act, rewards come, nothing of a document is markup."""
    page = Browser(tmp_path / "profile")
    try:
        page.open(f"{address}/")
        page.until("document.querySelectorAll('#task option').length === 9")

        def begin(task: str) -> None:
            page.evaluate(
                f"document.getElementById('task').value = '{task}'; document.getElementById('start').requestSubmit()"
            )
            page.until(f"document.getElementById('name').textContent.startsWith('{task}')")

        env = ContractEnv(Scenarios())
        begin("find_type_mismatches")
        env.reset("find_type_mismatches", 7)
        for number, action in enumerate(env.answers()[:-1], 1):
            page.evaluate(
                f"document.getElementById('field').value = '{action.field_path}'; "
                f"document.getElementById('report').requestSubmit()"
            )
            page.until(f"document.querySelectorAll('#log li').length === {number}")
        assert page.evaluate("document.getElementById('total').textContent") == "4.00"
        page.evaluate("document.getElementById('done').click()")
        page.until("document.getElementById('log').textContent.includes('Score 1.00')")

        begin("trace_downstream_blast_radius")
        assert page.evaluate("document.querySelectorAll('#graph rect').length") > 5
        assert page.evaluate("document.querySelectorAll('#spec .add, #spec .del').length") > 0
        page.evaluate(
            "document.querySelector('#names input').click(); document.getElementById('trace').requestSubmit()"
        )
        page.until("document.querySelectorAll('#log li').length >= 1")

        begin("propose_backward_compat_fix")
        page.evaluate("document.getElementById('fix').requestSubmit()")
        page.until("document.querySelectorAll('#log li').length >= 1")
        page.picture(tmp_path / "page.png")
        assert page.errors == []
        begin("find_type_mismatches")
        wide = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        assert page.evaluate(wide), "the page scrolls sideways"
    finally:
        page.close()

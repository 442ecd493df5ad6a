"""A hosted repository, GitHub's API and a runner, all on this machine; see fixtures/forge."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from forge.api import FakeGitHub
from forge.remote import Remote
from forge.runner import Run, Runner

ROOT = Path(__file__).resolve().parents[2]

# Stands for guardian where only what surrounds it is looked at: notes how it was called, then does as it is told.
_STAND_IN = """#!{python} -P
import json, os, sys
from pathlib import Path
orders = json.loads(Path({orders!r}).read_text())
Path({called!r}).write_text(json.dumps({{"args": sys.argv[1:], "cwd": os.getcwd(), "environ": dict(os.environ)}}))
sys.stdout.write(orders["stdout"])
sys.stderr.write(orders["stderr"])
for arg in sys.argv:
    if arg.startswith("--report="):
        name, file = arg.removeprefix("--report=").split("=", 1)
        if name in orders["reports"]:
            Path(file).write_text(orders["reports"][name], encoding="utf-8")
sys.exit(orders["code"])
"""


@pytest.fixture
def github() -> Iterator[FakeGitHub]:
    """GitHub's API for pull request 7 of fjellhus/company."""
    with FakeGitHub() as api:
        yield api


class Job:
    """A job with a checkout, whose token may write comments unless told otherwise."""

    def __init__(self, folder: Path, api: FakeGitHub) -> None:
        self.folder = folder
        self.api = api
        self.token = "ghs_write"
        self.path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        self.environ: dict[str, str] = {}

    def runner(self, workspace: Path) -> Runner:
        return Runner(
            action=ROOT,
            workspace=workspace,
            temp=self.folder / "temp",
            api=self.api.url,
            token=self.token,
            path=self.path,
            environ=self.environ,
        )

    def run(self, workspace: Path, event: str, payload: Mapping[str, Any], inputs: Any = None, **github: str) -> Run:
        """Run action.yml; with the guardian that is tested here unless ``version`` says otherwise."""
        given = {"version": "installed", **(inputs or {})}
        return self.runner(workspace).run(event, payload, given, **github)


class StandIn:
    """Puts another ``guardian`` on a job's PATH, and tells how it was called."""

    def __init__(self, job: Job) -> None:
        self._orders, self._called = job.folder / "orders.json", job.folder / "called.json"
        self.orders: dict[str, Any] = {"code": 0, "stdout": "", "stderr": "", "reports": {}}
        self.answer("pass")
        command = job.folder / "bin" / "guardian"
        command.parent.mkdir()
        text = _STAND_IN.format(python=sys.executable, orders=str(self._orders), called=str(self._called))
        command.write_text(text, encoding="utf-8")
        command.chmod(0o755)
        job.path = f"{command.parent}{os.pathsep}{job.path}"

    def answer(self, verdict: str, code: int = 0, *, markdown: str = "## a report\n", broken: Any = ()) -> None:
        summary = {"breaking": int(verdict == "fail"), "warnings": 0, "accepted": 0, "consumers_broken": list(broken)}
        reports = {"json": json.dumps({"verdict": verdict, "summary": summary}), "markdown": markdown, "github": ""}
        self.order(code=code, reports=reports)

    def order(self, **orders: Any) -> None:
        self.orders |= orders
        self._orders.write_text(json.dumps(self.orders))

    @property
    def called(self) -> Any:
        return json.loads(self._called.read_text())

    @property
    def flags(self) -> list[str]:
        """The flags of the call that are not about reports."""
        args = self.called["args"]
        assert args[0] == "check"
        return [arg for arg in args[1:] if not arg.startswith(("--report", "--format", "--no-color"))]


@pytest.fixture
def job(tmp_path: Path, github: FakeGitHub) -> Job:
    return Job(tmp_path, github)


@pytest.fixture
def stand_in(job: Job) -> StandIn:
    return StandIn(job)


@pytest.fixture(scope="session")
def hosted(tmp_path_factory: pytest.TempPathFactory) -> Remote:
    return Remote.of_change("friday-rename", tmp_path_factory.mktemp("hosted"))


@pytest.fixture
def remote(hosted: Remote, tmp_path: Path) -> Remote:
    """The company, hosted, with Friday's rename on a branch."""
    return hosted.copied(tmp_path)


@pytest.fixture
def merge_checkout(remote: Remote, tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    """What actions/checkout makes of Friday's pull request, and the event's payload."""
    payload = remote.pull_request("friday-rename")
    return remote.checkout(tmp_path / "ws", "refs/pull/7/merge", "refs/remotes/pull/7/merge"), payload

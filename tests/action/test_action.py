"""action.yml from end to end: its own steps in bash, real repositories, a real server, guardian itself."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import apply
import pytest
import yaml
from forge.api import FakeGitHub
from forge.remote import Remote
from forge.runner import Run

ROOT = Path(__file__).resolve().parents[2]

EXCEPTION = """
- rule: property-removed
  service: users
  reason: agreed with everyone who reads it
  owner: team-identity
  approved_by: [team-billing, team-messaging, team-orders, team-insight]
  expires: 2999-12-31
"""


def run_pull_request(job: Any, remote: Remote, folder: Path, inputs: Any = None, **kinds: Any) -> Run:
    """Check out the pull request of the branch the desk is on, as its next run does it, and run the action."""
    payload = remote.pull_request(apply.git(remote.desk, "branch", "--show-current").strip(), **kinds)
    ws = remote.checkout(folder, "refs/pull/7/merge", "refs/remotes/pull/7/merge")
    merge = payload["pull_request"]["merge_commit_sha"]
    return job.run(ws, "pull_request", payload, inputs, base_ref="main", sha=merge)


def test_life_of_a_pull_request(job: Any, remote: Remote, github: FakeGitHub, tmp_path: Path):
    """Opened red, an exception added, turned green: one comment tells it all along, and nobody else's is touched."""
    github.add(7, "looks fine to me", {"login": "rasmus", "type": "User"})
    opened = run_pull_request(job, remote, tmp_path / "one")
    assert opened.code == 1
    outputs = opened.outputs
    report = json.loads(Path(outputs["json-file"]).read_text())
    assert outputs["result"] == "fail"
    assert outputs["exit-code"] == "1"
    assert int(outputs["breaking-count"]) == report["summary"]["breaking"] > 0
    assert int(outputs["warning-count"]) == report["summary"]["warnings"]
    assert json.loads(outputs["consumers-broken"]) == ["analytics", "billing", "notifications", "orders"]
    assert outputs["base"] == remote.commit_of("main")
    assert Path(outputs["report-file"]).read_text().startswith("<!DOCTYPE html>")
    assert outputs["sarif-file"] == ""
    assert opened.summary.startswith("## guardian: FAIL")
    assert github.bodies()[1].startswith("<!-- guardian:CI/contracts -->\n## guardian: FAIL")
    assert opened.summary.strip() in github.bodies()[1]

    remote.commit("accept it", {"guardian.exceptions.yaml": EXCEPTION})
    accepted = run_pull_request(job, remote, tmp_path / "two")
    assert accepted.code == 0, accepted.log
    assert accepted.outputs["result"] == "pass"
    assert accepted.outputs["breaking-count"] == accepted.outputs["warning-count"] == "0"
    assert accepted.outputs["consumers-broken"] == "[]"
    assert int(accepted.outputs["accepted-count"]) > 0
    assert len(github.bodies()) == 2
    assert github.bodies()[0] == "looks fine to me"
    assert github.bodies()[1].startswith("<!-- guardian:CI/contracts -->\n## guardian: PASS")
    assert "Accepted" in github.bodies()[1]
    assert [method for method, _ in github.writes] == ["POST", "PATCH"]


def test_annotations(job: Any, merge_checkout: tuple[Path, Any]):
    """Findings are annotated in the files they are in, within GitHub's limits, and the log names no secret."""
    ws, payload = merge_checkout
    run = job.run(ws, "pull_request", payload)
    errors = [each for each in run.annotations if each.level == "error"]
    assert errors
    for each in errors:
        assert (ws / each.properties["file"]).is_file()
        assert int(each.properties["line"]) > 0
    assert "billing" in errors[0].message
    levels = Counter(each.level for each in run.annotations)
    assert max(levels.values()) <= 10
    assert job.token not in run.log


def test_clean_pull_request(job: Any, github: FakeGitHub, tmp_path: Path):
    """A refactoring is green, gets a summary and no comment."""
    remote = Remote.of_change("refactoring-only", tmp_path)
    run = run_pull_request(job, remote, tmp_path / "ws")
    assert (run.code, run.outputs["result"]) == (0, "pass")
    assert run.summary.startswith("## guardian: PASS")
    assert github.bodies() == []


def test_fork(job: Any, remote: Remote, github: FakeGitHub, tmp_path: Path):
    """The read-only token of a fork costs the comment and nothing else: one notice, the summary, the same verdict."""
    job.token = "ghs_read"
    run = run_pull_request(job, remote, tmp_path / "ws", fork=True)
    assert (run.code, run.outputs["result"]) == (1, "fail")
    assert run.summary.startswith("## guardian: FAIL")
    notices = [each.message for each in run.annotations if "comment" in each.message]
    assert len(notices) == 1
    assert "pull-requests: write" in notices[0]
    assert github.bodies() == []


def test_pull_request_target(job: Any, remote: Remote, github: FakeGitHub, tmp_path: Path):
    """With the base branch checked out a fork's breakage is found, though nothing of the fork is on disk."""
    payload = remote.pull_request("friday-rename", fork=True)
    ws = remote.checkout(tmp_path / "ws", "main", "refs/remotes/origin/main")
    run = job.run(ws, "pull_request_target", payload, base_ref="main", sha=remote.commit_of("main"))
    assert (run.code, run.outputs["result"]) == (1, "fail")
    assert "email_address" not in (ws / "services/users/openapi.yaml").read_text()
    assert github.bodies()[0].startswith("<!-- guardian:CI/contracts -->\n## guardian: FAIL")


def test_working_directory(job: Any, tmp_path: Path):
    """In a folder of a larger repository files are named from its root, where GitHub looks for them."""
    desk = tmp_path / "desk"
    apply.copy_company(desk / "shop")
    apply.git(desk, "init", "--quiet")
    remote = Remote(tmp_path / "origin.git", desk)
    apply.git(desk, "add", "--all")
    apply.git(desk, "commit", "--quiet", "--message", "the company")
    remote = Remote.host(desk, tmp_path / "origin.git")
    apply.git(desk, "checkout", "--quiet", "-b", "rename")
    apply.apply_change("friday-rename", desk / "shop")
    remote.commit("rename", {"elsewhere/openapi.yaml": "openapi: 3.0.3\nnot: one\n"})
    inputs = {
        "working-directory": "shop",
        "sarif-file": "out/guardian.sarif",
        "reports": "junit=out/a.xml\njson=out/b.json",
    }
    run = run_pull_request(job, remote, tmp_path / "ws", inputs)
    assert (run.code, run.outputs["result"]) == (1, "fail"), run.log
    error = next(each for each in run.annotations if each.level == "error")
    assert error.properties["file"] == "shop/services/users/openapi.yaml"
    assert run.outputs["sarif-file"] == str(tmp_path / "ws/shop/out/guardian.sarif")
    assert Path(run.outputs["sarif-file"]).is_file()
    assert sorted(path.name for path in (tmp_path / "ws/shop/out").iterdir()) == ["a.xml", "b.json", "guardian.sarif"]
    assert json.loads((tmp_path / "ws/shop/out/b.json").read_text())["summary"]["specs"] == 8


def spec(title: str, *operations: str) -> str:
    """A specification with operations such as ``get /a``."""
    paths: dict[str, Any] = {}
    for operation in operations:
        method, path = operation.split()
        paths.setdefault(path, {})[method] = {"responses": {"200": {"description": title}}}
    return yaml.safe_dump({"openapi": "3.0.3", "info": {"title": title, "version": "1"}, "paths": paths})


@pytest.fixture
def plain(tmp_path: Path) -> Remote:
    """A repository with specifications and no guardian.yaml; a branch removes an operation, a file, and adds one."""
    desk = tmp_path / "desk"
    for name in ("api/users", "api/gone", "other/orders"):
        (desk / name).parent.mkdir(parents=True, exist_ok=True)
        (desk / f"{name}.yaml").write_text(spec(name, "get /a", "put /a"))
    apply.git(desk, "init", "--quiet")
    apply.git(desk, "add", "--all")
    apply.git(desk, "commit", "--quiet", "--message", "as it is")
    remote = Remote.host(desk, tmp_path / "origin.git")
    apply.git(desk, "checkout", "--quiet", "-b", "change")
    (desk / "api/gone.yaml").unlink()
    fewer = {f"{name}.yaml": spec(name, "get /a") for name in ("api/users", "other/orders")}
    fresh = spec("fresh", *(f"{method} /fresh/{number}" for number in range(9) for method in ("get", "delete")))
    remote.commit("change", {**fewer, "api/fresh.yaml": fresh})
    return remote


@pytest.mark.parametrize(
    ("inputs", "services"),
    [
        ({}, ["api/gone", "api/users", "other/orders"]),
        ({"specs": "api/*.yaml\nother/orders.yaml"}, ["api/gone", "api/users", "other/orders"]),
        ({"specs": "users.yaml", "working-directory": "api"}, ["users"]),
        ({"working-directory": "api"}, ["gone", "users"]),
    ],
)
def test_without_configuration(job: Any, plain: Remote, tmp_path: Path, inputs: dict[str, str], services: list[str]):
    """Without a guardian.yaml specifications are found by content, or named; new and deleted ones come out right."""
    run = run_pull_request(job, plain, tmp_path / "ws", {**inputs, "comment": "false"})
    assert run.code == 1, run.log
    report = json.loads(Path(run.outputs["json-file"]).read_text())
    assert sorted({each["service"] for each in report["changes"] if each["severity"] == "breaking"}) == services


def test_new_working_directory(job: Any, plain: Remote, tmp_path: Path):
    """A folder that is new with the pull request is all new, and breaks nobody."""
    plain.commit("a new one", {"fresh/openapi.yaml": spec("new", "get /new")})
    run = run_pull_request(job, plain, tmp_path / "ws", {"working-directory": "fresh"})
    assert (run.code, run.outputs["result"]) == (0, "pass"), run.log
    assert any("fresh is not in" in each.message and "it is new" in each.message for each in run.annotations)


@pytest.mark.parametrize("keep", [False, True])
def test_moved_working_directory(job: Any, plain: Remote, tmp_path: Path, keep: bool):
    """A folder that was moved is compared with what it was; where a part of it stayed, that cannot be known, and is said."""
    apply.git(plain.desk, "mv", "api", "moved") if not keep else (plain.desk / "moved").mkdir()
    if keep:
        apply.git(plain.desk, "mv", "api/users.yaml", "moved/users.yaml")
    plain.commit("moved", {})
    run = run_pull_request(job, plain, tmp_path / "ws", {"working-directory": "moved", "comment": "false"})
    told = " ".join(each.message for each in run.annotations)
    if keep:
        assert (run.code, run.outputs["result"]) == (0, "pass"), run.log
        assert "it is compared with nothing, though files of it were moved from api" in told
        inputs = {"working-directory": "moved", "base": "main:api", "head": ".", "comment": "false"}
        run = run_pull_request(job, plain, tmp_path / "named", inputs)
    else:
        assert "its files were moved from api, which it is compared with" in told
    report = json.loads(Path(run.outputs["json-file"]).read_text())
    assert run.code == 1, run.log
    assert "users" in {each["service"] for each in report["changes"] if each["severity"] == "breaking"}


def test_no_temporary_file_is_named(job: Any, plain: Remote, tmp_path: Path):
    """The guardian.yaml that `specs` stands for is none that anybody could open."""
    (plain.desk / "new").mkdir()
    apply.git(plain.desk, "mv", "api/users.yaml", "new/users.yaml")
    plain.commit("moved", {})
    run = run_pull_request(job, plain, tmp_path / "ws", {"specs": "*/*.yaml", "comment": "false"})
    assert any("api/users is called new/users now" in each.message for each in run.annotations), run.log
    assert "specs.yaml" not in run.log
    assert all("specs.yaml" not in each.properties.get("file", "") for each in run.annotations)


def test_first_push(job: Any, plain: Remote, tmp_path: Path):
    """The first push of a repository breaks nobody, and says what it was compared with."""
    ws = plain.checkout(tmp_path / "ws", "main", "refs/remotes/origin/main")
    payload = {"ref": "refs/heads/main", "before": "0" * 40, "repository": {"default_branch": "main"}}
    run = job.run(ws, "push", payload)
    assert (run.code, run.outputs["result"]) == (0, "pass"), run.log
    assert run.outputs["base"] == ""
    assert "everything is new" in run.log


def test_named_sides(job: Any, plain: Remote, tmp_path: Path):
    """A base that is named is compared as it is named, and fetched first."""
    ws = plain.checkout(tmp_path / "ws", "change", "refs/remotes/origin/change")
    run = job.run(ws, "workflow_dispatch", {}, {"base": "main:api/users.yaml", "head": "api/users.yaml"})
    assert (run.code, run.outputs["result"], run.outputs["base"]) == (1, "fail", plain.commit_of("main")), run.log


def test_unreadable_specification(job: Any, plain: Remote, github: FakeGitHub, tmp_path: Path):
    """A specification that cannot be read is an error everywhere, and never green."""
    plain.commit("broken", {"api/users.yaml": spec("users", "get /a") + "}: [\n"})
    run = run_pull_request(job, plain, tmp_path / "ws")
    assert (run.code, run.outputs["result"], run.outputs["exit-code"]) == (3, "error", "3")
    assert run.outputs["breaking-count"] == run.outputs["report-file"] == ""
    assert "api/users.yaml" in run.summary
    assert run.summary.startswith("## guardian: ERROR")
    assert "## guardian: ERROR" in github.bodies()[0]
    assert [each.level for each in run.annotations] == ["error"]


def test_no_repository(job: Any, tmp_path: Path):
    """Without a checkout there is nothing to compare: an error that names the remedy."""
    (tmp_path / "ws").mkdir()
    run = job.run(tmp_path / "ws", "pull_request", {})
    assert (run.code, run.outputs["result"]) == (3, "error")
    assert "actions/checkout" in run.log


def test_self_test(job: Any, tmp_path: Path):
    """The project's own workflow uses the action, and holds."""
    ws = tmp_path / "ws"
    shutil.copytree(apply.HERE, ws / "fixtures", ignore=shutil.ignore_patterns("__pycache__"))
    workflow = yaml.safe_load((ROOT / ".github/workflows/selftest.yml").read_text(encoding="utf-8"))
    outcome = job.runner(ws).run_job(workflow["jobs"]["action"]["steps"], {"version": "installed"})
    assert outcome.code == 0, outcome.log

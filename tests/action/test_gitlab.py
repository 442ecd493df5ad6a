"""The GitLab template: its own script lines, in a shell, in a clone as GitLab's runner makes it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import apply
import pytest
import yaml
from forge.remote import Remote

ROOT = Path(__file__).resolve().parents[2]
INPUT = re.compile(r"\$\[\[ inputs\.(\w+) \]\]")


def template(**inputs: Any) -> Any:
    """The job of the template, with its inputs put in as GitLab does: a value that is one input keeps its type."""
    spec, jobs = yaml.safe_load_all((ROOT / "templates/gitlab/guardian.yml").read_text(encoding="utf-8"))
    unknown = inputs.keys() - spec["spec"]["inputs"].keys()
    assert not unknown
    values = {name: inputs.get(name, each["default"]) for name, each in spec["spec"]["inputs"].items()}

    def filled(data: Any) -> Any:
        if isinstance(data, dict):
            return {key: filled(value) for key, value in data.items()}
        if isinstance(data, list):
            return [filled(value) for value in data]
        if isinstance(data, str) and INPUT.fullmatch(data):
            return values[INPUT.fullmatch(data)[1]]
        return INPUT.sub(lambda found: str(values[found[1]]), data) if isinstance(data, str) else data

    return filled(jobs)["guardian"]


def holds(condition: str, variables: Mapping[str, str]) -> bool:
    """A rule's ``if`` of the one form that the template uses."""
    left, right = condition.split(" == ")
    value = right.strip('"') if right.startswith('"') else variables.get(right.removeprefix("$"))
    return variables.get(left.removeprefix("$")) == value


class Clone:
    """A complete clone at one commit, as GIT_DEPTH 0 makes it, and what the job is told."""

    def __init__(self, remote: Remote, folder: Path, branch: str, variables: Mapping[str, str]) -> None:
        self.folder = remote.checkout(folder / "builds", branch, f"refs/remotes/origin/{branch}", depth=None)
        apply.git(self.folder, "checkout", "--quiet", "--detach")
        self.tools = folder / "tools"
        self.tools.mkdir()
        python = self.tools / "python"
        python.write_text(f'#!/bin/sh\n[ "$2" = pip ] && echo "$@" >> {folder}/pip.txt || exec {sys.executable} "$@"\n')
        python.chmod(0o755)
        self.variables = {
            "CI": "true",
            "CI_COMMIT_SHA": remote.commit_of(branch),
            "CI_DEFAULT_BRANCH": "main",
            "CI_PROJECT_DIR": str(self.folder),
            **variables,
        }

    def run(self, job: Any) -> subprocess.CompletedProcess[str]:
        home = self.folder.parent / "home"
        home.mkdir(exist_ok=True)
        path = os.pathsep.join((str(self.tools), str(Path(sys.executable).parent), os.environ["PATH"]))
        script = "\n".join((*job["before_script"], *job["script"]))
        return subprocess.run(
            ["sh", "-e", "-c", script],
            cwd=self.folder,
            env={"PATH": path, "HOME": str(home), "LANG": "C.UTF-8", **job["variables"], **self.variables},
            capture_output=True,
            text=True,
            check=False,
        )

    def report(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")


@pytest.fixture
def merge_request(remote: Remote, tmp_path: Path) -> Clone:
    """Friday's rename, in a merge request whose target has moved on."""
    base = remote.commit_of("main")
    remote.commit("main moves on", {"README.md": "later"}, apply.BRANCH)
    variables = {"CI_PIPELINE_SOURCE": "merge_request_event", "CI_MERGE_REQUEST_DIFF_BASE_SHA": base}
    return Clone(remote, tmp_path, "friday-rename", variables)


def test_merge_request(merge_request: Clone, tmp_path: Path):
    """A merge request that breaks somebody fails, and leaves every report that its job promises."""
    job = template()
    done = merge_request.run(job)
    assert done.returncode == 1, done.stderr
    assert "4 consumers" in done.stdout
    reports = job["artifacts"]["reports"]
    issues = json.loads(merge_request.report(reports["codequality"]))
    assert any(issue["severity"] == "critical" for issue in issues)
    assert all((merge_request.folder / issue["location"]["path"]).is_file() for issue in issues)
    assert ElementTree.fromstring(merge_request.report(reports["junit"])).iter("failure")
    assert all((merge_request.folder / path).is_file() for path in job["artifacts"]["paths"])
    assert job["artifacts"]["when"] == "always"
    assert (tmp_path / "pip.txt").read_text().split()[-1] == "contract-guardian"


def test_merged_result(remote: Remote, tmp_path: Path):
    """A merged result is compared with the target branch in it: what others have merged is not this one's finding."""
    forked = remote.commit_of("main")
    apply.git(remote.desk, "checkout", "--quiet", "main")
    apply.apply_change("operation-removed", remote.desk)
    target = remote.commit("somebody else's breakage", {})
    apply.git(remote.desk, "checkout", "--quiet", "-b", "merged", "main")
    remote.commit("ours", {"README.md": "ours"})
    variables = {"CI_MERGE_REQUEST_DIFF_BASE_SHA": forked, "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": target}
    assert Clone(remote, tmp_path, "merged", variables).run(template()).returncode == 0


def test_default_branch(remote: Remote, tmp_path: Path):
    """The default branch has a report for merge requests to be compared with, and it is empty."""
    clone = Clone(remote, tmp_path, "main", {"CI_COMMIT_BRANCH": "main"})
    job = template()
    assert clone.run(job).returncode == 0
    assert json.loads(clone.report(job["artifacts"]["reports"]["codequality"])) == []


def test_inputs(merge_request: Clone, tmp_path: Path):
    """The inputs do what they say."""
    job = template(version="1.2.3", flags="--fail-on none --quiet", image="registry.example/python", changes=["api/*"])
    assert merge_request.run(job).returncode == 0
    assert (tmp_path / "pip.txt").read_text().split()[-1] == "contract-guardian==1.2.3"
    assert job["image"] == "registry.example/python"
    assert job["rules"][0]["changes"]["paths"] == ["api/*"]


@pytest.mark.parametrize(
    ("variables", "runs"),
    [
        ({"CI_PIPELINE_SOURCE": "merge_request_event"}, True),
        ({"CI_PIPELINE_SOURCE": "push", "CI_COMMIT_BRANCH": "main"}, True),
        ({"CI_PIPELINE_SOURCE": "push", "CI_COMMIT_BRANCH": "topic"}, False),
        ({"CI_PIPELINE_SOURCE": "push", "CI_COMMIT_TAG": "v1"}, False),
    ],
)
def test_when_it_runs(variables: dict[str, str], runs: bool):
    """The job is one of merge requests and of the default branch."""
    rules = template()["rules"]
    assert any(holds(rule["if"], {"CI_DEFAULT_BRANCH": "main", **variables}) for rule in rules) == runs

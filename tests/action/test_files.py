"""The files that others use by name: action.yml, its lock, the workflows, the GitLab template."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
ACTION: Any = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
STEPS: Any = ACTION["runs"]["steps"]


def test_scripts_hold_no_expression():
    """Nothing that a workflow or a pull request says is a part of a script."""
    assert STEPS
    for step in STEPS:
        assert "${{" not in step["run"]


def test_no_other_action_is_used():
    """The action is all there is to trust."""
    assert all("uses" not in step for step in STEPS)


def test_every_input_is_used_and_described():
    """Each input reaches a step under its own name, has a default, and is described."""
    given = {name: value for step in STEPS for name, value in step["env"].items() if name.startswith("INPUT_")}
    assert given == {
        f"INPUT_{name.upper().replace('-', '_')}": f"${{{{ inputs.{name} }}}}" for name in ACTION["inputs"]
    }
    for name, each in ACTION["inputs"].items():
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name)
        assert each["description"].endswith(".")
        assert isinstance(each["default"], str)


def test_outputs_are_those_of_the_check():
    """Each output is one of the check's, under the same name."""
    for name, each in ACTION["outputs"].items():
        assert each["value"] == f"${{{{ steps.check.outputs.{name} }}}}"
        assert each["description"].endswith(".")


def test_inputs_and_outputs_are_documented():
    """The how-to page lists every input and output."""
    page = (ROOT / "docs/how-to/github.md").read_text(encoding="utf-8")
    for name in (*ACTION["inputs"], *ACTION["outputs"]):
        assert f"| `{name}` |" in page


def locked() -> dict[str, list[tuple[str, str]]]:
    """The releases in the action's lock: name -> (version, the lines of its hashes)."""
    text = (ROOT / "action/requirements.txt").read_text(encoding="utf-8")
    found: dict[str, list[tuple[str, str]]] = {}
    for entry in re.finditer(r"^([a-z0-9-]+)==(\S+)[^\n]*\\\n((?:    --hash=\S+(?: \\)?\n?)+)", text, re.MULTILINE):
        found.setdefault(entry[1], []).append((entry[2], entry[3]))
    return found


def test_lock_holds_every_dependency():
    """What pyproject.toml needs the action's lock has, in a release that it may be, with hashes."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lock = locked()
    for requirement in map(Requirement, project["dependencies"]):
        releases = lock[requirement.name.replace(".", "-").lower()]
        for version, hashes in releases:
            assert requirement.specifier.contains(version), f"{requirement} is locked to {version}"
            assert "--hash=sha256:" in hashes


def test_lock_is_whole():
    """Every line of the lock is a release with its hashes, or a comment."""
    text = (ROOT / "action/requirements.txt").read_text(encoding="utf-8")
    names = re.findall(r"^([a-z0-9-]+)==", text, re.MULTILINE)
    assert sorted(names) == sorted(name for name, releases in locked().items() for _ in releases)


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows(path: Path):
    """Workflows have the least permissions, and use other actions by commit, the release beside it."""
    text = path.read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {"contents": "read"}
    for line in re.findall(r"uses: *(.*)", text):
        assert line == "./" or re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line), line
    for job in workflow["jobs"].values():
        for step in job["steps"]:
            assert "${{" not in step.get("run", "")
            if "actions/checkout" in step.get("uses", ""):
                assert step["with"]["persist-credentials"] is False


def test_self_test_uses_what_there_is():
    """The self-test gives the action inputs that it has and reads outputs that it has."""
    text = (ROOT / ".github/workflows/selftest.yml").read_text(encoding="utf-8")
    steps = [step for job in yaml.safe_load(text)["jobs"].values() for step in job["steps"]]
    uses = [step for step in steps if step.get("uses") == "./"]
    assert uses
    for step in uses:
        assert step["with"].keys() <= ACTION["inputs"].keys()
    ids = {step["id"] for step in uses}
    for step_id, name in re.findall(r"steps\.([\w-]+)\.outputs\.([\w-]+)", text):
        assert step_id in ids
        assert name in ACTION["outputs"]

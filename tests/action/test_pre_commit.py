"""The published pre-commit hook, run by pre-commit itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import apply
import pytest
import yaml
from forge.remote import Remote

ROOT = Path(__file__).resolve().parents[2]
HOOKS: Any = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))


def test_hook_runs_an_installed_command():
    """What the hook calls is a command that the package installs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for hook in HOOKS:
        assert hook["entry"].split()[0] in project["scripts"]
        assert hook["language"] == "python"
        assert hook["pass_filenames"] is False
        assert hook["always_run"] is True


@pytest.fixture
def pre_commit(remote: Remote, tmp_path: Path) -> Any:
    """Calls ``pre-commit run`` in a complete clone of the company, on Friday's branch, with the hook of this project.

    Only the installation is left out, since it would reach for the network: the hook finds the guardian under test.
    """
    pytest.importorskip("pre_commit", reason="pre-commit is not installed")
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    shutil.copy(ROOT / ".pre-commit-hooks.yaml", hooks)
    apply.git(hooks, "init", "--quiet")
    apply.git(hooks, "add", "--all")
    apply.git(hooks, "commit", "--quiet", "--message", "hooks")
    ws = remote.checkout(tmp_path / "ws", "main", "refs/remotes/origin/main", depth=None)
    hook = {"id": "guardian-check", "language": "system"}
    entry = {"repo": str(hooks), "rev": apply.git(hooks, "rev-parse", "HEAD").strip(), "hooks": [hook]}
    (ws / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [entry]}))
    apply.git(ws, "add", "--all")
    apply.git(ws, "commit", "--quiet", "--message", "pre-commit")

    def run(*changed: str) -> subprocess.CompletedProcess[str]:
        apply.git(ws, "add", "--all")
        return subprocess.run(
            [sys.executable, "-m", "pre_commit", "run", "--color=never", "--verbose", *changed],
            cwd=ws,
            env={
                "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
                "HOME": str(tmp_path),
                "PRE_COMMIT_HOME": str(tmp_path / "cache"),
                "LANG": "C.UTF-8",
            },
            capture_output=True,
            text=True,
            check=False,
        )

    run.workspace = ws  # type: ignore[attr-defined]
    return run


@pytest.mark.slow
def test_commit_that_breaks(pre_commit: Any):
    """A commit that breaks somebody is held back, and the report says who."""
    apply.apply_change("friday-rename", pre_commit.workspace)
    done = pre_commit()
    assert done.returncode == 1, done.stdout + done.stderr
    assert "guardian check" in done.stdout
    assert "4 consumers" in done.stdout


@pytest.mark.slow
def test_commit_that_breaks_nobody(pre_commit: Any):
    """A commit that breaks nobody passes."""
    apply.apply_change("refactoring-only", pre_commit.workspace)
    done = pre_commit()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Passed" in done.stdout


@pytest.mark.slow
def test_commit_that_deletes(pre_commit: Any):
    """A commit that only deletes a specification is looked at too."""
    (pre_commit.workspace / "services/analytics/openapi.yaml").unlink()
    done = pre_commit()
    assert done.returncode == 1, done.stdout + done.stderr
    assert "mobile-app" in done.stdout


@pytest.mark.slow
def test_base_moved_on(pre_commit: Any, remote: Remote):
    """What others have merged since the branch began is not this branch's finding."""
    apply.git(pre_commit.workspace, "checkout", "--quiet", "-b", "topic")
    apply.git(remote.desk, "checkout", "--quiet", "main")
    apply.apply_change("safe-addition", remote.desk)
    remote.commit("others add something", {})
    apply.git(pre_commit.workspace, "fetch", "--quiet", "origin")
    (pre_commit.workspace / "notes.yaml").write_text("a: 1\n")
    done = pre_commit()
    assert done.returncode == 0, done.stdout + done.stderr

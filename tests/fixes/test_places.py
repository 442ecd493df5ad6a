"""``guardian fix --apply`` where git keeps files out of the work tree, or another repository has them."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from tests.check.repo import BILLING, USERS, USERS_RENAMED, Repo
from tests.fixes.gate import Cli, cli

__all__ = ["cli"]

CONFIG = "version: 1\nservices:\n  users: {spec: services/users/api.yaml}\nconsumers: [consumers]\n"
ARGUMENTS = ("fix", "--base", "main", "--as-of", "2026-03-06")


@pytest.fixture(autouse=True)
def identity(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody who may commit, and clone a submodule from a folder."""
    for name in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{name}_NAME", "a")
        monkeypatch.setenv(f"GIT_{name}_EMAIL", "a@b")
    for name, value in (("COUNT", "1"), ("KEY_0", "protocol.file.allow"), ("VALUE_0", "always")):
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A break on branch ``feature``, and the repository as the working directory."""
    made = Repo(tmp_path / "repo")
    made.write("guardian.yaml", CONFIG)
    made.write("services/users/api.yaml", USERS)
    made.write("consumers/billing.yaml", BILLING)
    made.write("other/README.md", "nothing")
    made.commit()
    made.branch("feature")
    made.write("services/users/api.yaml", USERS_RENAMED)
    made.commit()
    monkeypatch.chdir(made.folder)
    return made


@pytest.mark.parametrize("folder", [".", "other"])
@pytest.mark.parametrize("patterns", [("set", "--cone", "other"), ("set", "--no-cone", "/*", "!services/users/*.yaml")])
def test_a_sparse_checkout(
    repo: Repo,
    cli: Cli,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    patterns: tuple[str, ...],
    folder: str,
) -> None:
    """A file that is left out is not written, and the command that brings it is a command that does."""
    repo.git("sparse-checkout", *patterns)
    monkeypatch.chdir(repo.folder / folder)
    apply = (*ARGUMENTS, "--strategy", "dual_write", "--apply")
    assert cli(*apply) == 2
    first, hint = capsys.readouterr().err.strip().splitlines()
    assert "services/users/api.yaml: a sparse checkout leaves this file out" in first
    assert not (repo.folder / "services").exists()
    subprocess.run(shlex.split(hint.partition(", then")[0]), check=True)
    assert cli(*apply) == 0
    assert "Carries the same as `mail`" in (repo.folder / "services/users/api.yaml").read_text()


def test_a_file_that_is_gone(repo: Repo, cli: Cli, capsys: pytest.CaptureFixture[str]) -> None:
    """What somebody deletes meanwhile is told as that."""
    from guardian.errors import UsageError
    from guardian.fixes.places import require_there

    repo.remove("services/users/api.yaml")
    with pytest.raises(UsageError) as raised:
        require_there(["services/users/api.yaml"], repo.folder)
    assert raised.value.hint == "run the check again"


def test_a_submodule(repo: Repo, cli: Cli, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A file of a submodule is written there, in its work tree, and it is said where to commit it."""
    inner = Repo(tmp_path / "inner")
    inner.write("api.yaml", USERS)
    inner.commit()
    repo.git("checkout", "--quiet", "-B", "main", "main")
    repo.git("rm", "-rq", "services")
    repo.git("submodule", "--quiet", "add", str(inner.folder), "services/users")
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    inner.write("api.yaml", USERS_RENAMED)
    inner.commit()
    repo.git("-C", "services/users", "pull", "--quiet")
    assert cli(*ARGUMENTS, "--strategy", "dual_write", "--apply") == 0
    err = capsys.readouterr().err
    assert "wrote services/users/api.yaml" in err
    assert "services/users is a repository of its own: commit and push there first" in err
    assert repo.git("-C", "services/users", "status", "--porcelain") == "M api.yaml"
    assert (inner.folder / "api.yaml").read_text() == USERS_RENAMED


def test_an_ignored_manifest(repo: Repo, cli: Cli, capsys: pytest.CaptureFixture[str]) -> None:
    """What git ignores is a copy of something, and no commit holds what is written to it."""
    repo.write(".gitignore", "consumers/\n")
    repo.git("rm", "-rq", "--cached", "consumers")
    assert cli(*ARGUMENTS, "--strategy", "dual_write", "--apply") == 0
    assert "git ignores" not in capsys.readouterr().err
    repo.git("checkout", "--quiet", "services")
    assert cli(*ARGUMENTS, "--strategy", "consumer_patch", "--apply") == 0
    assert "git ignores consumers/billing.yaml, so no commit will hold this" in capsys.readouterr().err

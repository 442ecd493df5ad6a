"""Running the gate as its users do: the command line, inside the test process, in a real repository."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from guardian.cli.main import run
from tests.check.repo import BILLING, CONFIG, SEARCH, USERS, Folder, Outcome, Repo

Guardian = Callable[..., Outcome]

# What CI systems set, and what a developer's own git would bring in.
_FOREIGN = ("GIT_", "GITHUB_", "CI_", "BITBUCKET_", "SYSTEM_", "BUILDKITE_", "CHANGE_")
_COLOUR = ("NO_COLOR", "FORCE_COLOR")


def _plain(environment: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(_FOREIGN) or name in _COLOUR]:
        environment.delenv(name)
    for role in ("AUTHOR", "COMMITTER"):
        environment.setenv(f"GIT_{role}_NAME", "t")
        environment.setenv(f"GIT_{role}_EMAIL", "t@example.org")
        environment.setenv(f"GIT_{role}_DATE", "2026-03-02T10:00:00+00:00")
    environment.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    environment.setenv("GIT_CONFIG_SYSTEM", os.devnull)


@pytest.fixture(autouse=True)
def plain_surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No CI around, no colour asked for, and git as it comes."""
    _plain(monkeypatch)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))


@pytest.fixture
def guardian(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Guardian:
    """Call ``guardian ARGS`` in a folder."""

    def call(where: Folder | Path, *args: str) -> Outcome:
        monkeypatch.chdir(where.folder if isinstance(where, Folder) else where)
        monkeypatch.setattr(sys, "argv", ["guardian", *args])
        with pytest.raises(SystemExit) as ended:
            run()
        out, err = capsysbinary.readouterr()
        return Outcome(int(ended.value.code or 0), out.decode(), err.decode())

    return call


@pytest.fixture
def check(guardian: Guardian) -> Guardian:
    """Call ``guardian check --format json ARGS`` in a folder."""

    def call(where: Folder | Path, *args: str) -> Outcome:
        return guardian(where, "check", "--format", "json", "--as-of", "2026-03-02", *args)

    return call


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """An empty folder outside of any repository."""
    return Folder(tmp_path / "plain")


@pytest.fixture(scope="session")
def first_commits(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """What ``repo`` is a copy of."""
    with pytest.MonkeyPatch.context() as environment:
        _plain(environment)
        repo = Repo(tmp_path_factory.mktemp("template") / "repo")
        repo.write("specs/users.yaml", USERS)
        repo.write("guardian.yaml", CONFIG)
        repo.write("consumers/billing.yaml", BILLING)
        repo.write("consumers/search.yaml", SEARCH)
        repo.commit("the base")
        repo.branch("feature")
        return repo


@pytest.fixture
def repo(first_commits: Repo, tmp_path: Path) -> Repo:
    """On main the users service, its configuration and two consumers; branch ``feature`` checked out, nothing on it."""
    return Repo.copy(first_commits, tmp_path / "repo")

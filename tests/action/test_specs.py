"""The action's input ``specs``: every document that it names is compared, on either side."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import apply
import pytest

from guardian.errors import ReadError, UsageError
from guardian.host.base import Range
from guardian.host.specs import Named, named
from tests.check.repo import Repo

FILES = ("openapi.yaml", "api/users.yaml", "api/v1/users.yaml", "v/orders.yaml", "v/orders.json", "v/[v1]/openapi.yaml")


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "t")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "t@example.org")
    repo = Repo(tmp_path / "repo")
    for path in FILES:
        repo.write(path, "openapi: 3.0.3\n")
    repo.commit()
    return repo


def find(repo: Repo, *patterns: str, prefix: str = "") -> Named:
    commits = Range(repo.git("rev-parse", "HEAD"))
    return named(repo.folder, commits, {each: each for each in patterns}, prefix)


@pytest.mark.parametrize(
    ("pattern", "services"),
    [
        ("v/orders.*", {"v/orders.json": "v/orders.json", "v/orders.yaml": "v/orders.yaml"}),
        ("v/orders.yaml", {"v/orders": "v/orders.yaml"}),
        ("v/*/openapi.yaml", {"v/[v1]/openapi": "v/[[]v1]/openapi.yaml"}),
        ("v/[v1]/openapi.yaml", {"v/[v1]/openapi": "v/[[]v1]/openapi.yaml"}),
        ("**/openapi.yaml", {"openapi": "openapi.yaml", "v/[v1]/openapi": "v/[[]v1]/openapi.yaml"}),
        ("api/**/*.yaml", {"api/users": "api/users.yaml", "api/v1/users": "api/v1/users.yaml"}),
        ("api/*.yaml", {"api/users": "api/users.yaml"}),
    ],
)
def test_patterns(repo: Repo, pattern: str, services: Mapping[str, str]):
    """Globs are those of guardian.yaml, each file is a service of its own, and its path means it alone."""
    assert find(repo, pattern).services == services


def test_both_sides(repo: Repo):
    """What is deleted, and what is new and not even tracked, is named as well."""
    repo.remove("api/users.yaml")
    repo.write("api/fresh.yaml", "openapi: 3.0.3\n")
    assert find(repo, "api/*.yaml", prefix="api").services == {"fresh": "api/fresh.yaml", "users": "api/users.yaml"}


def test_on_neither_side(repo: Repo):
    """What means nothing is wrong usage."""
    with pytest.raises(UsageError, match=r"'nope/\*\.yaml', which is on neither side"):
        find(repo, "openapi.yaml", "nope/*.yaml")


def test_a_folder(repo: Repo):
    """A folder means no file, and it is not said that it is not there."""
    with pytest.raises(UsageError, match="'api', which is a folder") as refused:
        find(repo, "api")
    assert "api/*.yaml" in str(refused.value.hint)


def test_submodules(repo: Repo, tmp_path: Path):
    """A specification in a submodule is found; where the submodule is not here, that is said or refused, by how it is named."""
    shared = Repo(tmp_path / "shared")
    shared.write("api.yaml", "openapi: 3.0.3\n")
    shared.commit()
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", shared.folder.as_uri(), "mod")
    repo.commit()
    for pattern in ("mod/api.yaml", "mod/*.yaml"):
        assert find(repo, pattern).services == {"mod/api": "mod/api.yaml"}
    clone = repo.clone(tmp_path / "clone")
    found = find(clone, "**/*.yaml")
    assert "mod/api" not in found.services
    assert any("mod is a submodule" in remark for remark in found.remarks)
    with pytest.raises(ReadError, match="mod"):
        find(clone, "mod/*.yaml")


def test_no_dependency_is_needed():
    """The step runs before anything that guardian depends on can be imported."""
    blocked = "import sys\nfor name in ('jiter', 'yaml', 'oryaml', 'typer', 'click'): sys.modules[name] = None\n"
    done = subprocess.run(
        [sys.executable, "-c", f"{blocked}import guardian.cli.action"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_working_directory_as_pattern(tmp_path: Path):
    """A leading ./ is no part of a path."""
    from guardian.host import gate
    from guardian.host.event import Event
    from guardian.host.inputs import read_inputs

    repo = Repo(tmp_path / "ws")
    repo.write("api/a.yaml", "openapi: 3.0.3\n")
    apply.git(repo.folder, "add", "--all")
    apply.git(repo.folder, "commit", "--quiet", "--message", "one")
    out = tmp_path / "out"
    out.mkdir()
    inputs = read_inputs({"INPUT_SPECS": "./api/*.yaml", "INPUT_BASE": "HEAD"})
    gate.plan(inputs, Event("workflow_dispatch"), repo.folder, out)
    assert json.loads((out / "specs.yaml").read_text())["services"] == {"api/a": {"spec": "api/a.yaml"}}

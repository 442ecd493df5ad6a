"""What lies in a submodule is compared at the commits that both sides record, or it is said that they are not here."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from tests.check.conftest import Guardian, _plain
from tests.check.repo import BILLING, USERS, Repo
from tests.check.test_services import notes, warnings

BROKEN = USERS.replace("        email: {type: string}\n", "").replace("[id, email]", "[id]")
CONFIG = "version: 1\nservices:\n  users: {spec: contracts/specs/users.yaml}\n"
PARTS = """\
openapi: 3.0.3
info: {title: Users, version: "1.0.0"}
paths:
  /users/{id}:
    get:
      responses:
        "200":
          description: one user
          content:
            application/json:
              schema: {$ref: "../contracts/specs/users.yaml#/components/schemas/User"}
"""


def _may_clone_folders(environment: pytest.MonkeyPatch) -> None:
    for name, value in (("COUNT", "1"), ("KEY_0", "protocol.file.allow"), ("VALUE_0", "always")):
        environment.setenv(f"GIT_CONFIG_{name}", value)


@pytest.fixture(autouse=True)
def local_clones(monkeypatch: pytest.MonkeyPatch):
    """Let git clone a submodule from a folder."""
    _may_clone_folders(monkeypatch)


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[Repo, Repo]:
    """What ``outer`` is a copy of, and the repository that its submodule is a clone of."""
    folder = tmp_path_factory.mktemp("submodule")
    with pytest.MonkeyPatch.context() as environment:
        _plain(environment)
        _may_clone_folders(environment)
        contracts, repo = Repo(folder / "upstream"), Repo(folder / "outer")
        contracts.write("specs/users.yaml", USERS)
        contracts.write("consumers/billing.yaml", BILLING)
        contracts.commit()
        repo.git("submodule", "--quiet", "add", str(contracts.folder), "contracts")
        repo.write("guardian.yaml", CONFIG)
        repo.commit()
        repo.branch("feature")
        contracts.write("specs/users.yaml", BROKEN)
        contracts.commit()
        repo.git("-C", "contracts", "pull", "--quiet")
        repo.commit()
    return repo, contracts


@pytest.fixture
def outer(both: tuple[Repo, Repo], tmp_path: Path) -> Repo:
    """On main the submodule as it was; on branch ``feature`` as it is after a break."""
    copied = Repo.copy(both[0], tmp_path / "outer")
    copied.git("-C", "contracts", "status")  # git leaves files alone that it has not looked at since they were copied
    return copied


@pytest.fixture
def contracts(both: tuple[Repo, Repo]) -> Repo:
    """The repository that the submodule is a clone of."""
    return both[1]


@pytest.mark.parametrize(
    "spec", ["contracts/specs/users.yaml", "contracts/specs/*.yaml", "*/specs/*.yaml", "**/u*.yaml"]
)
@pytest.mark.parametrize("head", [(), ("--head", "feature")])
def test_break_in_a_submodule(check: Guardian, outer: Repo, spec: str, head: tuple[str, ...]):
    """A submodule that moves to a commit with a break fails, whether it is named by its path or by a glob."""
    outer.git("checkout", "--quiet", "--recurse-submodules", "main")
    outer.write("guardian.yaml", CONFIG.replace("contracts/specs/users.yaml", f'"{spec}"'))
    outer.commit()
    outer.git("checkout", "--quiet", "--recurse-submodules", "feature")
    outer.git("checkout", "--quiet", "main", "guardian.yaml")
    outer.commit()
    before = outer.state()
    outcome = check(outer, *head)
    assert (outcome.code, outcome.rules) == (1, ["property-removed"])
    place = outcome.only("property-removed")["base"]
    assert place["file"] == "contracts/specs/users.yaml"
    assert outer.state() == before


def test_unchanged_submodule(check: Guardian, outer: Repo):
    """The same commit on both sides is no change, and nothing is new."""
    outcome = check(outer, "--base", "feature")
    assert (outcome.code, outcome.changes, warnings(outcome)) == (0, [], [])


def test_clone_without_a_work_tree(check: Guardian, outer: Repo):
    """Where the submodule is cloned but not checked out, its revisions are read from the clone."""
    outer.git("submodule", "--quiet", "deinit", "--force", "contracts")
    outcome = check(outer, "--head", "feature")
    assert (outcome.code, outcome.rules) == (1, ["property-removed"])


def test_named_submodule(check: Guardian, outer: Repo):
    """A clone is found by the submodule's name, which need not be its folder."""
    outer.git("mv", "contracts", "api")
    outer.replace("guardian.yaml", "contracts/", "api/")
    outer.commit()
    outer.git("submodule", "--quiet", "deinit", "--force", "api")
    assert check(outer, "--base", "feature", "--head", "feature").code == 0


@pytest.mark.parametrize("head", [(), ("--head", "feature")])
@pytest.mark.parametrize("how", ["one name", "a glob", "another entry"])
def test_moved_submodule(check: Guardian, outer: Repo, head: tuple[str, ...], how: str):
    """A submodule with another folder is the same API, whether its commit is the same or goes on."""
    outer.git("checkout", "--quiet", "--recurse-submodules", "main")
    outer.write("specs/more.yaml", USERS.replace("/users", "/more"))
    if how == "a glob":
        outer.write("guardian.yaml", "version: 1\nservices:\n  all: {spec: '**/specs/*.yaml'}\n")
    outer.commit()
    broken = outer.git("rev-parse", "feature:contracts")
    outer.git("checkout", "--quiet", "-B", "feature")
    outer.git("mv", "contracts", "api")
    if how != "a glob":
        outer.replace("guardian.yaml", "contracts/", "api/")
    if how == "another entry":
        outer.replace("guardian.yaml", "users:", "people:")
    outer.commit()
    outcome = check(outer, *head)
    assert (outcome.code, outcome.changes) == (0, [])
    assert any("moved here from contracts/specs/users.yaml" in message for message, _ in notes(outcome))
    outer.git("-C", "api", "checkout", "--quiet", broken)
    outer.commit()
    outcome = check(outer, *head)
    assert (outcome.code, outcome.rules) == (1, ["property-removed"])
    assert outcome.only("property-removed")["base"]["file"] == "contracts/specs/users.yaml"


def test_submodule_that_was_added_again(check: Guardian, outer: Repo):
    """Nor is it new where it has another name in another folder: git pairs what is at one commit."""
    outer.git("branch", "--force", "main", "feature")
    outer.git("mv", "contracts", "api")
    outer.replace(".gitmodules", '"contracts"', '"api"')
    outer.replace("guardian.yaml", "users: {spec: contracts/", "people: {spec: api/")
    outer.commit()
    outcome = check(outer, "--head", "feature")
    assert (outcome.code, outcome.changes) == (0, [])


def test_moved_submodule_that_is_not_here(check: Guardian, outer: Repo, tmp_path: Path):
    """Where its base cannot be read, that is what is said of it."""
    outer.git("branch", "--force", "main", "feature")
    outer.git("mv", "contracts", "api")
    outer.replace("guardian.yaml", "users: {spec: contracts/", "people: {spec: api/")
    outer.commit()
    bare = outer.clone(tmp_path / "bare")
    bare.git("branch", "main", "origin/main")
    outcome = check(bare)
    assert outcome.code == 3
    assert "lies in the submodule" in outcome.err


def test_git_dir_in_the_environment(check: Guardian, outer: Repo, monkeypatch: pytest.MonkeyPatch):
    """A hook's GIT_DIR is the outer repository's, never the submodule's."""
    monkeypatch.setenv("GIT_DIR", str(outer.folder / ".git"))
    assert check(outer).rules == ["property-removed"]


def test_link_into_a_submodule(check: Guardian, outer: Repo):
    """A link of the file system is followed into a submodule."""
    outer.git("checkout", "--quiet", "--recurse-submodules", "main")
    (outer.folder / "users.yaml").symlink_to("contracts/specs/users.yaml")
    outer.write("guardian.yaml", CONFIG.replace("contracts/specs/", ""))
    outer.commit()
    outer.git("merge", "--quiet", "feature")
    outer.git("submodule", "--quiet", "update")
    outcome = check(outer, "--base", "main^1", "--head", "main")
    assert (outcome.code, outcome.rules) == (1, ["property-removed"])


def test_reference_into_a_submodule(check: Guardian, outer: Repo):
    """So is a `$ref`."""
    outer.git("checkout", "--quiet", "--recurse-submodules", "main")
    outer.write("specs/users.yaml", PARTS)
    outer.write("guardian.yaml", CONFIG.replace("contracts/", ""))
    outer.commit()
    outer.git("checkout", "--quiet", "-B", "other")
    outer.git("-C", "contracts", "checkout", "--quiet", "origin/main")
    outcome = check(outer)
    assert (outcome.code, outcome.rules) == (1, ["property-removed"])


def test_manifests_in_a_submodule(check: Guardian, outer: Repo):
    """Manifests in a submodule are read on both sides, and decide in the mode consumers."""
    outer.write("guardian.yaml", f"{CONFIG}consumers: [contracts/consumers/*.yaml]\nmode: consumers\n")
    outcome = check(outer)
    assert outcome.code == 1
    assert outcome.report["summary"]["consumers_broken"] == ["billing"]
    assert notes(outcome) == []


def test_commit_that_was_not_fetched(check: Guardian, contracts: Repo, outer: Repo, tmp_path: Path):
    """A submodule's commit that is not here is told with its path and what to run: it is never a new service."""
    known = outer.git("rev-parse", "main:contracts")
    for place in (outer.folder / "contracts", outer.folder / ".git/modules/contracts"):
        shutil.rmtree(place)
    contracts.clone(outer.folder / "contracts", "--depth=1")
    outcome = check(outer)
    assert outcome.code == 3
    assert f"contracts/specs/users.yaml: lies in the submodule contracts, at commit {known[:12]} in main" in outcome.err
    assert f"git -C contracts fetch origin {known}" in outcome.err


@pytest.mark.parametrize("head", [(), ("--head", "feature")])
def test_submodule_that_is_not_cloned(check: Guardian, outer: Repo, tmp_path: Path, head: tuple[str, ...]):
    """Neither side can be read then, and it is said what is missing."""
    bare = outer.clone(tmp_path / "bare")
    bare.git("branch", "main", "origin/main")
    outcome = check(bare, *head)
    assert outcome.code == 3
    assert "lies in the submodule contracts" in outcome.err
    assert "git submodule update --init contracts" in outcome.err


@pytest.mark.parametrize("spec", ["contracts/specs/users.yaml", "contracts/specs/*.yaml", "*/specs/*.yaml"])
def test_submodule_that_is_not_checked_out(check: Guardian, outer: Repo, spec: str):
    """An empty folder at head is no deleted specification."""
    outer.write("guardian.yaml", CONFIG.replace("contracts/specs/users.yaml", f'"{spec}"'))
    outer.git("submodule", "--quiet", "deinit", "--force", "contracts")
    outcome = check(outer)
    assert outcome.code == 3
    assert "lies in the submodule contracts, which is not checked out" in outcome.err


@pytest.mark.parametrize("pattern", ["contracts/consumers", "contracts/consumers/*.yaml", "contracts"])
def test_manifests_that_are_not_checked_out(check: Guardian, outer: Repo, pattern: str):
    """Manifests that may be there are never the same as none."""
    outer.write("guardian.yaml", f"version: 1\nservices:\n  users: {{spec: users.yaml}}\nconsumers: ['{pattern}']\n")
    outer.write("users.yaml", USERS)
    outer.git("submodule", "--quiet", "deinit", "--force", "contracts")
    outcome = check(outer)
    assert outcome.code == 3
    assert "submodule contracts" in outcome.err


def test_finding_by_content_ends_at_a_submodule(check: Guardian, outer: Repo):
    """Without a guardian.yaml submodules are not looked into, and that is said."""
    outer.never_had("guardian.yaml")
    outer.write("specs/users.yaml", USERS)
    outcome = check(outer)
    assert outcome.code == 0
    assert any("contracts is a repository of its own and not looked into" in message for message, _ in notes(outcome))
    outer.remove("specs/users.yaml")
    outcome = check(outer)
    assert outcome.code == 2
    assert "contracts is a repository of its own" in outcome.err


@pytest.mark.parametrize("folder", ["contracts", "contracts/specs"])
def test_a_revision_of_a_submodule(check: Guardian, outer: Repo, folder: str):
    """A folder of a revision may be a submodule, or lie in one; its specifications are found."""
    outer.git("rm", "-q", "guardian.yaml")
    outcome = check(outer, "--base", f"main:{folder}", "--head", f"feature:{folder}")
    assert (outcome.code, outcome.rules) == (1, ["property-removed"])
    assert outcome.only("property-removed")["head"]["file"] == "contracts/specs/users.yaml"


def test_submodule_in_a_submodule(check: Guardian, outer: Repo, tmp_path: Path):
    """So may a submodule."""
    shell = Repo(tmp_path / "shell")
    shell.git("submodule", "--quiet", "add", "--branch", "main", str(outer.folder), "inner")
    shell.git("-C", "inner", "submodule", "--quiet", "update", "--init")
    shell.write("guardian.yaml", CONFIG.replace("contracts/", "inner/contracts/"))
    shell.commit()
    shell.branch("feature")
    shell.git("-C", "inner", "checkout", "--quiet", "--recurse-submodules", "origin/feature")
    shell.commit()
    outcome = check(shell)
    assert (outcome.code, outcome.rules) == (1, ["property-removed"])
    assert outcome.only("property-removed")["base"]["file"] == "inner/contracts/specs/users.yaml"
    shell.git("submodule", "--quiet", "deinit", "--force", "inner")
    assert check(shell, "--head", "feature").rules == ["property-removed"]
    assert check(shell).code == 3


@pytest.mark.parametrize("head", [(), ("--head", "feature")])
@pytest.mark.parametrize("spec", ["inner/**/users.yaml", "**/users.yaml", "inner/*/specs/*.yaml"])
def test_glob_into_a_submodule_in_a_submodule(
    check: Guardian, outer: Repo, tmp_path: Path, spec: str, head: tuple[str, ...]
):
    """A glob crosses both on either side, for specifications and for manifests."""
    shell = Repo(tmp_path / "shell")
    shell.git("submodule", "--quiet", "add", "--branch", "main", str(outer.folder), "inner")
    shell.git("-C", "inner", "submodule", "--quiet", "update", "--init")
    shell.write(
        "guardian.yaml", CONFIG.replace("contracts/specs/users.yaml", f'"{spec}"') + 'consumers: ["inner/**/b*.yaml"]\n'
    )
    shell.commit()
    shell.branch("feature")
    shell.git("-C", "inner", "checkout", "--quiet", "--recurse-submodules", "origin/feature")
    shell.commit()
    outcome = check(shell, *head)
    assert (outcome.code, outcome.rules) == (1, ["property-removed"])
    assert outcome.report["summary"]["consumers_broken"] == ["billing"]
    assert warnings(outcome) == []


def test_submodule_that_a_glob_does_not_name(check: Guardian, repo: Repo, contracts: Repo, tmp_path: Path):
    """A `**` goes everywhere: a submodule that is not here is told, and is no reason to stop."""
    repo.git("checkout", "--quiet", "main")
    repo.git("submodule", "--quiet", "add", str(contracts.folder), "third_party/lib")
    repo.replace("guardian.yaml", "consumers/*.yaml", '"**/billing.yaml"')
    repo.replace("guardian.yaml", "specs/users.yaml", '"**/users.yaml"')
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    repo.write("specs/users.yaml", BROKEN)
    repo.commit()
    bare = repo.clone(tmp_path / "bare")
    bare.git("branch", "main", "origin/main")
    for head in ((), ("--head", "HEAD"), ("--head", ".")):
        outcome = check(bare, "--base", "main", *head)
        assert (outcome.code, outcome.rules) == (1, ["property-removed"])
        assert outcome.report["summary"]["consumers_broken"] == ["billing"]
        assert sum("third_party/lib is a submodule" in message for message in warnings(outcome)) == 2
    bare.git("submodule", "--quiet", "update", "--init")
    bare.git("submodule", "--quiet", "deinit", "--force", "third_party/lib")
    outcome = check(bare, "--base", "main")
    assert outcome.code == 3
    assert "third_party/lib/specs/users.yaml: lies in the submodule third_party/lib, which is not" in outcome.err


def test_submodule_of_a_contracts_repository(check: Guardian, repo: Repo, contracts: Repo, tmp_path: Path):
    """Nobody can add to the copy that guardian keeps, so the remedy is to name the other repository."""
    manifests = Repo(tmp_path / "manifests")
    manifests.git("submodule", "--quiet", "add", str(contracts.folder), "vendor/lib")
    manifests.write("app/billing.yaml", BILLING)
    manifests.commit()
    repo.write("specs/users.yaml", BROKEN)
    outcome = check(repo, "--consumers", f"git+{manifests.folder.as_uri()}#:**/billing.yaml")
    assert outcome.report["summary"]["consumers_broken"] == ["billing"]
    assert any("vendor/lib is a submodule" in message for message in warnings(outcome))
    outcome = check(repo, "--consumers", f"git+{manifests.folder.as_uri()}#:vendor/lib/consumers/*.yaml")
    assert outcome.code == 3
    assert "name that repository itself: git+" in outcome.err


@pytest.mark.parametrize("named", [("--head", "."), ("--head", "contracts")])
def test_folder_with_a_submodule_that_is_not_checked_out(check: Guardian, outer: Repo, named: tuple[str, ...]):
    """Nor is it deleted where the folder at head is named."""
    outer.git("submodule", "--quiet", "deinit", "--force", "contracts")
    outcome = check(outer, "--base", "main", *named)
    assert outcome.code == 3
    assert "lies in the submodule contracts, which is not checked out" in outcome.err


@pytest.mark.parametrize("spec", ["contracts/specs/users.yaml", "contracts/specs/*.yaml", "**/u*.yaml"])
@pytest.mark.parametrize("head", [(), ("--head", ".")])
def test_sparse_checkout_of_a_submodule(check: Guardian, outer: Repo, spec: str, head: tuple[str, ...]):
    """What a submodule's own sparse checkout leaves out is as its index has it."""
    outer.write("guardian.yaml", CONFIG.replace("contracts/specs/users.yaml", f'"{spec}"'))
    outer.git("-C", "contracts", "sparse-checkout", "set", "consumers")
    assert not (outer.folder / "contracts/specs").exists()
    assert check(outer, *head).rules == ["property-removed"]


def test_hook_with_its_own_index(check: Guardian, outer: Repo, monkeypatch: pytest.MonkeyPatch):
    """What a hook says of the outer repository says nothing of the submodule, nor where a glob leads into it."""
    outer.write("guardian.yaml", CONFIG.replace("contracts/specs/users.yaml", "contracts/specs/*.yaml"))
    monkeypatch.setenv("GIT_DIR", ".git")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/index")
    assert check(outer).rules == ["property-removed"]


# --- remedies that work -----------------------------------------------------------------------------------------------


def _run_remedy(repo: Repo, err: str) -> None:
    """Do what the hint of an error says."""
    line = next(line.strip() for line in err.splitlines() if " -- or name both folders" in line)
    repo.git(*shlex.split(line.partition(" -- ")[0])[1:])


@pytest.mark.parametrize("cloned", [False, True])
def test_remedy_for_a_removed_submodule(check: Guardian, outer: Repo, tmp_path: Path, cloned: bool):
    """A fresh clone of a change that removes a submodule knows none, so its URL is taken from base."""
    outer.git("rm", "-q", "--force", "contracts")
    outer.write("guardian.yaml", CONFIG.replace("contracts/specs/", ""))
    outer.write("users.yaml", BROKEN)
    outer.commit()
    bare = outer.clone(tmp_path / "bare")
    bare.git("branch", "main", "origin/main")
    if cloned:
        Repo(tmp_path / "other").commit()
        bare.git("clone", "--quiet", "--bare", str(tmp_path / "other"), ".git/modules/contracts")
    outcome = check(bare, "--base", "main")
    assert outcome.code == 3
    assert outcome.err.count(" in main") == 1
    _run_remedy(bare, outcome.err)
    assert check(bare, "--base", "main").rules == ["property-removed"]


def test_remedy_for_a_submodule_with_another_url(check: Guardian, outer: Repo, tmp_path: Path):
    """The commit of base is where base's .gitmodules says."""
    other = Repo(tmp_path / "other")
    other.write("specs/users.yaml", BROKEN)
    other.commit()
    outer.git("submodule", "--quiet", "set-url", "contracts", str(other.folder))
    outer.git("-C", "contracts", "fetch", "--quiet", str(other.folder))
    outer.git("-C", "contracts", "checkout", "--quiet", "FETCH_HEAD")
    outer.commit()
    clone = outer.clone(tmp_path / "clone", "--recurse-submodules")
    clone.git("branch", "main", "origin/main")
    outcome = check(clone, "--base", "main")
    assert outcome.code == 3
    _run_remedy(clone, outcome.err)
    assert check(clone, "--base", "main").rules == ["property-removed"]


def test_new_submodule(check: Guardian, repo: Repo, contracts: Repo):
    """A submodule that comes with its entry is a new service, which base will have once this is merged."""
    repo.git("submodule", "--quiet", "add", str(contracts.folder), "contracts")
    repo.replace("guardian.yaml", "services:", "services:\n  more: {spec: contracts/specs/users.yaml}")
    outcome = check(repo)
    assert outcome.code == 0
    assert notes(outcome) == [("more is a new service, so nothing of it can break", "contracts/specs/users.yaml")]

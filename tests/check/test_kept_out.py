"""What git keeps out of a commit or of the work tree: ignored and generated files, other clones, sparse checkouts, LFS."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.check.conftest import Guardian
from tests.check.repo import BILLING, CONFIG, SEARCH, USERS, USERS_RENAMED, Repo
from tests.check.test_services import ORDERS, notes, warnings

GENERATED = CONFIG.replace("services:\n", "services:\n  gen: {spec: build/openapi.yaml}\n")
POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 1\n"


@pytest.fixture
def generated(repo: Repo) -> Repo:
    """A service on both sides whose specification is built, and ignored by git."""
    repo.write(".gitignore", "build/\npacts/\n")
    repo.write("guardian.yaml", GENERATED)
    repo.git("checkout", "--quiet", "-B", "main")
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    repo.write("build/openapi.yaml", USERS_RENAMED)
    return repo


# --- specifications that base can never have --------------------------------------------------------------------------


def test_ignored_specification(check: Guardian, generated: Repo):
    """What git ignores is not new in every check: it cannot be compared."""
    outcome = check(generated)
    assert outcome.code == 3
    assert "guardian.yaml:3:" in outcome.err
    assert "service gen: main has no build/openapi.yaml, as git ignores it" in outcome.err
    assert "--base OLD.yaml --head NEW.yaml" in outcome.err


def test_ignored_specification_that_is_named(check: Guardian, generated: Repo):
    """Nor where it is named beside a revision."""
    outcome = check(generated, "--base", "main", "--head", "build/openapi.yaml")
    assert outcome.code == 3
    assert "build/openapi.yaml: main has no such file, as git ignores it" in outcome.err


def test_specification_in_another_clone(check: Guardian, generated: Repo):
    """What a second checkout brings is in no commit either."""
    generated.write("guardian.yaml", GENERATED.replace("build/openapi.yaml", "contracts/*.yaml"))
    generated.git("commit", "-qam", "elsewhere")
    generated.git("branch", "--force", "main")
    Repo(generated.folder / "contracts").write("users.yaml", USERS)
    outcome = check(generated)
    assert outcome.code == 3
    assert "it lies in another repository, contracts" in outcome.err


def test_ignored_specification_of_a_new_entry(check: Guardian, generated: Repo):
    """The check that brings the entry passes, and says what will come of it."""
    outcome = check(generated, "--base", "main^")
    assert outcome.code == 0
    (text,) = [message for message, _ in notes(outcome) if "never will, as git ignores it" in message]
    assert "later checks of gen will end with an error" in text


def test_ignored_specification_of_another_service(check: Guardian, generated: Repo):
    """It is in nobody's way who asks for another service."""
    assert check(generated, "--service", "users").code == 0
    assert check(generated, "--service", "gen").code == 3


def test_two_folders_of_generated_files(check: Guardian, generated: Repo, tmp_path: Path):
    """Two files are compared, ignored or not."""
    (tmp_path / "old.yaml").write_text(USERS)
    outcome = check(generated, "--base", str(tmp_path / "old.yaml"), "--head", "build/openapi.yaml")
    assert outcome.rules == ["property-removed", "property-added"]


def test_specification_that_base_only_names(check: Guardian, repo: Repo):
    """What repairs a base that names a file it does not have passes, with a warning."""
    repo.write("guardian.yaml", CONFIG.replace("services:\n", "services:\n  orders: {spec: orders.yaml}\n"))
    repo.git("checkout", "--quiet", "-B", "main")
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    repo.write("orders.yaml", ORDERS)
    repo.commit()
    outcome = check(repo)
    assert outcome.code == 0
    message = "main names orders in its guardian.yaml, but has no orders.yaml: nothing is compared with it"
    assert (message, "orders.yaml") in notes(outcome)


GLOB = "version: 1\nservices:\n  all: {spec: SPEC}\n  users: {spec: specs/users.yaml}\n"


@pytest.fixture
def globbed(repo: Repo) -> Repo:
    """A service that a glob names; what lies in ``services/gen`` is ignored by git, and not there yet."""
    repo.git("rm", "-rq", "guardian.yaml", "consumers")
    repo.write(".gitignore", "gen/\n")
    repo.write("services/users/api.yaml", USERS)
    return repo


def commit(repo: Repo, spec: str) -> None:
    """Let both sides have a guardian.yaml with this glob."""
    repo.write("guardian.yaml", GLOB.replace("SPEC", f'"{spec}"'))
    repo.git("checkout", "--quiet", "-B", "main")
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")


def test_ignored_specification_under_a_glob(check: Guardian, globbed: Repo):
    """A glob that matches an ignored file besides others says that this one is not checked."""
    commit(globbed, "services/*/api.yaml")
    assert warnings(check(globbed)) == []
    globbed.write("services/gen/api.yaml", ORDERS)
    globbed.write("services/node_modules/api.yaml", ORDERS)
    globbed.write("services/gen/more/api.yaml", ORDERS)
    outcome = check(globbed)
    assert (outcome.code, outcome.changes, outcome.report["summary"]["specs"]) == (0, [], 2)
    [message] = [message for message, file in notes(outcome) if file == "guardian.yaml"]
    assert message.startswith("service all: services/*/api.yaml also matches services/gen/api.yaml, which git ignores")
    assert warnings(check(globbed, "--head", "feature")) == []


@pytest.mark.parametrize("spec", ["services/gen/*.yaml", "services/gen/**/api.yaml"])
def test_only_ignored_specifications_under_a_glob(check: Guardian, globbed: Repo, spec: str):
    """A glob that matches nothing else means them, as a path does: they cannot be compared."""
    commit(globbed, spec)
    globbed.write("services/gen/api.yaml", ORDERS)
    outcome = check(globbed)
    assert outcome.code == 3
    assert "guardian.yaml:3: service all: main has no services/gen/api.yaml, as git ignores it" in outcome.err
    outcome = check(globbed, "--base", "main^")
    assert outcome.code == 0
    assert any("never will, as git ignores it" in message for message, _ in notes(outcome))


def test_builds_copy_specifications(check: Guardian, globbed: Repo):
    """What a glob through all folders matches in the folders of a build is no specification that somebody left out."""
    commit(globbed, "**/api.yaml")
    globbed.write("services/users/gen/api.yaml", USERS)
    assert (check(globbed).code, warnings(check(globbed))) == (0, [])


def test_specification_that_git_no_longer_tracks(check: Guardian, globbed: Repo):
    """A file that base has is compared, ignored now or not; one that is not there is gone, whatever else is ignored."""
    globbed.write("services/orders/api.yaml", ORDERS)
    commit(globbed, "services/*/api.yaml")
    globbed.write(".gitignore", "gen/\nservices/users/\n")
    globbed.git("rm", "-rq", "--cached", "services/users")
    globbed.commit()
    globbed.write("services/users/api.yaml", USERS_RENAMED)
    outcome = check(globbed)
    assert (outcome.rules, warnings(outcome)) == (["property-removed", "property-added"], [])
    globbed.remove("services/users/api.yaml")
    globbed.git("rm", "-rq", "services/orders")
    globbed.write("services/gen/api.yaml", USERS)
    assert check(globbed).rules == ["operation-removed", "operation-removed"]


# --- consumers --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("clone", [False, True])
@pytest.mark.parametrize("pattern", ["pacts/all", "pacts/all/*.yaml", "pacts/**/*.yaml", "pacts", "pacts/all/one.yaml"])
@pytest.mark.parametrize("named", [False, True])
def test_consumers_that_git_does_not_list(check: Guardian, repo: Repo, pattern: str, clone: bool, named: bool):
    """What lies in a folder that is named counts, though git ignores it or another clone brought it."""
    config = CONFIG.replace("consumers/*.yaml", "none" if named else pattern).replace("consumers: [none]\n", "")
    repo.write("guardian.yaml", f"{config}mode: consumers\n")
    repo.write(".gitignore", "" if clone else "pacts/\n")
    repo.write("specs/users.yaml", USERS_RENAMED)
    if clone:
        Repo(repo.folder / "pacts")
    repo.write("pacts/all/one.yaml", BILLING)
    outcome = check(repo, *(("--consumers", pattern) if named else ()))
    assert outcome.code == 1
    assert outcome.report["summary"]["consumers_broken"] == ["billing"]


@pytest.mark.parametrize("pattern", ["apps/**/consumer.yaml", "apps/*/*/*/consumer.yaml", "apps", "**/consumer.yaml"])
def test_ignored_copies_of_manifests(check: Guardian, repo: Repo, pattern: str):
    """A build's copy of a manifest, as it was once, is no reader."""
    repo.write(".gitignore", "target/\n")
    repo.write("apps/web/src/main/consumer.yaml", SEARCH)
    repo.write("apps/web/target/classes/consumer.yaml", BILLING)
    repo.write("specs/users.yaml", USERS_RENAMED)
    assert check(repo, "--consumers", pattern).report["summary"]["consumers_broken"] == []
    named = check(repo, "--consumers", "apps/*/target/classes/*.yaml")
    assert named.report["summary"]["consumers_broken"] == ["billing"]


@pytest.mark.parametrize("ignored", ["pacts/*\n!pacts/.gitkeep\n", "pacts/\n"])
@pytest.mark.parametrize("pattern", ["pacts", "pacts/**/*.yaml", "pacts/*.yaml"])
def test_folder_that_is_kept_for_downloads(check: Guardian, repo: Repo, pattern: str, ignored: str):
    """A folder that git keeps for the sake of what is ignored in it is one for downloads."""
    repo.write(".gitignore", ignored)
    repo.write("pacts/.gitkeep", "")
    repo.write("pacts/one.yaml", BILLING)
    repo.write("specs/users.yaml", USERS_RENAMED)
    assert check(repo, "--consumers", pattern).report["summary"]["consumers_broken"] == ["billing"]


@pytest.mark.parametrize("pattern", ["**/consumer.yaml", "apps/**/consumer.yaml", "apps/*/consumer.yaml"])
def test_linked_work_tree_in_the_repository(check: Guardian, repo: Repo, pattern: str):
    """Another branch that is checked out in here has other manifests, which are none of this one."""
    repo.git("checkout", "--quiet", "main")
    repo.write("apps/web/consumer.yaml", SEARCH)
    repo.write("consumer.yaml", BILLING)
    repo.replace("guardian.yaml", "specs/users.yaml", '"**/users.yaml"')
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    repo.git("rm", "-q", "consumer.yaml")
    repo.write("specs/users.yaml", USERS_RENAMED)
    repo.commit()
    repo.git("worktree", "add", "--quiet", "--detach", "apps/wt", "main")
    outcome = check(repo, "--base", "main", "--consumers", pattern, "--mode", "consumers")
    assert outcome.report["summary"]["specs"] == 1
    assert not any("apps/wt" in str(each) for each in outcome.changes)
    named = check(repo, "--base", "main", "--consumers", "apps/wt/*.yaml")
    assert named.report["summary"]["consumers_broken"] == ["billing"]


def test_processes_that_a_check_starts(check: Guardian, repo: Repo, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Empty folders, ignored ones and new services do not make git be asked once for each."""
    trace = tmp_path / "trace"
    config = "version: 1\nservices:\n  users: {spec: specs/users.yaml}\n"
    repo.write(".gitignore", "build/\n")
    repo.write("apps/web/consumer.yaml", SEARCH)
    for number in range(30):
        (repo.folder / f"apps/web/build/{number}").mkdir(parents=True)
        (repo.folder / f"apps/{number}").mkdir()
        repo.write(f"new/{number}.yaml", USERS)
        config += f"  s{number}: {{spec: new/{number}.yaml}}\n"
    repo.write("guardian.yaml", config)
    monkeypatch.setenv("GIT_TRACE", str(trace))
    for pattern in ("apps/**/consumer.yaml", "apps/*/consumer.yaml", "apps"):
        trace.write_text("")
        assert check(repo, "--consumers", pattern).code == 0
        assert trace.read_text().count("built-in: git") < 20


def test_empty_folder_of_consumers(check: Guardian, repo: Repo):
    """A folder that holds none is told as that: nobody needs a file there."""
    (repo.folder / "pacts").mkdir()
    outcome = check(repo, "--consumers", "pacts")
    assert outcome.code == 0
    assert any("pacts matches no file with consumers" in message for message, _ in notes(outcome))


# --- sparse checkouts -------------------------------------------------------------------------------------------------


def sparse(repo: Repo, folder: str) -> None:
    """Leave out all but one folder, and the files beside it."""
    repo.git("status")  # files that git has not looked at since they were copied are left where they are
    repo.git("sparse-checkout", "set", folder)


def test_sparse_checkout(check: Guardian, repo: Repo):
    """What a sparse checkout leaves out is as the index has it; what is in it is compared."""
    repo.write("services/orders/api.yaml", ORDERS)
    repo.write("services/pay/api.yaml", ORDERS.replace("orders", "pay"))
    repo.write(
        "guardian.yaml",
        "version: 1\nservices:\n  all: {spec: services/*/api.yaml}\n  users: {spec: specs/users.yaml}\n",
    )
    repo.git("checkout", "--quiet", "-B", "main")
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    sparse(repo, "services/pay")
    assert not (repo.folder / "services/orders").exists()
    before = repo.state()
    outcome = check(repo)
    assert (outcome.code, outcome.changes, warnings(outcome)) == (0, [], [])
    assert outcome.report["summary"]["specs"] == 3
    assert repo.state() == before
    repo.git("rm", "-q", "guardian.yaml")
    repo.replace("services/pay/api.yaml", "nickname: {type: string}", "nickname: {type: integer}")
    outcome = check(repo)
    assert (outcome.rules, outcome.services) == (["type-changed"], {"all/pay"})


def test_consumers_outside_of_a_sparse_checkout(check: Guardian, repo: Repo):
    """So are manifests, in a folder, by a glob or by name."""
    sparse(repo, "specs")
    assert not (repo.folder / "consumers").exists()
    repo.write("specs/users.yaml", USERS_RENAMED)
    for pattern in ("consumers", "consumers/*.yaml", "consumers/billing.yaml"):
        outcome = check(repo, "--consumers", pattern)
        assert outcome.report["summary"]["consumers_broken"] == ["billing"]


@pytest.mark.parametrize("head", [".", "specs"])
def test_folder_of_a_sparse_checkout(check: Guardian, repo: Repo, head: str):
    """A folder that is named has what is left out of it as well."""
    repo.write("specs/orders/api.yaml", ORDERS)
    repo.write("guardian.yaml", CONFIG.replace("services:\n", "services:\n  orders: {spec: specs/orders/*.yaml}\n"))
    repo.git("checkout", "--quiet", "-B", "main")
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    sparse(repo, "specs")
    repo.git("sparse-checkout", "set", "--no-cone", "/*", "!/specs/orders")
    assert not (repo.folder / "specs/orders").exists()
    outcome = check(repo, "--base", "main", "--head", head)
    assert (outcome.code, outcome.changes) == (0, [])
    assert outcome.report["summary"]["specs"] == 2


def test_partial_clone_without_its_remote(check: Guardian, repo: Repo, tmp_path: Path):
    """What a partial clone does not have is neither new nor gone, and is told where it is."""
    repo.write("specs/users.yaml", USERS_RENAMED)
    repo.commit()
    repo.git("config", "uploadpack.allowFilter", "true")
    partial = repo.clone(tmp_path / "partial", "--filter=blob:none")
    partial.git("branch", "main", "origin/main")
    repo.folder.rename(tmp_path / "away")
    outcome = check(partial, "--base", "main")
    assert outcome.code == 3
    assert "specs/users.yaml: not in this partial clone, and its remote does not answer" in outcome.err


@pytest.mark.parametrize("base", ["main", "main:specs/users.yaml", "specs/users.yaml"])
def test_named_file_of_a_sparse_checkout(check: Guardian, repo: Repo, base: str):
    """A file that is named itself and left out is as the index has it, on either side."""
    repo.write("specs/users.yaml", USERS_RENAMED)
    repo.git("add", "specs")
    sparse(repo, "consumers")
    assert not (repo.folder / "specs").exists()
    outcome = check(repo, "--base", base, "--head", "specs/users.yaml")
    assert outcome.code == (0 if base == "specs/users.yaml" else 1)
    assert ("property-removed" in outcome.rules) is (base != "specs/users.yaml")


def test_named_folder_of_a_sparse_checkout(check: Guardian, repo: Repo):
    """Of a folder that is not there it is said why, and how to have it."""
    sparse(repo, "consumers")
    outcome = check(repo, "--base", "main", "--head", "specs")
    assert outcome.code == 3
    assert "--head specs: a sparse checkout leaves this folder out of the work tree" in outcome.err
    assert "git sparse-checkout add specs" in outcome.err


def test_deleted_in_a_sparse_checkout(check: Guardian, repo: Repo):
    """What is in the checkout and was deleted is gone."""
    sparse(repo, "specs")
    repo.remove("specs/users.yaml")
    assert check(repo).rules == ["operation-removed"]


# --- Git LFS ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def found(repo: Repo) -> Repo:
    """A repository whose specifications are found by their content."""
    repo.git("rm", "-q", "guardian.yaml")
    repo.git("checkout", "--quiet", "-B", "main")
    repo.commit()
    repo.git("checkout", "--quiet", "-B", "feature")
    return repo


def test_pointer_in_place_of_a_specification(check: Guardian, found: Repo):
    """A specification that moved to Git LFS is not gone, and cannot be read."""
    found.write("specs/users.yaml", POINTER.format(1))
    outcome = check(found)
    assert outcome.code == 3
    assert "specs/users.yaml: Git LFS keeps this file elsewhere" in outcome.err
    assert "`lfs: true`" in outcome.err


def test_pointer_at_base(check: Guardian, found: Repo):
    """Nor is it new where base has a pointer."""
    found.write("specs/users.yaml", POINTER.format(1))
    found.commit()
    found.git("branch", "--force", "main")
    found.write("specs/users.yaml", USERS)
    assert check(found).code == 3


def test_pointers_on_both_sides(check: Guardian, found: Repo):
    """A pointer may be a specification; the one that changed is named with its file."""
    found.write("big.yaml", POINTER.format(1))
    found.write("data.json", POINTER.format(1))
    found.commit()
    found.git("branch", "--force", "main")
    [unchanged] = warnings(check(found))
    assert "Git LFS keeps big.yaml, data.json elsewhere" in unchanged
    assert "git lfs pull" in unchanged
    found.write("big.yaml", POINTER.format(2))
    outcome = check(found)
    assert outcome.code == 0
    [changed] = [message for message, file in notes(outcome) if file == "big.yaml"]
    assert unchanged in warnings(outcome)
    assert "changed; Git LFS keeps it elsewhere" in changed


def test_only_pointers(check: Guardian, found: Repo):
    """Where there is nothing but pointers, they are what is wrong."""
    found.write("specs/users.yaml", POINTER.format(1))
    found.commit()
    found.git("branch", "--force", "main")
    assert check(found).code == 3

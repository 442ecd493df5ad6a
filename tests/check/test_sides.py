"""Every form of ``--base`` and ``--head``: what is compared with what, and what is said where that is impossible."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.check.conftest import Guardian
from tests.check.repo import USERS, USERS_RENAMED, Folder, Outcome, Repo

JSON_SPEC = (
    '{"openapi": "3.0.3", "info": {"title": "Gone", "version": "1"}, "paths": {"/g": {"get": {"responses": {}}}}}'
)


def removed(outcome: Outcome) -> bool:
    """Whether the report says that the field is gone, and that it breaks."""
    assert outcome.code in (0, 1), outcome.err
    found = [each for each in outcome.changes if each["rule"] == "property-removed" and each["field"] == "email"]
    assert bool(found) == (outcome.code == 1)
    return bool(found)


def test_two_files(check: Guardian, folder: Folder):
    """Two files need no configuration; the service is called after the head file."""
    folder.write("was.yaml", USERS)
    folder.write("api/users.yaml", USERS_RENAMED)
    outcome = check(folder, "--base", "was.yaml", "--head", "api/users.yaml")
    assert removed(outcome)
    assert outcome.services == {"users"}
    change = outcome.only("property-removed")
    assert (change["base"]["file"], change["head"]["file"]) == ("was.yaml", "api/users.yaml")


def test_two_files_named_by_service(check: Guardian, folder: Folder):
    """``--service`` names the service of the two-file form; a second name is wrong usage."""
    folder.write("was.yaml", USERS)
    folder.write("now.yaml", USERS_RENAMED)
    sides = ("--base", "was.yaml", "--head", "now.yaml")
    assert check(folder, *sides, "--service", "identity").services == {"identity"}
    outcome = check(folder, *sides, "--service", "identity", "--service", "users")
    assert (outcome.code, outcome.out) == (2, "")
    assert "once" in outcome.err


def test_two_files_outside_of_the_working_directory(check: Guardian, folder: Folder, tmp_path: Path):
    """Files anywhere can be compared, by absolute and by relative paths."""
    folder.write("a/was.yaml", USERS)
    folder.write("b/now.yaml", USERS_RENAMED)
    elsewhere = Folder(tmp_path / "elsewhere")
    outcome = check(elsewhere, "--base", str(folder.folder / "a/was.yaml"), "--head", "../plain/b/now.yaml")
    assert removed(outcome)
    assert outcome.only("property-removed")["head"]["file"] == "../plain/b/now.yaml"


@pytest.mark.parametrize(
    "command",
    [
        "python -m guardian check --base <(cat was.yaml) --head now.yaml",
        "python -m guardian check --base - --head now.yaml < was.yaml",
        "python -m guardian check --base was.yaml --head - < now.yaml",
    ],
)
def test_a_pipe(folder: Folder, command: str):
    """A pipe is a file: ``--base <(git show main:api.yaml)``, and so is standard input, by the name that tools have for it."""
    folder.write("was.yaml", USERS)
    folder.write("now.yaml", USERS_RENAMED)
    done = subprocess.run(
        ["bash", "-c", _here(command)], cwd=folder.folder, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (1, "")


def _here(command: str) -> str:
    import sys

    root = Path(__file__).resolve().parents[2]
    return f"export PYTHONPATH={shlex.quote(str(root))}; {command.replace('python', shlex.quote(sys.executable), 1)}"


def test_two_directories(check: Guardian, folder: Folder):
    """Documents are found by content, paired by relative path, called by it without its ending; one alone is new or gone."""
    folder.write("was/orders/api.yaml", USERS)
    folder.write("was/users.yml", USERS)
    folder.write("was/gone/api.json", JSON_SPEC)
    folder.write("now/orders/api.yaml", USERS_RENAMED)
    folder.write("now/users.yml", USERS)
    folder.write("now/fresh/api.yaml", USERS.replace("title: Users", "title: Fresh"))
    folder.write("now/values.yaml", "openapi-enabled: true\n")
    outcome = check(folder, "--base", "was", "--head", "now")
    assert outcome.code == 1
    by_service = {(each["service"], each["rule"]) for each in outcome.changes}
    assert {("orders/api", "property-removed"), ("gone/api", "operation-removed"), ("fresh/api", "operation-added")} < (
        by_service
    )
    assert "users" not in outcome.services
    assert outcome.report["summary"]["specs"] == 4
    notes = {(note["message"], note["file"]) for note in outcome.report["notes"]}
    assert ("fresh/api is a new service, so nothing of it can break", "now/fresh/api.yaml") in notes
    assert ("gone/api is gone: its specification was deleted", "was/gone/api.json") in notes


def test_two_directories_in_a_repository_with_a_configuration(check: Guardian, repo: Repo):
    """Services of a guardian.yaml that lies in neither folder are looked for in both; unknown documents are not lost."""
    repo.write("out/was/specs/users.yaml", USERS)
    repo.write("out/now/specs/users.yaml", USERS_RENAMED)
    outcome = check(repo, "--base", "out/was", "--head", "out/now")
    assert outcome.services == {"users"}
    assert [hit["consumer"] for hit in outcome.only("property-removed")["consumers"]] == ["billing"]
    repo.write("out/was/other.yaml", USERS)
    repo.write("out/now/other.yaml", USERS_RENAMED)
    for side in ("was", "now"):
        repo.remove(f"out/{side}/specs/users.yaml")
    assert check(repo, "--base", "out/was", "--head", "out/now").services == {"other"}


def test_two_checkouts(check: Guardian, folder: Folder):
    """Two checkouts side by side, each with its guardian.yaml: head's says what there is, base's what there was."""
    config = "services:\n  users: {spec: specs/users.yaml}\n"
    folder.write("was/specs/users.yaml", USERS)
    folder.write("was/old.json", JSON_SPEC)
    folder.write("was/conf/guardian.yaml", config.replace("specs", "../specs") + "  gone: {spec: ../old.json}\n")
    folder.write("now/specs/users.yaml", USERS_RENAMED)
    folder.write("now/conf/guardian.yaml", config.replace("specs", "../specs"))
    outcome = check(folder, "--base", "was", "--head", "now", "--config", "now/conf/guardian.yaml")
    assert {(each["service"], each["rule"]) for each in outcome.changes if each["severity"] == "breaking"} == {
        ("users", "property-removed"),
        ("gone", "operation-removed"),
    }


@pytest.mark.parametrize(
    ("base", "head"),
    [
        pytest.param(None, None, id="nothing named"),
        pytest.param("main", None, id="revision against the work tree"),
        pytest.param("main:specs/users.yaml", None, id="file of a revision against the work tree"),
        pytest.param("main:specs/users.yaml", "specs/users.yaml", id="file of a revision against a file"),
        pytest.param("main:./specs/users.yaml", "./specs/users.yaml", id="as git and shells write them"),
        pytest.param("main", "specs/users.yaml", id="revision against a file"),
        pytest.param(None, "specs/users.yaml", id="nothing against a file"),
        pytest.param("main", ".", id="revision against the folder around"),
        pytest.param("main", "specs", id="revision against a folder"),
        pytest.param(None, "specs", id="nothing against a folder"),
        pytest.param("main:specs", None, id="folder of a revision against the work tree"),
        pytest.param("main:specs", "specs", id="folder of a revision against a folder"),
        pytest.param("main:specs", "specs/users.yaml", id="folder of a revision against a file"),
        pytest.param("v1", None, id="tag"),
        pytest.param("HEAD~0", None, id="expression"),
    ],
)
def test_revisions_against_the_work_tree(check: Guardian, repo: Repo, base: str | None, head: str | None):
    """Whatever names base's side of one file and head's in the work tree compares those two, with their readers."""
    repo.git("tag", "v1", "main")
    repo.write("specs/users.yaml", USERS_RENAMED)
    sides = [*(("--base", base) if base else ()), *(("--head", head) if head else ())]
    outcome = check(repo, *sides)
    assert removed(outcome)
    change = outcome.only("property-removed")
    assert change["service"] == "users"
    assert [hit["consumer"] for hit in change["consumers"]] == ["billing"]
    assert (change["base"]["file"], change["base"]["line"]) == ("specs/users.yaml", 21)
    assert (change["head"]["file"], change["head"]["line"]) == ("specs/users.yaml", 19)


@pytest.mark.parametrize(
    ("base", "head"),
    [
        ("main", "feature"),
        ("main", "feature:specs/users.yaml"),
        ("main:specs", "feature"),
        ("main", "feature:specs"),
        ("main:specs", "feature:specs"),
        ("main:specs/users.yaml", "feature"),
        ("main:specs/users.yaml", "feature:specs/users.yaml"),
        ("main~0", "HEAD"),
    ],
)
def test_two_revisions(check: Guardian, repo: Repo, base: str, head: str):
    """Two revisions are compared as they are, whatever the work tree holds."""
    repo.write("specs/users.yaml", USERS_RENAMED)
    repo.commit()
    repo.write("specs/users.yaml", USERS)
    assert removed(check(repo, "--base", base, "--head", head))


def test_file_against_a_revision(check: Guardian, repo: Repo):
    """A file may be base, and the same file of a revision head."""
    repo.write("specs/users.yaml", USERS_RENAMED)
    repo.commit()
    repo.write("specs/users.yaml", USERS)
    assert removed(check(repo, "--base", "specs/users.yaml", "--head", "HEAD"))


def test_default_base_is_the_merge_base(check: Guardian, repo: Repo):
    """What happened on main since is not this branch's doing; ``--base main`` is that very revision."""
    repo.git("checkout", "--quiet", "main")
    repo.replace("specs/users.yaml", "nickname", "handle")
    repo.commit("somebody else's")
    repo.git("checkout", "--quiet", "feature")
    assert check(repo).changes == []
    assert "nickname" in str(check(repo, "--base", "main").changes)


def test_committed_and_uncommitted_count(check: Guardian, repo: Repo):
    """Head is the work tree: commits of the branch, staged and unstaged edits, untracked files."""
    repo.replace("specs/users.yaml", "nickname: {type: string}", "nickname: {type: integer}")
    repo.commit()
    repo.replace("specs/users.yaml", "id: {type: string}", "id: {type: integer}")
    repo.git("add", "--all")
    repo.write("specs/users.yaml", (repo.folder / "specs/users.yaml").read_text().replace("200", "201"))
    rules = check(repo).rules
    assert rules.count("type-changed") == 0  # the response is another one, so nothing in it is compared
    assert "response-removed" in rules
    repo.replace("specs/users.yaml", "201", "200")
    assert check(repo).rules.count("type-changed") == 2


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("GITHUB_BASE_REF", "release"),
        ("CI_MERGE_REQUEST_DIFF_BASE_SHA", "SHA"),
        ("BITBUCKET_PR_DESTINATION_BRANCH", "release"),
        ("SYSTEM_PULLREQUEST_TARGETBRANCH", "refs/heads/release"),
        ("BUILDKITE_PULL_REQUEST_BASE_BRANCH", "release"),
        ("CHANGE_TARGET", "release"),
    ],
)
def test_base_of_ci(
    check: Guardian, repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str
):
    """In CI the base is the branch that the change goes to."""
    repo.git("checkout", "--quiet", "-b", "release", "main")
    repo.replace("specs/users.yaml", "nickname", "handle")
    sha = repo.commit()
    clone = repo.clone(tmp_path / "clone")
    clone.git("checkout", "--quiet", "-b", "topic", "origin/release")
    monkeypatch.setenv(variable, value.replace("SHA", sha))
    assert check(clone).changes == []
    monkeypatch.delenv(variable)
    monkeypatch.setenv(variable, sha if value == "SHA" else "main")
    clone.replace("specs/users.yaml", "handle", "alias")
    assert "alias" in str(check(clone).changes)


@pytest.mark.parametrize("depth", ["1", "2"])
def test_shallow_clone(check: Guardian, repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, depth: str):
    """A shallow clone ends with 3 and the exact line to run; after running what it says there is an answer."""
    for number in range(3):
        repo.write("README.md", f"{number}\n")
        repo.commit()
    repo.write("specs/users.yaml", USERS_RENAMED)
    repo.commit()
    clone = repo.clone(tmp_path / "clone", "--depth", depth, "--branch", "feature")
    monkeypatch.setenv("GITHUB_BASE_REF", "main")
    told = []
    for _ in range(4):
        outcome = check(clone)
        if outcome.code != 3:
            break
        assert outcome.out == ""
        told.append(outcome.err.splitlines()[-1].strip())
        subprocess.run(shlex.split(told[-1]), cwd=clone.folder, check=True, capture_output=True)
    assert told[0] == "git fetch --depth=1 origin main:refs/remotes/origin/main"
    assert removed(outcome)


def test_shallow_clone_without_an_explicit_base(check: Guardian, repo: Repo, tmp_path: Path):
    """A revision that the clone does not have is named with the line that brings it."""
    first = repo.git("rev-parse", "main")
    repo.write("README.md", "1\n")
    repo.commit()
    clone = repo.clone(tmp_path / "clone", "--depth", "1", "--branch", "feature")
    outcome = check(clone, "--base", first)
    assert (outcome.code, outcome.out) == (3, "")
    assert f"git fetch --depth=1 origin {first}\n" in outcome.err


def test_monorepo_subfolder(check: Guardian, repo: Repo):
    """Run from a subfolder, the same is found, and files are named from there; in a revision, from its root."""
    repo.write("specs/users.yaml", USERS_RENAMED)
    change = check(repo.folder / "specs").only("property-removed")
    assert (change["base"]["file"], change["head"]["file"]) == ("specs/users.yaml", "users.yaml")
    assert change["consumers"][0]["manifest"] == {"file": "../consumers/billing.yaml", "line": 6}
    change = check(repo.folder / "consumers").only("property-removed")
    assert (change["base"]["file"], change["head"]["file"]) == ("specs/users.yaml", "../specs/users.yaml")


def test_configuration_in_a_subfolder(check: Guardian, repo: Repo):
    """A guardian.yaml of a subfolder counts below it; its paths start there, and so do its consumers'."""
    repo.git("checkout", "--quiet", "main")
    (repo.folder / "team").mkdir()
    for path in ("guardian.yaml", "specs", "consumers"):
        repo.git("mv", path, f"team/{path}")
    repo.commit()
    repo.branch("other")
    repo.write("team/specs/users.yaml", USERS_RENAMED)
    for where in (repo.folder / "team", repo.folder / "team" / "specs"):
        change = check(where).only("property-removed")
        assert change["service"] == "users"
        assert [hit["consumer"] for hit in change["consumers"]] == ["billing"]


@pytest.mark.parametrize("link", [False, True])
def test_through_a_link(check: Guardian, repo: Repo, tmp_path: Path, link: bool):
    """A repository that is reached by a link is the same repository."""
    repo.write("specs/users.yaml", USERS_RENAMED)
    where = repo.folder
    if link:
        where = tmp_path / "link"
        where.symlink_to(repo.folder)
    outcome = check(where, "--base", "main", "--head", str(where / "specs/users.yaml"))
    assert removed(outcome)
    assert outcome.services == {"users"}


# --- what cannot be done ------------------------------------------------------------------------------------------

Prepare = Callable[[Repo], None]


@pytest.mark.parametrize(
    ("sides", "code", "said"),
    [
        (["--base", "specs/users.yaml"], 2, "nothing to compare it with"),
        (["--base", "specs/users.yaml", "--head", "specs"], 2, "--head specs is a folder"),
        (["--base", "specs", "--head", "specs/users.yaml"], 2, "--base specs is a folder"),
        (["--base", "specs/user.yaml"], 3, "did you mean specs/users.yaml?"),
        (["--base", "mian"], 3, "did you mean main?"),
        (["--base", "main:specs/user.yaml"], 3, "did you mean specs/users.yaml?"),
        (["--base", "main:../users.yaml"], 3, "leaves the root"),
        (["--head", "nowhere"], 3, "--head nowhere: no such file, directory or revision"),
        (["--base", "--output=/tmp/x"], 3, "no such file, directory or revision"),
        (["--service", "orders"], 2, "there is users"),
    ],
)
def test_what_cannot_be_compared(check: Guardian, repo: Repo, sides: list[str], code: int, said: str):
    """Sides that do not go together are wrong usage, those that are not there unreadable; never a pass."""
    outcome = check(repo, *sides)
    assert (outcome.code, outcome.out) == (code, "")
    assert said in outcome.err


def test_file_outside_of_the_repository(check: Guardian, repo: Repo, tmp_path: Path):
    """A file outside of the repository has no counterpart in a revision, unless it is named."""
    file = tmp_path / "now.yaml"
    file.write_text(USERS_RENAMED)
    outcome = check(repo, "--base", "main", "--head", str(file))
    assert (outcome.code, outcome.out) == (2, "")
    assert "--base main:path/to/spec.yaml" in outcome.err
    assert removed(check(repo, "--base", "main:specs/users.yaml", "--head", str(file)))


def test_no_repository(check: Guardian, folder: Folder):
    """Outside of git both sides must be named."""
    folder.write("users.yaml", USERS)
    outcome = check(folder)
    assert (outcome.code, outcome.out) == (3, "")
    assert "--base FILE --head FILE" in outcome.err


def test_nothing_found(check: Guardian, folder: Folder):
    """No specification on either side is wrong usage, not a pass."""
    folder.write("was/README.md", "nothing\n")
    folder.write("now/package.json", "{}\n")
    outcome = check(folder, "--base", "was", "--head", "now")
    assert (outcome.code, outcome.out) == (2, "")
    assert "no OpenAPI document found in was or now" in outcome.err


def test_nothing_found_in_a_repository(check: Guardian, tmp_path: Path):
    """A repository without specifications is wrong usage as well, empty or not."""
    repo = Repo(tmp_path / "empty")
    outcome = check(repo)
    assert outcome.code == 3
    assert outcome.out == ""
    repo.write("README.md", "nothing\n")
    repo.commit()
    outcome = check(repo)
    assert (outcome.code, outcome.out) == (2, "")
    assert "guardian init" in outcome.err


# --- a commit and itself ------------------------------------------------------------------------------------------

SAME = "base (main) is the same commit as head"


def _notes(outcome: Outcome) -> list[str]:
    return [note["message"] for note in outcome.report["notes"]]


def test_a_default_branch_is_compared_with_itself(check: Guardian, guardian: Guardian, repo: Repo):
    """Where nothing differs because base is what is checked out, the report says so and how to name another base."""
    repo.git("checkout", "--quiet", "main")
    (text,) = _notes(check(repo))
    assert text == f"{SAME}, so only what is not committed was compared; name another base, such as --base HEAD~1"
    assert SAME in guardian(repo, "check").out
    (text,) = _notes(check(repo, "--base", "main", "--head", "feature"))
    assert text == f"{SAME}, so there is nothing to compare; name another base, such as --base HEAD~1"


def test_a_base_that_is_not_what_is_checked_out(check: Guardian, repo: Repo):
    """Nothing is said where another commit is compared, where something differs, and where HEAD itself was asked for."""
    repo.write("specs/users.yaml", USERS_RENAMED)
    assert not any(SAME in text for text in _notes(check(repo)))
    repo.git("checkout", "--quiet", "--", ".")
    assert _notes(check(repo, "--base", "HEAD")) == []
    repo.commit("another")
    assert _notes(check(repo)) == []


def test_the_sides_are_named_on_demand(guardian: Guardian, repo: Repo):
    """``--verbose`` names base with its commit, and head."""
    commit = repo.git("rev-parse", "--short=12", "main")
    line = f"Base is main at {commit}, head is the work tree."
    assert line in guardian(repo, "check", "--verbose").out
    assert line not in guardian(repo, "check").out
    assert f"Base is {commit}, head is" in guardian(repo, "check", "--verbose", "--base", commit).out


@pytest.mark.parametrize(("path", "kind"), [("specs", "folder"), ("specs/users.yaml", "file")])
def test_what_is_named_twice_is_compared_with_itself(check: Guardian, repo: Repo, path: str, kind: str):
    """A command that could never find anything says so."""
    repo.remove("guardian.yaml")
    said = f"base and head are the same {kind}, so there is nothing to compare"
    assert said in _notes(check(repo, "--base", path, "--head", path))
    repo.write("other/users.yaml", USERS)
    other = path.replace("specs", "other")
    assert said not in _notes(check(repo, "--base", path, "--head", other))


# --- folders called as branches -----------------------------------------------------------------------------------


@pytest.mark.parametrize("base", ["specs", ".", "./specs"])
def test_folder_that_would_be_compared_with_itself(check: Guardian, repo: Repo, base: str):
    """A base folder in the work tree, and no head: nothing could ever differ, which is no pass."""
    repo.write("specs/users.yaml", USERS_RENAMED)
    outcome = check(repo, "--base", base)
    assert (outcome.code, outcome.out) == (2, "")
    assert f"--base {base} is a folder here, which would be compared with itself" in outcome.err
    assert "--head FOLDER" in outcome.err


def test_folder_called_as_a_tag(check: Guardian, repo: Repo):
    """The revision is told by its full name, by which it can be meant; with both sides named, that the folder was taken."""
    repo.git("tag", "specs", "main")
    repo.write("specs/users.yaml", USERS_RENAMED)
    assert "the revision of this name is --base refs/tags/specs" in check(repo, "--base", "specs").err
    assert removed(check(repo, "--base", "refs/tags/specs"))
    outcome = check(repo, "--base", "specs", "--head", "specs")
    said = [note["message"] for note in outcome.report["notes"]]
    assert "--base specs is the folder; the revision of this name is refs/tags/specs" in said


def test_folder_of_guardian_yaml(check: Guardian, repo: Repo):
    """`base` of guardian.yaml is no different."""
    repo.write("guardian.yaml", "version: 1\nbase: specs\nservices: {users: {spec: specs/users.yaml}}\n")
    assert check(repo).code == 2


def test_folder_outside_of_the_work_tree(check: Guardian, repo: Repo, tmp_path: Path):
    """Another checkout is a base like any other."""
    was = Folder(tmp_path / "was")
    was.write("specs/users.yaml", USERS)
    repo.write("specs/users.yaml", USERS_RENAMED)
    assert removed(check(repo, "--base", str(was.folder)))


def test_range_of_git(check: Guardian, repo: Repo):
    """What git would call a range are two flags."""
    for dots in ("..", "..."):
        outcome = check(repo, "--base", f"main{dots}HEAD")
        assert (outcome.code, "--base main --head HEAD" in outcome.err) == (3, True)

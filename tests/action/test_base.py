"""What is compared: the base of every event, in every kind of clone."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import apply
import pytest
from forge.remote import Remote

from guardian.errors import ReadError
from guardian.host.base import credentials, ensure, find_range, trust
from guardian.host.event import Event, read_event
from guardian.spec import git, git_files, revisions

DEPTHS = [1, None]


def event(name: str, payload: dict[str, Any], folder: Path, **variables: str) -> Event:
    file = folder / "event.json"
    file.write_text(json.dumps(payload))
    return read_event({"GITHUB_EVENT_NAME": name, "GITHUB_EVENT_PATH": str(file), **variables})


def push(before: str, ref: str = "refs/heads/main") -> dict[str, Any]:
    return {"ref": ref, "before": before, "repository": {"default_branch": "main"}}


def is_complete(repo: Path, commit: str) -> bool:
    """Whether a commit is there with all its files."""
    return bool(git_files.list_files(repo, commit, ""))


@pytest.fixture(scope="module")
def moved_once(hosted: Remote, tmp_path_factory: pytest.TempPathFactory) -> Remote:
    remote = hosted.copied(tmp_path_factory.mktemp("moved"))
    for number in range(3):
        remote.commit(f"main {number}", {"on-main.txt": str(number)}, apply.BRANCH)
    for number in range(2):
        remote.commit(f"rename {number}", {"on-branch.txt": str(number)}, "friday-rename")
    return remote


@pytest.fixture
def moved(moved_once: Remote, tmp_path: Path) -> Remote:
    """The rename's branch left main three commits ago, and has three commits itself."""
    return moved_once.copied(tmp_path)


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("name", ["pull_request", "pull_request_target"])
def test_merge_commit_names_its_base(moved: Remote, tmp_path: Path, depth: int | None, name: str):
    """GitHub's merge commit is compared with the base that it merges into, which one small fetch brings."""
    payload = moved.pull_request("friday-rename")
    ws = moved.checkout(tmp_path / "ws", "refs/pull/7/merge", "refs/remotes/pull/7/merge", depth=depth)
    # By now main is further: what the merge commit was made of still counts.
    moved.commit("main moves on", {"on-main.txt": "later"}, apply.BRANCH)
    found = find_range(ws, event(name, payload, tmp_path))
    assert (found.base, found.head, found.remark) == (payload["pull_request"]["base"]["sha"], None, None)
    assert is_complete(ws, found.base)


@pytest.mark.parametrize("depth", DEPTHS)
def test_checked_out_branch_is_compared_with_the_merge_base(moved: Remote, tmp_path: Path, depth: int | None):
    """Where the pull request's own branch is checked out, history is deepened until it meets the base branch."""
    payload = moved.pull_request("friday-rename")
    ws = moved.checkout(
        tmp_path / "ws", payload["pull_request"]["head"]["sha"], "refs/remotes/pull/7/head", depth=depth
    )
    found = find_range(ws, event("pull_request", payload, tmp_path))
    assert found.base == apply.git(moved.desk, "merge-base", "main", "friday-rename").strip()
    assert found.head is None
    assert is_complete(ws, found.base)


def test_commit_made_in_the_job(moved: Remote, tmp_path: Path):
    """A commit that the remote does not have is compared all the same."""
    payload = moved.pull_request("friday-rename")
    ws = moved.checkout(tmp_path / "ws", payload["pull_request"]["head"]["sha"], "refs/remotes/pull/7/head")
    apply.git(ws, "commit", "--quiet", "--allow-empty", "--message", "made in the job")
    found = find_range(ws, event("pull_request", payload, tmp_path))
    assert found.base == apply.git(moved.desk, "merge-base", "main", "friday-rename").strip()


@pytest.mark.parametrize("depth", DEPTHS)
def test_pull_request_target_reads_the_head_from_git(moved: Remote, tmp_path: Path, depth: int | None):
    """With the base checked out the pull request is fetched, compared, and never put on disk."""
    payload = moved.pull_request("friday-rename", fork=True)
    ws = moved.checkout(tmp_path / "ws", "main", "refs/remotes/origin/main", depth=depth)
    before = sorted(path.name for path in ws.iterdir())
    found = find_range(ws, event("pull_request_target", payload, tmp_path))
    assert found.head == payload["pull_request"]["head"]["sha"]
    assert found.base == apply.git(moved.desk, "merge-base", "main", "friday-rename").strip()
    assert is_complete(ws, found.head)
    assert sorted(path.name for path in ws.iterdir()) == before
    assert apply.git(ws, "status", "--porcelain") == ""


@pytest.mark.parametrize("depth", DEPTHS)
def test_push_to_the_default_branch(moved: Remote, tmp_path: Path, depth: int | None):
    """A push is compared with what was there before it, however many commits ago."""
    before = moved.commit_of("main~2")
    ws = moved.checkout(tmp_path / "ws", "main", "refs/remotes/origin/main", depth=depth)
    found = find_range(ws, event("push", push(before), tmp_path))
    assert (found.base, found.head, found.remark) == (before, None, None)
    assert is_complete(ws, before)


def test_first_push(moved: Remote, tmp_path: Path):
    """Before the first push there was nothing, so there is no base."""
    ws = moved.checkout(tmp_path / "ws", "main", "refs/remotes/origin/main")
    found = find_range(ws, event("push", push("0" * 40), tmp_path))
    assert found.base is None
    assert found.remark


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("name", ["push", "workflow_dispatch", "schedule"])
def test_another_branch(moved: Remote, tmp_path: Path, depth: int | None, name: str):
    """A push to a branch, or a run on one by hand, is compared with where it left the default branch."""
    ws = moved.checkout(tmp_path / "ws", "friday-rename", "refs/remotes/origin/friday-rename", depth=depth)
    payload = push(moved.commit_of("friday-rename~1"), "refs/heads/friday-rename")
    found = find_range(ws, event(name, payload, tmp_path))
    assert found.base == apply.git(moved.desk, "merge-base", "main", "friday-rename").strip()


def test_default_branch_by_hand(moved: Remote, tmp_path: Path):
    """A run of the default branch itself compares nothing, and says so."""
    ws = moved.checkout(tmp_path / "ws", "main", "refs/remotes/origin/main")
    found = find_range(ws, event("workflow_dispatch", push("", ""), tmp_path))
    assert found.base == moved.commit_of("main")
    assert "same commit" in (found.remark or "")


def test_merge_queue(moved: Remote, tmp_path: Path):
    """A merge queue names what its commit is built on."""
    base = moved.commit_of("main")
    payload = {
        "merge_group": {"base_sha": base, "base_ref": "refs/heads/main"},
        "repository": {"default_branch": "main"},
    }
    merge = moved.pull_request("friday-rename")["pull_request"]["merge_commit_sha"]
    ws = moved.checkout(tmp_path / "ws", merge, "refs/remotes/origin/gh-readonly-queue/main/pr-7")
    found = find_range(ws, event("merge_group", payload, tmp_path))
    assert (found.base, found.head) == (base, None)


def test_no_payload(moved: Remote, tmp_path: Path):
    """Without a payload the base is guardian's own default."""
    ws = moved.checkout(tmp_path / "ws", "friday-rename", "refs/remotes/origin/friday-rename", depth=None)
    found = find_range(ws, read_event({"GITHUB_EVENT_NAME": "push"}))
    assert found.base == apply.git(moved.desk, "merge-base", "main", "friday-rename").strip()


def test_unreadable_payload(tmp_path: Path):
    """A payload that is no JSON is an error, not an event without details."""
    (tmp_path / "event.json").write_text("{")
    with pytest.raises(ReadError, match="payload"):
        read_event({"GITHUB_EVENT_NAME": "push", "GITHUB_EVENT_PATH": str(tmp_path / "event.json")})


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize(
    "revision", ["main", "origin/main", "refs/heads/main", "v1.0", "HEAD~1", "main~2", "HEAD", "hash"]
)
def test_named_revision(moved: Remote, tmp_path: Path, depth: int | None, revision: str):
    """A branch, a tag, a hash or an ancestor is fetched where the clone does not have it."""
    apply.git(moved.desk, "tag", "v1.0", "main~3")
    apply.git(moved.desk, "push", "--quiet", "origin", "v1.0")
    known = {"origin/main": "main", "refs/heads/main": "main", "HEAD": "friday-rename", "HEAD~1": "friday-rename~1"}
    if revision == "hash":
        revision = moved.commit_of("main~1")
    ws = moved.checkout(tmp_path / "ws", "friday-rename", "refs/remotes/origin/friday-rename", depth=depth)
    found = ensure(ws, revision)
    assert found == moved.commit_of(known.get(revision, revision))
    assert is_complete(ws, found)


@pytest.mark.parametrize("revision", ["nope", "--upload-pack=touch pwned", "-h", "f" * 40, "main~50", "a b", "*"])
def test_revision_that_is_nowhere(moved: Remote, tmp_path: Path, revision: str):
    """A revision that is nowhere is an unreadable input, and never an option of git."""
    ws = moved.checkout(tmp_path / "ws", "friday-rename", "refs/remotes/origin/friday-rename")
    with pytest.raises(ReadError):
        ensure(ws, revision)
    assert not list(tmp_path.rglob("pwned"))


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize(
    ("revision", "hint"),
    [
        ("nope", "name a branch, a tag or a whole hash of it"),
        ("mian", "did you mean main?"),
        ("origin/friday-renam", "did you mean friday-rename?"),
        ("abcdef1", "a commit that the clone does not have is fetched by its whole hash alone"),
    ],
)
def test_a_revision_that_the_remote_does_not_have(
    moved: Remote, tmp_path: Path, depth: int | None, revision: str, hint: str
):
    """It is the name that is wrong, and not the clone that is shallow: the remote was asked."""
    ws = moved.checkout(tmp_path / "ws", "friday-rename", "refs/remotes/origin/friday-rename", depth=depth)
    with pytest.raises(ReadError) as raised:
        ensure(ws, revision)
    assert raised.value.message == f"there is no revision {revision!r}: neither this clone nor origin has it"
    assert raised.value.hint == hint


def test_failed_fetch_names_its_command(moved: Remote, tmp_path: Path):
    """Where the remote cannot be reached, the command that was tried is the hint."""
    payload = moved.pull_request("friday-rename")
    ws = moved.checkout(tmp_path / "ws", "refs/pull/7/merge", "refs/remotes/pull/7/merge")
    moved.bare.rename(tmp_path / "gone.git")
    with pytest.raises(ReadError) as raised:
        find_range(ws, event("pull_request", payload, tmp_path))
    base = payload["pull_request"]["base"]["sha"]
    assert (raised.value.hint or "").endswith(f"--depth=1 origin {base}")


def test_complete_clone_without_credentials(moved: Remote, tmp_path: Path):
    """A complete clone needs no remote: its own name for the base branch serves."""
    payload = moved.pull_request("friday-rename")
    ws = moved.checkout(tmp_path / "ws", payload["pull_request"]["head"]["sha"], "refs/remotes/pull/7/head", depth=None)
    moved.bare.rename(tmp_path / "gone.git")
    found = find_range(ws, event("pull_request", payload, tmp_path))
    assert found.base == apply.git(moved.desk, "merge-base", "main", "friday-rename").strip()


def test_complete_clone_stays_complete(moved: Remote, tmp_path: Path):
    """Fetching the base never makes a shallow clone of a complete one."""
    moved.commit("elsewhere", {"a.txt": ""}, apply.BRANCH)
    ws = moved.checkout(tmp_path / "ws", "friday-rename", "refs/remotes/origin/friday-rename", depth=None)
    moved.commit("later", {"a.txt": "1"}, apply.BRANCH)
    ensure(ws, moved.commit_of("main"))
    assert not revisions.is_shallow(ws)


def test_unrelated_history(remote: Remote, tmp_path: Path):
    """Branches that never met are an unreadable input, after all of history has been looked at."""
    apply.git(remote.desk, "checkout", "--quiet", "--orphan", "island")
    remote.commit("an island", {"a.txt": ""})
    ws = remote.checkout(tmp_path / "ws", "island", "refs/remotes/origin/island")
    with pytest.raises(ReadError, match="no common ancestor"):
        find_range(ws, event("push", push("", "refs/heads/island"), tmp_path))


def test_foreign_owner(remote: Remote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """In a container the checkout is somebody else's; it is trusted without a trace in anybody's configuration."""
    ws = remote.checkout(tmp_path / "ws", "main", "refs/remotes/origin/main")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(ReadError, match="does not trust"):
        git.ask(ws, "rev-parse", "HEAD")
    for name, value in trust(ws, {}).items():
        monkeypatch.setenv(name, value)
    assert revisions.resolve(ws, "HEAD") == remote.commit_of("main")
    assert not (tmp_path / ".gitconfig").exists()


def test_credentials_are_for_one_server(remote: Remote, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The token is lent to git for GitHub alone, beside settings that were there, and not where git has one already."""
    ws = remote.checkout(tmp_path / "ws", "main", "refs/remotes/origin/main")
    environ = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "a.b", "GIT_CONFIG_VALUE_0": "c"}
    lent = credentials(ws, "secret", "https://github.example", environ)
    for name, value in {**environ, **lent}.items():
        monkeypatch.setenv(name, value)
    header = "http.extraheader"
    assert git.ask(ws, "config", "--get-urlmatch", header, "https://github.example/a/b").startswith(
        b"AUTHORIZATION: basic "
    )
    with pytest.raises(git.GitRefusal):
        git.ask(ws, "config", "--get-urlmatch", header, "https://elsewhere.example/a/b")
    assert git.ask(ws, "config", "a.b") == b"c\n"
    assert credentials(ws, "secret", "https://github.example", {}) == {}


# --- forks --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("name", ["pull_request", "pull_request_target"])
def test_fork_that_is_checked_out(moved: Remote, tmp_path: Path, depth: int | None, name: str):
    """The fork's own main is the head; the base is in the repository that it is to be merged into."""
    base = apply.git(moved.desk, "merge-base", "main", "friday-rename").strip()
    head = moved.commit_of("friday-rename")
    fork = Remote(tmp_path / "stranger/company.git", moved.desk)
    shutil.copytree(moved.bare, fork.bare)
    apply.git(fork.bare, "update-ref", "refs/heads/main", head)
    payload = moved.pull_request("friday-rename", fork=True)
    payload["pull_request"]["base"]["repo"]["clone_url"] = moved.bare.as_uri()
    ws = fork.checkout(tmp_path / "ws", head, "refs/remotes/pull/7/head", depth=depth)
    found = find_range(ws, event(name, payload, tmp_path))
    assert (found.base, found.head) == (base, None)
    assert is_complete(ws, base)
    assert depth or revisions.resolve(ws, "origin/main") == head


def test_run_after_the_merge(moved: Remote, tmp_path: Path):
    """A later run of a merged pull request is compared with what it was merged into."""
    payload = moved.pull_request("friday-rename")
    base = apply.git(moved.desk, "merge-base", "main", "friday-rename").strip()
    apply.git(
        moved.desk,
        "push",
        "--quiet",
        "--force",
        "origin",
        f"{payload['pull_request']['merge_commit_sha']}:refs/heads/main",
    )
    ws = moved.checkout(tmp_path / "ws", payload["pull_request"]["head"]["sha"], "refs/remotes/pull/7/head")
    assert find_range(ws, event("pull_request", payload, tmp_path)).base == base


def test_head_that_is_on_the_base_branch(moved: Remote, tmp_path: Path):
    """Where nothing is left to compare, that is no pass."""
    payload = moved.pull_request("friday-rename")
    payload["pull_request"]["head"]["sha"] = "f" * 40
    ws = moved.checkout(tmp_path / "ws", "main", "refs/remotes/origin/main")
    with pytest.raises(ReadError, match="is on main already, so there is nothing to compare for pull request 7"):
        find_range(ws, event("pull_request", payload, tmp_path))

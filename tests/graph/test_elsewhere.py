"""Declarations in other repositories: fetched once by revision, answered from the cache, pushed to a branch."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from guardian.errors import ReadError, UsageError
from guardian.graph.consumers.elsewhere import GitPlace, Opener, open_elsewhere, parse_git
from guardian.graph.consumers.load import load_consumers
from guardian.graph.consumers.publish import publish
from guardian.spec import remote_git

MANIFEST = "consumer: billing\nuses:\n  - {service: users, operation: 'GET /users/{id}', reads: [email]}\n"


def git(cwd: Path, *args: str) -> str:
    return subprocess.run(["git", *args], cwd=cwd, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture(autouse=True)
def identity(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Git without the settings of whoever runs the tests."""
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(tmp_path / "gitconfig"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    (tmp_path / "gitconfig").write_text("[user]\nname = Ada\nemail = ada@example.org\n[init]\ndefaultBranch = main\n")


@pytest.fixture
def contracts(tmp_path: Path) -> Path:
    """A bare repository with one manifest in it."""
    work, bare = tmp_path / "work", tmp_path / "contracts.git"
    work.mkdir()
    git(work, "init", "-q")
    write(work, {"consumers/billing.yaml": MANIFEST, "README.md": "hello\n"}, "first")
    git(tmp_path, "clone", "-q", "--bare", "work", "contracts.git")
    git(work, "remote", "add", "origin", str(bare))
    return bare


def write(work: Path, files: Mapping[str, str], message: str) -> str:
    for name, text in files.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(text)
    git(work, "add", ".")
    git(work, "commit", "-qm", message)
    return git(work, "rev-parse", "HEAD")


def names(entry: str, cache: Path) -> list[str]:
    opener = Opener(cache)
    found = load_consumers([opener(entry)], ["users"])
    return [f"{each.name} {each.uses[0].origin.file.rpartition('/work/')[2]}" for each in found.consumers]


# --- what is written ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("entry", "place"),
    [
        ("git+https://h/a.git#main:consumers/*.yaml", GitPlace("https://h/a.git", "main", "consumers/*.yaml")),
        ("git+https://h/a.git", GitPlace("https://h/a.git")),
        ("git+https://h/a.git#v1", GitPlace("https://h/a.git", "v1")),
        ("git+https://h/a.git#:x.yaml", GitPlace("https://h/a.git", "", "x.yaml")),
        ("git+ssh://git@h/a.git#feature/x:y", GitPlace("ssh://git@h/a.git", "feature/x", "y")),
        ("git+git@h:team/a.git#main:y", GitPlace("ssh://git@h/team/a.git", "main", "y")),
        ("git+file:///srv/a.git#main:y/", GitPlace("file:///srv/a.git", "main", "y")),
    ],
)
def test_an_entry_has_three_parts(entry: str, place: GitPlace) -> None:
    """Repository, revision and files; the last two may be left out."""
    assert parse_git(entry) == place


@pytest.mark.parametrize(
    "entry", ["git+ext::sh -c touch% x", "git+/srv/a.git", "git+https://", "git+https://h", "git+https://h/a#main:"]
)
def test_other_transports_are_refused(entry: str) -> None:
    """What is no URL of a repository, above all what would run a program, is an error."""
    with pytest.raises(ReadError):
        parse_git(entry)


def test_options_are_no_revisions(contracts: Path, tmp_path: Path) -> None:
    """A revision cannot be an option of git."""
    with pytest.raises(ReadError, match="no branch"):
        remote_git.fetch(contracts.as_uri(), "--upload-pack=touch x", tmp_path / "cache")


# --- fetching -----------------------------------------------------------------------------------------------------


def test_manifests_come_from_another_repository(contracts: Path, tmp_path: Path) -> None:
    """By branch, commit or default branch; files are called by repository and revision."""
    cache = tmp_path / "cache"
    commit = git(contracts, "rev-parse", "main")
    url = contracts.as_uri()
    for fragment in ("#main:consumers/*.yaml", f"#{commit}:consumers", "#:consumers/billing.yaml", "#:consumers"):
        (found,) = names(f"git+{url}{fragment}", cache)
        assert found.startswith("billing ")
        assert found.endswith("consumers/billing.yaml")
    assert not list(tmp_path.glob("cache/**/README.md"))


def test_a_branch_is_asked_for_again(contracts: Path, tmp_path: Path) -> None:
    """What was pushed since then is seen."""
    entry = f"git+{contracts.as_uri()}#main:consumers/*.yaml"
    assert len(names(entry, tmp_path / "cache")) == 1
    write(tmp_path / "work", {"consumers/web.yaml": MANIFEST.replace("billing", "web")}, "second")
    git(tmp_path / "work", "push", "-q", "origin", "main")
    assert len(names(entry, tmp_path / "cache")) == 2


def test_the_cache_answers_when_the_repository_is_gone(contracts: Path, tmp_path: Path) -> None:
    """With a note that says so and why; what was never fetched is an error."""
    cache, url = tmp_path / "cache", contracts.as_uri()
    commit = git(contracts, "rev-parse", "main")
    assert open_elsewhere(f"git+{url}#main:consumers", cache).notes == ()
    assert open_elsewhere(f"git+{url}#{commit}:consumers", cache).notes == ()
    contracts.rename(tmp_path / "gone.git")
    found = open_elsewhere(f"git+{url}#main:consumers", cache)
    (note,) = found.notes
    assert (note.level, commit[:12] in note.message) == ("warning", True)
    assert found.tree.read("consumers/billing.yaml") == MANIFEST.encode()
    # A commit never changes: that it cannot be asked for again is not worth a word.
    assert open_elsewhere(f"git+{url}#{commit}:consumers", cache).notes == ()
    with pytest.raises(ReadError, match="no copy of other"):
        open_elsewhere(f"git+{url}#other:consumers", cache)


def test_a_missing_revision_is_not_offline(contracts: Path, tmp_path: Path) -> None:
    """A branch that was deleted is not answered from the cache."""
    with pytest.raises(ReadError, match="has no revision nope"):
        open_elsewhere(f"git+{contracts.as_uri()}#nope:x", tmp_path / "cache")


def test_credentials_are_not_shown(tmp_path: Path) -> None:
    """Neither an error nor its hint holds what was before the host."""
    with pytest.raises(ReadError) as raised:
        open_elsewhere("git+http://user:s3cret@127.0.0.1:9/a.git#main:x", tmp_path / "cache")
    assert "s3cret" not in str(raised.value)
    assert "127.0.0.1/a" in str(raised.value)
    assert remote_git.redacted("fatal: https://a:b@h/x and ssh://git@h/y") == "fatal: https://h/x and ssh://h/y"


def test_a_cache_that_cannot_be_written_is_told(tmp_path: Path, contracts: Path) -> None:
    """The hint names the variable that moves it."""
    (tmp_path / "file").write_text("")
    with pytest.raises(ReadError) as raised:
        open_elsewhere(f"git+{contracts.as_uri()}#main:x", tmp_path / "file")
    assert "GUARDIAN_CACHE_DIR" in (raised.value.hint or "")


def test_where_the_cache_is() -> None:
    """The variable first, then the user's cache folder."""
    assert remote_git.cache_folder({"GUARDIAN_CACHE_DIR": "/c"}) == Path("/c")
    assert remote_git.cache_folder({"XDG_CACHE_HOME": "/x"}) == Path("/x/guardian")
    assert remote_git.cache_folder({}) == Path.home() / ".cache" / "guardian"


# --- publishing ---------------------------------------------------------------------------------------------------


def show(bare: Path, name: str) -> str:
    return subprocess.run(["git", "show", name], cwd=bare, check=True, capture_output=True, text=True).stdout


def send(bare: Path, text: str, who: Path, *, branch: str = "guardian/web", dry_run: bool = False) -> str | None:
    files = {"consumers/web.yaml": text.encode()}
    done = publish(bare.as_uri(), files, branch, "Declare\n\nSource: x\n", who=who, dry_run=dry_run)
    assert (done.commit is None) or done.diff
    return done.commit


def test_a_manifest_is_pushed_to_a_branch(contracts: Path, tmp_path: Path) -> None:
    """On top of the default branch, with its author and message; the default branch itself stays."""
    main = git(contracts, "rev-parse", "main")
    commit = send(contracts, "consumer: web\nuses: []\n", tmp_path)
    assert git(contracts, "rev-parse", "guardian/web") == commit
    assert git(contracts, "rev-parse", "guardian/web^") == main == git(contracts, "rev-parse", "main")
    assert show(contracts, "guardian/web:consumers/web.yaml") == "consumer: web\nuses: []\n"
    assert show(contracts, "guardian/web:README.md") == "hello\n"
    assert git(contracts, "log", "-1", "--format=%an %s|%b", "guardian/web") == "Ada Declare|Source: x"


def test_what_is_there_is_not_pushed_again(contracts: Path, tmp_path: Path) -> None:
    """On the branch or where it is for; something newer goes on top of the branch."""
    first = send(contracts, "consumer: web\nuses: []\n", tmp_path)
    assert send(contracts, "consumer: web\nuses: []\n", tmp_path) is None
    second = send(contracts, "consumer: web\nowner: a\nuses: []\n", tmp_path)
    assert second is not None
    assert git(contracts, "rev-parse", "guardian/web^") == first
    same = publish(contracts.as_uri(), {"consumers/billing.yaml": MANIFEST.encode()}, "b", "m", who=tmp_path)
    assert (same.commit, same.diff, same.target) == (None, "", "main")


def test_a_dry_run_changes_nothing(contracts: Path, tmp_path: Path) -> None:
    """It says what would change."""
    before = git(contracts, "for-each-ref")
    files = {"consumers/billing.yaml": b"consumer: billing\nuses: []\n"}
    done = publish(contracts.as_uri(), files, "guardian/billing", "m", who=tmp_path, dry_run=True)
    assert "+uses: []" in done.diff
    assert git(contracts, "for-each-ref") == before


def test_nothing_is_forced(contracts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A branch that moved between reading and pushing is not overwritten."""
    send(contracts, "consumer: web\nuses: []\n", tmp_path)
    push = remote_git.push

    def late(repo: Path, url: str, commit: str, branch: str) -> None:
        git(tmp_path / "work", "push", "-qf", "origin", "main:refs/heads/guardian/web")
        write(tmp_path / "work", {"other": "x"}, "other")
        git(tmp_path / "work", "push", "-qf", "origin", "main:refs/heads/guardian/web")
        push(repo, url, commit, branch)

    monkeypatch.setattr(remote_git, "push", late)
    with pytest.raises(ReadError) as raised:
        send(contracts, "consumer: web\nowner: a\nuses: []\n", tmp_path)
    assert "nothing is overwritten" in (raised.value.hint or "")
    assert git(contracts, "log", "-1", "--format=%s", "guardian/web") == "other"


def test_the_branch_that_others_read_is_refused(contracts: Path, tmp_path: Path) -> None:
    """A manifest gets in by a merge; a name that is none is refused as well."""
    for branch in ("main", "-x", "a..b", "a b"):
        with pytest.raises(UsageError):
            send(contracts, "x", tmp_path, branch=branch)
    with pytest.raises(UsageError, match="no branch nope"):
        publish(contracts.as_uri(), {"a": b""}, "b", "m", onto="nope", who=tmp_path)


def test_the_first_manifest_makes_the_first_branch(tmp_path: Path) -> None:
    """An empty repository has no branch to ask anybody to merge into."""
    bare = tmp_path / "empty.git"
    git(tmp_path, "init", "-q", "--bare", str(bare))
    assert send(bare, "consumer: web\nuses: []\n", tmp_path)
    assert git(bare, "ls-tree", "-r", "--name-only", "main") == "consumers/web.yaml"


def test_a_link_in_the_shared_repository_leads_nowhere(contracts: Path, tmp_path: Path) -> None:
    """Nothing is checked out, so a folder that is a link is not written through: git refuses the path."""
    work = tmp_path / "work"
    git(work, "rm", "-rq", "consumers")
    (work / "consumers").symlink_to(tmp_path)
    write(work, {}, "link")
    git(work, "push", "-q", "origin", "main")
    with pytest.raises(ReadError):
        send(contracts, "consumer: web\nuses: []\n", tmp_path)
    assert not (tmp_path / "web.yaml").exists()


def test_the_repository_of_a_hook_is_left_alone(
    contracts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """git tells its hooks by the environment which repository they are in; what is fetched belongs into another one."""
    work = tmp_path / "work"
    refs = git(work, "for-each-ref")
    monkeypatch.setenv("GIT_DIR", str(work / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(work))
    assert names(f"git+file://{contracts}#main:consumers/*.yaml", tmp_path / "cache")[0].startswith("billing")
    assert git(work, "for-each-ref") == refs

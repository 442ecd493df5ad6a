"""Laws of sources: each side answers from its own tree, nothing outside the root, and the work tree stays as it is."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from guardian.errors import ReadError
from guardian.spec import git as git_module
from guardian.spec.discover import discover
from guardian.spec.git_files import FileChange, changed_files
from guardian.spec.sources import Side, default_base, default_head, open_side
from guardian.spec.text import load
from guardian.spec.trees import DirectoryTree, GitTree, MemoryTree, OverlayTree
from guardian.spec.worktree import WorkTree

Git = Callable[..., str]


def git_in(folder: Path) -> Git:
    def git(*args: str) -> str:
        done = subprocess.run(["git", *args], cwd=folder, check=True, capture_output=True, text=True)
        return done.stdout.strip()

    return git


@pytest.fixture(autouse=True)
def plain_git(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith(("GIT_", "GITHUB_", "CI_"))]:
        monkeypatch.delenv(name)
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "t")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "t@example.org")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """main: `specs/users.yaml` at version 1; work tree on branch `feature` at version 2 with one commit more."""
    folder = tmp_path / "repo"
    (folder / "specs").mkdir(parents=True)
    git = git_in(folder)
    git("init", "-q", "-b", "main")
    write(folder, "specs/users.yaml", "openapi: 3.0.0 # 1\n")
    write(folder, "common/types.yaml", "a: 1\n")
    commit(folder, "first")
    git("tag", "v1")
    git("checkout", "-q", "-b", "feature")
    write(folder, "specs/users.yaml", "openapi: 3.0.0 # 2\n")
    commit(folder, "second")
    return folder


def write(folder: Path, path: str, text: str) -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(text)


def commit(folder: Path, message: str) -> str:
    git = git_in(folder)
    git("add", "-A")
    git("commit", "-q", "-m", message)
    return git("rev-parse", "HEAD")


def read(side: Side) -> bytes:
    assert side.path is not None
    return side.tree.read(side.path)


def refusal(call: Callable[[], object]) -> ReadError:
    with pytest.raises(ReadError) as caught:
        call()
    return caught.value


# --- what a user wrote ---


@pytest.mark.parametrize("spec", ["main:specs/users.yaml", "v1:specs/users.yaml", "HEAD~1:specs/users.yaml"])
def test_a_path_in_a_revision_is_read_from_that_revision(repo: Path, spec: str) -> None:
    """The work tree's own version is not looked at, and neighbours resolve on the same side."""
    side = open_side(spec, cwd=repo, role="base")
    assert read(side) == b"openapi: 3.0.0 # 1\n"
    assert side.tree.read("common/types.yaml") == b"a: 1\n"
    assert side.tree.display("specs/users.yaml") == "specs/users.yaml"


def test_paths_in_a_revision_start_at_the_root_or_with_a_dot_here(repo: Path) -> None:
    """As in git: REV:path from the root of the repository, REV:./path from the working directory."""
    here = repo / "specs"
    assert read(open_side("v1:specs/users.yaml", cwd=here, role="base")) == b"openapi: 3.0.0 # 1\n"
    assert read(open_side("v1:./users.yaml", cwd=here, role="base")) == b"openapi: 3.0.0 # 1\n"
    assert read(open_side("v1:../common/types.yaml", cwd=here, role="base")) == b"a: 1\n"


def test_a_revision_is_a_whole_tree(repo: Path) -> None:
    """Branch, tag, hash and relative names alike; a directory of a revision is a tree of its own."""
    sha = git_in(repo)("rev-parse", "v1")
    for spec in ("main", "v1", sha, sha[:8], "HEAD~1"):
        side = open_side(spec, cwd=repo, role="base")
        assert side.path is None
        assert side.tree.files() == ["common/types.yaml", "specs/users.yaml"]
        assert side.label == spec
    part = open_side("v1:specs", cwd=repo, role="base").tree
    assert part.files() == ["users.yaml"]
    assert part.read("users.yaml") == b"openapi: 3.0.0 # 1\n"
    assert part.display("users.yaml") == "specs/users.yaml"


def test_an_existing_path_wins_over_a_revision(repo: Path) -> None:
    """A file called like a branch is the file."""
    write(repo, "main", "openapi: 3.1.0\n")
    write(repo, "v1:x.yaml", "openapi: 3.2.0\n")
    assert read(open_side("main", cwd=repo, role="head")) == b"openapi: 3.1.0\n"
    assert read(open_side("v1:x.yaml", cwd=repo, role="head")) == b"openapi: 3.2.0\n"


def test_a_file_may_refer_to_its_neighbours_up_to_the_working_directory(tmp_path: Path) -> None:
    """Root is the working directory if the file is below it; else its git work tree; else its directory."""
    write(tmp_path, "here/specs/a.yaml", "x")
    write(tmp_path, "here/common/b.yaml", "y")
    side = open_side("specs/a.yaml", cwd=tmp_path / "here", role="head")
    assert (side.path, side.label) == ("specs/a.yaml", "specs/a.yaml")
    assert side.tree.read("specs/../common/b.yaml") == b"y"
    other = open_side("../specs/a.yaml", cwd=tmp_path / "here" / "common", role="head")
    assert (other.path, other.label) == ("a.yaml", "../specs/a.yaml")


def test_a_file_in_another_repository_may_refer_to_all_of_it(repo: Path, tmp_path: Path) -> None:
    """The root of that repository is the root."""
    side = open_side(str(repo / "specs" / "users.yaml"), cwd=tmp_path / "repo" / "common", role="head")
    assert side.path == "specs/users.yaml"
    assert side.tree.read("common/types.yaml") == b"a: 1\n"
    assert side.label == "../specs/users.yaml"


def test_the_defaults_are_merge_base_and_work_tree(repo: Path) -> None:
    """What happened on the default branch since is not held against the change."""
    git = git_in(repo)
    git("checkout", "-q", "main")
    write(repo, "specs/users.yaml", "openapi: 3.0.0 # main moved on\n")
    commit(repo, "third")
    git("checkout", "-q", "feature")
    write(repo, "specs/users.yaml", "openapi: 3.0.0 # not committed\n")
    base, head = open_side(None, cwd=repo / "specs", role="base", environ={}), default_head(repo / "specs")
    assert base.tree.read("specs/users.yaml") == b"openapi: 3.0.0 # 1\n"
    assert head.tree.read("specs/users.yaml") == b"openapi: 3.0.0 # not committed\n"
    assert head.tree.display("specs/users.yaml") == "users.yaml"
    explicit = open_side("main", cwd=repo, role="base")
    assert explicit.tree.read("specs/users.yaml") == b"openapi: 3.0.0 # main moved on\n"


def test_ci_names_the_base(repo: Path, tmp_path: Path) -> None:
    """A branch variable means the merge base with that branch at origin; GitLab names the commit itself."""
    clone = tmp_path / "clone"
    git_in(tmp_path)("clone", "-q", str(repo), str(clone))  # on feature
    by_branch = default_base(clone, {"GITHUB_BASE_REF": "main"})
    first = git_in(repo)("rev-parse", "v1")
    assert isinstance(by_branch.tree, GitTree)
    assert by_branch.tree.commit == first
    by_commit = default_base(clone, {"CI_MERGE_REQUEST_DIFF_BASE_SHA": first})
    assert isinstance(by_commit.tree, GitTree)
    assert by_commit.tree.commit == first


# --- what cannot be read ---


def test_a_shallow_clone_gets_the_line_to_run_and_the_line_works(repo: Path, tmp_path: Path) -> None:
    """Running the hint makes the same call succeed."""
    git = git_in(repo)
    git("checkout", "-q", "main")
    write(repo, "README", "main moved on")
    commit(repo, "third")
    clone = tmp_path / "clone"
    git_in(tmp_path)("clone", "-q", "--depth=1", "--branch=feature", repo.as_uri(), str(clone))
    error = refusal(lambda: open_side("origin/main", cwd=clone, role="base"))
    assert error.hint == "git fetch --depth=1 origin main:refs/remotes/origin/main"
    git_in(clone)(*error.hint.split()[1:])
    assert open_side("origin/main", cwd=clone, role="base").tree.read("specs/users.yaml") == b"openapi: 3.0.0 # 1\n"
    error = refusal(lambda: default_base(clone, {"GITHUB_BASE_REF": "main"}))
    assert error.hint == "git fetch --unshallow"
    git_in(clone)(*error.hint.split()[1:])
    assert default_base(clone, {"GITHUB_BASE_REF": "main"}).tree.read("specs/users.yaml") == b"openapi: 3.0.0 # 1\n"


@pytest.mark.parametrize(
    ("revision", "hint"),
    [
        ("v1", "git fetch --depth=1 origin tag v1"),
        ("HEAD~1", "git fetch --deepen=1"),
        ("0123456", "git fetch --unshallow"),
        ("other", "git fetch --depth=1 origin other:other"),
        (
            "0123456789abcdef0123456789abcdef01234567",
            "git fetch --depth=1 origin " + "0123456789abcdef" * 2 + "01234567",
        ),
    ],
)
def test_each_kind_of_missing_revision_has_its_own_line(repo: Path, tmp_path: Path, revision: str, hint: str) -> None:
    """Tags, ancestors, branches and hashes are fetched differently."""
    clone = tmp_path / "clone"
    git_in(tmp_path)("clone", "-q", "--depth=1", "--no-tags", repo.as_uri(), str(clone))
    assert refusal(lambda: open_side(revision, cwd=clone, role="base")).hint == hint


@pytest.mark.parametrize("revision", ["HEAD@{1}", "--output=/x", ":/x", "a b", "origin/", "main..other"])
def test_what_no_remote_can_have_has_no_line(repo: Path, tmp_path: Path, revision: str) -> None:
    """A hint is a command that can be run, or no command."""
    clone = tmp_path / "clone"
    git_in(tmp_path)("clone", "-q", "--depth=1", "--no-tags", repo.as_uri(), str(clone))
    git_in(clone)("remote", "set-head", "origin", "--delete")
    error = refusal(lambda: open_side(revision, cwd=clone, role="base"))
    assert error.message == f"--base {revision}: no such file, directory or revision"
    assert "git fetch" not in (error.hint or "")


def test_a_line_is_quoted_for_a_shell(repo: Path, tmp_path: Path) -> None:
    """A branch may have a name that means more to a shell than to git."""
    clone = tmp_path / "clone"
    git_in(tmp_path)("clone", "-q", "--depth=1", repo.as_uri(), str(clone))
    error = refusal(lambda: open_side("fix$(x)", cwd=clone, role="base"))
    assert error.hint == "git fetch --depth=1 origin 'fix$(x):fix$(x)'"


def test_a_shallow_merge_checkout_needs_no_history(repo: Path, tmp_path: Path) -> None:
    """CI checks out a pull request's merge commit: its parents name the base's tip."""
    git = git_in(repo)
    git("checkout", "-q", "main")
    write(repo, "README", "x")
    tip = commit(repo, "third")
    git("checkout", "-q", "-b", "pr", "main")
    git("merge", "-q", "--no-ff", "-m", "merge", "feature")
    clone = tmp_path / "clone"
    git_in(tmp_path)("clone", "-q", "--depth=1", "--branch=pr", repo.as_uri(), str(clone))
    git_in(clone)("fetch", "-q", "--depth=1", "origin", "main:refs/remotes/origin/main")
    base = default_base(clone, {"GITHUB_BASE_REF": "main"}).tree
    assert isinstance(base, GitTree)
    assert base.commit == tip


def test_unknown_names_are_answered_with_close_ones(repo: Path) -> None:
    """Branches for revisions, paths for paths."""
    assert refusal(lambda: open_side("mian", cwd=repo, role="base")).hint == "did you mean main?"
    error = refusal(lambda: open_side("v1:specs/user.yaml", cwd=repo, role="base"))
    assert error.message == "no such file in v1"
    assert error.hint == "did you mean specs/users.yaml?"
    error = refusal(lambda: open_side("specs/user.yaml", cwd=repo, role="head"))
    assert error.hint == "did you mean specs/users.yaml?"
    assert "directory" in refusal(lambda: DirectoryTree(repo, repo).read("specs")).message


@pytest.mark.parametrize(
    ("spec", "hint"),
    [
        ("READ.md", "did you mean README.md?"),
        ("nope/READ.md", "nope does not exist"),
        ("nope.md", None),
        ("nowhere", None),
        ("x" * 300, None),
    ],
)
def test_what_is_neither_path_nor_revision(repo: Path, spec: str, hint: str | None) -> None:
    """Whatever its ending, it may have been meant for either."""
    write(repo, "README.md", "x")
    error = refusal(lambda: open_side(spec, cwd=repo, role="base"))
    assert (error.message, error.hint) == (f"--base {spec}: no such file, directory or revision", hint)


@pytest.mark.parametrize("inside", [True, False])
def test_a_url_is_not_taken_for_a_revision(repo: Path, tmp_path: Path, inside: bool) -> None:
    """In a repository or not, the remedy is to fetch the file."""
    cwd = repo if inside else tmp_path
    error = refusal(lambda: open_side("https://example.com/a.yaml", cwd=cwd, role="base"))
    assert error.message == "--base https://example.com/a.yaml: guardian reads no URLs"
    assert "fetch the file first" in (error.hint or "")


def test_links_that_lead_nowhere_are_said_to(repo: Path) -> None:
    """Not that there is no such file, with the link itself as the one that was meant."""
    (repo / "loop.yaml").symlink_to("loop.yaml")
    (repo / "dangling").symlink_to("gone.yaml")
    assert "a link that leads to itself" in refusal(lambda: open_side("loop.yaml", cwd=repo, role="base")).message
    error = refusal(lambda: open_side("dangling", cwd=repo, role="base"))
    assert "a link to gone.yaml, which is not there" in error.message


def test_a_bare_repository_has_revisions_and_no_work_tree(repo: Path, tmp_path: Path) -> None:
    """Its revisions can be compared; what needs a work tree says that it has none."""
    git_in(tmp_path)("clone", "-q", "--bare", str(repo), "bare.git")
    bare = tmp_path / "bare.git"
    assert open_side("feature", cwd=bare, role="head").tree.files() == ["common/types.yaml", "specs/users.yaml"]
    assert read(open_side("main:specs/users.yaml", cwd=bare, role="base")) == b"openapi: 3.0.0 # 1\n"
    error = refusal(lambda: default_head(bare))
    assert "bare repository" in error.message
    assert error.hint == "name a revision: --head REVISION"


def test_without_git_the_hint_names_the_flag(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file or a directory needs no git; `guardian init`, which has no such flag, is not told of one."""
    monkeypatch.setenv("PATH", "")
    error = refusal(lambda: open_side("main", cwd=repo, role="base"))
    assert error.hint == "install git, or name a file or a directory: --base PATH"
    assert refusal(lambda: git_module.find_root(repo)).hint == "install git"


@pytest.mark.parametrize("places", [{"GIT_DIR": "../.git", "GIT_WORK_TREE": ".."}, {"GIT_WORK_TREE": ".."}])
def test_the_environment_may_name_repository_and_work_tree(
    repo: Path, places: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From where guardian was started, though git is asked elsewhere."""
    monkeypatch.chdir(repo / "specs")
    for name, value in places.items():
        monkeypatch.setenv(name, value)
    cwd = repo / "specs"
    assert default_head(cwd).tree.files() == ["common/types.yaml", "specs/users.yaml"]
    assert read(open_side("main:./users.yaml", cwd=cwd, role="base")) == b"openapi: 3.0.0 # 1\n"


def test_a_work_tree_elsewhere_keeps_its_repository(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the environment names no repository it is the one around the working directory."""
    write(tmp_path, "other/api.yaml", "openapi: 3.0.0 # 3\n")
    monkeypatch.chdir(repo)
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "other"))
    head, base = default_head(repo).tree, open_side("v1", cwd=repo, role="base").tree
    assert (head.read("api.yaml"), base.read("specs/users.yaml")) == (b"openapi: 3.0.0 # 3\n", b"openapi: 3.0.0 # 1\n")
    assert head.files() == ["api.yaml"]


def test_what_git_refuses_is_an_error_in_its_own_words(tmp_path: Path) -> None:
    """Where nobody has expected it."""
    error = refusal(lambda: git_module.ask(tmp_path, "rev-parse", "--git-dir"))
    assert error.message.startswith("git refuses: not a git repository")
    assert error.exit_code == 3


def test_a_repository_without_a_commit_has_nothing_to_compare_with(tmp_path: Path) -> None:
    """No branch that could be named is of any help there."""
    git_in(tmp_path)("init", "-q")
    error = refusal(lambda: default_base(tmp_path, {}))
    assert error.message == "this repository has no commit yet, so there is nothing to compare with"
    assert error.hint == "commit what is there: the next changes are compared with that"


def test_outside_of_git_revisions_are_explained(tmp_path: Path) -> None:
    """No traceback of git's, and no guess."""
    assert "no git repository" in (refusal(lambda: open_side("main", cwd=tmp_path, role="base")).hint or "")
    assert "not inside a git repository" in refusal(lambda: default_base(tmp_path, {})).message
    assert isinstance(default_head(tmp_path).tree, DirectoryTree)


@pytest.mark.parametrize(
    "spec", ["--output=x", "C:\\specs\\users.yaml", "C:/specs/users.yaml", "", "v1:../../x", "nope:x"]
)
def test_odd_names_are_refused_and_never_become_options(repo: Path, spec: str) -> None:
    """A drive letter is no revision, and a leading dash no flag of git's."""
    if spec == "":
        assert open_side(spec, cwd=repo, role="base").path is None  # the working directory
        return
    refusal(lambda: open_side(spec, cwd=repo, role="base"))
    assert not (repo / "x").exists()


# --- roots and links ---


def test_nothing_outside_the_root_is_read(repo: Path, tmp_path: Path) -> None:
    """Neither by `..`, nor by an absolute path, nor through a link, on disk or in a revision."""
    write(tmp_path, "secret", "s")
    (repo / "specs" / "out.yaml").symlink_to(tmp_path / "secret")
    (repo / "specs" / "in.yaml").symlink_to("../common/types.yaml")
    commit(repo, "links")
    on_disk = DirectoryTree(repo, repo)
    in_git = open_side("HEAD", cwd=repo, role="base").tree
    for tree in (on_disk, in_git, OverlayTree(on_disk, {}), MemoryTree({})):
        for path in ("../secret", "/etc/hostname", "specs/../../secret", "specs/out.yaml", "nul\0", "C:\\x"):
            refusal(lambda tree=tree, path=path: tree.read(path))  # type: ignore[misc]
            assert not tree.exists(path)
    for path in ("../secret", "specs/out.yaml", "specs", "nul\0"):
        same = [refusal(lambda look=look, path=path: look(path)) for look in (on_disk.read, on_disk.size)]  # type: ignore[misc]
        assert len({each.message for each in same}) == 1
    for tree in (on_disk, in_git):
        assert tree.read("specs/in.yaml") == b"a: 1\n"
        assert tree.files() == ["common/types.yaml", "specs/users.yaml"]
    assert on_disk.size("specs/in.yaml") == len(b"a: 1\n")
    narrow = DirectoryTree(repo / "specs", repo)
    assert "link" in refusal(lambda: narrow.read("in.yaml")).message


def test_files_leave_out_what_is_not_the_projects_own(repo: Path) -> None:
    """Packages, environments and git's own files, committed or not; ignored files only in a plain directory."""
    for path in ("node_modules/x/api.yaml", "env/pyvenv.cfg", "env/lib/api.yaml", "sub/.venv/api.yaml", "sub/api.yaml"):
        write(repo, path, "openapi: 3.0.0\n")
    expected = ["common/types.yaml", "specs/users.yaml", "sub/api.yaml"]
    assert DirectoryTree(repo, repo).files() == expected
    assert default_head(repo).tree.files() == expected
    commit(repo, "all of it")
    assert open_side("HEAD", cwd=repo, role="base").tree.files() == expected
    write(repo, ".gitignore", "out/\n")
    write(repo, "out/api.yaml", "openapi: 3.0.0\n")
    (repo / "sub" / "api.yaml").unlink()
    assert default_head(repo).tree.files() == [".gitignore", "common/types.yaml", "specs/users.yaml"]


Lock = Callable[[Path], None]


@pytest.fixture
def lock(monkeypatch: pytest.MonkeyPatch) -> Lock:
    """Take the permission to look into a folder, which root would have all the same."""
    locked: list[Path] = []

    def guarded(call: Callable[..., object], inside_only: bool) -> Callable[..., object]:
        def asked(path: object = ".", *args: object, **options: object) -> object:
            place = Path(os.fsdecode(path)) if isinstance(path, str | bytes | os.PathLike) else None
            for folder in locked:
                if place is not None and (folder in place.parents or (place == folder and not inside_only)):
                    raise PermissionError(errno.EACCES, "Permission denied", str(place))
            return call(path, *args, **options)

        return asked

    def git_in_it(cwd: Path, *args: str, told: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
        done = asked(cwd, *args, told=told)
        if args[0] == "ls-files":
            root = Path(git_module.line(cwd, "rev-parse", "--show-toplevel"))
            for folder in locked:
                said = f"warning: could not open directory '{folder.relative_to(root)}/': Permission denied\n"
                done.stderr += said.encode()
        return done

    asked = git_module.asked
    monkeypatch.setattr(git_module, "asked", git_in_it)
    monkeypatch.setattr(os, "scandir", guarded(os.scandir, inside_only=False))
    for name in ("stat", "lstat"):
        monkeypatch.setattr(os, name, guarded(getattr(os, name), inside_only=True))
    return locked.append


@pytest.mark.parametrize("kind", ["directory", "work tree", "part of a work tree"])
def test_a_folder_that_cannot_be_read_is_never_passed_over(repo: Path, lock: Lock, kind: str) -> None:
    """What is in it may be a specification; where it does not matter, it does not stop anything."""
    write(repo, "apis/closed/api.yaml", "openapi: 3.0.0\n")
    write(repo, "apis/open/api.yaml", "openapi: 3.0.0\n")
    trees = {
        "directory": DirectoryTree(repo / "apis", repo),
        "work tree": WorkTree(repo, repo),
        "part of a work tree": WorkTree(repo / "apis", repo),
    }
    tree, prefix = trees[kind], "apis/" if kind == "work tree" else ""
    lock(repo / "apis/closed")
    for folder in ("", prefix + "closed", prefix + "closed/deep"):
        error = refusal(lambda: tree.files(complete_below=folder))  # noqa: B023  # called at once
        assert (error.file, error.message) == ("apis/closed", "cannot be read: Permission denied")
        assert "make it readable" in (error.hint or "")
    assert prefix + "open/api.yaml" in tree.files(complete_below=prefix + "open")
    assert prefix + "open/api.yaml" in tree.files()
    assert "Permission denied" in refusal(lambda: discover(Side(tree))).message


def test_what_cannot_be_looked_at_is_not_taken_for_absent(repo: Path, lock: Lock) -> None:
    """A specification in a locked folder has not been deleted."""
    lock(repo / "specs")
    tree = DirectoryTree(repo, repo)
    assert tree.exists("specs/users.yaml")
    assert refusal(lambda: tree.read("specs/users.yaml")).message == "cannot be read: Permission denied"
    error = refusal(lambda: open_side("specs/users.yaml", cwd=repo, role="head"))
    assert error.message == "--head specs/users.yaml: cannot be read: Permission denied"


def test_a_locked_folder_is_told_by_the_file_that_is_wanted(repo: Path, lock: Lock) -> None:
    """And not by one that was only looked for there, such as a repository's ``.git``."""
    write(repo, ".git/info/sparse-checkout", "/*\n")
    lock(repo / "specs")
    error = refusal(lambda: WorkTree(repo, repo).read("specs/users.yaml"))
    assert (error.file, error.message) == ("specs/users.yaml", "cannot be read: Permission denied")


def test_a_folder_that_is_locked_indeed(repo: Path) -> None:
    """The same by the system's own doing, and in git's own words."""
    write(repo, "closed/api.yaml", "openapi: 3.0.0\n")
    (repo / "closed").chmod(0)
    try:
        if os.access(repo / "closed", os.R_OK):
            pytest.skip("whoever runs this, root perhaps, may read everything")
        for tree in (DirectoryTree(repo, repo), WorkTree(repo, repo)):
            assert refusal(lambda: tree.files(complete_below="")).file == "closed"  # noqa: B023  # called at once
    finally:
        (repo / "closed").chmod(0o755)


def test_a_pointer_of_lfs_is_not_taken_for_the_file(repo: Path) -> None:
    """Its text would be read as YAML otherwise."""
    write(repo, "specs/big.yaml", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    error = refusal(lambda: load(DirectoryTree(repo, repo).read("specs/big.yaml"), "specs/big.yaml"))
    assert "LFS" in error.message


def test_a_repository_that_git_does_not_trust_is_named_with_the_remedy(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Containers mount repositories of other owners; files can be compared all the same."""
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    error = refusal(lambda: open_side("main", cwd=repo, role="base"))
    assert "dubious ownership" in error.message
    assert error.hint == f"git config --global --add safe.directory {repo}"
    assert read(open_side(str(repo / "specs/users.yaml"), cwd=repo / "common", role="head"))


def test_an_overlay_replaces_and_adds(tmp_path: Path) -> None:
    """What lies under it is not changed."""
    below = MemoryTree({"a.yaml": b"1", "b.yaml": b"2"}, "below")
    above = OverlayTree(below, {"b.yaml": b"3", "c.yaml": b"4"})
    assert [above.read(path) for path in above.files()] == [b"1", b"3", b"4"]
    assert above.exists("c.yaml")
    assert not below.exists("c.yaml")
    assert (above.label, above.display("x/../a.yaml")) == ("below", "x/../a.yaml")


def test_reading_changes_nothing(repo: Path) -> None:
    """Work tree, index and refs are the same bytes afterwards."""

    def state() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in sorted(repo.rglob("*")) if path.is_file()}

    write(repo, "untracked.yaml", "x")
    os.utime(repo / "specs" / "users.yaml")  # makes git want to refresh its index
    before = state()
    base = open_side("main", cwd=repo, role="base")
    assert isinstance(base.tree, GitTree)
    base.tree.read("specs/users.yaml")
    base.tree.files()
    default_head(repo).tree.files()
    changed_files(repo, base.tree.commit)
    assert state() == before


# --- what changed ---


def test_changed_files_pairs_renames_and_counts_untracked_files(repo: Path) -> None:
    """Between two commits, and between a commit and the work tree."""
    git = git_in(repo)
    text = "".join(f"line {number}\n" for number in range(30))
    write(repo, "specs/orders.yaml", text)
    write(repo, "specs/gone.yaml", "x")
    before = commit(repo, "before")
    git("mv", "specs/orders.yaml", "specs/sales ä.yaml")
    (repo / "specs" / "gone.yaml").unlink()
    write(repo, "specs/users.yaml", "openapi: 3.1.0\n")
    write(repo, "specs/fresh.yaml", "y")
    expected = [
        FileChange(None, "specs/fresh.yaml"),
        FileChange("specs/gone.yaml", None),
        FileChange("specs/orders.yaml", "specs/sales ä.yaml"),
        FileChange("specs/users.yaml", "specs/users.yaml"),
    ]
    assert changed_files(repo, before) == expected
    assert [change.renamed for change in expected] == [False, False, True, False]
    assert changed_files(repo, before, commit(repo, "after")) == expected
    assert changed_files(repo, before, before) == []


def test_the_remote_may_have_any_name(repo: Path, tmp_path: Path) -> None:
    """``git clone --origin upstream``: the default branch, CI's and the line to run are that remote's."""
    first = git_in(repo)("rev-parse", "v1")
    clone = tmp_path / "clone"
    git_in(tmp_path)("clone", "-q", "--origin=upstream", "--branch=feature", str(repo), str(clone))
    git = git_in(clone)
    git("remote", "set-head", "upstream", "main")
    for environ in ({}, {"GITHUB_BASE_REF": "main"}, {"CHANGE_TARGET": "upstream/main"}):
        side = default_base(clone, environ)
        assert isinstance(side.tree, GitTree)
        assert side.tree.commit == first
    for name in git("for-each-ref", "--format=%(refname)", "refs/remotes").split():
        git("update-ref", "-d", "--no-deref", name)
    for environ in ({}, {"GITHUB_BASE_REF": "main"}):
        error = refusal(lambda: default_base(clone, environ))  # noqa: B023  # called at once
        assert error.hint == "git fetch upstream main:refs/remotes/upstream/main"
    git(*error.hint.split()[1:])
    assert default_base(clone, {}).label == "upstream/main"

"""Questions to git, asked so that nothing changes and nobody is prompted.

Every call goes through `ask`: no shell, untranslated messages, a time limit, no index refresh. Objects are read
through one long-running ``git cat-file --batch`` per repository and revision. What git refuses becomes a
`ReadError` that names the command which mends it.
"""

from __future__ import annotations

import difflib
import functools
import os
import re
import shlex
import subprocess
import threading
import weakref
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from guardian.errors import ReadError

#: Seconds that one question to git may take; a first rename detection in a very large repository is the slowest.
TIMEOUT_S = 120

#: Variables in which CI systems name the branch that a change is to be merged into.
BASE_BRANCH_VARIABLES = (
    "GITHUB_BASE_REF",
    "BITBUCKET_PR_DESTINATION_BRANCH",
    "SYSTEM_PULLREQUEST_TARGETBRANCH",
    "BUILDKITE_PULL_REQUEST_BASE_BRANCH",
    "CHANGE_TARGET",
)
#: The variable in which GitLab names the merge base itself.
BASE_COMMIT_VARIABLE = "CI_MERGE_REQUEST_DIFF_BASE_SHA"

DEFAULT_BRANCHES = ("origin/HEAD", "origin/main", "origin/master", "main", "master")

_SHA = re.compile(r"[0-9a-f]{7,64}")
#: What git takes as the name of a branch or tag: a place that can be fetched, unlike `HEAD@{1}` and `:/fix`.
_REF_NAME = re.compile(
    r"(?!-|/|.*(\.\.|//|@\{|/\.|\.lock(/|$)|[./]$))(?!@$|\.|(FETCH_|ORIG_)?HEAD$)[^\x00-\x20\x7f~^:?*\[\\]+"
)
#: Variables that name a place from the directory that guardian was started in, while git is asked in the root.
_PLACES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR")
#: Variables, as hooks have them, that say where one repository keeps what: no other is asked with them.
_OF_ONE_REPOSITORY = (*_PLACES, "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX")
_UNLISTED = re.compile(r"warning: could not open directory '(.*)/': (.*)")


class FileChange(NamedTuple):
    """A path that differs between two sides; ``None`` on the side that does not have it, unequal when renamed."""

    base: str | None
    head: str | None

    @property
    def renamed(self) -> bool:
        return self.base is not None and self.head is not None and self.base != self.head


class GitRefusal(ReadError):
    """git ended with an error; as text it is git's own message."""

    def __init__(self, words: str) -> None:
        super().__init__(f"git refuses: {words}")
        self.words = words

    def __str__(self) -> str:
        return self.words


class NotInClone(ReadError):
    """A partial clone does not have an object, and the remote that has it does not give it."""

    def __init__(self) -> None:
        super().__init__("not in this partial clone, and its remote does not answer")


class NoGit(ReadError):
    """git is not installed, and something in a repository was asked for."""


class CommitFiles(NamedTuple):
    """The regular files of a commit, and its submodules' folders."""

    paths: list[str]
    submodules: list[str]


class WorkTreeFiles(NamedTuple):
    """The files of a work tree, and the folders that git could not look into, each with the reason."""

    paths: list[str]
    unread: list[tuple[str, str]]


def ask(cwd: Path, *args: str, told: bytes = b"") -> bytes:
    """What ``git ARGS`` prints in ``cwd``, perhaps told something on its standard input.

    Raises:
        GitRefusal: git ended with an error.
        ReadError: git is not installed, does not answer in time, or does not trust the repository.
    """
    return _asked(cwd, *args, told=told).stdout


def _asked(cwd: Path, *args: str, told: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    try:
        done = subprocess.run(
            _command(*args),
            cwd=cwd,
            env=_environment(*args),
            input=told,
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    except FileNotFoundError:
        raise _no_git() from None
    except subprocess.TimeoutExpired:
        raise ReadError(f"`git {args[0]}` gave no answer within {TIMEOUT_S} s") from None
    if done.returncode == 0:
        return done
    message = done.stderr.decode(errors="replace").strip()
    if "dubious ownership" in message:
        first, _, rest = message.partition("\n")
        remedy = next((line.strip() for line in rest.splitlines() if "safe.directory" in line), None)
        raise ReadError(f"git does not trust this repository: {first.removeprefix('fatal: ')}", hint=remedy)
    raise GitRefusal(message.removeprefix("fatal: "))


def _no_git() -> NoGit:
    return NoGit("git is not installed or not on the PATH", hint="install git")


def _command(*args: str) -> list[str]:
    # A repository's own configuration may name programs to run: leave fsmonitor out.
    return ["git", "-c", "core.fsmonitor=false", "-c", "core.quotePath=false", *args]


def elsewhere(git_dir: Path | None) -> list[str]:
    """The options for a repository that is not the one around the working directory; the environment's gives way.

    A clone that is kept for a submodule names a work tree, which need not be there.
    """
    return [] if git_dir is None else [f"--git-dir={git_dir}", f"--work-tree={git_dir}"]


def checked_out(git_dir: Path | None, folder: Path) -> list[str]:
    """As `elsewhere`, for a repository with its work tree."""
    return [] if git_dir is None else [f"--git-dir={git_dir}", f"--work-tree={folder}"]


def _environment(*args: str) -> dict[str, str]:
    places = {name: os.path.abspath(os.environ[name]) for name in _PLACES if os.environ.get(name)}
    if "GIT_WORK_TREE" in places and "GIT_DIR" not in places:
        repository = _repository_around(os.getcwd())
        places |= {"GIT_DIR": repository} if repository is not None else {}
    settled = {"LC_ALL": "C", "LANGUAGE": "", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
    found = {**os.environ, **places, **settled}
    if args and args[0].startswith("--git-dir="):
        return {name: value for name, value in found.items() if name not in _OF_ONE_REPOSITORY}
    return found


@functools.cache
def _repository_around(folder: str) -> str | None:
    """The ``.git`` that git finds from a folder: the one that goes with a work tree somewhere else."""
    done = subprocess.run(_command("rev-parse", "--absolute-git-dir"), cwd=folder, capture_output=True, check=False)
    return os.fsdecode(done.stdout).strip() if done.returncode == 0 else None


def _line(cwd: Path, *args: str) -> str:
    return ask(cwd, *args).decode("utf-8", "surrogateescape").strip()


def _paths(output: bytes) -> list[str]:
    return output.decode("utf-8", "surrogateescape").split("\0")[:-1]


def find_root(cwd: Path) -> Path | None:
    """The root of the git work tree around ``cwd``; ``None`` outside of one (or without git)."""
    if not any(os.path.exists(parent / ".git") for parent in (cwd, *cwd.parents)) and "GIT_DIR" not in os.environ:
        return None  # without starting a process: the two-file form needs no git
    try:
        return Path(_line(cwd, "rev-parse", "--show-toplevel"))
    except GitRefusal:
        return None


def find_repository(cwd: Path) -> Path | None:
    """Where to ask for revisions: the root of the work tree around ``cwd``, or a bare repository itself."""
    found = find_root(cwd)
    bare = (os.path.isdir(parent / "objects") and os.path.isfile(parent / "HEAD") for parent in (cwd, *cwd.parents))
    if found is not None or not ("GIT_DIR" in os.environ or any(bare)):
        return found
    try:
        return Path(_line(cwd, "rev-parse", "--absolute-git-dir"))
    except GitRefusal:
        return None


def repository(cwd: Path) -> Path:
    """As `find_repository`.

    Raises:
        ReadError: there is none.
    """
    found = find_repository(cwd)
    if found is None:
        raise ReadError("not inside a git repository", hint="name both sides: --base FILE --head FILE, or directories")
    return found


def resolve(repo: Path, revision: str) -> str:
    """The full hash of the commit that a revision names.

    Raises:
        ReadError: there is no such commit here; the hint is the ``git fetch`` line to run, or names close to it.
    """
    found = try_resolve(repo, revision)
    if found is None:
        raise missing(repo, revision)
    return found


def try_resolve(repo: Path, revision: str) -> str | None:
    """As `resolve`, but ``None`` where there is no such commit."""
    if not revision or revision.startswith("-") or "\0" in revision:
        return None
    try:
        return _line(repo, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    except GitRefusal:
        return None


def missing(repo: Path, revision: str) -> ReadError:
    """What to say of a revision that is not here."""
    command = fetch_command(repo, revision)
    if command and is_shallow(repo):
        return ReadError(f"this shallow clone does not have the commit of {revision!r}", hint=command)
    close = close_revisions(repo, revision)
    hint = f"did you mean {' or '.join(close)}?" if close else command
    return ReadError(f"there is no revision {revision!r} in this repository", hint=hint)


def close_revisions(repo: Path, revision: str) -> list[str]:
    """The branches and tags that somebody may have meant."""
    refs = _line(repo, "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/remotes", "refs/tags").split()
    close = difflib.get_close_matches(revision, refs, n=3, cutoff=0.6)
    # `develop` for `origin/develop`
    return close or [name for name in refs if name.rpartition("/")[2] == revision.rpartition("/")[2]][:3]


def is_shallow(repo: Path) -> bool:
    return _line(repo, "rev-parse", "--is-shallow-repository") == "true"


def fetch_command(repo: Path, revision: str) -> str | None:
    """The ``git fetch`` line that brings a missing revision; ``None`` if there is no remote, or it can be no remote's."""
    remotes = _line(repo, "remote").split()
    if not remotes:
        return None
    shallow = is_shallow(repo)
    name, steps = re.fullmatch(r"([^~^]*)(?:[~^](\d*))?.*", revision, re.DOTALL).groups()  # type: ignore[union-attr]
    if steps is not None and try_resolve(repo, name):
        return f"git fetch --deepen={max(int(steps or 1), 1)}" if shallow else None
    if not _REF_NAME.fullmatch(name):
        return None
    depth = ["--depth=1"] if shallow else []  # a depth would make a complete clone shallow
    return shlex.join(["git", "fetch", *depth, *_fetched(remotes, name)])


def _fetched(remotes: list[str], name: str) -> list[str]:
    """A remote, and what to fetch from it for a branch, tag or commit to have this name here."""
    remote, _, branch = name.partition("/")
    if remote in remotes and branch:
        return [remote, f"{branch}:refs/remotes/{remote}/{branch}"]
    origin = "origin" if "origin" in remotes else remotes[0]
    if _SHA.fullmatch(name):
        return [origin, name]
    if re.match(r"v?\d", name):
        return [origin, "tag", name]
    return [origin, f"{name}:{name}"]


def default_base(repo: Path, environ: Mapping[str, str]) -> tuple[str, str]:
    """The commit that the work tree is measured against when no base is named, and how reports call it.

    GitLab's merge-base variable as it is; else the merge base of HEAD with the branch that CI names, or with the
    default branch.

    Raises:
        ReadError: nothing to measure against, or its commits are not in this clone.
    """
    if environ.get(BASE_COMMIT_VARIABLE):
        commit = environ[BASE_COMMIT_VARIABLE]
        return resolve(repo, commit), commit
    for variable in BASE_BRANCH_VARIABLES:
        if environ.get(variable):
            branch = "origin/" + environ[variable].removeprefix("refs/heads/").removeprefix("origin/")
            return _merge_base(repo, branch), branch
    for branch in DEFAULT_BRANCHES:
        if try_resolve(repo, branch):
            return _merge_base(repo, branch), branch
    raise ReadError(
        f"no default branch to compare with: none of {', '.join(DEFAULT_BRANCHES)} is a commit here",
        hint=fetch_command(repo, "origin/main") or "name the base: --base REVISION",
    )


def _merge_base(repo: Path, branch: str) -> str:
    tip, head = resolve(repo, branch), resolve(repo, "HEAD")
    try:
        return _line(repo, "merge-base", head, tip)
    except GitRefusal:
        pass
    # A shallow checkout of a pull request's merge commit still names the branch's tip as a parent.
    commit = ask(repo, "cat-file", "commit", head).decode(errors="replace")
    if f"parent {tip}" in commit.partition("\n\n")[0].splitlines():
        return tip
    shallow = is_shallow(repo)
    raise ReadError(
        f"HEAD and {branch} have no common ancestor" + (" in this shallow clone" if shallow else ""),
        hint="git fetch --unshallow" if shallow else f"name the base: --base {branch}",
    )


def list_files(repo: Path, commit: str, prefix: str) -> list[str]:
    """The regular files of a commit below ``prefix``, relative to it; no links, no submodules."""
    return list_commit(repo, commit, prefix).paths


def list_commit(repo: Path, commit: str, prefix: str, git_dir: Path | None = None) -> CommitFiles:
    """As `list_files`, and the submodules besides."""
    files, submodules = [], []
    listing = ("ls-tree", "-r", "-z", "--full-tree", f"{commit}:{prefix}")
    for entry in _paths(ask(git_dir or repo, *elsewhere(git_dir), *listing)):
        meta, _, path = entry.partition("\t")
        if meta.startswith("100"):
            files.append(path)
        elif meta.startswith("160000"):
            submodules.append(path)
    return CommitFiles(files, submodules)


def skipped_files(folder: Path, git_dir: Path | None = None) -> dict[str, str]:
    """The regular files in a folder that a sparse checkout leaves out, from there, each with the index's object."""
    found = {}
    for entry in _paths(ask(folder, *checked_out(git_dir, folder), "ls-files", "-z", "-t", "--stage")):
        meta, _, path = entry.partition("\t")
        tag, mode, name, _ = meta.split(" ")
        if tag == "S" and mode.startswith("100"):
            found[path] = name
    return found


def submodules(folder: Path, git_dir: Path | None) -> frozenset[str]:
    """The folders that the index of a work tree records as submodules."""
    entries = _paths(ask(folder, *checked_out(git_dir, folder), "ls-files", "-z", "--stage"))
    return frozenset(entry.partition("\t")[2] for entry in entries if entry.startswith("160000"))


def ignored(folder: Path, paths: Iterable[str], git_dir: Path | None = None) -> set[str]:
    """Those of some paths in a work tree that git does not track, as it is told to ignore them."""
    listed = list(paths)
    if not listed:
        return set()
    told = b"".join(path.encode("utf-8", "surrogateescape") + b"\0" for path in listed)
    try:
        return set(
            _paths(_asked(folder, *checked_out(git_dir, folder), "check-ignore", "-z", "--stdin", told=told).stdout)
        )
    except GitRefusal as error:
        if (
            not error.words or len(listed) == 1
        ):  # that none is ends with an error too, and one that cannot be spoils all
            return set()
        return {path for path in listed if ignored(folder, [path], git_dir)}


def list_work_tree(folder: Path, git_dir: Path | None = None) -> WorkTreeFiles:
    """The files of a work tree or a folder in it, tracked or not, without the ignored ones; paths are from there."""
    options = checked_out(git_dir, folder)
    done = _asked(folder, *options, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
    unread = _UNLISTED.findall(done.stderr.decode("utf-8", "surrogateescape"))
    if unread:  # named from the root of the repository
        prefix = _line(folder, *options, "rev-parse", "--show-prefix")
        unread = [(path.removeprefix(prefix), reason) for path, reason in unread]
    return WorkTreeFiles(_paths(done.stdout), unread)


def changed_files(repo: Path, base_commit: str, head_commit: str | None = None) -> list[FileChange]:
    """What differs between a commit and another, or the work tree (untracked files included), renames paired.

    Paths are relative to the repository's root, sorted.
    """
    diff = ["diff", "--name-status", "-z", "--find-renames", "--no-relative", "--no-ext-diff", base_commit]
    fields = iter(_paths(ask(repo, *diff, *([head_commit] if head_commit else []), "--")))
    changes = set()
    for status in fields:
        path = next(fields)
        if status.startswith("R"):
            changes.add(FileChange(path, next(fields)))
        elif status.startswith("C"):
            changes.add(FileChange(None, next(fields)))
        else:
            changes.add(FileChange(None if status == "A" else path, None if status == "D" else path))
    if head_commit is None:
        untracked = _paths(ask(repo, "ls-files", "-z", "--others", "--exclude-standard"))
        changes.update(FileChange(None, path) for path in untracked)
    return sorted(changes, key=lambda change: (change.head or change.base or "", change.base or ""))


class ObjectReader:
    """Blobs of a repository by name, over one ``git cat-file --batch`` process that starts at the first question.

    A fork of this process starts its own: two that ask through one pipe would read each other's answers.
    """

    def __init__(self, repo: Path, git_dir: Path | None = None) -> None:
        self._repo = git_dir or repo
        self._options = elsewhere(git_dir)
        self._process: subprocess.Popen[bytes] | None = None
        self._asked_by = os.getpid()
        self._lock = threading.Lock()

    def ask(self, name: str) -> tuple[str, bytes]:
        """The kind and content of ``COMMIT:PATH``, links inside the tree followed.

        The kind is ``blob``, ``tree``, ``commit``, ``missing``, ``dangling``, ``loop``, ``notdir``, or ``symlink`` for
        a link that leaves the tree; the content is empty for all but blobs and trees.

        Raises:
            NotInClone: a partial clone does not have it, and its remote does not answer.
            ReadError: git went away.
        """
        if "\n" in name:  # the one name that the pipe cannot carry
            try:
                return "blob", ask(self._repo, *self._options, "cat-file", "blob", name)
            except GitRefusal:
                return "missing", b""
        with self._lock:
            process = self._start()
            assert process.stdin is not None and process.stdout is not None
            try:
                process.stdin.write(name.encode("utf-8", "surrogateescape") + b"\n")
                process.stdin.flush()
                header = process.stdout.readline().rstrip(b"\n")
            except BrokenPipeError:
                header = b""
            if not header:
                self._process = None  # whoever asks for something else is answered
                if self._is_partial():
                    raise NotInClone
                raise ReadError("`git cat-file` ended unexpectedly", hint="run `git fsck` in the repository")
            if header.endswith((b" missing", b" ambiguous")):
                return "missing", b""
            first, *rest = header.decode().split(" ")
            if first in ("dangling", "loop", "notdir", "symlink"):
                process.stdout.read(int(rest[0]) + 1)
                return first, b""
            kind, size = rest
            content = process.stdout.read(int(size))
            process.stdout.read(1)
            return kind, content

    def _is_partial(self) -> bool:
        try:
            return bool(ask(self._repo, *self._options, "config", "--get-regexp", r"^remote\..*\.promisor$"))
        except GitRefusal:
            return False

    def _start(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._asked_by != os.getpid():
            self._asked_by = os.getpid()
            try:
                self._process = subprocess.Popen(
                    _command(*self._options, "cat-file", "--batch", "--follow-symlinks"),
                    cwd=self._repo,
                    env=_environment(*self._options),
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                )
            except FileNotFoundError:
                raise _no_git() from None
            weakref.finalize(self, _stop, self._process)
        return self._process


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.communicate()  # closes its input, at which git ends

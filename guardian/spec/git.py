"""Questions to git, asked so that nothing changes and nobody is prompted.

Every call goes through `ask`: no shell, untranslated messages, a time limit, no index refresh. What git refuses becomes
a `ReadError`. What is asked is in the rooms beside: ``revisions``, ``git_files`` and ``git_objects``.
"""

from __future__ import annotations

import functools
import os
import subprocess
from pathlib import Path

from guardian.errors import ReadError

#: Seconds that one question to git may take; a first rename detection in a very large repository is the slowest.
TIMEOUT_S = 120
#: Variables that name a place from the directory that guardian was started in, while git is asked in the root.
_PLACES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR")
#: Variables, as hooks have them, that say where one repository keeps what: no other is asked with them.
_OF_ONE_REPOSITORY = (*_PLACES, "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX")


class GitRefusal(ReadError):
    """git ended with an error; as text it is git's own message."""

    def __init__(self, words: str) -> None:
        super().__init__(f"git refuses: {words}")
        self.words = words

    def __str__(self) -> str:
        return self.words


class NoGit(ReadError):
    """git is not installed, and something in a repository was asked for."""


def ask(cwd: Path, *args: str, told: bytes = b"") -> bytes:
    """What ``git ARGS`` prints in ``cwd``, perhaps told something on its standard input.

    Raises:
        GitRefusal: git ended with an error.
        ReadError: git is not installed, does not answer in time, or does not trust the repository.
    """
    return asked(cwd, *args, told=told).stdout


def asked(cwd: Path, *args: str, told: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """As `ask`, with what git says on standard error besides."""
    try:
        done = subprocess.run(
            command(*args),
            cwd=cwd,
            env=environment(*args),
            input=told,
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    except FileNotFoundError:
        raise no_git() from None
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


def no_git() -> NoGit:
    """What to say where git is wanted and not there."""
    return NoGit("git is not installed or not on the PATH", hint="install git")


def command(*args: str) -> list[str]:
    """The command line of a question."""
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


def environment(*args: str) -> dict[str, str]:
    """The variables that a question is asked with."""
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
    done = subprocess.run(command("rev-parse", "--absolute-git-dir"), cwd=folder, capture_output=True, check=False)
    return os.fsdecode(done.stdout).strip() if done.returncode == 0 else None


def line(cwd: Path, *args: str) -> str:
    """What git prints, as one line of text."""
    return ask(cwd, *args).decode("utf-8", "surrogateescape").strip()


def find_root(cwd: Path) -> Path | None:
    """The root of the git work tree around ``cwd``; ``None`` outside of one (or without git)."""
    if not any(os.path.exists(parent / ".git") for parent in (cwd, *cwd.parents)) and "GIT_DIR" not in os.environ:
        return None  # without starting a process: the two-file form needs no git
    try:
        return Path(line(cwd, "rev-parse", "--show-toplevel"))
    except GitRefusal:
        return None


def find_repository(cwd: Path) -> Path | None:
    """Where to ask for revisions: the root of the work tree around ``cwd``, or a bare repository itself."""
    found = find_root(cwd)
    bare = (os.path.isdir(parent / "objects") and os.path.isfile(parent / "HEAD") for parent in (cwd, *cwd.parents))
    if found is not None or not ("GIT_DIR" in os.environ or any(bare)):
        return found
    try:
        return Path(line(cwd, "rev-parse", "--absolute-git-dir"))
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

"""Where specifications come from: what a user wrote for a side becomes a tree of files, and perhaps one file in it."""

from __future__ import annotations

import difflib
import errno
import os
import re
import shlex
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

from guardian.errors import ReadError
from guardian.spec import git, revisions
from guardian.spec.checkout import Checkout
from guardian.spec.size import MAX_BYTES
from guardian.spec.trees import (
    DRIVE,
    NOTHING_THERE,
    DirectoryTree,
    GitTree,
    MemoryTree,
    Tree,
    inside,
    printable,
    relative,
)
from guardian.spec.worktree import WorkTree

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_STDIN = "/dev/stdin"
#: Endings of files, as opposed to branches and tags: `api.yaml`, `README.md`, but not `v1.2`.
_FILE_NAME = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}")


class Side(NamedTuple):
    """One side of a comparison: a single specification in a tree, or (``path`` is None) the whole tree."""

    tree: Tree
    path: str | None = None

    @property
    def label(self) -> str:
        return self.tree.label if self.path is None else self.tree.display(self.path)


def open_side(
    spec: str | None,
    *,
    cwd: Path,
    role: Literal["base", "head"],
    environ: Mapping[str, str] = os.environ,
) -> Side:
    """The side that ``--base`` or ``--head`` names, or the default one where nothing is named.

    ``-`` is standard input. An existing path wins over ``REV:path`` (from the repository's root, ``REV:./path`` from ``cwd``, as in git), and
    that over a revision.

    Raises:
        ReadError: nothing has this name; the hint says what is close to it or what to run.
    """
    try:
        if spec is None:
            return default_base(cwd, environ) if role == "base" else default_head(cwd)
        return _path_side(_STDIN if spec == "-" else spec, cwd, role) or _revision_side(spec, cwd, role)
    except git.NoGit as error:
        raise git.NoGit(error.message, hint=f"install git, or name a file or a directory: --{role} PATH") from None


def is_stream(path: Path) -> bool:
    """Whether a path leads to something that can be read once and has no place: a pipe, a device."""
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def stream_tree(path: Path, name: str) -> MemoryTree:
    """What a pipe holds, as the one file of a tree.

    Raises:
        ReadError: it cannot be read.
    """
    try:
        with path.open("rb") as stream:
            return MemoryTree({name: stream.read(MAX_BYTES + 1)}, name)  # a device may never end
    except OSError as error:
        raise ReadError(f"cannot be read: {error.strerror}", file=name) from None


def default_base(cwd: Path, environ: Mapping[str, str] = os.environ) -> Side:
    """The commit a change is measured against: CI's base, else the merge base with the default branch.

    Raises:
        ReadError: not in a git repository, or the commit is not in this clone.
    """
    repo = git.repository(cwd)
    commit, label = revisions.default_base(repo, environ)
    return Side(GitTree(repo, commit, label=label))


def default_head(cwd: Path) -> Side:
    """The work tree around ``cwd``; outside of git, ``cwd`` itself.

    Raises:
        ReadError: it is a bare repository, which has no work tree.
    """
    repo = git.find_root(cwd)
    if repo is None and git.find_repository(cwd) is not None:
        raise ReadError("this is a bare repository, which has no work tree", hint="name a revision: --head REVISION")
    return Side(WorkTree(repo, cwd) if repo else DirectoryTree(cwd, cwd))


def _path_side(spec: str, cwd: Path, role: str) -> Side | None:
    """The side that a path names; ``None`` where there is nothing of this name."""
    path = Path(os.path.abspath(cwd / spec))
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            return Side(Checkout(path, cwd))
        if stat.S_ISREG(mode):
            return _file_side(path, cwd)
        return Side(stream_tree(path, spec), spec)  # `--base <(git show main:api.yaml)`
    except ValueError:  # a NUL in it
        return None
    except OSError as error:
        if error.errno not in NOTHING_THERE:
            raise ReadError(f"--{role} {spec}: cannot be read: {error.strerror}") from None
        if os.path.islink(path):
            raise ReadError(f"--{role} {spec}: {_dead_end(path, error)}", hint="correct or remove the link") from None
        return _left_out_side(path, cwd, f"--{role} {spec}")


def _left_out_side(path: Path, cwd: Path, said: str) -> Side | None:
    """The file that a sparse checkout leaves out of the work tree, as the index has it; ``None`` for what is nowhere.

    Raises:
        ReadError: it is a folder, or cannot be known: it lies in a submodule that is not checked out.
    """
    root = _root_for(path, cwd)
    tree = Checkout(root, cwd)
    name = path.relative_to(root).as_posix()
    if tree.leaves_out_folder(name):
        hint = f"git sparse-checkout add {shlex.quote(relative(path, root))} brings it"
        raise ReadError(f"{said}: a sparse checkout leaves this folder out of the work tree", hint=hint)
    return Side(tree, name) if tree.exists(name) else None


def _dead_end(link: Path, error: OSError) -> str:
    if error.errno == errno.ELOOP:
        return "a link that leads to itself"
    return f"a link to {printable(os.readlink(link))}, which is not there"


def _file_side(path: Path, cwd: Path) -> Side:
    root = _root_for(path, cwd)
    if not path.resolve().is_relative_to(root.resolve()):  # the named file is itself a link: the user means its target
        path = path.resolve()
        root = _root_for(path, cwd)
    return Side(Checkout(root, cwd), path.relative_to(root).as_posix())


def _root_for(path: Path, cwd: Path) -> Path:
    """The directory whose files a specification may refer to: wide enough for sibling folders, never the disk."""
    cwd = Path(os.path.abspath(cwd))
    if path.is_relative_to(cwd):
        return cwd
    # Looked up without git, which need not be there, nor trust that repository, for the two-file form to work.
    return next((parent for parent in path.parents if os.path.exists(parent / ".git")), path.parent)


def _revision_side(spec: str, cwd: Path, role: str) -> Side:
    if _URL.match(spec):
        hint = f"fetch the file first, and name that: --{role} FILE"
        raise ReadError(f"--{role} {spec}: guardian reads no URLs", hint=hint)
    repo = git.find_repository(cwd)
    if repo is None:
        hint = _close_path(Path(cwd, spec), cwd) or _not_in_git()
        raise ReadError(f"--{role} {spec}: no such file or directory", hint=hint)
    revision, colon, path = spec.partition(":")
    if not revision or not colon or DRIVE.match(spec):
        commit = revisions.try_resolve(repo, spec)
        if commit:
            return Side(GitTree(repo, commit, label=spec))
        raise _nothing_called(spec, repo, cwd, role)
    tree = GitTree(repo, revisions.resolve(repo, revision), label=revision)
    if path.startswith(("./", "../")):
        here = relative(Path(os.path.abspath(cwd)).resolve(), repo.resolve())
        path = os.path.normpath(os.path.join(here, path)).replace(os.sep, "/")
    path = inside(path, spec)
    if path in ("", ".") or tree.is_directory(path):
        return Side(GitTree(repo, tree.commit, path.removeprefix("."), label=spec))
    tree.read(path)  # says at once, with close names, that the revision does not have it
    return Side(tree, path)


def _nothing_called(spec: str, repo: Path, cwd: Path, role: str) -> ReadError:
    """What to say of a name that is neither a path nor a revision."""
    path = Path(os.path.abspath(cwd / spec))
    files = _close_entries(path, cwd)
    is_file_name = bool(_FILE_NAME.fullmatch(path.suffix) or DRIVE.match(spec))
    if revisions.is_shallow(repo) and not files and not is_file_name and revisions.fetch_command(repo, spec):
        return revisions.missing(repo, spec)
    first, dots, last = spec.partition("..")
    if first and dots and last.strip("."):
        remedy = f"a range is two flags: --base {first} --head {last.strip('.')}"
        return ReadError(f"--{role} {spec}: no such file, directory or revision", hint=remedy)
    names = list(dict.fromkeys([*revisions.close_revisions(repo, spec), *files]))[:3]
    if names:
        hint: str | None = f"did you mean {' or '.join(names)}?"
    else:
        hint = _close_path(path, cwd) if is_file_name else revisions.fetch_command(repo, spec)
    return ReadError(f"--{role} {spec}: no such file, directory or revision", hint=hint)


def _not_in_git() -> str:
    return "this is no git repository, so it cannot be a revision either"


def _close_path(path: Path, cwd: Path) -> str | None:
    if not os.path.isdir(path.parent):
        return f"{relative(path.parent, cwd)} does not exist"
    close = _close_entries(path, cwd)
    return f"did you mean {' or '.join(close)}?" if close else None


def _close_entries(path: Path, cwd: Path) -> list[str]:
    """What lies beside a path that is not there, by a name close to its own."""
    try:
        names = sorted(os.listdir(path.parent))
    except (OSError, ValueError):  # not there either, or nobody may look
        return []
    close = difflib.get_close_matches(path.name, names, n=3)
    return [printable(relative(path.parent / name, cwd)) for name in close]

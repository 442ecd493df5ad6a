"""Where specifications come from: each side of a comparison is a tree of files, on disk or in git's objects.

A tree answers by path and nothing else, so a ``$ref`` resolves on its own side; a revision is read from git's objects
without a checkout, and no path leaves the tree's root. `open_side` turns what a user wrote into a tree.
"""

from __future__ import annotations

import difflib
import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Literal, NamedTuple, Protocol

from guardian.errors import ReadError
from guardian.spec import git
from guardian.spec.git import FileChange, changed_files
from guardian.spec.text import MAX_BYTES

__all__ = [
    "DirectoryTree",
    "FileChange",
    "GitTree",
    "MemoryTree",
    "OverlayTree",
    "Side",
    "Tree",
    "WorkTree",
    "changed_files",
    "default_base",
    "default_head",
    "open_side",
]

#: Directories that hold other people's files.
_SKIPPED = frozenset({".git", ".hg", ".svn", "node_modules", ".venv", ".tox", ".nox", "__pycache__"})
_VENV_MARK = "pyvenv.cfg"
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
#: Endings of files, as opposed to branches and tags: `api.yaml`, `README.md`, but not `v1.2`.
_FILE_NAME = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}")
#: What the system says of names that nothing has, or can have.
_NOTHING_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.EINVAL, errno.ELOOP)


class Tree(Protocol):
    """Files by path: posix, relative to the tree's root."""

    @property
    def label(self) -> str:
        """What the user calls this tree: a directory, a revision."""

    def read(self, path: str) -> bytes:
        """The bytes of a file.

        Raises:
            ReadError: it is missing, not a file, or outside the root.
        """

    def exists(self, path: str) -> bool:
        """Whether `read` would find a file."""

    def files(self, complete_below: str | None = None) -> list[str]:
        """Every regular file, sorted; without version control, node_modules and virtual environments.

        Args:
            complete_below: a folder below which none may be missing ("" for the root). Elsewhere those that nobody may
                list are left out.

        Raises:
            ReadError: a folder that files may be in there cannot be listed.
        """

    def display(self, path: str) -> str:
        """The file as reports name it: from the working directory on disk, from the root in a revision."""


class Side(NamedTuple):
    """One side of a comparison: a single specification in a tree, or (``path`` is None) the whole tree."""

    tree: Tree
    path: str | None = None

    @property
    def label(self) -> str:
        return self.tree.label if self.path is None else self.tree.display(self.path)


# --- trees --------------------------------------------------------------------------------------------------------


class DirectoryTree:
    """A directory on disk. Links are followed as far as they stay inside it."""

    def __init__(self, root: Path, cwd: Path | None = None) -> None:
        self.root = Path(os.path.abspath(root))
        self._real_root = self.root.resolve()
        self._cwd = Path(os.path.abspath(cwd or Path.cwd()))

    @property
    def label(self) -> str:
        return _printable(_relative(self.root, self._cwd))

    def read(self, path: str) -> bytes:
        with self._opened(path) as stream:
            # No more than shows that the limit is passed, and room for no more than there is.
            return stream.read(_size(stream) + 1)

    def size(self, path: str) -> int:
        """How many bytes `read` would find, known without reading them; what is over the limit counts as that.

        Raises:
            ReadError: as `read` does.
        """
        with self._opened(path) as stream:
            return _size(stream)

    @contextmanager
    def _opened(self, path: str) -> Iterator[BinaryIO]:
        clean = self.root / _inside(path, self.display(path))
        try:
            real = clean.resolve()
            if not real.is_relative_to(self._real_root):
                raise ReadError("a link that leaves the directory being read", file=self.display(path))
            if not real.is_file():
                raise _no_file(self, path, is_directory=real.is_dir())
            with real.open("rb") as stream:
                yield stream
        except RuntimeError:  # how Python before 3.13 tells of links that only lead to each other
            raise ReadError("a link that leads to itself", file=self.display(path)) from None
        except OSError as error:
            raise ReadError(f"cannot be read: {error.strerror}", file=self.display(path)) from None

    def exists(self, path: str) -> bool:
        try:
            real = (self.root / _inside(path, path)).resolve()
            return real.is_relative_to(self._real_root) and real.is_file()
        except PermissionError:
            return True  # something may be there, and `read` says why it cannot be known: never the same as nothing
        except (ReadError, OSError, RuntimeError, ValueError):
            return False

    def files(self, complete_below: str | None = None) -> list[str]:
        return sorted(self._walk(complete_below))

    def _walk(self, complete_below: str | None) -> Iterator[str]:
        def refuse(error: OSError) -> None:
            self._refuse(os.path.relpath(error.filename, self.root), error, complete_below)

        for folder, folders, names in os.walk(self.root, onerror=refuse):
            if _VENV_MARK in names:
                folders.clear()
                continue
            folders[:] = [name for name in folders if name not in _SKIPPED]
            for name in names:
                path = Path(folder, name).relative_to(self.root).as_posix()
                if self._is_plain(path, complete_below):
                    yield path

    def _is_plain(self, path: str, complete_below: str | None) -> bool:
        """Whether this is a regular file itself: no link, no device, and not gone meanwhile."""
        try:
            return stat.S_ISREG(os.lstat(self.root / path).st_mode)
        except OSError as error:
            self._refuse(path, error, complete_below)
            return False

    def _refuse(self, path: str, error: OSError, complete_below: str | None) -> None:
        """End the listing for want of a file or folder, unless it is not there (any more) or nobody needs it."""
        if error.errno in _NOTHING_THERE or not _concerns(path.replace(os.sep, "/"), complete_below):
            return
        raise ReadError(f"cannot be read: {error.strerror}", file=self.display(path), hint=self._may_be_left_out)

    _may_be_left_out = "make it readable, or compare a directory without it"

    def display(self, path: str) -> str:
        return _printable(_relative(self.root / path, self._cwd))


class WorkTree(DirectoryTree):
    """The work tree of a git repository: a directory without the files that git ignores."""

    def files(self, complete_below: str | None = None) -> list[str]:
        listed, unread = git.list_work_tree(self.root)
        for folder, reason in unread:
            if _SKIPPED.isdisjoint(folder.split("/")):
                self._refuse(folder, OSError(errno.EACCES, reason), complete_below)
        # What is tracked is perhaps deleted, a link or a submodule.
        return [path for path in _without_foreign(listed) if self._is_plain(path, complete_below)]

    _may_be_left_out = "make it readable, or have git ignore it"


class GitTree:
    """A commit, or the part of it below ``prefix``, read from git's objects."""

    def __init__(self, repo: Path, commit: str, prefix: str = "", label: str | None = None) -> None:
        self.repo = repo
        self.commit = commit
        self.prefix = prefix.strip("/")
        self._label = label or commit
        self._objects = git.ObjectReader(repo)
        self._files: list[str] | None = None

    @property
    def label(self) -> str:
        return self._label

    def read(self, path: str) -> bytes:
        kind, data = self._ask(_inside(path, self.display(path)))
        if kind == "blob":
            return data
        if kind == "symlink":
            raise ReadError("a link that leaves the repository", file=self.display(path))
        raise _no_file(self, path, is_directory=kind in ("tree", "commit"), where=f" in {self.label}")

    def exists(self, path: str) -> bool:
        try:
            return self._ask(_inside(path, path))[0] == "blob"
        except ReadError:
            return False

    def is_directory(self, path: str) -> bool:
        """Whether the path is a directory of this commit."""
        return self._ask(_inside(path, path))[0] == "tree"

    def _ask(self, path: str) -> tuple[str, bytes]:
        return self._objects.ask(f"{self.commit}:{_join(self.prefix, path)}")

    def files(self, complete_below: str | None = None) -> list[str]:
        if self._files is None:
            self._files = _without_foreign(git.list_files(self.repo, self.commit, self.prefix))
        return self._files[:]

    def display(self, path: str) -> str:
        return _printable(_join(self.prefix, path))


class MemoryTree:
    """Files that exist nowhere but here."""

    def __init__(self, files: Mapping[str, bytes], label: str = "memory") -> None:
        self._files = dict(files)
        self._label = label

    @property
    def label(self) -> str:
        return self._label

    def read(self, path: str) -> bytes:
        data = self._files.get(path)  # a pipe is called by its absolute path
        if data is None:
            data = self._files.get(_inside(path, path))
        if data is None:
            raise _no_file(self, path)
        return data

    def exists(self, path: str) -> bool:
        return os.path.normpath(path).replace(os.sep, "/") in self._files

    def files(self, complete_below: str | None = None) -> list[str]:
        return sorted(self._files)

    def display(self, path: str) -> str:
        return path


class OverlayTree:
    """Another tree with some files replaced or added; the other tree is not changed."""

    def __init__(self, tree: Tree, changed: Mapping[str, bytes]) -> None:
        self._tree = tree
        self._changed = dict(changed)

    @property
    def label(self) -> str:
        return self._tree.label

    def read(self, path: str) -> bytes:
        data = self._changed.get(_inside(path, self.display(path)))
        return self._tree.read(path) if data is None else data

    def exists(self, path: str) -> bool:
        return os.path.normpath(path).replace(os.sep, "/") in self._changed or self._tree.exists(path)

    def files(self, complete_below: str | None = None) -> list[str]:
        return sorted({*self._tree.files(complete_below), *self._changed})

    def display(self, path: str) -> str:
        return self._tree.display(path)


# --- what a user wrote --------------------------------------------------------------------------------------------


def open_side(
    spec: str | None,
    *,
    cwd: Path,
    role: Literal["base", "head"],
    environ: Mapping[str, str] = os.environ,
) -> Side:
    """The side that ``--base`` or ``--head`` names, or the default one where nothing is named.

    An existing path wins over ``REV:path`` (from the repository's root, ``REV:./path`` from ``cwd``, as in git), and
    that over a revision.

    Raises:
        ReadError: nothing has this name; the hint says what is close to it or what to run.
    """
    try:
        if spec is None:
            return default_base(cwd, environ) if role == "base" else default_head(cwd)
        return _path_side(spec, cwd, role) or _revision_side(spec, cwd, role)
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
    commit, label = git.default_base(repo, environ)
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
            return Side(DirectoryTree(path, cwd))
        if stat.S_ISREG(mode):
            return _file_side(path, cwd)
        return Side(stream_tree(path, spec), spec)  # `--base <(git show main:api.yaml)`
    except ValueError:  # a NUL in it
        return None
    except OSError as error:
        if error.errno not in _NOTHING_THERE:
            raise ReadError(f"--{role} {spec}: cannot be read: {error.strerror}") from None
        if os.path.islink(path):
            raise ReadError(f"--{role} {spec}: {_dead_end(path, error)}", hint="correct or remove the link") from None
        return None


def _dead_end(link: Path, error: OSError) -> str:
    if error.errno == errno.ELOOP:
        return "a link that leads to itself"
    return f"a link to {_printable(os.readlink(link))}, which is not there"


def _file_side(path: Path, cwd: Path) -> Side:
    root = _root_for(path, cwd)
    if not path.resolve().is_relative_to(root.resolve()):  # the named file is itself a link: the user means its target
        path = path.resolve()
        root = _root_for(path, cwd)
    return Side(DirectoryTree(root, cwd), path.relative_to(root).as_posix())


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
    if not revision or not colon or _DRIVE.match(spec):
        commit = git.try_resolve(repo, spec)
        if commit:
            return Side(GitTree(repo, commit, label=spec))
        raise _nothing_called(spec, repo, cwd, role)
    tree = GitTree(repo, git.resolve(repo, revision), label=revision)
    if path.startswith(("./", "../")):
        here = _relative(Path(os.path.abspath(cwd)).resolve(), repo.resolve())
        path = os.path.normpath(os.path.join(here, path)).replace(os.sep, "/")
    path = _inside(path, spec)
    if path in ("", ".") or tree.is_directory(path):
        return Side(GitTree(repo, tree.commit, path.removeprefix("."), label=spec))
    tree.read(path)  # says at once, with close names, that the revision does not have it
    return Side(tree, path)


def _nothing_called(spec: str, repo: Path, cwd: Path, role: str) -> ReadError:
    """What to say of a name that is neither a path nor a revision."""
    path = Path(os.path.abspath(cwd / spec))
    files = _close_entries(path, cwd)
    is_file_name = bool(_FILE_NAME.fullmatch(path.suffix) or _DRIVE.match(spec))
    if git.is_shallow(repo) and not files and not is_file_name and git.fetch_command(repo, spec):
        return git.missing(repo, spec)
    names = list(dict.fromkeys([*git.close_revisions(repo, spec), *files]))[:3]
    if names:
        hint: str | None = f"did you mean {' or '.join(names)}?"
    else:
        hint = _close_path(path, cwd) if is_file_name else git.fetch_command(repo, spec)
    return ReadError(f"--{role} {spec}: no such file, directory or revision", hint=hint)


def _not_in_git() -> str:
    return "this is no git repository, so it cannot be a revision either"


# --- paths --------------------------------------------------------------------------------------------------------


def _inside(path: str, shown: str) -> str:
    clean = os.path.normpath(path).replace(os.sep, "/") if path else ""
    if "\0" in path or clean == ".." or clean.startswith(("../", "/")) or _DRIVE.match(path):
        raise ReadError("the path leaves the root of what is being read", file=shown)
    return clean


def _concerns(path: str, complete_below: str | None) -> bool:
    """Whether a file or folder that cannot be read leaves a listing incomplete where it must not be."""
    if complete_below is None:
        return False
    if complete_below == "" or path in (".", complete_below):
        return True
    return path.startswith(f"{complete_below}/") or complete_below.startswith(f"{path}/")


def _size(stream: BinaryIO) -> int:
    return min(os.fstat(stream.fileno()).st_size or MAX_BYTES, MAX_BYTES)  # devices and the like have no size


def _join(prefix: str, path: str) -> str:
    return f"{prefix}/{path}" if prefix and path else prefix or path


def _relative(path: Path, cwd: Path) -> str:
    try:
        return os.path.relpath(path, cwd).replace(os.sep, "/")
    except ValueError:  # another drive
        return path.as_posix()


def _printable(path: str) -> str:
    """Names that are no Unicode keep their other characters."""
    return path.encode("utf-8", "replace").decode()


def _without_foreign(paths: Iterable[str]) -> list[str]:
    listed = sorted(paths)
    environments = tuple(
        f"{PurePosixPath(path).parent}/" for path in listed if path.rpartition("/")[2] == _VENV_MARK and "/" in path
    )
    return [
        path
        for path in listed
        if _SKIPPED.isdisjoint(path.split("/")[:-1]) and not (environments and path.startswith(environments))
    ]


def _no_file(tree: Tree, path: str, *, is_directory: bool = False, where: str = "") -> ReadError:
    if is_directory:
        return ReadError(f"is a directory{where}, where a file is needed", file=tree.display(path))
    close = _close(path, tree.files())
    hint = f"did you mean {' or '.join(tree.display(name) for name in close)}?" if close else None
    return ReadError(f"no such file{where}", file=tree.display(path), hint=hint)


def _close(path: str, names: list[str]) -> list[str]:
    close = difflib.get_close_matches(path, names, n=3, cutoff=0.75)
    same_name = [name for name in names if name.rpartition("/")[2] == path.rpartition("/")[2]]
    return (close or same_name)[:3]


def _close_path(path: Path, cwd: Path) -> str | None:
    if not os.path.isdir(path.parent):
        return f"{_relative(path.parent, cwd)} does not exist"
    close = _close_entries(path, cwd)
    return f"did you mean {' or '.join(close)}?" if close else None


def _close_entries(path: Path, cwd: Path) -> list[str]:
    """What lies beside a path that is not there, by a name close to its own."""
    try:
        names = sorted(os.listdir(path.parent))
    except (OSError, ValueError):  # not there either, or nobody may look
        return []
    close = difflib.get_close_matches(path.name, names, n=3)
    return [_printable(_relative(path.parent / name, cwd)) for name in close]

"""Where specifications come from: each side of a comparison is a tree of files, on disk or in git's objects.

A tree answers by path and nothing else, so a ``$ref`` resolves on its own side; a revision is read from git's objects
without a checkout, and no path leaves the tree's root. `open_side` turns what a user wrote into a tree.
"""

from __future__ import annotations

import difflib
import os
import re
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

    def files(self) -> list[str]:
        """Every regular file, sorted; without version control, node_modules and virtual environments."""

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
        except (ReadError, OSError, RuntimeError, ValueError):
            return False

    def files(self) -> list[str]:
        return sorted(self._walk())

    def _walk(self) -> Iterator[str]:
        for folder, folders, names in os.walk(self.root):
            if _VENV_MARK in names:
                folders.clear()
                continue
            folders[:] = [name for name in folders if name not in _SKIPPED]
            for name in names:
                path = Path(folder, name)
                if not path.is_symlink() and path.is_file():
                    yield path.relative_to(self.root).as_posix()

    def display(self, path: str) -> str:
        return _printable(_relative(self.root / path, self._cwd))


class WorkTree(DirectoryTree):
    """The work tree of a git repository: a directory without the files that git ignores."""

    def files(self) -> list[str]:
        return _without_foreign(path for path in git.list_work_tree(self.root) if self._is_plain(path))

    def _is_plain(self, path: str) -> bool:
        real = self.root / path  # tracked, but perhaps deleted, a link or a submodule
        return real.is_file() and not real.is_symlink()


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

    def files(self) -> list[str]:
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

    def files(self) -> list[str]:
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

    def files(self) -> list[str]:
        return sorted({*self._tree.files(), *self._changed})

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
    if spec is None:
        return default_base(cwd, environ) if role == "base" else default_head(cwd)
    path = Path(os.path.abspath(cwd / spec))
    if path.is_dir():
        return Side(DirectoryTree(path, cwd))
    if path.is_file():
        return _file_side(path, cwd)
    if path.exists():  # a pipe: `--base <(git show main:api.yaml)`
        return Side(MemoryTree({spec: path.read_bytes()}, spec), spec)
    if git.find_root(cwd) is None:
        raise ReadError(f"--{role} {spec}: no such file or directory", hint=_close_path(path, cwd) or _not_in_git())
    return _revision_side(spec, cwd, role)


def default_base(cwd: Path, environ: Mapping[str, str] = os.environ) -> Side:
    """The commit a change is measured against: CI's base, else the merge base with the default branch.

    Raises:
        ReadError: not in a git repository, or the commit is not in this clone.
    """
    repo = git.root(cwd)
    commit, label = git.default_base(repo, environ)
    return Side(GitTree(repo, commit, label=label))


def default_head(cwd: Path) -> Side:
    """The work tree around ``cwd``; outside of git, ``cwd`` itself."""
    repo = git.find_root(cwd)
    return Side(WorkTree(repo, cwd) if repo else DirectoryTree(cwd, cwd))


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
    return next((parent for parent in path.parents if (parent / ".git").exists()), path.parent)


def _revision_side(spec: str, cwd: Path, role: str) -> Side:
    repo = git.root(cwd)
    revision, colon, path = spec.partition(":")
    if not colon or _DRIVE.match(spec):
        commit = git.try_resolve(repo, spec)
        if commit:
            return Side(GitTree(repo, commit, label=spec))
        if Path(spec).suffix.lower() in (".yaml", ".yml", ".json") or _DRIVE.match(spec):
            raise ReadError(f"--{role} {spec}: no such file or directory", hint=_close_path(Path(cwd, spec), cwd))
        git.resolve(repo, spec)
    tree = GitTree(repo, git.resolve(repo, revision), label=revision)
    if path.startswith(("./", "../")):
        here = _relative(Path(os.path.abspath(cwd)).resolve(), repo.resolve())
        path = os.path.normpath(os.path.join(here, path)).replace(os.sep, "/")
    path = _inside(path, spec)
    if path in ("", ".") or tree.is_directory(path):
        return Side(GitTree(repo, tree.commit, path.removeprefix("."), label=spec))
    tree.read(path)  # says at once, with close names, that the revision does not have it
    return Side(tree, path)


def _not_in_git() -> str:
    return "this is no git repository, so it cannot be a revision either"


# --- paths --------------------------------------------------------------------------------------------------------


def _inside(path: str, shown: str) -> str:
    clean = os.path.normpath(path).replace(os.sep, "/") if path else ""
    if "\0" in path or clean == ".." or clean.startswith(("../", "/")) or _DRIVE.match(path):
        raise ReadError("the path leaves the root of what is being read", file=shown)
    return clean


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
    if not path.parent.is_dir():
        return f"{_relative(path.parent, cwd)} does not exist"
    close = difflib.get_close_matches(path.name, sorted(entry.name for entry in path.parent.iterdir()), n=3)
    return f"did you mean {' or '.join(_relative(path.parent / name, cwd) for name in close)}?" if close else None

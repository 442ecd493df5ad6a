"""Trees of files that specifications are read from: on disk, in git's objects, in memory.

A tree answers by path and nothing else, so a ``$ref`` resolves on its own side; a revision is read from git's objects
without a checkout, and no path leaves the tree's root.
"""

from __future__ import annotations

import difflib
import errno
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Protocol

from guardian.errors import ReadError
from guardian.spec import git_files, git_objects, submodules
from guardian.spec.globs import below, may_match_below, spells_out
from guardian.spec.size import MAX_BYTES

#: Directories that hold other people's files.
SKIPPED = frozenset({".git", ".hg", ".svn", "node_modules", ".venv", ".tox", ".nox", "__pycache__"})
_VENV_MARK = "pyvenv.cfg"
DRIVE = re.compile(r"[A-Za-z]:[\\/]")
#: What the system says of names that nothing has, or can have.
NOTHING_THERE = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG, errno.EINVAL, errno.ELOOP)


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

    def files(self, complete_below: str | None = None, meant: str | None = None) -> list[str]:
        """Every regular file, sorted; without version control, node_modules and virtual environments.

        Args:
            complete_below: a folder below which none may be missing ("" for the root). Elsewhere those that nobody may
                list are left out.
            meant: the glob or folder that they are listed for. Where it leads into a submodule, the files of that are
                listed too; all others are left out.

        Raises:
            ReadError: a folder that files may be in there cannot be listed.
        """

    def is_directory(self, path: str) -> bool:
        """Whether the path is a directory in it."""

    def display(self, path: str) -> str:
        """The file as reports name it: from the working directory on disk, from the root in a revision."""


class DirectoryTree:
    """A directory on disk. Links are followed as far as they stay inside it."""

    def __init__(self, root: Path, cwd: Path | None = None) -> None:
        self.root = Path(os.path.abspath(root))
        self._real_root = self.root.resolve()
        self._cwd = Path(os.path.abspath(cwd or Path.cwd()))

    @property
    def label(self) -> str:
        return printable(relative(self.root, self._cwd))

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
        clean = self.root / inside(path, self.display(path))
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
            real = (self.root / inside(path, path)).resolve()
            return real.is_relative_to(self._real_root) and real.is_file()
        except PermissionError:
            return True  # something may be there, and `read` says why it cannot be known: never the same as nothing
        except (ReadError, OSError, RuntimeError, ValueError):
            return False

    def is_directory(self, path: str) -> bool:
        return os.path.isdir(self.root / inside(path, self.display(path)))

    def files(self, complete_below: str | None = None, meant: str | None = None) -> list[str]:
        return sorted(self._walk(complete_below))

    def _walk(
        self, complete_below: str | None, start: str = "", on_folder: Callable[[str, list[str]], None] | None = None
    ) -> Iterator[str]:
        def refuse(error: OSError) -> None:
            self._refuse(os.path.relpath(error.filename, self.root), error, complete_below)

        for folder, folders, names in os.walk(self.root / start, onerror=refuse):
            if on_folder is not None:
                on_folder(Path(folder).relative_to(self.root).as_posix(), [*folders, *names])
            if _VENV_MARK in names:
                folders.clear()
                continue
            folders[:] = [name for name in folders if name not in SKIPPED]
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
        if error.errno in NOTHING_THERE or not _concerns(path.replace(os.sep, "/"), complete_below):
            return
        raise ReadError(f"cannot be read: {error.strerror}", file=self.display(path), hint=self._may_be_left_out)

    _may_be_left_out = "make it readable, or compare a directory without it"

    def display(self, path: str) -> str:
        return printable(relative(self.root / path, self._cwd))


class GitTree:
    """A commit, or the part of it below ``prefix``, read from git's objects; its submodules from theirs.

    Args:
        repo: the root of its work tree, or a bare repository.
        git_dir: where its objects are, if it is the repository of a submodule.
        folder: where it is in the repository that it is a submodule of.

    ``elsewhere`` is whether it is one of another repository than the one that is checked. ``passed_over`` are the submodules
    that are not here and that only the ``**`` of a glob leads into.
    """

    elsewhere = False

    def __init__(
        self,
        repo: Path,
        commit: str,
        prefix: str = "",
        label: str | None = None,
        *,
        git_dir: Path | None = None,
        folder: str = "",
    ) -> None:
        self.repo = repo
        self.commit = commit
        self.prefix = prefix.strip("/")
        self._label = label or commit
        self._git_dir = git_dir
        self._folder = folder
        self._objects = git_objects.ObjectReader(repo, git_dir)
        self._listed: git_files.CommitFiles | None = None
        self._inner: dict[submodules.Gitlink, GitTree] = {}
        self.passed_over: set[str] = set()

    @property
    def label(self) -> str:
        return self._label

    def read(self, path: str) -> bytes:
        clean = inside(path, self.display(path))
        kind, data = self._ask(clean)
        if kind == "blob":
            return data
        inner = self._in_submodule(kind, clean)
        if inner is not None:
            return inner[0].read(inner[1])
        if kind == "symlink":
            raise ReadError("a link that leaves the repository", file=self.display(path))
        raise _no_file(self, path, is_directory=kind == "tree", where=f" in {self.label}")

    def exists(self, path: str) -> bool:
        try:
            clean = inside(path, path)
        except ReadError:
            return False
        try:
            kind = self._ask(clean)[0]
            inner = self._in_submodule(kind, clean)
        except ReadError:
            return True  # something may be there, and `read` says why it cannot be known: never the same as nothing
        return kind == "blob" if inner is None else inner[0].exists(inner[1])

    def is_directory(self, path: str) -> bool:
        """Whether the path is a directory of this commit."""
        clean = inside(path, path)
        kind = self._ask(clean)[0]
        inner = self._in_submodule(kind, clean)
        return kind == "tree" if inner is None else inner[0].is_directory(inner[1])

    def _ask(self, path: str) -> tuple[str, bytes]:
        try:
            return self._objects.ask(f"{self.commit}:{_join(self.prefix, path)}")
        except git_objects.NotInClone as error:
            hint = "fetch once more when it can be reached, or clone without --filter"
            raise ReadError(error.message, file=self.display(path), hint=hint) from None

    def _in_submodule(self, kind: str, path: str) -> tuple[GitTree, str] | None:
        """The submodule that a path lies in which is of this kind here, and the way from there.

        Raises:
            ReadError: its commit cannot be read.
        """
        if kind in ("blob", "tree"):
            return None
        found = submodules.find_gitlink(self._objects, self.commit, _join(self.prefix, path))
        return (self._opened(found[0], path), found[1]) if found is not None else None

    def _opened(self, link: submodules.Gitlink, path: str) -> GitTree:
        known = self._inner.get(link)
        if known is not None:
            return known
        around = submodules.Around(self.repo, self._git_dir, self.commit, self._folder, self.label)
        clones = list(submodules.repositories_of(around, link.folder))
        for git_dir in clones:
            folder = _join(self._folder, link.folder)
            tree = GitTree(self.repo / link.folder, link.commit, label=self.label, git_dir=git_dir, folder=folder)
            if tree.is_directory(""):
                self._inner[link] = tree
                return tree
        remedy = submodules.by_itself if self.elsewhere else submodules.remedy
        raise submodules.not_here(
            around, link, self.display(path), remedy(around, link, clones), is_cloned=bool(clones)
        )

    def files(self, complete_below: str | None = None, meant: str | None = None) -> list[str]:
        listed = self._list()
        found = listed.paths[:]
        for folder in listed.submodules if meant is not None else ():
            if may_match_below(folder, meant or ""):
                found += self._files_below(folder, meant or "")
        return found if len(found) == len(listed.paths) else sorted(found)

    def _files_below(self, folder: str, meant: str) -> list[str]:
        """What a glob may mean in a submodule."""
        try:
            found = self._in_submodule("commit", folder)
        except submodules.NotHere:
            if spells_out(folder, meant):
                raise
            self.passed_over.add(folder)
            return []
        assert found is not None, "it was listed as one"
        inner = found[0].part(found[1])
        listed = [_join(folder, path) for path in inner.files(meant=below(folder, meant))]
        self.passed_over.update(_join(folder, each) for each in inner.passed_over)
        return listed

    def nested(self) -> list[str]:
        """The folders that are submodules, whose files `files` leaves out."""
        return self._list().submodules

    def _list(self) -> git_files.CommitFiles:
        if self._listed is None:
            inner = self._in_submodule(self._ask("")[0], "") if self.prefix else None
            if inner is not None:
                self._listed = inner[0].part(inner[1])._list()
            else:
                paths, links = git_files.list_commit(self.repo, self.commit, self.prefix, self._git_dir)
                self._listed = git_files.CommitFiles(without_foreign(paths), without_foreign(links))
        return self._listed

    def part(self, folder: str) -> GitTree:
        """A folder of it, as a tree."""
        if not folder:
            return self
        prefix, git_dir = _join(self.prefix, folder), self._git_dir
        return GitTree(self.repo, self.commit, prefix, self._label, git_dir=git_dir, folder=self._folder)

    def display(self, path: str) -> str:
        return printable(_join(self._folder, _join(self.prefix, path)))


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
            data = self._files.get(inside(path, path))
        if data is None:
            raise _no_file(self, path)
        return data

    def exists(self, path: str) -> bool:
        return os.path.normpath(path).replace(os.sep, "/") in self._files

    def files(self, complete_below: str | None = None, meant: str | None = None) -> list[str]:
        return sorted(self._files)

    def is_directory(self, path: str) -> bool:
        return any(name.startswith(f"{path}/") for name in self._files)

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
        data = self._changed.get(inside(path, self.display(path)))
        return self._tree.read(path) if data is None else data

    def exists(self, path: str) -> bool:
        return os.path.normpath(path).replace(os.sep, "/") in self._changed or self._tree.exists(path)

    def files(self, complete_below: str | None = None, meant: str | None = None) -> list[str]:
        return sorted({*self._tree.files(complete_below, meant), *self._changed})

    def is_directory(self, path: str) -> bool:
        return self._tree.is_directory(path) or any(name.startswith(f"{path}/") for name in self._changed)

    def display(self, path: str) -> str:
        return self._tree.display(path)


# --- paths --------------------------------------------------------------------------------------------------------


def inside(path: str, shown: str) -> str:
    clean = os.path.normpath(path).replace(os.sep, "/") if path else ""
    if "\0" in path or clean == ".." or clean.startswith(("../", "/")) or DRIVE.match(path):
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


def relative(path: Path, cwd: Path) -> str:
    try:
        return os.path.relpath(path, cwd).replace(os.sep, "/")
    except ValueError:  # another drive
        return path.as_posix()


def printable(path: str) -> str:
    """Names that are no Unicode keep their other characters."""
    return path.encode("utf-8", "replace").decode()


def without_foreign(paths: Iterable[str]) -> list[str]:
    listed = sorted(paths)
    environments = tuple(
        f"{PurePosixPath(path).parent}/" for path in listed if path.rpartition("/")[2] == _VENV_MARK and "/" in path
    )
    return [
        path
        for path in listed
        if SKIPPED.isdisjoint(path.split("/")[:-1]) and not (environments and path.startswith(environments))
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

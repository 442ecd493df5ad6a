"""The work tree of a git repository, with what git keeps out of it: sparse checkouts, submodules, ignored folders."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from guardian.errors import ReadError
from guardian.lazy import cached_property
from guardian.spec import git
from guardian.spec.globs import may_match_below
from guardian.spec.submodules import git_dir_in, is_gitlink, not_checked_out
from guardian.spec.text import MAX_BYTES
from guardian.spec.trees import SKIPPED, DirectoryTree, inside, without_foreign


class WorkTree(DirectoryTree):
    """A directory without the files that git ignores, and with those that a sparse checkout leaves in the index."""

    def __init__(self, root: Path, cwd: Path | None = None) -> None:
        super().__init__(root, cwd)
        self._nested: list[str] | None = None

    def read(self, path: str) -> bytes:
        data = self._not_on_disk(path)
        return super().read(path) if data is None else data

    def size(self, path: str) -> int:
        data = self._not_on_disk(path)
        return super().size(path) if data is None else min(len(data), MAX_BYTES)

    def exists(self, path: str) -> bool:
        if super().exists(path):
            return True
        try:
            inside(path, path)
        except ReadError:
            return False
        try:
            return self._not_on_disk(path) is not None
        except ReadError:
            return True  # something may be there, and `read` says why it cannot be known: never the same as nothing

    def files(self, complete_below: str | None = None, meant: str | None = None) -> list[str]:
        listed, unread = git.list_work_tree(self.root)
        for folder, reason in unread:
            if SKIPPED.isdisjoint(folder.split("/")):
                self._refuse(folder, OSError(errno.EACCES, reason), complete_below)
        found, self._nested = [], []
        for path in without_foreign(listed):
            # What is tracked is perhaps deleted, a link or a submodule; another repository in here ends with a slash.
            if self._is_plain(path, complete_below) or path in self._left_out:
                found.append(path)
            elif self._is_folder(path):
                folder = path.rstrip("/")
                self._nested.append(folder)
                if meant is not None and may_match_below(folder, meant):
                    found += self._walk(complete_below, folder)
        return sorted(found)

    def all_files(self, folder: str) -> list[str]:
        """Every regular file below a folder that somebody named, whether git ignores it or another repository has it.

        Raises:
            ReadError: a folder in there cannot be listed, or is a submodule that is not checked out.
        """
        left_out = [path for path in self._left_out if path.startswith(f"{folder}/")]
        return sorted({*self._walk(folder, folder), *left_out})

    def nested(self) -> list[str]:
        """The folders that are other repositories, submodules or not, whose files `files` leaves out."""
        if self._nested is None:
            self.files()
        return self._nested or []

    _may_be_left_out = "make it readable, or have git ignore it"

    def _is_folder(self, path: str) -> bool:
        try:
            return stat.S_ISDIR(os.lstat(self.root / path).st_mode)
        except OSError:
            return False

    def _on_empty(self, folder: str) -> None:
        if is_gitlink(self.root / folder):
            raise not_checked_out(self.display(folder), self.display(folder))

    # --- what is not on disk ----------------------------------------------------------------------------------------

    def _not_on_disk(self, path: str) -> bytes | None:
        """What a sparse checkout leaves out; ``None`` for what is there, or nowhere.

        Raises:
            ReadError: it is not known what is there.
        """
        clean = inside(path, self.display(path))
        if os.path.exists(self.root / clean):
            return None
        blob = self._left_out.get(clean)
        if blob is None:
            self._refuse_submodule(clean)
            return None
        kind, data = self._objects.ask(blob)
        if kind != "blob":
            hint = "git sparse-checkout disable brings it into the work tree"
            raise ReadError("left out by a sparse checkout, and not in this clone", file=self.display(path), hint=hint)
        return data

    @cached_property
    def _left_out(self) -> dict[str, str]:
        """The regular files that a sparse checkout leaves in the index, each with its object."""
        return git.skipped_files(self.root) if self._is_sparse() else {}

    @cached_property
    def _objects(self) -> git.ObjectReader:
        return git.ObjectReader(self.root)

    def _is_sparse(self) -> bool:
        """Whether the checkout may be sparse, known without starting git."""
        root = next((each for each in (self.root, *self.root.parents) if (each / ".git").exists()), None)
        git_dir = os.environ.get("GIT_DIR") or (git_dir_in(root) if root is not None else None)
        return git_dir is not None and os.path.exists(Path(git_dir, "info", "sparse-checkout"))

    def _refuse_submodule(self, path: str) -> None:
        """What is not there may lie in a submodule that is not checked out: git leaves its folder empty."""
        try:
            real = (self.root / path).resolve()
            folder = next(each for each in real.parents if each.is_dir())
            with os.scandir(folder) as entries:
                is_empty = next(entries, None) is None
        except (OSError, RuntimeError):
            return
        if is_empty and folder != self._real_root and folder.is_relative_to(self._real_root) and is_gitlink(folder):
            name = self.display(folder.relative_to(self._real_root).as_posix())
            raise not_checked_out(name, self.display(path))

"""A folder of a git checkout: what is not on disk may be left out by a sparse checkout, or lie in a submodule."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import Self

from guardian.errors import ReadError
from guardian.lazy import cached_property
from guardian.spec import git_files, git_objects
from guardian.spec.globs import may_match_below, spells_out
from guardian.spec.roots import git_dir_in, repository_around
from guardian.spec.size import MAX_BYTES
from guardian.spec.submodules import Gitlinks, not_checked_out
from guardian.spec.trees import DirectoryTree, GitTree, Tree, inside


class Checkout(DirectoryTree):
    """A directory with everything in it, and with what a sparse checkout leaves in the index.

    Nothing is asked of git for what is on disk.

    Args:
        git_dir: that of the repository, where it is a submodule or another clone inside of what is checked.

    ``passed_over`` are the submodules that are not here and that only the ``**`` of a glob leads into.
    """

    def __init__(self, root: Path, cwd: Path | None = None, git_dir: Path | None = None) -> None:
        super().__init__(root, cwd)
        self._git_dir = git_dir
        self._gitlinks = Gitlinks()
        self._inner: dict[str, Self] = {}
        self.passed_over: set[str] = set()

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
        self._refuse_empty_root()
        empty: list[str] = []
        repositories: list[str] = []

        def look(folder: str, names: list[str]) -> None:
            if not names:
                empty.append(folder)
            elif ".git" in names and folder != ".":
                repositories.append(folder)

        found = {*self._walk(complete_below, on_folder=look), *self._left_out}
        for folder in repositories:
            if git_dir_in(self.root / folder) is not None:
                found.update(f"{folder}/{path}" for path in self.opened(folder)._left_out)
        for folder in empty if meant is not None else ():
            self._pass_over(folder, meant or "")
        return sorted(found)

    def opened(self, folder: str) -> Self:
        """The other repository whose root a folder in here is."""
        known = self._inner.get(folder)
        if known is None:
            known = self._inner[folder] = type(self)(self.root / folder, self._cwd, git_dir_in(self.root / folder))
        return known

    def leaves_out_folder(self, folder: str) -> bool:
        """Whether a folder is not there as a sparse checkout leaves all of it out."""
        return any(path.startswith(f"{folder}/") for path in self._left_out)

    # --- what is not on disk ----------------------------------------------------------------------------------------

    def _not_on_disk(self, path: str) -> bytes | None:
        """What a sparse checkout leaves out; ``None`` for what is there, or nowhere.

        Raises:
            ReadError: it is not known what is there.
        """
        clean = inside(path, self.display(path))
        if os.path.exists(self.root / clean):
            return None
        for folder in map(str, PurePosixPath(clean).parents):
            if folder != "." and git_dir_in(self.root / folder) is not None:
                return self.opened(folder)._not_on_disk(clean.removeprefix(f"{folder}/"))
        blob = self._left_out.get(clean)
        if blob is None:
            self._refuse_submodule(clean)
            return None
        try:
            kind, data = self._objects.ask(blob)
        except git_objects.NotInClone:
            kind, data = "missing", b""
        if kind != "blob":
            hint = "git sparse-checkout disable brings it into the work tree"
            raise ReadError("left out by a sparse checkout, and not in this clone", file=self.display(path), hint=hint)
        return data

    @cached_property
    def _left_out(self) -> dict[str, str]:
        """The regular files that a sparse checkout leaves in the index, each with its object."""
        return git_files.skipped_files(self.root, self._git_dir) if self._is_sparse() else {}

    @cached_property
    def _objects(self) -> git_objects.ObjectReader:
        return git_objects.ObjectReader(self.root, self._git_dir)

    def _is_sparse(self) -> bool:
        """Whether the checkout may be sparse, known without starting git."""
        git_dir: Path | str | None = self._git_dir or os.environ.get("GIT_DIR")
        if git_dir is None:
            root = repository_around(self.root)
            git_dir = git_dir_in(root) if root is not None else None
        return git_dir is not None and os.path.exists(Path(git_dir, "info", "sparse-checkout"))

    # --- submodules -------------------------------------------------------------------------------------------------

    def _pass_over(self, folder: str, meant: str) -> None:
        """Keep a folder in mind in which a glob may match something, if it is a submodule that is not checked out.

        Raises:
            ReadError: it is one, and the glob names the way into it.
        """
        if not (
            may_match_below(folder, meant) and _is_empty(self.root / folder) and self.root / folder in self._gitlinks
        ):
            return
        if spells_out(folder, meant):
            raise self._not_checked_out(folder, folder)
        self.passed_over.add(folder)

    def _refuse_empty_root(self) -> None:
        """A submodule that is not checked out holds nothing itself."""
        if _is_empty(self.root) and self.root in self._gitlinks:
            raise self._not_checked_out("", "")

    def _refuse_submodule(self, path: str) -> None:
        """A folder, and what is not there, may be of a submodule that is not checked out: git leaves its folder empty."""
        try:
            real = (self.root / path).resolve()
            folder = next(each for each in (real, *real.parents) if each.is_dir())
        except (OSError, RuntimeError):
            return
        if folder.is_relative_to(self._real_root) and _is_empty(folder) and folder in self._gitlinks:
            raise self._not_checked_out(folder.relative_to(self._real_root).as_posix(), path)

    def _not_checked_out(self, folder: str, path: str) -> ReadError:
        around = self.display("") if self._git_dir is not None else None
        name = folder if around is not None else self.display(folder)
        return not_checked_out(self.display(folder), self.display(path), name, around)


def passed_over(tree: Tree, pattern: str) -> list[str]:
    """The submodules of a tree that are not here, where a glob that it was listed for may match something in them."""
    folders = tree.passed_over if isinstance(tree, GitTree | Checkout) else ()
    return sorted(folder for folder in folders if may_match_below(folder, pattern))


def _is_empty(folder: Path) -> bool:
    try:
        with os.scandir(folder) as entries:
            return next(entries, None) is None
    except OSError:
        return False

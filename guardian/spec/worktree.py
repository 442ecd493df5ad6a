"""The work tree of a git repository, with what git keeps out of it: sparse checkouts, submodules, ignored folders."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator

from guardian.spec import git_files
from guardian.spec.checkout import Checkout
from guardian.spec.globs import below, fixed_folder, is_glob, matches_glob, may_match_below
from guardian.spec.roots import git_dir_in
from guardian.spec.trees import SKIPPED, without_foreign


class WorkTree(Checkout):
    """A directory without the files that git ignores, and with those that a sparse checkout leaves in the index."""

    _nested: list[str] | None = None

    def files(self, complete_below: str | None = None, meant: str | None = None) -> list[str]:
        self._refuse_empty_root()
        listed, unread = git_files.list_work_tree(self.root, self._git_dir)
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
                if meant is not None and _enters(folder, meant, is_submodule=folder == path):
                    found += self._files_below(folder, complete_below, meant)
        return sorted(found)

    def all_files(self, pattern: str) -> list[str]:
        """The files that a glob or a folder below the root means, whether git lists them or not.

        What is spelled out is on disk for a reason, be it that CI downloaded it: whether git tracks it, ignores it or finds
        another repository there is no matter. Where a wildcard leads, only what git would list counts: no copies of a build,
        no other clones.

        Raises:
            ReadError: a folder in there cannot be listed, or is a submodule that is not checked out.
        """
        fixed = fixed_folder(pattern)
        if not fixed:
            return self.files(complete_below="", meant=pattern)
        steps = pattern.split("/")
        is_folder = not is_glob(pattern) or (self.root / pattern).is_dir()
        ends = len(steps) if is_folder else len(steps) - 1
        crossing = next((depth for depth, step in enumerate(steps) if "**" in step and not is_folder), None)
        found: list[str] = []
        folders = [""]
        for depth, step in enumerate(steps[: ends if crossing is None else crossing]):
            folders = self._found(folders, step) if is_glob(step) and not is_folder else self._named(folders, step)
            for other in [each for each in folders if git_dir_in(self.root / each) is not None]:
                folders.remove(other)
                inner = self.opened(other).files("", "/".join(steps[depth + 1 :]) or "**")
                found += [f"{other}/{path}" for path in inner]
        if is_folder or crossing is not None:
            found += self._everything(folders, pattern)
        else:
            found += [path for folder in folders for path in self._in_folder(folder, steps[-1], stat.S_ISREG)]
        return sorted({*found, *(path for path in self._left_out if path.startswith(f"{fixed}/"))})

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

    def _files_below(self, folder: str, complete_below: str | None, meant: str) -> list[str]:
        """What a glob may mean in another repository in here."""
        if git_dir_in(self.root / folder) is None:  # not checked out, or a copy of it without its repository
            self._pass_over(folder, meant)
            return list(self._walk(complete_below, folder))
        inner = self.opened(folder)
        needed = None if complete_below is None else _from(folder, complete_below)
        found = [f"{folder}/{path}" for path in inner.files(needed, below(folder, meant))]
        self.passed_over.update(f"{folder}/{each}" for each in inner.passed_over)
        return found

    # --- what is spelled out ----------------------------------------------------------------------------------------

    def _named(self, folders: list[str], name: str) -> list[str]:
        """The folders of a name in some others."""
        found = [f"{folder}/{name}" if folder else name for folder in folders]
        for each in found:
            self._refuse_submodule(each)
        return [each for each in found if (self.root / each).is_dir()]

    def _found(self, folders: list[str], step: str) -> list[str]:
        """The folders in some others that a wildcard leads to: without ignored ones, and other clones than submodules.

        A folder that is ignored itself, or that holds nothing but clones, was named for what is in it.
        """
        found = [each for folder in folders for each in self._in_folder(folder, step, stat.S_ISDIR)]
        ignored = git_files.ignored(self.root, [*folders, *found], self._git_dir) if found else set()
        found = [each for each in found if each not in ignored or each.rpartition("/")[0] in ignored]
        clones = {each for each in found if each not in ignored and (self.root / each / ".git").exists()}
        clones = {each for each in clones if (self.root / each) not in self._gitlinks}
        return [each for each in found if each not in clones] or found

    def _in_folder(self, folder: str, step: str, is_kind: Callable[[int], bool]) -> list[str]:
        """What in a folder matches a step of a glob."""
        self._refuse_submodule(folder)
        found = []
        try:
            for name in os.listdir(self.root / folder):
                path = f"{folder}/{name}"
                if name not in SKIPPED and matches_glob(name, step) and is_kind(os.lstat(self.root / path).st_mode):
                    found.append(path)
        except OSError as error:
            self._refuse(folder, error, folder)
        return sorted(found)

    def _everything(self, folders: list[str], pattern: str) -> Iterator[str]:
        """What lies below some folders: what git lists, or all of it where that is nothing but ``.gitkeep`` and the like."""
        listed = self.files(fixed_folder(pattern), pattern) if folders else []
        for folder in folders:
            self._refuse_submodule(folder)
            found = [path for path in listed if path.startswith(f"{folder}/")]
            yield from found
            if all(path.rpartition("/")[2].startswith(".") for path in found):
                yield from self._walk(folder, folder)


def _enters(folder: str, meant: str, *, is_submodule: bool) -> bool:
    """Whether a glob is about another repository in here: a submodule it may match in, or a clone that it names."""
    return may_match_below(folder, meant) if is_submodule else f"{fixed_folder(meant)}/".startswith(f"{folder}/")


def _from(folder: str, complete_below: str) -> str | None:
    """A folder below which none may be missing, as it is known in another; ``None`` where it has nothing to do with it."""
    if not complete_below or f"{folder}/".startswith(f"{complete_below}/"):
        return ""
    return complete_below.removeprefix(f"{folder}/") if complete_below.startswith(f"{folder}/") else None

"""Services that base does not have: new ones, and those that base can never have.

What git ignores, and what lies in another repository, is in no commit of this one. Such a specification would be "new" in
every check, and none of its changes would ever be seen.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from guardian.check.service import listed
from guardian.check.sides import Sides, root_of
from guardian.errors import ReadError
from guardian.model import Note
from guardian.spec import git_files
from guardian.spec.globs import fixed_folder, matches_glob, matches_on_disk
from guardian.spec.roots import git_dir_in
from guardian.spec.submodules import Gitlinks
from guardian.spec.trees import SKIPPED, DirectoryTree, GitTree, Tree
from guardian.spec.worktree import WorkTree

REMEDY = "commit it, or make it for both sides and name the two files: --base OLD.yaml --head NEW.yaml"


def why_never(sides: Sides, paths: Sequence[str]) -> dict[str, str]:
    """Of files of head those that no revision of base's repository can have, each with the reason as a clause."""
    base, root = sides.base.tree, root_of(sides.head.tree)
    if not paths or not isinstance(base, GitTree) or isinstance(sides.head.tree, GitTree) or root is None:
        return {}
    repo, gitlinks = Path(os.path.realpath(base.repo)), Gitlinks()
    found: dict[str, str] = {}
    kept: dict[Path, dict[str, str]] = {}
    for path in paths:
        file = Path(os.path.realpath((root / path).parent), posixpath.basename(path))
        if not file.is_relative_to(repo):
            continue
        inner = next((each for each in file.parents if each == repo or (each / ".git").exists()), repo)
        if inner != repo and inner not in gitlinks:
            found[path] = f"it lies in another repository, {inner.relative_to(repo).as_posix()}"
        else:
            kept.setdefault(inner, {})[file.relative_to(inner).as_posix()] = path
    for inner, files in kept.items():
        ignored = git_files.ignored(inner, files, git_dir_in(inner) if inner != repo else None)
        found.update((files[each], "git ignores it") for each in ignored)
    return found


def nothing_to_compare(sides: Sides, path: str, reason: str) -> ReadError:
    """What to say of a specification that was to be compared with what base can never have."""
    shown = sides.head.tree.display(path)
    return ReadError(f"{sides.base.tree.label} has no such file, as {reason}", file=shown, hint=REMEDY)


def ignored_matches(tree: Tree, pattern: str, found: Collection[str]) -> list[str]:
    """The files on disk that a glob matches and git ignores, so that they are not among those found; sorted.

    A glob with ``**`` runs through all folders, and so through what builds copy: its matches are looked for only where
    it has no other.
    """
    if not isinstance(tree, WorkTree) or ("**" in pattern and found):
        return []
    there: Iterable[str] = matches_on_disk(tree.root, pattern)
    if "**" in pattern:
        below = fixed_folder(pattern)
        there = (f"{below}/{path}" if below else path for path in DirectoryTree(tree.root / below).files())
        there = (path for path in there if matches_glob(path, pattern))
    known = frozenset(found)
    left = sorted(path for path in there if path not in known and SKIPPED.isdisjoint(path.split("/")))
    return sorted(git_files.ignored(tree.root, left)) if left else []


def not_checked(name: str, spec: str, files: Sequence[str], config: str | None) -> Note:
    """What to say of files that a glob matches and that are left out because git ignores them."""
    message = (
        f"service {name}: {spec} also matches {listed([*files])}, which git ignores, so that no check sees changes"
    )
    return Note("warning", f"{message} there; if that is meant, narrow the glob, else {REMEDY}", config)

"""The specifications that the action's input ``specs`` names, as the services of a guardian.yaml.

They are looked up on either side, so that new and deleted ones come out right, and by the same trees and globs as those of
a guardian.yaml, in submodules too.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from guardian.errors import UsageError
from guardian.host.base import Range
from guardian.spec.checkout import passed_over
from guardian.spec.globs import fixed_folder, is_glob, literal, matches_glob
from guardian.spec.service_names import distinct
from guardian.spec.submodules import not_looked_into
from guardian.spec.trees import GitTree, Tree
from guardian.spec.worktree import WorkTree


class Named(NamedTuple):
    """The services by name, each with the path of its specification as a glob; and what a reader should know.

    ``paths`` are those paths as they are, by the same names.
    """

    services: Mapping[str, str]
    remarks: tuple[str, ...]
    paths: Mapping[str, str]


def named(root: Path, commits: Range, patterns: Mapping[str, str], prefix: str) -> Named:
    """The specifications of either side.

    Args:
        root: of the repository.
        patterns: what the input says, and what that is from the root.
        prefix: the working directory from the root, which the services' names are relative to.

    Raises:
        UsageError: a pattern means no file.
        ReadError: it leads into a submodule that is not here.
    """
    trees: list[Tree] = [GitTree(root, commit) for commit in (commits.base, commits.head) if commit is not None]
    trees += [WorkTree(root)] if commits.head is None else []
    files: set[str] = set()
    remarks: list[str] = []
    for said, pattern in patterns.items():
        found = {path for tree in trees for path in _meant(tree, pattern)}
        hidden = sorted({folder for tree in trees for folder in passed_over(tree, pattern)}) if is_glob(pattern) else []
        if not found:
            hint = not_looked_into(hidden, said) if hidden else "paths and globs start at `working-directory`"
            if any(tree.is_directory(pattern) for tree in trees):
                raise UsageError(
                    f"the input `specs` names {said!r}, which is a folder",
                    hint=f"name the files in it: {posixpath.join(said, '*.yaml')}",
                )
            raise UsageError(f"the input `specs` names {said!r}, which is on neither side", hint=hint)
        remarks += [not_looked_into(hidden, said)] if hidden else []
        files |= found
    paths = sorted(files)
    by_name = dict(zip(_names(paths, prefix), paths, strict=True))
    return Named({name: literal(path) for name, path in by_name.items()}, tuple(remarks), by_name)


def _meant(tree: Tree, pattern: str) -> Iterable[str]:
    """The files of a tree that a path or glob means; a name with brackets may be both."""
    if tree.exists(pattern):
        yield pattern
    if is_glob(pattern):
        listed = tree.files(complete_below=fixed_folder(pattern), meant=pattern)
        yield from (path for path in listed if matches_glob(path, pattern))


def _names(paths: list[str], prefix: str) -> list[str]:
    """Paths without their endings; with them where several would be called alike."""
    shown = [posixpath.relpath(path, prefix or ".") for path in paths]
    return distinct([(posixpath.splitext(each)[0], each) for each in shown])

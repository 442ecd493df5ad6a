"""Both sides of a check: what ``--base`` and ``--head`` mean together, and where guardian.yaml's paths are in each.

Each side is a tree of files, and perhaps the one specification in it that was named. A side that names less than the
other (a bare revision beside a file or a folder, or nothing at all) is taken to mean the same file or folder.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from guardian.check.setting import said_of
from guardian.config import CheckRequest
from guardian.errors import ReadError, UsageError
from guardian.model import Note
from guardian.spec import git_files, revisions, submodules
from guardian.spec.git_files import FileChange
from guardian.spec.roots import repository_around
from guardian.spec.sources import Side, open_side
from guardian.spec.trees import DirectoryTree, GitTree, Tree
from guardian.spec.worktree import WorkTree


class Sides(NamedTuple):
    """Both sides of a check. A path in either is relative to its tree's root."""

    base: Side
    head: Side

    @property
    def single(self) -> bool:
        """Whether each side is one specification: the two-file form."""
        return self.base.path is not None and self.head.path is not None


def open_sides(request: CheckRequest) -> Sides:
    """Open what ``--base`` and ``--head`` name, or the defaults.

    Raises:
        ReadError: a side cannot be read.
        UsageError: the two do not go together.
    """
    with said_of(request, "base"):
        base = open_side(request.base, cwd=request.cwd, role="base")
    if request.head is None and base.path is not None and not isinstance(base.tree, GitTree):
        raise UsageError(
            f"--base {request.base} is a single specification, so there is nothing to compare it with",
            hint="name the other one: --head NEW.yaml",
        )
    with said_of(request, "head"):
        head = open_side(request.head, cwd=request.cwd, role="head")
    if request.head is None:
        _refuse_itself(base, head, request)
    if base.path is None and head.path is not None:
        return Sides(_same_file(base, head, "base", request.base, "head"), head)
    if head.path is None and base.path is not None:
        return Sides(base, _same_file(head, base, "head", request.head, "base"))
    if base.path is None and head.path is None:
        return Sides(_narrowed(base, head, request.cwd), _narrowed(head, base, request.cwd))
    return Sides(base, head)


def _refuse_itself(base: Side, head: Side, request: CheckRequest) -> None:
    """Refuse a base folder that lies in the work tree, which would be compared with itself.

    Raises:
        UsageError: it does.
    """
    ours, theirs = root_of(base.tree), root_of(head.tree)
    if isinstance(base.tree, GitTree) or ours is None or theirs is None:
        return
    if ours != theirs and not (isinstance(head.tree, WorkTree) and ours.is_relative_to(theirs)):
        return
    meant = revisions.full_name(theirs, request.base or "") if isinstance(head.tree, WorkTree) else None
    hint = "name what it is to be compared with: --head FOLDER (. is all that is here), or a revision as --base"
    if meant is not None:
        hint = f"the revision of this name is --base {meant}; for the folder, name the other side: --head FOLDER"
    raise UsageError(f"--base {request.base} is a folder here, which would be compared with itself", hint=hint)


def _same_file(side: Side, other: Side, role: str, named: str | None, other_role: str) -> Side:
    """The file that the other side names, on this side, which is a whole tree; there or not.

    Raises:
        UsageError: this side can have no such file.
    """
    if not _versioned(side.tree):
        raise UsageError(
            f"--{role} {named} is a folder and --{other_role} a single specification",
            hint="name two files, or two folders",
        )
    ours, theirs = root_of(side.tree), root_of(other.tree)
    path = _between(theirs / (other.path or ""), ours) if ours and theirs else None
    if path is None:
        raise UsageError(
            f"--{other_role} names a file outside of this repository, so {side.label} has no such file",
            hint=f"name its counterpart: --{role} {named or 'REVISION'}:path/to/spec.yaml",
        )
    return Side(side.tree, path)


def _versioned(tree: Tree) -> bool:
    """Whether a tree is some state of a repository, rather than a folder that somebody named."""
    return isinstance(tree, GitTree | WorkTree)


def _narrowed(side: Side, other: Side, cwd: Path) -> Side:
    """A whole repository as the folder of it that the other side names, if it has that folder."""
    ours, theirs = root_of(side.tree), root_of(other.tree)
    folder = _between(theirs, ours) if ours and theirs else None
    if not folder or ours is None:
        return side
    if isinstance(side.tree, GitTree) and not side.tree.prefix and side.tree.is_directory(folder):
        return Side(GitTree(side.tree.repo, side.tree.commit, folder, label=side.tree.label))
    if isinstance(side.tree, WorkTree) and (ours / folder).is_dir():
        return Side(WorkTree(side.tree.root / folder, cwd))
    return side


def root_of(tree: Tree) -> Path | None:
    """Where a tree's root is, or for a revision would be, on disk; links resolved."""
    if isinstance(tree, GitTree):
        return Path(os.path.realpath(tree.repo / tree.prefix))
    if isinstance(tree, DirectoryTree):
        return Path(os.path.realpath(tree.root))
    return None


def _between(path: Path, root: Path) -> str | None:
    """The way from a root to what is in it; empty for the root itself, ``None`` for what is not."""
    relative = os.path.relpath(path, root).replace(os.sep, "/")
    if relative == ".." or relative.startswith("../") or os.path.isabs(relative):
        return None
    return "" if relative == "." else relative


def in_tree(sides: Sides, tree: Tree, folder: Path, path: str) -> str | None:
    """A path of guardian.yaml, which may hold a glob, as one side knows it: from its root.

    It starts at guardian.yaml's folder. A side that this folder is not in knows it by the way that it has in the other
    side; where it is in neither, the path starts at the root of each.

    Args:
        folder: guardian.yaml's own.

    Returns:
        ``None`` for what lies outside of the tree.
    """
    folder = Path(os.path.realpath(folder))
    place = Path(os.path.normpath(folder / path))
    for each in (tree, sides.head.tree, sides.base.tree):
        root = root_of(each)
        if root is not None and folder.is_relative_to(root):
            return _between(place, root)
    root = root_of(tree)
    below = _between(place, root) if root is not None else None
    if below:
        return below
    clean = posixpath.normpath(path)
    return None if clean.startswith("../") or posixpath.isabs(clean) else clean


def holds(sides: Sides, folder: Path) -> bool:
    """Whether one of the sides holds a folder, such as guardian.yaml's."""
    real = Path(os.path.realpath(folder))
    roots = (root_of(each.tree) for each in (sides.base, sides.head))
    return any(root is not None and real.is_relative_to(root) for root in roots)


def renames(sides: Sides) -> list[FileChange]:
    """Files that git says were renamed, by their paths in both trees; none where the sides are not of one repository.

    Those of a submodule that was moved are among them.
    """
    base, head = sides.base.tree, sides.head.tree
    if not isinstance(base, GitTree):
        return []
    commit: str | None = None
    if isinstance(head, GitTree):
        if head.repo != base.repo:
            return []
        commit, prefix = head.commit, head.prefix
    else:
        root = root_of(head)
        inside = _between(root, Path(os.path.realpath(base.repo))) if root is not None else None
        if inside is None:
            return []
        prefix = inside
    changed = git_files.changed_files(base.repo, base.commit, commit)
    renamed = {each.base: each.head for each in changed if each.renamed and each.base and each.head}
    pairs = [(_below(was, base.prefix), _below(now, prefix)) for was, now in renamed.items()]
    found = [FileChange(was, now) for was, now in pairs if was is not None and now is not None]
    if any(each.base == submodules.MODULES for each in changed):
        folders = submodules.moved_folders(base.repo, base.commit, commit, renamed)
        for was, now in folders.items():
            found += _inside_moved(base, _below(was, base.prefix), _below(now, prefix))
    return found


def _inside_moved(base: Tree, was: str | None, now: str | None) -> Iterator[FileChange]:
    """The files of a submodule with another folder on head, as base has them; there or not there on head."""
    if was is None or now is None:
        return
    try:
        for path in base.files(meant=was):
            if path.startswith(f"{was}/"):
                yield FileChange(path, now + path.removeprefix(was))
    except ReadError:  # its commit is not here, which whoever reads one of its files is told
        return


def told(side: Side) -> str:
    """A side in words, a revision with its commit."""
    tree = side.tree
    label = "the work tree" if isinstance(tree, WorkTree) and side.path is None else side.label
    if isinstance(tree, GitTree) and not side.label.startswith(tree.commit[:12]):
        return f"{label} at {tree.commit[:12]}"
    return label


def said_where(message: str, tree: Tree) -> str:
    """What is wrong with a file, with the side that it is wrong on, where the message does not say that itself."""
    return message if f" in {tree.label}" in message else f"{message} (in {tree.label})"


def with_itself(sides: Sides, request: CheckRequest) -> list[Note]:
    """A note where nothing differs because something is compared with itself, as a commit is on a default branch."""
    base, head = sides.base.tree, sides.head.tree
    if isinstance(base, DirectoryTree) and isinstance(head, DirectoryTree):
        if sides.base.path != sides.head.path or root_of(base) != root_of(head):
            return []
        what = "folder" if sides.base.path is None else "file"
        return [Note("info", f"base and head are the same {what}, so there is nothing to compare")]
    if not isinstance(base, GitTree) or (request.base or "").partition(":")[0] in ("HEAD", "@"):
        return []
    if isinstance(head, GitTree):
        same, what = head.commit == base.commit, "there is nothing to compare"
    elif isinstance(head, WorkTree):
        same = revisions.try_resolve(base.repo, "HEAD") == base.commit
        what = "only what is not committed was compared"
    else:
        return []
    if not same:
        return []
    text = f"base ({base.label}) is the same commit as head, so {what}; name another base, such as --base HEAD~1"
    return [Note("info", text)]


def shadowed(sides: Sides, request: CheckRequest) -> list[Note]:
    """A note for each folder that was taken where a branch or tag has the same name."""
    notes: list[Note] = []
    for role, named, side in (("base", request.base, sides.base), ("head", request.head, sides.head)):
        if not named or named.startswith((".", os.sep)) or not isinstance(side.tree, DirectoryTree) or side.path:
            continue
        root = repository_around(request.cwd)
        meant = revisions.full_name(root, named) if root is not None else None
        if meant is not None:
            notes.append(Note("info", f"--{role} {named} is the folder; the revision of this name is {meant}"))
    return notes


def _below(path: str | None, prefix: str) -> str | None:
    if path is None or not prefix:
        return path
    return path.removeprefix(f"{prefix}/") if path.startswith(f"{prefix}/") else None


def path_of(tree: Tree, name: str, cwd: Path) -> str | None:
    """The path in a tree of the file that reports call by this name; ``None`` where there is none."""
    path: str | None = name
    if isinstance(tree, GitTree):
        path = _below(name, tree.prefix)
    elif isinstance(tree, DirectoryTree):
        path = os.path.relpath(os.path.normpath(cwd / name), tree.root).replace(os.sep, "/")
    if path is not None and tree.exists(path) and tree.display(path) == name:
        return path
    return next((each for each in tree.files() if tree.display(each) == name), None)  # no Unicode, or a link's name

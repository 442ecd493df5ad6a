"""Where the files of a fix are: left out of the work tree, in another repository, or where git does not look."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from guardian.errors import ReadError, UsageError
from guardian.spec import git, git_files
from guardian.spec.roots import repository_around


def require_there(files: Sequence[str], folder: Path) -> None:
    """Refuse to write where a file is not there, with what brings it.

    Args:
        files: as reports name them.
        folder: what their names are relative to.

    Raises:
        UsageError: one is missing.
    """
    gone = [(file, target) for file in files if not os.path.lexists(target := _target(folder, file))]
    if not gone:
        return
    root = repository_around(gone[0][1].parent)
    skipped = git_files.skipped_files(root) if root is not None else {}
    left_out = [path for _, target in gone if root is not None and (path := _below(target, root)) in skipped]
    if root is None or not left_out:
        raise UsageError("is not there any more, so it cannot be written", file=gone[0][0], hint="run the check again")
    wanted = sorted({path.rpartition("/")[0] if _takes_folders(root) else _as_pattern(path) for path in left_out})
    here = Path(os.path.realpath(folder))
    where = [] if root == here else ["-C", os.path.relpath(root, here)]
    raise UsageError(
        "a sparse checkout leaves this file out of the work tree, so it cannot be written",
        file=gone[0][0],
        hint=f"{shlex.join(['git', *where, 'sparse-checkout', 'add', *wanted])}, then apply the fix again",
    )


def afterwards(written: Iterable[Path], folder: Path) -> Iterator[str]:
    """What to know of files that were written and that no commit of the repository around a folder will hold."""
    own = repository_around(Path(os.path.realpath(folder)))
    if own is None:
        return
    others = set()
    for path in written:
        root = repository_around(path.parent)
        if root is None or not root.is_relative_to(own):
            continue
        if root != own:
            others.add(_below(root, own))
        elif _is_ignored(own, _below(path, own)):
            yield f"git ignores {_below(path, own)}, so no commit will hold this: make it where that file comes from too"
    for each in sorted(others):
        yield f"{each} is a repository of its own: commit and push there first"


def _takes_folders(root: Path) -> bool:
    """Whether a sparse checkout is one of whole folders, and not of patterns."""
    try:
        return git.ask(root, "config", "--bool", "core.sparseCheckoutCone").strip() == b"true"
    except git.GitRefusal:  # nobody has said
        return False


def _as_pattern(path: str) -> str:
    """The pattern that means this file and no other; what comes last in a list of them holds."""
    return "/" + re.sub(r"[*?\[\\]", r"\\\g<0>", path)


def _target(folder: Path, file: str) -> Path:
    return Path(os.path.realpath(folder / file))


def _below(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()


def _is_ignored(root: Path, path: str) -> bool:
    try:
        return bool(git_files.ignored(root, [path]))
    except ReadError:  # git is not there: nothing is committed either
        return False

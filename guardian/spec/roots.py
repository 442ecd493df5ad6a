"""Roots of repositories, found on disk without starting git, which may be missing or not trust them yet."""

from __future__ import annotations

import os
from pathlib import Path


def repository_around(folder: Path) -> Path | None:
    """The root of the repository that a folder is or lies in."""
    return next((each for each in (folder, *folder.parents) if (each / ".git").exists()), None)


def git_dir_in(folder: Path) -> Path | None:
    """The git directory of the repository whose root a folder is; ``None`` where it is no root."""
    mark = folder / ".git"
    if os.path.isdir(mark):  # no error where nobody may look: whoever reads there says so
        return mark
    try:
        kind, _, place = mark.read_text("utf-8", "surrogateescape").partition(": ")
    except OSError:
        return None
    found = Path(os.path.normpath(folder / place.rstrip("\n")))
    return found if kind == "gitdir" and found.is_dir() else None

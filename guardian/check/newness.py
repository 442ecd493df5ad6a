"""Services that base does not have: new ones, and those that base can never have.

What git ignores, and what lies in another repository, is in no commit of this one. Such a specification would be "new" in
every check, and none of its changes would ever be seen.
"""

from __future__ import annotations

import os
from pathlib import Path

from guardian.check.sides import Sides, root_of
from guardian.errors import ReadError
from guardian.spec import git
from guardian.spec.submodules import is_gitlink
from guardian.spec.trees import GitTree

REMEDY = "commit it, or make it for both sides and name the two files: --base OLD.yaml --head NEW.yaml"


def why_never(sides: Sides, path: str) -> str | None:
    """Why no revision of base's repository can have a file of head, as a clause; ``None`` where one can."""
    base, root = sides.base.tree, root_of(sides.head.tree)
    if not isinstance(base, GitTree) or isinstance(sides.head.tree, GitTree) or root is None:
        return None
    repo = Path(os.path.realpath(base.repo))
    file = root / path
    if not file.is_relative_to(repo):
        return None
    inner = next((each for each in file.parents if each != repo and (each / ".git").exists()), repo)
    if inner != repo and inner.is_relative_to(repo) and not is_gitlink(inner):
        return f"it lies in another repository, {inner.relative_to(repo).as_posix()}"
    return "git ignores it" if git.is_ignored(repo, file.relative_to(repo).as_posix()) else None


def nothing_to_compare(sides: Sides, path: str, reason: str) -> ReadError:
    """What to say of a specification that was to be compared with what base can never have."""
    shown = sides.head.tree.display(path)
    return ReadError(f"{sides.base.tree.label} has no such file, as {reason}", file=shown, hint=REMEDY)

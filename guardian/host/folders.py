"""The working directory on base, where it alone is looked at: at its place, where it was moved from, or not there yet."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from guardian.spec import git, git_files


class OnBase(NamedTuple):
    """The folder as base calls it; ``None`` where base has nothing to compare with. And what a reader should know of that."""

    folder: str | None
    remark: str | None = None


def on_base(repo: Path, base: str, head: str | None, folder: str) -> OnBase:
    """What a folder of head is compared with.

    Args:
        repo: the root of the work tree.
        base: a commit.
        head: a commit; ``None`` is the work tree.
        folder: from the root.
    """
    if _has(repo, base, folder):
        return OnBase(folder)
    was = _moved_from(repo, base, head, folder)
    at = f"{folder} is not in {base[:12]}"
    if len(was) == 1 and not _there(repo, head, *was):
        (former,) = was
        return OnBase(former, f"{at}: its files were moved from {former}, which it is compared with")
    if was:
        names = ", ".join(name or "the root" for name in sorted(was))
        how = "name what to compare as `base: REVISION:FOLDER` and `head: .`, or list the specifications in a guardian.yaml"
        return OnBase(None, f"{at}, so it is compared with nothing, though files of it were moved from {names}: {how}")
    return OnBase(None, f"{at}: it is new, and compared with nothing")


def _moved_from(repo: Path, base: str, head: str | None, folder: str) -> set[str]:
    """The folders that files of this one were in, under the same name; by git's own eye for renames."""
    found = set()
    for each in git_files.changed_files(repo, base, head):
        if each.renamed and each.head and each.base and each.head.startswith(f"{folder}/"):
            rest = each.head.removeprefix(folder)
            if f"/{each.base}".endswith(rest):
                found.add(f"/{each.base}".removesuffix(rest).lstrip("/"))
    return found


def _there(repo: Path, head: str | None, folder: str) -> bool:
    """Whether head still has a folder, of which only a part was moved then."""
    return (repo / folder).is_dir() if head is None else _has(repo, head, folder)


def _has(repo: Path, commit: str, folder: str) -> bool:
    try:
        return git.ask(repo, "cat-file", "-t", f"{commit}:{folder}").strip() == b"tree"
    except git.GitRefusal:
        return False

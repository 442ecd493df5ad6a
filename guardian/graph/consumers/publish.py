"""Manifests into a repository that a company shares: on a branch, for its owners to merge.

The branch is only ever added to, on top of what it holds already. Where it, or the branch that it is for, has the same
files, there is nothing to do.
"""

from __future__ import annotations

import difflib
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from guardian.errors import ReadError, UsageError
from guardian.spec import remote_git
from guardian.spec.text import load_all
from guardian.spec.trees import GitTree

#: The default branch of one that has none yet.
FIRST_BRANCH = "main"

_BRANCH = re.compile(r"(?!.*(?:\.\.|//|@\{|\.lock(?:/|$)))[A-Za-z0-9_][\w./@+-]*(?<![./])")


@dataclass(frozen=True, slots=True)
class Published:
    """What became of publishing.

    Attributes:
        branch: the branch of the shared repository.
        commit: what was pushed to it; ``None`` where nothing was, since nothing is new or it was only tried.
        diff: what changes there, as a unified diff; empty if nothing does.
        target: the branch that it is to be merged into; ``None`` in an empty repository.
    """

    branch: str
    commit: str | None
    diff: str
    target: str | None


def publish(
    url: str,
    files: Mapping[str, bytes],
    branch: str,
    message: str,
    *,
    onto: str = "",
    whose: Mapping[str, str] | None = None,
    who: Path,
    dry_run: bool = False,
) -> Published:
    """Write files to a branch of another repository, and push it.

    Args:
        url: the shared repository.
        files: content by path.
        branch: the branch to write to; made from ``onto`` if it is not there.
        message: the commit's.
        onto: the branch that it is for; the default branch where empty.
        whose: the consumer of each path; the file of another is not overwritten.
        who: the folder whose git settings say who commits.
        dry_run: change nothing anywhere.

    Raises:
        ReadError: the repository cannot be reached, or refuses the push.
        UsageError: there is no branch ``onto``; ``branch`` is no name for one, or the one that it is for; a path is
            another consumer's.
    """
    if not _BRANCH.fullmatch(branch):
        raise UsageError(f"{branch!r} is no name for a branch")
    there = remote_git.branches(url)
    if onto and there and onto not in there:
        raise UsageError(f"{remote_git.shown(url)} has no branch {onto}", hint=f"it has {', '.join(sorted(there))}")
    commits = {name: commit for name, commit in there.items() if name != "HEAD"}
    target = onto or next((name for name in sorted(commits) if commits[name] == there.get("HEAD")), None)
    if branch == (onto or target):
        raise UsageError(
            f"{branch} is the branch that others read", hint="name another by --branch, and have it merged from there"
        )
    start = branch if branch in there else onto or ("HEAD" if "HEAD" in there else "")
    with tempfile.TemporaryDirectory(prefix="guardian-") as cache:
        copy = remote_git.fetch(url, start, Path(cache)) if start else remote_git.empty(Path(cache))
        parent = copy.commit or None
        for path, consumer in (whose or {}).items():
            _refuse_others(copy, path, consumer, remote_git.shown(url))
        diff = _diff(copy, files)
        if not diff or dry_run:
            return Published(branch, None, diff, target)
        commit = remote_git.commit_files(copy.repo, parent, files, message, who)
        remote_git.push(copy.repo, url, commit, branch if there else FIRST_BRANCH)
    return Published(branch if there else FIRST_BRANCH, commit, diff, target)


def _refuse_others(copy: remote_git.Copy, path: str, consumer: str, where: str) -> None:
    """Two consumers may have names that make the same file, each published by its own team.

    Raises:
        UsageError: the file that is there declares others, and not this one.
    """
    try:
        documents = load_all(_before(copy, path) or b"", path)
    except ReadError:
        return
    there = [each["consumer"] for each in documents if isinstance(each, dict) and isinstance(each.get("consumer"), str)]
    if there and consumer not in there:
        raise UsageError(
            f"{path} of {where} is the manifest of {', '.join(map(repr, there))}, not of {consumer!r}",
            hint="give the consumer another name or publish to another --folder; if it was renamed, remove that file there first",
        )


def _diff(copy: remote_git.Copy, files: Mapping[str, bytes]) -> str:
    parts: list[str] = []
    for path, data in sorted(files.items()):
        before = _before(copy, path)
        if before != data:
            lines = difflib.unified_diff(
                (before or b"").decode("utf-8", "replace").splitlines(),
                data.decode("utf-8", "replace").splitlines(),
                f"a/{path}" if before is not None else "/dev/null",
                f"b/{path}",
                lineterm="",
            )
            parts.append("\n".join(lines) + "\n")
    return "".join(parts)


def _before(copy: remote_git.Copy, path: str) -> bytes | None:
    if not copy.commit:
        return None
    try:
        return GitTree(copy.repo, copy.commit).read(path)
    except ReadError:  # a new file
        return None

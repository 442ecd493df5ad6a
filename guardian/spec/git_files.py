"""Which files a commit or a work tree has, and which of them differ."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from guardian.spec import git

_UNLISTED = re.compile(r"warning: could not open directory '(.*)/': (.*)")


class FileChange(NamedTuple):
    """A path that differs between two sides; ``None`` on the side that does not have it, unequal when renamed."""

    base: str | None
    head: str | None

    @property
    def renamed(self) -> bool:
        return self.base is not None and self.head is not None and self.base != self.head


class CommitFiles(NamedTuple):
    """The regular files of a commit, and its submodules' folders."""

    paths: list[str]
    submodules: list[str]


class WorkTreeFiles(NamedTuple):
    """The files of a work tree, and the folders that git could not look into, each with the reason."""

    paths: list[str]
    unread: list[tuple[str, str]]


def list_files(repo: Path, commit: str, prefix: str) -> list[str]:
    """The regular files of a commit below ``prefix``, relative to it; no links, no submodules."""
    return list_commit(repo, commit, prefix).paths


def list_commit(repo: Path, commit: str, prefix: str, git_dir: Path | None = None) -> CommitFiles:
    """As `list_files`, and the submodules besides."""
    files, submodules = [], []
    listing = ("ls-tree", "-r", "-z", "--full-tree", f"{commit}:{prefix}")
    for entry in _paths(git.ask(git_dir or repo, *git.elsewhere(git_dir), *listing)):
        meta, _, path = entry.partition("\t")
        if meta.startswith("100"):
            files.append(path)
        elif meta.startswith("160000"):
            submodules.append(path)
    return CommitFiles(files, submodules)


def skipped_files(folder: Path, git_dir: Path | None = None) -> dict[str, str]:
    """The regular files in a folder that a sparse checkout leaves out, from there, each with the index's object."""
    found = {}
    for entry in _paths(git.ask(folder, *git.checked_out(git_dir, folder), "ls-files", "-z", "-t", "--stage")):
        meta, _, path = entry.partition("\t")
        tag, mode, name, _ = meta.split(" ")
        if tag == "S" and mode.startswith("100"):
            found[path] = name
    return found


def submodules(folder: Path, git_dir: Path | None) -> frozenset[str]:
    """The folders that the index of a work tree records as submodules."""
    entries = _paths(git.ask(folder, *git.checked_out(git_dir, folder), "ls-files", "-z", "--stage"))
    return frozenset(entry.partition("\t")[2] for entry in entries if entry.startswith("160000"))


def ignored(folder: Path, paths: Iterable[str], git_dir: Path | None = None) -> set[str]:
    """Those of some paths in a work tree that git does not track, as it is told to ignore them."""
    listed = list(paths)
    if not listed:
        return set()
    told = b"".join(path.encode("utf-8", "surrogateescape") + b"\0" for path in listed)
    try:
        return set(
            _paths(
                git.asked(folder, *git.checked_out(git_dir, folder), "check-ignore", "-z", "--stdin", told=told).stdout
            )
        )
    except git.GitRefusal as error:
        if (
            not error.words or len(listed) == 1
        ):  # that none is ends with an error too, and one that cannot be spoils all
            return set()
        return {path for path in listed if ignored(folder, [path], git_dir)}


def list_work_tree(folder: Path, git_dir: Path | None = None) -> WorkTreeFiles:
    """The files of a work tree or a folder in it, tracked or not, without the ignored ones; paths are from there."""
    options = git.checked_out(git_dir, folder)
    done = git.asked(folder, *options, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
    unread = _UNLISTED.findall(done.stderr.decode("utf-8", "surrogateescape"))
    if unread:  # named from the root of the repository
        prefix = git.line(folder, *options, "rev-parse", "--show-prefix")
        unread = [(path.removeprefix(prefix), reason) for path, reason in unread]
    return WorkTreeFiles(_paths(done.stdout), unread)


def changed_files(repo: Path, base_commit: str, head_commit: str | None = None) -> list[FileChange]:
    """What differs between a commit and another, or the work tree (untracked files included), renames paired.

    Paths are relative to the repository's root, sorted.
    """
    diff = ["diff", "--name-status", "-z", "--find-renames", "--no-relative", "--no-ext-diff", base_commit]
    fields = iter(_paths(git.ask(repo, *diff, *([head_commit] if head_commit else []), "--")))
    changes = set()
    for status in fields:
        path = next(fields)
        if status.startswith("R"):
            changes.add(FileChange(path, next(fields)))
        elif status.startswith("C"):
            changes.add(FileChange(None, next(fields)))
        else:
            changes.add(FileChange(None if status == "A" else path, None if status == "D" else path))
    if head_commit is None:
        untracked = _paths(git.ask(repo, "ls-files", "-z", "--others", "--exclude-standard"))
        changes.update(FileChange(None, path) for path in untracked)
    return sorted(changes, key=lambda change: (change.head or change.base or "", change.base or ""))


def _paths(output: bytes) -> list[str]:
    return output.decode("utf-8", "surrogateescape").split("\0")[:-1]

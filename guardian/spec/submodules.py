"""Submodules: which one a path lies in, where the commit that a gitlink records can be read, and what to say if nowhere.

A commit records of a submodule no files but a commit of another repository. That repository is in the work tree, or
kept for it in ``.git/modules``; a file below a gitlink is therefore never known to be missing by the outer one alone.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from guardian.errors import ReadError
from guardian.spec import git

MODULES = ".gitmodules"
_GITLINK, _SYMLINK, _FOLDER = "160000", "120000", "40000"
#: How many links of the file system may lead to each other, as git has it.
_MAX_LINKS = 40


class Gitlink(NamedTuple):
    """A submodule in a commit: its folder from the root of that, and the commit of it that is recorded there."""

    folder: str
    commit: str


def find_gitlink(objects: git.ObjectReader, commit: str, path: str) -> tuple[Gitlink, str] | None:
    """The gitlink that a path is or lies below, links of the file system followed, and the way from there."""
    for _ in range(_MAX_LINKS):
        steps = path.split("/")
        for depth, step in enumerate(steps):
            kind, content = objects.ask(f"{commit}:{'/'.join(steps[:depth])}")
            mode, name = _entry(content, step, len(commit) // 2) if kind == "tree" else ("", "")
            if mode == _GITLINK:
                return Gitlink("/".join(steps[: depth + 1]), name), "/".join(steps[depth + 1 :])
            if mode == _SYMLINK:
                target = objects.ask(name)[1].decode("utf-8", "surrogateescape")
                path = posixpath.normpath(posixpath.join(*steps[:depth], target, *steps[depth + 1 :]))
                break
            if mode != _FOLDER:
                return None
        else:
            return None
        if path.startswith(("/", "../")):
            return None
    return None


def _entry(content: bytes, name: str, size: int) -> tuple[str, str]:
    """Mode and object of one entry of a tree, as git keeps it: ``MODE NAME NUL OBJECT``, the object of ``size`` bytes."""
    wanted, start = name.encode("utf-8", "surrogateescape"), 0
    while (end := content.find(b"\0", start)) >= 0:
        mode, _, found = content[start:end].partition(b" ")
        if found == wanted:
            return mode.decode(), content[end + 1 : end + 1 + size].hex()
        start = end + 1 + size
    return "", ""


def repositories_of(repo: Path, git_dir: Path | None, commit: str, folder: str) -> Iterator[Path]:
    """The git directories that a submodule may be kept in: the work tree's own, then those in ``modules``."""
    here = git_dir_in(repo / folder)
    if here is not None:
        yield here
    at = git_dir or repo
    for name in dict.fromkeys((_name_of(repo, git_dir, commit, folder), folder)):
        for place in ("--git-dir", "--git-common-dir"):  # a linked work tree may share the clones of the main one
            found = git.ask(at, *git.elsewhere(git_dir), "rev-parse", place).decode("utf-8", "surrogateescape")
            kept = Path(at, found.rstrip("\n"), "modules", name)
            if (kept / "HEAD").is_file():
                yield kept


def git_dir_in(folder: Path) -> Path | None:
    """The git directory of the repository whose root a folder is; ``None`` where it is no root."""
    mark = folder / ".git"
    if mark.is_dir():
        return mark
    try:
        kind, _, place = mark.read_text("utf-8", "surrogateescape").partition(": ")
    except OSError:
        return None
    found = Path(os.path.normpath(folder / place.rstrip("\n")))
    return found if kind == "gitdir" and found.is_dir() else None


def _name_of(repo: Path, git_dir: Path | None, commit: str, folder: str) -> str:
    """What a submodule is called, which is what its clone is filed under: its first folder, unless somebody named it."""
    named = _folders_by_name(repo, commit, git_dir)
    return next((name for name, path in named.items() if path == folder), folder)


def _folders_by_name(repo: Path, commit: str | None, git_dir: Path | None = None) -> dict[str, str]:
    """The folders of submodules as ``.gitmodules`` has them, in a commit or in the work tree."""
    place = ["--blob", f"{commit}:{MODULES}"] if commit is not None else ["--file", str(repo / MODULES)]
    wanted = ["config", *place, "-z", "--get-regexp", r"^submodule\..*\.path$"]
    try:
        found = git.ask(git_dir or repo, *git.elsewhere(git_dir), *wanted).decode("utf-8", "surrogateescape")
    except git.GitRefusal:  # no .gitmodules, or nothing in it
        return {}
    entries = (entry.partition("\n") for entry in found.split("\0") if entry)
    return {key[len("submodule.") : -len(".path")]: path for key, _, path in entries}


def moved_folders(repo: Path, base: str, head: str | None, renamed: Mapping[str, str]) -> dict[str, str]:
    """The submodules that have another folder in one commit than in another, or in the work tree: head's by base's.

    Git pairs those of one commit, as it pairs files. Where a submodule goes on to another commit as it moves, its name
    tells.

    Args:
        renamed: what git has paired, by base's path.
    """
    was, now = _folders_by_name(repo, base), _folders_by_name(repo, head)
    alike = {was[name]: now[name] for name in was.keys() & now.keys() if was[name] != now[name]}
    return alike | {path: renamed[path] for path in was.values() if path in renamed}


def not_here(link: Gitlink, path: str, label: str, cloned: bool) -> ReadError:
    """What to say of a file of a revision whose submodule's commit cannot be read."""
    commit = link.commit[:12]
    if cloned:
        what = "which has not been fetched"
        remedy = f"git -C {link.folder} fetch origin {link.commit}"
    else:
        what = "which is not cloned"
        remedy = f"git submodule update --init {link.folder}"
    return ReadError(
        f"lies in the submodule {link.folder}, at commit {commit} in {label}, {what}",
        file=path,
        hint=f"{remedy} -- or name both folders with --base and --head",
    )


def not_checked_out(folder: str, path: str) -> ReadError:
    """What to say of a file of the work tree whose submodule is an empty folder."""
    return ReadError(
        f"lies in the submodule {folder}, which is not checked out",
        file=path,
        hint=f"git submodule update --init {folder} (in GitHub Actions `submodules: true` of actions/checkout)",
    )


def is_gitlink(folder: Path) -> bool:
    """Whether the index of the repository around a folder records a submodule there."""
    root = next((parent for parent in folder.parents if (parent / ".git").exists()), None)
    if root is None:
        return False
    path = folder.relative_to(root).as_posix()
    try:
        found = git.ask(root, "--literal-pathspecs", "ls-files", "--stage", "-z", "--", path)
    except git.GitRefusal:
        return False
    return found.startswith(_GITLINK.encode())

"""Submodules: which one a path lies in, where the commit that a gitlink records can be read, and what to say if nowhere.

A commit records of a submodule no files but a commit of another repository. That repository is in the work tree, or
kept for it in ``.git/modules``; a file below a gitlink is therefore never known to be missing by the outer one alone.
"""

from __future__ import annotations

import os
import posixpath
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from guardian.errors import ReadError
from guardian.spec import git, git_files, git_objects
from guardian.spec.roots import git_dir_in, repository_around

MODULES = ".gitmodules"
_GITLINK, _SYMLINK, _FOLDER = "160000", "120000", "40000"
#: How many links of the file system may lead to each other, as git has it.
_MAX_LINKS = 40


class Gitlink(NamedTuple):
    """A submodule in a commit: its folder from the root of that, and the commit of it that is recorded there."""

    folder: str
    commit: str


class Around(NamedTuple):
    """A commit that has submodules: where its repository is, and how the commit is called.

    Attributes:
        repo: the root of its work tree, or a bare repository.
        git_dir: where its objects are, if it is the repository of a submodule itself.
        folder: where it is in the repository that it is a submodule of.
    """

    repo: Path
    git_dir: Path | None
    commit: str
    folder: str
    label: str


class NotHere(ReadError):
    """A file lies in a submodule whose commit cannot be read."""


def find_gitlink(objects: git_objects.ObjectReader, commit: str, path: str) -> tuple[Gitlink, str] | None:
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


def repositories_of(around: Around, folder: str) -> Iterator[Path]:
    """The git directories that a submodule may be kept in: the work tree's own, then those in ``modules``."""
    here = git_dir_in(around.repo / folder)
    if here is not None:
        yield here
    for name in dict.fromkeys((_entry_of(around, folder).name, folder)):
        for place in ("--git-dir", "--git-common-dir"):  # a linked work tree may share the clones of the main one
            kept = Path(_kept_in(around, place), name)
            if (kept / "HEAD").is_file():
                yield kept


def _kept_in(around: Around, place: str) -> Path:
    """Where a repository keeps the clones of its submodules."""
    at = around.git_dir or around.repo
    found = git.ask(at, *git.elsewhere(around.git_dir), "rev-parse", place).decode("utf-8", "surrogateescape")
    return Path(at, found.rstrip("\n"), "modules")


class _Entry(NamedTuple):
    """What .gitmodules says of a submodule: the name that its clone is filed under, and where that comes from."""

    name: str
    url: str | None


def _entry_of(around: Around, folder: str, *, now: bool = False) -> _Entry:
    """What a commit's .gitmodules says of a submodule, or the work tree's; a submodule is called by its first folder."""
    said = _said_of_modules(around.repo, None if now else around.commit, around.git_dir)
    name = next((name for name, path in _folders_by_name(said).items() if path == folder), folder)
    return _Entry(name, said.get(f"{name}.url"))


def _folders_by_name(said: Mapping[str, str]) -> dict[str, str]:
    return {key.removesuffix(".path"): value for key, value in said.items() if key.endswith(".path")}


def _said_of_modules(repo: Path, commit: str | None, git_dir: Path | None = None) -> dict[str, str]:
    """What ``.gitmodules`` says of submodules in a commit, or in the work tree: values by ``NAME.path`` and ``NAME.url``."""
    source = f"--file={repo / MODULES}" if commit is None else f"--blob={commit}:{MODULES}"
    wanted = ["config", source, "-z", "--get-regexp", r"^submodule\..*\.(path|url)$"]
    try:
        found = git.ask(git_dir or repo, *git.elsewhere(git_dir), *wanted)
    except git.GitRefusal:  # no .gitmodules, or nothing in it
        return {}
    pairs = (entry.partition("\n") for entry in found.decode("utf-8", "surrogateescape").split("\0"))
    return {key.removeprefix("submodule."): value for key, _, value in pairs}


def moved_folders(repo: Path, base: str, head: str | None, renamed: Mapping[str, str]) -> dict[str, str]:
    """The submodules that have another folder in one commit than in another, or in the work tree: head's by base's.

    Git pairs those of one commit, as it pairs files. Where a submodule goes on to another commit as it moves, its name
    tells.

    Args:
        renamed: what git has paired, by base's path.
    """
    was, now = (_folders_by_name(_said_of_modules(repo, commit)) for commit in (base, head))
    alike = {was[name]: now[name] for name in was.keys() & now.keys() if was[name] != now[name]}
    return alike | {path: renamed[path] for path in was.values() if path in renamed}


# --- what to say of what is not here ------------------------------------------------------------------------------------


def not_here(around: Around, link: Gitlink, path: str, remedy: str, *, is_cloned: bool) -> NotHere:
    """What to say of a file of a revision whose submodule's commit cannot be read."""
    folder = _shown(around, link)
    what = "has not been fetched" if is_cloned else "is not cloned"
    message = f"lies in the submodule {folder}, at commit {link.commit[:12]} in {around.label}, which {what}"
    return NotHere(message, file=path, hint=remedy)


def remedy(around: Around, link: Gitlink, clones: Sequence[Path]) -> str:
    """The command that brings the commit of a submodule."""
    then, now = _entry_of(around, link.folder), _entry_of(around, link.folder, now=True)
    url = _resolved(around, then.url) if then.url else None
    remote = "origin" if url is None or then.url == now.url else url
    folder = _shown(around, link)
    if clones and git_dir_in(around.repo / link.folder) is not None:
        command = ["git", "-C", folder, "fetch", remote, link.commit]
    elif clones:
        command = ["git", f"--git-dir={_from_root(around, clones[0])}", "fetch", remote, link.commit]
    elif around.folder and git_dir_in(around.repo) is None:
        command = ["git", "submodule", "update", "--init", "--recursive", around.folder]
    elif url is None or (around.repo / link.folder) in Gitlinks():
        inside = ["-C", around.folder] if around.folder else []
        command = ["git", *inside, "submodule", "update", "--init", link.folder]
    else:  # the work tree has no such submodule (any more), so git knows nothing to initialise
        kept = _kept_in(around, "--git-common-dir") / then.name
        command = ["git", "clone", "--bare", url, _from_root(around, kept)]
    return f"{shlex.join(command)} -- or name both folders with --base and --head"


def by_itself(around: Around, link: Gitlink, clones: Sequence[Path]) -> str:
    """What to do about a submodule of a repository that guardian keeps a copy of: nobody can add to that copy."""
    url = _entry_of(around, link.folder).url
    return f"name that repository itself: git+{url if url and '://' in url else 'URL'}"


def _shown(around: Around, link: Gitlink) -> str:
    return f"{around.folder}/{link.folder}" if around.folder else link.folder


def _from_root(around: Around, place: Path) -> str:
    """A place in the repository that is checked, as a command that is run in its root may name it."""
    root = Path(str(around.repo).removesuffix(f"/{around.folder}")) if around.folder else around.repo
    found, root = os.path.realpath(place), root.resolve()
    return os.path.relpath(found, root) if Path(found).is_relative_to(root) else found


def _resolved(around: Around, url: str) -> str:
    """The URL of a submodule, which may be relative to that of the repository around it."""
    if not url.startswith(("./", "../")):
        return url
    try:
        at = around.git_dir or around.repo
        outer = git.ask(at, *git.elsewhere(around.git_dir), "config", "remote.origin.url").decode().strip().rstrip("/")
    except git.GitRefusal:
        outer = str(around.repo)
    while url.startswith(("./", "../")):
        step, _, url = url.partition("/")
        outer = outer.rpartition("/")[0] if step == ".." else outer
    return f"{outer}/{url}"


def not_checked_out(folder: str, path: str, name: str, around: str | None = None) -> ReadError:
    """What to say of a file of the work tree whose submodule is an empty folder.

    Args:
        name: the submodule from ``around``, the submodule that it is in, if it is in one.
    """
    inside = f"-C {around} " if around else ""
    return ReadError(
        f"lies in the submodule {folder}, which is not checked out",
        file=path,
        hint=f"git {inside}submodule update --init {name} (in GitHub Actions `submodules: true` of actions/checkout)",
    )


def not_looked_into(folders: Sequence[str], pattern: str) -> str:
    """What to say of submodules that are not here, where a glob may match something in them but does not name them."""
    what, there = ("is a submodule", "it") if len(folders) == 1 else ("are submodules", "them")
    several = "" if len(folders) == 1 else "s"
    return (
        f"{', '.join(folders)} {what} whose commit{several} cannot be read here, so nothing in {there} counts for {pattern}; "
        "where something should, fetch it (git submodule update --init)"
    )


class Gitlinks:
    """The folders on disk that the index of the repository around them records as submodules; each repository is asked once."""

    def __init__(self) -> None:
        self._known: dict[Path, frozenset[str]] = {}

    def __contains__(self, folder: Path) -> bool:
        root = repository_around(folder.parent)
        if root is None:
            return False
        if root not in self._known:
            try:
                self._known[root] = git_files.submodules(root, git_dir_in(root))
            except (git.GitRefusal, git.NoGit):
                self._known[root] = frozenset()
        return folder.relative_to(root).as_posix() in self._known[root]

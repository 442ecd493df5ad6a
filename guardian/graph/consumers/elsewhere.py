"""Declarations that are kept elsewhere: in another git repository, or in a Pact Broker.

``git+URL#REV:GLOB`` is a repository, a branch, tag or commit of it (the default branch where it is left out) and the
files in it (all where they are left out). ``pact-broker+URL#provider=NAME&branch=NAME`` is what a broker holds for a
provider; see ``broker``. Both are opened as trees of files, so that whoever reads them needs to know no more.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from guardian.errors import ReadError
from guardian.model import Note
from guardian.spec import remote_git
from guardian.spec.trees import GitTree, Tree

GIT = "git+"
BROKER = "pact-broker+"

_SCP = re.compile(r"(?![^/]*://)([^/:\s]+@[^/:\s]+):(?!//)(.+)")  # git@host:team/repository.git


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What an entry of ``consumers`` means: a tree, what to read in it, and what a reader should know of it."""

    tree: Tree
    pattern: str
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class GitPlace:
    """A place in another repository. ``revision`` is empty for the default branch, ``pattern`` ``.`` for all files."""

    url: str
    revision: str = ""
    pattern: str = "."


class RepositoryTree(GitTree):
    """A commit of another repository, whose files are called by repository, revision and path."""

    elsewhere = True

    def __init__(self, copy: remote_git.Copy, place: GitPlace) -> None:
        self._name = remote_git.shown(place.url) + (f"@{place.revision}" if place.revision else "")
        super().__init__(copy.repo, copy.commit, label=self._name)

    def display(self, path: str) -> str:
        return f"{self._name}:{super().display(path)}"


def is_elsewhere(entry: str) -> bool:
    """Whether an entry of ``consumers`` is no path of this machine."""
    return entry.startswith((GIT, BROKER))


def open_elsewhere(entry: str, cache: Path | None = None) -> Elsewhere:
    """The tree of files that an entry of ``consumers`` means.

    Args:
        entry: for which `is_elsewhere` holds.
        cache: where copies are kept; the user's cache folder where not given.

    Raises:
        ReadError: it cannot be understood, or cannot be reached and there is no copy.
    """
    cache = cache or remote_git.cache_folder()
    if entry.startswith(BROKER):
        from guardian.graph.consumers import broker

        tree, notes = broker.open_broker(entry.removeprefix(BROKER), cache)
        return Elsewhere(tree, ".", notes)
    place = parse_git(entry)
    copy = remote_git.fetch(place.url, place.revision, cache)
    notes = ()
    if copy.stale:
        text = f"cannot be reached ({copy.stale}), so the copy in the cache is used: commit {copy.commit[:12]}"
        notes = (Note("warning", text, remote_git.shown(place.url)),)
    return Elsewhere(RepositoryTree(copy, place), place.pattern, notes)


def parse_git(entry: str) -> GitPlace:
    """The parts of ``git+URL#REV:GLOB``.

    Raises:
        ReadError: it has no URL of a repository.
    """
    url, _, fragment = entry.removeprefix(GIT).partition("#")
    scp = _SCP.fullmatch(url)
    if scp:
        url = f"ssh://{scp[1]}/{scp[2]}"
    remote_git.check_url(url)
    revision, colon, pattern = fragment.partition(":")
    pattern = pattern.strip("/")
    if colon and not pattern:
        raise ReadError(f"{remote_git.redacted(entry)} names no file after the colon", hint="write git+URL#REV:GLOB")
    return GitPlace(url, revision, pattern or ".")


class Opener:
    """Opens each entry once in a run, and keeps the notes."""

    def __init__(self, cache: Path | None = None) -> None:
        self._cache = cache
        self._opened: dict[str, Elsewhere] = {}

    def __call__(self, entry: str) -> tuple[Tree, str]:
        """The tree, and the pattern in it.

        Raises:
            ReadError: as `open_elsewhere`.
        """
        if entry not in self._opened:
            self._opened[entry] = open_elsewhere(entry, self._cache)
        found = self._opened[entry]
        return found.tree, found.pattern

    @property
    def notes(self) -> tuple[Note, ...]:
        """What is to be known of everything that was opened."""
        return tuple(dict.fromkeys(note for each in self._opened.values() for note in each.notes))

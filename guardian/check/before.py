"""guardian.yaml as base has it: what a change takes out of it still has readers, and its readers still count."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from guardian.check.sides import Sides, holds, in_tree, renames, root_of
from guardian.config import DEFAULT_CONFIG, CheckRequest, Config
from guardian.errors import ConfigError
from guardian.model import Note
from guardian.spec.globs import fixed_folder, is_glob
from guardian.spec.trees import GitTree, Tree

ReadConfig = Callable[[bytes, str], Config]


class Before(NamedTuple):
    """Base's guardian.yaml, with its paths as head's would have them; ``None`` where it has none, or the same."""

    config: Config | None = None
    shown: str = ""
    data: bytes = b""
    notes: tuple[Note, ...] = ()


def config_before(sides: Sides, request: CheckRequest, read_config: ReadConfig) -> Before:
    """What base's guardian.yaml says: the one of this name, or what that was moved from."""
    file, tree = request.config_file, sides.base.tree
    if file is None:
        return Before()
    if isinstance(tree, GitTree):
        tree = whole(tree)
        path = _from_root(tree, file)
        if path is not None and not tree.exists(path):
            path = _moved_from(sides, tree, path)
    else:
        path = in_tree(sides, tree, file.parent, file.name) if holds(sides, file.parent) else None
    if path is None or not tree.exists(path):
        return Before()
    data, shown = tree.read(path), f"{tree.display(path)} at {tree.label}"
    if isinstance(tree, GitTree) and path != _from_root(tree, file):
        before = _own_share(_parsed(data, shown, read_config), sides, tree, path, _from_root(tree, file))
        return _rebased(before, tree.repo / posixpath.dirname(path), file.parent)
    if file.is_file() and file.read_bytes() == data:  # the same as head's, which is read already
        return Before(request.config, shown, data)
    return _parsed(data, shown, read_config)


def standing_in(sides: Sides, request: CheckRequest, read_config: ReadConfig) -> tuple[CheckRequest, tuple[Note, ...]]:
    """The request with what base's guardian.yaml names, where the change deletes that: it must not undeclare anybody."""
    tree = sides.base.tree
    if request.config_file is not None or not isinstance(tree, GitTree):
        return request, ()
    tree, folder = whole(tree), _start(sides, request)
    path = next((each for each in _upward(_from_root(tree, folder)) if tree.exists(each)), None)
    if path is None or _on_head(sides, tree, path):
        return request, ()
    found = _parsed(tree.read(path), f"{tree.display(path)} at {tree.label}", read_config)
    if found.config is None:
        return request, found.notes
    file = tree.repo / path
    written = tuple(_relative(each, file.parent, request.cwd) for each in found.config.consumers)
    named = " and ".join(f"`{key}`" for key in ("services", "consumers") if getattr(found.config, key))
    note = Note(
        "warning",
        f"gone; what it names in {tree.label} under {named} still counts in this check, and in later ones no longer",
        path,
    )
    standing = request._replace(
        config=Config(services=found.config.services, consumers=found.config.consumers),
        config_file=file,
        consumers=request.consumers if request.consumers_named else written,
    )
    return standing, (note,) if named else ()


def is_standing_in(request: CheckRequest) -> bool:
    """Whether the request has its services and consumers from a guardian.yaml that head does not have."""
    return request.config_file is not None and not request.config_file.exists()


def whole(tree: GitTree) -> GitTree:
    """All of a revision: declarations need not lie where the specifications are looked for."""
    return GitTree(tree.repo, tree.commit, label=tree.label) if tree.prefix else tree


def _parsed(data: bytes, shown: str, read_config: ReadConfig) -> Before:
    try:
        return Before(read_config(data, shown), shown, data)
    except ConfigError as error:
        # Head's is read and right: the change that repairs guardian.yaml must not be held up by what it repairs.
        message = f"not read ({error.message}), so services and consumers that only it names are not looked at"
        return Before(notes=(Note("warning", message, shown, error.line),))


# --- where it is --------------------------------------------------------------------------------------------------


def _from_root(tree: GitTree, place: Path) -> str | None:
    """A place on disk as a path of a revision; ``None`` for what is outside of the repository."""
    real = os.path.join(os.path.realpath(place.parent), place.name) if place.name == DEFAULT_CONFIG else place
    path = os.path.relpath(os.path.realpath(real), os.path.realpath(tree.repo)).replace(os.sep, "/")
    return None if path == ".." or path.startswith("../") or os.path.isabs(path) else path


def _upward(folder: str | None) -> Iterator[str]:
    """guardian.yaml in a folder of a repository and in each above it."""
    while folder is not None:
        yield posixpath.normpath(posixpath.join(folder, DEFAULT_CONFIG))
        folder = posixpath.dirname(folder) if folder not in ("", ".") else None


def _start(sides: Sides, request: CheckRequest) -> Path:
    """The folder from which guardian.yaml would be looked for: what is compared, where that is a part of what is here."""
    root, cwd = root_of(sides.head.tree), Path(os.path.realpath(request.cwd))
    return root if root is not None and root.is_relative_to(cwd) else cwd


def _moved_from(sides: Sides, tree: GitTree, path: str) -> str | None:
    """Where base has the guardian.yaml that head has at a path: as git has it moved, else the nearest above that is gone."""
    for each in renames(sides):
        prefix = sides.base.tree.prefix if isinstance(sides.base.tree, GitTree) else ""
        if each.head and each.base and f"/{path}".endswith(f"/{each.head}"):
            return posixpath.join(prefix, each.base)
    above = _upward(posixpath.dirname(path))
    return next((each for each in above if tree.exists(each) and not _on_head(sides, tree, each)), None)


def _own_share(before: Before, sides: Sides, tree: GitTree, path: str, own: str | None) -> Before:
    """Without the services that another guardian.yaml speaks for on head: one for all may become one for each folder."""
    config, folder = before.config, posixpath.dirname(path)
    if config is None:
        return before

    def is_own(spec: str) -> bool:
        place = posixpath.normpath(posixpath.join(folder, spec))
        start = fixed_folder(place) if is_glob(place) else posixpath.dirname(place)
        nearest = next((each for each in _upward(start) if _on_head(sides, tree, each)), own)
        return nearest == own

    return before._replace(
        config=replace(config, services={n: s for n, s in config.services.items() if is_own(s.spec)})
    )


def _on_head(sides: Sides, base: GitTree, path: str) -> bool:
    head: Tree = sides.head.tree
    return whole(head).exists(path) if isinstance(head, GitTree) else os.path.lexists(base.repo / path)


# --- its paths ----------------------------------------------------------------------------------------------------


def _rebased(before: Before, there: Path, here: Path) -> Before:
    """What a guardian.yaml in one folder says, as one in another folder would say it."""
    config = before.config
    if config is None:
        return before
    services = {name: replace(each, spec=_relative(each.spec, there, here)) for name, each in config.services.items()}
    consumers = tuple(_relative(each, there, here) for each in config.consumers)
    return before._replace(config=replace(config, services=services, consumers=consumers))


def _relative(path: str, there: Path, here: Path) -> str:
    if "://" in path or path.startswith("git+"):
        return path
    moved = os.path.relpath(os.path.join(os.path.realpath(there), path), os.path.realpath(here))
    return moved.replace(os.sep, "/")

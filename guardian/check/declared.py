"""The consumers of a check: what is deployed (base), and what moves with the change (head)."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from guardian.check.before import is_standing_in, whole
from guardian.check.compare import Apis
from guardian.check.names import by_former_names
from guardian.check.service import Selection, listed
from guardian.check.setting import line_of, name_of, said_of
from guardian.check.sides import Sides, said_where
from guardian.config import DEFAULT_CONFIG, CheckRequest
from guardian.errors import ReadError, UsageError
from guardian.model import Edge, Note
from guardian.spec.globs import is_glob
from guardian.spec.sources import is_stream
from guardian.spec.trees import DirectoryTree, GitTree, Tree

if TYPE_CHECKING:
    from guardian.graph.consumers.elsewhere import Opener
    from guardian.graph.uses import Consumer


@dataclass(slots=True)
class Declared:
    """Consumers of both sides; ``head_only`` is ``None`` where declarations have one state only.

    ``files`` are the bytes of all declarations, ``elsewhere`` is where those are that another repository holds; ``naming``
    turns what a manifest says into uses of services by their own names, as it was done with these.
    """

    base: Sequence[Consumer] = ()
    head_only: Sequence[Consumer] | None = None
    notes: tuple[Note, ...] = ()
    edges: tuple[Edge, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)
    naming: Callable[[Consumer], Consumer] = lambda consumer: consumer
    elsewhere: Mapping[str, str] = field(default_factory=dict)

    @property
    def any(self) -> bool:
        """True if anybody declares anything on either side."""
        return bool(self.base or self.head_only)

    @property
    def head(self) -> Sequence[Consumer]:
        """The consumers as head declares them."""
        return self.base if self.head_only is None else self.head_only

    @property
    def everybody(self) -> Sequence[Consumer]:
        """Every consumer once: head's word, and base's for those that head does not mention."""
        if self.head_only is None:
            return self.base
        known = {consumer.name for consumer in self.head_only}
        return [*self.head_only, *(each for each in self.base if each.name not in known)]

    def moved(self) -> set[str]:
        """The services that somebody uses whose declaration is another one on either side; all, if there is one state."""
        before = {consumer.name: consumer for consumer in self.base} if self.head_only is not None else {}
        return {use.service for consumer in self.head if before.get(consumer.name) != consumer for use in consumer.uses}

    def reading(self, other: Callable[[str], bytes | None]) -> Callable[[str], bytes | None]:
        """Reads declarations by their shown name, and everything else as ``other`` does."""
        return lambda name: self.files[name] if name in self.files else other(name)


def declared_consumers(
    sides: Sides, selection: Selection, apis: Apis, request: CheckRequest, changed: Collection[str] = ()
) -> Declared:
    """Read every declaration that ``--consumers`` or guardian.yaml name.

    Where base is a revision its own declarations count as deployed; elsewhere there is one state of them.

    Args:
        sides: both sides.
        selection: the services.
        apis: both sides' APIs.
        request: what was asked for.
        changed: the services that are not written the same on both sides: what head lost of them is still called.

    Raises:
        ReadError: a declaration that was named cannot be read.
    """
    dropped = _dropped(sides, selection, request)
    if not request.consumers and not dropped:
        return Declared()
    from guardian.check.owners import with_owners
    from guardian.graph.consumers.elsewhere import Opener
    from guardian.graph.consumers.load import load_consumers
    from guardian.graph.naming import Naming

    services = selection.services
    names = sorted({service.name for service in services} | request.config.services.keys())
    elsewhere = Opener()
    head_patterns = [_named(at, sides, request, elsewhere) for at in range(len(request.consumers))]
    before = {name: api for name in sorted(changed) if (api := apis.base(name)) is not None}
    missing_ok = is_standing_in(request)
    try:
        head = load_consumers(
            head_patterns, names, apis.heads(), missing_ok=missing_ok, others=selection.names, before=before
        )
    except ReadError as error:
        raise _placed(error, head_patterns, request) from None
    naming = Naming({service.name for service in services}, selection.names, apis.routes)
    consumers = tuple(map(naming, with_owners(head.consumers, request.cwd)))
    renamed = by_former_names(naming.used, services, selection.names, sides)
    head = replace(head, consumers=consumers, notes=(*elsewhere.notes, *head.notes, *renamed))
    naming.used.clear()
    base_patterns = [_on_base(pattern, sides, request) for pattern in request.consumers]
    before_patterns, unreached = _still_there(dropped, sides, request, elsewhere)
    head = replace(head, notes=(*head.notes, *unreached))
    if not before_patterns and all(pattern is None for pattern in base_patterns):
        return Declared(head.consumers, None, head.notes, files=head.files, naming=naming, elsewhere=head.elsewhere)
    either = [base or head for base, head in zip(base_patterns, head_patterns, strict=True)] + before_patterns
    try:
        base = load_consumers(either, names, apis.bases(), missing_ok=True, others=selection.names)
    except ReadError as error:
        # The change that repairs a declaration must not be held up by what it repairs: head's are read and right.
        said = said_where(error.message, sides.base.tree)
        text = f"{said}, so head's declarations count as deployed"
        note = Note("warning", text, error.file, error.line)
        return Declared(
            head.consumers, None, (*head.notes, note), files=head.files, naming=naming, elsewhere=head.elsewhere
        )
    deployed = tuple(map(naming, with_owners(base.consumers, request.cwd)))
    known = {consumer.name for consumer in head.consumers}
    alone = {name: {who: use for who, use in uses.items() if who not in known} for name, uses in naming.used.items()}
    renamed = by_former_names(alone, services, selection.names, sides)
    gone = [each.name for each in base.consumers if each.name not in known] if dropped else []
    undeclared = [_undeclared(dropped, gone, sides, request)] if gone else []
    return Declared(
        deployed,
        head.consumers,
        (*head.notes, *renamed, *undeclared),
        files={**base.files, **head.files},
        naming=naming,
        elsewhere=head.elsewhere,
    )


def _placed(error: ReadError, patterns: Sequence[tuple[Tree, str]], request: CheckRequest) -> ReadError:
    """An error of a file that is not there, at the place where guardian.yaml names it; any other as it is."""
    at = next(
        (at for at, (tree, path) in enumerate(patterns) if tree.display(path) == error.file and not tree.exists(path)),
        None,
    )
    line = line_of(request, f"/consumers/{at}") if at is not None and not request.consumers_named else None
    if at is None or line is None:
        return error
    return ReadError(
        f"`consumers` names {request.config.consumers[at]}: {error.message}",
        file=name_of(request),
        line=line,
        hint=error.hint or "correct the path, which is relative to this file, or remove it",
    )


def _undeclared(dropped: list[str], gone: list[str], sides: Sides, request: CheckRequest) -> Note:
    """A note that who is no longer named under ``consumers`` still counts as deployed."""
    text = f"`consumers` names {listed(dropped)} no longer; as {sides.base.tree.label} does, {listed(gone)} still counts here"
    return Note("info", text, os.path.relpath(request.config_folder / DEFAULT_CONFIG, request.cwd))


def _named(at: int, sides: Sides, request: CheckRequest, elsewhere: Opener) -> tuple[Tree, str]:
    with said_of(request, "consumers", at=f"/{at}"):
        return _on_head(request.consumers[at], sides, request, elsewhere)


def _on_head(pattern: str, sides: Sides, request: CheckRequest, elsewhere: Opener) -> tuple[Tree, str]:
    """The tree that a pattern is looked up in, and the pattern as that tree knows it."""
    if _is_elsewhere(pattern):
        return elsewhere(pattern)
    if isinstance(sides.head.tree, GitTree):
        inside = _inside(pattern, sides.head.tree.repo, request.cwd)
        if inside is not None:
            return whole(sides.head.tree), inside
    if isinstance(sides.head.tree, DirectoryTree) and sides.head.path is None:
        inside = _inside(pattern, sides.head.tree.root, request.cwd)
        if inside is not None:
            return sides.head.tree, inside
    return local_place(pattern, request.cwd)


def local_place(pattern: str, cwd: Path) -> tuple[Tree, str]:
    """The folder that a pattern is looked up in on disk, and the pattern from there."""
    if is_stream(cwd / pattern):
        hint = "write it into a file first; `guardian import` takes it as it is"
        raise UsageError("a pipe or a device, where consumers are files or folders", file=pattern, hint=hint)
    root = _anchor(pattern, cwd)
    return DirectoryTree(root, cwd), _inside(pattern, root, cwd) or "."


def _on_base(pattern: str, sides: Sides, request: CheckRequest) -> tuple[Tree, str] | None:
    # What is kept elsewhere has one state: the one that it has there.
    if _is_elsewhere(pattern) or not isinstance(sides.base.tree, GitTree):
        return None
    inside = _inside(pattern, sides.base.tree.repo, request.cwd)
    return (whole(sides.base.tree), inside) if inside is not None else None


def _dropped(sides: Sides, selection: Selection, request: CheckRequest) -> list[str]:
    """What base's guardian.yaml names under ``consumers`` and head's does not, from the working directory."""
    if selection.before is None or request.consumers_named or not isinstance(sides.base.tree, GitTree):
        return []
    known = {*request.config.consumers}
    return [
        each if _is_elsewhere(each) else os.path.relpath(request.config_folder / each, request.cwd)
        for each in selection.before.consumers
        if each not in known
    ]


def _still_there(
    dropped: Sequence[str], sides: Sides, request: CheckRequest, elsewhere: Opener
) -> tuple[list[tuple[Tree, str]], list[Note]]:
    """Where to look for what only base names, and notes on what cannot be reached: a place may be dropped as it is gone."""
    found: list[tuple[Tree, str]] = []
    notes: list[Note] = []
    for each in dropped:
        try:
            found.append(_on_base(each, sides, request) or _on_head(each, sides, request, elsewhere))
        except ReadError as error:
            where = f" ({error.file})" if error.file else ""
            text = f"not read, though {sides.base.tree.label} names it under `consumers`{where}: {error.message}"
            notes.append(Note("warning", text, os.path.relpath(request.config_folder / DEFAULT_CONFIG, request.cwd)))
    return found, notes


def _is_elsewhere(pattern: str) -> bool:
    from guardian.graph.consumers.elsewhere import is_elsewhere

    return is_elsewhere(pattern)


def _inside(pattern: str, root: Path, cwd: Path) -> str | None:
    path = os.path.normpath(os.path.join(cwd.resolve(), pattern))
    relative = os.path.relpath(path, root.resolve()).replace(os.sep, "/")
    return None if relative == ".." or relative.startswith("../") else relative


def _anchor(pattern: str, cwd: Path) -> Path:
    """The folder to look in for a pattern: the working directory, or the part before the first glob outside of it."""
    path = Path(os.path.normpath(os.path.join(cwd, pattern)))
    if path.is_relative_to(cwd):
        return cwd
    parts = path.parts
    plain = next((index for index, part in enumerate(parts) if is_glob(part)), len(parts) - 1)
    return Path(*parts[: max(plain, 1)])

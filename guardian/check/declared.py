"""The consumers of a check: what is deployed (base), and what moves with the change (head)."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from guardian.check.compare import Apis
from guardian.check.names import by_former_names
from guardian.check.service import Selection
from guardian.check.sides import Sides, said_where
from guardian.config import CheckRequest
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
    if not request.consumers:
        return Declared()
    from guardian.check.owners import with_owners
    from guardian.graph.consumers.elsewhere import Opener
    from guardian.graph.consumers.load import load_consumers
    from guardian.graph.naming import Naming

    services = selection.services
    names = sorted({service.name for service in services} | request.config.services.keys())
    elsewhere = Opener()
    head_patterns = [_on_head(pattern, sides, request, elsewhere) for pattern in request.consumers]
    before = {name: api for name in sorted(changed) if (api := apis.base(name)) is not None}
    head = load_consumers(head_patterns, names, apis.heads(), others=selection.names, before=before)
    naming = Naming({service.name for service in services}, selection.names, apis.routes)
    consumers = tuple(map(naming, with_owners(head.consumers, request.cwd)))
    renamed = by_former_names(naming.used, services, selection.names, sides)
    head = replace(head, consumers=consumers, notes=(*elsewhere.notes, *head.notes, *renamed))
    naming.used.clear()
    base_patterns = [_on_base(pattern, sides, request) for pattern in request.consumers]
    if all(pattern is None for pattern in base_patterns):
        return Declared(head.consumers, None, head.notes, files=head.files, naming=naming, elsewhere=head.elsewhere)
    either = [base or head for base, head in zip(base_patterns, head_patterns, strict=True)]
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
    return Declared(
        deployed,
        head.consumers,
        (*head.notes, *renamed),
        files={**base.files, **head.files},
        naming=naming,
        elsewhere=head.elsewhere,
    )


def _on_head(pattern: str, sides: Sides, request: CheckRequest, elsewhere: Opener) -> tuple[Tree, str]:
    """The tree that a pattern is looked up in, and the pattern as that tree knows it."""
    if _is_elsewhere(pattern):
        return elsewhere(pattern)
    if isinstance(sides.head.tree, GitTree):
        inside = _inside(pattern, sides.head.tree.repo, request.cwd)
        if inside is not None:
            return _whole(sides.head.tree), inside
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
    return (_whole(sides.base.tree), inside) if inside is not None else None


def _whole(tree: GitTree) -> GitTree:
    """All of a revision: declarations need not lie where the specifications are looked for."""
    return GitTree(tree.repo, tree.commit, label=tree.label) if tree.prefix else tree


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

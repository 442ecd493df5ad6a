"""The consumers of a check: what is deployed (base), and what moves with the change (head)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from guardian.check.compare import Apis
from guardian.check.services import Service, Sides
from guardian.config import CheckRequest
from guardian.model import Edge, Note
from guardian.spec.sources import DirectoryTree, GitTree, Tree

if TYPE_CHECKING:
    from guardian.graph.uses import Consumer

_GLOB = re.compile(r"[*?\[]")


@dataclass(slots=True)
class Declared:
    """Consumers of both sides; ``head`` is ``None`` where declarations have one state only."""

    base: Sequence[Consumer] = ()
    head_only: Sequence[Consumer] | None = None
    notes: tuple[Note, ...] = ()
    edges: tuple[Edge, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)

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

    def reading(self, other: Callable[[str], bytes | None]) -> Callable[[str], bytes | None]:
        """Reads declarations by their shown name, and everything else as ``other`` does."""
        return lambda name: self.files[name] if name in self.files else other(name)


def declared_consumers(sides: Sides, services: Sequence[Service], apis: Apis, request: CheckRequest) -> Declared:
    """Read every declaration that ``--consumers`` or guardian.yaml name.

    Where base is a revision its own declarations count as deployed; elsewhere there is one state of them.

    Raises:
        ReadError: a declaration that was named cannot be read.
    """
    if not request.consumers:
        return Declared()
    from guardian.graph.consumers.load import load_consumers

    names = sorted({service.name for service in services} | request.config.services.keys())
    head_patterns = [_on_head(pattern, sides, request) for pattern in request.consumers]
    head = load_consumers(head_patterns, names, apis.heads())
    base_patterns = [_on_base(pattern, sides, request) for pattern in request.consumers]
    if all(pattern is None for pattern in base_patterns):
        return Declared(head.consumers, None, head.notes, files=head.files)
    either = [base or head for base, head in zip(base_patterns, head_patterns, strict=True)]
    base = load_consumers(either, names, apis.bases(), missing_ok=True)
    return Declared(base.consumers, head.consumers, head.notes, files={**base.files, **head.files})


def _on_head(pattern: str, sides: Sides, request: CheckRequest) -> tuple[Tree, str]:
    """The tree that a pattern is looked up in, and the pattern as that tree knows it."""
    if isinstance(sides.head.tree, GitTree):
        inside = _inside(pattern, sides.head.tree.repo / sides.head.tree.prefix, request.cwd)
        if inside is not None:
            return sides.head.tree, inside
    if isinstance(sides.head.tree, DirectoryTree) and sides.head.path is None:
        inside = _inside(pattern, sides.head.tree.root, request.cwd)
        if inside is not None:
            return sides.head.tree, inside
    root = _anchor(pattern, request.cwd)
    return DirectoryTree(root, request.cwd), _inside(pattern, root, request.cwd) or "."


def _on_base(pattern: str, sides: Sides, request: CheckRequest) -> tuple[Tree, str] | None:
    if not isinstance(sides.base.tree, GitTree):
        return None
    inside = _inside(pattern, sides.base.tree.repo / sides.base.tree.prefix, request.cwd)
    return (sides.base.tree, inside) if inside is not None else None


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
    plain = next((index for index, part in enumerate(parts) if _GLOB.search(part)), len(parts) - 1)
    return Path(*parts[: max(plain, 1)])

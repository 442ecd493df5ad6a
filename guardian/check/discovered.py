"""The services of sides without a guardian.yaml: every OpenAPI document that is there, and what may be one unseen."""

from __future__ import annotations

from collections.abc import Iterator

from guardian.check.service import Service, listed
from guardian.check.sides import Sides, renames
from guardian.config import DEFAULT_CONFIG
from guardian.model import Note
from guardian.spec.discover import Looked, SpecPair, look, pair, titles_of
from guardian.spec.service_names import service_name
from guardian.spec.text import LFS_REMEDY, load
from guardian.spec.trees import GitTree
from guardian.spec.worktree import WorkTree


def discovered(sides: Sides) -> tuple[tuple[Service, ...], list[Note]]:
    """The services, and what may be one but cannot be looked into.

    Raises:
        ReadError: only pointers of Git LFS are there.
    """
    base, head = look(sides.base), look(sides.head)
    # A pointer in place of what is a specification on the other side is one too, and reading it says what is wrong.
    bases = {*base.specs, *(base.pointers.keys() & set(head.specs))}
    heads = {*head.specs, *(head.pointers.keys() & set(base.specs))}
    if not bases and not heads:
        for each, tree in ((head, sides.head.tree), (base, sides.base.tree)):
            for path, data in each.pointers.items():
                load(data, tree.display(path))
    moved = [] if bases == heads else renames(sides)
    pairs = pair(bases, heads, moved, titles_of(sides.base, sides.head))
    services = tuple(_service(each, sides) for each in pairs)
    notes = [*_pointers(base, head, bases | heads, sides), *_other_repositories(sides), *_other_settings(head, sides)]
    return services, notes


def _service(found: SpecPair, sides: Sides) -> Service:
    was, now = found.base_path, found.head_path
    # Whether the ending is part of the name depends on what lies beside it: either is known.
    also = _called(now or was, {found.service})
    service = Service(found.service, was, now, also=also, formerly=_called(was, {found.service, *also}))
    if was is not None and now is None and sides.head.tree.exists(was):
        return service._replace(gone=f"{was} is still there, but no OpenAPI document any more")
    return service


def _called(path: str | None, besides: set[str]) -> tuple[str, ...]:
    """What a document may be called, with its ending and without."""
    return tuple(each for each in (service_name(path), path) if each not in besides) if path is not None else ()


def _pointers(base: Looked, head: Looked, known: set[str], sides: Sides) -> Iterator[Note]:
    """The files of which Git LFS left only a pointer, so that nobody knows whether they are specifications."""
    unknown = {path: data for path, data in head.pointers.items() if path not in known}
    for path in base.pointers.keys() - known - unknown.keys():
        if not sides.head.tree.exists(path):
            message = "deleted; Git LFS keeps it elsewhere, so it is not known whether it was a specification"
            yield Note("warning", message, sides.base.tree.display(path))
    for path, data in unknown.items():
        if base.pointers.get(path) != data:
            message = "changed; Git LFS keeps it elsewhere, so it is not known whether it is a specification"
            yield Note("warning", message, sides.head.tree.display(path))
    if unknown:
        shown = listed([sides.head.tree.display(path) for path in unknown])
        yield Note("warning", f"Git LFS keeps {shown} elsewhere, so a specification there is not found: {LFS_REMEDY}")


def _other_settings(head: Looked, sides: Sides) -> Iterator[Note]:
    """The guardian.yaml of single folders: what they say of services, consumers and severities counts only there."""
    found = [path for path in head.files if path.endswith(f"/{DEFAULT_CONFIG}")]
    if found:
        names = listed([sides.head.tree.display(path) for path in found])
        what = "is" if len(found) == 1 else "are"
        remedy = (
            "run there (in the action: `working-directory`), or list services and consumers in one guardian.yaml here"
        )
        yield Note("warning", f"{names} {what} not read from here, nor the consumers in there: {remedy}")


def _other_repositories(sides: Sides) -> Iterator[Note]:
    """The submodules and other clones in here: finding by content ends at them."""
    trees = [tree for tree in (sides.base.tree, sides.head.tree) if isinstance(tree, GitTree | WorkTree)]
    folders = sorted({tree.display(folder) for tree in trees for folder in tree.nested()})
    if folders:
        what = "is a repository of its own" if len(folders) == 1 else "are repositories of their own"
        remedy = "a specification in there is checked where guardian.yaml names it under `services`"
        yield Note("warning", f"{listed(folders)} {what} and not looked into; {remedy}")

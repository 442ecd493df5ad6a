"""What services are called besides their names: by base, and by the entry of guardian.yaml that has several of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from guardian.check.sides import Sides
from guardian.errors import ReadError
from guardian.model import Note
from guardian.spec.discover import titles_of

if TYPE_CHECKING:
    from guardian.check.service import Service
    from guardian.graph.uses import Use


def other_names(services: Iterable[Service]) -> dict[str, tuple[str, ...]]:
    """What services are called besides their names, and which of them that means.

    A service that is really called so has its name alone, and what an entry of guardian.yaml is called now goes before
    what base called somebody.
    """
    services = list(services)
    taken = {each.name for each in services}
    found: dict[str, tuple[str, ...]] = {}
    for names in ([each.also for each in services], [each.formerly for each in services]):
        meant: dict[str, list[str]] = {}
        for each, several in zip(services, names, strict=True):
            for name in dict.fromkeys(several):
                if name not in taken:
                    meant.setdefault(name, []).append(each.name)
        taken |= meant.keys()
        found.update((name, tuple(sorted(means))) for name, means in meant.items())
    return found


def same_document(sides: Sides, base: str, head: str) -> bool:
    """Whether two files that git takes for one are that by what they say: all of it, or their title."""
    if sides.base.tree.read(base) == sides.head.tree.read(head):
        return True
    title = titles_of(sides.base, sides.head)
    try:
        was = title("base", base)
        return was is not None and was == title("head", head)
    except ReadError:  # whoever reads it for its own sake says what is wrong
        return False


def by_former_names(
    used: Mapping[str, Mapping[str, Use]], services: Sequence[Service], names: Mapping[str, Sequence[str]], sides: Sides
) -> Iterator[Note]:
    """Notes on consumers who name a service as base called it: nobody is called so once this is merged.

    Args:
        used: by each other name who uses it, with one such use.
        services: all there are.
        names: what they are called besides, and which of them that means.
        sides: both, to tell a document that moved from one that is merely like it.
    """
    known = {each.name: each for each in services}
    for name, uses in sorted(used.items()):
        meant = [known[each] for each in names[name]]
        if not uses or any(name in each.also for each in meant):
            continue
        who = ", ".join(sorted(uses)[:3]) + (f" and {len(uses) - 3} more" if len(uses) > 3 else "")
        one = len(uses) == 1
        now = " and ".join(each.name for each in meant)
        readers = f"taken as {'a reader' if one else 'readers'} of {now}"
        if all(_surely(each, sides) for each in meant):
            text = (
                f"{who} {'names' if one else 'name'} {name}, which is called {now} now: "
                f"{'it is' if one else 'they are'} {readers}, and should name that"
            )
        else:
            text = (
                f"{who} {'uses' if one else 'use'} {name}, which is gone, and {'is' if one else 'are'} {readers}, whose "
                "specification is much like it; if that is another API, remove the one and add the other in two changes"
            )
        yield Note("warning", text, uses[min(uses)].origin.file)


def _surely(service: Service, sides: Sides) -> bool:
    base, head = service.base_path, service.head_path
    if base is None or head is None or base == head or sides.single:
        return True
    return same_document(sides, base, head)

"""The further paths from a root to what was found once: a schema that a message uses in several places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from guardian.spec.shape import meant

if TYPE_CHECKING:
    from guardian.rules.below import Child
    from guardian.rules.pairs import SchemaRoot
    from guardian.spec.api import Schema

#: A path as it is written: its steps, and whether each is a name.
Steps: TypeAlias = tuple[tuple[str, bool], ...]
#: More paths to one place than anybody reads are not told.
MOST_WAYS = 10


class OtherWays:
    """Where a walk came by pairs of schemas that it had been at before.

    Args:
        root: where it began.
        paths: all that it came by, in its order.
    """

    def __init__(self, root: SchemaRoot, paths: Iterable[tuple[Child, ...]]) -> None:
        self._pairs: dict[tuple[object, object], object] = {}
        start = self._pair(root.base, root.head)
        known: set[object] = {start}
        self._ways: dict[object, list[tuple[Child, ...]]] = {}
        self._known: dict[Steps, list[tuple[Child, ...]]] = {}
        for path in filter(None, paths):
            passed = [start, *map(self._of, path)]
            if passed[-1] not in known:
                known.add(passed[-1])
            elif len(set(passed)) == len(passed):  # else it is a circle
                ways = self._ways.setdefault(passed[-1], [])
                if len(ways) <= MOST_WAYS:
                    ways.append(path)

    def of(self, path: tuple[Child, ...]) -> list[tuple[Child, ...]]:
        """The other paths to where a path leads, those first that were found first."""
        steps = steps_of(path)
        known = self._known.get(steps)
        if known is None:
            known = self._known[steps] = list(islice(self._others(path, steps), MOST_WAYS)) if self._ways else []
        return known

    def _others(self, path: tuple[Child, ...], steps: Steps) -> Iterator[tuple[Child, ...]]:
        found = {steps}
        queue = [path]
        for way in queue:
            for at, child in enumerate(way, start=1):
                for other in self._ways.get(self._of(child), ()):
                    longer = (*other, *way[at:])
                    steps = steps_of(longer)
                    if steps not in found:
                        found.add(steps)
                        queue.append(longer)
                        yield longer

    def _of(self, child: Child) -> object:
        return self._pair(child.base, child.head)

    def _pair(self, base: Schema, head: Schema) -> object:
        """A pair of schemas as all places know it that refer to the same two."""
        key = (base.key, head.key)
        found = self._pairs.get(key)
        if found is None:
            found = self._pairs[key] = (meant(base).key, meant(head).key)
        return found


def steps_of(path: tuple[Child, ...]) -> Steps:
    """A path as it is written: its steps, and whether each is a name."""
    return tuple((child.step, child.literal) for child in path)

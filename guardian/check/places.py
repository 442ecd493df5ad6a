"""Lines for what is reported: every symbolic place of a report, resolved in one pass over each file it is in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from guardian.model import Change, ConsumerImpact, Location
from guardian.spec.locate import locate
from guardian.spec.pieces import Text
from guardian.spec.text import decode

# Lines shown before and after a place in reports that quote the source.
CONTEXT = 3
# Characters kept of each, more than any report shows: a document in one line would be quoted whole for every finding.
_WIDEST = 1_000

Read = Callable[[str], bytes | None]


class Places:
    """Resolves locations of files that are named as reports name them.

    Args:
        read: the bytes of a file by its shown name, or ``None`` where there is none to read.
        written: the pieces of such a file, where they are known.
    """

    def __init__(self, read: Read, written: Callable[[str], Text | None] = lambda file: None) -> None:
        self._read = read
        self._written = written
        self._known: dict[tuple[str, str], tuple[int, int]] = {}

    def prepare(self, wanted: Iterable[Location | None]) -> None:
        """Find all of these at once, so that each file is scanned once."""
        by_file: dict[str, set[str]] = defaultdict(set)
        for location in wanted:
            if location is not None and location.line is None:
                by_file[location.file].add(location.pointer)
        for file, pointers in sorted(by_file.items()):
            data = self._read(file)
            if data is None:
                continue
            for pointer, position in locate(data, pointers, self._written(file)).items():
                self._known[file, pointer] = position

    def resolve(self, location: Location | None) -> Location | None:
        """The location with its line and column; as it is where they are not known."""
        if location is None or location.line is not None:
            return location
        position = self._known.get((location.file, location.pointer))
        return Location(location.file, location.pointer, *position) if position else location

    def excerpt(self, location: Location) -> tuple[int, tuple[str, ...]] | None:
        """The number of the first line, and the lines around a place."""
        data = self._read(location.file)
        if data is None or location.line is None:
            return None
        lines = decode(data, location.file).splitlines()
        first = max(location.line - CONTEXT, 1)
        return first, tuple(line[:_WIDEST] for line in lines[first - 1 : location.line + CONTEXT])


def with_lines(
    changes: Sequence[Change], base: Places, head: Places, wanted: Callable[[Change], bool] = lambda change: True
) -> list[Change]:
    """The changes, those that are wanted with lines: base places on base's side, head places and manifests on head's."""
    placed = [change for change in changes if wanted(change)]
    base.prepare(change.base for change in placed)
    head.prepare(
        location
        for change in placed
        for location in (change.head, *(each.manifest for each in change.consumers), _entry(change))
    )
    return [_with_lines(change, base, head) if wanted(change) else change for change in changes]


def _with_lines(change: Change, base: Places, head: Places) -> Change:
    return change._replace(
        base=base.resolve(change.base),
        head=head.resolve(change.head),
        consumers=tuple(_impact(each, head) for each in change.consumers),
        exception=change.exception._replace(location=head.resolve(change.exception.location))
        if change.exception
        else None,
    )


def _entry(change: Change) -> Location | None:
    return change.exception.location if change.exception else None


def _impact(each: ConsumerImpact, places: Places) -> ConsumerImpact:
    return each._replace(manifest=places.resolve(each.manifest)) if each.manifest else each


def excerpts(changes: Iterable[Change], base: Places, head: Places) -> Mapping[Location, tuple[int, tuple[str, ...]]]:
    """Source lines around both sides of every change that counts, for reports that quote them."""
    found: dict[Location, tuple[int, tuple[str, ...]]] = {}
    for change in changes:
        for location, places in ((change.base, base), (change.head, head)):
            if location is not None and location not in found:
                lines = places.excerpt(location)
                if lines is not None:
                    found[location] = lines
    return found

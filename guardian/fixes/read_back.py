"""Reading an edited JSON text back where it was edited, so that a small edit of a large file costs what it changes.

Outside the objects that differ the text is as it was and says what it said. An object that differs is one stretch of
the text; if all splices lie inside such stretches, and each of them, read by itself, says what it should, the whole
does. JSON (RFC 8259) has no anchors by which one place could speak for another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from guardian.errors import ReadError
from guardian.fixes.json_patch import equal
from guardian.fixes.source import Place
from guardian.fixes.splices import Splice, splice
from guardian.spec.text import load


def reads_back(text: str, root: Place, before: Any, after: Any, splices: Sequence[Splice], file: str) -> bool:
    """Whether an edited JSON text is sure to say what it should; False where only reading all of it could tell.

    Args:
        text: the text before the edit, which says ``before``.
        root: its places.
        after: what it should say after the splices, which are sorted.
        file: its name.
    """
    left = list(splices)
    for place, wanted in _differing(root, before, after):
        inside = [each for each in left if place.start < each.start and each.end < place.end]
        left = [each for each in left if each not in inside]
        moved = [Splice(each.start - place.start, each.end - place.start, each.text) for each in inside]
        try:
            says = load(splice(text[place.start : place.end], moved).encode(), file)
        except (ReadError, UnicodeEncodeError):
            return False
        if not equal(says, wanted):
            return False
    return not left


def _differing(place: Place, before: Any, after: Any) -> Iterator[tuple[Place, Any]]:
    """The smallest objects and lists that hold all differences, in the order of the text, with what they should say."""
    if before is after or equal(before, after):
        return
    below = [(each, before[each.key], after[each.key]) for each in place.entries] if _alike(before, after) else []
    differing = [(entry, one, other) for entry, one, other in below if one is not other and not equal(one, other)]
    if not differing or any(not _both_hold(one, other) for _, one, other in differing):
        yield place, after
        return
    for entry, one, other in differing:
        yield from _differing(entry.value, one, other)


def _alike(before: Any, after: Any) -> bool:
    return isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys()


def _both_hold(one: Any, other: Any) -> bool:
    return type(one) is type(other) and isinstance(one, dict | list)

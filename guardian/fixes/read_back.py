"""Reading an edited JSON text back where it was edited, so that a small edit of a large file costs what it changes.

The text is known to say what it said. Where a splice lies between two members of an object, a reader of the edited text
comes to the end of the one before as it did, expects a comma or the closing brace, and is to arrive, expecting a
member, where the one after starts. If what stands there then, read by itself with the commas that belong to it, is
members, it does; everything behind it is read as it was. JSON (RFC 8259) lets nothing else follow from where a text
stands: it has no anchors and no scopes, only the depth counts, which is why each piece is read as deep as it stands.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from guardian.errors import ReadError
from guardian.fixes.json_patch import equal
from guardian.fixes.source import BLANKS, Entry, Place
from guardian.fixes.splices import Splice, splice
from guardian.spec.text import load

_UNREADABLE = object()


def reads_back(text: str, root: Place, before: Any, after: Any, splices: Sequence[Splice]) -> bool:
    """Whether an edited JSON text is sure to say what it should; False where only reading all of it could tell.

    Args:
        text: the text before the edit, which says ``before``.
        root: its places.
        after: what it should say after the splices, which are sorted and do not overlap.
    """
    return all(_holds(root, each) for each in splices) and _says(text, root, before, after, splices, 0)


def _says(text: str, place: Place, before: Any, after: Any, splices: Sequence[Splice], depth: int) -> bool:
    """Whether a place that says ``before`` says ``after`` after these splices, all of them inside its brackets."""
    if not splices:
        return equal(before, after)
    if place.kind == "map" and isinstance(before, dict) and isinstance(after, dict):
        return _members_say(text, place, before, after, splices, depth)
    return equal(_read(_spliced(text, place.start, place.end, splices), depth), after)


def _members_say(
    text: str, place: Place, before: dict[str, Any], after: dict[str, Any], splices: Sequence[Splice], depth: int
) -> bool:
    entries = place.entries
    gaps, below = _sorted(entries, splices)
    written: dict[str, Any] = {}
    for first, behind in gaps:
        follows, goes_on = first > 0, behind < len(entries)
        start = entries[first - 1].value.end if follows else place.start + 1
        end = entries[behind].start if goes_on else place.end - 1
        members = _members(_spliced(text, start, end, splices), follows, goes_on, depth)
        if members is None or not written.keys().isdisjoint(members):
            return False
        written |= members
    read_anew = {index for first, behind in gaps for index in range(first, behind)}
    left = dict(after)
    for index, entry in enumerate(entries):
        if index in read_anew:
            continue
        wanted = left.pop(entry.key, _UNREADABLE)
        known = before[entry.key]
        if wanted is known and index not in below:
            continue
        if wanted is _UNREADABLE or not _says(text, entry.value, known, wanted, below.get(index, ()), depth + 1):
            return False
    return equal(written, left)


def _sorted(
    entries: Sequence[Entry], splices: Sequence[Splice]
) -> tuple[list[tuple[int, int]], dict[int, list[Splice]]]:
    """The runs of members that splices lie at, each as its first and the one behind it; and the splices inside members.

    A run may be empty: then something is put in between two members. Between two runs at least one member stays.
    """
    gaps: list[tuple[int, int]] = []
    below: dict[int, list[Splice]] = defaultdict(list)
    for each in splices:
        first = bisect_right(entries, each.start, key=lambda entry: entry.value.end)
        behind = bisect_left(entries, each.end, key=lambda entry: entry.start)
        if behind == first + 1 and _holds(entries[first].value, each):
            below[first].append(each)
        elif gaps and first <= gaps[-1][1]:
            gaps[-1] = (gaps[-1][0], max(behind, gaps[-1][1]))
        else:
            gaps.append((first, behind))
    return gaps, below


def _holds(place: Place, each: Splice) -> bool:
    """Whether a splice lies inside the brackets of a place."""
    return place.kind in ("map", "seq") and place.start < each.start and each.end < place.end


def _spliced(text: str, start: int, end: int, splices: Sequence[Splice]) -> str:
    """A stretch of the text after those splices that lie in it."""
    inside = [
        Splice(each.start - start, each.end - start, each.text)
        for each in splices
        if start <= each.start and each.end <= end
    ]
    return splice(text[start:end], inside)


def _members(stretch: str, follows: bool, goes_on: bool, depth: int) -> dict[str, Any] | None:
    """The members that a stretch of an object's text says; None if it is no members with the commas that they need.

    Args:
        follows: whether a member stands before it.
        goes_on: whether a member stands behind it.
        depth: how many objects and lists hold the object.
    """
    stretch = stretch.strip(BLANKS)
    if stretch == ("," if follows and goes_on else ""):
        return {}
    if (follows and not stretch.startswith(",")) or (goes_on and not stretch.endswith(",")):
        return None
    says = _read(f"{{{stretch[follows : len(stretch) - goes_on]}}}", depth)
    return says if isinstance(says, dict) and says else None


def _read(stretch: str, depth: int) -> Any:
    """What a stretch of the text says, read as deep as it stands; `_UNREADABLE` if that is no JSON."""
    try:
        says = load(("[" * depth + stretch + "]" * depth).encode(), "stretch.json")
    except (ReadError, UnicodeEncodeError):
        return _UNREADABLE
    for _ in range(depth):
        if not isinstance(says, list) or len(says) != 1:
            return _UNREADABLE
        says = says[0]
    return says

"""What happened to ``pattern``: two sets of regular expressions compared as the languages they are."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from guardian.model import Effect
from guardian.spec.ecma import Undecidable
from guardian.spec.languages import distinguishing, examples, found, matching

__all__ = ["distinguishing", "examples", "found", "matching", "relate"]


Lengths = tuple[int, int | None]  # at least, at most


def relate(
    base: Iterable[str], head: Iterable[str], base_lengths: Lengths = (0, None), head_lengths: Lengths = (0, None)
) -> tuple[Effect | None, str | None]:
    """What happened from one set of patterns to the other, each set a conjunction.

    Args:
        base, head: the patterns of both sides.
        base_lengths, head_lengths: how long their texts are; others do not matter.

    Returns:
        The effect, ``None`` if both accept the same strings, and the reason why it could not be decided.
    """
    left, right = tuple(sorted(set(base))), tuple(sorted(set(head)))
    if left == right:
        return None, None
    try:
        lost = _differs(left, right, base_lengths)
        gained = _differs(right, left, head_lengths)
    except Undecidable as reason:
        if not left or set(left) < set(right):
            return Effect.NARROWED, str(reason) if left else None
        if not right or set(right) < set(left):
            return Effect.WIDENED, str(reason) if right else None
        return Effect.CHANGED, str(reason)
    if lost and gained:
        return Effect.CHANGED, None
    if lost or gained:
        return Effect.NARROWED if lost else Effect.WIDENED, None
    return None, None


def surely_found(pattern: str, text: str) -> bool:
    """Whether a pattern is found in a text; says no where it cannot tell."""
    with suppress(Undecidable):
        return found(pattern, text)
    return False


def covered(pattern: str, others: Iterable[str]) -> bool:
    """Whether every text that a pattern is found in has one of some others in it; says no where it cannot tell."""
    with suppress(Undecidable):
        return _shortest([pattern], others) is None
    return False


def shortest(having: Iterable[str], lacking: Iterable[str] = ()) -> str | None:
    """A shortest text that all of some patterns are found in, and none of some others, if there is one and it can be found."""
    with suppress(Undecidable):
        return _shortest(having, lacking)
    return None


def _shortest(having: Iterable[str], lacking: Iterable[str]) -> str | None:
    either = "|".join(f"(?:{each})" for each in lacking)
    return distinguishing(having, [either]) if either else next(matching(having), None)


def _differs(accept: tuple[str, ...], refuse: tuple[str, ...], lengths: Lengths) -> bool:
    """Whether some text tells them apart; among those of certain lengths, where that can be searched."""
    if lengths != (0, None):
        with suppress(Undecidable):
            return distinguishing(accept, refuse, shortest=lengths[0], longest=lengths[1]) is not None
    return distinguishing(accept, refuse) is not None

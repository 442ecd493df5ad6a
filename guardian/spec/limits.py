"""Limits and children of the leaves of one alternative: the tightest limit counts, an empty schema says nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from guardian.spec.api import Node, Schema
from guardian.spec.shape import ANYTHING, Bound


def matches(pattern: str, text: str) -> bool:
    """Whether a pattern is found in a text (ECMA-262); says yes where it cannot tell."""
    from guardian.spec.ecma import Undecidable
    from guardian.spec.languages import found

    try:
        return found(pattern, text)
    except Undecidable:
        return True


def number(value: Any) -> bool:
    """True for JSON numbers: Python's bool is none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def whole(value: float) -> bool:
    """Whether a number has no fraction; a whole one may be larger than any float."""
    return isinstance(value, int) or value.is_integer()


def is_multiple(value: float, step: float) -> bool:
    """Whether a number is a multiple of another one, both as JSON writes them: 0.3 is one of 0.1."""
    from fractions import Fraction

    return (Fraction(str(value)) / Fraction(str(step))).denominator == 1


def _tightest(
    leaves: tuple[Node, ...], keyword: str, tighter: Callable[[float, float], bool], exclusive: bool = False
) -> Bound | None:
    best: Bound | None = None
    for leaf in leaves:
        value = leaf.value.get(keyword)
        if number(value) and (best is None or tighter(value, best.value)):
            best = Bound(value, exclusive, leaf.child(keyword))
    return best


def at_least(leaves: tuple[Node, ...], keyword: str) -> Bound | None:
    """The highest of several lower limits of a count; none is what every count has."""
    found = _tightest(leaves, keyword, lambda a, b: a > b)
    return found if found is not None and found.value > 0 else None


def at_most(leaves: tuple[Node, ...], keyword: str) -> Bound | None:
    """The lowest of several upper limits."""
    return _tightest(leaves, keyword, lambda a, b: a < b)


def limit(leaves: tuple[Node, ...], keyword: str, exclusive_keyword: str, sign: int) -> Bound | None:
    """The tighter of the plain and the exclusive bound, in both spellings (boolean in 2.0 and 3.0, number in 3.1)."""
    best: Bound | None = None
    for leaf in leaves:
        candidates: list[Bound] = []
        value, extra = leaf.value.get(keyword), leaf.value.get(exclusive_keyword)
        if number(value):
            candidates.append(Bound(value, extra is True, leaf.child(keyword)))
        if number(extra):
            candidates.append(Bound(extra, True, leaf.child(exclusive_keyword)))
        for each in candidates:
            if best is None or (sign * each.value, each.exclusive) > (sign * best.value, best.exclusive):
                best = each
    return best


def child(leaf: Node, *steps: str | int) -> Schema:
    """The schema below a leaf, by steps that exist; ``ANYTHING`` where it says nothing."""
    node = leaf.child(*steps)
    return ANYTHING if node.value is True or node.value == {} else Schema((node,))

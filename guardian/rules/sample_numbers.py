"""Numbers of an alternative: between its limits, multiples of its steps, exactly as JSON writes them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from guardian.rules.streams import unequal
from guardian.rules.validator import NUMBER_RANGES
from guardian.spec.shape import Atom


class Limits(NamedTuple):
    """Which numbers an alternative admits: from here to there, whether without these two, and multiples of what."""

    low: Fraction | None
    high: Fraction | None
    above_low: bool
    below_high: bool
    step: Fraction | None

    def admits(self, value: float) -> bool:
        number = exact(value)
        if self.low is not None and (number < self.low or (self.above_low and number == self.low)):
            return False
        if self.high is not None and (number > self.high or (self.below_high and number == self.high)):
            return False
        return self.step is None or (number / self.step).denominator == 1


def limits_of(atom: Atom) -> Limits:
    return Limits(
        *range_of(atom),
        bool(atom.minimum and atom.minimum.exclusive),
        bool(atom.maximum and atom.maximum.exclusive),
        step_of(atom),
    )


def numbers(atom: Atom) -> Iterator[int | float]:
    """Numbers of an alternative: plain ones, those at its limits, multiples."""
    limits = limits_of(atom)
    yield from filter(limits.admits, unequal(map(plain, _points(limits))))


def _points(limits: Limits) -> Iterator[Fraction]:
    """What may be numbers within these limits; mostly the first one is, and no other is asked for."""
    low, high, step = limits.low, limits.high, limits.step
    points = _points_around(low, high)
    if not step:
        yield from points
        return
    aligned: list[Fraction] = []
    for point in points:
        aligned.append(math.ceil(point / step) * step)
        yield aligned[-1]
    yield step
    yield from (point + step for point in aligned)


def _points_around(low: Fraction | None, high: Fraction | None) -> Iterator[Fraction]:
    yield from (Fraction(1), Fraction(0), Fraction(-1))
    for edge in (low, high):
        if edge is not None:
            yield from (edge, edge + 1, edge - 1, edge + Fraction(1, 2), edge - Fraction(1, 2))
    if low is not None and high is not None:
        yield from ((low + high) / 2, low + (high - low) / 4)


def range_of(atom: Atom) -> tuple[Fraction | None, Fraction | None]:
    """The closest limits that an alternative sets, by bounds and by formats."""
    lows = [exact(atom.minimum.value)] if atom.minimum else []
    highs = [exact(atom.maximum.value)] if atom.maximum else []
    for name in atom.formats:
        if name in NUMBER_RANGES:
            lows.append(exact(NUMBER_RANGES[name][0]))
            highs.append(exact(NUMBER_RANGES[name][1]))
    return max(lows, default=None), min(highs, default=None)


def step_of(atom: Atom) -> Fraction | None:
    """What every value is a multiple of, or None."""
    steps = [exact(each) for each in atom.multiples]
    if atom.integer:
        steps.append(Fraction(1))
    common: Fraction | None = None
    for each in steps:
        common = each if common is None else lcm(common, each)
    return common


def lcm(a: Fraction, b: Fraction) -> Fraction:
    """The least common multiple of two positive fractions."""
    return Fraction(math.lcm(a.numerator * b.denominator, b.numerator * a.denominator), a.denominator * b.denominator)


def exact(value: float) -> Fraction:
    """The number that a JSON text stands for: 0.1 is a tenth."""
    return Fraction(value) if isinstance(value, int) else Fraction(repr(value))


def plain(value: Fraction) -> int | float:
    """An int where it is whole, else a float; a whole one nearby where no float is as large."""
    if value.denominator == 1:
        return value.numerator
    try:
        return float(value)
    except OverflowError:
        return round(value)

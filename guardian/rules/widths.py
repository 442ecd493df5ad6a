"""Formats that are nothing but limits of whole numbers: ``int32`` says what a minimum and a maximum say as well."""

from __future__ import annotations

from collections.abc import Set

from guardian.spec.facets import INTEGER_FORMATS
from guardian.spec.shape import Atom


def edge_of(atom: Atom, *, upper: bool) -> int | None:
    """The limit that the formats of whole numbers set; None if they set none."""
    edges = [INTEGER_FORMATS[name][upper] for name in atom.formats if name in INTEGER_FORMATS] if atom.integer else []
    return min(edges, default=None) if upper else max(edges, default=None)


def formats_of(atom: Atom, other: Atom) -> Set[str]:
    """The formats that an alternative has, written or, as one that the other one writes, by its limits alone."""
    implied = atom.integer and atom.minimum is not None and atom.maximum is not None
    return frozenset(atom.formats) | {name for name in other.formats if implied and _lies_in(atom, name)}


def _lies_in(atom: Atom, name: str) -> bool:
    low, high = INTEGER_FORMATS.get(name, (None, None))
    least, most = atom.minimum, atom.maximum
    if low is None or high is None or least is None or most is None:
        return False
    return least.value >= low and most.value <= high

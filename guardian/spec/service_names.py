"""What services are called whose names nobody has written down: by the paths of their documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

SUFFIXES = (".yaml", ".yml", ".json")


def distinct(choices: Sequence[Sequence[str]]) -> list[str]:
    """A name for each that no other has: the first of its choices, of which the later ones tell more and the last all.

    Whose names are alike takes its next choice, and so does the other: which one is called what depends on no order.
    """
    taken = [0] * len(choices)
    while True:
        names = [several[at] for several, at in zip(choices, taken, strict=True)]
        counts = Counter(names)
        alike = [at for at, name in enumerate(names) if counts[name] > 1 and taken[at] + 1 < len(choices[at])]
        if not alike:
            return names
        for at in alike:
            taken[at] += 1


def service_name(path: str) -> str:
    """The service that a document stands for when nothing else names it: its path without the ending."""
    for suffix in SUFFIXES:
        if path.lower().endswith(suffix):
            return path[: -len(suffix)]
    return path

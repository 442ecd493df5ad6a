"""Streams of JSON values: each value once, or several streams by turns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from guardian.spec.shape import canonical

_END = object()


def unequal(values: Iterable[Any]) -> Iterator[Any]:
    """Each JSON value once."""
    seen: set[object] = set()
    for value in values:
        # A text is no other value's canonical text where its type stands beside it, and numbers that are equal are one.
        key = (str, value) if isinstance(value, str) else canonical(value)
        if key not in seen:
            seen.add(key)
            yield value


def in_turn(streams: list[Iterator[Any]]) -> Iterator[Any]:
    """The first of each, then the second of each, and so on."""
    while streams:
        left: list[Iterator[Any]] = []
        for stream in streams:
            value = next(stream, _END)
            if value is not _END:
                yield value
                left.append(stream)
        streams = left

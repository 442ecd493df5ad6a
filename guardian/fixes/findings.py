"""The findings of a comparison by what they say and by the operation that they are of, so that a trial looks at those
that it may change and at no others.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from guardian.lazy import cached_property
from guardian.model import Change

Key = tuple[str, str, str, str, str, str, str]


def key(change: Change) -> Key:
    """What makes a change the same change in two comparisons of one service."""
    return (
        change.rule, change.service, change.operation, change.direction.value, change.place, change.field, change.message,
    )  # fmt: skip


def holder(operation: str) -> str:
    """The operation itself, or the one that it is a callback of, directly or not."""
    return operation.rpartition(" of ")[2]


class Findings:
    """Changes in an order, which every selection keeps.

    Attributes:
        all: the changes.
    """

    def __init__(self, changes: Iterable[Change]) -> None:
        self.all = tuple(changes)

    def said(self, keys: Iterable[Key]) -> list[Change]:
        """The changes with one of these keys."""
        return self._at(at for each in set(keys) for at in self._by_key.get(each, ()))

    def of(self, operations: Iterable[tuple[str, str]]) -> list[Change]:
        """The changes of these operations, each with its service, and of their callbacks."""
        return self._at(at for each in operations for at in self._by_operation.get(each, ()))

    def operations(self, service: str) -> list[str]:
        """The operations of a service that have changes; for what is said of the service itself, an empty name."""
        return [operation for name, operation in self._by_operation if name == service]

    def _at(self, indices: Iterable[int]) -> list[Change]:
        return [self.all[index] for index in sorted(indices)]

    @cached_property
    def _by_key(self) -> dict[Key, list[int]]:
        found: dict[Key, list[int]] = defaultdict(list)
        for index, change in enumerate(self.all):
            found[key(change)].append(index)
        return found

    @cached_property
    def _by_operation(self) -> dict[tuple[str, str], list[int]]:
        found: dict[tuple[str, str], list[int]] = defaultdict(list)
        for index, change in enumerate(self.all):
            found[change.service, holder(change.operation)].append(index)
        return found

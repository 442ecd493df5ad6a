"""Edits of head's documents while a draft is made: JSON Patch operations, and what the documents say after them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from guardian.fixes import json_patch
from guardian.fixes.draft import Operations
from guardian.fixes.json_patch import Operation, pointer
from guardian.fixes.transplant import Transplant
from guardian.spec.document import Document
from guardian.spec.pointers import steps_of


class Edits:
    """Collects operations by file.

    Attributes:
        place_after: by address, for the pointer of a new member the key of the member that it should follow.
    """

    def __init__(self) -> None:
        self.place_after: dict[str, dict[str, str]] = {}
        self._operations: dict[str, list[Operation]] = {}
        self._now: dict[str, Any] = {}

    @property
    def specs(self) -> dict[str, Operations]:
        """The operations by address."""
        return {address: tuple(each) for address, each in self._operations.items() if each}

    def get(self, document: Document, at: str, default: Any = None) -> Any:
        """What stands at a pointer after the edits so far."""
        return json_patch.get(self._now.get(document.address, document.root), at, default)

    def has(self, document: Document, at: str) -> bool:
        """Whether something stands at a pointer after the edits so far."""
        return json_patch.has(self._now.get(document.address, document.root), at)

    def put(self, document: Document, at: str, value: Any, *, after: str | None = None) -> None:
        """Let a value stand at a pointer into objects, with the objects on the way.

        Args:
            document: where.
            at: the pointer.
            value: what is to stand there.
            after: the key of the member that a new one should follow in the text.
        """
        steps = steps_of(at)
        for length in range(1, len(steps)):
            above = pointer(*steps[:length])
            if not self.has(document, above):
                self._apply(document, json_patch.add(above, {}))
        if self.has(document, at):
            if not json_patch.equal(self.get(document, at), value):
                self._apply(document, json_patch.replace(at, value))
            return
        self._apply(document, json_patch.add(at, value))
        if after is not None:
            self.place_after.setdefault(document.address, {})[at] = after

    def remove(self, document: Document, at: str) -> None:
        """Take away what stands at a pointer, if anything does."""
        if self.has(document, at):
            self._apply(document, json_patch.remove(at))

    def append(self, document: Document, at: str, items: Iterable[Any]) -> None:
        """Put items that are not in the list at a pointer yet behind its last one; without a list, make one."""
        here = self.get(document, at)
        missing = [each for each in items if not isinstance(here, list) or each not in here]
        if not isinstance(here, list):
            if missing:
                self.put(document, at, missing)
            return
        for each in missing:
            self._apply(document, json_patch.add(f"{at}/-", each))

    def without(self, document: Document, at: str, items: Collection[str]) -> None:
        """Take texts out of the list at a pointer; a list that would be empty goes whole."""
        here = self.get(document, at)
        if not isinstance(here, list) or not any(each in items for each in here):
            return
        kept = [each for each in here if each not in items]
        self._apply(document, json_patch.replace(at, kept) if kept else json_patch.remove(at))

    def take(self, transplant: Transplant) -> None:
        """Add what carried parts need, once they have been carried."""
        for address, operations in transplant.additions.items():
            document = transplant.opened(address)
            for operation in operations:
                if not self.has(document, operation["path"]):
                    self._apply(document, operation)

    def _apply(self, document: Document, operation: Operation) -> None:
        now = self._now.get(document.address, document.root)
        self._now[document.address] = json_patch.apply(now, [operation])
        self._operations.setdefault(document.address, []).append(operation)

"""Both sides of one API in pairs: operations, parameters, bodies, responses, headers, and where schemas begin.

The only walk above the schema level. What is written the same and inherits the same is passed over, so that the cost
follows the change. The order is that of paths, then of the document.
"""

from __future__ import annotations

from collections.abc import Iterator

from guardian.rules.answered import Answered
from guardian.rules.both_sides import BothSides, Same, alone
from guardian.rules.homes import Homes
from guardian.rules.matching import Matched, either, match_operations
from guardian.rules.pairs import Placed
from guardian.spec.api import Api, Operation


def align(base: Api | None, head: Api | None, same: Same | None = None) -> Iterator[Placed]:
    """Every pair of one service that may differ, each with its place; see ``Aligner``.

    Raises:
        RefError, ReadError: a part that had to be read cannot be.
    """
    aligner = Aligner(base, head, same)
    yield from aligner.service()
    for matched in aligner.matches:
        yield from aligner.operation(matched)


class Aligner:
    """The walk over two sides of one service.

    Args:
        base, head: the two sides; ``None`` for a service that is added or removed.
        same: says cheaply that two nodes mean the same because they, and all they refer to, are written the same.

    Attributes:
        matches: the operations in pairs, those of one path beside each other: they share much.
    """

    def __init__(self, base: Api | None, head: Api | None, same: Same | None = None) -> None:
        self.matches = sorted(_matches(base, head), key=_by_path)
        self._sides = BothSides(base, head, same or (lambda _base, _head: False)) if base and head else None
        self._homes = [Homes(api) if api else None for api in (base, head)]
        self._answered: Answered | None = None

    def service(self) -> Iterator[Placed]:
        """The pairs of what holds for many operations."""
        if self._sides is not None:
            yield from self._sides.service(self.matches)

    def operation(self, matched: Matched) -> Iterator[Placed]:
        """The pairs of one operation, and of its callbacks.

        The security schemes that both sides require are among them, as long as this walk has not come by them before.
        """
        base, head = matched
        if self._sides is None or base is None or head is None:
            lone = either(matched)
            homes = [
                homes.of(lone) if homes and own is None else None
                for homes, own in zip(self._homes, matched, strict=True)
            ]
            yield from alone(matched, homes[0], homes[1], self._instead_of(base) if base else ())
        else:
            yield from self._sides.operation(base, head)

    def _instead_of(self, lost: Operation) -> tuple[Operation, ...]:
        """The operations of head that answer where one was called that is gone."""
        if self._sides is None or lost.kind != "path":
            return ()
        if self._answered is None:
            gained = [head for base, head in self.matches if base is None and head is not None]
            self._answered = Answered(self._sides.base, self._sides.head, gained)
        return self._answered.by(lost)


def _matches(base: Api | None, head: Api | None) -> list[Matched]:
    if base and head:
        return match_operations(base, head)
    lost, gained = (api.operations.values() if api else () for api in (base, head))
    return [*((each, None) for each in lost), *((None, each) for each in gained)]


def _by_path(matched: Matched) -> tuple[str, str]:
    operation = either(matched)
    return operation.path, operation.name

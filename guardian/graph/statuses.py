"""Statuses that a consumer handles alike: a response that moves among them as it is changes nothing for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from guardian.errors import ReadError
from guardian.spec.api import Operation, Response
from guardian.spec.sameness import Sameness

_ONE = re.compile(r"response ([1-5]\d\d)")


def moves_among(place: str, handled: Sequence[str] | None, base: Operation | None, head: Operation | None) -> bool:
    """Whether a response that one side alone has is the other side's under another status that is handled too.

    Args:
        place: of the change.
        handled: the statuses that the consumer says it handles, ``200`` or ``2XX``.
        base, head: the operation.
    """
    found = _ONE.fullmatch(place)
    if not found or not handled or base is None or head is None:
        return False
    status = found[1]
    try:
        ours, theirs = base.parts.responses, head.parts.responses
        lost, gained = ours.get(status), theirs.get(status)
        if lost is not None and gained is None:
            return any(_same(lost, each) for each in _handled(theirs.values(), status, handled))
        if gained is not None and lost is None:
            return any(_same(each, gained) for each in _handled(ours.values(), status, handled))
    except ReadError:  # whoever reads it for its own sake says what is wrong
        pass
    return False


def _handled(responses: Iterable[Response], status: str, handled: Sequence[str]) -> list[Response]:
    """The responses of the same class as a status that the consumer handles."""
    return [
        each
        for each in responses
        if each.status[0] == status[0] and (each.status in handled or f"{status[0]}XX" in handled)
    ]


def _same(base: Response, head: Response) -> bool:
    """Whether two responses carry the same, whatever they are described with."""
    if [(each.name, each.parameters) for each in base.content] != [(e.name, e.parameters) for e in head.content]:
        return False
    if base.headers.keys() != head.headers.keys():
        return False
    same = Sameness(base.node.document.documents, head.node.document.documents).same
    ours = [base.headers[name].node for name in base.headers] + [each.node for each in base.content]
    theirs = [head.headers[name].node for name in base.headers] + [each.node for each in head.content]
    return all(map(same, ours, theirs))

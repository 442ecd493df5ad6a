"""Which representations of a message a consumer uses: a change of another one alone does not concern it."""

from __future__ import annotations

import re

from guardian.errors import ReadError
from guardian.graph.aliases import Aliases, content_of
from guardian.graph.uses import Use
from guardian.model import Change, Location
from guardian.spec.api import Operation

_PLACE = re.compile(r"(?P<message>response (?P<status>\S+)|request body) (?!header )(?P<label>\S+/[^\s;]+)")


def concerns(change: Change, use: Use, operation: Operation | None, aliases: Aliases) -> bool:
    """Whether a change is about a representation that is used, or may be.

    What is used and is not declared by name, as what a range such as `application/*` stands for, may be any of them. A
    finding about a component that several representations have is told for one of them, and concerns all.

    Args:
        change: it.
        use: what is used.
        operation: as base has it.
        aliases: finds the other paths to what changed.
    """
    found = _PLACE.match(change.place)
    used = (use.received if found["status"] else use.sent) if found else None
    if found is None or used is None or operation is None or operation.inverted:
        return True
    try:
        declared = {media.name: media for media in content_of(operation, found["status"])}
    except ReadError:  # whoever reads it for its own sake says what is wrong
        return True
    label = found["label"].lower()
    if any(each == label or each not in declared for each in used):
        return True
    if label not in declared:  # head alone has it
        return False
    shared = aliases.shared(change, [f"{found['message']} {each}" for each in used])
    if shared is None:  # it is about no schema, be it the media type itself
        return not _is_within(change.base, declared[label].node.location)
    return shared


def _is_within(place: Location | None, outer: Location) -> bool:
    if place is None or place.file != outer.file:
        return False
    return place.pointer == outer.pointer or place.pointer.startswith(f"{outer.pointer}/")

"""Which parameter, media type and response of base is which of head.

Parameters by what identifies them on the wire, media types by name and then by range, responses by status and then by
the range or ``default`` that takes a status in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from guardian.rules.urls import variables_of
from guardian.rules.wire import exploded
from guardian.spec.api import MediaType, Node, Operation, Parameter, Response
from guardian.spec.dialects import DIALECTS
from guardian.spec.shaper import Shaper


def match_parameters(
    base: Operation, head: Operation, base_shaper: Shaper, head_shaper: Shaper
) -> list[tuple[Parameter | None, Parameter | None]]:
    """The parameters of two operations in pairs, as they are on the wire; one that moved is paired with itself."""
    ignored = ignored_headers(base.node, head.node)
    before, after = (
        [each for each in side.parts.parameters if each.location != "header" or each.name.lower() not in ignored]
        for side in (base, head)
    )
    ours = _by_key(exploded(before, after, base_shaper, head_shaper), base)
    theirs = _by_key(exploded(after, before, head_shaper, base_shaper), head)
    # Both templates have the same variables: one that a side does not declare is any text there, and nothing new.
    lost = [each for key, each in ours.items() if key not in theirs and each.location != "path"]
    gained = [each for key, each in theirs.items() if key not in ours and each.location != "path"]
    moved = _moved(lost, gained)
    matched: list[tuple[Parameter | None, Parameter | None]] = []
    matched.extend((each, theirs[key]) for key, each in ours.items() if key in theirs)
    matched.extend((each, moved.get(each.field)) for each in lost)
    targets = {each.field for each in moved.values()}
    matched.extend((None, each) for each in gained if each.field not in targets)
    return matched


def ignored_headers(base: Node, head: Node) -> frozenset[str]:
    """Headers that one side's dialect says to ignore, in lower case: what the other says of them has no like."""
    return frozenset().union(*(DIALECTS[node.document.dialect].ignored_headers for node in (base, head)))


def _by_key(parameters: Iterable[Parameter], operation: Operation) -> dict[tuple[str, str], Parameter]:
    """Parameters by what identifies them on the wire: path variables by position, headers without case."""
    # Counted from the end: a base path that moved into the template adds variables at its front.
    position = {name: str(index) for index, name in enumerate(reversed(variables_of(operation.path)))}
    keyed: dict[tuple[str, str], Parameter] = {}
    for each in parameters:
        name = position.get(each.name, each.name) if each.location == "path" else each.name
        keyed[each.location, name.lower() if each.location == "header" else name] = each
    return keyed


def _moved(lost: Sequence[Parameter], gained: Sequence[Parameter]) -> dict[str, Parameter]:
    """Parameters that are now elsewhere, by base's field: one of that name gone, one of that name new."""
    moved: dict[str, Parameter] = {}
    for parameter in lost:
        name = parameter.name.lower()
        namesakes = [each for each in lost if each.name.lower() == name]
        targets = [each for each in gained if each.name.lower() == name]
        if len(namesakes) == len(targets) == 1 and targets[0].location != parameter.location:
            moved[parameter.field] = targets[0]
    return moved


def media_range_holds(wide: str, narrow: str) -> bool:
    """Whether a media range (RFC 9110 section 12.5.1) contains another, and is not the same."""
    if wide == narrow:
        return False
    if wide == "*/*":
        return True
    kind, _, rest = wide.partition("/")
    return rest == "*" and narrow.partition("/")[0] == kind


def match_media_types(
    base: Sequence[MediaType], head: Sequence[MediaType]
) -> tuple[list[tuple[MediaType, MediaType]], list[MediaType], list[MediaType]]:
    """Media types in pairs: written the same, of one name, then a type and the narrowest range that holds it."""
    lost, gained = list(base), list(head)
    both: list[tuple[MediaType, MediaType]] = []

    def exact(one: MediaType, other: MediaType) -> bool:
        return one.name == other.name and one.parameters == other.parameters

    def named(one: MediaType, other: MediaType) -> bool:
        return one.name == other.name

    for alike in (exact, named):
        for media in list(lost):
            partner = next((each for each in gained if alike(media, each)), None)
            if partner is not None:
                lost.remove(media)
                gained.remove(partner)
                both.append((media, partner))
    covered = [(media, _range_for(media, gained)) for media in lost]
    holding = [(_range_for(media, lost), media) for media in gained]
    both.extend((media, wide) for media, wide in covered if wide)
    both.extend((wide, media) for wide, media in holding if wide)
    lost = [each for each in lost if all(each is not one for one, _ in both)]
    gained = [each for each in gained if all(each is not other for _, other in both)]
    return both, lost, gained


def _range_for(media: MediaType, offers: Sequence[MediaType]) -> MediaType | None:
    ranges = [each for each in offers if media_range_holds(each.name, media.name)]
    return min(ranges, key=lambda each: each.name.count("*"), default=None)


def label(media: MediaType, siblings: Sequence[MediaType]) -> str:
    """The media type's name, with its parameters where they tell it from a sibling."""
    if sum(each.name == media.name for each in siblings) == 1:
        return media.name
    return "; ".join([media.name, *(f"{key}={value}" for key, value in sorted(media.parameters.items()))])


def match_responses(
    base: Mapping[str, Response], head: Mapping[str, Response]
) -> list[tuple[Response | None, Response | None]]:
    """Responses in pairs: by status, then a status and the range or ``default`` that takes it in on the other side.

    Where a side declares any success, its ``default`` is taken for its errors, as everybody writes it: a success
    status never falls back on it.
    """
    pairs: list[tuple[Response | None, Response | None]] = [
        (response, head[status]) for status, response in base.items() if status in head
    ]
    lost = {status: _fallback(status, head) for status in base if status not in head}
    gained = {status: _fallback(status, base) for status in head if status not in base}
    # A range is neither gone nor new where it took in a status of the other side.
    pairs.extend((base[status], wide) for status, wide in lost.items() if wide or base[status] not in gained.values())
    pairs.extend((wide, head[status]) for status, wide in gained.items() if wide or head[status] not in lost.values())
    return pairs


def _fallback(status: str, responses: Mapping[str, Response]) -> Response | None:
    if status == "default":
        return None
    wide = responses.get(f"{status[0]}XX")
    if wide is not None and not status.endswith("XX"):
        return wide
    if is_success(status) and any(is_success(each) for each in responses):
        return None
    return responses.get("default")


def is_success(status: str) -> bool:
    """Whether a status is an answer that callers work with: 2xx and redirects; not 304, an answer to a condition."""
    return status[:1] in {"2", "3"} and status != "304"

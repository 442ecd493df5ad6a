"""Which parameter, media type and response of base is which of head.

Parameters by what identifies them on the wire, media types by the entry that describes their messages, responses by
status and then by the range or ``default`` that takes a status in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from guardian.rules.carried import is_asked_for, is_presented
from guardian.rules.urls import places_of
from guardian.rules.wire import exploded
from guardian.spec.api import MediaType, Node, Operation, Parameter, Response
from guardian.spec.dialects import DIALECTS
from guardian.spec.media import is_json
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
    # A security scheme may say the same of a header.
    lost = [each for each in lost if not is_asked_for(each, head)]
    gained = [each for each in gained if not is_presented(each, base)]
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
    """Parameters by what identifies them on the wire: path variables by position, headers without case.

    What is all of the query has no name there.
    """
    places = places_of(operation.path)
    keyed: dict[tuple[str, str], Parameter] = {}
    for each in parameters:
        name = str(places.get(each.name, each.name)) if each.location == "path" else each.name
        name = "" if each.location == "querystring" else name.lower() if each.location == "header" else name
        keyed[each.location, name] = each
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


class MatchedMedia(NamedTuple):
    """The entries that describe the same messages on either side.

    ``kept`` is true where one of the two holds the other and is on both sides: then which types there are is as before,
    and only what describes some of them is another entry.
    """

    base: MediaType
    head: MediaType
    kept: bool

    @property
    def narrower(self) -> MediaType:
        """The entry that says more of the messages concerned: ``application/json`` rather than ``*/*``."""
        return self.head if media_range_holds(self.base.name, self.head.name) else self.base


def match_media_types(
    base: Sequence[MediaType], head: Sequence[MediaType]
) -> tuple[list[MatchedMedia], list[MediaType], list[MediaType]]:
    """The entries of two ``content`` maps in pairs, then those of which no message is described on the other side.

    Of all entries that a message fits, the most specific describes it (OpenAPI, Request Body Object): one that is written
    the same, one of the same name, then the narrowest range. So each entry is paired with the one that describes its
    messages on the other side, and one entry may be in several pairs: a type that is new beside a range takes over what
    the range described, and what it leaves when it goes falls back to the range.
    """
    pairs = {(at, found) for at, media in enumerate(base) if (found := _named(media, head, bare=True)) is not None}
    # Messages of base without a parameter that is new in head are still described without it: nobody sent it before.
    pairs |= {(found, at) for at, media in enumerate(head) if (found := _named(media, base, bare=False)) is not None}
    lost, gained = _alone(pairs, len(base), len(head))
    for at in list(lost):  # another parameter: the same entry, as far as anybody knows
        found = next((each for each in gained if head[each].name == base[at].name), None)
        if found is not None:
            lost.remove(at)
            gained.remove(found)
            pairs.add((at, found))
    pairs |= {
        *((at, found) for at in lost if (found := _range_for(base[at], head)) is not None),
        *((found, at) for at in gained if (found := _range_for(head[at], base)) is not None),
    }
    lost, gained = _alone(pairs, len(base), len(head))
    both = [
        MatchedMedia(base[one], head[other], _is_kept(one, other, pairs, base, head)) for one, other in sorted(pairs)
    ]
    return both, [base[at] for at in lost], [head[at] for at in gained]


def _alone(pairs: Iterable[tuple[int, int]], base: int, head: int) -> tuple[list[int], list[int]]:
    ours, theirs = {one for one, _ in pairs}, {other for _, other in pairs}
    return [at for at in range(base) if at not in ours], [at for at in range(head) if at not in theirs]


def _named(media: MediaType, entries: Sequence[MediaType], *, bare: bool) -> int | None:
    """The entry of the same name that describes a type's messages; ``bare``: also one with fewer parameters."""
    namesakes = [(at, each) for at, each in enumerate(entries) if each.name == media.name]
    for at, each in namesakes:
        if each.parameters == media.parameters:
            return at
    for at, each in namesakes:
        if harmless_parameters(media, each):
            return at
    held = [pair for pair in namesakes if bare and pair[1].parameters.items() <= media.parameters.items()]
    return max(held, key=lambda pair: len(pair[1].parameters))[0] if held else None


def _range_for(media: MediaType, entries: Sequence[MediaType]) -> int | None:
    ranges = [at for at, each in enumerate(entries) if media_range_holds(each.name, media.name)]
    return min(ranges, key=lambda at: entries[at].name.count("*"), default=None)


def _is_kept(
    one: int, other: int, pairs: Iterable[tuple[int, int]], base: Sequence[MediaType], head: Sequence[MediaType]
) -> bool:
    """Whether the messages of the wider of two entries are all described on the other side."""
    if media_range_holds(base[one].name, head[other].name):
        return any(at == one and not media_range_holds(base[one].name, head[each].name) for at, each in pairs)
    if media_range_holds(head[other].name, base[one].name):
        return any(at == other and not media_range_holds(head[other].name, base[each].name) for each, at in pairs)
    return False


def harmless_parameters(base: MediaType, head: MediaType) -> bool:
    """Whether two entries of one name are the same on the wire, whatever differs in their parameters.

    A ``charset`` that is only written down, or stands at JSON, where it means nothing (RFC 8259), is nothing; nor is a
    ``boundary``, which every multipart message chooses for itself (RFC 2046).
    """
    before, after = base.parameters, head.parameters
    differing = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    return all(
        name == "boundary" or (name == "charset" and (is_json(base.name) or name not in before.keys() & after.keys()))
        for name in differing
    )


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
    status never falls back on it. Where only one side does, the other's ``default`` is its success: then it has no like
    in a ``default`` or an error of the first.
    """
    successful = [any(is_success(status) for status in side) for side in (base, head)]
    apart = successful[0] is not successful[1]
    pairs: list[tuple[Response | None, Response | None]] = [
        (response, head[status])
        for status, response in base.items()
        if status in head and not (apart and status == "default")
    ]
    left = [
        {status: side[status] for status in side if status not in other or (apart and status == "default")}
        for side, other in ((base, head), (head, base))
    ]
    lost = {status: _fallback(status, head, errors=not apart or successful[1]) for status in left[0]}
    gained = {status: _fallback(status, base, errors=not apart or successful[0]) for status in left[1]}
    # A range is neither gone nor new where it took in a status of the other side.
    pairs.extend((base[status], wide) for status, wide in lost.items() if wide or base[status] not in gained.values())
    pairs.extend((wide, head[status]) for status, wide in gained.items() if wide or head[status] not in lost.values())
    return pairs


def shared_default(
    base: Mapping[str, Response], head: Mapping[str, Response], same: Callable[[Response, Response], bool]
) -> tuple[Response, Response] | None:
    """The ``default`` of both sides where one alone declares a success: there it is for errors, and on the other, too.

    Not so where the other says of all what the first says of its success: that was meant for success.

    Args:
        same: whether a response of base says what one of head says.
    """
    if "default" not in base or "default" not in head or any(map(is_success, base)) is any(map(is_success, head)):
        return None
    successes = [
        *((base[status], head["default"]) for status in base if is_success(status)),
        *((base["default"], head[status]) for status in head if is_success(status)),
    ]
    return None if any(same(one, other) for one, other in successes) else (base["default"], head["default"])


def _fallback(status: str, responses: Mapping[str, Response], *, errors: bool) -> Response | None:
    """What describes a status that is not written; ``errors``: whether ``default`` does so for errors."""
    if status == "default":
        return None
    wide = responses.get(f"{status[0]}XX")
    if wide is not None and not status.endswith("XX"):
        return wide
    success = is_success(status)
    if success and any(is_success(each) for each in responses):
        return None
    return responses.get("default") if success or errors else None


def is_success(status: str) -> bool:
    """Whether a status is an answer that callers work with: 2xx and redirects; not 304, an answer to a condition."""
    return status[:1] in {"2", "3"} and status != "304"

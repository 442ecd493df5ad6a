"""Which operation of base is which operation of head.

By what a client calls: method and effective URL (server path and path template, variable names erased). What is left
is matched relative to the server, so that a moved base path is one finding and not a removed API; then without a
trailing slash. Where one side has several templates of one shape, the same names go together, then the same types of
variables, then document order: nothing is ambiguous enough to give up.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

from guardian.model import Direction
from guardian.rules.urls import common_path, effective_path, expression_of, places_of, shape_of, variables_of
from guardian.spec.api import Api, Operation
from guardian.spec.shape import ANYTHING
from guardian.spec.shaper import Shaper

Matched = tuple[Operation | None, Operation | None]
_Key = Callable[[Operation], Hashable]


def either(matched: Matched) -> Operation:
    """The operation on base, or the one on head where base has none."""
    operation = matched[0] or matched[1]
    assert operation is not None, "a match has at least one side"
    return operation


def match_operations(base: Api, head: Api) -> list[Matched]:
    """Paths and webhooks of both sides in pairs; what has no partner stands alone. In the order of its name."""
    pairs, lost, gained = _match(
        base.operations.values(),
        head.operations.values(),
        (
            (_effective(base), _effective(head)),
            (_relative, _relative),
            (_slashless(base), _slashless(head)),
            (_slashless(None), _slashless(None)),
        ),
    )
    return _sorted(pairs, lost, gained)


def match_callbacks(base: Operation | None, head: Operation | None) -> list[Matched]:
    """The callbacks of one operation in pairs: by key, expression and method, then without one of the first two.

    The key is not on the wire.
    """
    ours, theirs = (side.parts.callbacks if side else () for side in (base, head))
    if not ours and not theirs:
        return []
    pairs, lost, gained = _match(
        ours,
        theirs,
        (
            (_callback(base, expression=True), _callback(head, expression=True)),
            (_callback(base, expression=False), _callback(head, expression=False)),
            (_request, _request),
        ),
    )
    return _sorted(pairs, lost, gained)


def _effective(api: Api) -> _Key:
    common = common_path(api)
    return lambda operation: (*_kind(operation), effective_path(operation, common))


def _relative(operation: Operation) -> Hashable:
    return *_kind(operation), shape_of(operation.path)


def _slashless(api: Api | None) -> _Key:
    common = common_path(api) if api else None

    def key(operation: Operation) -> Hashable:
        path = shape_of(operation.path) if common is None else effective_path(operation, common)
        return *_kind(operation), path.rstrip("/")

    return key


def _kind(operation: Operation) -> tuple[str, str]:
    return operation.kind, operation.method


def _callback(parent: Operation | None, *, expression: bool) -> _Key:
    suffix = f" of {parent.name}" if parent else ""

    def key(operation: Operation) -> Hashable:
        return operation.name.removesuffix(suffix), expression_of(operation.path) if expression else ""

    return key


def _request(callback: Operation) -> Hashable:
    return callback.method, expression_of(callback.path)


def _match(
    base: Iterable[Operation], head: Iterable[Operation], rounds: Iterable[tuple[_Key, _Key]]
) -> tuple[list[tuple[Operation, Operation]], list[Operation], list[Operation]]:
    lost, gained = list(base), list(head)
    pairs: list[tuple[Operation, Operation]] = []
    for base_key, head_key in rounds:
        if not lost or not gained:
            break
        groups: dict[Hashable, tuple[list[Operation], list[Operation]]] = {}
        for operation in lost:
            groups.setdefault(base_key(operation), ([], []))[0].append(operation)
        for operation in gained:
            groups.setdefault(head_key(operation), ([], []))[1].append(operation)
        lost, gained = [], []
        for left, right in groups.values():
            pairs.extend(_pair_group(left, right))
            lost.extend(left)
            gained.extend(right)
    return pairs, lost, gained


def _pair_group(left: list[Operation], right: list[Operation]) -> list[tuple[Operation, Operation]]:
    """Pair operations that look the same from outside, and take them out of both lists."""
    if len(left) == len(right) == 1:  # as nearly all are
        return [(left.pop(), right.pop())]
    pairs: list[tuple[Operation, Operation]] = []
    ambiguous = len(left) > 1 or len(right) > 1
    for mark in (_path, _variable_types, _anything) if ambiguous else (_anything,):
        for operation in list(left):
            if not right:
                break
            partner = next((each for each in right if mark(each) == mark(operation)), None)
            if partner is not None:
                left.remove(operation)
                right.remove(partner)
                pairs.append((operation, partner))
    return pairs


def _path(operation: Operation) -> Hashable:
    return operation.path


def _anything(_: Operation) -> Hashable:
    return None


def _variable_types(operation: Operation) -> Hashable:
    """The types of the template's variables, by position."""
    shaper = Shaper()
    schemas = {each.name: each.schema or ANYTHING for each in operation.parts.parameters if each.location == "path"}
    places = places_of(operation.path)
    by_place = {places[name]: schema for name, schema in schemas.items() if name in places}
    return tuple(
        tuple(
            (atom.kind, atom.integer, *sorted(atom.formats))
            for atom in shaper.shape(by_place.get(place, ANYTHING), Direction.REQUEST).atoms
        )
        for place in range(len(variables_of(operation.path)))
    )


def _sorted(pairs: list[tuple[Operation, Operation]], lost: list[Operation], gained: list[Operation]) -> list[Matched]:
    everything: list[Matched] = [*pairs, *((each, None) for each in lost), *((None, each) for each in gained)]

    def order(matched: Matched) -> tuple[str, ...]:
        # The second of them only tells apart what shares a name: callbacks with several expressions.
        known = [each for each in matched if each]
        return known[0].name, *(each.path for each in known)

    return sorted(everything, key=order)

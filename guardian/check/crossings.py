"""Concrete paths that another operation answers on head: ``/users/me``, once head adds it beside ``/users/{id}``.

By its operations nothing broke: the one is as it was, the other is new. Whoever calls that very path gets another answer
all the same, so the two are compared for those who are known to call it, and for nobody else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from guardian.model import Change, Effect
from guardian.rules.compare import Options, compare_operations
from guardian.rules.identity import fingerprint, number_twins
from guardian.spec.sameness import Sameness

if TYPE_CHECKING:
    from guardian.check.compare import Apis
    from guardian.graph.uses import Consumer


def answered_anew(
    consumers: Iterable[Consumer], apis: Apis, services: Collection[str], options: Options
) -> list[tuple[Change, frozenset[str]]]:
    """What changes for the callers of paths that another operation answers on head.

    Args:
        consumers: those that are deployed; who calls such a path from head on means what answers it there.
        apis: both sides.
        services: those that are not written the same on both sides.
        options: as the services were compared.

    Returns:
        The changes, each with the names of the callers of its path.

    Raises:
        ReadError: a specification cannot be read.
    """
    routes = apis.routes()
    called: dict[tuple[str, str], set[str]] = {}
    for consumer in consumers:
        for use in consumer.uses:
            if use.operation is None or use.service not in services:
                continue
            if routes.crosses(use.service, use.operation):
                key = use.service, routes.key(use.service, use.operation)
                called.setdefault(key, set()).add(consumer.name)
    found: list[Change] = []
    for service, name in sorted(called):
        base, head = apis.base(service), apis.head(service)
        before, after = routes.base(service, name), routes.head(service, name)
        if base is None or head is None or before is None or after is None:
            continue
        same = Sameness(apis.base_documents, apis.head_documents).same
        changes = compare_operations((base, before), (head, after), same=same, options=options)
        why = f"{before.name} answers this path on base, {after.name} on head. "
        for change in filter(_is_met, changes):
            moved = change._replace(operation=name, why=why + change.why)
            found.append(moved._replace(fingerprint=fingerprint(moved, base.title)))
    return [(each, frozenset(called[each.service, each.operation])) for each in number_twins(found)]


def told_of_somebody(changes: Sequence[Change], crossing: Iterable[tuple[Change, frozenset[str]]]) -> list[Change]:
    """All changes, those of such paths with nobody but who has called them, and left out where they hit nobody."""
    callers = {(each.service, each.operation, each.fingerprint): names for each, names in crossing}
    found: list[Change] = []
    for change in changes:
        names = callers.get((change.service, change.operation, change.fingerprint))
        if names is not None:
            hit = tuple(each for each in change.consumers if each.hops > 1 or each.consumer in names)
            change = change._replace(consumers=hit)
        if names is None or change.consumers:
            found.append(change)
    return found


def _is_met(change: Change) -> bool:
    """Whether a caller of the path can meet a change: its own text fits both, whatever stands for it in the templates."""
    return bool(change.operation) and change.effect is not Effect.ANNOTATION and not change.field.startswith("path:")

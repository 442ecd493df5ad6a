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
) -> list[Change]:
    """What changes for the callers of paths that another operation answers on head.

    Args:
        consumers: everybody whose uses are known.
        apis: both sides.
        services: those that are not written the same on both sides.
        options: as the services were compared.

    Raises:
        ReadError: a specification cannot be read.
    """
    routes = apis.routes()
    called = {
        (use.service, routes.key(use.service, use.operation))
        for consumer in consumers
        for use in consumer.uses
        if use.operation is not None and use.service in services and routes.crosses(use.service, use.operation)
    }
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
    return number_twins(found)


def told_of_somebody(changes: Sequence[Change], crossing: Iterable[Change]) -> list[Change]:
    """All changes but those of such paths that hit nobody."""
    prints = {(change.service, change.operation, change.fingerprint) for change in crossing}
    return [
        change
        for change in changes
        if change.consumers or (change.service, change.operation, change.fingerprint) not in prints
    ]


def _is_met(change: Change) -> bool:
    """Whether a caller of the path can meet a change: its own text fits both, whatever stands for it in the templates."""
    return bool(change.operation) and change.effect is not Effect.ANNOTATION and not change.field.startswith("path:")

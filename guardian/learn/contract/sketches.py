"""What a tried version does, told from what the version before it did: most versions are looked at once and dropped.

Only the operations that the last edits can have touched are compared and traced, and no witness is sought. What is
kept as the answer of an episode is compared whole and proved, so nothing that anybody is told rests on a sketch.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from guardian.graph.blast import blast
from guardian.graph.consumers.routes import Routes
from guardian.graph.uses import Consumer
from guardian.lazy import cached_property
from guardian.learn.contract.engine import Comparison, Ground, Side
from guardian.learn.contract.regions import Regions, region_of
from guardian.model import Change, Impact, Severity
from guardian.rules.compare import Options, compare
from guardian.rules.identity import order
from guardian.spec.api import Api, Node
from guardian.spec.pointers import unescape
from guardian.spec.sameness import Sameness

Json = dict[str, Any]


class Sketch:
    """One service's head before it is proved.

    Args:
        ground: everything as it is deployed.
        service: the one that changed.
        head: its document.
        before: the version that was edited; base where not given.
    """

    proved = False

    def __init__(self, ground: Ground, service: str, head: Json, before: Sketch | None = None) -> None:
        self._ground = ground
        self._service = service
        self._before = before
        self._regions = Regions(head)
        self._services = {**ground.services, service: head}

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """Every change, in the order of reports.

        Raises:
            ReadError: the document is malformed.
        """
        base, head = self._ground.side.api(self._service), self._side.api(self._service)
        options = Options(prove=False)
        if self._touched is None or base is None or head is None:
            return tuple(compare(base, head, same=self._same, options=options))
        parts = self._part(base), self._part(head)
        fresh = [each for each in compare(*parts, same=self._same, options=options) if self._holds(each)]
        rest = self._rest(self._before.changes) if self._before and self._has_rest else ()
        return tuple(sorted((*fresh, *rest), key=order))

    @cached_property
    def breaking(self) -> tuple[Change, ...]:
        """Those that the contract calls breaking."""
        return tuple(change for change in self.changes if change.severity is Severity.BREAKING)

    @cached_property
    def warnings(self) -> tuple[Change, ...]:
        return tuple(change for change in self.changes if change.severity is Severity.WARNING)

    @cached_property
    def traced(self) -> tuple[Change, ...]:
        """All changes with the consumers they hit."""
        fresh = [change for change in self.changes if self._touched is None or self._holds(change)]
        concerned = self._concerned
        if fresh and concerned:
            routes = Routes(self._ground.side.apis, self._side.apis)
            fresh = list(blast(fresh, routes, concerned).changes)
        return tuple(sorted((*fresh, *self._traced_before), key=order))

    def hit(self, impact: Impact) -> frozenset[str]:
        """The consumers that any change hits with this impact."""
        return frozenset(each.consumer for change in self.traced for each in change.consumers if each.impact is impact)

    def may_hit(self, hops: int = 1) -> bool:
        """Whether a change may hit anybody this far away, as far as that can be said before anything is compared."""
        if self._touched is None:
            return True
        uses = (use for consumer in self._concerned for use in consumer.uses if use.service == self._service)
        if any(hops == 1 or use.exposes for use in uses):
            return True
        return any(each.hops >= hops for change in self._traced_before for each in change.consumers)

    def prove(self) -> Comparison:
        """The same version compared whole and with witnesses, as the gate does."""
        return Comparison(
            self._ground.services,
            self._services,
            ground=self._ground,
            head_side=self._side,
            same=self._same,
            known=self.__dict__.get("traced", ()),
        )

    # -- what is touched -----------------------------------------------------------------------------------------------

    @cached_property
    def _side(self) -> Side:
        return Side(self._services, like=self._ground.side)

    @cached_property
    def _differing(self) -> frozenset[str] | None:
        """The regions that differ from base; None if all may."""
        return self._ground.regions(self._service).differing(self._regions)

    @cached_property
    def _touched(self) -> frozenset[str] | None:
        """The paths whose operations must be looked at again; None if that is all of them."""
        if self._differing is None:
            return None
        base = self._ground.regions(self._service)
        before = self._before._regions if self._before else base
        differing = before.differing(self._regions)
        if differing is None:
            return None
        # What one side lacks may be matched with whatever else has no partner, so these go together.
        alone = (base.texts.keys() ^ self._regions.texts.keys()) | (base.texts.keys() ^ before.texts.keys())
        return _paths(differing | alone)

    @cached_property
    def _concerned(self) -> tuple[Consumer, ...]:
        """The consumers that what is touched may reach."""
        base = self._ground.side.api(self._service)
        if self._touched is None or base is None:
            return self._ground.consumers
        return self._ground.concerned(self._service, self._part(base).operations)

    def _holds(self, change: Change) -> bool:
        """Whether a change is of an operation that is touched, or of a callback of one."""
        operation = change.operation.rpartition(" of ")[2]
        return self._touched is not None and operation.partition(" ")[2] in self._touched

    def _rest(self, changes: Iterable[Change]) -> tuple[Change, ...]:
        return tuple(change for change in changes if not self._holds(change))

    @cached_property
    def _traced_before(self) -> tuple[Change, ...]:
        """What stays of the version before, with the consumers that it hits."""
        return self._rest(self._before.traced) if self._before and self._has_rest else ()

    @cached_property
    def _has_rest(self) -> bool:
        """Whether the version before has changes that are not looked at again."""
        if self._touched is None or self._before is None:
            return False
        earlier = self._before._differing
        return earlier is None or not _paths(earlier) <= self._touched

    def _part(self, api: Api) -> Api:
        touched = self._touched or frozenset()
        return api._replace(operations={name: each for name, each in api.operations.items() if each.path in touched})

    @cached_property
    def _sameness(self) -> Sameness:
        return Sameness(self._ground.side.documents, self._side.documents)

    def _same(self, base: Node, head: Node) -> bool:
        """Whether two places mean the same: at once where what they say, and refer to, lies in regions that do not differ."""
        if self._differing is not None and base.pointer == head.pointer and base.value == head.value:
            region = region_of(base.pointer)
            if region is not None and region not in self._differing:
                return True
        return self._sameness.same(base, head)


def _paths(regions: Iterable[str]) -> frozenset[str]:
    """Those of these regions that are paths, by their templates."""
    return frozenset(unescape(at.removeprefix("/paths/")) for at in regions if at.startswith("/paths/"))

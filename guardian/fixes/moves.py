"""Operations that moved: one that is gone and one that is new, which are most likely the same."""

from __future__ import annotations

from guardian.fixes.json_patch import equal
from guardian.graph.consumers.routes import Routes
from guardian.rules.renames import words
from guardian.spec.api import Operation

#: Below this, two operations are not called one that moved.
LIKELY = 0.5

Move = tuple[Operation, float]


class Moves:
    """Where operations went between two sides; what was found is remembered."""

    def __init__(self, routes: Routes) -> None:
        self._routes = routes
        self._found: dict[tuple[str, str], Move | None] = {}

    def of(self, service: str, operation: Operation) -> Move | None:
        """The operation of head that a removed one most likely became, and how sure that is (0 to 1).

        Half of the certainty is for the same ``operationId``, the rest for words that the paths share and for answers
        that read the same. Where two candidates are equally likely, neither is named.
        """
        key = (service, operation.name)
        if key not in self._found:
            self._found[key] = self._find(service, operation)
        return self._found[key]

    def _find(self, service: str, operation: Operation) -> Move | None:
        if operation.kind != "path":
            return None
        candidates = [
            (_certainty(operation, each), each)
            for each in self._routes.added(service)
            if each.method == operation.method and each.kind == operation.kind
        ]
        candidates.sort(key=lambda each: (-each[0], each[1].name))
        if not candidates or candidates[0][0] < LIKELY:
            return None
        if len(candidates) > 1 and candidates[1][0] == candidates[0][0]:
            return None
        return candidates[0][1], candidates[0][0]


def _certainty(base: Operation, head: Operation) -> float:
    same_id = base.operation_id is not None and base.operation_id == head.operation_id
    one, other = set(words(base.path)), set(words(head.path))
    alike = len(one & other) / max(len(one | other), 1)
    answers = base.node.value.get("responses"), head.node.value.get("responses")
    return 0.5 * same_id + 0.3 * alike + 0.2 * equal(*answers)

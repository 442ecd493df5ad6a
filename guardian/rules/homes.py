"""Where an operation would stand that a side does not have: what to point at there."""

from __future__ import annotations

from guardian.lazy import cached_property
from guardian.rules.urls import shape_of
from guardian.spec.api import Api, Node, Operation
from guardian.spec.dialects import DIALECTS
from guardian.spec.pointers import escape


class Homes:
    """The places of one side."""

    def __init__(self, api: Api) -> None:
        self._api = api

    def of(self, operation: Operation) -> Node:
        """The path or webhook where an operation would be; if that is gone too, what holds all of them."""
        root = self._api.document.node()
        if operation.kind == "path":
            name = operation.path if operation.path in self._paths else self._by_shape.get(shape_of(operation.path), "")
            found = root.find(f"/paths/{escape(name)}") if name else None
            return found or root.find("/paths") or root
        holders = [node for key in DIALECTS[self._api.dialect].webhooks if (node := root.find(f"/{key}"))]
        found = next((node for each in holders if (node := each.find(f"/{escape(operation.path)}"))), None)
        return found or (holders[0] if holders else root)

    @cached_property
    def _paths(self) -> frozenset[str]:
        node = self._api.document.node().find("/paths")
        return (
            frozenset(filter(_is_text, node.value))
            if node is not None and isinstance(node.value, dict)
            else frozenset()
        )

    @cached_property
    def _by_shape(self) -> dict[str, str]:
        return {shape_of(path): path for path in sorted(self._paths)}


def callback_home(parent: Operation) -> Node:
    """Where a callback would be of an operation that both sides have."""
    return parent.node.find("/callbacks") or parent.node


def _is_text(key: object) -> bool:
    return isinstance(key, str)

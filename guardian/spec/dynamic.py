"""Where the references of schemas lead, the dynamic ones by the way that was gone to them.

A ``$dynamicRef`` leads to the outermost ``$dynamicAnchor`` of its name among the resources entered on the way (JSON
Schema 2020-12, section 8.2.3.2): a tree whose nodes are extended from outside has the outer nodes at every depth. So
the same schema can mean something else when it is reached on another way. Where documents have such anchors, a place
is a ``ScopedNode``, which remembers its way and is another place on another one; everywhere else it is a plain node.
"""

from __future__ import annotations

from guardian.spec.api import Node


class ScopedNode(Node):
    """A place reached through ``scope``: where resources with dynamic anchors were entered, outermost first."""

    __slots__ = ("scope",)

    def __init__(self, node: Node, scope: tuple[Node, ...]) -> None:
        super().__init__(node.document, node.pointer, node.value)
        self.scope = scope
        way = "".join(f" via {each.document.uri}#{each.pointer}" for each in scope)
        self.key = (node.document.uri + way, node.pointer)

    def child(self, *steps: str | int) -> Node:
        """The node below, reached on the same way."""
        return ScopedNode(super().child(*steps), self.scope)


def target_of(node: Node, keyword: str) -> Node:
    """The schema that ``$ref`` or ``$dynamicRef`` of a schema leads to; one step.

    Raises:
        RefError, ReadError: as ``Documents.resolve``.
    """
    documents = node.document.documents
    scope = node.scope if isinstance(node, ScopedNode) else _entered(node, ())
    if keyword == "$dynamicRef":
        target = documents.resolve_dynamic(node.value[keyword], node, scope)
    else:
        target = documents.resolve(node.value[keyword], node)
    scope = _entered(target, scope)
    return ScopedNode(target, scope) if scope else target


def _entered(node: Node, scope: tuple[Node, ...]) -> tuple[Node, ...]:
    """The scope with this place's resource, if it has dynamic anchors and was not entered before."""
    if not node.document.scoped or not node.document.scopes.dynamic:
        return scope
    scopes = node.document.scopes
    base = scopes.base(node.pointer)
    entered = {each.document.scopes.base(each.pointer) for each in scope}
    if base in entered or all(resource != base for resource, _ in scopes.dynamic):
        return scope
    return (*scope, node)

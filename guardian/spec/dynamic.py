"""Where the references of schemas lead, the dynamic ones by the way that was gone to them.

A ``$dynamicRef`` leads to the outermost ``$dynamicAnchor`` of its name among the resources entered on the way (JSON
Schema 2020-12, section 8.2.3.2): a tree whose nodes are extended from outside has the outer nodes at every depth, and a
generic list has the items of whoever uses it. ``$recursiveRef`` and ``$recursiveAnchor`` are the same without names
(JSON Schema 2019-09, section 8.2.4.2). So the same schema can mean something else when it is reached on another way.
Where documents have such anchors, a place is a ``ScopedNode``, which remembers its way and is another place on another
one; everywhere else it is a plain node.

Where a document gives one resource the same dynamic anchor twice (components without an ``$id`` of their own), or a
reference has no anchor in its own resource to start from, the standard leaves open what it means. Then the anchor
inside the outermost component on the way is taken, as its author meant, and the place is a guess.
"""

from __future__ import annotations

from collections.abc import Iterator

from guardian.errors import RefError
from guardian.spec.api import Node
from guardian.spec.dialects import DIALECTS

#: The keywords that lead from a schema to another one that holds besides.
REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
#: What leads to schemas that hold together with the one it stands in.
ELSEWHERE = frozenset((*REFERENCES, "allOf"))


class ScopedNode(Node):
    """A place reached through ``scope``: where resources with dynamic anchors were entered, outermost first.

    ``guessed`` is true where the way led through a reference that the standard does not decide.
    """

    __slots__ = ("guessed", "scope")

    def __init__(self, node: Node, scope: tuple[Node, ...], *, guessed: bool = False) -> None:
        super().__init__(node.document, node.pointer, node.value)
        self.scope = scope
        self.guessed = guessed
        way = "".join(f" via {each.document.uri}#{each.pointer}" for each in scope)
        self.key = (node.document.uri + way, node.pointer)

    def child(self, *steps: str | int) -> Node:
        """The node below, reached on the same way."""
        return ScopedNode(super().child(*steps), self.scope, guessed=self.guessed)


def is_guessed(node: Node) -> bool:
    """Whether a place was reached through a reference that the standard does not decide."""
    return isinstance(node, ScopedNode) and node.guessed


def targets_of(node: Node) -> Iterator[Node]:
    """The schemas that the references in a schema itself lead to; one step each.

    Raises:
        RefError, ReadError: as ``Documents.resolve``.
    """
    value = node.value
    if isinstance(value, dict):
        for keyword in REFERENCES:
            if keyword in value and isinstance(value[keyword], str):
                yield target_of(node, keyword)


def target_of(node: Node, keyword: str) -> Node:
    """The schema that one of ``REFERENCES`` in a schema leads to; one step.

    Raises:
        RefError, ReadError: as ``Documents.resolve``.
    """
    documents = node.document.documents
    if keyword == "$ref" and type(node) is Node and not node.document.scoped:
        target = documents.resolve(node.value["$ref"], node)
        if not target.document.scoped:
            return target  # by whatever way
    scope = _entered(node, node.scope if isinstance(node, ScopedNode) else ())
    guessed = is_guessed(node)
    if keyword == "$dynamicRef":
        target, unsure = _dynamic(node, node.value[keyword], scope)
        guessed = guessed or unsure
    elif keyword == "$recursiveRef":
        target, unsure = _recursive(node, node.value[keyword], scope)
        guessed = guessed or unsure
    else:
        target = documents.resolve(node.value[keyword], node)
    scope = _entered(target, scope)
    return ScopedNode(target, scope, guessed=guessed) if scope or guessed else target


def _dynamic(node: Node, ref: str, scope: tuple[Node, ...]) -> tuple[Node, bool]:
    """Where a ``$dynamicRef`` leads, and whether that is a guess."""
    documents = node.document.documents
    name = ref.partition("#")[2]
    bookended = True
    try:
        target = documents.resolve(ref, node)
    except RefError:  # no anchor to start from: what the way says is all there is
        bookended = False
        found = _outermost(name, scope)
        if found is None:
            raise
        target = found
    if bookended and not (isinstance(target.value, dict) and target.value.get("$dynamicAnchor") == name):
        return target, False  # a plain reference
    found = _outermost(name, scope)
    target = found if found is not None else target
    scopes = target.document.scopes
    repeated = len(scopes.dynamic.get((scopes.resource(target.pointer), name), ())) > 1
    return target, repeated or not bookended


def _outermost(name: str, scope: tuple[Node, ...]) -> Node | None:
    """The dynamic anchor of a name that was met first on the way."""
    for each in scope:
        scopes = each.document.scopes
        pointers = scopes.dynamic.get((scopes.resource(each.pointer), name), ())
        if len(pointers) > 1:  # of those that the resource has, the one in the component that was entered
            pointers = tuple(pointer for pointer in pointers if _is_in(pointer, each.pointer))
        if pointers:
            return each.document.node(pointers[0])
    return None


def _recursive(node: Node, ref: str, scope: tuple[Node, ...]) -> tuple[Node, bool]:
    """Where a ``$recursiveRef`` leads, and whether that is a guess."""
    document = node.document
    target = document.documents.resolve(ref, node)
    if not target.pointer:  # the OpenAPI document, which is no schema: the component around is meant
        schemas = DIALECTS[document.dialect].components["schemas"]
        if not node.pointer.startswith(f"{schemas}/"):
            return target, True
        name = node.pointer[len(schemas) + 1 :].partition("/")[0]
        return document.node(f"{schemas}/{name}"), True
    if not (isinstance(target.value, dict) and target.value.get("$recursiveAnchor") is True):
        return target, False
    for each in scope:
        root = each.document.node(each.document.scopes.resource(each.pointer))
        if isinstance(root.value, dict) and root.value.get("$recursiveAnchor") is True:
            return root, False
    return target, False


def _entered(node: Node, scope: tuple[Node, ...]) -> tuple[Node, ...]:
    """The scope with this place's resource, if it has dynamic anchors and was not entered before."""
    if not node.document.scoped or not node.document.scopes.anchored:
        return scope
    scopes = node.document.scopes
    for pointer in _passed(node, scope):
        resource = scopes.resource(pointer)
        if resource not in scopes.anchored:
            continue
        repeated = [places for (at, _), places in scopes.dynamic.items() if at == resource and len(places) > 1]
        if pointer == node.pointer and any(_is_in(place, pointer) for places in repeated for place in places):
            # Such anchors are taken for those of the components that they are in.
            known = {(each.document, each.pointer) for each in scope}
            found = (node.document, pointer) in known
        else:
            entered = {(each.document, each.document.scopes.resource(each.pointer)) for each in scope}
            found = (node.document, resource) in entered
        if not found:
            scope = (*scope, node.document.node(pointer))
    return scope


def _passed(node: Node, scope: tuple[Node, ...]) -> list[str]:
    """A place, and before it the resources around it that were come through since the last one that was noted."""
    above = [pointer for pointer in node.document.scopes.bases if pointer and _is_in(node.pointer, pointer)]
    if scope:
        last = scope[-1]
        if last.document is not node.document or not _is_in(node.pointer, last.pointer):
            return [node.pointer]
        above = [pointer for pointer in above if len(pointer) > len(last.pointer)]
    return [*sorted(pointer for pointer in above if pointer != node.pointer), node.pointer]


def _is_in(pointer: str, around: str) -> bool:
    return pointer == around or pointer.startswith(f"{around}/")

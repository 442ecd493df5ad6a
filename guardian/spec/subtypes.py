"""Components that extend another one, where a discriminator tells them apart: OpenAPI's inheritance.

Since 2.0 a component may hold a ``discriminator`` and list no alternatives: others are ``allOf`` of it and more, and
its property says by their names which of them a message is ("Composition and Inheritance" in every version of the
specification). Nothing in the extended schema refers to them, so what is said where it is used is looked up here: in the
extended component's own document, and wherever its mapping leads. What extends a schema of another file without being
named by that one's mapping is not found: nothing in that file says which documents there are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from guardian.errors import ReadError
from guardian.spec.api import Node, Schema
from guardian.spec.dialects import DIALECTS, is_openapi

if TYPE_CHECKING:
    from guardian.spec.refs import Document

# Microsoft's generators let a component say by which value it goes.
_OWN_VALUE = "x-ms-discriminator-value"
# Where a file that is no OpenAPI document may keep schemas by their names.
_HOLDERS = ("/components/schemas", "/definitions", "/$defs", "/schemas")
# Without one of these a schema neither extends another one nor tells apart what extends it.
_TELLING = frozenset({"allOf", "$ref", "discriminator"})


class Family(NamedTuple):
    """What extends a component, at any depth, by the value of ``property`` that selects it.

    ``named`` are the values that are names of components, rather than said in a mapping.
    """

    property: str
    members: Mapping[str, Node]
    named: frozenset[str]


def family_of(schema: Schema) -> Family | None:
    """What extends the component that a schema is, by however many references it leads there.

    Raises:
        RefError: a reference leads nowhere.
    """
    for node in schema.nodes:
        if isinstance(node.value, dict) and "$ref" in node.value:
            node = node.document.documents.layers(node)[-1]
        found = node.document.families.get(node.pointer)
        if found is not None:
            return found
    return None


def find_families(document: Document) -> Mapping[str, Family]:
    """The families of a document by the pointer of the component that is extended."""
    if b"discriminator" not in document.data and b"\0" not in document.data[:4]:  # zeros: UTF-16 or UTF-32
        return {}
    components = _components(document)
    parents = {node.pointer: list(_extended(node)) for node in components}
    members: dict[str, dict[str, Node]] = {}
    named: dict[str, set[str]] = {}
    properties: dict[str, str] = {}
    for node in components:
        for ancestor, holder in _selected_by(node, parents):
            properties[ancestor.pointer] = holder.property
            for value in holder.values.get(node.key) or (_own_value(node),):
                members.setdefault(ancestor.pointer, {})[value] = node
                if node.key not in holder.values:
                    named.setdefault(ancestor.pointer, set()).add(value)
    for node in components:  # a mapping may name what extends nothing, or what stands in another file
        own = _holder(node)
        if own is None:
            continue
        for target in own.targets:
            properties.setdefault(node.pointer, own.property)
            for value in own.values[target.key]:
                members.setdefault(node.pointer, {}).setdefault(value, target)
    return {
        pointer: Family(properties[pointer], dict(sorted(found.items())), frozenset(named.get(pointer, ())))
        for pointer, found in members.items()
    }


class _Holder(NamedTuple):
    """A discriminator that lists no alternatives: the targets of its mapping, and the values of each by its key."""

    property: str
    targets: tuple[Node, ...]
    values: Mapping[tuple[str, str], tuple[str, ...]]


def _components(document: Document) -> list[Node]:
    """The schemas with names that may extend others, or tell apart what extends them."""
    return [node for node in _named(document) if isinstance(node.value, dict) and not _TELLING.isdisjoint(node.value)]


def _named(document: Document) -> Iterator[Node]:
    """The schemas of a document that have names: its components; in a file beside, what it holds or all of it."""
    root = document.node()
    if is_openapi(document.root):
        holders = [root.find(DIALECTS[document.dialect].components["schemas"])]
    else:
        holders = [root.find(at) for at in _HOLDERS]
        if _is_schema(document.root):
            yield root
        else:
            holders.append(root)
    for holder in holders:
        if holder is not None and isinstance(holder.value, dict):
            yield from (holder.child(name) for name in holder.value if isinstance(name, str))


def _is_schema(value: Any) -> bool:
    """Whether all of a file is one schema, rather than schemas by their names."""
    if not isinstance(value, dict):
        return False
    lists = any(isinstance(value.get(keyword), list) for keyword in ("type", "allOf", "oneOf", "anyOf", "enum"))
    return lists or isinstance(value.get("type"), str) or isinstance(value.get("$ref"), str) or "properties" in value


def _extended(node: Node) -> Iterator[Node]:
    """The components that a component is ``allOf``, in its own document."""
    parts = node.value.get("allOf")
    beside = node.value if DIALECTS[node.document.dialect].schema_siblings and len(node.value) > 1 else {}
    for part in (*(parts if isinstance(parts, list) else ()), beside):
        reference = part.get("$ref") if isinstance(part, dict) else None
        if not isinstance(reference, str):
            continue
        try:
            target = node.document.documents.resolve(reference, node)
        except ReadError:
            continue  # told where a message needs it
        if target.document is node.document and isinstance(target.value, dict):
            yield target


def _selected_by(node: Node, parents: Mapping[str, list[Node]]) -> Iterator[tuple[Node, _Holder]]:
    """Everything that a component extends and that a discriminator of its own, or of what it extends, tells apart."""
    for ancestor in _ancestors(node, parents):
        for each in (ancestor, *_ancestors(ancestor, parents)):
            holder = _holder(each)
            if holder is not None:
                yield ancestor, holder
                break


def _ancestors(node: Node, parents: Mapping[str, list[Node]]) -> Iterator[Node]:
    seen = {node.pointer}
    pending = list(parents.get(node.pointer, ()))
    while pending:
        each = pending.pop(0)
        if each.pointer not in seen:
            seen.add(each.pointer)
            yield each
            pending.extend(parents.get(each.pointer, ()))


def _holder(node: Node) -> _Holder | None:
    value = node.value
    if value.get("oneOf") or value.get("anyOf"):
        return None  # then these are the variants
    discriminator = value.get("discriminator")
    if isinstance(discriminator, str):  # OpenAPI 2.0 names the property alone
        return _Holder(discriminator, (), {})
    name = discriminator.get("propertyName") if isinstance(discriminator, dict) else None
    if not isinstance(name, str):
        return None
    mapping = discriminator.get("mapping")
    targets: list[Node] = []
    values: dict[tuple[str, str], tuple[str, ...]] = {}
    for wire, reference in mapping.items() if isinstance(mapping, dict) else ():
        try:
            documents = node.document.documents
            target = documents.end_of(documents.mapping_target(str(reference), node))
        except ReadError:
            continue  # a mapping may name what it does not describe
        targets.append(target)
        values[target.key] = (*values.get(target.key, ()), str(wire))
    return _Holder(name, tuple(targets), values)


def _own_value(node: Node) -> str:
    own = node.value.get(_OWN_VALUE)
    return own if isinstance(own, str) else node.name

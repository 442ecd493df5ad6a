"""Components that extend another one, where a discriminator tells them apart: OpenAPI's inheritance.

Since 2.0 a component may hold a ``discriminator`` and list no alternatives: others are ``allOf`` of it and more, and
its property says by their names which of them a message is ("Composition and Inheritance" in every version of the
specification). Nothing in the extended schema refers to them, so what is said where it is used is looked up here, in all
files that the API refers to: a schema has the name of its component, else its key, or that of the file that it is all of.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from guardian.errors import ReadError
from guardian.spec.api import Node, Schema
from guardian.spec.dialects import DIALECTS, is_openapi

if TYPE_CHECKING:
    from guardian.spec.document import Document

# Microsoft's generators let a component say by which value it goes.
_OWN_VALUE = "x-ms-discriminator-value"
# A reference out of the file that it stands in.
_LEAVES = re.compile(rb"""\$(?=ref["']?\s*:\s*["']?[^"'#\s])""")
# Where a file that is no OpenAPI document may keep schemas by their names.
_HOLDERS = ("/components/schemas", "/definitions", "/$defs", "/schemas")
# Without one of these a schema neither extends another one nor tells apart what extends it.
_TELLING = frozenset({"allOf", "$ref", "discriminator"})


_Key = tuple[str, str]


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


def find_families(api: Document) -> dict[str, dict[str, Family]]:
    """The families of an API, by file and the pointer of the schema that is extended."""
    files = _files(api)
    if not any(_may_tell(each) for each in files):
        return {}
    schemas, names = _schemas(api, files)
    parents = {node.key: list(_extended(node)) for node in schemas.values()}
    members: dict[_Key, dict[str, Node]] = {}
    named: dict[_Key, set[str]] = {}
    properties: dict[_Key, str] = {}
    for node in schemas.values():
        for ancestor, holder in _selected_by(node, parents):
            properties[ancestor.key] = holder.property
            for value in holder.values.get(node.key) or _own_values(node, names):
                members.setdefault(ancestor.key, {})[value] = node
                if node.key not in holder.values:
                    named.setdefault(ancestor.key, set()).add(value)
    for node in schemas.values():  # a mapping may name what extends nothing
        own = _holder(node)
        if own is None:
            continue
        for target in own.targets:
            properties.setdefault(node.key, own.property)
            for value in own.values[target.key]:
                members.setdefault(node.key, {}).setdefault(value, target)
    families: dict[str, dict[str, Family]] = {}
    for key, found in members.items():
        family = Family(properties[key], dict(sorted(found.items())), frozenset(named.get(key, ())))
        families.setdefault(key[0], {})[key[1]] = family
    return families


def _files(api: Document) -> list[Document]:
    """The document of an API, and all others that it refers to, by however many references."""
    found = {api.uri: api}
    pending = [api]
    while pending:
        document = pending.pop()
        if _may_leave(document):
            for reference in document.refs_in(document.root):
                if reference.startswith("#"):
                    continue
                with suppress(ReadError):  # told where a message needs it
                    other = document.documents.resolve(reference, document.node()).document
                    if other.uri not in found:
                        found[other.uri] = other
                        pending.append(other)
    return list(found.values())


def _may_tell(document: Document) -> bool:
    return b"discriminator" in document.data or b"\0" in document.data[:4]  # zeros: UTF-16 or UTF-32


def _may_leave(document: Document) -> bool:
    return _LEAVES.search(document.data) is not None or b"\0" in document.data[:4]


def _schemas(api: Document, files: Iterable[Document]) -> tuple[dict[_Key, Node], dict[_Key, list[str]]]:
    """The schemas with names that may extend others or tell apart what extends them, and the API's names of other files'."""
    schemas: dict[_Key, Node] = {}
    names: dict[_Key, list[str]] = {}
    for document in files:
        for node in _named(document):
            try:
                end = document.documents.file_of(node)
            except ReadError:
                continue  # as above
            if isinstance(end.value, dict) and not _TELLING.isdisjoint(end.value):
                schemas.setdefault(end.key, end)
                if document is api and end.document is not api:
                    names.setdefault(end.key, []).append(node.name)
    return schemas, names


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


class _Holder(NamedTuple):
    """A discriminator that lists no alternatives: the targets of its mapping, and the values of each by its key."""

    property: str
    targets: tuple[Node, ...]
    values: Mapping[_Key, tuple[str, ...]]


def _extended(node: Node) -> Iterator[Node]:
    """The schemas with names that a schema is ``allOf``."""
    parts = node.value.get("allOf")
    beside = node.value if DIALECTS[node.document.dialect].schema_siblings and len(node.value) > 1 else {}
    documents = node.document.documents
    for part in (*(parts if isinstance(parts, list) else ()), beside):
        reference = part.get("$ref") if isinstance(part, dict) else None
        if not isinstance(reference, str):
            continue
        with suppress(ReadError):  # told where a message needs it
            target = documents.file_of(documents.resolve(reference, node))
            if isinstance(target.value, dict):
                yield target


def _selected_by(node: Node, parents: Mapping[_Key, list[Node]]) -> Iterator[tuple[Node, _Holder]]:
    """Everything that a component extends and that a discriminator of its own, or of what it extends, tells apart."""
    for ancestor in _ancestors(node, parents):
        for each in (ancestor, *_ancestors(ancestor, parents)):
            holder = _holder(each)
            if holder is not None:
                yield ancestor, holder
                break


def _ancestors(node: Node, parents: Mapping[_Key, list[Node]]) -> Iterator[Node]:
    seen = {node.key}
    pending = list(parents.get(node.key, ()))
    while pending:
        each = pending.pop(0)
        if each.key not in seen:
            seen.add(each.key)
            yield each
            pending.extend(parents.get(each.key, ()))


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
    values: dict[_Key, tuple[str, ...]] = {}
    for wire, reference in mapping.items() if isinstance(mapping, dict) else ():
        try:
            documents = node.document.documents
            target = documents.file_of(documents.mapping_target(str(reference), node))
        except ReadError:
            continue  # a mapping may name what it does not describe
        targets.append(target)
        values[target.key] = (*values.get(target.key, ()), str(wire))
    return _Holder(name, tuple(targets), values)


def _own_values(node: Node, names: Mapping[_Key, list[str]]) -> Iterable[str]:
    own = node.value.get(_OWN_VALUE)
    return [own] if isinstance(own, str) else names.get(node.key) or [node.name]

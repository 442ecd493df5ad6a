"""Carrying a part of one side's documents into head's: its references made to lead to the same things there.

What a part refers to may be in head as it was, may be gone, or may be there and mean something else by now. In the last
case the part either takes head's form of it, or (``freeze``) brings its own along under a name of its own.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from typing import Any

from guardian.errors import ReadError
from guardian.fixes.bench import reachable
from guardian.fixes.json_patch import Operation, add, failed, get, has, pointer
from guardian.fixes.slots import property_name, schema_slot
from guardian.fixes.wordings import reworded
from guardian.lazy import cached_property
from guardian.spec.api import Api, Node
from guardian.spec.dialects import DIALECTS
from guardian.spec.document import Document
from guardian.spec.pointers import steps_of
from guardian.spec.refs import Documents
from guardian.spec.sameness import Sameness
from guardian.spec.scopes import has_scheme

_VERSION = re.compile(r"V\d+$")
# Anything that reads alike in both: within 3.0, and from 3.1 on. Between the two, schemas are worded anew.
_FAMILIES = {"2.0": "2.0", "3.0": "3.0", "3.1": "3.1", "3.2": "3.1"}
# Keys below which plain data stands, unless they are names.
_DATA = frozenset({"example", "default", "const", "enum", "value"})


class Transplant:
    """Carries nodes of one side into head's documents.

    Args:
        source: the API that parts are taken from: base's, or head's own.
        head: head's API.
        freeze: bring along what differs in head, rather than refer to head's form.

    Attributes:
        additions: what has to be added to head's documents for the carried parts, by address.
        takes_heads_form: whether a carried part refers to something that means something else in head.
    """

    def __init__(self, source: Api, head: Api, *, freeze: bool = False) -> None:
        self.freeze = freeze
        self.additions: dict[str, list[Operation]] = {}
        self.takes_heads_form = False
        self._source = source
        self._head = head
        self._from: Documents = source.document.documents
        self._into: Documents = head.document.documents
        self._same = Sameness(self._from, self._into).same if self._from is not self._into else _identical
        self._carried: dict[tuple[str, str], tuple[Document, str]] = {}
        self._inlining: list[tuple[str, str]] = []

    def carry(self, node: Node, into: Document) -> Any:
        """The value of a node as it would be written in a document of head's.

        Raises:
            PatchError: it cannot be said there, or it refers to something that cannot be carried.
        """
        families = {_FAMILIES[node.document.dialect], _FAMILIES[self._head.dialect]}
        if len(families) > 1 and "2.0" in families:
            raise failed(
                f"base is written in OpenAPI {node.document.dialect} and head in {self._head.dialect}", node.pointer
            )
        return self._copy(node.value, node, into)

    def home(self, document: Document) -> Document:
        """Head's counterpart of a source's document, or head's entry document where there is none."""
        return self._counterpart(document) or self._head.document

    def name(self, node: Node) -> str:
        """The name that a component of the source has, or is given, in head's entry document.

        Raises:
            PatchError: it is no component.
        """
        found = self._target(node, self._head.document)
        if not isinstance(found, tuple):
            raise failed("it has no name", node.pointer)
        return steps_of(found[1])[-1]

    def opened(self, address: str) -> Document:
        """Head's document at an address."""
        return self._into.open(address, self._head.dialect)

    def _copy(self, value: Any, at: Node, into: Document) -> Any:
        written, wanted = _FAMILIES[at.document.dialect], _FAMILIES[self._head.dialect]
        if written != wanted and _is_data(at.pointer):
            return value
        copied = self._copied(value, at, into)
        is_schema = written != wanted and schema_slot(at.pointer) == at.pointer
        return reworded(copied, written, wanted, at.pointer) if is_schema else copied

    def _copied(self, value: Any, at: Node, into: Document) -> Any:
        if isinstance(value, list):
            return [self._copy(each, _below(at, index, each), into) for index, each in enumerate(value)]
        if not isinstance(value, dict):
            return value
        copied = {key: self._copy(each, _below(at, key, each), into) for key, each in value.items()}
        for keyword in ("$ref", "operationRef"):
            if isinstance(value.get(keyword), str):
                moved = self._reference(value[keyword], at, into)
                if isinstance(moved, str):
                    copied[keyword] = moved
                else:  # what it referred to, said in place
                    del copied[keyword]
                    copied = {**moved, **copied}
        mapping = get(value, "/discriminator/mapping")
        if isinstance(mapping, dict):
            copied["discriminator"] = {
                **copied["discriminator"],
                "mapping": {name: self._mapped(target, at, into) for name, target in mapping.items()},
            }
        return copied

    def _mapped(self, target: Any, at: Node, into: Document) -> Any:
        if not isinstance(target, str):
            return target
        node = self._from.mapping_target(target, at)
        found = self._target(node, into)
        if not isinstance(found, tuple):
            raise failed("a discriminator leads to a schema without a name", at.pointer)
        return reference_to(found[0], found[1], into)

    def _reference(self, ref: str, at: Node, into: Document) -> Any:
        try:
            node = self._from.resolve(ref, at)
        except ReadError as error:
            raise failed(f"a reference of base leads nowhere: {error.message}", at.pointer) from None
        found = self._target(node, into)
        return reference_to(found[0], found[1], into) if isinstance(found, tuple) else found

    def _target(self, node: Node, into: Document) -> tuple[Document, str] | Any:
        """Where a referred node is in head: document and pointer; or its value, where it has no place of its own."""
        known = self._carried.get(node.key)
        if known is not None:
            return known
        home = self._counterpart(node.document)
        there = _node(home, node.pointer) if home is not None else None
        if there is not None and home is not None:
            same = self._same(node, there)
            if same or not self.freeze:
                self.takes_heads_form |= not same
                self._carried[node.key] = (home, node.pointer)
                return home, node.pointer
        if not _has_name(node):
            return self._inline(node, into)
        home = home or self._head.document
        at = node.pointer if there is None else self._free_name(home, node.pointer)
        if home is self._head.document and home.address != node.document.address and not _is_component(node, home):
            return self._inline(node, into)
        self._carried[node.key] = (home, at)
        self._add(home, at, lambda: self._copy(node.value, node, home))
        return home, at

    def _inline(self, node: Node, into: Document) -> Any:
        if node.key in self._inlining:
            raise failed("it contains itself and has no name to refer to it by", node.pointer)
        self._inlining.append(node.key)
        try:
            return self._copy(node.value, node, into)
        finally:
            self._inlining.pop()

    def _add(self, home: Document, at: str, value: Callable[[], Any]) -> None:
        operations = self.additions.setdefault(home.address, [])
        # The maps on the way first: a document without components has no `/components/schemas`.
        steps = steps_of(at)
        for length in range(1, len(steps)):
            above = pointer(*steps[:length])
            if not has(home.root, above) and not any(each["path"] == above for each in operations):
                operations.append(add(above, {}))
        position = len(operations)
        operations.append(add(at, None))  # keeps its place: what it refers to comes behind
        operations[position] = add(at, value())

    def _counterpart(self, document: Document) -> Document | None:
        if document.address == self._source.document.address:
            return self._head.document
        address = self._moved(document.address)
        if self._into.tree.exists(address):
            return self._into.open(address, self._head.dialect)
        return self.opened(document.address) if document.address in self._of_head else None

    @cached_property
    def _of_head(self) -> set[str]:
        """The files that head's documents lead to."""
        return reachable(self._head)

    def _moved(self, address: str) -> str:
        """Where head has a file of the source's: both may be folders of one tree, and one must not lead into the other."""
        before, after = (posixpath.dirname(each.document.address) for each in (self._source, self._head))
        if before == after or has_scheme(address):
            return address
        return posixpath.normpath(posixpath.join(after, posixpath.relpath(address, before or ".")))

    def _free_name(self, home: Document, at: str) -> str:
        *above, name = steps_of(at)
        stem = _VERSION.sub("", name)
        taken = {each["path"] for each in self.additions.get(home.address, ())}
        number = 1
        while has(home.root, pointer(*above, f"{stem}V{number}")) or pointer(*above, f"{stem}V{number}") in taken:
            number += 1
        return pointer(*above, f"{stem}V{number}")


def _identical(source: Node, head: Node) -> bool:
    return source.key == head.key


def _below(node: Node, step: str | int, value: Any) -> Node:
    return Node(node.document, node.pointer + pointer(step), value)


def _is_data(at: str) -> bool:
    """Whether a pointer leads to plain data, such as an example, rather than to something of OpenAPI's."""
    steps = steps_of(at)
    return bool(steps) and steps[-1] in _DATA and property_name(at) is None


def _node(document: Document, at: str) -> Node | None:
    return document.node(at) if has(document.root, at) else None


def _has_name(node: Node) -> bool:
    """Whether a node is a component, or a member of a file that is nothing but a map of such."""
    steps = steps_of(node.pointer)
    if _is_component(node, node.document):
        return True
    return len(steps) == 1 and not {"openapi", "swagger"} & node.document.root.keys() and isinstance(node.value, dict)


def _is_component(node: Node, document: Document) -> bool:
    above = pointer(*steps_of(node.pointer)[:-1])
    return above in DIALECTS[document.dialect].components.values()


def reference_to(document: Document, at: str, into: Document) -> str:
    """The text of a reference, written in one document, to a place in a document."""
    fragment = f"#{_encoded(at)}" if at else ""
    if document.address == into.address:
        return fragment or "#"
    path = posixpath.relpath(document.address, posixpath.dirname(into.address) or ".")
    return f"{path}{fragment}"


def _encoded(at: str) -> str:
    """A pointer as the fragment of a URI (RFC 6901, section 6)."""
    return "".join(char if char in _FRAGMENT or ord(char) > 127 else f"%{ord(char):02X}" for char in at)


_FRAGMENT = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@/?")

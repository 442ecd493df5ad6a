"""One document of a side: plain data, how it is written, and what is found in it on first need."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from guardian.errors import RefError
from guardian.lazy import cached_property
from guardian.spec import dialects
from guardian.spec.api import Node
from guardian.spec.pointers import escape, step_into, steps_of
from guardian.spec.references import refs_in, refs_of
from guardian.spec.scopes import Scopes, find_scopes

if TYPE_CHECKING:
    from guardian.spec.pieces import Text
    from guardian.spec.refs import Documents
    from guardian.spec.subtypes import Family

# Their presence in the source is what makes it matter where in a document a reference stands.
_SCOPE_KEYWORD = re.compile(rb"\$(?:id|self|dynamicRef|dynamicAnchor|recursiveRef)")


class Document:
    """One file (or URL) as plain data.

    Attributes:
        uri: identity within one side: the address, or something like it where two dialects share a fragment.
        address: the POSIX path in the tree, or the URL; what relative references in it start from.
        file: the name to show to the user.
        root: the plain data.
        dialect: ``2.0``, ``3.0``, ``3.1`` or ``3.2``; a fragment has that of the document that refers to it.
        data: the source, for locating lines.
        written: the pieces of the source, if it was read so.
        documents: the side it belongs to.
        scoped: whether it may have ``$id``s or the like, so that it matters where a reference stands.
        targets: what ``Documents.resolve`` remembers: (base URI, reference) to node.
    """

    def __init__(
        self,
        documents: Documents,
        *,
        uri: str,
        address: str,
        file: str,
        root: Any,
        dialect: str,
        data: bytes,
        written: Text | None = None,
    ) -> None:
        self.documents = documents
        self.uri = uri
        self.address = address
        self.file = file
        self.root = root
        self.dialect = dialect
        self.data = data
        self.written = written
        self.targets: dict[tuple[str, str], Node] = {}
        self._families: tuple[Document, Mapping[str, Family]] | None = None
        self._refs: dict[int, tuple[Any, tuple[str, ...]]] = {}  # by identity of values, which are kept for that
        self.scoped = dialects.DIALECTS[dialect].json_schema and (
            b"\0" in data[:4] or _SCOPE_KEYWORD.search(data) is not None  # zeros: UTF-16 or UTF-32
        )

    @cached_property
    def scopes(self) -> Scopes:
        """The ``$id``s and anchors of this document, found on first need."""
        return find_scopes(self.root, self.address, self.dialect)

    @property
    def families(self) -> Mapping[str, Family]:
        """What extends the schemas of this document, by pointer (``guardian.spec.subtypes``), in the API that is looked at.

        Found on first need.
        """
        api = self.documents.api or self
        if self._families is None or self._families[0] is not api:
            self._families = api, self.documents.families(api).get(self.uri, {})
        return self._families[1]

    def refs_in(self, value: Any) -> tuple[str, ...]:
        """Every reference in a value of this document, each once; remembered."""
        known = self._refs.get(id(value))
        if known is None:
            written = self.written
            piece = written.piece_of(value) if written is not None else None
            found = refs_in(value) if written is None or piece is None else refs_of(written, *piece)
            known = self._refs[id(value)] = value, found
        return known[1]

    def prepare(self) -> None:
        """Find what is found on first need, for processes that are about to part: each would find it for itself, and
        write to much of the memory that they share.
        """
        self.families  # noqa: B018
        if self.written is not None:
            self.written.piece_of(self.root)

    def base(self, pointer: str) -> str:
        """The base URI for references at a place."""
        return self.scopes.base(pointer) if self.scoped else self.address

    def node(self, pointer: str = "") -> Node:
        """The node at a JSON pointer (RFC 6901, not percent-encoded). ``$ref``s on the way are not followed.

        Raises:
            RefError: there is nothing; with the nearest place that exists and names that are close.
        """
        value = self.root
        parent = ""
        for step in steps_of(pointer):
            try:
                value = step_into(value, step)
            except LookupError:
                place = f"#{parent}" if parent else "the document"
                error = RefError(
                    f"there is no #{pointer}: {place} has no {step!r}", file=self.file, hint=near(value, step)
                )
                error.pointer = parent
                raise error from None
            parent = f"{parent}/{escape(step)}"
        return Node(self, pointer, value)

    def __repr__(self) -> str:
        return f"Document({self.uri})"


def near(value: Any, step: str) -> str | None:
    """A hint at the keys of a value that are like one that it does not have."""
    names = difflib.get_close_matches(step, list(value), n=3) if isinstance(value, Mapping) else []
    return f"did you mean {' or '.join(repr(name) for name in names)}?" if names else None

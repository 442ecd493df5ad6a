"""Which operations an edit of a document can have touched: those whose text, or whose references' text, is another now.

A document is taken apart into regions, its paths and its components; what lies outside of them concerns all. Regions
are compared by their bytes, so that of one document with a few edits nearly everything is passed over in C.
"""

from __future__ import annotations

import marshal
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from guardian.lazy import cached_property
from guardian.spec.pointers import escape
from guardian.spec.references import refs_in

Json = dict[str, Any]

#: What of a document is no part of what its operations inherit: they themselves, what they refer to, and prose.
_OWN = frozenset(("paths", "components", "info", "tags"))
#: Components that are referred to by name, so that a change of one concerns all.
_BY_NAME = "securitySchemes"
#: Documents in which it matters where a reference stands, or that have operations elsewhere, are not taken apart.
_SCOPED = (b"$id", b"$self", b"$dynamicRef", b"$dynamicAnchor")
_ELSEWHERE = frozenset(("webhooks", "x-webhooks", "swagger"))


class Regions:
    """One document taken apart.

    Args:
        document: as plain data; it is not changed later.
    """

    def __init__(self, document: Json) -> None:
        self._values: dict[str, Any] = {}
        components = document.get("components")
        kinds = components if isinstance(components, dict) else {}
        paths = document.get("paths")
        for path, item in (paths if isinstance(paths, dict) else {}).items():
            self._values[f"/paths/{escape(str(path))}"] = item
        for kind, named in kinds.items():
            for name, value in named.items() if isinstance(named, dict) and kind != _BY_NAME else ():
                self._values[f"/components/{escape(str(kind))}/{escape(str(name))}"] = value
        shared = {key: value for key, value in document.items() if key not in _OWN}
        self.shared: bytes = marshal.dumps((shared, kinds.get(_BY_NAME)), 2)
        self.texts: dict[str, bytes] = {at: marshal.dumps(value, 2) for at, value in self._values.items()}
        self.whole = not _ELSEWHERE.isdisjoint(document) or any(
            word in text for text in (self.shared, *self.texts.values()) for word in _SCOPED
        )

    @cached_property
    def users(self) -> Mapping[str, frozenset[str]]:
        """By region, those that refer to it."""
        found: dict[str, set[str]] = {}
        for at, value in self._values.items():
            for ref in refs_in(value):
                region = region_of(unquote(ref.removeprefix("#"))) if ref.startswith("#/") else None
                found.setdefault(region or "", set()).add(at)
        return {at: frozenset(each) for at, each in found.items()}

    def differing(self, other: Regions) -> frozenset[str] | None:
        """The regions that say, or refer to, something else than in the other document; None if all may.

        A region that only one of both has is among them.
        """
        if self.whole or other.whole or self.shared != other.shared:
            return None
        found = {at for at, text in other.texts.items() if self.texts.get(at) != text}
        found |= self.texts.keys() - other.texts.keys()
        pending = list(found)
        # What is written the same refers to the same on both sides, so one side's references are enough.
        while pending:
            new = self.users.get(pending.pop(), frozenset()) - found
            found |= new
            pending.extend(new)
        return frozenset(found)


def region_of(pointer: str) -> str | None:
    """The region that a place lies in; None for one outside of all."""
    steps = pointer.split("/", 4)
    if len(steps) > 2 and steps[1] == "paths":
        return "/".join(steps[:3])
    if len(steps) > 3 and steps[1] == "components" and steps[2] != _BY_NAME:
        return "/".join(steps[:4])
    return None

"""Base URIs and anchors inside one document: JSON Schema 2020-12 section 8.2, OpenAPI 3.2's ``$self``.

A schema with ``$id`` is a resource of its own: references below it are relative to that id, and anchors belong to it.
Only documents that use these keywords are searched, once.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import unquote, urljoin

from guardian.spec import dialects
from guardian.spec.pointers import escape

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
# Below these keys stands plain data, or a map whose keys are names rather than keywords.
_DATA = frozenset(("example", "examples", "default", "const", "enum", "value"))
_NAMED = frozenset(
    [
        "properties",
        "patternProperties",
        "dependentSchemas",
        "$defs",
        "definitions",
        "schemas",
        "parameters",
        "responses",
        "requestBodies",
        "headers",
        "callbacks",
        "pathItems",
        "mediaTypes",
        "content",
        "paths",
        "webhooks",
        "links",
        "encoding",
        "securitySchemes",
        "additionalOperations",
    ]
)


class Scopes(NamedTuple):
    """What a document says about its own addresses.

    Attributes:
        bases: pointer of each resource (the document itself: ``""``) to its base URI.
        resources: the same, by base URI.
        anchors: (base URI, anchor) to a pointer; ``$anchor`` and ``$dynamicAnchor``.
        dynamic: (pointer of a resource, name) to the pointers of its ``$dynamicAnchor``s of that name, in order.
        anchored: pointers of the resources that have anchors which dynamic references may lead to.
    """

    bases: Mapping[str, str]
    resources: Mapping[str, str]
    anchors: Mapping[tuple[str, str], str]
    dynamic: Mapping[tuple[str, str], tuple[str, ...]]
    anchored: frozenset[str]

    def resource(self, pointer: str) -> str:
        """The pointer of the innermost resource around a place; the document itself is one."""
        while len(self.bases) > 1 and pointer not in self.bases and pointer:
            pointer = pointer.rpartition("/")[0]
        return pointer if pointer in self.bases else ""

    def base(self, pointer: str) -> str:
        """The base URI that holds at a place: that of the innermost resource around it."""
        return self.bases[self.resource(pointer)]

    def anchor(self, base: str, name: str) -> str | None:
        """The pointer of an anchor in a resource; else, where only one resource has it, of that one."""
        exact = self.anchors.get((base, name))
        if exact is not None:
            return exact
        others = [pointer for (_, anchor), pointer in self.anchors.items() if anchor == name]
        return others[0] if len(others) == 1 else None


def has_scheme(uri: str) -> bool:
    """Whether a URI reference is absolute; a path in a tree is not."""
    return _SCHEME.match(uri) is not None


def join(base: str, uri: str) -> str:
    """A URI reference (without fragment) from a base: RFC 3986 section 5; trees' paths are relative bases.

    A path that leaves its tree starts with ``../`` or ``/``.
    """
    if has_scheme(uri):
        return uri
    if has_scheme(base) and "://" in base:  # else it has no folders to start from, or is a file in one called `v1:beta`
        try:
            return urljoin(base, uri)
        except ValueError:  # a malformed URL is no base
            base = ""
    if uri.startswith("//"):
        return f"https:{uri}"
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), unquote(uri)))


def find_scopes(root: Any, address: str, version: str) -> Scopes:
    """Search a document for ``$id``, ``$self``, ``$anchor`` and ``$dynamicAnchor``.

    Args:
        root: its plain data.
        address: where it was read from.
        version: its dialect.
    """
    dialect = dialects.DIALECTS[version]
    bases: dict[str, str] = {"": address}
    resources: dict[str, str] = {}
    anchors: dict[tuple[str, str], str] = {}
    dynamic: dict[tuple[str, str], list[str]] = {}
    recursive: set[str] = set()
    stack: list[tuple[Any, str, str, str, bool]] = [(root, "", "", address, False)]
    while stack:
        value, pointer, resource, base, named = stack.pop()
        if isinstance(value, list):
            stack.extend((child, f"{pointer}/{index}", resource, base, False) for index, child in enumerate(value))
        if not isinstance(value, dict):
            continue
        if not named:
            uri = value.get("$self" if not pointer and dialect.self_uri and "$self" in value else "$id")
            if isinstance(uri, str) and dialect.json_schema:
                uri, _, fragment = uri.partition("#")
                if uri:
                    base, resource = join(base, uri), pointer
                    bases[pointer] = base
                    resources.setdefault(base, pointer)
                elif fragment:  # how drafts before 2019-09 wrote an anchor
                    anchors.setdefault((base, fragment), pointer)
            for keyword in ("$anchor", "$dynamicAnchor"):
                if isinstance(name := value.get(keyword), str):
                    anchors.setdefault((base, name), pointer)
                    if keyword == "$dynamicAnchor":
                        dynamic.setdefault((resource, name), []).append(pointer)
            if value.get("$recursiveAnchor") is True:
                recursive.add(resource)
        stack.extend(
            (child, f"{pointer}/{escape(key)}", resource, base, not named and key in _NAMED)
            for key, child in value.items()
            if (named or key not in _DATA) and isinstance(child, (dict, list))
        )
    return Scopes(
        bases,
        resources,
        anchors,
        {key: tuple(sorted(pointers)) for key, pointers in dynamic.items()},
        frozenset((*recursive, *(resource for resource, _ in dynamic))),
    )

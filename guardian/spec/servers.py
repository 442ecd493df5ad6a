"""Servers of OpenAPI 3.x: where an operation's path starts."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from typing import Any

from guardian.spec.api import Node, Server
from guardian.spec.reading import elements, malformed, members, object_at

#: Where nothing is said, the document's own location is meant: https://spec.openapis.org/oas/v3.1.1#fixed-fields-0
UNSAID = Server(host="", path="", schemes=frozenset(), url="", variables={}, node=None)

_VARIABLE = re.compile(r"\{([^{}]+)\}")
_URL = re.compile(r"(?:([^/?#]*):)?(?://([^/?#]*))?([^?#]*)")


def read_servers(*levels: Node) -> tuple[Server, ...]:
    """The servers of the first level (operation, path item, document) that names any; () if none does.

    Raises:
        ReadError: a server has no URL.
    """
    for level in levels:
        entries = elements(level, "servers")
        if entries:
            return tuple(_server(object_at(entry, "a server")) for entry in entries)
    return ()


def _server(node: Node) -> Server:
    url = node.value.get("url")
    if not isinstance(url, str):
        raise malformed(node, "a server needs a `url`")
    variables: dict[str, Mapping[str, Any]] = {
        name: object_at(entry, f"server variable {name!r}").value for name, entry in members(node, "variables").items()
    }

    def default(match: re.Match[str]) -> str:
        value = variables.get(match[1], {}).get("default")
        return match[0] if value is None else str(value)

    parts = _URL.match(_VARIABLE.sub(default, url.strip()))
    scheme, host, path = parts.groups() if parts else (None, None, "")
    path = posixpath.normpath(f"/{path.lstrip('/')}") if path else ""
    return Server(
        host=(host or "").lower(),
        path=path.rstrip("/"),
        schemes=_schemes(url, scheme, variables),
        url=url,
        variables=variables,
        node=node,
    )


def _schemes(url: str, scheme: str | None, variables: Mapping[str, Mapping[str, Any]]) -> frozenset[str]:
    """The scheme that is written, or all that a variable in its place may stand for."""
    variable = _VARIABLE.match(url.strip())
    if variable and url.strip()[variable.end() :].startswith("://"):
        values = variables.get(variable[1], {}).get("enum")
        if isinstance(values, list) and values:
            return frozenset(str(value).lower() for value in values)
    return frozenset([scheme.lower()]) if scheme else frozenset()

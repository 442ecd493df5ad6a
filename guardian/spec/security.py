"""Security: requirements as alternatives of schemes, and schemes by what a client must send."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from guardian.errors import ReadError
from guardian.lazy import cached_property
from guardian.spec.api import Node, Requirement, SecurityScheme
from guardian.spec.dialects import Dialect
from guardian.spec.reading import elements, malformed, members, object_at, shown
from guardian.spec.swagger import oauth_flows

_DETAIL = ("flows", "openIdConnectUrl", "oauth2MetadataUrl", "bearerFormat", "deprecated")


class Security:
    """The security schemes of one document, and the requirements that name them.

    Args:
        root: the entry document; a requirement in another file names the schemes of this one.
        dialect: what it is written in.
    """

    def __init__(self, root: Node, dialect: Dialect) -> None:
        self._root = root
        self._dialect = dialect
        self._holder = dialect.components["securitySchemes"].split("/")[1:]
        self._known: dict[str, SecurityScheme] = {}
        self._entries: dict[str, Node] | None = None

    def read(self, *levels: Node) -> tuple[Requirement, ...] | None:
        """The alternatives of the first level (operation, document) that says anything; None if none does.

        An empty list says that nothing is needed.

        Raises:
            ReadError: a requirement or the scheme it names is malformed or missing.
        """
        for level in levels:
            if level.value.get("security") is not None:
                return tuple(self._requirement(node) for node in elements(level, "security"))
        return None

    def _requirement(self, node: Node) -> Requirement:
        if not isinstance(node.value, dict):
            raise malformed(node, f"a security requirement must be an object, not {shown(node.value)}")
        schemes = []
        for name, scopes in node.value.items():
            wanted = frozenset(scope for scope in scopes if isinstance(scope, str)) if isinstance(scopes, list) else ()
            schemes.append((self._scheme(name, node), frozenset(wanted)))
        return Requirement(tuple(schemes), node)

    def _scheme(self, name: str, at: Node) -> SecurityScheme:
        scheme = self._known.get(name)
        if scheme is None:
            if self._entries is None:
                holder = self._root
                for key in self._holder[:-1]:
                    holder = object_at(holder.child(key), f"`{key}`") if key in holder.value else holder
                self._entries = members(holder, self._holder[-1])
            entry = self._entries.get(name)
            if entry is None and self._dialect.scheme_uris and is_uri(name):
                # What a relative one means hangs on the file that it stands in.
                return read_scheme(
                    name, object_at(at.document.documents.resolve(name, at), f"security scheme {name!r}")
                )
            if entry is None:
                raise malformed(at, f"there is no security scheme {name!r} in #/{'/'.join(self._holder)}")
            read = read_scheme(name, object_at(entry, f"security scheme {name!r}"))
            scheme = self._known[name] = read._replace(alike=frozenset(self._names[read.identity]))
        return scheme

    @cached_property
    def _names(self) -> Mapping[tuple[str, ...], list[str]]:
        """The names of the schemes that are declared, by identity."""
        found: dict[tuple[str, ...], list[str]] = defaultdict(list)
        for name, entry in (self._entries or {}).items():
            with suppress(ReadError):  # what nothing requires need not be readable
                found[read_scheme(name, object_at(entry, "a security scheme")).identity].append(name)
        return found


def is_uri(name: str) -> bool:
    """Whether a name in a requirement is the URI of a scheme, where no component is called so (OpenAPI 3.2)."""
    return not frozenset("#/:").isdisjoint(name)


def read_scheme(component: str, node: Node) -> SecurityScheme:
    """One scheme. Its identity is what a client must send; where tokens come from is detail.

    Raises:
        ReadError: it lacks what says what to send.
    """
    value = node.value
    kind = value.get("type")
    detail: dict[str, Any] = {key: value[key] for key in _DETAIL if key in value}
    identity: tuple[str, ...]
    if kind == "apiKey":
        where, name = _text(node, "in"), _text(node, "name")
        identity = (kind, where, name.lower() if where == "header" else name)
    elif kind == "http":
        identity = (kind, _text(node, "scheme").lower())
    elif kind == "basic":
        kind = "http"
        identity = (kind, "basic")
    elif isinstance(kind, str):
        identity = (kind,)
        if kind == "oauth2" and "flows" not in value:
            detail["flows"] = oauth_flows(value)
    else:
        raise malformed(node, f"security scheme {component!r} needs a `type`")
    return SecurityScheme(component, kind, identity, detail, node)


def _text(node: Node, key: str) -> str:
    value = node.value.get(key)
    if not isinstance(value, str):
        raise malformed(node, f"a security scheme of type {node.value['type']} needs `{key}`")
    return value

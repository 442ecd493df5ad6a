"""Where an operation is reached: path templates by shape, server URLs by what a client would call.

Names of template variables are erased (``/users/{id}`` is ``/users/{}``): they are not on the wire. A server URL is
the set of URLs that its variables allow (OpenAPI 3.1, Server Variable Object).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice, product
from math import prod
from typing import Any, NamedTuple

from guardian.spec.api import Api, Node, Operation, Server
from guardian.spec.servers import UNSAID

_VARIABLE = re.compile(r"\{([^{}]*)\}")
_BARE_NAME = re.compile(r"\w[\w.$-]*")
_HEADER_IN_EXPRESSION = re.compile(r"\$(?:request|response)\.header\.[\w!#$%&'*+.^`|~-]+")
_PARTS = re.compile(r"(?:([^/?#]*):)?(?://([^/?#]*))?([^?#]*)")
# What may be left out of a URL (RFC 9110, section 4.2).
_PORTS = {"http": ":80", "https": ":443"}
# Of a server whose variables allow more URLs than this, not every combination of values is looked at.
MAX_URLS = 256
# So many values of a variable are always tried.
FEW = 16


@lru_cache(maxsize=4096)  # several operations share a path, and both sides mostly have the same ones
def shape_of(path: str) -> str:
    """A path template with the names of its variables erased."""
    return _VARIABLE.sub("{}", path)


def variables_of(path: str) -> tuple[str, ...]:
    """The names of a template's variables, in order."""
    return tuple(_VARIABLE.findall(path))


@lru_cache(maxsize=4096)
def places_of(path: str) -> Mapping[str, int]:
    """Where a template's variables stand, by name, counted from the end: a base path that moved into the template adds
    variables at its front.

    A parameter may be named without what a template writes around its name: ``{+path}`` and ``{ids*}`` of RFC 6570,
    ``{proxy+}`` and ``{id:int}`` of gateways and frameworks.
    """
    names = variables_of(path)[::-1]
    places = {name: place for place, name in enumerate(names)}
    for place, name in enumerate(names):
        bare = _BARE_NAME.search(name)
        if bare is not None:
            places.setdefault(bare[0], place)
    return places


def same_places(base: str, head: str) -> bool:
    """Whether parameters that are written the same are the same variables of both templates."""
    if base == head:
        return True
    ours, theirs = places_of(base).items(), places_of(head).items()
    return ours <= theirs or theirs <= ours


def expression_of(path: str) -> str:
    """A callback's expression, in which names of headers are without case."""
    return _HEADER_IN_EXPRESSION.sub(lambda match: match[0].lower(), path)


def path_layers(operation: Operation) -> tuple[Node, ...]:
    """The path item of an operation and what it refers to: a key counts where it stands first."""
    node = operation.path_node
    if isinstance(node.value, dict) and "$ref" in node.value:
        return node.document.documents.layers(node)
    return (node,)


def own_servers(operation: Operation) -> Node | None:
    """The server list (or, in 2.0, the schemes) that the operation or its path item has to itself."""
    for node in (operation.node, *path_layers(operation)):
        value = node.value
        if isinstance(value, dict) and ("servers" in value or "schemes" in value):  # as few have
            for key in ("servers", "schemes"):
                if value.get(key):
                    return node.child(key)
    return None


def common_path(api: Api) -> str:
    """Where the paths of operations begin that have no servers to themselves: the path of the first server."""
    return _first_path(api.servers)


def effective_path(operation: Operation, common: str) -> str:
    """The path a client calls: that of the first server, then the operation's, variable names erased.

    A webhook is called at an address of the receiver's: there it is only the webhook's name.

    Args:
        operation: which.
        common: the ``common_path`` of its API.
    """
    if operation.kind != "path":
        return operation.path
    prefix = _first_path(operation.parts.servers) if own_servers(operation) else common
    return prefix + shape_of(operation.path)


def _first_path(servers: tuple[Server, ...]) -> str:
    return next(_urls(servers[0])).path.rstrip("/") if servers else ""


class _Url(NamedTuple):
    scheme: str  # empty where anything may stand
    host: str
    path: str


def unreachable(left: tuple[Server, ...], right: tuple[Server, ...], routes: Iterable[tuple[str, str]]) -> list[Server]:
    """The servers of ``left`` with a URL that no server of ``right`` answers at, ``routes`` as (left, right) paths.

    What a document leaves open (no scheme, no host) agrees with anything.
    """
    pairs = tuple(routes) or (("", ""),)
    known = [_Answers(server) for server in right or (UNSAID,)]
    return [
        server
        for server in left or (UNSAID,)
        if not all(
            any(_answers(url, other, pairs) for each in known for other in each.like(url)) for url in _urls(server)
        )
    ]


class _Answers:
    """The URLs that a server answers at."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._all = None if _counted(server) > MAX_URLS else list(_urls(server))

    def like(self, url: _Url) -> Iterable[_Url]:
        """All of them, or of too many those that have nothing else in them than this one."""
        if self._all is not None:
            return self._all
        text = f"{url.scheme}://{url.host}{url.path}"
        choices = {
            name: [
                each for each in values if each == "{}" or len(values) <= FEW or each.lower().strip("/") in text.lower()
            ]
            for name, values in _choices(self._server).items()
        }
        return (_filled(self._server, values) for values in islice(product(*choices.values()), MAX_URLS))


def _answers(url: _Url, other: _Url, routes: tuple[tuple[str, str], ...]) -> bool:
    if url.scheme and other.scheme and url.scheme != other.scheme:
        return False
    if url.host and other.host and not _matches(other.host, url.host):
        return False
    return all(_matches(other.path.rstrip("/") + b, url.path.rstrip("/") + a) for a, b in routes)


def _matches(template: str, text: str) -> bool:
    """Whether a text is one that the template stands for; ``{}`` stands for anything within a segment."""
    if template == text:
        return True
    if "{}" not in template:
        return False
    return re.fullmatch("[^/]*".join(re.escape(part) for part in template.split("{}")), text) is not None


def _urls(server: Server) -> Iterator[_Url]:
    """The URLs that a server stands for, that of its variables' defaults first; ``{}`` where any text may stand.

    Of too many, those in which one variable has another value than at first.
    """
    choices = list(_choices(server).values())
    if not choices:
        yield from (_url(scheme, server.host, server.path) for scheme in sorted(server.schemes) or [""])
    elif _counted(server) <= MAX_URLS:
        yield from (_filled(server, values) for values in product(*choices))
    else:
        first = tuple(values[0] for values in choices if values)
        yield from (
            _filled(server, (*first[:at], value, *first[at + 1 :]))
            for at, values in enumerate(choices)
            for value in values
        )


def _counted(server: Server) -> int:
    return prod(len(values) for values in _choices(server).values())


def _filled(server: Server, values: tuple[str, ...]) -> _Url:
    """The URL with these values for the variables, in order."""
    given = dict(zip(_choices(server), values, strict=True))
    match = _PARTS.match(_VARIABLE.sub(lambda match: given[match[1]], server.url))
    scheme, host, path = match.groups() if match else (None, None, server.url)
    return _url("" if "{}" in (scheme or "") else scheme or "", host or "", path)


def _url(scheme: str, host: str, path: str) -> _Url:
    scheme, host = scheme.lower(), host.lower()
    if scheme in _PORTS:
        host = host.removesuffix(_PORTS[scheme])
    return _Url(scheme, host, f"/{path.strip('/')}" if path.strip("/") else "")


def _choices(server: Server) -> dict[str, list[str]]:
    """What the variables of a server may stand for, each with its default first."""
    return {name: _values(server.variables.get(name)) for name in variables_of(server.url)}


def _values(variable: Any) -> list[str]:
    if not isinstance(variable, dict):
        return ["{}"]
    default = [str(variable["default"])] if "default" in variable else []
    listed = variable.get("enum")
    rest = [str(value) for value in listed] if isinstance(listed, list) and listed else ["{}"]
    return list(dict.fromkeys([*default, *rest]))

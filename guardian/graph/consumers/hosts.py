"""Hosts of URLs and of servers: written alike, and which of them can only be somebody else's."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from guardian.spec.api import Server

_TEMPLATED = re.compile(r"[{}]")
# Names that documentation and private networks use (RFC 2606, RFC 6762, RFC 8375): they say nothing of whose host it is.
_RESERVED = frozenset(
    {"example", "test", "invalid", "localhost", "local", "internal", "lan", "home", "corp", "svc", "cluster", "docker"}
)
_EXAMPLES = re.compile(r"(?:.*\.)?example\.(?:com|net|org)")


def host_of(url: str) -> str:
    """The host of a URL, with its port unless that is the usual one; empty where the URL has none."""
    try:
        return plain_host(urlsplit(url).netloc.rpartition("@")[2])
    except ValueError:
        return ""


def plain_host(host: str) -> str:
    """A host as hosts are compared: in lower case, without the usual port."""
    return re.sub(r":(?:80|443)?\Z", "", host.lower())


def is_foreign(host: str, servers: Iterable[Server]) -> bool:
    """Whether a public host can hardly be one of a service, all of whose servers are in other public domains."""
    domains = {_domain(plain_host(server.host)) for server in servers}
    theirs = _domain(host)
    return bool(theirs and domains) and None not in domains and theirs not in domains


def _domain(host: str) -> str | None:
    """The domain that a public host is in, by its last two names; ``None`` where nobody can tell whose it is."""
    name = host.partition(":")[0]
    labels = name.rstrip(".").split(".")
    if _TEMPLATED.search(host) or len(labels) < 2 or labels[-1] in _RESERVED or _EXAMPLES.fullmatch(name):
        return None
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return ".".join(labels[-2:])
    return None

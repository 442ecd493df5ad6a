"""Which service answers a URL: by the hosts its servers name, else by being the only one with such a route."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import urlsplit

from guardian.graph.consumers.names import Names
from guardian.graph.consumers.routes import Routes
from guardian.spec.api import Api

_TEMPLATED = re.compile(r"[{}]")


@dataclass(frozen=True, slots=True)
class Answer:
    """A service, and the name of its operation; ``None`` where the service has no such operation."""

    service: str
    operation: str | None


class Endpoints:
    """Finds who answers requests, for sources that know no more of a provider than its URLs or its host.

    Args:
        apis: the Apis by service.
        names: what services are called.
        others: what they are called besides, and which of them that means.
    """

    def __init__(
        self, apis: Mapping[str, Api], names: Names, others: Mapping[str, Sequence[str]] = MappingProxyType({})
    ) -> None:
        self._names = names
        self._others = others
        self._alike = Names(others)
        self._apis = apis
        self._routes = Routes(apis)
        self._hosts: dict[str, list[str]] | None = None

    def find(self, method: str, url: str) -> Answer | None:
        """Who answers a request to a URL, or to a path of which the host is not known; ``None`` if nobody is sure to."""
        host = _host(url)
        candidates = self.by_host(host) if host else []
        if candidates:
            answers = [self.within(service, method, url) for service in candidates]
            known = [answer for answer in answers if answer.operation]
            return known[0] if known else answers[0] if len(answers) == 1 else None
        found = [answer for service in sorted(self._apis) if (answer := self.within(service, method, url)).operation]
        # A route without one literal segment answers anything: that proves nothing about who is called.
        telling = [answer for answer in found if _is_telling(answer.operation or "")]
        return telling[0] if len(telling) == 1 else None

    def within(self, service: str, method: str, target: str) -> Answer:
        """The operation of a known service that answers."""
        for each in self._others.get(service, (service,)):
            operation = self._routes.match(each, method, target)
            if operation is not None:
                return Answer(each, operation.name)
        return Answer(service, None)

    def named(self, name: str) -> str | None:
        """What the service that a name means is called here; that may be another name than its own."""
        return self._names.find(name) or self._alike.find(name)

    def service(self, name: str) -> str | None:
        """The service that a name or host means, as it is called here."""
        hosts = self.by_host(name.lower())
        return self._names.find(name) or (hosts[0] if len(hosts) == 1 else self._alike.find(name))

    def by_host(self, host: str) -> list[str]:
        """The services of which a server has this host; sorted."""
        if self._hosts is None:
            self._hosts = {}
            for service in sorted(self._apis):
                for server in self._apis[service].servers:
                    if server.host and not _TEMPLATED.search(server.host):
                        services = self._hosts.setdefault(server.host.lower(), [])
                        if service not in services:
                            services.append(service)
        return self._hosts.get(host, [])


def _host(url: str) -> str:
    try:
        return urlsplit(url).netloc.rpartition("@")[2].lower()
    except ValueError:
        return ""


def _is_telling(operation: str) -> bool:
    path = operation.rpartition(" ")[2]
    return any(segment and "{" not in segment for segment in path.split("/"))

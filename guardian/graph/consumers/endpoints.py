"""Which service answers a URL: by the hosts its servers name, else by being the only one with such a route."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from types import MappingProxyType

from guardian.graph.consumers.hosts import host_of, is_foreign, plain_host
from guardian.graph.consumers.names import Names
from guardian.graph.consumers.routes import Routes, base_segments, called_segments, literal_segments
from guardian.spec.api import Api, Operation, Server

_TEMPLATED = re.compile(r"[{}]")
# How many services a note names: behind one gateway there may be hundreds.
_SHOWN = 4
# How many calls are remembered with all who may answer them.
_KEPT = 500


@dataclass(frozen=True, slots=True)
class Answer:
    """A service, and the name of its operation; ``None`` where the service has no such operation.

    ``sure`` is false where the request goes to a host of which no specification speaks, and which may be anybody's.
    """

    service: str
    operation: str | None
    sure: bool = True


class Endpoints:
    """Finds who answers requests, for sources that know no more of a provider than its URLs or its host.

    Args:
        apis: the Apis by service.
        names: what services are called.
        others: what they are called besides, and which of them that means.
        before: the Apis of another side, which are asked where none of these has such a route.
    """

    def __init__(
        self,
        apis: Mapping[str, Api],
        names: Names,
        others: Mapping[str, Sequence[str]] = MappingProxyType({}),
        before: Mapping[str, Api] = MappingProxyType({}),
    ) -> None:
        self._asked: dict[tuple[str, str], list[Answer]] = {}
        self._before = Endpoints(before, names, others) if before else None
        self._names = names
        self._others = others
        self._alike = Names(others)
        self._apis = apis
        self._routes = Routes(apis)
        self._hosts: dict[str, list[str]] | None = None
        self._landmarks: dict[str, set[str]] | None = None

    def find(self, method: str, url: str) -> Answer | None:
        """Who answers a request to a URL, or to a path of which the host is not known; ``None`` if nobody is sure to."""
        found = self._candidates(method, url)
        if self._before is not None and not any(answer.operation for answer in found):
            earlier = self._before.find(method, url)
            if earlier is not None and earlier.operation is not None:
                return earlier
        return found[0] if len(found) == 1 else None

    def reason(self, method: str, url: str) -> str:
        """Why nobody is sure to answer a request."""
        found = sorted({answer.service for answer in self._candidates(method, url)})
        if len(found) < 2:
            return "no service answers this URL"
        shown = found if len(found) <= _SHOWN else [*found[:_SHOWN], f"and {len(found) - _SHOWN} more"]
        return f"several services may answer this URL, and their `servers` do not tell which: {', '.join(shown)}"

    def _candidates(self, method: str, url: str) -> list[Answer]:
        # Recordings call the same again and again, and who has no answer asks for the reason, too.
        key = method, re.split(r"[?#]", url, maxsplit=1)[0]
        if key not in self._asked:
            if len(self._asked) >= _KEPT:
                self._asked.clear()
            self._asked[key] = self._ask(*key)
        return self._asked[key]

    def _ask(self, method: str, url: str) -> list[Answer]:
        host = host_of(url)
        services = self.by_host(host) if host else []
        if services:
            return self._at_host(services, host, method, url)
        answers = [
            answer for service in self._possible(url) if (answer := self._within(service, method, url)).operation
        ]
        # A route without one literal segment answers anything: that proves nothing about who is called.
        telling = [answer for answer in answers if _is_telling(answer.operation or "")]
        return [replace(each, sure=not is_foreign(host, self._servers_of(each.service))) for each in telling]

    def _possible(self, url: str) -> list[str]:
        """The services that may have a route for a URL, sorted: those with a path of which the rarest segment is called."""
        if self._landmarks is None:
            self._landmarks = self._surveyed()
        found: set[str] = set()
        for segment in set(called_segments(url)):
            found |= self._landmarks.get(segment, set())
        return sorted(found)

    def _surveyed(self) -> dict[str, set[str]]:
        """For each segment the services with a path of which no other segment is rarer."""
        paths = {
            service: {path for each in self._others.get(service, (service,)) for path in self._routes.literals(each)}
            for service in self._apis
        }
        common = Counter(segment for of_one in paths.values() for segment in frozenset().union(*of_one))
        found: dict[str, set[str]] = {}
        for service, of_one in paths.items():
            for path in of_one:
                found.setdefault(min(path, key=lambda segment: (common[segment], segment)), set()).add(service)
        return found

    def _at_host(self, services: Sequence[str], host: str, method: str, url: str) -> list[Answer]:
        """Who of the services at a host answers: the one with the longest base path that the URL has."""
        found: dict[Answer, tuple[int, int]] = {}
        for service in services:
            bases = {server.path for server in self._servers_of(service) if plain_host(server.host) == host}
            for base, each in product(sorted(bases), self._others.get(service, (service,))):
                operation = self._routes.below(each, method, url, base)
                if operation is not None:
                    answer, rank = (
                        Answer(each, operation.name),
                        (len(base_segments(base)), literal_segments(operation.path)),
                    )
                    found[answer] = max(rank, found.get(answer, rank))
        if found:
            return [answer for answer, rank in found.items() if rank == max(found.values())]
        # Below none of their base paths: a gateway may have another one, which only a route that tells can say.
        answers = [self._within(service, method, url) for service in services]
        known = [answer for answer in answers if answer.operation and _is_telling(answer.operation)]
        return known or ([Answer(services[0], None)] if len(services) == 1 else [])

    def _servers_of(self, service: str) -> Sequence[Server]:
        return self._apis[service].servers if service in self._apis else ()

    def within(self, service: str, method: str, target: str) -> Answer:
        """The operation of a known service that answers."""
        found = self._within(service, method, target)
        if found.operation is None and self._before is not None:
            return self._before.within(service, method, target)
        return found

    def _within(self, service: str, method: str, target: str) -> Answer:
        for each in self._others.get(service, (service,)):
            operation = self._routes.match(each, method, target)
            if operation is not None:
                return Answer(each, operation.name)
        return Answer(service, None)

    def operation(self, answer: Answer) -> Operation | None:
        """The operation that an answer names."""
        if answer.operation is None:
            return None
        found = self._routes.base(answer.service, answer.operation)
        return found or (self._before.operation(answer) if self._before is not None else None)

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
                        services = self._hosts.setdefault(plain_host(server.host), [])
                        if service not in services:
                            services.append(service)
        return self._hosts.get(host, [])


def _is_telling(operation: str) -> bool:
    return literal_segments(operation.rpartition(" ")[2]) > 0

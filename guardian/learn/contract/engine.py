"""The engine as the learning environments use it: plain documents and manifests in, judged changes out.

No file is written and no text parsed: documents are handed to the loader as the plain data that they are. What is
said here is what ``guardian check`` says of the same documents.
"""

from __future__ import annotations

import json
import marshal
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from guardian.graph.blast import Blast, blast
from guardian.graph.consumers.manifest import load_manifest
from guardian.graph.consumers.routes import Routes
from guardian.graph.uses import Consumer, Use
from guardian.lazy import cached_property
from guardian.learn.contract.regions import Regions
from guardian.model import Change, Impact, Location, Severity
from guardian.rules.compare import compare
from guardian.rules.walk import Same
from guardian.spec.api import Api
from guardian.spec.normalise import read_api
from guardian.spec.refs import Documents
from guardian.spec.sameness import Sameness
from guardian.spec.trees import MemoryTree

Json = dict[str, Any]


class Side:
    """One state of a company's specifications.

    Args:
        services: documents by service.
        like: another state; a document that is the same object there is not read again.
        text: whether the documents that are not must exist as text too, for fixes that edit it.
    """

    def __init__(self, services: Mapping[str, Json], *, like: Side | None = None, text: bool = False) -> None:
        self.services = services
        self._like = like
        write = _text if text else _source
        self._files: dict[str, bytes] = {
            file_of(name): like._files[file_of(name)] if self._is_like(name) and like else write(document)
            for name, document in services.items()
        }
        # The source matters where references are scoped by $id, and where fixes edit it.
        self.documents = Documents(
            MemoryTree(self._files), load=lambda data, file: services[file.removesuffix(".json")]
        )
        self._apis: dict[str, Api] = {}

    def _is_like(self, service: str) -> bool:
        return self._like is not None and self._like.services.get(service) is self.services[service]

    def api(self, service: str) -> Api | None:
        """A service's API; None where this side does not have it.

        Raises:
            ReadError: the document is malformed.
        """
        if service not in self.services:
            return None
        if self._like is not None and self._is_like(service):
            return self._like.api(service)
        if service not in self._apis:
            self._apis[service] = read_api(self.documents, file_of(service), service)
        return self._apis[service]

    @cached_property
    def apis(self) -> Mapping[str, Api]:
        """Every service's API, each read when it is asked for."""
        return _Apis(self)


class _Apis(Mapping[str, Api]):
    def __init__(self, side: Side) -> None:
        self._side = side
        self._names = sorted(side.services)

    def __getitem__(self, service: str) -> Api:
        api = self._side.api(service)
        if api is None:
            raise KeyError(service)
        return api

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def file_of(name: str) -> str:
    """The file that stands for a service's document."""
    return f"{name}.json"


def manifest_of(name: str) -> str:
    """The file that stands for a consumer's manifest."""
    return f"consumers/{name}.json"


def _text(document: Json) -> bytes:
    return json.dumps(document, indent=2).encode()


def _source(document: Json) -> bytes:
    """Bytes that stand for a document: equal for the same object alone. A trace of ``$id`` makes the loader look."""
    scoped = b"$id" in marshal.dumps(document, 2)
    return b"%d $id $dynamicRef" % id(document) if scoped else b"%d" % id(document)


class Ground:
    """What every tried version of a company is held against, read once: its specifications and consumers as deployed.

    Args:
        services: documents by service.
        manifests: by consumer.
    """

    def __init__(self, services: Mapping[str, Json], manifests: Mapping[str, Json] | None = None) -> None:
        self.services = services
        self.manifests = manifests or {}
        self.side = Side(services)
        self._regions: dict[str, Regions] = {}

    def regions(self, service: str) -> Regions:
        """A service's document taken apart."""
        if service not in self._regions:
            self._regions[service] = Regions(self.services[service])
        return self._regions[service]

    @cached_property
    def consumers(self) -> tuple[Consumer, ...]:
        """The consumers by name."""
        return read_consumers(self.manifests)

    @cached_property
    def declarations(self) -> dict[str, bytes]:
        """The manifests as text, by file."""
        return {manifest_of(name): _text(data) for name, data in self.manifests.items()}

    @cached_property
    def _uses(self) -> dict[tuple[str, str], list[Use]]:
        """Every use by service and operation, under the name that the service gives it; empty where it has none."""
        routes = Routes(self.side.apis)
        found: dict[tuple[str, str], list[Use]] = {}
        for use in (use for consumer in self.consumers for use in consumer.uses):
            known = routes.base(use.service, use.operation) if use.operation is not None else None
            found.setdefault((use.service, known.name if known else ""), []).append(use)
        return found

    def concerned(self, service: str, operations: Iterable[str]) -> tuple[Consumer, ...]:
        """The consumers that a change of these operations may reach, with the uses by which it may."""
        routes = Routes(self.side.apis)
        found: dict[int, Use] = {}
        pending = [(service, name) for name in ("", *operations)]
        seen = set(pending)
        while pending:
            for use in self._uses.get(pending.pop(), ()):
                found[id(use)] = use
                for each in use.exposes:
                    own = each.service or use.consumer
                    onward = {(own, ""), (own, routes.key(own, each.operation))} - seen
                    seen |= onward
                    pending.extend(onward)
        several = ((each, tuple(use for use in each.uses if id(use) in found)) for each in self.consumers)
        return tuple(replace(consumer, uses=uses) for consumer, uses in several if uses)


class Comparison:
    """Both states of some services, and what happened between them.

    Args:
        base: documents by service.
        head: the same, changed; a service that is the same object is not compared.
        manifests: by consumer; ``head_manifests`` where they changed too.
        ground: what ``base`` and ``manifests`` say, where that is read already.
        head_side: head's side, where it is read already.
        same: says that two places mean the same; found out anew where not given.
        known: the same changes without witnesses, traced, where that has been done.
    """

    proved = True

    def __init__(
        self,
        base: Mapping[str, Json],
        head: Mapping[str, Json],
        manifests: Mapping[str, Json] | None = None,
        head_manifests: Mapping[str, Json] | None = None,
        *,
        ground: Ground | None = None,
        head_side: Side | None = None,
        same: Same | None = None,
        known: Sequence[Change] = (),
    ) -> None:
        self._ground = ground or Ground(base, manifests)
        self.base = self._ground.side
        self.head = head_side or Side(head, like=self.base)
        self._head_manifests = head_manifests
        self._same = same
        self._known = known

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """Every change of every service."""
        found: list[Change] = []
        for service in sorted(self.base.services.keys() | self.head.services.keys()):
            if self.base.services.get(service) is self.head.services.get(service):
                continue
            same = self._same or Sameness(self.base.documents, self.head.documents).same
            found += compare(self.base.api(service), self.head.api(service), same=same)
        return tuple(found)

    @cached_property
    def breaking(self) -> tuple[Change, ...]:
        """Those that the contract calls breaking."""
        return tuple(change for change in self.changes if change.severity is Severity.BREAKING)

    @cached_property
    def warnings(self) -> tuple[Change, ...]:
        return tuple(change for change in self.changes if change.severity is Severity.WARNING)

    @property
    def consumers(self) -> tuple[Consumer, ...]:
        return self._ground.consumers

    @cached_property
    def blast(self) -> Blast:
        """All changes with the consumers they hit, and what else came of tracing."""
        routes = Routes(self.base.apis, self.head.apis)
        head = None if self._head_manifests is None else read_consumers(self._head_manifests)
        return blast(self.changes, routes, self.consumers, head)

    @cached_property
    def traced(self) -> tuple[Change, ...]:
        """All changes with the consumers they hit."""
        if [*map(_identity, self._known)] != [*map(_identity, self.changes)]:
            return self.blast.changes
        # A witness makes a change surer and no other change: whom it hits is known.
        pairs = zip(self.changes, self._known, strict=True)
        return tuple(change._replace(consumers=known.consumers) for change, known in pairs)

    def hit(self, impact: Impact) -> frozenset[str]:
        """The consumers that any change hits with this impact."""
        return frozenset(each.consumer for change in self.traced for each in change.consumers if each.impact is impact)


def _identity(change: Change) -> tuple[str, Location | None, Location | None]:
    """What a change is, whatever a witness has to say of it."""
    return change.fingerprint, change.base, change.head


def read_consumers(manifests: Mapping[str, Json]) -> tuple[Consumer, ...]:
    """Manifests as the graph reads them.

    Raises:
        ReadError: a manifest says what it cannot mean.
    """
    return tuple(
        load_manifest(data, manifest_of(name), lambda pointer: None) for name, data in sorted(manifests.items())
    )


def places(changes: Iterable[Change]) -> tuple[str, ...]:
    """Where changes are, as agents name it: the operation, a dot and the field, or the operation alone."""
    return tuple(sorted({place_of(change) for change in changes}))


def place_of(change: Change) -> str:
    """One change's place."""
    return f"{change.operation}.{change.field}" if change.field and change.field != "$" else change.operation

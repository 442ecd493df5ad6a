"""The engine as the learning environments use it: plain documents and manifests in, judged changes out.

No file is written and no text parsed: documents are handed to the loader as the plain data that they are. What is
said here is what ``guardian check`` says of the same documents.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from guardian.graph.blast import Blast, blast
from guardian.graph.consumers.manifest import load_manifest
from guardian.graph.consumers.routes import Routes
from guardian.graph.uses import Consumer
from guardian.model import Change, Impact, Severity
from guardian.rules.compare import Options, compare
from guardian.spec.api import Api
from guardian.spec.normalise import read_api
from guardian.spec.refs import Documents
from guardian.spec.sameness import Sameness
from guardian.spec.sources import MemoryTree

Json = dict[str, Any]


class Side:
    """One state of a company's specifications.

    Args:
        services: documents by service.
        text: whether the documents must exist as text too, for fixes that edit it.
    """

    def __init__(self, services: Mapping[str, Json], *, text: bool = False) -> None:
        self.services = services
        if text:
            written = {file_of(name): json.dumps(document, indent=2).encode() for name, document in services.items()}
            self.documents = Documents(MemoryTree(written))
            self._apis: dict[str, Api] = {}
            return
        # The source matters where references are scoped by $id, which generated documents do not have.
        tree = MemoryTree({file_of(name): _source(document) for name, document in services.items()})
        self.documents = Documents(tree, load=lambda data, file: services[file.removesuffix(".json")])
        self._apis = {}

    def api(self, service: str) -> Api | None:
        """A service's API; None where this side does not have it.

        Raises:
            ReadError: the document is malformed.
        """
        if service not in self.services:
            return None
        if service not in self._apis:
            self._apis[service] = read_api(self.documents, file_of(service), service)
        return self._apis[service]

    @property
    def apis(self) -> dict[str, Api]:
        """Every service's API."""
        return {name: api for name in sorted(self.services) if (api := self.api(name)) is not None}


def file_of(name: str) -> str:
    """The file that stands for a service's document."""
    return f"{name}.json"


def manifest_of(name: str) -> str:
    """The file that stands for a consumer's manifest."""
    return f"consumers/{name}.json"


def _source(document: Json) -> bytes:
    """Bytes that stand for a document: equal for the same object alone. A trace of ``$id`` makes the loader look."""
    return b"%d $id $dynamicRef" % id(document) if "$id" in str(document) else b"%d" % id(document)


class Comparison:
    """Both states of some services, and what happened between them.

    Args:
        base: documents by service.
        head: the same, changed; a service that is the same object is not compared.
        manifests: by consumer; ``head_manifests`` where they changed too.
        known, head_side: base's and head's sides, where they are loaded already.
        prove: whether witnesses are sought, as the gate does; without them a few undecided changes stay undecided.
    """

    def __init__(
        self,
        base: Mapping[str, Json],
        head: Mapping[str, Json],
        manifests: Mapping[str, Json] | None = None,
        head_manifests: Mapping[str, Json] | None = None,
        *,
        known: Side | None = None,
        head_side: Side | None = None,
        prove: bool = True,
    ) -> None:
        self.base = known or Side(base)
        self.head = head_side or Side(head)
        self._manifests = manifests or {}
        self._head_manifests = head_manifests
        self._options = Options(prove=prove)
        self.proved = prove

    @cached_property
    def changes(self) -> tuple[Change, ...]:
        """Every change of every service."""
        found: list[Change] = []
        for service in sorted(self.base.services.keys() | self.head.services.keys()):
            if self.base.services.get(service) is self.head.services.get(service):
                continue
            sameness = Sameness(self.base.documents, self.head.documents)
            found += compare(self.base.api(service), self.head.api(service), same=sameness.same, options=self._options)
        return tuple(found)

    @cached_property
    def breaking(self) -> tuple[Change, ...]:
        """Those that the contract calls breaking."""
        return tuple(change for change in self.changes if change.severity is Severity.BREAKING)

    @cached_property
    def warnings(self) -> tuple[Change, ...]:
        return tuple(change for change in self.changes if change.severity is Severity.WARNING)

    @cached_property
    def consumers(self) -> tuple[Consumer, ...]:
        return read_consumers(self._manifests)

    @cached_property
    def blast(self) -> Blast:
        """All changes with the consumers they hit."""
        routes = Routes(self.base.apis, self.head.apis)
        head = None if self._head_manifests is None else read_consumers(self._head_manifests)
        return blast(self.changes, routes, self.consumers, head)

    def hit(self, impact: Impact) -> frozenset[str]:
        """The consumers that any change hits with this impact."""
        return frozenset(
            each.consumer for change in self.blast.changes for each in change.consumers if each.impact is impact
        )


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

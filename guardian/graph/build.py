"""The dependency graph: services, operations, fields and consumers, and who depends on what.

A networkx graph whose edges all point the way a break travels: from a service to its operations (``provides``), to the
fields that anybody uses (``holds``), to the consumers that read or send them, and from a field to the field that it is
passed on as (``exposes``). So whatever can be reached from a node is what a change of it might hit.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from guardian import fieldpath
from guardian.fieldpath import Path
from guardian.graph.lineage import provider
from guardian.graph.uses import Consumer, Exposure, Use

if TYPE_CHECKING:
    import networkx

    from guardian.graph.consumers.routes import Routes

    Graph = networkx.DiGraph[tuple[str, ...]]

Node = tuple[str, ...]
"""("service", name), ("operation", service, name), ("field", service, operation, side, path), ("consumer", name)."""


def service_node(service: str) -> Node:
    return ("service", service)


def operation_node(service: str, key: str) -> Node:
    return ("operation", service, key)


def field_node(service: str, key: str, side: str, path: Path) -> Node:
    """A field that is used; ``side`` is ``reads`` or ``sends``."""
    return ("field", service, key, side, str(path))


def consumer_node(name: str) -> Node:
    return ("consumer", name)


def build(routes: Routes, consumers: Iterable[Consumer], services: Collection[str] | None = None) -> Graph:
    """The graph of what these consumers use.

    Nodes have a ``kind``, edges too. An edge of kind ``uses``, from an operation (or a service, where no more is known)
    to a consumer, carries all ``uses``; one of kind ``exposes`` carries ``links``, pairs of consumer and exposure.

    Args:
        routes: finds operations; its services are in the graph even where nobody uses them.
        consumers: each name once.
        services: only the uses of these; left out for all. What is not in the graph need not be read.
    """
    import networkx

    graph: Graph = networkx.DiGraph()
    for service in routes.services:
        graph.add_node(service_node(service), kind="service")
    for consumer in consumers:
        graph.add_node(
            consumer_node(consumer.name),
            kind="consumer",
            owner=consumer.owner,
            contact=consumer.contact,
            strict=consumer.strict,
        )
        for use in consumer.telling():
            if services is None or use.service in services:
                _add_use(graph, routes, use)
    return graph


def within_reach(services: Iterable[str], consumers: Iterable[Consumer]) -> set[str]:
    """The services that a change of these can travel to by lineage, themselves among them."""
    onward: dict[str, set[str]] = {}
    for consumer in consumers:
        for use in consumer.uses:
            if use.exposes:
                onward.setdefault(use.service, set()).update(provider(use, each) for each in use.exposes)
    found = set(services)
    pending = sorted(found)
    while pending:
        new = onward.get(pending.pop(), set()) - found
        found |= new
        pending.extend(sorted(new))
    return found


def _add_use(graph: Graph, routes: Routes, use: Use) -> None:
    service, consumer = service_node(use.service), consumer_node(use.consumer)
    graph.add_node(service, kind="service")
    if use.operation is None:
        _append(graph, service, consumer, "uses", "uses", use)
        return
    key = _add_operation(graph, routes, use.service, use.operation)
    operation = operation_node(use.service, key)
    _append(graph, operation, consumer, "uses", "uses", use)
    for side, fields in (("reads", use.reads), ("sends", use.sends)):
        for field in fields or ():
            node = _add_field(graph, use.service, key, side, field.path)
            graph.add_edge(node, consumer, kind=side)
    for exposure in use.exposes:
        source = _add_field(graph, use.service, key, "reads", exposure.path)
        graph.add_edge(source, consumer, kind="reads")
        service_of = provider(use, exposure)
        graph.add_node(service_node(service_of), kind="service")
        own = _add_operation(graph, routes, service_of, exposure.operation)
        target = _add_field(graph, service_of, own, "reads", exposure.field)
        _append(graph, source, target, "exposes", "links", (use.consumer, exposure))


def _add_operation(graph: Graph, routes: Routes, service: str, operation: str) -> str:
    key = routes.key(service, operation)
    node = operation_node(service, key)
    if node not in graph:
        graph.add_node(node, kind="operation")
        graph.add_edge(service_node(service), node, kind="provides")
    return key


def _add_field(graph: Graph, service: str, key: str, side: str, path: Path) -> Node:
    node = field_node(service, key, side, path)
    if node not in graph:
        graph.add_node(node, kind="field", path=path)
        graph.add_edge(operation_node(service, key), node, kind="holds")
    return node


def _append(graph: Graph, source: Node, target: Node, kind: str, attribute: str, value: Any) -> None:
    if graph.has_edge(source, target):
        graph.edges[source, target][attribute].append(value)
    else:
        graph.add_edge(source, target, kind=kind, **{attribute: [value]})


def users(graph: Graph, service: str, key: str) -> Iterator[tuple[str, list[Use]]]:
    """The consumers of an operation by name, with all their uses of it; sorted.

    Those of whom no more is known than that they use the service are among them.
    """
    found: dict[str, list[Use]] = {}
    for node in (operation_node(service, key), service_node(service)):
        for target in graph.successors(node) if node in graph else ():
            edge = graph.edges[node, target]
            if edge["kind"] == "uses":
                found.setdefault(target[1], []).extend(edge["uses"])
    yield from sorted(found.items())


def operations(graph: Graph, service: str) -> list[str]:
    """The operations of a service that anybody uses; sorted."""
    node = service_node(service)
    return sorted(each[2] for each in (graph.successors(node) if node in graph else ()) if each[0] == "operation")


def exposures(graph: Graph, service: str, key: str) -> Iterator[tuple[str, Exposure, Node]]:
    """Where the fields of an operation are passed on: (consumer, exposure, the field node it becomes); sorted."""
    node = operation_node(service, key)
    fields = [each for each in (graph.successors(node) if node in graph else ()) if each[0] == "field"]
    for source in sorted(fields):
        for target in sorted(graph.successors(source)):
            edge = graph.edges[source, target]
            if edge["kind"] == "exposes":
                yield from ((consumer, exposure, target) for consumer, exposure in edge["links"])


def remainder(changed: Path, exposure: Exposure) -> Path:
    """What a changed field is called where it is passed on: a part of what is exposed stays that part."""
    if fieldpath.within(changed, exposure.path) and not changed.place:
        return exposure.field.below(*changed.steps[len(exposure.path.steps) :])
    return exposure.field

"""The other paths to a changed place: a finding is told once for a message, by its shortest path, and holds for all.

A component that a message uses twice, and a schema that contains itself, are one place with many field paths. Here a
path is walked through the schemas of both sides; wherever it comes by the very nodes that a finding is about, the
finding concerns it, whatever path it is told by.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from guardian import fieldpath
from guardian.fieldpath import Path, Step, Wild
from guardian.graph.consumers.routes import Routes
from guardian.model import Change, Location
from guardian.spec.api import MediaType, Operation, Response, Schema
from guardian.spec.media import plain_type
from guardian.spec.shape import Shape
from guardian.spec.shaper import Shaper

_RESPONSE = re.compile(r"response (\S+)(?: (?!header )(.+))?")
_REQUEST = re.compile(r"request body(?: (.+))?")

# How many places below what is read are looked through; past that, the finding's own path has to do.
_BUDGET = 2_000


@dataclass(frozen=True, slots=True)
class _Stop:
    """One place on a walk: the path to it, its schemas on both sides, and the nodes that these consist of."""

    path: Path
    base: tuple[Schema, ...]
    head: tuple[Schema, ...]
    base_nodes: frozenset[Location]
    head_nodes: frozenset[Location]


_Owner = tuple[_Stop, tuple[Step, ...]]


class Aliases:
    """Finds the paths by which what a consumer uses comes by a change."""

    def __init__(self, routes: Routes) -> None:
        self._routes = routes
        self._shapers: dict[tuple[str, bool], Shaper] = {}
        self._walks: dict[tuple[str, str, str, Path, bool], tuple[_Stop, ...]] = {}
        self._owners: dict[object, _Owner | None] = {}

    def of(self, change: Change, path: Path, *, whole: bool = True) -> list[Path]:
        """The paths of the changed field that share their beginning with ``path``, or (``whole``) lie below it.

        Empty where the schemas do not say, as for parameters.
        """
        if path.place or fieldpath.parse(change.field).place:
            return []
        owner = self._owner(change)
        if owner is None:
            return []
        stop, rest = owner
        return [
            each.path.below(*rest)
            for each in self._walk(change, path, whole)
            if stop.base_nodes <= each.base_nodes and stop.head_nodes <= each.head_nodes
        ]

    def shared(self, change: Change, places: Iterable[str]) -> bool | None:
        """Whether the changed place is part of what is at other places too; ``None`` if it is in no schema."""
        owner = self._owner(change)
        if owner is None:
            return None
        stop, _ = owner
        for place in places:
            stops = self._walk(change._replace(place=place), Path(), True)
            if len(stops) >= _BUDGET:
                return True
            if any(stop.base_nodes <= each.base_nodes and stop.head_nodes <= each.head_nodes for each in stops):
                return True
        return False

    def around(self, change: Change) -> tuple[frozenset[Location], frozenset[Location]]:
        """The nodes on both sides that describe the object which a changed field is in, all of its variants'."""
        path = fieldpath.parse(change.field).parent
        stops = self._walk(change, path, False)
        reached = len(stops) == len(path.steps) + 1
        return (stops[-1].base_nodes, stops[-1].head_nodes) if reached else (frozenset(), frozenset())

    def declares(self, change: Change, path: Path) -> bool:
        """Whether base's schema of the changed message declares the last name of this path as a property."""
        stops = self._walk(change, path.parent, False)
        if len(stops) < len(path.steps):
            return False
        shapes = self._shapes(change, stops[-1].base, head=False)
        return any(path.steps[-1] in atom.properties for shape in shapes for atom in shape.atoms)

    def required(self, change: Change, path: Path) -> bool | None:
        """Whether a sender of the changed message must always send this field; ``None`` where that is not known."""
        if path.place or not path.steps:
            return None
        stops = self._walk(change, path, False)
        if len(stops) <= len(path.steps):
            return None
        shaper = self._shaper(change.service, head=False)
        for stop, step in zip(stops, path.steps, strict=False):
            atoms = [
                atom
                for schema in stop.base
                for atom in shaper.shape(schema, change.direction).of_kind("array" if step is Wild.ITEM else "object")
            ]
            if not atoms or not all(isinstance(step, str) and step in atom.required for atom in atoms):
                return False
        return True

    def _owner(self, change: Change) -> _Owner | None:
        """The place that a change is written at, reduced to the nodes it is about, and the steps from there."""
        key = (change.service, change.operation, change.place, change.field, change.base, change.head)
        if key not in self._owners:
            self._owners[key] = self._find_owner(change)
        return self._owners[key]

    def _find_owner(self, change: Change) -> _Owner | None:
        told = fieldpath.parse(change.field)
        best: tuple[tuple[bool, int], _Owner] | None = None
        for depth, stop in enumerate(self._walk(change, told, False)):
            base = _nearest(change.base, stop.base_nodes)
            head = _nearest(change.head, stop.head_nodes)
            known = base or head
            if known is None:
                continue
            # Nodes of both sides name the place better than one, and the innermost node names it best.
            rank = (base is not None and head is not None, len(known.pointer))
            if best is None or rank >= best[0]:
                nodes = (frozenset([base] if base else []), frozenset([head] if head else []))
                best = rank, (replace(stop, base_nodes=nodes[0], head_nodes=nodes[1]), told.steps[depth:])
        return best[1] if best else None

    def _walk(self, change: Change, path: Path, whole: bool) -> tuple[_Stop, ...]:
        key = (change.service, change.operation, change.place, path, whole)
        found = self._walks.get(key)
        if found is None:
            found = self._walks[key] = tuple(self._stops(change, path, whole))
        return found

    def _stops(self, change: Change, path: Path, whole: bool) -> Iterator[_Stop]:
        base = _messages(self._routes.base(change.service, change.operation), change.place)
        head = _messages(self._routes.head(change.service, change.operation), change.place)
        stop = self._stop(change, Path(), base, head)
        yield stop
        for step in path.steps:
            stop = self._next(change, stop, step)
            if not stop.base and not stop.head:
                return
            yield stop
        if whole:
            yield from self._below(change, stop)

    def _below(self, change: Change, start: _Stop) -> Iterator[_Stop]:
        seen = {tuple(schema.key for schema in start.base)}
        pending = deque([start])
        while pending and len(seen) < _BUDGET:
            stop = pending.popleft()
            for step in self._steps(change, stop):
                below = self._next(change, stop, step)
                key = tuple(schema.key for schema in below.base)
                if below.base and key not in seen:
                    seen.add(key)
                    pending.append(below)
                    yield below

    def _steps(self, change: Change, stop: _Stop) -> Iterator[Step]:
        found: dict[Step, None] = {}
        for shape in self._shapes(change, stop.base, head=False):
            for atom in shape.atoms:
                if atom.kind == "array":
                    found[Wild.ITEM] = None
                elif atom.kind == "object":
                    found.update(dict.fromkeys(atom.properties))
                    found[Wild.VALUE] = None
        yield from found

    def _next(self, change: Change, stop: _Stop, step: Step) -> _Stop:
        base = _children(self._shapes(change, stop.base, head=False), step)
        head = _children(self._shapes(change, stop.head, head=True), step)
        return self._stop(change, stop.path.below(step), base, head)

    def _stop(self, change: Change, path: Path, base: tuple[Schema, ...], head: tuple[Schema, ...]) -> _Stop:
        nodes = [
            frozenset(
                [node.location for schema in side for node in schema.nodes]
                + [node.location for shape in shapes for atom in shape.atoms for node in atom.nodes]
            )
            for side, shapes in (
                (base, self._shapes(change, base, head=False)),
                (head, self._shapes(change, head, head=True)),
            )
        ]
        return _Stop(path, base, head, *nodes)

    def _shapes(self, change: Change, schemas: Iterable[Schema], *, head: bool) -> list[Shape]:
        shaper = self._shaper(change.service, head=head)
        return [shaper.shape(schema, change.direction) for schema in schemas]

    def _shaper(self, service: str, *, head: bool) -> Shaper:
        return self._shapers.setdefault((service, head), Shaper())


def status_of(place: str) -> str | None:
    """The status that a place in a response belongs to."""
    found = re.match(r"response (\S+)", place)
    return found[1] if found else None


def response_for(operation: Operation, status: str) -> Response | None:
    """The response that answers with a status: itself, its range, or ``default``."""
    responses = operation.parts.responses
    return responses.get(status) or responses.get(f"{status[:1]}XX") or responses.get("default")


def content_of(operation: Operation, status: str | None) -> tuple[MediaType, ...]:
    """The representations of what answers with a status; of the request where there is none."""
    message = operation.parts.body if status is None else response_for(operation, status)
    return message.content if message is not None else ()


def _messages(operation: Operation | None, place: str) -> tuple[Schema, ...]:
    """The schemas of the message that a place is in."""
    if operation is None:
        return ()
    request, response = _REQUEST.fullmatch(place), _RESPONSE.fullmatch(place)
    content: tuple[MediaType, ...] = ()
    label = ""
    if request:
        content, label = content_of(operation, None), request[1] or ""
    elif response:
        content, label = content_of(operation, response[1]), response[2] or ""
    name = plain_type(label)
    wanted = [media for media in content if media.name == name] or content
    return tuple(media.schema for media in wanted if media.schema is not None)


def _children(shapes: Iterable[Shape], step: Step) -> tuple[Schema, ...]:
    found: dict[object, Schema] = {}
    for shape in shapes:
        for atom in shape.atoms:
            below: list[Schema] = []
            if step is Wild.ITEM and atom.kind == "array":
                below = [*atom.prefix, atom.items]
            elif atom.kind == "object" and step is not Wild.ITEM:
                if isinstance(step, str) and step in atom.properties:
                    below = [atom.properties[step]]
                else:
                    below = [*atom.pattern_properties.values(), *([atom.additional] if atom.additional else [])]
            found.update((schema.key, schema) for schema in below if schema.nodes)
    return tuple(found.values())


def _nearest(place: Location | None, nodes: Iterable[Location]) -> Location | None:
    """The node that a place is at or directly inside of: the longest pointer that leads towards it."""
    if place is None or not place.pointer:  # the whole document: what a side lacks
        return None
    above = [
        node
        for node in nodes
        if node.file == place.file and (place.pointer == node.pointer or place.pointer.startswith(f"{node.pointer}/"))
    ]
    return max(above, key=lambda node: len(node.pointer), default=None)

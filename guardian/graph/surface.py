"""What an operation offers: every field that can be read of it or sent to it, as manifests would write it.

Read sides and sent sides are the consumer's: a webhook's receiver reads the request body. Recursive schemas are walked
once round. Where schemas leave open what a message holds, so does the answer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from guardian import fieldpath
from guardian.fieldpath import ROOT, Path, Step, Wild
from guardian.graph.aliases import response_for
from guardian.model import Direction, Location
from guardian.spec.api import MediaType, Operation, Schema
from guardian.spec.shape import ANYTHING, Shape
from guardian.spec.shaper import Shaper

#: Fields of one side of one operation that are walked; what lies deeper than that is not told apart.
BUDGET = 5_000

READS, SENDS = "reads", "sends"

# Headers that a specification describes elsewhere than among its parameters (OpenAPI 3.1, Parameter Object, `name`).
_NEGOTIATED = frozenset({"accept", "content-type", "authorization"})


@dataclass(frozen=True, slots=True)
class Part:
    """One field of a message or one parameter.

    Attributes:
        side: ``reads`` or ``sends``.
        values: the values of its enum as JSON text, where it has one.
        sunset: what ``x-sunset`` says, as it is written.
    """

    path: Path
    side: str
    place: Location
    values: tuple[str, ...] = ()
    deprecated: bool = False
    sunset: object = None


@dataclass(slots=True)
class Surface:
    """Reads the surfaces of one side's operations, each when it is asked for."""

    _shaper: Shaper = field(default_factory=Shaper)
    _parts: dict[int, tuple[Part, ...]] = field(default_factory=dict)

    def parts(self, operation: Operation) -> tuple[Part, ...]:
        """All fields and parameters of an operation; those nearest to the root first.

        Raises:
            RefError: a reference in it leads nowhere.
        """
        found = self._parts.get(id(operation))
        if found is None:
            read = self._walk(_schemas(operation, READS), READS)
            sent = self._walk(_schemas(operation, SENDS), SENDS)
            found = self._parts[id(operation)] = (*read, *_parameters(operation), *sent)
        return found

    def has(self, operation: Operation, side: str, path: Path) -> bool | None:
        """Whether the specification declares a field; ``None`` where it leaves that open.

        Raises:
            RefError: a reference in it leads nowhere.
        """
        if path.place:
            return _has_parameter(operation, side, path)
        schemas = _schemas(operation, side)
        if not schemas:
            return None if path == ROOT else _open(operation, side)
        for step in path.steps:
            shapes = [self._shape(each, side) for each in schemas]
            below = _children(shapes, step)
            if not below:
                return None if any(_is_open(shape) for shape in shapes) else False
            schemas = below
        return True

    def _shape(self, schema: Schema, side: str) -> Shape:
        return self._shaper.shape(schema, Direction.RESPONSE if side == READS else Direction.REQUEST)

    def _walk(self, roots: list[Schema], side: str) -> Iterator[Part]:
        pending: deque[tuple[Path, list[Schema], frozenset[object]]] = deque([(ROOT, roots, frozenset())])
        count = 0
        while pending and count < BUDGET:
            path, schemas, above = pending.popleft()
            shapes = [self._shape(each, side) for each in schemas]
            if path != ROOT:
                count += 1
                yield _part(path, side, schemas, shapes)
            keys = frozenset(schema.key for schema in schemas)
            if keys and keys <= above:  # a schema that contains itself
                continue
            for step in _steps(shapes):
                pending.append((path.below(step), _children(shapes, step), above | keys))


def _part(path: Path, side: str, schemas: list[Schema], shapes: list[Shape]) -> Part:
    nodes = [schema.node for schema in schemas if schema.node is not None]
    atoms = [atom for shape in shapes for atom in shape.atoms if atom.kind != "null"]
    listed = atoms and all(atom.enum is not None and not atom.extensible for atom in atoms)
    values = dict.fromkeys(text for atom in atoms for text in atom.enum or ()) if listed else {}
    said = [shape.said for shape in shapes]
    sunsets = [each["x-sunset"].value for each in said if "x-sunset" in each]
    return Part(
        path,
        side,
        nodes[0].location if nodes else Location(""),
        tuple(values),
        bool(said) and all("deprecated" in each and each["deprecated"].value is True for each in said),
        sunsets[0] if sunsets else None,
    )


def _parameters(operation: Operation) -> Iterator[Part]:
    """What is sent beside the body. Path variables are no choice of the caller's, so they are no parts of their own."""
    for each in operation.parts.parameters:
        if each.location == "path":
            continue
        sunset = each.node.value.get("x-sunset") if isinstance(each.node.value, Mapping) else None
        side = READS if operation.inverted else SENDS
        yield Part(Path((each.name,), each.location), side, each.node.location, (), each.deprecated, sunset)


def _has_parameter(operation: Operation, side: str, path: Path) -> bool | None:
    if path.place == "scope":
        return None
    name = str(path.steps[0])
    if path.place == "header" and name.lower() in _NEGOTIATED:
        return None
    if (side == SENDS) is operation.inverted:
        return None  # headers of a response: intermediaries add what nobody declares
    for each in operation.parts.parameters:
        if each.location != path.place:
            continue
        mine, theirs = (each.name.lower(), name.lower()) if path.place == "header" else (each.name, name)
        # Objects and arrays in a query are sent in pieces: `filter[status]`, `filter.status`, or under any name.
        if mine == theirs or theirs.startswith((f"{mine}[", f"{mine}.")):
            return True
        if each.schema is not None and each.explode and each.style == "form" and _may_be_object(each.schema):
            return None
    if path.place == "path":
        return None  # the names of path variables do not matter
    secrets = {scheme.field for need in operation.parts.security or () for scheme, _ in need.schemes}
    return fieldpath.write(path).lower() in {(each or "").lower() for each in secrets}


def _may_be_object(schema: Schema) -> bool:
    return "object" in Shaper().shape(schema, Direction.REQUEST).kinds


def _schemas(operation: Operation, side: str) -> list[Schema]:
    """The bodies that a consumer reads or sends: of success, and in no more than one error's place."""
    content: list[MediaType] = []
    if (side == READS) is operation.inverted:
        content = list(operation.parts.body.content) if operation.parts.body else []
    else:
        for status, response in operation.parts.responses.items():
            if status[:1] in {"1", "2", "3"}:
                content.extend(response.content)
        fallback = response_for(operation, "200")
        if not content and fallback is not None and fallback.status == "default":
            content.extend(fallback.content)
    found: dict[object, Schema] = {}
    for media in content:
        schema = media.schema or media.item_schema
        if schema is not None:
            found[schema.key] = schema
    return list(found.values())


def _open(operation: Operation, side: str) -> bool | None:
    """Without any schema: open if there is a body of which no more is said, else there is no such field."""
    if (side == READS) is operation.inverted:
        return None if operation.parts.body is not None else False
    return None if any(each.content for each in operation.parts.responses.values()) else False


def _steps(shapes: Iterable[Shape]) -> Iterator[Step]:
    found: dict[Step, None] = {}
    for shape in shapes:
        for atom in shape.atoms:
            if atom.kind == "array" and (atom.items.nodes or atom.prefix):
                found[Wild.ITEM] = None
            elif atom.kind == "object":
                found.update(dict.fromkeys(atom.properties))
                if atom.pattern_properties or (atom.additional is not None and atom.additional.nodes):
                    found[Wild.VALUE] = None
    yield from found


def _children(shapes: Iterable[Shape], step: Step) -> list[Schema]:
    found: dict[object, Schema] = {}
    for shape in shapes:
        for atom in shape.atoms:
            below: list[Schema] = []
            if step is Wild.ITEM and atom.kind == "array":
                below = [*atom.prefix, *([atom.items] if atom.items.nodes else [])]
            elif atom.kind == "object" and step is not Wild.ITEM:
                if isinstance(step, str) and step in atom.properties:
                    below = [atom.properties[step]]
                else:
                    below = list(atom.pattern_properties.values())
                    if atom.additional is not None and atom.additional.nodes:
                        below.append(atom.additional)
                    if step is Wild.VALUE and not below:
                        below = list(atom.properties.values())
            found.update((schema.key, schema) for schema in below)
    return list(found.values())


def _is_open(shape: Shape) -> bool:
    """Whether a schema says nothing of what lies in its objects and arrays."""
    if shape.opaque:
        return True
    return any(
        (atom.kind == "object" and not atom.properties and atom.additional == ANYTHING)
        or (atom.kind == "array" and not atom.prefix and not atom.items.nodes)
        for atom in shape.atoms
    )

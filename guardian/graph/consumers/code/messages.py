"""What is read and sent, spelt as the specification spells it: spots and records walked along an operation's schemas."""

from __future__ import annotations

from collections.abc import Iterable

from guardian.fieldpath import ROOT, Path, Wild
from guardian.graph.consumers.bodies import is_everyday, placed_fields
from guardian.graph.consumers.code.attributes import ENVELOPES
from guardian.graph.consumers.code.generated import plain
from guardian.graph.consumers.code.values import (
    ANYTHING,
    NOTHING,
    SOME,
    Asked,
    Data,
    Hole,
    HttpCall,
    Instance,
    Listing,
    Nothing,
    Record,
    Spot,
    Step,
    Value,
    Words,
)
from guardian.graph.uses import Field
from guardian.model import Direction, Location
from guardian.spec.api import Operation, Schema
from guardian.spec.shape import Atom
from guardian.spec.shaper import Shaper

_BODY_ARGUMENTS = frozenset({"body", "requestbody", "data", "payload", "request"})


class Reads:
    """The fields of an operation's success responses that a call reads; ``unknown``: where more may be read."""

    def __init__(self, operation: Operation, shaper: Shaper) -> None:
        self._shaper = shaper
        self._schemas = tuple(
            media.schema
            for status, response in operation.parts.responses.items()
            if status.startswith("2")
            for media in response.content
            if media.schema is not None
        )
        self.fields: list[Field] = []
        self.unknown: list[Location] = []

    def read(self, call: HttpCall) -> None:
        """Take in what one call reads."""
        self.unknown += call.escapes
        if call.cut is not None:
            self.unknown.append(call.cut)
        if call.unsent:
            self.unknown.append(call.at)
        if call.root.whole is not None:
            self.fields.append(Field(ROOT, call.root.whole))
        self._below(call.root, ROOT, self._schemas, bare=call.bare and not call.opened)
        for name, at in call.read_headers.items():
            self.fields += placed_fields("header", [name], at)

    def _below(self, spot: Spot, path: Path, schemas: tuple[Schema, ...], *, bare: bool = False) -> None:
        atoms = self._atoms(schemas)
        fields = {name for atom in _objects(atoms) for name in atom.properties}
        enveloped = {step for step in spot.children if bare and step in ENVELOPES and step not in fields}
        for step, child in spot.children.items():
            if step in enveloped:
                self._whole_root(child)
                self._below(child, path, schemas)
                continue
            if child.maybe and (enveloped or not bare or step not in fields):
                continue
            known = self._step(step, child, atoms)
            if known is Wild.VALUE and fields:
                self.unknown.append(child.at)  # which of the fields that have names is told at run time
                if not self._children(atoms, known):
                    continue
            if known is not None:
                self._place(child, path.below(known), self._children(atoms, known))

    def _whole_root(self, spot: Spot) -> None:
        if spot.whole is not None:
            self.unknown.append(spot.whole)

    def _place(self, spot: Spot, path: Path, schemas: tuple[Schema, ...]) -> None:
        atoms = self._atoms(schemas)
        kinds = {atom.kind for atom in atoms}
        before = len(self.fields)
        self._below(spot, path, schemas)
        if spot.whole is not None:
            nameless = path.steps[-1] is Wild.ITEM or any(
                below.kind == "object" for atom in atoms if atom.kind == "array" for below in self._atoms((atom.items,))
            )
            if nameless and (not kinds or kinds & {"object", "array"}):
                self.unknown.append(spot.whole)
            else:
                self.fields.append(Field(path, spot.at))
                return
        if len(self.fields) == before:
            # Only whether it is there was asked, or how many: nothing in it is read.
            self.fields.append(Field(path, spot.at, shallow=bool(kinds & {"object", "array"})))

    def _step(self, step: Step, spot: Spot, atoms: tuple[Atom, ...]) -> str | Wild | None:
        kinds = {atom.kind for atom in atoms}
        if isinstance(step, Asked):
            if "array" in kinds and "object" not in kinds:
                return Wild.ITEM
            return step.name if "object" in kinds or not kinds else None
        if step is SOME or step is Wild.ITEM:
            # Python goes through an object's keys by the same words as through a list's items.
            return Wild.VALUE if "object" in kinds and "array" not in kinds else Wild.ITEM
        if step is Wild.VALUE and "array" in kinds and "object" not in kinds:  # `entries` and `values` of a list
            return Wild.ITEM
        if not isinstance(step, str):
            return step if isinstance(step, Wild) else None
        objects = _objects(atoms)
        if any(step in atom.properties for atom in objects):
            return step
        if step in {"length", "size"} and "object" not in kinds and kinds:
            return None
        if spot.loose:
            wanted = plain(step)
            for atom in objects:
                for name in atom.properties:
                    if plain(name) == wanted:
                        return name
        return step

    def _atoms(self, schemas: Iterable[Schema]) -> tuple[Atom, ...]:
        return tuple(atom for schema in schemas for atom in self._shaper.shape(schema, Direction.RESPONSE).atoms)

    def _children(self, atoms: tuple[Atom, ...], step: str | Wild) -> tuple[Schema, ...]:
        found: dict[object, Schema] = {}
        for atom in atoms:
            below: list[Schema] = []
            if step is Wild.ITEM and atom.kind == "array":
                below = [*atom.prefix, atom.items]
            elif step is not Wild.ITEM and atom.kind == "object":
                if isinstance(step, str) and step in atom.properties:
                    below = [atom.properties[step]]
                else:
                    below = [*atom.pattern_properties.values(), *([atom.additional] if atom.additional else [])]
            found.update((schema.key, schema) for schema in below if schema.nodes)
        return tuple(found.values())


def _objects(atoms: Iterable[Atom]) -> list[Atom]:
    return [atom for atom in atoms if atom.kind == "object"]


# --- what is sent -------------------------------------------------------------------------------------------------------


class Sends:
    """What a call sends; ``unknown``: where it sends what is not seen."""

    def __init__(self, operation: Operation) -> None:
        self._operation = operation
        # What every client sends is of interest where the operation says that it reads it.
        self._declared = {each.name.lower() for each in operation.parts.parameters if each.location == "header"}
        self.fields: dict[Path, Field] = {}
        self.unknown: list[Location] = []

    def send(self, call: HttpCall, query: Iterable[str], queries: Iterable[Record]) -> None:
        """Take in what one call sends.

        Args:
            call: the call.
            query: the names in the query of its URL.
            queries: what else is put into that query.
        """
        self.unknown += call.sends_unknown
        for parameter in self._operation.parts.parameters:
            if parameter.location == "path":
                self._add(Path((parameter.name,), "path"), call.at)
        for name in query:
            self._add(Path((name,), "query"), call.at)
        for record in (call.query, *queries):
            self._placed("query", record, call)
        self._placed("header", call.headers, call)
        if call.operation is not None:
            self._arguments(call)
        if call.body is not None:
            self._body(call.body, ROOT, call.at, frozenset())

    def _placed(self, place: str, record: Record, call: HttpCall) -> None:
        if record.open is not None:
            self.unknown.append(Location(call.at.file, "", record.open))
        for name in record.entries:
            at = Location(call.at.file, "", record.lines[name] or call.at.line)
            if name == "*":
                self.unknown.append(at)
            elif place != "header" or not is_everyday(name) or name.lower() in self._declared:
                self._add(Path((name,), place), at)

    def _arguments(self, call: HttpCall) -> None:
        """The arguments of a generated client, by the names of parameters."""
        parts = self._operation.parts
        known = {plain(each.name): each for each in parts.parameters}
        left: list[tuple[str, Value]] = []
        for name, value in call.arguments.items():
            parameter = known.get(plain(name))
            if parameter is None:
                left.append((name, value))
            elif parameter.location in {"query", "header", "cookie"}:
                self._add(Path((parameter.name,), parameter.location), call.at)
        bodies = [value for name, value in left if plain(name) in _BODY_ARGUMENTS or _is_object(value)]
        if parts.body is not None and bodies:
            self._body(bodies[0], ROOT, call.at, frozenset())
        args = getattr(call.node, "args", ())
        positional = [each for each in args if each.name is None]
        paths = sum(each.location == "path" for each in parts.parameters)
        if len(positional) > paths or (parts.body is not None and not bodies):
            self.unknown.append(call.at)

    def _body(self, value: Value, path: Path, at: Location, above: frozenset[int]) -> None:
        if not value and path == ROOT:
            self.unknown.append(at)
        elif value in (ANYTHING, NOTHING):
            self._add(path, at)
        for each in value:
            if isinstance(each, Nothing) and len(value) > 1:  # it is not always sent
                continue
            if id(each) in above or len(path.steps) > 8:
                continue
            within = above | {id(each)}
            if isinstance(each, Record):
                self._record(each, path, at, within)
            elif isinstance(each, Instance):
                self._record(Record(each.attrs, dict.fromkeys(each.attrs, at.line or 0)), path, at, within)
            elif isinstance(each, Listing):
                if each.items:
                    self._body(each.any_item() or NOTHING, path.below(Wild.ITEM), at, within)
                else:
                    self._add(path, at, shallow=True)
            elif isinstance(each, Data) and path == ROOT:
                self.unknown.append(at)
            else:
                self._add(path, at)

    def _record(self, record: Record, path: Path, at: Location, above: frozenset[int]) -> None:
        if record.open is not None:
            self.unknown.append(Location(at.file, "", record.open))
        elif record.spread:
            self.unknown.append(at)
        for name, value in record.entries.items():
            step = Wild.VALUE if name == "*" else name
            self._body(value or NOTHING, path.below(step), Location(at.file, "", record.lines[name]), above)
        if not record.entries and record.open is None:
            self._add(path, at, shallow=True)

    def _add(self, path: Path, at: Location, *, shallow: bool = False) -> None:
        self.fields.setdefault(path, Field(path, at, shallow))


def _is_object(value: Value) -> bool:
    return any(isinstance(each, Record | Instance | Listing) for each in value)


def query_of(parts: tuple[str | Hole, ...]) -> tuple[tuple[str | Hole, ...], list[str], list[Record], bool]:
    """The query of a URL: what is before it, the names in it, what else is put into it, whether that is all."""
    before: list[str | Hole] = []
    text, records, complete, inside = "", [], True, False
    for part in parts:
        if isinstance(part, Hole):
            if part.query is not None:
                records.append(part.query)
                inside = True
            elif inside:
                # A value; where a name should be, it is a whole query that is not seen.
                complete = complete and text.rpartition("&")[2].endswith("=")
            else:
                before.append(part)
            continue
        if inside:
            text += part
            continue
        path, mark, rest = part.partition("?")
        before.append(path)
        if mark:
            inside, text = True, rest
    names = [each.partition("=")[0] for each in text.partition("#")[0].split("&") if each]
    return tuple(before), [name for name in names if name], records, complete


__all__ = ["Reads", "Sends", "Words", "query_of"]

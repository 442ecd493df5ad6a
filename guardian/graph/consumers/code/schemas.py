"""Schemas that are built in code, as zod has them: what they check is read, as it is by a model.

A schema that is not understood to its end checks what is not seen, and so says that more may be read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from guardian.graph.consumers.code import models, moves, types
from guardian.graph.consumers.code import syntax as s
from guardian.graph.consumers.code.values import (
    Data,
    Given,
    Listing,
    Raw,
    Record,
    Reply,
    Scope,
    Shape,
    Value,
    View,
    join,
    words_of,
)
from guardian.model import Location

if TYPE_CHECKING:
    from guardian.graph.consumers.code.flow import Flow

_ZOD = re.compile(r"zod(?:[/-].*)?")
_SCALARS = words_of(
    """
    string number boolean bigint date literal enum nativeEnum null undefined email url uuid uuidv4 cuid cuid2 ulid int
    iso datetime time templateLiteral stringbool void nan int32 uint32 float32 float64 any unknown
    """
)
_OBJECTS = words_of("object strictObject looseObject")
_OPTIONAL = words_of("optional nullable nullish default catch prefault")
_PARSING = words_of("parse parseAsync safeParse safeParseAsync spa")
_CHANGING = words_of("transform pipe preprocess")


def maker(way: tuple[str, ...], given: Given, scope: Scope) -> Value | None:
    """The schema that a function of zod makes; ``None`` if it is none."""
    if not _ZOD.fullmatch(way[0]) or "()" in way:
        return None
    line, name, first = given.node.line, way[-1], given.first()
    if name in _SCALARS or "coerce" in way or "iso" in way:
        return _shape(s.TypeName(line, "literal"), scope)
    if name in _OBJECTS:
        return _object(first, line, scope)
    inner = [each for value in given.positional for each in value if isinstance(each, Shape)]
    if name in {"array", "set"} and inner:
        return _shape(s.TypeName(line, "[]", (inner[0].view.type,)), scope)
    if name in {"record", "map", "partialRecord"} and inner:
        return _shape(s.TypeName(line, "{}", (inner[-1].view.type,)), scope)
    if name in {"optional", "nullable", "nullish"} and inner:
        return (Shape(inner[0].view, required=False),)
    if name in {"union", "discriminatedUnion", "intersection"}:
        lists = [each.any_item() for value in given.positional for each in value if isinstance(each, Listing)]
        options = [
            each.view.type for each in (*inner, *(one for value in lists for one in value)) if isinstance(each, Shape)
        ]
        return _shape(s.TypeName(line, "|", tuple(options)), scope) if options else _unknown(line, scope)
    return _unknown(line, scope)


def method(flow: Flow, shape: Shape, name: str, given: Given, scope: Scope) -> Value:
    """What a method of a schema gives."""
    at, line = scope.at(given.node), given.node.line
    if name in _PARSING:
        return _parsed(flow, shape, name, given, at)
    if name in _OPTIONAL:
        return (Shape(shape.view, required=False, then=shape.then),)
    if name == "array":
        return _shape(s.TypeName(line, "[]", (shape.view.type,)), scope)
    if name in {"extend", "merge", "safeExtend", "and", "or"}:
        return _joined(shape, given, line, scope)
    if name in {"pick", "omit"}:
        names = {key for each in given.first() if isinstance(each, Record) for key in each.entries}
        members = [each for each in _members(shape) if (each.wire in names) is (name == "pick")]
        return _shape(s.TypeObject(line, tuple(members)), scope)
    if name in {"partial", "deepPartial"}:
        loose = [s.Member(each.line, each.name, each.wire, each.type, False) for each in _members(shape)]
        return _shape(s.TypeObject(line, tuple(loose)), scope)
    if name in _CHANGING:
        return (Shape(shape.view, shape.required, given.first()),)
    return (shape,)  # `min`, `strict`, `refine`: the same fields


def _parsed(flow: Flow, shape: Shape, name: str, given: Given, at: Location) -> Value:
    value = tuple(each for each in given.first() if isinstance(each, Data | Raw | Reply))
    if types.known(shape.view) is None:
        moves.hand_on(value, at)
    found = models.validated(value, shape.view, at)
    if shape.then:
        found = flow.call_back(shape.then, at, found)
    if not name.startswith("safe") and name != "spa":
        return found
    record = Record()
    record.put("data", found, given.node.line)
    return (record,)


def _shape(kind: s.Type, scope: Scope) -> Value:
    return (Shape(View(kind, scope)),)


def _unknown(line: int, scope: Scope) -> Value:
    """A schema of which it is not known what it checks."""
    return _shape(s.TypeName(line, ""), scope)


def _object(value: Value, line: int, scope: Scope) -> Value:
    records = [each for each in value if isinstance(each, Record)]
    if len(records) != 1 or records[0].open:
        return _unknown(line, scope)
    members = []
    for name, given in records[0].entries.items():
        shapes = [each for each in given if isinstance(each, Shape)]
        kind = shapes[0].view.type if len(shapes) == 1 else None
        at = records[0].lines.get(name, line)
        members.append(s.Member(at, name, name, kind, not shapes or shapes[0].required))
    return _shape(s.TypeObject(line, tuple(members)), scope)


def _members(shape: Shape) -> tuple[s.Member, ...]:
    return tuple(member for member, _, _ in (types.known(shape.view) or types.Known("object")).members)


def _joined(shape: Shape, given: Given, line: int, scope: Scope) -> Value:
    others: list[s.Member] = []
    for each in given.first():
        one = join(_object((each,), line, scope)) if isinstance(each, Record) else (each,)
        others += [member for inner in one if isinstance(inner, Shape) for member in _members(inner)]
    if not others:
        return _unknown(line, scope)
    members = {each.wire: each for each in (*_members(shape), *others)}
    return _shape(s.TypeObject(line, tuple(members.values())), scope)

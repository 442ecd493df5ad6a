"""What a type says of a message: members of classes and interfaces, items of lists, and the leaves of all of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from guardian.fieldpath import Wild
from guardian.graph.consumers.code import syntax as s
from guardian.graph.consumers.code.values import ClassRef, Foreign, Module, Shape, Step, View, words_of
from guardian.model import Location

_SCALARS = words_of(
    """
    str int float bool bytes complex None string number boolean bigint null undefined literal Literal symbol
    datetime date time timedelta Date Decimal UUID UUID1 UUID3 UUID4 UUID5 EmailStr HttpUrl AnyUrl
    AnyHttpUrl AwareDatetime NaiveDatetime PositiveInt NonNegativeInt StrictStr StrictInt StrictFloat
    StrictBool Enum StrEnum IntEnum
    """
)
_WRAPPERS = frozenset(
    {"Promise", "PromiseLike", "Observable", "AxiosResponse", "Response", "ResponsePromise", "Optional"}
)
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Known:
    """What a type is: a ``scalar``, an ``object`` with members, or a ``list`` or ``map`` of something."""

    kind: str
    members: tuple[tuple[s.Member, View | None, Location], ...] = ()
    item: View | None = None


def named(view: View) -> object:
    """What the name of a type stands for in its scope: a class, something foreign, or ``None``."""
    if not isinstance(view.type, s.TypeName):
        return None
    first, *rest = view.type.name.split(".")
    found = view.scope.find(first)
    value = found[0] if found else None
    for part in rest:
        if isinstance(value, Module):
            inner = value.scope.find(part)
            value = inner[0] if inner else None
        elif isinstance(value, Foreign):
            value = Foreign((*value.way, part))
        else:
            return None
    return value


def settled(view: View | None) -> View | None:
    """The type inside of promises, optionals and aliases; ``None`` where nothing is known of it."""
    for _ in range(_DEEPEST):
        if view is None or not isinstance(view.type, s.TypeName):
            return view
        name, args = view.type.name, view.type.args
        if name == "|":
            rest = [
                each
                for each in args
                if not (isinstance(each, s.TypeName) and each.name in {"None", "null", "undefined"})
            ]
            if len(rest) != 1:
                return view if rest else None
            view = View(rest[0], view.scope)
        elif name.rpartition(".")[2] in _WRAPPERS and args:
            view = View(args[0], view.scope)
        else:
            found = named(view)
            if isinstance(found, Shape):
                view = found.view
            elif isinstance(found, ClassRef) and found.node.alias is not None:
                view = View(found.node.alias, found.scope)
            else:
                return view
    return None


def known(view: View | None) -> Known | None:
    """What is known of a type, ``None`` if nothing."""
    view = settled(view)
    if view is None:
        return None
    if isinstance(view.type, s.TypeObject):
        return _object(view.type.members, view)
    name, args = view.type.name, view.type.args
    if name in {"[]", "{}"}:
        return Known("list" if name == "[]" else "map", (), View(args[0], view.scope) if args else None)
    if name == "|":
        return _union([known(View(each, view.scope)) for each in args])
    found = named(view)
    if isinstance(found, ClassRef):
        members = tuple(_members(found))
        if not members and _is_enum(found):
            return Known("scalar")
        return Known("object", members) if members else None
    return Known("scalar") if name.rpartition(".")[2] in _SCALARS else None


def class_of(view: View | None) -> ClassRef | None:
    """The class that a type names."""
    view = settled(view)
    found = named(view) if view is not None else None
    return found if isinstance(found, ClassRef) else None


def lineage(kind: ClassRef) -> Iterator[ClassRef]:
    """A class and those of these files that it is derived from, nearest first."""
    pending, seen = [kind], {kind}
    while pending:
        each = pending.pop(0)
        yield each
        for base in each.node.bases:
            found = _value_of(base, each)
            if isinstance(found, ClassRef) and found not in seen:
                seen.add(found)
                pending.append(found)


def foreign_bases(kind: ClassRef) -> Iterator[Foreign]:
    """The classes of other people that a class is derived from."""
    for each in lineage(kind):
        for base in each.node.bases:
            found = _value_of(base, each)
            if isinstance(found, Foreign):
                yield found


def method_of(kind: ClassRef, name: str) -> tuple[s.Function, ClassRef] | None:
    """A method of a class, and the class that defines it."""
    for each in lineage(kind):
        for method in each.node.methods:
            if method.name == name:
                return method, each
    return None


def leaves(view: View | None, *, required: bool = False) -> list[tuple[tuple[Step, ...], Location, bool]] | None:
    """The paths of all that a type speaks of (or of all that must be there); ``None`` if that is not known.

    With each comes where it is said, and whether nothing is known of what may be in it. A type that contains itself is followed once.
    """
    if known(view) is None:
        return None
    return list(_leaves(view, (), None, required, ()))


def _leaves(
    view: View | None, path: tuple[Step, ...], at: Location | None, required: bool, above: tuple[object, ...]
) -> Iterator[tuple[tuple[Step, ...], Location, bool]]:
    found = known(view)
    if found is None or found.kind == "scalar" or len(path) > _DEEPEST:
        if at is not None:
            yield path, at, found is None
        return
    if found.kind != "object":
        any_of = Wild.ITEM if found.kind == "list" else Wild.VALUE
        here = at or Location("")
        if found.item is None:
            yield path, here, True
        else:
            yield from _leaves(found.item, (*path, any_of), here, required, above)
        return
    identity = found.members[0][0] if found.members else view
    if identity in above:
        return
    for member, inner, place in found.members:
        if required and not member.required:
            continue
        below: tuple[Step, ...] = (*path, Wild.VALUE if member.wire == "*" else member.wire)
        if inner is not None:
            yield from _leaves(inner, below, place, required, (*above, identity))
        else:
            yield below, place, True


def _object(members: tuple[s.Member, ...], view: View) -> Known | None:
    file = view.scope.file
    found = tuple(
        (each, View(each.type, view.scope) if each.type is not None else None, Location(file, "", each.line))
        for each in members
    )
    return Known("object", found) if found else None


def _members(kind: ClassRef) -> Iterator[tuple[s.Member, View | None, Location]]:
    seen: set[str] = set()
    for each in lineage(kind):
        for member in each.node.members:
            if member.name not in seen:
                seen.add(member.name)
                view = View(member.type, each.scope) if member.type is not None else None
                yield member, view, Location(each.scope.file, "", member.line)


def _union(options: list[Known | None]) -> Known | None:
    """A union of objects has the members of all of them; whatever else is mixed is known only if it is alike."""
    kinds = {each.kind if each is not None else None for each in options}
    if len(kinds) != 1 or None in kinds:
        return None
    first = options[0]
    if first is None or first.kind != "object":
        return first
    members = {member[0].wire: member for each in reversed(options) if each is not None for member in each.members}
    return Known("object", tuple(members.values()))


def _is_enum(kind: ClassRef) -> bool:
    return any(each.way[-1].endswith("Enum") for each in foreign_bases(kind))


def _value_of(base: s.Expr, kind: ClassRef) -> object:
    way: list[str] = []
    while isinstance(base, s.Attr):
        way.insert(0, base.name)
        base = base.obj
    if not isinstance(base, s.Name):
        return None
    return named(View(s.TypeName(base.line, ".".join([base.id, *way])), kind.scope))

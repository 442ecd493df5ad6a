"""The small language that Python and TypeScript are lowered to: as much of both as values flow through.

Whatever carries no value on (comparisons, arithmetic, ``typeof``) is ``Opaque``: its parts are looked at and end there.
Awaiting, parentheses and optional chaining leave no trace. Nodes are compared by identity: each is one place in a file.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """Something at a line (counted from 1)."""

    line: int


# --- types ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class TypeName(Node):
    """``User``, ``list[User]``, ``Promise<User>``; a union is called ``|``, an array ``[]``, a map ``{}``."""

    name: str
    args: tuple[Type, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Member(Node):
    """One field of a typed object. ``wire`` is its name in JSON, ``name`` its name in code."""

    name: str
    wire: str
    type: Type | None
    required: bool


@dataclass(frozen=True, slots=True, eq=False)
class TypeObject(Node):
    """An object type that is written out."""

    members: tuple[Member, ...]


Type = TypeName | TypeObject


# --- expressions, which are patterns too --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Text(Node):
    value: str


@dataclass(frozen=True, slots=True, eq=False)
class Number(Node):
    value: int | None


@dataclass(frozen=True, slots=True, eq=False)
class Template(Node):
    """Texts put together: f-strings, template literals, ``+``."""

    parts: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Name(Node):
    id: str


@dataclass(frozen=True, slots=True, eq=False)
class Attr(Node):
    """``optional``: of nothing it is nothing (``a?.b``)."""

    obj: Expr
    name: str
    optional: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Index(Node):
    """``key`` is ``None`` for a slice, which has the same items."""

    obj: Expr
    key: Expr | None


@dataclass(frozen=True, slots=True, eq=False)
class Arg(Node):
    """An argument or item; ``spread`` for ``*x``, ``**x`` and ``...x`` (``**x`` has the name ``**``)."""

    value: Expr
    name: str | None = None
    spread: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Call(Node):
    """A call, or (both languages' classes are called) a construction."""

    func: Expr
    args: tuple[Arg, ...]
    types: tuple[Type, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Entry(Node):
    """One entry of an object; without a key it spreads another one, or takes the rest in a pattern."""

    key: Expr | None
    value: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Object(Node):
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Array(Node):
    items: tuple[Arg, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Param(Node):
    """``kind`` is ``plain``, ``rest`` (``*args``) or ``keywords`` (``**kwargs``)."""

    target: Expr
    type: Type | None
    default: Expr | None
    kind: str = "plain"
    positional: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Function(Node):
    """``bound``: its first parameter is the instance (Python's methods); ``getter``: it is called by being read."""

    name: str
    params: tuple[Param, ...]
    body: tuple[Statement, ...]
    returns: Type | None = None
    bound: bool = False
    getter: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Each(Node):
    """A comprehension: ``result`` for each of the items."""

    loops: tuple[tuple[Expr, Expr], ...]
    conditions: tuple[Expr, ...]
    results: tuple[Expr, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Either(Node):
    """One of several: conditionals, ``or``, ``??``; the ``tests`` are only looked at."""

    options: tuple[Expr, ...]
    tests: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Typed(Node):
    """A value that is said to be of a type."""

    value: Expr
    type: Type


@dataclass(frozen=True, slots=True, eq=False)
class Default(Node):
    """In a pattern: what is taken where there is nothing."""

    target: Expr
    value: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Assigned(Node):
    """An assignment that is a value as well."""

    target: Expr
    value: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Opaque(Node):
    """Anything else: its parts are looked at, and what they are worth ends here.

    ``passes``: it goes on where it is not seen (what is thrown, yielded, shown, compared whole with another value).
    """

    parts: tuple[Expr, ...] = ()
    passes: bool = False


Expr = (
    Text
    | Number
    | Template
    | Name
    | Attr
    | Index
    | Call
    | Object
    | Array
    | Function
    | Each
    | Either
    | Typed
    | Default
    | Assigned
    | Opaque
)


# --- statements -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Assign(Node):
    """``declares`` is False where an outer variable may be meant (JavaScript without ``let``)."""

    target: Expr
    value: Expr
    type: Type | None = None
    declares: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Return(Node):
    """``each`` for ``yield``."""

    value: Expr | None
    each: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Do(Node):
    value: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Block(Node):
    """Statements that may be run or not."""

    body: tuple[Statement, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Loop(Node):
    """``keys``: over the keys of an object (JavaScript's ``for in``)."""

    target: Expr
    iterable: Expr
    body: tuple[Statement, ...]
    keys: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Define(Node):
    function: Function


@dataclass(frozen=True, slots=True, eq=False)
class Class(Node):
    """A class, interface or alias of a type.

    ``validates`` says that to make one of a message reads every required member (pydantic, dataclasses); an alias has
    no members but a ``type``.
    """

    name: str
    bases: tuple[Expr, ...]
    members: tuple[Member, ...]
    methods: tuple[Function, ...]
    body: tuple[Statement, ...] = ()
    validates: bool = False
    alias: Type | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Import(Node):
    """``binding`` is the name here; ``name`` what it is called in ``module``: ``None`` is the module itself."""

    binding: str
    module: str
    name: str | None


Statement = Assign | Return | Do | Block | Loop | Define | Class | Import


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """One file, lowered. ``path`` is its path in its tree, ``file`` what reports call it."""

    path: str
    file: str
    language: str  # "python" | "typescript"
    body: tuple[Statement, ...]

"""What a variable may hold, as far as it matters here: texts, objects being built, clients, replies and their data.

A ``Value`` is the list of what it may be; an empty one is anything at all. ``Data`` is the heart: a place in a message
that came back. Whatever is asked of it is noted at its ``Spot``, and the spots of a call are what is read of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from guardian.fieldpath import Wild
from guardian.graph.consumers.code import syntax as s
from guardian.model import Location


class Some:
    """The step to a key or index that is computed at run time: an item or a map's value, as the schema says."""

    def __repr__(self) -> str:
        return "?"


@dataclass(frozen=True, slots=True)
class Asked:
    """The step to what ``x in data`` asks for: a key of an object, or any item of a list, as the schema says."""

    name: str


SOME = Some()
Step = str | Wild | Some | Asked

# How many alternatives of one value are kept; past that the first ones stand for all.
_ALTERNATIVES = 12


@dataclass(frozen=True, slots=True)
class Nothing:
    """None, null and undefined; also what an argument is that is not given."""


@dataclass(frozen=True, slots=True)
class Hole:
    """A part of a text that is known at run time only: what it is called, and the query it may hold."""

    label: str = ""
    query: Record | None = None


@dataclass(frozen=True, slots=True)
class Words:
    """A text, as far as it is written out."""

    parts: tuple[str | Hole, ...]


@dataclass(eq=False, slots=True)
class Record:
    """An object that is built here. ``open`` is the line at which something unknown was put into it.

    ``spread``: data of which every part became an entry; ``over``: the entries that were set after that.
    """

    entries: dict[str, Value] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    open: int | None = None
    spread: Value = ()
    over: set[str] = field(default_factory=set)

    def put(self, name: str, value: Value, line: int) -> None:
        """Set an entry; what it was before it may still be."""
        self.entries[name] = join(self.entries.get(name, ()), value)
        self.lines.setdefault(name, line)
        if self.spread:
            self.over.add(name)

    def values(self) -> Value:
        """What any of the entries may be, all of it; data that was spread stands for its parts."""
        return tuple(dict.fromkeys(atom for value in (*self.entries.values(), self.spread) for atom in value))

    def update(self, other: Record) -> None:
        """Take over the entries of another one."""
        for name, value in other.entries.items():
            self.put(name, value, other.lines[name])
        self.spread = join(self.spread, other.spread)
        self.over |= other.over
        self.open = self.open or other.open


@dataclass(eq=False, slots=True)
class Listing:
    """A list that is built here, item by item. ``exact``: these items in this order, no more and no fewer."""

    items: list[Value] = field(default_factory=list)
    exact: bool = False

    def any_item(self) -> Value:
        """What one of the items may be."""
        return join(*self.items)


class Spot:
    """One place in the data of one call, and what is asked of it."""

    __slots__ = ("at", "children", "loose", "maybe", "step", "whole")

    def __init__(self, step: Step, at: Location, *, loose: bool = False, maybe: bool = False) -> None:
        self.step = step
        self.at = at
        #: the name may be spelt as code spells it, not as the message does
        self.loose = loose
        #: a name of responses as well (`status`): it is a field only where the reply turns out to be the body itself
        self.maybe = maybe
        self.children: dict[Step, Spot] = {}
        #: where it is handed on as it is, so that what is read of it is not seen here
        self.whole: Location | None = None

    def child(self, step: Step, at: Location, *, loose: bool = False, maybe: bool = False) -> Spot:
        """The place below."""
        found = self.children.get(step)
        if found is None:
            found = self.children[step] = Spot(step, at, loose=loose, maybe=maybe)
        found.maybe = found.maybe and maybe
        return found


@dataclass(eq=False, slots=True)
class HttpCall:
    """One call of an HTTP library, or of a generated client, at one place of the code.

    ``node`` is that place; ``operation`` the operation's id where a generated client is called. ``sends_unknown``
    tells where it sends what is not seen; ``escapes`` where its reply is handed on to what is not seen.
    """

    node: s.Node
    at: Location
    method: str | None
    url: Value
    operation: str | None = None
    query: Record = field(default_factory=Record)
    headers: Record = field(default_factory=Record)
    body: Value | None = None
    sends_unknown: list[Location] = field(default_factory=list)
    root: Spot = field(init=False)
    read_headers: dict[str, Location] = field(default_factory=dict)
    escapes: list[Location] = field(default_factory=list)
    sure: bool = True
    #: its reply may be the body itself, as its library or the code that reads it has it
    bare: bool = False
    #: its reply was asked for its body, and so is none itself
    opened: bool = False
    #: where it lies too deep to be followed to the callers that have its reply
    cut: Location | None = None
    #: it was built as an object, and nobody was seen to send it
    unsent: bool = False
    arguments: dict[str, Value] = field(default_factory=dict)
    entry: s.Function | None = None

    def __post_init__(self) -> None:
        self.root = Spot("", self.at)


@dataclass(frozen=True, slots=True)
class View:
    """A type, and the scope that its names are looked up in."""

    type: s.Type
    scope: Scope


@dataclass(frozen=True, slots=True)
class Data:
    """A place in what came back, and the type it is said to have."""

    call: HttpCall
    spot: Spot
    view: View | None = None


@dataclass(frozen=True, slots=True)
class Raw:
    """A body as text or bytes, not decoded yet."""

    call: HttpCall


@dataclass(frozen=True, slots=True)
class Reply:
    """A response. ``direct`` where the library may have given its body itself; ``pair``: with what else came along."""

    call: HttpCall
    direct: bool = False
    view: View | None = None
    pair: bool = False


@dataclass(frozen=True, slots=True)
class ReplyHeaders:
    """The headers of a response."""

    call: HttpCall


@dataclass(frozen=True, slots=True)
class KeysOf:
    """The names of an object that came back."""

    data: Data


@dataclass(frozen=True, slots=True)
class Prepared:
    """A request that was built as an object, to be sent by something else."""

    reply: Reply


@dataclass(frozen=True, slots=True)
class Parser:
    """Something that reads messages as a type: pydantic's TypeAdapter, msgspec's Decoder."""

    view: View


@dataclass(frozen=True, slots=True)
class Operator:
    """One of RxJS's operators, and what it calls with each value."""

    name: str
    function: Value


@dataclass(frozen=True, slots=True)
class Setter:
    """The function of a component that sets its state."""

    key: s.Node


@dataclass(frozen=True, slots=True)
class Trigger:
    """A function that a hook gives: it calls ``function``, or has gotten ``value``; ``after`` is told what came.

    ``key`` is where that is kept for who reads it elsewhere.
    """

    key: s.Node | None
    function: Value = ()
    value: Value = ()
    after: Value = ()


@dataclass(frozen=True, slots=True)
class Shape:
    """A schema that is built in code (zod): the type that it checks, and whether what it checks must be there."""

    view: View
    required: bool = True
    then: Value = ()


@dataclass(frozen=True, slots=True)
class Getter:
    """A function that gives what stands under a name, or (``several``) under each of some."""

    names: tuple[str, ...]
    several: bool = False


@dataclass(frozen=True, slots=True)
class Spreading:
    """A function that takes the items of one list as its arguments."""

    function: Value


@dataclass(eq=False, slots=True)
class Client:
    """A client of an HTTP library with what it adds to each call. ``style`` tells how it is called (see ``http``)."""

    style: str
    base: Value = ()
    headers: Record = field(default_factory=Record)
    params: Record = field(default_factory=Record)
    #: whether it is known to be a client at all
    sure: bool = True
    #: what each response goes through before the caller has it
    interceptors: list[Value] = field(default_factory=list)
    #: the calls that were met before the last of these
    sent: list[HttpCall] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Foreign:
    """Something from a module that is not among these files, by its dotted way; ``()`` in it is a call."""

    way: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Closure:
    """A function, where it was made, what it is bound to, and the class that it belongs to."""

    function: s.Function
    scope: Scope
    this: Instance | Data | ClassRef | None = None
    owner: ClassRef | None = None


@dataclass(frozen=True, slots=True)
class ClassRef:
    """A class of these files."""

    node: s.Class
    scope: Scope


@dataclass(eq=False, slots=True)
class Instance:
    """An instance of a class of these files."""

    kind: ClassRef
    attrs: dict[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Module:
    """A module of these files."""

    scope: Scope


Atom = (
    Nothing
    | Words
    | Record
    | Listing
    | Data
    | Raw
    | Reply
    | ReplyHeaders
    | KeysOf
    | Prepared
    | Parser
    | Operator
    | Getter
    | Setter
    | Trigger
    | Shape
    | Spreading
    | Client
    | Foreign
    | Closure
    | ClassRef
    | Instance
    | Module
)
Value = tuple[Atom, ...]
ANYTHING: Value = ()
NOTHING: Value = (Nothing(),)


def join(*values: Iterable[Atom]) -> Value:
    """What is one of these."""
    found: dict[Atom, None] = {}
    for value in values:
        found.update(dict.fromkeys(value))
    return tuple(found)[:_ALTERNATIVES]


def words(text: str) -> Value:
    """A text that is written out."""
    return (Words((text,)),)


def text_of(value: Value) -> str | None:
    """The one text that a value is, if it is written out."""
    if len(value) == 1 and isinstance(value[0], Words):
        parts = value[0].parts
        if all(isinstance(part, str) for part in parts):
            return "".join(str(part) for part in parts)
    return None


def texts_of(value: Value) -> list[str]:
    """The texts of which a value is one; none where it may be something else, as with more than are kept."""
    found = [text for each in value if (text := text_of((each,))) is not None]
    return found if len(found) == len(value) < _ALTERNATIVES else []


# --- names and arguments ------------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Scope:
    """The names of a module, class or function."""

    source: s.Source
    parent: Scope | None = None
    names: dict[str, Value] = field(default_factory=dict)
    results: list[tuple[Value, int]] = field(default_factory=list)
    yields: bool = False
    branches: int = 0
    this: Instance | Data | ClassRef | None = None
    owner: ClassRef | None = None

    @property
    def file(self) -> str:
        return self.source.file

    def at(self, node: s.Node) -> Location:
        """The place of a node of this scope's file."""
        return Location(self.source.file, "", node.line)

    def find(self, name: str) -> Value | None:
        """What a name stands for here; ``None`` if it is not known."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return None

    def set(self, name: str, value: Value, *, declares: bool = True) -> None:
        """Give a name its value; in a branch it may keep the one that it had."""
        scope: Scope = self
        if not declares:
            outer: Scope | None = self
            while outer is not None and name not in outer.names:
                outer = outer.parent
            scope = outer or self
        sure = scope is self and not self.branches
        scope.names[name] = value if sure else join(scope.names.get(name, ANYTHING), value)


class Given(NamedTuple):
    """The arguments of a call. ``keywords.open`` and ``open`` tell that there may be more."""

    positional: list[Value]
    keywords: Record
    open: bool
    node: s.Call

    def first(self) -> Value:
        return self.positional[0] if self.positional else NOTHING


def words_of(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())

"""What a rule sees: one aligned pair of its own kind, and the means to say what happened to it.

``align.py`` makes the pairs, a rule looks at one and yields ``Delta`` values, ``compare.py`` places and judges them.
A rule never walks, prints or opens files.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias, TypedDict

from guardian.model import Confidence, Direction, Effect, Hit, Impact, Severity
from guardian.rules.form_fields import TEXT, Form, FormField, Writing
from guardian.rules.url_text import is_one_text
from guardian.spec.api import (
    Api,
    Body,
    MediaType,
    Node,
    Operation,
    Parameter,
    Response,
    Schema,
    SecurityScheme,
    Server,
)
from guardian.spec.shape import Atom, Shape

Relate = Callable[[Schema, Schema], Effect | None]


#: The fact that a discriminator's value alone selects what a delta is about: judges then go by it.
BY_TAG = "by-tag"


#: The fact that no document says what the sending side sends: then a judge that knows nothing of it proves nothing.
UNKNOWN_SENT = "unknown-sent"


class Delta(NamedTuple):
    """What one rule says about one pair; everything that is ``None`` comes from the rule and the verdict table.

    ``field`` is relative to the pair (``email``, ``query:page``, ``scope:users.read``, empty for the pair itself).
    ``base`` and ``head`` are the nodes to point at: for something removed, ``head`` is its former parent.
    ``severity`` overrides the verdict table and is argued in the rule's docstring.
    ``unproved`` says why there can be no witness. ``unless`` are groups of names beside the field: where all of one group are
    there, the field need not be.
    """

    effect: Effect
    message: str
    field: str = ""
    base: Node | None = None
    head: Node | None = None
    severity: Severity | None = None
    confidence: Confidence | None = None
    hit: Hit | None = None
    impact: Impact | None = None
    strict_impact: Impact | None = None
    why: str | None = None
    renamed_to: str | None = None
    place: str | None = None
    unproved: str | None = None
    # Words that tell apart what the leading tool has several names for: see ``guardian.rules.aliases``.
    facts: tuple[str, ...] = ()
    # What a witness is built from: values that only one side accepts at this very place, tried in order.
    samples: tuple[Any, ...] = ()
    unless: tuple[tuple[str, ...], ...] = ()


class ApiPair(NamedTuple):
    """Both sides of one service."""

    base: Api
    head: Api


class OperationPair(NamedTuple):
    """One operation on both sides, matched by effective URL or template shape; ``None`` where a side lacks it.

    ``direction`` is that of its request: turned round for webhooks and callbacks. ``base_parent`` and ``head_parent``
    are where a side would have it that lacks it. ``instead`` are head's operations that answer together wherever one was
    called that is gone: its path has gone into a template, or the other way round.
    """

    base: Operation | None
    head: Operation | None
    direction: Direction
    # head path-template variable name by base name ({id} -> {userId}); names do not matter on the wire
    renamed_variables: tuple[tuple[str, str], ...] = ()
    base_parent: Node | None = None
    head_parent: Node | None = None
    instead: tuple[Operation, ...] = ()


class ParameterPair(NamedTuple):
    """One parameter or header, matched by (location, name); headers without case, path variables by position."""

    base: Parameter | None
    head: Parameter | None
    direction: Direction
    # The operation's parameters on either side, for rules that need to see what else changed.
    base_parent: Node | None = None
    head_parent: Node | None = None


class BodyPair(NamedTuple):
    """The request body of both sides."""

    base: Body | None
    head: Body | None
    direction: Direction
    base_parent: Node | None = None
    head_parent: Node | None = None


class MediaTypePair(NamedTuple):
    """One media type of a body or response that both sides have, maybe one of them as part of a range.

    ``kept`` is true where that range is on both sides, and only no longer, or newly, describes the other type.
    """

    base: MediaType | None
    head: MediaType | None
    direction: Direction
    base_parent: Node | None = None
    head_parent: Node | None = None
    kept: bool = False


class ResponsePair(NamedTuple):
    """One status. A base status without a like in head is paired with head's range or ``default``, and vice versa."""

    base: Response | None
    head: Response | None
    direction: Direction
    base_parent: Node | None = None
    head_parent: Node | None = None


class HeaderPair(NamedTuple):
    """One response header, matched by name without case."""

    base: Parameter | None
    head: Parameter | None
    direction: Direction
    base_parent: Node | None = None
    head_parent: Node | None = None


class MediaTypeOffer(NamedTuple):
    """A media type that one side alone has, in a body that both sides have.

    ``negotiated`` is true for the responses of an API: there the reader names what it wants (RFC 9110, Accept), so an
    offer more costs nobody anything and an offer less fails whoever asked for it. ``shared`` is true if some other
    media type of the same body is on both sides, ``in_part`` if it is a range of which the other side has a type.
    """

    base: MediaType | None
    head: MediaType | None
    direction: Direction
    negotiated: bool
    shared: bool
    base_parent: Node | None = None
    head_parent: Node | None = None
    in_part: bool = False


class ServersPair(NamedTuple):
    """The server lists that hold for the same operations on both sides.

    ``routes`` are the path templates of those operations, variable names erased, as (base, head); all that are equal
    count as one pair of empty texts. With them a base path that moved into the paths is seen to be no move at all.
    """

    base: tuple[Server, ...]
    head: tuple[Server, ...]
    direction: Direction
    routes: tuple[tuple[str, str], ...]
    base_parent: Node
    head_parent: Node


class SchemePair(NamedTuple):
    """One security scheme that operations of both sides require, the same on the wire: for what is not on the wire."""

    base: SecurityScheme
    head: SecurityScheme
    direction: Direction = Direction.REQUEST


class SchemaRoot(NamedTuple):
    """Where a schema comparison starts: the place in the message, and how its values are written on the wire.

    ``text`` is true where all of it travels as text (parameters, headers). ``form`` says how the sending side writes
    each field of a form: as text, or as JSON. ``base_holder`` and ``head_holder`` are what holds the schemas: what to point at
    where there is none.
    """

    base: Schema
    head: Schema
    direction: Direction
    place: str
    field: str = ""  # "query:page" for a parameter, empty for a body
    text: bool = False
    style: str = ""  # how the sending side writes a parameter; empty: the default of its location
    explode: bool | None = None
    xml: bool = False  # the body travels as XML
    form: Form | None = None
    base_holder: Node | None = None
    head_holder: Node | None = None
    doubt: str = ""  # why what differs here may have been meant so, and is a warning at most

    @property
    def writing(self) -> Writing:
        """How its values are written: as a form, as text, or as JSON and the like."""
        if self.form is not None or not self.text:
            return self.form
        # As many roots as can share what is found for one of them.
        return FormField(self.style, self.explode is True, styled=True) if self.is_one_text else TEXT

    @property
    def is_one_text(self) -> bool:
        """Whether all of a list or object travels as one value, which a string is as well."""
        return self.text and self.form is None and bool(self.style) and is_one_text(self.style, self.explode is True)


class UnionPair(NamedTuple):
    """Two effective shapes with their alternatives already matched.

    ``lost`` and ``gained`` are the alternatives without a partner on the other side. ``relate`` compares two schemas
    below and says what happened from base to head as a whole, or ``None`` if they accept the same.
    """

    base: Shape
    head: Shape
    direction: Direction
    text: bool
    matched: tuple[tuple[Atom, Atom], ...]
    lost: tuple[Atom, ...]
    gained: tuple[Atom, ...]
    base_node: Node | None
    head_node: Node | None
    relate: Relate
    one_text: bool = False  # whether all of a list or object travels as one value
    octets: bool = False  # whether what has no type is octets, and so a text


class Ends(TypedDict):
    """Where a delta points at on either side, to be unpacked into ``Delta``."""

    base: Node | None
    head: Node | None


class AtomPair(NamedTuple):
    """Two matched alternatives of one JSON type. Each kind has its own subclass, so that a rule names what it judges.

    ``probing`` is true where only effects are asked for: a rule may then spare what merely words its finding,
    and say once what it would say of many names. ``others`` are the further alternatives of base, and those of head, where
    the other side has this one alone, which takes all that they take: a message may be of one of these instead.
    """

    base: Atom
    head: Atom
    direction: Direction
    text: bool
    relate: Relate
    probing: bool = False
    others: tuple[tuple[Atom, ...], tuple[Atom, ...]] = ((), ())

    def nodes(self, base: Node | None, head: Node | None) -> Ends:
        """Where to point at, with the alternative itself standing in for what a side does not have."""
        return {"base": base or self.base.node, "head": head or self.head.node}


class XmlPair(NamedTuple):
    """Two matched objects in a body that travels as XML, for what only XML shows."""

    base: Atom
    head: Atom
    direction: Direction


class NullPair(AtomPair):
    """null on both sides: nothing can differ but listed values."""


class BooleanPair(AtomPair):
    """booleans."""


class NumberPair(AtomPair):
    """numbers and integers."""


class StringPair(AtomPair):
    """strings."""


class ArrayPair(AtomPair):
    """arrays."""


class ObjectPair(AtomPair):
    """objects."""


ATOM_PAIRS: dict[str, type[AtomPair]] = {
    "null": NullPair,
    "boolean": BooleanPair,
    "number": NumberPair,
    "string": StringPair,
    "array": ArrayPair,
    "object": ObjectPair,
}


#: What the walk above the schema level yields.
Pair: TypeAlias = (
    ApiPair
    | ServersPair
    | SchemePair
    | OperationPair
    | ParameterPair
    | BodyPair
    | MediaTypePair
    | MediaTypeOffer
    | ResponsePair
    | HeaderPair
    | SchemaRoot
)


class Placed(NamedTuple):
    """One pair and where it is: ``operation`` as base names it, ``place`` the part of it, in words.

    ``operation`` is empty for what concerns the whole service. ``direction`` is that of the messages concerned.
    """

    pair: Pair
    operation: str
    place: str
    direction: Direction

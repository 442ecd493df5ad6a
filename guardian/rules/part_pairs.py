"""Pairs of the message parts that ``pairs.py`` does not name: headers, offered media types, servers, schemes.

They are made by ``align.py`` and seen by rules exactly as the others are.
"""

from __future__ import annotations

from dataclasses import dataclass

from guardian.model import Direction
from guardian.spec.api import MediaType, Node, Parameter, SecurityScheme, Server


@dataclass(frozen=True, slots=True)
class HeaderPair:
    """One response header, matched by name without case."""

    base: Parameter | None
    head: Parameter | None
    direction: Direction
    base_parent: Node | None = None
    head_parent: Node | None = None


@dataclass(frozen=True, slots=True)
class MediaTypeOffer:
    """A media type that one side alone has, in a body that both sides have.

    ``negotiated`` is true for the responses of an API: there the reader names what it wants (RFC 9110, Accept), so an
    offer more costs nobody anything and an offer less fails whoever asked for it. ``shared`` is true if some other
    media type of the same body is on both sides.
    """

    base: MediaType | None
    head: MediaType | None
    direction: Direction
    negotiated: bool
    shared: bool
    base_parent: Node | None = None
    head_parent: Node | None = None


@dataclass(frozen=True, slots=True)
class ServersPair:
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


@dataclass(frozen=True, slots=True)
class SchemePair:
    """One security scheme that operations of both sides require, the same on the wire: for what is not on the wire."""

    base: SecurityScheme
    head: SecurityScheme
    direction: Direction = Direction.REQUEST

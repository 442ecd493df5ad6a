"""What callers must present, compared as sets of ways in: any one way is enough, all of a way are needed.

Schemes are told apart by what they are on the wire, never by their names in the document. A caller of base is let in by
head if some way of head asks for nothing that the caller does not present already. Everything else is put in words by
its nearest likeness: more scopes, a scheme more, another scheme, a way gone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple
from weakref import WeakKeyDictionary

from guardian.rules.pairs import OperationPair
from guardian.spec.api import Node, Operation, SecurityScheme

Identity = tuple[str, ...]
What = Literal["scopes", "schemes", "replaced", "way"]


class Way(NamedTuple):
    """One alternative: schemes that are presented together, with their scopes. None at all: anonymous."""

    schemes: Mapping[Identity, SecurityScheme]
    scopes: Mapping[Identity, frozenset[str]]
    node: Node

    def lets_in(self, other: Way) -> bool:
        """Whether whoever presents what ``other`` asks for may enter this way."""
        return all(
            identity in other.schemes and scopes <= other.scopes[identity] for identity, scopes in self.scopes.items()
        )

    def beyond(self, other: Way) -> list[SecurityScheme]:
        """The schemes that ``other`` does not ask for."""
        return [scheme for identity, scheme in self.schemes.items() if identity not in other.schemes]

    def scopes_beyond(self, other: Way) -> list[str]:
        """The scopes that ``other`` does not ask for, of schemes that both ask for."""
        shared = [identity for identity in self.scopes if identity in other.scopes]
        return sorted({scope for identity in shared for scope in self.scopes[identity] - other.scopes[identity]})

    @property
    def components(self) -> frozenset[str]:
        return frozenset(scheme.component for scheme in self.schemes.values())


class Step(NamedTuple):
    """What happened to one way in: ``before`` or ``after`` is ``None`` if it has no likeness on that side.

    ``what``: ``scopes`` of the same schemes differ; ``schemes`` were added to it or taken from it; it was
    ``replaced`` by another; or the ``way`` is there on one side only. ``tighter`` is true if callers of ``before``
    are shut out, ``looser`` if callers come in by ``after`` who did not. ``others`` is true if callers of base have
    some way that is as it was.
    """

    what: What
    before: Way | None
    after: Way | None
    tighter: bool
    looser: bool
    others: bool


def ways(operation: Operation) -> list[Way]:
    """The ways in, each once; nothing required is the anonymous way."""
    found: dict[object, Way] = {}
    for requirement in operation.parts.security or ():
        schemes: dict[Identity, SecurityScheme] = {}
        scopes: dict[Identity, frozenset[str]] = {}
        for scheme, wanted in requirement.schemes:
            schemes.setdefault(scheme.identity, scheme)
            scopes[scheme.identity] = scopes.get(scheme.identity, frozenset()) | wanted
        found.setdefault(frozenset(scopes.items()), Way(schemes, scopes, requirement.node))
    return list(found.values()) or [Way({}, {}, operation.node)]


# By head's operation, with base's. What has been compared is not kept alive by being remembered.
_STEPS: WeakKeyDictionary[Operation, tuple[Operation, tuple[Step, ...]]] = WeakKeyDictionary()


def steps(pair: OperationPair) -> tuple[Step, ...]:
    """Everything that happened to the ways in of one operation; remembered, since one rule after the other asks."""
    base, head = pair.base, pair.head
    if base is None or head is None:
        return ()
    known = _STEPS.get(head)
    if known is None or known[0] is not base:
        known = _STEPS[head] = base, tuple(_steps(base, head))
    return known[1]


def _steps(base: Operation, head: Operation) -> Iterator[Step]:
    if not (base.parts.security or head.parts.security):
        return
    before, after = ways(base), ways(head)
    lost = [way for way in before if not any(other.lets_in(way) for other in after)]
    gained = [way for way in after if not any(other.lets_in(way) for other in before)]
    others = len(lost) < len(before)
    for one, other in _replaced(lost, gained, before, after):
        lost.remove(one)
        gained.remove(other)
        yield Step("replaced", one, other, True, True, others)
    tightened = [(*_likeness(way, after), way) for way in lost]
    loosened = [(*_likeness(way, before), way) for way in gained]
    # What is the likeness of some way of the other side is told there, once.
    likenesses = [partner for _, partner, _ in (*tightened, *loosened)]
    for what, partner, way in tightened:
        if partner or way not in likenesses:
            yield Step(what, way, partner, True, partner in gained, others)
    for what, partner, way in loosened:
        if way not in likenesses:
            yield Step(what, partner, way, partner in lost, True, others)


def _likeness(way: Way, candidates: list[Way]) -> tuple[What, Way | None]:
    """The way on the other side that asks for the same schemes, or for these and more."""
    for other in candidates:
        if other.schemes.keys() == way.schemes.keys():
            return "scopes", other
    for other in candidates:
        if other.schemes.keys() > way.schemes.keys():
            return "schemes", other
    return "way", None


def _replaced(lost: list[Way], gained: list[Way], before: list[Way], after: list[Way]) -> list[tuple[Way, Way]]:
    """Ways without a likeness in pairs: by the names of their components, then one that is left and one that is new."""
    left = [way for way in lost if _likeness(way, after)[1] is None]
    right = [way for way in gained if _likeness(way, before)[1] is None]
    pairs: list[tuple[Way, Way]] = []
    for way in list(left):
        namesake = next((other for other in right if other.components == way.components), None)
        if namesake is not None:
            left.remove(way)
            right.remove(namesake)
            pairs.append((way, namesake))
    if len(left) == len(right) == 1:
        pairs.append((left[0], right[0]))
    return pairs


def described(scheme: SecurityScheme) -> str:
    """A scheme in words: what a client presents."""
    if scheme.kind == "apiKey":
        where, _, name = (scheme.field or ":").partition(":")
        return f"the API key in {where} `{name}`"
    if scheme.kind == "http":
        return f"HTTP {scheme.identity[-1]} credentials"
    words = {"oauth2": "an OAuth 2.0 token", "openIdConnect": "an OpenID Connect token"}
    return words.get(scheme.kind, "a client certificate" if scheme.kind == "mutualTLS" else f"`{scheme.kind}`")

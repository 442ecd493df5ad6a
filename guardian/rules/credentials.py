"""What callers must present, compared as sets of ways in: any one way is enough, all of a way are needed.

Schemes are told apart by what they are on the wire; a name in the document counts only where both sides declare it, for
then it was not renamed. A caller of base is let in by head if some way of head asks for nothing that the caller does not
present already. Everything else is put in words by its nearest likeness: more scopes, a scheme more, another scheme, a
way gone. It is in doubt where two schemes travel alike: the documents do not say whether a credential of the one is good
for the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple
from weakref import WeakKeyDictionary

from guardian.rules.carried import only_credentials
from guardian.rules.pairs import OperationPair
from guardian.spec.api import Node, Operation, SecurityScheme

# What a scheme is on the wire, with its name where that is declared on both sides.
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

    def with_scopes_of(self, other: Way) -> Way:
        """The same schemes, with what scopes ``other`` asks for of them as well."""
        return self._replace(
            scopes={key: held | other.scopes.get(key, frozenset()) for key, held in self.scopes.items()}
        )

    def may_let_in(self, other: Way) -> bool:
        """Whether it may be so, where the documents do not say what else a credential of ``other`` is good for."""
        return all(
            any(_may_be_good(given, other.scopes[key], scheme, self.scopes[identity])
                for key, given in other.schemes.items())
            for identity, scheme in self.schemes.items()
        )  # fmt: skip

    @property
    def components(self) -> frozenset[str]:
        return frozenset(scheme.component for scheme in self.schemes.values())


# What travels as a token in the header Authorization, however it was come by.
_TOKENS = frozenset({"bearer", "oauth2", "openIdConnect"})


def _may_be_good(given: SecurityScheme, held: frozenset[str], wanted: SecurityScheme, needed: frozenset[str]) -> bool:
    """Whether a credential of one scheme that holds these scopes may be good where another is asked for."""
    if not _travels_like(given, wanted):
        return False
    # Where both say which scopes there are, one that is missing is missing.
    return needed <= held or (given.identity != wanted.identity and given.kind in {"apiKey", "http"})


def _travels_like(one: SecurityScheme, other: SecurityScheme) -> bool:
    """Whether the credentials of two schemes cannot be told apart on the wire."""
    if one.identity == other.identity:
        return True
    kinds = {each.identity[-1] if each.kind == "http" else each.kind for each in (one, other)}
    if kinds <= _TOKENS:
        return True
    # An API key in this header is the whole of its text, whatever scheme that begins with.
    keys = [each for each in (one, other) if each.identity == ("apiKey", "header", "authorization")]
    return bool(keys) and (one.field or "").lower() == (other.field or "").lower()


class Step(NamedTuple):
    """What happened to one way in: ``before`` or ``after`` is ``None`` if it has no likeness on that side.

    ``what``: ``scopes`` of the same schemes differ; ``schemes`` were added to it or taken from it; it was
    ``replaced`` by another; or the ``way`` is there on one side only. ``tighter`` is true if callers of ``before``
    are shut out, ``looser`` if callers come in by ``after`` who did not. ``others`` is true if callers of base have
    some way that is as it was. ``doubtful`` is true if callers of ``before`` may be let in all the same.
    """

    what: What
    before: Way | None
    after: Way | None
    tighter: bool
    looser: bool
    others: bool
    doubtful: bool = False


def ways(operation: Operation, shared: frozenset[Identity] = frozenset()) -> list[Way]:
    """The ways in, each once; nothing required is the anonymous way. ``shared`` is what both sides declare."""
    found: dict[object, Way] = {}
    for requirement in operation.parts.security or ():
        schemes: dict[Identity, SecurityScheme] = {}
        scopes: dict[Identity, frozenset[str]] = {}
        for scheme, wanted in requirement.schemes:
            named = *scheme.identity, scheme.component
            identity = named if named in shared else scheme.identity
            schemes.setdefault(identity, scheme)
            scopes[identity] = scopes.get(identity, frozenset()) | wanted
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
    shared = _declared(base) & _declared(head)
    before, after = only_credentials(base, head, ways(base, shared), ways(head, shared))
    lost = [way for way in before if not any(other.lets_in(way) for other in after)]
    gained = [way for way in after if not any(other.lets_in(way) for other in before)]
    others = len(lost) < len(before)
    for one, other in _replaced(lost, gained, before, after):
        lost.remove(one)
        gained.remove(other)
        yield Step("replaced", one, other, True, True, others, other.may_let_in(one))
    tightened = [(*_likeness(way, after), way) for way in lost]
    loosened = [(*_likeness(way, before), way) for way in gained]
    # What is the likeness of some way of the other side is told there, once.
    likenesses = [partner for _, partner, _ in (*tightened, *loosened)]
    for what, partner, way in tightened:
        if partner or way not in likenesses:
            doubtful = any(other.may_let_in(way) for other in ([partner] if partner else after))
            yield Step(what, way, partner, True, partner in gained, others, doubtful)
    told = [way for _, partner, way in tightened if partner]
    for what, partner, way in loosened:
        if way not in likenesses:
            yield Step(what, partner, way, partner in lost and partner not in told, True, others)


def _declared(operation: Operation) -> frozenset[Identity]:
    """The schemes, each with its name, that are what an operation requires, or the same on the wire."""
    schemes = (scheme for requirement in operation.parts.security or () for scheme, _ in requirement.schemes)
    return frozenset((*scheme.identity, name) for scheme in schemes for name in scheme.alike)


def is_renamed(one: SecurityScheme, other: SecurityScheme) -> bool:
    """Whether a scheme has another name on the other side: its former one is gone there, and the new one new."""
    return one.identity == other.identity and one.component not in other.alike and other.component not in one.alike


def _likeness(way: Way, candidates: list[Way]) -> tuple[What, Way | None]:
    """The way on the other side that asks for the same schemes, or for these and more."""
    alike = [other for other in candidates if other.schemes.keys() == way.schemes.keys()]
    if alike:  # the one of which the fewest scopes differ
        return "scopes", min(alike, key=lambda other: len(way.scopes_beyond(other)) + len(other.scopes_beyond(way)))
    for other in candidates:
        if other.schemes.keys() > way.schemes.keys():
            return "schemes", other
    return "way", None


def _replaced(lost: list[Way], gained: list[Way], before: list[Way], after: list[Way]) -> list[tuple[Way, Way]]:
    """Ways without a likeness in pairs: by the names of their components, as they travel, then the last of each side."""
    left = [way for way in lost if _likeness(way, after)[1] is None]
    right = [way for way in gained if _likeness(way, before)[1] is None]
    pairs: list[tuple[Way, Way]] = []
    for alike in (_named_alike, _travel_alike):
        for way in list(left):
            partner = next((other for other in right if alike(way, other)), None)
            if partner is not None:
                left.remove(way)
                right.remove(partner)
                pairs.append((way, partner))
    if len(left) == len(right) == 1:
        pairs.append((left[0], right[0]))
    return pairs


def _named_alike(one: Way, other: Way) -> bool:
    return one.components == other.components


def _travel_alike(one: Way, other: Way) -> bool:
    return other.may_let_in(one)


def described(scheme: SecurityScheme) -> str:
    """A scheme in words: what a client presents."""
    if scheme.kind == "apiKey":
        where, _, name = (scheme.field or ":").partition(":")
        return f"the API key in {where} `{name}`"
    if scheme.kind == "http":
        return f"HTTP {scheme.identity[-1]} credentials"
    words = {"oauth2": "an OAuth 2.0 token", "openIdConnect": "an OpenID Connect token"}
    return words.get(scheme.kind, "a client certificate" if scheme.kind == "mutualTLS" else f"`{scheme.kind}`")

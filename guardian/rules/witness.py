"""Witnesses: for a finding, one small message that one side accepts and the other refuses, judged independently.

In a request the witness worked on base and is refused by head; in a response head may send it and a reader made for
base cannot use it. A value that tells the two sides apart is found at the very place of the finding, then laid into a
smallest message, and the whole is judged once more. Where a response merely lost an optional property, the reader's
need for it is part of the question. No judged value, no witness: then a sentence says why.
"""

from __future__ import annotations

import marshal
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import count, islice
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

from guardian.model import Confidence, Direction, Witness
from guardian.rules.below import Child
from guardian.rules.boundaries import Boundaries
from guardian.rules.by_tag import untagged
from guardian.rules.form_fields import TEXT
from guardian.rules.form_messages import Sent, as_sent
from guardian.rules.judge import Judge, Judges
from guardian.rules.laying import around
from guardian.rules.pairs import SchemaRoot
from guardian.rules.rewrite import Role
from guardian.rules.sample import FEW, Sampler
from guardian.rules.sought import (
    about_tags,
    claims_of,
    elsewhere,
    is_beyond,
    may_send,
    needs_of,
    none_needed,
    only_name,
    refused_for,
    tells_apart,
    turned,
    writing_at,
)
from guardian.rules.url_text import write
from guardian.rules.validator import Json
from guardian.rules.walk import Found, Walker
from guardian.spec.api import Node, Schema
from guardian.spec.shape import Atom, Bound

# For one finding: values tried at its place, and whole messages that one of them is laid into. A value costs two
# questions to the judges at most, a message two more.
MAX_TRIED = 400
MAX_LOCAL = 4
MAX_MESSAGES = 8

NO_VALUE = "no value was found that one side accepts and the other refuses"
NO_MESSAGE = "no whole message was found that shows the difference"
NO_SENT = "no message could be built that the sending side accepts"
TOO_LARGE = "a value that shows the difference is larger than any that is built"
# Not among the reasons below: it is another field that stands in the way, which says nothing of the finding.
NO_FORM = "no whole form was found: it takes `{}`, and no value of it was found that is sent and fits"
#: The reasons that cast doubt on the finding itself, since the schemas could be asked and nothing told them apart.
SOUGHT_IN_VAIN = frozenset((NO_VALUE, NO_MESSAGE))


def witnesses(found: Sequence[Found], walker: Walker) -> list[Witness | str]:
    """A witness of each finding, or why there is none, as a sentence.

    Args:
        found: findings of ``walker``.
        walker: holds the shapes of both sides; what is built for one finding is kept for the next one.

    Raises:
        RefError: a reference in the schemas leads nowhere.
    """
    prover = _PROVERS.get(walker)
    if prover is None:
        prover = _PROVERS[walker] = Prover(walker)
    proofs = [prover.witness(each) for each in found]
    walker.assumed = walker.assumed or prover.has_cut
    return proofs


_T = TypeVar("_T")
_Step: TypeAlias = tuple[Schema, Child, Schema]  # from a place, to one below it
_Candidate: TypeAlias = tuple[bytes, Any]  # a value, after bytes that only the very same value is written as


class _Remembered(Generic[_T]):
    """What an iterator gives, for everybody who asks and no further than somebody has."""

    def __init__(self, source: Iterator[_T]) -> None:
        self._known: list[_T] = []
        self._source = source

    def __iter__(self) -> Iterator[_T]:
        for index in count():
            if index == len(self._known):
                self._known.extend(islice(self._source, 1))
            if index == len(self._known):
                return
            yield self._known[index]


class _Shown(NamedTuple):
    """A message that shows a finding, and the property that nobody finds in it any more."""

    message: Any
    lost: str | None


class Prover:
    """Builds witnesses over one comparison and remembers the parts."""

    def __init__(self, walker: Walker) -> None:
        self._shapers = (walker.base_shaper, walker.head_shaper)
        self._base_judges = Judges()
        self._head_judges = Judges()
        self._samplers: dict[tuple[bool, Direction], Sampler] = {}
        self._locals: dict[Hashable, tuple[_Remembered[Any], list[str]]] = {}
        self._limits: dict[Hashable, _Remembered[tuple[str, _Candidate]]] = {}
        self._alternatives: dict[Hashable, _Remembered[_Candidate]] = {}
        self._shown: dict[Hashable, _Shown | str] = {}
        self._answers: defaultdict[object, dict[bytes, tuple[bool, list[str]]]] = defaultdict(dict)

    @property
    def has_cut(self) -> bool:
        """Whether anything was left out of a value because it leads back to itself."""
        return any(sampler.has_cut for sampler in self._samplers.values())

    def witness(self, found: Found) -> Witness | str:
        """A witness of one finding; see ``guardian.rules.witness.witnesses``."""
        why = none_needed(found)
        if why:
            return why
        key = self._identity(found)
        shown = self._shown.get(key)
        if shown is None:
            shown = self._show(found)
            if isinstance(shown, str) and (plain := untagged(found)) is not found:
                # Of other variants on the way the documents may contradict themselves, so that no message has their values.
                again = self._show(plain)
                shown = shown if isinstance(again, str) else again
            self._shown[key] = shown
        return shown if isinstance(shown, str) else _worded(found, shown)

    def _identity(self, found: Found) -> Hashable:
        """What a finding shares with those alone that the same message shows, be it in other operations."""
        root, delta = found.root, found.delta
        where = tuple((child.step, child.literal, child.selected) for child in found.path)
        said = found.rule.id, delta.field, delta.message, delta.confidence
        pairs = self._between(root.base, root.head, root), self._between(found.base, found.head, root)
        return pairs, root.writing, where, said

    def _between(self, base: Schema, head: Schema, root: SchemaRoot) -> Hashable:
        """What a pair of schemas shares with those alone that mean the same on both sides."""
        return self._base_judges.alike(base), self._head_judges.alike(head), root.direction, root.text

    def _show(self, found: Found) -> _Shown | str:
        """A whole message that shows a finding, or why there is none."""
        root, lost, tags = found.root, self.lost_property(found), about_tags(found)
        needs, writing = needs_of(found, lost) if lost else True, root.writing
        judges = self._judges(root, root.base, root.head, tags)
        reasons: list[str] = []
        missing = ""
        for value in islice(self.local(found, lost, reasons), MAX_LOCAL):
            missing = missing or NO_MESSAGE
            for message in islice(self.messages(found, value), MAX_MESSAGES):
                sent = self._sent(found, message)
                if sent is None:
                    continue
                if tells_apart(judges, writing, sent.message, needs, reasons):
                    return _Shown(sent.message, lost)
                others = elsewhere(found, sent.replaced)
                if others and tells_apart(judges, writing, message, needs, reasons):
                    # The message shows it; what is made of it does not only if nobody may send that.
                    missing = missing if may_send(judges[0], sent.message) else NO_FORM.format(others[0][0])
        if reasons:
            return reasons[0]
        if not missing:
            return self._why_no_value(found, lost)
        return NO_SENT if missing is NO_MESSAGE and not self._is_around_sent(found, judges[0]) else missing

    def _why_no_value(self, found: Found, lost: str | None) -> str:
        """Why no value was found at the place: it does not follow that there is none."""
        if is_beyond(found, self._sizes(found)):
            return TOO_LARGE
        sent, _ = turned(found.root, found.base, found.head)
        sender = self._sender(found.root)
        judge = self._judges(found.root, found.base, found.head, about_tags(found))[0]
        if not sender.atoms(sent):  # nothing at all is sent there
            return NO_VALUE
        tried = islice(self._candidates(found, lost), MAX_TRIED)
        return NO_VALUE if any(may_send(judge, value) for _, value in tried) else NO_SENT

    def _is_around_sent(self, found: Found, judge: Judge) -> bool:
        """Whether any message could be built around the place, with whatever value there."""
        sender = self._sender(found.root)
        steps = _way_to(found)
        if not all(_is_written(sender, parent, child) for parent, child, _ in steps):
            return True  # it is only guessed that anything is sent there: that none could be built is an answer
        for value in sender.values(steps[-1][2])[:MAX_LOCAL] if steps else ():
            for message in islice(self.messages(found, value), MAX_MESSAGES):
                sent = self._sent(found, message)
                if sent is not None and may_send(judge, sent.message):
                    return True
        return not steps

    def _sizes(self, found: Found) -> Iterator[tuple[str, Bound]]:
        """The limits of sizes that both sides set at the place of a finding, each with its keyword."""
        for sampler, schema in ((False, found.base), (True, found.head)):
            for atom in self._sampler(sampler, found.root.direction).atoms(schema):
                for keyword, bound in (
                    ("minLength", atom.min_length),
                    ("maxLength", atom.max_length),
                    ("minItems", atom.min_items),
                    ("maxItems", atom.max_items),
                    ("minProperties", atom.min_properties),
                    ("maxProperties", atom.max_properties),
                ):
                    if bound is not None:
                        yield keyword, bound

    # -- at the place of the finding -----------------------------------------------------------------------------------

    def local(self, found: Found, lost: str | None, reasons: list[str]) -> Iterator[Any]:
        """Values at the place of the finding that only one side accepts; for many operations found once."""
        delta, root = found.delta, found.root
        # All that a search goes by: nothing of it may hang on which of several findings is looked at first.
        said = found.rule.id, delta.field, delta.message, delta.confidence
        key = (self._between(found.base, found.head, root), writing_at(found), said, lost, about_tags(found))
        if key not in self._locals:
            told: list[str] = []
            self._locals[key] = _Remembered(self._search(found, lost, told)), told
        values, told = self._locals[key]
        yield from values
        reasons.extend(told)

    def _search(self, found: Found, lost: str | None, reasons: list[str]) -> Iterator[Any]:
        needs: Json = {"required": [lost]} if lost else True
        tags = about_tags(found)
        judges = self._judges(found.root, found.base, found.head, tags)
        undecided = found.delta.confidence is Confidence.POSSIBLE
        # Several findings at one place are put to the same judges, mostly with the same values.
        writing = writing_at(found)
        answers = self._answers[self._between(found.base, found.head, found.root), writing, lost, tags]
        for written, value in _each_once(islice(self._candidates(found, lost), MAX_TRIED)):
            if written not in answers:
                told: list[str] = []
                answers[written] = tells_apart(judges, writing, value, needs, told), told
            tells, why_not = answers[written]
            reasons.extend(why_not)
            if tells and (not undecided or refused_for(judges[1], found, value)):
                yield value

    def _candidates(self, found: Found, lost: str | None) -> Iterator[_Candidate]:
        """What the finding itself suggests, then the limits that its rule speaks of, then everything."""
        yield from self._suggested(found, lost)
        claims = claims_of(found)
        others: list[_Candidate] = []
        for keyword, candidate in self._at_limits(found):
            if keyword in claims:
                yield candidate
            else:
                others.append(candidate)
        yield from others

    def _suggested(self, found: Found, lost: str | None) -> Iterator[_Candidate]:
        direction = found.root.direction
        sent, _ = turned(found.root, found.base, found.head)
        sender = self._sender(found.root)
        yield from map(_candidate, found.delta.samples)
        told = found.delta.base if direction is Direction.REQUEST else found.delta.head
        if told is not None:
            if "/enum/" in told.pointer:
                yield _candidate(told.value)
            yield from self._of_alternatives(found, sender, sent, told)
        if lost:
            yield from map(_candidate, sender.values(sent))
        name = only_name(found.delta.field)
        if name is not None:
            for atom in sender.atoms(sent):
                if atom.kind == "object":
                    yield from map(_candidate, self._about(sender, sent, atom, name))

    def _of_alternatives(self, found: Found, sender: Sampler, sent: Schema, told: Node) -> Iterable[_Candidate]:
        """Values of the alternatives that are written at one node; for all findings that tell of it at a place."""
        key = (self._between(found.base, found.head, found.root), told.key)
        if key not in self._alternatives:
            atoms = (atom for atom in sender.atoms(sent) if told == atom.node)
            made = (value for atom in atoms for value in islice(sender.of(atom, sent), FEW))
            self._alternatives[key] = _Remembered(map(_candidate, made))
        return self._alternatives[key]

    def _at_limits(self, found: Found) -> Iterable[tuple[str, _Candidate]]:
        """Values at the limits of a place, each with the keyword that it puts to the test; for all findings there."""
        direction = found.root.direction
        key = self._between(found.base, found.head, found.root)
        if key not in self._limits:
            samplers = [self._sampler(is_head, direction) for is_head in turned(found.root, False, True)]
            tried = Boundaries(*samplers).values(*turned(found.root, found.base, found.head))
            candidates = ((keyword, _candidate(value)) for keyword, value in islice(tried, MAX_TRIED))
            self._limits[key] = _Remembered(candidates)
        return self._limits[key]

    def _about(self, sender: Sampler, sent: Schema, atom: Atom, name: str) -> Iterator[Any]:
        """Objects with and without one property."""
        selected = sender.selection(sent, atom)
        made = sender.object(atom, selected)
        if made is not None and name not in made:
            yield made
        if name in atom.properties:
            for value in sender.values(atom.properties[name]):
                made = sender.object(atom, {**selected, name: value})
                if made is not None:
                    yield made

    def _judges(self, root: SchemaRoot, base: Schema, head: Schema, tags: bool) -> tuple[Judge, Judge]:
        """Those who speak for a place: the sending side's comes first."""
        direction = root.direction
        roles = (Role.SENDER, Role.RECEIVER) if direction is Direction.REQUEST else (Role.RECEIVER, Role.SENDER)
        judges = (
            self._base_judges.judge(base, direction, roles[0], tags=tags),
            self._head_judges.judge(head, direction, roles[1], tags=tags),
        )
        return judges if direction is Direction.REQUEST else judges[::-1]

    def lost_property(self, found: Found) -> str | None:
        """The property that head no longer sends, where base declared it."""
        name = only_name(found.delta.field)
        if found.root.direction is Direction.REQUEST or name is None:
            return None

        def declares(sampler: Sampler, schema: Schema) -> bool:
            return any(name in atom.properties for atom in sampler.atoms(schema) if atom.kind == "object")

        base, head = (self._sampler(is_head, Direction.RESPONSE) for is_head in (False, True))
        return name if declares(base, found.base) and not declares(head, found.head) else None

    # -- the whole message ---------------------------------------------------------------------------------------------

    def messages(self, found: Found, value: Any) -> Iterator[Any]:
        """Smallest messages of the sending side that hold the value where the path leads."""
        sender = self._sender(found.root)
        yield from self._wrapped(sender, _way_to(found), value)

    def _wrapped(self, sender: Sampler, steps: list[_Step], value: Any) -> Iterator[Any]:
        if not steps:
            yield value
            return
        *outer, (parent, child, below) = steps
        for made in around(sender, parent, child, below, value):
            yield from self._wrapped(sender, outer, made)

    def _sent(self, found: Found, message: Any) -> Sent | None:
        """A message as it travels; None if it does not."""
        root = found.root
        if root.form is not None:
            sender = self._sender(root)
            return as_sent(sender, turned(root, root.base, root.head)[0], root.form, message)
        # An empty array or object writes nothing: then there is no parameter at all.
        return None if root.text and not TEXT.is_sent(message) else Sent(message)

    def _sender(self, root: SchemaRoot) -> Sampler:
        """Makes what is sent: by head in a response."""
        return self._sampler(root.direction is Direction.RESPONSE, root.direction)

    def _sampler(self, is_head: bool, direction: Direction) -> Sampler:
        sampler = self._samplers.get((is_head, direction))
        if sampler is None:
            sampler = self._samplers[is_head, direction] = Sampler(self._shapers[is_head], direction)
        return sampler


_PROVERS: WeakKeyDictionary[Walker, Prover] = WeakKeyDictionary()


def _way_to(found: Found) -> list[_Step]:
    """The way from the root to the place, in what the sending side says of it."""
    schemas = [turned(found.root, found.root.base, found.root.head)[0]]
    schemas += [turned(found.root, child.base, child.head)[0] for child in found.path]
    return list(zip(schemas[:-1], found.path, schemas[1:], strict=True))


def _is_written(sender: Sampler, parent: Schema, child: Child) -> bool:
    """Whether the sending side says that it sends what a step leads through, rather than being silent about types."""
    kind = "array" if child.step == "[]" else "object"
    return not child.step or any(atom.kind == kind and not atom.silent for atom in sender.atoms(parent))


def _candidate(value: Any) -> _Candidate:
    return marshal.dumps(value, 2), value


def _each_once(candidates: Iterator[_Candidate]) -> Iterator[_Candidate]:
    """Those of the same value once."""
    seen: set[bytes] = set()
    for candidate in candidates:
        if candidate[0] not in seen:
            seen.add(candidate[0])
            yield candidate


def _worded(found: Found, shown: _Shown) -> Witness:
    root = found.root
    request = root.direction is Direction.REQUEST
    thing = "request" if "request" in root.place or "parameter" in root.place else "response"
    if not request and thing == "request":
        thing = "message"
    if request:
        explanation = f"this {thing} worked on base, is refused on head"
    elif shown.lost:
        explanation = f"head may send this {thing}, and a reader of `{shown.lost}` finds nothing in it"
    else:
        explanation = f"head may send this {thing}, and a reader made for base cannot use it"
    value = shown.message
    if root.form is None and root.text:
        location, _, name = root.field.partition(":")
        value = write(shown.message, name, location, root.style, root.explode)
    elif root.form is not None and not root.form.multipart and isinstance(value, dict):
        value = root.form.write(value)
    return Witness(value, request, not request, explanation)

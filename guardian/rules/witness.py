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
from itertools import chain, count, islice
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

from guardian.model import Confidence, Direction, Effect, Witness
from guardian.rules import patterns
from guardian.rules.boundaries import Boundaries
from guardian.rules.judge import Judge, Judges
from guardian.rules.pairs import BY_TAG, SchemaRoot
from guardian.rules.rewrite import Role
from guardian.rules.sample import FEW, Sampler, property_of
from guardian.rules.url_text import readings, write
from guardian.rules.validator import Json, Unjudgeable
from guardian.rules.walk import Child, Found, Walker
from guardian.spec.api import Node, Schema
from guardian.spec.shape import Atom

# For one finding: values tried at its place, and whole messages that one of them is laid into. A value costs two
# questions to the judges at most, a message two more.
MAX_TRIED = 400
MAX_LOCAL = 4
MAX_MESSAGES = 8

NO_VALUE = "no value was found that one side accepts and the other refuses"
NO_MESSAGE = "no whole message was found that shows the difference"
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
        why = _none_needed(found)
        if why:
            return why
        key = self._identity(found)
        shown = self._shown.get(key)
        if shown is None:
            shown = self._shown[key] = self._show(found)
        return shown if isinstance(shown, str) else _worded(found, shown)

    def _identity(self, found: Found) -> Hashable:
        """What a finding shares with those alone that the same message shows, be it in other operations."""
        root, delta = found.root, found.delta
        where = tuple((child.step, child.literal, child.selected) for child in found.path)
        said = found.rule.id, delta.field, delta.message, delta.confidence
        return self._between(root.base, root.head, root), self._between(found.base, found.head, root), where, said

    def _between(self, base: Schema, head: Schema, root: SchemaRoot) -> Hashable:
        """What a pair of schemas shares with those alone that mean the same on both sides."""
        return self._base_judges.alike(base), self._head_judges.alike(head), root.direction, root.text

    def _show(self, found: Found) -> _Shown | str:
        """A whole message that shows a finding, or why there is none."""
        root, lost, tags = found.root, self.lost_property(found), _about_tags(found)
        needs = _needs(found, lost) if lost else True
        judges = self._judges(root, root.base, root.head, tags)
        reasons: list[str] = []
        missing = NO_VALUE
        for value in islice(self.local(found, lost, reasons), MAX_LOCAL):
            missing = NO_MESSAGE
            for message in islice(self.messages(found, value), MAX_MESSAGES):
                if root.text:
                    message = self._sent_in_form(found, message) if _is_form(root, message) else message
                    if not _has_text(message):
                        continue
                if _tells_apart(judges, root, message, needs, reasons):
                    return _Shown(message, lost)
        return reasons[0] if reasons else missing

    # -- at the place of the finding -----------------------------------------------------------------------------------

    def local(self, found: Found, lost: str | None, reasons: list[str]) -> Iterator[Any]:
        """Values at the place of the finding that only one side accepts; for many operations found once."""
        delta, root = found.delta, found.root
        # All that a search goes by: nothing of it may hang on which of several findings is looked at first.
        said = found.rule.id, delta.field, delta.message, delta.confidence
        key = (self._between(found.base, found.head, root), said, lost, _about_tags(found))
        if key not in self._locals:
            told: list[str] = []
            self._locals[key] = _Remembered(self._search(found, lost, told)), told
        values, told = self._locals[key]
        yield from values
        reasons.extend(told)

    def _search(self, found: Found, lost: str | None, reasons: list[str]) -> Iterator[Any]:
        needs: Json = {"required": [lost]} if lost else True
        tags = _about_tags(found)
        judges = self._judges(found.root, found.base, found.head, tags)
        undecided = found.delta.confidence is Confidence.POSSIBLE
        # Several findings at one place are put to the same judges, mostly with the same values.
        answers = self._answers[self._between(found.base, found.head, found.root), lost, tags]
        for written, value in _each_once(islice(self._candidates(found, lost), MAX_TRIED)):
            if written not in answers:
                told: list[str] = []
                answers[written] = _tells_apart(judges, found.root, value, needs, told), told
            tells, why_not = answers[written]
            reasons.extend(why_not)
            if tells and (not undecided or _refused_for(judges[1], found, value)):
                yield value

    def _candidates(self, found: Found, lost: str | None) -> Iterator[_Candidate]:
        """What the finding itself suggests, then the limits that its rule speaks of, then everything."""
        yield from self._suggested(found, lost)
        claims = _claims(found)
        others: list[_Candidate] = []
        for keyword, candidate in self._at_limits(found):
            if keyword in claims:
                yield candidate
            else:
                others.append(candidate)
        yield from others

    def _suggested(self, found: Found, lost: str | None) -> Iterator[_Candidate]:
        direction = found.root.direction
        sent, _ = _turned(found.root, found.base, found.head)
        sender = self._sampler(direction is Direction.RESPONSE, direction)
        yield from map(_candidate, found.delta.samples)
        told = found.delta.base if direction is Direction.REQUEST else found.delta.head
        if told is not None:
            if "/enum/" in told.pointer:
                yield _candidate(told.value)
            yield from self._of_alternatives(found, sender, sent, told)
        if lost:
            yield from map(_candidate, sender.values(sent))
        name = _only_name(found.delta.field)
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
            samplers = [self._sampler(is_head, direction) for is_head in _turned(found.root, False, True)]
            tried = Boundaries(*samplers).values(*_turned(found.root, found.base, found.head))
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
        name = _only_name(found.delta.field)
        if found.root.direction is Direction.REQUEST or name is None:
            return None

        def declares(sampler: Sampler, schema: Schema) -> bool:
            return any(name in atom.properties for atom in sampler.atoms(schema) if atom.kind == "object")

        base, head = (self._sampler(is_head, Direction.RESPONSE) for is_head in (False, True))
        return name if declares(base, found.base) and not declares(head, found.head) else None

    # -- the whole message ---------------------------------------------------------------------------------------------

    def messages(self, found: Found, value: Any) -> Iterator[Any]:
        """Smallest messages of the sending side that hold the value where the path leads."""
        sender = self._sampler(found.root.direction is Direction.RESPONSE, found.root.direction)
        schemas = [_turned(found.root, found.root.base, found.root.head)[0]]
        schemas += [_turned(found.root, child.base, child.head)[0] for child in found.path]
        steps = list(zip(schemas[:-1], found.path, schemas[1:], strict=True))
        yield from self._wrapped(sender, steps, value)

    def _wrapped(self, sender: Sampler, steps: list[tuple[Schema, Child, Schema]], value: Any) -> Iterator[Any]:
        if not steps:
            yield value
            return
        *outer, (parent, child, below) = steps
        for made in _around(sender, parent, child, below, value):
            yield from self._wrapped(sender, outer, made)

    def _sent_in_form(self, found: Found, message: dict[str, Any]) -> dict[str, Any]:
        """A form as it travels: a field whose value writes nothing has another value, or is not there."""
        if all(map(_has_text, message.values())):
            return message
        sender = self._sampler(found.root.direction is Direction.RESPONSE, found.root.direction)
        atoms = sender.atoms(_turned(found.root, found.root.base, found.root.head)[0])
        sent: dict[str, Any] = {}
        for name, value in message.items():
            others = (
                each for atom in atoms if name in atom.properties for each in sender.values(atom.properties[name])
            )
            sent.update((name, each) for each in islice(filter(_has_text, chain([value], others)), 1))
        return sent

    def _sampler(self, is_head: bool, direction: Direction) -> Sampler:
        sampler = self._samplers.get((is_head, direction))
        if sampler is None:
            sampler = self._samplers[is_head, direction] = Sampler(self._shapers[is_head], direction)
        return sampler


_PROVERS: WeakKeyDictionary[Walker, Prover] = WeakKeyDictionary()


def _none_needed(found: Found) -> str:
    """Why a finding needs no witness; empty if it does."""
    if found.delta.effect is Effect.ANNOTATION:
        return "an annotation changes no message"
    harmless = Effect.WIDENED if found.root.direction is Direction.REQUEST else Effect.NARROWED
    return "every message that worked before works still" if found.delta.effect is harmless else ""


def _candidate(value: Any) -> _Candidate:
    return marshal.dumps(value, 2), value


def _each_once(candidates: Iterator[_Candidate]) -> Iterator[_Candidate]:
    """Those of the same value once."""
    seen: set[bytes] = set()
    for candidate in candidates:
        if candidate[0] not in seen:
            seen.add(candidate[0])
            yield candidate


def _turned(root: SchemaRoot, base: _T, head: _T) -> tuple[_T, _T]:
    """Who sends comes first."""
    return (base, head) if root.direction is Direction.REQUEST else (head, base)


def _tells_apart(judges: tuple[Judge, Judge], root: SchemaRoot, value: Any, needs: Json, reasons: list[str]) -> bool:
    """Whether the sending side accepts a value and the receiving side, with its needs, accepts no reading of it.

    Why one of them could not be asked is put into ``reasons``.
    """
    sends, receives = judges
    read = readings(value) if root.text else (value,)
    try:
        return sends.accepts(value) and not any(receives.accepts(each, needs) for each in read)
    except Unjudgeable as reason:
        reasons.append(str(reason))
        return False


def _refused_for(receives: Judge, found: Found, value: Any) -> bool:
    """Whether the receiving side refuses a value for nothing but what the finding is about."""
    return all(keywords & _claims(found) for keywords in receives.objections(value))


def _claims(found: Found) -> set[str]:
    """The keywords that the finding's rule answers for."""
    return {each.rpartition(".")[2] for each in found.rule.claims}


def _about_tags(found: Found) -> bool:
    return (
        "discriminator" in found.rule.claims
        or BY_TAG in found.delta.facts
        or any(child.selected for child in found.path)
    )


def _only_name(field: str) -> str | None:
    """The property that a field of one step names."""
    if not field or field in {"*", "[]"} or "[]" in field or ":" in field:
        return None
    steps = field.replace("\\.", "\0").split(".")
    return steps[0].replace("\0", ".").replace("\\\\", "\\") if len(steps) == 1 else None


def _around(sender: Sampler, parent: Schema, child: Child, below: Schema, value: Any) -> Iterator[Any]:
    """Values of ``parent`` with ``value`` one step below: in the alternatives that really lead there, small ones first."""
    leading: list[Atom] = []
    others: list[Atom] = []
    for atom in sender.atoms(parent):
        (leading if _leads(atom, child, below) else others).append(atom)
    objects: list[tuple[Atom, Any]] = []
    for atom in leading:
        for made in _laid(sender, parent, atom, child, below, value):
            yield made
            if atom.kind == "object":
                objects.append((atom, made))
    yield from (sender.fuller(atom, made) for atom, made in objects)
    for atom in others:
        yield from _laid(sender, parent, atom, child, below, value)


def _leads(atom: Atom, child: Child, below: Schema) -> bool:
    """Whether an alternative has this very schema one step below."""
    if child.literal:
        return atom.properties.get(child.step) == below
    if child.step == "[]":
        return below in {atom.items, *atom.prefix}
    return child.step == "*" or child.selected is not None or below in atom.dependent_schemas.values()


def _laid(sender: Sampler, parent: Schema, atom: Atom, child: Child, below: Schema, value: Any) -> Iterator[Any]:
    """The smallest value of an alternative with ``value`` one step below, if there is one."""
    made: Any = None
    if child.step == "[]" and atom.kind == "array":
        index = next((i for i, each in enumerate(atom.prefix) if each == below), len(atom.prefix))
        least = int(atom.min_items.value) if atom.min_items else 0
        made = sender.array(atom, max(least, index + 1), {index: value})
    elif (child.literal or child.step == "*") and atom.kind == "object":
        name = child.step if child.literal else _key_of(sender, atom, below)
        if name is not None:
            made = sender.object(atom, {**sender.selection(parent, atom), name: value})
    elif child.step == "" and atom.kind == "object" and isinstance(value, dict):  # the same value, seen as another one
        if child.selected is not None:
            key, tag = child.selected
            made = sender.object(atom, {**value, key: tag})
        else:
            triggers = [key for key, each in atom.dependent_schemas.items() if each == below]
            forced = {key: each for key in triggers for each in sender.values(property_of(atom, key))[:1]}
            made = sender.object(atom, {**forced, **value})
    if made is not None:
        yield made


def _key_of(sender: Sampler, atom: Atom, below: Schema) -> str | None:
    """A name for a map's key whose values are of this schema."""
    for pattern, schema in atom.pattern_properties.items():
        if schema == below:
            return next(iter(patterns.examples(pattern, 1)), None)
    return next(iter(sender.keys(atom)), "key")


def _needs(found: Found, name: str) -> Json:
    """What a reader of one property needs of the whole response: a JSON Schema along the path."""
    needs: dict[str, Any] = {"required": [name]}
    for child in reversed(found.path):
        if child.step == "[]":
            needs = {"items": needs}
        elif child.literal:
            needs = {"properties": {child.step: needs}}
        elif child.step == "*":
            needs = {"additionalProperties": needs}
    return needs


def _is_form(root: SchemaRoot, message: Any) -> bool:
    """Whether a text is that of a whole form, not of one parameter."""
    return not root.field.partition(":")[2] and isinstance(message, dict)


def _has_text(value: Any) -> bool:
    """An empty array or object writes nothing: then there is no parameter, and no field of a form, at all."""
    return bool(value) or not isinstance(value, list | dict)


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
    if root.text:
        location, _, name = root.field.partition(":")
        value = write(shown.message, name, location or "form", root.style, root.explode)
    return Witness(value, request, not request, explanation)

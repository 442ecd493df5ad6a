"""Properties that are gone, newly required, or no longer sure to be there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from guardian.fixes.announce import announce
from guardian.fixes.draft import Draft
from guardian.fixes.edits import Edits
from guardian.fixes.json_patch import get, pointer
from guardian.fixes.slots import last, parent, property_name, schema_around, schema_slot
from guardian.fixes.work import ALIAS_OF, OPTIONAL_FROM, REQUIRED_FROM, Work, draft, last_name, listed, marked
from guardian.model import Change, Direction, Strategy
from guardian.rules.renames import LIKELY, certainty
from guardian.rules.walk import Walker
from guardian.spec.api import Node, Schema
from guardian.spec.document import Document
from guardian.spec.sameness import Sameness


@dataclass(frozen=True, slots=True)
class _Gone:
    """One property that base had: its schema there, and the object that it belongs to in head."""

    change: Change
    name: str
    base: Node
    document: Document
    owner: str  # pointer of the object's schema
    required: bool
    renamed_to: str | None
    sure: float | None

    @property
    def slot(self) -> str:
        return f"{self.owner}{pointer('properties', self.name)}"


def alias(work: Work) -> Iterator[Draft]:
    """The old name beside the new one, marked as its alias, with base's schema and guarantee."""
    gone = _gone(work)
    if not gone or any(each.renamed_to is None for each in gone):
        return
    edits = Edits()
    for each in gone:
        sentence = f"Alias of `{each.renamed_to}`."
        _restore(work, edits, each, {ALIAS_OF: each.renamed_to}, sentence)
    yield draft(work, Strategy.FIELD_ALIAS, edits, f"keeps {_old(gone)} as an alias of {_new(gone)}",
                f"remove {_old(gone)}", sure=_least(gone))  # fmt: skip


def both(work: Work) -> Iterator[Draft]:
    """Both names carried, each as required as it was on its own side."""
    gone = _gone(work)
    if not gone or any(each.renamed_to is None for each in gone):
        return
    edits = Edits()
    for each in gone:
        _restore(work, edits, each, {}, f"Carries the same as `{each.renamed_to}`.")
    yield draft(work, Strategy.DUAL_WRITE, edits, f"carries both {_old(gone)} and {_new(gone)}",
                f"remove {_old(gone)}", sure=_least(gone))  # fmt: skip


def window(work: Work) -> Iterator[Draft]:
    """The property restored, deprecated, until a sunset date."""
    gone = _gone(work)
    if not gone:
        return
    edits = Edits()
    for each in gone:
        instead = f" Use `{each.renamed_to}`." if each.renamed_to else ""
        _restore(work, edits, each, work.marks(), f"Deprecated: goes after {work.sunset}.{instead}")
    announce(work, edits)
    yield draft(work, Strategy.DEPRECATION_WINDOW, edits, f"keeps {_old(gone)}, deprecated, until {work.sunset}",
                f"remove {_old(gone)}", until=work.sunset)  # fmt: skip


def optional_until(work: Work) -> Iterator[Draft]:
    """What a request must newly carry may be left out until a date."""
    edits = Edits()
    names: list[str] = []
    for change, base, head in work.places():
        if head is None:
            continue
        owner, found = _newly_required(change, base, head)
        for name in found:
            if not _loosen(edits, head.document, owner, name):
                return
            _note(edits, head.document, owner, REQUIRED_FROM, name, work.sunset)
            names.append(name)
    if names:
        text = listed(names)
        yield draft(work, Strategy.DEPRECATION_WINDOW, edits, f"accepts requests without {text} until {work.sunset}",
                    f"require {text}", until=work.sunset)  # fmt: skip


def required_until(work: Work) -> Iterator[Draft]:
    """What a message was sure to carry it carries until a date."""
    edits = Edits()
    names: list[str] = []
    for change, base, head in work.places():
        node = head if head is not None else base
        if node is None or head is None:
            continue
        name = property_name(schema_slot(head.pointer)) or last_name(change.field)
        owner = (
            parent(schema_slot(head.pointer), 2)
            if property_name(schema_slot(head.pointer))
            else schema_slot(head.pointer)
        )
        edits.append(head.document, f"{owner}/required", [name])
        _note(edits, head.document, owner, OPTIONAL_FROM, name, work.sunset)
        names.append(name)
    if names:
        text = listed(names)
        announce(work, edits)
        yield draft(work, Strategy.DEPRECATION_WINDOW, edits, f"always sends {text} until {work.sunset}",
                    f"let {text} be left out", until=work.sunset)  # fmt: skip


# --- what is gone ---------------------------------------------------------------------------------------------------


def _gone(work: Work) -> list[_Gone]:
    found: list[_Gone] = []
    for change, base, head in work.places():
        if base is None or head is None or property_name(base.pointer) is None:
            return []
        name = last(base.pointer)
        owner = (
            parent(head.pointer)
            if last(head.pointer) == "properties"
            else schema_around(head.document.root, head.pointer)
        )
        declared = get(base.document.root, f"{parent(base.pointer, 2)}/required", [])
        new = last_name(change.renamed_to) if change.renamed_to else None
        required = isinstance(declared, list) and name in declared
        sure = _sure(work, name, base, head.document, f"{owner}/properties", new) if new is not None else None
        found.append(_Gone(change, name, base, head.document, owner, required, new, sure))
    return found


def _sure(work: Work, name: str, base: Node, document: Document, properties: str, new: str) -> float | None:
    """How sure it is that a property became another one."""
    before = get(base.document.root, parent(base.pointer), {})
    after = get(document.root, properties, {})
    if new not in after:
        return None
    walker = Walker(Sameness(base.document.documents, document.documents).same)
    schemas = Schema((base,)), Schema((document.node(f"{properties}{pointer(new)}"),))
    same = all(walker.relate(*schemas, direction) is None for direction in work.directions)
    alone = len(before.keys() - after.keys()) == len(after.keys() - before.keys()) == 1
    return min(certainty(name, new, same_meaning=same, alone=alone), 1.0)


def _least(gone: list[_Gone]) -> float | None:
    return min((each.sure for each in gone if each.sure is not None), default=None)


def _restore(work: Work, edits: Edits, gone: _Gone, marks: dict[str, Any], sentence: str) -> None:
    transplant = work.transplant()
    value = transplant.carry(gone.base, gone.document)
    edits.take(transplant)
    value = marked(value, marks, sentence, siblings=work.dialect.schema_siblings)
    front = list(get(gone.base.document.root, parent(gone.base.pointer), {}))
    front = front[: front.index(gone.name)]
    kept = get(gone.document.root, parent(gone.slot), {})
    after = gone.renamed_to or next((each for each in reversed(front) if each in kept), None)
    edits.put(gone.document, gone.slot, value, after=after)
    # Callers of a request that know the new name alone must not be asked for the old one too.
    if gone.required and Direction.RESPONSE in work.directions:
        edits.append(gone.document, f"{gone.owner}/required", [gone.name])
    if gone.renamed_to and work.directions == {Direction.REQUEST}:
        _loosen(edits, gone.document, gone.owner, gone.renamed_to)


def _old(gone: list[_Gone]) -> str:
    return listed([each.name for each in gone])


def _new(gone: list[_Gone]) -> str:
    return listed([each.renamed_to or each.name for each in gone])


# --- what a new required property was -------------------------------------------------------------------------------


def former_alias(work: Work) -> Iterator[Draft]:
    """A request's new required property is an old one renamed: the old name is accepted as its alias."""
    yield from _former(work, Strategy.FIELD_ALIAS)


def former_both(work: Work) -> Iterator[Draft]:
    """A request's new required property is an old one renamed: both names are accepted."""
    yield from _former(work, Strategy.DUAL_WRITE)


def _former(work: Work, strategy: Strategy) -> Iterator[Draft]:
    alias = strategy is Strategy.FIELD_ALIAS
    edits = Edits()
    found: list[_Gone] = []
    for change, base, head in work.places():
        if base is None or head is None:
            return
        owner, names = _newly_required(change, base, head)
        for new in names:
            gone = _was(work, change, base, head.document, owner, new)
            if gone is None:
                return
            marks = {ALIAS_OF: new} if alias else work.deprecated
            _restore(work, edits, gone, marks, f"Alias of `{new}`." if alias else f"Says the same as `{new}`.")
            found.append(gone)
    if found:
        does = (
            f"keeps {_old(found)} as an alias of {_new(found)}"
            if alias
            else f"accepts both {_old(found)} and {_new(found)}"
        )
        yield draft(work, strategy, edits, does, f"remove {_old(found)}", sure=_least(found))


def _was(work: Work, change: Change, base: Node, document: Document, owner: str, new: str) -> _Gone | None:
    """The property of base that a new one of head most likely was."""
    slot = schema_slot(base.pointer)
    before = get(base.document.root, f"{slot}/properties", {})
    after = get(document.root, f"{owner}/properties", {})
    if not isinstance(before, dict) or not isinstance(after, dict) or new in before:
        return None
    found: list[tuple[float, str]] = []
    for name in sorted(before.keys() - after.keys()):
        node = base.document.node(f"{slot}/properties{pointer(name)}")
        found.append((_sure(work, name, node, document, f"{owner}/properties", new) or 0.0, name))
    sure, name = max(found, default=(0.0, ""))
    if sure < LIKELY:
        return None
    node = base.document.node(f"{slot}/properties{pointer(name)}")
    return _Gone(change, name, node, document, owner, False, new, sure)


# --- what is required -----------------------------------------------------------------------------------------------


def _newly_required(change: Change, base: Node | None, head: Node) -> tuple[str, list[str]]:
    """The schema that asks for something new, and the names it asks for at this place."""
    slot = schema_slot(head.pointer)
    name = property_name(slot)
    if name is not None and slot == head.pointer:
        return parent(slot, 2), [name]
    if last(parent(head.pointer)) == "required" and isinstance(head.value, str):
        return slot, [head.value]
    return slot, [last_name(change.field)]


def _loosen(edits: Edits, document: Document, owner: str, name: str) -> bool:
    """Take a name out of every ``required`` that speaks of the object; False where none is found."""
    found = False
    for schema in _speaking_of(document, owner):
        required = edits.get(document, f"{schema}/required")
        if isinstance(required, list) and name in required:
            edits.without(document, f"{schema}/required", [name])
            found = True
    return found


def _speaking_of(document: Document, owner: str) -> Iterator[str]:
    """The pointers of the schemas that describe one object together: parts of an ``allOf`` and what holds it."""
    yield owner
    above = parent(owner)
    outer = parent(above)
    if last(above) == "allOf":
        for index in range(len(get(document.root, above, []))):
            if f"{above}/{index}" != owner:
                yield f"{above}/{index}"
        yield outer
    for index, _ in enumerate(get(document.root, f"{owner}/allOf", []) or []):
        yield f"{owner}/allOf/{index}"


def _note(edits: Edits, document: Document, owner: str, mark: str, name: str, day: str) -> None:
    edits.put(document, f"{owner}{pointer(mark, name)}", day)

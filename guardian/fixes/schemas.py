"""Schemas that say something else than before: base's form kept for a while, accepted as well, or sent as well."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from guardian.fixes.announce import announce
from guardian.fixes.draft import Draft
from guardian.fixes.edits import Edits
from guardian.fixes.json_patch import equal, get, pointer
from guardian.fixes.slots import parent, property_name
from guardian.fixes.work import (
    DEPRECATED_VALUES,
    SUCCESSOR,
    Places,
    Work,
    described,
    draft,
    listed,
    marked,
    new_name,
    value_name,
)
from guardian.model import Direction, Strategy
from guardian.rules.pairs import UnionPair
from guardian.spec.shape import KEYWORDS

# Keywords that say the same in every version of OpenAPI.
_SAME_EVERYWHERE = frozenset(
    {"format", "pattern", "enum", "minimum", "maximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems",
     "uniqueItems", "minProperties", "maxProperties"}
)  # fmt: skip
# Keywords that say nothing of a value, or nothing true, once it is of another type.
_OF_ONE_TYPE = tuple(sorted({"enum", "const", "minContains", "maxContains"}.union(*KEYWORDS.values())))


def window(work: Work) -> Iterator[Draft]:
    """Base's form until a date, with head's beside it as its successor.

    First the keywords alone that the finding is about, so that whatever else head says of the schema stays (with a type go
    all that speak of values of one type); then the schema as a whole; each at the place that the finding names and at base's own pointer.
    """
    named, same = work.schema_places(), work.schemas_at_same_pointer()
    # Of a choice, the finding names the variant in head.
    for places in (same, named) if work.rule.pair is UnionPair else (named, same):
        if not places:
            continue
        yield from _enum_window(work, places)
        if "type" in work.rule.claims:
            yield from _keywords_window(work, places, work.rule.claims + _OF_ONE_TYPE)
        yield from _keywords_window(work, places, work.rule.claims)
        yield from _whole_window(work, places)


def union(work: Work) -> Iterator[Draft]:
    """Requests that fit base's form or head's are accepted."""
    if work.directions != {Direction.REQUEST}:
        return
    places = work.schema_places()
    yield from _enum_union(work, places)
    if not work.dialect.request_body or not places:
        return  # OpenAPI 2.0 has no alternatives
    edits = Edits()
    for base, head in places:
        transplant = work.transplant()
        before = transplant.carry(base, head.document)
        edits.take(transplant)
        former = marked(before, {"deprecated": True}, siblings=work.dialect.schema_siblings)
        edits.put(head.document, head.pointer, {"anyOf": [head.value, former]})
    yield draft(work, Strategy.DUAL_WRITE, edits, f"accepts {work.subject} in both forms",
                f"accept the new form of {work.subject} alone")  # fmt: skip


def twin(work: Work) -> Iterator[Draft]:
    """The property keeps base's form under its name, and head's form comes beside it under a name of its own."""
    if Direction.RESPONSE not in work.directions:
        return
    places = work.schema_places()
    if not places or any(property_name(head.pointer) is None for _, head in places):
        return
    for required in (True, False):  # what requests must carry too cannot be required anew
        edits = Edits()
        new: list[str] = []
        for base, head in places:
            name = property_name(head.pointer) or ""
            owner = parent(head.pointer, 2)
            properties = get(head.document.root, f"{owner}/properties", {})
            successor = new_name(name, head.document, properties)
            transplant = work.transplant()
            before = transplant.carry(base, head.document)
            edits.take(transplant)
            sentence = f"`{successor}` carries the same in its next form."
            edits.put(head.document, head.pointer, marked(before, {}, sentence, siblings=work.dialect.schema_siblings))
            edits.put(head.document, f"{owner}/properties{pointer(successor)}", head.value, after=name)
            asked = edits.get(head.document, f"{owner}/required")
            if required and isinstance(asked, list) and name in asked:
                edits.append(head.document, f"{owner}/required", [successor])
            new.append(successor)
        yield draft(work, Strategy.DUAL_WRITE, edits, f"carries {work.subject} as before and its new form as {listed(new)}",
                    f"remove {work.subject}")  # fmt: skip


# --- one way or the other -------------------------------------------------------------------------------------------


def _enum_window(work: Work, places: Sequence[Places]) -> Iterator[Draft]:
    """Values that are gone stay listed, named as deprecated; values that head added stay too."""
    edits = Edits()
    for base, head in places:
        before, after = base.value.get("enum"), head.value.get("enum")
        if not (isinstance(before, list) and isinstance(after, list)) or work.rule.id != "enum-value-removed":
            return
        gone = [each for each in before if each not in after]
        edits.append(head.document, f"{head.pointer}/enum", gone)
        edits.put(
            head.document, f"{head.pointer}/{DEPRECATED_VALUES}", {value_name(each): work.sunset for each in gone}
        )
    announce(work, edits)
    yield draft(work, Strategy.DEPRECATION_WINDOW, edits, f"accepts all former values of {work.subject} until {work.sunset}",
                f"remove the deprecated values of {work.subject}", until=work.sunset)  # fmt: skip


def _keywords_window(work: Work, places: Sequence[Places], told: Sequence[str]) -> Iterator[Draft]:
    """Those of the keywords that differ as base has them, with what head says as their successor."""
    edits = Edits()
    for base, head in places:
        if "$ref" in head.value and not work.dialect.schema_siblings:
            return
        if not isinstance(get(head.document.root, head.pointer), dict):
            return  # `true` and `false` have no keywords
        transplant = work.transplant()
        keywords = [each for each in told if not equal(base.value.get(each), head.value.get(each))]
        if not keywords:
            return
        plain = all(each in _SAME_EVERYWHERE for each in keywords)
        before = base.value if plain else transplant.carry(base, head.document)
        edits.take(transplant)
        successor = {each: head.value[each] for each in keywords if each in head.value}
        for keyword in keywords:
            at = f"{head.pointer}/{keyword}"
            if keyword in before:
                edits.put(head.document, at, before[keyword])
            else:
                edits.remove(head.document, at)
        _announce_successor(work, edits, head.document, head.pointer, successor)
    announce(work, edits)
    yield _kept(work, edits)


def _whole_window(work: Work, places: Sequence[Places]) -> Iterator[Draft]:
    edits = Edits()
    for base, head in places:
        transplant = work.transplant()
        before = transplant.carry(base, head.document)
        edits.take(transplant)
        marks = {SUCCESSOR: work.successor(head.value)}
        sentence = f"Changes its form after {work.sunset}."
        edits.put(head.document, head.pointer, marked(before, marks, sentence, siblings=work.dialect.schema_siblings))
    if places:
        announce(work, edits)
        yield _kept(work, edits)


def _enum_union(work: Work, places: Sequence[Places]) -> Iterator[Draft]:
    """Where head has values of its own, the list of both is a form of its own."""
    edits = Edits()
    for base, head in places:
        before, after = base.value.get("enum"), head.value.get("enum")
        if not (isinstance(before, list) and isinstance(after, list)) or all(each in before for each in after):
            return
        edits.append(head.document, f"{head.pointer}/enum", before)
    if places:
        yield draft(work, Strategy.DUAL_WRITE, edits, f"accepts the values of {work.subject} of both sides",
                    f"remove the former values of {work.subject}")  # fmt: skip


def _kept(work: Work, edits: Edits) -> Draft:
    return draft(work, Strategy.DEPRECATION_WINDOW, edits, f"keeps {work.subject} as it was until {work.sunset}",
                 f"change {work.subject}", until=work.sunset)  # fmt: skip


def _announce_successor(work: Work, edits: Edits, document: Any, at: str, successor: dict[str, Any]) -> None:
    here = edits.get(document, at)
    edits.put(document, f"{at}/{SUCCESSOR}", work.successor(successor))
    edits.put(document, f"{at}/description", described(here, f"Changes its form after {work.sunset}."))

"""Parameters that are gone, renamed, moved or newly required, and bodies and headers that are newly required."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from guardian.fixes.announce import announce
from guardian.fixes.draft import Draft
from guardian.fixes.edits import Edits
from guardian.fixes.json_patch import equal
from guardian.fixes.parts import object_of, sent_part
from guardian.fixes.work import ALIAS_OF, REQUIRED_FROM, Work, draft, listed, marked
from guardian.model import Change, Strategy
from guardian.rules.renames import LIKELY, certainty
from guardian.spec.api import Operation, Parameter


@dataclass(frozen=True, slots=True)
class _Renamed:
    """One parameter under two names, or in two places; ``sure`` from 0 to 1."""

    operation: Operation  # head's
    old: Parameter
    new: Parameter
    sure: float


def alias(work: Work) -> Iterator[Draft]:
    """The old parameter beside the new one, marked as its alias; the new one need not be sent."""
    found = _renames(work)
    if not found or any(each.old.name == each.new.name for each in found):
        return  # the same name elsewhere is no second name
    edits = Edits()
    for each in found:
        _restore(work, edits, each.old, each.operation, {ALIAS_OF: each.new.name}, f"Alias of `{each.new.name}`.")
        _make_optional(edits, each.new)
    pairs = " and ".join(f"`{each.old.name}` as an alias of `{each.new.name}`" for each in found)
    yield draft(work, Strategy.FIELD_ALIAS, edits, f"keeps {pairs}", f"remove {_old(found)}", sure=_least(found))


def both(work: Work) -> Iterator[Draft]:
    """Both parameters are accepted, and neither is asked for."""
    found = _renames(work)
    if not found:
        return
    edits = Edits()
    for each in found:
        sentence = f"Says the same as `{each.new.name}` in {each.new.location}."
        _restore(work, edits, each.old, each.operation, work.deprecated, sentence)
        _make_optional(edits, each.new)
    new = listed([each.new.field for each in found])
    old = listed([each.old.field for each in found])
    yield draft(work, Strategy.DUAL_WRITE, edits, f"accepts both {old} and {new}", f"remove {old}", sure=_least(found))


def window(work: Work) -> Iterator[Draft]:
    """The parameter restored, deprecated, until a sunset date."""
    edits = Edits()
    for change in _changes(work):
        base, head = _sides(work, change)
        old = _named(base, change.field)
        if old is None or head is None:
            return
        _restore(work, edits, old, head, work.marks(), f"Deprecated: goes after {work.sunset}.")
        elsewhere = _elsewhere(old, head)
        if elsewhere is not None:
            _make_optional(edits, elsewhere)
    announce(work, edits)
    yield draft(work, Strategy.DEPRECATION_WINDOW, edits, f"keeps {work.subject}, deprecated, until {work.sunset}",
                f"remove {work.subject}", until=work.sunset)  # fmt: skip


def optional_until(work: Work) -> Iterator[Draft]:
    """A parameter, header or body that must newly be sent may be left out until a date."""
    edits = Edits()
    for _, _, head in work.places():
        node = sent_part(head)
        if node is None or object_of(node).get("in") == "path":
            return
        if edits.has(node.document, f"{node.pointer}/required"):
            edits.put(node.document, f"{node.pointer}/required", False)
        edits.put(node.document, f"{node.pointer}/{REQUIRED_FROM}", work.sunset)
    what = work.subject if work.group.first.field else "a body"
    yield draft(work, Strategy.DEPRECATION_WINDOW, edits, f"accepts requests without {what} until {work.sunset}",
                f"require {what}", until=work.sunset)  # fmt: skip


# --- which parameter ------------------------------------------------------------------------------------------------


def _renames(work: Work) -> list[_Renamed]:
    """What became of each parameter of the group, or what each new one was; empty unless all are known."""
    found: list[_Renamed] = []
    for change in _changes(work):
        base, head = _sides(work, change)
        if base is None or head is None:
            return []
        match = _match(change, base, head)
        if match is None:
            return []
        found.append(match)
    return found


def _match(change: Change, base: Operation, head: Operation) -> _Renamed | None:
    gone = [each for each in base.parts.parameters if _named(head, each.field) is None]
    new = [each for each in head.parts.parameters if _named(base, each.field) is None]
    old = _named(base, change.field)
    if old is not None and (moved := _elsewhere(old, head)) is not None:
        return _Renamed(head, old, moved, 1.0)
    alone = len(gone) == len(new) == 1
    scored = [
        (certainty(one.name, other.name, same_meaning=_means_the_same(one, other), alone=alone), one, other)
        for one in gone
        for other in new
        if one.location == other.location and change.field in (one.field, other.field)
    ]
    best = max(scored, key=lambda each: each[0], default=None)
    if best is None or best[0] < LIKELY:
        return None
    return _Renamed(head, best[1], best[2], min(best[0], 1.0))


def _means_the_same(one: Parameter, other: Parameter) -> bool:
    return equal(*(_without_name(object_of(each.node)) for each in (one, other)))


def _without_name(value: dict[str, Any]) -> dict[str, Any]:
    return {key: each for key, each in value.items() if key not in ("name", "description", "required", "example")}


def _changes(work: Work) -> list[Change]:
    """The group's changes of parameters, each operation's once."""
    return list({(change.operation, change.field): change for change in work.group.changes}.values())


def _sides(work: Work, change: Change) -> tuple[Operation | None, Operation | None]:
    return work.routes.base(work.service, change.operation), work.routes.head(work.service, change.operation)


def _named(operation: Operation | None, field: str) -> Parameter | None:
    """The parameter that reports call by this name; header names have no case."""
    if operation is None:
        return None
    headers = field.startswith("header:")
    return next(
        (
            each
            for each in operation.parts.parameters
            if each.field == field or (headers and each.field.lower() == field.lower())
        ),
        None,
    )


def _elsewhere(old: Parameter, head: Operation) -> Parameter | None:
    """The parameter of the same name in another place of the request."""
    return next(
        (each for each in head.parts.parameters if each.name == old.name and each.location != old.location), None
    )


# --- edits ----------------------------------------------------------------------------------------------------------


def _restore(
    work: Work, edits: Edits, old: Parameter, operation: Operation, marks: dict[str, Any], sentence: str
) -> None:
    transplant = work.transplant()
    home = operation.node
    value = marked(transplant.carry(old.node, home.document), marks, sentence)
    if isinstance(value, dict) and value.get("in") != "path" and not operation.inverted:
        value.pop("required", None)  # whoever knows head's form alone need not send it
    edits.take(transplant)
    edits.append(home.document, f"{home.pointer}/parameters", [value])


def _make_optional(edits: Edits, parameter: Parameter) -> None:
    if parameter.location != "path":
        edits.remove(parameter.node.document, f"{parameter.node.pointer}/required")


def _old(found: list[_Renamed]) -> str:
    return listed([each.old.name for each in found])


def _least(found: list[_Renamed]) -> float:
    return min(each.sure for each in found)

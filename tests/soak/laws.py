"""The laws that hold for any two documents, and how one real document is put to them.

compare(x, x) is empty. What compare(a, b) narrows, compare(b, a) widens, place by place. The order of keys changes
nothing, and the same question has the same answer. What cannot be read is refused by an error of ours, never a crash.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from guardian.errors import ReadError
from guardian.model import Change, Direction, Effect
from guardian.rules.compare import Options, compare
from guardian.rules.walk import combine
from guardian.spec import text
from guardian.spec.api import Api
from guardian.spec.normalise import read_api
from guardian.spec.refs import Documents
from guardian.spec.sameness import Sameness
from guardian.spec.trees import MemoryTree
from tests.soak.edits import edited, reordered, sites_of

EDITS = 20
# Documents larger than this have their keys reordered for the first edits only: it copies them whole.
LARGE = 1_000_000
FEW = 3

_MEDIA_TYPE = re.compile(r"^(request body|response \S+) (?!header ).*")
_VARIABLE = re.compile(r"\{[^}]*\}")


class Side:
    """One version of a document, read from plain data."""

    def __init__(self, root: Any, data: bytes) -> None:
        self.documents = Documents(MemoryTree({"api.json": data}), load=lambda _data, _name: root)
        self.api: Api = read_api(self.documents, "api.json", "api")


def compared(base: Side, head: Side, *, prove: bool = False) -> list[Change]:
    """What guardian says."""
    same = Sameness(base.documents, head.documents).same
    return compare(base.api, head.api, same=same, options=Options(prove=prove))


@dataclass(slots=True)
class Outcome:
    """What came of one document: how much was looked at, and the laws that did not hold."""

    edits: int = 0
    refused: int = 0
    changes: int = 0
    broken: list[str] = field(default_factory=list)


def put_to_the_laws(data: bytes, name: str) -> Outcome | None:
    """All laws over one document and twenty random edits of it; None if guardian does not read the document.

    Raises:
        Exception: guardian crashed. Only ``ReadError`` is an answer.
    """
    outcome = Outcome()
    try:
        root = text.load(data, name)
        base, again = Side(root, data), Side(root, data + b" ")
        if found := compare(base.api, again.api):
            outcome.broken.append(f"differs from itself: {found[0].rule} {found[0].operation} {found[0].message}")
    except ReadError:
        return None
    sites = sites_of(root)
    for number in range(EDITS):
        rng = random.Random(f"{name} {number}")
        changed, what = edited(root, sites, rng)
        outcome.edits += 1
        bytes_of = data + b" " * (number + 2)  # other bytes: nothing may be taken for the same because of them
        try:
            base, head = Side(root, data), Side(changed, bytes_of)
            there, back = compared(base, head, prove=True), compared(head, base)
        except ReadError:
            outcome.refused += 1
            continue
        outcome.changes += len(there)
        outcome.broken += [f"{what}: {each}" for each in unmirrored(there, back)]
        if len(data) <= LARGE or number < FEW:
            other = Side(reordered(changed, rng), bytes_of + b" ")
            outcome.broken += [f"{what}: {each}" for each in unlike(there, compared(base, other, prove=True))]
    return outcome


def unmirrored(there: Iterable[Change], back: Iterable[Change]) -> list[str]:
    """Places where an edit and its reverse do not have mirrored effects."""
    forwards, backwards = _by_place(there), _by_place(back)
    passed = {key[:3] for side in (forwards, backwards) for key, changes in side.items() if _open_variants(changes)}
    broken: list[str] = []
    for key in sorted(forwards.keys() | backwards.keys()):
        if key[:3] in passed:
            continue
        first, second = forwards[key], backwards[key]
        one, other = _effect(first), _effect(second)
        if (one.mirrored if one else None) is other or all(map(_asks_nothing, (*first, *second))):
            continue
        broken.append(f"{key} is {one} there {_rules(first)} and {other} back {_rules(second)}")
    return broken


def _rules(changes: list[Change]) -> list[str]:
    return sorted({change.rule for change in changes})


def _effect(changes: list[Change]) -> Effect | None:
    """What happened to the messages at a place, as a whole."""
    return reduce(lambda total, change: combine(total, change.effect), changes, None)


def _by_place(changes: Iterable[Change]) -> defaultdict[tuple[str, ...], list[Change]]:
    """Changes by where they are, in words that are the same seen from either side.

    Media types, credentials and the locations of parameters are named by the side that has them, so they are left out;
    an object and its other keys are one place.
    """
    places: defaultdict[tuple[str, ...], list[Change]] = defaultdict(list)
    for change in changes:
        field = "" if change.place == "security" else re.sub(r"(^|\.)\*(\.\*)*$", "", change.field)
        if change.rule == "discriminator-changed":  # a selecting property is named by its name on base
            field = field.rpartition(".")[0]
        place = _MEDIA_TYPE.sub(r"\1", change.place)
        if " parameter " in place:
            place, field = "parameters", field.partition(":")[2].lower()
        places[_VARIABLE.sub("{}", change.operation), change.direction.value, place, field].append(change)
    return places


def _asks_nothing(change: Change) -> bool:
    """Optional properties of open requests: neither losing nor getting one asks anything of callers (INTERFACE)."""
    return (
        change.rule in {"property-removed", "property-added"}
        and change.direction is Direction.REQUEST
        and change.effect is Effect.WIDENED
    )


def _open_variants(changes: list[Change]) -> bool:
    """Whether variants of a request came or went, or one of them changed: of open ones each covers the other, for the
    same reason."""
    return any(
        change.direction is Direction.REQUEST
        and (change.rule in {"alternative-added", "alternative-removed"} or _in_variant(change))
        for change in changes
    )


def _in_variant(change: Change) -> bool:
    return any(side is not None and re.search("/(one|any)Of/", side.pointer) for side in (change.base, change.head))


def unlike(one: list[Change], other: list[Change]) -> list[str]:
    """Findings that are in one answer and not in the other."""
    first, second = (
        {
            (each.fingerprint, each.rule, each.operation, each.place, each.field, each.severity, each.message)
            for each in side
        }
        for side in (one, other)
    )
    return [f"only in one order of keys: {each[1:]}" for each in sorted(first ^ second, key=str)]

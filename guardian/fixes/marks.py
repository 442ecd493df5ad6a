"""What the marks say that a patch sets: that something goes and when, what it is now, and how stable it is.

A mark counts by its value: ``deprecated: false`` says nothing. And it counts where the patch sets it: what head says
already is head's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from guardian.fixes.bench import Bench, Trial, document_named, documents_read
from guardian.fixes.json_patch import equal, pointer
from guardian.fixes.slots import last
from guardian.fixes.work import (
    ALIAS_OF,
    DEPRECATED_VALUES,
    OPTIONAL_FROM,
    REQUIRED_FROM,
    SUCCESSOR,
    SUNSET,
    VERSIONS,
    X_DEPRECATED,
)
from guardian.rules.facts import stability
from guardian.spec.dates import read_date

#: The marks that name a day.
DATED = frozenset({SUNSET, SUCCESSOR, REQUIRED_FROM, OPTIONAL_FROM, DEPRECATED_VALUES})

# Below these keys stands plain data, which marks nothing; below the others, things by name and not by keyword.
_DATA = frozenset({"example", "examples", "default", "const", "enum", "value"})
_NAMED = frozenset(
    {"properties", "patternProperties", "dependentSchemas", "$defs", "definitions", "schemas", "parameters", "responses",
     "requestBodies", "headers", "callbacks", "pathItems", "content", "paths", "webhooks", "x-webhooks", "links",
     "encoding", "securitySchemes"}
)  # fmt: skip
_NOTHING: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class Told:
    """An object of the patched document that is not head's: what it says, and what head says there."""

    at: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]

    @property
    def name(self) -> str:
        """What the object is of: a parameter's own name, else the key that it stands under."""
        own = self.after.get("name")
        return own if isinstance(own, str) else last(self.at)

    @property
    def marks(self) -> dict[str, set[str]]:
        """The marks that say something here and not in head, each with the names that it speaks of."""
        found: dict[str, set[str]] = {}
        for mark in ("deprecated", X_DEPRECATED):
            if self.after.get(mark) is True and self.before.get(mark) is not True:
                found[mark] = set()
        alias = self.after.get(ALIAS_OF)
        if isinstance(alias, str) and alias.strip() and alias != self.before.get(ALIAS_OF):
            found[ALIAS_OF] = set()
        versions, known = (_object(side.get(VERSIONS)) for side in (self.after, self.before))
        new = {name for name, each in versions.items() if isinstance(each, dict) and not equal(each, known.get(name))}
        if new:
            found[VERSIONS] = new
        for mark in DATED:
            names = {name for name, day in self.days(mark).items() if read_date(day) is not None}
            if names and (mark != SUCCESSOR or "form" in _object(self.after[SUCCESSOR])):
                found[mark] = names
        return found

    def days(self, mark: str) -> dict[str, Any]:
        """The days that a mark names here and not in head, by what they are of."""
        known = _days(self.before, mark)
        return {name: day for name, day in _days(self.after, mark).items() if name not in known or known[name] != day}


def told(bench: Bench, trial: Trial) -> Iterator[Told]:
    """Every object that the patches of specifications change."""
    for file in trial.files:
        document = document_named(bench.documents(trial.draft.service), file.patch.file)
        if file.patch.kind == "spec" and document is not None:
            yield from _told(document.root, file.says)


def broken_promise(bench: Bench, trial: Trial) -> str | None:
    """What a patch promises less of than is promised, in one sentence; None if nothing is.

    A window that is over, or none at all, and a level that promises nothing let the next change break everybody without
    a word. So a day that a patch sets leaves consumers their time, and no level goes down. What base or head says of the
    same thing already, its author has promised.
    """
    sunset, extension = bench.situation.sunset, bench.situation.options.stability
    promised: set[tuple[str, str, str, str]] | None = None
    for each in told(bench, trial):
        for kind, name, value, reason in _less(each, sunset, extension):
            if promised is None:
                promised = _promised(bench, trial, extension)
            if (each.name, kind, name, value) not in promised:
                return reason
    return None


def _less(each: Told, sunset: date, extension: str) -> Iterator[tuple[str, str, str, str]]:
    """What an object promises less of: the mark, what it is of, what it says, and the sentence."""
    for mark in sorted(DATED & each.after.keys()):
        known = _days(each.before, mark)
        for name, said in each.days(mark).items():
            day, was = read_date(said), read_date(known.get(name))
            if day is None:
                yield mark, name, str(said), f"`{mark}: {said}` of `{each.name}` names no day (as in 2027-01-31)"
            elif day < (min(sunset, was) if was is not None else sunset):
                reason = f"`{mark}` of `{each.name}` is {day}, sooner than {sunset}, when a window that opens now ends"
                yield mark, name, str(said), reason
    level = each.after.get(extension)
    if isinstance(level, str) and stability(each.before.get(extension), level) in ("decreased", "unknown"):
        yield extension, "", level, f"`{extension}: {level}` makes `{each.name}` promise less than head does"


def _promised(bench: Bench, trial: Trial, extension: str) -> set[tuple[str, str, str, str]]:
    """What base and head say of days and levels: the name of the thing, the mark, what it is of, what it says."""
    found: set[tuple[str, str, str, str]] = set()
    for service in trial.services:
        for side in (bench.situation.base, bench.situation.head):
            api = side.get(service)
            for document in documents_read(api.document.documents) if api is not None else ():
                for each in _told(None, document.root):
                    for mark in DATED & each.after.keys():
                        found |= {(each.name, mark, name, str(day)) for name, day in _days(each.after, mark).items()}
                    if extension in each.after:
                        found.add((each.name, extension, "", str(each.after[extension])))
    return found


def _days(holder: Mapping[str, Any], mark: str) -> dict[str, Any]:
    """The days that a mark of an object names, by what they are of.

    The sunset of what is not deprecated is that of nothing yet.
    """
    if mark not in holder:
        return {}
    value = holder[mark]
    if mark == SUNSET:
        return {"deprecated" if holder.get("deprecated") is True else "": value}
    if mark == SUCCESSOR:
        return {"": value.get("from")} if isinstance(value, dict) else {}
    return value if isinstance(value, dict) else {"": value}


def _told(before: Any, after: Any) -> Iterator[Told]:
    """The objects of one value that are not those of another at the same place; what both share is not looked into."""
    pending: list[tuple[Any, Any, str, bool]] = [(before, after, "", False)]
    while pending:
        one, other, at, named = pending.pop()
        if isinstance(other, dict):
            was = one if isinstance(one, dict) else _NOTHING
            if not named:
                yield Told(at, was, other)
            for key, value in reversed(other.items()):
                if isinstance(value, (dict, list)) and was.get(key) is not value and (named or not _is_data(key)):
                    pending.append((was.get(key), value, at + pointer(key), not named and key in _NAMED))
        elif isinstance(other, list):
            pending += [
                (item, value, f"{at}/{index}", False)
                for item, value, index in _paired(one if isinstance(one, list) else [], other)
            ]


def _is_data(key: str) -> bool:
    return key in _DATA or (str(key).startswith("x-") and key not in _NAMED)


def _paired(before: list[Any], after: list[Any]) -> list[tuple[Any, Any, int]]:
    """The items of a list that another has not, each with one that is gone in its stead."""
    objects = [each for each in before if isinstance(each, (dict, list))]
    new = [
        (index, each)
        for index, each in enumerate(after)
        if isinstance(each, (dict, list)) and not any(equal(each, other) for other in objects)
    ]
    gone = [each for each in objects if not any(equal(each, other) for other in after)] if new else []
    return [(gone[n] if n < len(gone) else None, each, index) for n, (index, each) in enumerate(new)]


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else _NOTHING

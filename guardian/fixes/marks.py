"""What the marks say that a patch sets: that something goes and when, what it is now, and how stable it is.

A mark counts by its value: ``deprecated: false`` says nothing. And it counts where the patch sets it: what head says
already is head's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any
from urllib.parse import unquote

from guardian.fixes.bench import Bench, Trial, document_named
from guardian.fixes.json_patch import equal, get, pointer
from guardian.fixes.slots import last, whole
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
from guardian.spec.dates import read_date
from guardian.spec.pointers import steps_of

#: The marks that name a day.
DATED = frozenset({SUNSET, SUCCESSOR, REQUIRED_FROM, OPTIONAL_FROM, DEPRECATED_VALUES})

# The marks whose values are objects.
_MARKS = frozenset({SUCCESSOR, REQUIRED_FROM, OPTIONAL_FROM, DEPRECATED_VALUES, VERSIONS})

# Below these keys stands plain data, which marks nothing; below the others, things by name and not by keyword.
_DATA = frozenset({"example", "examples", "default", "const", "enum", "value"})
_NAMED = frozenset(
    {"properties", "patternProperties", "dependentSchemas", "$defs", "definitions", "schemas", "parameters", "responses",
     "requestBodies", "headers", "callbacks", "pathItems", "content", "paths", "webhooks", "x-webhooks", "links",
     "encoding", "securitySchemes"}
)  # fmt: skip
_NOTHING: Mapping[str, Any] = {}
_NEVER: Mapping[str, Any] = {"not": {}}  # the schema `false` in other words


@dataclass(frozen=True, slots=True)
class Told:
    """An object of the patched document that is not head's: what it says, and what head says there."""

    file: str
    at: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]

    @property
    def name(self) -> str:
        """What the object is of: a parameter's own name, else the key that it stands under."""
        own = self.after.get("name")
        return own if isinstance(own, str) else last(whole(self.at))

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
        versions = _object(self.after.get(VERSIONS))
        if self.before and any(equal(each, dict(self.before)) for each in versions.values()):
            found[VERSIONS] = set()  # head's form is kept as another version
        for mark in DATED:
            names = {name for name, day in self.days(mark).items() if read_date(day) is not None}
            if names and (mark != SUCCESSOR or "form" in _object(self.after[SUCCESSOR])):
                found[mark] = names
        return found

    def days(self, mark: str) -> dict[str, Any]:
        """The days that a mark names here and not in head, by what they are of."""
        known = days_of(self.before, mark)
        return {name: day for name, day in days_of(self.after, mark).items() if name not in known or known[name] != day}


def told(bench: Bench, trial: Trial, *, extensions: bool = False) -> Iterator[Told]:
    """Every object that the patches of specifications change; with ``extensions``, also what is no mark's below ``x-``."""
    for file in trial.files:
        document = document_named(bench.documents(trial.draft.service), file.patch.file)
        if file.patch.kind == "spec" and document is not None:
            yield from objects_of(document.file, document.root, file.says, extensions=extensions)


def days_set(bench: Bench, trial: Trial) -> list[date]:
    """Every day that a patch marks something with, in order."""
    marked = ((each, mark) for each in told(bench, trial) for mark in each.marks.keys() & DATED)
    days = {read_date(day) for each, mark in marked for day in each.days(mark).values()}
    return sorted(day for day in days if day is not None)


def days_of(holder: Mapping[str, Any], mark: str) -> dict[str, Any]:
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


def objects_of(file: str, before: Any, after: Any, *, extensions: bool = False) -> Iterator[Told]:
    """The objects of one value that are not those of another at the same place; what both share is not looked into.

    Plain data is none, unless a reference of such an object leads to it.
    """
    pending: list[tuple[Any, Any, str, bool]] = [(before, after, "", False)]
    referred: set[str] = set()
    while pending:
        one, other, at, named = pending.pop()
        if isinstance(other, dict):
            was = one if isinstance(one, dict) else _NEVER if one is False else _NOTHING
            if not named:
                yield Told(file, at, was, other)
                target = _hidden(other.get("$ref"), extensions)
                if target is not None and target not in referred:
                    referred.add(target)
                    pending.append((get(before, target), get(after, target), target, False))
            for key, value in reversed(other.items()):
                if (
                    isinstance(value, (dict, list))
                    and was.get(key) is not value
                    and (named or not _is_data(key, extensions))
                ):
                    pending.append((was.get(key), value, at + pointer(key), not named and key in _NAMED))
        elif isinstance(other, list):
            pending += [
                (item, value, f"{at}/{index}", False)
                for item, value, index in _paired(one if isinstance(one, list) else [], other)
            ]


def _is_data(key: str, extensions: bool) -> bool:
    if key in _DATA or key in _MARKS:
        return True
    return not extensions and str(key).startswith("x-") and key not in _NAMED


def _hidden(ref: Any, extensions: bool) -> str | None:
    """The pointer of what a reference leads to in the same document, where that is among plain data."""
    if not isinstance(ref, str) or not ref.startswith("#/"):
        return None
    at = unquote(ref[1:])
    return at if any(_is_data(step, extensions) for step in steps_of(at)) else None


def _paired(before: list[Any], after: list[Any]) -> list[tuple[Any, Any, int]]:
    """The items of a list that another has not, each with one that is gone in its stead."""
    objects = [each for each in before if isinstance(each, (dict, list))]
    new = [
        (index, each)
        for index, each in enumerate(after)
        if isinstance(each, (dict, list)) and not any(equal(each, other) for other in objects)
    ]
    gone = _without(objects, after) if new else []
    return [(gone[n] if n < len(gone) else None, each, index) for n, (index, each) in enumerate(new)]


def _without(items: list[Any], others: list[Any]) -> list[Any]:
    """The items that another list has not, each as often as it has it less often."""
    rest, found = list(others), []
    for item in items:
        at = next((index for index, each in enumerate(rest) if equal(item, each)), None)
        if at is None:
            found.append(item)
        else:
            del rest[at]
    return found


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else _NOTHING

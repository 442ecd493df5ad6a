"""What a patch may not do in passing: promise anybody less than is promised.

A window that is over, or none at all, and a level that promises nothing let the next change break everybody without a
word. So a day that a patch sets leaves consumers their time, and no level goes down.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any, NamedTuple

from guardian.fixes.bench import Bench, Trial, documents_read
from guardian.fixes.json_patch import equal, get, pointer
from guardian.fixes.marks import DATED, Told, days_of, objects_of, told
from guardian.fixes.slots import last, whole
from guardian.fixes.work import (
    ALIAS_OF,
    DEPRECATED_VALUES,
    OPTIONAL_FROM,
    REQUIRED_FROM,
    SUCCESSOR,
    VERSIONS,
    X_DEPRECATED,
)
from guardian.lazy import cached_property
from guardian.rules.facts import stability
from guardian.spec.dates import read_date
from guardian.spec.pointers import steps_of

Key = tuple[str, str, str]  # a mark, what it is of, what it says

# What a draft sets on the objects that it carries, and an identifier that is given but once.
_SET = frozenset(
    {"description", "operationId", "deprecated", X_DEPRECATED, ALIAS_OF, SUCCESSOR, REQUIRED_FROM, OPTIONAL_FROM,
     DEPRECATED_VALUES, VERSIONS, *DATED}
)  # fmt: skip
# What a name of its own adds to the name of what is carried (see `work.new_name` and `transplant`).
_NUMBER = re.compile(r"[-_]?[vV]\d+$")


class _Promise(NamedTuple):
    key: Key
    sentence: str


def broken_promise(bench: Bench, trial: Trial) -> str | None:
    """What a patch promises less of than is promised, in one sentence; None if nothing is.

    What base or head says of the same thing already, its author has promised.
    """
    sunset, extension = bench.situation.sunset, bench.situation.options.stability
    said = _Said(bench, trial, extension)
    for each in told(bench, trial, extensions=True):
        for promise in _less(each, sunset, extension):
            if not said.allows(each, promise.key):
                return promise.sentence
    return None


def _less(each: Told, sunset: date, extension: str) -> Iterator[_Promise]:
    """What an object promises less of."""
    for mark in sorted(DATED & each.after.keys()):
        known = days_of(each.before, mark)
        for name, said in each.days(mark).items():
            key = (mark, name, str(said))
            day, was = read_date(said), read_date(known.get(name))
            if day is None:
                yield _Promise(key, f"`{mark}: {said}` of `{each.name}` names no day (as in 2027-01-31)")
            elif day < (min(sunset, was) if was is not None else sunset):
                reason = f"`{mark}` of `{each.name}` is {day}, sooner than {sunset}, when a window that opens now ends"
                yield _Promise(key, reason)
    level = each.after.get(extension)
    if isinstance(level, str) and stability(each.before.get(extension), level) in ("decreased", "unknown"):
        sentence = f"`{extension}: {level}` makes `{each.name}` promise less than head does"
        yield _Promise((extension, "", level), sentence)


class _Said:
    """What base and head say of days and levels."""

    def __init__(self, bench: Bench, trial: Trial, extension: str) -> None:
        self._extension = extension
        self._roots = [
            (document.file, document.root)
            for service in sorted(trial.services)
            for side in (bench.situation.base, bench.situation.head)
            if (api := side.get(service)) is not None
            for document in documents_read(api.document.documents)
        ]

    def allows(self, each: Told, key: Key) -> bool:
        """Whether an object may say this, because the thing that it is of says it already.

        That is the thing at the same place, or, where neither side has one, the one that is carried to it.
        """
        places = {each.at, whole(each.at)}  # a form that is one of several speaks of what has the choice
        here = [get(root, at) for at in places for file, root in self._roots if file == each.file]
        if any(isinstance(one, dict) and key in self._keys(one) for one in here):
            return True
        # In a list, the same index is no sign of the same thing.
        if any(isinstance(one, dict) for one in here) and not any(
            _in_list(root, each.at) for file, root in self._roots if file == each.file
        ):
            return False
        name, form = _stem(each), _form(each.after)
        return any(_stem(one) == name and equal(_form(one.after), form) for one in self._by_key.get(key, ()))

    def _keys(self, holder: Mapping[str, Any]) -> set[Key]:
        found = {
            (mark, name, str(day)) for mark in DATED & holder.keys() for name, day in days_of(holder, mark).items()
        }
        return found | ({(self._extension, "", str(holder[self._extension]))} if self._extension in holder else set())

    @cached_property
    def _by_key(self) -> Mapping[Key, list[Told]]:
        found: dict[Key, list[Told]] = {}
        for file, root in self._roots:
            for each in objects_of(file, None, root, extensions=True):
                for key in self._keys(each.after):
                    found.setdefault(key, []).append(each)
        return found


def _in_list(root: Any, at: str) -> bool:
    """Whether a pointer leads through a list."""
    steps = steps_of(at)
    return any(isinstance(get(root, pointer(*steps[:length])), list) for length in range(len(steps)))


def _stem(each: Told) -> str:
    """What an object is called, by whatever name of its own it is carried."""
    return _NUMBER.sub("", each.name)


def _form(value: Any, *, whole: bool = True) -> Any:
    """A value without what a draft sets on what it carries, and with references by what they are called."""
    if isinstance(value, list):
        return [_form(each, whole=False) for each in value]
    if not isinstance(value, dict):
        return value
    kept = {
        key: each
        for key, each in value.items()
        if not (whole and (key in _SET or (key == "required" and each in (True, False))))
    }
    return {
        key: _NUMBER.sub("", last(each)) if key == "$ref" and isinstance(each, str) else _form(each, whole=False)
        for key, each in kept.items()
    }

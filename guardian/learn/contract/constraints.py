"""Constraints between the fields of a payload: said in words in the specification, checked by an expression.

A schema lists them under ``x-constraints``: ``field`` (``lines[].amount``; the place that is wrong when it does not
hold), ``description`` for readers, and ``equals`` or ``holds``, an expression (``guardian.learn.contract.expressions``)
over the object that the field lies in, with ``root`` for the whole payload. Agents never see the expressions.

``PHRASES`` is the one book of wordings, so that the ``rules`` policy can read a description back; a model has to
learn to.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import lru_cache
from random import Random
from typing import Any

from guardian.learn.contract.expressions import Inapplicable, evaluate
from guardian.learn.contract.payloads import Steps, read, write_place

Json = dict[str, Any]

KEY = "x-constraints"
SECRET_KEYS = ("equals", "holds")


@dataclass(frozen=True, slots=True)
class Constraint:
    """One constraint; either ``equals`` (what the field must be) or ``holds`` (what must be true) is set."""

    field: str
    description: str
    equals: str = ""
    holds: str = ""

    def to_json(self) -> Json:
        expression = {"equals": self.equals} if self.equals else {"holds": self.holds}
        return {"field": self.field, "description": self.description, **expression}


@dataclass(frozen=True, slots=True)
class Instance:
    """A constraint at one place of a payload."""

    constraint: Constraint
    at: Steps

    @property
    def place(self) -> str:
        return write_place(self.at)

    def wanted(self, payload: Any) -> Any:
        """What the expression says.

        Raises:
            Inapplicable: the payload lacks what it is about.
        """
        scope = read(payload, self.at[:-1])
        expression = self.constraint.equals or self.constraint.holds
        return evaluate(expression, {**scope, "root": payload})

    def kept(self, payload: Any) -> bool:
        """Whether it holds; what cannot be judged is not broken."""
        try:
            wanted = self.wanted(payload)
        except Inapplicable:
            return True
        if not self.constraint.equals:
            return bool(wanted)
        value = read(payload, self.at)
        if isinstance(value, int | float) and isinstance(wanted, int | float):
            return abs(value - wanted) < 0.005
        return bool(value == wanted)


def of_schema(schema: Json) -> tuple[Constraint, ...]:
    """The constraints that a schema declares with their expressions."""
    return tuple(
        Constraint(each["field"], each.get("description", ""), each.get("equals", ""), each.get("holds", ""))
        for each in schema.get(KEY, ())
        if each.get("equals") or each.get("holds")
    )


def instances(constraints: Sequence[Constraint], payload: Any) -> list[Instance]:
    """Every place of a payload that a constraint is about, in the order declared."""
    return [Instance(each, at) for each in constraints for at in _matches(each.field, payload)]


def _matches(field: str, payload: Any) -> Iterator[Steps]:
    found: list[Steps] = [()]
    for part in field.split("."):
        name = part.removesuffix("[]")
        found = [(*at, name) for at in found if isinstance(holder := read(payload, at), dict) and name in holder]
        if part.endswith("[]"):
            found = [
                (*at, index)
                for at in found
                if isinstance(listed := read(payload, at), list)
                for index in range(len(listed))
            ]
    yield from found


def broken(constraints: Sequence[Constraint]) -> Callable[[Any], list[str]]:
    """The places of constraints that do not hold, given a payload."""
    return lambda payload: [each.place for each in instances(constraints, payload) if not each.kept(payload)]


# -- making payloads that keep or break them -----------------------------------------------------------------------------


def repair(constraints: Sequence[Constraint], payload: Any, rng: Random) -> None:
    """Make every constraint hold, in the order declared: what is derived is computed, the rest is tried."""
    for each in instances(constraints, payload):
        if each.kept(payload):
            continue
        if each.constraint.equals:
            _write(payload, each.at, each.wanted(payload))
            continue
        was = read(payload, each.at)
        for value in _candidates(was, payload, rng):
            _write(payload, each.at, value)
            if each.kept(payload):
                break
        else:
            _write(payload, each.at, was)


def breaker(constraints: Sequence[Constraint]) -> Callable[[Any, Random], bool]:
    """An edit that breaks one constraint and keeps what follows from the changed field in step with it."""

    def edit(payload: Any, rng: Random) -> bool:
        all_of_them = instances(constraints, payload)
        kept = [each for each in all_of_them if each.kept(payload)]
        if not kept:
            return False
        chosen = rng.choice(kept)
        for value in _candidates(read(payload, chosen.at), payload, rng):
            _write(payload, chosen.at, value)
            if not chosen.kept(payload):
                break
        else:
            return False
        for each in kept:
            if each is not chosen and each.constraint.equals and not each.kept(payload):
                _write(payload, each.at, each.wanted(payload))
        return True

    return edit


def _write(payload: Any, at: Steps, value: Any) -> None:
    read(payload, at[:-1])[at[-1]] = value


def _candidates(value: Any, payload: Any, rng: Random) -> list[Any]:
    """Other values of the same type; times and dates near the ones that are there."""
    if isinstance(value, bool):
        return [not value]
    # Nothing at all comes last: it breaks nearly every rule, and whoever looks for it need not read one.
    if isinstance(value, int):
        counts = [value + rng.randint(1, 9), max(0, value - rng.randint(1, 9)), value * 2 + 1, value // 2]
        rng.shuffle(counts)
        return [*counts, 0]
    if isinstance(value, float):
        amounts = [round(value * factor + rng.randint(1, 5), 2) for factor in (0.5, 0.8, 1.0, 1.1, 1.25, 2.0)]
        rng.shuffle(amounts)
        return [*amounts, 0.0]
    if not isinstance(value, str):
        return []
    if re.fullmatch(r"\d+\.\d+\.\d+\.\d+", value):
        found = [
            f"{first}.{second}.{rng.randint(0, 255)}.7" for first in (10, 172, 192) for second in (*range(10), 16, 168)
        ]
        rng.shuffle(found)
        return found
    moments = [each for each in _moments(payload) if len(each) == len(value)]
    shifted = [_shift(each, days) for each in moments for days in (-rng.randint(2, 40), rng.randint(2, 40))]
    rng.shuffle(shifted)
    return shifted


_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d))?")


def _shift(text: str, days: int) -> str:
    if len(text) == 10:
        return (date.fromisoformat(text) + timedelta(days)).isoformat()
    moment = datetime.fromisoformat(text) + timedelta(days)
    return moment.isoformat().replace("+00:00", "Z")


def _moments(value: Any) -> Iterator[str]:
    """Every date and time in a payload; what an earlier edit made a wrong one of is none."""
    if isinstance(value, dict):
        for each in value.values():
            yield from _moments(each)
    elif isinstance(value, list):
        for each in value:
            yield from _moments(each)
    elif isinstance(value, str) and _MOMENT.fullmatch(value):
        yield value


# -- words ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Phrase:
    """One meaning: how it may be worded, and its expression. ``{x}`` stands for a field or a value."""

    wordings: tuple[str, ...]
    equals: str = ""
    holds: str = ""


PHRASES: dict[str, Phrase] = {
    "product": Phrase(
        ("{f} is {a} times {b}, rounded to cents.", "{f} is what {a} and {b} multiply to, in cents."),
        equals="cents({a} * {b})",
    ),
    "sum": Phrase(
        ("{f} is the sum of {a} over all {list}.", "Adding {a} of every entry in {list} gives {f}."),
        equals="total({list}, '{a}')",
    ),
    "balance": Phrase(
        ("{f} is {a} plus {b} minus {c}.", "From {a} and {b} together, {c} is taken off: that is {f}."),
        equals="cents({a} + {b} - {c})",
    ),
    "count": Phrase(("{f} is the number of {list}.", "{f} says how many {list} there are."), equals="count({list})"),
    "not_before": Phrase(
        ("{f} is never before {a}.", "{a} comes first, {f} on the same day or later."), holds="when({f}) >= when({a})"
    ),
    "after": Phrase(("{f} is later than {a}.", "{a} lies before {f}."), holds="when({f}) > when({a})"),
    "only_where": Phrase(
        ("{f} is 0 unless {a} is {value}.", "Only where {a} is {value} may {f} be more than 0."),
        holds="{f} == 0 or {a} == '{value}'",
    ),
    "at_most": Phrase(("{f} is at most {a}.", "{f} never exceeds {a}."), holds="{f} <= {a}"),
    "in_network": Phrase(
        ("{f} lies in the network {value}.", "Only addresses of {value} are let in as {f}."),
        holds="in_network({f}, '{value}')",
    ),
}


def phrase(name: str, field: str, rng: Random, **names: str) -> Constraint:
    """A constraint of this meaning in one of its wordings.

    Args:
        field: the place that is to blame, from the root of the payload.
        names: the other fields as the expression names them: beside the field for those of an array's item, from the
            root (``root`` understood) for others.
    """
    meaning = PHRASES[name]
    return _constraint(meaning, rng.choice(meaning.wordings), field, names)


def _constraint(meaning: Phrase, wording: str, field: str, names: dict[str, str]) -> Constraint:
    own = field.rpartition("[].")[2] if "[]." in field else f"root.{field}"
    scope = {key: _scoped(value, field) if key in ("a", "b", "c", "list") else value for key, value in names.items()}
    if meaning.equals.startswith("total("):
        scope["a"] = names["a"]
    said = {key: f"`{value}`" for key, value in {"f": field, **names}.items()}
    return Constraint(
        field,
        wording.format(**said),
        equals=meaning.equals.format(f=own, **scope),
        holds=meaning.holds.format(f=own, **scope),
    )


def _scoped(name: str, field: str) -> str:
    """How an expression reaches a field: items know their neighbours, everything else is reached from the root."""
    return name if "[]." in field else f"root.{name}"


def understand(field: str, description: str) -> Constraint | None:
    """The constraint that a description words, as the book of phrases has it; None if it is in no such words."""
    for meaning, wording, pattern in _patterns():
        match = pattern.fullmatch(description)
        if match:
            names = {key: value for key, value in match.groupdict().items() if key != "f"}
            return _constraint(meaning, wording, field, names)
    return None


@lru_cache(maxsize=1)
def _patterns() -> list[tuple[Phrase, str, re.Pattern[str]]]:
    found = []
    for meaning in PHRASES.values():
        for wording in meaning.wordings:
            text = re.escape(wording).replace(r"\{", "{").replace(r"\}", "}")
            pattern = re.sub(r"\{(\w+)\}", lambda each: f"`(?P<{each[1]}>[^`]+)`", text)
            found.append((meaning, wording, re.compile(pattern)))
    return found


def without_secrets(value: Any) -> Any:
    """A document as agents see it: every constraint without its expression. What has none is not copied."""
    if isinstance(value, dict):
        if KEY in value and isinstance(value[KEY], list):
            listed = [
                {key: each for key, each in entry.items() if key not in SECRET_KEYS}
                if isinstance(entry, dict)
                else entry
                for entry in value[KEY]
            ]
            return {**{key: without_secrets(each) for key, each in value.items() if key != KEY}, KEY: listed}
        return {key: without_secrets(each) for key, each in value.items()}
    if isinstance(value, list):
        return [without_secrets(each) for each in value]
    return value

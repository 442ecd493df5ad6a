"""Violations planted into valid payloads, each kept only if the truth grows by just that one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from guardian.learn.contract.mutations.sites import clone
from guardian.learn.contract.payloads import PayloadJudge, Steps, Truth, holders, leaves, read
from guardian.learn.contract.vocabulary_values import WORDS

Json = dict[str, Any]
Edit = Callable[[Any, Random], bool]
"""Changes a payload somewhere; False where it finds no place."""

_TRIES = 12


def plant(
    payload: Any,
    judge: PayloadJudge,
    kinds: Sequence[str],
    wanted: int,
    rng: Random,
    *,
    edits: Mapping[str, Edit] | None = None,
    fits: Callable[[str], bool] = lambda place: True,
) -> tuple[Any, Truth]:
    """A payload with ``wanted`` violations of these kinds, in turn, and the truth about it; fewer if it has no room.

    Args:
        payload: a valid one; it is not changed.
        edits: edits by kind, tried in place of the general ones.
        fits: whether a place may be chosen.
    """
    value = clone(payload)
    truth: Truth = {}
    sources = {kind: _edits(kind, value, rng, (edits or {}).get(kind)) for kind in kinds}
    while len(truth) < wanted and sources:
        for kind in list(sources):
            grown = _grow(value, truth, judge, sources[kind], rng, lambda place, found: found in kinds and fits(place))
            if grown is None:
                del sources[kind]
            else:
                value, truth = grown
            if len(truth) == wanted:
                break
    return value, truth


def _grow(
    value: Any, truth: Truth, judge: PayloadJudge, edits: Iterator[Edit], rng: Random, fits: Callable[[str, str], bool]
) -> tuple[Any, Truth] | None:
    """The payload after the first edit that adds one violation and leaves the others as they are."""
    for edit in edits:
        trial = clone(value)
        if not edit(trial, rng):
            continue
        found = judge.truth(trial)
        if found is None or len(found) != len(truth) + 1 or not truth.items() <= found.items():
            continue
        (place,) = found.keys() - truth.keys()
        if fits(place, found[place]):
            return trial, found
    return None


def _edits(kind: str, payload: Any, rng: Random, own: Edit | None) -> Iterator[Edit]:
    """Every edit of a kind that this payload has a place for, in random order; each is tried once."""
    if own is not None:
        for _ in range(len(list(leaves(payload))) + _TRIES):
            yield own
    places = list(_PLACES[kind](payload)) if kind in _PLACES else []
    rng.shuffle(places)
    # A member that holds others takes their room with it when it goes, so it comes last.
    places.sort(key=lambda at: isinstance(read(payload, at), dict | list))
    for at in places:
        yield _At(at, _CHANGES[kind])


@dataclass(frozen=True, slots=True)
class _At:
    """An edit at one place, which an earlier edit may have taken away."""

    at: Steps
    change: Callable[[Any, str | int, Random], bool]

    def __call__(self, payload: Any, rng: Random) -> bool:
        try:
            holder = read(payload, self.at[:-1])
            if isinstance(holder, dict | list):
                return self.change(holder, self.at[-1], rng)
        except (KeyError, IndexError, TypeError):
            pass  # it lies in what was edited before
        return False


def _mistype(holder: Any, key: str | int, rng: Random) -> bool:
    was = holder[key]
    if isinstance(was, dict | list):
        return False
    if isinstance(was, bool):
        holder[key] = rng.choice(("yes", 1, str(was).lower()))
    elif isinstance(was, int | float):
        holder[key] = rng.choice((str(was), [was], {"value": was}))
    else:
        holder[key] = rng.choice((rng.randint(1, 999), True, [was]))
    return True


def _leave_out(holder: Any, key: str | int, rng: Random) -> bool:
    del holder[key]
    return True


def _invent(holder: Any, key: str | int, rng: Random) -> bool:
    was = holder[key]
    if isinstance(was, str):
        others = (was.upper(), was.capitalize(), f"{was}s", rng.choice(WORDS), rng.choice(WORDS))
        holder[key] = rng.choice([each for each in others if each != was])
    return isinstance(was, str)


def _misformat(holder: Any, key: str | int, rng: Random) -> bool:
    was = holder[key]
    if isinstance(was, str):
        others = (was.replace("-", "/"), was.replace("@", "."), was[:-1], was.replace(":", "."))
        holder[key] = rng.choice([each for each in others if each != was])
    return isinstance(was, str)


def _add(holder: Any, key: str | int, rng: Random) -> bool:
    name = rng.choice((f"{key}_id", f"{key}_note", rng.choice(WORDS), rng.choice(WORDS)))
    if name in holder:
        return False
    holder[name] = rng.choice((True, "x", 1))
    return True


def _scalars(payload: Any) -> Iterator[Steps]:
    return (at for at, value in leaves(payload) if at and value is not None)


def _words(payload: Any) -> Iterator[Steps]:
    return (at for at, value in leaves(payload) if at and isinstance(value, str) and value.replace("_", "").isalnum())


def _written(payload: Any) -> Iterator[Steps]:
    """Texts that look as if somebody had said how to write them."""
    for at, value in leaves(payload):
        if at and isinstance(value, str) and (any(char in value for char in "-@:/.") or value.isupper()):
            yield at


def _members(payload: Any) -> Iterator[Steps]:
    return ((*at, key) for at, holder in holders(payload) for key in holder)


def _beside(payload: Any) -> Iterator[Steps]:
    """One member of every object, beside which another can be put."""
    return ((*at, next(iter(holder))) for at, holder in holders(payload) if holder)


_PLACES: dict[str, Callable[[Any], Iterator[Steps]]] = {
    "type_mismatch": _scalars,
    "missing_required": _members,
    "invalid_enum": _words,
    "format_error": _written,
    "extra_field": _beside,
}
_CHANGES: dict[str, Callable[[Any, str | int, Random], bool]] = {
    "type_mismatch": _mistype,
    "missing_required": _leave_out,
    "invalid_enum": _invent,
    "format_error": _misformat,
    "extra_field": _add,
}

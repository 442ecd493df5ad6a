"""What a finding asks of its witness: who sends, how values are written, what a reader needs, and whether a value tells."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from operator import eq
from typing import Any, TypeVar

from guardian import fieldpath
from guardian.model import Direction, Effect
from guardian.rules.form_fields import Writing, read_as, written_at
from guardian.rules.form_messages import Place
from guardian.rules.judge import Judge
from guardian.rules.pairs import BY_TAG, UNKNOWN_SENT, SchemaRoot, UnionPair
from guardian.rules.sample import MAX_ITEMS
from guardian.rules.sample_texts import MAX_TEXT
from guardian.rules.validator import Json, Unjudgeable
from guardian.rules.walk import Found
from guardian.spec.shape import Bound

_T = TypeVar("_T")


def none_needed(found: Found) -> str:
    """Why a finding needs no witness; empty if it does."""
    if found.delta.effect is Effect.ANNOTATION:
        return "an annotation changes no message"
    if UNKNOWN_SENT in found.delta.facts:
        return found.delta.unproved or "no document says what the sending side sends"
    harmless = Effect.WIDENED if found.root.direction is Direction.REQUEST else Effect.NARROWED
    return "every message that worked before works still" if found.delta.effect is harmless else ""


def turned(root: SchemaRoot, base: _T, head: _T) -> tuple[_T, _T]:
    """Who sends comes first."""
    return (base, head) if root.direction is Direction.REQUEST else (head, base)


def writing_at(found: Found) -> Writing:
    """How values are written at the place of a finding."""
    return written_at(found.root.writing, steps_to(found))


def steps_to(found: Found) -> Iterator[str]:
    """The steps to the place of a finding, without those that see the same value as another one."""
    return (child.step for child in found.path if child.step or child.literal)


def elsewhere(found: Found, places: Sequence[Place]) -> Sequence[Place]:
    """These places, as long as none of them is where the finding is, or on the way to it."""
    name = only_name(found.delta.field)
    where = (*steps_to(found), *([] if name is None else [name]))
    return () if where and any(all(map(eq, place, where)) for place in places) else places


def needs_of(found: Found, name: str) -> Json:
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


def only_name(field: str) -> str | None:
    """The property that a field of one step names."""
    path = fieldpath.parse(field)
    step = path.steps[0] if len(path.steps) == 1 and not path.place else None
    return step if isinstance(step, str) else None


def claims_of(found: Found) -> set[str]:
    """The keywords that the finding's rule answers for."""
    return {each.rpartition(".")[2] for each in found.rule.claims}


def about_tags(found: Found) -> bool:
    """Whether the values that select alternatives are part of the question."""
    return (
        "discriminator" in found.rule.claims
        or BY_TAG in found.delta.facts
        or any(child.selected for child in found.path)
    )


def is_beyond(found: Found, sizes: Iterable[tuple[str, Bound]]) -> bool:
    """Whether a finding is about a size that no value is built of."""
    claims = claims_of(found)
    return any(
        keyword in claims and bound.value >= (MAX_TEXT if keyword.endswith("Length") else MAX_ITEMS)
        for keyword, bound in sizes
    )


def tells_apart(judges: tuple[Judge, Judge], writing: Writing, value: Any, needs: Json, reasons: list[str]) -> bool:
    """Whether the sending side accepts a value and the receiving side, with its needs, accepts no reading of it.

    Why one of them could not be asked is put into ``reasons``.
    """
    sends, receives = judges
    try:
        return sends.accepts(value) and not any(receives.accepts(each, needs) for each in read_as(value, writing))
    except Unjudgeable as reason:
        reasons.append(str(reason))
        return False


def may_send(sends: Judge, value: Any) -> bool:
    """Whether the sending side accepts a value; False where it cannot be asked."""
    with suppress(Unjudgeable):
        return sends.accepts(value)
    return False


def refused_for(receives: Judge, found: Found, value: Any) -> bool:
    """Whether the receiving side refuses a value for nothing but what the finding is about.

    What a rule says of alternatives and types is said of the value itself, and not of what lies in it.
    """
    claims, itself = claims_of(found), found.rule.pair is UnionPair
    return all(each.keywords & claims and not (itself and each.below) for each in receives.objections(value))

"""Renames: a removed thing and an added thing in the same place that are one thing under two names.

Certainty is a number from 0 to 1: half for meaning the same, half for likeness of the names. Nothing is judged by it;
it words the finding and orders the fixes.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING

from guardian.spec.api import Schema

if TYPE_CHECKING:
    from guardian.rules.pairs import ObjectPair, Relate

# Below this a pair of names is not called a rename.
LIKELY = 0.6

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def words(name: str) -> tuple[str, ...]:
    """The words of an identifier in any case style, lower case: ``emailAddress`` and ``email_address`` are alike."""
    return tuple(word.lower() for word in _WORDS.findall(name))


@lru_cache(maxsize=10_000)
def likeness(a: str, b: str) -> float:
    """How alike two names are, 0 to 1."""
    first, second = words(a), words(b)
    if first == second:
        return 1.0
    if first and second and (set(first) <= set(second) or set(second) <= set(first)):
        return 0.9
    shared = len(set(first) & set(second)) / max(len(set(first) | set(second)), 1)
    matcher = SequenceMatcher(None, a.lower(), b.lower())
    if matcher.real_quick_ratio() * 0.8 <= shared or matcher.quick_ratio() * 0.8 <= shared:
        return shared
    return max(matcher.ratio() * 0.8, shared)


def certainty(name: str, other: str, *, same_meaning: bool, alone: bool) -> float:
    """How sure it is that ``name`` became ``other``. ``alone``: nothing else was removed or added here."""
    return (0.5 if same_meaning else 0.0) + 0.5 * likeness(name, other) + (0.1 if alone and same_meaning else 0.0)


def likely_rename(name: str, pair: ObjectPair) -> str | None:
    """The property of head that the removed property ``name`` of base most likely became."""
    before, after = pair.base.properties, pair.head.properties
    removed = [each for each in before if each not in after]
    added = {each: after[each] for each in after if each not in before}
    if name not in before or not added:
        return None
    alone = len(removed) == len(added) == 1
    scored = sorted(
        (-_score(name, other, before[name], schema, pair.relate, alone), other) for other, schema in added.items()
    )
    best, other = scored[0]
    if -best < LIKELY:
        return None
    rivals = [each for each in removed if each != name]
    if any(_score(each, other, before[each], added[other], pair.relate, alone) > -best for each in rivals):
        return None
    return other


def _score(name: str, other: str, base: Schema, head: Schema, relate: Relate, alone: bool) -> float:
    if likeness(name, other) < 0.25 and not alone:
        return 0.0
    return certainty(name, other, same_meaning=relate(base, head) is None, alone=alone)

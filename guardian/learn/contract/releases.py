"""How a version goes out: how long its former form may stay, and when each consumer moves.

Whom a fix breaks the verifier says. This is about the rest of a fix, which the engine says of every draft that it
ranks: whether anything is carried twice, until when, whether a second version comes, and who has to move first.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from random import Random
from typing import Any

from guardian.fixes.choice import cost
from guardian.fixes.draft import Draft
from guardian.model import Strategy

Json = dict[str, Any]

#: The day that windows open on; always the same, so that episodes are.
AS_OF = date(2026, 1, 1)

#: When a consumer moves, beside days (ISO 8601).
NOW, SOMEDAY, NEVER = "now", "someday", "never"
#: How long the former form may stay, beside a last day: no longer than this release, or as long as it takes.
NOT, OPEN = "not", "open"

#: In how many days consumers move, and in how many a former form goes: no sooner than a window that opens now ends.
_MOVES, _GOES = (30, 45, 60, 75, 90, 120, 150, 180), (90, 120, 150, 180)


@dataclass(frozen=True, slots=True)
class Release:
    """The terms of a release; those that nothing is said of bind nobody.

    Attributes:
        former: how long the former form may stay: ``open``, ``not``, or until a day.
        versions: whether a second version may come beside the one that is deployed.
        moves: by consumer, when it moves: ``now`` (before this release), a day, ``someday`` or ``never``.
    """

    former: str = OPEN
    versions: bool = True
    moves: Mapping[str, str] = field(default_factory=dict)

    @property
    def last_day(self) -> date | None:
        """The last day of the former form, where there is one."""
        return None if self.former in (NOT, OPEN) else date.fromisoformat(self.former)

    def to_json(self) -> Json:
        return {"former": self.former, "versions": self.versions, "moves": dict(sorted(self.moves.items()))}

    def day_of(self, consumer: str) -> date | None:
        """The day that a consumer moves on, where it has one."""
        when = self.moves.get(consumer, "")
        return date.fromisoformat(when) if when[:1].isdigit() else None

    def refuses(self, draft: Draft, movers: Sequence[str], until: date | None) -> str | None:
        """Why a fix that mends everything is none for this release, and whom it breaks in time; None if it is one.

        Args:
            movers: those that the change breaks.
            until: the last day of the former form, where the fix names one.
        """
        _, work, life, _ = cost(draft)
        if work > 1 and not self.versions:
            return "no second version may come with this release"
        if life == 0:
            return _late("before this release", [name for name in movers if self._moves(name) != NOW])
        if self.former == NOT:
            return "the former form may not stay, and this carries it"
        if until is not None:
            if self.last_day is not None and until > self.last_day:
                return f"the former form may not stay after {self.former}"
            ready = {name for name in movers if (day := self.day_of(name)) is not None and day <= until}
            return _late(f"by {until}", [name for name in movers if self._moves(name) != NOW and name not in ready])
        if self.last_day is not None:
            return f"the former form has to go by {self.former}, and this names no day"
        return _late("at all", [name for name in movers if self._moves(name) == NEVER]) if life == 1 else None

    def _moves(self, consumer: str) -> str:
        return self.moves.get(consumer, NOW)


def _late(when: str, names: Sequence[str]) -> str | None:
    return f"{' and '.join(names)} cannot move {when}" if names else None


def read_release(data: Mapping[str, Any] | None) -> Release:
    """The terms as an observation has them."""
    return Release(**data) if data else Release()


def draw(
    wanted: Strategy, able: Collection[Strategy], broken: Collection[str], names: Sequence[str], rng: Random
) -> Release:
    """Terms under which the wanted strategy is right, and few others are.

    Args:
        able: the strategies that mend the change.
        broken: whom it breaks.
        names: every consumer; whoever is not broken moves at any pace.
    """
    day = AS_OF + timedelta(days=rng.choice(_GOES))
    days = [(AS_OF + timedelta(days=each)).isoformat() for each in _MOVES]
    by_then = [each for each in days if each <= day.isoformat()]
    moves = {name: rng.choice((NOW, rng.choice(days), SOMEDAY, NEVER)) for name in names}
    others, decisive = {
        Strategy.CONSUMER_PATCH: ((NOW,), NOW),
        Strategy.DEPRECATION_WINDOW: ((NOW, *by_then), rng.choice(by_then)),
        Strategy.DUAL_WRITE: ((NOW, rng.choice(days), SOMEDAY), SOMEDAY),
    }.get(wanted, ((NOW, rng.choice(days), SOMEDAY, NEVER), NEVER))
    hit = sorted(broken)
    moves |= {name: rng.choice(others) for name in hit}
    moves[rng.choice(hit)] = decisive
    former = {Strategy.CONSUMER_PATCH: NOT, Strategy.DEPRECATION_WINDOW: day.isoformat()}.get(wanted, OPEN)
    # A second version would pass beside these, so it is ruled out there; elsewhere the term says nothing of the answer.
    rival = wanted in (Strategy.FIELD_ALIAS, Strategy.DUAL_WRITE) and Strategy.VERSION_BUMP in able
    versions = wanted is Strategy.VERSION_BUMP or (not rival and rng.random() < 0.5)
    return Release(former, versions, moves)

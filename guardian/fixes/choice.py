"""Which of several fixes to take: what each costs whom, as an order and in one plain sentence."""

from __future__ import annotations

from collections.abc import Sequence

from guardian.fixes.draft import Draft
from guardian.fixes.rollout import and_
from guardian.model import Change, Impact, Strategy

Cost = tuple[int, int, int, int]

# How much there is to do for the producer, and how long it carries two forms (see `cost`).
_WORK = {
    Strategy.DUAL_WRITE: 1,
    Strategy.DEPRECATION_WINDOW: 1,
    Strategy.FIELD_ALIAS: 1,
    Strategy.VERSION_BUMP: 2,
    Strategy.CONSUMER_PATCH: 0,
}
_LIFE = {
    Strategy.CONSUMER_PATCH: 0,
    Strategy.DUAL_WRITE: 1,
    Strategy.DEPRECATION_WINDOW: 1,
    Strategy.FIELD_ALIAS: 2,
    Strategy.VERSION_BUMP: 2,
}


def cost(draft: Draft) -> Cost:
    """What a fix costs; the smaller, the better.

    First the consumers that have to move before anything can be released, then the work of the producer (1 one form
    more in the same place, 2 a second operation), then how long two forms live (1 a transition, 2 open end), then the size
    of the edit.
    """
    return len(draft.moves), _WORK[draft.strategy], _LIFE[draft.strategy], draft.weight


def rationale(draft: Draft, addressed: Sequence[Change]) -> str:
    """One plain sentence: what is done, who has to do something, and how long two forms live."""
    movers = sorted(
        {each.consumer for change in addressed for each in change.consumers if each.impact is not Impact.SAFE}
    )
    if draft.strategy is Strategy.CONSUMER_PATCH:
        names = sorted(draft.moves)
        return f"{draft.service} {draft.does}: nothing is carried twice, but {and_(names)} must be ready first."
    who = (
        f"{and_(movers)} can move in {'its' if len(movers) == 1 else 'their'} own time"
        if movers
        else "nobody has to move"
    )
    until = f"until {draft.until}" if draft.until else {
        Strategy.FIELD_ALIAS: "for as long as the alias stays",
        Strategy.DUAL_WRITE: "until the transition is over",
        Strategy.VERSION_BUMP: "until the former version is retired",
    }.get(draft.strategy, "for a while")  # fmt: skip
    sure = "" if draft.sure is None else f"; that they are one thing is {draft.sure * 100:.0f}% sure"
    return f"{draft.service} {draft.does}: {who}, and two forms live {until}{sure}."

"""From the findings of a check to fixes: every strategy tried on every cause, what passes ranked, and all of it together.

The work is bounded, by counts and not by the clock, so that the same check gives the same fixes everywhere; what is left
out is said.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple

from guardian.fixes import json_patch
from guardian.fixes.bench import Bench, Situation
from guardian.fixes.choice import cost, rationale
from guardian.fixes.draft import Draft
from guardian.fixes.json_patch import Operation, PatchError
from guardian.fixes.rollout import elsewhere, rollout
from guardian.fixes.strategies import drafts
from guardian.fixes.verify import Outcome, verify
from guardian.fixes.work import Group, Work, grouped
from guardian.model import Change, Fix, Note, Severity, Strategy
from guardian.spread import spread

#: At most so many causes are mended; with more than `FULL_CHOICE`, each gets one fix and no choice.
MOST_CAUSES = 60
FULL_CHOICE = 12
#: At most so many attempts of one strategy at one cause, and so many pairs of places compared for all of them.
MOST_ATTEMPTS = 8
MOST_PAIRS = 12_000
#: Bytes, counted for every cause, of the files that are read again for a trial, from which on more than one process tries; so
#: many take some hundredths of a second.
WORTH_A_PROCESS = 20_000_000


@dataclass(frozen=True, slots=True)
class Proposals:
    """The fixes that passed, best first, and what was left out."""

    fixes: tuple[Fix, ...] = ()
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Passed:
    """A draft that was tried and passed."""

    group: Group
    draft: Draft
    outcome: Outcome


def propose(situation: Situation, changes: Iterable[Change], jobs: int = 1) -> Proposals:
    """Verified fixes for every change that breaks somebody.

    Args:
        situation: both sides of the check.
        changes: what it found, traced, settled and with exceptions applied.
        jobs: processes at most.
    """
    bench = Bench(situation, changes)
    # What is between two operations, neither of which changed, is not mended by an edit of either.
    mendable = [each for each in bench.changes if not bench.routes.crosses(each.service, each.operation)]
    wanted = sorted(filter(wants_fix, mendable), key=lambda change: -change.counts_as.rank)
    kept = [each for each in wanted if _both_sides(situation, each.service)]
    groups = grouped(situation, mendable, kept)
    searches = [Search(Work(bench, group)) for group in groups[:MOST_CAUSES]]
    with _what_lives_set_apart():
        _find_first(bench, searches, jobs)  # every cause gets one fix before any gets a choice of several
        if len(groups) <= FULL_CHOICE:
            for search in searches:
                search.take(search.run())
    found = [search.passed for search in searches]
    ranked = [sorted(each, key=lambda passed: cost(passed.draft)) for each in found]
    listed = [*_together(bench, ranked), *(each for group in ranked for each in group)]
    fixes = tuple(fix(each, f"F{number}", situation) for number, each in enumerate(listed, 1))
    return Proposals(fixes, tuple(_left_out(bench, len(groups), found)))


@contextmanager
def _what_lives_set_apart() -> Iterator[None]:
    """What is there now is not looked through for garbage: then what a trial leaves behind is found at once."""
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


class Tried(NamedTuple):
    """An attempt, the pairs of places that were compared for it, and what came of it, without the files."""

    draft: Draft
    pairs: int
    outcome: Outcome


class Search:
    """Tries the strategies at one cause, the first attempt of each before the second of any.

    Attributes:
        work: the cause.
        passed: what was found, one for a strategy at most.
    """

    def __init__(self, work: Work) -> None:
        self.work = work
        self.passed: list[Passed] = []
        self._drafts = {strategy: islice(drafts(work, strategy), MOST_ATTEMPTS) for strategy in ORDER}

    def run(self, *, first_only: bool = False) -> list[Tried]:
        """Go on until nothing is left to try, something was found (``first_only``), or the bench is worn out."""
        bench = self.work.bench
        done: list[Tried] = []
        while self._drafts:
            for strategy in list(self._drafts):
                if bench.pairs_compared > MOST_PAIRS:
                    return done
                before = bench.pairs_compared
                tried = _next(self.work, self._drafts[strategy])
                if tried is None:
                    del self._drafts[strategy]
                    continue
                # Whole files and APIs, kept for every fix, are more than a large check has room for.
                outcome = replace(tried.outcome, trial=None)
                done.append(Tried(tried.draft, bench.pairs_compared - before, outcome))
                del tried
                gc.collect()  # a trial's documents hold one another, and a check does not collect by itself
                gc.freeze()
                if outcome.verification.verified:
                    del self._drafts[strategy]
                    if first_only:
                        return done
        return done

    def take(self, tried: Iterable[Tried]) -> None:
        """Keep what has passed."""
        self.passed += [
            Passed(self.work.group, each.draft, each.outcome) for each in tried if each.outcome.verification.verified
        ]


def _find_first(bench: Bench, searches: Sequence[Search], jobs: int) -> None:
    """One fix for every cause, by several processes where there is much to try, with what one process finds."""
    head = bench.situation.head
    read_again = sum(len(head[each.work.group.first.service].document.data) for each in searches)
    many = len(searches) > FULL_CHOICE and read_again >= WORTH_A_PROCESS
    found = spread(lambda search: search.run(first_only=True), searches, jobs if many else 1)
    pairs = 0
    for search, done in zip(searches, found, strict=True):
        for tried in done:
            if pairs > MOST_PAIRS:  # of which each process knew its own part alone
                break
            pairs += tried.pairs
            search.take([tried])
    bench.pairs_compared = pairs


def attempt(work: Work, strategy: Strategy) -> Passed | None:
    """The first draft of a strategy that passes, else the last one that was tried; None where it has none."""
    last: Passed | None = None
    made = islice(drafts(work, strategy), MOST_ATTEMPTS)
    while (tried := _next(work, made)) is not None:
        last = tried
        if tried.outcome.verification.verified:
            break
    return last


def _next(work: Work, made: Iterator[Draft]) -> Passed | None:
    """The next draft, tried; None where there is no further one."""
    try:
        draft = next(made, None)
    except PatchError:  # what it would restore cannot be carried into head
        return None
    return Passed(work.group, draft, verify(work.bench, draft, work.group.changes)) if draft is not None else None


def _left_out(bench: Bench, causes: int, found: Sequence[Sequence[Passed]]) -> Iterator[Note]:
    """What was not tried, or not found."""
    if causes > MOST_CAUSES:
        yield Note("info", f"fixes were tried for {MOST_CAUSES} of {causes} causes of breaking changes")
    without = sum(not each for each in found)
    if without and bench.pairs_compared > MOST_PAIRS:
        yield Note(
            "info", f"the specifications are large: {without} causes of breaking changes were left without a fix"
        )


# The order in which strategies are tried where one is enough.
ORDER = (
    Strategy.DUAL_WRITE,
    Strategy.DEPRECATION_WINDOW,
    Strategy.FIELD_ALIAS,
    Strategy.VERSION_BUMP,
    Strategy.CONSUMER_PATCH,
)


def wants_fix(change: Change) -> bool:
    """Whether a change breaks somebody, or would by the contract, and nobody has accepted that."""
    if change.exception is not None:
        return False
    return change.counts_as is Severity.BREAKING or (
        change.severity is Severity.BREAKING and change.counts_as.rank >= Severity.WARNING.rank
    )


def _both_sides(situation: Situation, service: str) -> bool:
    return service in situation.base and service in situation.head


def fix(passed: Passed, id: str, situation: Situation) -> Fix:
    """The fix as reports show it."""
    return Fix(
        id=id,
        strategy=passed.draft.strategy,
        proposed_by="rules",
        changes=tuple(dict.fromkeys(change.fingerprint for change in passed.group.changes)),
        patches=passed.outcome.patches,
        verification=passed.outcome.verification,
        rationale=rationale(passed.draft, passed.group.changes),
        rollout=(*elsewhere(passed.outcome.patches), *rollout(passed.draft, situation, passed.group.changes)),
    )


# --- all of it together ---------------------------------------------------------------------------------------------


def _together(bench: Bench, ranked: Sequence[Sequence[Passed]]) -> Iterator[Passed]:
    """One fix for all causes by whatever is cheapest for each, and one by each single strategy that mends them all."""
    best = combined(bench, ranked)
    if best is None:
        return
    yield best
    for strategy in ORDER:
        same = [[each for each in group if each.draft.strategy is strategy] for group in ranked if group]
        if all(same) and any(group[0].draft.strategy is not strategy for group in ranked if group):
            passed = combined(bench, same)
            if passed is not None and passed.draft.specs != best.draft.specs:
                yield passed


def combined(bench: Bench, found: Sequence[Sequence[Passed]]) -> Passed | None:
    """One fix for all causes that have any: each by the cheapest that goes together with the others."""
    choices = [each for each in found if each]
    if len(choices) < 2:
        return None
    together = _verified(bench, [each[0] for each in choices])
    if together is not None:
        return together
    chosen: list[Passed] = []
    best: Passed | None = None
    for each in choices:
        for candidate in each:
            tried = _verified(bench, [*chosen, candidate])
            if tried is not None:
                chosen, best = [*chosen, candidate], tried
                break
    return best if len(chosen) > 1 else None


def _verified(bench: Bench, parts: Sequence[Passed]) -> Passed | None:
    draft = merged(bench, [each.draft for each in parts])
    if draft is None:
        return None
    group = Group(tuple(change for each in parts for change in each.group.changes))
    outcome = verify(bench, draft, group.changes)
    return Passed(group, draft, outcome) if outcome.verification.verified else None


def merged(bench: Bench, parts: Sequence[Draft]) -> Draft | None:
    """Several drafts as one; None where they are in each other's way or on different sides."""
    sides = {id(bench.documents(each.service)) for each in parts}
    if len(sides) > 1:
        return None
    service = parts[0].service
    specs: dict[str, _Joined] = {}
    manifests: dict[str, _Joined] = {}
    place_after: dict[str, dict[str, str]] = {}
    for each in parts:
        for address, operations in each.specs.items():
            document = bench.documents(service).open(address, bench.situation.head[each.service].dialect)
            if not specs.setdefault(address, _Joined(document.root)).take(operations):
                return None
            place_after.setdefault(address, {}).update(each.place_after.get(address, {}))
        for file, operations in each.manifests.items():
            if not manifests.setdefault(file, _Joined(bench.manifest_editor(file).says)).take(operations):
                return None
    strategies = [each.strategy for each in parts]
    most = max(strategies, key=lambda each: (strategies.count(each), -ORDER.index(each)))
    services = list(dict.fromkeys(each.service for each in parts))
    untils = [each.until for each in parts if each.until]
    moves: dict[str, tuple[str, ...]] = {}
    for each in parts:
        for name, texts in each.moves.items():
            moves[name] = (*moves.get(name, ()), *texts)
    return replace(
        parts[0],
        strategy=most,
        service=service,
        specs={address: tuple(each.operations) for address, each in specs.items()},
        manifests={file: tuple(each.operations) for file, each in manifests.items()},
        place_after=place_after,
        does=_in_words(parts, services),
        later=_once([each.later for each in parts]),
        until=max(untils) if untils and len(untils) == len(parts) else None,
        sure=min((each.sure for each in parts if each.sure is not None), default=None),
        moves=moves,
        versions={name: new for each in parts for name, new in each.versions.items()},
    )


def _in_words(parts: Sequence[Draft], services: Sequence[str]) -> str:
    if len(services) == 1:
        return _once([each.does for each in parts])
    first = [each.does for each in parts if each.service == services[0]]
    others = [f"{name} {_once([each.does for each in parts if each.service == name])}" for name in services[1:]]
    return "; ".join([_once(first), *others])


def _once(texts: Sequence[str], most: int = 3) -> str:
    named = [text for text in dict.fromkeys(texts) if text]
    shown = named[:most]
    if len(named) > most:
        shown.append(f"{len(named) - most} more like these")
    return ", ".join(shown[:-1]) + f" and {shown[-1]}" if len(shown) > 1 else "".join(shown)


class _Joined:
    """Operations that were made for the same document, as far as they go together.

    Args:
        document: what it says before any of them.
    """

    def __init__(self, document: Any) -> None:
        self.operations: list[Operation] = []
        self._before = self._now = document

    def take(self, more: Iterable[Operation]) -> bool:
        """Add operations to those there are; False where they do not go together."""
        for operation in more:
            try:
                rebased = _rebased(operation, self._before, self._now)
                self._now = json_patch.apply(self._now, rebased)
            except PatchError:
                return False
            self.operations += rebased
        return True


def _rebased(operation: Operation, before: Any, now: Any) -> list[Operation]:
    """An operation made for one state of a document as it is meant for another.

    What is there already is not added again, and of a list of names those are taken out that the operation took out.
    """
    at, kind = operation["path"], operation["op"]
    if kind == "add" and at.endswith("/-"):
        there = json_patch.get(now, at.removesuffix("/-"))
        return [] if isinstance(there, list) and operation["value"] in there else [operation]
    here = json_patch.get(now, at)
    if kind == "add" and json_patch.has(now, at) and not json_patch.has(before, at):
        if json_patch.equal(here, operation["value"]) or here == {} or operation["value"] == {}:
            return [] if operation["value"] == {} or json_patch.equal(here, operation["value"]) else [operation]
        raise json_patch.failed("two fixes put different things there", at)
    was = json_patch.get(before, at)
    if kind in {"replace", "remove"} and _is_names(was) and not json_patch.equal(was, here):
        wanted = operation.get("value", [])
        gone = {each for each in was if each not in wanted}
        kept = [each for each in here or () if each not in gone] + [
            each for each in wanted if each not in was and each not in (here or ())
        ]
        if json_patch.equal(kept, here):
            return []
        return [json_patch.replace(at, kept) if kept else json_patch.remove(at)]
    if kind == "replace" and not json_patch.equal(was, here) and not json_patch.equal(here, operation["value"]):
        raise json_patch.failed("two fixes change the same thing", at)
    return [operation]


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)

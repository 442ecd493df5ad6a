"""The phases of an episode, and how each grades: finding violations, tracing consumers, proposing fixes.

A phase holds its truth and shows none of it. Each ``step`` counts signals; ``score`` is the share of the truth that
the agent found by itself, less what it got wrong, in [0, 1]: naming everything earns nothing, a hint earns nothing.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from guardian.learn.contract.actions import DONE, HINT, PROPOSE, REPORT, TRACE, VALIDATE, Action
from guardian.learn.contract.places import normal_place
from guardian.learn.contract.signals import Graded, Signal

Json = dict[str, Any]

#: More reports than this many times what was planted are spam, and end the episode.
SPAM_FACTOR = 3


class Phase(Protocol):
    """One part of an episode."""

    name: str

    def step(self, action: Action) -> Graded:
        """Grade an action."""

    def score(self) -> float:
        """How well it went so far, in [0, 1]."""

    def seen(self) -> Json:
        """What an observation shows of it: names of ``Observation`` fields and their values."""

    def answers(self) -> list[Action]:
        """The right actions, for the oracle; never sent anywhere."""


# What it is worth to mend everything in a way that the release does not take, which is one that failed, too.
_MENDED = 0.6

# What is found by a hint earns no more than the first hint costs.
_HINTED_SHARE = 0.5


class _Asking:
    """What all phases share: hints, repeats, and actions that belong elsewhere."""

    def __init__(self) -> None:
        self.hints = 0
        self._given: Counter[str] = Counter()

    def hint_counts(self) -> dict[Signal, float]:
        """Each further hint costs more, so that living on hints does not pay."""
        self.hints += 1
        return {Signal.HINT: 1, Signal.REPETITION: 2 * (self.hints - 1)}

    def repeat_counts(self, key: str) -> dict[Signal, float]:
        """The price of an answer given before; empty for a new one."""
        before = self._given[key]
        self._given[key] += 1
        return {Signal.DUPLICATE: 1, Signal.REPETITION: before - 1} if before else {}

    def elsewhere(self, action: Action, expected: str) -> Graded:
        """An action of another phase is an answer to a question nobody asked."""
        self._given[action.action_type] += 1
        counts = {Signal.MALFORMED_ACTION: 1, Signal.REPETITION: self._given[action.action_type] - 1}
        return Graded(counts, f"This phase takes {expected}.")


class ReportPhase(_Asking):
    """Violations are reported one by one, until DONE.

    Args:
        truth: place -> violation type.
        tolerated: places that are neither right nor wrong to report.
    """

    name = "detection"

    def __init__(self, truth: Mapping[str, str], tolerated: frozenset[str] = frozenset()) -> None:
        super().__init__()
        self._truth = {normal_place(place): kind for place, kind in truth.items()}
        self._written = {normal_place(place): place for place in truth}
        self._tolerated = frozenset(map(normal_place, tolerated)) - self._truth.keys()
        self.found: dict[str, str] = {}
        self._partial: dict[str, int] = {}  # right place, wrong type: how often
        self._hinted: set[str] = set()
        self._false = 0
        self._reports = 0

    def step(self, action: Action) -> Graded:
        if action.action_type != REPORT:
            return self.elsewhere(action, "report_violation")
        path = action.field_path.strip()
        if path == DONE:
            share = len(self.found.keys() - self._hinted) / len(self._truth) if self._truth else 1.0
            return Graded({Signal.DONE_BONUS: share}, "Done.", over=True)
        if path == HINT:
            return self._hint()
        self._reports += 1
        graded = self._report(normal_place(path), action.violation_type)
        if self._reports > SPAM_FACTOR * max(1, len(self._truth)):
            return Graded({**graded.counts, Signal.SPAM: 1}, f"{graded.feedback} That is spam, and the end.", over=True)
        return graded

    def _report(self, place: str, kind: str) -> Graded:
        if place.startswith(tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZw")) and place not in self._truth:
            place = self._unprefixed(place)
        repeated = self.repeat_counts(f"{place}\0{kind}")
        if repeated or place in self.found:
            return Graded(repeated or {Signal.DUPLICATE: 1}, "That was reported before.")
        if self._truth.get(place) == kind:
            self.found[place] = kind
            taken_back = {Signal.WRONG_TYPE: -1.0} if place in self._partial else {}
            worth = _HINTED_SHARE if place in self._hinted else 1
            return Graded({Signal.CORRECT_VIOLATION: worth, **taken_back}, "Correct.")
        if place in self._truth:
            self._partial[place] = self._partial.get(place, 0) + 1
            if self._partial[place] == 1:
                return Graded({Signal.WRONG_TYPE: 1}, "Something is wrong there, but not that.")
        elif place in self._tolerated:
            return Graded({}, "True, but not counted: it is no more than a warning.")
        else:
            self._false += 1
        return Graded({Signal.FALSE_POSITIVE: 1}, "That is no violation.")

    def _unprefixed(self, place: str) -> str:
        """What is sent is written ``body.name`` in manifests, and ``name`` in reports: both name the field."""
        operation, mark, field = place.partition(".body.")
        bare = f"{operation}.{field}"
        return bare if mark and bare in self._truth else place

    def _hint(self) -> Graded:
        left = sorted(self._truth.keys() - self.found.keys() - self._hinted)
        if not left:
            return Graded(self.hint_counts(), "There is nothing left to hint at.")
        self._hinted.add(left[0])
        return Graded(self.hint_counts(), f"Look at {self._written[left[0]]}.")

    def score(self) -> float:
        if not self._truth:
            return 1.0
        clean = len(self.found.keys() - self._hinted)
        half = sum(1 for place in self._partial.keys() - self.found.keys() - self._hinted)
        wrong = 0.5 * self._false + 0.2 * sum(self._partial.values())
        return max(0.0, min(1.0, (clean + 0.3 * half - wrong) / len(self._truth)))

    def seen(self) -> Json:
        return {
            "violations_found": tuple(
                {"field_path": self._written[place], "violation_type": kind} for place, kind in self.found.items()
            ),
            "violations_remaining": len(self._truth) - len(self.found),
        }

    def answers(self) -> list[Action]:
        left = [place for place in sorted(self._truth) if place not in self.found]
        return [
            *(Action(REPORT, field_path=self._written[place], violation_type=self._truth[place]) for place in left),
            Action(REPORT, field_path=DONE),
        ]


class TracePhase(_Asking):
    """Affected consumers are named, in one answer or in several; it ends by itself once all of them are.

    Args:
        truth: the consumers that break.
        tolerated: those who may break: neither right nor wrong to name.
        known: every name there is.
    """

    name = "tracing"

    def __init__(self, truth: frozenset[str], tolerated: frozenset[str], known: frozenset[str]) -> None:
        super().__init__()
        self._truth = truth
        self._tolerated = tolerated - truth
        self._known = known
        self.found: set[str] = set()
        self._hinted: set[str] = set()
        self._missed: set[str] = set()
        self._false: set[str] = set()
        self._unknown: set[str] = set()

    def step(self, action: Action) -> Graded:
        path = action.field_path.strip()
        if action.action_type == REPORT and path == DONE:
            share = len(self.found - self._hinted) / len(self._truth) if self._truth else 1.0
            missed = self._truth - self.found - self._missed  # to say nothing is to leave all of them out
            self._missed |= missed
            return Graded({Signal.DONE_BONUS: share, Signal.MISSED_CONSUMER: len(missed)}, "Done.", over=True)
        if action.action_type == REPORT and path == HINT:
            left = sorted(self._truth - self.found - self._hinted)
            self._hinted.update(left[:1])
            text = f"{left[0]} is affected." if left else "There is nothing left to hint at."
            return Graded(self.hint_counts(), text)
        if action.action_type != TRACE:
            return self.elsewhere(action, "trace_impact")
        names = {name.strip() for name in action.affected_services}
        repeated = self.repeat_counts(json.dumps(sorted(names)))
        if repeated:
            return Graded(repeated, "That was answered before.")
        right = (names & self._truth) - self.found
        false = (names & self._known) - self._truth - self._tolerated - self._false
        unknown = names - self._known - self._unknown
        missed = self._truth - names - self.found - self._missed
        self.found |= right
        self._false |= false
        self._unknown |= unknown
        self._missed |= missed
        counts = {
            Signal.CORRECT_CONSUMER: len(right - self._hinted) + _HINTED_SHARE * len(right & self._hinted),
            Signal.FALSE_FLAG: len(false),
            Signal.UNKNOWN_SERVICE: len(unknown),
            Signal.MISSED_CONSUMER: len(missed),
        }
        over = self.found >= self._truth
        if not (right or false or unknown or missed) and not over:
            counts[Signal.DUPLICATE] = 1
        text = f"{len(right)} right, {len(false)} not affected, {len(unknown)} unknown."
        return Graded(counts, text if over else f"{text} There are more.", over=over)

    def score(self) -> float:
        if not self._truth:
            return 1.0 if not self._false else 0.0
        clean = len(self.found - self._hinted)
        return max(0.0, (clean - len(self._false) - 0.5 * len(self._unknown)) / len(self._truth))

    def seen(self) -> Json:
        return {"consumers_traced": tuple(sorted(self.found))}

    def answers(self) -> list[Action]:
        return [Action(TRACE, affected_services=tuple(sorted(self._truth)))]


@dataclass(frozen=True, slots=True)
class FixTrial:
    """What came of trying a fix.

    Attributes:
        malformed: why the patch cannot be applied; everything else is empty then.
        acceptable: whether this strategy can work for these changes at all.
        broken: consumers that still break.
        mends: nothing breaks, and the change's own purpose survives, whatever the release says of it.
        verified: it mends, and the release takes it.
        lines: what was tried, for the agent.
    """

    malformed: str = ""
    acceptable: bool = True
    broken: tuple[str, ...] = ()
    mends: bool = False
    verified: bool = False
    lines: tuple[str, ...] = ()


class FixPhase(_Asking):
    """Fixes are proposed until one makes everybody pass, or DONE.

    Args:
        attempt: tries a strategy and a patch.
        right: a fix that passes, for the oracle.
        strategies: those that can work, for hints.
    """

    name = "fix_proposal"

    def __init__(
        self,
        attempt: Callable[[str, Mapping[str, Any]], FixTrial],
        right: Callable[[], Action],
        strategies: Callable[[], list[str]],
    ) -> None:
        super().__init__()
        self._attempt = attempt
        self._right = right
        self._strategies = strategies
        self._failed = 0.0
        self._proposed = False
        self._accepted = False
        self._mended = False
        self._results: Json = {}

    def step(self, action: Action) -> Graded:
        path = action.field_path.strip()
        if action.action_type == REPORT and path == DONE:
            return Graded({Signal.MALFORMED_PATCH: int(not self._proposed)}, "Done.", over=True)
        if action.action_type == REPORT and path == HINT:
            self._failed += 1
            return Graded(self.hint_counts(), f"These can work: {', '.join(self._strategies())}.")
        if action.action_type not in (PROPOSE, VALIDATE):
            return self.elsewhere(action, "propose_fix or validate_fix")
        key = json.dumps([action.action_type, action.fix_strategy, action.spec_patch], sort_keys=True)
        repeated = self.repeat_counts(key)
        if repeated:
            return Graded(repeated, "That was tried before.")
        self._proposed |= action.action_type == PROPOSE
        trial = self._attempt(action.fix_strategy, action.spec_patch)
        self._results = {
            "strategy": action.fix_strategy,
            "verified": trial.verified,
            "acceptable": trial.acceptable,
            "malformed": trial.malformed,
            "consumers_broken": list(trial.broken),
            "checks": list(trial.lines),
        }
        return self._grade(trial, submitted=action.action_type == PROPOSE)

    def _grade(self, trial: FixTrial, *, submitted: bool) -> Graded:
        passes = trial.verified and trial.acceptable and not trial.malformed
        self._mended |= trial.mends and submitted
        if not passes:
            self._failed += 1.0 if submitted else 0.5
        if trial.malformed:
            return Graded({Signal.MALFORMED_PATCH: 1}, f"The patch cannot be applied: {trial.malformed}")
        counts: dict[Signal, float] = {}
        if not trial.acceptable:
            counts[Signal.UNACCEPTABLE_STRATEGY] = 1
        if not submitted:
            counts[Signal.FAILED_TRIAL] = int(not passes)
            return Graded(counts, "It would pass." if passes else "It would not pass.")
        if passes:
            self._accepted = True
            return Graded({Signal.FIX_PASSES: 1}, "Every consumer passes.", over=True)
        counts[Signal.FIX_BREAKS_CONSUMER] = len(trial.broken)
        return Graded(counts, f"It does not pass: {'; '.join(trial.lines) or 'the strategy does not fit'}")

    def score(self) -> float:
        worth = 1.0 if self._accepted else _MENDED if self._mended and not self.hints else 0.0
        return max(0.0, worth - 0.4 * self._failed)

    def seen(self) -> Json:
        return {"fix_validation_results": self._results}

    def answers(self) -> list[Action]:
        return [self._right()]

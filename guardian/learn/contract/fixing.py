"""Fixes as the environment tries them: what an agent proposes goes through the verifier of ``guardian fix``.

A patch is RFC 6902 operations on head's document and on manifests, or a short form (``shorthand``). What mends everything
must moreover suit the release (``releases``).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from datetime import date
from itertools import islice
from typing import Any

from guardian import fieldpath
from guardian.adapter.prompts import deployed
from guardian.errors import GuardianError
from guardian.fixes.bench import Bench, Situation
from guardian.fixes.draft import Draft
from guardian.fixes.json_patch import PatchError
from guardian.fixes.json_patch import apply as apply_patch
from guardian.fixes.marks import days_set
from guardian.fixes.naming import strategy_of
from guardian.fixes.strategies import drafts
from guardian.fixes.verify import Outcome, verify
from guardian.fixes.work import Work, grouped
from guardian.graph.settle import settle
from guardian.graph.uses import Consumer, Use
from guardian.lazy import cached_property
from guardian.learn.contract.actions import MAX_PATCH, PROPOSE, Action
from guardian.learn.contract.companies import Company
from guardian.learn.contract.engine import Comparison, Ground, Side, file_of, manifest_of, read_consumers
from guardian.learn.contract.evolutions import Evolution
from guardian.learn.contract.phases import FixPhase, FixTrial
from guardian.learn.contract.places import normal_place
from guardian.learn.contract.releases import AS_OF, Release
from guardian.learn.contract.shorthand import Shorthand, day_of
from guardian.learn.contract.sketches import Sketch
from guardian.learn.plain import fault_of
from guardian.model import Change, Impact, Mode, Severity, Strategy
from guardian.spec.json_text import MAX_DEPTH

Json = dict[str, Any]

#: The day that they end on, by the number of days that guardian.yaml has where nothing is said.
SUNSET = Situation(base={}, head={}, as_of=AS_OF).sunset

#: How many drafts of one strategy are tried, as ``guardian fix`` does.
MOST_ATTEMPTS = 8

#: How many proposals are remembered with what came of them: a group of episodes makes the same ones.
_KEPT = 32

#: Strategies as the engine would choose them: what costs the consumers nothing first.
_ORDER = (
    Strategy.FIELD_ALIAS,
    Strategy.DUAL_WRITE,
    Strategy.DEPRECATION_WINDOW,
    Strategy.VERSION_BUMP,
    Strategy.CONSUMER_PATCH,
)


class Workshop:
    """Tries fixes for one service's head.

    Args:
        ground: everything as it is deployed.
        head: the changed document of the service.
        service: the one that changed.
        compared: what happened, where that is known already.
        release: the terms that a fix has to keep to.
    """

    def __init__(
        self,
        ground: Ground,
        head: Json,
        service: str,
        compared: Comparison | Sketch | None = None,
        release: Release | None = None,
    ) -> None:
        self._service = service
        self.release = release or Release()
        self._head = head
        self._manifests = ground.manifests
        services = {**ground.services, service: head}
        consumers = ground.consumers
        compared = compared or Comparison(ground.services, services, ground=ground)
        self._situation = Situation(
            base=ground.side.apis,
            head=Side(services, like=ground.side, text=True).apis,
            as_of=AS_OF,
            base_consumers=consumers,
            declarations=ground.declarations,
            paths={name: file_of(name) for name in services},
        )
        changes = settle(compared.traced, Mode.BOTH, consumers)
        self._bench = Bench(self._situation, changes)
        wanted = [change for change in changes if change.counts_as is Severity.BREAKING]
        self.works = [Work(self._bench, group) for group in grouped(self._situation, self._bench.changes, wanted)]
        #: What is to be mended, with all that has the same cause.
        self.addressed = tuple(change for work in self.works for change in work.group.changes)
        self._verified: dict[Strategy, list[Draft]] = {}
        self._trials: dict[str, FixTrial] = {}
        self._outcomes: dict[int, Outcome] = {}  # of the drafts in _verified, by identity

    def verified(self, strategy: Strategy) -> list[Draft]:
        """The engine's own drafts of a strategy that mend everything; what is several causes is mended by none."""
        if strategy not in self._verified:
            made = islice(self._made(strategy), MOST_ATTEMPTS)
            self._verified[strategy] = []
            for draft in made:
                outcome = self._verify(draft)
                if outcome.verification.verified:
                    self._verified[strategy] = [draft]
                    self._outcomes[id(draft)] = outcome
                    break
        return self._verified[strategy]

    def _made(self, strategy: Strategy) -> Iterator[Draft]:
        """What a strategy would try, the draft that touches least first."""
        if len(self.works) == 1:
            try:
                yield from drafts(self.works[0], strategy)
            except PatchError:
                return  # what it would restore cannot be carried into head

    @property
    def able(self) -> list[Strategy]:
        """The strategies that mend the change, whatever the release allows."""
        return [strategy for strategy in _ORDER if self.verified(strategy)]

    @property
    def strategies(self) -> list[str]:
        """The strategies that can work here, in this release."""
        return [strategy.value for strategy in _ORDER if self._acceptable(strategy)]

    def under(self, release: Release) -> Workshop:
        """The same workshop with the terms of a release."""
        made = copy(self)
        made.release, made._trials = release, {}
        return made

    def _acceptable(self, strategy: Strategy) -> bool:
        return any(self._refused(draft, self._day) is None for draft in self.verified(strategy))

    @property
    def best(self) -> Action | None:
        """The engine's own fix: of those that have a short form the one that costs consumers least; None if it has none."""
        tried = [(strategy, draft) for strategy in _ORDER for draft in self.verified(strategy)]
        for strategy, patch in (
            *((strategy, self._shorthand.write(strategy, self._day)) for strategy, _ in tried),
            *((strategy, self._patch(draft)) for strategy, draft in tried),
        ):
            trial = self.attempt(strategy.value, patch)
            if trial.verified and not trial.malformed:
                return Action(PROPOSE, fix_strategy=strategy.value, spec_patch=patch)
        return None

    def attempt(self, strategy: str, patch: Mapping[str, Any]) -> FixTrial:
        """Try what an agent proposes."""
        key = json.dumps([strategy, patch], default=dict)
        found = self._trials.get(key)
        if found is None:
            found = self._trials[key] = self._attempted(strategy, patch)
            while len(self._trials) > _KEPT:
                del self._trials[next(iter(self._trials))]
        return found

    def _attempted(self, strategy: str, patch: Mapping[str, Any]) -> FixTrial:
        chosen = Strategy(strategy)
        try:
            attempts = list(self._drafts(chosen, patch))
        except ValueError as error:
            return FixTrial(malformed=str(error))
        acceptable = self._acceptable(chosen)
        outcome: Outcome | None = None
        for draft in attempts:
            outcome = self._verify(draft)
            if outcome.verification.verified or not acceptable:
                break
        if outcome is not None and outcome.verification.verified:
            return self._judged(draft, outcome, day_of(patch))
        if outcome is None:
            return FixTrial(
                acceptable=acceptable, broken=self._victims, lines=("this strategy has nothing to offer here",)
            )
        lines = outcome.verification.lines
        if lines[-1].startswith("it cannot be applied"):
            return FixTrial(malformed=lines[-1])
        return FixTrial(acceptable=acceptable, broken=self._broken(outcome), lines=lines)

    def _judged(self, draft: Draft, outcome: Outcome, sunset: date | None) -> FixTrial:
        """What a fix that mends everything is for the release."""
        why = self._refused(draft, sunset, outcome)
        lines = outcome.verification.lines
        if why is None:
            return FixTrial(mends=True, verified=True, lines=lines)
        return FixTrial(acceptable=False, mends=True, lines=(*lines, why))

    def _refused(self, draft: Draft, sunset: date | None, outcome: Outcome | None = None) -> str | None:
        """Why the release does not take a fix that mends everything; None if it does.

        Args:
            sunset: the day that a short form gives its window.
            outcome: of a draft that an agent wrote, which is judged by what it does, whatever it is called.
        """
        days: list[date | None] = [sunset if draft.until else None]
        if outcome is not None and outcome.trial is not None and draft not in self.verified(draft.strategy):
            draft = replace(draft, strategy=strategy_of(self._bench, outcome.trial, draft.strategy))
            days = [*days_set(self._bench, outcome.trial)] or [None]
        whys = (self.release.refuses(draft, self._victims, day) for day in days)
        return next((why for why in whys if why is not None), None)

    @property
    def _day(self) -> date:
        """The last day of the engine's own window: that of the release, else as long as whoever has a day needs."""
        days = filter(None, map(self.release.day_of, self._victims))
        return self.release.last_day or max((self._situation.sunset, *days))

    # -- what is meant -----------------------------------------------------------------------------------------------------

    def _drafts(self, strategy: Strategy, patch: Mapping[str, Any]) -> Iterator[Draft]:
        """The drafts that a patch stands for.

        Raises:
            ValueError: it is no patch of this strategy; a sentence.
        """
        if "json_patch" in patch or "consumers" in patch:
            yield self._written(strategy, patch)
            return
        self._shorthand.check(strategy, patch)
        # A short form leaves the writing to the engine: what passes for it is what it stands for.
        yield from self.verified(strategy)

    @cached_property
    def _shorthand(self) -> Shorthand:
        version = deployed(self._situation.base[self._service].version)
        return Shorthand(self.addressed, self._victims, version)

    def _written(self, strategy: Strategy, patch: Mapping[str, Any]) -> Draft:
        if set(patch) - {"json_patch", "consumers"}:
            raise ValueError("beside json_patch and consumers there is nothing in a patch")
        operations = _operations(patch.get("json_patch", []))
        manifests = patch.get("consumers", {})
        if not isinstance(manifests, Mapping):
            raise ValueError("`consumers` maps names to lists of operations")
        unknown = sorted(set(manifests) - self._manifests.keys())
        if unknown:
            raise ValueError(f"there is no consumer {unknown[0]}")
        if manifests and strategy is not Strategy.CONSUMER_PATCH:
            raise ValueError(f"{strategy.value} leaves the consumers as they are")
        with suppress(PatchError):  # which operation cannot be applied, and where, is the verifier's to say
            _patched(self._head, operations)
        draft = Draft(
            strategy=strategy,
            service=self._service,
            specs={file_of(self._service): operations} if operations else {},
            manifests={manifest_of(name): _operations(each) for name, each in sorted(manifests.items())},
        )
        if not any(draft.manifests == own.manifests for own in self.verified(strategy)):
            for name, each in sorted(manifests.items()):
                self._refuse_neglect(name, _operations(each))
        return draft

    def _refuse_neglect(self, name: str, operations: Sequence[Mapping[str, Any]]) -> None:
        """A consumer that uses nothing any more passes everything: only what the change touches may leave a manifest.

        Raises:
            ValueError: something else does, or the manifest is none afterwards.
        """
        before = self._manifests[name]
        try:
            after = _patched(before, operations)
            was, now = (read_consumers({name: each})[0] for each in (before, after))
        except GuardianError as error:
            raise ValueError(f"{name}: {error.message}") from None
        if (was.strict and not now.strict) or now.name != was.name:
            raise ValueError(f"{name} stays who it is, and as strict as it is")
        kept = {(use.service, field) for use, field in _fields(now)}
        for use, field in _fields(was):
            if (use.service, field) in kept:
                continue
            if use.service != self._service or not any(_touched(change, use, field) for change in self.addressed):
                raise ValueError(f"{name} still needs {field} of {use.service} {use.operation}")

    def _patch(self, draft: Draft) -> Json:
        """A draft in full: RFC 6902 operations."""
        patch: Json = {}
        for operations in draft.specs.values():
            patch["json_patch"] = [dict(each) for each in operations]
        if draft.manifests:
            names = {manifest_of(name): name for name in self._manifests}
            patch["consumers"] = {names[file]: [dict(each) for each in ops] for file, ops in draft.manifests.items()}
        return patch

    # -- what comes of it --------------------------------------------------------------------------------------------------

    def _verify(self, draft: Draft) -> Outcome:
        return self._outcomes.get(id(draft)) or verify(self._bench, draft, self.addressed)

    @cached_property
    def _victims(self) -> tuple[str, ...]:
        """Whom the change breaks as it is."""
        return _hit(self.addressed)

    def _broken(self, outcome: Outcome) -> tuple[str, ...]:
        """Whom the patched head still breaks; whom head broke, where it did not get that far."""
        failed = [name for name, said in outcome.verification.consumers.items() if said == "fail"]
        if failed:
            return tuple(sorted(failed))
        if outcome.trial is None:
            return self._victims
        traced = self._bench.trace(outcome.trial)
        return _hit(change for change in traced.changes)


def _fields(consumer: Consumer) -> Iterator[tuple[Use, str]]:
    """Every field that a consumer reads or sends, as manifests write it."""
    for use in consumer.uses:
        yield from ((use, str(each.path)) for each in use.reads or ())
        yield from ((use, fieldpath.write_sent(each.path)) for each in use.sends or ())


def _touched(change: Change, use: Use, field: str) -> bool:
    """Whether a change is about a field that a consumer uses."""
    if normal_place(change.operation) != normal_place(use.operation or ""):
        return False
    path = fieldpath.parse(change.field)
    own = fieldpath.parse_sent(field) if field.startswith("body") else fieldpath.parse(field)
    return not change.field or fieldpath.touches(path, own)


def _hit(changes: Any) -> tuple[str, ...]:
    return tuple(
        sorted({each.consumer for change in changes for each in change.consumers if each.impact is Impact.BROKEN})
    )


def _operations(value: Any) -> tuple[Mapping[str, Any], ...]:
    if not isinstance(value, list) or not all(
        isinstance(each, Mapping) and "op" in each and "path" in each for each in value
    ):
        raise ValueError("a JSON Patch is a list of operations with op and path (RFC 6902)")
    return tuple(value)


def _patched(document: Json, operations: Sequence[Mapping[str, Any]]) -> Any:
    """The document after the operations, which may nest it, or copy it into itself, without end.

    Raises:
        ValueError: it is not one that the engine reads.
        PatchError: an operation cannot be applied.
    """
    try:
        after = apply_patch(document, operations)
    except RecursionError:
        raise ValueError("the patched document is nested too deep") from None
    fault = fault_of(after, depth=MAX_DEPTH, size=len(json.dumps(document)) + MAX_PATCH)
    if fault:
        raise ValueError(f"the patched document {fault}")
    return after


# -- in episodes -----------------------------------------------------------------------------------------------------------


def fixable(company: Company, wanted: Strategy | None = None) -> Callable[[Evolution], bool]:
    """Says of an evolution whether one fix of the engine's mends it; one of this strategy, where one is wanted.

    Another version is wanted only where no alias would do, since what needs the one needs the other.
    """

    def check(evolution: Evolution) -> bool:
        if not evolution.comparison.proved:
            return True  # asked again when it has been judged in full
        try:
            shop = workshop(company, evolution)
            if wanted is not None and not shop.verified(wanted):
                return False
            if wanted is Strategy.VERSION_BUMP and shop.verified(Strategy.FIELD_ALIAS):
                return False
            return shop.best is not None
        except GuardianError:
            return False

    return check


def workshop(company: Company, evolution: Evolution) -> Workshop:
    """The workshop of an evolution; made once."""
    if "workshop" not in evolution.memo:
        evolution.memo["workshop"] = Workshop(company.ground, evolution.head, evolution.service, evolution.comparison)
    made: Workshop = evolution.memo["workshop"]
    return made


def fix_phase(company: Company, evolution: Evolution, release: Release | None = None) -> Callable[[], FixPhase]:
    """Makes the phase in which an evolution is mended, on the terms of a release."""
    shop = workshop(company, evolution).under(release or Release())

    def right() -> Action:
        assert shop.best is not None, "an evolution without a fix is no material for this phase"
        return shop.best

    return lambda: FixPhase(shop.attempt, right, lambda: shop.strategies)


def propose(
    base: Json, head: Json, manifests: Mapping[str, Json], service: str, release: Release | None = None
) -> list[Action]:
    """The engine's own fix, given what an agent sees."""
    best = Workshop(Ground({service: base}, manifests), head, service, release=release).best
    return [best] if best is not None else []

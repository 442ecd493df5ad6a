"""Fixes as the environment tries them: what an agent proposes goes through the verifier of ``guardian fix``.

A patch is RFC 6902 operations on head's document and on manifests, or a short form that names the places and leaves
the writing to the engine's strategies. A short form must name exactly what is to be mended: a list of everything
names nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
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
from guardian.learn.contract.sketches import Sketch
from guardian.learn.plain import fault_of
from guardian.model import Change, Impact, Mode, Severity, Strategy
from guardian.spec.json_text import MAX_DEPTH

Json = dict[str, Any]

#: The day that windows open on; always the same, so that episodes are.
AS_OF = date(2026, 1, 1)
#: The day that they end on, by the number of days that guardian.yaml has where nothing is said.
SUNSET = Situation(base={}, head={}, as_of=AS_OF).sunset

#: How many drafts of one strategy are tried, as ``guardian fix`` does.
MOST_ATTEMPTS = 8

#: How many proposals are remembered with what came of them: a group of episodes makes the same ones.
_KEPT = 32

_FORMS = {
    "aliases": Strategy.FIELD_ALIAS,
    "emit": Strategy.DUAL_WRITE,
    "restore": Strategy.DEPRECATION_WINDOW,
    "keep_version": Strategy.VERSION_BUMP,
    "migrate": Strategy.CONSUMER_PATCH,
}
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
    """

    def __init__(self, ground: Ground, head: Json, service: str, compared: Comparison | Sketch | None = None) -> None:
        self._service = service
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

    @cached_property
    def strategies(self) -> list[str]:
        """The strategies that can work here."""
        return [strategy.value for strategy in _ORDER if self.verified(strategy)]

    @cached_property
    def best(self) -> Action | None:
        """The engine's own fix: of those that have a short form the one that costs consumers least; None if it has none."""
        tried = [(strategy, draft) for strategy in _ORDER for draft in self.verified(strategy)]
        for strategy, patch in (
            *((strategy, self._short(strategy)) for strategy, _ in tried),
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
        acceptable = bool(self.verified(chosen))
        outcome: Outcome | None = None
        for draft in attempts:
            outcome = self._verify(draft)
            if outcome.verification.verified or not acceptable:
                break
        if outcome is None:
            return FixTrial(
                acceptable=acceptable, broken=self._victims, lines=("this strategy has nothing to offer here",)
            )
        lines = outcome.verification.lines
        if not outcome.verification.verified and lines[-1].startswith("it cannot be applied"):
            return FixTrial(malformed=lines[-1])
        return FixTrial(
            acceptable=acceptable,
            broken=() if outcome.verification.verified else self._broken(outcome),
            verified=outcome.verification.verified,
            lines=lines,
        )

    # -- what is meant -----------------------------------------------------------------------------------------------------

    def _drafts(self, strategy: Strategy, patch: Mapping[str, Any]) -> Iterator[Draft]:
        """The drafts that a patch stands for.

        Raises:
            ValueError: it is no patch of this strategy; a sentence.
        """
        if "json_patch" in patch or "consumers" in patch:
            yield self._written(strategy, patch)
            return
        forms = sorted(set(patch) & _FORMS.keys())
        if len(forms) != 1 or set(patch) - {forms[0], "sunset"}:
            raise ValueError(
                "a patch has json_patch and consumers, or one of aliases, emit, restore, keep_version, migrate"
            )
        form = forms[0]
        if _FORMS[form] is not strategy:
            raise ValueError(f"`{form}` belongs to {_FORMS[form].value}, not to {strategy.value}")
        value = patch[form]
        if strategy is Strategy.CONSUMER_PATCH:
            names = _texts(value, form)
            if names != set(self._victims):
                raise ValueError("`migrate` names the consumers that break, all of them and nobody else")
        else:
            self._check(form, value, patch)
        # A short form leaves the writing to the engine: what passes for it is what it stands for.
        yield from self.verified(strategy)

    def _check(self, form: str, value: Any, patch: Mapping[str, Any]) -> None:
        """Whether a short form names what is to be mended, exactly."""
        gone = {_target(change) for change in self.addressed}
        new = {_last(change.renamed_to) for change in self.addressed if change.renamed_to}
        if form == "aliases":
            pairs = {(_target(change), _last(change.renamed_to)) for change in self.addressed if change.renamed_to}
            if not pairs:
                raise ValueError("`aliases` maps names that others replaced, and here none did")
            if not isinstance(value, Mapping) or {(_last(str(k)), _last(str(v))) for k, v in value.items()} != pairs:
                raise ValueError("`aliases` maps each name that is gone to the one that replaced it, and nothing else")
        elif form == "emit":
            if {_last(name) for name in _texts(value, form)} != gone | new:
                raise ValueError("`emit` names what is gone and what replaced it, and nothing else")
        elif form == "restore":
            if {_last(name) for name in _texts(value, form)} != gone:
                raise ValueError("`restore` names what is gone or changed, and nothing else")
            try:
                if date.fromisoformat(str(patch.get("sunset"))) <= AS_OF:
                    raise ValueError
            except ValueError:
                raise ValueError(f"`sunset` is a date after {AS_OF.isoformat()}") from None
        elif value != self._version:
            raise ValueError("`keep_version` is not the version that is deployed")

    @property
    def _version(self) -> str:
        """The major version of base."""
        return deployed(self._situation.base[self._service].version)

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

    def _short(self, strategy: Strategy) -> Json:
        """The short form that names exactly what is to be mended."""
        gone = {_target(change) for change in self.addressed}
        renamed = {_target(change): _last(change.renamed_to) for change in self.addressed if change.renamed_to}
        forms: dict[Strategy, Json] = {
            Strategy.FIELD_ALIAS: {"aliases": dict(sorted(renamed.items()))},
            Strategy.DUAL_WRITE: {"emit": sorted(gone | set(renamed.values()))},
            Strategy.DEPRECATION_WINDOW: {"restore": sorted(gone), "sunset": self._situation.sunset.isoformat()},
            Strategy.VERSION_BUMP: {"keep_version": self._version},
            Strategy.CONSUMER_PATCH: {"migrate": list(self._victims)},
        }
        return forms[strategy]

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


def _target(change: Change) -> str:
    """What a short form calls a changed place: the last name of its field, or the operation."""
    return _last(change.field) if change.field else change.operation


def _last(path: str | None) -> str:
    """The last name of a field path; operations and parameters as they are."""
    if not path or " " in path or ":" in path:
        return path or ""
    try:
        steps = [step for step in fieldpath.parse(path).steps if isinstance(step, str)]
    except ValueError:
        return path
    return steps[-1] if steps else path


def _texts(value: Any, form: str) -> set[str]:
    if not isinstance(value, list) or not value or not all(isinstance(each, str) for each in value):
        raise ValueError(f"`{form}` is a list of names")
    return set(value)


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


def fixable(company: Company) -> Any:
    """Says of an evolution whether one fix of the engine's mends it."""

    def check(evolution: Evolution) -> bool:
        if not evolution.comparison.proved:
            return True  # asked again when it has been judged in full
        try:
            return workshop(company, evolution).best is not None
        except GuardianError:
            return False

    return check


def workshop(company: Company, evolution: Evolution) -> Workshop:
    """The workshop of an evolution; made once."""
    if "workshop" not in evolution.memo:
        evolution.memo["workshop"] = Workshop(company.ground, evolution.head, evolution.service, evolution.comparison)
    made: Workshop = evolution.memo["workshop"]
    return made


def fix_phase(company: Company, evolution: Evolution) -> Callable[[], FixPhase]:
    """Makes the phase in which an evolution is mended."""
    shop = workshop(company, evolution)

    def right() -> Action:
        assert shop.best is not None, "an evolution without a fix is no material for this phase"
        return shop.best

    return lambda: FixPhase(shop.attempt, right, lambda: shop.strategies)


def propose(base: Json, head: Json, manifests: Mapping[str, Json], service: str) -> list[Action]:
    """The engine's own fix, given what an agent sees."""
    best = Workshop(Ground({service: base}, manifests), head, service).best
    return [best] if best is not None else []

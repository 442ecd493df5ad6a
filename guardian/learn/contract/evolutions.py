"""Two versions of a service: a number of breaking places planted among look-alikes, as the engine counts them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from guardian.errors import ReadError
from guardian.learn.contract.companies import Company
from guardian.learn.contract.engine import Comparison, places
from guardian.learn.contract.mutations import Operator, operators
from guardian.learn.contract.mutations.sites import clone
from guardian.learn.contract.sketches import Sketch
from guardian.model import Impact

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Evolution:
    """A service's head, and what the engine says of it.

    ``edits`` are the operators that were applied, in order; for logs of generators, never shown.
    """

    service: str
    head: Json
    comparison: Comparison | Sketch
    edits: tuple[str, ...]
    memo: dict[str, Any] = field(default_factory=dict, compare=False)

    @property
    def truth(self) -> tuple[str, ...]:
        return places(self.comparison.breaking)

    def proved(self) -> Evolution:
        """The same, judged in full."""
        found = self.comparison
        return replace(self, comparison=found.prove(), memo={}) if isinstance(found, Sketch) else self


def evolve(
    company: Company,
    service: str,
    rng: Random,
    *,
    lookalikes: int,
    decoys: int = 0,
    accept: Callable[[Evolution], bool | None],
    tries: int = 40,
    choose: Callable[[Evolution | None], Sequence[Operator]] | None = None,
    batch: Callable[[Evolution | None], int] = lambda evolution: 1,
) -> Evolution | None:
    """Edit a service until ``accept`` is content.

    Args:
        lookalikes: how many harmless edits there are besides.
        decoys: how many edits there are besides that break the contract and hit nobody, where there is room for them.
        accept: True to end with this one, False to go on from it, None to take its last edits back.
        choose: the operators to draw from, given what there is so far; all that are not meant to be harmless where
            not given.
        batch: how many edits to try at once, given what there is so far.
    """
    base = company.services[service]
    head = clone(base)
    done: list[str] = []
    for operator in rng.sample(operators(harmless=True), min(lookalikes, len(operators(harmless=True)))):
        if operator.edit(head, rng) is not None:
            done.append(operator.name)
    for _ in range(decoys):
        head, name = _misled(company, service, head, rng)
        done += name
    before = Sketch(company.ground, service, head)
    so_far: Evolution | None = None
    shrink = 0
    for _ in range(tries):
        trial = clone(head)
        names: list[str] = []
        drawn = choose(so_far) if choose else operators(harmless=False)
        for operator in rng.choices(drawn, k=max(1, batch(so_far) >> shrink)):
            if operator.edit(trial, rng) is not None:
                names.append(operator.name)
        if not names:
            continue
        try:
            # Most trials are only counted; what is to be kept as the answer is judged in full, as the gate does.
            sketch = Sketch(company.ground, service, trial, before)
            evolution = Evolution(service, trial, sketch, (*done, *names))
            verdict = accept(evolution)
            if verdict:
                evolution = evolution.proved()
                verdict = accept(evolution)
        except ReadError:
            continue  # edits that do not go together: a document that cannot be read is no version of anything
        if verdict:
            return evolution
        if verdict is None:
            shrink += 1
            continue
        shrink = 0
        head, done, so_far, before = trial, [*done, *names], evolution, sketch
    return so_far.proved() if so_far is not None else None


def _misled(company: Company, service: str, head: Json, rng: Random) -> tuple[Json, list[str]]:
    """Head with an edit that breaks the contract and hits nobody, and its operator's name; as it is if none is found."""
    for operator in rng.sample(operators(harmless=False), _DECOY_TRIES):
        trial = clone(head)
        try:
            if operator.edit(trial, rng) is not None:
                sketch = Sketch(company.ground, service, trial)
                if sketch.breaking and not sketch.hit(Impact.BROKEN):
                    return trial, [operator.name]
        except ReadError:
            continue  # no version of anything, as above
    return head, []


#: Operators that mostly break one place: what fills up the last few.
_SINGLE = frozenset(
    ("add-required-query-parameter", "add-required-header", "require-parameter", "narrow-query-enum",
     "lower-query-maximum", "retype-query-parameter", "change-success-status", "change-response-media-type",
     "change-request-media-type", "move-path", "require-scope", "change-security-scheme", "add-required-request-field",
     "require-request-field", "retype-request-field")
)  # fmt: skip
_FEW = 3
#: How often an edit is drawn that is to hit nobody.
_DECOY_TRIES = 8


def with_breaks(company: Company, service: str, wanted: int, lookalikes: int, rng: Random) -> Evolution | None:
    """A version with exactly this many breaking places where that can be had, fewer otherwise."""
    every = operators(harmless=False)
    single = [each for each in every if each.name in _SINGLE]

    def accept(evolution: Evolution) -> bool | None:
        count = len(evolution.truth)
        return None if count > wanted else count == wanted

    def missing(so_far: Evolution | None) -> int:
        return wanted - (len(so_far.truth) if so_far else 0)

    def batch(so_far: Evolution | None) -> int:
        left = missing(so_far)
        return left if left <= _FEW else max(1, left // 2)

    def choose(so_far: Evolution | None) -> Sequence[Operator]:
        return single if missing(so_far) <= _FEW else every

    return evolve(company, service, rng, lookalikes=lookalikes, accept=accept, batch=batch, choose=choose)


def with_victims(
    company: Company,
    service: str,
    rng: Random,
    *,
    lookalikes: int,
    decoys: int = 0,
    changes: int = 1,
    further: Callable[[Evolution], bool] = lambda evolution: True,
    liked: Callable[[Evolution], bool] = lambda evolution: True,
    hops: int = 1,
    choose: Sequence[Operator] | None = None,
    tries: int = 40,
) -> Evolution | None:
    """A version that breaks some consumers, and at most half of all that there are.

    Args:
        lookalikes, decoys: as ``evolve`` has them.
        further: what else must be so.
        liked: what should be so; where it cannot be had in these tries, another version is taken.
        hops: how far the version must spread to be liked.
    """
    most = max(1, len(company.manifests) // 2)
    spare: list[Evolution] = []

    def accept(evolution: Evolution) -> bool | None:
        found = evolution.comparison
        if isinstance(found, Sketch) and not found.may_hit(hops if spare else 1):
            return None
        if not found.breaking or not 1 <= len(found.hit(Impact.BROKEN)) <= most or not further(evolution):
            return None
        if liked(evolution):
            return True
        spare.append(evolution)
        return None

    made = evolve(
        company,
        service,
        rng,
        lookalikes=lookalikes,
        decoys=decoys,
        accept=accept,
        batch=lambda so_far: changes,
        choose=(lambda so_far: choose) if choose else None,
        tries=tries,
    )
    if made is None and spare and not spare[0].comparison.proved:
        made = spare[0].proved()
        still = 1 <= len(made.comparison.hit(Impact.BROKEN)) <= most and bool(made.comparison.breaking)
        made = made if still and further(made) else None
    return made

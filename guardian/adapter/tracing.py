"""Consumers of whom it is only known that they use a service: the model says whom a change concerns, their code decides.

A consumer's own source, where it lies in the repository, is read by the scanner of ``guardian import code``; what is
found there is traced as if it had been declared. A consumer that is broken then is a finding like any other. Where there
is no source, or nothing in it, the model's word stays advice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from guardian.adapter.advice import Advice, Case, Question
from guardian.adapter.claims import advisory, confirmed, quoted
from guardian.adapter.hygiene import inert
from guardian.adapter.prompts import Prompt, readers_by_field, shown, trace_prompt
from guardian.errors import GuardianError
from guardian.graph.uses import Consumer, Use
from guardian.model import Change, ConsumerImpact, Impact, Location, Severity

Json = dict[str, Any]


def trace_questions(case: Case, advice: Advice) -> Iterator[Question]:
    """Asks whom of those who may be concerned a breaking change breaks."""
    for change in case.changes:
        names = doubtful(change)
        if not names:
            continue

        def heard(answer: Json, change: Change = change, names: Sequence[str] = names) -> None:
            for name in names:
                if shown(name) in answer["affected"]:
                    take(case, advice, change, name)

        yield _prompt(change, names, case.consumers), heard


def doubtful(change: Change) -> list[str]:
    """The consumers of whom it is not known whether a breaking change concerns them."""
    if change.severity is not Severity.BREAKING or change.exception is not None:
        return []
    return sorted({each.consumer for each in change.consumers if each.impact is Impact.POSSIBLE})


def place(change: Change) -> str:
    """Service, operation and field in one line."""
    return inert(f"{change.service} {change.operation}" + (f".{change.field}" if change.field else ""), 160)


def _prompt(change: Change, names: Iterable[str], consumers: Sequence[Consumer]) -> Prompt:
    near = [(change.service, change.operation, change.field)]
    readers = {inert(where, 160): who for where, who in readers_by_field(consumers, near).items()}
    for name in names:
        readers.setdefault(f"{change.service} (fields unknown)", []).append(name)
    everybody = sorted({each.name for each in consumers})
    return trace_prompt(
        [f"{place(change)} ({change.direction.value}): {inert(change.message, 200)}"], readers, everybody
    )


def take(case: Case, advice: Advice, change: Change, name: str) -> None:
    """A claim that a change breaks a consumer, looked into."""
    who = inert(name, 80)
    hit, told = found_in_code(case, change, name)
    if hit is None:
        known = next(each for each in change.consumers if each.consumer == name)
        rests_on = quoted(known.because[-1]) if known.because else "it is not known what it uses"
        remark = advisory(case.model, f"{place(change)} probably concerns {who}", f"{rests_on}{told}", known.manifest)
        advice.remarks.append(remark)
        return
    broken = hit.manifest
    evidence = f"{inert(hit.because[-1], 200)} ({_shown(broken)})"
    advice.remarks.append(confirmed(case.model, f"{place(change)} breaks {who}", evidence, broken))
    advice.changes[change.fingerprint] = raised(case, advice.changes[change.fingerprint], hit)


def raised(case: Case, change: Change, hit: ConsumerImpact) -> Change:
    """A change with one consumer found broken, and what it counts as then: never less than before."""
    from guardian.graph.settle import settle

    consumers = [hit, *(each for each in change.consumers if each.consumer != hit.consumer)]
    consumers.sort(key=lambda each: (-each.impact.rank, each.hops, each.consumer))
    situation = case.situation
    (again,) = settle(
        [change._replace(consumers=tuple(consumers))], situation.mode, situation.everybody, situation.public, situation.lowered
    )  # fmt: skip
    return again._replace(counts_as=max(change.counts_as, again.counts_as, key=lambda each: each.rank))


def found_in_code(case: Case, change: Change, name: str) -> tuple[ConsumerImpact | None, str]:
    """How a consumer is hit by what its own source shows; None, and why not where that is worth a word."""
    from guardian.graph.blast import blast
    from guardian.graph.consumers.routes import Routes

    situation = case.situation
    try:
        uses = case.code(name)
        if not uses:
            return None, ""
        routes = Routes(situation.base, situation.head)
        base = _with(situation.base_consumers, name, uses)
        head = None if situation.head_consumers is None else _with(situation.head_consumers, name, uses)
        (traced,) = blast([change._replace(consumers=())], routes, base, head).changes
    except GuardianError as error:
        return None, f" (its code cannot be read: {inert(error.message, 160)})"
    hit = next((each for each in traced.consumers if each.consumer == name and each.impact is Impact.BROKEN), None)
    return hit, "" if hit is not None else " (nothing in its code shows it)"


def _with(consumers: Sequence[Consumer], name: str, uses: Sequence[Use]) -> list[Consumer]:
    return [replace(each, uses=(*each.uses, *uses)) if each.name == name else each for each in consumers]


def _shown(at: Location | None) -> str:
    if at is None:
        return "its code"
    return inert(f"{at.file}:{at.line}" if at.line is not None else at.file, 160)


def edges_of(changes: Mapping[str, Change]) -> set[tuple[str, str]]:
    """Who is broken by which service's changes, at the first hop."""
    return {
        (each.consumer, change.service)
        for change in changes.values()
        for each in change.consumers
        if each.impact is Impact.BROKEN and each.hops == 1
    }

"""Recorded exchanges as evidence: what fitted base and does not fit head has been seen to break.

Played against both sides are the interactions of contract tests and recordings, and of these only the ones of operations
that changed. A contract test that fails on head alone breaks its consumer, as does a recorded request that head refuses;
a recorded response only shows what came back, so its reader may be broken. The evidence goes to the change that
explains it; where none does it is a finding of its own. What fits neither side is a stale declaration, and noted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from guardian import fieldpath
from guardian.fieldpath import ROOT
from guardian.model import (
    Change,
    Confidence,
    ConsumerImpact,
    Direction,
    Effect,
    Hit,
    Impact,
    Location,
    Note,
    Severity,
    Witness,
)
from guardian.rules.identity import fingerprint
from guardian.spec.locate import locate

if TYPE_CHECKING:
    from guardian.fixes.replay import Problem
    from guardian.graph.consumers.routes import Routes
    from guardian.graph.recordings import Exchange
    from guardian.graph.uses import Consumer

RULE = "recorded-interaction-fails"

_TOOLS = ("pact", "har")


@dataclass(frozen=True, slots=True)
class _Evidence:
    """An exchange that fits base and not head, and the first reason why."""

    exchange: Exchange
    problem: Problem
    sentence: str

    @property
    def impact(self) -> Impact:
        firm = self.exchange.is_excerpt or self.problem.direction is Direction.REQUEST
        return Impact.BROKEN if firm else Impact.POSSIBLE


def confirmed(
    changes: Sequence[Change], routes: Routes, consumers: Sequence[Consumer], files: Mapping[str, bytes]
) -> tuple[list[Change], list[Note]]:
    """The changes with what recordings show of them, findings of what no change explains, and notes on stale ones.

    Args:
        changes: with the consumers they hit.
        routes: finds the operations of both sides.
        consumers: as head declares them, and those of base that head does not mention.
        files: the sources of their declarations, by the name that reports give them.

    Raises:
        ReadError: a specification cannot be read.
    """
    concerned = {
        (change.service, routes.key(change.service, change.operation)) for change in changes if change.operation
    }
    recorded = [
        replace(consumer, uses=uses)
        for consumer in consumers
        if (
            uses := tuple(
                use
                for use in consumer.uses
                if use.tool.startswith(_TOOLS)
                and use.operation is not None
                and (use.service, routes.key(use.service, use.operation)) in concerned
            )
        )
    ]
    if not recorded:
        return list(changes), []
    found, notes = _played(recorded, routes, files)
    people = {consumer.name: consumer for consumer in consumers}
    settled, unexplained = _attached(list(changes), found, routes, people)
    return [*settled, *_findings(unexplained, routes, people)], notes


def _played(
    consumers: Sequence[Consumer], routes: Routes, files: Mapping[str, bytes]
) -> tuple[list[_Evidence], list[Note]]:
    from guardian.fixes.replay import Player, Problem
    from guardian.graph.recordings import exchanges

    on_base, on_head = Player(), Player()
    found: list[_Evidence] = []
    notes: list[Note] = []
    for exchange in exchanges(consumers, files):
        base, head = (side(exchange.service, exchange.operation) for side in (routes.base, routes.head))
        if base is None or base.inverted:
            continue
        before = on_base.problems(base, exchange)
        if head is None:
            after: tuple[Problem, ...] = (Problem(Direction.REQUEST, ROOT, "the operation is gone"),)
        else:
            after = on_head.problems(head, exchange)
        if not after:
            continue
        line = _line(exchange.origin, files)
        if not before:
            sentence = f"{_name(exchange)} ({_place(exchange, line)}) fits base and not head: {after[0].message}"
            found.append(_Evidence(exchange, after[0], sentence))
        elif head is not None:
            text = f"{_name(exchange)} of {exchange.operation} fits neither base nor head: {after[0].message}"
            notes.append(Note("warning" if exchange.is_excerpt else "info", text, exchange.origin.file, line))
    return found, notes


def _name(exchange: Exchange) -> str:
    kind = "interaction" if exchange.is_excerpt else "recorded call"
    said = f' "{exchange.name}"' if exchange.name else ""
    return f"{exchange.consumer}'s {kind}{said}"


def _place(exchange: Exchange, line: int | None) -> str:
    return f"{exchange.origin.file}:{line}" if line is not None else exchange.origin.file


def _line(origin: Location, files: Mapping[str, bytes]) -> int | None:
    if origin.line is not None:
        return origin.line
    found = locate(files[origin.file], [origin.pointer]).get(origin.pointer)
    return found[0] if found is not None else None


# --- which change it is evidence of -----------------------------------------------------------------------------------


def _attached(
    changes: list[Change], found: Iterable[_Evidence], routes: Routes, people: Mapping[str, Consumer]
) -> tuple[list[Change], list[_Evidence]]:
    """The changes with the evidence that they explain, and what is left."""
    left: list[_Evidence] = []
    told: set[tuple[int, str]] = set()
    for evidence in found:
        explaining = _explaining(changes, evidence, routes)
        if not explaining:
            left.append(evidence)
        for index in explaining:
            if (index, evidence.exchange.consumer) not in told:  # one exchange proves as much as ten
                told.add((index, evidence.exchange.consumer))
                changes[index] = _with(changes[index], evidence, people)
    return changes, left


def _explaining(changes: Sequence[Change], evidence: _Evidence, routes: Routes) -> list[int]:
    """The changes of the exchange's operation that are about the field that does not fit, the nearest alone."""
    exchange, problem = evidence.exchange, evidence.problem
    key = routes.key(exchange.service, exchange.operation)
    same = [
        index
        for index, change in enumerate(changes)
        if change.service == exchange.service
        and change.operation
        and routes.key(change.service, change.operation) == key
        and change.effect is not Effect.ANNOTATION
        and change.hit is not Hit.NOBODY
    ]
    alike = [index for index in same if changes[index].direction is problem.direction]
    exact = [index for index in alike if fieldpath.parse(changes[index].field) == problem.path != ROOT]
    touching = [
        index
        for index in alike
        if changes[index].field and fieldpath.touches(fieldpath.parse(changes[index].field), problem.path)
    ]
    whole = [index for index in (alike or same) if not changes[index].field]
    return exact or touching or whole


def _with(change: Change, evidence: _Evidence, people: Mapping[str, Consumer]) -> Change:
    """A change with one more reason to believe that it hits a consumer."""
    name = evidence.exchange.consumer
    consumers = []
    known = False
    for each in change.consumers:
        if each.consumer == name:
            known = True
            each = each._replace(because=(*each.because, evidence.sentence))
            if evidence.impact.rank > each.impact.rank:
                origin = evidence.exchange.origin
                each = each._replace(impact=evidence.impact, confidence=evidence.exchange.confidence, manifest=origin)
        consumers.append(each)
    if not known:
        consumers.append(_impact(evidence, people))
    ordered = sorted(consumers, key=lambda each: (-each.impact.rank, each.hops, each.consumer))
    return change._replace(consumers=tuple(ordered))


def _impact(evidence: _Evidence, people: Mapping[str, Consumer]) -> ConsumerImpact:
    exchange = evidence.exchange
    consumer = people[exchange.consumer]
    return ConsumerImpact(
        exchange.consumer,
        evidence.impact,
        1,
        exchange.confidence,
        (evidence.sentence,),
        exchange.origin,
        consumer.owner,
        consumer.contact,
    )


# --- what no change explains --------------------------------------------------------------------------------------------


def _findings(unexplained: Iterable[_Evidence], routes: Routes, people: Mapping[str, Consumer]) -> Iterator[Change]:
    found: dict[tuple[str, str, str, str, str], Change] = {}
    for evidence in unexplained:
        exchange, problem = evidence.exchange, evidence.problem
        operation = routes.base(exchange.service, exchange.operation)
        assert operation is not None, "it fitted base"
        name = routes.key(exchange.service, exchange.operation)
        head = routes.head(exchange.service, exchange.operation)
        request = problem.direction is Direction.REQUEST
        field = "" if problem.path == ROOT else fieldpath.write(problem.path)
        place = "request body" if request else f"response {exchange.status}"
        key = (exchange.service, name, place, field, problem.message)
        if key in found:
            if all(each.consumer != exchange.consumer for each in found[key].consumers):
                found[key] = _with(found[key], evidence, people)
            continue
        breaks = evidence.impact is Impact.BROKEN
        change = Change(
            rule=RULE,
            service=exchange.service,
            operation=name,
            direction=problem.direction,
            place="request" if request and problem.path.place else place,
            field=field,
            effect=Effect.NARROWED if request else Effect.WIDENED,
            severity=Severity.BREAKING if breaks else Severity.WARNING,
            confidence=Confidence.PROVED,
            message=f"a recorded exchange fits base and not head: {problem.message}",
            why="It was played against both sides, and no change that was found explains why head does not take it.",
            base=operation.node.location,
            head=head.node.location if head is not None else None,
            witness=Witness(
                (exchange.request if request else exchange.response).body, True, False, "as it was recorded"
            ),
            consumers=(_impact(evidence, people),),
            hit=Hit.EVERY_USER,
            impact=evidence.impact,
        )
        found[key] = change._replace(fingerprint=fingerprint(change, exchange.service))
    yield from (found[key] for key in sorted(found))

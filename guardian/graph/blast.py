"""Blast radius: whom every change hits, at every hop, with the path of evidence that leads there.

A change hits the users of its operation; where one of them passes the changed field on through its own API, it goes on
to the users of that. Lineage is what base's manifests say, since that is deployed; whether a consumer is hit is what
its head state says, so that a change which moves producer and consumer together passes and leaves an order of
deployment.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from guardian import fieldpath
from guardian.fieldpath import Path
from guardian.graph import build
from guardian.graph.consumers.routes import Routes
from guardian.graph.hits import Judge, Ripple, Verdict
from guardian.graph.uses import Consumer, Use
from guardian.model import Change, ConsumerImpact, Direction, Edge, Hit, Impact, Note

# How many places one change is followed to by the exact part of a field that changed; past that, in a mesh where
# everybody passes everything on, what is exposed counts as a whole.
_PRECISE = 1_000


@dataclass(frozen=True, slots=True)
class Blast:
    """What came of tracing.

    Attributes:
        changes: the changes as they were given, each with the consumers it hits; the worst and nearest first.
        notes: in which order to deploy what moves together.
        edges: who uses what, with the worst that happened along each edge.
    """

    changes: tuple[Change, ...]
    notes: tuple[Note, ...]
    edges: tuple[Edge, ...]


def blast(
    changes: Iterable[Change],
    routes: Routes,
    base: Sequence[Consumer],
    head: Sequence[Consumer] | None = None,
) -> Blast:
    """Trace every change to the consumers it hits.

    Args:
        changes: as the rules found them.
        routes: finds the operations of both sides.
        base: the consumers that are deployed, each name once.
        head: the same as head declares them; left out where declarations have one state only.
    """
    changes = list(changes)
    tracer = _Tracer({change.service for change in changes}, routes, base, base if head is None else head)
    traced = tuple(change._replace(consumers=tracer.trace(change)) for change in changes)
    return Blast(traced, tuple(tracer.orders()), tuple(tracer.edges()))


@dataclass(frozen=True, slots=True)
class _Wave:
    """A ripple under way: how it came here, and through whom."""

    ripple: Ripple
    because: tuple[str, ...] = ()
    through: frozenset[str] = frozenset()


class _Tracer:
    def __init__(
        self, changed: Iterable[str], routes: Routes, base: Sequence[Consumer], head: Sequence[Consumer]
    ) -> None:
        self._routes = routes
        self._judge = Judge(routes)
        self._base = {each.name: each for each in base}
        self._head = self._base if head is base else {each.name: each for each in head}
        # Only what a change can reach: the other services need not even be read.
        services = build.within_reach(changed, [*base, *(head if head is not base else ())])
        self._base_graph = build.build(routes, base, services)
        self._head_graph = self._base_graph if head is base else build.build(routes, head, services)
        self._moved: dict[tuple[str, str], dict[str, str]] = {}
        self._hit_edges: dict[tuple[str, str], Impact] = {}

    def trace(self, change: Change) -> tuple[ConsumerImpact, ...]:
        """Everybody whom a change hits; the worst first, then the nearest."""
        if change.hit is Hit.NOBODY or change.impact is change.strict_impact is Impact.SAFE:
            return ()
        found: dict[str, ConsumerImpact] = {}
        waves = deque(_Wave(ripple) for ripple in self._origins(change))
        seen: dict[tuple[str, str], list[Path]] = {}
        for wave in waves:
            seen.setdefault((wave.ripple.service, wave.ripple.key), []).append(wave.ripple.path)
        while waves:
            wave = waves.popleft()
            moved: set[str] = set()
            for name, uses_base, uses_head in self._users(wave.ripple):
                verdict = self._verdict(wave.ripple, name, uses_base, uses_head, moved)
                if verdict is not None:
                    self._keep(found, wave, name, verdict)
            precise = sum(map(len, seen.values())) < _PRECISE
            for onward in self._onward(wave, moved, precise):
                path, known = onward.ripple.path, seen.setdefault((onward.ripple.service, onward.ripple.key), [])
                # Where the field, or something it lies in, has been before, everything was hit from there already.
                if not any(path.steps[: len(each.steps)] == each.steps for each in known):
                    known.append(path)
                    waves.append(onward)
        return tuple(sorted(found.values(), key=lambda each: (-each.impact.rank, each.hops, each.consumer)))

    def _origins(self, change: Change) -> Iterator[Ripple]:
        """Where a change starts: at its operation, or at every operation for one of the service as a whole."""
        path = fieldpath.parse(change.field)
        if change.operation:
            key = self._routes.key(change.service, change.operation)
            yield Ripple(change, change.service, key, path, change.operation, True)
            return
        keys = {
            key for graph in (self._base_graph, self._head_graph) for key in build.operations(graph, change.service)
        }
        for key in sorted(keys):
            yield Ripple(change, change.service, key, path, key, True)
        if not keys:  # users of whom no more is known
            yield Ripple(change, change.service, "", path, change.service, True)

    # -- one hop -------------------------------------------------------------------------------------------------------

    def _users(self, ripple: Ripple) -> Iterator[tuple[str, list[Use], list[Use]]]:
        base = dict(build.users(self._base_graph, ripple.service, ripple.key))
        if self._head_graph is self._base_graph:
            yield from ((name, uses, uses) for name, uses in base.items())
            return
        head = dict(build.users(self._head_graph, ripple.service, ripple.key))
        for name in sorted(base.keys() | head.keys()):
            yield name, base.get(name, []), head.get(name, [])

    def _verdict(self, ripple: Ripple, name: str, base: list[Use], head: list[Use], moved: set[str]) -> Verdict | None:
        """The verdict on the consumer's head state; one that has no head state is still deployed as base has it."""
        if name not in self._head:
            return self._judge.judge(ripple, base, strict=self._base[name].strict)
        verdict = self._judge.judge(ripple, head, strict=self._head[name].strict)
        if verdict is None and base != head and name in self._base:
            before = self._judge.judge(ripple, base, strict=self._base[name].strict)
            if before is not None:
                moved.add(name)
                self._note_move(ripple, name, before, head)
        return verdict

    def _keep(self, found: dict[str, ConsumerImpact], wave: _Wave, name: str, verdict: Verdict) -> None:
        consumer = self._head.get(name) or self._base[name]
        impact = ConsumerImpact(
            name,
            verdict.impact,
            len(wave.because) + 1,
            verdict.confidence,
            (*wave.because, verdict.sentence),
            verdict.origin,
            consumer.owner,
            consumer.contact,
        )
        # Waves come nearest first, so only something worse takes the place of what is there.
        if name not in found or impact.impact.rank > found[name].impact.rank:
            found[name] = impact
        edge = (name, wave.ripple.service)
        self._hit_edges[edge] = max(self._hit_edges.get(edge, Impact.SAFE), verdict.impact, key=lambda each: each.rank)

    # -- the next hop --------------------------------------------------------------------------------------------------

    def _onward(self, wave: _Wave, moved: set[str], precise: bool) -> Iterator[_Wave]:
        ripple = wave.ripple
        if ripple.first and not self._travels(ripple):
            return
        source = f"{ripple.service} {ripple.label}" if ripple.first else ripple.label
        for graph, declared in ((self._base_graph, self._base), (self._head_graph, self._new_in_head())):
            for name, exposure, target in build.exposures(graph, ripple.service, ripple.key):
                if name not in declared or name in moved or name in wave.through:
                    continue
                touched = self._judge.reached(ripple, exposure.path)
                if touched is None:
                    continue
                _, service, key = target[:3]
                path = build.remainder(touched, exposure) if precise else exposure.field
                known = self._routes.base(service, key) or self._routes.head(service, key)
                own = known.name if known else exposure.operation
                sentence = f"{name} exposes {exposure.path} of {source} as {exposure.field} of {own}"
                yield _Wave(
                    Ripple(ripple.change, service, key, path, f"{service} {own}", False),
                    (*wave.because, sentence),
                    wave.through | {name},
                )

    def _new_in_head(self) -> Mapping[str, Consumer]:
        """The consumers that only head knows: their lineage is taken from there."""
        if self._head is self._base:
            return {}
        return {name: each for name, each in self._head.items() if name not in self._base}

    def _travels(self, ripple: Ripple) -> bool:
        """Whether a change reaches what its readers pass on: what callers must do differently stays with them."""
        change = ripple.change
        if change.hit is Hit.EVERY_USER and change.direction is Direction.REQUEST:
            # The operation itself is gone, and with it all that was read from it.
            return not change.field and self._routes.head(ripple.service, ripple.key) is None
        if change.hit not in {Hit.EVERY_USER, Hit.READER, Hit.DECODER}:
            return False
        status = change.place.removeprefix("response ")[:1] if change.place.startswith("response ") else ""
        return status not in {"4", "5"}

    # -- what moves together -------------------------------------------------------------------------------------------

    def _note_move(self, ripple: Ripple, name: str, before: Verdict, head: list[Use]) -> None:
        renamed = ripple.change.renamed_to if ripple.first else None
        path = fieldpath.parse(renamed) if renamed else None
        fields = [field for use in head for field in (*(use.reads or ()), *(use.sends or ()))]
        if path is not None and any(fieldpath.touches(field.path, path) for field in fields):
            text = (
                f"{name} moves from {ripple.path} to {path} of {ripple.label} together with {ripple.service}: neither "
                f"can go first, so deploy them at once, or let {ripple.service} carry both names until {name} has moved"
            )
        else:
            text = f"deploy {name} before {ripple.service}: in base {before.sentence}, in head no longer"
        self._moved.setdefault((name, ripple.service), {}).setdefault(text, before.origin.file)

    def orders(self) -> Iterator[Note]:
        """One note for each pair of consumer and service that move together."""
        for _, texts in sorted(self._moved.items()):
            (text, file), *others = texts.items()
            more = f" (and {len(others)} more)" if others else ""
            yield Note("info", text + more, file)

    def edges(self) -> Iterator[Edge]:
        """Who uses what, and how that is known."""
        via: dict[tuple[str, str], dict[str, None]] = {}
        for consumer in (*self._base.values(), *self._head.values()):
            for use in consumer.uses:
                via.setdefault((consumer.name, use.service), {})[use.tool] = None
        for edge, tools in sorted(via.items()):
            yield Edge(*edge, ", ".join(sorted(tools)), self._hit_edges.get(edge, Impact.SAFE))

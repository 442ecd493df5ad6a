"""The order in which a fix is rolled out across services, from the graph of who uses whom."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from guardian import fieldpath
from guardian.fixes.bench import Situation
from guardian.fixes.draft import Draft
from guardian.graph.consumers.routes import template_shape
from guardian.model import Change, Impact, Patch, Strategy

if TYPE_CHECKING:
    import networkx


def rollout(draft: Draft, situation: Situation, addressed: Sequence[Change]) -> tuple[str, ...]:
    """Ordered steps, each one sentence that somebody can do.

    Consumers move after those that pass the field on to them; those that do so in a circle move together, and the step
    says so.
    """
    if draft.strategy is Strategy.CONSUMER_PATCH:
        return _consumers_first(draft, situation, addressed)
    steps = [f"ship {draft.service}: it {draft.does}"]
    names = {each.consumer for change in addressed for each in change.consumers if each.impact is not Impact.SAFE}
    for number, stage in enumerate(_stages(names, draft, situation, addressed) if names else ()):
        steps.append(f"{'then move' if number else 'move'} {_worded(stage, draft, situation, addressed)}")
    if draft.later:
        when = f" after {draft.until}" if draft.until else " once nobody uses it any more"
        steps.append(f"{draft.later}{when}")
    return tuple(steps)


def elsewhere(patches: Iterable[Patch]) -> Iterator[str]:
    """What somebody has to do by hand before everything else, for nothing is written there from here."""
    for patch in patches:
        if patch.elsewhere is None:
            continue
        file = patch.file.removeprefix(f"{patch.elsewhere}:")
        what = file if file == patch.file else f"{file} in {patch.elsewhere}"
        how = ", or let its owner `guardian publish` the manifest" if patch.kind == "manifest" else ""
        yield f"change {what}, which is not written from here: make the diff there{how}"


def _consumers_first(draft: Draft, situation: Situation, addressed: Sequence[Change]) -> tuple[str, ...]:
    steps = []
    for stage in _stages(draft.moves, draft, situation, addressed):
        for name in sorted(stage):
            needs_new = any(" instead of " in move for move in draft.moves[name])
            fallback = f", or what it replaces until {draft.service} has shipped" if needs_new else ""
            steps.append(f"deploy {name}: {'; '.join(draft.moves[name])}{fallback}")
    return (*steps, f"ship {draft.service}")


def _stages(names: Iterable[str], draft: Draft, situation: Situation, addressed: Sequence[Change]) -> list[set[str]]:
    """The consumers in the order in which they can move: those of one stage at any time within it."""
    import networkx

    graph = _lineage(set(names), draft, situation, addressed)
    circles = networkx.condensation(graph)
    return [
        {member for node in generation for member in circles.nodes[node]["members"]}
        for generation in networkx.topological_generations(circles)
    ]


def _lineage(names: set[str], draft: Draft, situation: Situation, addressed: Sequence[Change]) -> networkx.DiGraph[str]:
    """An edge to each of these consumers from whoever passes on to it what it gets of the change."""
    import networkx

    graph: networkx.DiGraph[str] = networkx.DiGraph()
    graph.add_nodes_from(sorted(names))
    fields = [fieldpath.parse(change.field) for change in addressed]
    passed_on = {
        (exposure.service or each.name, _shape(exposure.operation)): each.name
        for each in situation.everybody
        if each.name in names
        for use in each.uses
        for exposure in use.exposes
        if use.service != draft.service or any(fieldpath.touches(exposure.path, field) for field in fields)
    }
    for consumer in situation.everybody:
        for use in consumer.uses:
            giver = passed_on.get((use.service, _shape(use.operation or "")))
            if consumer.name in names and giver is not None:
                graph.add_edge(giver, consumer.name)
    graph.remove_edges_from(list(networkx.selfloop_edges(graph)))
    return graph


def _shape(operation: str) -> str:
    return template_shape(" ".join(operation.split()))


def _worded(stage: set[str], draft: Draft, situation: Situation, addressed: Sequence[Change]) -> str:
    import networkx

    graph = _lineage(stage, draft, situation, addressed)
    circles = [sorted(each) for each in networkx.strongly_connected_components(graph) if len(each) > 1]
    text = and_(sorted(stage))
    for circle in sorted(circles):
        text += f" ({and_(circle)} pass it on to each other in a circle: move them together)"
    return text


def and_(names: Sequence[str]) -> str:
    """Names for a sentence."""
    return ", ".join(names[:-1]) + f" and {names[-1]}" if len(names) > 1 else "".join(names)

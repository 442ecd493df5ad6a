"""The dependency graph as an inline SVG: services at the left, consumers by hop, broken paths standing out.

A layered layout by hand: a node's layer is its distance from what changed, its row follows its neighbours in the
layer before. A long layer is folded into several columns, so that 200 services still fit a screen. Colours and
emphasis are the page's business; the picture carries classes only.
"""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from guardian.model import Edge, Impact, Report, Severity
from guardian.report.blocks import listed
from guardian.report.escape import html, plain

_BOX = (150, 26)  # width and height of a node
_GAP = (70, 12)  # between layers, between rows
_FOLD_GAP = 16  # between the columns of one folded layer
_MARGIN = 12
_ROWS = 14  # rows of a column at least, before a layer is folded
_LABEL = 20  # characters of a name


@dataclass(frozen=True, slots=True)
class _Spot:
    x: int
    y: int


def svg(report: Report) -> str:
    """The picture of a report, or an empty string where there is nothing to draw."""
    return draw(report.edges, _changed(report), _impacts(report))


def draw(
    edges: Iterable[Edge],
    changed: Collection[str] = (),
    worst: Mapping[str, Impact] | None = None,
    names: Iterable[str] = (),
    style: str = "",
) -> str:
    """The picture, or an empty string where there is nothing to draw.

    Args:
        edges: who uses whom.
        changed: the services that a change touches.
        worst: the worst that happens to each consumer.
        names: nodes that may have no edge.
        style: a style sheet, for a picture that stands alone.
    """
    drawn = sorted(edges, key=lambda edge: (edge.impact.rank, edge.consumer, edge.service, edge.via))
    nodes = sorted({name for edge in drawn for name in (edge.consumer, edge.service)} | set(changed) | set(names))
    if not nodes:
        return ""
    impacts = worst or {}
    spots, width, height = _layout(nodes, drawn, changed, impacts)
    size = "big" if len(nodes) > 40 else "small"
    alone = ' xmlns="http://www.w3.org/2000/svg"' if style else ""
    extent = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    parts = [f'<svg{alone} class="graph {size}" {extent} role="group" aria-label="Services and their consumers">']
    if style:
        parts.append(f"<style>{style}</style>")
    index = {name: number for number, name in enumerate(nodes)}
    parts += [_edge(edge, spots, index) for edge in drawn if edge.consumer != edge.service]  # broken ones on top
    for name in nodes:
        parts.append(_node(name, index[name], spots[name], impacts.get(name, Impact.SAFE), name in changed))
    return "".join([*parts, "</svg>"])


def _changed(report: Report) -> set[str]:
    """The services with a finding that matters."""
    return {change.service for change in report.changes if change.severity.rank >= Severity.WARNING.rank}


def _impacts(report: Report) -> dict[str, Impact]:
    """The worst that happens to each consumer."""
    worst: dict[str, Impact] = {}
    found = [(edge.consumer, edge.impact) for edge in report.edges]
    found += [(item.consumer, item.impact) for c in report.changes if not c.exception for item in listed(c.consumers)]
    for name, impact in found:
        worst[name] = max(worst.get(name, Impact.SAFE), impact, key=lambda item: item.rank)
    return worst


def _layers(
    nodes: Iterable[str], edges: Sequence[Edge], changed: Collection[str], worst: Mapping[str, Impact]
) -> dict[str, int]:
    """Hops from what changed, for whoever is hit; the rest by the shortest way from there or from what uses nothing."""
    users: dict[str, set[str]] = defaultdict(set)
    consuming = {edge.consumer for edge in edges if edge.consumer != edge.service}
    for edge in edges:
        users[edge.service].add(edge.consumer)
    names = sorted(nodes)
    hops = _nearest(dict.fromkeys(changed, 0), users)
    hit = {name: hops[name] for name in hops if name in changed or worst.get(name, Impact.SAFE) is not Impact.SAFE}
    roots = {name: 0 for name in names if name not in consuming}
    layers = _nearest(roots | hit, users)
    for name in names:  # what only a cycle leads to
        if name not in layers:
            layers |= _nearest({name: 0}, users, layers)
    return layers


def _nearest(starts: Mapping[str, int], users: Mapping[str, set[str]], known: Collection[str] = ()) -> dict[str, int]:
    """The fewest hops to every node that starts lead to, which themselves stay where they are."""
    found = dict(starts)
    pending = sorted((level, name) for name, level in starts.items())
    while pending:
        level, name = heapq.heappop(pending)
        for user in sorted(users.get(name, ())):
            if user not in found and user not in known:
                found[user] = level + 1
                heapq.heappush(pending, (level + 1, user))
    return found


def _layout(
    nodes: list[str], edges: Sequence[Edge], changed: Collection[str], worst: Mapping[str, Impact]
) -> tuple[dict[str, _Spot], int, int]:
    layers = _layers(nodes, edges, changed, worst)
    uses: dict[str, list[str]] = defaultdict(list)
    for edge in edges:
        uses[edge.consumer].append(edge.service)
    by_layer: dict[int, list[str]] = defaultdict(list)
    for name in nodes:
        by_layer[layers[name]].append(name)
    rows = max(_ROWS, math.ceil(math.sqrt(len(nodes)) * 1.6))
    tallest = min(rows, max(len(names) for names in by_layer.values()))
    height = tallest * (_BOX[1] + _GAP[1]) - _GAP[1] + 2 * _MARGIN
    ranks: dict[str, float] = {}
    spots: dict[str, _Spot] = {}
    x = _MARGIN
    for number in sorted(by_layer):
        names = sorted(by_layer[number], key=lambda name: _row(name, name in changed, worst, uses, ranks))
        for rank, name in enumerate(names):
            ranks[name] = rank / len(names)
        columns = [names[start : start + rows] for start in range(0, len(names), rows)]
        for column in columns:
            top = (height - len(column) * (_BOX[1] + _GAP[1]) + _GAP[1]) // 2
            for place, name in enumerate(column):
                spots[name] = _Spot(x, top + place * (_BOX[1] + _GAP[1]))
            x += _BOX[0] + _FOLD_GAP
        x += _GAP[0] - _FOLD_GAP
    return spots, x - _GAP[0] + _MARGIN, height


def _row(
    name: str, changed: bool, worst: Mapping[str, Impact], uses: Mapping[str, list[str]], ranks: Mapping[str, float]
) -> tuple[bool, int, float, str]:
    """Changed and broken nodes first, then beside the neighbours of the layer before."""
    near = [ranks[used] for used in uses.get(name, ()) if used in ranks]
    middle = sum(near) / len(near) if near else 0.0
    return (not changed, -worst.get(name, Impact.SAFE).rank, middle, name)


def _edge(edge: Edge, spots: Mapping[str, _Spot], index: Mapping[str, int]) -> str:
    start, end = spots[edge.service], spots[edge.consumer]
    y1, y2 = start.y + _BOX[1] // 2, end.y + _BOX[1] // 2
    if end.x > start.x:
        x1, x2, bend = start.x + _BOX[0], end.x, max(24, (end.x - start.x - _BOX[0]) // 2)
        path = f"M{x1} {y1}C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}"
    else:  # within a layer, or back: round the right side
        x1, x2 = start.x + _BOX[0], end.x + _BOX[0]
        out = max(x1, x2) + 36
        path = f"M{x1} {y1}C{out} {y1} {out} {y2} {x2} {y2}"
    said = html(f"{edge.consumer} uses {edge.service} ({edge.via}): {edge.impact.value}", 300)
    ends = f'data-from="{index[edge.service]}" data-to="{index[edge.consumer]}"'
    return f'<path class="edge {edge.impact.value}" {ends} d="{path}"><title>{said}</title></path>'


def _node(name: str, number: int, spot: _Spot, impact: Impact, changed: bool) -> str:
    label = plain(name)
    label = label if len(label) <= _LABEL else label[: _LABEL - 1] + "\N{HORIZONTAL ELLIPSIS}"
    kind = "changed" if changed else impact.value
    also = f" {impact.value}" if changed and impact is not Impact.SAFE else ""
    state = "changed" + (f" and {impact.value}" if also else "") if changed else impact.value
    said = html(f"{plain(name, 200)}: {state}")
    return (
        f'<g class="node {kind}{also}" data-index="{number}" data-name="{html(name)}" tabindex="0" role="button" '
        f'aria-pressed="false" aria-label="{said}" transform="translate({spot.x} {spot.y})"><title>{said}</title>'
        f'<rect width="{_BOX[0]}" height="{_BOX[1]}" rx="6"/>'
        f'<text x="{_BOX[0] // 2}" y="{_BOX[1] // 2 + 4}" text-anchor="middle">{html(label)}</text></g>'
    )

"""The dependency graph as an inline SVG: services at the left, consumers by hop, broken paths standing out.

A layered layout by hand: a node's layer is its distance from what changed, its row follows its neighbours in the
layer before. A long layer is folded into several columns, so that 200 services still fit a screen. Colours and
emphasis are the page's business; the picture carries classes only.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
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
    """The picture, or an empty string where there is nothing to draw."""
    nodes = sorted({name for edge in report.edges for name in (edge.consumer, edge.service)} | _changed(report))
    if not nodes:
        return ""
    spots, width, height = _layout(nodes, report)
    worst = _impacts(report)
    size = "big" if len(nodes) > 40 else "small"
    extent = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    parts = [f'<svg class="graph {size}" {extent} role="group" aria-label="Services and their consumers">']
    edges = sorted(report.edges, key=lambda edge: (edge.impact.rank, edge.consumer, edge.service, edge.via))
    index = {name: number for number, name in enumerate(nodes)}
    parts += [_edge(edge, spots, index) for edge in edges if edge.consumer != edge.service]  # broken ones on top
    changed = _changed(report)
    for name in nodes:
        parts.append(_node(name, index[name], spots[name], worst.get(name, Impact.SAFE), name in changed))
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


def _layers(nodes: Iterable[str], report: Report) -> dict[str, int]:
    """Hops from what changed; what nothing changed for hangs on the services that use nothing themselves."""
    users: dict[str, set[str]] = defaultdict(set)
    consuming = {edge.consumer for edge in report.edges}
    for edge in report.edges:
        users[edge.service].add(edge.consumer)
    layers: dict[str, int] = {}
    names = sorted(nodes)
    for starts in (sorted(_changed(report)), [name for name in names if name not in consuming], names):
        for start in starts:
            layers.setdefault(start, 0)
        queue = [start for start in starts if layers[start] == 0]
        for name in queue:  # grows while it is walked: breadth first
            for user in sorted(users[name]):
                if user not in layers:
                    layers[user] = layers[name] + 1
                    queue.append(user)
        if len(layers) == len(names):
            break
    return layers


def _layout(nodes: list[str], report: Report) -> tuple[dict[str, _Spot], int, int]:
    layers = _layers(nodes, report)
    worst = _impacts(report)
    uses: dict[str, list[str]] = defaultdict(list)
    for edge in report.edges:
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
    changed = _changed(report)
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

"""The dependency picture: services, their consumers, and what a change does along each edge; as text in four forms.

The picture itself is plain data, of which ``guardian.report.picture`` makes the drawing. Names come from
specifications and manifests, so every form escapes them by its own rules.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from guardian.graph.uses import Consumer
from guardian.model import Edge, Impact

#: Mermaid draws no more edges than this unless its host is configured otherwise.
MERMAID_EDGES = 500


@dataclass(frozen=True, slots=True)
class Node:
    """A service, a consumer, or both.

    Attributes:
        provides: whether it is a service that others may use.
        impact: the worst that happens to it as a consumer.
    """

    name: str
    provides: bool
    owner: str | None = None
    changed: bool = False
    impact: Impact = Impact.SAFE


@dataclass(frozen=True, slots=True)
class Picture:
    """Nodes and edges, sorted by name; an edge's ends are among the nodes."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]


def picture(
    services: Mapping[str, str | None],
    consumers: Iterable[Consumer],
    edges: Iterable[Edge] | None = None,
    changed: Collection[str] = (),
    impacts: Mapping[str, Impact] | None = None,
) -> Picture:
    """The picture of who uses whom.

    Args:
        services: the services, with who owns each.
        consumers: each name once.
        edges: with what a change did along them; drawn from the consumers alone where left out.
        changed: the services that a change touches.
        impacts: the worst that happens to each consumer.
    """
    consumers = list(consumers)
    owners = {each.name: each.owner for each in consumers}
    drawn = list(edges) if edges is not None else list(_edges(consumers))
    drawn = sorted((each for each in drawn if each.consumer != each.service), key=lambda e: (e.consumer, e.service))
    hit = (name for name, impact in (impacts or {}).items() if impact is not Impact.SAFE)
    names = {*services, *owners, *changed, *hit, *(name for each in drawn for name in (each.consumer, each.service))}
    provided = {*services, *changed, *(each.service for each in drawn)}
    worst = dict(impacts or {})
    for each in drawn:
        worst[each.consumer] = max(worst.get(each.consumer, Impact.SAFE), each.impact, key=lambda impact: impact.rank)
    nodes = (
        Node(
            name,
            name in provided,
            services.get(name) or owners.get(name),
            name in changed,
            worst.get(name, Impact.SAFE),
        )
        for name in sorted(names)
    )
    return Picture(tuple(nodes), tuple(drawn))


def _edges(consumers: Iterable[Consumer]) -> Iterator[Edge]:
    for consumer in consumers:
        via: dict[str, set[str]] = defaultdict(set)
        for use in consumer.uses:
            via[use.service].add(use.tool)
        yield from (Edge(consumer.name, service, ", ".join(sorted(tools))) for service, tools in via.items())


def focused(whole: Picture, names: Collection[str], depth: int | None = None) -> Picture:
    """What matters to some nodes: whatever they use, and whoever uses them, directly or by way of others.

    Args:
        whole: the picture to take it from.
        names: nodes that are in it.
        depth: how many edges away; all where left out.
    """
    users: dict[str, list[str]] = defaultdict(list)
    used: dict[str, list[str]] = defaultdict(list)
    for edge in whole.edges:
        users[edge.service].append(edge.consumer)
        used[edge.consumer].append(edge.service)
    down, up = _reach(names, users, depth), _reach(names, used, depth)
    kept = down | up
    edges = tuple(
        each for each in whole.edges if {each.consumer, each.service} <= down or {each.consumer, each.service} <= up
    )
    return Picture(tuple(node for node in whole.nodes if node.name in kept), edges)


def _reach(names: Collection[str], onward: Mapping[str, list[str]], depth: int | None) -> set[str]:
    found, edge = set(names), set(names)
    while edge and (depth is None or depth > 0):
        edge = {each for name in edge for each in onward.get(name, ())} - found
        found |= edge
        depth = None if depth is None else depth - 1
    return found


# --- the tree -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the tree: its branches, the node, and remarks; ``also`` are further nodes that need no line."""

    branch: str
    node: Node | None
    impact: Impact = Impact.SAFE
    also: tuple[str, ...] = ()


def tree(drawn: Picture, roots: Collection[str] = ()) -> Iterator[Line]:
    """Services with their consumers below them, each subtree once.

    Args:
        drawn: the picture.
        roots: the nodes to begin with; the changed ones, or those that use nothing, where left out. What cannot be
            reached from them comes after.
    """
    nodes = {node.name: node for node in drawn.nodes}
    users: dict[str, list[Edge]] = defaultdict(list)
    consuming = {edge.consumer for edge in drawn.edges}
    for edge in drawn.edges:
        users[edge.service].append(edge)
    shown: set[str] = set()
    chosen = [each for each in roots if each in nodes]
    first = chosen or [node.name for node in drawn.nodes if node.changed]
    later = [node.name for node in drawn.nodes if node.name not in consuming]
    for root in (*first, *later, *nodes):
        if root not in shown:
            shown.add(root)
            yield Line("", nodes[root], nodes[root].impact if not nodes[root].changed else Impact.SAFE)
            yield from _below(root, "", nodes, users, shown)


def _below(
    name: str, indent: str, nodes: Mapping[str, Node], users: Mapping[str, list[Edge]], shown: set[str]
) -> Iterator[Line]:
    """The users of a node, without recursion: a chain of services may be long."""
    stack: list[tuple[str, Iterator[tuple[Edge | None, tuple[str, ...], bool]]]] = [(indent, _rows(name, users, shown))]
    while stack:
        indent, rows = stack[-1]
        row = next(rows, None)
        if row is None:
            stack.pop()
            continue
        edge, also, last = row
        branch = indent + ("└── " if last else "├── ")
        if edge is None:
            yield Line(branch, None, also=also)
            continue
        yield Line(branch, nodes[edge.consumer], edge.impact)
        stack.append((indent + ("    " if last else "│   "), _rows(edge.consumer, users, shown)))


def _rows(
    name: str, users: Mapping[str, list[Edge]], shown: set[str]
) -> Iterator[tuple[Edge | None, tuple[str, ...], bool]]:
    """The users of a node, the worst hit first; those with a line of their own elsewhere together at the end."""
    edges = sorted(users.get(name, ()), key=lambda edge: (-edge.impact.rank, edge.consumer))
    fresh = [edge for edge in edges if edge.consumer not in shown]
    known = tuple(edge.consumer for edge in edges if edge.consumer in shown)
    # Claimed at once, so that a user of a user is shown below the nearer of the two.
    shown.update(edge.consumer for edge in fresh)
    for number, edge in enumerate(fresh):
        yield edge, (), number == len(fresh) - 1 and not known
    if known:
        yield None, known, True


# --- other tools' forms -------------------------------------------------------------------------------------------

_FILL = {
    "changed": ("#fff3cd", "#b58100"),
    "broken": ("#fde0dc", "#b3261e"),
    "possible": ("#fdf0d5", "#b26a00"),
    "safe": ("#eef3f8", "#5b7083"),
}


def _standing(node: Node) -> str:
    return "changed" if node.changed else node.impact.value


def mermaid(drawn: Picture) -> str:
    """A Mermaid flowchart, as Markdown hosts draw it in a fenced block."""
    ids = {node.name: f"n{number}" for number, node in enumerate(drawn.nodes)}
    lines = ["flowchart LR"]
    for node in drawn.nodes:
        start, end = ("[", "]") if node.provides else ("([", "])")
        lines.append(f'  {ids[node.name]}{start}"{_mermaid(node.name)}"{end}:::{_standing(node)}')
    marked: dict[str, list[str]] = defaultdict(list)
    for number, edge in enumerate(drawn.edges):
        arrow = "==>" if edge.impact is Impact.BROKEN else "-.->" if edge.impact is Impact.POSSIBLE else "-->"
        lines.append(f"  {ids[edge.service]} {arrow} {ids[edge.consumer]}")
        if edge.impact is not Impact.SAFE:
            marked[edge.impact.value].append(str(number))
    for name, numbers in sorted(marked.items()):
        lines.append(f"  linkStyle {','.join(numbers)} stroke:{_FILL[name][1]}")
    for name in sorted({_standing(node) for node in drawn.nodes}):
        fill, stroke = _FILL[name]
        lines.append(f"  classDef {name} fill:{fill},stroke:{stroke},color:#1b1b1b")
    return "\n".join([*lines, ""])


def _mermaid(text: str) -> str:
    """A quoted label: everything that is markup to Mermaid, or to the HTML it makes, as a character code."""
    return "".join(char if char.isalnum() or char in " -_./:" else f"#{ord(char)};" for char in _seen(text))


def dot(drawn: Picture) -> str:
    """A Graphviz graph in the DOT language."""
    lines = [
        "digraph guardian {",
        '  graph [rankdir=LR, ranksep=1.2, nodesep=0.2, fontname="Helvetica"];',
        '  node [shape=box, style="rounded,filled", fontname="Helvetica", fontsize=11, height=0.3];',
        '  edge [color="#9aa7b2", arrowsize=0.6];',
    ]
    for node in drawn.nodes:
        fill, stroke = _FILL[_standing(node)]
        shape = "" if node.provides else ", shape=ellipse"
        lines.append(f'  {_dot(node.name)} [fillcolor="{fill}", color="{stroke}"{shape}];')
    for edge in drawn.edges:
        marks = {Impact.BROKEN: "penwidth=2", Impact.POSSIBLE: "style=dashed"}
        style = f' [color="{_FILL[edge.impact.value][1]}", {marks[edge.impact]}]' if edge.impact in marks else ""
        lines.append(f"  {_dot(edge.service)} -> {_dot(edge.consumer)}{style};")
    return "\n".join([*lines, "}", ""])


def _dot(text: str) -> str:
    """A double-quoted ID; a backslash would begin an escape of labels."""
    return '"' + _seen(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def as_data(drawn: Picture) -> str:
    """The picture as JSON."""
    document = {
        "schema": 1,
        "nodes": [
            {
                "name": node.name,
                "kind": "service" if node.provides else "consumer",
                "owner": node.owner,
                "changed": node.changed,
                "impact": node.impact.value,
            }
            for node in drawn.nodes
        ],
        "edges": [
            {"consumer": edge.consumer, "service": edge.service, "via": edge.via, "impact": edge.impact.value}
            for edge in drawn.edges
        ],
    }
    return json.dumps(document, indent=2, ensure_ascii=False).translate(_ESCAPED) + "\n"


# What JSON lets stand in a string and a terminal would obey.
_ESCAPED = {code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), *range(0x200E, 0x2010), *range(0x2028, 0x202F))}


def _seen(text: str) -> str:
    """Text on one line, without characters that act instead of being seen."""
    return re.sub(r"[^\S ]", " ", "".join(char if char.isprintable() or char.isspace() else "?" for char in text))

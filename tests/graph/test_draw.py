"""The dependency picture in its forms."""

from __future__ import annotations

import json
import re

import pytest

from guardian.graph import draw
from guardian.graph.uses import Consumer, Use
from guardian.model import Edge, Impact, Location
from guardian.report import graph_page


def uses(*pairs: tuple[str, str]) -> list[Consumer]:
    found: dict[str, list[Use]] = {}
    for consumer, service in pairs:
        found.setdefault(consumer, []).append(Use(consumer, service, None, Location("m.yaml")))
    return [Consumer(name, tuple(each), owner=f"team-{name}") for name, each in found.items()]


CHAIN = draw.picture(
    {"users": "team-users", "lonely": None}, uses(("billing", "users"), ("report", "billing"), ("web", "users"))
)
MESH = draw.picture({}, uses(("b", "a"), ("c", "b"), ("a", "c"), ("d", "b"), ("d", "c")))


def tree(picture: draw.Picture, *roots: str) -> list[str]:
    return [
        line.branch + (line.node.name if line.node else "(" + " ".join(line.also) + ")")
        for line in draw.tree(picture, roots)
    ]


def test_nodes_are_services_and_consumers() -> None:
    """A name is one node; who is used, or configured, is a service."""
    assert [(node.name, node.provides, node.owner) for node in CHAIN.nodes] == [
        ("billing", True, "team-billing"),
        ("lonely", True, None),
        ("report", False, "team-report"),
        ("users", True, "team-users"),
        ("web", False, "team-web"),
    ]


def test_the_tree_begins_with_what_uses_nothing() -> None:
    """Consumers hang below what they use; what stands alone is there too."""
    assert tree(CHAIN) == ["lonely", "users", "├── billing", "│   └── report", "└── web"]


def test_the_tree_shows_each_subtree_once() -> None:
    """Cycles end, and a node is told about again by name alone."""
    assert tree(MESH, "a") == ["a", "└── b", "    ├── c", "    │   └── (a d)", "    └── d"]
    assert {line.node.name for line in draw.tree(MESH) if line.node} == {"a", "b", "c", "d"}


def test_a_long_chain_is_no_recursion() -> None:
    """Two thousand services in a row are drawn."""
    picture = draw.picture({}, uses(*((f"s{n + 1:05}", f"s{n:05}") for n in range(2_000))))
    assert len(tree(picture)) == 2_001


def test_focus_keeps_both_ways() -> None:
    """What a node uses and who uses it, but not what merely shares a neighbour."""
    picture = draw.picture({}, uses(("b", "a"), ("x", "a"), ("c", "b"), ("d", "c")))
    assert [node.name for node in draw.focused(picture, ["b"]).nodes] == ["a", "b", "c", "d"]
    assert [node.name for node in draw.focused(picture, ["b"], 1).nodes] == ["a", "b", "c"]
    assert [(edge.consumer, edge.service) for edge in draw.focused(picture, ["b"]).edges] == [
        ("b", "a"),
        ("c", "b"),
        ("d", "c"),
    ]


def test_changes_are_marked() -> None:
    """What changed and who breaks is in every form."""
    edges = [Edge("billing", "users", "manifest", Impact.BROKEN), Edge("web", "users", "har", Impact.POSSIBLE)]
    picture = draw.picture({}, (), edges, {"users"}, {"report": Impact.BROKEN})
    assert {node.name: node.impact.value for node in picture.nodes} == {
        "billing": "broken",
        "report": "broken",
        "users": "safe",
        "web": "possible",
    }
    mermaid = draw.mermaid(picture)
    assert 'n2["users"]:::changed' in mermaid
    assert "n2 ==> n0" in mermaid
    assert "n2 -.-> n3" in mermaid
    assert re.search(r'"users" -> "billing" \[color="#b3261e", penwidth=2\]', draw.dot(picture))
    data = json.loads(draw.as_data(picture))
    assert data["edges"][0] == {"consumer": "billing", "service": "users", "via": "manifest", "impact": "broken"}
    assert [each["name"] for each in data["nodes"] if each["changed"]] == ["users"]
    assert next(iter(draw.tree(picture))).node == picture.nodes[2]


HOSTILE = 'a"]:::x\n  evil --> b; </script><script>alert(1)</script> \x1b[31m %%{init}%% #quot; \\'


def test_hostile_names_stay_names() -> None:
    """A name cannot end its label, begin a statement, or move a cursor."""
    picture = draw.picture({HOSTILE: HOSTILE}, uses((HOSTILE + "2", HOSTILE)))
    mermaid = draw.mermaid(picture)
    assert len(mermaid.splitlines()) == 5
    assert all(re.fullmatch(r"[\w -./:#;]*", label) for label in re.findall(r'"([^"]*)"', mermaid))
    dot = draw.dot(picture)
    assert "\x1b" not in dot
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', "Q", dot).splitlines()[4:]
    assert [line.split(" [")[0].strip("; ") for line in bare] == ["Q", "Q", "Q -> Q", "}"]
    for text in (graph_page.svg(picture.edges, (), {}, [HOSTILE]), graph_page.page("x", picture.edges, (), {}, [])):
        assert "<script>alert" not in text
        assert "\x1b" not in text
    assert "\x1b" not in draw.as_data(picture)


@pytest.mark.parametrize("count", [0, 5, 500])
def test_every_node_is_drawn_once(count: int) -> None:
    """An SVG file stands alone, and has a place for each node."""
    picture = draw.picture({"s": None} if count else {}, uses(*((f"c{n}", "s") for n in range(count))))
    svg = graph_page.svg(picture.edges, {"s"} if count else (), {}, [node.name for node in picture.nodes])
    spots = re.findall(r'transform="translate\((\d+ \d+)\)"', svg)
    assert len(spots) == len(set(spots)) == len(picture.nodes)
    assert svg.startswith("<svg xmlns=")


def test_the_page_runs_its_own_script_alone() -> None:
    """The policy names what the page holds, and no slot is left."""
    page = graph_page.page("Who & whom", CHAIN.edges, {"users"}, {}, [])
    assert "default-src 'none'" in page
    assert "<!--{" not in page
    assert "/*{" not in page
    assert "Who &amp; whom" in page

"""The offline page: its source, and what a browser makes of it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path

import pytest

from guardian.model import Edge, Impact
from guardian.report import render
from guardian.report.picture import svg
from tests.chromium import document, in_chromium
from tests.report import samples

PAGE = render("html", samples.friday_rename())


def test_the_page_is_one_file_without_a_network() -> None:
    """Nothing in it is loaded from anywhere, and its policy forbids that anything could be."""
    assert not re.search(r'(?:src|href)="(?!#)|url\(|@import|https?:', PAGE.partition('id="report"')[0])
    assert "default-src 'none'" in PAGE


@pytest.mark.parametrize("element", ["style", "script"])
def test_the_policy_allows_our_style_and_script_by_hash(element: str) -> None:
    body = PAGE.partition(f"<{element}>")[2].partition(f"</{element}>")[0]
    digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
    assert f"{element}-src 'sha256-{digest}'" in PAGE


def test_text_that_looks_like_a_slot_stays_text() -> None:
    page = render("html", samples.friday_rename()._replace(version="<!--{findings}-->"))
    assert "&lt;!--{findings}--&gt;" in page
    assert page.count('<article class="finding') == PAGE.count('<article class="finding')


def test_findings_show_the_lines_of_both_sides() -> None:
    assert '<span class="hit"><b>39</b>        email:</span>' in PAGE
    assert '<span class="hit"><b>36</b>      properties:</span>' in PAGE
    assert '<span class="hit"><b>9</b>    reads: [id, email]</span>' in PAGE


def nodes(picture: str) -> dict[str, tuple[int, int]]:
    found = re.findall(r'data-name="([^"]*)".*?translate\((\d+) (\d+)\)', picture)
    return {name: (int(x), int(y)) for name, x, y in found}


def test_consumers_stand_right_of_what_they_use_by_hop() -> None:
    """What changed is left, its consumers are one column on, second hops two."""
    spots = nodes(svg(samples.friday_rename()))
    assert spots["users"][0] < spots["billing"][0] == spots["mobile"][0] < spots["analytics"][0]
    assert spots["users"][0] == spots["catalog"][0]


def test_broken_paths_are_drawn_last_and_marked() -> None:
    picture = svg(samples.friday_rename())
    kinds = re.findall(r'<path class="edge (\w+)"', picture)
    assert kinds == sorted(kinds, key=["safe", "possible", "broken"].index)
    assert kinds.count("broken") == 5
    assert picture.rindex("<path") < picture.index('<g class="node')


@pytest.mark.parametrize("count", [1, 5, 40, 200, 600])
def test_no_two_nodes_overlap_at_any_size(count: int) -> None:
    """Every node is drawn once, inside the picture, on a place of its own."""
    edges = tuple(Edge(f"c{n}", f"s{n % 30}" if n % 3 else f"c{n // 2}", "manifest", Impact.SAFE) for n in range(count))
    report = samples.friday_rename()._replace(edges=edges)
    picture = svg(report)
    spots = nodes(picture)
    assert set(spots) == {name for edge in edges for name in (edge.consumer, edge.service)} | {"users", "orders"}
    assert len(set(spots.values())) == len(spots)
    for (x, y), (other_x, other_y) in zip(sorted(spots.values()), sorted(spots.values())[1:], strict=False):
        assert other_x - x >= 150 or (x == other_x and other_y - y >= 26)
    size = re.search(r'viewBox="0 0 (\d+) (\d+)"', picture)
    assert size
    assert all(x + 150 <= int(size[1]) and y + 26 <= int(size[2]) for x, y in spots.values())


def test_circles_and_lone_services_can_be_drawn() -> None:
    edges = (Edge("a", "b", "x"), Edge("b", "a", "x"), Edge("c", "c", "x"))
    assert set(nodes(svg(samples.clean()._replace(edges=edges)))) == {"a", "b", "c"}
    assert svg(samples.clean()._replace(edges=())) == ""


# What a visitor does, run in the page; what it found goes into an attribute of the document.
VISIT = """
<script>
const visible = () => Array.from(document.querySelectorAll(".finding")).filter((f) => !f.hidden).map((f) => f.id);
const node = (name) => document.querySelector('.node[data-name="' + name + '"]');
const click = (element) => element.dispatchEvent(new MouseEvent("click", {bubbles: true}));
const found = {start: visible()};
click(node("billing")); found.billing = visible(); found.near = document.querySelectorAll(".edge.near").length;
click(node("billing")); found.again = visible();
click(node("analytics")); found.analytics = visible();
click(document.getElementById("chosen")); found.chip = visible();
const search = document.getElementById("search");
search.value = "X-tenant"; search.dispatchEvent(new Event("input")); found.search = visible();
search.value = "no such text"; search.dispatchEvent(new Event("input"));
found.none = [visible().length, document.getElementById("none").hidden];
search.value = ""; search.dispatchEvent(new Event("input"));
const box = document.querySelector('.switch input[value="breaking"]');
box.checked = false; box.dispatchEvent(new Event("change")); found.quiet = visible();
box.checked = true; box.dispatchEvent(new Event("change"));
const root = document.documentElement;
found.overflow = root.scrollWidth - root.clientWidth;
found.closed = document.querySelectorAll("details:not([open])").length;
window.dispatchEvent(new Event("beforeprint"));
found.printed = document.querySelectorAll("details:not([open])").length;
window.dispatchEvent(new Event("afterprint"));
found.after = document.querySelectorAll("details:not([open])").length;
root.dataset.found = JSON.stringify(found);
</script>
"""


def visit(page: str, folder: Path, size: tuple[int, int]) -> dict[str, object]:
    """What a visitor finds; the policy steps aside for the visitor's script alone."""
    opened = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page).replace("</body>", VISIT + "</body>")
    match = re.search(r'data-found="([^"]*)"', document(opened, folder, size))
    assert match
    found = json.loads(match[1].replace("&quot;", '"').replace("&amp;", "&"))
    assert isinstance(found, dict)
    return found


@in_chromium
@pytest.mark.browser
@pytest.mark.parametrize("size", [(390, 844), (1440, 900)])
def test_a_click_in_the_picture_filters_the_findings(tmp_path: Path, size: tuple[int, int]) -> None:
    """Nodes, text and kinds each narrow the list; nothing sticks out at the side; printing opens what is folded."""
    found = visit(PAGE, tmp_path, size)
    everything = ["change-1", "change-2", "change-3", "change-4", "change-5", "change-6"]
    assert found["start"] == found["again"] == found["chip"] == everything  # the harmless one starts hidden
    assert found["billing"] == ["change-1", "change-2", "change-3"]
    assert found["near"] == 3
    assert found["analytics"] == ["change-1"]
    assert found["search"] == ["change-2"]
    assert found["none"] == [0, False]
    assert found["quiet"] == everything[2:]
    assert found["overflow"] == 0
    assert found["closed"] == found["after"] != 0
    assert found["printed"] == 0


@in_chromium
@pytest.mark.browser
def test_the_policy_lets_the_page_work_and_nothing_else(tmp_path: Path) -> None:
    """Under its own policy the page's script runs (the harmless finding is hidden), and a foreign one does not."""
    foreign = "<script>document.documentElement.dataset.foreign = 'ran'</script>"
    shown = document(PAGE.replace("</body>", foreign + "</body>"), tmp_path)
    assert re.search(r'<article class="finding info"[^>]* hidden=""', shown)
    assert "data-foreign" not in shown


@in_chromium
@pytest.mark.browser
@pytest.mark.parametrize("size", [(390, 844), (1440, 900)])
def test_hostile_text_neither_runs_nor_breaks_the_page(tmp_path: Path, size: tuple[int, int]) -> None:
    """No alert, no image, and no line so long that the page scrolls sideways."""
    probe = "<script>{const r = document.documentElement; r.dataset.over = r.scrollWidth - r.clientWidth}</script>"
    page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", render("html", samples.hostile()))
    shown = document(page.replace("</body>", probe + "</body>"), tmp_path, size)
    assert 'data-over="0"' in shown
    assert "<img" not in shown

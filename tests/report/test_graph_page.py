"""The picture as a page, in a browser."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest

from guardian.model import Edge, Impact
from guardian.report import graph_page
from tests.chromium import document, in_chromium

EDGES = [
    Edge("billing", "users", "manifest", Impact.BROKEN),
    Edge("report", "billing", "manifest"),
    Edge("web", "users", "har"),
    Edge("web", "orders", "har"),
]
PAGE = graph_page.page("Who depends on whom", EDGES, {"users"}, {"billing": Impact.BROKEN}, ["users", "lonely"])
VISIT = """<script>
const byName = (name) => nodes.find((node) => node.dataset.name === name);
const marked = (kind) => nodes.filter((node) => node.classList.contains(kind)).map((node) => node.dataset.name);
const found = {all: nodes.map((node) => node.dataset.name)};
byName("users").dispatchEvent(new MouseEvent("click", {bubbles: true}));
found.near = marked("near"); found.far = marked("far"); found.said = said.textContent;
found.edges = document.querySelectorAll(".edge.near").length;
byName("users").dispatchEvent(new MouseEvent("click", {bubbles: true}));
found.cleared = graph.classList.contains("chosen");
search.value = "BILL"; search.dispatchEvent(new Event("input")); found.search = marked("near");
search.value = "nothing"; search.dispatchEvent(new Event("input")); found.none = said.textContent;
document.documentElement.dataset.found = JSON.stringify(found);
</script>
"""


@in_chromium
@pytest.mark.browser
def test_a_chosen_node_shows_its_neighbours(tmp_path: Path) -> None:
    """Who uses it is near, whoever lives on those is far, a second click clears, and names can be looked for."""
    opened = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", PAGE).replace("</body>", VISIT + "</body>")
    match = re.search(r'data-found="([^"]*)"', document(opened, tmp_path))
    assert match
    found = json.loads(html.unescape(match[1]))
    assert sorted(found["all"]) == ["billing", "lonely", "orders", "report", "users", "web"]
    assert sorted(found["near"]) == ["billing", "users", "web"]
    assert found["far"] == ["report"]
    assert found["edges"] == 2
    assert found["said"] == "users: 2 use it, 3 with theirs; it uses 0, 0 with theirs."
    assert found["cleared"] is False
    assert sorted(found["search"]) == ["billing", "report", "users"]
    assert found["none"] == "Nothing has this name."


@in_chromium
@pytest.mark.browser
def test_the_policy_lets_the_page_work_and_nothing_else(tmp_path: Path) -> None:
    """Under its own policy the page is styled, and a foreign script does not run."""
    foreign = "<script>document.documentElement.dataset.foreign = 'ran'</script>"
    probe = PAGE.replace("</body>", foreign + "</body>")
    assert "data-foreign" not in document(probe, tmp_path)

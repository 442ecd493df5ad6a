"""The dependency picture by itself: as an SVG file, and as an offline page in which a node can be looked for."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Collection, Iterable, Mapping
from importlib.resources import files

from guardian.model import Edge, Impact
from guardian.report.escape import html as safe
from guardian.report.picture import draw

_EMPTY = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'
_SLOT = re.compile(r"<!--\{(\w+)\}-->")


def svg(edges: Iterable[Edge], changed: Collection[str], worst: Mapping[str, Impact], names: Iterable[str]) -> str:
    """The picture as a file of its own, light and dark; see ``picture.draw``."""
    return (draw(edges, changed, worst, names, style=_style()) or _EMPTY) + "\n"


def page(
    title: str, edges: Iterable[Edge], changed: Collection[str], worst: Mapping[str, Impact], names: Iterable[str]
) -> str:
    """The picture as an HTML page: no network, and no script or style but its own, by their hashes."""
    template = files("guardian.report").joinpath("graph.html").read_text(encoding="utf-8")
    template = template.replace("/*{picture}*/", _style())
    slots = {
        "policy": _policy(template),
        "title": safe(title),
        "graph": draw(edges, changed, worst, names) or "<p>Nothing to draw.</p>",
        "legend": _legend(bool(changed)),
    }
    return _SLOT.sub(lambda match: slots[match[1]], template)


def _legend(compared: bool) -> str:
    kinds = (("changed", "changed"), ("broken", "broken"), ("possible", "possibly broken"), ("safe", "safe"))
    return "".join(f'<span class="key {name}">{words}</span> ' for name, words in kinds) if compared else ""


def _style() -> str:
    return files("guardian.report").joinpath("graph.css").read_text(encoding="utf-8").strip()


def _policy(template: str) -> str:
    """Content security policy (level 3) of the page."""

    def digest(element: str) -> str:
        body = template.partition(f"<{element}>")[2].partition(f"</{element}>")[0]
        return base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()

    return (
        f"default-src 'none'; style-src 'sha256-{digest('style')}'; script-src 'sha256-{digest('script')}'; "
        "base-uri 'none'; form-action 'none'"
    )

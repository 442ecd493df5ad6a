"""``guardian graph``: who depends on whom, drawn."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from guardian.cli.app import new_app
from guardian.cli.output import plain, remark, wants_color, write_stdout
from guardian.cli.progress import Progress
from guardian.cli.questions import asked
from guardian.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from guardian.cli.settings import Run
    from guardian.graph.draw import Line, Picture

app = new_app()

_STYLES = {"changed": "blue", "broken": "red", "possible": "yellow"}


class GraphFormat(StrEnum):
    """The forms a picture comes in."""

    TREE = "tree"
    MERMAID = "mermaid"
    DOT = "dot"
    SVG = "svg"
    HTML = "html"
    JSON = "json"


@app.command()
def graph(
    format: Annotated[GraphFormat, typer.Option(help="The form of the picture.")] = GraphFormat.TREE,
    focus: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only what this service or consumer uses, and who uses it. Repeatable."),
    ] = None,
    depth: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="With --focus: so many steps away at most.")
    ] = None,
    base: Annotated[
        str | None,
        typer.Option(metavar="X", help="Compare with this first, and mark what changed and who breaks; as in `check`."),
    ] = None,
    head: Annotated[
        str | None,
        typer.Option(metavar="X", help="A file, a directory, a revision, or REV:path. Default: the work tree."),
    ] = None,
    config: Annotated[str | None, typer.Option(metavar="FILE", help="Default: guardian.yaml here or above.")] = None,
    service: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Only this service. Repeatable.")] = None,
    consumers: Annotated[
        list[str] | None, typer.Option(metavar="PATH|GLOB", help="Manifests, pacts, traces and the like. Repeatable.")
    ] = None,
    allow_remote_refs: Annotated[
        list[str] | None, typer.Option(metavar="HOST", help="A host that a $ref may be fetched from. Repeatable.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no remarks beside the picture.")] = False,
    color: Annotated[bool | None, typer.Option("--color/--no-color", help="Default: colour for terminals.")] = None,
) -> None:
    """Draw who depends on whom: a tree, Mermaid, DOT, SVG, HTML or JSON.

    A service stands before those who use it. With --base what changed and whom that breaks is marked; findings never
    fail it.
    """
    from guardian.graph import draw

    if depth is not None and not focus:
        raise UsageError("--depth goes with --focus")
    run = asked(
        base=base, head=head, config=config, service=service, consumers=consumers,
        allow_remote_refs=allow_remote_refs, quiet=quiet, color=color,
    )  # fmt: skip
    with Progress(quiet=run.quiet) as progress:
        drawn = _compared(run, progress) if base is not None else _as_it_is(run, progress)
    if focus:
        names = [_named(each, drawn) for each in focus]
        drawn = draw.focused(drawn, names, depth)
    if not drawn.nodes:
        remark("note", "there is nothing to draw", "name consumers by --consumers, or in guardian.yaml")
    if format is GraphFormat.MERMAID and len(drawn.edges) > draw.MERMAID_EDGES and not run.quiet:
        text = f"Mermaid draws {draw.MERMAID_EDGES} edges unless it is told otherwise, and these are {len(drawn.edges)}"
        remark("warning", text, "--focus NAME draws a part; svg and html draw everything")
    write_stdout(_written(drawn, format, focus or (), color=wants_color(run.color)))


def _as_it_is(run: Run, progress: Progress) -> Picture:
    from guardian.check.state import open_state
    from guardian.graph import draw

    progress("reading services and consumers")
    state = open_state(run.request)
    services = {each.name: each.owner for each in state.selection.chosen}
    _remark(run, [(note.level, note.message, note.file) for note in state.declared.notes])
    consumers = list(state.declared.everybody)
    drawn = draw.picture({each.name: each.owner for each in state.selection.services}, consumers)
    return _chosen(drawn, set(services), bool(run.request.services))


def _compared(run: Run, progress: Progress) -> Picture:
    from guardian import check
    from guardian.graph import draw
    from guardian.model import Impact, Severity

    report = check.run(run.request, progress)
    _remark(run, [(note.level, note.message, note.file) for note in report.notes])
    changed = {change.service for change in report.changes if change.severity.rank >= Severity.WARNING.rank}
    impacts: dict[str, Impact] = {}
    for change in report.changes:
        for each in change.consumers if change.exception is None else ():
            impacts[each.consumer] = max(
                impacts.get(each.consumer, Impact.SAFE), each.impact, key=lambda impact: impact.rank
            )
    services = {name: service.owner for name, service in run.request.config.services.items()}
    drawn = draw.picture(services, (), report.edges, changed, impacts)
    return _chosen(drawn, set(run.request.services), bool(run.request.services))


def _chosen(drawn: Picture, services: set[str], narrowed: bool) -> Picture:
    from guardian.graph import draw

    return draw.focused(drawn, sorted(services & {node.name for node in drawn.nodes})) if narrowed else drawn


def _named(name: str, drawn: Picture) -> str:
    """The node that a user means.

    Raises:
        UsageError: there is none.
    """
    import difflib

    names = [node.name for node in drawn.nodes]
    if name in names:
        return name
    close = difflib.get_close_matches(name, names, n=3)
    hint = f"did you mean {' or '.join(close)}?" if close else "`guardian graph` draws all of them"
    raise UsageError(f"--focus {name}: there is no such service or consumer", hint=hint)


def _written(drawn: Picture, format: GraphFormat, roots: Sequence[str], *, color: bool) -> str:
    from guardian.graph import draw

    if format is GraphFormat.TREE:
        return "".join(_line(each, color=color) + "\n" for each in draw.tree(drawn, roots))
    if format is GraphFormat.MERMAID:
        return draw.mermaid(drawn)
    if format is GraphFormat.DOT:
        return draw.dot(drawn)
    if format is GraphFormat.JSON:
        return draw.as_data(drawn)
    from guardian.report import graph_page

    changed = {node.name for node in drawn.nodes if node.changed}
    worst = {node.name: node.impact for node in drawn.nodes}
    names = [node.name for node in drawn.nodes]
    if format is GraphFormat.SVG:
        return graph_page.svg(drawn.edges, changed, worst, names)
    return graph_page.page("Who depends on whom", drawn.edges, changed, worst, names)


def _line(line: Line, *, color: bool) -> str:
    """A line of the tree; what marks a node is said in words too, for those who see no colour."""
    if line.node is None:
        return f"{line.branch}{_some(line.also)} (shown elsewhere)"
    marks = ["changed"] if line.node.changed else []
    if line.impact.value in _STYLES:
        marks.append(line.impact.value)
    elif line.node.impact.value in _STYLES:
        marks.append(f"{line.node.impact.value} elsewhere")
    owner = f"  {plain(line.node.owner)}" if line.node.owner else ""
    said = f"  {', '.join(marks)}" if marks else ""
    name = plain(line.node.name)
    if color:
        from rich.color import ColorSystem
        from rich.style import Style

        style = next((_STYLES[mark] for mark in (line.impact.value, *marks) if mark in _STYLES), "bold")
        name = Style.parse(style).render(name, color_system=ColorSystem.STANDARD)
        said = Style.parse(style).render(said, color_system=ColorSystem.STANDARD) if said else ""
        owner = Style.parse("dim").render(owner, color_system=ColorSystem.STANDARD) if owner else ""
    return f"{line.branch}{name}{owner}{said}"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - 12} more" if len(names) > 12 else ""
    return ", ".join(plain(each) for each in names[:12]) + more


def _remark(run: Run, notes: Sequence[tuple[str, str, str | None]]) -> None:
    for level, message, file in () if run.quiet else notes:
        remark(level, f"{file}: {message}" if file else message)

"""The desk for people: with rich in a terminal, as text elsewhere. Only what the agent sees is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from guardian.report.escape import terminal

_WIDTH = 110


def write(observation: Mapping[str, Any]) -> str:
    """The desk as lines of text."""
    lines = [f"{terminal(observation['title'])} | step {observation['step']} of {observation['max_steps']}"]
    for ticket in observation["tasks"]:
        left = "" if ticket["sla_left"] is None else f"sla {ticket['sla_left']:>3}"
        notes = ", ".join(note for note in _notes(ticket) if note)
        lines.append(
            f"  {ticket['id']:<3} {ticket['status']:<11} {left:<8} {terminal(ticket['title'])} {notes}".rstrip()
        )
    for message in observation["inbox"][-3:]:
        lines.append(f"  mail {terminal(message['from'])}: {terminal(message['text'])}")
    if observation["screen"] is not None:
        lines.append(f"  screen {observation['screen']['task']}: {terminal(str(observation['screen']['record']))}")
    if observation["answer"] is not None and observation["answer"]["errors"]:
        lines.append(f"  refused: {terminal('; '.join(observation['answer']['errors']))}")
    if observation["referee"]:
        lines.append(f"  referee: {terminal(observation['referee'])}")
    if observation["feedback"]:
        lines.append(f"  {terminal(observation['feedback'])} ({observation['reward']:+.2f})")
    return "\n".join(lines)


def _notes(ticket: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        f"[{terminal(ticket['blocked'])}]" if ticket["blocked"] else "",
        f"approval {ticket['approval']}" if ticket["approval"] != "not needed" else "",
        "late" if ticket["late"] else "",
        "urgent" if ticket["urgent"] else "",
    )


def draw(observation: Mapping[str, Any]) -> None:
    """Draw the desk on the terminal."""
    from rich.console import Console, Group
    from rich.panel import Panel
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for column in ("task", "status", "sla", "owner", "what", ""):
        table.add_column(column)
    for ticket in observation["tasks"]:
        colour = {"done": "green", "blocked": "yellow", "in_progress": "cyan"}.get(ticket["status"], "white")
        left = ticket["sla_left"]
        table.add_row(
            Text(ticket["id"]),
            Text(ticket["status"], style=colour),
            Text("" if left is None else str(left), style="red" if left is not None and left <= 3 else ""),
            Text(terminal(ticket["owner"])),
            Text(terminal(ticket["title"])),
            Text(", ".join(note for note in _notes(ticket) if note)),
        )
    below = [Text(line.strip()) for line in write(observation).split("\n")[1 + len(observation["tasks"]) :]]
    title = Text(f"{terminal(observation['title'])}, step {observation['step']} of {observation['max_steps']}")
    Console().print(Panel(Group(table, *below), title=title, width=_WIDTH))

"""Lines of styled text, wrapped by hand: file names stay whole, and a pipe gets the same words as a terminal.

A page is plain data; only a coloured rendering needs rich, and imports it then.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field

#: Text and its rich style ("" for none).
Segment = tuple[str, str]


def cells(text: str) -> int:
    """How many terminal cells the text takes (UAX 11: wide characters take two, combining ones none)."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def pad(text: str, width: int) -> str:
    """The text followed by spaces up to ``width`` cells."""
    return text + " " * max(0, width - cells(text))


def wrap(text: str, width: int) -> list[str]:
    """The words of the text in lines of at most ``width`` cells; a longer word has a line of its own."""
    text = text.lstrip(" ")
    if cells(text) <= width:
        return [text]  # as most are that have a line
    measure = len if text.isascii() else cells
    lines: list[str] = []
    line, taken = "", 0
    for word in text.split(" "):
        needed = measure(word)
        if not line:
            line, taken = word, needed
        elif taken + 1 + needed > width:
            lines.append(line)
            line, taken = word, needed
        else:
            line, taken = f"{line} {word}", taken + 1 + needed
    return [*lines, line]


@dataclass(slots=True)
class Page:
    """Lines in the making."""

    width: int
    lines: list[list[Segment]] = field(default_factory=list)
    _exact: set[int] = field(default_factory=set)

    def line(self, *segments: Segment) -> None:
        """One line as given, without blanks at its end."""
        self.lines.append(list(segments))

    def exact(self, *segments: Segment) -> None:
        """One line as given, with the blanks at its end: of a diff, they are text of the file."""
        self._exact.add(len(self.lines))
        self.line(*segments)

    def gap(self) -> None:
        """An empty line, unless there is one already."""
        if self.lines and self.lines[-1]:
            self.lines.append([])

    def text(self, text: str, *, indent: int = 0, style: str = "", lead: Segment = ("", "")) -> None:
        """A paragraph after ``lead``, its further lines below its first."""
        label, label_style = lead
        start = indent + cells(label)
        for number, part in enumerate(wrap(text, max(20, self.width - start))):
            if number == 0 and label:
                self.line((" " * indent, ""), (label, label_style), (part, style))
            else:
                self.line((" " * start, ""), (part, style))

    def render(self, *, color: bool) -> str:
        """All lines, each ended by a newline; without colour nothing but text."""
        if not color:
            return self._joined("".join(text for text, _ in line) for line in self.lines)

        from rich.color import ColorSystem
        from rich.style import Style

        def shown(text: str, style: str) -> str:
            if not style or not text:
                return text
            return Style.parse(style).render(text, color_system=ColorSystem.STANDARD)

        return self._joined("".join(shown(*segment) for segment in line) for line in self.lines)

    def _joined(self, lines: Iterable[str]) -> str:
        return "".join(f"{line if number in self._exact else line.rstrip()}\n" for number, line in enumerate(lines))

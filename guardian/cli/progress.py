"""What is going on, for whoever waits: one line on the terminal."""

from __future__ import annotations

import os
import shutil
import sys
from types import TracebackType

from guardian.cli.output import is_terminal, plain
from guardian.report.layout import cells


class Progress:
    """The step in hand on standard error, in the place of the one before; at the end nothing is left of it.

    Use it as a context manager and call it with what is being done. It is silent where standard error is no terminal, and
    when ``quiet``. No thread turns a wheel beside it, since a process with threads cannot be forked (``guardian.spread``).
    """

    def __init__(self, *, quiet: bool) -> None:
        self._enabled = not quiet and is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb"
        self._cells = 0  # that the line takes

    def __call__(self, step: str) -> None:
        if self._enabled:
            self._show(plain(f"{step} ..."))

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._enabled:
            self._show("")

    def _show(self, line: str) -> None:
        room = shutil.get_terminal_size().columns - 1  # a line that is full goes on in the next one
        while cells(line) > room:
            line = line[:-1]
        try:
            sys.stderr.write(f"\r{' ' * self._cells}\r{line}")
            sys.stderr.flush()
        except OSError:  # the terminal is gone
            self._enabled = False
        self._cells = cells(line)

"""What is going on, for whoever waits: a line on the terminal, once waiting takes longer than a second."""

from __future__ import annotations

import sys
import threading
from types import TracebackType
from typing import TYPE_CHECKING

from guardian.cli.output import plain

if TYPE_CHECKING:
    from rich.status import Status

DELAY_S = 1.0


class Progress:
    """A spinner on standard error with the step in hand. Silent where that is no terminal, and when ``quiet``.

    Use it as a context manager and call it with what is being done.
    """

    def __init__(self, *, quiet: bool) -> None:
        self._lock = threading.Lock()
        self._step = ""
        self._status: Status | None = None
        self._timer = threading.Timer(DELAY_S, self._show)
        self._timer.daemon = True
        self._enabled = not quiet and sys.stderr.isatty()

    def __call__(self, step: str) -> None:
        with self._lock:
            self._step = plain(step)
            if self._status is not None:
                self._status.update(self._line())

    def __enter__(self) -> Progress:
        if self._enabled:
            self._timer.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._timer.cancel()
        with self._lock:
            self._enabled = False
            if self._status is not None:
                self._status.stop()

    def _show(self) -> None:
        from rich.console import Console

        with self._lock:
            if self._enabled:  # the work may have ended while rich was being imported
                self._status = Console(stderr=True).status(self._line())
                self._status.start()

    def _line(self) -> str:
        from rich.markup import escape

        return escape(self._step)

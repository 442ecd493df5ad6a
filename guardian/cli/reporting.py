"""Running a check and handing its report out, as ``check`` and ``changelog`` both do."""

from __future__ import annotations

import gc
import sys

from guardian.cli.output import report_width, wants_color, write_file, write_stdout
from guardian.cli.progress import Progress
from guardian.cli.settings import Run
from guardian.config import ReportFormat
from guardian.model import Report

# Python's own limit of 1,000 calls ends a comparison some ninety alternatives deep; the stack has room for far more than this.
_DEEPEST = 5_000

# What the last check has read: the process ends soon (``main.main``) and need not take it apart first.
_read: list[object] = []


def checked(run: Run) -> Report:
    """Run the check, with progress for whoever waits at a terminal."""
    from guardian import check

    # A check is one short run over data that lives to its end: looking through a large specification's million values
    # for garbage again and again would be a quarter of the time.
    gc.disable()
    sys.setrecursionlimit(_DEEPEST)
    with Progress(quiet=run.quiet) as progress:
        return check.run(run.request, progress, _keep)._replace(again=run.again)


def _keep(read: object) -> None:
    _read[:] = [read]


def write_reports(run: Run, report: Report) -> None:
    """Write the report to standard output and to every file asked for.

    Raises:
        UsageError: a file cannot be written.
    """
    from guardian.report import render

    # Files first: where standard output is cut short they are there all the same.
    for name, path in run.reports:
        write_file(path, render(name, report, verbose=run.verbose))
    color = run.format is ReportFormat.TERMINAL and wants_color(run.color)
    write_stdout(render(run.format, report, color=color, width=report_width(), verbose=run.verbose))

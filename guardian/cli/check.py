"""``guardian check``: the gate."""

from __future__ import annotations

from pathlib import Path

import typer

from guardian.cli.app import new_app
from guardian.cli.flags import CheckFlags, takes_check_flags
from guardian.cli.reporting import checked, write_reports
from guardian.cli.settings import resolve
from guardian.model import Verdict

app = new_app()


@app.command()
@takes_check_flags
def check(flags: CheckFlags) -> None:
    """Compare two versions of your APIs and fail if somebody breaks.

    Exit codes: 0 nothing at or above --fail-on; 1 findings at or above it; 2 wrong usage or configuration;
    3 a specification, manifest or revision could not be read; 4 a fault in guardian.
    """
    run = resolve(flags, Path.cwd())
    run = run._replace(request=run.request._replace(all_lines=run.lists_all))
    report = checked(run)
    write_reports(run, report)
    raise typer.Exit(1 if report.verdict is Verdict.FAIL and not run.advisory else 0)

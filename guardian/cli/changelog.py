"""``guardian changelog``: every change, for people."""

from __future__ import annotations

from pathlib import Path

from guardian.cli.app import new_app
from guardian.cli.flags import CheckFlags, takes_check_flags
from guardian.cli.reporting import checked, write_reports
from guardian.cli.settings import resolve

app = new_app()


@app.command()
@takes_check_flags
def changelog(flags: CheckFlags) -> None:
    """List every change between two versions, harmless ones included.

    The flags and reports are those of `guardian check`; findings never fail it.
    """
    # What a text report leaves out unless it is asked to say more is just what a changelog is for.
    run = resolve(flags, Path.cwd())._replace(verbose=True)
    write_reports(run, checked(run))

"""``guardian fix``: the verified fixes of a check, listed, shown and written."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from guardian.cli.app import new_app
from guardian.cli.flags import CheckFlags, takes_check_flags
from guardian.cli.output import is_file, remark, report_width, wants_color, write_stdout
from guardian.cli.reporting import checked, write_reports
from guardian.cli.settings import Run, resolve
from guardian.config import ReportFormat
from guardian.errors import UsageError
from guardian.model import Fix, Patch, Report, Strategy
from guardian.report.escape import tabbed
from guardian.report.escape import terminal as safe
from guardian.report.layout import Page
from guardian.report.words import fix_name, patch_place

app = new_app()

_DIFF_STYLE = {"+": "green", "-": "red", "@": "cyan", "d": "bold", "i": "dim"}
_PROSE = 600  # characters of a sentence with names from outside in it
_THERE = "make this change there; the owner of a manifest does it in its own repository, and runs `guardian publish`"
_EXACT = "--apply writes it exactly; the diff in --format json, or written into a file (`> fix.diff`), is exact too"
_AGAIN = "`guardian fix` with the flags of the check lists what there is now"


@app.command()
@takes_check_flags
def fix(
    flags: CheckFlags,
    strategy: Annotated[Strategy | None, typer.Option(help="Only fixes of this strategy.")] = None,
    change: Annotated[
        list[str] | None, typer.Option(metavar="FINGERPRINT", help="Only fixes of this finding. Repeatable.")
    ] = None,
    id: Annotated[
        str | None,
        typer.Option(
            "--id",
            metavar="ID",
            help="The fix of this id, such as F1; or F1-97e95265bf31, as reports name it, if that is still the one.",
        ),
    ] = None,
    apply: Annotated[bool, typer.Option("--apply", help="Write the best of them to its files.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what --apply would write.")] = False,
) -> None:
    """List the verified fixes of a check, show them as diffs, or write one.

    The flags are those of `guardian check`. A fix is written to the files of --head, which has to be the work tree or files
    in it; a file that has changed since it was checked is not touched.

    A file in another repository is not written: its diff is shown, to be made there.

    Exit codes: 0 there is a fix, or nothing to mend; 1 something breaks and no fix was found, or none of the one to be written
    is here; 2, 3 and 4 as for `guardian check`.
    """
    run = resolve(flags, Path.cwd())
    run = run._replace(request=run.request._replace(fixes=True))
    report = checked(run)
    fixes = select(report, strategy, tuple(change or ()), id)
    if run.reports or run.format is not ReportFormat.TERMINAL:
        write_reports(run, report._replace(fixes=tuple(fixes)))
    if not fixes:
        _say_why(report, narrowed=bool(strategy or change or id))
        raise typer.Exit(1 if _broken(report) else 0)
    if apply and not dry_run:
        if not _write(fixes[0], run, report):
            raise typer.Exit(1)
        return
    if run.format is ReportFormat.TERMINAL:
        shown = fixes[:1] if dry_run else fixes
        diffs = dry_run or run.verbose
        color = wants_color(run.color)
        page = listing(shown, width=report_width(), diffs=diffs, exact=_goes_into_a_file(color))
        write_stdout(page.render(color=color))
        if diffs:
            _say_what_is_escaped([patch for each in shown for patch in each.patches], color)


def select(report: Report, strategy: Strategy | None, changes: Sequence[str], id: str | None) -> list[Fix]:
    """The fixes that were asked for, the one to take first in front.

    For findings that are named it is the fix that mends them and the least besides; else the one that mends most.

    Raises:
        UsageError: there is no such finding or fix, or the fix of this id is not the one that the rest describes.
    """
    known = {each.fingerprint for each in report.changes}
    for fingerprint in changes:
        if fingerprint not in known:
            raise UsageError(f"--change {fingerprint}: this check has no such finding", hint=_AGAIN)
    if id is not None:
        return [_named(report, strategy, changes, id)]
    found = [
        each
        for each in report.fixes
        if (strategy is None or each.strategy is strategy) and set(changes) <= set(each.changes)
    ]
    return sorted(found, key=lambda each: len(each.changes) if changes else -len(each.changes))


def _named(report: Report, strategy: Strategy | None, changes: Sequence[str], id: str) -> Fix:
    """The fix of an id. Ids count the fixes of one check: what is said besides tells whether it is that check still."""
    found = next((each for each in report.fixes if id in (each.id, fix_name(each))), None)
    if found is None:
        there = f"its fixes are {', '.join(each.id for each in report.fixes[:20])}" if report.fixes else "it has none"
        if (number := id.partition("-")[0]) in (each.id for each in report.fixes):
            there = f"{number} is another fix by now, since something has changed"
        raise UsageError(f"--id {id}: this check has no such fix", hint=f"{there}; {_AGAIN}")
    for fingerprint in changes:
        if fingerprint not in found.changes:
            raise UsageError(f"--id {id} --change {fingerprint}: {id} does not mend that finding", hint=_AGAIN)
    if strategy not in (None, found.strategy):
        raise UsageError(f"--id {id} --strategy {strategy}: {id} is a {found.strategy.value}", hint=_AGAIN)
    return found


def listing(fixes: Sequence[Fix], *, width: int, diffs: bool, exact: bool = False) -> Page:
    """The fixes for people: what is done, what was tried, how it is rolled out, and (``diffs``) what is written.

    Args:
        fixes: those to list.
        width: the columns to write for.
        diffs: whether to show the diffs.
        exact: whether to leave them as they are, for a file that git is to read.
    """
    page = Page(max(60, width))
    for each in fixes:
        page.gap()
        page.text(safe(each.rationale, _PROSE), lead=(f"{each.id} {each.strategy.value}  ", "bold"))
        for line in each.verification.lines:
            page.text(safe(line, _PROSE), indent=2, lead=("ok ", "green"))
        for number, step in enumerate(each.rollout, 1):
            page.text(safe(step, _PROSE), indent=2, lead=(f"{number}. ", "dim"))
        for patch in each.patches:
            if diffs:
                _diff(page, patch.diff, exact=exact)
            else:
                page.text(safe(patch_place(patch)), indent=2, lead=("file ", "dim"))
    return page


def _diff(page: Page, diff: str, *, exact: bool) -> None:
    page.gap()
    for row in diff.removesuffix("\n").split("\n"):
        page.exact((row if exact else _harmless(row), _DIFF_STYLE.get(row[:1], "")))


def _harmless(row: str) -> str:
    """A row of a diff, with its tabs and a carriage return at its end, but nothing that a terminal or runner would obey."""
    end = "\r" if row.endswith("\r") else ""
    return tabbed(safe, row.removesuffix("\r")) + end


def _goes_into_a_file(color: bool) -> bool:
    return is_file(sys.stdout) and not color


def _say_what_is_escaped(patches: Sequence[Patch], color: bool) -> None:
    """Where a diff holds what is not shown as it is, git does not take what is shown."""
    if _goes_into_a_file(color):
        return
    for patch in patches:
        rows = sum(_harmless(row) != row for row in patch.diff.split("\n"))
        if rows:
            which = "a line is" if rows == 1 else f"{rows} lines are"
            message = f"{patch.file}: {which} shown with escapes for characters that act instead of being seen"
            remark("warning", f"{message}, so git does not take this diff", _EXACT)


def _write(chosen: Fix, run: Run, report: Report) -> bool:
    """Write what of a fix is here, and show the rest; whether anything was written."""
    from guardian.fixes.apply import apply_fix
    from guardian.fixes.places import afterwards

    head = run.request.head
    if head is not None and not (run.request.cwd / head).exists():
        raise UsageError(
            f"--apply writes to the work tree, and --head {head} is a revision",
            hint="check it out, or show the diff with --dry-run",
        )
    written = apply_fix(chosen, run.request.cwd)
    for path in written:
        remark("info", f"{chosen.id} {chosen.strategy.value}: wrote {_shown(path, run.request.cwd)}")
    for sentence in afterwards(written, run.request.cwd):
        remark("warning", f"{chosen.id} {chosen.strategy.value}: {sentence}")
    there = [patch for patch in chosen.patches if patch.elsewhere is not None]
    for patch in there:
        remark("warning", f"{chosen.id} {chosen.strategy.value}: {patch.file} is not written: it is elsewhere", _THERE)
        page = Page(report_width())
        color = wants_color(run.color)
        _diff(page, patch.diff, exact=_goes_into_a_file(color))
        write_stdout(page.render(color=color))
        _say_what_is_escaped([patch], color)
    left = [each for each in _broken(report) if each not in chosen.changes]
    if left:
        remark("info", f"{len(left)} breaking changes are left: {', '.join(left[:5])}")
    return bool(written)


def _shown(path: Path, cwd: Path) -> str:
    return path.relative_to(cwd.resolve()).as_posix() if path.is_relative_to(cwd.resolve()) else str(path)


def _broken(report: Report) -> list[str]:
    from guardian.model import Severity

    return [
        each.fingerprint for each in report.changes if each.counts_as is Severity.BREAKING and each.exception is None
    ]


def _say_why(report: Report, *, narrowed: bool) -> None:
    if not _broken(report):
        remark("info", "nothing counts as breaking, so there is nothing to mend")
    elif narrowed and report.fixes:
        remark("warning", "no fix passes for what was asked for", "`guardian fix` lists those that do")
    else:
        remark("warning", "no fix was found that mends it and keeps what the change is for")

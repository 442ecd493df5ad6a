"""The flags of ``guardian check``, said once for every command that takes them.

A flag that is not given is ``None`` (or empty), so that guardian.yaml can say it instead; ``settings`` lays the two
over each other.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from datetime import date
from typing import Annotated, Any, NamedTuple, get_type_hints

import typer

from guardian.config import FailOn, ReportFormat
from guardian.errors import UsageError
from guardian.model import Mode

_NONE: list[str] = []  # of a flag that may be repeated and is not there


class CheckFlags(NamedTuple):
    """What was asked for on the command line."""

    base: Annotated[
        str | None,
        typer.Option(
            metavar="X",
            help="What is released: a file, a directory, a git revision, or REV:path/to/spec.yaml. "
            "Default: the merge base with the default branch, or the CI's base variable.",
        ),
    ] = None
    head: Annotated[
        str | None, typer.Option(metavar="X", help="What would be merged: the same forms. Default: the work tree.")
    ] = None
    config: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Default: guardian.yaml here or in a folder above, within the repository."),
    ] = None
    service: Annotated[
        list[str], typer.Option(metavar="NAME", help="Only this service; with two files, its name. Repeatable.")
    ] = _NONE
    consumers: Annotated[
        list[str],
        typer.Option(metavar="PATH|GLOB", help="Consumer manifests, pact files or directories of either. Repeatable."),
    ] = _NONE
    consumer: Annotated[
        list[str], typer.Option(metavar="NAME", help="Only what touches this consumer. Repeatable.")
    ] = _NONE
    mode: Annotated[
        Mode | None, typer.Option(help="Whose judgement counts: the contract's, the consumers' or both. Default: both.")
    ] = None
    fail_on: Annotated[
        FailOn | None, typer.Option(help="From which severity on a finding fails the run. Default: breaking.")
    ] = None
    advisory: Annotated[
        bool | None, typer.Option("--advisory/--no-advisory", help="Report everything, fail nothing.")
    ] = None
    format: Annotated[ReportFormat | None, typer.Option(help="The report on standard output. Default: terminal.")] = (
        None
    )
    report: Annotated[
        list[str], typer.Option(metavar="FORMAT=FILE", help="A further report of the same run. Repeatable.")
    ] = _NONE
    exceptions: Annotated[str | None, typer.Option(metavar="FILE", help="The file of accepted findings.")] = None
    as_of: Annotated[
        str | None,
        typer.Option(metavar="YYYY-MM-DD", help="The day that windows and expiries are judged on. Default: today."),
    ] = None
    fixes: Annotated[bool | None, typer.Option("--fixes/--no-fixes", help="Propose verified fixes. Default: yes.")] = (
        None
    )
    model: Annotated[
        str | None,
        typer.Option(metavar="URL|DIR", help="A model server, or a trained adapter, that proposes further fixes."),
    ] = None
    allow_remote_refs: Annotated[
        list[str], typer.Option(metavar="HOST", help="A host that a $ref may be fetched from. Repeatable.")
    ] = _NONE
    jobs: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Processes at most. Default: one for each processor.")
    ] = None
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no remarks beside the report.")] = False
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Say more in text reports; show where a fault is.")
    ] = False
    color: Annotated[bool | None, typer.Option("--color/--no-color", help="Default: colour for terminals.")] = None


def takes_check_flags(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command that takes ``flags: CheckFlags`` first be called with every flag by name, as typer does it."""
    hints = get_type_hints(CheckFlags, include_extras=True)
    defaults = CheckFlags._field_defaults
    flags = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=defaults[name], annotation=hints[name])
        for name in CheckFlags._fields
    ]
    own = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
        for parameter in list(inspect.signature(command, eval_str=True).parameters.values())[1:]
    ]

    def called(**values: Any) -> None:
        given = CheckFlags(**{name: values.pop(name) for name in CheckFlags._fields})
        command(given, **values)

    called.__doc__ = command.__doc__
    called.__name__ = command.__name__
    called.__signature__ = inspect.Signature(flags + own)  # type: ignore[attr-defined]
    return called


def parse_day(text: str, flag: str = "--as-of") -> date:
    """The day that a flag names.

    Raises:
        UsageError: it is not written YYYY-MM-DD, or there is no such day.
    """
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None or day.isoformat() != text:
        raise UsageError(f"{flag} is a day written YYYY-MM-DD, not {text!r}")
    return day


def parse_reports(values: list[str]) -> list[tuple[ReportFormat, str]]:
    """The formats and files that ``--report`` names.

    Raises:
        UsageError: a value is not FORMAT=FILE, or no report has that format.
    """
    reports: list[tuple[ReportFormat, str]] = []
    for value in values:
        name, _, file = value.partition("=")
        if name not in list(ReportFormat) or not file:
            raise UsageError(
                f"--report is FORMAT=FILE, not {value!r}", hint=f"the formats are {', '.join(ReportFormat)}"
            )
        reports.append((ReportFormat(name), file))
    return reports

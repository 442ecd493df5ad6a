"""``guardian usage``: who reads and sends what, what nobody needs, and where declarations and the world differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from guardian.cli.app import new_app
from guardian.cli.output import remark, report_width, wants_color, write_stdout
from guardian.cli.progress import Progress
from guardian.cli.questions import asked
from guardian.errors import UsageError

if TYPE_CHECKING:
    from guardian.check.places import Places
    from guardian.check.state import State
    from guardian.cli.settings import Run
    from guardian.graph.usage import Fact

app = new_app()


class AnswerFormat(StrEnum):
    """The forms an answer comes in."""

    TERMINAL = "terminal"
    JSON = "json"
    MARKDOWN = "markdown"


@app.command()
def usage(
    field: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FIELD",
            help="Who uses this field: `GET /users/{id}#email`, `users:GET /users/{id}#email`, or `email` anywhere. "
            "What is sent: `body.name`, `query:page`. Repeatable.",
        ),
    ] = None,
    operation: Annotated[
        list[str] | None,
        typer.Option(metavar="OPERATION", help="Who uses this operation: `GET /users/{id}`. Repeatable."),
    ] = None,
    unused: Annotated[bool, typer.Option("--unused", help="Operations, fields and enum values nobody uses.")] = False,
    deprecated: Annotated[
        bool, typer.Option("--deprecated", help="What is deprecated, who still uses it, and the days left.")
    ] = False,
    not_called: Annotated[
        int | None,
        typer.Option(metavar="DAYS", min=1, help="Uses that are declared and were not called for so many days."),
    ] = None,
    drift: Annotated[
        bool,
        typer.Option("--drift", help="What manifests claim and no specification has, or traffic shows undeclared."),
    ] = False,
    fail_on_drift: Annotated[
        bool, typer.Option("--fail-on-drift", help="With --drift: exit 1 if there is any.")
    ] = False,
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
    as_of: Annotated[
        str | None, typer.Option(metavar="YYYY-MM-DD", help="The day that days are counted from. Default: today.")
    ] = None,
    format: Annotated[AnswerFormat, typer.Option(help="The form of the answer.")] = AnswerFormat.TERMINAL,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no remarks beside the answer.")] = False,
    color: Annotated[bool | None, typer.Option("--color/--no-color", help="Default: colour for terminals.")] = None,
) -> None:
    """Say who reads and sends what, what nobody uses, and where declarations drift.

    Without a question it says how much of each service is in use, and by whom. Exit codes: 0 answered, whatever the answer; 1 there is drift, with --fail-on-drift; 2 wrong usage or
    configuration, such as a field that does not exist; 3 something could not be read.
    """
    if fail_on_drift and not drift:
        raise UsageError("--fail-on-drift goes with --drift")
    run = asked(
        head=head, config=config, service=service, consumers=consumers, allow_remote_refs=allow_remote_refs,
        as_of=as_of, quiet=quiet, color=color,
    )  # fmt: skip
    asking = {"unused": unused, "deprecated": deprecated, "not-called": not_called is not None, "drift": drift}
    questions = [*(field or ()), *(operation or ()), *(name for name, wanted in asking.items() if wanted)]
    with Progress(quiet=run.quiet) as progress:
        from guardian.check.state import open_state

        progress("reading services and consumers")
        state = open_state(run.request)
        progress("looking who uses what")
        with state.apis.explaining():
            facts, drifted = _answers(
                state, run, field or (), operation or (), unused, deprecated, not_called, drift, overview=not questions
            )
        facts = _with_lines(facts, state.places)
    _write(facts, questions, state, run, format)
    raise typer.Exit(1 if drifted and fail_on_drift else 0)


def _answers(
    state: State,
    run: Run,
    fields: Sequence[str],
    operations: Sequence[str],
    unused: bool,
    deprecated: bool,
    not_called: int | None,
    drift: bool,
    *,
    overview: bool,
) -> tuple[list[Fact], bool]:
    """The answers, and whether there is any drift."""
    from guardian.graph import drift as drifting
    from guardian.graph import unused as idle
    from guardian.graph import usage as using

    company = state.company()
    wanted = [each for text in fields for each in using.targets(text, company)]
    wanted += [each for text in operations for each in using.targets(text, company, whole=True)]
    facts = using.used_by(list(dict.fromkeys(wanted)), company) if wanted else []
    if overview:
        facts += using.overview(company)
    if unused:
        facts += idle.unused(company)
    if deprecated:
        facts += idle.deprecated(company, run.request.as_of)
    if not_called is not None:
        facts += drifting.not_called(company, not_called, run.request.as_of)
    drifted = drifting.drift(company) if drift else []
    return [*facts, *drifted], bool(drifted)


def _with_lines(facts: list[Fact], places: Places) -> list[Fact]:
    places.prepare(fact.place for fact in facts)
    places.prepare(user.origin for fact in facts for user in fact.users)
    return [
        replace(
            fact,
            place=places.resolve(fact.place),
            users=tuple(replace(user, origin=places.resolve(user.origin)) for user in fact.users),
        )
        for fact in facts
    ]


def _write(facts: Sequence[Fact], questions: Sequence[str], state: State, run: Run, format: AnswerFormat) -> None:
    from guardian.cli import answers
    from guardian.graph.strangers import unknown_services

    known = {service.name for service in state.selection.services} | run.request.config.services.keys()
    notes = [*state.selection.notes, *state.declared.notes, *unknown_services(state.declared.everybody, known)]
    if format is AnswerFormat.JSON:
        write_stdout(answers.data(questions, facts, notes))
    elif format is AnswerFormat.MARKDOWN:
        write_stdout(answers.markdown(facts))
    else:
        write_stdout(answers.text(facts, width=report_width(), color=wants_color(run.color)))
    if not run.quiet:
        for note in notes if format is not AnswerFormat.JSON else ():
            remark(note.level, f"{note.file}: {note.message}" if note.file else note.message)
        if not state.declared.any:
            remark(
                "note", "no consumers are declared", "name them by --consumers, or under `consumers` of guardian.yaml"
            )

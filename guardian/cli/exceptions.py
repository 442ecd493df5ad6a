"""``guardian exceptions``: findings that are accepted in writing, added, looked over and taken out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from guardian.cli.app import new_app
from guardian.cli.flags import CheckFlags, parse_day, takes_check_flags
from guardian.cli.output import remark, write_file, write_stdout
from guardian.cli.reporting import checked
from guardian.cli.settings import exceptions_file, resolve
from guardian.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from guardian.check.exceptions import Review
    from guardian.cli.settings import Run
    from guardian.config.accepted import ExceptionEntry
    from guardian.model import Change

app = new_app(help="Add, list and prune accepted findings.", no_args_is_help=True)

# What an entry says, and the flag that says it.
_REQUIRED = {"reason": "--reason TEXT", "owner": "--owner TEAM", "expires": "--expires YYYY-MM-DD"}


@app.command()
@takes_check_flags
def add(
    flags: CheckFlags,
    change: Annotated[
        str | None, typer.Option(metavar="FINGERPRINT", help="Accept this very finding of a check with these flags.")
    ] = None,
    rule: Annotated[
        str | None, typer.Option(metavar="RULE", help="Or accept what a rule finds in the service of --service.")
    ] = None,
    operation: Annotated[str | None, typer.Option(metavar="OPERATION", help="In this operation alone.")] = None,
    field: Annotated[str | None, typer.Option(metavar="FIELD", help="Of this field alone.")] = None,
    reason: Annotated[str | None, typer.Option(metavar="TEXT", help="Why it is accepted. Needed.")] = None,
    owner: Annotated[str | None, typer.Option(metavar="TEAM", help="Who accepts it. Needed.")] = None,
    expires: Annotated[
        str | None, typer.Option(metavar="YYYY-MM-DD", help="The last day that it is accepted. Needed.")
    ] = None,
    approved_by: Annotated[
        list[str] | None, typer.Option(metavar="TEAM", help="An owner of a consumer that it breaks. Repeatable.")
    ] = None,
) -> None:
    """Accept a finding: write an entry into the exceptions file.

    The finding is named by its fingerprint, or by a rule and a service, narrowed by an operation and a field. An entry
    for the same is renewed.
    """
    run = resolve(flags, Path.cwd())
    said = {"reason": reason, "owner": owner, "expires": expires}
    missing = [flag for name, flag in _REQUIRED.items() if not (said[name] or "").strip()]
    if missing:
        missing = [*(["--change FINGERPRINT"] if change is None and rule is None else []), *missing]
        hint = "the fingerprint is in every report (or --rule RULE --service NAME); a promise has a reason, an owner and an end"
        raise UsageError(f"an exception needs {' and '.join(missing)}", hint=hint)
    last_day = parse_day(expires or "", "--expires")
    if last_day < run.request.as_of:
        raise UsageError(f"--expires {last_day} is over already")
    found = _finding(run, change) if change is not None else None
    entry = _place(found) if found is not None else _chosen(rule, flags.service, operation, field)
    entry |= {"reason": reason, "owner": owner}
    entry |= {"approved_by": approved_by} if approved_by else {}
    entry["expires"] = last_day.isoformat()
    _write(run, flags, entry, found)


@app.command(name="list")
@takes_check_flags
def list_(flags: CheckFlags) -> None:
    """List the accepted findings: what each matches now, how long it holds, who still has to approve it."""
    reviews = _reviewed(resolve(flags, Path.cwd()), flags)
    write_stdout("\n".join([*(line for each in reviews for line in _shown(each)), _summary(reviews), ""]))


@app.command()
@takes_check_flags
def prune(
    flags: CheckFlags,
    expired: Annotated[bool, typer.Option("--expired", help="Entries whose last day is over as well.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would go; write nothing.")] = False,
) -> None:
    """Take out the entries that match no finding any more; the rest of the file stays as it is."""
    from guardian.check.exceptionfile import without_entries

    run = resolve(flags, Path.cwd())
    file = exceptions_file(flags, run.request)
    reviews = _reviewed(run, flags)
    going = [each for each in reviews if each.stale or (expired and each.expired)]
    for each in going:
        what = "would take out" if dry_run else "took out"
        remark(what, _headline(each), f"{each.state}; {each.entry.reason}")
    if going and not dry_run:
        name = _name(file)
        data = without_entries(file.read_bytes(), name, {each.index for each in going})
        write_file(file, data.decode("utf-8", "surrogateescape"))
    if reviews and not going:
        remark("note", "nothing to take out: every entry matches a finding")


# --- what is accepted ---------------------------------------------------------------------------------------------


def _finding(run: Run, fingerprint: str) -> Change:
    """The finding of a fresh check that has this fingerprint, or begins with it.

    Raises:
        UsageError: there is none, or more than one.
    """
    run = run._replace(request=run.request._replace(exceptions=None, fixes=False, excerpts=False))
    changes = checked(run).changes
    found = [each for each in changes if fingerprint and each.fingerprint.startswith(fingerprint.lower())]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"--change {fingerprint}: {len(found)} findings begin so", hint="give all 12 digits")
    known = [f"{each.fingerprint}  {each.rule}  {each.message}" for each in changes if each.counts_as.rank >= 2]
    hint = "there are\n" + "\n".join(known[:10]) if known else "this check finds nothing that would need to be accepted"
    raise UsageError(f"--change {fingerprint}: there is no such finding", hint=hint)


def _place(found: Change) -> dict[str, object]:
    place = {"rule": found.rule, "service": found.service, "operation": found.operation, "field": found.field}
    return {**{key: value for key, value in place.items() if value}, "fingerprint": found.fingerprint}


def _chosen(rule: str | None, services: Sequence[str], operation: str | None, field: str | None) -> dict[str, object]:
    from guardian.rules.registry import find_rule

    if rule is None or len(services) != 1:
        raise UsageError(
            "say what to accept: --change FINGERPRINT, or --rule RULE --service NAME",
            hint="the fingerprint is in every report",
        )
    place = {"rule": find_rule(rule).id, "service": services[0], "operation": operation, "field": field}
    return {key: value for key, value in place.items() if value}


def _write(run: Run, flags: CheckFlags, entry: dict[str, object], found: Change | None) -> None:
    from guardian.check.configfile import read_exceptions
    from guardian.check.exceptionfile import with_entry
    from guardian.check.exceptions import missing_signatures

    file = exceptions_file(flags, run.request)
    name = _name(file)
    data = file.read_bytes() if file.is_file() else None
    entries = read_exceptions(data, name) if data is not None else ()
    same = [index for index, each in enumerate(entries) if _names_same(each, entry)]
    written = with_entry(data, name, entry, same[0] if same else None)
    added = read_exceptions(written, name)[same[0] if same else -1]
    write_file(file, written.decode("utf-8", "surrogateescape"))
    line = f":{added.location.line}" if added.location.line else ""
    remark("renewed" if same else "wrote", f"{name}{line}: accepted until {added.expires}")
    if data is None and flags.exceptions is None and run.request.config_file is None:  # else it has been said
        remark("note", f"without a guardian.yaml a check reads it by --exceptions {name}")
    unsigned = sorted(missing_signatures(added, found)) if found is not None else []
    if unsigned:
        remark("warning", f"{', '.join(unsigned)} must approve it", "add them to approved_by once they do")


def _names_same(entry: ExceptionEntry, other: dict[str, object]) -> bool:
    keys = ("rule", "service", "operation", "field", "fingerprint")
    return all(getattr(entry, key) == other.get(key) for key in keys)


# --- what is there ------------------------------------------------------------------------------------------------


def _reviewed(run: Run, flags: CheckFlags) -> list[Review]:
    """The entries of the exceptions file, held against a check; none where the file is not there yet.

    Raises:
        UsageError: the file is named by a flag, and is not there.
    """
    from guardian.check.configfile import read_exceptions
    from guardian.check.exceptions import review

    file = exceptions_file(flags, run.request)
    name = _name(file)
    if not file.is_file():
        if flags.exceptions is not None:
            raise UsageError("there is no such file, so nothing is accepted", file=name)
        remark("note", f"there is no {name}, so nothing is accepted", "`guardian exceptions add` writes it")
        return []
    entries = read_exceptions(file.read_bytes(), name)
    # All services and consumers: what a narrower check does not see would look stale.
    request = run.request._replace(services=(), only_consumers=(), exceptions=None, fixes=False, excerpts=False)
    report = checked(run._replace(request=request))
    return review(entries, report.changes, run.request.as_of, report.names)


def _shown(each: Review) -> list[str]:
    from guardian.cli.output import plain

    entry = each.entry
    approved = f"; approved by {', '.join(entry.approved_by)}" if entry.approved_by else ""
    lines = [_headline(each), f"  {each.state}", f"  {entry.reason} ({entry.owner}{approved})"]
    return [plain(line) for line in lines]


def _headline(each: Review) -> str:
    from guardian.check.exceptions import described

    place = each.entry.location
    mark = f" {each.entry.fingerprint}" if each.entry.fingerprint else ""
    return f"{place.file}:{place.line}: {described(each.entry)}{mark}"


def _summary(reviews: Sequence[Review]) -> str:
    stale, expired = sum(each.stale for each in reviews), sum(each.expired for each in reviews)
    unsigned = sum(bool(each.unsigned) for each in reviews)
    return f"{len(reviews)} accepted, {stale} stale, {expired} expired, {unsigned} unsigned"


def _name(file: Path) -> str:
    import os

    return os.path.relpath(file).replace(os.sep, "/")

"""From what the rules found to what counts: lifecycle, consumers, mode, exceptions, versions, in this order.

A severity is made in layers, each of which knows more than the one before: the table of effect and direction; the rule's
own word; ``severity`` of guardian.yaml (``alias@direction``, ``alias``, ``rule@direction``, ``rule``, the first that is
there); a stability level or a window that is over, which take a place out of the verdict; mode and consumers; an
exception. What is no contract's change but a team's policy (expired exceptions, sunset dates, versions, declarations)
counts as it is graded, whatever the mode.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from guardian.check.compare import Apis, Compared, options_of
from guardian.check.configfile import read_exceptions
from guardian.check.declared import Declared
from guardian.check.exceptions import Called, accept, matches, missing_signatures, taken_for_another
from guardian.check.lifecycle import Ageing
from guardian.check.policy import is_policy
from guardian.check.service import Selection
from guardian.check.versions import unbumped
from guardian.config import CheckRequest
from guardian.errors import ConfigError
from guardian.model import Change, Impact, Note, Severity
from guardian.rules.identity import fingerprint, number_twins, order

if TYPE_CHECKING:
    from datetime import date

    from guardian.config.accepted import ExceptionEntry


def judge(
    compared: Compared, selection: Selection, declared: Declared, apis: Apis, request: CheckRequest
) -> tuple[list[Change], list[Note]]:
    """All changes with whom they hit and what they count as, in the order of reports; and what is to be noted besides.

    Raises:
        ConfigError: the exceptions file cannot be read, or says something that it cannot say.
        ReadError: a specification that a consumer's use leads to cannot be read.
    """
    ageing = Ageing(apis, request.config.lifecycle, request.as_of)
    found = ageing.announced(compared.changes)
    changes, notes = _traced(found, ageing.is_over, selection, declared, apis, request, compared.services)
    changes = _graded(ageing.settled(changes, request.mode), request)
    changes = number_twins(sorted(changes, key=order))
    names = selection.called
    passed_over = {service.name for service in selection.services} - {service.name for service in selection.chosen}
    entries = _entries(request, passed_over, names)
    open_changes, _ = accept(changes, entries, request.as_of, names)
    contract = [change for change in open_changes if not is_policy(change)]
    versions = _graded(unbumped(contract, (service.name for service in selection.chosen), apis), request)
    changes, findings = accept([*changes, *versions], entries, request.as_of, names, passed_over)
    notes += taken_for_another(changes, entries, names)
    more = _graded(findings, request)
    if versions or more:
        changes = number_twins(sorted([*changes, *more], key=order))
    return changes, [*notes, *_unpromised(changes, entries, names, request)]


def _traced(
    found: Sequence[Change],
    may_go: Callable[[Change], bool],
    selection: Selection,
    declared: Declared,
    apis: Apis,
    request: CheckRequest,
    looked_into: Collection[str],
) -> tuple[list[Change], list[Note]]:
    """The changes with whom they hit, and what is left of their severity after that."""
    from guardian.graph.settle import settle

    public = {service.name for service in selection.services if service.public}

    def lowered(change: Change) -> bool:
        return _chosen(change, request) is not None or may_go(change)

    if not declared.any:
        return settle(found, request.mode, (), public, lowered), []
    from guardian.check.crossings import answered_anew, told_of_somebody
    from guardian.check.recorded import confirmed
    from guardian.graph.blast import blast
    from guardian.graph.strangers import unknown_operations, unknown_services

    crossing = answered_anew(declared.base, apis, looked_into, options_of(request))
    traced = blast((*found, *(each for each, _ in crossing)), apis.routes(), declared.base, declared.head)
    declared.edges = traced.edges
    evident, stale = confirmed(traced.changes, apis.routes(), declared.everybody, declared.files)
    evident = told_of_somebody(evident, crossing)
    suspects = {service.name for service in selection.chosen} & (declared.moved() | set(looked_into))
    strangers = [
        each._replace(fingerprint=fingerprint(each, each.service))
        for each in unknown_operations(apis.routes(), declared.head, suspects)
    ]
    known = {service.name for service in selection.services} | request.config.services.keys()
    changes = settle((*evident, *strangers), request.mode, declared.everybody, public, lowered)
    return changes, [*traced.notes, *stale, *unknown_services(declared.everybody, known)]


def _unpromised(
    changes: Iterable[Change], entries: Sequence[ExceptionEntry], names: Called, request: CheckRequest
) -> Iterator[Note]:
    """Who breaks by changes of what promises nothing: in no verdict, so it is said beside it.

    Of what the report has, for the consumers that it is for; what an exception accepts is known to those it breaks.
    """
    open_changes = [
        change for change in changes if not change.promised and not _is_accepted(change, entries, names, request.as_of)
    ]
    if open_changes and request.only_consumers:
        from guardian.graph.settle import only

        open_changes = only(open_changes, request.only_consumers)
    extension = request.config.lifecycle.stability_extension
    found: dict[str, set[str]] = defaultdict(set)
    for change in open_changes:
        for each in change.consumers:
            if each.impact is Impact.BROKEN:
                found[each.consumer].add(f"{change.service} {change.operation}".strip())
    for name, places in sorted(found.items()):
        first, *more = sorted(places)
        others = f" and {len(more)} more" if more else ""
        yield Note(
            "warning",
            f"{name} breaks by a change of {first}{others}, which promises nothing (`{extension}`): that is in no verdict",
        )


def _is_accepted(change: Change, entries: Iterable[ExceptionEntry], names: Called, as_of: date) -> bool:
    """Whether an exception accepts this, though it counts for nothing."""
    return any(
        entry.expires >= as_of and matches(entry, change, names) and not missing_signatures(entry, change)
        for entry in entries
    )


def _chosen(change: Change, request: CheckRequest) -> Severity | None:
    return request.config.severity_of(change.rule, change.direction, change.aliases.get("oasdiff"))


def _graded(changes: Iterable[Change], request: CheckRequest) -> list[Change]:
    """The changes without those of rules that are off; policy with the severity that guardian.yaml gives it."""
    graded = []
    for change in changes:
        if is_policy(change):
            severity = _chosen(change, request) or change.severity
            change = change._replace(severity=severity, counts_as=severity)
        if change.severity is not Severity.OFF:
            graded.append(change)
    return graded


def _entries(request: CheckRequest, passed_over: set[str], names: Called) -> tuple[ExceptionEntry, ...]:
    """The exceptions file, as far as it speaks of services that are looked at."""
    if request.exceptions is None:
        return ()
    file = request.cwd / request.exceptions
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", file=request.exceptions) from error
    return tuple(
        each
        for each in read_exceptions(data, request.exceptions)
        if not passed_over.issuperset(names.get(each.service, (each.service,)))
    )

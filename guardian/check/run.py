"""The one use case: who breaks, can you prove it, and what change would not break them?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from guardian import __version__
from guardian.check.compare import Apis, compare_all
from guardian.check.configfile import read_config, read_exceptions
from guardian.check.declared import Declared, declared_consumers
from guardian.check.exceptions import accept
from guardian.check.places import Places, excerpts, with_lines
from guardian.check.services import Service, open_sides, select
from guardian.config import CheckRequest, FailOn
from guardian.errors import ConfigError
from guardian.model import Change, Impact, Note, Report, Severity, Summary, Verdict
from guardian.rules.compare import Options, number_twins, order

Progress = Callable[[str], None]


def run(request: CheckRequest, progress: Progress | None = None) -> Report:
    """Load both sides, compare, trace consumers, propose verified fixes, report.

    Args:
        request: what to check; see ``CheckRequest``.
        progress: is told, in a few words, what is being done.

    Raises:
        UsageError, ConfigError: what was asked for cannot be done.
        ReadError: a specification, manifest or revision cannot be read.
    """
    tell = progress or (lambda step: None)
    tell("reading both sides")
    sides = open_sides(request)
    services = select(sides, request, read_config)
    apis = Apis(services, sides, request)
    compared = compare_all(services, apis, request, tell, _options(request))

    tell("tracing consumers")
    declared = declared_consumers(sides, services, apis, request)
    changes, notes = _traced(compared.changes, declared, services, apis, request)
    changes, findings = _accepted(changes, request)
    changes = number_twins(sorted([*changes, *findings], key=order))
    if request.only_consumers:
        changes = _touching(changes, request.only_consumers)

    tell("finding lines")
    base, head = Places(apis.base_source), Places(declared.reading(apis.head_source))
    changes = with_lines(changes, base, head)
    quoted = [change for change in changes if change.counts_as.rank >= Severity.WARNING.rank]
    return Report(
        version=__version__,
        verdict=verdict(changes, request.fail_on),
        summary=summary(changes, services, declared),
        changes=tuple(changes),
        notes=(*_news(services), *compared.notes, *declared.notes, *notes),
        edges=declared.edges,
        mode=request.mode,
        excerpts=excerpts(quoted, base, head) if request.excerpts else {},
    )


def _options(request: CheckRequest) -> Options:
    return Options(severity=request.config.severity, stability=request.config.lifecycle.stability_extension)


def _traced(
    found: Sequence[Change], declared: Declared, services: Sequence[Service], apis: Apis, request: CheckRequest
) -> tuple[list[Change], list[Note]]:
    """The changes with whom they hit, and what is left of their severity after that."""
    from guardian.graph.settle import settle

    public = {service.name for service in services if service.public}

    def graded(change: Change) -> bool:
        return request.config.severity_of(change.rule, change.direction) is not None

    if not declared.any:
        return settle(found, request.mode, (), public, graded), []
    from guardian.graph.blast import blast
    from guardian.graph.strangers import unknown_operations, unknown_services

    traced = blast(found, apis.routes(), declared.base, declared.head)
    declared.edges = traced.edges
    strangers = unknown_operations(apis.routes(), declared.head)
    known = {service.name for service in services} | request.config.services.keys()
    changes = settle((*traced.changes, *strangers), request.mode, declared.everybody, public, graded)
    return changes, [*traced.notes, *unknown_services(declared.everybody, known)]


def _accepted(changes: list[Change], request: CheckRequest) -> tuple[list[Change], list[Change]]:
    """What the exceptions file accepts, and what is wrong in it."""
    if request.exceptions is None:
        return changes, []
    file = request.cwd / request.exceptions
    try:
        data = file.read_bytes()
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror}", file=request.exceptions) from error
    accepted, findings = accept(changes, read_exceptions(data, request.exceptions), request.as_of)
    return accepted, [_graded(finding, request) for finding in findings]


def _graded(finding: Change, request: CheckRequest) -> Change:
    chosen = request.config.severity_of(finding.rule, finding.direction)
    return finding if chosen is None else replace(finding, severity=chosen, counts_as=chosen)


def _touching(changes: Iterable[Change], names: Sequence[str]) -> list[Change]:
    from guardian.graph.settle import only

    return only(changes, names)


def _news(services: Sequence[Service]) -> list[Note]:
    """New services are named; removed ones are, beside what they break."""
    notes = [
        Note("info", f"{service.name} is a new service, so nothing of it can break", service.head_path)
        for service in services
        if service.base_path is None
    ]
    notes += [
        Note("warning", f"{service.name} is gone: its specification was deleted", service.base_path)
        for service in services
        if service.head_path is None
    ]
    return notes


def verdict(changes: Iterable[Change], fail_on: FailOn) -> Verdict:
    """Fail at or above ``fail_on``, warn at anything a reader should look at, else pass."""
    worst = max((change.counts_as for change in changes), key=lambda each: each.rank, default=Severity.INFO)
    if fail_on is not FailOn.NONE and worst.rank >= Severity(fail_on.value).rank:
        return Verdict.FAIL
    return Verdict.WARN if worst.rank >= Severity.WARNING.rank else Verdict.PASS


def summary(changes: Sequence[Change], services: Sequence[Service], declared: Declared) -> Summary:
    """The counts that every report begins with."""
    open_changes = [change for change in changes if change.exception is None]
    broken = {each.consumer for change in open_changes for each in change.consumers if each.impact is Impact.BROKEN}
    return Summary(
        specs=len(services),
        changes=len(changes),
        breaking=sum(change.counts_as is Severity.BREAKING for change in open_changes),
        warnings=sum(change.counts_as is Severity.WARNING for change in open_changes),
        accepted=len(changes) - len(open_changes),
        unread=sum(change.severity is Severity.BREAKING and not change.consumers for change in open_changes),
        consumers=len(declared.everybody),
        consumers_broken=tuple(sorted(broken)),
        reads=sum(len(use.reads or ()) for consumer in declared.everybody for use in consumer.uses),
    )

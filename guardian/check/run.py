"""The one use case: who breaks, can you prove it, and what change would not break them?"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from guardian import __version__
from guardian.check.before import standing_in
from guardian.check.compare import Apis, compare_all, options_of
from guardian.check.configfile import read_config
from guardian.check.declared import Declared, declared_consumers
from guardian.check.fixes import proposed, situation_of
from guardian.check.judging import judge
from guardian.check.places import Places, excerpts, with_lines
from guardian.check.service import Service
from guardian.check.services import survey
from guardian.check.setting import said_of
from guardian.check.sides import Sides, open_sides, shadowed, told, with_itself
from guardian.config import CheckRequest, FailOn
from guardian.errors import UsageError
from guardian.model import Change, Fix, Impact, Note, Only, Report, Severity, Summary, Verdict

if TYPE_CHECKING:
    from guardian.fixes.bench import Situation

Progress = Callable[[str], None]


def run(
    request: CheckRequest, progress: Progress | None = None, keep: Callable[[object], None] | None = None
) -> Report:
    """Load both sides, compare, trace consumers, propose verified fixes, report.

    Args:
        request: what to check; see ``CheckRequest``.
        progress: is told, in a few words, what is being done.
        keep: is given what holds all that is read, for a process that ends with this check: taking a large
            specification apart would be a hundredth of its time.

    Raises:
        UsageError, ConfigError: what was asked for cannot be done.
        ReadError: a specification, manifest or revision cannot be read.
    """
    tell = progress or (lambda step: None)
    tell("reading both sides")
    sides = open_sides(request)
    request, deleted = standing_in(sides, request, read_config)
    selection = survey(sides, request, read_config)
    apis = Apis(selection.services, sides, request)
    if keep is not None:
        keep(apis)
    compared = compare_all(selection.chosen, apis, request, tell, options_of(request))

    tell("tracing consumers")
    with apis.explaining():
        declared = declared_consumers(sides, selection, apis, request, compared.services)
        changes, notes = judge(compared, selection, declared, apis, request)
    untouched = 0
    if request.only_consumers:
        kept = _touching(changes, request, declared)
        changes, untouched = kept, len(changes) - len(kept)

    def situation() -> Situation:
        return situation_of(declared, selection, apis, request, options_of(request))

    fixes: tuple[Fix, ...] = ()
    if request.fixes:
        tell("trying fixes")
        with apis.explaining():
            fixes, left_out = proposed(changes, situation, request.jobs)
        notes = [*notes, *left_out]

    base = Places(apis.base_source, apis.base_documents.text)
    head = Places(declared.reading(apis.head_source), apis.head_documents.text)
    if request.model is not None:
        from guardian.check.advice import Code, advised

        tell("asking the model")
        code = Code(declared, selection, apis, head, request)
        with apis.explaining():
            advice = advised(changes, fixes, compared.services, situation(), declared, code, request)
        changes, fixes, notes = advice.changes, advice.fixes, [*notes, *advice.notes]

    tell("finding lines")
    changes = with_lines(changes, base, head) if request.all_lines else with_lines(changes, base, head, _counts)
    return Report(
        version=__version__,
        verdict=verdict(changes, request.fail_on),
        summary=summary(changes, selection.chosen, declared)._replace(
            untouched=untouched,
            off=sum(change.severity is Severity.OFF for change in compared.changes),
        ),
        changes=tuple(changes),
        fixes=fixes,
        notes=(
            *deleted,
            *selection.notes,
            *_news(selection.chosen, sides),
            *(() if compared.services else with_itself(sides, request)),
            *shadowed(sides, request),
            *compared.notes,
            *declared.notes,
            *notes,
        ),
        edges=declared.edges,
        mode=request.mode,
        fails_from=None if request.fail_on is FailOn.NONE else Severity(request.fail_on.value),
        only=Only(request.services, request.only_consumers),
        excerpts=excerpts(filter(_counts, changes), base, head) if request.excerpts else {},
        names=selection.called,
        base=told(sides.base),
        head=told(sides.head),
    )


def _counts(change: Change) -> bool:
    return change.counts_as is Severity.BREAKING or change.counts_as is Severity.WARNING


def _touching(changes: Iterable[Change], request: CheckRequest, declared: Declared) -> list[Change]:
    """What touches these consumers.

    Raises:
        UsageError: nobody declares one of them, so that nothing could ever touch it.
    """
    from guardian.graph.settle import only

    names = request.only_consumers
    known = sorted(consumer.name for consumer in declared.everybody)
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]}?" if near else f"there is {', '.join(known[:10]) or 'no consumer at all'}"
            with said_of(request, "only_consumers", at=f"/{names.index(name)}"):
                raise UsageError(f"--consumer {name}: nobody of this name declares anything", hint=hint)
    return only(changes, names)


def _news(services: Sequence[Service], sides: Sides) -> list[Note]:
    """New, removed and moved services are named; removed ones are, beside what they break."""
    notes: list[Note] = []
    for service in services:
        base, head = service.base_path, service.head_path
        if head is not None and base is None:
            text = f"{service.name} is a new service, so nothing of it can break"
            notes.append(Note("info", text, sides.head.tree.display(head)))
        elif base is not None and head is None:
            text = f"{service.name} is gone: {service.gone}"
            notes.append(Note("warning", text, sides.base.tree.display(base)))
        elif base is not None and head is not None and base != head and not sides.single:
            text = f"{service.name} moved here from {sides.base.tree.display(base)}"
            notes.append(Note("info", text, sides.head.tree.display(head)))
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

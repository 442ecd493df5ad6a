"""The sentences that all reports share, so that they cannot tell different stories.

Texts here may still hold untrusted names; each writer escapes them for its own medium.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable

from guardian.model import (
    Change,
    ConsumerImpact,
    Fix,
    Impact,
    Location,
    Note,
    Patch,
    Report,
    Severity,
    Verdict,
    Witness,
)
from guardian.report.blocks import Block, Standing, standing
from guardian.report.escape import jsonable, plain

#: How many names a sentence lists before it counts the rest, and how many characters of each.
NAMES_IN_A_SENTENCE = 8
_NAME = 80
_ALSO = 3  # further fields beside the one that a change is told of


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """``1 change``, ``2 changes``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def names(items: Iterable[str], most: int = NAMES_IN_A_SENTENCE) -> str:
    """The names in order, separated by commas; beyond ``most`` the rest is counted."""
    listed = list(items)
    more = f" and {len(listed) - most:,} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more


def headline(report: Report) -> str:
    """What the verdict rests on, without the verdict itself: ``2 breaking changes hit 3 consumers: a, b, c``."""
    summary = report.summary
    broken = _broken(report)
    others = sorted(set(summary.consumers_broken) - set(broken))
    also = f"; {_are_hit(others)}, which counts as less" if others else ""
    if summary.breaking:
        said = counted(summary.breaking, "breaking change")
        if broken:
            verb = "breaks" if summary.breaking == 1 else "break"
            return f"{said} {verb} {counted(len(broken), 'consumer')}: {_named(broken)}{also}"
        return f"{said}{also}"
    # A consumer is hit where the user, or the mode, has said that it does not count.
    nothing = f"nothing counts as breaking, but {_are_hit(others)}" if others else _nothing_breaks(report)
    problems = sum(note.level == "error" for note in report.notes)
    if problems and report.verdict is Verdict.FAIL:
        return f"{nothing}, but {counted(problems, 'problem')} must be settled (see the notes)"
    if summary.warnings:
        warnings = counted(summary.warnings, "warning")
        if report.verdict is Verdict.FAIL:
            verb = "is" if summary.warnings == 1 else "are"
            return f"{nothing}{', and' if others else ', but'} {warnings} {verb} enough to fail (`fail_on: warning`)"
        return f"{nothing}, {warnings}"
    if summary.changes:
        return nothing
    return _no_change(report)


def _broken(report: Report) -> list[str]:
    """Whom the breaking changes break."""
    return sorted(
        {
            impact.consumer
            for change in report.changes
            if standing(change) is Standing.BREAKING
            for impact in change.consumers
            if impact.impact is Impact.BROKEN
        }
    )


def _no_change(report: Report) -> str:
    if report.summary.untouched:
        return f"nothing touches {_named(report.only.consumers)}"
    if report.summary.off:
        return f"nothing but what is off: {counted(report.summary.off, 'change')}"
    return f"no change of {_named(report.only.services)}" if report.only.services else "no change of any contract"


def _nothing_breaks(report: Report) -> str:
    if report.only.consumers:
        return f"nothing breaks {_named(report.only.consumers)}"
    on_paper = any(standing(change) is Standing.UNREAD for change in report.changes)
    return "no declared consumer breaks" if on_paper else "nothing breaks"


def _named(items: Iterable[str]) -> str:
    return names(plain(name, _NAME) for name in items)


def _are_hit(consumers: list[str]) -> str:
    return f"{_named(consumers)} {'is' if len(consumers) == 1 else 'are'} hit"


def summary_sentence(report: Report) -> str:
    """One sentence with all counts of the report."""
    summary = report.summary
    what = counted(summary.specs, "spec")
    if summary.changes:
        what = f"{counted(summary.changes, 'change')} in {what}"
    against = ""
    if summary.consumers:
        against = f" against {counted(summary.consumers, 'consumer')} ({counted(summary.reads, 'declared read')})"
    return f"Compared {what}{against}: {', '.join(_outcomes(report))}."


def _outcomes(report: Report) -> list[str]:
    summary = report.summary
    said = []
    if summary.breaking:
        broken = _broken(report)
        hit = f" for {counted(len(broken), 'consumer')}" if broken else ""
        said.append(f"{summary.breaking:,} breaking{hit}")
    if summary.warnings:
        said.append(counted(summary.warnings, "warning"))
    if summary.accepted:
        until = min((change.exception.expires for change in report.changes if change.exception), default="")
        first = "the first " if summary.accepted > 1 else ""
        said.append(
            f"{summary.accepted:,} accepted" + (f"{', ' if first else ' '}{first}until {until}" if until else "")
        )
    read_by_nobody, not_known = _unread(report)
    if read_by_nobody:
        said.append(f"{read_by_nobody:,} breaking on paper but read by nobody")
    if not_known:
        said.append(f"{not_known:,} breaking on paper, whose readers are not known")
    left_out = _left_out(report)
    if not said and summary.changes:
        said.append("nothing counts as breaking" if summary.consumers_broken else "nothing breaks")
    elif not said and not left_out:
        said.append("no changes")
    return [*said, *left_out]


def _left_out(report: Report) -> list[str]:
    """What was found and is not in the report, so that nobody takes it for nothing."""
    said = []
    if report.summary.untouched:
        verb = "touches" if report.summary.untouched == 1 else "touch"
        noun = "more change" if report.summary.changes else "change"
        said.append(f"{counted(report.summary.untouched, noun)} {verb} others or nobody")
    if report.summary.off:
        said.append(f"{counted(report.summary.off, 'change')} left out by `severity: off`")
    return said


def _unread(report: Report) -> tuple[int, int]:
    """How much breaks the contract, does not count as breaking, and hits nobody of those who declare what they read; and how
    much counts for nothing since nobody has declared anything, which says nothing about who reads it.
    """
    declared = services_with_consumers(report)
    found = [
        change
        for change in report.changes
        if change.severity is Severity.BREAKING
        and change.counts_as is not Severity.BREAKING
        and change.exception is None
        and not change.consumers
    ]
    known = sum(change.service in declared for change in found)
    return known, sum(standing(change) is Standing.UNREAD for change in found if change.service not in declared)


def services_with_consumers(report: Report) -> set[str]:
    """The services that somebody declares to use. Of all others it is not known who reads them: that is never nobody."""
    return {edge.service for edge in report.edges}


def unread(report: Report, found: Iterable[Block]) -> dict[str, list[Block]]:
    """What breaks on paper alone, by a title that says what is known of its readers."""
    declared = services_with_consumers(report)
    lists: dict[str, list[Block]] = {
        "Breaking on paper, read by nobody": [],
        "Breaking on paper, readers not known": [],
    }
    known, unknown = lists.values()
    for block in found:
        if block.standing is Standing.UNREAD:
            (known if block.lead.service in declared else unknown).append(block)
    return lists


def where(location: Location | None) -> str:
    """``file:line:column`` as far as it is known."""
    if location is None:
        return ""
    return ":".join(str(part) for part in (location.file, location.line, location.column) if part is not None)


def line_of(location: Location | None) -> str:
    """``file:line`` as far as it is known."""
    return where(location._replace(column=None)) if location is not None else ""


def spot_parts(change: Change) -> tuple[str, str, str]:
    """Operation, place and field of a change, as manifests name them; the place is empty where the field says it."""
    said = change.field and change.field.replace(":", " ", 1) == change.place  # `header:X-Tenant`, `header X-Tenant`
    return change.operation, "" if said else change.place, change.field


def spot(change: Change) -> str:
    """The parts of a place as one phrase."""
    operation, place, name = spot_parts(change)
    also = f" ({also_at(change)})" if change.also else ""
    return ", ".join(part for part in (operation, place, name and f"field {name}{also}") if part)


def also_at(change: Change) -> str:
    """The further fields that a change is as true of, a few of them."""
    return f"also {', '.join(change.also[:_ALSO])}{' and others' if len(change.also) > _ALSO else ''}"


def side_notes(change: Change) -> tuple[str, str]:
    """What to say beside the base place and beside the head place: a removal shows where the thing was."""
    if change.head is None:
        return "gone from head", ""
    if change.base is None:
        return "", "new in head"
    if change.head.pointer != change.base.pointer and change.base.pointer.startswith(change.head.pointer):
        return "was here", "gone from here"
    return "", ""


def witness_value(witness: Witness) -> str:
    """The witness on one line of JSON; text that stands in a URL as it is."""
    if isinstance(witness.value, str):
        return json.dumps(witness.value, ensure_ascii=False)
    return json.dumps(jsonable(witness.value), ensure_ascii=False)


def witness_verdict(witness: Witness) -> str:
    """What the witness shows: in its own words where it has some, else which side takes it and which does not.

    What a reader misses is no matter of schemas: both sides may take the value.
    """

    def takes(accepted: bool) -> str:
        return "accepts" if accepted else "refuses"

    return (
        witness.explanation or f"base {takes(witness.accepted_by_base)} it, head {takes(witness.accepted_by_head)} it"
    )


def party(impact: ConsumerImpact) -> str:
    """Whom to talk to about a consumer."""
    if impact.owner and impact.contact:
        return f"{impact.owner} ({impact.contact})"
    return impact.owner or impact.contact or ""


def patch_place(patch: Patch) -> str:
    """The file of a patch, and that it cannot be written from here where that is so."""
    return patch.file if patch.elsewhere is None else f"{patch.file} (elsewhere: the diff is to be made there)"


def diff_rows(diff: str) -> list[str]:
    """The lines of a diff without their ends, to be shown; nothing but a line feed ends one."""
    return [row.removesuffix("\r") for row in diff.removesuffix("\n").split("\n")] if diff else []


def fix_name(fix: Fix) -> str:
    """The id of a fix with what tells it from the fix of this id in another check: ``F3-97e95265bf31``.

    Ids count the fixes of one check. The rest stands for how the fix mends and for all that it mends.
    """
    parts = json.dumps([fix.strategy.value, fix.proposed_by, sorted(fix.changes)])
    return f"{fix.id}-{hashlib.sha256(parts.encode()).hexdigest()[:12]}"


def fix_command(fix: Fix, report: Report) -> str:
    """The command that applies this very fix, with the flags that make its check again.

    Where the check is another one by then, its fix of this id has another name, and nothing is written. What a model
    wrote is there only where the model is asked again, and answers are kept, so that it says the same.
    """
    written = report.again.applies and any(patch.elsewhere is None for patch in fix.patches)
    how = "--apply" if written or not fix.patches else "--dry-run"
    words = [f"guardian fix {how} --id {fix_name(fix)}", report.again.flags]
    if fix.proposed_by != "rules" and not report.again.model:
        words.append("--model ...")
    return " ".join(filter(None, words))


def sorted_notes(report: Report) -> list[Note]:
    """The notes, errors first."""
    levels = ("error", "warning", "info")

    def rank(level: str) -> int:
        return levels.index(level) if level in levels else len(levels)

    return sorted(report.notes, key=lambda note: (rank(note.level), note.file or "", note.line or 0, note.message))


def note_place(note: Note) -> str:
    """``file:line`` of a note as far as it is known."""
    return line_of(Location(note.file, line=note.line)) if note.file else ""


def _whom_it_hits(report: Report, counting: list[Block]) -> str:
    """Whom it hits where nothing counts as breaking."""
    hit = sorted(report.summary.consumers_broken)
    if hit:
        return f"{_are_hit(hit)}, though nothing counts as breaking"
    maybe = sorted({impact.consumer for block in counting for impact in block.consumers})
    return f"{_named(maybe)} may be hit" if maybe else "nothing here breaks a consumer"


def next_steps(report: Report, found: list[Block], *, fixes: str = "the fixes above") -> list[str]:
    """What the author of the change can do now, best first; ``fixes``: where they are."""
    counting = [block for block in found if block.standing.counts]
    breaking = [block for block in counting if block.standing is Standing.BREAKING]
    if not counting:
        return []
    if not breaking and report.verdict is not Verdict.FAIL:
        return [
            f"`guardian explain {counting[0].lead.rule}` says when this matters; {_whom_it_hits(report, counting)}."
        ]
    steps = []
    if any(fix.verification.verified for fix in report.fixes):
        steps.append(f"Apply one of {fixes}: each was tried against every consumer.")
    parties = sorted(
        {
            f"{plain(impact.consumer, _NAME)}: {plain(party(impact), _NAME)}"
            for block in breaking or counting
            for impact in block.consumers
            if impact.impact is Impact.BROKEN and party(impact)
        }
    )
    if parties:
        steps.append(f"{'Or talk' if steps else 'Talk'} to the owners: {names(parties)}.")
    accept = "accept it in writing, with a reason and an end date: `guardian exceptions add`."
    steps.append(f"Or {accept}" if steps else accept.capitalize())
    steps.append(f"What a rule means: `guardian explain {counting[0].lead.rule}`.")
    return steps


# Characters of a reason that are read at a glance; `guardian explain` has all of it.
_GLANCE = 300
_SENTENCE_END = re.compile(r"(?<=\.) (?=[A-Z`])")


def reason(change: Change) -> str:
    """Why a change matters, in as many whole sentences as are read at a glance; one at least."""
    first, *others = _SENTENCE_END.split(change.why)
    for sentence in others:
        if len(first) + len(sentence) >= _GLANCE:
            break
        first = f"{first} {sentence}"
    return first

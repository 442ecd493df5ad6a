"""The sentences that all reports share, so that they cannot tell different stories.

Texts here may still hold untrusted names; each writer escapes them for its own medium.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

from guardian.model import Change, ConsumerImpact, Fix, Impact, Location, Note, Report, Verdict, Witness
from guardian.report.blocks import Block, Standing
from guardian.report.escape import jsonable, plain

#: How many names a sentence lists before it counts the rest, and how many characters of each.
NAMES_IN_A_SENTENCE = 8
_NAME = 80


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
    broken = summary.consumers_broken
    if summary.breaking:
        said = counted(summary.breaking, "breaking change")
        if broken:
            verb = "breaks" if summary.breaking == 1 else "break"
            listed = names(plain(name, _NAME) for name in sorted(broken))
            return f"{said} {verb} {counted(len(broken), 'consumer')}: {listed}"
        return said
    problems = sum(note.level == "error" for note in report.notes)
    if problems and report.verdict is Verdict.FAIL:
        return f"nothing breaks, but {counted(problems, 'problem')} must be settled (see the notes)"
    if summary.warnings:
        return f"nothing breaks, {counted(summary.warnings, 'warning')}"
    return "nothing breaks" if summary.changes else "no change of any contract"


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
        hit = f" for {counted(len(summary.consumers_broken), 'consumer')}" if summary.consumers_broken else ""
        said.append(f"{summary.breaking:,} breaking{hit}")
    if summary.warnings:
        said.append(counted(summary.warnings, "warning"))
    if summary.accepted:
        until = min((change.exception.expires for change in report.changes if change.exception), default="")
        first = "the first " if summary.accepted > 1 else ""
        said.append(
            f"{summary.accepted:,} accepted" + (f"{', ' if first else ' '}{first}until {until}" if until else "")
        )
    if summary.unread:
        said.append(f"{summary.unread:,} breaking on paper but read by nobody")
    return said or ["nothing breaks" if summary.changes else "no changes"]


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
    return ", ".join(part for part in (operation, place, name and f"field {name}") if part)


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
    """Which side takes the witness and which does not."""

    def takes(accepted: bool) -> str:
        return "accepts" if accepted else "refuses"

    return f"base {takes(witness.accepted_by_base)} it, head {takes(witness.accepted_by_head)} it"


def party(impact: ConsumerImpact) -> str:
    """Whom to talk to about a consumer."""
    if impact.owner and impact.contact:
        return f"{impact.owner} ({impact.contact})"
    return impact.owner or impact.contact or ""


def fix_command(fix: Fix, fixes: Iterable[Fix], shown: Iterable[Block] = ()) -> str:
    """The command that applies this very fix, by a fingerprint that the report shows where there is one.

    What a model wrote is there only where the model is asked again, and answers are kept, so that it says the same.
    """
    if fix.proposed_by != "rules":
        return f"guardian fix --apply --id {fix.id} --model ..."
    leads = [block.lead.fingerprint for block in shown if block.lead.fingerprint in fix.changes]
    change = next(iter((*leads, *fix.changes)), "")
    rivals = [other for other in fixes if change in other.changes]
    strategy = f" --strategy {fix.strategy.value}" if len(rivals) > 1 else ""
    return f"guardian fix --apply --change {change}{strategy}"


def sorted_notes(report: Report) -> list[Note]:
    """The notes, errors first."""
    levels = ("error", "warning", "info")

    def rank(level: str) -> int:
        return levels.index(level) if level in levels else len(levels)

    return sorted(report.notes, key=lambda note: (rank(note.level), note.file or "", note.line or 0, note.message))


def note_place(note: Note) -> str:
    """``file:line`` of a note as far as it is known."""
    return line_of(Location(note.file, line=note.line)) if note.file else ""


def next_steps(report: Report, found: list[Block]) -> list[str]:
    """What the author of the change can do now, best first."""
    counting = [block for block in found if block.standing.counts]
    breaking = [block for block in counting if block.standing is Standing.BREAKING]
    if not counting:
        return []
    if not breaking:
        return [f"`guardian explain {counting[0].lead.rule}` says when this matters; nothing here breaks a consumer."]
    steps = []
    if any(fix.verification.verified for fix in report.fixes):
        steps.append("Apply one of the fixes above: each was tried against every consumer.")
    parties = sorted(
        {
            f"{plain(impact.consumer, _NAME)}: {plain(party(impact), _NAME)}"
            for block in breaking
            for impact in block.consumers
            if impact.impact is Impact.BROKEN and party(impact)
        }
    )
    if parties:
        steps.append(f"{'Or talk' if steps else 'Talk'} to the owners: {names(parties)}.")
    accept = "accept it in writing, with a reason and an end date: `guardian exceptions add`."
    steps.append(f"Or {accept}" if steps else accept.capitalize())
    steps.append(f"What a rule means: `guardian explain {breaking[0].lead.rule}`.")
    return steps

"""The report as GitHub-flavoured Markdown: a pull-request comment or a step summary.

Verdict first, then the table of changes and consumers, then each change folded. The hosts refuse comments over
65,535 characters, so the text is put together by urgency until the room is used up, and says what was left out.
Whoever posts it adds a hidden marker of his own; room for it is kept.
"""

from __future__ import annotations

import re

from guardian.model import Change, ConsumerImpact, Fix, Impact, Location, Report, Verdict
from guardian.report import words
from guardian.report.blocks import Block, Standing, blocks
from guardian.report.escape import markdown as safe
from guardian.report.escape import markdown_code as code
from guardian.report.escape import markdown_fence, markdown_html, plain, tabbed

#: What hosts take; counted in bytes here, which are never fewer than characters.
HARD_LIMIT = 65_535
#: Kept free for the marker of whoever posts the comment.
MARKER_ROOM = 1_024
_CLOSING_ROOM = 1_536  # kept free for the sentence on what was cut
_TABLE_SHARE = 24_000  # bytes that the tables may take at most
_MENTIONS = 10
_COLUMNS = 6  # consumers that have a column of their own; more are listed in one
_CONSUMERS = 12
_PLACES = 8
_NAME = 80
_FILE = 300
_PROSE = 400
_WITNESS = 1_000
_DIFF_LINES = 60
_FIXES_HERE, _FIXES_ELSEWHERE = "the fixes above", "the fixes in the full report"

_VERDICT = {Verdict.PASS: "PASS", Verdict.WARN: "WARN", Verdict.FAIL: "FAIL"}
# A user or team as GitHub writes it; names that reach everyone are no owners.
_OWNER = re.compile(r"@[A-Za-z0-9][A-Za-z0-9-]{0,38}(?:/[A-Za-z0-9][A-Za-z0-9._-]{0,99})?", re.ASCII)
_CROWDS = {"@all", "@everyone", "@here", "@channel"}


def render(report: Report, *, verbose: bool = False, limit: int = HARD_LIMIT - MARKER_ROOM) -> str:
    """The report in at most ``limit`` bytes of UTF-8 (4,096 or more)."""
    found = blocks(report, harmless=verbose)
    shown = [block for block in found if block.standing.counts]
    numbers = {id(block): number for number, block in enumerate(shown, start=1)}
    text = _Budget(limit - _CLOSING_ROOM)
    text.must(
        f"## guardian: {_VERDICT[report.verdict]}",
        "",
        f"**{safe(words.headline(report), 2 * _PROSE)}**",
        "",
        safe(words.summary_sentence(report), 2 * _PROSE),
    )
    owners = _mentions(shown)
    if owners:
        text.add("owner", "", f"Owners of what breaks: {', '.join(owners)}")
    # What to do is the last that a reader without time can do without, so its room is kept.
    text.left -= _size(_next_steps(report, found, fixes=_FIXES_ELSEWHERE))
    _table(text, shown)
    any_fix = _details(text, [(block, _detail(block, numbers[id(block)], report)) for block in shown], report)
    _list(text, "Accepted", [block for block in found if block.standing is Standing.ACCEPTED])
    for title, unread in words.unread(report, found).items():
        _list(text, title, unread)
    _notes(text, report)
    if verbose:
        _list(text, "Harmless", [block for block in found if block.standing is Standing.INFO])
    text.lines += _next_steps(report, found, fixes=_FIXES_HERE if any_fix else _FIXES_ELSEWHERE)
    return text.finish()


def _next_steps(report: Report, found: list[Block], *, fixes: str) -> tuple[str, ...]:
    steps = words.next_steps(report, found, fixes=fixes)
    return ("", "**What to do next**", "", *(f"- {_step(step)}" for step in steps)) if steps else ()


def _details(text: _Budget, details: list[tuple[Block, list[str]]], report: Report) -> bool:
    """The changes in detail and the fixes below them; whether there was room for a fix.

    Where there is no room for all, what breaks leaves half of it to the fixes, and the other changes what both leave.
    """
    urgent = [lines for block, lines in details if block.standing is Standing.BREAKING]
    half = text.left // 2
    first = 0
    while first < len(urgent) and text.left - _size(("", *urgent[first])) > half:
        text.add("change in detail", "", *urgent[first])
        first += 1
    below = text.apart()
    for fix in report.fixes:
        below.add("fix", "", *_fix(fix, report))
    text.left = below.left
    for _, lines in details[first:]:
        text.add("change in detail", "", *lines)
    text.lines += below.lines
    return bool(below.lines)


class _Budget:
    """Lines up to a number of bytes; what does not fit is counted by its kind and named at the end."""

    def __init__(self, limit: int) -> None:
        self.left = limit
        self.lines: list[str] = []
        self.cut: dict[str, int] = {}

    def must(self, *lines: str) -> None:
        self.lines += lines
        self.left -= _size(lines)

    def add(self, kind: str, *lines: str) -> bool:
        """The lines, all or none."""
        if _size(lines) > self.left:
            self.cut[kind] = self.cut.get(kind, 0) + 1
            return False
        self.must(*lines)
        return True

    def section(self, title: str, kind: str, entries: list[str]) -> None:
        """A titled list of as many entries as there is room for; no title without one."""
        title_lines: tuple[str, ...] = ("", f"**{title}**", "")
        for entry in entries:
            if self.add(kind, *title_lines, entry):
                title_lines = ()

    def apart(self) -> _Budget:
        """Lines that are to stand further below, from the same room."""
        other = _Budget(self.left)
        other.cut = self.cut
        return other

    def finish(self) -> str:
        if self.cut:
            kinds = ("owner", "row", "change in detail", "fix", "entry", "note")
            plurals = {"change in detail": "changes in detail", "fix": "fixes", "entry": "entries"}
            said = [words.counted(self.cut[kind], kind, plurals.get(kind)) for kind in kinds if kind in self.cut]
            self.lines += [
                "",
                f"_Left out to stay within the size of a comment: {', '.join(said)}. The full report has them._",
            ]
        return "\n".join(self.lines) + "\n"


def _size(lines: tuple[str, ...]) -> int:
    return sum(len(line.encode()) + 1 for line in lines)


def _mentions(shown: list[Block]) -> list[str]:
    """The owners of broken consumers; one that begins with ``@`` and is a user or team is mentioned, ten at most."""
    owners = sorted(
        {
            impact.owner
            for block in shown
            if block.standing is Standing.BREAKING
            for impact in block.consumers
            if impact.impact is Impact.BROKEN and impact.owner
        }
    )
    said = [owner if _mentionable(owner) else code(owner, _NAME) for owner in owners[:_MENTIONS]]
    return [*said, f"and {len(owners) - _MENTIONS:,} more"] if len(owners) > _MENTIONS else said


def _mentionable(owner: str) -> bool:
    return bool(_OWNER.fullmatch(owner)) and owner.partition("/")[0].lower() not in _CROWDS


def _table(text: _Budget, shown: list[Block]) -> None:
    if not shown:
        return
    consumers = sorted({impact.consumer for block in shown for impact in block.consumers})
    columns = consumers if len(consumers) <= _COLUMNS else []
    heads = [code(name, _NAME) for name in columns] or (["hits"] if consumers else [])
    rule = "| ---: | --- | --- |" + " --- |" * len(heads)
    text.must("", f"| | change | where |{''.join(f' {head} |' for head in heads)}", rule)
    share = min(_TABLE_SHARE, text.left // 2)
    for number, block in enumerate(shown, start=1):
        change = block.lead
        more = f" and {len(block.changes) - 1:,} more" if len(block.changes) > 1 else ""
        field = f" {code(change.field, _NAME)}" if change.field else ""
        where = f"{_operation(change)}{field}{more}"
        what = f"**{block.standing.value}** {safe(f'{change.service}: {change.message}', _PROSE)}"
        row = f"| {number} | {what} | {where} |" + "".join(
            f" {cell} |" for cell in _cells(block, columns, bool(consumers))
        )
        size = _size((row,))
        if size > share:
            text.cut["row"] = text.cut.get("row", 0) + 1
        elif text.add("row", row):
            share -= size


def _cells(block: Block, columns: list[str], any_consumer: bool) -> list[str]:
    if not columns:
        listed = [f"{code(impact.consumer, _NAME)} {_impact(impact)}" for impact in block.consumers]
        return [words.names(listed)] if any_consumer else []
    impacts = {impact.consumer: impact for impact in block.consumers}
    return [_impact(impacts[name]) if name in impacts else "" for name in columns]


def _impact(impact: ConsumerImpact) -> str:
    word = "**broken**" if impact.impact is Impact.BROKEN else impact.impact.value
    return f"{word} (hop {impact.hops})" if impact.hops > 1 else word


def _detail(block: Block, number: int, report: Report) -> list[str]:
    change = block.lead
    title = f"{number}. {markdown_html(change.message, _PROSE)} ({markdown_html(change.rule, _NAME)})"
    lines = ["<details>", f"<summary>{title}</summary>", ""]
    lines.append(f"- where: {_spots(block)}")
    beside_base, beside_head = words.side_notes(change)
    for side, place, beside in (("head", change.head, beside_head), ("base", change.base, beside_base)):
        if place is not None:
            lines.append(f"- {side}: {code(_place(place))}" + (f" ({beside})" if beside else ""))
    if change.renamed_to:
        lines.append(f"- looks renamed to {code(change.renamed_to, _NAME)}")
    if change.why:
        lines.append(f"- why: {safe(words.reason(change), _PROSE)}")
    lines.append(f"- fingerprint {code(change.fingerprint, _NAME)}, {change.confidence.value}")
    for impact in block.consumers[:_CONSUMERS]:
        owner = f", owner {code(words.party(impact), 2 * _NAME)}" if words.party(impact) else ""
        manifest = f" ({code(plain(words.line_of(impact.manifest), _FILE))})" if impact.manifest else ""
        lines.append(f"- {code(impact.consumer, _NAME)} {_impact(impact)}{owner}{manifest}")
        lines += [f"  - {safe(reason, _PROSE)}" for reason in impact.because[:_CONSUMERS]]
    if len(block.consumers) > _CONSUMERS:
        lines.append(f"- and {words.counted(len(block.consumers) - _CONSUMERS, 'more consumer')}")
    if change.witness is not None:
        said = words.witness_verdict(change.witness)
        fence = markdown_fence([plain(words.witness_value(change.witness), _WITNESS)], "json")
        lines += ["", f"Witness: {safe(said, _PROSE)}", "", *fence]
    elif change.unproved:
        lines.append(f"- no witness: {safe(change.unproved, _PROSE)}")
    fixes = [fix for fix in report.fixes if block.fingerprints & set(fix.changes)]
    if fixes:
        lines += [
            "",
            f"Fixes: {', '.join(f'{code(fix.id, _NAME)} ({fix.strategy.value})' for fix in fixes)}.",
        ]
    return [*lines, "", "</details>"]


def _spots(block: Block) -> str:
    spots = []
    for change in block.changes[:_PLACES]:
        operation, place, name = words.spot_parts(change)
        parts = (code(operation, _NAME) if operation else "", safe(place, _NAME), code(name, _NAME) if name else "")
        also = f" ({safe(words.also_at(change), _PROSE)})" if change.also else ""
        spots.append(", ".join(part for part in parts if part) + also)
    more = f"; and {len(block.changes) - _PLACES:,} more" if len(block.changes) > _PLACES else ""
    return "; ".join(spots) + more


def _place(place: Location) -> str:
    return plain(words.where(place), _FILE)


def _fix(fix: Fix, report: Report) -> list[str]:
    by = "" if fix.proposed_by == "rules" else f", proposed by {markdown_html(fix.proposed_by, _NAME)}"
    checked = "verified" if fix.verification.verified else "not verified"
    title = f"Fix {markdown_html(fix.id, _NAME)}: {fix.strategy.value} ({checked}{by})"
    lines = ["<details>", f"<summary>{title}</summary>", "", safe(fix.rationale, _PROSE) or "&nbsp;", ""]
    lines += [f"- {safe(line, _PROSE)}" for line in fix.verification.lines]
    lines += ["", *markdown_fence([words.fix_command(fix, report)], "sh")]
    for patch in fix.patches:
        diff = words.diff_rows(patch.diff)
        if diff:
            cut = [f"... ({len(diff) - _DIFF_LINES:,} lines more)"] if len(diff) > _DIFF_LINES else []
            there = ["", f"{code(words.patch_place(patch), _FILE)}:"] if patch.elsewhere else []
            lines += [
                *there,
                "",
                *markdown_fence([tabbed(plain, line, _PROSE) for line in diff[:_DIFF_LINES]] + cut, "diff"),
            ]
    if fix.rollout:
        lines += ["", "Rollout:", ""]
        lines += [f"{number}. {safe(step, _PROSE)}" for number, step in enumerate(fix.rollout, start=1)]
    return [*lines, "", "</details>"]


def _list(text: _Budget, title: str, found: list[Block]) -> None:
    entries = []
    for block in found:
        change = block.lead
        more = f" and {len(block.changes) - 1:,} more" if len(block.changes) > 1 else ""
        field = f" {code(change.field, _NAME)}" if change.field else ""
        said = f"- {safe(f'{change.service}: {change.message}', _PROSE)}: {_operation(change)}{field}{more}"
        if change.exception is not None:
            entry = change.exception
            said += (
                f"; until {safe(entry.expires, _NAME)}, owner {code(entry.owner, _NAME)}: {safe(entry.reason, _PROSE)}"
            )
        entries.append(said)
    text.section(title, "entry", entries)


def _notes(text: _Budget, report: Report) -> None:
    entries = []
    for note in words.sorted_notes(report):
        place = f" {code(plain(words.note_place(note), _FILE))}:" if note.file else ""
        entries.append(f"- {safe(note.level, _NAME)}:{place} {safe(note.message, _PROSE)}")
    text.section("Notes", "note", entries)


def _step(step: str) -> str:
    """A step with its commands as code: the odd parts between backticks. Names were put in by us, unescaped."""
    parts = step.split("`")
    if len(parts) % 2 == 0:  # a name brought a backtick of its own
        return safe(step, _PROSE)
    return "".join(
        code(part, _PROSE) if number % 2 else safe(part, _PROSE) for number, part in enumerate(parts) if part
    )


def _operation(change: Change) -> str:
    """The operation as code, or the words for a change of the service as a whole."""
    return code(change.operation, _NAME) if change.operation else "the whole service"

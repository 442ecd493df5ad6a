"""The report for the engineer whose pull request just went red: verdict, what, where, who, proof, way out.

Words only, few symbols, and no boxes: the same text reads well in a terminal, in a build log and in a pipe.
"""

from __future__ import annotations

from guardian.model import ConsumerImpact, Impact, Report, Verdict
from guardian.report import words
from guardian.report.blocks import Block, Standing, blocks
from guardian.report.escape import tabbed
from guardian.report.escape import terminal as safe
from guardian.report.layout import Page, cells, pad

_VERDICT_STYLE = {Verdict.PASS: "bold green", Verdict.WARN: "bold yellow", Verdict.FAIL: "bold red"}
_STANDING_STYLE = {Standing.BREAKING: "bold red", Standing.WARNING: "bold yellow"}
_IMPACT_STYLE = {Impact.BROKEN: "red", Impact.POSSIBLE: "yellow", Impact.SAFE: "green"}
_LABEL = 9  # cells of the label column
_NAME = 60  # characters of a name
_PROSE = 600  # characters of a sentence from outside
_COMMAND = 4_000
_WITNESS = 240  # characters of a witness
_PLACES = 4  # operations named in a block
_CONSUMERS = 12  # consumers named in a block
_ONE_LINERS = 10  # accepted or unread changes named


def render(report: Report, *, color: bool = False, width: int = 100, verbose: bool = False) -> str:
    """The report as text of at most ``width`` cells a line, file names excepted; ``verbose`` leaves nothing out."""
    page = Page(max(60, width))
    found = blocks(report, harmless=verbose)
    shown = [block for block in found if block.standing.counts]
    page.text(safe(words.headline(report)), lead=(f"{report.verdict.value.upper()}  ", _VERDICT_STYLE[report.verdict]))
    page.text(safe(words.summary_sentence(report)))
    if verbose and report.base:
        page.text(safe(f"Base is {report.base}, head is {report.head}."))
    for number, block in enumerate(shown, start=1):
        page.gap()
        _block(page, block, number, verbose)
    _matrix(page, shown)
    _one_liners(page, "Accepted", [block for block in found if block.standing is Standing.ACCEPTED], verbose)
    for title, unread in words.unread(report, found).items():
        _one_liners(page, title, unread, verbose)
    if verbose:
        _one_liners(page, "Harmless", [block for block in found if block.standing is Standing.INFO], verbose)
    _fixes(page, report, shown, verbose)
    _notes(page, report)
    steps = words.next_steps(report, found)
    if steps:
        _title(page, "What to do next")
        for step in steps:
            page.text(safe(step), indent=2, lead=("- ", ""))
    return page.render(color=color)


def _title(page: Page, text: str) -> None:
    page.gap()
    page.line((text, "bold"))


def _label(text: str) -> tuple[str, str]:
    return pad(text, _LABEL) + " ", "dim"


def _block(page: Page, block: Block, number: int, verbose: bool) -> None:
    change = block.lead
    word = block.standing.value.upper()
    page.text(
        safe(f"{change.service}: {change.message}", _PROSE),
        style="bold",
        lead=(f"{number}. {word}  ", _STANDING_STYLE[block.standing]),
    )
    _places(page, block, verbose)
    beside_base, beside_head = words.side_notes(change)
    for name, location, beside in (("head", change.head, beside_head), ("base", change.base, beside_base)):
        if location is not None and (name == "head" or beside or verbose):
            page.text(safe(words.where(location)) + (f"  ({beside})" if beside else ""), indent=2, lead=_label(name))
    if change.renamed_to:
        page.text(safe(f"looks renamed to {change.renamed_to}", _PROSE), indent=2, lead=_label("renamed"))
    if change.why:
        page.text(safe(words.reason(change), _PROSE), indent=2, lead=_label("why"))
    if change.witness is not None:
        page.text(safe(words.witness_value(change.witness), _WITNESS), indent=2, lead=_label("witness"))
        page.text(safe(words.witness_verdict(change.witness), _PROSE), indent=2, lead=_label(""))
    elif change.unproved:
        page.text(safe(change.unproved, _PROSE), indent=2, lead=_label("unproved"))
    page.text(
        safe(f"{change.rule}  (fingerprint {change.fingerprint}, {change.confidence.value})", _PROSE),
        indent=2,
        lead=_label("rule"),
    )
    _consumers(page, block.consumers, verbose)


def _places(page: Page, block: Block, verbose: bool) -> None:
    if len(block.changes) == 1:
        page.text(safe(words.spot(block.lead), _PROSE), indent=2, lead=_label("in"))
        return
    said = words.counted(len(block.operations), "operation")
    page.text(f"{said}, one edit:", indent=2, lead=_label("in"))
    most = len(block.changes) if verbose else _PLACES
    for change in block.changes[:most]:
        page.text(safe(words.spot(change), _PROSE), indent=4 + _LABEL, lead=("- ", ""))
    if len(block.changes) > most:
        page.text(f"and {len(block.changes) - most:,} more (--verbose lists them)", indent=4 + _LABEL)


def _consumers(page: Page, consumers: tuple[ConsumerImpact, ...], verbose: bool) -> None:
    if not consumers:
        return
    most = len(consumers) if verbose else _CONSUMERS
    shown = consumers[:most]
    longest = max(cells(safe(item.consumer, _NAME)) for item in shown)
    for number, item in enumerate(shown):
        hops = words.counted(item.hops, "hop")
        row = [
            ("  ", ""),
            _label("hits" if number == 0 else ""),
            (pad(safe(item.consumer, _NAME), longest) + "  ", "bold"),
            (pad(item.impact.value, 8), _IMPACT_STYLE[item.impact]),
            (f"  {hops}  {safe(item.confidence, _NAME)}", ""),
        ]
        party = safe(words.party(item), 2 * _NAME)
        beside = bool(party) and sum(cells(text) for text, _ in row) + 2 + cells(party) <= page.width
        page.line(*row, (f"  {party}" if beside else "", "dim"))
        if party and not beside:
            page.text(party, indent=5 + _LABEL, style="dim")
        for reason in item.because:
            page.text(safe(reason, _PROSE), indent=5 + _LABEL)
        if item.manifest is not None:
            page.text(safe(words.line_of(item.manifest)), indent=5 + _LABEL, style="dim")
    if len(consumers) > most:
        page.text(f"and {len(consumers) - most:,} more consumers (--verbose lists them)", indent=3 + _LABEL)


def _matrix(page: Page, shown: list[Block]) -> None:
    """Consumers down, numbered changes across: fits any width, whatever the names."""
    impacts = {(item.consumer, number): item for number, block in enumerate(shown, start=1) for item in block.consumers}
    consumers = sorted({consumer for consumer, _ in impacts})
    if len(consumers) < 2 or len(shown) < 2:
        return
    marks = {Impact.BROKEN: ("x", "red"), Impact.POSSIBLE: ("?", "yellow"), Impact.SAFE: (".", "dim")}
    label = max(cells(safe(name, _NAME)) for name in consumers)
    column = len(str(len(shown))) + 2
    numbers = sorted({number for _, number in impacts})
    fit = max(1, (page.width - label - 2) // column)
    _title(page, "Who is hit by which change (x broken, ? possible, . not hit)")
    for start in range(0, len(numbers), fit):
        part = numbers[start : start + fit]
        page.line(("  " + " " * label, ""), ("".join(f"{number:>{column}}" for number in part), "dim"))
        for consumer in consumers:
            row: list[tuple[str, str]] = [("  " + pad(safe(consumer, _NAME), label), "")]
            for number in part:
                item = impacts.get((consumer, number))
                mark, style = marks[item.impact if item else Impact.SAFE]
                row.append((f"{mark:>{column}}", style))
            page.line(*row)


def _one_liners(page: Page, title: str, found: list[Block], verbose: bool) -> None:
    if not found:
        return
    _title(page, title)
    most = len(found) if verbose else _ONE_LINERS
    for block in found[:most]:
        change = block.lead
        many = f" and {len(block.changes) - 1:,} more places" if len(block.changes) > 1 else ""
        said = f"{change.service}: {change.message} ({words.spot(change)}{many}; {change.rule}, {change.fingerprint})"
        page.text(safe(said, _PROSE), indent=2, lead=("- ", ""))
        if change.exception is not None:
            entry = change.exception
            signed = f", signed by {words.names(entry.approved_by)}" if entry.approved_by else ""
            said = f"until {entry.expires}, owner {entry.owner}{signed}: {entry.reason}"
            page.text(safe(said, _PROSE), indent=4, style="dim")
    if len(found) > most:
        page.text(f"and {len(found) - most:,} more (--verbose lists them)", indent=2)


def _fixes(page: Page, report: Report, shown: list[Block], verbose: bool) -> None:
    if not report.fixes:
        return
    _title(page, "Fixes, each tried in memory")
    for fix in report.fixes:
        numbers = [str(n) for n, block in enumerate(shown, start=1) if block.fingerprints & set(fix.changes)]
        mends = f" of change {', '.join(numbers)}" if numbers else ""
        by = "" if fix.proposed_by == "rules" else f", proposed by {fix.proposed_by}"
        page.text(safe(f"{fix.strategy.value}{mends}{by}", _PROSE), indent=2, lead=(f"{safe(fix.id, _NAME)}  ", "bold"))
        for file in sorted({words.patch_place(patch) for patch in fix.patches}):
            page.text(safe(f"in {file}"), indent=6, style="dim")
        page.text(safe(fix.rationale, _PROSE), indent=6)
        for line in fix.verification.lines:
            page.text(safe(line, _PROSE), indent=6, lead=("- ", "green" if fix.verification.verified else "red"))
        if verbose:
            for number, step in enumerate(fix.rollout, start=1):
                page.text(safe(step, _PROSE), indent=6, lead=(f"{number}. ", "dim"))
            for line in (line for patch in fix.patches for line in words.diff_rows(patch.diff)):
                page.line(("      ", ""), (tabbed(safe, line, _PROSE), _diff_style(line)))
        page.line(("      ", ""), (safe(words.fix_command(fix, report), _COMMAND), "bold"))  # to be copied whole


def _diff_style(line: str) -> str:
    return {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")


def _notes(page: Page, report: Report) -> None:
    if not report.notes:
        return
    _title(page, "Notes")
    styles = {"error": "red", "warning": "yellow"}
    for note in sorted(report.notes, key=lambda note: (note.level, note.file or "", note.line or 0, note.message)):
        place = "" if note.file is None else f"{note.file}:{note.line}: " if note.line else f"{note.file}: "
        level = safe(note.level, _NAME)
        page.text(
            safe(place) + safe(note.message, _PROSE), indent=2, lead=(f"{level}: ", styles.get(note.level, "dim"))
        )

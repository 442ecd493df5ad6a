"""The report as one offline HTML page: no network, light and dark, a picture whose nodes filter the findings.

The page (``page.html``) is data of this package; its style and script are inline and are the only ones that its
content security policy lets run, by their hashes. All text is escaped here, and the whole report lies in the page
as JSON for whoever wants to read it by machine.
"""

from __future__ import annotations

import base64
import hashlib
import json as _json
import re
from importlib.resources import files

from guardian.model import ConsumerImpact, Fix, Location, Report
from guardian.report import json, words
from guardian.report.blocks import Block, blocks
from guardian.report.escape import html as safe
from guardian.report.escape import plain, script_json, tabbed
from guardian.report.picture import svg

_NAME = 120
_FILE = 400
_COMMAND = 4_000
_PROSE = 1_000
_WITNESS = 4_000
_OPEN_CONSUMERS = 20  # more are folded
_SOURCE = 300  # characters of a source line
_SLOT = re.compile(r"<!--\{(\w+)\}-->")


def render(report: Report) -> str:
    """The page; deterministic, self-contained, safe to open from a mail."""
    template = files("guardian.report").joinpath("page.html").read_text(encoding="utf-8")
    found = blocks(report)
    slots = {
        "policy": _policy(template),
        "title": safe(f"guardian: {report.verdict.value.upper()}"),
        "verdict": report.verdict.value,
        "word": report.verdict.value.upper(),
        "headline": safe(words.headline(report), _PROSE),
        "sentence": safe(words.summary_sentence(report), _PROSE),
        "graph": _graph(report),
        "findings": "\n".join(_finding(block, number, report) for number, block in enumerate(found, start=1)),
        "kinds": _kinds(found),
        "fixes": _fixes(report),
        "notes": _notes(report),
        "steps": _steps(report, found),
        "version": safe(report.version, _NAME),
        "data": script_json(json.as_data(report)),
    }
    # One pass: a text that looks like a slot stays text.
    return _SLOT.sub(lambda match: slots[match[1]], template)


def _policy(template: str) -> str:
    """Content security policy (level 3): the page's own style and script, by hash, and nothing else at all."""

    def digest(element: str) -> str:
        body = template.partition(f"<{element}>")[2].partition(f"</{element}>")[0]
        return base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()

    return (
        f"default-src 'none'; style-src 'sha256-{digest('style')}'; script-src 'sha256-{digest('script')}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _graph(report: Report) -> str:
    picture = svg(report)
    if not picture:
        return ""
    return (
        '<section class="picture" aria-labelledby="graph-title"><h2 id="graph-title">Who depends on whom</h2>'
        '<p class="legend"><span class="key changed">changed</span> <span class="key broken">broken</span> '
        '<span class="key possible">possibly broken</span> <span class="key safe">safe</span> '
        '<span class="hint">Services left, consumers by hop. Choose one to see what concerns it.</span></p>'
        f'<div class="scroll">{picture}</div></section>'
    )


def _kinds(found: list[Block]) -> str:
    """A switch for each kind of finding there is; harmless changes start hidden where there is anything else."""
    kinds = list(dict.fromkeys(block.standing for block in found))
    quiet = len(kinds) > 1
    switches = []
    for kind in kinds:
        number = sum(block.standing is kind for block in found)
        checked = "" if quiet and kind.value == "info" else " checked"
        label = f"{kind.value} ({number})"
        switches.append(f'<label class="switch {kind}"><input type="checkbox" value="{kind}"{checked}> {label}</label>')
    return "".join(switches)


def _finding(block: Block, number: int, report: Report) -> str:
    change = block.lead
    kind = block.standing.value
    nodes = sorted({change.service, *(impact.consumer for impact in block.consumers)})
    rows = [("where", _spots(block)), ("why", safe(change.why, _PROSE))]
    if change.renamed_to:
        rows.append(("renamed", f"looks renamed to <code>{safe(change.renamed_to, _NAME)}</code>"))
    if change.exception is not None:
        entry = change.exception
        until = f"until {safe(entry.expires, _NAME)}, owner {safe(entry.owner, _NAME)}"
        signed = f", signed by {safe(words.names(entry.approved_by), _PROSE)}" if entry.approved_by else ""
        rows.append(("accepted", f"{until}{signed}: {safe(entry.reason, _PROSE)}"))
    rows.append(("rule", f"<code>{safe(change.rule, _NAME)}</code>, {change.confidence.value}, {change.effect.value}"))
    rows.append(("fingerprint", f"<code>{safe(change.fingerprint, _NAME)}</code>"))
    facts = "".join(f"<dt>{name}</dt><dd>{text}</dd>" for name, text in rows if text)
    open_ = " open" if block.standing.counts else ""
    count = f' <span class="count">{words.counted(block.broken, "consumer")} broken</span>' if block.broken else ""
    return (
        f'<article class="finding {kind}" id="change-{number}" data-kind="{kind}" '
        f'data-nodes="{safe(_json.dumps([plain(name) for name in nodes]))}"><details{open_}>'
        f'<summary><span class="badge">{kind}</span> <span class="service">{safe(change.service, _NAME)}</span> '
        f'<span class="message">{safe(change.message, _PROSE)}</span>{count}</summary>'
        f'<div class="body"><dl>{facts}</dl>{_sides(block, report)}{_witness(block)}'
        f"{_consumers(block, report)}{_fix_links(block, report)}</div></details></article>"
    )


def _spots(block: Block) -> str:
    spots = []
    for change in block.changes:
        operation, place, name = words.spot_parts(change)
        field = f"<code>{safe(name, _NAME)}</code>" if name else ""
        field += f" ({safe(words.also_at(change), _PROSE)})" if change.also else ""
        spots.append(
            " ".join(part for part in (f"<code>{safe(operation, _NAME)}</code>", safe(place, _NAME), field) if part)
        )
    if len(spots) == 1:
        return spots[0]
    items = "".join(f"<li>{spot}</li>" for spot in spots)
    said = f"{words.counted(len(block.operations), 'operation')}, one edit"
    if len(spots) <= 4:
        return f"{said}<ul>{items}</ul>"
    return f'<details class="more"><summary>{said}</summary><ul>{items}</ul></details>'


def _sides(block: Block, report: Report) -> str:
    change = block.lead
    besides = words.side_notes(change)
    sides = (("base", change.base, besides[0]), ("head", change.head, besides[1]))
    shown = [_source(f"{name}{f' ({beside})' if beside else ''}", place, report, name) for name, place, beside in sides]
    return f'<div class="sides">{"".join(shown)}</div>' if any(shown) else ""


def _source(title: str, place: Location | None, report: Report, side: str) -> str:
    if place is None:
        return ""
    head = f'<figcaption>{title} <code class="file">{safe(words.where(place), _FILE)}</code></figcaption>'
    excerpt = report.excerpts.get(place)
    if excerpt is None:
        return f'<figure class="source {side}">{head}</figure>'
    first, lines = excerpt
    rows = []
    for number, line in enumerate(lines, start=first):
        mark = ' class="hit"' if number == place.line else ""
        rows.append(f"<span{mark}><b>{number}</b>{safe(line, _SOURCE)}</span>")
    return f'<figure class="source {side}">{head}<pre>{"".join(rows)}</pre></figure>'


def _witness(block: Block) -> str:
    change = block.lead
    if change.witness is None:
        return f"<p><b>No witness.</b> {safe(change.unproved, _PROSE)}</p>" if change.unproved else ""
    witness = change.witness
    said = f"{words.witness_verdict(witness)}."
    value = safe(words.witness_value(witness), _WITNESS)
    return f'<div class="witness"><b>Witness.</b> {safe(said, _PROSE)}<pre class="value">{value}</pre></div>'


def _consumers(block: Block, report: Report) -> str:
    if not block.consumers:
        return ""
    rows = "".join(_consumer(impact, report) for impact in block.consumers)
    heads = "".join(f"<th>{name}</th>" for name in ("consumer", "impact", "because", "owner"))
    table = f'<div class="scroll"><table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'
    if len(block.consumers) <= _OPEN_CONSUMERS:
        return table
    return (
        f'<details class="more"><summary>{words.counted(len(block.consumers), "consumer")}</summary>{table}</details>'
    )


def _consumer(impact: ConsumerImpact, report: Report) -> str:
    reasons = "".join(f"<li>{safe(reason, _PROSE)}</li>" for reason in impact.because)
    manifest = ""
    if impact.manifest is not None:
        if impact.manifest in report.excerpts:
            manifest = _source("manifest", impact.manifest, report, "manifest")
        else:
            manifest = f'<code class="file">{safe(words.line_of(impact.manifest), _FILE)}</code>'
    hops = words.counted(impact.hops, "hop")
    return (
        f'<tr class="{impact.impact.value}"><td data-head="consumer"><b>{safe(impact.consumer, _NAME)}</b></td>'
        f'<td data-head="impact"><span class="key {impact.impact.value}">{impact.impact.value}</span><br>{hops}, '
        f'{safe(impact.confidence, _NAME)}</td><td data-head="because"><ol class="path">{reasons}</ol>{manifest}</td>'
        f'<td data-head="owner">{safe(words.party(impact), 2 * _NAME)}</td></tr>'
    )


def _fix_links(block: Block, report: Report) -> str:
    fixes = [
        f'<a href="#fix-{number}">{safe(fix.id, _NAME)} {fix.strategy.value}</a>'
        for number, fix in enumerate(report.fixes, start=1)
        if block.fingerprints & set(fix.changes)
    ]
    return f"<p><b>Fixes:</b> {', '.join(fixes)}</p>" if fixes else ""


def _fixes(report: Report) -> str:
    if not report.fixes:
        return ""
    articles = "".join(_fix(fix, number, report) for number, fix in enumerate(report.fixes, start=1))
    return f'<section aria-labelledby="fixes-title"><h2 id="fixes-title">Fixes, each tried</h2>{articles}</section>'


def _fix(fix: Fix, number: int, report: Report) -> str:
    checks = "".join(f"<li>{safe(line, _PROSE)}</li>" for line in fix.verification.lines)
    rollout = "".join(f"<li>{safe(step, _PROSE)}</li>" for step in fix.rollout)
    diffs = "".join(
        f'<details class="more"><summary>{safe(words.patch_place(patch), _FILE)}</summary><pre class="diff">{_diff(patch.diff)}</pre>'
        "</details>"
        for patch in fix.patches
        if patch.diff
    )
    by = "" if fix.proposed_by == "rules" else f", proposed by {safe(fix.proposed_by, _NAME)}"
    command = safe(words.fix_command(fix, report), _COMMAND)
    state = "verified" if fix.verification.verified else "not verified"
    return (
        f'<article class="fix" id="fix-{number}"><h3>{safe(fix.id, _NAME)} {fix.strategy.value} '
        f'<span class="badge {state.replace(" ", "-")}">{state}</span>{by}</h3><p>{safe(fix.rationale, _PROSE)}</p>'
        f'<ul class="checks">{checks}</ul><pre class="value">{command}</pre>{diffs}'
        f"{f'<h4>Rollout</h4><ol>{rollout}</ol>' if rollout else ''}</article>"
    )


def _diff(diff: str) -> str:
    return "".join(
        f'<span class="{_line_kind(line)}">{tabbed(safe, line, _SOURCE)}</span>'
        for line in words.diff_rows(diff)
        if line
    )


def _line_kind(line: str) -> str:
    if line.startswith(("@@", "--- ", "+++ ")):
        return "hunk"
    return {"+": "added", "-": "removed"}.get(line[0], "same")


def _notes(report: Report) -> str:
    if not report.notes:
        return ""
    items = []
    for note in words.sorted_notes(report):
        place = words.note_place(note)
        where = f' <code class="file">{safe(place, _FILE)}</code>' if place else ""
        items.append(f"<li><b>{safe(note.level, _NAME)}</b>{where} {safe(note.message, _PROSE)}</li>")
    return f'<section><h2>Notes</h2><ul class="notes">{"".join(items)}</ul></section>'


def _steps(report: Report, found: list[Block]) -> str:
    steps = words.next_steps(report, found)
    if not steps:
        return ""
    items = "".join(f"<li>{safe(step, _PROSE)}</li>" for step in steps)
    return f"<section><h2>What to do next</h2><ul>{items}</ul></section>"

"""GitHub annotations: workflow commands on standard output, within the runner's limits.

The runner keeps ten annotations of a level in a step and fifty in a job and drops the rest in silence; here the
most urgent come first, an edit seen in many operations is one annotation, and what was cut is said.
"""

from __future__ import annotations

from dataclasses import dataclass

from guardian.model import Location, Report
from guardian.report import words
from guardian.report.blocks import Block, Standing, blocks
from guardian.report.escape import github_data, github_property

PER_LEVEL = 10
PER_JOB = 50

_LEVELS = {
    Standing.BREAKING: "error",
    Standing.WARNING: "warning",
    Standing.ACCEPTED: "notice",
    Standing.UNREAD: "notice",
}
_NOTE_LEVELS = {"error": "error", "warning": "warning"}
_TITLE = 200
_TEXT = 2000
_REASONS = 5  # consumers explained in an annotation


@dataclass(frozen=True, slots=True)
class _Annotation:
    level: str
    title: str
    lines: tuple[str, ...]
    place: Location | None

    def __str__(self) -> str:
        properties = []
        if self.place is not None:
            properties.append(f"file={github_property(self.place.file)}")
            if self.place.line:
                properties.append(f"line={self.place.line}")
                if self.place.column:
                    properties.append(f"col={self.place.column}")
        properties.append(f"title={github_property(self.title, _TITLE)}")
        # Each line is made harmless by itself; the line breaks between them are ours.
        message = "%0A".join(github_data(line, _TEXT) for line in self.lines)
        return f"::{self.level} {','.join(properties)}::{message}"


def render(report: Report) -> str:
    """Annotations, most urgent first, then the verdict with all counts as the last notice."""
    found = [_change(block) for block in blocks(report, harmless=False)]
    found += [
        _Annotation(
            _NOTE_LEVELS.get(note.level, "notice"),
            "guardian",
            (note.message,),
            Location(note.file, line=note.line) if note.file else None,
        )
        for note in words.sorted_notes(report)
    ]
    kept: list[_Annotation] = []
    cut: dict[str, int] = {}
    for level in ("error", "warning", "notice"):
        # The last notice is the verdict's.
        room = min(PER_LEVEL, PER_JOB - len(kept)) - (level == "notice")
        all_of_level = [annotation for annotation in found if annotation.level == level]
        kept += all_of_level[:room]
        if len(all_of_level) > room:
            cut[level] = len(all_of_level) - room
    said = [words.headline(report), words.summary_sentence(report)]
    if cut:
        counts = ", ".join(words.counted(number, level) for level, number in cut.items())
        said.append(f"Not annotated for GitHub's limit of {PER_LEVEL} a level: {counts}. The full report has them.")
    verdict = _Annotation("notice", f"guardian: {report.verdict.value.upper()}", tuple(said), None)
    return "".join(f"{annotation}\n" for annotation in [*kept, verdict])


def _change(block: Block) -> _Annotation:
    change = block.lead
    said = [f"{change.service}: {change.message}", words.spot(change)]
    if len(block.changes) > 1:
        said[1] += f" and {words.counted(len(block.changes) - 1, 'more place')} by the same edit"
    if change.why:
        said.append(words.reason(change))
    for impact in block.consumers[:_REASONS]:
        manifest = f" ({words.line_of(impact.manifest)})" if impact.manifest else ""
        said.append(f"{impact.consumer} {impact.impact.value}: {'; '.join(impact.because)}{manifest}")
    if len(block.consumers) > _REASONS:
        said.append(f"and {words.counted(len(block.consumers) - _REASONS, 'more consumer')}")
    if change.base is not None:
        said.append(f"base: {words.where(change.base)}")
    if change.exception is not None:
        said.append(f"accepted until {change.exception.expires} by {change.exception.owner}: {change.exception.reason}")
    title = f"{change.rule} ({block.standing.value})"
    return _Annotation(_LEVELS[block.standing], title, tuple(said), change.head or change.base)

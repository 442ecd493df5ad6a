"""Splices: pieces of a text exchanged for others, and the unified diff of a text edited that way.

The diff is made from the splices alone, so that it takes as long as what changed and not as long as the file. Of very
long lines, such as a document written in one line, it shows what changed and a little around it.
"""

from __future__ import annotations

import difflib
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate, chain, zip_longest
from typing import NamedTuple

from guardian.fixes.json_patch import failed

_CONTEXT = 3
# Characters in the stretches of a text whose line ends are counted: how many are looked through, at most, to find a line.
_STEP = 4096
# A line with more characters than this is shown in part: so many on each side of what changed in it.
LONG_LINE = 2_000
_AROUND = 100
# What is shorter than what would be said of it is not left out.
_GAP = 40


class Splice(NamedTuple):
    """The text between two offsets is exchanged; with equal offsets, something is put in."""

    start: int
    end: int
    text: str


def splice(text: str, splices: Sequence[Splice]) -> str:
    """The text after all splices, which are sorted by start; where one place gets several, in that order.

    Raises:
        PatchError: two of them overlap.
    """
    stays = [text[start:end] for start, end in between(splices, len(text))]
    return "".join(chain.from_iterable(zip_longest(stays, (each.text for each in splices), fillvalue="")))


def between(splices: Sequence[Splice], end: int) -> list[tuple[int, int]]:
    """What stays of a text that ends at an offset: before, between and behind its splices, one more than those.

    Raises:
        PatchError: two of them overlap.
    """
    starts = [0, *(each.end for each in splices)]
    ends = [*(each.start for each in splices), end]
    if any(stop < start for start, stop in zip(starts, ends, strict=True)):
        raise failed("two parts of the edit are in each other's way")
    return list(zip(starts, ends, strict=True))


class Diff(NamedTuple):
    """A unified diff, and whether it shows every line in full: what does not is for people, and nothing can apply it."""

    text: str
    is_whole: bool


def unified_diff(lines: Lines, splices: Sequence[Splice], file: str) -> Diff:
    """The unified diff, with ``a/`` and ``b/`` before the name as git writes it; empty if nothing changes.

    Lines of more than ``LONG_LINE`` characters are shortened to what changed in them.

    Args:
        lines: the text before.
        splices: what is exchanged in it, sorted.
        file: the name to show.
    """
    output: list[str] = []
    is_whole = True
    moved = 0  # by how many lines what follows has moved
    for group in _groups(splices, lines):
        low = max(lines.line_at(group[0].start) - _CONTEXT, 0)
        start = lines.start(low)
        old = lines.between(low, lines.line_at(max(group[-1].end - 1, group[-1].start)) + _CONTEXT + 1)
        local = [Splice(each.start - start, each.end - start, each.text) for each in group]
        new = _split(splice("".join(old), local))
        if old != new:
            rows, longest = _hunk(lines, low, _Block(old, _before(local)), _Block(new, _after(local)), moved)
            output += rows
            is_whole = is_whole and longest <= LONG_LINE
        moved += len(new) - len(old)
    text = "\n".join([f"--- a/{file}", f"+++ b/{file}", *output]) + "\n" if output else ""
    return Diff(text, is_whole)


class Lines:
    """A text's lines, counted from 0, and where they start. Each is looked up where it is asked for."""

    def __init__(self, text: str) -> None:
        self._text = text
        breaks = (text.count("\n", at, at + _STEP) for at in range(0, len(text), _STEP))
        self._breaks = list(accumulate(breaks, initial=0))  # before each stretch of the text

    def line_at(self, offset: int) -> int:
        """The line that a character is in; at the end of a text with a line end, the last one."""
        offset = min(offset, len(self._text) - 1)
        stretch = max(offset, 0) // _STEP
        return self._breaks[stretch] + self._text.count("\n", stretch * _STEP, max(offset, 0))

    def start(self, line: int) -> int:
        """Where a line starts; behind the last one, the end of the text."""
        stretch = max(bisect_left(self._breaks, line) - 1, 0)
        at = stretch * _STEP
        for _ in range(line - self._breaks[stretch]):
            at = self._text.find("\n", at) + 1
            if not at:
                return len(self._text)
        return at

    def between(self, first: int, behind: int) -> list[str]:
        """The lines from one on, up to another one or the last."""
        return _split(self._text[self.start(first) : self.start(behind)])


def _split(text: str) -> list[str]:
    """Lines as editors and code hosts count them: at line feeds alone."""
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop().removesuffix("\n")
    return [*lines, last] if last else lines


def _groups(splices: Sequence[Splice], lines: Lines) -> list[list[Splice]]:
    """The splices, those together whose lines are close to each other."""
    groups: list[list[Splice]] = []
    end = 0
    for each in splices:
        if groups and lines.line_at(each.start) - end <= 2 * _CONTEXT + 1:
            groups[-1].append(each)
        else:
            groups.append([each])
        end = lines.line_at(max(each.end - 1, each.start))
    return groups


class _Block(NamedTuple):
    """Lines of one state of the text, and the stretches of them (by offsets) that are not as in the other state."""

    lines: list[str]
    changed: list[tuple[int, int]]

    def shown(self) -> list[str]:
        """The lines as a diff shows them."""
        starts = accumulate(map(len, self.lines), initial=0)
        return [shortened(line, self.changed, start) for line, start in zip(self.lines, starts, strict=False)]


def _before(splices: Sequence[Splice]) -> list[tuple[int, int]]:
    return [(each.start, each.end) for each in splices]


def _after(splices: Sequence[Splice]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    moved = 0
    for each in splices:
        found.append((each.start + moved, each.start + moved + len(each.text)))
        moved += len(each.text) - (each.end - each.start)
    return found


def shortened(line: str, changed: Sequence[tuple[int, int]] = (), at: int = 0) -> str:
    """A line of a diff; of a very long one what changed and a little around it, or, where nothing did, its beginning.

    Args:
        line: the line, with its end.
        changed: the stretches that changed, by offsets, sorted.
        at: the offset where the line starts.
    """
    if len(line) <= LONG_LINE:
        return line
    text = line.removesuffix("\n")
    kept = _windows([(start - at, end - at) for start, end in changed], len(text)) or [(0, _AROUND)]
    pieces: list[str] = []
    done = 0
    for start, end in [*kept, (len(text), len(text))]:
        if start > done:
            pieces.append(f"...({start - done:,} characters left out)...")
        pieces.append(text[start:end])
        done = end
    return "".join(pieces) + line[len(text) :]


def _windows(changed: Sequence[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    """What is kept of a line of some length: both ends of each stretch that changed in it, and what is around them."""
    kept: list[tuple[int, int]] = []
    for start, end in ((max(start, 0), min(end, length)) for start, end in changed if start <= length and end >= 0):
        ends = [(start, end)] if end - start <= LONG_LINE else [(start, start + _AROUND), (end - _AROUND, end)]
        for low, high in ends:
            low, high = max(low - _AROUND, 0), min(high + _AROUND, length)
            if low >= high:
                continue
            if kept and low - kept[-1][1] <= _GAP:
                kept[-1] = (kept[-1][0], max(high, kept[-1][1]))
            else:
                kept.append((low, high))
    return kept


def _hunk(lines: Lines, low: int, base: _Block, head: _Block, moved: int) -> tuple[list[str], int]:
    """One hunk: ``base``, which stands from line ``low`` on, became ``head``; context comes from the whole text.

    Beside its rows, how long the longest of its lines is.
    """
    old, new = base.lines, head.lines
    same = 0
    while same < min(len(old), len(new)) and old[same] == new[same]:
        same += 1
    tail = 0
    while tail < min(len(old), len(new)) - same and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    first, last = low + same, low + len(old) - tail
    before, behind = lines.between(max(first - _CONTEXT, 0), first), lines.between(last, last + _CONTEXT)
    gone, come = base.shown()[same : len(old) - tail], head.shown()[same : len(new) - tail]
    old, new = lines.between(first, last), new[same : len(new) - tail]
    rows = [_row(" ", shortened(line)) for line in before]
    for kind, a0, a1, b0, b1 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            rows += [_row(" ", shortened(line)) for line in old[a0:a1]]
            continue
        rows += [_row("-", line) for line in gone[a0:a1]]
        rows += [_row("+", line) for line in come[b0:b1]]
    rows += [_row(" ", shortened(line)) for line in behind]
    start, around = first - len(before), len(before) + len(behind)
    header = f"@@ -{_range(start, len(old) + around)} +{_range(start + moved, len(new) + around)} @@"
    return [header, *rows], max(map(len, (*before, *old, *new, *behind)))


def _range(start: int, length: int) -> str:
    if length == 0:
        return f"{start},0"
    return str(start + 1) if length == 1 else f"{start + 1},{length}"


def _row(mark: str, line: str) -> str:
    text = line.removesuffix("\n")
    return f"{mark}{text}" if line.endswith("\n") else f"{mark}{text}\n\\ No newline at end of file"

"""Splices: pieces of a text exchanged for others, and the unified diff of a text edited that way.

The diff is made from the splices alone, so that it takes as long as what changed and not as long as the file.
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


def unified_diff(lines: Lines, splices: Sequence[Splice], file: str) -> str:
    """The unified diff, with ``a/`` and ``b/`` before the name as git writes it; empty if nothing changes.

    Args:
        lines: the text before.
        splices: what is exchanged in it, sorted.
        file: the name to show.
    """
    output: list[str] = []
    moved = 0  # by how many lines what follows has moved
    for group in _groups(splices, lines):
        low = max(lines.line_at(group[0].start) - _CONTEXT, 0)
        start = lines.start(low)
        old = lines.between(low, lines.line_at(max(group[-1].end - 1, group[-1].start)) + _CONTEXT + 1)
        local = [Splice(each.start - start, each.end - start, each.text) for each in group]
        new = _split(splice("".join(old), local))
        if old != new:
            output += _hunk(lines, low, old, new, moved)
        moved += len(new) - len(old)
    return "\n".join([f"--- a/{file}", f"+++ b/{file}", *output]) + "\n" if output else ""


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


def _hunk(lines: Lines, low: int, old: list[str], new: list[str], moved: int) -> list[str]:
    """One hunk: ``old``, which stands from line ``low`` on, became ``new``; context comes from the whole text."""
    same = 0
    while same < min(len(old), len(new)) and old[same] == new[same]:
        same += 1
    tail = 0
    while tail < min(len(old), len(new)) - same and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    first, last = low + same, low + len(old) - tail
    before, behind = lines.between(max(first - _CONTEXT, 0), first), lines.between(last, last + _CONTEXT)
    old, new = lines.between(first, last), new[same : len(new) - tail]
    rows = [_row(" ", line) for line in before]
    for kind, a0, a1, b0, b1 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            rows += [_row(" ", line) for line in old[a0:a1]]
            continue
        rows += [_row("-", line) for line in old[a0:a1]]
        rows += [_row("+", line) for line in new[b0:b1]]
    rows += [_row(" ", line) for line in behind]
    start, around = first - len(before), len(before) + len(behind)
    return [f"@@ -{_range(start, len(old) + around)} +{_range(start + moved, len(new) + around)} @@", *rows]


def _range(start: int, length: int) -> str:
    if length == 0:
        return f"{start},0"
    return str(start + 1) if length == 1 else f"{start + 1},{length}"


def _row(mark: str, line: str) -> str:
    text = line.removesuffix("\n")
    return f"{mark}{text}" if line.endswith("\n") else f"{mark}{text}\n\\ No newline at end of file"

"""One file's part of a fix: the operations, the same as an overlay, the file's own text edited, and the diff of it.

The diff is written as git writes it, with the blob ids of both states in its ``index`` line. So a diff alone says
exactly which bytes it belongs to: `apply_patch` puts it on a file that is still the one that was checked, and refuses
any other. Where lines are too long to be shown in full, the patch has its edits beside the diff, and they are applied.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from guardian.fixes import json_patch
from guardian.fixes.file_bytes import blob_id
from guardian.fixes.json_patch import Operation, failed
from guardian.fixes.overlay import overlay
from guardian.fixes.splices import Splice, unified_diff
from guardian.fixes.text_edit import SharedPlace, TextEditor
from guardian.model import Patch

_INDEX = re.compile(r"index ([0-9a-f]{40})\.\.([0-9a-f]{40})")
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@.*")
_NO_NEWLINE = "\\ No newline at end of file"


@dataclass(frozen=True, slots=True)
class PatchedFile:
    """A file after its part of a fix: the bytes, what they say, and the patch in the form of reports.

    ``is_shared`` tells that the patch says more than was asked for, as what was to change stands at an anchor.
    """

    data: bytes
    says: Any
    patch: Patch
    is_shared: bool = False


def patch_file(
    editor: TextEditor,
    operations: Sequence[Operation],
    kind: str,
    *,
    place_after: Mapping[str, str] | None = None,
    title: str = "",
    elsewhere: str | None = None,
    apart: bool = False,
) -> PatchedFile:
    """Edit a file's own text by JSON Patch operations.

    Where the place is an anchor that aliases use too, the edit holds for all of them, and the patch says so: its
    operations then name every place that changes. Whether that is right is for the verification to say; where it is not,
    the same is tried with ``apart``.

    Args:
        editor: the file.
        operations: RFC 6902, on what the file says.
        kind: ``spec`` or ``manifest``.
        place_after: for the pointer of a new member, the key of the member that it should follow.
        title: what the overlay is called.
        elsewhere: the other repository, or the host, that has the file.
        apart: whether an alias that is to say something else than its anchor is written out.

    Raises:
        PatchError: the operations cannot be applied, or the text cannot be edited without touching what they do not name.
    """
    after = json_patch.apply(editor.says, operations)
    is_shared = False
    try:
        edited = editor.edit(after, place_after=place_after, apart=apart)
    except SharedPlace as shared:
        is_shared = True
        operations = tuple(difference(editor.says, shared.says))
        edited = editor.edit(shared.says, place_after=place_after)
    name = editor.file if elsewhere is None else editor.file.removeprefix(f"{elsewhere}:")
    diff = unified_diff(editor.lines, edited.splices, name)
    made = Patch(
        file=editor.file,
        kind=kind,
        json_patch=tuple(operations),
        overlay=overlay(editor.says, edited.says, title) if kind == "spec" else {},
        diff=git_diff(editor.bytes.blob, edited.data, diff.text),
        edits=() if diff.is_whole else edited.splices,
        elsewhere=elsewhere,
    )
    return PatchedFile(edited.data, edited.says, made, is_shared)


def difference(before: Any, after: Any, at: str = "") -> list[Operation]:
    """JSON Patch operations that lead from one value to another; lists that differ in length are replaced."""
    if before is after or json_patch.equal(before, after):
        return []
    if isinstance(before, dict) and isinstance(after, dict):
        found: list[Operation] = []
        for key, value in before.items():
            below = at + json_patch.pointer(key)
            found += difference(value, after[key], below) if key in after else [json_patch.remove(below)]
        return found + [json_patch.add(at + json_patch.pointer(key), after[key]) for key in after if key not in before]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = enumerate(zip(before, after, strict=True))
        return [each for index, (one, other) in pairs for each in difference(one, other, f"{at}/{index}")]
    return [json_patch.replace(at, after)]


def git_diff(before: str, after: bytes, unified: str) -> str:
    """A unified diff with the line that names both states of the file; of the first its name is enough."""
    if not unified:
        return ""
    name = unified.partition("\n")[0].removeprefix("--- a/")
    return f"diff --git a/{name} b/{name}\nindex {before}..{blob_id(after)}\n{unified}"


def apply_patch(data: bytes, patch: Patch, file: str) -> bytes:
    """The file's bytes after a patch of `patch_file`.

    Raises:
        PatchError: the file is not the one that the patch was made for.
    """
    index = _INDEX.search(patch.diff)
    if index is None:
        raise failed("the diff does not say which state of the file it is for", file=file)
    if blob_id(data) != index[1]:
        raise failed("the file has changed since it was checked; run the check again", file=file)
    editor = TextEditor(data, file)
    if patch.edits:
        after = editor.bytes.spliced([Splice(*each) for each in patch.edits])
    else:
        after = editor.bom + _apply_hunks(editor.source.text, patch.diff, file).encode(editor.encoding)
    if blob_id(after) != index[2]:
        raise failed("the diff does not lead to the state that was verified", file=file)
    return after


def _apply_hunks(text: str, diff: str, file: str) -> str:
    lines = text.split("\n")  # the last one is what follows the last line end, often nothing
    output: list[str] = []
    at = 0
    body = iter(diff.split("\n"))
    row = next((each for each in body if each.startswith("+++ ")), None)
    unfinished = False  # whether the last line of the new text has no line end
    row = next(body, None)
    while row:
        header = _HUNK.fullmatch(row)
        if header is None:
            raise failed("the diff is malformed", file=file)
        start = int(header[1]) - (header[2] != "0")
        output += lines[at:start]
        at = start
        left, right = int(header[2] or 1), int(header[4] or 1)
        mark = ""
        row = next(body, None)
        while row is not None and (left > 0 or right > 0 or row == _NO_NEWLINE):
            if row == _NO_NEWLINE:
                unfinished = unfinished or mark in " +"
            else:
                mark = row[:1]
                if mark in " +":
                    output.append(row[1:])
                    right -= 1
                if mark in " -":
                    at += 1
                    left -= 1
            row = next(body, None)
    output += lines[at:]
    if unfinished and output and not output[-1]:
        output.pop()
    elif not unfinished and at >= len(lines):
        output.append("")
    return "\n".join(output)

"""The exceptions file as its owners wrote it: entries are added and taken out, and all other text stays as it is."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from guardian.errors import ConfigError
from guardian.fixes.json_patch import PatchError
from guardian.fixes.text_edit import TextEditor
from guardian.spec.text import decode, load

HEADING = """\
# Findings that everyone concerned has agreed to. Each needs a reason, an owner and a day on which it ends.
"""
_NO_ENTRIES = re.compile(r"^\[[ \t]*\][ \t]*(#.*)?$", re.MULTILINE)


def with_entry(data: bytes | None, name: str, entry: Mapping[str, Any], index: int | None = None) -> bytes:
    """The file with an entry more, or (``index``) with one in place of another.

    Args:
        data: the file as it is; ``None`` where there is none yet.
        name: what to call it in messages.

    Raises:
        ConfigError: it cannot be edited.
    """
    data = HEADING.encode() if data is None else data
    says = load(data, name) or []
    after = [*says, dict(entry)]
    if index is not None:
        after = [*says[:index], dict(entry), *says[index + 1 :]]
    if says:
        return _edited(data, name, after)
    text = _NO_ENTRIES.sub("", decode(data, name)).strip("\n")
    written = _edited(b"- seed: true\n", name, [{"seed": True}, dict(entry)]).decode()
    return f"{text}\n{written.removeprefix('- seed: true').lstrip()}".lstrip("\n").encode()


def without_entries(data: bytes, name: str, indices: Collection[int]) -> bytes:
    """The file without some of its entries.

    Raises:
        ConfigError: it cannot be edited.
    """
    says = load(data, name) or []
    after = [each for index, each in enumerate(says) if index not in indices]
    if after:
        return _edited(data, name, after)
    # No entry is left to keep its place: the file's own comments above the first one stay.
    lines = decode(data, name).splitlines(keepends=True)
    heading = next((at for at, line in enumerate(lines) if not re.match(r"\s*(#|$|---|%)", line)), len(lines))
    return ("".join(lines[:heading]) + "[]\n").encode()


def _edited(data: bytes, name: str, after: list[Any]) -> bytes:
    try:
        return TextEditor(data, name).edit(after).data
    except PatchError as error:
        raise ConfigError(f"cannot be edited: {error.message}", file=name, hint="edit it by hand") from error

"""Edits of a user's own JSON or YAML text: the smallest splices that make it say something else.

What a document says before and after is compared, and only where the two differ is the text touched, so comments,
order, quoting, anchors, indentation and line ends stay as they are everywhere else, byte for byte. Every edit is read
back: if the new text does not say exactly what it should, or would also change what another alias of the same anchor
says, the edit is refused.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from guardian.errors import ReadError
from guardian.fixes.block_edit import BlockEditor
from guardian.fixes.file_bytes import FileBytes
from guardian.fixes.json_patch import PatchError, equal, failed
from guardian.fixes.read_back import reads_back
from guardian.fixes.source import Source
from guardian.fixes.splices import Lines, Splice
from guardian.lazy import cached_property
from guardian.spec.pieces import Text
from guardian.spec.size import MAX_BYTES
from guardian.spec.text import decode, load

_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class SharedPlace(PatchError):
    """The place is written once and meant in several places: an anchor with aliases.

    Attributes:
        says: what the text would say if the one place were edited.
    """

    says: Any = None


@dataclass(frozen=True, slots=True)
class Edited:
    """A text after an edit: its bytes, what it says, and the splices in the decoded text ``before`` that led to it."""

    data: bytes
    says: Any
    splices: tuple[Splice, ...]
    before: str


class TextEditor:
    """Edits one file, from one state of its bytes to others.

    Args:
        data: the file as it is.
        file: its name, for messages.
        says: its plain data, where it has been read already.
        written: where the members near its root stand, where it has been read in pieces.

    Raises:
        ReadError: the file cannot be read.
        PatchError: the file cannot be edited at all: several documents, an encoding that does not round-trip.
    """

    def __init__(self, data: bytes, file: str, says: Any = None, written: Text | None = None) -> None:
        self.file = file
        self.data = data
        self.says = load(data, file) if says is None else says
        text = decode(data, file)
        self.bom, self.encoding = next(
            ((bom, name) for bom, name in _BOMS if data.startswith(bom)), (b"", json.detect_encoding(data))
        )
        self.bytes = FileBytes(data, text, self.bom, self.encoding)
        if not self.bytes.is_exact:
            raise failed("its encoding does not survive an edit", file=file)
        self.source = Source(text, file, written, self.bytes.character)

    @cached_property
    def lines(self) -> Lines:
        """The lines of the text as it is."""
        return Lines(self.source.text)

    @property
    def has_aliases(self) -> bool:
        """Whether what is written once is meant in several places."""
        return not self.source.json and self.source.root is not None and bool(self.source.aliases)

    def edit(self, after: Any, *, place_after: Mapping[str, str] | None = None, apart: bool = False) -> Edited:
        """The file changed so that it says ``after``.

        Args:
            after: plain data that differs from what the file says where it should change.
            place_after: for the JSON pointer of a new member, the key of the member that it should follow.
            apart: whether an alias that is to say something else than its anchor is written out.

        Raises:
            SharedPlace: the change would have to be made where other places use it too.
            PatchError: it cannot be made, or could not be proved to be made.
        """
        editor = BlockEditor(self.source, self.says, after, place_after or {}, apart=apart)
        splices = tuple(editor.run())
        data = self.bytes.spliced(splices)
        edited = Edited(data, after, splices, self.source.text)
        if self._reads_back(edited):
            return edited
        try:
            says = load(data, self.file)
        except ReadError as error:
            raise failed(f"the edited text could not be read back: {error.message}", file=self.file) from None
        if not equal(says, after):
            if not editor.shared:
                raise failed("the edited text does not say what it should", file=self.file)
            names = ", ".join(f"&{name}" for name in sorted(editor.shared))
            shared = SharedPlace(f"what is to be changed stands at {names}, which other places use too", file=self.file)
            shared.says = says
            raise shared
        return edited

    def _reads_back(self, edited: Edited) -> bool:
        """Whether it is sure, without reading all of it, that a text says what it should."""
        source = self.source
        return (
            source.json
            and len(edited.data) <= MAX_BYTES
            and reads_back(source.text, source.root, self.says, edited.says, edited.splices)
        )

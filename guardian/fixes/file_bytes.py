"""A file's bytes beside its text: where each character stands in them, and what git calls them.

With that the bytes of an edited file are put together from slices of those it had, and nothing is encoded but what is
put in.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, chain, zip_longest

from guardian.fixes.splices import Splice, between
from guardian.lazy import cached_property

# Characters between two places whose offsets are kept: how many are encoded, at most, to find any other.
_STEP = 4096


class FileBytes:
    """A file that has been decoded.

    Args:
        data: its bytes.
        text: its text, without the byte order mark.
        bom: its byte order mark, empty if it has none.
        encoding: that of the text. Of a text in pieces it gives the bytes in pieces, as every encoding of Unicode does
            that writes no byte order mark itself.

    Attributes:
        is_exact: whether the text, encoded, gives these bytes again. Nothing else holds where it does not.
    """

    def __init__(self, data: bytes, text: str, bom: bytes, encoding: str) -> None:
        self.data = data
        self._text = text
        self._bom = bom
        self._encoding = encoding
        pieces = [text[at : at + _STEP].encode(encoding) for at in range(0, len(text), _STEP)]
        self._starts = list(accumulate(map(len, pieces), initial=len(bom)))
        self.is_exact = b"".join((bom, *pieces)) == data

    def offset(self, at: int) -> int:
        """Where in the bytes a character of the text stands, or its end."""
        piece = at // _STEP
        return self._starts[piece] + len(self._text[piece * _STEP : at].encode(self._encoding))

    def character(self, at: int) -> int:
        """Where in the text the character stands that begins at a byte, or its end; the inverse of `offset`."""
        piece = max(min(bisect_right(self._starts, at), len(self._starts) - 1) - 1, 0)
        return piece * _STEP + len(self.data[self._starts[piece] : at].decode(self._encoding))

    def spliced(self, splices: Sequence[Splice]) -> bytes:
        """The bytes of the file whose text is spliced (see ``splices.splice``).

        Raises:
            PatchError: two splices overlap.
        """
        data = memoryview(self.data)
        stays = [data[self.offset(start) : self.offset(end)] for start, end in between(splices, len(self._text))]
        put_in = (each.text.encode(self._encoding) for each in splices)
        return b"".join((self._bom, *chain.from_iterable(zip_longest(stays, put_in, fillvalue=b""))))

    @cached_property
    def blob(self) -> str:
        """The name that git gives to the file."""
        return blob_id(self.data)


def blob_id(data: bytes) -> str:
    """The name that git gives to a file's bytes."""
    name = hashlib.sha1(b"blob %d\0" % len(data), usedforsecurity=False)
    name.update(data)
    return name.hexdigest()

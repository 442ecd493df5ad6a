"""Texts of an alternative: of its lengths and, where that can be decided, its patterns and formats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count, islice, product

from guardian.rules import formats, patterns
from guardian.spec.ecma import Undecidable
from guardian.spec.shape import Atom

# Longer texts are not made: nobody reads them.
MAX_TEXT = 70_000

# Texts that meet many a pattern which cannot be decided.
_GUESSES = (
    "a",
    "A",
    "1",
    "a1",
    "A1",
    "aA1!",
    "aaaaaaaA1!",
    "123e4567-e89b-12d3-a456-426614174000",
    "https://a.example/",
)


def texts(atom: Atom) -> Iterator[str]:
    """Texts of an alternative that keep to its lengths and, where that is decidable, its patterns and formats."""
    low, high = lengths_of(atom)
    known = [name for name in atom.formats if name in formats.EXAMPLES]
    if known:
        made: Iterable[str] = (text for name in known for text in formats.EXAMPLES[name])
    else:
        made = various_texts(atom)
    yield from (text for text in made if low <= len(text) <= (MAX_TEXT if high is None else high))


def various_texts(atom: Atom) -> Iterator[str]:
    """Any number of texts without regard to formats."""
    low, high = lengths_of(atom)
    if atom.patterns:
        try:
            yield from islice(patterns.matching(atom.patterns, shortest=low, longest=high), 50)
        except Undecidable:
            yield from (guess for guess in _GUESSES if low <= len(guess) <= (high or MAX_TEXT))
        return
    if low > MAX_TEXT:
        return
    if low == 0 and high == 0:
        yield ""
        return
    for length in count(max(low, 1)):
        if high is not None and length > high:
            break
        if length > max(low, 1) + 3:
            return
        for letters in product("abcdefghijklmnopqrstuvwxyz", repeat=min(length, 2)):
            yield "a" * (length - len(letters)) + "".join(letters)
    if low == 0:
        yield ""


def lengths_of(atom: Atom) -> tuple[int, int | None]:
    low = int(atom.min_length.value) if atom.min_length else 0
    return low, int(atom.max_length.value) if atom.max_length else None


def text_of_length(atom: Atom, length: int) -> str | None:
    """One text of exactly this length, plausible for the alternative."""
    if not 0 <= length <= MAX_TEXT:
        return None
    for name in atom.formats:
        if name in _PADDED:
            before, after = _PADDED[name]
            padding = length - len(before) - len(after)
            return f"{before}{'a' * padding}{after}" if padding > 0 else None
        if name in formats.EXAMPLES:
            return next((text for text in formats.EXAMPLES[name] if len(text) == length), None)
    if not atom.patterns:
        return "a" * length
    try:
        return next(patterns.matching(atom.patterns, shortest=length, longest=length), None)
    except Undecidable:
        return next((guess for guess in _GUESSES if len(guess) == length), None)


# Formats whose values may have any length: what stands before and behind the padding.
_PADDED = {
    "uri": ("https://example.com/", ""),
    "uri-reference": ("/", ""),
    "iri": ("https://example.com/", ""),
    "iri-reference": ("/", ""),
    "uri-template": ("/", ""),
    "email": ("", "@example.com"),
    "idn-email": ("", "@example.com"),
    "json-pointer": ("/", ""),
    "regex": ("", ""),
    "base64url": ("", ""),
    **dict.fromkeys(formats.ANNOTATIONS, ("", "")),
}

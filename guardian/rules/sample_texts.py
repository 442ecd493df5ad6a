"""Texts of an alternative: of its lengths and, where that can be decided, its patterns and formats."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import date
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
    made: Iterable[str] = _formatted(atom, known, low) if known else various_texts(atom)
    yield from (text for text in made if low <= len(text) <= (MAX_TEXT if high is None else high))


def _formatted(atom: Atom, known: Iterable[str], low: int) -> Iterator[str]:
    """Texts of some formats: those that are kept here, where they are long enough and match, then longer ones."""
    for name in known:
        yield from (text for text in formats.EXAMPLES[name] if _matches(atom, text))
    for length in range(low, low + _GRAIN) if low else ():
        text = text_of_length(atom, length)
        if text is not None and _matches(atom, text):
            yield text


def _matches(atom: Atom, text: str) -> bool:
    """Whether a text matches all patterns, as far as that can be decided."""
    try:
        return all(patterns.found(pattern, text) for pattern in atom.patterns)
    except Undecidable:
        return True


def different_texts(atom: Atom) -> Iterator[str]:
    """Any number of different texts, of its formats too where these have values that can be counted through."""
    counted = [name for name in atom.formats if name in _COUNTED]
    if not counted:
        if not atom.formats:
            yield from various_texts(atom)
        return
    low, high = lengths_of(atom)
    for number in range(_MOST_COUNTED):
        text = _COUNTED[counted[0]](number)
        if low <= len(text) <= (MAX_TEXT if high is None else high) and _matches(atom, text):
            yield text


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
        if name == "hostname" and length <= _LONGEST_LABEL:
            return "a" * length
        if name == "byte" and length % _GRAIN == 0:
            return "a" * length
        if name in formats.EXAMPLES:
            return next((text for text in formats.EXAMPLES[name] if len(text) == length), None)
    if not atom.patterns:
        return "a" * length
    try:
        return next(patterns.matching(atom.patterns, shortest=length, longest=length), None)
    except Undecidable:
        return next((guess for guess in _GUESSES if len(guess) == length), None)


# Of base64, whose texts are whole groups of so many characters.
_GRAIN = 4
_LONGEST_LABEL = 63  # characters (RFC 1035, section 2.3.4)
_MOST_COUNTED = 10_000

_FIRST_DAY = date(2020, 1, 31).toordinal()

# Formats of which there is a value for each number.
_COUNTED: dict[str, Callable[[int], str]] = {
    "uuid": lambda number: f"{number:08x}-9c61-4cb7-bfcd-ee2522c8f633",
    "date": lambda number: date.fromordinal(_FIRST_DAY + number).isoformat(),
    "date-time": lambda number: f"{date.fromordinal(_FIRST_DAY + number).isoformat()}T00:00:00Z",
    "email": lambda number: f"a{number}@example.com",
    "hostname": lambda number: f"a{number}.example.com",
    "ipv4": lambda number: f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}",
    "uri": lambda number: f"https://example.com/{number}",
    "uri-reference": lambda number: f"/{number}",
}

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

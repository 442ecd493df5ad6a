"""What happened to ``format``: which formats lie in which, and which only annotate.

The formats of JSON Schema 2020-12 (validation, section 7.3) and of the OpenAPI format registry, read as assertions.
Two known formats of which neither lies in the other are taken to differ both ways. What a custom format accepts no
document says, so a change that hangs on one comes with that reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from guardian.model import Effect

# They say how to show or to handle a value, not which values there are. Any text is a binary one.
ANNOTATIONS = frozenset(("password", "binary", "html", "commonmark", "markdown", "textarea", "multiline"))

# Each format with those it lies in; indirect ones follow from these.
_WHOLE_NUMBERS: dict[str, tuple[str, ...]] = {
    "int8": ("int16",),
    "int16": ("int32",),
    "int32": ("int64",),
    "int64": (),
    "uint8": ("uint16", "int16"),
    "uint16": ("uint32", "int32"),
    "uint32": ("uint64", "int64"),
    "uint64": (),
}
_NUMBERS: dict[str, tuple[str, ...]] = {
    **_WHOLE_NUMBERS,
    "int32": ("int64", "double-int"),
    "uint32": ("uint64", "int64", "double-int"),
    "int64": ("float",),
    "uint64": ("float",),
    "double-int": ("int64",),
    "float": ("double",),
    "double": (),
}
_STRINGS: dict[str, tuple[str, ...]] = {
    **_WHOLE_NUMBERS,  # written as text, as many APIs send what JavaScript cannot hold
    "base16": (),
    "base32": (),
    "base32hex": (),
    "base64url": (),
    "byte": (),
    "char": (),
    "date": ("hostname",),
    "date-time": (),
    "date-time-local": (),
    "duration": ("hostname",),
    "email": ("idn-email",),
    "hostname": ("idn-hostname", "uri-reference"),
    "http-date": (),
    "idn-email": (),
    "idn-hostname": (),
    "ipv4": ("hostname",),
    "ipv6": (),
    "iri": ("iri-reference",),
    "iri-reference": (),
    "json-pointer": (),
    "quoted-printable": (),
    "regex": (),
    "relative-json-pointer": (),
    "time": (),
    "time-local": (),
    "uri": ("uri-reference", "iri"),
    "uri-reference": ("iri-reference",),
    "uri-template": (),
    "uuid": ("hostname",),
}

# Valid samples of each format, the shortest or plainest first.
EXAMPLES: dict[str, tuple[str, ...]] = {
    "base16": ("61", "3F3F"),
    "base32": ("ME======",),
    "base32hex": ("C4======",),
    "base64url": ("YQ", "Pz8_"),
    "byte": ("YQ==", "Pz8/"),
    "char": ("a",),
    "date": ("2020-01-31", "1999-12-31"),
    "date-time": ("2020-01-31T00:00:00Z", "1999-12-31T23:59:59.5+01:00", "2020-01-31T00:00:00.000Z"),
    "date-time-local": ("2020-01-31T00:00:00",),
    "duration": ("P1D", "PT1H30M"),
    "email": ("a@example.com", "b@example.org"),
    "hostname": ("example.com", "a"),
    "http-date": ("Fri, 31 Jan 2020 00:00:00 GMT",),
    "idn-email": ("ä@example.com", "a@example.com"),
    "idn-hostname": ("bücher.example", "example.com"),
    **dict.fromkeys(("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"), ("1", "0")),
    "ipv4": ("192.0.2.1", "10.0.0.1"),
    "ipv6": ("::1", "2001:db8::1"),
    "iri": ("https://example.com/ä", "https://example.com/"),
    "iri-reference": ("/ä", "/a"),
    "json-pointer": ("/a", ""),
    "quoted-printable": ("=3D", "a"),
    "regex": ("^a$", "a"),
    "relative-json-pointer": ("0/a", "1"),
    "time": ("00:00:00Z", "23:59:59+01:00"),
    "time-local": ("00:00:00",),
    "uri": ("https://example.com/", "urn:a"),
    "uri-reference": ("/a", "a", "https://example.com/"),
    "uri-template": ("/a/{b}", "/a"),
    "uuid": (
        "123e4567-e89b-12d3-a456-426614174000",
        "c9a646d3-9c61-4cb7-bfcd-ee2522c8f633",
        "00000000-0000-0000-0000-000000000000",
    ),
}


# How long the text of a format is: at least, at most.
_LENGTHS: dict[str, tuple[int, int | None]] = {
    "char": (1, 1),
    "date": (10, 10),
    "date-time": (20, None),
    "date-time-local": (19, None),
    "duration": (3, None),
    "email": (3, None),
    "hostname": (1, 253),
    "idn-email": (3, None),
    "ipv4": (7, 15),
    "ipv6": (2, 45),
    "iri": (2, None),
    "relative-json-pointer": (1, None),
    "time": (9, None),
    "time-local": (8, None),
    "uri": (2, None),
    "uuid": (36, 36),
}


def lengths(names: Iterable[str]) -> tuple[int, int | None]:
    """The least and the greatest length of text in all of these formats."""
    known = [_LENGTHS[name] for name in names if name in _LENGTHS]
    most = [high for _, high in known if high is not None]
    return max((low for low, _ in known), default=0), min(most, default=None)


def relate(base: Iterable[str], head: Iterable[str], kind: str) -> tuple[Effect | None, str | None]:
    """What happened from one set of formats to the other, each set a conjunction.

    Args:
        base, head: the names that both sides write.
        kind: the JSON type of the values, ``string``, ``number`` or ``integer``; formats of another type say nothing.

    Returns:
        The effect, ``None`` if both accept the same values, and the reason why the documents cannot decide.
    """
    known = _STRINGS if kind == "string" else _NUMBERS
    foreign = _NUMBERS.keys() - known.keys() if kind == "string" else _STRINGS.keys() - known.keys()
    left, right = (frozenset(names) - ANNOTATIONS - foreign for names in (base, head))
    custom = sorted({*unknown(left, right), *unknown(right, left)})
    lost = not all(any(_within(mine, name, known) for mine in left) for name in right)
    gained = not all(any(_within(theirs, name, known) for theirs in right) for name in left)
    if not lost and not gained:
        return None, None
    effect = Effect.CHANGED if lost and gained else Effect.NARROWED if lost else Effect.WIDENED
    return effect, f"what the format `{custom[0]}` accepts, no document says" if custom else None


def unknown(names: Iterable[str], others: Iterable[str]) -> frozenset[str]:
    """The formats that one side alone writes, and of which no document says what they accept."""
    return frozenset(names) - frozenset(others) - ANNOTATIONS - _STRINGS.keys() - _NUMBERS.keys()


def _within(narrow: str, wide: str, known: Mapping[str, tuple[str, ...]]) -> bool:
    return narrow == wide or any(_within(each, wide, known) for each in known.get(narrow, ()))

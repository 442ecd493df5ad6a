"""Field paths: reading, writing, and when two of them share data."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardian.fieldpath import ROOT, Path, Wild, parse, parse_sent, touches, within, write, write_sent

ITEM, VALUE = Wild.ITEM, Wild.VALUE


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("$", ROOT),
        ("", ROOT),
        ("id", Path(("id",))),
        ("address.city", Path(("address", "city"))),
        ("roles[].name", Path(("roles", ITEM, "name"))),
        ("[].id", Path((ITEM, "id"))),
        ("[][]", Path((ITEM, ITEM))),
        ("labels.*", Path(("labels", VALUE))),
        ("*.x", Path((VALUE, "x"))),
        (r"a\.b.c", Path(("a.b", "c"))),
        (r"\*", Path(("*",))),
        ("$.id", Path(("id",))),
        ("$[0].id", Path((ITEM, "id"))),
        ("items[*].id", Path(("items", ITEM, "id"))),
        ("page[size]", Path(("page[size]",))),
        ("x.$ref", Path(("x", "$ref"))),
        ("query:page[size]", Path(("page[size]",), "query")),
        ("header:X-Tenant", Path(("X-Tenant",), "header")),
        ("scope:users.read", Path(("users.read",), "scope")),
        ("xml:lang", Path(("xml:lang",))),
    ],
)
def test_paths_are_read(text: str, path: Path) -> None:
    """The notation of INTERFACE, section 3, and what reports and JSONPath add to it."""
    assert parse(text) == path


@pytest.mark.parametrize("text", ["a..b", ".a", "a.", "a\\", "[].", "."])
def test_empty_names_are_refused(text: str) -> None:
    """A path that cannot be meant is an error that quotes it."""
    with pytest.raises(ValueError, match="`"):
        parse(text)


def test_what_is_sent_says_where() -> None:
    """In what is sent the body has its name; a bare name is refused with the likely spellings."""
    assert parse_sent("body.name") == Path(("name",))
    assert parse_sent("body.$") == parse_sent("body") == ROOT
    assert parse_sent("body[].id") == Path((ITEM, "id"))
    assert parse_sent("body.body.x") == Path(("body", "x"))
    with pytest.raises(ValueError, match=r"body\.name"):
        parse_sent("name")


names = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6)
steps = st.lists(names | st.sampled_from([ITEM, VALUE]), max_size=5).map(tuple)
placed = st.builds(lambda place, name: Path((name,), place), st.sampled_from(["query", "header", "scope"]), names)


@given(st.builds(Path, steps) | placed)
def test_written_paths_read_back(path: Path) -> None:
    """Whatever a property is called, writing and reading give the same path."""
    assert parse(write(path)) == path
    assert parse_sent(write_sent(path)) == path


@given(st.builds(Path, steps), st.builds(Path, steps))
def test_touching_is_mutual(one: Path, other: Path) -> None:
    """Two fields share data, or they do not: the order does not matter; the body shares with all."""
    assert touches(one, other) == touches(other, one)
    assert touches(one, ROOT)
    assert touches(one, one)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("address", "address.city", True),
        ("address.city", "address", True),
        ("address.city", "address.zip", False),
        ("roles", "roles[].name", True),
        ("labels.*", "labels.env", True),
        ("labels.*", "labels", True),
        ("labels.*", "labels[]", False),
        ("email", "email_address", False),
        ("a.b", r"a\.b", False),
        ("header:x-tenant", "header:X-Tenant", True),
        ("query:X", "query:x", False),
        ("query:filter", "query:filter[status]", True),
        ("query:filter", "query:filter.status", True),
        ("query:page", "query:page_size", False),
        ("scope:users", "scope:users.read", False),
        ("query:id", "id", False),
        ("$", "header:X", False),
    ],
)
def test_touching(one: str, other: str, expected: bool) -> None:
    """To read an object is to read everything in it; parameters are whole, or parts by their serialisation."""
    assert touches(parse(one), parse(other)) is expected
    assert touches(parse(other), parse(one)) is expected


def test_within() -> None:
    """Within is one-sided."""
    assert within(parse("a.b"), parse("a"))
    assert within(parse("a"), parse("a"))
    assert not within(parse("a"), parse("a.b"))

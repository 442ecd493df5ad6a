"""Parameters as they stand in a URL: the style examples of the OpenAPI Specification, and what a reader makes of them."""

from __future__ import annotations

from typing import Any

import pytest

from guardian.rules.url_text import as_one_text, readings, write

ARRAY = ["blue", "black", "brown"]
OBJECT = {"R": 100, "G": 200, "B": 150}


@pytest.mark.parametrize(
    ("value", "style", "explode", "text"),
    [
        ("blue", "matrix", False, ";color=blue"),
        (ARRAY, "matrix", False, ";color=blue,black,brown"),
        (OBJECT, "matrix", False, ";color=R,100,G,200,B,150"),
        (ARRAY, "matrix", True, ";color=blue;color=black;color=brown"),
        (OBJECT, "matrix", True, ";R=100;G=200;B=150"),
        ("blue", "label", False, ".blue"),
        (ARRAY, "label", False, ".blue,black,brown"),
        (ARRAY, "label", True, ".blue.black.brown"),
        (OBJECT, "label", True, ".R=100.G=200.B=150"),
        ("blue", "simple", False, "blue"),
        (ARRAY, "simple", False, "blue,black,brown"),
        (OBJECT, "simple", False, "R,100,G,200,B,150"),
        (OBJECT, "simple", True, "R=100,G=200,B=150"),
        ("blue", "form", False, "color=blue"),
        ("", "form", False, "color="),
        (ARRAY, "form", False, "color=blue,black,brown"),
        (OBJECT, "form", False, "color=R,100,G,200,B,150"),
        (ARRAY, "form", True, "color=blue&color=black&color=brown"),
        (OBJECT, "form", True, "R=100&G=200&B=150"),
        (ARRAY, "spaceDelimited", False, "color=blue%20black%20brown"),
        (ARRAY, "pipeDelimited", False, "color=blue|black|brown"),
        (OBJECT, "deepObject", True, "color[R]=100&color[G]=200&color[B]=150"),
    ],
)
def test_styles(value: Any, style: str, explode: bool, text: str) -> None:
    """OpenAPI 3.1, Style Examples."""
    assert write(value, "color", "query", style, explode) == text


def test_defaults_and_escapes() -> None:
    """Defaults are the location's; what means something in a URL is escaped, in a header nothing is."""
    assert write([1, 2], "n", "query") == "n=1&n=2"
    assert write([1, 2], "n", "path") == "1,2"
    assert write("a b&c", "q", "query") == "q=a%20b%26c"
    assert write("a b&c", "X-Q", "header") == "a b&c"
    assert write(True, "q", "query") == "q=true"
    assert write(None, "q", "query") == "q="
    assert write([], "n", "path", "matrix", False) == ";n="


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (5, ["5", 5, [5]]),
        ("5", [5]),
        ("true", [True]),
        (True, ["true"]),
        (["a"], ["a"]),
        ([1, 2], [["1", "2"], [1, "2"]]),
    ],
)
def test_readings(value: Any, read: list[Any]) -> None:
    """The wire has no types: a text is whatever a reader takes it for."""
    found = list(readings(value))
    assert found[0] == value
    assert all(each in found for each in read)


def test_cookies_are_written_as_they_are() -> None:
    """Style ``cookie`` of OpenAPI 3.2: no escapes, and a semicolon between those of one parameter."""
    assert write(["a/b", "c"], "x", "cookie", "cookie") == "x=a/b; x=c"
    assert write({"R": 1, "G": 2}, "x", "cookie", "cookie", explode=False) == "x=R,1,G,2"


def test_readings_are_bounded() -> None:
    assert len(list(readings(["1"] * 200))) < 200


@pytest.mark.parametrize(
    ("value", "style", "explode", "text"),
    [
        (ARRAY, "form", False, "blue,black,brown"),
        (ARRAY, "spaceDelimited", False, "blue black brown"),
        (ARRAY, "tabDelimited", False, "blue\tblack\tbrown"),
        (ARRAY, "pipeDelimited", False, "blue|black|brown"),
        (ARRAY, "simple", True, "blue,black,brown"),
        (ARRAY, "label", True, "blue.black.brown"),
        (ARRAY, "matrix", False, "blue,black,brown"),
        (OBJECT, "form", False, "R,100,G,200,B,150"),
        (OBJECT, "simple", True, "R=100,G=200,B=150"),
        (ARRAY, "form", True, None),
        (ARRAY, "matrix", True, None),
        (OBJECT, "deepObject", False, None),
        ("blue", "simple", False, None),
    ],
)
def test_one_text(value: Any, style: str, explode: bool, text: str | None) -> None:
    """A list or object that is one value on the wire may be read as that value."""
    assert as_one_text(value, style, explode) == text
    assert text is None or text in list(readings(value, text))

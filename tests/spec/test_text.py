"""Laws of reading text: YAML 1.2 meaning, one reader's verdict equal to the other's, and errors that name a line."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardian.errors import ReadError
from guardian.spec import text as reading
from guardian.spec.text import MAX_DEPTH, load, load_all

SHARED = Path(__file__).parents[3] / "shared"


def careful(text: str) -> Any:
    return reading._only_document(text, "file.yaml")


def fails(data: bytes, file: str = "api.yaml") -> ReadError:
    with pytest.raises(ReadError) as caught:
        load(data, file)
    return caught.value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("enum: [off, no, yes, on, y]", {"enum": ["off", "no", "yes", "on", "y"]}),
        ("enum: [true, False, NULL, ~]", {"enum": [True, False, None, None]}),
        ("enum: [2024-01-01, 1:30, 12:30:45]", {"enum": ["2024-01-01", "1:30", "12:30:45"]}),
        ("enum: [0o17, 0x1F, 017, 0108, 1_000]", {"enum": [15, 31, "017", "0108", "1_000"]}),
        ("enum: [1.0, .5, 1e3, -0]", {"enum": [1.0, 0.5, 1000.0, 0]}),
        ("enum: ['1', \"true\", !!str 3]", {"enum": ["1", "true", "3"]}),
        ("a: .nan\nb: -.inf\nc: 1e999", {"a": ".nan", "b": "-.inf", "c": "1e999"}),
        ("200: a\n'404': b\ntrue: c\n1.0: d\nnull: e", {"200": "a", "404": "b", "true": "c", "1.0": "d", "null": "e"}),
        ("a: !custom {b: 1}\nc: !!python/name:os.system x", {"a": {"b": 1}, "c": "x"}),
        ("", None),
        ("# only a comment\n", None),
        ("---\na: 1\n...\n", {"a": 1}),
    ],
)
def test_yaml_is_read_by_the_core_schema_of_version_1_2(text: str, value: Any) -> None:
    """Both readers give the same plain data, and no word, date or key changes its meaning."""
    assert load(text.encode(), "api.yaml") == value
    assert careful(text) == value


def test_keys_are_strings_all_the_way_down() -> None:
    """No key of any mapping is anything but a string, inside lists too."""
    assert load(b"a: [{200: {1: x}}]", "api.yaml") == {"a": [{"200": {"1": "x"}}]}


def test_merge_keys_fill_in_what_is_not_written() -> None:
    """What a mapping says itself wins over what it merges, and an earlier merge over a later one."""
    text = """
a: &a {x: 1, y: 1}
b: &b {<<: *a, y: 2, z: 2}
one: {<<: *b, z: 3}
two: {<<: [*a, *b]}
"""
    value = load(text.encode(), "api.yaml")
    assert value["b"] == {"x": 1, "y": 2, "z": 2}
    assert value["one"] == {"x": 1, "y": 2, "z": 3}
    assert value["two"] == {"x": 1, "y": 1, "z": 2}


@pytest.mark.parametrize(
    ("data", "file", "lines"),
    [
        (b"a: 1\nb: 2\na: 3\n", "api.yaml", (1, 3)),
        (b"responses:\n  200: a\n  201: b\n  '200': c\n", "api.yaml", (2, 4)),
        (b'{"a": 1,\n "b": {"c": 1,\n "c": 2}}', "api.json", (2, 3)),
    ],
)
def test_a_key_that_stands_twice_is_an_error_with_both_lines(data: bytes, file: str, lines: tuple[int, int]) -> None:
    """Neither the first nor the last value is silently taken; `200` and `'200'` are one key."""
    error = fails(data, file)
    assert error.line == lines[1]
    assert f"on lines {lines[0]} and {lines[1]}" in error.message


def test_a_key_twice_in_json_that_libyaml_cannot_read_is_an_error_too() -> None:
    """JSON's surrogate pairs are no YAML: the key is named although the lines are not."""
    assert "'a' stands twice" in fails(b'{"e": "\\ud83d\\ude00", "a": 1, "a": 2}', "api.json").message


def test_two_documents_are_refused_by_load_and_listed_by_load_all() -> None:
    """One file is one specification; catalogs may hold several documents."""
    data = b"a: 1\n---\nb: 2\n---\n"
    error = fails(data)
    assert (error.line, error.file) == (2, "api.yaml")
    assert load_all(data, "catalog.yaml") == [{"a": 1}, {"b": 2}, None]
    assert load_all(b'{"a": 1}', "catalog.json") == [{"a": 1}]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("text", ['{"clé": "ä\\n"}', "clé: ä\r\nb: |\r\n  x\r\n  y\r\n"])
def test_encodings_and_line_ends_change_nothing(text: str, encoding: str) -> None:
    """A BOM is no part of the first key, and CR LF is one line end."""
    expected = {"clé": "ä\n"} if text.startswith("{") else {"clé": "ä", "b": "x\ny\n"}
    assert load(text.encode(encoding), "api.yaml") == expected


def test_text_that_is_no_unicode_is_an_error_with_its_line() -> None:
    """Latin-1 is not guessed."""
    assert fails(b"a: 1\nb: \xe9t\xe9\n").line == 2
    assert "surrogate" in fails(b'{"a": "\\ud800"}', "api.json").message


@pytest.mark.parametrize(
    ("data", "file", "place"),
    [
        (b'{"a": 1,\n  "b": }', "api.json", (2, 8)),
        (b"a: 1\n b: 2\n", "api.yaml", (2, 3)),
        (b"a: 1\nb: \x00\n", "api.yaml", (2, 4)),
        (b"a: 1\nb: *missing\n", "api.yaml", (2, 4)),
        (b"a: 1\n? [b]\n: 2\n", "api.yaml", (2, 3)),
        (b"a: &x [*x]\n", "api.yaml", (1, 8)),
        (b"a:\n  <<: 3\n", "api.yaml", (2, None)),
        (b"a: !!int x\n", "api.yaml", (1, 4)),
    ],
)
def test_malformed_text_is_an_error_with_its_place(data: bytes, file: str, place: tuple[int, int | None]) -> None:
    """Line and column are 1-based and point at what is wrong."""
    error = fails(data, file)
    assert (error.file, error.line, error.column) == (file, *place)


def test_a_flow_mapping_that_only_looks_like_json_is_read_as_yaml() -> None:
    """The first character is no promise."""
    assert load(b"{openapi: 3.0.0, x: [off,]}", "api.yaml") == {"openapi": "3.0.0", "x": ["off"]}


def test_what_real_files_do_wrong_is_forgiven() -> None:
    """The closing brace of a well-known specification stands too far left; strict readers refuse it."""
    assert load(b"a:\n  b: {\n    c: 1\n  }\nd:\n    e: {\n  f: 1\n}\n", "api.yaml")["d"] == {"e": {"f": 1}}


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 20_000,
        b"a: " + b"[" * 20_000,
        b"[" * 20_000 + b"]" * 20_000,
        b'{"a":' * 300 + b"1" + b"}" * 300,
        b'{"a":' * 900 + b"1" + b"}" * 900,
        b"- " * 20_000,
        b"{a: " * 20_000,
        b"\n".join(b" " * level + b"a:" for level in range(1000)),
    ],
)
def test_deep_nesting_is_an_error_and_no_crash(data: bytes) -> None:
    """No recursion limit, of Python or of C, is ever met."""
    assert "nest" in fails(data).message


def test_nesting_up_to_the_limit_is_read() -> None:
    """Brackets inside strings count for nothing."""
    data = b'{"a":' * (MAX_DEPTH - 1) + b'["{[", "]]]"]' + b"}" * (MAX_DEPTH - 1)
    assert load(data, "api.json") == load(data, "api.yaml")
    assert "nested" in fails(b"[" + data + b"]", "api.json").message


def bomb(levels: int, width: int) -> bytes:
    lines = ["a0: &a0 [x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * width)}]" for n in range(1, levels)]
    return "\n".join(lines).encode()


def test_an_alias_bomb_is_an_error() -> None:
    """Aliases may not stand for more nodes than a document could hold."""
    assert "aliases stand for" in fails(bomb(12, 9)).message
    assert load(bomb(3, 3), "api.yaml")["a2"] == [[["x"]] * 3] * 3


def test_a_wide_alias_is_an_error_before_it_is_copied() -> None:
    """One level is enough to stand for a hundred million nodes; prose with & and * is no alias."""
    wide = b"a: &a [" + b"x," * 10_000 + b"]\nb: [" + b"*a," * 10_000 + b"]\n"
    assert "aliases stand for" in fails(wide).message
    assert not reading._has_aliases(b"a: Q&A is **bold**, &amp; *so* is R&D\n")
    for text in ("a: &x 1\nb: *x", "a: &x 1\n*x : 2", "[&x 1,*x]", "a: &x\n  b: 1\nc: {d: *x}"):
        assert reading._has_aliases(text.encode())


def test_aliases_cannot_exceed_the_depth_either() -> None:
    """A chain of aliases nests without a bracket."""
    assert "nested" in fails(bomb(MAX_DEPTH + 50, 1)).message


def test_a_file_past_the_size_limit_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is checked before anything is parsed."""
    monkeypatch.setattr(reading, "MAX_BYTES", 10)
    assert "11 bytes" in fails(b"a: 12345678").message


SPELLINGS = st.text(alphabet="0127+-.eExXob_:~nNulaifTtrF", min_size=1, max_size=7)


@given(SPELLINGS)
def test_both_readers_give_scalars_the_same_value(spelling: str) -> None:
    """Parity: where the fast reader answers, the careful one answers the same, for values and keys."""
    text = f"value: {spelling}\n"
    try:
        fast = reading._load_fast_yaml(text)
    except Exception:  # noqa: BLE001  # the careful reader has the last word
        return
    assert repr(careful(text)) == repr(fast)


SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False).filter(math.isfinite) | st.text(max_size=8)
)
DOCUMENTS = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)


@given(st.dictionaries(st.text(max_size=5), DOCUMENTS, max_size=3) | st.lists(DOCUMENTS, max_size=3))
def test_json_reads_back_what_was_written(value: Any) -> None:
    """No value, key or character is lost on the way, escaped or not."""
    assert load(json.dumps(value).encode(), "api.json") == value
    assert load(json.dumps(value, ensure_ascii=False).encode("utf-8"), "api.json") == value


@pytest.mark.skipif(not SHARED.exists(), reason="the shared specifications are not beside this checkout")
def test_both_readers_agree_on_real_specifications() -> None:
    """Parity over every small YAML file of the shared collections."""
    files = [
        file
        for room in ("pairs", "cases")
        for file in sorted((SHARED / room).rglob("*.y*ml"))
        if file.stat().st_size < 300_000
    ]
    assert files
    for file in files:
        text = reading.decode(file.read_bytes(), file.name)
        try:
            fast = reading._load_fast_yaml(text)
        except Exception:  # noqa: BLE001  # as above
            continue
        assert careful(text) == fast, file


@pytest.mark.parametrize(
    ("text", "file"),
    [
        ("openapi: 3.0.3\n<<<<<<< HEAD\ninfo: {}\n=======\ninfo: {title: a}\n>>>>>>> feature\n", "api.yaml"),
        ('{\n<<<<<<< HEAD\n"a": 1\n=======\n"a": 2\n>>>>>>> feature\n}\n', "api.json"),
        ("a: 1\r\n<<<<<<< HEAD\r\nb: 1\r\n=======\r\nb: 2\r\n>>>>>>> x\r\n", "api.yaml"),
    ],
)
def test_a_merge_conflict_is_told_as_one(text: str, file: str) -> None:
    """What a parser says of the file follows from the conflict, and helps nobody."""
    for read in (load, load_all):
        with pytest.raises(ReadError) as caught:
            read(text.encode(), file)
        assert caught.value.message == "a merge conflict begins here that nobody has resolved"
        assert (caught.value.line, caught.value.column) == (2, 1)


def test_a_conflict_in_text_is_text() -> None:
    assert load(b"a: |\n  <<<<<<< HEAD\n  =======\n", "api.yaml") == {"a": "<<<<<<< HEAD\n=======\n"}


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("a: \u00e9\n\tb: 1\n", None),
        ("a:\n\tb: 1\n", "indent this line with spaces: it has a tab, which YAML does not indent with"),
        ("a: \u00e9\nb: @x\n", "put the text in quotes: without them none begins with @"),
        ("a: `x`\n", "put the text in quotes: without them none begins with `"),
    ],
)
def test_a_character_without_use_is_told_with_a_remedy(text: str, hint: str | None) -> None:
    assert fails(text.encode()).hint == hint

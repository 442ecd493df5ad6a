"""JSON in pieces: the same values, places and references as without, whatever it is like."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardian.errors import ReadError
from guardian.spec import json_text, text
from guardian.spec.json_places import find, find_in
from guardian.spec.json_text import read
from guardian.spec.locate import locate
from guardian.spec.pieces import NotPlain, Piece, Text
from guardian.spec.references import refs_in
from guardian.spec.refs import Documents
from guardian.spec.trees import MemoryTree

KEYS = st.sampled_from(["a", "b", "$ref", "operationRef", "discriminator", "mapping", "é", 'q"', "\\", "x/y", "🪲"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 30) | st.sampled_from([0.5, 1e300, "", "#/a", "é🪲", 'a"b\\', "$ref"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)
DOCUMENTS = st.dictionaries(KEYS, VALUES, max_size=5)
STYLES = st.fixed_dictionaries({"indent": st.sampled_from([None, 0, 2]), "ensure_ascii": st.booleans()})


def written(value: Any, style: dict[str, Any]) -> bytes:
    return json.dumps(value, **style).encode()


def paths(value: Any) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in items:
        found += [(str(key),), *((str(key), *below) for below in paths(child))]
    return found


@given(DOCUMENTS, DOCUMENTS, STYLES, STYLES, st.integers(0, 3))
def test_a_text_is_read_the_same_whatever_it_is_like(
    base: Any, head: Any, base_style: dict[str, Any], head_style: dict[str, Any], blanks: int
) -> None:
    """Values, the places of all keys and items, and references."""
    like, _ = read(written(base, base_style))
    mixed = {**base, **head, "both": base}
    data = b" \n" * blanks + written(mixed, head_style) + b"\r\n" * blanks
    for other in (None, like):
        found, _ = read(data, other)
        assert json.dumps(found.root.value) == json.dumps(mixed)  # with the order of keys, and true is not 1
        assert find_in(found, paths(mixed)) == find(data, paths(mixed))
        documents = Documents(MemoryTree({"a.json": b'{"openapi": "3.0.0", "x": ' + data + b"}"}))
        document = documents.open("a.json")
        for value in (document.root, *(each for each in mixed.values() if isinstance(each, dict | list))):
            assert set(document.refs_in(value)) == set(refs_in(value))


def test_what_is_written_the_same_is_one_object() -> None:
    """Down to an operation or a component; what stands beside it is read again."""
    base = {"paths": {"/a": {"get": {"x": [1]}, "put": {"x": [2]}}}, "components": {"schemas": {"A": {"y": 1}}}}
    head = {"paths": {"/a": {"get": {"x": [1]}, "put": {"x": [3]}}}, "components": {"schemas": {"A": {"y": 1}}}}
    for indent in (2, None):
        like, _ = read(json.dumps(base, indent=indent).encode())
        found, by_decoder = read(json.dumps(head, indent=indent).encode(), like)
        one, other = like.root.value, found.root.value
        assert other["components"] is one["components"]
        assert other["paths"]["/a"]["get"] is one["paths"]["/a"]["get"]
        assert other["paths"]["/a"]["put"] == {"x": [3]}
        assert b"".join(by_decoder) == (b"" if indent else b'{"x": [3]}')


SHAPES = st.sampled_from(
    [
        ("\n  ", "\n", ": ", ","),  # as most are
        ("\r\n\t", "\r\n", ":", ","),
        ("\n", "\n", ":\n", " ,"),  # no indentation: the first bracket that closes is guessed to be the last
        ("\n", "\n        ", ": ", ","),  # what opens first is indented most
        (" ", "", ":", ","),
    ]
)


def dumped(value: Any, shape: tuple[str, str, str, str], indent: str = "") -> str:
    """JSON with the line ends and the blanks of a shape."""
    if not isinstance(value, dict | list) or not value:
        return json.dumps(value, ensure_ascii=False)
    step, back, colon, comma = shape
    keys = [f"{json.dumps(each)}{colon}" for each in value] if isinstance(value, dict) else [""] * len(value)
    children = value.values() if isinstance(value, dict) else value
    line, below = step.rstrip(" \t"), indent + step.lstrip("\r\n")
    inside = comma.join(
        f"{line}{below}{key}{dumped(each, shape, below)}" for key, each in zip(keys, children, strict=True)
    )
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return f"{opening}{inside}{back}{indent}{closing}"


@given(st.lists(DOCUMENTS, min_size=1, max_size=4), st.lists(SHAPES, min_size=4, max_size=4))
def test_wherever_brackets_stand_the_value_is_the_same(
    values: list[Any], shapes: list[tuple[str, str, str, str]]
) -> None:
    """Where a piece ends is guessed by the blanks before a bracket."""
    members = [f"{json.dumps(str(at))}: {dumped(each, shapes[at])}" for at, each in enumerate(values)]
    data = ("{" + ",\n".join(members) + "}").encode()
    found, _ = read(data)
    assert json.dumps(found.root.value) == json.dumps({str(at): each for at, each in enumerate(values)})
    assert find_in(found, paths(found.root.value)) == find(data, paths(found.root.value))


def test_many_wrong_guesses_end_the_guessing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each looks for a line that is nowhere, up to the end of the text."""
    members = ",".join(f'\n"{at}": [\n1 ]' for at in range(50))
    asked: list[bytes] = []

    def counted(closing: bytes) -> re.Pattern[bytes]:
        asked.append(closing)
        return re.compile(re.escape(closing))

    monkeypatch.setattr(json_text, "_line_of", counted)
    found, _ = read(f"{{{members}}}".encode())
    assert found.root.value == {str(at): [1] for at in range(50)}
    assert 0 < len(asked) < 20


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1e999", "1e999"),
        ("-1E+400", "-1E+400"),
        ("1" + "0" * 400 + ".5", "1" + "0" * 400 + ".5"),
        ("1e308", 1e308),
        ("1e-999", 0.0),
        ("NaN", "NaN"),
        ("-Infinity", "-Infinity"),
        ("123456789012345678901234567890", 123456789012345678901234567890),
        ("-9223372036854775809", -9223372036854775809),
        ("0.1000000000000000055511151231257827", 0.1),
    ],
)
def test_numbers_are_what_the_text_says(written: str, value: Any) -> None:
    """What no float can hold stays text, wherever it stands; an integer is exact."""
    for layout in ('{"a": %s}', '{"a": {"b": {"c": {\n"d": [%s]\n}}}}', '{\n  "a": [\n    %s\n  ]\n}'):
        found, _ = read((layout % written).encode())
        told = json.loads(layout % json.dumps(value))
        assert json.dumps(found.root.value) == json.dumps(told)


def test_a_number_that_begins_like_another_is_another() -> None:
    """`1` is no part of `12`."""
    like, _ = read(b'{"a": 1, "b": 1}')
    found, _ = read(b'{"a": 12, "b": 1.5}', like)
    assert found.root.value == {"a": 12, "b": 1.5}


@pytest.mark.parametrize(
    "data",
    [
        b'{"a": 1, "a": 2}',
        b'{"a": {"b": 1, "b": 2}}',
        b'{"a": {"b": {"c": {"d": {"e": 1, "e": 2}}}}}',
        b'{\n "a": [\n  {"e": 1, "\\u0065": 2}\n ]\n}',
        b'{\n "a": [\n  01\n ]\n}',
        b'{"a": 1,}',
        b'{"a" 1}',
        b"{a: 1}",
        b'{"a": 1} x',
        b'{"a": "\xff"}',
        b'{"\xff": 1}',
        b'{"a\nb": 1}',
        b'{"a": ' + b"[" * 100_000,
        b'\xef\xbb\xbf{"a": 1}',
        '{"a": 1}'.encode("utf-16"),
        b"",
    ],
)
def test_what_is_no_plain_json_is_left_to_others(data: bytes) -> None:
    """They say what is wrong with it, or read it."""
    with pytest.raises(NotPlain):
        read(data)


def test_too_deep_a_piece_is_refused_on_either_side() -> None:
    """Though the text that is new is no more than the piece."""
    for layout in (b'{"a": {"b": {"c": [%b%b]}}}', b'{"a": {"b": {\n  "c": [\n%b%b\n  ]}}}'):
        fine, deep = (layout % (b"[" * depth, b"]" * depth) for depth in (196, 197))
        like = text.read(fine, "base.json")[1]
        assert isinstance(like, Text)
        assert isinstance(like.root, Piece)
        with pytest.raises(ReadError, match="nested more than 200 levels deep"):
            text.read(deep, "head.json", like)
        with pytest.raises(ReadError, match="nested more than 200 levels deep"):
            text.read(deep, "head.json")


def test_several_values_are_not_taken_for_one() -> None:
    """Where brackets stand such that the end of a later array is guessed to be that of the first."""
    found, _ = read(b'{\n "a": [\n1], "b": [\n2\n ]}')
    assert found.root.value == {"a": [1], "b": [2]}
    with pytest.raises(NotPlain):
        read(b'{\n "a": [\n1], [\n2\n ]}')


def test_texts_of_many_escapes_and_deep_indentation_are_read() -> None:
    """As keys and as values; what is remembered for each escape, or looked for by each blank, adds up."""
    escapes, blanks = b"\\n" * 50_000, b" " * 5_000
    found, _ = read(b'{"%b": "%b", "x": {\n%b"y": [\n1\n%b]}}' % (escapes, escapes, blanks, blanks))
    assert found.root.value == {"\n" * 50_000: "\n" * 50_000, "x": {"y": [1]}}


def test_half_of_a_surrogate_pair_is_refused_on_head_too() -> None:
    """A string that is no Unicode text, in the part that base does not share."""
    like = text.read(b'{"a": "x", "b": 1}', "base.json")[1]
    for head in (b'{"a": "\\ud83d", "b": 1}', b'{"a": "x", "b": 1, "\\ud83d": 1}'):
        with pytest.raises(ReadError, match="half of a surrogate pair"):
            text.read(head, "head.json", like)


def test_the_items_of_an_array_that_is_all_of_a_file_have_places() -> None:
    """A list of shared parameters, say."""
    data = b' [\n  {"name": "x"},\n  {"name": "y"}\n]'
    found, _ = read(data)
    assert locate(data, ["/1/name", "/0"], found) == {"/1/name": (3, 4), "/0": (2, 3)}


def test_a_key_with_an_escaped_quote_is_no_reference() -> None:
    """Though its end looks like one."""
    document = Documents(MemoryTree({"a.json": b'{"openapi": "3.0.0", "x": {"\\"$ref": "#/a"}}'})).open("a.json")
    assert document.refs_in(document.root) == ()


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ('{"$ref": "#/a"}', {"#/a"}),
        ('{"$ref"\n:\t"#/a", "b": [{"$dynamicRef":"#b"}, {"$recursiveRef": "#"}]}', {"#/a", "#b", "#"}),
        ('{"$ref": "#/é"}', {"#/é"}),
        ('{"$ref": "#/a\\"b"}', {'#/a"b'}),
        ('{"$ref": "#/a\\u0062"}', {"#/ab"}),
        ('{"\\u0024ref": "#/a"}', {"#/a"}),
        ('{"operationRef": "#/a"}', {"#/a"}),
        ('{"discriminator": {"propertyName": "b", "mapping": {"c": "D"}}}', {"#/components/schemas/D"}),
        ('{"$ref": {"type": "string"}}', set()),
        ('{"a$ref": "#/a"}', set()),
        ('{"$ref ": "#/a", "$refs": "#/a", "$Ref": "#/a"}', set()),
        ('{"a": "$ref", "b": "#/a"}', set()),
        ('{"a": "\\"$ref\\": \\"#/a\\""}', set()),
    ],
)
def test_references_are_found_in_the_text(written: str, found: set[str]) -> None:
    """A piece is searched as text; a key that only ends like a keyword is none."""
    data = f'{{"openapi": "3.0.0", "x": {{"y": {{"z": {written}}}}}}}'.encode()
    document = Documents(MemoryTree({"a.json": data})).open("a.json")
    assert document.written is not None
    assert set(document.refs_in(document.root["x"]["y"]["z"])) == set(refs_in(document.root)) == found


def test_places_are_found_in_pieces_as_by_a_scan() -> None:
    """Columns count characters, though offsets count bytes."""
    data = '{"é🪲": {"ü": [1, {"x": 2}]}, "a": {"b": {"c": {"é": "é", "d": 1}}}}'.encode()
    wanted = ["/é🪲/ü/1/x", "/a/b/c/d", "/a/b/nowhere", "/é🪲/ü/9"]
    found, _ = read(data)
    assert locate(data, wanted, found) == locate(data, wanted)
    assert locate(data, wanted, found)["/a/b/c/d"] == (1, data.decode().index('"d"') + 1)


def test_head_shares_what_base_has_read() -> None:
    """The file of the same address, or the one that was read last where it has another name."""
    base = Documents(
        MemoryTree({"a.json": b'{"openapi": "3.0.0", "paths": {"/x": {"get": {}}}}', "b.json": b'{"q": {}}'})
    )
    beside = Documents(
        MemoryTree({"c.json": b'{"openapi": "3.0.1", "paths": {"/x": {"get": {}}}}', "b.json": b'{"q": {}, "z": 1}'}),
        beside=base,
    )
    one = base.open("a.json")
    assert beside.open("c.json").root["paths"] is one.root["paths"]
    assert base.open("b.json", "3.0").root["q"] is beside.open("b.json", "3.0").root["q"]

"""What is concluded from the edited places alone is what the whole file shows: its bytes, and what they say."""

from __future__ import annotations

import codecs
import json
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guardian.errors import ReadError
from guardian.fixes import splices
from guardian.fixes.file_bytes import FileBytes, blob_id
from guardian.fixes.json_patch import PatchError, add, apply, equal, pointer, remove, replace
from guardian.fixes.read_back import reads_back
from guardian.fixes.source import Place, Source
from guardian.fixes.splices import Lines, Splice, splice
from guardian.fixes.text_edit import TextEditor
from guardian.spec.text import MAX_DEPTH, load, read
from tests.fixes.test_text_edit import places, random_edit

STRINGS = st.text('ab€é\U0001f600"\\,:{}[] ', max_size=4)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 99) | st.sampled_from([0.5, 1e21]) | STRINGS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(STRINGS, inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(STRINGS, VALUES, min_size=1, max_size=4)


@st.composite
def texts(draw: st.DrawFn) -> str:
    """A JSON object's text, written in one of many ways."""
    text = json.dumps(
        draw(OBJECTS),
        indent=draw(st.sampled_from([None, 1, "\t"])),
        separators=draw(st.sampled_from([(",", ":"), (" , ", " : "), (",", ": ")])),
        ensure_ascii=draw(st.booleans()),
    )
    return (text + draw(st.sampled_from(["", "\n", " \n"]))).replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


PIECES = st.sampled_from(
    ["", ",", " ", "1", '"', "\\", ":", "{", "}", "[", "]", "null", '"a":1', ',"a":1', '"é":[2],', ', "c" : {"a": 1}',
     ',"d":1,"d":2', '},{', '}],[{', '"a":', "e5", "1,", '\\"b":', "\0", "NaN", "// x\n", '"\\ud83d"', ',"\U0001f600":""']
)  # fmt: skip


@st.composite
def spliced(draw: st.DrawFn) -> tuple[str, list[Splice]]:
    """A text and any few splices in it, many of them at the ends of keys, values and commas."""
    text = draw(texts())
    marks = [at + step for at, char in enumerate(text) if char in '",:{}[]' for step in (0, 1)]
    offset = st.sampled_from(marks) | st.integers(0, len(text))
    cuts = sorted(draw(st.lists(offset, min_size=2, max_size=6)))
    return text, [Splice(*cut, draw(PIECES)) for cut in zip(cuts[::2], cuts[1::2], strict=False)]


@settings(max_examples=400)
@given(spliced(), st.lists(OBJECTS, max_size=1), st.integers())
def test_yes_is_said_only_where_a_full_reading_says_it(
    case: tuple[str, list[Splice]], others: list[Any], seed: int
) -> None:
    """Whatever is exchanged in a text, a wrong or unreadable result is never taken for what was wanted."""
    text, splices = case
    before = load(text.encode(), "a.json")
    try:
        says = [load(splice(text, splices).encode(), "a.json")]
    except ReadError:
        says = []
    random = Random(seed)
    lenient = [{**before, "a": 1}, {**before, "c": {"a": 1}}, random_edit(random, before), *others]
    for wanted in [*says, before, *lenient, *(random_edit(random, each) for each in says)]:
        if reads_back(text, Source(text, "a.json").root, before, wanted, splices):
            assert says, "it cannot be read"
            assert equal(says[0], wanted)


@settings(max_examples=150)
@given(
    texts(),
    st.sampled_from([b"", codecs.BOM_UTF8]),
    st.sampled_from(["utf-8", "utf-16-le", "utf-32-be"]),
    st.integers(),
)
def test_an_edit_is_proved_where_it_was_made(text: str, bom: bytes, encoding: str, seed: int) -> None:
    """Every edit inside an object is decided without reading all of it; the bytes are those of the whole text encoded."""
    encoding = "utf-8" if bom else encoding
    editor = TextEditor(bom + text.encode(encoding), "a.json")
    after = random_edit(Random(seed), editor.says)
    if not isinstance(after, dict) or not after:
        return
    edited = editor.edit(after)
    whole = splice(text, edited.splices)
    assert edited.data == bom + whole.encode(encoding)
    assert equal(load(edited.data, "a.json"), after)
    if after.keys() & editor.says.keys():  # else the object itself is exchanged, brackets and all
        assert reads_back(text, editor.source.root, editor.says, after, edited.splices)


FLAT = '{"a":1,"b":2,"c":3}'


@pytest.mark.parametrize(
    ("text", "splices", "wanted", "sure"),
    [
        (FLAT, [(6, 6, ',"x":4'), (11, 12, "9")], {"a": 1, "x": 4, "b": 9, "c": 3}, True),  # members side by side
        (FLAT, [(6, 6, ',"x":4'), (12, 12, ',"y":5')], {"a": 1, "x": 4, "b": 2, "y": 5, "c": 3}, True),
        (FLAT, [(7, 13, "")], {"a": 1, "c": 3}, True),
        (FLAT, [(1, 7, ""), (12, 18, "")], {"b": 2}, True),
        (FLAT, [(1, 18, " ")], {}, True),
        (FLAT, [(6, 6, ',"x":4'), (12, 12, ',"x":4')], {"a": 1, "x": 4, "b": 2, "c": 3}, False),  # twice
        (FLAT, [(6, 6, ',"c":3')], {"a": 1, "b": 2, "c": 3}, False),
        (FLAT, [(6, 7, "")], {"a": 1, "b": 2, "c": 3}, False),  # no comma
        (FLAT, [(6, 7, ',"x":44')], {"a": 1, "x": 4, "b": 2, "c": 3}, False),
        (FLAT, [(6, 7, '4"x":4,')], {"a": 1, "x": 4, "b": 2, "c": 3}, False),
        (FLAT, [(18, 18, ",")], {"a": 1, "b": 2, "c": 3}, False),
        (FLAT, [(6, 7, ",,")], {"a": 1, "b": 2, "c": 3}, False),
        (FLAT, [(5, 6, "1\\")], {"a": 1, "b": 2, "c": 3}, False),
        ('{"o":{"a":1}}', [(10, 11, '1},{"b":2')], {"o": {"a": 1}}, False),  # out of the object and into another
        ('{"p":{"o":{"a":1}}}', [(15, 16, '1}],[{"b":2')], {"p": {"o": {"a": 1}}}, False),
        ('{"o":{"a":1}}', [(10, 11, '1},"p":{"b":2')], {"o": {"a": 1}, "p": {"b": 2}}, False),  # right, though not sure
    ],
)
def test_a_piece_of_a_text_is_members_between_others(
    text: str, splices: list[tuple[int, int, str]], wanted: Any, sure: bool
) -> None:
    """With one comma between any two, each key once, and no bracket closed that was opened before."""
    made = [Splice(*each) for each in splices]
    assert reads_back(text, Source(text, "a.json").root, json.loads(text), wanted, made) is sure
    if sure:
        assert equal(load(splice(text, made).encode(), "a.json"), wanted)


@pytest.mark.parametrize(
    ("operation", "read"),
    [
        (add("/big/new", {"a": [1]}), 1),
        (remove("/big/k3"), 1),
        (replace("/big/k5/x", "é"), 1),
        (replace("/list/1", 7), 1),
    ],
)
def test_little_is_read_for_a_little_edit(
    operation: dict[str, Any], read: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In an object of a thousand members, one that comes, goes or changes costs no reading of the others."""
    from guardian.fixes import read_back

    document = {"big": {f"k{each}": {"x": "y" * 20, "n": each} for each in range(1000)}, "list": [1, 2]}
    editor = TextEditor(json.dumps(document, indent=2).encode(), "a.json")
    sizes: list[int] = []

    def measured(data: bytes, file: str) -> Any:
        sizes.append(len(data))
        return load(data, file)

    monkeypatch.setattr(read_back, "load", measured)
    monkeypatch.setattr("guardian.fixes.text_edit.load", measured)
    after = apply(editor.says, [operation])
    assert equal(json.loads(editor.edit(after).data), after)
    assert len(sizes) <= read
    assert sum(sizes) < 100


def test_depth_counts_from_the_root() -> None:
    """What is put in is as deep as what holds it makes it: past the limit, the file could not be read again."""
    deep: Any = 1
    for _ in range(MAX_DEPTH - 10):
        deep = {"a": deep}
    editor = TextEditor(json.dumps({"x": deep}).encode(), "a.json")
    at = "/x" + "/a" * (MAX_DEPTH - 12)
    for levels, fits in ((9, True), (15, False)):
        value: Any = 1
        for _ in range(levels):
            value = {"b": value}
        after = apply(editor.says, [add(f"{at}/b", value)])
        if fits:
            assert equal(load(editor.edit(after).data, "a.json"), after)
        else:
            with pytest.raises(PatchError, match="levels deep"):
                editor.edit(after)


@pytest.mark.parametrize(
    ("encoding", "bom"),
    [
        ("utf-8", b""),
        ("utf-8", codecs.BOM_UTF8),
        ("utf-16-le", codecs.BOM_UTF16_LE),
        ("utf-16-be", b""),
        ("utf-32-le", codecs.BOM_UTF32_LE),
    ],
)
def test_bytes_are_found_by_characters(encoding: str, bom: bytes) -> None:
    """In every encoding, and in texts long enough to be measured in steps, splices fall where their characters are."""
    random = Random(11)
    for size in (0, 1, 4095, 4096, 4097, 8192, 20_000):
        text = "".join(random.choices("ab\n\ré€\U0001f600", k=size))
        data = bom + text.encode(encoding)
        file = FileBytes(data, text, bom, encoding)
        assert file.is_exact
        assert file.offset(len(text)) == len(data)
        assert file.spliced([]) == data
        for _ in range(20):
            cuts = sorted(random.randint(0, size) for _ in range(4))
            splices = [Splice(cuts[0], cuts[1], "é\r\n"), Splice(cuts[2], cuts[3], random.choice(["", "\U0001f600"]))]
            assert file.spliced(splices) == bom + splice(text, splices).encode(encoding)


def test_splices_that_overlap_are_refused() -> None:
    """In the bytes as in the text."""
    overlapping = [Splice(0, 3, ""), Splice(2, 4, "")]
    for refuse in (
        lambda: splice("abcdef", overlapping),
        lambda: FileBytes(b"abcdef", "abcdef", b"", "utf-8").spliced(overlapping),
    ):
        with pytest.raises(PatchError, match="in each other's way"):
            refuse()


def test_a_blob_has_the_name_that_git_gives_it() -> None:
    """As ``git hash-object`` prints it for an empty file and for one line."""
    assert blob_id(b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert FileBytes(b"hello\n", "hello\n", b"", "utf-8").blob == "ce013625030ba8dba906f756967f9e9ca394464a"


@settings(max_examples=100)
@given(OBJECTS, st.integers())
def test_operations_copy_only_the_way_to_their_place(document: Any, seed: int) -> None:
    """What an operation does not lead through is the same object before and after, which is what makes it cheap to tell."""
    random = Random(seed)
    at, _ = random.choice([each for each in places(document) if each[0]])
    after = apply(document, [replace(at, "other")])
    kept = dict(places(after))
    for place, value in places(document):
        if not (at == place or at.startswith(f"{place}/") or place.startswith(f"{at}/")):
            assert kept[place] is value
    assert [*document] == [*after]
    assert pointer(*after) == pointer(*document)


def outline(place: Place) -> list[Any]:
    """All that is known of a place and of what is in it."""
    inside = [(each.key, each.start, each.key_end, outline(each.value)) for each in place.entries]
    return [place.kind, place.start, place.end, place.flow, place.bare, place.column, place.style, inside]


@settings(max_examples=150)
@given(texts())
def test_a_text_that_was_read_in_pieces_has_its_places_where_a_scan_finds_them(text: str) -> None:
    """Whatever its blanks, its escapes and the bytes that a character takes."""
    try:
        _, written = read(text.encode(), "a.json")
    except ReadError:
        return
    assert written is not None
    file = FileBytes(text.encode(), text, b"", "utf-8")
    assert outline(Source(text, "a.json", written, file.character).root) == outline(Source(text, "a.json").root)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-32-be"])
def test_a_byte_is_the_beginning_of_the_character_that_begins_there(encoding: str) -> None:
    """Also where one character takes more bytes than another, far from the beginning, and at the end."""
    text = "a€é\U0001f600" * 3000
    file = FileBytes(b"\xff" * 3 + text.encode(encoding), text, b"\xff" * 3, encoding)
    for at in (0, 1, 2, 3, 4, 4095, 4096, 4097, 8191, 11_999, 12_000):
        assert file.character(file.offset(at)) == at
    assert FileBytes(b"", "", b"", "utf-8").character(0) == 0


@settings(max_examples=200)
@given(st.text("ab\r\n", max_size=40), st.integers(1, 9))
def test_lines_are_found_as_splitting_the_text_finds_them(text: str, step: int) -> None:
    """Their numbers, their beginnings and themselves, however long the stretches whose line ends are counted."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(splices, "_STEP", step)
        lines = Lines(text)
        rows = [f"{row}\n" for row in text.split("\n")]
        rows[-1] = rows[-1].removesuffix("\n")
        rows = [row for row in rows if row]
        assert [lines.start(at) for at in range(len(rows) + 2)] == [
            len("".join(rows[:at])) for at in range(len(rows) + 2)
        ]
        for at in range(len(text)):
            assert lines.line_at(at) == text.count("\n", 0, at)
        assert lines.line_at(len(text)) == max(len(rows) - 1, 0)
        for first in range(len(rows) + 1):
            assert [lines.between(first, behind) for behind in range(first, len(rows) + 2)] == [
                rows[first:behind] for behind in range(first, len(rows) + 2)
            ]

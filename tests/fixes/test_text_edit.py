"""Text edits: the file says what it should, and everything else in it is as its writer left it."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guardian.fixes import json_patch
from guardian.fixes.json_patch import PatchError, add, apply, equal, pointer, remove, replace
from guardian.fixes.splices import splice
from guardian.fixes.text_edit import SharedPlace, TextEditor
from guardian.spec.text import load

SHARED = Path(__file__).resolve().parents[3] / "shared"
COMPANY = Path(__file__).resolve().parents[2] / "fixtures" / "company"

USER = """\
# The users.
components:
  schemas:
    User:   # a person
      type: object
      required: [id, "email"]   # both

      properties:
        id: {type: string, format: uuid}
        # never shown
        email:
          type: 'string'
          description: >
            Where we
            write to.
        roles:
        - admin   # all of it
        - reader
tags: []
"""


def edited(text: str, *operations: dict[str, Any], file: str = "a.yaml", after: dict[str, str] | None = None) -> str:
    editor = TextEditor(text.encode(), file)
    return editor.edit(apply(editor.says, operations), place_after=after).data.decode()


def changed(text: str, new: str) -> tuple[list[str], list[str]]:
    """The lines that went and the lines that came."""
    before, after = text.splitlines(), new.splitlines()
    return [line for line in before if line not in after], [line for line in after if line not in before]


PROPERTIES = "/components/schemas/User/properties"


@pytest.mark.parametrize(
    ("operation", "gone", "came"),
    [
        (add(f"{PROPERTIES}/mail", {"type": "string"}), [], ["        mail:", "          type: string"]),
        (
            add(f"{PROPERTIES}/address", {"type": "object", "properties": {"city": {"type": "string"}}}),
            [],
            [
                "        address:",
                "          type: object",
                "          properties:",
                "            city:",
                "              type: string",
            ],
        ),
        (remove(f"{PROPERTIES}/id"), ["        id: {type: string, format: uuid}"], []),
        (replace(f"{PROPERTIES}/email/type", "integer"), ["          type: 'string'"], ["          type: 'integer'"]),
        (replace(f"{PROPERTIES}/email/type", None), ["          type: 'string'"], ["          type: null"]),
        (
            add("/components/schemas/User/required/-", "name"),
            ['      required: [id, "email"]   # both'],
            ['      required: [id, "email", "name"]   # both'],
        ),
        (
            remove("/components/schemas/User/required/0"),
            ['      required: [id, "email"]   # both'],
            ['      required: ["email"]   # both'],
        ),
        (
            add(f"{PROPERTIES}/id/minLength", 3),
            ["        id: {type: string, format: uuid}"],
            ["        id: {type: string, format: uuid, minLength: 3}"],
        ),
        (
            remove(f"{PROPERTIES}/id/type"),
            ["        id: {type: string, format: uuid}"],
            ["        id: {format: uuid}"],
        ),
        (add(f"{PROPERTIES}/roles/1", "writer"), [], ["        - writer"]),
        (remove(f"{PROPERTIES}/roles/0"), ["        - admin   # all of it"], []),
        (replace("/tags", [{"name": "a"}]), ["tags: []"], ["tags:", "- name: a"]),
        (
            replace(f"{PROPERTIES}/email/description", "Short."),
            ["          description: >", "            Where we", "            write to."],
            ["          description: Short."],
        ),
    ],
)
def test_yaml_is_edited_where_it_changes(operation: dict[str, Any], gone: list[str], came: list[str]) -> None:
    """Comments, blank lines, order, quotes, flow and block style stay; only the lines that have to change do."""
    assert changed(USER, edited(USER, operation)) == (gone, came)


def test_a_new_member_goes_where_it_is_asked_to() -> None:
    """Beside the member that it belongs to, else at the end."""
    at = f"{PROPERTIES}/mail"
    lines = edited(USER, add(at, True), after={at: "id"}).splitlines()
    assert lines.index("        mail: true") == lines.index("        id: {type: string, format: uuid}") + 1


JSON_TEXT = '{\n    "a": [1, 2],\n    "b": {"c": "\\u00fc"},\n    "d": {}\n}\n'


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        (
            add("/e", {"x": [1]}),
            '{\n    "a": [1, 2],\n    "b": {"c": "\\u00fc"},\n    "d": {},\n    "e": {\n        "x": [1]\n    }\n}\n',
        ),
        (add("/a/-", 3), '{\n    "a": [1, 2, 3],\n    "b": {"c": "\\u00fc"},\n    "d": {}\n}\n'),
        (remove("/d"), '{\n    "a": [1, 2],\n    "b": {"c": "\\u00fc"}\n}\n'),
        (remove("/a"), '{\n    "b": {"c": "\\u00fc"},\n    "d": {}\n}\n'),
        (replace("/b/c", "ö"), '{\n    "a": [1, 2],\n    "b": {"c": "\\u00f6"},\n    "d": {}\n}\n'),
        (add("/b/d", None), '{\n    "a": [1, 2],\n    "b": {"c": "\\u00fc", "d": null},\n    "d": {}\n}\n'),
    ],
)
def test_json_keeps_its_indentation_and_escapes(operation: dict[str, Any], expected: str) -> None:
    """New text is indented as the file is, short lists stay short, and an ASCII file stays one."""
    assert edited(JSON_TEXT, operation, file="a.json") == expected


def test_compact_json_stays_compact() -> None:
    """A file without a blank gets none."""
    assert edited('{"a":{"b":1}}', add("/a/c", [1, {"d": 2}]), file="a.json") == '{"a":{"b":1,"c":[1,{"d":2}]}}'


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_bytes_around_the_text_stay(bom: bytes, newline: str, end: str) -> None:
    """A byte order mark, the kind of line end and the end of the file are those of the file."""
    body = "a: 1  # one\nb:\n  c: 2\nd: 3"
    data = bom + (body + end).replace("\n", newline).encode()
    after = TextEditor(data, "a.yaml").edit({"a": 1, "b": {"c": 2, "e": 4}, "d": 3, "f": [5]}).data
    expected = body.replace("c: 2", "c: 2\n  e: 4").replace("d: 3", "d: 3\nf:\n  - 5") + end
    assert after == bom + expected.replace("\n", newline).encode()


def test_utf_16_is_written_as_it_was_read() -> None:
    """The encoding of a file is that of the file."""
    data = "a: ü\n".encode("utf-16")
    assert TextEditor(data, "a.yaml").edit({"a": "ö"}).data == "a: ö\n".encode("utf-16")


ANCHORS = """\
base: &base
  type: string   # shared
  format: uuid
one: *base
two:
  <<: *base
  title: Two
other: 1
"""


def test_a_shared_place_is_not_edited_for_one_of_its_users() -> None:
    """What an alias leads to is edited only if that is right for all that use it."""
    with pytest.raises(SharedPlace, match="&base"):
        edited(ANCHORS, replace("/one/format", "uri"))
    with pytest.raises(SharedPlace, match="&base"):
        edited(ANCHORS, replace("/base/format", "uri"))


def test_a_shared_place_is_edited_once_for_all() -> None:
    """Where every user of an anchor is to change alike, the text at the anchor does, and nothing else."""
    text = edited(ANCHORS, *(replace(f"/{name}/format", "uri") for name in ("base", "one", "two")))
    assert text == ANCHORS.replace("format: uuid", "format: uri")


@pytest.mark.parametrize(
    ("operation", "gone", "came"),
    [
        (replace("/one/format", "uri"), "one: *base\n", "one:\n  type: string\n  format: uri\n"),
        (remove("/one/format"), "one: *base\n", "one:\n  type: string\n"),
        (
            replace("/base", {"type": "integer"}),
            "base: &base\n  type: string   # shared\n  format: uuid\none: *base\n",
            "base: &base\n  type: integer   # shared\none:\n  type: string\n  format: uuid\n",
        ),
    ],
)
def test_an_alias_is_written_out_where_it_is_to_say_something_else(
    operation: dict[str, Any], gone: str, came: str
) -> None:
    """For one of those that share a place, if that is asked for: the others say what they said."""
    text = ANCHORS.replace("two:\n  <<: *base\n  title: Two\n", "")
    editor = TextEditor(text.encode(), "a.yaml")
    result = editor.edit(apply(editor.says, [operation]), apart=True).data.decode()
    assert load(result.encode(), "a.yaml") == apply(editor.says, [operation])
    assert result == text.replace(gone, came)


def test_a_merged_member_is_overridden_beside_the_merge_key() -> None:
    """What comes from a merge key changes for the mapping that was meant, and for no other."""
    text = edited(ANCHORS, replace("/two/format", "uri"))
    assert text == ANCHORS.replace("  title: Two\n", "  title: Two\n  format: uri\n")


def test_a_merged_member_cannot_be_taken_out() -> None:
    """Refused with the place, for it would change what others say."""
    with pytest.raises(PatchError, match="merge key"):
        edited(ANCHORS, remove("/two/format"))


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("a: &x\n  type: string\nb: *x\n", "a: &x {}\nb: *x\n"),
        ("a: &x   # named\n  - 1\n  - 2\nb: *x\n", "a: &x {}   # named\nb: *x\n"),
        ("a:\n  &x\n  type: string\nb: *x\n", "a:\n  &x {}\nb: *x\n"),
        ("a:\n  &x long\nb: *x\n", "a:\n  &x {}\nb: *x\n"),
    ],
)
def test_an_anchor_stays_in_front_of_what_takes_the_value_s_place(text: str, after: str) -> None:
    """What was on lines of its own and is short now stands behind the anchor, and not between it and the colon."""
    editor = TextEditor(text.encode(), "a.yaml")
    assert editor.edit({"a": {}, "b": {}}).data.decode() == after


@pytest.mark.parametrize(
    ("text", "operation"),
    [
        ("- # first\n  a: 1\n  b: 2\n", remove("/0/a")),
        ("a: |+\n  text\n\nb: 1\n", add("/c", 2)),
        ("a: 'it''s'\n\"b\": 2\n", replace("/a", "x's")),
        ("? a\n: 1\nb: 2\n", replace("/a", 3)),
        ("- - 1\n  - 2\n- []\n", add("/1/-", {"a": "b"})),
        ("a: &x\n  b: 1\nc: 2\n", add("/a/d", 2)),
        ("{a: 1, b: [1, 2,], # end\n c: {d: e}}\n", add("/b/-", 3)),
        ("a:\n- b: 1\n\n  # two\n- c: 2\n", remove("/a/0")),
        ("a: !!str 1\nb: 2\n", replace("/a", "x")),
        ("---\na: 1\n...\n", add("/b", 2)),
        ("a:\n", replace("/a", {"b": [1]})),
        ("a:\n  b: 1   \n  # behind\nc: 3\n", add("/a/d", "yes")),
        ("200: ok\n'404': gone\n", add("/500", "no")),
    ],
)
def test_what_yaml_allows_is_edited_or_refused(text: str, operation: dict[str, Any]) -> None:
    """Whatever the style, the result says what the patch says; or the patch is refused, never applied in part."""
    editor = TextEditor(text.encode(), "a.yaml")
    after = apply(editor.says, [operation])
    try:
        result = editor.edit(after)
    except PatchError:
        return
    assert equal(load(result.data, "a.yaml"), after)


VALUES: tuple[Any, ...] = (
    "x", "it's: #odd", "200", 200, 1.5, True, None, "yes", "2020-01-01", "", "- a", "line one\nline two\n", "ünï \U0001f600",
    {}, [], {"type": "string", "enum": ["a", "b"]}, [{"name": "q", "in": "query"}], {"$ref": "#/x", "200": {"a": ": b"}},
)  # fmt: skip


def places(value: Any, at: str = "") -> list[tuple[str, Any]]:
    found = [(at, value)]
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in members:
        found += places(each, at + pointer(key))
    return found


def random_edit(random: Random, document: Any) -> Any:
    """The document after a few edits at random places."""
    for _ in range(random.choice([1, 1, 2, 4])):
        at, value = random.choice(places(document))
        if isinstance(value, dict) and random.random() < 0.5:
            document = apply(document, [add(at + pointer(f"x-{random.randrange(9)}"), random.choice(VALUES))])
        elif isinstance(value, list) and random.random() < 0.5:
            document = apply(document, [add(f"{at}/{random.randint(0, len(value))}", random.choice(VALUES))])
        elif at:
            operation = remove(at) if random.random() < 0.5 else replace(at, random.choice(VALUES))
            document = apply(document, [operation])
    return document


def real_files() -> list[Path]:
    found = [*COMPANY.rglob("*.yaml"), *COMPANY.rglob("*.json")]
    for kind in ("pairs", "cases"):
        found += [*(SHARED / kind).rglob("*.yaml"), *(SHARED / kind).rglob("*.json")]
    return sorted(path for path in found if path.stat().st_size < 60_000 and path.name != "expect.json")


def test_real_files_are_edited_at_random_places() -> None:
    """An edit of a real file says exactly what it should, splices nothing that it need not, and is seldom refused."""
    random, tried, refused = Random(7), 0, 0
    for path in real_files():
        data = path.read_bytes()
        if random.random() < 0.3:
            data = data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        if random.random() < 0.3:
            data = data.rstrip(b"\r\n")
        try:
            editor = TextEditor(data, path.name)
        except PatchError:
            continue
        for _ in range(3):
            after = random_edit(random, editor.says)
            tried += 1
            try:
                result = editor.edit(after)
            except PatchError:
                refused += 1
                continue
            assert equal(load(result.data, path.name), after), path
            assert splice(result.before, result.splices) == result.data.decode("utf-8-sig"), path
    assert tried > 50
    assert refused < tried / (25 if SHARED.exists() else 10)  # of few files alone a few make much


YAML_SCALARS = st.none() | st.booleans() | st.integers(-99, 99) | st.text("ab: #-'\"\n,[]{}&*!|>%@`~0é", max_size=8)
DOCUMENTS = st.recursive(
    YAML_SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("ab0-: ", min_size=1, max_size=3), inner, max_size=3)
    ),
    max_leaves=10,
)


@settings(max_examples=300)
@given(
    st.dictionaries(st.text("ab", min_size=1, max_size=2), DOCUMENTS, min_size=1, max_size=3), DOCUMENTS, st.randoms()
)
def test_any_document_can_become_any_other_or_is_refused(before: Any, value: Any, random: Any) -> None:
    """From one document's YAML, as this module itself writes it, to another's: right, or refused, never wrong."""
    seed = TextEditor(b"a: {}\n", "a.yaml").edit({"a": before}).data
    editor = TextEditor(seed, "a.yaml")
    assert equal(editor.says, {"a": before})
    at = random.choice([each for each, _ in places(editor.says) if each])
    after = apply(editor.says, [replace(at, value)])
    assert equal(load(editor.edit(after).data, "a.yaml"), after)


@settings(max_examples=200)
@given(DOCUMENTS, DOCUMENTS, st.sampled_from([None, 1, 2, "\t"]))
def test_json_becomes_any_other_json(before: Any, after: Any, indent: Any) -> None:
    """The same for JSON, in any indentation."""
    text = json.dumps({"a": before, "b": 1}, indent=indent)
    editor = TextEditor(text.encode(), "a.json")
    wanted = {"a": after, "b": 1, "c": [after]}
    assert equal(load(editor.edit(wanted).data, "a.json"), wanted)


def test_nothing_to_change_changes_nothing() -> None:
    """An edit to what the file says already gives the same bytes."""
    editor = TextEditor(USER.encode(), "a.yaml")
    assert editor.edit(json_patch.apply(editor.says, [])).data == USER.encode()

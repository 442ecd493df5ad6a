"""Laws of locating: a pointer leads to the line where a person would look, in JSON and YAML alike."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardian.spec.locate import locate, parse_pointer

YAML = b"""\
openapi: 3.0.0
paths:
  /users/{id}:
    get:
      parameters:
        - name: id
          in: path
        - $ref: '#/components/parameters/x'
      responses:
        200: {description: ok}
        '404':
          description: gone
"""


@pytest.mark.parametrize(
    ("pointer", "place"),
    [
        ("", (1, 1)),
        ("/openapi", (1, 1)),
        ("/paths/~1users~1{id}", (3, 3)),
        ("/paths/~1users~1{id}/get/parameters/0", (6, 11)),
        ("/paths/~1users~1{id}/get/parameters/1/$ref", (8, 11)),
        ("/paths/~1users~1{id}/get/responses/200", (10, 9)),
        ("/paths/~1users~1{id}/get/responses/200/description", (10, 15)),
        ("/paths/~1users~1{id}/get/responses/404/description", (12, 11)),
        ("/paths/~1users~1{id}/get/responses/500/description", (9, 7)),
        ("/paths/~1users~1{id}/get/parameters/7/name", (5, 7)),
        ("/servers/0", (1, 1)),
    ],
)
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_a_pointer_leads_to_its_key_or_nearest_ancestor(
    pointer: str, place: tuple[int, int], line_end: bytes, mark: bytes
) -> None:
    """Whatever the line ends, with or without a BOM, alone or among others."""
    data = mark + YAML.replace(b"\n", line_end)
    assert locate(data, [pointer]) == {pointer: place}
    assert locate(data, ["/paths", pointer, "/nowhere"])[pointer] == place


ALIASES = b"""\
base: &base
  id: {type: integer}
  tags: [a, &tag {name: t}]
alias: *base
merged:
  <<: *base
  own: 1
both:
  <<: [{id: first}, *base]
inline: {<<: {deep: {x: 1}}}
item: [*tag]
chain: &chain
  <<: *base
last: *chain
"""


@pytest.mark.parametrize(
    ("pointer", "place"),
    [
        ("/alias", (4, 1)),
        ("/alias/id", (2, 3)),
        ("/alias/tags/1/name", (3, 19)),
        ("/merged/own", (7, 3)),
        ("/merged/id/type", (2, 8)),
        ("/merged/nowhere", (5, 1)),
        ("/both/id", (9, 9)),
        ("/both/tags", (3, 3)),
        ("/inline/deep/x", (10, 22)),
        ("/item/0", (11, 8)),
        ("/item/0/name", (3, 19)),
        ("/last/id/type", (2, 8)),
        ("/last/id/nowhere", (2, 3)),
    ],
)
def test_a_pointer_through_an_alias_or_merge_leads_to_where_the_thing_is_written(
    pointer: str, place: tuple[int, int]
) -> None:
    """The line is the one to edit."""
    assert locate(ALIASES, [pointer])[pointer] == place
    assert locate(ALIASES, [pointer, "/alias/id", "/last/id/type"])[pointer] == place


def test_json_is_located_without_libyaml_and_with_any_blanks() -> None:
    """Tabs, CR LF and escapes in keys are JSON's everyday."""
    data = b'{\r\n\t"a": [1, {"b": {"x/y": true}}],\r\n\t"c\\u00e9": "\\ud83d\\ude00",\r\n\t"d":\t{"e": 1}}'
    places = locate(data, ["/a/1", "/a/1/b/x~1y", "/cé", "/d/e", "/d/f", "/a/9"])
    assert places == {
        "/a/1": (2, 11),
        "/a/1/b/x~1y": (2, 18),
        "/cé": (3, 2),
        "/d/e": (4, 8),
        "/d/f": (4, 2),
        "/a/9": (2, 2),
    }


@pytest.mark.parametrize("data", [b"{a: 1, b: {c: [x, y]}}", b"{'a': 1, 'b': {'c': [x, y]}}", b'{"a": 1, b: {c: [x]}}'])
def test_flow_style_yaml_is_located_too(data: bytes) -> None:
    """It starts like JSON and is none."""
    assert locate(data, ["/b/c/0"])["/b/c/0"] == (1, data.index(b"x") + 1)


@pytest.mark.parametrize(
    "data", [b"a: 1\nb: [", b'{"a": 1,\n"b": [', b"a: 1\nb: *nowhere\n", b"? [x]\n: 1", b"", b"{", b"[" * 5000]
)
def test_malformed_text_gives_ancestors_and_no_crash(data: bytes) -> None:
    """A report about a broken file still has a place to point at."""
    assert locate(data, ["/b/0", "/c"])["/c"] == (1, 1)


def test_separators_of_unicode_are_no_line_ends() -> None:
    """libyaml counts U+2028 as one; editors do not."""
    data = 'a: "x\u2028y"\nb: 1\n'.encode()
    assert locate(data, ["/b"])["/b"] == (2, 1)


def test_pointers_are_unescaped_in_the_order_of_the_standard() -> None:
    """`~01` is `~1` and no slash (RFC 6901, section 4)."""
    assert parse_pointer("/a~1b/m~0n/~01/") == ("a/b", "m~n", "~1", "")
    assert parse_pointer("") == ()


TREES = st.recursive(
    st.integers(0, 9) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3) | st.dictionaries(st.text(max_size=4), inner, min_size=1, max_size=3)
    ),
)


def pointers(value: Any, prefix: str = "") -> list[str]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = []
    for key, child in items:
        pointer = f"{prefix}/{str(key).replace('~', '~0').replace('/', '~1')}"
        found += [pointer, *pointers(child, pointer)]
    return found


@given(st.dictionaries(st.text(max_size=4), TREES, min_size=1, max_size=4), st.sampled_from([None, 1]))
def test_every_pointer_of_a_json_document_is_found_where_its_text_starts(value: Any, indent: int | None) -> None:
    """The text at the place is the key, or the item, that the pointer names; asked alone or together."""
    text = json.dumps(value, indent=indent)
    lines = text.split("\n")
    wanted = pointers(value)
    together = locate(text.encode(), wanted)
    for pointer in wanted:
        line, column = together[pointer]
        here = lines[line - 1][column - 1 :]
        *parents, token = parse_pointer(pointer)
        parent = value
        for parent_token in parents:
            parent = parent[int(parent_token)] if isinstance(parent, list) else parent[parent_token]
        if isinstance(parent, dict):
            assert here.startswith(json.dumps(token) + ":")
        else:
            assert here[0] == json.dumps(parent[int(token)])[0]
        assert locate(text.encode(), [pointer])[pointer] == (line, column)

"""YAML in pieces: the same values and places as without, or left to those who read it whole."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from guardian.errors import ReadError
from guardian.spec import text
from guardian.spec.locate import locate
from guardian.spec.pieces import NotPlain, Text
from guardian.spec.yaml_text import read
from tests.spec.test_locate import pointers

KEYS = st.sampled_from(["a", "b", "/x/{id}", "200", "$ref", "é🪲", "q'", 'q"', "a: b", "- c", "#d", "true", "x y", ""])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 30)
    | st.sampled_from(
        [0.5, "", "x", "a: b\nc: d", "long words " * 9, "- a", "# b", "é🪲\n\n é", "a\n\n", "  a", "{", "'"]
    )
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=25,
)
DOCUMENTS = st.dictionaries(KEYS, VALUES, min_size=1, max_size=5)
STYLES = st.fixed_dictionaries(
    {
        "default_flow_style": st.sampled_from([None, False, False]),
        "default_style": st.sampled_from([None, None, "|", '"', "'"]),
        "allow_unicode": st.booleans(),
        "indent": st.sampled_from([2, 4]),
        "width": st.sampled_from([20, 80]),
        "explicit_start": st.booleans(),
        "sort_keys": st.just(False),
    }
)


class NoAliases(yaml.SafeDumper):
    """What a value holds twice is written twice."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def written(value: Any, style: dict[str, Any]) -> bytes:
    dumped = yaml.dump(value, Dumper=NoAliases, **style)
    assert isinstance(dumped, str)
    return dumped.encode()


@given(DOCUMENTS, DOCUMENTS, STYLES, STYLES)
def test_a_text_is_read_the_same_whatever_it_is_like(
    base: Any, head: Any, base_style: dict[str, Any], head_style: dict[str, Any]
) -> None:
    """Values, with the order of their keys, and the places of all keys and items."""
    like = text.read(written(base, base_style), "base.yaml")[1]
    mixed = {**base, **head, "both": base}
    data = written(mixed, head_style)
    whole = text._load_fast_yaml(data.decode())
    for other in (None, like):
        value, found = text.read(data, "head.yaml", other)
        assert json.dumps(value) == json.dumps(whole)
        if found is not None:
            wanted = pointers(whole)
            assert locate(data, wanted, found) == locate(data, wanted)


def loaded(data: str, like: Text | None = None) -> Text:
    return read(data.encode(), text._load_piece, like)


BLOCK = """\
# what it is
a:   # said
  # of b
  b:
    - x: 1
      y: |2
          two
         three

    - z
  "c d": >-
    folded
    text

  'e''f':
  - - nested
    - {flow: [1, 2]}
g: plain
  that goes on
h: "quoted
  too"
"""


def test_a_block_is_read_member_by_member() -> None:
    """Comments, scalars on several lines, sequences that are indented as their key is, and keys in quotes."""
    found = loaded(BLOCK)
    assert found.root.value == text._load_fast_yaml(BLOCK)
    assert found.root.members is not None
    assert list(found.root.members) == ["a", "g", "h"]
    wanted = pointers(found.root.value)
    assert locate(BLOCK.encode(), wanted, found) == locate(BLOCK.encode(), wanted)
    returns = BLOCK.replace("\n", "\r\n")
    again = loaded(returns)
    assert again.root.value == found.root.value
    assert locate(returns.encode(), wanted, again) == locate(BLOCK.encode(), wanted)


def test_a_key_is_no_longer_than_yaml_allows() -> None:
    """Whoever reads it whole says so."""
    with pytest.raises(ReadError):
        text.read(("k" * 1100 + ":\n  a: 1\n").encode(), "head.yaml")


def test_items_that_only_seem_as_many_as_there_are_are_not_found_by_indentation() -> None:
    """A text that looks like an item, beside one that does not; a key in flow style that stands where a member would."""
    data = b'a:\n  b:\n    c:\n      z:\n      - "x\n      - y"\n      -\n        w\n      y:\n        {c: 3, b: {\n        b: 1}}\n'
    value, found = text.read(data, "head.yaml")
    assert found is not None
    for pointer in pointers(value):
        assert locate(data, [pointer], found) == locate(data, [pointer])


def test_what_is_written_the_same_is_one_object() -> None:
    """Down to an operation or a component."""
    base = "paths:\n  /a:\n    get:\n      x: [1]\n    put:\n      x: [2]\nz:\n  A:\n    y: 1\n"
    head = base.replace("[2]", "[3]")
    like = loaded(base)
    found = loaded(head, like)
    one, other = like.root.value, found.root.value
    assert other["z"] is one["z"]
    assert other["paths"]["/a"]["get"] is one["paths"]["/a"]["get"]
    assert other["paths"]["/a"]["put"] == {"x": [3]}
    assert one["paths"]["/a"]["put"] == {"x": [2]}


def test_a_member_that_goes_on_is_another() -> None:
    """A text that only begins like base's, and one that ends earlier."""
    like = loaded("a: x\nb:\n  c: 1\n  d: 2\n")
    assert loaded("a: x\n  y\nb:\n  c: 1\n", like).root.value == {"a": "x y", "b": {"c": 1}}


@pytest.mark.parametrize(
    "data",
    [
        'a: "x\nb: y"\nc: 1\n',
        "a: {x: 1,\nb: 2}\n",
        "a: 1\na: 2\n",
        "a:\n  b: 1\n  b: 2\n",
        "a: 1\n---\nb: 2\n",
        "a: 1\n...\n",
        "%YAML 1.2\n---\na: 1\n",
        "? a\n: 1\n",
        "- a\n- b\n",
        "a: 1\n b: 2\n",
        "a: 1\n\tb: 2\n",
        "a:\n    b: 1\n  c: 2\n",
        "<<: {a: 1}\n",
        "a: .nan\n",
        "a: 1\rb: 2\n",
        "{a: 1}\n",
        "text\n",
        "# nothing\n",
        "a: !foo 1\n",
        "",
        "a: 1\n--- {b: 1}\n",
        "a: 1\n---\n  b: 1\n",
        "a: 1\n... # end\n",
        "a:\n  b: 1 # \x85 c\n",
        '"a\u2028b":\n  c: 1\n',
        '"<<":\n  a: 1\n',
    ],
)
def test_what_cannot_be_read_so_is_left_to_others(data: str) -> None:
    """They say what is wrong with it, or read it."""
    with pytest.raises(NotPlain):
        loaded(data)


@pytest.mark.parametrize(
    "data",
    [
        'x:\n  a: "y\n  b: z"\n  c: 1\n',
        "x:\n  a: {y: 1,\n  b: 2}\n",
        "x:\n  text\n  more\n",
        "x:\n  {a: 1}\n",
        "x:\n  ? a\n  : 1\n",
        "x:\n  200:\n    a: 1\n",
        "null:\n  a: 1\ntrue:\n  b: 2\n",
        "x: |\n  a:\n    b: 1\n",
        "x: &name\n  a: 1\n",
        "x: !!map\n  a: 1\n",
        "x:\n  # only a comment\ny: 1\n",
        "x:\n\n\n  a:\n\n\n    b: |+\n      c\n\n\n\ny: 1\n",
        "x:\n  a:\n    b: |-\n      c",
    ],
)
def test_what_looks_like_members_and_is_none_is_read_whole(data: str) -> None:
    """The same value, and the same places."""
    found = loaded(data)
    assert found.root.value == text._load_fast_yaml(data)
    wanted = pointers(found.root.value)
    assert locate(data.encode(), wanted, found) == locate(data.encode(), wanted)

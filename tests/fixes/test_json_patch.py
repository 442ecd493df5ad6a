"""JSON Patch: RFC 6902, its own examples first."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardian.fixes.json_patch import PatchError, add, apply, check, equal, get, has, pointer, remove, replace
from guardian.fixes.patch import difference

# RFC 6902, appendix A: document, operations, result.
EXAMPLES: list[tuple[Any, list[dict[str, Any]], Any]] = [
    ({"foo": "bar"}, [add("/baz", "qux")], {"baz": "qux", "foo": "bar"}),
    ({"foo": ["bar", "baz"]}, [add("/foo/1", "qux")], {"foo": ["bar", "qux", "baz"]}),
    ({"baz": "qux", "foo": "bar"}, [remove("/baz")], {"foo": "bar"}),
    ({"foo": ["bar", "qux", "baz"]}, [remove("/foo/1")], {"foo": ["bar", "baz"]}),
    ({"baz": "qux", "foo": "bar"}, [replace("/baz", "boo")], {"baz": "boo", "foo": "bar"}),
    (
        {"foo": {"bar": "baz", "waldo": "fred"}, "qux": {"corge": "grault"}},
        [{"op": "move", "from": "/foo/waldo", "path": "/qux/thud"}],
        {"foo": {"bar": "baz"}, "qux": {"corge": "grault", "thud": "fred"}},
    ),
    (
        {"foo": ["all", "grass", "cows", "eat"]},
        [{"op": "move", "from": "/foo/1", "path": "/foo/3"}],
        {"foo": ["all", "cows", "eat", "grass"]},
    ),
    ({"baz": "qux"}, [{"op": "test", "path": "/baz", "value": "qux"}], {"baz": "qux"}),
    ({"foo": "bar"}, [add("/child", {"grandchild": {}})], {"foo": "bar", "child": {"grandchild": {}}}),
    ({"foo": "bar"}, [{**add("/baz", "qux"), "xyz": 123}], {"foo": "bar", "baz": "qux"}),
    ({"/": 9, "~1": 10}, [{"op": "test", "path": "/~01", "value": 10}], {"/": 9, "~1": 10}),
    ({"foo": ["bar"]}, [add("/foo/-", ["abc", "def"])], {"foo": ["bar", ["abc", "def"]]}),
    ({"foo": 1}, [{"op": "copy", "from": "/foo", "path": "/bar"}], {"foo": 1, "bar": 1}),
    ({"foo": 1}, [replace("", [1])], [1]),
]


@pytest.mark.parametrize(("document", "operations", "result"), EXAMPLES)
def test_the_standards_own_examples(document: Any, operations: list[dict[str, Any]], result: Any) -> None:
    """What RFC 6902 shows is what comes out, and the document that went in is as it was."""
    before = copy.deepcopy(document)
    assert apply(document, operations) == result
    assert document == before


@pytest.mark.parametrize(
    ("document", "operation"),
    [
        ({"foo": "bar"}, add("/baz/bat", "qux")),
        ({"foo": "bar"}, remove("/baz")),
        ({"foo": "bar"}, replace("/baz", 1)),
        ({"foo": ["a"]}, add("/foo/2", "b")),
        ({"foo": ["a"]}, add("/foo/01", "b")),
        ({"foo": ["a"]}, remove("/foo/-")),
        ({"foo": "bar"}, remove("")),
        ({"/": 9, "~1": 10}, {"op": "test", "path": "/~01", "value": "10"}),
        ({"a": 1}, {"op": "test", "path": "/a", "value": True}),
        ({"a": {"b": 1}}, {"op": "move", "from": "/a", "path": "/a/b"}),
        ({"a": 1}, {"op": "copy", "from": "/b", "path": "/c"}),
    ],
)
def test_what_has_no_place_is_refused(document: Any, operation: dict[str, Any]) -> None:
    """An operation on something that is not there, or that fails its test, raises."""
    with pytest.raises(PatchError):
        apply(document, [operation])


@pytest.mark.parametrize(
    "operation",
    [
        None,
        [],
        {"op": "spam", "path": ""},
        {"op": "add", "path": "/a"},
        {"op": "add", "path": "a", "value": 1},
        {"op": "move", "path": "/a"},
    ],
)
def test_what_is_no_operation_is_refused(operation: Any) -> None:
    """A malformed operation raises, and never anything else than `PatchError`."""
    with pytest.raises(PatchError):
        check(operation)


def test_pointers_escape_what_they_must() -> None:
    """A key with a slash or a tilde is one step (RFC 6901)."""
    at = pointer("paths", "/users/{id}~x", 0)
    assert at == "/paths/~1users~1{id}~0x/0"
    document = {"paths": {"/users/{id}~x": ["found"]}}
    assert get(document, at) == "found"
    assert has(document, at) and not has(document, "/paths/users")


def test_true_is_not_one() -> None:
    """JSON tells true from 1, and does not tell 1 from 1.0."""
    assert not equal({"a": [True]}, {"a": [1]})
    assert equal({"a": [1.0]}, {"a": [1]})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab/~ ", max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("ab/~", max_size=2), inner, max_size=4),
    max_leaves=12,
)


@given(JSON, JSON)
def test_a_difference_leads_from_one_to_the_other(before: Any, after: Any) -> None:
    """The operations between two values turn the first into the second."""
    assert equal(apply(before, difference(before, after)), after)

from __future__ import annotations

import json
from typing import Any

import pytest

from guardian.spec.api import Node
from guardian.spec.refs import Documents
from guardian.spec.sameness import Sameness, equal
from guardian.spec.trees import MemoryTree


def side(version: str = "3.0.0", /, **files: Any) -> Documents:
    """A side with ``a.json`` from keywords of the root, and further files given as dicts under ``NAME_json``."""
    others = {name: value for name, value in files.items() if name.endswith("_json")}
    root = {"openapi": version, **{name: value for name, value in files.items() if name not in others}}
    texts = {"a.json": root, **{name.replace("_json", ".json"): value for name, value in others.items()}}
    return Documents(MemoryTree({name: json.dumps(value).encode() for name, value in texts.items()}))


def at(documents: Documents, pointer: str) -> Node:
    return documents.open("a.json").node(pointer)


def same(base: Documents, head: Documents, pointer: str = "/x") -> bool:
    return Sameness(base, head).same(at(base, pointer), at(head, pointer))


def ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/{name}"}


def test_equal_text_is_the_same() -> None:
    """Order of keys does not matter, nor what stands elsewhere in the files."""
    assert same(side(x={"a": 1, "b": [1, 2]}, y=1), side(y=2, x={"b": [1, 2], "a": 1}))
    assert not same(side(x={"a": [1, 2]}), side(x={"a": [2, 1]}))


def test_a_difference_is_seen_through_references() -> None:
    """Equal text is not enough: what it refers to must be the same, over any number of steps."""
    base = {"x": {"items": ref("y")}, "y": {"p": ref("z")}}
    assert same(side(**base, z={"type": "string"}), side(**base, z={"type": "string"}))
    assert not same(side(**base, z={"type": "string"}), side(**base, z={"type": "integer"}))


def test_a_difference_is_seen_through_other_files() -> None:
    """Each side's references are resolved on its own side."""
    x = {"$ref": "b.json#/y"}
    assert same(side(x=x, b_json={"y": ref("z"), "z": 1}), side(x=x, b_json={"y": ref("z"), "z": 1, "w": 2}))
    assert not same(side(x=x, b_json={"y": ref("z"), "z": 1}), side(x=x, b_json={"y": ref("z"), "z": 2}))


def test_the_same_words_lead_elsewhere_in_another_file() -> None:
    """A reference is relative to its own file, on both sides."""
    x = {"here": ref("z"), "there": {"$ref": "b.json#/y"}}
    assert same(side(x=x, z=1, b_json={"y": ref("z"), "z": 2}), side(x=x, z=1, b_json={"y": ref("z"), "z": 2}))
    assert not same(side(x=x, z=1, b_json={"y": ref("z"), "z": 2}), side(x=x, z=1, b_json={"y": ref("z"), "z": 3}))
    assert not same(side(x=x, z=1, b_json={"y": ref("z"), "z": 2}), side(x=x, z=3, b_json={"y": ref("z"), "z": 2}))


def test_equal_files_do_not_hide_a_change_in_a_third() -> None:
    """That a file has the same bytes on both sides says nothing about what it refers to."""
    base = side(x=ref("y"), y={"$ref": "b.json"}, b_json={"type": "string"})
    head = side(x=ref("y"), y={"$ref": "b.json"}, b_json={"type": "integer"})
    assert base.open("a.json").data == head.open("a.json").data
    assert not same(base, head)


def test_circles_are_the_same_unless_a_difference_is_on_them() -> None:
    """Recursion ends by assuming what is being asked."""
    loop = {"x": {"a": ref("y")}, "y": {"b": ref("z"), "c": ref("y")}}
    assert same(side(**loop, z={"d": ref("x")}), side(**loop, z={"d": ref("x")}))
    assert not same(side(**loop, z={"d": ref("x"), "e": 1}), side(**loop, z={"d": ref("x"), "e": 2}))
    assert same(side(x=ref("x")), side(x=ref("x")))


def test_only_what_leads_to_a_difference_is_different() -> None:
    """Of what one question visits, the clean part is known to be clean afterwards and the rest not to be."""
    shared = {"x": {"a": ref("y"), "b": ref("z")}, "y": {"a": ref("w")}, "w": {"type": "string"}}
    base, head = side(**shared, z={"a": ref("w"), "n": 1}), side(**shared, z={"a": ref("w"), "n": 2})
    asked = Sameness(base, head)
    answers = {name: asked.same(at(base, f"/{name}"), at(head, f"/{name}")) for name in "xyzw"}
    assert answers == {"x": False, "y": True, "z": False, "w": True}
    alone = {name: same(base, head, f"/{name}") for name in "xyzw"}
    assert alone == answers


def test_a_circle_through_a_known_difference_is_different() -> None:
    """Answers do not depend on the order of questions."""
    shared = {"x": {"a": ref("y")}, "y": {"a": ref("x"), "b": ref("z")}}
    base, head = side(**shared, z={"n": 1}), side(**shared, z={"n": 2})
    for order in ("xyz", "zyx", "yxz"):
        asked = Sameness(base, head)
        assert [asked.same(at(base, f"/{name}"), at(head, f"/{name}")) for name in order] == [False, False, False]


def test_places_may_differ() -> None:
    """Two places are compared by what they say, not by where they stand; references to moved components too."""
    base, head = side(x={"a": {"b": 1}}), side(y={"b": 1})
    assert Sameness(base, head).same(at(base, "/x/a"), at(head, "/y"))
    mapping = {"oneOf": [ref("y")]}
    assert not same(side(x=mapping, y={"n": 1}), side(x={"oneOf": [ref("w")]}, w={"n": 1}))


def test_references_that_lead_nowhere_are_left_to_who_looks() -> None:
    """A dangling or refused reference is never the same; a mapping or a link without a target is mere text."""
    assert not same(side(x=ref("gone")), side(x=ref("gone")))
    outside = {"$ref": "https://example.com/a.json"}
    assert not same(side(x=outside), side(x=outside))
    mapping = {"discriminator": {"propertyName": "k", "mapping": {"a": "Gone"}}}
    assert same(side(x=mapping), side(x=mapping))
    assert not same(side(x=mapping), side(x=mapping, components={"schemas": {"Gone": {}}}))
    link = {"links": {"l": {"operationRef": "#/paths/~1gone/get"}}}
    assert same(side(x=link), side(x=link))


def test_mappings_are_followed() -> None:
    """What a discriminator's mapping names belongs to the meaning of its schema."""
    x = {"discriminator": {"propertyName": "k", "mapping": {"a": "Dog"}}}
    base, head = ({"schemas": {"Dog": {"type": kind}}} for kind in ("string", "object"))
    assert not same(side(x=x, components=base), side(x=x, components=head))
    assert same(side(x=x, components=base), side(x=x, components=base))


def test_a_reference_below_an_id_is_resolved_from_there() -> None:
    """The same text, nested under an ``$id``, leads to what that id has."""

    def one(kind: str) -> Documents:
        inner = {"$id": "inner", "$defs": {"t": {"type": kind}}, "items": {"$ref": "#/$defs/t"}}
        return side("3.1.0", x={"$ref": "#/y/inner/items"}, y={"inner": inner}, **{"$defs": {"t": {"type": "null"}}})

    assert same(one("string"), one("string"))
    assert not same(one("string"), one("integer"))


def test_dynamic_references_are_never_decided_by_text() -> None:
    """Where they lead depends on who asks."""
    x = {"$dynamicAnchor": "n", "items": {"$dynamicRef": "#n"}}
    assert not same(side("3.1.0", x=x), side("3.1.0", x=x))


def test_dialects_that_read_a_text_differently_are_different() -> None:
    """``nullable`` means nothing in 3.1; between 3.1 and 3.2 schemas mean the same."""
    x = {"type": "string", "nullable": True}
    assert not same(side("3.0.0", x=x), side("3.1.0", x=x))
    assert same(side("3.1.0", x=x), side("3.2.0", x=x))


def test_what_a_reader_put_together_is_compared_by_value() -> None:
    """A node whose value is not what stands in the file is not judged by the file's bytes."""
    base, head = side(x={"a": 1}), side(x={"a": 1})
    one = Node(base.open("a.json"), "/x", {"a": 1})
    other = Node(head.open("a.json"), "/x", {"a": 2})
    assert not Sameness(base, head).same(one, other)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (True, 1, False),
        (0, False, False),
        (1, 1.0, True),
        (True, True, True),
        ({"a": [True, 1]}, {"a": [1, True]}, False),
        ({"a": 1, "b": True}, {"b": True, "a": 1.0}, True),
        ({"a": 1, "b": True}, {"b": 1, "a": 1}, False),
        ("1", 1, False),
        (None, False, False),
        ([], {}, False),
    ],
)
def test_equality_is_that_of_json(one: Any, other: Any, expected: bool) -> None:
    """Python's ``True == 1`` does not hold; ``1`` and ``1.0`` are one number; order of keys means nothing."""
    assert equal(one, other) is equal(other, one) is expected

"""Laws of discovery: documents are known by their content, and paired without a configuration."""

from __future__ import annotations

import pytest

from guardian.spec.discover import SpecPair, discover, pair, titles_of
from guardian.spec.git_files import FileChange
from guardian.spec.service_names import distinct, service_name
from guardian.spec.sources import Side
from guardian.spec.trees import MemoryTree


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("openapi: 3.0.0\n", True),
        ("# comment\n---\ninfo: {}\n'swagger' : \"2.0\"\n", True),
        ("\ufeffopenapi: 3.1.0\r\n", True),
        ('{"openapi": "3.0.0"}', True),
        ('\n {\n  "info": {"title": "a"},\n  "paths": {"/x": {}},\n  "swagger": "2.0"\n}', True),
        ('{"info":{"x":[1,2]},"openapi":"3.1.0"}', True),
        ("{openapi: 3.0.0, paths: {}}", True),
        ('{"dependencies": {"openapi": "3.0.0"}}', False),
        ('{"a": [{"swagger": "2.0"}]}', False),
        ("dependencies:\n  openapi: 3.0.0\n", False),
        ("openapi: yes please\n", False),
        ("openapi_version: 3\n", False),
        ("paths: {}\n", False),
        ("", False),
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_document_is_known_by_its_top_level_key(text: str, found: bool, encoding: str) -> None:
    """JSON and YAML, wherever in the file the key stands; the file's name says nothing."""
    data = text.removeprefix("\ufeff").encode(encoding) if encoding == "utf-16" else text.encode()
    side = Side(MemoryTree({"some.YAML": data, "other.txt": text.encode()}))
    assert discover(side) == (["some.YAML"] if found else [])


def test_a_single_file_is_what_the_user_named() -> None:
    """Even if it does not look like a specification: reading it will say so."""
    assert discover(Side(MemoryTree({"x": b"?", "y.yaml": b"openapi: 3.0.0"}), "x")) == ["x"]


def test_pairs_go_by_path_then_rename_then_title() -> None:
    """What is left on one side is new or removed; a service is named by its path without the ending."""
    titles = {
        ("base", "old/pay.yaml"): "Payments",
        ("head", "new/payments.json"): "Payments",
        ("base", "one.yaml"): "Same",
        ("base", "two.yaml"): "Same",
        ("head", "three.yaml"): "Same",
    }
    found = pair(
        ["orders/api.yaml", "was.yaml", "old/pay.yaml", "one.yaml", "two.yaml"],
        ["orders/api.yaml", "now.yaml", "new/payments.json", "three.yaml"],
        [FileChange("was.yaml", "now.yaml"), FileChange(None, "three.yaml"), FileChange("x", "y")],
        lambda role, path: titles.get((role, path)),
    )
    assert found == [
        SpecPair("new/payments", "old/pay.yaml", "new/payments.json"),
        SpecPair("now", "was.yaml", "now.yaml"),
        SpecPair("one", "one.yaml", None),
        SpecPair("orders/api", "orders/api.yaml", "orders/api.yaml"),
        SpecPair("three", None, "three.yaml"),
        SpecPair("two", "two.yaml", None),
    ]


def test_titles_are_asked_only_for_what_is_left() -> None:
    """Reading documents for their titles costs; pairs by path need none."""

    def never(role: str, path: str) -> str:
        raise AssertionError(path)

    assert pair(["a.yaml"], ["a.yaml", "b.yaml"], titles=never) == [
        SpecPair("a", "a.yaml", "a.yaml"),
        SpecPair("b", None, "b.yaml"),
    ]


def test_titles_are_read_from_their_own_side() -> None:
    """One title on both sides is one service that moved; no title is none."""
    base = Side(MemoryTree({"a.yaml": b"openapi: 3.0.0\ninfo: {title: Users}\n", "x.yaml": b"openapi: 3.0.0\n"}))
    head = Side(MemoryTree({"b.yaml": b"openapi: 3.1.0\ninfo: {title: Users}\n", "y.yaml": b"[]"}))
    assert pair(["a.yaml", "x.yaml"], ["b.yaml", "y.yaml"], titles=titles_of(base, head)) == [
        SpecPair("b", "a.yaml", "b.yaml"),
        SpecPair("x", "x.yaml", None),
        SpecPair("y", None, "y.yaml"),
    ]


def test_two_documents_of_one_stem() -> None:
    """Their endings tell them apart; one that only changed its ending is the same service."""
    assert pair(["a.yaml", "a.json", "b.yaml"], ["a.yaml", "a.json", "b.json"]) == [
        SpecPair("a.json", "a.json", "a.json"),
        SpecPair("a.yaml", "a.yaml", "a.yaml"),
        SpecPair("b", "b.yaml", "b.json"),
    ]


def test_names_of_which_no_two_are_alike() -> None:
    """Whose names are alike takes the next choice, and so does whom that makes alike."""
    choices = [("a", "a.yaml"), ("a", "a.json"), ("a.json", "a.json.yaml"), ("b", "b.yaml")]
    assert distinct(choices) == ["a.yaml", "a.json", "a.json.yaml", "b"]
    assert distinct(choices[::-1]) == ["b", "a.json.yaml", "a.json", "a.yaml"]


def test_services_are_named_by_path() -> None:
    """Only the ending goes."""
    assert service_name("orders/api.v1.yaml") == "orders/api.v1"
    assert service_name("a.JSON") == "a"
    assert service_name("a") == "a"

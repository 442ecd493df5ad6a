"""Which operations a patch touches, told from what changed: the same that comparing all they lead to tells."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest

from guardian.errors import ReadError
from guardian.fixes.bench import PatchedDocuments
from guardian.fixes.json_patch import Operation, PatchError, add, apply, pointer, remove, replace
from guardian.fixes.patch import patch_file
from guardian.fixes.text_edit import TextEditor
from guardian.fixes.touched import References, changed_places
from guardian.graph.consumers.routes import Router
from guardian.spec.api import Api
from guardian.spec.normalise import Rereader, read_anew, read_api
from guardian.spec.refs import Documents
from guardian.spec.sameness import Sameness
from guardian.spec.trees import DirectoryTree, MemoryTree, Tree
from tests.fixes.test_mutations import specifications
from tests.fixes.test_text_edit import places


def patched(api: Api, operations: list[Operation]) -> Api:
    """The API after a patch, read as a trial reads it: what the patch left alone is left unread."""
    document = api.document
    made = patch_file(TextEditor(document.data, document.file, document.root), operations, "spec")
    side = PatchedDocuments(document.documents, {document.address: made})
    again, whole = Rereader(api).read(side), read_api(side, document.address, api.service)
    assert list(again.operations) == list(whole.operations)
    assert set(read_anew(whole)) == set(whole.operations) >= set(read_anew(again))
    for name in whole.operations.keys() - read_anew(again):
        assert api.operations[name].node.pointer == whole.operations[name].node.pointer
    return again


def compared(before: Api, after: Api) -> set[str]:
    """The operations that are new, gone, or lead to something that is not the same."""
    same = Sameness(before.document.documents, after.document.documents).same
    alike = {
        name
        for name in before.operations.keys() & after.operations.keys()
        if same(before.operations[name].node, after.operations[name].node)
        and same(before.operations[name].path_node, after.operations[name].path_node)
    }
    return (before.operations.keys() | after.operations.keys()) - alike


def schema(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def answering(value: Any) -> dict[str, Any]:
    return {"responses": {"200": {"description": "", "content": {"application/json": {"schema": value}}}}}


API: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "t", "version": "1"},
    "paths": {
        "/cats": {"get": answering(schema("Cat"))},
        "/pets": {"get": answering({"type": "array", "items": schema("Pet")}), "post": answering(schema("Tag"))},
        "/loops": {"get": answering(schema("Loop"))},
        "/tags": {
            "parameters": [{"$ref": "#/components/parameters/a~1b"}, {"name": "q", "in": "query", "schema": {}}],
            "get": answering({"type": "string"}),
        },
        "/again/{id}": {"$ref": "#/paths/~1tags"},
        "/first": {"get": answering({"$ref": "#/paths/~1tags/parameters/0"})},
    },
    "components": {
        "parameters": {"a/b": {"name": "id", "in": "path", "required": True, "schema": schema("Tag")}},
        "schemas": {
            "Pet": {"type": "object", "properties": {"kind": {"type": "string"}}, "discriminator": {"propertyName": "kind"}},
            "Cat": {"allOf": [schema("Pet"), {"type": "object", "properties": {"tag": schema("Tag")}}]},
            "Tag": {"type": "string", "minLength": 1},
            "Loop": {"type": "object", "properties": {"next": schema("Other")}},
            "Other": {"type": "object", "properties": {"back": schema("Loop")}},
            "Alone": {"type": "integer"},
        },
    },
}  # fmt: skip
SCHEMAS = "/components/schemas"


def read(document: Any) -> Api:
    return read_api(Documents(MemoryTree({"a.json": json.dumps(document).encode()})), "a.json", "pets")


@pytest.mark.parametrize(
    ("operation", "names"),
    [
        (replace(f"{SCHEMAS}/Tag/minLength", 2),
         {"GET /cats", "GET /pets", "POST /pets", "GET /tags", "GET /again/{id}", "GET /first"}),
        (replace(f"{SCHEMAS}/Tag/minLength", 1.0), set()),
        (add(f"{SCHEMAS}/Other/title", "t"), {"GET /loops"}),
        (replace(f"{SCHEMAS}/Alone/type", "number"), set()),
        (add(f"{SCHEMAS}/New", {}), set()),
        (add(f"{SCHEMAS}/Dog", {"allOf": [schema("Pet")]}), {"GET /cats", "GET /pets", "POST /pets"}),
        (remove(f"{SCHEMAS}/Cat"), {"GET /cats", "GET /pets", "POST /pets"}),
        (remove("/paths/~1cats"), {"GET /cats"}),
        (add("/paths/~1new", {"get": answering({})}), {"GET /new"}),
        (remove("/paths/~1tags/parameters/1"), {"GET /tags", "GET /again/{id}"}),
        (replace("/info/title", "u"), set()),
    ],
)  # fmt: skip
def test_what_leads_to_a_change_is_touched(operation: Operation, names: set[str]) -> None:
    """Through references, circles, inheritance and path items; what leads elsewhere is not."""
    api = read(API)
    after = patched(api, [operation])
    assert References(api).touched(Router(api), after).names == names == compared(api, after)


def test_what_all_inherit_touches_all() -> None:
    """The servers of the document are those of every operation."""
    api = read(API)
    touched = References(api).touched(Router(api), patched(api, [add("/servers", [{"url": "https://example.com"}])]))
    assert touched.names is None
    assert touched.holds("anything")


def test_what_was_left_unread_is_read_when_it_is_asked_for() -> None:
    """It is the same operation that reading all of it gives, on the patched side; its path item is read once."""
    api = read(API)
    after = patched(api, [replace(f"{SCHEMAS}/Tag/minLength", 2), remove("/paths/~1cats")])
    whole = read_api(after.document.documents, "a.json", "pets")
    assert set(read_anew(after)) == {"GET /again/{id}"}  # it is a reference
    assert len(after.operations) == len(whole.operations) == 6
    for name, wanted in whole.operations.items():
        found = after.operations[name]
        assert found is after.operations[name]
        assert (found.name, found.method, found.path, found.kind) == (
            wanted.name,
            wanted.method,
            wanted.path,
            wanted.kind,
        )
        assert (found.node, found.path_node) == (wanted.node, wanted.path_node)
        assert found.node.document is wanted.node.document is after.document
        assert found.parts.responses.keys() == wanted.parts.responses.keys()
    assert "GET /cats" not in after.operations
    with pytest.raises(KeyError):
        after.operations["GET /cats"]


def test_in_another_dialect_nothing_is_taken_over() -> None:
    """What is a method there may be none here."""
    api = read({**API, "openapi": "3.1.0", "paths": {"/a": {"get": answering({}), "query": answering({})}}})
    assert list(api.operations) == ["GET /a"]
    assert list(patched(api, [replace("/openapi", "3.2.0")]).operations) == ["GET /a", "QUERY /a"]


def test_a_webhook_that_hides_another_is_not_taken_over() -> None:
    """Of one name in both maps of webhooks the later counts; when it goes, the earlier one is there."""
    hooks = {"webhooks": {"a": {"post": answering({})}}, "x-webhooks": {"a": {"post": answering({"type": "string"})}}}
    api = read({**API, "openapi": "3.1.0", **hooks})
    assert api.operations["webhook POST a"].node.pointer == "/x-webhooks/a/post"
    after = patched(api, [remove("/x-webhooks/a")])
    assert after.operations["webhook POST a"].node.pointer == "/webhooks/a/post"


@pytest.mark.parametrize(
    "ref",
    [
        "#/components/schemas/Nowhere",
        "b.json#/A",
        "#/components/schemas/Cat/allOf/0/properties/kind",
        "a.json#/components/schemas/Alone",
    ],
)
def test_references_that_are_no_straight_way_are_followed_all_the_same(ref: str) -> None:
    """To nothing, to another file, through another reference, by the file's own name: all is compared then."""
    paths = {**API["paths"], "/odd": {"get": answering({"$ref": ref})}}
    tree = MemoryTree({"a.json": json.dumps({**API, "paths": paths}).encode(), "b.json": b'{"A": {"type": "string"}}'})
    api = read_api(Documents(tree), "a.json", "pets")
    for operation in (replace(f"{SCHEMAS}/Pet/properties/kind", {"type": "integer"}), add(f"{SCHEMAS}/Nowhere", {}),
                      replace(f"{SCHEMAS}/Alone/type", "number"), replace(f"{SCHEMAS}/Tag", {})):  # fmt: skip
        after = patched(api, [operation])
        assert References(api).touched(Router(api), after).names == compared(api, after)


def random_operation(random: Random, document: Any) -> Operation:
    at, value = random.choice([each for each in places(document) if each[0].count("/") > 1])
    if isinstance(value, dict) and random.random() < 0.4:
        return add(at + pointer("x-new"), random.choice([True, {"type": "string"}]))
    return random.choice([remove(at), replace(at, random.choice(["x", 7, {"type": "object"}]))])


def test_real_specifications_are_touched_where_comparing_finds_it() -> None:
    """For random operations on real files; and what was gathered once serves for all of them."""
    random, tried, partly = Random(5), 0, 0
    for path in specifications():
        tree: Tree = DirectoryTree(path.parent, path.parent)
        try:
            api = read_api(Documents(tree), path.name, "api")
            references = References(api)
        except (ReadError, PatchError):
            continue
        for _ in range(4):
            operations = [random_operation(random, api.document.root)]
            try:
                after = patched(api, operations)
            except (ReadError, PatchError):
                continue
            names = references.touched(Router(api), after).names
            if names is None:
                continue
            tried += 1
            partly += 0 < len(names) < len(api.operations)
            assert names == compared(api, after), (path, operations)
    assert tried > 25
    assert partly > 5


def test_changed_places_are_the_smallest() -> None:
    """A value in both that differs, one that came, one that went; equal ones are none."""
    before = {"a": [1, {"b": 1, "c": 2}], "d": {"e": 1}, "f": True, "g": 1, "h": {"/": 1}}
    after = {"a": [1, {"b": 1.0, "c": 3}, 4], "d": {}, "f": 1, "g": [], "h": {"/": 1}, "i": {}}
    assert set(changed_places(before, after)) == {"/a/1/c", "/a/2", "/d/e", "/f", "/g", "/i"}
    assert set(changed_places(1, 2)) == {""}
    assert not set(changed_places(before, apply(before, [])))

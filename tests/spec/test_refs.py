from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from guardian.errors import ReadError, RefError
from guardian.spec import remote
from guardian.spec.api import Node
from guardian.spec.dynamic import ScopedNode, target_of
from guardian.spec.references import refs_in
from guardian.spec.refs import Documents
from guardian.spec.trees import MemoryTree

HEAD_30 = "openapi: 3.0.3\ninfo: {title: T, version: '1'}\npaths: {}\n"
HEAD_31 = "openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths: {}\n"


def side(**files: str) -> Documents:
    """A side from file name (``__`` for a slash, ``_yaml`` for its ending) to text."""
    named = {name.replace("__", "/").replace("_yaml", ".yaml"): text.encode() for name, text in files.items()}
    return Documents(MemoryTree(named))


def refused(documents: Documents, ref: str, at: Node) -> RefError:
    with pytest.raises(RefError) as caught:
        documents.resolve(ref, at)
    assert caught.value.exit_code == 3
    return caught.value


# --- one step -----------------------------------------------------------------------------------------------------


def test_a_local_reference_leads_to_its_pointer() -> None:
    """A fragment is a JSON pointer: percent-decoded first, then ~1 and ~0 unescaped."""
    documents = side(a_yaml=HEAD_30 + "x: {a/b: {c~d: {'e f': 1, '50%': 2, '%41': 3}}}")
    at = documents.open("a.yaml").node()
    node = documents.resolve("#/x/a~1b/c~0d/e%20f", at)
    assert (node.value, node.pointer) == (1, "/x/a~1b/c~0d/e f")
    assert documents.resolve("#/x/a~1b/c~0d/50%25", at).value == 2
    assert documents.resolve("#/x/a~1b/c~0d/50%", at).value == 2
    assert documents.resolve("#/x/a~1b/c~0d/%41", at).value == 3
    assert documents.resolve("#", at).value is documents.open("a.yaml").root


def test_list_items_are_reached_by_index() -> None:
    """A step into a list is a number in decimal digits."""
    documents = side(a_yaml=HEAD_30 + "x: [{y: 1}]")
    at = documents.open("a.yaml").node()
    assert documents.resolve("#/x/0/y", at).value == 1
    for bad in ("#/x/1", "#/x/-1", "#/x/y", "#/x/0/y/z"):
        refused(documents, bad, at)


def test_chains_are_not_followed_by_resolve() -> None:
    """Resolving takes one step; following a chain takes all."""
    documents = side(a_yaml=HEAD_30 + "x: {a: {$ref: '#/x/b'}, b: {$ref: '#/x/c'}, c: {name: n}}")
    at = documents.open("a.yaml").node()
    first = documents.resolve("#/x/a", at)
    assert first.value == {"$ref": "#/x/b"}
    assert documents.follow(first).pointer == "/x/c"


def test_a_reference_is_resolved_once() -> None:
    """The same reference in the same document is the same node."""
    documents = side(a_yaml=HEAD_30 + "x: {a: {}}")
    document = documents.open("a.yaml")
    assert documents.resolve("#/x/a", document.node()) is documents.resolve("#/x/a", document.node("/x"))


def test_a_missing_place_is_named_with_close_names() -> None:
    """The error has the file and pointer of the reference, what is missing where, and names that are close."""
    documents = side(a_yaml=HEAD_30 + "components: {schemas: {User: {}}}\nx: {$ref: '#/components/schemas/Usr'}")
    error = refused(documents, "#/components/schemas/Usr", documents.open("a.yaml").node("/x"))
    assert (error.file, error.pointer) == ("a.yaml", "/x/$ref")
    assert "#/components/schemas has no 'Usr'" in error.message
    assert error.hint == "did you mean 'User'?"


def test_a_pointer_may_run_through_another_reference() -> None:
    """Where a step is missing in a reference object, the step is taken in what it refers to."""
    documents = side(
        a_yaml=HEAD_30 + "x: {user: {$ref: 'b.yaml#/User'}, loop: {$ref: '#/x/loop/y'}}",
        b_yaml="User: {$ref: '#/Person'}\nPerson: {properties: {name: {type: string}}}",
    )
    at = documents.open("a.yaml").node()
    node = documents.resolve("#/x/user/properties/name", at)
    assert (node.document.file, node.pointer) == ("b.yaml", "/Person/properties/name")
    assert "circle" in refused(documents, "#/x/loop/z", at).message


def test_document_node_does_not_follow() -> None:
    """Asking a document for a place takes the pointer literally and names where it stops to exist."""
    document = side(a_yaml=HEAD_30 + "x: {a: {b: 1}}").open("a.yaml")
    assert document.node("/x/a/b").value == 1
    with pytest.raises(RefError) as caught:
        document.node("/x/a/c")
    assert (caught.value.file, caught.value.pointer) == ("a.yaml", "/x/a")


# --- many files ---------------------------------------------------------------------------------------------------


def test_relative_files_start_from_the_file_they_stand_in() -> None:
    """Each file's references are relative to that file, spaces may be percent-encoded, and whole files may be meant."""
    documents = Documents(
        MemoryTree(
            {
                "api/openapi.yaml": HEAD_30.encode() + b"x: {$ref: ../common/user.yaml}",
                "common/user.yaml": b"properties: {address: {$ref: './parts/postal address.yaml#/Address'}}",
                "common/parts/postal address.yaml": b"Address: {$ref: '../../api/openapi.yaml#/info'}",
            }
        )
    )
    root = documents.open("api/openapi.yaml")
    user = documents.resolve("../common/user.yaml", root.node("/x"))
    assert (user.document.uri, user.pointer) == ("common/user.yaml", "")
    address = documents.resolve("./parts/postal%20address.yaml#/Address", user)
    assert address.document.file == "common/parts/postal address.yaml"
    assert documents.resolve("../../api/openapi.yaml#/info", address).document is root


def test_a_file_is_parsed_once() -> None:
    """However many references lead to a file, and by whatever spelling, it is loaded once."""
    loaded = []

    def load(data: bytes, file: str) -> Any:
        loaded.append(file)
        return {"openapi": "3.0.0", "x": {}} if file == "a.yaml" else {"y": {}}

    documents = Documents(MemoryTree({"a.yaml": b"", "b.yaml": b""}), load=load)
    at = documents.open("a.yaml").node()
    assert documents.resolve("b.yaml#/y", at) == documents.resolve("./b.yaml#/y", at)
    assert documents.resolve("a.yaml#/x", at) == documents.resolve("#/x", at)
    assert loaded == ["a.yaml", "b.yaml"]


def test_a_fragment_has_the_dialect_of_who_refers_to_it() -> None:
    """A file without a version is read as its referrer is, also when two dialects share it; one with a version is not."""
    documents = side(
        old_yaml=HEAD_30, new_yaml=HEAD_31, part_yaml="User: {type: string}", two_yaml="swagger: '2.0'\nUser: {}"
    )
    old, new = documents.open("old.yaml").node(), documents.open("new.yaml").node()
    first, second = documents.resolve("part.yaml#/User", old), documents.resolve("part.yaml#/User", new)
    assert [first.document.dialect, second.document.dialect] == ["3.0", "3.1"]
    assert first != second
    assert {first.document.file, second.document.file} == {"part.yaml"}
    assert documents.resolve("two.yaml#/User", new).document.dialect == "2.0"


def test_opening_something_else_than_openapi_is_refused() -> None:
    """An entry document must say that it is OpenAPI; a fragment need not."""
    documents = side(a_yaml="type: object")
    with pytest.raises(ReadError, match="not an OpenAPI document"):
        documents.open("a.yaml")
    assert documents.open("a.yaml", "3.1").dialect == "3.1"


@pytest.mark.parametrize("ref", ["../b.yaml", "../../etc/passwd", "/etc/passwd", "x/../../b.yaml#/y", "%2e%2e/b.yaml"])
def test_leaving_the_root_is_refused(ref: str) -> None:
    """No spelling of a path reaches a file above the root."""
    error = refused(side(a_yaml=HEAD_30, b_yaml="y: {}"), ref, side(a_yaml=HEAD_30).open("a.yaml").node())
    assert "leads out of memory" in error.message
    assert error.hint


@pytest.mark.parametrize(
    "ref", ["file:///etc/passwd", "FILE:/etc/passwd", "ftp://example.com/a", "C:\\a.yaml", "urn:a:b"]
)
def test_other_schemes_are_refused(ref: str) -> None:
    """Only files of the tree and http(s) addresses can be meant."""
    documents = side(a_yaml=HEAD_30)
    assert "http(s)" in refused(documents, ref, documents.open("a.yaml").node()).message


def test_a_missing_file_is_named_with_close_names() -> None:
    """The error says which file is missing and which ones are there."""
    documents = side(api__a_yaml=HEAD_30, api__schemas_yaml="x: {}")
    error = refused(documents, "schema.yaml#/x", documents.open("api/a.yaml").node())
    assert "there is no api/schema.yaml" in error.message
    assert error.hint == "close names: api/schemas.yaml"
    error = refused(documents, "../schemas.yaml", documents.open("api/a.yaml").node())
    assert error.hint == "close names: api/schemas.yaml"
    assert refused(documents, "nothing-like-it.json", documents.open("api/a.yaml").node()).hint is None


# --- the network --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ref",
    ["https://example.com/a.yaml#/x", "//example.com/a.yaml", "http://example.com:81/a", "https://u@example.com/"],
)
def test_the_network_is_refused_with_the_flag_to_allow_it(ref: str) -> None:
    """Without permission nothing is fetched, and the hint names the host."""
    documents = Documents(MemoryTree({"a.yaml": HEAD_30.encode()}), allow_hosts=["other.example"])
    error = refused(documents, ref, documents.open("a.yaml").node())
    assert error.hint is not None
    assert "--allow-remote-refs example.com" in error.hint


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/elsewhere":
            self.send_response(302)
            self.send_header("Location", "http://localhost.invalid/a.yaml")
            self.end_headers()
        elif self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/dir/a.yaml")
            self.end_headers()
        elif self.path == "/dir/a.yaml":
            self._answer(b"x: {$ref: b.yaml#/y}")
        elif self.path == "/dir/b.yaml":
            self._answer(b"y: {type: string}")
        elif self.path == "/big":
            self._answer(b"x" * 100)
        else:
            self.send_error(404)

    def _answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def server() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), _Handler) as http:
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"127.0.0.1:{http.server_port}"
        finally:
            http.shutdown()
            thread.join()


def test_allowed_hosts_are_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    """An allowed host is asked, its own relative references too; redirects only lead to allowed hosts; limits hold."""
    with server() as host:
        documents = Documents(MemoryTree({"a.yaml": HEAD_31.encode()}), allow_hosts=["127.0.0.1"])
        at = documents.open("a.yaml").node()
        far = documents.resolve(f"http://{host}/dir/a.yaml#/x", at)
        assert (far.document.file, far.document.dialect) == (f"http://{host}/dir/a.yaml", "3.1")
        assert documents.follow(far).value == {"type": "string"}
        assert documents.resolve(f"http://{host}/moved#/x", at).value == {"$ref": "b.yaml#/y"}
        assert "404" in refused(documents, f"http://{host}/missing", at).message
        assert "redirects to http://localhost.invalid" in refused(documents, f"http://{host}/elsewhere", at).message
        monkeypatch.setattr(remote, "MAX_BYTES", 50)
        assert "larger than 50 bytes" in refused(documents, f"http://{host}/big", at).message
    assert "could not be fetched" in refused(documents, f"http://{host}/dir/c.yaml", at).message


def test_a_port_may_be_part_of_the_permission() -> None:
    """``host`` allows every port, ``host:port`` that one; case does not matter."""
    assert remote.is_allowed("https://Example.com:8080/a", {"example.com"})
    assert remote.is_allowed("https://example.com:8080/a", {"example.com:8080"})
    assert not remote.is_allowed("https://example.com/a", {"example.com:8080"})
    assert not remote.is_allowed("https://example.com.evil.net/a", {"example.com"})
    assert not remote.is_allowed("https://example.com@evil.net/a", {"example.com"})
    assert not remote.is_allowed("file://example.com/a", {"example.com"})
    assert not remote.is_allowed("http://[::1/a", {"::1"})


# --- anchors and $id ----------------------------------------------------------------------------------------------

IDS = (
    HEAD_31
    + """
components:
  schemas:
    Tree:
      $id: https://example.com/schemas/tree
      $defs:
        node: {$anchor: node, type: string}
        inner: {$id: deep/inner, $defs: {leaf: {$anchor: leaf}}, allOf: [{$ref: '#/$defs/leaf'}]}
      properties:
        $id: {type: string}
        one: {$ref: '#node'}
        two: {$ref: '#/$defs/node'}
        three: {$ref: deep/inner#leaf}
        four: {$ref: /schemas/other}
        five: {$ref: '#/components/schemas/Other'}
        six: {$ref: part.yaml#/x}
      example: {$id: https://example.com/not-a-schema}
    Other: {$id: https://example.com/schemas/other}
x: {$ref: 'https://example.com/schemas/tree#/properties/one'}
"""
)


@pytest.mark.parametrize(
    ("name", "ref", "pointer"),
    [
        ("one", "#node", "/components/schemas/Tree/$defs/node"),
        ("two", "#/$defs/node", "/components/schemas/Tree/$defs/node"),
        ("three", "deep/inner#leaf", "/components/schemas/Tree/$defs/inner/$defs/leaf"),
        ("four", "/schemas/other", "/components/schemas/Other"),
        ("five", "#/components/schemas/Other", "/components/schemas/Other"),
    ],
)
def test_id_changes_the_base(name: str, ref: str, pointer: str) -> None:
    """Below an ``$id``, references are relative to it; a pointer meant from the root is understood all the same."""
    documents = side(a_yaml=IDS, part_yaml="x: {}")
    at = documents.open("a.yaml").node(f"/components/schemas/Tree/properties/{name}")
    assert documents.resolve(ref, at).pointer == pointer


def test_embedded_ids_are_found_from_anywhere() -> None:
    """An absolute ``$id`` that a document embeds needs no network, also from another file; examples have no ids."""
    documents = side(a_yaml=IDS, b_yaml=HEAD_31, part_yaml="x: {}")
    document = documents.open("a.yaml")
    ref = "https://example.com/schemas/tree#/properties/one"
    assert documents.resolve(ref, document.node("/x")).pointer == "/components/schemas/Tree/properties/one"
    assert documents.resolve(ref, documents.open("b.yaml").node()).document is document
    refused(documents, "https://example.com/not-a-schema", document.node("/x"))


def test_a_relative_file_below_an_absolute_id_is_the_file_beside() -> None:
    """By the letter it would be on the network; the file that stands there is what is meant."""
    documents = side(a_yaml=IDS, part_yaml="x: {}")
    at = documents.open("a.yaml").node("/components/schemas/Tree/properties/six")
    assert documents.resolve("part.yaml#/x", at).document.file == "part.yaml"


@pytest.mark.parametrize("uri", ["http://[bad", "file:///etc/", "../../etc/", "//evil.example/"])
def test_an_id_opens_no_way_out(uri: str) -> None:
    """Whatever base a document claims, a reference below it reaches neither files outside nor the network."""
    documents = side(a_yaml=HEAD_31 + f"x: {{$id: '{uri}', y: {{}}}}")
    refused(documents, "../passwd", documents.open("a.yaml").node("/x/y"))


def test_the_same_text_below_two_ids_leads_to_two_places() -> None:
    """What is remembered of a reference is remembered per base."""
    documents = side(a_yaml=HEAD_31 + "a: {$id: one, $defs: {x: 1}, b: {}}\nc: {$id: two, $defs: {x: 2}, b: {}}")
    document = documents.open("a.yaml")
    values = [documents.resolve("#/$defs/x", document.node(f"/{key}/b")).value for key in "ac"]
    assert values == [1, 2]


def test_anchors_need_no_id() -> None:
    """``$anchor`` and ``$dynamicAnchor`` work in a plain document and across files; a missing one is named."""
    documents = side(a_yaml=HEAD_31, b_yaml="x: {$defs: {a: {$anchor: here}, b: {$dynamicAnchor: there}}}")
    at = documents.open("a.yaml").node()
    assert documents.resolve("b.yaml#here", at).pointer == "/x/$defs/a"
    assert documents.resolve("b.yaml#there", at).pointer == "/x/$defs/b"
    assert "no anchor 'gone'" in refused(documents, "b.yaml#gone", at).message
    error = refused(documents, "#components/schemas/User", at)
    assert error.hint == "a pointer starts with a slash: `#/components/schemas/User`"


def test_ids_mean_nothing_before_3_1() -> None:
    """In 3.0 ``$id`` is an unknown keyword: pointers start at the document."""
    documents = side(a_yaml=HEAD_30 + "x: {$id: 'https://example.com/x', y: {}}\n$defs: {z: 1}")
    assert documents.resolve("#/$defs/z", documents.open("a.yaml").node("/x/y")).value == 1


def test_self_is_the_base_of_a_3_2_document() -> None:
    """``$self`` names the document for absolute references; files beside it are still found."""
    documents = side(
        a_yaml="openapi: 3.2.0\n$self: https://example.com/api\npaths: {}\nx: {}", b_yaml="y: {}", c_yaml=HEAD_31
    )
    document = documents.open("a.yaml")
    assert documents.resolve("https://example.com/api#/x", document.node()).pointer == "/x"
    assert documents.resolve("b.yaml#/y", document.node()).document.file == "b.yaml"
    assert documents.resolve("a.yaml#/x", document.node()).document is document


def test_dynamic_references_lead_to_the_outermost_anchor() -> None:
    """A ``$dynamicRef`` to a ``$dynamicAnchor`` is decided by who came first; without one it is a ``$ref``."""
    documents = side(
        a_yaml=HEAD_31
        + """
list: {$id: list, $defs: {T: {$dynamicAnchor: T, not: {}}}, items: {$dynamicRef: '#T'}}
users: {$id: users, $defs: {T: {$dynamicAnchor: T, type: string}}, $ref: list}
"""
    )
    document = documents.open("a.yaml")
    users, items = document.node("/users"), document.node("/list/items")
    through_users = ScopedNode(items, (users,))
    assert target_of(through_users, "$dynamicRef").pointer == "/users/$defs/T"
    assert target_of(items, "$dynamicRef").pointer == "/list/$defs/T"
    plain = Node(document, items.pointer, {"$dynamicRef": "#/$defs/T"})
    assert target_of(ScopedNode(plain, (users,)), "$dynamicRef").pointer == "/list/$defs/T"


# --- chains -------------------------------------------------------------------------------------------------------


def test_siblings_of_a_reference_count_as_the_dialect_says() -> None:
    """3.1 lets description and summary override the target's; 3.0 ignores all; nothing else ever counts."""
    text = "a: {$ref: '#/b', description: mine, required: true}\nb: {description: theirs, name: n}"
    old, new = side(a_yaml=HEAD_30 + text), side(a_yaml=HEAD_31 + text)
    assert old.follow(old.open("a.yaml").node("/a")).value == {"description": "theirs", "name": "n"}
    followed = new.follow(new.open("a.yaml").node("/a"))
    assert followed.value == {"description": "mine", "name": "n"}
    assert followed.pointer == "/b"
    assert new.open("a.yaml").root["b"]["description"] == "theirs"


@pytest.mark.parametrize("text", ["a: {$ref: '#/a'}", "a: {$ref: '#/b'}\nb: {$ref: '#/c'}\nc: {$ref: '#/b'}"])
def test_references_that_only_lead_to_each_other_are_refused(text: str) -> None:
    """A circle of references that never reaches an object is an error that names the circle."""
    documents = side(a_yaml=HEAD_30 + text)
    with pytest.raises(RefError, match="only lead to each other") as caught:
        documents.follow(documents.open("a.yaml").node("/a"))
    assert caught.value.pointer == "/a/$ref"


def test_layers_keep_what_stands_beside_a_path_items_reference() -> None:
    """Every object of the chain is given, nearest first, each with its own place."""
    documents = side(a_yaml=HEAD_30 + "a: {$ref: '#/b', get: {}}\nb: {$ref: '#/c', put: {}}\nc: {post: {}}")
    assert [node.pointer for node in documents.layers(documents.open("a.yaml").node("/a"))] == ["/a", "/b", "/c"]


def test_mapping_values_are_names_before_they_are_references() -> None:
    """A discriminator's mapping may name a component or give a reference."""
    documents = side(a_yaml=HEAD_30 + "components: {schemas: {Dog: {}, a.yaml: {}}}")
    at = documents.open("a.yaml").node()
    assert documents.mapping_target("Dog", at).pointer == "/components/schemas/Dog"
    assert documents.mapping_target("a.yaml", at).pointer == "/components/schemas/a.yaml"
    assert documents.mapping_target("#/components/schemas/Dog", at).pointer == "/components/schemas/Dog"
    with pytest.raises(RefError):
        documents.mapping_target("Cat", at)


def test_refs_in_finds_every_kind_of_reference_and_nothing_else() -> None:
    """``$ref`` as the name of a property is no reference; mappings give components by pointer."""
    value = {
        "properties": {"$ref": {"type": "string"}, "a": {"$ref": "#/a"}, "discriminator": {"type": "string"}},
        "oneOf": [{"$ref": "#/b"}, {"items": [{"$dynamicRef": "#c"}]}],
        "discriminator": {"propertyName": "k", "mapping": {"x": "Dog", "y": "dog.yaml#/Dog", "z": 1}},
        "links": {"l": {"operationRef": "#/paths/~1x/get"}},
        "again": {"$ref": "#/a"},
    }
    expected = ["#/a", "#/b", "#c", "#/components/schemas/Dog", "dog.yaml#/Dog", "#/paths/~1x/get"]
    assert sorted(refs_in(value)) == sorted(expected)
    assert refs_in("text") == refs_in(None) == ()


def test_deep_values_are_no_problem() -> None:
    """Looking for references does not recurse."""
    value: Any = {"$ref": "#/x"}
    for _ in range(50_000):
        value = [value]
    assert refs_in(value) == ("#/x",)


def test_a_folder_that_looks_like_a_scheme() -> None:
    """A path in the tree is one also where its folder is called ``v1:beta``, and so is what stands beside it."""
    files = {
        "v1:beta/a.yaml": b"openapi: 3.0.3\nx: {$ref: 'b.yaml#/y'}\n",
        "v1:beta/b.yaml": b"y: 1\n",
        "b.yaml": b"y: 2\n",
    }
    documents = Documents(MemoryTree(files))
    assert documents.resolve("b.yaml#/y", documents.open("v1:beta/a.yaml").node("/x")).value == 1

"""All sources of a side together: which files are meant, what they are, and what they say of one consumer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from guardian.errors import ReadError
from guardian.graph.consumers.load import Declarations, load_consumers
from guardian.graph.consumers.routes import Routes
from guardian.graph.consumers.write import to_yaml
from guardian.graph.uses import Consumer, Use
from guardian.model import Location
from guardian.spec.globs import fixed_folder, matches_glob
from guardian.spec.text import load
from guardian.spec.trees import MemoryTree
from tests.graph.worlds import api, apis, manifests

MANIFEST = "consumer: billing\nowner: team\nuses:\n  - {service: users, operation: 'GET /users/{id}', reads: [id]}\n"
PACT = {
    "consumer": {"name": "Billing"},
    "provider": {"name": "users"},
    "interactions": [
        {"request": {"method": "get", "path": "/users/1"}, "response": {"status": 200, "body": {"email": 1}}}
    ],
}
CATALOG = """\
# two entities
apiVersion: backstage.io/v1alpha1
kind: Component
metadata: {name: billing}
spec: {owner: others, consumesApis: [stock]}
---
apiVersion: backstage.io/v1alpha1
kind: Component
metadata: {name: shop}
spec: {owner: web, consumesApis: [users, 'component:x']}
"""
HAR = {"log": {"entries": [{"request": {"method": "GET", "url": "http://h/users/1"}, "response": {"status": 200}}]}}
APIS = apis(api("users", "/users/{id}: {get: {}}"))


def read(files: Mapping[str, str], *patterns: str, missing_ok: bool = False) -> Declarations:
    tree = MemoryTree({path: text.encode() for path, text in files.items()})
    return load_consumers([(tree, each) for each in patterns], APIS, APIS, missing_ok=missing_ok)


def test_sources_are_told_by_content() -> None:
    """Whatever a file is called, its content says what it is, and what all say of one consumer is put together."""
    found = read(
        {
            "c/a.yaml": MANIFEST,
            "c/b.json": json.dumps(PACT),
            "c/deep/catalog.yml": CATALOG,
            "c/rec.har": json.dumps(HAR),
        },
        "c",
    )
    billing, rec, shop = found.consumers
    assert [each.name for each in found.consumers] == ["billing", "rec", "shop"]
    assert {(use.consumer, use.tool, use.service) for use in billing.uses} == {
        ("billing", "manifest", "users"),
        ("billing", "pact", "users"),
        ("billing", "backstage", "stock"),
    }
    assert billing.owner == "team"
    assert rec.uses[0].operation == "GET /users/{id}"
    assert shop.uses[0].origin == Location("c/deep/catalog.yml", "", 7)
    assert [(note.level, note.line) for note in found.notes] == [("warning", 7)]
    assert set(found.files) == {"c/a.yaml", "c/b.json", "c/deep/catalog.yml", "c/rec.har"}


def test_strictness_covers_every_source() -> None:
    """A consumer that one source calls strict is strict in what another declares."""
    found = read(
        {"a.yaml": MANIFEST.replace("owner", "strict: true\nowner"), "b.json": json.dumps(PACT)}, "a.yaml", "b.json"
    )
    assert [each.strict for each in found.consumers] == [True]
    assert len(found.consumers[0].uses) == 2


def test_the_same_file_twice_counts_once() -> None:
    """Patterns may overlap."""
    found = read({"c/a.yaml": MANIFEST}, "c", "c/*.yaml", "c/a.yaml")
    assert len(found.consumers[0].uses) == 1


@pytest.mark.parametrize(
    ("path", "pattern", "expected"),
    [
        ("c/a.yaml", "c/*.yaml", True),
        ("c/d/a.yaml", "c/*.yaml", False),
        ("c/d/a.yaml", "c/**/*.yaml", True),
        ("c/a.yaml", "c/**/*.yaml", True),
        ("c/a.yaml", "**", True),
        ("c/a.yaml", "c/?.yaml", True),
        ("c/a.yaml", "c/[ab].yaml", True),
        ("c/a.yaml", "c/[!ab].yaml", False),
        ("c/a.yaml", "c/[b-d].yaml", False),
        ("c/[a].yaml", "c/[[]a].yaml", True),
        ("c/axyaml", "c/a.yaml", False),
    ],
)
def test_globs(path: str, pattern: str, expected: bool) -> None:
    """Stars stay in their folder unless doubled."""
    assert matches_glob(path, pattern) is expected


@pytest.mark.parametrize(
    ("pattern", "folder"),
    [("pacts/*.json", "pacts"), ("**/*.yaml", ""), ("./a/b[12]/c.yaml", "a"), ("pacts", "pacts"), (".", "")],
)
def test_what_a_glob_may_lie_below(pattern: str, folder: str) -> None:
    """Only folders that may hold a match need to be readable."""
    assert fixed_folder(pattern) == folder


def test_what_is_missing() -> None:
    """A file that was named must be there; a glob that matches nothing is told; on base neither matters."""
    with pytest.raises(ReadError, match="nope"):
        read({"a.yaml": MANIFEST}, "nope.yaml")
    assert [note.level for note in read({"a.yaml": MANIFEST}, "c/*.yaml").notes] == ["warning"]
    assert read({"a.yaml": MANIFEST}, "nope.yaml", "c/*.yaml", missing_ok=True) == Declarations()


def test_what_is_no_declaration() -> None:
    """In a folder it is left out with a note; named itself it is an error that says what is read."""
    files = {"c/a.yaml": MANIFEST, "c/api.yaml": "openapi: 3.1.0\n", "c/x.json": "[1]", "c/readme.md": "# hi"}
    found = read(files, "c")
    assert [(note.file, note.level) for note in found.notes] == [("c/api.yaml", "info"), ("c/x.json", "warning")]
    with pytest.raises(ReadError) as error:
        read(files, "c/x.json")
    assert "Pact" in (error.value.hint or "")


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n---\n", "{}\n"])
def test_what_is_empty(text: str) -> None:
    """A file that says nothing is no declaration either: an error where it is named, a note in a folder."""
    files = {"c/a.yaml": MANIFEST, "c/b.yaml": text}
    assert [(note.file, note.level) for note in read(files, "c").notes] == [("c/b.yaml", "warning")]
    with pytest.raises(ReadError, match="declares no consumer"):
        read(files, "c/b.yaml")


def test_broken_declarations_are_never_passed_over() -> None:
    """A manifest or pact that cannot be read stops the run, all of them at once; a recording only leaves a note."""
    with pytest.raises(ReadError) as error:
        read({"c/a.yaml": "consumer: [", "c/b.yaml": "consumer: a\nusses: []", "c/c.json": "{"}, "c")
    text = str(error.value)
    assert error.value.exit_code == 3
    assert all(name in text for name in ("c/a.yaml", "c/b.yaml", "c/c.json"))
    found = read({"c/a.yaml": MANIFEST, "c/r.har": "{"}, "c")
    assert [note.file for note in found.notes] == ["c/r.har"]


def test_json_lines() -> None:
    """A collector's file of one export in each line is as many traces."""
    export = {"resourceSpans": []}
    assert read({"t.jsonl": f"{json.dumps(export)}\n{json.dumps(export)}\n"}, "t.jsonl").consumers == ()


def seen_by(caller: str) -> str:
    """One line of a collector: a client span of this caller, on a user."""

    def said(**attributes: str) -> list[dict[str, object]]:
        return [{"key": key.replace("_", "."), "value": {"stringValue": value}} for key, value in attributes.items()]

    call = {"spanId": "1", "kind": 3, "attributes": said(http_method="GET", http_url="http://users/users/1")}
    own = {"attributes": said(service_name=caller)}
    return json.dumps({"resourceSpans": [{"resource": own, "scopeSpans": [{"spans": [call]}]}]})


@pytest.mark.parametrize("name", ["t.jsonl", "t.ndjson", "t.log", "t.json"])
def test_lines_of_other_kinds(name: str) -> None:
    """A line that a collector did not finish, and those with metrics, do not take the others with them."""
    lines = [seen_by("web"), '{"resourceMetrics": []}', '{"resourceLogs": []}', seen_by("app"), seen_by("x")[:40]]
    for patterns in ("c", f"c/{name}"):
        found = read({f"c/{name}": "\n".join(lines)}, patterns)
        assert [each.name for each in found.consumers] == ["app", "web"]
        assert [(note.level, note.message) for note in found.notes] == [
            ("warning", "1 line left out: no whole JSON object"),
            ("info", "left out: metrics or log records, which show no calls"),
        ]
    assert [each.name for each in read({f"c/{name}": seen_by("web")}, "c").consumers] == ["web"]


@pytest.mark.parametrize("text", ['[2026-01-01] "GET /users/1 HTTP/1.1" 200 - "x"\n', "{\n{\n", "a: [\n"])
def test_recordings_are_told_for_what_they_are(text: str) -> None:
    """A log of an unknown format is no broken YAML."""
    (note,) = read({"c/x.log": text, "c/a.yaml": MANIFEST}, "c").notes
    assert note.message == "not read: no access log in a known format, and no line of it is a JSON object"
    with pytest.raises(ReadError, match="no access log in a known format"):
        read({"c/x.jsonl": text}, "c/x.jsonl")


def test_names_that_are_only_much_alike_are_two() -> None:
    """A consumer is no other for a word like "API": what the one declares would hide what the other reads."""
    pact = json.dumps({**PACT, "consumer": {"name": "billing-api"}})
    found = read({"c/a.yaml": MANIFEST, "c/b.json": pact}, "c")
    assert [each.name for each in found.consumers] == ["billing", "billing-api"]
    (note,) = found.notes
    assert (note.level, note.file) == ("info", "c/b.json")
    assert note.message == (
        "billing-api is taken for another consumer than billing, which has a manifest; "
        "if they are one, call them by the same name"
    )
    for name in ("users-service", "Users API"):
        found = read({"c/b.json": json.dumps({**PACT, "consumer": {"name": name}})}, "c")
        assert [each.name for each in found.consumers] == [name]
    assert [
        each.name for each in read({"c/b.json": json.dumps({**PACT, "consumer": {"name": "USERS"}})}, "c").consumers
    ] == ["users"]


def test_manifests_written_back() -> None:
    """What is written reads back as the same declarations, in a form that YAML cannot take for something else."""
    text = """
consumer: "yes"
owner: "team: a"
strict: true
uses:
  - service: users
    operation: GET /users/{id}
    reads: ["lines[].sku", labels.*, "a\\\\.b"]
    sends: [query:page, "body.$", scope:users.read]
    responses: ["200", 4XX]
    exposes: {email: ["GET /a/{id}#x", "GET /b#y"]}
  - {service: users, operation: webhook POST gone, reads: []}
"""
    (first,) = manifests(text)
    (again,) = manifests(to_yaml(first))
    assert (again.name, again.owner, again.strict) == ("yes", "team: a", True)
    simple = [
        [
            (
                use.service,
                use.operation,
                None if use.reads is None else sorted(str(each.path) for each in use.reads),
                None if use.sends is None else sorted(str(each.path) for each in use.sends),
                use.responses,
                sorted((str(each.path), each.operation, str(each.field)) for each in use.exposes),
            )
            for use in sorted(consumer.uses, key=lambda use: use.operation or "")
        ]
        for consumer in (first, again)
    ]
    assert simple[0] == simple[1]


def test_recordings_written_as_manifests() -> None:
    """Concrete paths become templates; what was only seen is a comment; nothing from outside can leave its comment."""
    found = read({"c/a.json": json.dumps(PACT), "c/x.har": json.dumps(HAR), "c/k.yaml": CATALOG}, "c")
    by_name = {each.name: to_yaml(each, Routes(APIS)) for each in found.consumers}
    assert load(by_name["Billing"].encode(), "x.yaml")["uses"][0] == {
        "service": "users",
        "operation": "GET /users/{id}",
        "reads": ["email"],
        "sends": [],
        "responses": ["200"],
    }
    assert load(by_name["x"].encode(), "x.yaml")["uses"] == [
        {"service": "users", "operation": "GET /users/{id}", "sends": []}
    ]
    assert load(by_name["shop"].encode(), "x.yaml")["uses"] == [{"service": "users"}]
    assert "- service: users    # from backstage c/k.yaml:7: no more is known" in by_name["shop"]


def test_a_use_of_no_known_operation_is_written_as_it_is_read() -> None:
    """What a catalog says, that a service is used, a manifest says too; an odd operation's service is not forgotten."""
    place = Location("x", "")
    shop = Consumer(
        "shop",
        (
            Use("shop", "users", None, place, tool="backstage"),
            Use("shop", "orders", "?", place, tool="har"),
            Use("shop", "stock", "GET /a", place),
            Use("shop", "stock", "?", place, tool="har"),
        ),
    )
    (again,) = manifests(to_yaml(shop))
    assert [(use.service, use.operation) for use in again.uses] == [
        ("orders", None),
        ("users", None),
        ("stock", "GET /a"),
    ]
    assert to_yaml(again) == to_yaml(manifests(to_yaml(again))[0])


def test_a_whole_service_is_written_where_it_is_meant() -> None:
    """Of a service whose operations are known, a catalog says nothing more; a manifest that names all of it does."""
    place = Location("x", "")
    known = Use("shop", "users", "GET /users/{id}", place, reads=())

    def written(tool: str) -> list[str | None]:
        whole = Use("shop", "users", None, place, tool=tool)
        (again,) = manifests(to_yaml(Consumer("shop", (whole, known))))
        return [use.operation for use in again.uses]

    assert written("backstage") == ["GET /users/{id}"]
    assert written("manifest") == [None, "GET /users/{id}"]


PAIRS = Path(__file__).resolve().parents[3] / "shared" / "pairs"


@pytest.mark.skipif(not PAIRS.is_dir(), reason="the shared pairs are not beside this repository")
def test_real_files() -> None:
    """The real declarations of the shared pairs: what is taken, and what is left out with a reason."""
    from guardian.spec.normalise import read_api
    from guardian.spec.refs import Documents
    from guardian.spec.trees import DirectoryTree

    petclinic = read_api(Documents(DirectoryTree(PAIRS / "03-petclinic-rest")), "base.yaml", "petclinic")
    tree = DirectoryTree(PAIRS / "consumers", PAIRS)
    found = load_consumers([(tree, ".")], ["petclinic"], {"petclinic": petclinic})
    taken = {each.name: len(each.uses) for each in found.consumers}
    assert taken["Pact Broker Client"] == 5
    assert taken["ui-super-heroes"] > 5
    assert taken["Petclinic - Non Regression Tests"] == 12
    assert taken["Consumer"] == 1
    assert "POST /pets" not in {use.operation for each in found.consumers for use in each.uses}
    told = " ".join(note.message for note in found.notes)
    for reason in (
        "Asynchronous/Messages",
        "Synchronous/Messages",
        "component:artist-lookup",
        "is at a URL",
        "no service answers",
    ):
        assert reason in told

"""Consumer manifests: what they mean, and what is said when they are wrong."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import pytest

from guardian.errors import ReadError
from guardian.graph.consumers.manifest import load_manifest, manifest_schema
from guardian.spec.locate import locate
from guardian.spec.text import load

FULL = """\
consumer: billing
owner: team-billing
contact: "#billing"
strict: true
uses:
  - service: users
    operation: get  /users/{id}
    reads: [id, address.city, "roles[].name"]
    sends: [query:expand, body.name]
    responses: ["200", 404, 5xx]
    exposes:
      email: GET /invoices/{id}#customer.email
      name: ["GET /a#x", "GET /b#y"]
  - service: users
    operation: webhook POST gone
    reads: []
"""


def read(text: str) -> Any:
    data = text.encode()
    return load_manifest(load(data, "m.yaml"), "m.yaml", lambda pointer: locate(data, [pointer]).get(pointer))


def test_everything_is_read() -> None:
    """Every key of INTERFACE, section 3; what is left out is not known, and an empty list is nothing."""
    billing = read(FULL)
    assert (billing.name, billing.owner, billing.contact, billing.strict) == (
        "billing",
        "team-billing",
        "#billing",
        True,
    )
    first, second = billing.uses
    assert (first.service, first.operation, first.confidence) == ("users", "get /users/{id}", "declared")
    assert [str(field.path) for field in first.reads] == ["id", "address.city", "roles[].name"]
    assert [(str(field.path), field.path.place) for field in first.sends] == [("query:expand", "query"), ("name", "")]
    assert first.responses == ("200", "404", "5XX")
    assert [(str(e.path), e.operation, str(e.field)) for e in first.exposes] == [
        ("email", "GET /invoices/{id}", "customer.email"),
        ("name", "GET /a", "x"),
        ("name", "GET /b", "y"),
    ]
    assert first.reads[2].origin.pointer == "/uses/0/reads/2"
    assert (second.reads, second.sends, second.responses) == ((), None, None)


@pytest.mark.parametrize(
    ("text", "line", "message", "hint"),
    [
        (
            "consumer: a\nuses:\n  - service: s\n    operation: GET /x\n    read: [id]",
            5,
            "unknown key `read`",
            "`reads`",
        ),
        ("consumer: a\nuses:\n  - operation: GET /x", 3, "lacks the key `service`", None),
        ("consumer: a\nuses:\n  - {service: s, reads: [id]}", 3, "lacks the key `operation`", None),
        ("consumer: a\nuses:\n  - {service: s, partial: true}", 3, "lacks the key `operation`", None),
        ("consumer: a\nuses:\n  - {service: s, operation: ''}", 3, "is text", None),
        ("consumer: a\nuses:\n  - {service: s, operation: /x}", 3, "names no operation", "GET /users/{id}"),
        ("consumer: a\nuses:\n  - {service: s, operation: GET /x, reads: id}", 3, "is a list", None),
        (
            "consumer: a\nuses:\n  - service: s\n    operation: GET /x\n    reads:",
            5,
            "is a list, not nothing",
            "not known",
        ),
        ("consumer: a\nuses:\n  - {service: s, operation: GET /x, sends: [name]}", 3, "does not say where", None),
        ("consumer: a\nuses:\n  - {service: s, operation: GET /x, reads: [a..b]}", 3, "empty name", None),
        ("consumer: a\nuses:\n  - {service: s, operation: GET /x, responses: [20]}", 3, "`20` is no status", '"404"'),
        ("consumer: a\nuses:\n  - {service: s, operation: GET /x, exposes: {a: b}}", 3, "own API", "#customer.email"),
        ("consumer: a", 1, "lacks the key `uses`", "uses: []"),
        ("uses: []", 1, "lacks the key `consumer`", None),
        ("consumer: a\nstrict: sure\nuses: []", 2, "true or false", None),
        ("consumer: a\nuses: [7]", 2, "is a mapping", None),
        ("consumer: a\nuses: {}", 2, "is a list", None),
        ("[]", 1, "a manifest is a mapping", None),
    ],
)
def test_mistakes_are_named(text: str, line: int, message: str, hint: str | None) -> None:
    """A mistake has its file, its line, a sentence and, where there is one, the likely word."""
    with pytest.raises(ReadError) as error:
        read(text)
    assert (error.value.file, error.value.line) == ("m.yaml", line)
    assert message in error.value.message
    assert hint is None or hint in (error.value.hint or "")


def test_all_mistakes_come_together() -> None:
    """Whoever mends a manifest is told everything at once, in the order of lines."""
    with pytest.raises(ReadError) as error:
        read("consumer: a\nowner: 3\nuses:\n  - {service: s, operation: GET /x, reads: [a., 1]}\n  - {servise: s}")
    assert error.value.message.startswith("4 mistakes")
    lines = (error.value.hint or "").splitlines()
    assert [line.split(":")[1] for line in lines] == ["2", "4", "5", "5"]
    assert "did you mean `service`?" in (error.value.hint or "")


def test_a_service_alone_is_used_in_ways_that_are_not_known() -> None:
    """Not to know is never the same as none; who says what is read has to say where. The schema says the same."""
    (use,) = read("consumer: a\nuses: [{service: s}]").uses
    assert (use.service, use.operation, use.reads, use.sends) == ("s", None, None, None)
    accepts = jsonschema_rs.validator_for(manifest_schema()).is_valid
    assert accepts({"consumer": "a", "uses": [{"service": "s"}]})
    assert not accepts({"consumer": "a", "uses": [{"service": "s", "reads": ["id"]}]})


def test_own_keys_are_left_alone() -> None:
    """Keys that begin with ``x-`` are the writer's own."""
    assert read("consumer: a\nx-team: 3\nuses:\n  - {service: s, operation: GET /x, x-why: q}").uses


def test_the_schema_agrees() -> None:
    """The published schema is valid, takes the full manifest, and refuses a misspelt one."""
    schema = manifest_schema()
    validator = jsonschema_rs.validator_for(schema)
    assert validator.is_valid(load(FULL.encode(), "m.yaml"))
    assert not validator.is_valid({"consumer": "a", "uses": [{"service": "s", "operation": "GET /x", "read": []}]})
    assert not validator.is_valid({"consumer": "a"})


def test_partial_is_true_or_false() -> None:
    """A use may say that it reads more than it lists; that is a yes or no, and means nothing where nothing is listed."""
    use = {"service": "users", "operation": "GET /users", "reads": ["id"], "partial": True}
    assert load_manifest({"consumer": "a", "uses": [use]}, "m.yaml", lambda pointer: None).uses[0].partial
    del use["reads"]
    assert not load_manifest({"consumer": "a", "uses": [use]}, "m.yaml", lambda pointer: None).uses[0].partial
    with pytest.raises(ReadError, match="true or false"):
        load_manifest({"consumer": "a", "uses": [{**use, "partial": "yes"}]}, "m.yaml", lambda pointer: None)

"""One change and one consumer: who is hit by what is known of its use."""

from __future__ import annotations

from typing import Any

import pytest

from guardian.fieldpath import parse, parse_sent
from guardian.graph.blast import blast
from guardian.graph.consumers.routes import Routes
from guardian.graph.uses import Consumer, Field, Use
from guardian.model import Direction, Hit, Impact, Location
from tests.graph.worlds import api, apis, change, hit, impacts, manifests, trace

BROKEN, POSSIBLE = ("broken", 1), ("possible", 1)


def consumer(use: str, *, strict: bool = False, operation: str = "GET /users/{id}") -> list[Consumer]:
    """One consumer ``c`` with one use of ``users``; ``use`` is the rest of that use in YAML's flow style."""
    more = f", {use}" if use else ""
    head = f"consumer: c\nstrict: {'true' if strict else 'false'}\nuses:\n"
    return manifests(f"{head}  - {{service: users, operation: '{operation}'{more}}}")


@pytest.mark.parametrize(
    ("field", "reads", "expected"),
    [
        ("email", "[email]", BROKEN),
        ("email", "[id]", None),
        ("email", "[]", None),
        ("email", None, POSSIBLE),
        ("email", "[$]", BROKEN),
        ("address.city", "[address]", BROKEN),
        ("address", "[address.city]", BROKEN),
        ("address.zip", "[address.city]", None),
        ("roles[].name", "['roles[].name']", BROKEN),
        ("roles[].name", "[roles]", BROKEN),
        ("labels.*", "[labels.env]", BROKEN),
        ("labels", "['labels.*']", BROKEN),
        ("a\\.b", "['a\\.b']", BROKEN),
        ("a.b", "['a\\.b']", None),
        ("", "[id]", BROKEN),
        ("", "[]", None),
        ("header:X-Rate", "[id]", None),
        ("header:X-Rate", "['header:x-rate']", BROKEN),
    ],
)
def test_readers(field: str, reads: str | None, expected: tuple[str, int] | None) -> None:
    """What happens to a field happens to whoever reads it, something in it or something around it."""
    use = f"reads: {reads}" if reads else ""
    assert impacts(change(field), consumer(use)).get("c") == expected


@pytest.mark.parametrize(
    ("field", "sends", "expected"),
    [
        ("name", "[body.name]", BROKEN),
        ("name", "['body.$']", BROKEN),
        ("name", "[body.email]", None),
        ("name", "[]", None),
        ("name", None, POSSIBLE),
        ("query:page", "[query:page]", BROKEN),
        ("query:page", "[query:page_size]", None),
        ("query:filter", "['query:filter[status]']", BROKEN),
        ("header:X-Key", "[header:x-key]", BROKEN),
        ("header:Authorization", "[scope:users.read]", BROKEN),
        ("path:userId", "[path:id]", BROKEN),
        ("path:userId", "[]", BROKEN),
    ],
)
def test_senders(field: str, sends: str | None, expected: tuple[str, int] | None) -> None:
    """A narrowed input hits whoever sends it; path variables are sent by every caller, whatever they are called."""
    one = change(field, hit=Hit.SENDER, direction=Direction.REQUEST, place="request body application/json")
    assert impacts(one, consumer(f"sends: {sends}" if sends else "")).get("c") == expected


@pytest.mark.parametrize(
    ("field", "sends", "expected"),
    [
        ("tide", "[body.ship]", BROKEN),
        ("tide", "[body.ship, body.tide]", None),
        ("tide", "[body.tide.height]", None),
        ("tide", "[]", BROKEN),
        ("tide", None, POSSIBLE),
        ("tide", "['body.$']", POSSIBLE),
        ("address.zip", "[body.address]", POSSIBLE),
        ("address.zip", "[body.address.city]", BROKEN),
        ("address.zip", "[body.address.zip]", None),
        ("query:tenant", "[query:page]", BROKEN),
        ("query:tenant", "[query:tenant]", None),
        ("scope:vault.write", "[scope:vault.read]", BROKEN),
        ("scope:vault.write", "[scope:vault.write]", None),
        ("header:Authorization", "[scope:users.read]", None),
        ("header:Authorization", "[]", BROKEN),
    ],
)
def test_new_required_inputs(field: str, sends: str | None, expected: tuple[str, int] | None) -> None:
    """A new required input breaks every caller that does not send it, whether or not it lists other fields."""
    one = change(field, hit=Hit.NON_SENDER, direction=Direction.REQUEST, place="request body application/json")
    assert impacts(one, consumer(f"sends: {sends}" if sends else "")).get("c") == expected


@pytest.mark.parametrize(
    ("sends", "expected"),
    [
        ("[body.pay.n]", BROKEN),
        ("[body.pay.card]", None),
        ("[body.pay.iban]", BROKEN),
        ("[body.pay.iban, body.pay.bic]", None),
        ("[body.pay.token]", None),
        ("[body.pay]", POSSIBLE),
    ],
)
def test_new_required_inputs_of_which_one_will_do(sends: str, expected: tuple[str, int] | None) -> None:
    """Whoever sends all of another group of fields need not send this one."""
    one = change("pay.card", hit=Hit.NON_SENDER, direction=Direction.REQUEST, place="request body application/json")
    one = one._replace(unless=(("bic", "iban"), ("token",)))
    assert impacts(one, consumer(f"sends: {sends}")).get("c") == expected


def test_every_user() -> None:
    """A removed operation breaks whoever uses it, reads and sends what it may."""
    one = change("", hit=Hit.EVERY_USER, place="operation", direction=Direction.REQUEST)
    assert impacts(one, consumer("reads: [], sends: []")) == {"c": BROKEN}
    assert impacts(one, consumer("reads: []", operation="POST /users")) == {}


def test_a_change_of_the_whole_service() -> None:
    """What concerns no single operation concerns every consumer of the service."""
    one = change("", hit=Hit.EVERY_USER, operation="", place="servers", impact=Impact.POSSIBLE)
    assert impacts(one, consumer("reads: []", operation="POST /users")) == {"c": POSSIBLE}


def test_strict_consumers() -> None:
    """A strict consumer suffers the strict impact of anything in a message it decodes; others do not notice."""
    one = change("nickname", hit=Hit.DECODER, impact=Impact.SAFE, strict=Impact.BROKEN)
    assert impacts(one, consumer("reads: [id]", strict=True)) == {"c": BROKEN}
    assert impacts(one, consumer("reads: []", strict=True)) == {}
    assert impacts(one, consumer("", strict=True)) == {"c": POSSIBLE}
    assert impacts(one, consumer("reads: [id]")) == {}
    added = change("status", impact=Impact.POSSIBLE, strict=Impact.BROKEN)
    assert impacts(added, consumer("reads: [status]", strict=True)) == {"c": BROKEN}
    assert impacts(added, consumer("reads: [status]")) == {"c": POSSIBLE}
    assert impacts(added, consumer("reads: [id]", strict=True)) == {}


USERS = apis(
    api(
        "users",
        """
        /users/{id}:
          get:
            responses: {"200": {description: x}, "404": {description: x}, default: {description: x}}
        /things:
          get:
            responses: {default: {description: x}}
        """,
    )
)


@pytest.mark.parametrize(
    ("place", "kind", "use", "expected"),
    [
        ("response 404 application/json", Hit.READER, "reads: [email]", None),
        ("response 404 application/json", Hit.READER, "", None),
        ("response 404 application/json", Hit.READER, "reads: [email], responses: ['200']", None),
        ("response 404 application/json", Hit.READER, "reads: [id], responses: ['200', '404']", POSSIBLE),
        ("response 404 application/json", Hit.READER, "reads: [id], responses: ['200', 4XX]", POSSIBLE),
        ("response 200 application/json", Hit.READER, "reads: [email], responses: ['404']", None),
        ("response 200 application/json", Hit.READER, "reads: [email], responses: [2XX]", BROKEN),
        ("response default", Hit.READER, "reads: [email]", None),
        ("response default", Hit.READER, "reads: [email], responses: ['500']", POSSIBLE),
        ("response default", Hit.READER, "reads: [email], responses: ['200', '404']", None),
        ("response 404", Hit.EVERY_USER, "reads: []", POSSIBLE),
        ("response 404", Hit.EVERY_USER, "reads: [], responses: ['404']", BROKEN),
        ("response 404", Hit.EVERY_USER, "reads: [], responses: ['200']", None),
        ("response 200", Hit.EVERY_USER, "reads: []", BROKEN),
    ],
)
def test_statuses(place: str, kind: Hit, use: str, expected: tuple[str, int] | None) -> None:
    """Reads are of success responses; an error concerns those who say that they handle it."""
    assert impacts(change("email", place=place, hit=kind), consumer(use), USERS).get("c") == expected


def test_default_is_success_where_nothing_else_is() -> None:
    """An operation that only declares ``default`` answers success by it."""
    one = change("email", place="response default", operation="GET /things")
    assert impacts(one, consumer("reads: [email]", operation="GET /things"), USERS) == {"c": BROKEN}


def uses(*each: dict[str, Any]) -> list[Consumer]:
    """A consumer of GET /users/{id} by several sources."""

    def fields(texts: list[str] | None, read: Any) -> tuple[Field, ...] | None:
        return None if texts is None else tuple(Field(read(text), Location("f")) for text in texts)

    return [
        Consumer(
            "c",
            tuple(
                Use(
                    "c",
                    "users",
                    one.get("operation", "GET /users/{id}"),
                    Location("f", f"/{number}"),
                    reads=fields(one.get("reads"), parse),
                    sends=fields(one.get("sends"), parse_sent),
                    confidence=one.get("confidence", "declared"),
                    tool=one.get("tool", "manifest"),
                )
                for number, one in enumerate(each)
            ),
        )
    ]


def test_what_was_seen_is_an_upper_bound() -> None:
    """A recording shows what came back, not what was read: possible at most, and nothing where a test says more."""
    called = {"reads": ["email", "id"], "confidence": "called"}
    assert impacts(change(), uses(called)) == {"c": POSSIBLE}
    assert impacts(change(), uses(called, {"reads": ["id"], "confidence": "asserted"})) == {}
    removed = change("", hit=Hit.EVERY_USER, place="operation")
    assert impacts(removed, uses(called)) == {"c": BROKEN}
    lacking = change("query:x", hit=Hit.NON_SENDER, direction=Direction.REQUEST)
    assert impacts(lacking, uses({"sends": ["query:y"], "confidence": "called"})) == {"c": POSSIBLE}


def test_one_source_knows_what_another_leaves_open() -> None:
    """Not known from one source and known from another is known."""
    pact = {"confidence": "asserted", "tool": "pact 4.0"}
    assert impacts(change(), uses({"reads": None}, {"reads": ["id"], **pact})) == {}
    assert impacts(change(), uses({"reads": None}, {"reads": ["email"], **pact})) == {"c": BROKEN}
    assert impacts(change(), uses({"reads": None})) == {"c": POSSIBLE}


def test_one_manifest_does_not_answer_what_another_leaves_open() -> None:
    """A use in a manifest that does not say what it reads or sends stays not known beside one that says it."""
    assert impacts(change(), uses({"reads": None}, {"reads": ["id"]})) == {"c": POSSIBLE}
    assert impacts(change(), uses({"reads": None}, {"reads": ["email"]})) == {"c": BROKEN}
    seen = {"reads": ["email"], "confidence": "called", "tool": "har"}
    assert (
        impacts(change(), uses({"reads": ["id"]}, {"reads": None, "confidence": "called", "tool": "otel"}, seen)) == {}
    )
    lacking = change("query:x", hit=Hit.NON_SENDER, direction=Direction.REQUEST)
    assert impacts(lacking, uses({"sends": None}, {"sends": ["query:x"]})) == {"c": POSSIBLE}


def test_a_catalog_says_that_a_service_is_used() -> None:
    """Who is only known to use the service is possibly hit by anything; who declares more is judged by that."""
    vague = {"operation": None, "tool": "backstage"}
    assert impacts(change(), uses(vague)) == {"c": POSSIBLE}
    assert impacts(change(), uses(vague, {"operation": "POST /users", "reads": []})) == {}


def test_a_manifest_that_names_the_service_means_it() -> None:
    """Beside an operation that is declared, a manifest's use of the whole service counts on: the rest is possible."""
    vague, known = {"operation": None}, {"operation": "GET /users/{id}", "reads": ["id"]}
    removed = change("", operation="POST /users", hit=Hit.EVERY_USER, place="operation")
    assert impacts(removed, uses(vague, known)) == impacts(removed, uses(vague)) == {"c": POSSIBLE}
    assert impacts(change("email"), uses(vague, known)) == {"c": POSSIBLE}
    assert impacts(change("id"), uses(vague, known)) == {"c": BROKEN}


def test_recorded_scopes_are_not_known() -> None:
    """A contract test does not show what its token permits."""
    one = change("scope:users.write", hit=Hit.NON_SENDER, direction=Direction.REQUEST)
    assert impacts(one, uses({"sends": ["header:X"], "confidence": "asserted"})) == {"c": POSSIBLE}


def test_empty_containers_are_not_what_they_hold() -> None:
    """An empty array in a contract test reads the array, not whatever its items will be."""

    def reading(shallow: bool) -> list[Consumer]:
        field = Field(parse("roles"), Location("f"), shallow=shallow)
        return [Consumer("c", (Use("c", "users", "GET /users/{id}", Location("f"), reads=(field,)),))]

    assert impacts(change("roles[].name"), reading(True)) == {}
    assert impacts(change("roles"), reading(True)) == {"c": BROKEN}
    assert impacts(change("roles[].name"), reading(False)) == {"c": BROKEN}


PERSON = "{type: object, properties: {name: {type: string}, friend: {$ref: '#/components/schemas/Person'}}}"
CLOSE = "{type: object, required: [name], properties: {name: {type: string}}}"


def people(schema: str, body: str, **more: str) -> dict[str, Any]:
    answer = f"{{description: x, content: {{application/json: {{schema: {body}}}}}}}"
    text = f"/people: {{get: {{responses: {{'200': {answer}}}}}}}"
    others = "".join(f"\n  {name}: {value}" for name, value in more.items())
    return apis(api("users", text, components=f"schemas:\n  Person: {schema}{others}"))


def test_a_recursive_schema_has_many_paths() -> None:
    """A finding in a recursive schema is told by its shortest path and hits the reader of any longer one."""
    body = "{$ref: '#/components/schemas/Person'}"
    base = people(PERSON, body)
    head = people(PERSON.replace("name: {type: string}, ", ""), body)
    for reads in ("[friend.name]", "[friend.friend.friend.name]", "[friend]"):
        assert hit(trace(base, head, consumer(f"reads: {reads}", operation="GET /people"))) == {"c": BROKEN}, reads
    assert hit(trace(base, head, consumer("reads: ['friend.other']", operation="GET /people"))) == {}


def test_a_shared_schema_has_many_paths() -> None:
    """A component that one message uses twice changes in both places, though it is told once."""
    person = "{$ref: '#/components/schemas/Person'}"
    body = f"{{type: object, properties: {{author: {person}, reviewer: {person}, title: {{type: string}}}}}}"
    base, head = people(CLOSE, body), people("{type: object}", body)
    assert hit(trace(base, head, consumer("reads: [reviewer.name]", operation="GET /people"))) == {"c": BROKEN}
    assert hit(trace(base, head, consumer("reads: [reviewer]", operation="GET /people"))) == {"c": BROKEN}
    assert hit(trace(base, head, consumer("reads: [title]", operation="GET /people"))) == {}


def test_a_shared_schema_that_is_shared_no_more() -> None:
    """Where head gives one of the two another schema, only that one has changed."""
    person, other = "{$ref: '#/components/schemas/Person'}", "{$ref: '#/components/schemas/Other'}"
    form = "{{type: object, properties: {{author: {}, reviewer: {}}}}}"
    base = people(CLOSE, form.format(person, person), Other="{type: object}")
    head = people(CLOSE, form.format(other, person), Other="{type: object}")
    assert hit(trace(base, head, consumer("reads: [author.name]", operation="GET /people"))) == {"c": BROKEN}
    assert hit(trace(base, head, consumer("reads: [reviewer.name]", operation="GET /people"))) == {}


def test_map_values_are_not_declared_properties() -> None:
    """A change of a map's values does not concern a property that is declared beside them."""
    base = people("{type: object, properties: {id: {type: string}}, additionalProperties: {type: string}}",
                  "{$ref: '#/components/schemas/Person'}")  # fmt: skip
    head = people("{type: object, properties: {id: {type: string}}, additionalProperties: {type: integer}}",
                  "{$ref: '#/components/schemas/Person'}")  # fmt: skip
    result = trace(base, head, consumer("reads: [id]", operation="GET /people"))
    assert result.changes and hit(result) == {}
    assert hit(trace(base, head, consumer("reads: [env]", operation="GET /people"))) == {"c": BROKEN}
    assert hit(trace(base, head, consumer("reads: ['*']", operation="GET /people"))) == {"c": BROKEN}


def sending(schema: str, body: str, required: bool = True) -> dict[str, Any]:
    text = f"""
    /people:
      post:
        requestBody: {{required: {str(required).lower()}, content: {{application/json: {{schema: {body}}}}}}}
        responses: {{"201": {{description: x}}}}
    """
    return apis(api("users", text, components=f"schemas:\n  Address: {schema}"))


ADDRESS = "{type: object, properties: {city: {type: string}}}"
WITH_ZIP = "{type: object, required: [zip], properties: {city: {type: string}, zip: {type: string}}}"


@pytest.mark.parametrize(
    ("sends", "expected"),
    [
        ("[body.bill.city]", BROKEN),
        ("[body.ship.city]", BROKEN),
        ("[body.ship.city, body.ship.zip]", None),
        ("[body.name]", None),
    ],
)
def test_requirements_of_what_is_not_sent(sends: str, expected: tuple[str, int] | None) -> None:
    """A new required property matters where its object is sent, by whichever path; an object left out lacks nothing."""
    address = "{$ref: '#/components/schemas/Address'}"
    body = f"{{type: object, properties: {{bill: {address}, ship: {address}, name: {{type: string}}}}}}"
    result = trace(
        sending(ADDRESS, body), sending(WITH_ZIP, body), consumer(f"sends: {sends}", operation="POST /people")
    )
    assert hit(result).get("c") == expected


def test_an_object_that_must_be_sent() -> None:
    """Where the object around it is required, a manifest that leaves it out does not make its caller safe."""
    body = "{type: object, required: [bill], properties: {bill: {$ref: '#/components/schemas/Address'}}}"
    result = trace(
        sending(ADDRESS, body), sending(WITH_ZIP, body), consumer("sends: [body.name]", operation="POST /people")
    )
    assert hit(result) == {"c": BROKEN}


def test_a_body_that_need_not_be_sent() -> None:
    """A caller that sends no body minds no property of an optional one."""
    body = "{$ref: '#/components/schemas/Address'}"
    for required, expected in ((True, {"c": BROKEN}), (False, {})):
        base, head = sending(ADDRESS, body, required), sending(WITH_ZIP, body, required)
        assert hit(trace(base, head, consumer("sends: [query:x]", operation="POST /people"))) == expected


def webhooks(schema: str) -> dict[str, Any]:
    text = f"""
    paid:
      post:
        requestBody: {{content: {{application/json: {{schema: {schema}}}}}}}
        responses: {{"200": {{description: x}}}}
    """
    return apis(api("users", "{}", webhooks=text))


def test_a_webhooks_receiver_reads_the_request() -> None:
    """For what the provider sends, the receiver's ``reads`` are of the request body."""
    base = webhooks("{type: object, required: [id, sum], properties: {id: {type: string}, sum: {type: integer}}}")
    head = webhooks("{type: object, required: [id], properties: {id: {type: string}}}")
    assert hit(trace(base, head, consumer("reads: [sum]", operation="webhook POST paid"))) == {"c": BROKEN}
    assert hit(trace(base, head, consumer("reads: [id]", operation="webhook POST paid"))) == {}


def test_evidence_is_a_sentence_with_a_place() -> None:
    """A hit says who does what with which field, where that is declared, how it is known, and whom to ask."""
    people = manifests(
        "consumer: billing\nowner: team-billing\ncontact: '#b'\nuses:\n"
        "  - {service: users, operation: 'GET /users/{id}', reads: [id, address]}"
    )
    traced = blast([change("address.city")], Routes({}), people)
    (one,) = traced.changes[0].consumers
    assert one.because == ("billing reads address of GET /users/{id}, which holds address.city",)
    assert one.manifest == Location("billing.yaml", "/uses/0/reads/1")
    assert (one.confidence, one.owner, one.contact) == ("declared", "team-billing", "#b")


@pytest.mark.parametrize(
    ("handled", "body", "expected"),
    [
        ("['2XX']", "{type: object}", None),
        ("['200', '201']", "{type: object}", None),
        ("['200']", "{type: object}", BROKEN),
        ("['2XX']", "{type: array}", BROKEN),
        ("['4XX', '200']", "{type: object}", BROKEN),
        (None, "{type: object}", BROKEN),
    ],
)
def test_a_status_that_moves_within_what_is_handled(
    handled: str | None, body: str, expected: tuple[str, int] | None
) -> None:
    """Who handles the other status too, and gets there what it got, is not touched."""

    def users(status: str, schema: str) -> str:
        content = f"content: {{application/json: {{schema: {schema}}}}}"
        return f"/users/{{id}}: {{get: {{responses: {{'{status}': {{description: {status}, {content}}}}}}}}}"

    base, head = (apis(api("users", users(*each))) for each in (("200", "{type: object}"), ("201", body)))
    use = "reads: [id]" + (f", responses: {handled}" if handled else "")
    assert hit(trace(base, head, consumer(use))).get("c") == expected

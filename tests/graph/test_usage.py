"""Who uses what: fields, operations, what nobody uses, what goes away, and where declarations and the world differ."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from guardian.errors import UsageError
from guardian.graph import drift, unused, usage
from guardian.graph.consumers.routes import Routes
from guardian.graph.usage import Company, Fact
from guardian.graph.uses import Consumer, Field, Use
from guardian.model import Location
from tests.graph.worlds import api, apis, manifests

USERS = api(
    "users",
    """
    /users:
      get:
        parameters:
          - {name: page, in: query, schema: {type: integer}}
          - {name: old, in: query, deprecated: true, x-sunset: "2027-01-31", schema: {type: string}}
        responses: {"200": {description: ok, content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/User'}}}}}}
      post:
        requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/User'}}}}
        responses: {"201": {description: ok}}
    /users/{id}:
      get:
        responses: {"200": {description: ok, content: {application/json: {schema: {$ref: '#/components/schemas/User'}}}}}
      delete: {deprecated: true, responses: {"204": {description: gone}}}
    /files/{name}.json:
      get: {responses: {"200": {description: ok}}}
    """,
    components="""
    schemas:
      User:
        type: object
        properties:
          id: {type: string}
          email: {type: string}
          nickname: {type: string, deprecated: true}
          state: {type: string, enum: [active, blocked, gone]}
          address: {type: object, properties: {city: {type: string}, zip: {type: string}}}
          labels: {type: object, additionalProperties: {type: string}}
          boss: {$ref: '#/components/schemas/User'}
    """,
)
BILLING = api(
    "billing",
    """
    /invoices/{id}:
      get: {responses: {"200": {description: ok, content: {application/json: {schema: {type: object, properties: {customer: {type: object, properties: {email: {type: string}}}}}}}}}}
    """,
)


def company(*texts: str, extra: tuple[Consumer, ...] = (), public: frozenset[str] = frozenset()) -> Company:
    return Company(Routes(apis(USERS, BILLING)), (*manifests(*texts), *extra), ("billing", "users"), public)


BILLED = """
consumer: billing
owner: team-billing
uses:
  - service: users
    operation: GET /users/{userId}
    reads: [email, address.city]
    sends: []
    exposes: {email: "GET /invoices/{id}#customer.email"}
"""
REPORT = "consumer: report\nuses: [{service: billing, operation: 'GET /invoices/{id}', reads: [customer.email]}]"
SILENT = "consumer: silent\nuses: [{service: users, operation: 'GET /users/{id}'}]"


def called(consumer: str, operation: str, day: str | None, *, reads: object = None, sends: object = None) -> Consumer:
    place = Location("traces.json")
    use = Use(consumer, "users", operation, place, reads, sends, confidence="called", tool="otel", date=day)  # type: ignore[arg-type]
    return Consumer(consumer, (use,))


def kinds(facts: list[Fact]) -> list[tuple[str, str, str]]:
    return [(fact.kind, fact.operation, fact.field) for fact in facts]


# --- fields and operations ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "GET /users/{id}#email",
        "get /users/{x}.email",
        "users:GET /users/{id}#email",
        "users GET /users/:id#email",
    ],
)
def test_a_field_is_named_in_several_ways(text: str) -> None:
    """Service, operation and field may be joined as manifests, reports and people join them."""
    found = usage.targets(text, company(BILLED))
    assert [(each.service, each.operation, each.field) for each in found] == [("users", "GET /users/{id}", "email")]


def test_a_field_alone_is_looked_for_everywhere() -> None:
    """Without an operation the field of every operation that has it is meant."""
    found = usage.targets("address.city", company(BILLED))
    assert [each.operation for each in found] == ["GET /users/{id}", "POST /users"]
    assert usage.targets("customer.email", company())[0].service == "billing"


def test_dots_in_paths_are_no_fields() -> None:
    """The longest operation that there is wins."""
    found = usage.targets("GET /files/{name}.json", company())
    assert [(each.operation, each.field) for each in found] == [("GET /files/{name}.json", "")]


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("GET /users/{id}#emial", "email"),
        ("GET /user/{id}#email", "GET /users/{id}"),
        ("no_such_field", "name the operation"),
        ("GET /users/{id}#a..b", ""),
    ],
)
def test_what_is_not_there_is_a_usage_error(text: str, hint: str) -> None:
    """A question about nothing is answered by what is close to it."""
    with pytest.raises(UsageError) as raised:
        usage.targets(text, company(BILLED))
    assert hint in (raised.value.hint or "")


def test_users_are_found_at_every_hop() -> None:
    """Whoever reads the field where it is passed on uses it too; whoever does not say may."""
    world = company(BILLED, REPORT, SILENT)
    (fact,) = usage.used_by(usage.targets("GET /users/{id}#email", world), world)
    assert [(user.consumer, user.how, user.certain, user.hops) for user in fact.users] == [
        ("billing", "reads", True, 1),
        ("report", "reads", True, 2),
        ("silent", "reads", False, 1),
    ]
    assert fact.users[0].owner == "team-billing"
    assert fact.message == "2 consumers use email of GET /users/{id}, 1 consumer may"


def test_senders_are_users() -> None:
    """What is sent is asked for as manifests write it, or as reports do."""
    maker = "consumer: maker\nuses: [{service: users, operation: POST /users, sends: [body.email], reads: []}]"
    world = company(maker)
    for text in ("POST /users#body.email", "POST /users#email"):
        (fact,) = usage.used_by(usage.targets(text, world), world)
        assert [(user.consumer, user.how) for user in fact.users] == [("maker", "sends")]


def test_an_operation_has_users() -> None:
    """An operation's users are all who call it."""
    world = company(BILLED, SILENT)
    (fact,) = usage.used_by(usage.targets("GET /users/{id}", world, whole=True), world)
    assert [user.consumer for user in fact.users] == ["billing", "silent"]
    (none,) = usage.used_by(usage.targets("POST /users", world, whole=True), world)
    assert none.message == "nobody is known to use POST /users"


def test_the_overview_counts() -> None:
    """Without a question every service says how much of it is used, and by whom."""
    facts = usage.overview(company(BILLED))
    assert [(fact.service, fact.message) for fact in facts] == [
        ("billing", "nobody declares anything about it"),
        ("users", "1 of 5 operations in use by 1 consumer"),
    ]


# --- unused -------------------------------------------------------------------------------------------------------


def test_unused_operations_and_fields_are_found() -> None:
    """What lies in an unused object is told with it; what is read in a part is not unused as a whole."""
    facts = unused.unused(company(BILLED))
    assert ("unused-operation", "POST /users", "") in kinds(facts)
    fields = [fact.field for fact in facts if fact.kind == "unused-field"]
    assert fields == ["id", "nickname", "state", "labels", "boss", "address.zip"]
    assert next(fact for fact in facts if fact.field == "state").message.endswith("an enum of 3 values")


def test_silence_is_not_disuse() -> None:
    """Somebody who does not say what it reads may read everything; so may whoever only names the service."""
    facts = unused.unused(company(BILLED, SILENT))
    assert not [fact for fact in facts if fact.kind == "unused-field"]
    assert any(fact.kind == "not-known" and "silent" in fact.message for fact in facts)
    vague = Consumer("catalog", (Use("catalog", "users", None, Location("c.yaml"), tool="backstage"),))
    facts = unused.unused(company(BILLED, extra=(vague,)))
    assert [fact.kind for fact in facts if fact.service == "users"] == ["not-known"]


def test_a_service_without_declarations_is_not_known() -> None:
    """Nobody declares anything about billing, so nothing of it is called unused."""
    facts = unused.unused(company(BILLED))
    assert [(fact.kind, fact.message) for fact in facts if fact.service == "billing"] == [
        ("not-known", "nobody declares anything about it")
    ]


def test_a_public_service_says_so() -> None:
    """A public API has users whom nobody declares."""
    facts = unused.unused(company(BILLED, public=frozenset({"users"})))
    assert any(fact.kind == "not-known" and "public" in fact.message for fact in facts)


def test_unseen_enum_values_need_recordings() -> None:
    """Only sources that show values can tell which ones nobody receives; a manifest reads them all."""
    path = usage.targets("GET /users/{id}#state", company())[0].read
    assert path is not None
    shown = called("app", "GET /users/{id}", None, reads=(Field(path, Location(""), values=('"active"',)),), sends=())
    facts = unused.unused(company(extra=(shown,)))
    assert [fact.message for fact in facts if fact.kind == "unused-value"] == [
        'nobody was seen to receive "blocked", "gone" as state of GET /users/{id}'
    ]
    reader = "consumer: r\nuses: [{service: users, operation: 'GET /users/{id}', reads: [state], sends: []}]"
    assert not [fact for fact in unused.unused(company(reader, extra=(shown,))) if fact.kind == "unused-value"]


# --- deprecated ---------------------------------------------------------------------------------------------------


def test_deprecated_things_name_their_users_and_days() -> None:
    """Operations, parameters and fields: until when each stays, and who still uses it."""
    pager = "consumer: pager\nuses: [{service: users, operation: GET /users, sends: ['query:old'], reads: []}]"
    facts = unused.deprecated(company(pager), date(2027, 1, 1))
    old = next(fact for fact in facts if fact.field == "query:old")
    assert (old.sunset, old.days_left) == ("2027-01-31", 30)
    assert (
        old.message == "query:old of GET /users is deprecated and goes on 2027-01-31, in 30 days; still used by pager"
    )
    assert ("deprecated", "DELETE /users/{id}", "") in kinds(facts)
    assert {fact.operation for fact in facts if fact.field == "nickname"} == {"GET /users/{id}"}
    past = unused.deprecated(company(pager), date(2027, 2, 1))
    assert next(fact for fact in past if fact.field == "query:old").days_left == -1


# --- drift --------------------------------------------------------------------------------------------------------


def test_claims_that_the_specification_lacks_are_drift() -> None:
    """Operations and fields that are declared and are not there; what the schema leaves open is none."""
    wrong = """
consumer: wrong
uses:
  - {service: users, operation: "GET /user/{id}", reads: [id]}
  - {service: users, operation: "GET /users/{id}", reads: [emial, labels.any, boss.boss.email, "header:ETag", $], sends: [query:expand]}
  - {service: users, operation: POST /users, reads: [], sends: [body.name, "header:Authorization", "header:X-Tenant"]}
"""
    facts = drift.drift(company(wrong))
    assert kinds(facts) == [
        ("unknown-operation", "GET /user/{}", ""),
        ("unknown-field", "GET /users/{id}", "emial"),
        ("unknown-field", "GET /users/{id}", "query:expand"),
        ("unknown-field", "POST /users", "body.name"),
        ("unknown-field", "POST /users", "header:X-Tenant"),
    ]
    assert facts[1].message.endswith("the nearest is email")


def test_traffic_that_nobody_declares_is_drift() -> None:
    """A call without a declaration, and what is sent beside what is declared."""
    path = usage.targets("GET /users#query:page", company())[0].sent
    assert path is not None
    seen = (
        called("billing", "DELETE /users/7", "2026-10-01"),
        called("ghost", "GET /users", "2026-10-02"),
        called("pager", "GET /users", None, sends=(Field(path, Location("")),)),
    )
    pager = "consumer: pager\nuses: [{service: users, operation: GET /users, sends: [], reads: []}]"
    facts = drift.drift(company(BILLED, pager, extra=seen))
    assert [(fact.kind, fact.operation, fact.field, fact.last_seen) for fact in facts] == [
        ("undeclared-call", "DELETE /users/{id}", "", "2026-10-01"),
        ("undeclared-call", "GET /users", "", "2026-10-02"),
        ("undeclared-field", "GET /users", "query:page", None),
    ]


def test_agreement_is_no_drift() -> None:
    """A right manifest and the calls that it declares give nothing."""
    assert drift.drift(company(BILLED, REPORT, extra=(called("billing", "GET /users/7", "2026-10-01"),))) == []


def test_declared_and_not_called() -> None:
    """Only where there is traffic of the service at all; a call of today keeps a use alive."""
    world = company(BILLED, SILENT, extra=(called("billing", "GET /users/7", "2026-10-01"),))
    assert kinds(drift.not_called(world, 30, date(2026, 10, 20))) == [("not-called", "GET /users/{id}", "")]
    facts = drift.not_called(world, 30, date(2026, 11, 20))
    assert [fact.message for fact in facts] == [
        "billing was last seen to call GET /users/{id} on 2026-10-01, 50 days ago",
        "silent declares GET /users/{id} and was never seen to call it",
    ]
    (unknown,) = drift.not_called(replace(world, consumers=tuple(manifests(BILLED))), 30, date(2026, 11, 20))
    assert unknown.kind == "not-known"

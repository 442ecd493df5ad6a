"""Lineage that leads nowhere is said: a misspelt target would lose everybody on the second hop."""

from __future__ import annotations

import pytest

from guardian.graph.consumers.routes import Routes
from guardian.graph.drift import drift
from guardian.graph.naming import Naming
from guardian.graph.strangers import unknown_operations, unknown_services
from guardian.graph.usage import Company
from guardian.graph.uses import Consumer
from tests.graph.worlds import api, apis, hit, manifests, trace

USER = "{type: object, required: [id], properties: {id: {type: string}, email: {type: string}}}"
INVOICE = "{type: object, properties: {customer: {type: object, properties: {email: {type: string}}}}}"


def answering(path: str, schema: str) -> str:
    content = f"content: {{application/json: {{schema: {schema}}}}}"
    return f"{path}: {{get: {{responses: {{'200': {{description: x, {content}}}}}}}}}"


BILLING = api("billing", answering("/invoices/{id}", INVOICE))
BASE = apis(api("users", answering("/users/{id}", USER)), BILLING)
HEAD = apis(api("users", answering("/users/{id}", USER.replace(", email: {type: string}", ""))), BILLING)
REPORT = """
consumer: report
uses:
  - {service: billing, operation: "GET /invoices/{id}", reads: [customer.email]}
"""


def world(target: str, consumer: str = "billing") -> list[Consumer]:
    """Who passes a user's email on as that, and who reads the invoices; as a check knows them."""
    text = f"""
consumer: {consumer}
uses:
  - service: users
    operation: GET /users/{{id}}
    reads: [email]
    exposes: {{email: "{target}"}}
"""
    named = Naming(list(BASE), {}, lambda: Routes(BASE))
    return [named(each) for each in manifests(text, REPORT)]


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("GET /invoices/{id}#customer.email", None),
        ("GET /invoices/{number}#customer", None),
        ("GET /invoice/{id}#customer.email", "which billing does not have; the nearest is GET /invoices/{id}"),
        ("GET /invoices/{id}#customer.mail", "which billing does not declare; the nearest is customer.email"),
    ],
)
def test_targets_that_are_not_there(target: str, said: str | None) -> None:
    """A target of lineage that its own API has not is a finding of the check, and drift."""
    consumers, routes = world(target), Routes(BASE, HEAD)
    found = unknown_operations(routes, consumers)
    facts = drift(Company(routes, consumers, tuple(BASE)))
    told = f"billing exposes email of GET /users/{{id}} as {target.rpartition('#')[2]} of {target.partition('#')[0]}"
    assert [each.message for each in found] == ([f"{told}, {said}"] if said else [])
    assert [each.message for each in facts if "exposes" in each.message] == ([f"{told}, {said}"] if said else [])


@pytest.mark.parametrize("consumer", ["billing", "Billing", "billing-service", "Billing API"])
def test_a_consumer_is_the_service_that_its_name_means(consumer: str) -> None:
    """What a service is called as a consumer may differ from its name in case, punctuation and a word like "API"."""
    result = hit(trace(BASE, HEAD, world("GET /invoices/{id}#customer.email", consumer)))
    assert result == {consumer: ("broken", 1), "report": ("broken", 2)}


def test_an_api_that_is_not_here() -> None:
    """Who passes fields on and is no service here is told of it, for that is where tracing ends."""
    notes = unknown_services(world("GET /x#y", "portal"), list(BASE))
    assert [(note.level, note.message) for note in notes] == [
        ("info", "portal passes fields on through its own API, and no service here is called so")
    ]

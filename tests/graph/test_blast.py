"""Blast radius over several hops, and what moves together."""

from __future__ import annotations

import random

import networkx
import pytest

from guardian.fieldpath import parse
from guardian.graph.blast import blast
from guardian.graph.build import build, consumer_node, field_node, operation_node, service_node
from guardian.graph.consumers.routes import Routes
from guardian.model import Direction, Edge, Hit, Impact, Note
from tests.graph.worlds import api, apis, change, impacts, manifests

BILLING = """
consumer: billing
uses:
  - service: users
    operation: GET /users/{id}
    reads: [id, email]
    exposes: {email: "GET /invoices/{id}#customer.email"}
"""
ANALYTICS = """
consumer: analytics
uses:
  - {service: billing, operation: "GET /invoices/{invoice}", reads: [customer.email], %s}
"""
READER = ANALYTICS % "sends: []"
ONWARD = ANALYTICS % 'exposes: {customer.email: "GET /reports#rows[].email"}'
BOARD = "consumer: board\nuses: [{service: analytics, operation: GET /reports, reads: ['rows[].email']}]"
OTHER = "consumer: other\nuses: [{service: billing, operation: 'GET /invoices/{id}', reads: [total]}]"


def test_two_hops() -> None:
    """Who reads what a reader passes on is hit one hop further, with the whole path as evidence."""
    traced = blast([change()], Routes({}), manifests(BILLING, READER, OTHER))
    first, second = traced.changes[0].consumers
    assert (first.consumer, first.hops, second.consumer, second.hops) == ("billing", 1, "analytics", 2)
    assert first.because == ("billing reads email of GET /users/{id}",)
    assert second.because == (
        "billing exposes email of users GET /users/{id} as customer.email of GET /invoices/{id}",
        "analytics reads customer.email of billing GET /invoices/{id}",
    )


def test_three_hops() -> None:
    """Lineage goes on as long as it is declared."""
    assert impacts(change(), manifests(BILLING, ONWARD, BOARD, OTHER)) == {
        "billing": ("broken", 1),
        "analytics": ("broken", 2),
        "board": ("broken", 3),
    }


@pytest.mark.parametrize(
    ("kind", "direction", "field", "place", "travels"),
    [
        (Hit.READER, Direction.RESPONSE, "email", "response 200 application/json", True),
        (Hit.READER, Direction.RESPONSE, "", "response 200 application/json", True),
        (Hit.READER, Direction.RESPONSE, "id", "response 200 application/json", False),
        (Hit.READER, Direction.RESPONSE, "email", "response 404 application/json", False),
        (Hit.EVERY_USER, Direction.RESPONSE, "", "response 200", True),
        (Hit.EVERY_USER, Direction.REQUEST, "", "operation", True),
        (Hit.EVERY_USER, Direction.REQUEST, "scope:x", "security", False),
        (Hit.SENDER, Direction.REQUEST, "path:id", "path parameter id", False),
        (Hit.NON_SENDER, Direction.REQUEST, "query:tenant", "query parameter tenant", False),
    ],
)
def test_what_travels(kind: Hit, direction: Direction, field: str, place: str, travels: bool) -> None:
    """What readers get travels, a removed operation with all of it; what callers must do stays with them."""
    one = change(field, hit=kind, direction=direction, place=place)
    assert ("analytics" in impacts(one, manifests(BILLING, READER))) is travels


def test_an_operation_that_is_still_there() -> None:
    """A change for every caller of an operation that head still has does not travel."""
    known = apis(api("users", "/users/{id}: {get: {}}"))
    one = change("", hit=Hit.EVERY_USER, direction=Direction.REQUEST, place="security")
    assert impacts(one, manifests(BILLING, READER), known) == {"billing": ("broken", 1)}


def test_parts_stay_parts() -> None:
    """Of an object that is passed on whole, only the changed part is hit further on."""
    middle = BILLING.replace("email]", "address]").replace(
        '{email: "GET /invoices/{id}#customer.email"}', '{address: "GET /invoices/{id}#customer.address"}'
    )
    city = READER.replace("customer.email", "customer.address.city")
    street = city.replace("analytics", "post").replace("city", "street")
    assert impacts(change("address.city"), manifests(middle, city, street)) == {
        "billing": ("broken", 1),
        "analytics": ("broken", 2),
    }
    assert impacts(change("address"), manifests(middle, city, street)).keys() == {"billing", "analytics", "post"}


def test_what_is_passed_on_is_read() -> None:
    """To expose a field is to read it, also where reads are not known."""
    silent = BILLING.replace("    reads: [id, email]\n", "")
    assert impacts(change(), manifests(silent)) == {"billing": ("broken", 1)}
    assert impacts(change("phone"), manifests(silent)) == {"billing": ("possible", 1)}


def test_unknown_reads_further_on_are_possible() -> None:
    """Not known stays not known at every hop."""
    vague = "consumer: analytics\nuses: [{service: billing, operation: 'GET /invoices/{id}'}]"
    assert impacts(change(), manifests(BILLING, vague)) == {"billing": ("broken", 1), "analytics": ("possible", 2)}


def test_strictness_is_each_consumers_own() -> None:
    """A new enum value passes through a lenient service and breaks the strict one behind it."""
    one = change(impact=Impact.SAFE, strict=Impact.BROKEN)
    strict = READER.replace("consumer: analytics", "consumer: analytics\nstrict: true")
    assert impacts(one, manifests(BILLING, strict)) == {"analytics": ("broken", 2)}


def loop() -> list[str]:
    """users -> billing -> users: each passes the other's field on; and somebody who reads at the end."""
    back = """
consumer: users
uses:
  - service: billing
    operation: GET /invoices/{id}
    reads: [customer.email]
    exposes: {customer.email: "GET /users/{id}#email"}
"""
    return [BILLING, READER, back]


def test_loops_end() -> None:
    """Services that pass a field round end where it began, with everybody named once and by the shortest way."""
    assert impacts(change(), manifests(*loop())) == {
        "billing": ("broken", 1),
        "analytics": ("broken", 2),
        "users": ("broken", 2),
    }


def test_loops_that_grow_end() -> None:
    """A loop that would make the path longer each time round ends as well."""
    one = "consumer: a\nuses: [{service: b, operation: GET /b, reads: [x], exposes: {x: 'GET /a#y.z'}}]"
    two = "consumer: b\nuses: [{service: a, operation: GET /a, reads: [y], exposes: {y: 'GET /b#x.w'}}]"
    found = impacts(change("y", service="a", operation="GET /a"), manifests(one, two))
    assert found == {"b": ("broken", 1), "a": ("broken", 2)}


def test_a_mesh_that_grows_ends() -> None:
    """Where everybody passes everything to everybody, each consumer is still judged once for each operation."""
    names = [f"s{number}" for number in range(9)]
    mesh = [
        f"consumer: {name}\nuses:\n"
        + "\n".join(
            f"  - {{service: {other}, operation: GET /x, reads: [d], exposes: {{d: 'GET /x#d.{other}'}}}}"
            for other in names
            if other != name
        )
        for name in names
    ]
    found = impacts(change("d", service="s0", operation="GET /x"), manifests(*mesh))
    assert found == {"s0": ("broken", 2), **dict.fromkeys(names[1:], ("broken", 1))}


def test_the_worst_counts_then_the_nearest() -> None:
    """Hit on two ways, a consumer is named once: by the worse, and of equals by the shorter."""
    both = READER.replace("uses:", "uses:\n  - {service: users, operation: 'GET /users/{id}'}")
    assert impacts(change(), manifests(BILLING, both))["analytics"] == ("broken", 2)
    near = READER.replace("uses:", "uses:\n  - {service: users, operation: 'GET /users/{id}', reads: [email]}")
    assert impacts(change(), manifests(BILLING, near))["analytics"] == ("broken", 1)


def moved(
    base: str, head: str, one: object = None, *others: str
) -> tuple[dict[str, tuple[str, int]], tuple[Note, ...]]:
    result = blast([one or change()], Routes({}), manifests(base, *others), manifests(head, *others))  # type: ignore[list-item]
    return {each.consumer: (each.impact.value, each.hops) for each in result.changes[0].consumers}, result.notes


def test_producer_and_consumer_together() -> None:
    """A consumer that no longer reads the field in head is not broken; the order of deployment is left to tell."""
    head = BILLING.replace("[id, email]", "[id]").split("    exposes")[0]
    found, notes = moved(BILLING, head, None, READER)
    assert found == {}
    assert [note.message for note in notes] == [
        "deploy billing before users: in base billing reads email of GET /users/{id}, in head no longer"
    ]


def test_a_rename_on_both_sides_has_no_order() -> None:
    """Who moves to the new name in the same change can go neither first nor last."""
    head = BILLING.replace("email]", "email_address]").replace("{email:", "{email_address:")
    found, notes = moved(BILLING, head, change(renamed_to="email_address"), READER)
    assert found == {}
    assert "neither can go first" in notes[0].message


def test_a_new_required_input_on_both_sides() -> None:
    """A caller that begins to send what will be required goes first."""
    one = change("query:tenant", hit=Hit.NON_SENDER, direction=Direction.REQUEST)
    base = "consumer: c\nuses: [{service: users, operation: 'GET /users/{id}', sends: []}]"
    found, notes = moved(base, base.replace("sends: []", "sends: [query:tenant]"), one)
    assert found == {}
    assert notes[0].message.startswith("deploy c before users")


def test_a_manifest_that_is_gone_still_counts() -> None:
    """A consumer that head does not declare any more is still deployed."""
    result = blast([change()], Routes({}), manifests(BILLING, READER), manifests(READER))
    assert [(each.consumer, each.impact.value) for each in result.changes[0].consumers] == [
        ("billing", "broken"),
        ("analytics", "broken"),
    ]


def test_a_new_reader_counts() -> None:
    """A consumer that head adds must fit head."""
    result = blast([change()], Routes({}), [], manifests(BILLING, READER))
    assert [(each.consumer, each.hops) for each in result.changes[0].consumers] == [("billing", 1), ("analytics", 2)]


def test_lineage_is_bases() -> None:
    """What is deployed passes the field on, whatever head's manifest says of it."""
    head = BILLING.split("    exposes", maxsplit=1)[0]
    found, notes = moved(BILLING, head, None, READER)
    assert found == {"billing": ("broken", 1), "analytics": ("broken", 2)}
    assert notes == ()


def test_edges_tell_who_uses_whom() -> None:
    """The dependency picture has every declared edge, hit or not, with the worst that came along it."""
    result = blast([change()], Routes({}), manifests(BILLING, READER, BOARD, OTHER))
    assert result.edges == (
        Edge("analytics", "billing", "manifest", Impact.BROKEN),
        Edge("billing", "users", "manifest", Impact.BROKEN),
        Edge("board", "analytics", "manifest", Impact.SAFE),
        Edge("other", "billing", "manifest", Impact.SAFE),
    )


def test_the_graph_is_typed() -> None:
    """Nodes and edges have the kinds that DESIGN names, and every edge points the way a break travels."""
    graph = build(Routes(apis(api("users", "/users/{id}: {get: {}}"))), manifests(BILLING, READER))
    kinds = {(graph.nodes[a]["kind"], data["kind"], graph.nodes[b]["kind"]) for a, b, data in graph.edges(data=True)}
    assert kinds == {
        ("service", "provides", "operation"),
        ("operation", "holds", "field"),
        ("operation", "uses", "consumer"),
        ("field", "reads", "consumer"),
        ("field", "exposes", "field"),
    }
    email = field_node("users", "GET /users/{id}", "reads", parse("email"))
    reached = networkx.descendants(graph, email)
    assert {consumer_node("billing"), consumer_node("analytics")} <= reached
    assert consumer_node("analytics") not in networkx.descendants(
        graph, field_node("users", "GET /users/{id}", "reads", parse("id"))
    )
    assert networkx.has_path(graph, service_node("users"), operation_node("users", "GET /users/{id}"))


def test_the_order_of_files_changes_nothing() -> None:
    """The same manifests in any order give the same hits, paths and edges."""
    texts = [*loop(), ONWARD.replace("analytics", "warehouse"), BOARD, OTHER]
    expected = blast([change()], Routes({}), manifests(*texts))
    for seed in range(5):
        random.Random(seed).shuffle(texts)
        assert blast([change()], Routes({}), manifests(*texts)) == expected

"""Choosing among fixes: what each costs whom, all of it together, and the order of the roll-out."""

from __future__ import annotations

from collections.abc import Mapping
from weakref import WeakSet

import pytest

from guardian.fixes.bench import PatchedDocuments
from guardian.fixes.json_patch import apply
from guardian.fixes.patch import PatchedFile
from guardian.fixes.propose import propose
from guardian.model import Strategy
from guardian.spec.refs import Documents
from guardian.spec.text import load
from tests.fixes.test_strategies import BASE, MANIFEST, renamed
from tests.fixes.test_verify import two_consumers
from tests.fixes.workbench import SUNSET, bench, fixes


def test_the_cheapest_comes_first() -> None:
    """Nobody has to move before something that nobody has to move for; a second operation is more work than a field."""
    order = [fix.strategy for fix in fixes(renamed())]
    assert order == [
        Strategy.DUAL_WRITE,
        Strategy.DEPRECATION_WINDOW,
        Strategy.FIELD_ALIAS,
        Strategy.VERSION_BUMP,
        Strategy.CONSUMER_PATCH,
    ]


def test_each_says_in_one_sentence_what_it_costs() -> None:
    """Who does what, who has to move, and how long two forms live."""
    found = {fix.strategy: fix.rationale for fix in fixes(renamed())}
    assert found[Strategy.DUAL_WRITE] == (
        "users carries both `email` and `email_address`: billing can move in its own time, and two forms live until the "
        "transition is over; that they are one thing is 100% sure."
    )
    assert found[Strategy.DEPRECATION_WINDOW].endswith(f"two forms live until {SUNSET}.")
    assert "nothing is carried twice, but billing must be ready first" in found[Strategy.CONSUMER_PATCH]


def test_the_roll_out_follows_the_lineage() -> None:
    """The producer first, then whoever reads from it, then whoever reads through them, then what is left to remove."""
    steps = {fix.strategy: fix.rollout for fix in fixes(two_consumers())}
    assert steps[Strategy.DEPRECATION_WINDOW] == (
        f"ship users: it keeps `email`, deprecated, until {SUNSET}",
        "move billing and orders",
        "then move analytics",
        f"remove `email` after {SUNSET}",
    )
    assert steps[Strategy.CONSUMER_PATCH][-1] == "ship users"
    assert steps[Strategy.CONSUMER_PATCH][0].startswith("deploy billing: read email_address instead of email")


def test_a_circle_is_named() -> None:
    """Consumers that pass the field on to each other in a circle move together, and the step says so."""
    head = renamed().situation.head["users"].document.data.decode()
    billing = (
        MANIFEST
        + "  - {service: orders, operation: 'GET /orders/{id}', reads: [mail], exposes: {mail: 'GET /invoices/{id}#mail'}}\n"
    )
    orders = MANIFEST.replace("billing", "orders").replace("GET /invoices/{id}#customer.email", "GET /orders/{id}#mail")
    orders += "  - {service: billing, operation: 'GET /invoices/{id}', reads: [mail], exposes: {mail: 'GET /orders/{id}#mail'}}\n"
    on = bench(BASE, head, {"billing.yaml": billing, "orders.yaml": orders})
    steps = next(fix.rollout for fix in fixes(on) if fix.strategy is Strategy.DUAL_WRITE)
    assert (
        steps[1]
        == "move billing and orders (billing and orders pass it on to each other in a circle: move them together)"
    )


TWO = BASE.replace("age: {type: integer}", "age: {type: string}").replace("enum: [roles, teams]", "enum: [roles]")


def test_all_findings_are_mended_by_one_patch() -> None:
    """With several causes the first fix is for all of them, in one patch of each file."""
    found = fixes(bench(BASE, TWO))
    first = found[0]
    assert len(first.changes) == len({change for fix in found for change in fix.changes}) == 2
    assert [patch.file for patch in first.patches] == ["api.yaml"]
    assert (
        first.verification.lines[0]
        == "contract: compared with base, all 2 breaking changes are gone and no new one came"
    )


def test_one_strategy_can_be_had_for_all() -> None:
    """Whoever wants one strategy throughout gets a patch for everything by it, where it mends everything."""
    on = bench(BASE, TWO)
    whole = [fix for fix in fixes(on) if len(fix.changes) == 2]
    assert {Strategy.DUAL_WRITE, Strategy.DEPRECATION_WINDOW, Strategy.VERSION_BUMP} >= {fix.strategy for fix in whole}
    assert len(whole) > 1


def test_lists_that_two_fixes_touch_are_joined() -> None:
    """One fix puts a name back into a list, the other another: together both are in it."""
    base = BASE.replace("[id, email]", "[id, email, age]")
    head = base.replace("[id, email, age]", "[id]").replace("        age: {type: integer}\n", "")
    first = fixes(bench(base, head))[0]
    assert len(first.changes) == 2
    document = apply(load(head.encode(), "api.yaml"), first.patches[0].json_patch)
    assert sorted(document["components"]["schemas"]["User"]["required"]) == ["age", "email", "id"]


def test_a_check_gives_the_same_fixes_every_time() -> None:
    """Ids, order and patches are those of the findings, not of the run."""
    on = two_consumers()
    assert propose(on.situation, on.changes) == propose(on.situation, on.changes)
    assert [fix.id for fix in fixes(on)] == [f"F{number}" for number in range(1, len(fixes(on)) + 1)]


def test_nothing_is_offered_where_nothing_breaks() -> None:
    """A harmless change has no fixes and no remarks about them."""
    on = bench(BASE, BASE.replace("age: {type: integer}", "age: {type: integer}\n        pronouns: {type: string}"))
    assert propose(on.situation, on.changes).fixes == ()


def test_a_trial_is_gone_before_the_next_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """With all that it read: of a large check, the patched sides of all trials together are more than there is room for."""
    names = ("a", "b", "c", "d")
    spec = (
        "openapi: 3.0.3\ninfo: {title: t, version: '1'}\nsecurity: [{key: []}]\n"
        "components: {securitySchemes: {key: {type: apiKey, in: header, name: K}}}\npaths:\n"
    )
    path = "  /%s: {get: {responses: {'200': {description: ok, content: {application/json: {schema: {%s}}}}}}}\n"
    base, head = (spec + "".join(path % (each, f"type: {kind}") for each in names) for kind in ("string", "integer"))
    alive: WeakSet[Documents] = WeakSet()
    found: list[int] = []

    class Watched(PatchedDocuments):
        def __init__(self, side: Documents, changed: Mapping[str, PatchedFile]) -> None:
            found.append(len(alive))
            super().__init__(side, changed)
            alive.add(self)

    monkeypatch.setattr("guardian.fixes.bench.PatchedDocuments", Watched)
    on = bench(base, head)
    assert propose(on.situation, on.changes).fixes
    assert len(found) > len(names)
    assert max(found) <= 1, found  # at most the last one, which a combination may hold

"""The verifier lets nothing wrong through: each wrong patch is rejected, with the reason that is its own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from guardian.fixes.draft import Draft
from guardian.fixes.json_patch import add, remove, replace
from guardian.fixes.verify import Outcome, verify
from guardian.fixes.work import Work
from guardian.model import Mode, Strategy
from guardian.spec.trees import MemoryTree
from tests.fixes.test_strategies import BASE, MANIFEST, renamed
from tests.fixes.workbench import Bench, bench, first_draft, groups, judged, situation, tried

PROPERTIES = "/components/schemas/User/properties"
EMAIL = {"type": "string", "format": "email"}
REQUIRED = ["id", "email_address", "email"]

ANALYTICS = """\
consumer: analytics
uses:
  - {service: billing, operation: "GET /invoices/{id}", reads: [customer.email]}
"""
ORDERS = MANIFEST.replace("billing", "orders").partition("    exposes")[0]


def test_the_right_patch_passes() -> None:
    """What somebody else wrote passes as well as what the strategies write, and is told line by line."""
    on = renamed()
    outcome = judged(on, [add(f"{PROPERTIES}/email", EMAIL), replace("/components/schemas/User/required", REQUIRED)])
    assert outcome.verification.verified
    assert outcome.verification.consumers == {"billing": "pass"}
    assert outcome.verification.lines == (
        "contract: compared with base, the breaking change is gone and no new one came",
        "consumers: all 1 pass, among them billing",
        "intent: the other change of head is still there",
        "validity: the document is as valid OpenAPI 3.0 as before",
    )


@pytest.mark.parametrize(
    ("operations", "reason"),
    [
        # the old name, but not as sure to be there as it was
        ([add(f"{PROPERTIES}/email", EMAIL)], "`email` became optional"),
        # the old name with another meaning
        (
            [add(f"{PROPERTIES}/email", {"type": "integer"}), replace("/components/schemas/User/required", REQUIRED)],
            "changed type",
        ),
        # an alias of something else
        (
            [
                add(f"{PROPERTIES}/email", {**EMAIL, "x-alias-of": "id"}),
                replace("/components/schemas/User/required", REQUIRED),
            ],
            "called an alias of `id`, but became `email_address`",
        ),
        # an alias of nothing
        (
            [
                add(f"{PROPERTIES}/email", {**EMAIL, "x-alias-of": "mail"}),
                replace("/components/schemas/User/required", REQUIRED),
            ],
            "`mail`, which is not beside it",
        ),
        # the change undone
        (
            [
                add(f"{PROPERTIES}/email", EMAIL),
                remove(f"{PROPERTIES}/email_address"),
                replace("/components/schemas/User/required", ["id", "email"]),
            ],
            "undoes a change that breaks nobody",
        ),
        # something else broken in passing
        (
            [
                add(f"{PROPERTIES}/email", EMAIL),
                replace("/components/schemas/User/required", REQUIRED),
                remove(f"{PROPERTIES}/id"),
            ],
            "breaks anew: `id`",
        ),
        # no OpenAPI any more
        (
            [
                add(f"{PROPERTIES}/email", EMAIL),
                replace("/components/schemas/User/required", REQUIRED),
                add("/paths/~1users/post/surprise", True),
            ],
            "is not valid OpenAPI 3.0",
        ),
        ([remove("/paths/~1nothing")], "cannot be applied"),
        ([{"op": "spam", "path": ""}], "cannot be applied"),
        ([replace("/paths", 3)], "cannot be read"),
        ([], "it changes nothing"),
        ([add("/info/x-hello", True)], "still breaks"),
    ],
)
def test_a_wrong_patch_is_rejected_with_its_reason(operations: list[dict[str, Any]], reason: str) -> None:
    """Alias to another field, guarantee forgotten, mere revert, collateral damage: each by its name."""
    outcome = judged(renamed(), operations)
    assert not outcome.verification.verified
    assert reason in outcome.reason


def test_a_revert_is_no_fix() -> None:
    """Head undone, with nothing of what its author wanted left, is rejected as that."""
    on = bench(BASE, BASE.replace("age: {type: integer}", "age: {type: string}"))
    outcome = judged(on, [replace(f"{PROPERTIES}/age/type", "integer")])
    assert "merely reverts the change of `age`" in outcome.reason
    assert not outcome.verification.keeps_intent


def test_a_version_needs_the_former_schema() -> None:
    """A version that is kept with head's schema under it keeps nothing."""
    on = renamed()
    draft = next(first_draft(on, Strategy.VERSION_BUMP))
    kept = [
        {**each, "value": json.loads(json.dumps(each["value"]).replace("UserV1", "User"))} if "value" in each else each
        for each in draft.specs["api.yaml"]
    ]
    outcome = judged(on, kept, Strategy.VERSION_BUMP, versions=draft.versions)
    assert "still breaks: `email` was removed" in outcome.reason


def test_a_version_needs_the_new_schema_too() -> None:
    """A next version that is not what head has is not the author's change."""
    on = renamed()
    draft = next(first_draft(on, Strategy.VERSION_BUMP))
    wrong = [
        {**each, "value": json.loads(json.dumps(each["value"]).replace('schemas/User"', 'schemas/UserV1"'))}
        if each["path"].startswith("/paths/~1v2")
        else each
        for each in draft.specs["api.yaml"]
    ]
    outcome = judged(on, wrong, Strategy.VERSION_BUMP, versions=draft.versions)
    assert "is not the new form of GET /users/{id}" in outcome.reason


def two_consumers() -> Bench:
    head = renamed().situation.head["users"].document.data.decode()
    return bench(BASE, head, {"billing.yaml": MANIFEST, "orders.yaml": ORDERS, "analytics.yaml": ANALYTICS})


def test_a_forgotten_consumer_is_named() -> None:
    """Consumers that move one by one: whoever is left behind fails, by name."""
    on = two_consumers()
    whole = tried(on, Strategy.CONSUMER_PATCH)
    assert set(whole.draft.moves) == {"billing", "orders"}
    assert whole.outcome.verification.verified
    assert whole.outcome.verification.consumers == {"analytics": "pass", "billing": "pass", "orders": "pass"}
    part = Draft(
        strategy=Strategy.CONSUMER_PATCH,
        service="users",
        manifests={"billing.yaml": whole.draft.manifests["billing.yaml"]},
    )
    outcome = verify(on, part, groups(on)[0].changes)
    assert outcome.reason.startswith("orders still fails: orders reads email")
    assert outcome.verification.consumers == {"analytics": "pass", "billing": "pass", "orders": "fail"}


def test_a_manifest_that_is_emptied_mends_nothing() -> None:
    """Who declares nothing passes everything: only what the change touches may leave a manifest."""
    on = two_consumers()
    whole = tried(on, Strategy.CONSUMER_PATCH)
    emptied = Draft(
        strategy=Strategy.CONSUMER_PATCH,
        service="users",
        manifests={name: [{"op": "replace", "path": "/uses", "value": []}] for name in whole.draft.manifests},
    )
    outcome = verify(on, emptied, groups(on)[0].changes)
    assert not outcome.verification.verified
    assert " still needs " in outcome.reason or "still fails" in outcome.reason


def test_a_consumer_at_the_second_hop_passes_too() -> None:
    """Whoever gets the field through another consumer is looked at as well."""
    on = two_consumers()
    hops = {each.consumer: each.hops for change in on.changes for each in change.consumers}
    assert hops == {"billing": 1, "orders": 1, "analytics": 2}
    verification = tried(on, Strategy.DUAL_WRITE).outcome.verification
    assert verification.consumers["analytics"] == "pass"
    assert "analytics (2 hops)" in " ".join(verification.lines)


PACT = {
    "consumer": {"name": "billing"},
    "provider": {"name": "users"},
    "interactions": [
        {
            "description": "a user",
            "request": {"method": "GET", "path": "/users/7"},
            "response": {"status": 200, "headers": {"Content-Type": "application/json"}, "body": {"id": "7", "email": "a@b.example"}},
        }
    ],
    "metadata": {"pactSpecification": {"version": "2.0.0"}},
}  # fmt: skip


def with_pact() -> Bench:
    head = renamed().situation.head["users"].document.data.decode()
    return bench(BASE, head, {"pact.json": json.dumps(PACT)})


def test_recordings_are_held_against_the_patched_side() -> None:
    """What a contract test has recorded must still be what the API may send; the report says how many were judged."""
    on = with_pact()
    assert "recordings: the recorded body still fits" in tried(on, Strategy.DUAL_WRITE).outcome.verification.lines


def test_a_recording_that_does_not_fit_any_more_rejects() -> None:
    """A patch under which a recorded body is none that the API may send is rejected, whatever the fields read."""
    on = with_pact()
    patch = [
        add(f"{PROPERTIES}/email", EMAIL),
        replace("/components/schemas/User/required", REQUIRED),
        add(f"{PROPERTIES}/id/minLength", 2),  # a narrower response breaks no reader, but no recorded id is this long
    ]
    assert "billing's recording of GET /users/7 does not fit any more" in judged(on, patch).reason


TWO_CAUSES = """\
openapi: 3.0.3
info: {title: Users, version: "1"}
paths:
  /users/{id}:
    get:
      parameters: [{in: path, name: id, required: true, schema: {type: string}}]
      responses:
        "200":
          description: ok
          content:
            application/json:
              schema:
                type: object
                required: [id, email]
                properties: {id: {type: string}, email: {type: string}, nick: {type: string}}
  /teams:
    get:
      responses:
        "200":
          description: ok
          content:
            application/json:
              schema: {type: object, required: [name], properties: {name: {type: string}}}
"""


def test_recordings_that_another_cause_breaks_are_not_held_against_a_fix() -> None:
    """Each cause is mended by itself, and all of them together; what a fix is about is held against it all the same."""
    teams = {
        "description": "teams",
        "request": {"method": "GET", "path": "/teams"},
        "response": {"status": 200, "headers": {"Content-Type": "application/json"}, "body": {"name": "a"}},
    }
    pact = {**PACT, "interactions": [*PACT["interactions"], teams]}  # type: ignore[misc]
    head = TWO_CAUSES.replace("email", "mail").replace("name: {", "title: {").replace("[name]", "[title]")
    head = head.replace("in: path, title:", "in: path, name:")
    on = bench(TWO_CAUSES, head, {"pact.json": json.dumps(pact)})
    changes = next(each.changes for each in groups(on) if each.first.operation == "GET /users/{id}")

    def outcome(patch: list[Any]) -> Outcome:
        specs = {on.situation.head["users"].document.address: tuple(patch)}
        return verify(on, Draft(strategy=Strategy.DUAL_WRITE, service="users", specs=specs), changes)

    schema = "/paths/~1users~1{id}/get/responses/200/content/application~1json/schema"
    mended = [
        add(f"{schema}/properties/email", {"type": "string"}),
        replace(f"{schema}/required", ["id", "mail", "email"]),
    ]
    assert outcome(mended).verification.verified
    worse = [*mended, add(f"{schema}/properties/id/minLength", 2)]
    assert "recording of GET /users/7 does not fit any more" in outcome(worse).reason


def test_no_manifest_mends_a_pact() -> None:
    """A pact is recorded by its consumer's tests, so no edit of a file moves that consumer."""
    on = with_pact()
    assert not list(first_draft(on, Strategy.CONSUMER_PATCH))


def test_other_services_that_share_a_file_are_compared_again() -> None:
    """A patch of a shared file must not break the neighbour that uses it too."""
    shared = b"Name: {type: string}\nCode: {type: string}\n"
    entry = b"""\
openapi: 3.0.3
info: {title: T, version: "1"}
paths:
  /x:
    get:
      responses: {"200": {description: x, content: {application/json: {schema: {$ref: "shared.yaml#/KIND"}}}}}
"""
    files = {"a.yaml": entry.replace(b"KIND", b"Name"), "b.yaml": entry.replace(b"KIND", b"Code")}
    head = b"Name: {type: integer}\nCode: {type: string}\n"
    trees = MemoryTree({**files, "shared.yaml": shared}), MemoryTree({**files, "shared.yaml": head})
    on = Bench(*situation(*trees, {"users": "a.yaml", "other": "b.yaml"}))
    assert on.users_of("shared.yaml", "users") == {"users", "other"}
    wrong = Draft(
        strategy=Strategy.DEPRECATION_WINDOW,
        service="users",
        specs={"shared.yaml": (replace("/Name/type", "string"), add("/Name/x-successor", {}), replace("/Code/type", "integer"))},
    )  # fmt: skip
    assert "breaks anew" in verify(on, wrong, groups(on)[0].changes).reason


def test_a_draft_for_one_cause_leaves_the_others_alone() -> None:
    """What a fix does not address may still break; the report counts it."""
    head = BASE.replace("age: {type: integer}", "age: {type: string}").replace("enum: [roles, teams]", "enum: [roles]")
    on = bench(BASE, head)
    found = [each for number in range(2) for each in (tried(on, Strategy.DEPRECATION_WINDOW, number),)]
    assert all(each.outcome.verification.verified for each in found)
    assert "1 other it does not address" in found[0].outcome.verification.lines[0]


def test_nothing_is_patched_in_the_situation_itself() -> None:
    """A trial leaves head as it is: the same draft can be tried again, and gives the same."""
    on = renamed()
    before = on.situation.head["users"].document.root
    copy = json.dumps(before)
    first, second = (tried(on, Strategy.DUAL_WRITE).outcome.verification for _ in range(2))
    assert first == second
    assert json.dumps(before) == copy
    assert Work(on, groups(on)[0]).head.document.root is before


def test_the_contract_mode_counts_the_contract() -> None:
    """In the mode of the contract a break that nobody reads is mended all the same."""
    on = bench(
        BASE,
        BASE.replace("age: {type: integer}", "age: {type: string}"),
        {"billing.yaml": MANIFEST},
        mode=Mode.CONTRACT,
    )
    assert tried(on, Strategy.DUAL_WRITE).outcome.verification.verified

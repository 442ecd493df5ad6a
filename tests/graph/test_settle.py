"""The table of the three modes, and the findings about declarations themselves."""

from __future__ import annotations

import pytest

from guardian.graph.consumers.routes import Routes
from guardian.graph.settle import only, settle
from guardian.graph.strangers import unknown_operations, unknown_services
from guardian.graph.uses import Consumer, Use
from guardian.model import Change, ConsumerImpact, Impact, Location, Mode, Severity
from tests.graph.worlds import api, apis, change, manifests

USER = manifests("consumer: a\nuses: [{service: users, operation: GET /other, reads: []}]")


def hit_by(severity: Severity, *impacts: str) -> Change:
    found = tuple(ConsumerImpact(f"c{at}", Impact(each), 1, "declared", ()) for at, each in enumerate(impacts))
    return change(severity=severity)._replace(consumers=found)


@pytest.mark.parametrize(
    ("mode", "severity", "impacts", "declared", "public", "expected"),
    [
        ("contract", "breaking", [], True, False, "breaking"),
        ("contract", "warning", ["broken"], True, False, "warning"),
        ("consumers", "breaking", ["possible", "broken"], True, False, "breaking"),
        ("consumers", "breaking", ["possible"], True, False, "warning"),
        ("consumers", "breaking", [], True, True, "info"),
        ("consumers", "breaking", [], False, False, "info"),
        ("consumers", "warning", ["broken"], True, False, "breaking"),
        ("consumers", "warning", ["possible"], True, False, "warning"),
        ("consumers", "warning", [], True, False, "info"),
        ("consumers", "info", ["broken"], True, False, "breaking"),
        ("consumers", "info", ["possible"], True, False, "info"),
        ("both", "breaking", ["broken"], True, False, "breaking"),
        ("both", "breaking", ["possible"], True, False, "warning"),
        ("both", "breaking", [], True, False, "warning"),
        ("both", "breaking", [], True, True, "breaking"),
        ("both", "breaking", [], False, False, "breaking"),
        ("both", "warning", ["broken"], True, False, "breaking"),
        ("both", "warning", [], False, True, "warning"),
        ("both", "info", ["broken"], True, False, "breaking"),
        ("both", "info", [], False, True, "info"),
        ("both", "off", ["broken"], True, False, "off"),
    ],
)
def test_the_table(mode: str, severity: str, impacts: list[str], declared: bool, public: bool, expected: str) -> None:
    """INTERFACE, section 5, row by row."""
    one = hit_by(Severity(severity), *impacts)
    (settled,) = settle([one], Mode(mode), USER if declared else [], ["users"] if public else [])
    assert settled.counts_as.value == expected
    assert settled.severity.value == severity


def test_what_a_user_lowered_stays_low() -> None:
    """A severity from guardian.yaml is a decision: no consumer makes it worse, unless it says breaking."""
    one = hit_by(Severity.INFO, "broken")
    assert settle([one], Mode.BOTH, USER, (), lambda each: True)[0].counts_as is Severity.INFO
    one = hit_by(Severity.BREAKING, "broken")
    assert settle([one], Mode.BOTH, USER, (), lambda each: True)[0].counts_as is Severity.BREAKING


@pytest.mark.parametrize("mode", list(Mode))
def test_what_promises_nothing_is_out_of_the_verdict(mode: Mode) -> None:
    """A place that base marks as draft or alpha counts as no more than a note, whoever uses it (INTERFACE, section 5)."""
    one = hit_by(Severity.INFO, "broken")._replace(promised=False)
    assert settle([one], mode, USER, ["users"])[0].counts_as is Severity.INFO


def test_only_some_consumers() -> None:
    """``--consumer`` keeps what touches them, and nobody else in it."""
    one, other = hit_by(Severity.BREAKING, "broken", "possible"), hit_by(Severity.BREAKING, "broken")
    kept = only([one, other], ["c1"])
    assert [[each.consumer for each in change.consumers] for change in kept] == [["c1"]]


ROUTES = Routes(apis(api("users", "/users/{id}: {get: {}}")), apis(api("users", "/new: {get: {}}")))


def test_an_operation_nobody_has() -> None:
    """A declared operation that neither side has is a warning at the manifest; one that head removed is not this."""
    declared = manifests(
        "consumer: a\nowner: t\nuses:\n"
        "  - {service: users, operation: 'GET /users/{x}'}\n"
        "  - {service: users, operation: GET /new}\n"
        "  - {service: users, operation: 'GET /user/{id}'}\n"
        "  - {service: elsewhere, operation: GET /x}\n"
    )
    (finding,) = unknown_operations(ROUTES, declared)
    assert (finding.rule, finding.severity, finding.operation) == (
        "consumer-operation-unknown",
        Severity.WARNING,
        "GET /user/{}",
    )
    assert finding.head == Location("a.yaml", "/uses/2")
    assert "GET /users/{id}" in finding.message
    assert [(each.consumer, each.owner) for each in finding.consumers] == [("a", "t")]


def test_recordings_declare_nothing() -> None:
    """A call that was seen and leads nowhere is not a declaration that is wrong."""
    use = Use("a", "users", "GET /wp-login.php", Location("f"), confidence="called")
    assert unknown_operations(ROUTES, [Consumer("a", (use,))]) == []


def test_services_that_are_not_here() -> None:
    """Unknown services are noted, with the likely one; a warning where no declaration meets any service."""
    declared = manifests("consumer: a\nuses: [{service: Users-Service, operation: GET /x}]")
    (note,) = unknown_services(declared, ["users", "orders"])
    assert note.level == "warning"
    assert "is users meant?" in note.message
    both = [*declared, *manifests("consumer: b\nuses: [{service: orders, operation: GET /x}]")]
    assert [note.level for note in unknown_services(both, ["users", "orders"])] == ["info"]

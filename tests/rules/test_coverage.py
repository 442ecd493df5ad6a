"""Nothing is forgotten: every field and keyword of the standards has a rule or a reason, and rules keep their claims."""

from __future__ import annotations

from collections import defaultdict
from functools import cache

import pytest
from probes import VERSIONS, Probe, field_probes, keyword_probes

from guardian.model import Change
from guardian.rules.annotations import ANNOTATIONS
from guardian.rules.registry import all_rules
from guardian.spec.dynamic import REFERENCES
from tests.rules.sides import api, changes
from tests.rules.surface import FIELDS, KEYWORDS

CLAIMED = {claim for rule in all_rules() for claim in rule.claims}
EVERYTHING = FIELDS | KEYWORDS


def _by_subject() -> dict[str, list[Probe]]:
    found: dict[str, list[Probe]] = defaultdict(list)
    for probe in (*keyword_probes(), *field_probes()):
        found[probe.subject].append(probe)
    return dict(sorted(found.items()))


PROBES = _by_subject()


@cache
def told(subject: str) -> list[tuple[tuple[str, str], list[Change], list[Change]]]:
    """Where each probe of a subject is, and what is said of its edit and of the reverse."""
    return [
        ((probe.place, probe.version), probe.changes(prove=False), probe.changes(reverse=True, prove=False))
        for probe in PROBES[subject]
    ]


def test_everything_has_a_rule_or_a_reason() -> None:
    """What a document can say is claimed by a rule or is named as an annotation, never both."""
    assert EVERYTHING.keys() - CLAIMED - ANNOTATIONS.keys() == set()
    assert CLAIMED & ANNOTATIONS.keys() == set()


def test_claims_and_reasons_speak_of_what_there_is() -> None:
    """No rule claims, and no reason is given for, what the standards do not have."""
    assert CLAIMED - EVERYTHING.keys() == set()
    assert ANNOTATIONS.keys() - EVERYTHING.keys() == set()


@pytest.mark.parametrize("subject", sorted(CLAIMED))
def test_a_claim_is_probed_in_every_version(subject: str) -> None:
    """There is an edit of each claimed field and keyword for every version of OpenAPI that has it."""
    assert {probe.version for probe in PROBES.get(subject, ())} >= EVERYTHING[subject]


@pytest.mark.parametrize("subject", PROBES)
def test_no_edit_is_silent(subject: str) -> None:
    """At every place and in every version an edit is told, and so is its reverse."""
    for where, there, back in told(subject):
        assert there, where
        assert back, (*where, "reverse")


@pytest.mark.parametrize("subject", PROBES)
def test_an_edit_and_its_reverse_are_mirrored(subject: str) -> None:
    """What narrows one way widens the other."""
    for where, there, back in told(subject):
        mirrored = {change.effect.mirrored for change in back}
        assert {change.effect for change in there} == mirrored or _declared(there, back), where


def _declared(there: list[Change], back: list[Change]) -> bool:
    """Optional properties of open requests: neither losing nor getting one asks anything of callers (INTERFACE)."""
    return {change.rule for change in (*there, *back)} <= {"property-removed", "property-added"}


SCHEMA_ANNOTATIONS = {
    "title": ("a", "b"),
    "description": ("a", "b"),
    "$comment": ("a", "b"),
    "externalDocs": ({"url": "a"}, {"url": "b"}),
    "example": ("a", "b"),
    "examples": (["a"], ["b"]),
    "$id": ("https://a.example/a", "https://a.example/b"),
    "$anchor": ("a", "b"),
    "$dynamicAnchor": ("a", "b"),
    "$recursiveAnchor": (False, True),
    "$schema": ("https://a.example/a", "https://a.example/b"),
    "$vocabulary": ({"https://a.example": True}, {"https://b.example": True}),
    "$defs": ({"A": {"type": "string"}}, {"A": {"type": "integer"}}),
    "definitions": ({"A": {"type": "string"}}, {"A": {"type": "integer"}}),
}


@pytest.mark.parametrize("keyword", sorted(ANNOTATIONS.keys() & KEYWORDS.keys() - set(REFERENCES)))
def test_an_annotation_changes_nothing(keyword: str) -> None:
    """Keywords with a reason are passed over in silence, alone and beside others."""
    for version in VERSIONS[1:]:
        sides = [
            api("{}", f"{version}.0")
            | {"paths": {"/t": {"get": {"responses": {"200": {"content": {"application/json": {"schema": schema}}}}}}}}
            for value in SCHEMA_ANNOTATIONS[keyword]
            for schema in ({"type": "string", keyword: value},)
        ]
        assert changes(*sides) == []

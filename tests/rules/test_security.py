"""Security: sets of ways in, compared by what is presented and never by names of the document."""

from __future__ import annotations

from typing import Any

import pytest

from guardian.model import Hit, Impact
from tests.rules.sides import api, changes, told

SCHEMES = {
    "key": {"type": "apiKey", "in": "header", "name": "X-Key"},
    "same": {"type": "apiKey", "in": "header", "name": "x-key"},
    "cookie": {"type": "apiKey", "in": "cookie", "name": "sid"},
    "bearer": {"type": "http", "scheme": "bearer"},
    "tls": {"type": "mutualTLS"},
    "oauth": {"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": "https://t", "scopes": {}}}},
}


def secured(security: list[dict[str, list[str]]] | None, *, everywhere: bool = False) -> dict[str, Any]:
    """A document whose operation requires this, itself or by the document's list."""
    document = api("{/a: {get: {}}}", components={"securitySchemes": SCHEMES})
    if security is not None:
        (document if everywhere else document["paths"]["/a"]["get"])["security"] = security
    return document


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        # nothing: said or not, in any spelling
        (None, [], []),
        ([], [{}], []),
        ([{"key": []}], [{"same": []}], []),
        ([{"key": []}, {"bearer": []}], [{"bearer": []}, {"key": []}], []),
        ([{"key": [], "bearer": []}], [{"bearer": [], "key": []}], []),
        # more is needed
        (None, [{"key": []}], [("security-added", "header:X-Key", "breaking")]),
        ([{}, {"key": []}], [{"key": []}], [("security-added", "header:X-Key", "breaking")]),
        ([{"key": []}], [{"key": [], "bearer": []}], [("security-added", "header:Authorization", "breaking")]),
        (None, [{"tls": []}], [("security-added", "", "breaking")]),
        # less is needed
        ([{"key": []}], None, [("security-removed", "", "info")]),
        ([{"key": []}], [{"key": []}, {}], [("security-removed", "", "info")]),
        ([{"key": [], "bearer": []}], [{"key": []}], [("security-removed", "", "info")]),
        # other ways
        ([{"key": []}, {"bearer": []}], [{"key": []}], [("security-alternative-removed", "", "breaking")]),
        ([{"key": []}], [{"key": []}, {"bearer": []}], [("security-alternative-added", "", "info")]),
        ([{"key": []}], [{"bearer": []}], [("security-scheme-changed", "header:Authorization", "breaking")]),
        ([{"key": []}, {"bearer": []}], [{"key": []}, {"cookie": []}],
         [("security-scheme-changed", "cookie:sid", "breaking")]),
        # scopes
        ([{"oauth": ["r"]}], [{"oauth": ["r", "w"]}], [("security-scope-added", "scope:w", "breaking")]),
        ([{"oauth": ["r", "w"]}], [{"oauth": ["r"]}], [("security-scope-removed", "scope:w", "info")]),
        ([{"oauth": ["r"]}], [{"oauth": ["w"]}],
         [("security-scope-removed", "scope:r", "info"), ("security-scope-added", "scope:w", "breaking")]),
        ([{"oauth": ["r"]}], [{"oauth": ["r"]}, {"oauth": ["r", "w"]}], []),
        ([{"oauth": ["r"]}, {"oauth": ["w"]}], [{"oauth": ["r"]}], [("security-scope-added", "scope:r", "breaking")]),
        ([{"oauth": ["r"]}], [{"oauth": ["r"]}, {"oauth": ["w"]}], [("security-scope-removed", "scope:r", "info")]),
        # both at once, told once
        ([{"oauth": ["r"]}], [{"oauth": ["w"], "key": []}],
         [("security-added", "header:X-Key", "breaking"), ("security-scope-removed", "scope:r", "info"),
          ("security-scope-added", "scope:w", "breaking")]),
    ],
)  # fmt: skip
def test_ways_in_are_sets_of_sets(
    base: list[dict[str, list[str]]] | None,
    head: list[dict[str, list[str]]] | None,
    expected: list[tuple[str, str, str]],
) -> None:
    """Any alternative is enough, all of one are needed; global and own lists mean the same."""
    assert sorted(told(secured(base), secured(head))) == sorted(expected)
    if base is not None and head is not None:
        everywhere = told(secured(base, everywhere=True), secured(head, everywhere=True))
        assert sorted(everywhere) == sorted(expected)
        assert sorted(told(secured(base, everywhere=True), secured(head))) == sorted(expected)


def test_an_operation_can_be_open_in_a_closed_document() -> None:
    """Its own empty list takes the document's requirement away."""
    base, head = secured([{"key": []}], everywhere=True), secured([{"key": []}], everywhere=True)
    head["paths"]["/a"]["get"]["security"] = []
    assert told(base, head) == [("security-removed", "", "info")]


def test_whom_a_scope_concerns() -> None:
    """Whoever does not have it is broken; whoever has another way in only possibly."""
    [change] = changes(secured([{"oauth": ["r"]}]), secured([{"oauth": ["r", "w"]}]))
    assert (change.hit, change.impact, change.place) == (Hit.NON_SENDER, Impact.BROKEN, "security")
    [change] = changes(secured([{"oauth": ["r"]}, {"key": []}]), secured([{"oauth": ["r", "w"]}, {"key": []}]))
    assert change.impact is Impact.POSSIBLE


def test_a_renamed_header_concerns_everybody() -> None:
    """The scheme's definition changed: seen at the operation, pointed at where the definition stands."""
    base, head = secured([{"key": []}]), secured([{"key": []}])
    head["components"] = {"securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-New"}}}
    [change] = changes(base, head)
    assert (change.rule, change.field, change.hit) == ("security-scheme-changed", "header:X-New", Hit.EVERY_USER)
    assert change.head is not None
    assert change.head.pointer == "/components/securitySchemes/key"


def test_2_0_schemes_are_those_of_3_x() -> None:
    """Basic, API keys and the four flows have other names and are the same on the wire."""
    base = api(
        "{/a: {get: {security: [{b: [], o: [r]}]}}}",
        "2.0",
        securityDefinitions={
            "b": {"type": "basic"},
            "o": {"type": "oauth2", "flow": "application", "tokenUrl": "https://t", "scopes": {"r": "read"}},
        },
    )
    flows = {"clientCredentials": {"tokenUrl": "https://t", "scopes": {"r": "read"}}}
    head = api(
        "{/a: {get: {security: [{basic: [], oauth: [r]}]}}}",
        components={
            "securitySchemes": {
                "basic": {"type": "http", "scheme": "Basic"},
                "oauth": {"type": "oauth2", "flows": flows},
            }
        },
    )
    assert told(base, head) == []


def test_where_tokens_come_from_is_told_once_for_the_service() -> None:
    """A moved token URL is a warning, not one for each operation."""
    base, head = secured([{"oauth": []}], everywhere=True), secured([{"oauth": []}], everywhere=True)
    for document in (base, head):
        document["paths"]["/b"] = {"get": {}}
    moved = {"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": "https://u", "scopes": {"x": ""}}}}
    head["components"] = {"securitySchemes": {**SCHEMES, "oauth": moved}}
    assert told(base, head) == [
        ("security-scheme-detail-changed", "", "info"),
        ("security-scheme-detail-changed", "", "warning"),
    ]


@pytest.mark.parametrize("moved", ["B", "C"])
def test_a_scheme_with_two_successors_is_compared_with_both(moved: str) -> None:
    """Whichever operation comes first."""

    def token(host: str) -> dict[str, Any]:
        return {"type": "oauth2", "flows": {"clientCredentials": {"tokenUrl": f"https://{host}", "scopes": {}}}}

    def document(first: str, last: str, schemes: dict[str, Any]) -> dict[str, Any]:
        operations = {"/a": {"put": {"security": [{first: []}]}}, "/z": {"get": {"security": [{last: []}]}}}
        return api("{}", components={"securitySchemes": schemes}) | {"paths": operations}

    head = document("C", "B", {name: token("other" if name == moved else "t") for name in "BC"})
    found = changes(document("A", "A", {"A": token("t")}), head)
    assert [change.rule for change in found] == ["security-scheme-detail-changed"]
    assert found[0].head is not None
    assert found[0].head.pointer.startswith(f"/components/securitySchemes/{moved}")

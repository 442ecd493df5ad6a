"""Security: sets of ways in, compared by what is presented; names count where both sides declare them."""

from __future__ import annotations

from typing import Any

import pytest

from guardian.model import Confidence, Hit, Impact
from guardian.rules.compare import compare
from guardian.spec.api import Api
from guardian.spec.normalise import read_api
from guardian.spec.refs import Documents
from guardian.spec.sameness import Sameness
from guardian.spec.trees import MemoryTree
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


TRAVELLING = {
    "user": {"type": "http", "scheme": "bearer"},
    "service": {"type": "http", "scheme": "bearer"},
    "basic": {"type": "http", "scheme": "basic"},
    "text": {"type": "apiKey", "in": "header", "name": "Authorization"},
    "okta": {"type": "openIdConnect", "openIdConnectUrl": "https://okta.example"},
    "azure": {"type": "openIdConnect", "openIdConnectUrl": "https://azure.example"},
    "oauth": {"type": "oauth2", "flows": {}},
    "other": {"type": "oauth2", "flows": {}},
}
EVERY = " ".join(TRAVELLING)


@pytest.mark.parametrize(
    ("base", "head", "declared", "expected"),
    [
        # another scheme of the same form, which stands beside the former one
        ("user", "service", (EVERY, EVERY), [("security-scheme-changed", "warning")]),
        ("user", "service", ("user", "user service"), [("security-scheme-changed", "warning")]),
        ("user", "service", ("user service", "service"), [("security-scheme-changed", "warning")]),
        ("user", "user service", (EVERY, EVERY), [("security-alternative-added", "info")]),
        ("user service", "service", (EVERY, EVERY), [("security-alternative-removed", "warning")]),
        ("okta", "azure", (EVERY, EVERY), [("security-scheme-changed", "warning")]),
        ("okta azure", "azure", (EVERY, EVERY), [("security-alternative-removed", "warning")]),
        # renamed: the former name is gone, and the new one is new
        ("user", "service", ("user basic", "service basic"), []),
        ("okta", "azure", ("okta", "azure"), [("security-scheme-detail-changed", "warning")]),
        # other schemes whose credentials travel alike, and some whose do not
        ("text", "user", ("text", "user"), [("security-scheme-changed", "warning")]),
        ("user", "text", ("user", "text"), [("security-scheme-changed", "warning")]),
        ("text", "basic", ("text", "basic"), [("security-scheme-changed", "warning")]),
        ("user", "oauth:w", (EVERY, EVERY), [("security-scheme-changed", "warning")]),
        ("oauth:r", "user", (EVERY, EVERY), [("security-scheme-changed", "warning")]),
        ("oauth:r", "okta:r", (EVERY, EVERY), [("security-scheme-changed", "warning")]),
        ("basic", "user", (EVERY, EVERY), [("security-scheme-changed", "breaking")]),
        # a scope that both sides know of and that callers do not have
        ("oauth:r", "other:r", (EVERY, EVERY), [("security-scheme-changed", "warning")]),
        ("oauth:r", "other:w", (EVERY, EVERY), [("security-scheme-changed", "breaking")]),
        ("oauth:r", "okta:w", (EVERY, EVERY), [("security-scheme-changed", "breaking")]),
    ],
)  # fmt: skip
def test_schemes_that_travel_alike(
    base: str, head: str, declared: tuple[str, str], expected: list[tuple[str, str]]
) -> None:
    """Whether a credential of the one is good for the other, the documents do not say: that is said, and no more."""

    def document(ways: str, names: str) -> dict[str, Any]:
        found = api(
            "{/a: {get: {}}}", components={"securitySchemes": {name: TRAVELLING[name] for name in names.split()}}
        )
        pairs = [way.partition(":") for way in ways.split()]
        found["paths"]["/a"]["get"]["security"] = [{name: [scope] if scope else []} for name, _, scope in pairs]
        return found

    found = changes(document(base, declared[0]), document(head, declared[1]))
    assert [(change.rule, change.severity.value) for change in found] == expected
    for change in found:
        if change.severity.value == "warning" and change.rule != "security-scheme-detail-changed":
            assert (change.confidence, change.impact) == (Confidence.POSSIBLE, Impact.POSSIBLE)
            assert "do not say" in (change.unproved or "")


def test_a_name_that_came_to_mean_something_else_is_no_name_of_both_sides() -> None:
    """A scheme that is kept under a name of its own beside the one that took its name was renamed."""
    base, head = secured([{"key": []}]), secured([{"former": []}])
    renamed = {"type": "apiKey", "in": "header", "name": "X-New"}
    base["components"] = {"securitySchemes": {"key": SCHEMES["key"]}}
    head["components"] = {"securitySchemes": {"key": renamed, "former": SCHEMES["key"]}}
    assert told(base, head) == []


def test_a_scheme_that_nothing_requires_need_not_be_readable() -> None:
    """It is looked at for its name only."""
    base, head = secured([{"key": []}]), secured([{"key": []}])
    for document in (base, head):
        document["components"] = {"securitySchemes": {**SCHEMES, "odd": {"type": "http"}, "none": 5}}
    assert told(base, head) == []


def test_schemes_that_travel_alike_are_told_apart_by_name() -> None:
    """Nothing else tells a reader which of two bearer tokens is meant."""
    base, head = (
        api("{/a: {get: {}}}", components={"securitySchemes": TRAVELLING}, security=[{name: []}])
        for name in ("user", "service")
    )
    [change] = changes(base, head)
    assert "of `service` must be presented instead of HTTP bearer credentials of `user`" in change.message


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


def test_the_scopes_of_the_nearest_way_are_told() -> None:
    """Of several ways that ask for the same scheme, the one of which the fewest scopes differ is the same way."""
    ways = [{"oauth": ["read"]}, {"oauth": ["write"]}]
    added = [*ways[:1], {"oauth": ["write", "audit"]}]
    assert told(secured(ways), secured(added)) == [("security-scope-added", "scope:audit", "breaking")]
    assert told(secured(added), secured(ways)) == [("security-scope-removed", "scope:audit", "info")]
    either = [{"oauth": ["admin"]}, {"oauth": ["write", "audit"]}]  # who has neither is told of the nearest alone
    assert told(secured(ways[1:]), secured(either)) == [
        ("security-scope-added", "scope:audit", "breaking"),
        ("security-scope-removed", "scope:write", "info"),
    ]


def test_a_scheme_more_is_no_surer_for_a_scope_more() -> None:
    """The scope is what is missing for sure; the second token may be the first one."""
    flow = {"type": "oauth2", "flows": {}}
    components = {"securitySchemes": {"user": flow, "service": flow}}
    base, head = (
        api(f"{{/a: {{get: {{security: [{way}]}}}}}}", components=components)
        for way in ("{user: []}", "{user: [r], service: [r]}")
    )
    assert told(base, head) == [
        ("security-added", "header:Authorization", "warning"),
        ("security-scope-added", "scope:r", "breaking"),
    ]
    other = api("{/a: {get: {security: [{user: [], service: [w]}]}}}", components=components)
    assert told(base, other) == [("security-added", "header:Authorization", "breaking")]


@pytest.mark.parametrize("ref", ["#/components/securitySchemes/key", "auth.yaml#/key", "./auth.yaml#/key"])
def test_a_scheme_by_its_uri(ref: str) -> None:
    """OpenAPI 3.2; what the URI leads to may change though no operation does."""

    def side(name: str) -> Api:
        scheme = f"{{type: apiKey, in: header, name: {name}}}"
        text = f"""
openapi: 3.2.0
info: {{title: T, version: 1}}
paths: {{/a: {{get: {{security: [{{"{ref}": []}}], responses: {{}}}}}}}}
components: {{securitySchemes: {{key: {scheme}}}}}
"""
        files = {"api.yaml": text.encode(), "auth.yaml": f"key: {scheme}".encode()}
        return read_api(Documents(MemoryTree(files)), "api.yaml", "api")

    one, other = side("X-Key"), side("X-Api-Key")
    same = Sameness(one.document.documents, other.document.documents).same
    assert [each.rule for each in compare(one, other, same=same)] == ["security-scheme-changed"]
    assert not compare(one, side("X-Key"))

"""Schema rules beyond their own examples: spellings that mean the same, and the corners between rules."""

from __future__ import annotations

from typing import Any

import pytest

from guardian.model import Confidence, Hit, Impact, Severity
from guardian.rules.compare import Options, compare
from tests.rules.schemas import request, request_changes, response, response_changes

STRING = {"type": "string"}

SAME: list[tuple[str, Any, Any]] = [
    ("null as a type list and as an alternative", {"type": ["string", "null"]}, {"oneOf": [STRING, {"type": "null"}]}),
    ("a type list and alternatives", {"type": ["string", "integer"]}, {"anyOf": [{"type": "integer"}, STRING]}),
    ("const and a list of one", {"const": "a"}, {"enum": ["a"]}),
    ("allOf of one", {"type": "object", "properties": {"a": STRING}}, {"allOf": [{"type": "object", "properties": {"a": STRING}}]}),
    (
        "allOf of parts",
        {"type": "object", "required": ["a"], "properties": {"a": STRING, "b": STRING}},
        {"allOf": [{"type": "object", "properties": {"a": STRING}}, {"properties": {"b": STRING}}, {"required": ["a"]}]},
    ),
    ("the tighter of two bounds", {"type": "integer", "minimum": 5}, {"allOf": [{"type": "integer", "minimum": 1}, {"minimum": 5}]}),
    ("both spellings of an excluded bound of integers", {"type": "integer", "exclusiveMaximum": 10}, {"type": "integer", "maximum": 9}),
    ("integer and a multiple of one", {"type": "integer"}, {"type": "number", "multipleOf": 1}),
    ("no least length and one of zero", STRING, {"type": "string", "minLength": 0}),
    ("a list in another order", {"enum": ["a", "b"]}, {"enum": ["b", "a"]}),
    ("1 and 1.0", {"enum": [1]}, {"enum": [1.0]}),
    ("boolean and its two values", {"type": "boolean"}, {"enum": [True, False]}),
    ("enum split over alternatives", {"enum": ["a", "b"]}, {"oneOf": [{"const": "a"}, {"const": "b"}]}),
    ("required in another order", {"type": "object", "required": ["a", "b"], "properties": {"a": STRING, "b": STRING}},
     {"type": "object", "required": ["b", "a"], "properties": {"b": STRING, "a": STRING}}),
    ("additionalProperties said and unsaid", {"type": "object", "properties": {"a": STRING}},
     {"type": "object", "properties": {"a": STRING}, "additionalProperties": True}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "base", "head"), SAME, ids=[name for name, _, _ in SAME])
def test_spelling_is_no_change(name: str, base: Any, head: Any) -> None:
    """Two spellings of one meaning compare as equal, both ways and in both directions."""
    for changes in (request_changes, response_changes):
        assert changes(base, head) == []
        assert changes(head, base) == []


def test_nullable_of_3_0_and_type_list_of_3_1_are_one() -> None:
    """A document upgraded from 3.0 to 3.1 says the same."""
    thing = {
        "type": "object",
        "nullable": True,
        "properties": {"n": {"type": "integer", "minimum": 0, "exclusiveMinimum": True}},
    }
    upgraded = {"type": ["object", "null"], "properties": {"n": {"type": "integer", "exclusiveMinimum": 0}}}
    assert compare(response(thing, version="3.0.3"), response(upgraded)) == []


def test_references_and_inline_are_one() -> None:
    """Hoisting a schema into a component, or renaming the component, changes nothing."""
    inline = {"type": "object", "properties": {"a": {"type": "object", "properties": {"b": STRING}}}}
    hoisted = {"type": "object", "properties": {"a": {"$ref": "#/components/schemas/A"}}}
    assert response_changes(inline, hoisted, A={"type": "object", "properties": {"b": STRING}}) == []


def test_recursive_schemas_end() -> None:
    """A schema that contains itself is compared once, and its change is told by its shortest path."""
    base = {
        "type": "object",
        "properties": {"name": STRING, "children": {"type": "array", "items": {"$ref": "#/components/schemas/Node"}}},
    }
    head = {"type": "object", "properties": {"children": base["properties"]["children"]}}  # type: ignore[index]
    sides = [response({"$ref": "#/components/schemas/Node"}, {"Node": node}) for node in (base, head)]
    assert [(change.rule, change.field) for change in compare(*sides, options=Options(prove=False))] == [
        ("property-removed", "name")
    ]


def test_a_rename_is_recognised() -> None:
    """A removed and an added property of the same meaning and a like name are one thing under two names."""
    base = {"type": "object", "required": ["email"], "properties": {"id": STRING, "email": STRING}}
    head = {"type": "object", "required": ["email_address"], "properties": {"id": STRING, "email_address": STRING}}
    removed = next(change for change in response_changes(base, head) if change.rule == "property-removed")
    assert removed.renamed_to == "email_address"
    assert removed.severity is Severity.BREAKING


def test_dots_in_names_are_escaped() -> None:
    """A field path stays unambiguous when a property's name has a dot in it."""
    base = {"type": "object", "properties": {"a.b": {"type": "object", "properties": {"c": STRING}}}}
    head = {"type": "object", "properties": {"a.b": {"type": "object", "properties": {}}}}
    assert [change.field for change in response_changes(base, head)] == ["a\\.b.c"]


@pytest.mark.parametrize(
    ("base", "head", "rule", "severity"),
    [
        ({"properties": {"id": {**STRING, "readOnly": True}}, "required": ["id"], "type": "object"},
         {"properties": {"id": STRING}, "required": ["id"], "type": "object"}, "required-property-added", Severity.BREAKING),
        ({"type": "object", "properties": {"id": STRING}},
         {"type": "object", "properties": {"id": {**STRING, "readOnly": True}}}, "property-visibility-changed", Severity.WARNING),
    ],
)  # fmt: skip
def test_read_only_properties_are_no_part_of_requests(base: Any, head: Any, rule: str, severity: Severity) -> None:
    """What is readOnly is not sent, in every version of the standard."""
    assert [(change.rule, change.severity) for change in request_changes(base, head)] == [(rule, severity)]


def test_unstable_parts_stay_out_of_the_verdict() -> None:
    """What is marked alpha may go: it is reported, and breaks nothing."""
    base = {"type": "object", "required": ["a"], "properties": {"a": {**STRING, "x-stability-level": "alpha"}}}
    changes = response_changes(base, {"type": "object", "properties": {}})
    assert [(change.rule, change.severity) for change in changes] == [("property-removed", Severity.INFO)]


def test_severity_is_the_users_to_set() -> None:
    """The narrower setting wins, and a rule may be called by its alias in the leading tool."""
    base, head = {"enum": ["a", "b"]}, {"enum": ["a"]}
    sides = request(base), request(head)
    for setting, expected in (
        ({"enum-value-removed": Severity.WARNING}, Severity.WARNING),
        ({"enum-value-removed": Severity.INFO, "enum-value-removed@request": Severity.BREAKING}, Severity.BREAKING),
        ({"request-body-enum-value-removed": Severity.INFO}, Severity.INFO),
    ):
        (change,) = compare(*sides, options=Options(severity=setting, prove=False))
        assert change.severity is expected


def test_a_new_enum_value_breaks_strict_readers_only() -> None:
    """The contract's verdict is a warning; who is strict is the consumer's to say."""
    (change,) = response_changes({"enum": ["a"]}, {"enum": ["a", "b"]})
    assert change.severity is Severity.WARNING
    assert (change.hit, change.impact, change.strict_impact) == (Hit.READER, Impact.POSSIBLE, Impact.BROKEN)


def test_what_cannot_be_decided_is_possible_with_a_reason() -> None:
    """Two custom formats: neither silent nor certain."""
    (change,) = response_changes({**STRING, "format": "parcel"}, {**STRING, "format": "tracking"})
    assert change.confidence is Confidence.POSSIBLE
    assert change.severity is Severity.WARNING
    assert change.unproved


@pytest.mark.parametrize("known", ["uri", "date-time", "email"])
def test_what_is_sent_in_a_custom_format_proves_nothing(known: str) -> None:
    """That a judge who does not know a format takes any text for one is no proof that anybody sends it."""
    plain, custom = {**STRING, "format": known}, {**STRING, "format": "our-own"}
    for found in (response_changes(plain, custom, prove=True), request_changes(custom, plain, prove=True)):
        (change,) = found
        assert (change.confidence, change.severity) == (Confidence.POSSIBLE, Severity.WARNING)
        assert change.witness is None
        assert change.unproved == "what the format `our-own` accepts, no document says"
    (change,) = request_changes({**custom, "maxLength": 9}, {**plain, "maxLength": 5}, prove=True)[1:]
    assert (change.rule, change.confidence) == ("max-length-changed", Confidence.PROVED)


@pytest.mark.parametrize(
    ("silent", "spoken", "kind"),
    [
        ({"properties": {"a": STRING}}, {"type": "object", "properties": {"a": STRING}}, "object"),
        ({"items": STRING}, {"type": "array", "items": STRING}, "array"),
        ({"maxLength": 3}, {"type": "string", "maxLength": 3}, "string"),
    ],
)
def test_a_type_that_was_never_written_did_not_change_into_itself(silent: Any, spoken: Any, kind: str) -> None:
    """One side says its type and the other does not: the words say so."""
    (now,), (no_longer,) = request_changes(silent, spoken), response_changes(spoken, silent)
    assert now.message.endswith(f" now says its type, {kind}")
    assert no_longer.message.endswith(f" no longer says its type, {kind}")
    assert {now.severity, no_longer.severity} == {Severity.WARNING}


def test_a_pattern_of_one_line_refuses_several() -> None:
    """``^.*$`` is no pattern that takes anything: no point stands for a line's end."""
    (change,) = request_changes(STRING, {**STRING, "pattern": "^.*$"}, prove=True)
    assert change.severity is Severity.BREAKING
    assert change.witness is not None
    assert change.witness.value == "\n"
    assert request_changes(STRING, {**STRING, "pattern": "^[^]*$"}) == []
    assert request_changes(STRING, {**STRING, "pattern": ".*"}) == []


def test_fingerprints_name_the_change_and_not_its_spelling() -> None:
    """Reformatting and unrelated edits keep a fingerprint; another value makes another one."""
    (first,) = request_changes({"enum": ["a", "b"]}, {"enum": ["a"]})
    (second,) = request_changes({"enum": ["b", "a"], "description": "x"}, {"allOf": [{"const": "a"}]})
    (third,) = request_changes({"enum": ["a", "c"]}, {"enum": ["a"]})
    assert first.fingerprint == second.fingerprint != third.fingerprint
    assert len(first.fingerprint) == 12


def test_what_another_closed_part_refuses_is_no_property() -> None:
    """Each part of an ``allOf`` is closed by itself, so no key of one of them passes all: renaming it changes no message."""

    def parts(name: str) -> dict[str, Any]:
        mine = {"type": "object", "properties": {name: {"type": "string"}}, "additionalProperties": False}
        other = {"type": "object", "properties": {"id": {"type": "string"}}, "additionalProperties": False}
        return {"allOf": [mine, other]}

    for changes in (request_changes, response_changes):
        assert changes(parts("pan"), parts("tilt"), prove=True) == []
        open_mine = {"allOf": [parts("pan")["allOf"][0]]}
        assert changes(open_mine, {"allOf": [parts("tilt")["allOf"][0]]}) != []


def test_a_condition_said_twice_asks_for_no_more() -> None:
    """Conditions are a set: only what one side has alone is told."""
    one = {"if": {"required": ["a"]}, "then": {"required": ["b"]}}
    same = {"allOf": [{"if": {"required": ["a"]}, "then": {"required": ["b"]}}]}
    other = {"if": {"required": ["b"]}, "then": {"required": ["c"]}}

    def asking(*conditions: Any) -> dict[str, Any]:
        return {"type": "object", "properties": dict.fromkeys("abc", STRING), "allOf": list(conditions)}

    for base, head in ((asking(one, same), asking(one)), (asking(one, other), asking(other, same))):
        assert request_changes(base, head) == request_changes(head, base) == []
    (found,) = request_changes(asking(one), asking(same, other))
    assert (found.rule, found.severity) == ("condition-changed", Severity.BREAKING)
    (found,) = request_changes(asking(one, other), asking(same))
    assert (found.rule, found.severity) == ("condition-changed", Severity.INFO)


def test_another_change_deeper_down_proves_nothing_of_a_type_that_was_never_written() -> None:
    """The message is refused for what lies in it, which is told by itself."""
    base = {"properties": {"a": STRING, "b": {"type": "array", "items": {"enum": ["x", "y"]}}}}
    head = {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "array", "items": {"enum": ["x"]}}},
    }
    verdicts = {each.field: each.severity for each in request_changes(base, head, prove=True)}
    assert verdicts == {"": Severity.WARNING, "a": Severity.BREAKING, "b[]": Severity.BREAKING}
    (outer, inner) = request_changes(
        {"items": {"enum": ["x", "y"]}}, {"type": "array", "items": {"enum": ["x"]}}, prove=True
    )
    assert (outer.severity, inner.severity) == (Severity.WARNING, Severity.BREAKING)


def test_another_object_that_was_closed_proves_nothing_of_the_one_around_it() -> None:
    """Of the outer one it is not known whether other keys are sent; the inner one refuses a key that is."""

    def closed(*names: str) -> dict[str, Any]:
        inner = {"type": "object", "properties": dict.fromkeys(names, STRING)}
        outer = {"type": "object", "properties": {"x": inner}}
        return outer if len(names) > 1 else outer | {
            "properties": {"x": inner | {"additionalProperties": False}}, "additionalProperties": False,
        }  # fmt: skip

    found = request_changes(closed("p", "q"), closed("p"), prove=True)
    verdicts = {(each.rule, each.field): each.severity for each in found}
    assert verdicts[("additional-properties-changed", "")] is Severity.WARNING
    assert verdicts[("property-removed", "x.q")] is Severity.BREAKING

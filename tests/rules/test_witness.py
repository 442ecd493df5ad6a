"""Witnesses: every break is shown by one small message, laid where the finding is and judged by somebody else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from guardian.model import Change, Confidence, Direction, Severity, Witness
from guardian.rules import witness as module
from guardian.rules.judge import Judge
from guardian.rules.rewrite import Role
from tests.rules.schemas import request, request_changes, response, response_changes
from tests.rules.sides import api, changes
from tests.truth.verdict import side

STRING = {"type": "string"}
INTEGER = {"type": "integer"}


def proof(found: list[Change], rule: str) -> Witness:
    """The witness of the one breaking or warning finding of a rule."""
    change = next(each for each in found if each.rule == rule and each.severity.rank >= Severity.WARNING.rank)
    assert change.witness is not None, change.unproved
    assert change.confidence is Confidence.PROVED
    return change.witness


def thing(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


@pytest.mark.parametrize(
    ("base", "head", "rule", "value"),
    [
        (STRING, {"type": "string", "enum": ["a"]}, "enum-value-removed", None),
        (
            {"type": "string", "enum": ["low", "high"]},
            {"type": "string", "enum": ["high"]},
            "enum-value-removed",
            "low",
        ),
        (STRING, {"type": "string", "minLength": 1}, "min-length-changed", ""),
        (STRING, {"type": "string", "maxLength": 3}, "max-length-changed", "aaaa"),
        (INTEGER, {"type": "integer", "maximum": 10}, "maximum-changed", 11),
        ({"type": "number", "minimum": 0}, {"type": "number", "exclusiveMinimum": 0}, "minimum-changed", 0),
        (INTEGER, {"type": "integer", "multipleOf": 5}, "multiple-of-changed", None),
        ({"type": "string", "pattern": "^[a-c]+$"}, {"type": "string", "pattern": "^[a-b]+$"}, "pattern-changed", "c"),
        ({"type": ["string", "null"]}, STRING, "nullability-changed", None),
        (
            {"type": "array", "items": STRING},
            {"type": "array", "items": STRING, "uniqueItems": True},
            "unique-items-changed",
            ["a", "a"],
        ),
        (thing(a=STRING), {**thing(a=STRING), "required": ["a"]}, "property-became-required", {}),
        (
            {**thing(a=STRING, b=STRING), "additionalProperties": False},
            {**thing(a=STRING), "additionalProperties": False},
            "property-removed",
            {"b": "a"},
        ),
    ],
)
def test_requests(base: Any, head: Any, rule: str, value: Any) -> None:
    """In a request: base accepted it, head refuses it."""
    shown = proof(request_changes(base, head, prove=True), rule)
    assert (shown.accepted_by_base, shown.accepted_by_head) == (True, False)
    assert shown.explanation == "this request worked on base, is refused on head"
    if value is not None:
        assert shown.value == value
    assert Judge(side(base, {}, "3.1.0"), Direction.REQUEST, Role.SENDER).accepts(shown.value)
    assert not Judge(side(head, {}, "3.1.0"), Direction.REQUEST, Role.RECEIVER).accepts(shown.value)


def test_responses() -> None:
    """In a response: head may send it, a reader made for base cannot use it."""
    shown = proof(response_changes(STRING, {"type": ["string", "null"]}, prove=True), "nullability-changed")
    assert (shown.value, shown.accepted_by_base, shown.accepted_by_head) == (None, False, True)
    added = proof(response_changes({"enum": ["a"]}, {"enum": ["a", "b"]}, prove=True), "enum-value-added")
    assert added.value == "b"


def test_lost_guarantees() -> None:
    """A property that head no longer sends: the smallest response without it, though base formally accepts that."""
    base, head = thing(id=STRING, email=STRING), thing(id=STRING)
    shown = proof(response_changes(base, head, prove=True), "property-removed")
    assert shown.value == {}
    assert (shown.accepted_by_base, shown.accepted_by_head) == (False, True)
    assert shown.explanation == "head may send this response, and a reader of `email` finds nothing in it"
    nested = proof(
        response_changes(
            thing(user={"type": "array", "items": base}), thing(user={"type": "array", "items": head}), prove=True
        ),
        "property-removed",
    )
    assert nested.value == {"user": [{}]}
    hidden = thing(id=STRING, email={"type": "string", "writeOnly": True})
    assert proof(response_changes(base, hidden, prove=True), "property-visibility-changed").value == {}


@pytest.mark.parametrize(
    ("around", "value"),
    [
        (lambda it: thing(a=it), {"a": "aaa"}),
        (lambda it: {**thing(a=thing(b=it), c=STRING), "required": ["c"]}, {"a": {"b": "aaa"}, "c": "a"}),
        (lambda it: {"type": "array", "items": it, "minItems": 2}, ["aaa", "a"]),
        (lambda it: {"type": "array", "items": it, "minItems": 2, "uniqueItems": True}, ["aaa", "a"]),
        (lambda it: {"type": "array", "prefixItems": [INTEGER, it]}, [1, "aaa"]),
        (lambda it: {"type": "object", "additionalProperties": it}, {"key": "aaa"}),
        (lambda it: {"type": "object", "patternProperties": {"^x-[a-z]+$": it}}, {"x-a": "aaa"}),
        (lambda it: {"anyOf": [{"type": "null"}, {**thing(k=it), "required": ["k"]}]}, {"k": "aaa"}),
        (lambda it: {"allOf": [thing(a=INTEGER), {**thing(b=it), "required": ["a"]}]}, {"b": "aaa", "a": 1}),
        (lambda it: {**thing(a=it, b=STRING), "dependentRequired": {"a": ["b"]}}, {"a": "aaa", "b": "a"}),
        (
            lambda it: {**thing(a=it, b=STRING), "if": {"required": ["a"]}, "then": {"required": ["b"]}},
            {"a": "aaa", "b": "a"},
        ),
        (lambda it: {**thing(a=STRING, b=it), "dependentSchemas": {"a": thing(b=it)}}, None),
    ],
)
def test_messages_around_the_difference(around: Any, value: Any) -> None:
    """The value lies where the path leads, in a smallest whole message."""
    base, head = STRING, {"type": "string", "maxLength": 2}
    shown = proof(request_changes(around(base), around(head), prove=True), "max-length-changed")
    if value is not None:
        assert {str(shown.value)} <= {
            str(value),
            str(dict(reversed(value.items())) if isinstance(value, dict) else value),
        }


def test_recursive_schemas() -> None:
    """A difference inside a recursive schema is shown at its first place."""
    reference = {"$ref": "#/components/schemas/Node"}

    def node(value: Any) -> dict[str, Any]:
        return {**thing(v=value, next={"anyOf": [reference, {"type": "null"}]}), "required": ["v", "next"]}

    from guardian.rules.compare import compare

    found = compare(
        request(reference, {"Node": node(INTEGER)}),
        request(reference, {"Node": node({"type": "integer", "minimum": 5})}),
    )
    value = proof(found, "minimum-changed").value
    assert value["next"] is None
    assert value["v"] < 5


PARAMETER = "/things/{{id}}: {{get: {{parameters: [{{name: id, in: path, required: true, schema: {{type: string}}}}, {}], responses: {{}}}}}}"


@pytest.mark.parametrize(
    ("base", "head", "rule", "text"),
    [
        ("{in: query, name: state, schema: {enum: [open, shut]}}", "{in: query, name: state, schema: {enum: [open]}}",
         "enum-value-removed", "state=shut"),
        ("{in: query, name: ids, schema: {type: array, items: {type: integer}}}",
         "{in: query, name: ids, schema: {type: array, items: {type: integer}, maxItems: 1}}", "max-items-changed", "ids=1&ids=1"),
        ("{in: query, name: ids, explode: false, schema: {type: array, items: {type: integer}}}",
         "{in: query, name: ids, explode: false, schema: {type: array, items: {type: integer}, maxItems: 1}}",
         "max-items-changed", "ids=1,1"),
        ("{in: header, name: X-Level, schema: {type: integer}}", "{in: header, name: X-Level, schema: {type: integer, maximum: 3}}",
         "maximum-changed", "4"),
        ("{in: query, name: q, schema: {type: string}}", "{in: query, name: q, schema: {type: boolean}}", "type-changed", "q=a"),
    ],
)  # fmt: skip
def test_parameters_as_they_stand_in_the_url(base: str, head: str, rule: str, text: str) -> None:
    """The witness of a parameter is its text, which no reading of it saves."""
    found = changes(api(PARAMETER.format(base)), api(PARAMETER.format(head)))
    assert proof(found, rule).value == text


FORM = "/forms: {{post: {{requestBody: {{required: true, content: {{application/x-www-form-urlencoded: {{schema: {}}}}}}}, responses: {{}}}}}}"


def form(**fields: Any) -> str:
    required = [name for name in fields if not name.endswith("_")]
    fields = {name.removesuffix("_"): each for name, each in fields.items()}
    return FORM.format(json.dumps({"type": "object", "required": required, "properties": fields}))


TEXTS = {"type": "array", "items": STRING}


@pytest.mark.parametrize(
    ("base", "head", "rule", "text"),
    [
        (form(t={"enum": ["a", "b"]}, many=TEXTS), form(t={"enum": ["b"]}, many=TEXTS), "enum-value-removed", "t=a&many=a"),
        (form(t={"enum": ["a", "b"]}, many_=TEXTS), form(t={"enum": ["b"]}, many_=TEXTS), "enum-value-removed", "t=a"),
        (form(many=TEXTS), form(many=TEXTS | {"minItems": 2}), "min-items-changed", "many=a"),
    ],
)  # fmt: skip
def test_forms_as_they_travel(base: str, head: str, rule: str, text: str) -> None:
    """A field whose value writes nothing is not there: a witness of a form has what base requires on the wire."""
    assert proof(changes(api(base), api(head)), rule).value == text


def test_one_reading_is_enough() -> None:
    """On the wire 5 is a string too: a parameter that becomes a free string refuses nothing."""
    one = "{in: query, name: q, schema: {type: integer}}"
    other = "{in: query, name: q, schema: {type: string}}"
    assert all(
        change.severity is Severity.INFO for change in changes(api(PARAMETER.format(one)), api(PARAMETER.format(other)))
    )


def test_one_item_looks_like_a_scalar() -> None:
    """A parameter that may now be repeated takes what was sent; one that may no longer be refuses two."""
    one = "{in: query, name: q, schema: {type: string}}"
    many = "{in: query, name: q, schema: {type: array, items: {type: string}}}"
    assert all(
        change.severity is Severity.INFO for change in changes(api(PARAMETER.format(one)), api(PARAMETER.format(many)))
    )
    found = changes(api(PARAMETER.format(many)), api(PARAMETER.format(one)))
    assert "&" in proof(found, "type-changed").value


def test_what_cannot_be_decided_is_decided_by_a_witness_about_it() -> None:
    """Patterns beyond regular languages: a text that the validator tells apart is a proof; without one, a reason."""
    base, head = {"type": "string"}, {"type": "string", "pattern": "^(?:(?!x).)*$"}
    (change,) = request_changes(base, head, prove=True)
    assert change.rule == "pattern-changed"
    changed = {"type": "string", "format": "sku-of-ours"}
    (change,) = request_changes(base, changed, prove=True)
    assert (change.confidence, change.severity, change.witness) == (Confidence.POSSIBLE, Severity.WARNING, None)
    assert change.unproved is not None
    assert "sku-of-ours" in change.unproved


def test_another_change_beside_is_no_proof() -> None:
    """A finding that the documents cannot decide is not proved by a value that fails for another reason."""
    base = {"type": "string"}
    head = {"type": "string", "maxLength": 1, "format": "sku-of-ours"}
    found = {change.rule: change for change in request_changes(base, head, prove=True)}
    assert found["max-length-changed"].witness is not None
    assert found["format-changed"].witness is None


def test_patterns_that_nobody_can_read() -> None:
    """No witness where the validator cannot read the schema, and the finding stays."""
    base, head = (
        thing(a={"type": "string", "pattern": "["}),
        {**thing(a={"type": "string", "pattern": "["}), "required": ["a"]},
    )
    (change,) = request_changes(base, head, prove=True)
    assert change.severity is Severity.BREAKING
    assert change.witness is not None  # without `a` nobody has to read it
    (change,) = request_changes(
        head, {**head, "properties": {"a": {"type": "string", "pattern": "[", "maxLength": 2}}}, prove=True
    )
    assert change.witness is None
    assert change.unproved == "the validator cannot read the pattern `[`"


def test_harmless_changes_need_no_witness() -> None:
    for change in [
        *request_changes({"type": "string", "maxLength": 2}, STRING, prove=True),
        *response_changes(STRING, {"enum": ["a"]}, prove=True),
    ]:
        assert change.severity is Severity.INFO
        assert change.witness is None


def test_cost_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many values there are to try, a finding costs no more questions than the constants say."""
    asked = 0
    accepts = Judge.accepts

    def counted(self: Judge, value: Any, needs: Any = True) -> bool:
        nonlocal asked
        asked += 1
        return accepts(self, value, needs)

    monkeypatch.setattr(Judge, "accepts", counted)
    wide = thing(**{f"p{number}": {"type": ["string", "integer", "null", "boolean"]} for number in range(300)})
    head = {**wide, "not": {"required": ["p0", "p299", "p7", "p9"]}}
    found = request_changes(wide, head, prove=True)
    assert found
    assert asked <= 2 * (module.MAX_TRIED + module.MAX_LOCAL * module.MAX_MESSAGES) * len(found)


def test_the_same_every_time() -> None:
    base = thing(a={"enum": ["x", "y", "z"]}, b={"type": "array", "items": INTEGER})
    head = thing(a={"enum": ["z"]}, b={"type": "array", "items": {"type": "integer", "minimum": 3}, "minItems": 1})
    assert request_changes(base, head, prove=True) == request_changes(base, head, prove=True)


def test_responses_of_whole_apis() -> None:
    """Through compare, with components: the head response that its reader cannot use."""
    from guardian.rules.compare import compare

    base = {**thing(id=STRING, owner={"$ref": "#/components/schemas/Owner"}), "required": ["id", "owner"]}
    owner = {**thing(name=STRING, mail=STRING), "required": ["name", "mail"]}
    less = {**thing(name=STRING), "required": ["name"]}
    found = compare(response(base, {"Owner": owner}), response(base, {"Owner": less}))
    assert proof(found, "property-removed").value == {"id": "a", "owner": {"name": "a"}}


def test_operations_that_say_the_same_are_shown_the_same_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found out for one operation holds for others with the same words, inline or by a reference, and no others."""
    shown: list[str] = []
    show = module.Prover._show

    def counted(self: module.Prover, found: Any) -> Any:
        shown.append(found.root.place)
        return show(self, found)

    monkeypatch.setattr(module.Prover, "_show", counted)

    def side_of(name: Any) -> dict[str, Any]:
        def operation(schema: Any) -> dict[str, Any]:
            content = {"application/json": {"schema": schema}}
            return {"post": {"requestBody": {"content": content}, "responses": {"200": {"description": "ok"}}}}

        listed = {"type": "array", "items": {"$ref": "#/components/schemas/User"}}
        paths = {"/a": operation(listed), "/b": operation(dict(listed)), "/c": operation({**listed, "minItems": 1})}
        return api(json.dumps(paths), components={"schemas": {"User": thing(name=name)}})

    found = changes(side_of(STRING), side_of({**STRING, "maxLength": 2}))
    values = [each.witness.value for each in found if each.rule == "max-length-changed" and each.witness]
    assert values == [[{"name": "aaa"}]] * 3
    assert len(shown) == 2


def test_a_search_that_heeds_the_discriminator_decides_for_no_other() -> None:
    """Below a discriminator no value was found; the same schema elsewhere, looked at later, has one."""

    def side_of(kind: str) -> dict[str, Any]:
        def operation(schema: Any) -> dict[str, Any]:
            content = {"application/json": {"schema": schema}}
            return {"post": {"requestBody": {"content": content}, "responses": {"200": {"description": "ok"}}}}

        pet = {"$ref": "#/components/schemas/Pet"}
        schemas = {
            "Pet": {"discriminator": {"propertyName": "kind", "mapping": {"pet": pet["$ref"]}}},
            "Dog": {"allOf": [pet, {"type": kind}]},
        }
        paths = {"/a": operation(pet), "/b": operation({"items": {"$ref": "#/components/schemas/Dog"}})}
        return api(json.dumps(paths), components={"schemas": schemas})

    found = changes(side_of("object"), side_of("array"))
    (told,) = [each for each in found if each.rule == "type-changed" and each.operation == "POST /b"]
    assert told.witness is not None
    assert told.witness.value == [{}]


@pytest.mark.parametrize("name", ["[]", "*", "", "a"])
def test_a_property_of_any_name_is_a_property(name: str) -> None:
    """Also where its name is what a path writes for items or for the values of a map."""
    base, head = thing(**{name: STRING}), thing(**{name: {"type": "string", "maxLength": 2}})
    assert proof(request_changes(base, head, prove=True), "max-length-changed").value == {name: "aaa"}


@pytest.mark.parametrize(
    ("items", "text", "shown"),
    [
        ({"maxLength": 8}, {"maxLength": 8}, "aaaaaaaa,aaaaaaaa"),
        ({"minLength": 2, "maxLength": 8}, {"minLength": 2, "maxLength": 20}, "aaaaaaaa,aaaaaaaa,aaaaaaaa"),
        ({}, {"minLength": 1}, ""),
        ({"enum": ["a", "b"]}, {"maxLength": 3}, "a,a,a"),
        ({"enum": ["a", "b"]}, {"minLength": 2}, "a"),
    ],
)
def test_a_list_is_shown_to_be_no_text_of_its_length(items: Any, text: Any, shown: str) -> None:
    """Where a list is one value in a URL, a string takes it, unless it is too long or too short for that."""

    def listing(schema: Any) -> dict[str, Any]:
        parameter = {"in": "query", "name": "ids", "explode": False, "schema": schema}
        return api(json.dumps({"/a": {"get": {"parameters": [parameter], "responses": {}}}}))

    base = listing({"type": "array", "minItems": 1, "items": {"type": "string", **items}})
    found = changes(base, listing({"type": "string", **text}))
    assert proof(found, "type-changed").value == f"ids={shown}"


def test_below_what_is_only_guessed_nothing_is_certain() -> None:
    """Head never says that it sends lists: that no message with one could be built is no fault of the search."""
    base = {"type": "array", "items": {**thing(a=STRING), "required": ["a"]}}
    found = response_changes(base, {"properties": {"a": STRING}}, prove=True)
    below = [each for each in found if each.field.startswith("[]") and each.severity is not Severity.INFO]
    assert below
    assert {(each.severity, each.confidence) for each in below} == {(Severity.WARNING, Confidence.POSSIBLE)}
    assert Severity.BREAKING in {each.severity for each in found if not each.field}

"""The judge: every dialect read as it is meant, and the conventions of messages kept."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from guardian.errors import RefError
from guardian.model import Direction
from guardian.rules.judge import MAX_DEPTH, Judge, Judges, Objection
from guardian.rules.rewrite import Role
from guardian.rules.validator import Unjudgeable, compiled
from guardian.spec.api import Schema
from guardian.spec.document import Document
from guardian.spec.refs import Documents
from guardian.spec.trees import MemoryTree

STRING = {"type": "string"}


def schema(value: Any, version: str = "3.1", **components: Any) -> Schema:
    pointer = "/definitions" if version == "2.0" else "/components/schemas"
    kinds = {**components, "Root": value}
    root = {"definitions": kinds} if version == "2.0" else {"components": {"schemas": kinds}}
    documents = Documents(MemoryTree({}))
    document = Document(documents, uri="a", address="a", file="a", root=root, dialect=version, data=b"")
    return Schema((document.node(f"{pointer}/Root"),))


def accepts(
    value: Any,
    written: Any,
    *,
    version: str = "3.1",
    direction: str = "request",
    role: str = "RECEIVER",
    **components: Any,
) -> bool:
    return Judge(schema(written, version, **components), Direction(direction), Role[role]).accepts(value)


@pytest.mark.parametrize(
    ("written", "version", "good", "bad"),
    [
        ({"type": "string", "nullable": True}, "3.0", [None, "a"], [1]),
        ({"type": "string", "nullable": True}, "3.1", ["a"], [None]),
        ({"type": "string", "nullable": True, "enum": ["a"]}, "3.0", [None, "a"], ["b"]),
        ({"nullable": True, "allOf": [STRING]}, "3.0", [None, "a"], [1]),
        ({"type": "string", "x-nullable": True}, "2.0", [None], [1]),
        ({"type": "integer", "minimum": 1, "exclusiveMinimum": True}, "3.0", [2], [1]),
        ({"type": "integer", "exclusiveMaximum": 3}, "3.1", [2], [3]),
        ({"type": "file"}, "2.0", ["a"], [1]),
        ({"const": 1}, "3.1", [1, 1.0], [2]),
        ({"type": ["string", "null"]}, "3.1", [None, ""], [0]),
        ({"type": "integer", "format": "int32"}, "3.0", [2**31 - 1], [2**31]),
        ({"type": "integer", "format": "int64"}, "3.0", [2**63 - 1], [2**63]),
        ({"type": "string", "format": "int64"}, "3.0", ["12"], ["a"]),
        ({"type": "string", "format": "byte"}, "3.0", ["YQ=="], ["?"]),
        ({"type": "string", "format": "date"}, "3.0", ["2020-01-31"], ["2020-02-31"]),
        ({"type": "string", "format": "http-date"}, "3.1", ["Fri, 31 Jan 2020 00:00:00 GMT"], ["today"]),
        ({"type": "string", "format": "time-local"}, "3.1", ["10:00:00"], ["10:00:00Z"]),
        ({"type": "string", "format": "email"}, "3.1", ["a@b.example"], ["A <a@b.example>"]),
        ({"type": "string", "format": "something-of-ours"}, "3.1", ["?"], [1]),
        ({"type": "array", "items": [STRING, {"type": "integer"}]}, "3.0", [["a", 1]], [["a", "b"]]),
        ({"type": "array", "items": [STRING], "additionalItems": False}, "2.0", [["a"]], [["a", "b"]]),
        ({"type": "array", "prefixItems": [STRING], "items": False}, "3.1", [["a"]], [["a", "b"]]),
        ({"type": "object", "required": True, "properties": {"a": STRING}}, "2.0", [{}], [{"a": 1}]),
        ({"dependencies": {"a": ["b"]}}, "3.0", [{"b": 1}], [{"a": 1}]),
        ({"type": "string", "pattern": "^[\\w-.]+$"}, "3.1", ["a-b.c"], ["a b"]),
        ({"type": "string", "pattern": "^a\\/b$"}, "3.1", ["a/b"], ["a"]),
        ({"type": "number", "multipleOf": 0.01}, "3.1", [19.99], [0.001]),
        ({"$ref": "#/components/schemas/Name", "maxLength": 1}, "3.1", ["a"], ["ab", 1]),
        ({"$ref": "#/components/schemas/Name", "maxLength": 1}, "3.0", ["a", "ab"], [1]),
        ({"oneOf": [STRING, {"type": "string", "maxLength": 3}]}, "3.1", ["a", "abcd"], [1]),
        ({"if": {"required": ["a"]}, "then": {"required": ["b"]}}, "3.1", [{"b": 1}, {"a": 1, "b": 1}], [{"a": 1}]),
        ({"not": {"required": ["a"]}}, "3.1", [{"b": 1}], [{"a": 1}]),
        ({"unevaluatedProperties": False, "allOf": [{"properties": {"a": STRING}}]}, "3.1", [{"a": "b"}], [{"b": "a"}]),
        (True, "3.1", [1], []),
        (False, "3.1", [], [1]),
    ],
)
def test_dialects(written: Any, version: str, good: list[Any], bad: list[Any]) -> None:
    """Keywords mean what their dialect says, and what practice made of them."""
    for value in good:
        assert accepts(value, written, version=version, Name=STRING), value
    for value in bad:
        assert not accepts(value, written, version=version, Name=STRING), value


def test_a_sender_sends_no_undeclared_key() -> None:
    """Also where the schema would allow it; required is declared, a map declares all its keys, nothing is free-form."""
    thing = {"type": "object", "properties": {"a": STRING}}
    assert accepts({"b": 1}, thing)
    assert not accepts({"b": 1}, thing, role="SENDER")
    assert not accepts({"b": 1}, {**thing, "additionalProperties": True}, role="SENDER")
    assert accepts({"b": 1}, {**thing, "required": ["b"]}, role="SENDER")
    assert accepts({"b": "c"}, {**thing, "additionalProperties": STRING}, role="SENDER")
    assert accepts({"b": 1}, {"type": "object"}, role="SENDER")
    assert not accepts({"x": {"b": 1}}, {"type": "object", "properties": {"x": thing}}, role="SENDER")
    parts = {"allOf": [thing, {"type": "object", "properties": {"b": STRING}}]}
    assert accepts({"a": "a", "b": "b"}, parts, role="SENDER")
    assert not accepts({"a": "a", "c": "c"}, parts, role="SENDER")


def test_a_reader_ignores_keys_it_does_not_know() -> None:
    """A closed response is no promise that a reader leans on; a closed request refuses."""
    closed = {"type": "object", "properties": {"a": STRING}, "additionalProperties": False}
    assert accepts({"b": 1}, closed, direction="response")
    assert not accepts({"b": 1}, closed, direction="request")
    assert not accepts({"a": 1}, closed, direction="response")


def test_a_sender_means_the_type_that_its_keywords_speak_of() -> None:
    """An untyped schema with properties accepts a string formally, but nobody sends one."""
    thing = {"properties": {"a": STRING}}
    assert accepts("a", thing)
    assert not accepts("a", thing, role="SENDER")
    assert accepts({"a": "b"}, thing, role="SENDER")


@pytest.mark.parametrize("version", ["2.0", "3.0", "3.1"])
def test_read_only_and_write_only(version: str) -> None:
    """A request does not carry what is readOnly: nobody sends it, nobody asks for it. Responses and writeOnly alike."""
    where = "definitions" if version == "2.0" else "components/schemas"
    for direction, flag in (("request", "readOnly"), ("response", "writeOnly")):
        thing = {
            "type": "object",
            "required": ["id", "name"],
            "properties": {"id": {**STRING, flag: True}, "name": STRING},
        }
        split = {"allOf": [{"required": ["id", "name"]}, {"$ref": f"#/{where}/Thing"}]}
        for written in (thing, split):
            both = {"id": "1", "name": "a"}
            assert accepts({"name": "a"}, written, version=version, direction=direction, Thing=thing)
            assert accepts(both, written, version=version, direction=direction, Thing=thing)
            assert not accepts(both, written, version=version, direction=direction, role="SENDER", Thing=thing)
            other = "response" if direction == "request" else "request"
            assert not accepts({"name": "a"}, written, version=version, direction=other, Thing=thing)


def test_recursion_ends() -> None:
    """Schemas that refer to themselves below, and in place, are judged; a circle in place says nothing more."""
    node = {
        "type": "object",
        "required": ["v"],
        "properties": {"v": STRING, "next": {"$ref": "#/components/schemas/Node"}},
    }
    reference = {"$ref": "#/components/schemas/Node"}
    assert accepts({"v": "a", "next": {"v": "b"}}, reference, Node=node)
    assert not accepts({"v": "a", "next": {"v": "b", "next": {}}}, reference, Node=node)
    pet = {"type": "object", "oneOf": [{"$ref": "#/components/schemas/Cat"}], "properties": {"kind": STRING}}
    cat = {
        "allOf": [
            {"$ref": "#/components/schemas/Pet"},
            {"required": ["lives"], "properties": {"lives": {"type": "integer"}}},
        ]
    }
    for start in ("Pet", "Cat"):
        reference = {"$ref": f"#/components/schemas/{start}"}
        assert accepts({"kind": "cat", "lives": 9}, reference, Pet=pet, Cat=cat)
        assert not accepts({"kind": 1, "lives": 9}, reference, Pet=pet, Cat=cat)
        assert not accepts({"kind": "cat"}, reference, Pet=pet, Cat=cat)
    loop = {"$ref": "#/components/schemas/Loop"}
    assert accepts(1, loop, Loop={"allOf": [loop]})


def test_discriminators_count_where_they_are_asked_about() -> None:
    """JSON Schema does not know them; asked with tags, a value must be a known one and select what fits."""
    cat = {"type": "object", "required": ["kind"], "properties": {"kind": STRING, "lives": {"type": "integer"}}}
    dog = {"type": "object", "required": ["kind", "bark"], "properties": {"kind": STRING, "bark": STRING}}
    pet = {
        "oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
        "discriminator": {"propertyName": "kind", "mapping": {"meow": "#/components/schemas/Cat"}},
    }
    plain = Judge(schema(pet, Cat=cat, Dog=dog), Direction.REQUEST, Role.RECEIVER)
    tagged = Judge(schema(pet, Cat=cat, Dog=dog), Direction.REQUEST, Role.RECEIVER, tags=True)
    assert plain.accepts({"kind": "Cat"})
    assert not tagged.accepts({"kind": "Cat"})
    assert tagged.accepts({"kind": "meow"})
    assert not tagged.accepts({"kind": "Dog"})
    assert tagged.accepts({"kind": "Dog", "bark": "!"})


def test_what_a_reader_needs() -> None:
    """A further schema is judged beside the side's own."""
    judge = Judge(schema({"type": "object"}), Direction.RESPONSE, Role.RECEIVER)
    assert judge.accepts({})
    assert not judge.accepts({}, {"required": ["email"]})


def test_only_what_the_value_reaches_is_read() -> None:
    """A broken reference behind a property that the value does not have is no concern."""
    thing = {"type": "object", "properties": {"a": STRING, "b": {"$ref": "#/components/schemas/Nowhere"}}}
    assert accepts({"a": "b"}, thing)


def test_unreadable_patterns_are_told() -> None:
    with pytest.raises(Unjudgeable, match=r"pattern `\[`"):
        accepts("a", {"type": "string", "pattern": "["})


def test_judges_are_remembered() -> None:
    judges, written = Judges(), schema(STRING)
    first = judges.judge(written, Direction.REQUEST, Role.SENDER)
    assert judges.judge(written, Direction.REQUEST, Role.SENDER) is first
    assert judges.judge(written, Direction.RESPONSE, Role.SENDER) is not first


def test_the_validator_is_loaded_on_need() -> None:
    """Importing the rules costs no validator: a comparison without findings never loads it."""
    code = "import sys, guardian.rules.compare; sys.exit('jsonschema_rs' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_what_stands_below_has_its_own_judge() -> None:
    """It says of a place below what a judge of the whole would: as a message there, and by the letter in conditions."""
    thing = {"type": "object", "properties": {"a": STRING}, "required": ["a"]}
    good, bad, extra = {"a": ""}, {"a": 1}, {"a": "", "b": ""}
    for written in (thing, {"$ref": "#/components/schemas/Thing"}, {"anyOf": [thing, {"type": "null"}]}):
        for around in ("properties", "patternProperties", "additionalProperties", "items"):
            whole = {around: {"x": written} if around in ("properties", "patternProperties") else written}

            def laid(value: Any, around: str = around) -> Any:
                return [value] if around == "items" else {"x": value}

            for role in ("SENDER", "RECEIVER"):
                assert accepts(laid(good), whole, role=role, Thing=thing)
                assert not accepts(laid(bad), whole, role=role, Thing=thing)
                assert accepts(laid(extra), whole, role=role, Thing=thing) is (role == "RECEIVER")
                assert not accepts(laid(good), {"not": whole}, role=role, Thing=thing)
                assert accepts(laid(bad), {"not": whole}, role=role, Thing=thing)
                assert not accepts(laid(extra), {"not": whole}, role=role, Thing=thing)


def test_names_of_keys_have_a_judge_too() -> None:
    """A property name is a value like any other."""
    written = {"propertyNames": {"$ref": "#/components/schemas/Name"}}
    judge = Judge(schema(written, Name={"anyOf": [{"const": "a"}, {"const": "b"}]}), Direction.REQUEST, Role.RECEIVER)
    assert judge.accepts({"a": 1, "b": 2})
    assert not judge.accepts({"c": 1})
    (objection,) = judge.objections({"c": 1})
    assert {"propertyNames", "anyOf"} <= objection.keywords
    assert not objection.below


def test_objections_tell_a_value_from_what_lies_in_it() -> None:
    """Each names the keywords on the way to what is refused, as far as they are about the value itself, and is told once."""
    user = {"type": "object", "properties": {"names": {"type": "array", "items": {"maxLength": 1}}, "id": STRING}}
    judge = Judge(schema(thing_with(user)), Direction.REQUEST, Role.RECEIVER)
    (below,) = judge.objections({"user": {"names": ["a", "bb"], "id": 1}})
    assert below == Objection(frozenset({"properties"}), True)
    (itself,) = judge.objections(1)
    assert itself == Objection(frozenset({"type"}), False)
    closed = Judge(schema({"allOf": [{"additionalProperties": False}, user]}), Direction.REQUEST, Role.RECEIVER)
    found = closed.objections({"a": 1, "names": 2})
    assert {("additionalProperties" in each.keywords, each.below) for each in found} == {(True, False), (False, True)}
    assert judge.objections({"user": {}}) == []


def thing_with(user: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"user": user}}


@pytest.mark.parametrize("role", ["SENDER", "RECEIVER"])
def test_plain_places_are_told_apart_by_what_they_say(role: str) -> None:
    """Places that say the same of scalars are read once; a word more is another schema, as is one in another dialect."""
    places: dict[str, Any] = {
        "text": {"type": "string", "description": "a"},
        "again": {"type": "string", "description": "b", "example": 1},
        "date": {"type": "string", "format": "date"},
        "null": {"type": "string", "nullable": True},
        "short": {"type": "string", "maxLength": 1},
        "free": {"description": "a"},
        "wild": {"type": "string", "format": {}},
    }
    written = {"type": "object", "properties": places}
    refused = {"text": None, "again": None, "date": "yesterday", "short": "aa", "wild": 1}
    for version in ("3.0", "3.1"):
        judge = Judge(schema(written, version), Direction.REQUEST, Role[role])
        for name, value in {**refused, "null": 1}.items():
            assert not judge.accepts({name: value}), name
        assert judge.accepts({"text": "aa", "again": "", "date": "2020-01-31", "short": "a", "free": 1, "wild": ""})
        assert judge.accepts({"null": None}) is (version == "3.0")


def test_a_part_of_many_values_is_asked_about_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the same part nor an equal one is judged again; what is only like it is."""
    asked: list[Any] = []
    accepts_value = Judge.accepts

    def counted(self: Judge, value: Any, needs: Any = True) -> bool:
        asked.append(value)
        return accepts_value(self, value, needs)

    monkeypatch.setattr(Judge, "accepts", counted)
    judge = Judge(schema(thing_with(thing_with(STRING))), Direction.REQUEST, Role.RECEIVER)
    part = {"user": "a"}
    assert all(judge.accepts(value) for value in ({"user": part}, {"user": part, "b": 1}, {"user": dict(part)}))
    assert asked.count(part) == 1
    assert not judge.accepts({"user": {"user": 1}})
    assert judge.accepts({"user": {"user": "1"}})


def test_alternatives_are_made_ready_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """For values of all of them; where one cannot be read, those of the others are judged all the same."""
    made: list[Any] = []

    def counted(written: Any, keywords: Any = None) -> Any:
        made.append(written)
        return compiled(written, keywords)

    monkeypatch.setattr("guardian.rules.judge.compiled", counted)
    alternatives = [thing_with(STRING), {"type": "object", "properties": {"id": STRING}, "required": ["id"]}]
    judge = Judge(schema({"anyOf": alternatives}), Direction.REQUEST, Role.SENDER)
    assert all(judge.accepts(value) for value in ({"user": "a"}, {"id": "a"}, {}))
    assert not judge.accepts({"id": "a", "other": 1})
    assert len(made) == 1
    unreadable = {"type": "object", "properties": {"a": {"type": "string", "pattern": "["}}}
    judge = Judge(schema({"anyOf": [*alternatives, unreadable]}), Direction.REQUEST, Role.SENDER)
    assert judge.accepts({"user": "a"})
    assert judge.accepts({"id": "a"})
    with pytest.raises(Unjudgeable, match=r"pattern `\[`"):
        judge.accepts({"a": "a"})


def test_what_a_reader_needs_is_asked_first() -> None:
    """Without it the value is not accepted, whatever the schema says; with it the schema counts."""
    judge = Judge(schema({"type": "object", "properties": {"a": STRING}}), Direction.RESPONSE, Role.RECEIVER)
    needs = {"required": ["a"]}
    assert judge.accepts({"a": "a"}, needs)
    assert not judge.accepts({"a": 1}, needs)
    assert not judge.accepts({}, needs)
    assert judge.accepts({})
    unreadable = Judge(schema({"type": "object", "pattern": "["}), Direction.RESPONSE, Role.RECEIVER)
    assert not unreadable.accepts({}, needs)
    with pytest.raises(Unjudgeable):
        unreadable.accepts({"a": "a"}, needs)


def test_what_cannot_be_judged_below_is_no_refusal() -> None:
    """A place that cannot be read is told as such wherever it stands, and only when a value gets there."""
    broken = {"type": "object", "properties": {"a": {"type": "string", "pattern": "["}, "b": STRING}}
    for written in (thing_with(broken), {"not": thing_with(broken)}, {"anyOf": [thing_with(broken), {}]}):
        judge = Judge(schema(written), Direction.REQUEST, Role.RECEIVER)
        for _ in range(2):
            with pytest.raises(Unjudgeable, match=r"pattern `\[`"):
                judge.accepts({"user": {"a": "a"}})
            assert judge.accepts({"user": {"b": "b"}}) is ("not" not in written)
    nowhere = Judge(schema(thing_with({"$ref": "#/components/schemas/Nowhere"})), Direction.REQUEST, Role.RECEIVER)
    with pytest.raises(RefError):
        nowhere.accepts({"user": {}})


def test_a_value_too_deep_to_be_judged_is_told() -> None:
    """Judges ask each other down to a limit: what is at it is judged, what is beyond is neither accepted nor refused."""
    node = {"type": "object", "properties": {"next": {"$ref": "#/components/schemas/Node"}}}

    def accepts_at(depth: int, innermost: Any) -> bool:
        value = innermost
        for _ in range(depth):
            value = {"next": value}
        return accepts(value, node, Node=node)

    assert accepts_at(MAX_DEPTH, {})
    assert not accepts_at(MAX_DEPTH, 1)
    for depth in (MAX_DEPTH + 1, 900):
        with pytest.raises(Unjudgeable, match="levels deep"):
            accepts_at(depth, {})


def test_the_same_words_have_the_same_judge() -> None:
    """Wherever they stand on a side; another word, or another document, is another judge."""
    documents = Documents(MemoryTree({}))
    root = {"components": {"schemas": {"A": STRING, "B": dict(STRING), "C": {"type": "integer"}}}}
    one, other = (
        Document(documents, uri=uri, address=uri, file=uri, root=root, dialect="3.1", data=b"") for uri in ("a", "b")
    )
    judges = Judges()

    def judge(document: Document, name: str) -> Judge:
        return judges.judge(Schema((document.node(f"/components/schemas/{name}"),)), Direction.REQUEST, Role.SENDER)

    assert judge(one, "A") is judge(one, "B")
    assert judge(one, "A") is not judge(one, "C")
    assert judge(one, "A") is not judge(other, "A")

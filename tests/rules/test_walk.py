"""The walk over pairs of schemas: what is the same is passed over, and nothing else is."""

from __future__ import annotations

from typing import Any

import pytest

from guardian.errors import RefError, RuleError
from guardian.model import Direction
from guardian.rules import walk
from guardian.rules.pairs import SchemaRoot
from guardian.rules.registry import all_rules
from guardian.rules.walk import Walker
from guardian.spec.api import Schema
from guardian.spec.sameness import Sameness
from tests.rules.sides import api, changes, side, told

OPERATION = (
    "{/a: {get: {responses: {'200': {content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}}}}}}"
)


def answer(a: Any, **schemas: Any) -> dict[str, Any]:
    """An API that answers with the component A."""
    return api(OPERATION, components={"schemas": {"A": a, **schemas}})


def thing(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def walker(base: dict[str, Any], head: dict[str, Any]) -> tuple[Walker, list[walk.Found]]:
    """A walker that has compared both components A, and what it found."""
    one, other = side(base), side(head)
    made = Walker(Sameness(one[0], other[0]).same)
    a, b = (Schema((each[1].document.node("/components/schemas/A"),)) for each in (one, other))
    return made, list(made.walk(SchemaRoot(a, b, Direction.RESPONSE, "response 200")))


@pytest.mark.parametrize(("before", "after"), [(True, 1), (False, 0), ([True], [1])])
def test_equal_in_python_is_not_the_same_in_json(before: Any, after: Any) -> None:
    """``true`` and ``1`` are two values: a property that lists the one is not that which lists the other."""
    base, head = (answer(thing(p={"enum": each if isinstance(each, list) else [each]})) for each in (before, after))
    assert {(rule, field) for rule, field, _ in told(base, head)} == {("type-changed", "p")}


def test_defaults_equal_in_python_differ_in_json() -> None:
    """However little a property says besides."""
    base, head = (answer(thing(p={"type": "string", "default": each}, q={"title": "q"})) for each in (1, True))
    assert [(rule, field) for rule, field, _ in told(base, head)] == [("default-changed", "p")]


def test_a_property_written_the_same_may_lead_to_a_change() -> None:
    """The text of a property decides nothing where it refers to something: what it leads to does."""
    a = thing(
        plain={"$ref": "#/components/schemas/B"},
        listed={"type": "array", "items": {"$ref": "#/components/schemas/B"}},
        other={"$ref": "#/components/schemas/C"},
    )
    base = answer(a, B=thing(x={"type": "string"}), C=thing())
    head = answer(a, B=thing(x={"type": "integer"}), C=thing())
    # B/x is one place: told once, by its shortest way.
    assert [(rule, field) for rule, field, _ in told(base, head)] == [("type-changed", "plain.x")]
    only_listed = {key: each for key, each in a["properties"].items() if key != "plain"}
    base, head = (answer(thing(**only_listed), B=thing(x={"type": each}), C=thing()) for each in ("string", "integer"))
    assert [(rule, field) for rule, field, _ in told(base, head)] == [("type-changed", "listed[].x")]


def test_what_is_written_the_same_is_not_looked_into() -> None:
    """A property whose reference leads to what is the same on both sides is passed over, with all below it."""
    a = {"q": {"$ref": "#/components/schemas/B"}, "r": {"type": "array", "items": {"$ref": "#/components/schemas/B"}}}
    base = answer(thing(**a, p={"type": "string"}), B=thing(x={"type": "string"}))
    head = answer(thing(**a, p={"type": "integer"}), B=thing(x={"type": "string"}))
    made, found = walker(base, head)
    assert [each.rule.id for each in found] == ["type-changed"]
    looked_at = {pointer for side, _, _, _ in made._locals for _, pointer in side}
    assert looked_at
    assert all(pointer.startswith(("/paths", "/components/schemas/A")) for pointer in looked_at)


def test_a_reference_that_leads_nowhere_is_no_sameness() -> None:
    """Written the same, but broken: the error says where it stands."""
    a = {"q": {"type": "array", "items": {"$ref": "#/components/schemas/Gone"}}}
    with pytest.raises(RefError, match=r"at #/components/schemas/A/properties/q/items/\$ref"):
        changes(answer(thing(**a, p={"type": "string"})), answer(thing(**a, p={"type": "integer"})))


def test_two_references_to_one_component_each_say_where_they_stand() -> None:
    """What refers to one component is compared once, and what is said of the reference itself is said of each."""
    nullable: dict[str, Any] = {"oneOf": [{"$ref": "#/components/schemas/B"}, {"type": "null"}]}
    plain = {"$ref": "#/components/schemas/B"}
    b = thing(x={"type": "string"})
    found = changes(answer(thing(p=plain, q=plain), B=b), answer(thing(p=nullable, q=nullable), B=b))
    assert [(each.rule, each.field, each.head and each.head.pointer) for each in found] == [
        ("nullability-changed", "p", "/components/schemas/A/properties/p"),
        ("nullability-changed", "q", "/components/schemas/A/properties/q"),
    ]


def test_a_rule_that_fails_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A failure of a rule ends the comparison with the rule's id; it is never no finding."""

    def check(pair: object) -> list[Any]:
        raise ValueError("no such luck")

    rule = next(rule for rule in all_rules() if rule.id == "type-changed")._replace(check=check)
    monkeypatch.setattr(walk, "rules_for", lambda kind: (rule,))
    with pytest.raises(RuleError, match="rule type-changed failed: ValueError: no such luck"):
        list(walk.said_of(object()))

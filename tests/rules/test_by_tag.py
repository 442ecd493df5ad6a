"""What a discriminator's value selects decides, whatever else the other variants take."""

from __future__ import annotations

from typing import Any

import pytest

from guardian.model import Change, Confidence, Direction, Severity
from guardian.rules.compare import compare
from tests.rules.schemas import request, request_changes, response, response_changes

TEXT, COUNT = {"type": "string"}, {"type": "integer"}
PLACES = "#/components/schemas/"


def variant(*required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": ["kind", *required], "properties": {"kind": TEXT, **properties}}


def union(names: str = "Cat Dog", **mapping: str) -> dict[str, Any]:
    chosen = {"mapping": {value: PLACES + name for value, name in mapping.items()}} if mapping else {}
    return {
        "oneOf": [{"$ref": PLACES + name} for name in names.split()],
        "discriminator": {"propertyName": "kind", **chosen},
    }


def broken(found: list[Change]) -> dict[tuple[str, str], Any]:
    """What breaks, by rule and field, with the messages that prove it."""
    assert all(each.confidence is Confidence.PROVED for each in found if each.severity is Severity.BREAKING)
    return {
        (each.rule, each.field): each.witness.value
        for each in found
        if each.severity is Severity.BREAKING and each.witness is not None
    }


CLAWS, BARK = variant("claws", claws=COUNT), variant("bark", bark=TEXT)


@pytest.mark.parametrize("say", [request_changes, response_changes])
def test_a_value_that_selects_another_variant_breaks(say: Any) -> None:
    """Both variants are still there, and the value that selects one of them leads to the other."""
    base = union(cat="Cat", dog="Dog", lion="Cat")
    moved = union(cat="Cat", dog="Dog", lion="Dog")
    swapped = union(cat="Dog", dog="Cat", lion="Cat")
    found = say(base, moved, prove=True, Cat=CLAWS, Dog=BARK)
    (message,) = broken(found).values()
    assert message["kind"] == "lion"
    (told,) = [each for each in found if each.rule == "discriminator-changed"]
    assert told.message == "`kind` selects the variant Dog by lion instead of the variant Cat"
    assert len(broken(say(base, swapped, prove=True, Cat=CLAWS, Dog=BARK))) == 2
    assert say(base, base, prove=True, Cat=CLAWS, Dog=BARK) == []


def test_optional_and_deep_differences_are_found_by_the_value_that_moved() -> None:
    """Messages with the other values of the same variant are as good as before, and prove nothing."""
    base, head = union(cat="Cat", dog="Dog", lion="Cat"), union(cat="Cat", dog="Dog", lion="Dog")
    for one, other, field, value in (
        (TEXT, COUNT, "c", "a"),
        ({"type": "object", "properties": {"z": TEXT}}, {"type": "object", "properties": {"z": COUNT}}, "c.z", {"z": "a"}),
    ):  # fmt: skip
        found = request_changes(base, head, prove=True, Cat=variant(c=one), Dog=variant(c=other))
        assert broken(found) == {("type-changed", field): {"kind": "lion", "c": value}}


def test_a_new_version_in_the_place_of_a_variant_that_is_kept() -> None:
    """``dog`` means the new version, and the old one goes by another value now."""
    base, head = union("Cat Dog", cat="Cat", dog="Dog"), union("Cat Dog Dog2", cat="Cat", dog="Dog2", old="Dog")
    parts = {"Cat": CLAWS, "Dog": BARK, "Dog2": variant("bark", "volume", bark=TEXT, volume=COUNT)}
    assert broken(request_changes(base, head, prove=True, **parts)) == {
        ("required-property-added", "volume"): {"kind": "dog", "bark": "a"}
    }


def test_a_renamed_component_that_is_selected_as_before_is_no_change() -> None:
    """On the wire stands the value alone."""
    base, head = union("Cat Dog", cat="Cat", dog="Dog"), union("Kat Dog", cat="Kat", dog="Dog")
    parts = {"Cat": CLAWS, "Kat": CLAWS, "Dog": BARK}
    assert request_changes(base, head, **parts) == response_changes(base, head, **parts) == []


@pytest.mark.parametrize("mapping", [{}, {"cat": "Cat", "dog": "Dog"}])
@pytest.mark.parametrize(
    ("before", "after", "direction", "expected"),
    [
        (variant(c=TEXT), variant("c", c=TEXT), Direction.REQUEST, ("property-became-required", "c")),
        (variant(c=TEXT), variant("e", c=TEXT, e=TEXT), Direction.REQUEST, ("required-property-added", "e")),
        (variant(c=TEXT), variant(c=COUNT), Direction.REQUEST, ("type-changed", "c")),
        (variant(c=TEXT), variant(c=COUNT), Direction.RESPONSE, ("type-changed", "c")),
        (variant("c", c=TEXT), variant(c=TEXT), Direction.RESPONSE, ("property-became-optional", "c")),
        (variant(c=TEXT), variant(c=TEXT) | {"minProperties": 2}, Direction.REQUEST, ("min-properties-changed", "")),
    ],
)
def test_a_change_inside_a_selected_variant_is_certain(
    mapping: Any, before: Any, after: Any, direction: Direction, expected: tuple[str, str]
) -> None:
    """The open variant beside it takes the message as far as it goes, and is not the one that is asked."""
    say = request if direction is Direction.REQUEST else response
    base, head = (say(union(**mapping), {"Cat": cat, "Dog": variant(d=TEXT)}) for cat in (before, after))
    found = compare(base, head)
    assert broken(found).keys() == {expected}


def test_an_alternative_that_is_gone_from_what_a_value_selects() -> None:
    """Other variants do not take its messages, whatever they leave open."""
    either = {"anyOf": [variant("a", a=TEXT), variant("b", b=TEXT)]}
    found = request_changes(
        union("Cat Dog", cat="Cat", dog="Dog"), union("One Dog", cat="One", dog="Dog"),
        prove=True, Cat=either, One=variant("a", a=TEXT), Dog=variant(),
    )  # fmt: skip
    assert broken(found) == {("alternative-removed", ""): {"kind": "cat", "b": "a"}}


def test_documents_that_contradict_themselves_are_judged_as_they_are_written() -> None:
    """No variant takes the value that selects it, in the union itself or in one beside it: a break is one all the same."""
    listed = {"C": {"type": "string", "enum": ["c"]}, "D": {"type": "string", "enum": ["d"]}}
    parts = {
        "Cat": variant("c", kind=listed["C"], c=TEXT),
        "Cat2": variant("c", kind=listed["C"], c=COUNT),
        "Dog": variant("d", kind=listed["D"], d=TEXT),
        "X": variant("q", q=TEXT),
        "X2": variant("q", q=COUNT),
        "Y": variant("w", w=TEXT),
    }
    head = union("Cat2 Dog", cat="Cat2", dog="Dog")
    found = request_changes(union(cat="Cat", dog="Dog"), head, prove=True, **parts)
    assert broken(found) == {("type-changed", "c"): {"kind": "c", "c": "a"}}

    def both(name: str) -> dict[str, Any]:
        there = union(f"{name} Y", x=name, y="Y")
        return {"type": "object", "required": ["a", "b"], "properties": {"a": union(), "b": there}}

    assert broken(request_changes(both("X"), both("X2"), prove=True, **parts)).keys() == {("type-changed", "b.q")}


@pytest.mark.parametrize("tags", [True, False])
def test_what_a_variant_hides_is_not_in_its_messages(tags: bool) -> None:
    """``readOnly`` inside of a variant: nobody sends it, and required without it, everybody must."""

    def pet(hidden: dict[str, Any]) -> dict[str, Any]:
        one = variant("a", kind={"const": "cat"}, a=TEXT | hidden)
        other = variant(kind={"const": "dog"})
        return {"oneOf": [one, other]}

    if tags:
        parts = {"Cat": variant("a", a=TEXT | {"readOnly": True}), "New": variant("a", a=TEXT), "Dog": variant()}
        sides = union("Cat Dog", cat="Cat", dog="Dog"), union("New Dog", cat="New", dog="Dog")
        found = request_changes(*sides, prove=True, **parts)
    else:
        found = request_changes(pet({"readOnly": True}), pet({}), prove=True)
    assert broken(found) == {("required-property-added", "a"): {"kind": "cat"}}


@pytest.mark.parametrize("mapping", [{}, {"mapping": {"cat": PLACES + "Cat"}}])
def test_a_subtype_that_asks_for_more(mapping: Any) -> None:
    """By inheritance too: the value that selects it is one that messages of it have."""
    value = "cat" if mapping else "Cat"

    def parts(*required: str) -> dict[str, Any]:
        cat = {
            "allOf": [{"$ref": PLACES + "Pet"}, {"type": "object", "required": [*required], "properties": {"c": TEXT}}]
        }
        return {"Pet": variant() | {"discriminator": {"propertyName": "kind", **mapping}}, "Cat": cat}

    pet = {"$ref": PLACES + "Pet"}
    found = compare(request(pet, parts()), request(pet, parts("c")))
    assert broken(found) == {("property-became-required", "c"): {"kind": value}}


@pytest.mark.parametrize("mapping", [{}, {"cat": "Cat", "dog": "Dog"}])
@pytest.mark.parametrize(
    "limited",
    [lambda tag: {"const": tag}, lambda tag: {**TEXT, "enum": [tag]}, lambda tag: {**TEXT, "pattern": f"^{tag}$"}],
)
def test_a_selecting_property_that_lists_what_selects_is_no_other(mapping: Any, limited: Any) -> None:
    """Nothing else was ever sent there: a generator of types writes it out."""
    cat, dog = sorted(mapping) or ("Cat", "Dog")
    open_ones = {"Cat": variant(m=TEXT), "Dog": variant(w=TEXT)}
    listed = {"Cat": variant(m=TEXT, kind=limited(cat)), "Dog": variant(w=TEXT, kind=limited(dog))}
    sides = [[side(union(**mapping), parts) for parts in (open_ones, listed)] for side in (request, response)]
    for one, other in sides:
        for found in (compare(one, other), compare(other, one)):
            assert {each.severity for each in found} == {Severity.INFO}
            assert {each.field for each in found} == {"kind"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (TEXT, {**TEXT, "enum": ["Cat"]}),  # which the mapping does not say
        (TEXT, {**TEXT, "maxLength": 2}),
        (TEXT, COUNT),
        ({"type": ["string", "null"]}, {"const": "cat"}),
        (TEXT, {**TEXT, "format": "uuid"}),
    ],
)
def test_a_selecting_property_that_takes_less_than_selects_breaks(before: Any, after: Any) -> None:
    """What selects a variant, or null, is refused there now."""
    sides = [
        request(union(cat="Cat", dog="Dog"), {"Cat": variant(m=TEXT, kind=kind), "Dog": variant(w=TEXT)})
        for kind in (before, after)
    ]
    assert {each.field for each in compare(sides[0], sides[1]) if each.severity is Severity.BREAKING} == {"kind"}


def test_a_listed_value_that_selects_nothing_is_told_as_any_other() -> None:
    """The mapping was forgotten, or the value was: whoever reads it is told."""
    one, other = ({**TEXT, "enum": values} for values in (["cat"], ["cat", "lion"]))
    sides = [
        response(union(cat="Cat", dog="Dog"), {"Cat": variant(m=TEXT, kind=kind), "Dog": variant(w=TEXT)})
        for kind in (one, other)
    ]
    (found,) = compare(sides[0], sides[1])
    assert (found.rule, found.severity) == ("enum-value-added", Severity.WARNING)


def test_what_selects_elsewhere_says_nothing_of_the_same_schema_in_another_place() -> None:
    """A component that a variant is selected by is any other property's as well."""
    kinds = [{**TEXT}, {**TEXT, "enum": ["cat", "dog"]}]
    cat = variant(kind={"$ref": PLACES + "Kind"}, other={"$ref": PLACES + "Kind"})
    sides = [request(union(cat="Cat", dog="Dog"), {"Kind": kind, "Cat": cat, "Dog": variant()}) for kind in kinds]
    assert broken(compare(sides[0], sides[1])) == {("enum-value-removed", "other"): {"kind": "cat", "other": "a"}}


def test_a_default_variant_takes_what_nothing_selects() -> None:
    """OpenAPI 3.2: values that no mapping lists select the variant of `defaultMapping`, so listing one refuses the others."""
    union_of = union(cat="Cat", dog="Dog")
    union_of["discriminator"]["defaultMapping"] = PLACES + "Cat"
    listed = variant("claws", claws=COUNT, kind={"type": "string", "enum": ["cat"]})
    sides = [request(union_of, {"Cat": each, "Dog": BARK}) for each in (CLAWS, listed)]
    (found,) = compare(*sides)
    assert (found.rule, found.severity) == ("enum-value-removed", Severity.BREAKING)

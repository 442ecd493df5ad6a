"""What a message uses in several places is found once, and every place of it is told."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from guardian.check.exceptions import matches
from guardian.config.accepted import ExceptionEntry
from guardian.model import Change, Location, Severity
from guardian.report import words
from guardian.rules.compare import compare
from guardian.rules.other_ways import MOST_WAYS
from tests.rules.schemas import response

TEXT, COUNT = {"type": "string"}, {"type": "integer"}


def ref(name: str) -> dict[str, Any]:
    return {"$ref": f"#/components/schemas/{name}"}


def thing(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def became_count(root: Any, **components: Any) -> list[Change]:
    """What is told when the type of ``Leaf.v`` changes."""
    base, head = ({"Root": root, **components, "Leaf": thing(v=each)} for each in (TEXT, COUNT))
    return compare(response(ref("Root"), base), response(ref("Root"), head))


def test_a_component_in_two_places() -> None:
    """The shortest path is the finding's, the others stand beside it."""
    (found,) = became_count(thing(deep=thing(leaf=ref("Leaf")), home=ref("Leaf"), away=ref("Leaf")))
    assert (found.field, found.also) == ("home.v", ("away.v", "deep.leaf.v"))


def test_components_within_components() -> None:
    """Each way to the outer one goes on by each way to the inner one; arrays and maps are ways as well."""
    root = thing(a=ref("Box"), b={"type": "array", "items": ref("Box")})
    (found,) = became_count(root, Box=thing(x=ref("Leaf"), y={"type": "object", "additionalProperties": ref("Leaf")}))
    assert {found.field, *found.also} == {"a.x.v", "a.y.*.v", "b[].x.v", "b[].y.*.v"}
    assert found.field == "a.x.v"


def test_circles_are_no_further_places() -> None:
    """A schema that contains itself is told where it begins."""
    (found,) = became_count(ref("Tree"), Tree=thing(leaf=ref("Leaf"), left=ref("Tree"), right=ref("Tree")))
    assert (found.field, found.also) == ("leaf.v", ())
    (found,) = became_count(thing(one=ref("Tree"), two=ref("Tree")), Tree=thing(leaf=ref("Leaf"), next=ref("Tree")))
    assert (found.field, found.also) == ("one.leaf.v", ("two.leaf.v",))


def test_one_place_has_no_others() -> None:
    """Alternatives that lead to the same schema by the same name are one place."""
    both = {"oneOf": [thing(leaf=ref("Leaf"), kind={"enum": [kind]}) for kind in "ab"]}
    found = became_count(both)
    assert [(each.field, each.also) for each in found] == [("leaf.v", ())]


def test_no_more_places_than_anybody_reads() -> None:
    """Components that use each other twice have more paths than there are stars."""
    levels = {f"L{number}": thing(a=ref(f"L{number + 1}"), b=ref(f"L{number + 1}")) for number in range(40)}
    (found,) = became_count(ref("L0"), **levels, L40=ref("Leaf"))
    assert len(found.also) == MOST_WAYS


@pytest.mark.parametrize(
    ("field", "expected"), [("home.v", True), ("away.v", True), ("deep.leaf.v", True), ("v", False)]
)
def test_an_exception_may_name_any_of_the_places(field: str, expected: bool) -> None:
    """The finding is one, and so is what is accepted."""
    (found,) = became_count(thing(deep=thing(leaf=ref("Leaf")), home=ref("Leaf"), away=ref("Leaf")))
    entry = ExceptionEntry(
        rule="type-changed", service="api", field=field, reason="agreed", owner="team", expires=date(2100, 1, 1),
        location=Location("guardian.exceptions.yaml"),
    )  # fmt: skip
    assert matches(entry, found, {"api": ("api",)}) is expected


def test_a_report_says_the_places() -> None:
    """A few of them, beside the one that the finding is told of."""
    (found,) = became_count(thing(**{name: ref("Leaf") for name in "abcdef"}))
    assert words.spot(found).endswith("field a.v (also b.v, c.v, d.v and others)")


def test_the_place_that_is_promised_is_the_findings() -> None:
    """Where one of two places is marked as unstable, the other one breaks: it is the finding's, whichever is nearer."""
    marked = {"allOf": [ref("Leaf")], "x-stability-level": "alpha"}
    (found,) = became_count(thing(a=marked, b=thing(c=ref("Leaf"))))
    assert (found.field, found.also, found.severity) == ("b.c.v", (), Severity.BREAKING)
    (found,) = became_count(thing(a=marked))
    assert (found.field, found.severity) == ("a.v", Severity.INFO)


def test_what_stands_beside_something_that_takes_anything_is_no_other_place_of_a_break() -> None:
    """What is certain at one place is doubtful there."""
    (found,) = became_count(thing(a=ref("Leaf"), u={"anyOf": [thing(p=ref("Leaf")), {}]}))
    assert (found.field, found.also, found.severity) == ("a.v", (), Severity.BREAKING)

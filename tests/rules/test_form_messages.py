"""Forms that must have something in a field: a smallest message is filled where it would write nothing."""

from __future__ import annotations

from typing import Any

import pytest

from guardian.model import Confidence, Severity
from guardian.rules.witness import SOUGHT_IN_VAIN
from tests.rules.sides import changes, form

STRING = {"type": "string"}
DEEP = {"style": "deepObject", "explode": True}
URLENCODED = "application/x-www-form-urlencoded"


def thing(*required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": [*required], "properties": properties}


def sides(field: Any, encoding: Any = None, media: str = URLENCODED) -> tuple[dict[str, Any], dict[str, Any]]:
    """A form with a required field beside another, whose list of values becomes shorter."""
    one, other = (
        form({"plan": {"enum": values}, "f": field}, ["plan", "f"], {"f": encoding or {}}, media)
        for values in (["a", "b"], ["a"])
    )
    return one, other


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ({"type": "object", "additionalProperties": STRING}, "plan=b&f[key]=a"),
        (thing(x=STRING), "plan=b&f[x]=a"),
        (thing("n", n=thing(x=STRING)), "plan=b&f[n][x]=a"),
        (thing(n=thing(x=STRING)), "plan=b&f[n][x]=a"),
        (thing("l", l={"type": "array", "items": STRING}), "plan=b&f[l][0]=a"),
        ({"anyOf": [{"type": "object", "additionalProperties": STRING}, {"enum": [""]}]}, "plan=b&f="),
    ],
)
def test_required_objects_are_filled(field: Any, text: str) -> None:
    """As Stripe's are, of which every key is optional: the break of another field is shown all the same."""
    (found,) = changes(*sides(field, DEEP))
    assert found.witness is not None, found.unproved
    assert (found.severity, found.witness.value) == (Severity.BREAKING, text)


def test_parts_are_filled() -> None:
    (found,) = changes(*sides({"type": "array", "items": STRING}, media="multipart/form-data"))
    assert found.witness is not None, found.unproved
    assert found.witness.value == {"plan": "b", "f": ["a"]}


def test_another_field_that_cannot_be_filled_says_nothing_of_the_finding() -> None:
    """It stays what it was, with the name of what stands in the way."""
    (found,) = changes(*sides({"type": "object", "maxProperties": 0}, DEEP))
    assert (found.severity, found.confidence, found.witness) == (Severity.BREAKING, Confidence.CERTAIN, None)
    assert found.unproved is not None
    assert found.unproved not in SOUGHT_IN_VAIN
    assert "`f`" in found.unproved

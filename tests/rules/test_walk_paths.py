"""Field paths of findings: they are written as manifests write them, whatever a property is called."""

from __future__ import annotations

import pytest

from guardian.fieldpath import Path, Wild, parse
from guardian.rules.walk_paths import write_path
from tests.rules.sides import changes, form

NAMES = ["files[]", "files[0]", "[]", "*", "$", "$[x", "a.b", "a\\b", "query:x", "a*", "filter[status]"]


@pytest.mark.parametrize("name", NAMES)
def test_names_read_back(name: str) -> None:
    """A name that would mean something else in a path is escaped, at any place in it."""
    assert parse(write_path("", [(name, True)])) == Path((name,))
    assert parse(write_path("", [("[]", False), (name, True), ("*", False)])) == Path((Wild.ITEM, name, Wild.VALUE))


def test_the_field_of_a_form_that_is_an_array() -> None:
    """`files[]` is one property of a form, and no item of `files`."""
    text = {"type": "string"}
    removed = next(each for each in changes(form({"files[]": text, "name": text}), form({"name": text})))
    assert removed.field == "files\\[]"

"""The soak run's own parts, on one small document: its edits edit, and its laws can be broken."""

from __future__ import annotations

import json
import random

from guardian.model import Effect
from tests.rules.sides import api, changes
from tests.soak.edits import edited, reordered, sites_of
from tests.soak.laws import put_to_the_laws, unlike, unmirrored

DOCUMENT = api(
    """
    /t:
      parameters: [{in: query, name: q, schema: {type: string}}]
      get:
        responses:
          "200": {content: {application/json: {schema: {$ref: "#/components/schemas/T"}}}}
      post:
        requestBody: {content: {application/json: {schema: {$ref: "#/components/schemas/T"}}}}
        responses: {}
    """,
    components={"schemas": {"T": {"type": "object", "required": ["a"], "properties": {"a": {"enum": ["x", "y"]}}}}},
)
NARROWER = json.loads(json.dumps(DOCUMENT).replace('"x", "y"', '"x"'))


def test_laws_hold_over_a_small_document() -> None:
    """Twenty edits, no law broken, and something to tell of them."""
    outcome = put_to_the_laws(json.dumps(DOCUMENT).encode(), "small")
    assert outcome is not None
    assert outcome.broken == []
    assert (outcome.edits, outcome.changes > 10) == (20, True)


def test_edits_edit() -> None:
    """An edit makes another document, the same for the same seed, and leaves the original alone."""
    before = json.dumps(DOCUMENT)
    sites = sites_of(DOCUMENT)
    for seed in range(50):
        first, _ = edited(DOCUMENT, sites, random.Random(seed))
        again, _ = edited(DOCUMENT, sites, random.Random(seed))
        assert first == again != DOCUMENT
    assert json.dumps(DOCUMENT) == before


def test_reordering_changes_nothing_but_order() -> None:
    """The same keys and values in another order."""
    other = reordered(DOCUMENT, random.Random(1))
    assert other == DOCUMENT
    assert json.dumps(other) != json.dumps(DOCUMENT)


def test_an_effect_without_its_mirror_is_seen() -> None:
    """The mirror law is no law that everything keeps."""
    there, back = changes(DOCUMENT, NARROWER), changes(NARROWER, DOCUMENT)
    assert {change.effect for change in there} == {Effect.NARROWED}
    assert unmirrored(there, back) == []
    assert unmirrored(there, there)
    assert unmirrored(there, [])


def test_an_answer_that_hangs_on_order_is_seen() -> None:
    """So is a finding that is there in one order of keys alone."""
    there = changes(DOCUMENT, NARROWER)
    assert unlike(there, there) == []
    assert unlike(there, there[1:])

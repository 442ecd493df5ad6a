"""Formats compared by what they accept, held against the validator."""

from __future__ import annotations

import pytest

from guardian.model import Effect
from guardian.rules import formats
from guardian.rules.validator import compiled


@pytest.mark.parametrize(
    ("base", "head", "kind", "effect"),
    [
        ([], ["date"], "string", Effect.NARROWED),
        (["date"], ["date-time"], "string", Effect.CHANGED),
        (["uri"], ["uri-reference"], "string", Effect.WIDENED),
        (["uri"], ["iri-reference"], "string", Effect.WIDENED),
        (["email"], ["idn-email"], "string", Effect.WIDENED),
        (["hostname"], ["idn-hostname"], "string", Effect.WIDENED),
        (["int32"], ["int64"], "integer", Effect.WIDENED),
        (["int64"], [], "integer", Effect.WIDENED),
        (["float"], ["double"], "number", Effect.WIDENED),
        (["int32"], ["float"], "number", Effect.WIDENED),
        (["int32", "int64"], ["int64"], "integer", Effect.WIDENED),
        (["uint8"], ["int8"], "integer", Effect.CHANGED),
        (["password"], [], "string", None),
        ([], ["binary"], "string", None),
        ([], ["date"], "number", None),
        ([], ["double"], "string", None),
    ],
)
def test_known_formats(base: list[str], head: list[str], kind: str, effect: Effect | None) -> None:
    """Containment decides without a reason, the other way round it is mirrored, and the same is nothing."""
    assert formats.relate(base, head, kind) == (effect, None)
    assert formats.relate(head, base, kind) == (effect and effect.mirrored, None)
    assert formats.relate(base, base, kind) == (None, None)


@pytest.mark.parametrize(
    ("base", "head", "effect"),
    [
        ([], ["sku"], Effect.NARROWED),
        (["sku"], [], Effect.WIDENED),
        (["sku"], ["date"], Effect.CHANGED),
        (["a"], ["b"], Effect.CHANGED),
    ],
)
def test_custom_formats(base: list[str], head: list[str], effect: Effect) -> None:
    """What a custom format accepts no document says, and the reason names it."""
    found, reason = formats.relate(base, head, "string")
    assert found is effect
    assert reason is not None
    assert "`sku`" in reason or "`a`" in reason


def test_a_custom_format_on_both_sides_decides_nothing() -> None:
    """What both sides ask for is no part of the change."""
    assert formats.relate(["sku"], ["sku", "date"], "string") == (Effect.NARROWED, None)


@pytest.mark.parametrize("name", sorted(formats.EXAMPLES))
def test_examples_are_of_their_format(name: str) -> None:
    """Every example is valid by the validator, and as long as the format says."""
    low, high = formats.lengths([name])
    for text in formats.EXAMPLES[name]:
        assert compiled({"format": name}).is_valid(text)
        assert low <= len(text) <= (len(text) if high is None else high)


def test_containment_holds_over_all_examples() -> None:
    """If a format is said to lie in another, each of its texts is valid there too."""
    everything = sorted({text for texts in formats.EXAMPLES.values() for text in texts})
    checked = 0
    for narrow in formats.EXAMPLES:
        for wide in formats.EXAMPLES:
            if formats.relate([narrow], [wide], "string")[0] in {None, Effect.WIDENED}:
                for text in everything:
                    if compiled({"format": narrow}).is_valid(text):
                        checked += 1
                        assert compiled({"format": wide}).is_valid(text), (narrow, wide, text)
    assert checked > 100

"""What is plain JSON, and what is refused with half a sentence."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from guardian.errors import UsageError
from guardian.learn.plain import MAX_DEPTH, MAX_SEED, NotPlain, fault_of, read_json, seed_of, text_of
from tests.learn.hostile import ANY, HALF, nested


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (nested(MAX_DEPTH), None),
        (nested(MAX_DEPTH + 1), "nested more than"),
        (nested(MAX_DEPTH + 1, inside="a"), "nested more than"),
        ({"a": [HALF]}, "half of a surrogate pair"),
        ({HALF: 1}, "half of a surrogate pair"),
        ({1: 2, "a": 3}, "a key that is no text"),
        ([float("nan")], "a number that JSON does not have"),
        ({"a": object()}, "something that JSON does not have"),
        (["\U0001f600", None, True, 10**30, 0.5, ()], None),
    ],
)
def test_faults(value: Any, fault: str | None) -> None:
    """Depth, halves of characters, keys, numbers and types."""
    found = fault_of(value)
    assert (found is None) if fault is None else (fault in (found or ""))


def test_what_is_shared_counts_wherever_it_stands() -> None:
    """Thirty doublings are a thousand million values, and are told at once."""
    value: Any = [1]
    for _ in range(30):
        value = [value, value]
    assert fault_of(value, size=1000) == "has more than 1,000 values"
    endless: list[Any] = []
    endless.append(endless)
    assert fault_of(endless) == f"is nested more than {MAX_DEPTH} levels deep"


@given(ANY)
def test_what_is_plain_can_be_written(value: Any) -> None:
    """As strict JSON in UTF-8, with its keys sorted."""
    if fault_of(value) is None:
        json.dumps(value, allow_nan=False, sort_keys=True, ensure_ascii=False).encode()


@pytest.mark.parametrize(
    "text", ["", "{", "[" * 5000, '"\\ud800"', "NaN", "[1e400]", "9" * 5000, "[" * 150 + "]" * 150]
)
def test_texts_that_are_no_plain_json(text: str) -> None:
    """One kind of error for all of them, and bytes that are no text."""
    with pytest.raises(NotPlain):
        read_json(text)
    with pytest.raises(NotPlain):
        read_json(b"\xff\xfe" + text.encode())


def test_seeds_and_names() -> None:
    """A seed is a whole number that JSON carries exactly, below zero too; a name is a text."""
    assert (seed_of(None), seed_of(-5), seed_of(MAX_SEED - 1)) == (None, -5, MAX_SEED - 1)
    for bad in ("x", True, 1.0, MAX_SEED, [1]):
        with pytest.raises(UsageError, match="seed must be a whole number"):
            seed_of(bad)
    assert text_of("a", "task") == "a"
    for name in (HALF, 5, ["a"], None):
        with pytest.raises(UsageError, match="task must be a text"):
            text_of(name, "task")

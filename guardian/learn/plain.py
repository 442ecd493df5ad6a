"""What strangers say, as plain JSON: policies, models and clients may write anything, and none of it may end a run.

A value is plain if it can be written as JSON, sent and hashed: texts without halves of surrogate pairs, keys that are
texts, finite numbers, and no deeper than the engine reads documents.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from guardian.errors import UsageError

#: Levels of lists and objects in one value. Specifications have about twenty; the engine reads twice as many as this.
MAX_DEPTH = 100
MAX_SEED = 2**53  # what JSON carries exactly


class NotPlain(ValueError):
    """A text that is no plain JSON; its message ends a sentence that begins with what it should be."""


def read_json(text: str | bytes) -> Any:
    """The value of a JSON text.

    Raises:
        NotPlain: it is no JSON, or its value is not plain.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise NotPlain("is not JSON") from None
    fault = fault_of(value)
    if fault:
        raise NotPlain(fault)
    return value


def fault_of(value: Any, *, depth: int = MAX_DEPTH, size: int | None = None) -> str | None:
    """Why a value is not plain, as the end of a sentence; None if it is.

    Args:
        depth: how many levels of lists and objects it may have.
        size: how many values, counted wherever they stand; what is shared a thousand times counts a thousand times.
    """
    level, seen = [value], 1
    for _ in range(depth + 1):
        below: list[Any] = []
        for each in level:
            if isinstance(each, dict | list | tuple):
                seen += len(each)
                if size is not None and seen > size:
                    return f"has more than {size:,} values"
                fault = _add_members(each, below)
            else:
                fault = _scalar_fault(each)
            if fault:
                return fault
        if not below:
            return None
        level = below
    return f"is nested more than {depth} levels deep"


def is_text(value: object) -> bool:
    """Whether a value is a text that can be written: half of a surrogate pair is no character."""
    return isinstance(value, str) and (value.isascii() or _encodes(value))


def text_of(value: object, what: str) -> str:
    """A name as a client gave it.

    Raises:
        UsageError: it is no text.
    """
    if not is_text(value):
        raise UsageError(f"{what} must be a text")
    return str(value)


def seed_of(value: object) -> int | None:
    """A seed as a client gave it; None for any.

    Raises:
        UsageError: it is no whole number, or a larger one than JSON carries exactly.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) >= MAX_SEED:
        raise UsageError("seed must be a whole number between -2**53 and 2**53")
    return value


def _add_members(value: dict[Any, Any] | list[Any] | tuple[Any, ...], below: list[Any]) -> str | None:
    if not isinstance(value, Mapping):
        below.extend(value)
        return None
    if not all(isinstance(key, str) for key in value):
        return "has a key that is no text"
    if not all(map(is_text, value)):
        return _HALF
    below.extend(value.values())
    return None


_HALF = "holds half of a surrogate pair, which is no character"


def _scalar_fault(value: Any) -> str | None:
    if value is None or isinstance(value, bool | int):
        return None
    if isinstance(value, str):
        return None if is_text(value) else _HALF
    if isinstance(value, float):
        return None if math.isfinite(value) else "holds a number that JSON does not have"
    return "holds something that JSON does not have"


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True

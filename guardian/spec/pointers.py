"""JSON pointers (RFC 6901): keys as text and back, and one step at a time into plain data."""

from __future__ import annotations

from typing import Any


def escape(step: str) -> str:
    """One key as it is written in a pointer."""
    return step.replace("~", "~0").replace("/", "~1")


def unescape(step: str) -> str:
    """One key of a pointer as it is."""
    return step.replace("~1", "/").replace("~0", "~")


def steps_of(pointer: str) -> list[str]:
    """The keys of a pointer, unescaped."""
    return [unescape(step) for step in pointer.split("/")[1:]]


def step_into(value: Any, step: str) -> Any:
    """The child of plain data that a step names.

    Raises:
        LookupError: there is none.
    """
    if isinstance(value, dict):
        return value[step]
    if isinstance(value, list) and step.isascii() and step.isdigit():
        return value[int(step)]
    raise LookupError(step)

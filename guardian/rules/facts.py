"""Small questions that many rules ask: what became of a field, where it stands, and how to say it."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from guardian.spec.api import Node, Operation

STABILITY: ContextVar[str] = ContextVar("stability", default="x-stability-level")
"""The extension that carries a stability level in the comparison under way."""


def in_words(name: str, before: Any, after: Any) -> str:
    """A sentence on a field that is new, gone or different."""
    if before is None:
        return f"{name} `{after}` was added"
    if after is None:
        return f"{name} `{before}` was removed"
    return f"{name} changed from `{before}` to `{after}`"


def turn(base: object, head: object) -> str:
    """What became of something that a side may lack, as a fact of a delta: ``set``, ``unset`` or ``moved``."""
    return "moved" if base and head else "set" if head else "unset"


_LEVELS = ("draft", "alpha", "beta", "stable")


def stability(base: object, head: object) -> str | None:
    """What became of a stability level, as a fact; None if nothing did. No level at all counts as stable."""
    before, after = (str(level or "stable").lower() for level in (base, head))
    if before == after:
        return None
    if before not in _LEVELS or after not in _LEVELS:
        return "unknown"
    return "decreased" if _LEVELS.index(before) > _LEVELS.index(after) else "increased"


def field_of(operation: Operation | None, key: str) -> Any:
    """The value of a field of the Operation Object, or None."""
    value = operation.node.value if operation else None
    return value.get(key) if isinstance(value, dict) else None


def place_of(operation: Operation, key: str) -> Node:
    """Where a field stands, or the operation if it has none."""
    value = operation.node.value
    return operation.node.child(key) if isinstance(value, dict) and key in value else operation.node

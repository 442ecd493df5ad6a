"""What an operation says of itself beside its messages: one field on two sides, where it stands, and in words."""

from __future__ import annotations

from typing import Any

from guardian.spec.api import Node, Operation


def in_words(name: str, before: Any, after: Any) -> str:
    """A sentence on a field that is new, gone or different."""
    if before is None:
        return f"{name} `{after}` was added"
    if after is None:
        return f"{name} `{before}` was removed"
    return f"{name} changed from `{before}` to `{after}`"


def field_of(operation: Operation | None, key: str) -> Any:
    """The value of a field of the Operation Object, or None."""
    value = operation.node.value if operation else None
    return value.get(key) if isinstance(value, dict) else None


def place_of(operation: Operation, key: str) -> Node:
    """Where a field stands, or the operation if it has none."""
    value = operation.node.value
    return operation.node.child(key) if isinstance(value, dict) and key in value else operation.node

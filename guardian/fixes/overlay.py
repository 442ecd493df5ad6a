"""OpenAPI Overlay 1.0: the same edit as a JSON Patch, for tools that speak overlays.

An overlay merges objects, appends to lists and removes; it neither inserts into a list nor replaces one. So it is
derived from the two documents, before and after, rather than from the operations that lead from one to the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from guardian.fixes.json_patch import equal


def overlay(before: Any, after: Any, title: str) -> dict[str, Any]:
    """The Overlay document (version 1.0.0) that turns one document into the other.

    Targets are JSONPath (RFC 9535) in normalised form: ``$['paths']['/users']``.
    """
    return {
        "overlay": "1.0.0",
        "info": {"title": title, "version": "1.0.0"},
        "actions": list(_actions(before, after, "$")),
    }


def _actions(before: Any, after: Any, target: str) -> Iterator[dict[str, Any]]:
    if isinstance(before, dict) and isinstance(after, dict):
        yield from _in_object(before, after, target)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _in_list(before, after, target)


def _in_object(before: dict[str, Any], after: dict[str, Any], target: str) -> Iterator[dict[str, Any]]:
    update: dict[str, Any] = {}
    for key, value in before.items():
        if key not in after:
            yield {"target": target + _selector(key), "remove": True}
        elif not equal(value, after[key]):
            below = target + _selector(key)
            if _mergeable(value, after[key]):
                yield from _actions(value, after[key], below)
                continue
            if isinstance(value, (dict, list)):  # a container would be merged into, not replaced
                yield {"target": below, "remove": True}
            update[key] = after[key]
    update.update((key, value) for key, value in after.items() if key not in before)
    if update:
        yield {"target": target, "update": update}


def _in_list(before: list[Any], after: list[Any], target: str) -> Iterator[dict[str, Any]]:
    for index, (one, other) in enumerate(zip(before, after, strict=False)):
        if not equal(one, other):
            yield from _actions(one, other, f"{target}[{index}]")
    for item in after[len(before) :]:
        yield {"target": target, "update": item}


def _mergeable(before: Any, after: Any) -> bool:
    """Whether one can become the other by merging, appending and removing members alone."""
    if isinstance(before, dict) and isinstance(after, dict):
        return True
    if not (isinstance(before, list) and isinstance(after, list)) or len(after) < len(before):
        return False
    return all(
        equal(one, other) or (isinstance(one, (dict, list)) and _mergeable(one, other))
        for one, other in zip(before, after, strict=False)
    )


def _selector(key: str) -> str:
    text = "".join(_ESCAPES.get(char) or (char if char >= " " else f"\\u{ord(char):04x}") for char in key)
    return f"['{text}']"


_ESCAPES = {"'": "\\'", "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}

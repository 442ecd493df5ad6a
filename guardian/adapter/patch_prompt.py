"""The question for a patch: what stands at the changed places before and after, and who must go on working."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from guardian.adapter.hygiene import inert
from guardian.adapter.prompts import Prompt, cut, fix_schema

Json = dict[str, Any]

_SHOWN = 1_200  # characters of one place


def patch_prompt(
    changed: Sequence[str], places: Sequence[tuple[str, Any, Any]], broken: Sequence[str], sunset: str
) -> Prompt:
    """What patch of the document keeps everybody working.

    Args:
        changed: the changed places, a line each.
        places: pointer, what stands there before, what stands there after.
        broken: the consumers that break.
        sunset: the day until which something may be kept (ISO 8601).
    """
    lines = []
    for at, base, head in places:
        lines += [f"at {inert(at, 200)}", f"  before {_compact(base)}", f"  after {_compact(head)}"]
    text = (
        f"Changed:\n{cut(changed, 600)}\nThe document at these places (JSON pointers):\n{cut(lines, 4 * _SHOWN)}\n"
        f"Consumers: {', '.join(inert(each, 80) for each in broken) or 'unknown'}\n"
        "Write a patch of the document after the change: it keeps every consumer working and the purpose of the change. "
        f'What is kept for a while is marked "deprecated":true and "x-sunset":"{sunset}", another name of something '
        '"x-alias-of":"NAME". Answer {"strategy":"...","patch":{"json_patch":[{"op":"add","path":"/...","value":{}}]}} '
        '(RFC 6902) or {"strategy":"...","patch":{"merge_patch":{}}} (RFC 7396).'
    )
    return Prompt(text, patch_schema(), day=sunset)


def patch_schema() -> Json:
    """Of the answer."""
    operation = {
        "type": "object",
        "properties": {
            "op": {"enum": ["add", "replace", "remove"]},
            "path": {"type": "string", "maxLength": 400},
            "value": {},
        },
        "required": ["op", "path"],
        "additionalProperties": False,
    }
    patch = {
        "type": "object",
        "properties": {
            "json_patch": {"type": "array", "items": operation, "minItems": 1, "maxItems": 20},
            "merge_patch": {"type": "object"},
        },
        "additionalProperties": False,
    }
    strategy = fix_schema()["properties"]["strategy"]
    return {
        "type": "object",
        "properties": {"strategy": strategy, "patch": patch},
        "required": ["strategy", "patch"],
        "additionalProperties": False,
    }


def _compact(value: Any) -> str:
    return inert(json.dumps(value, separators=(",", ":"), ensure_ascii=False, default=str), _SHOWN)


def merged(target: Any, patch: Any) -> Any:
    """A document after a JSON Merge Patch (RFC 7396); the one that was given stays as it is."""
    if not isinstance(patch, dict):
        return patch
    found = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            found.pop(name, None)
        else:
            found[name] = merged(found.get(name), value)
    return found

"""The question about documentation: does the new wording change what a client must do?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from guardian.adapter.hygiene import inert
from guardian.adapter.prompts import Prompt
from guardian.adapter.wording import Wording

Json = dict[str, Any]

KINDS = ("unit", "currency", "time_zone", "ordering", "default", "rate_limit", "idempotency", "format", "meaning")
#: Texts of one question.
AT_ONCE = 8


def wording_prompt(texts: Sequence[Wording]) -> Prompt:
    """Which of these texts change meaning, and in what way; an answer names them by number and quotes the new text."""
    lines = []
    for number, each in enumerate(texts, 1):
        base, head = each.differing
        lines += [f"{number} {inert(each.place, 120)}", f"  - {inert(base)}", f"  + {inert(head)}"]
    text = (
        "Documentation of an API changed, its schema did not (- before, + after). Which changes break a client that relies "
        "on the text before? Rewording, typos and examples do not. Kinds: " + ", ".join(KINDS) + ".\n"
        + "\n".join(lines)
        + '\nAnswer {"changed":[{"number":1,"kind":"unit","quote":"words of the text after"}]}; [] if none.'
    )  # fmt: skip
    item = {
        "type": "object",
        "properties": {
            "number": {"type": "integer", "minimum": 1, "maximum": len(texts)},
            "kind": {"enum": list(KINDS)},
            "quote": {"type": "string", "maxLength": 120},
        },
        "required": ["number", "kind", "quote"],
        "additionalProperties": False,
    }
    schema: Json = {
        "type": "object",
        "properties": {"changed": {"type": "array", "items": item, "maxItems": len(texts)}},
        "required": ["changed"],
        "additionalProperties": False,
    }
    return Prompt(text, schema)

"""Places as agents write them, brought into one form; nothing but spelling is forgiven.

``$.items.1.sku`` is ``items[1].sku``; ``get /users/{userId}.email`` is ``GET /users/{}.email``. A part of a place, or a
list of places, is no place.
"""

from __future__ import annotations

import re
from functools import lru_cache

_OPERATION = re.compile(r"([A-Za-z]+)\s+(/.*)", re.DOTALL)
_QUOTED = re.compile(r"\[['\"]([^'\"\]]+)['\"]\]")
_VARIABLE = re.compile(r"\{[^{}]*\}")


@lru_cache(maxsize=8_192)
def normal_place(text: str) -> str:
    """The one form of a place."""
    text = " ".join(text.split()).strip("`\"'")
    prefix = ""
    for word in ("webhook ",):
        if text.lower().startswith(word):
            prefix, text = word, text[len(word) :]
    operation = _OPERATION.fullmatch(text)
    if operation:
        rest = _VARIABLE.sub("{}", operation[2])
        return f"{prefix}{operation[1].upper()} {rest.removesuffix('.$').rstrip('/') or '/'}"
    if prefix or " " in text:
        return prefix + text
    text = text.removeprefix("$").removeprefix(".")
    text = _QUOTED.sub(r".\1", text)
    text = re.sub(r"\.(\d+)(?=[.\[]|$)", r"[\1]", text)
    return text.removeprefix(".") or "$"

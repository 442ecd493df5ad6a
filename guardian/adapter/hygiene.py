"""Specification text on its way into a prompt: data that can neither end a message nor pose as the frame around it."""

from __future__ import annotations

import re

_SHOWN = 400  # characters of one text
# Chat templates write their marks like <|im_start|>, [INST] or <s>; a tokenizer would take them for the real ones.
_MARKS = re.compile(
    r"<\|[^|>]{0,40}\|>|<｜[^｜>]{0,40}｜>|\[/?INST\]|<</?SYS>>|</?s>|<(?:start|end)_of_turn>", re.IGNORECASE
)


def inert(text: str, limit: int = _SHOWN) -> str:
    """One line of at most ``limit`` characters, without the marks of chat templates and without control characters."""
    line = " ".join(text.split())
    line = "".join(char if char.isprintable() else "?" for char in line)
    while _MARKS.search(line):  # what is left after one is taken out must not make another
        line = _MARKS.sub("", line)
    return line if len(line) <= limit else f"{line[: limit - 1]}…"

"""Specification text on its way into a prompt: data that can neither end a message nor pose as the frame around it."""

from __future__ import annotations

import re

_SHOWN = 400  # characters of one text
# Chat templates write their marks like <|im_start|>, [INST] or <tool_call>; a tokenizer would take them for the real ones,
# some of them also where brackets and bars are those of other alphabets. Other tags of HTML are text.
_OPEN, _CLOSE, _BAR = "<‹＜〈⟨≺", ">›＞〉⟩≻", "|｜∣ǀ¦│❘"
_TAGS = (
    r"s|bos|eos|pad|unk|mask|cls|sep|eot|eom|sys|system|user|assistant|think(?:ing)?|reasoning|tools?|tool_\w+|function_\w+"
    r"|functions?|(?:start|end)_of_\w+|im_(?:start|end|sep)|fim_\w+|unused\d+|extra_id_\d+|reserved_\w+"
)
_MARKS = re.compile(
    rf"[{_OPEN}][{_BAR}][^{_BAR}{_OPEN}{_CLOSE}]*[{_BAR}][{_CLOSE}]|[{_OPEN}]/?(?:{_TAGS})[{_CLOSE}]"
    r"|<</?SYS>>|\[/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_\w+|THINK)\]",
    re.IGNORECASE,
)


def inert(text: str, limit: int = _SHOWN) -> str:
    """One line of at most ``limit`` characters, without the marks of chat templates and without control characters."""
    line = unmarked(" ".join(text[: 8 * limit].split()))
    return line if len(line) <= limit else f"{line[: limit - 1]}…"


def unmarked(line: str) -> str:
    """A line without the marks of chat templates and without control characters; its blanks are as they were."""
    line = "".join(char if char.isprintable() else "?" for char in line)
    while _MARKS.search(line):  # what is left after one is taken out must not make another
        line = _MARKS.sub("", line)
    return line

"""A tokenizer without a model: what tests of sequences need of one."""

from __future__ import annotations

from typing import Any


class Tokenizer:
    """Characters as tokens, ChatML as template; 0 ends an answer."""

    eos_token_id = 0
    pad_token_id = 0

    def apply_chat_template(self, messages: list[Any], *, tokenize: bool, add_generation_prompt: bool) -> str:
        return "".join(f"<{each['role'][0]}>{each['content']}\0\n" for each in messages) + "<a>"

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        return [ord(char) for char in text]

    def decode(self, tokens: list[int], *, skip_special_tokens: bool) -> str:
        return "".join(chr(token) for token in tokens if token)

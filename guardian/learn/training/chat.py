"""Conversations as tokens: what a chat template puts between an answer and the next question."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
_MARK = "\u2022answer\u2022"


class Chat:
    """A tokenizer's chat template, asked turn by turn.

    Args:
        tokenizer: of transformers, with a chat template.
    """

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    @property
    def end(self) -> int:
        """The token that ends an answer."""
        return int(self._tokenizer.eos_token_id)

    def opening(self, messages: list[Json]) -> list[int]:
        """The tokens of a first question, up to where the answer begins."""
        return self._encode(self._render(messages))

    def following(self, answer: list[int], messages: list[Json]) -> list[int]:
        """The tokens between an answer and the place of the next one. The answer may lack its end, which is then added."""
        asked = [{"role": "user", "content": "?"}, {"role": "assistant", "content": _MARK}, *messages]
        text = self._render(asked).split(_MARK, 1)[1]
        tokens = self._encode(text)
        if answer and answer[-1] == self.end and tokens and tokens[0] == self.end:
            return tokens[1:]
        return tokens

    def text(self, tokens: list[int]) -> str:
        """What a model said."""
        return str(self._tokenizer.decode(tokens, skip_special_tokens=True)).strip()

    def answer(self, text: str) -> list[int]:
        """An answer as a model would say it, its end included."""
        return [*self._encode(text), self.end]

    def _render(self, messages: list[Json]) -> str:
        return str(self._tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True))

    def _encode(self, text: str) -> list[int]:
        return [int(token) for token in self._tokenizer.encode(text, add_special_tokens=False)]

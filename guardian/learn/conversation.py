"""What a model has in front of it while it plays: training and evaluation ask by this, so that they ask the same.

An episode is one conversation. It opens with the system's message; every later turn adds the environment's question
alone. After so many answers, or characters, a conversation is full: training leaves the episode there, and evaluation, which plays to
the end, opens the next one. So no model is ever shown a longer conversation than it was trained on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Json = dict[str, Any]
Messages = list[Json]

#: Answers and characters of one conversation in the workflow environment, whose episodes have many steps. Every question
#: shows the whole desk, so little is lost with a long memory, and attention, which grows with its square, is half of the
#: cost of training. The characters are about 3,300 tokens, which together with one more question and answer fit the
#: window that vLLM is started with.
WORKFLOW_TURNS = 8
WORKFLOW_SIZE = 10_000


class Conversation:
    """One side's memory of an episode.

    Args:
        turns: answers after which it is full; 0 for as many as there are.
        size: characters of all that was said, after which it is full; 0 for as many as there are.
    """

    def __init__(self, turns: int = 0, size: int = 0) -> None:
        self._turns = turns
        self._size = size
        self._answers = 0
        self._said: Messages = []

    @property
    def full(self) -> bool:
        """Whether nothing more is asked in it."""
        said = sum(len(each["content"]) for each in self._said)
        return 0 < self._turns <= self._answers or 0 < self._size <= said

    def question(self, prompt: Sequence[Json]) -> Messages:
        """What a prompt of system and user adds to what was said: everything at first, the user's message later."""
        return [dict(each) for each in (prompt[1:] if self._said else prompt)]

    def messages(self, prompt: Sequence[Json]) -> Messages:
        """All that a model sees when it is asked this."""
        return [*self._said, *self.question(prompt)]

    def answered(self, prompt: Sequence[Json], text: str) -> None:
        """Keep a question and its answer."""
        self._said = [*self.messages(prompt), {"role": "assistant", "content": text}]
        self._answers += 1

    def asking(self, prompt: Sequence[Json]) -> Messages:
        """As ``messages``, in a conversation that is opened anew where this one is full."""
        if self.full:
            self._answers, self._said = 0, []
        return self.messages(prompt)


def workflow_conversation() -> Conversation:
    """A conversation about the office."""
    return Conversation(WORKFLOW_TURNS, WORKFLOW_SIZE)

"""Whole episodes as training sequences: the model's tokens are learned from, the environment's are masked.

TRL calls the rollout with prompts that are repeated once for each member of a group; a prompt here is a line that names
an episode, so that a group plays the same one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from guardian.learn.training.chat import Chat
from guardian.learn.training.episodes import Episode, Make

Json = dict[str, Any]
Answers = list[list[int]]


@dataclass(frozen=True, slots=True)
class Draw:
    """Which episode to play."""

    task: str
    seed: int
    difficulty: str

    def line(self) -> str:
        return json.dumps([self.task, self.seed, self.difficulty])

    @classmethod
    def read(cls, line: str) -> Draw:
        task, seed, difficulty = json.loads(line)
        return cls(task, seed, difficulty)


@dataclass(slots=True, eq=False)
class Trajectory:
    """A conversation in tokens. It is itself alone: another that says the same is another."""

    episode: Episode
    prompt: list[int]
    completion: list[int] = field(default_factory=list)
    mask: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)

    @property
    def tokens(self) -> list[int]:
        """All that was said."""
        return self.prompt + self.completion

    def add(self, tokens: Sequence[int], *, own: bool, logprobs: Sequence[float] | None = None) -> None:
        """Append tokens; ``own`` are the model's."""
        self.completion += tokens
        self.mask += [int(own)] * len(tokens)
        self.logprobs += logprobs if logprobs is not None else [0.0] * len(tokens)


Say = Callable[[list[Trajectory]], tuple[Answers, list[list[float]] | None]]
"""Answers to conversations, with the log-probability of each answered token where it is known."""


def play(draws: Sequence[Draw], make: Make, chat: Chat, say: Say) -> list[Trajectory]:
    """Play episodes side by side, a turn of all of them at a time."""
    episodes = [make(draw.task, draw.seed, draw.difficulty) for draw in draws]
    played = [Trajectory(episode, chat.opening(episode.question())) for episode in episodes]
    live = [each for each in played if not each.episode.done]
    while live:
        answers, logprobs = say(live)
        for index, (each, tokens) in enumerate(zip(live, answers, strict=True)):
            each.add(tokens, own=True, logprobs=logprobs[index] if logprobs else None)
            each.episode.answer(chat.text(tokens))
            if not each.episode.done:
                each.add(chat.following(tokens, each.episode.question()), own=False)
        live = [each for each in live if not each.episode.done]
    return played


def by_trl(trainer: Any) -> Say:
    """The answers that TRL's trainer generates: from vLLM, or by whoever patched its model."""

    def say(live: list[Trajectory]) -> tuple[Answers, list[list[float]] | None]:
        tokens, logprobs = trainer._generate_single_turn([each.tokens for each in live], None, {}, 1)[:2]
        return [list(each) for each in tokens], logprobs

    return say


def rollout(
    make: Make, signals: Sequence[str], seen: Callable[[list[Trajectory]], None], by: Callable[[Any], Say] = by_trl
) -> Callable[..., Json]:
    """TRL's ``rollout_func``.

    Args:
        make: makes the episodes.
        signals: those that become columns for reward functions.
        seen: is given every batch of trajectories.
        by: gives, for the trainer, who answers in one batch.
    """

    def run(prompts: list[str], trainer: Any) -> Json:
        played = play([Draw.read(line) for line in prompts], make, Chat(trainer.processing_class), by(trainer))
        seen(played)
        sampled = any(any(each.logprobs) for each in played)
        return {
            "prompt_ids": [each.prompt for each in played],
            "completion_ids": [each.completion for each in played],
            "logprobs": [each.logprobs for each in played] if sampled else None,
            "env_mask": [each.mask for each in played],
            "earned": [each.episode.reward / each.episode.ceiling for each in played],
            **{
                f"signal_{name}": [each.episode.signals.get(name, 0.0) / each.episode.ceiling for each in played]
                for name in signals
            },
        }

    return run

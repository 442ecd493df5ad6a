"""Playing held-out episodes with a model in this process: batches of conversations of about the same length."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from guardian.learn.training.chat import Chat
from guardian.learn.training.episodes import Make
from guardian.learn.training.rollout import Draw, Trajectory, play

Json = dict[str, Any]


def speaker(model: Any, tokenizer: Any, *, max_tokens: int, temperature: float = 0.0) -> Any:
    """What ``rollout.play`` asks: the model's answers to token sequences."""
    import torch

    def say(sequences: list[list[int]]) -> tuple[list[list[int]], None]:
        longest = max(map(len, sequences))
        pad = tokenizer.pad_token_id
        device = next(model.parameters()).device
        ids = torch.tensor([[pad] * (longest - len(each)) + each for each in sequences], device=device)
        attention = torch.tensor([[0] * (longest - len(each)) + [1] * len(each) for each in sequences], device=device)
        sampling: Json = {"do_sample": True, "temperature": temperature} if temperature > 0 else {"do_sample": False}
        with torch.no_grad():
            out = model.generate(
                input_ids=ids, attention_mask=attention, max_new_tokens=max_tokens, pad_token_id=pad, **sampling
            )
        answers: list[list[int]] = []
        for row in out[:, longest:].tolist():
            end = row.index(tokenizer.eos_token_id) + 1 if tokenizer.eos_token_id in row else len(row)
            answers.append(row[:end])
        return answers, None

    return say


def play_batches(
    draws: Sequence[Draw], make: Make, tokenizer: Any, say: Any, batch: int
) -> Iterator[tuple[Draw, Trajectory]]:
    """Every draw with its trajectory."""
    chat = Chat(tokenizer)
    for start in range(0, len(draws), batch):
        part = draws[start : start + batch]
        yield from zip(part, play(part, make, chat, say), strict=True)


def record(draw: Draw, played: Trajectory) -> Json:
    """An episode in numbers, as evaluations keep it."""
    episode: Any = played.episode
    score = episode.score()
    return {
        "task": draw.task,
        "seed": draw.seed,
        "score": round(score, 6),
        "reward": round(episode.reward, 6),
        "steps": episode.steps,
        "invalid": episode.invalid,
        "success": float(score >= 0.999),
        "oracle_reward": episode.ceiling,
        "signals": dict(episode.signals),
    }


def mean_scores(
    draws: Sequence[Draw], make: Make, model: Any, tokenizer: Any, *, max_tokens: int, batch: int,
    tell: Callable[[str], None] = lambda step: None,
) -> dict[str, float]:  # fmt: skip
    """The mean score of each task, greedily; the model is left as it was."""
    training = model.training
    model.eval()
    found: dict[str, list[float]] = {}
    say = speaker(model, tokenizer, max_tokens=max_tokens)
    for draw, played in play_batches(draws, make, tokenizer, say, batch):
        found.setdefault(draw.task, []).append(played.episode.score())
        tell(f"evaluating {draw.task}")
    model.train(training)
    return {task: sum(scores) / len(scores) for task, scores in sorted(found.items())}

"""Generation by transformers, in this process: of a training step's episodes and of held-out ones, side by side."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from guardian.learn.training.chat import Chat
from guardian.learn.training.episodes import Make
from guardian.learn.training.rollout import Answers, Draw, Say, Trajectory, by_trl, play

Json = dict[str, Any]


class Speaker:
    """What ``rollout.play`` asks: a model's answers to conversations.

    The keys and values of what was said are kept from turn to turn, so that a turn computes its new tokens alone. The
    conversations are the rows of one matrix of tokens; where one has said less than the others there is a hole, which the
    mask hides. A conversation that is not asked any more leaves the matrix, and one that was never asked before begins it
    anew, so that the same speaker plays one batch of episodes after the other.

    Args:
        model: of transformers, with or without an adapter; it is in evaluation mode only while it answers.
        settings: transformers' ``GenerationConfig``: how tokens are chosen, how many at most, and what ends an answer.
        keep: whether to keep them; a model whose ``generate`` cannot continue a cache reads everything again.
    """

    def __init__(self, model: Any, settings: Any, *, keep: bool = True) -> None:
        self._model = model
        self._settings = settings
        self._keep = keep
        self._rows: list[Trajectory] = []
        self._ids: Any = None
        self._mask: Any = None
        self._cache: Any = None

    def __call__(self, live: Sequence[Trajectory]) -> tuple[Answers, None]:
        import torch

        self._select(live)
        self._hear(live)
        asked = self._ids.shape[1]
        training = self._model.training
        self._model.eval()
        try:
            with torch.no_grad(), warnings.catch_warnings():
                # Renamed to ``cache`` in transformers 5.24; this name is good for all of 5.
                warnings.filterwarnings("ignore", "`past_key_values` is deprecated", FutureWarning)
                self._ids = self._model.generate(
                    input_ids=self._ids,
                    attention_mask=self._mask,
                    past_key_values=self._cache,
                    generation_config=self._settings,
                )
        finally:
            self._model.train(training)
        said = self._ids[:, asked:]
        ends = torch.isin(said, torch.tensor(self._settings.eos_token_id, device=said.device)).long()
        own = ends.cumsum(1) - ends == 0  # up to the first end; what follows it is padding
        self._mask = torch.cat([self._mask, own.long()], 1)
        return [row[mine].tolist() for row, mine in zip(said, own, strict=True)], None

    def _select(self, live: Sequence[Trajectory]) -> None:
        """Make the rows those of ``live``."""
        import torch
        from transformers import DynamicCache

        device = self._model.device
        if not self._keep or not set(live) <= set(self._rows):
            self._ids = self._mask = torch.empty((len(live), 0), dtype=torch.long, device=device)
            self._cache = DynamicCache(config=self._model.config) if self._keep else None
        elif len(live) < len(self._rows):
            stay = torch.tensor([self._rows.index(each) for each in live], device=device)
            self._ids, self._mask = self._ids[stay], self._mask[stay]
            self._cache.batch_select_indices(stay)
        self._rows = list(live)

    def _hear(self, live: Sequence[Trajectory]) -> None:
        """Add to every row what it lacks, the last token in the last column: that is where the answer goes on."""
        import torch

        known = self._mask.sum(1).tolist()
        heard = [each.tokens[count:] for each, count in zip(live, known, strict=True)]
        width = max(map(len, heard))
        pad = self._settings.pad_token_id
        ids = [[pad] * (width - len(each)) + each for each in heard]
        mask = [[0] * (width - len(each)) + [1] * len(each) for each in heard]
        self._ids, self._mask = (
            torch.cat([before, torch.tensor(new, device=before.device)], 1)
            for before, new in ((self._ids, ids), (self._mask, mask))
        )


def speaker(model: Any, tokenizer: Any, *, max_tokens: int, keep: bool = True) -> Speaker:
    """One that always says what the model finds likeliest."""
    from transformers import GenerationConfig

    settings = GenerationConfig(
        do_sample=False,
        max_new_tokens=max_tokens,
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
    )
    return Speaker(model, settings, keep=keep)


def by_transformers(trainer: Any) -> Say:
    """One that samples as TRL's trainer would, for one batch of episodes. Weights in shards are TRL's to gather."""
    if trainer.is_fsdp_enabled or trainer.is_deepspeed_enabled:
        return by_trl(trainer)
    return Speaker(trainer.accelerator.unwrap_model(trainer.model_wrapped), trainer.generation_config)


def play_batches(
    draws: Sequence[Draw], make: Make, tokenizer: Any, say: Say, batch: int
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
    draws: Sequence[Draw], make: Make, model: Any, tokenizer: Any, *, max_tokens: int, batch: int, keep: bool = True,
    tell: Callable[[str], None] = lambda step: None,
) -> dict[str, float]:  # fmt: skip
    """The mean score of each task, greedily; the model is left as it was."""
    found: dict[str, list[float]] = {}
    say = speaker(model, tokenizer, max_tokens=max_tokens, keep=keep)
    for draw, played in play_batches(draws, make, tokenizer, say, batch):
        found.setdefault(draw.task, []).append(played.episode.score())
        tell(f"evaluating {draw.task}")
    return {task: sum(scores) / len(scores) for task, scores in sorted(found.items())}

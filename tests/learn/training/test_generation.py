"""Answers with kept keys and values are those of a model that reads everything again (make test-train)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from guardian.learn.training.chat import Chat
from guardian.learn.training.generation import Speaker, play_batches, speaker
from guardian.learn.training.rollout import Draw, Trajectory, play
from tests.learn.training.tokens import Tokenizer

pytestmark = [pytest.mark.train, pytest.mark.filterwarnings("default")]

#: Of 256 tokens, so that some answers end early, some late, and some are cut.
ENDS = [0, *range(7, 256, 12)]
ANSWER = 9
#: Turns by seed: one episode ends in the middle of the batch, one outlives the others.
TURNS = (3, 1, 5, 3)
DRAWS = [Draw("talk", seed, "easy") for seed in range(len(TURNS))]


class _Talk:
    """An episode that asks questions of all lengths."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self.heard: list[str] = []

    @property
    def done(self) -> bool:
        return len(self.heard) == TURNS[self._seed]

    def question(self) -> list[dict[str, str]]:
        turn = len(self.heard)
        return [{"role": "user", "content": "why " * (1 + (5 * self._seed + 3 * turn) % 7) + f"{turn}?"}]

    def answer(self, text: str) -> None:
        self.heard.append(text)


def _make(task: str, seed: int, difficulty: str) -> Any:
    return _Talk(seed)


def _model(seed: int = 0) -> Any:
    torch = pytest.importorskip("torch")
    from transformers import LlamaConfig, LlamaForCausalLM

    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=256, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=4096, eos_token_id=0, pad_token_id=0, bos_token_id=1,
        initializer_range=0.5,
    )  # fmt: skip
    return LlamaForCausalLM(config).float()


def _settings(**changes: Any) -> Any:
    from transformers import GenerationConfig

    return GenerationConfig(**{"max_new_tokens": ANSWER, "pad_token_id": 0, "eos_token_id": ENDS, **changes})


def _sampling() -> Any:
    """As TRL's trainer does it."""
    return _settings(do_sample=True, temperature=1.0, top_p=1.0, top_k=0, repetition_penalty=1.0)


class _Plain:
    """The likeliest tokens, one by one, of one conversation after the other, with nothing kept."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self.answers: list[list[int]] = []

    def __call__(self, live: Sequence[Trajectory]) -> tuple[list[list[int]], None]:
        found = [self._answer(each.tokens) for each in live]
        self.answers += found
        return found, None

    def _answer(self, tokens: list[int]) -> list[int]:
        import torch

        said: list[int] = []
        with torch.no_grad():
            while len(said) < ANSWER and (not said or said[-1] not in ENDS):
                said.append(int(self._model(input_ids=torch.tensor([tokens + said])).logits[0, -1].argmax()))
        return said


def _played(say: Any, draws: Sequence[Draw] = DRAWS) -> list[list[int]]:
    return [each.tokens for each in play(draws, _make, Chat(Tokenizer()), say)]


@contextmanager
def _widths(model: Any) -> Iterator[list[tuple[int, ...]]]:
    """The shapes that the model is given."""
    seen: list[tuple[int, ...]] = []

    def hook(_: Any, args: Any, given: Any) -> None:
        assert not model.training
        seen.append(tuple(given["input_ids"].shape))

    handle = model.model.register_forward_pre_hook(hook, with_kwargs=True)
    yield seen
    handle.remove()


@pytest.mark.parametrize("keep", [True, False], ids=["kept", "read again"])
def test_greedy_answers_are_those_of_a_model_that_keeps_nothing(keep: bool) -> None:
    """Token for token, for rows with holes in them, of which some leave early; answers end by themselves or are cut."""
    model = _model()
    plain = _Plain(model)
    expected = _played(plain)
    assert len({len(each) for each in plain.answers}) > 3
    assert any(each[-1] not in ENDS for each in plain.answers)
    assert _played(Speaker(model, _settings(), keep=keep)) == expected


def test_a_turn_computes_its_new_tokens_alone() -> None:
    """A step of one column but where a turn begins: there, the last answer's end and the longest question; rows leave."""
    model = _model()
    with _widths(model) as seen:
        _played(Speaker(model, _settings()))
    (_, opening), *later = [shape for shape in seen if shape[1] > 1]
    assert [rows for rows, _ in later] == [sum(turns > turn for turns in TURNS) for turn in range(1, max(TURNS))]
    longest = len(Chat(Tokenizer()).following([65], [{"role": "user", "content": "why " * 7 + "0?"}]))
    assert all(width <= 1 + longest for _, width in later)
    assert opening <= longest


def test_every_play_begins_with_nothing_kept() -> None:
    """The same speaker plays the same episodes again, and others, by the weights that the model has then."""
    model, other = _model(), _model(1)
    say = Speaker(model, _settings())
    first = _played(say)
    assert _played(say) == first
    assert _played(say, DRAWS[1:3]) == first[1:3]
    model.load_state_dict(other.state_dict())
    assert _played(say) == _played(_Plain(other)) != first


def test_batches_are_played_one_after_the_other() -> None:
    """Held-out episodes come to the same in batches of any size."""
    model = _model()
    expected = _played(speaker(model, Tokenizer(), max_tokens=ANSWER))
    for batch in (1, 3):
        say = speaker(model, Tokenizer(), max_tokens=ANSWER)
        pairs = list(play_batches(DRAWS, _make, Tokenizer(), say, batch))
        assert [draw for draw, _ in pairs] == DRAWS
        assert [played.tokens for _, played in pairs] == expected


def test_samples_follow_from_torch_s_seed() -> None:
    """The same seed says the same, another seed something else."""
    model = _model()
    import torch

    found = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        found.append(_played(Speaker(model, _sampling())))
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize("training", [True, False])
def test_a_model_is_left_as_it_was(training: bool) -> None:
    """In evaluation mode while it answers, then in the mode it was in, also where it fails; nothing has a gradient."""
    model = _model().train(training)
    say = Speaker(model, _settings())
    with _widths(model) as seen:
        _played(say)
    assert seen
    assert model.training is training
    assert all(each.grad is None for each in model.parameters())
    model.model.norm.register_forward_pre_hook(lambda *_: pytest.fail("no answer"))
    with pytest.raises(pytest.fail.Exception, match="no answer"):
        _played(say)
    assert model.training is training

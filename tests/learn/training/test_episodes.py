"""What an episode is worth in training: no answer that cannot be read pays, and no other desk's work is counted."""

from __future__ import annotations

import pytest

from guardian.learn.training.episodes import Episode, maker, tasks_of

#: Answers that say, readably, that nothing was found; no fix has such an answer, but a wrong one.
HONEST = {
    "breaking": '{"breaking":[]}',
    "violations": '{"violations":[]}',
    "affected": '{"affected":[]}',
    "strategy": '{"strategy":"field_alias","patch":{"aliases":{"a":"b"}}}',
}
CONTRACT = maker("contract", split="heldout")


def _reward(task: str, seed: int, text: str | None) -> float:
    episode = CONTRACT(task, seed, "medium")
    while not episode.done:
        asked = episode.schema()["properties"]  # type: ignore[attr-defined]
        episode.answer(text if text is not None else next(HONEST[key] for key in HONEST if key in asked))
    return episode.reward


@pytest.mark.parametrize("text", ["x", "", '{"breaking":5,"violations":5,"affected":5,"strategy":"?"}', "[" * 1200])
@pytest.mark.parametrize("task", tasks_of("contract"))
def test_an_unreadable_answer_is_never_the_better_one(task: str, text: str) -> None:
    """A model that cannot be read earns less than one that says, readably, that it knows nothing."""
    for seed in range(2):
        assert _reward(task, seed, text) < _reward(task, seed, None)


def _played(episode: Episode, text: str) -> Episode:
    while not episode.done:
        episode.answer(text)
    return episode


@pytest.mark.parametrize("scenario", tasks_of("workflow"))
def test_what_somebody_else_earned_is_not_scored(scenario: str) -> None:
    """Training begins anywhere in an episode: who then does nothing has won nothing, from wherever it began."""
    for seed in range(6):
        episode = maker("workflow")(scenario, seed, "easy")
        assert episode.score() == 0.0
        assert _played(episode, '{"action":"defer"}').score() <= 0.0


def test_evaluation_scores_the_whole_episode() -> None:
    """It begins at the beginning, where nothing is earned yet."""
    episode = maker("workflow", split="heldout")("sales_pipeline", 3, "easy")
    while not episode.done:
        episode.answer(episode.teacher())
    assert episode.score() == episode._env.scores.total > 0.0  # type: ignore[attr-defined]

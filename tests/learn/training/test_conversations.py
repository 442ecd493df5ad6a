"""Training and evaluation show a model the very same: for the same episode and answers, the same messages to the byte."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from guardian.learn.conversation import WORKFLOW_SIZE, WORKFLOW_TURNS, Conversation
from guardian.learn.evaluate import Run, play_contract
from guardian.learn.training.chat import Chat
from guardian.learn.training.episodes import maker, tasks_of
from guardian.learn.training.generation import record
from guardian.learn.training.rollout import Draw, Trajectory, play
from guardian.learn.workflow.policies import ModelPolicy
from guardian.learn.workflow.transcripts import play as play_office
from tests.adapter.talker import talking
from tests.learn.training.tokens import Tokenizer

Json = dict[str, Any]


def _trained(env: str, draw: Draw, spoiled: Sequence[int] = ()) -> tuple[Trajectory, list[str], list[list[Json]]]:
    """An episode as training plays it, by the engine but for some turns: the trajectory, the answers, the messages."""
    chat = Chat(Tokenizer())
    shadow = maker(env, split="heldout")(draw.task, draw.seed, draw.difficulty)
    answers: list[str] = []
    messages: list[list[Json]] = []
    said: list[Json] = []

    def say(asked: list[Trajectory]) -> tuple[list[list[int]], None]:
        said.extend(shadow.question())
        messages.append([dict(each) for each in said])
        text = "I had rather not." if len(answers) in spoiled else shadow.teacher()
        shadow.answer(text)
        answers.append(text)
        said.append({"role": "assistant", "content": text})
        return [chat.answer(text)], None

    (played,) = play([draw], maker(env, split="heldout"), chat, say)
    return played, answers, messages


def _rendered(messages: list[Json]) -> str:
    return Tokenizer().apply_chat_template(messages, tokenize=False, add_generation_prompt=True)


def _text(tokens: list[int]) -> str:
    return "".join(map(chr, tokens))


@pytest.mark.parametrize("spoiled", [(), (0,), (1,)], ids=["right", "first-wrong", "second-wrong"])
@pytest.mark.parametrize("task", tasks_of("contract"))
def test_contract_evaluation_asks_as_training_does(task: str, spoiled: tuple[int, ...]) -> None:
    """Over real HTTP: every request holds what training's sequence held, and the episode is worth the same."""
    draw = Draw(task, 2**31 + 7, "easy")
    played, answers, messages = _trained("contract", draw, spoiled)
    left = iter(answers)
    with talking(lambda question, schema: next(left)) as talker:
        run = Run("contract", "model", (task,), 1, difficulty="easy", model=talker.url)
        found = play_contract(run, task, draw.seed)
    sent = [each["messages"] for each in talker.asked]
    assert json.dumps(sent) == json.dumps(messages)
    assert next(left, None) is None
    told = record(draw, played)
    for key in ("score", "reward", "signals", "invalid", "steps"):
        assert found[key] == told[key]
    # What the server's chat template makes of the last request is what the sequence in training begins with.
    *_, last = sent
    end = _text(Chat(Tokenizer()).answer(answers[-1]))
    assert _rendered(last) + end == _text(played.prompt + played.completion)


@pytest.mark.parametrize("spoiled", [(), (0, 3, 4)], ids=["right", "some-wrong"])
@pytest.mark.parametrize("task", tasks_of("workflow"))
def test_workflow_evaluation_asks_as_training_does(task: str, spoiled: tuple[int, ...]) -> None:
    """As long as training's conversation goes; then evaluation opens the next one, and plays to the end."""
    draw = Draw(task, 2_000_001, "medium")
    played, answers, messages = _trained("workflow", draw, spoiled)
    asked: list[list[Json]] = []

    def complete(said: list[Json], schema: Any) -> str:
        asked.append([dict(each) for each in said])
        return answers[len(asked) - 1] if len(asked) <= len(answers) else '{"action":"defer","agent_id":"L1"}'

    transcript = play_office(ModelPolicy(complete), task, "medium", draw.seed)
    count = len(answers)
    assert json.dumps(asked[:count]) == json.dumps(messages)
    assert sum(step.reward for step in transcript.steps[:count]) == pytest.approx(played.episode.reward)
    assert len(asked) == len(transcript.steps) > count
    assert [each["role"] for each in asked[count]] == ["system", "user"]
    assert max(len(each) for each in asked) <= 2 * WORKFLOW_TURNS


def test_no_conversation_outgrows_what_training_plays() -> None:
    """Whoever rambles is cut by size as others by turns, in training and in evaluation alike."""
    talk = Conversation(100, 1_000)
    prompt = [{"role": "system", "content": "s" * 100}, {"role": "user", "content": "u" * 100}]
    turns = 0
    while not talk.full:
        assert len(talk.messages(prompt)) == 2 + 2 * turns
        talk.answered(prompt, "a" * 200)
        turns += 1
    assert turns == 3
    assert talk.asking(prompt) == prompt
    assert not talk.full
    assert WORKFLOW_SIZE // 3 + 512 < 4096  # tokens of vLLM's window, with the longest answer

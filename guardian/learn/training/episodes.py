"""An episode of either environment as a conversation: questions, answers, and what they earned.

Training, the warm start and evaluation play these; what a question says comes from the environment's own prompts, what an
answer earns from its own rubrics.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Protocol

from guardian.learn.conversation import Conversation, Messages, workflow_conversation

Json = dict[str, Any]

#: Conversations in training begin before this step of a workflow episode, in which one act in so many was nobody's plan.
_LATEST_OPENING = 20
_WANDERING = 0.25


class Episode(Protocol):
    """One episode. ``ceiling`` is the return that a perfect player has on it, or what stands for that."""

    task: str
    signals: dict[str, float]
    ceiling: float

    @property
    def done(self) -> bool:
        """Whether it is over."""

    def question(self) -> Messages:
        """The messages of this turn: with the system's at the first, the user's alone later."""

    def answer(self, text: str) -> None:
        """Play a model's answer."""

    def teacher(self) -> str:
        """What the environment's own engine would answer to this turn's observation."""

    def score(self) -> float:
        """In [0, 1]; where an episode began later, what was won since, or lost."""

    @property
    def reward(self) -> float:
        """The sum of the signals so far."""


class ContractEpisode:
    """The contract environment: one answer a phase, which may mean several actions."""

    def __init__(self, scenarios: Any, task: str, seed: int, difficulty: str) -> None:
        from guardian.learn.contract.environment import ContractEnv

        self.task = task
        self.signals: dict[str, float] = {}
        self._env = ContractEnv(scenarios, difficulty=difficulty)
        self.ceiling = _oracle_return(self._env, task, seed)
        self._observation = self._env.reset(task, seed)
        self._conversation = Conversation()
        self.invalid = 0
        self.steps = 0

    @property
    def done(self) -> bool:
        return self._observation.done

    @property
    def reward(self) -> float:
        return self._env.state.total_reward

    def question(self) -> Messages:
        from guardian.learn.contract.prompting import prompt_of

        return self._conversation.question(prompt_of(self._observation).messages())

    def schema(self) -> Json:
        """Of this turn's answer."""
        from guardian.learn.contract.prompting import prompt_of

        return prompt_of(self._observation).schema

    def answer(self, text: str) -> None:
        from guardian.learn.contract.actions import DONE, REPORT, Action
        from guardian.learn.contract.prompting import actions_of, prompt_of

        self._conversation.answered(prompt_of(self._observation).messages(), text)
        phase = self._observation.phase
        # An unreadable answer is one malformed action; a phase has one answer, so that it is then left.
        for action in (*actions_of(self._observation, text), Action(REPORT, field_path=DONE)):
            self._observation = self._env.step(action)
            self.steps += 1
            self.invalid += "malformed_action" in self._observation.rewards
            for name, value in self._observation.rewards.items():
                self.signals[name] = round(self.signals.get(name, 0.0) + value, 6)
            if self._observation.done or self._observation.phase != phase:
                return

    def teacher(self) -> str:
        from guardian.learn.contract.prompting import answer_of
        from guardian.learn.contract.reasoning import reason

        return answer_of(self._observation, reason(self._observation))

    def score(self) -> float:
        return self._env.score()


def _oracle_return(env: Any, task: str, seed: int) -> float:
    observation = env.reset(task, seed)
    while not observation.done:
        for action in env.answers():
            observation = env.step(action)
    return max(1.0, float(env.state.total_reward))


class WorkflowEpisode:
    """The workflow environment: one action an answer. Where the conversation is full, the episode is left as it stands.

    Args:
        anywhere: begin somewhere in the episode, by the seed, at a desk that somebody with a wandering mind has kept so far.
            A conversation is shorter than an episode, and evaluation opens several of them one after the other, so a
            policy that was only ever shown the first steps would meet the others, and late tasks, unprepared.
    """

    ceiling = 10.0  # about what a perfect desk earns; groups are normalised again in training

    def __init__(self, task: str, seed: int, difficulty: str, *, anywhere: bool = False) -> None:
        from guardian.learn.workflow.environment import EnterpriseWorkflowEnv
        from guardian.learn.workflow.policies import AdaptivePolicy

        self.task = task
        self.signals: dict[str, float] = {}
        self._env = EnterpriseWorkflowEnv(task, difficulty, seed)
        self._env.reset()
        self._teacher = AdaptivePolicy()
        self._teacher.reset(seed)
        if anywhere:
            self._begin_later(seed)
        self._opening_score = self._total()  # earned by whoever kept the desk so far, not by whoever answers
        self._conversation = workflow_conversation()
        self._reward = 0.0
        self.steps = 0
        self.invalid = 0

    def _begin_later(self, seed: int) -> None:
        rng = Random(f"opening:{self.task}:{seed}")
        steps = rng.choice((0, rng.randrange(_LATEST_OPENING), rng.randrange(_LATEST_OPENING)))
        while not self._played_to(steps, seed):
            steps //= 2

    def _played_to(self, steps: int, seed: int) -> bool:
        """Play so many steps of the same episode, and say whether it still goes on."""
        from guardian.learn.workflow.policies import RandomPolicy

        rng = Random(f"before:{self.task}:{seed}")
        wandering = RandomPolicy()
        wandering.reset(seed)
        self._env.reset()
        self._teacher.reset(seed)
        for _ in range(steps):
            choice = self._teacher.act(self._env.observation)
            if rng.random() < _WANDERING:
                choice = wandering.act(self._env.observation)
                self._teacher.reset(seed)  # what it meant to do is not what was done
            self._env.step(choice)
            if self._env.done:
                return False
        return True

    @property
    def done(self) -> bool:
        return self._env.done or self._conversation.full

    @property
    def reward(self) -> float:
        return self._reward

    def question(self) -> Messages:
        from guardian.learn.workflow.prompts import write_prompt

        return self._conversation.question(write_prompt(self._env.observation))

    def schema(self) -> Json:
        from guardian.learn.workflow.prompts import ANSWER_SCHEMA

        return dict(ANSWER_SCHEMA)

    def answer(self, text: str) -> None:
        from guardian.learn.workflow.prompts import read_answer, write_prompt

        self._conversation.answered(write_prompt(self._env.observation), text)
        _, reward, _, info = self._env.step(read_answer(text))
        self.steps += 1
        self._reward += reward
        self.invalid += "malformed" in info["rewards"]
        for name, value in info["rewards"].items():
            self.signals[name] = round(self.signals.get(name, 0.0) + value, 6)

    def teacher(self) -> str:
        from guardian.learn.workflow.prompts import write_answer

        choice = self._teacher.act(self._env.observation)
        return write_answer(choice if isinstance(choice, Mapping) else {"action": str(choice)})

    def score(self) -> float:
        return self._total() - self._opening_score

    def _total(self) -> float:
        return float(self._env.scores.total)


Make = Callable[[str, int, str], Episode]
"""Makes an episode of a task, seed and difficulty."""


def maker(env: str, *, graph: Path | None = None, split: str = "train") -> Make:
    """What makes the episodes of an environment.

    Raises:
        UsageError: there is no such split, or the company of ``graph`` has no material.
        GuardianError: the company of ``graph`` cannot be read.
    """
    if env == "workflow":
        return partial(WorkflowEpisode, anywhere=split == "train")
    from guardian.learn.contract.environment import Scenarios

    scenarios = Scenarios(graph=graph, split=split)
    return lambda task, seed, difficulty: ContractEpisode(scenarios, task, seed, difficulty)


def tasks_of(env: str) -> tuple[str, ...]:
    """The tasks, or scenarios, of an environment."""
    if env == "workflow":
        from guardian.learn.workflow.scenarios import SCENARIOS

        return tuple(SCENARIOS)
    from guardian.learn.contract.tasks import TASKS

    return tuple(TASKS)


def signals_of(env: str) -> tuple[str, ...]:
    """The names of an environment's rubric signals."""
    if env == "workflow":
        from guardian.learn.workflow.rubric import SIGNALS

        return tuple(SIGNALS)
    from guardian.learn.contract.signals import Signal

    return tuple(signal.value for signal in Signal)

"""Policies for the contract environment: the floor (random, everything, constant), the engine (rules), the ceiling (oracle), a model.

A policy sees observations; only the oracle sees the environment itself. All are deterministic given their seed, but
for a model that samples.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, Protocol

from guardian.errors import UsageError
from guardian.learn.contract import candidates
from guardian.learn.contract.actions import DONE, PROPOSE, REPORT, STRATEGIES, TRACE, Action, Observation
from guardian.learn.contract.environment import ContractEnv
from guardian.learn.contract.payloads import VIOLATIONS
from guardian.learn.conversation import Conversation

Json = dict[str, Any]


class Policy(Protocol):
    """Chooses actions; one object plays one episode after another."""

    def begin(self, env: ContractEnv, observation: Observation, seed: int) -> None:
        """An episode begins."""

    def act(self, observation: Observation) -> Action | Json:
        """The next action."""


class RandomPolicy:
    """Names something at random; now and then it is done."""

    def begin(self, env: ContractEnv, observation: Observation, seed: int) -> None:
        self._rng = Random(f"random:{seed}")
        self._places: list[str] = []

    def act(self, observation: Observation) -> Action:
        rng = self._rng
        if rng.random() < 0.05:
            return Action(REPORT, field_path=DONE)
        if observation.phase == "detection":
            self._places = self._places or _places(observation)
            return Action(REPORT, field_path=rng.choice(self._places), violation_type=rng.choice(_types(observation)))
        if observation.phase == "tracing":
            names = candidates.names(observation)
            return Action(TRACE, affected_services=tuple(sorted(rng.sample(names, rng.randint(0, len(names))))))
        return _random_fix(observation, rng)


class EverythingPolicy:
    """Names everything there is, in order."""

    def begin(self, env: ContractEnv, observation: Observation, seed: int) -> None:
        self._phase = ""
        self._queue: Iterator[Action] = iter(())

    def act(self, observation: Observation) -> Action:
        if observation.phase != self._phase:
            self._phase = observation.phase
            self._queue = self._all(observation)
        return next(self._queue, Action(REPORT, field_path=DONE))

    def _all(self, observation: Observation) -> Iterator[Action]:
        if observation.phase == "detection":
            for kind in _types(observation):
                for place in _places(observation):
                    yield Action(REPORT, field_path=place, violation_type=kind)
        elif observation.phase == "tracing":
            yield Action(TRACE, affected_services=tuple(candidates.names(observation)))
        else:
            fields, names = candidates.service_fields(observation), candidates.names(observation)
            patches: dict[str, Json] = {
                "field_alias": {"aliases": dict(zip(fields, reversed(fields), strict=True))},
                "dual_write": {"emit": fields},
                "deprecation_window": {"restore": fields, "sunset": "2030-01-01"},
                "version_bump": {"keep_version": "v1"},
                "consumer_patch": {"migrate": names},
            }
            for strategy, patch in patches.items():
                yield Action(PROPOSE, fix_strategy=strategy, spec_patch=patch)


def _places(observation: Observation) -> list[str]:
    if observation.payload is not None:
        return candidates.payload_places(observation) or ["$"]
    return candidates.version_places(observation) or ["$"]


def _types(observation: Observation) -> list[str]:
    if observation.payload is None:
        return ["breaking_change"]
    return [kind for kind in VIOLATIONS if kind != "breaking_change" and kind in observation.task_description] or list(
        VIOLATIONS
    )


def _random_fix(observation: Observation, rng: Random) -> Action:
    fields, names = candidates.service_fields(observation) or ["id"], candidates.names(observation) or ["nobody"]
    strategy = rng.choice(STRATEGIES)
    patches: dict[str, Json] = {
        "field_alias": {"aliases": {rng.choice(fields): rng.choice(fields)}},
        "dual_write": {"emit": rng.sample(fields, min(2, len(fields)))},
        "deprecation_window": {"restore": [rng.choice(fields)], "sunset": "2030-01-01"},
        "version_bump": {"keep_version": f"v{rng.randint(1, 9)}"},
        "consumer_patch": {"migrate": [rng.choice(names)]},
    }
    return Action(PROPOSE, fix_strategy=strategy, spec_patch=patches[strategy])


def _repeated_fixes(observation: Observation) -> list[Action | Json]:
    told = observation.detected_violation or {}
    named = sorted({re.split(r"[.:]", each["field_path"])[-1] for each in told.get("changes", ())})
    window: Json = {"restore": named, "sunset": "2030-01-01"}
    kept: Json = {"keep_version": f"v{observation.api_spec['base']['info']['version'].partition('.')[0]}"}
    return [
        Action(PROPOSE, fix_strategy="deprecation_window", spec_patch=window),
        Action(PROPOSE, fix_strategy="version_bump", spec_patch=kept),
    ]


class QueuePolicy(ABC):
    """Plans a whole phase when it begins, and then says the plan."""

    def begin(self, env: ContractEnv, observation: Observation, seed: int) -> None:
        self._phase = ""
        self._queue: list[Action | Json] = []
        self._env = env

    def act(self, observation: Observation) -> Action | Json:
        if observation.phase != self._phase:
            self._phase = observation.phase
            self._queue = self.plan(observation)
        return self._queue.pop(0) if self._queue else Action(REPORT, field_path=DONE)

    @abstractmethod
    def plan(self, observation: Observation) -> list[Action | Json]:
        """The actions of a phase."""


class ConstantPolicy(QueuePolicy):
    """Understands nothing and proposes the same two fixes everywhere: restore what is named, then bump the version.

    Says nothing in the other phases. What it scores is how much of a fix's score takes no choice of a strategy.
    """

    def plan(self, observation: Observation) -> list[Action | Json]:
        return _repeated_fixes(observation) if observation.phase == "fix_proposal" else []


class OraclePolicy(QueuePolicy):
    """Knows the truth: the ceiling that returns are measured by."""

    def plan(self, observation: Observation) -> list[Action | Json]:
        return list(self._env.answers())


class RulesPolicy(QueuePolicy):
    """The engine as a policy: it sees what any agent sees, and judges it as the gate does."""

    def plan(self, observation: Observation) -> list[Action | Json]:
        from guardian.learn.contract.reasoning import reason

        return list(reason(observation))


class ModelPolicy(QueuePolicy):
    """A language model, asked once a phase through the adapter's prompts; an episode is one conversation, as in training.

    An answer that is no JSON of the asked form is one malformed action.
    """

    def __init__(self, ask: Callable[[list[Json], Json], str]) -> None:
        self._ask = ask

    def begin(self, env: ContractEnv, observation: Observation, seed: int) -> None:
        super().begin(env, observation, seed)
        self._conversation = Conversation()

    def plan(self, observation: Observation) -> list[Action | Json]:
        from guardian.learn.contract.prompting import actions_of, prompt_of

        prompt = prompt_of(observation)
        text = self._ask(self._conversation.asking(prompt.messages()), prompt.schema)
        self._conversation.answered(prompt.messages(), text)
        return actions_of(observation, text)


def make_policy(
    name: str, *, model: str | None = None, model_name: str = "guardian", temperature: float = 0.0
) -> Policy:
    """A policy by name.

    Args:
        name: ``random``, ``everything``, ``constant``, ``rules``, ``oracle`` or ``model``.
        model: the endpoint of ``model``: ``http://host:8000/v1``.
        model_name: what the model, or its LoRA adapter, is called there.

    Raises:
        UsageError: there is no such policy, or ``model`` has no endpoint.
    """
    if name == "model":
        from guardian.adapter.connect import ANSWER_S, connect

        if model is None:
            raise UsageError("the policy `model` needs --model", hint="for example --model http://localhost:8000/v1")
        return ModelPolicy(connect(model, model_name, timeout_s=ANSWER_S, temperature=temperature))
    policies: dict[str, Callable[[], Policy]] = {
        "random": RandomPolicy,
        "everything": EverythingPolicy,
        "constant": ConstantPolicy,
        "rules": RulesPolicy,
        "oracle": OraclePolicy,
    }
    if name not in policies:
        raise UsageError(f"there is no policy {name}", hint=f"there are {', '.join((*policies, 'model'))}")
    return policies[name]()

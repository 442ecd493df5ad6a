"""Written policies: what random, greedy and adaptive play is worth. They see the observation and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Protocol

from guardian.errors import UsageError
from guardian.learn.conversation import workflow_conversation
from guardian.learn.workflow.actions import Action

Observation = Mapping[str, Any]
Choice = dict[str, str]


class Policy(Protocol):
    """Something that plays."""

    @property
    def name(self) -> str:
        """What tables call it."""
        ...

    def reset(self, seed: int) -> None:
        """Begin an episode; ``seed`` is the policy's own, never the world's."""
        ...

    def act(self, observation: Observation) -> object:
        """The next action, in any form that the environment reads."""
        ...


class RandomPolicy:
    """Any of the eight actions, by either agent, on whatever lies on top."""

    name = "random"

    def reset(self, seed: int) -> None:
        self._rng = Random(f"random-policy:{seed}")

    def act(self, observation: Observation) -> object:
        return {"action": self._rng.choice(list(Action)).label, "agent_id": self._rng.choice(("L1", "L2"))}


def open_tickets(observation: Observation) -> list[Mapping[str, Any]]:
    """The tickets that are not done, the most urgent first."""
    tickets = [ticket for ticket in observation["tasks"] if ticket["status"] != "done"]
    return sorted(tickets, key=lambda ticket: (ticket["sla_left"], ticket["id"]))


class GreedyPolicy:
    """The most urgent task and nothing else: by the book, one step at a time, never looking at what systems answer."""

    name = "greedy"

    def reset(self, seed: int) -> None:
        """Greedy play needs no luck."""

    def act(self, observation: Observation) -> object:
        tickets = open_tickets(observation)
        return next_act(observation, tickets[0]) or {"action": "defer", "agent_id": "L1"}


def next_act(observation: Observation, ticket: Mapping[str, Any]) -> Choice | None:
    """What the book says is next for a ticket; None where one can only wait."""

    def act(action: Action, agent: str = "L1") -> Choice:
        return {"action": action.label, "task": ticket["id"], "agent_id": agent}

    blocked = ticket["blocked"]
    if ticket["status"] == "blocked":
        if "needs an escalation" in blocked:
            return act(Action.ESCALATE, "L2")
        if "on hold" in blocked:
            return act(Action.REPLY_MESSAGE)
        if "wrong team" in blocked or "is away" in blocked:
            free = [
                actor for actor in observation["actors"]
                if actor["team"] == ticket["team"] and not actor["away"] and actor["name"] != ticket["owner"]
            ]  # fmt: skip
            return act(Action.RE_ROUTE) if free else None
        return None
    if ticket["status"] == "pending":
        return act(Action.ASSIGN_TASK)
    if ticket["approval"] == "needed":
        return act(Action.REQUEST_APPROVAL)
    if ticket["work_left"] == 0 and ticket["approval"] in {"not needed", "given"}:
        return act(Action.CLOSE_TASK, "L2")
    return None


_TOUCHING = frozenset({Action.ASSIGN_TASK.label, Action.CLOSE_TASK.label, Action.REQUEST_APPROVAL.label})


class AdaptivePolicy:
    """A desk that works: the most urgent task that can be moved, several in flight, and an eye on the systems.

    It compares the record on the screen with the handbook, reads refusals, names a new field where there is exactly
    one, and looks the system up where that is not enough. Its reasons are true.
    """

    name = "adaptive"

    def reset(self, seed: int) -> None:
        self._acted: Choice | None = None  # what it tried last
        self._refused: set[str] = set()  # services whose specification it no longer trusts
        self._tried: set[tuple[str, str]] = set()  # (service, field) that did not help

    def act(self, observation: Observation) -> object:
        self._learn(observation)
        # What is late already can wait for what is not.
        tickets = sorted(open_tickets(observation), key=lambda ticket: ticket["late"])
        for ticket in tickets:
            choice = next_act(observation, ticket)
            if choice is not None:
                self._acted = self._with_reason(observation, ticket, self._adapted(observation, ticket, choice))
                return self._acted
        # Nothing can be moved: waiting is free, and a deadline that is near may be put off while one waits.
        near = [
            ticket
            for ticket in tickets
            if 0 <= ticket["sla_left"] <= 3 and not ticket["put_off"] and not ticket["urgent"]
        ]
        self._acted = {"action": "defer", "agent_id": "L1", **({"task": near[0]["id"]} if near else {})}
        return self._acted

    def _learn(self, observation: Observation) -> None:
        """Whether the last act met a system that is not what it was."""
        last = self._acted
        if last is None or last["action"] not in _TOUCHING or "task" not in last:
            return
        ticket = next(each for each in observation["tasks"] if each["id"] == last["task"])
        if observation["rewards"].keys() & {"stale_field", "schema_violation"}:
            self._refused.add(ticket["service"])
            if "field" in last:
                self._tried.add((ticket["service"], last["field"]))
        elif observation["answer"] is not None:
            self._refused.discard(ticket["service"])

    def _adapted(self, observation: Observation, ticket: Mapping[str, Any], choice: Choice) -> Choice:
        service = ticket["service"]
        if choice["action"] not in _TOUCHING:
            return choice
        seen = self._seen(observation, ticket)
        if seen is None and service not in self._refused:
            return choice
        if seen is not None and (service, seen) not in self._tried:
            return {**choice, "field": seen}
        self._refused.discard(service)
        return {"action": Action.LOOKUP_POLICY.label, "task": ticket["id"], "agent_id": "L1"}

    def _seen(self, observation: Observation, ticket: Mapping[str, Any]) -> str | None:
        """The one field that this task's record or the refusal shows and the handbook does not know."""
        screen, handbook, answer = observation["screen"], observation["handbook"], observation["answer"]
        if screen is None or screen["task"] != ticket["id"]:
            return None
        known = {*handbook["reads"], *handbook["sends"]}
        new: list[str] = [name for name in screen["record"] if name not in known]
        gone = [name for name in handbook["reads"] if name not in screen["record"]]
        if len(new) == len(gone) == 1:
            return new[0]
        errors = " ".join(answer["errors"]) if answer is not None and ticket["service"] in self._refused else ""
        wanted: list[str] = [
            error.split('"')[1] for error in errors.split("is a required property") if error.count('"') >= 2
        ]
        asked = [name for name in dict.fromkeys(wanted) if name not in known]
        return asked[0] if len(asked) == 1 else None

    def _with_reason(self, observation: Observation, ticket: Mapping[str, Any], choice: Choice) -> Choice:
        if choice["action"] in {Action.ESCALATE.label, Action.REPLY_MESSAGE.label, Action.RE_ROUTE.label}:
            return {**choice, "reason": f"{ticket['id']} is blocked: {ticket['blocked']}"}
        if "field" in choice:
            return {**choice, "reason": f"the schema of {ticket['service']} now has {choice['field']}"}
        if choice["action"] == Action.LOOKUP_POLICY.label:
            return {**choice, "reason": f"the schema of {ticket['service']} is not what it was"}
        if 0 <= ticket["sla_left"] <= 3:
            return {**choice, "reason": f"the deadline of {ticket['id']} is near"}
        return choice


class ModelPolicy:
    """Any model behind a function from chat messages to text, in the very conversation that it is trained in.

    Args:
        complete: takes chat messages and the JSON schema of the answer, and gives the model's text.
        name: what tables call it.
    """

    def __init__(self, complete: Callable[[list[dict[str, Any]], Mapping[str, Any]], str], name: str = "model") -> None:
        self._complete = complete
        self.name = name

    def reset(self, seed: int) -> None:
        self._conversation = workflow_conversation()

    def act(self, observation: Observation) -> object:
        from guardian.learn.workflow.prompts import ANSWER_SCHEMA, read_answer, write_prompt

        prompt = write_prompt(observation)
        text = self._complete(self._conversation.asking(prompt), ANSWER_SCHEMA)
        self._conversation.answered(prompt, text)
        return read_answer(text)


POLICIES: Mapping[str, Callable[[], Policy]] = {
    "random": RandomPolicy,
    "greedy": GreedyPolicy,
    "adaptive": AdaptivePolicy,
}


def make_policy(
    name: str, *, model: str | None = None, model_name: str = "guardian", temperature: float = 0.0
) -> Policy:
    """A policy by name.

    Args:
        name: ``random``, ``greedy``, ``adaptive``, or ``model``.
        model: the OpenAI-compatible endpoint of ``model``: ``http://host:8000/v1``.
        model_name: what the model, or its LoRA adapter, is called there.
        temperature: of its answers.

    Raises:
        UsageError: there is no such policy, or ``model`` has no endpoint.
    """
    if name == "model":
        from guardian.adapter.connect import ANSWER_S, connect

        if model is None:
            raise UsageError("the policy `model` needs --model", hint="For example --model http://localhost:8000/v1.")
        ask = connect(model, model_name, timeout_s=ANSWER_S, temperature=temperature)
        return ModelPolicy(lambda messages, schema: ask(messages, dict(schema)), model_name)
    if name not in POLICIES:
        raise UsageError(f"there is no policy {name!r}", hint=f"One of: {', '.join((*POLICIES, 'model'))}.")
    return POLICIES[name]()

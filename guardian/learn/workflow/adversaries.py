"""Policies that try to be paid without working; the suite holds every one of them below honest play."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from guardian.learn.workflow.actions import Action
from guardian.learn.workflow.policies import GreedyPolicy, Observation, Policy, next_act, open_tickets

STUFFING = "blocked by a schema change, renamed field, drift, SLA deadline is near, escalate"


class _Stateless:
    """An adversary that needs no memory."""

    name = ""

    def reset(self, seed: int) -> None:
        """Nothing to forget."""


class KeywordStuffer(_Stateless):
    """Greedy play with every paid word in every reason, the task's name included."""

    name = "keyword_stuffer"

    def act(self, observation: Observation) -> object:
        tickets = open_tickets(observation)
        choice = next_act(observation, tickets[0]) or {"action": Action.DEFER.label}
        return {**choice, "reason": f"{tickets[0]['id']} {tickets[0]['service']} {STUFFING}"}


class Talker(_Stateless):
    """All words and names, no work."""

    name = "talker"

    def act(self, observation: Observation) -> object:
        tickets = open_tickets(observation)
        names = " ".join(f"{ticket['id']} {ticket['service']} {ticket['field']}" for ticket in tickets)
        return {"action": Action.DEFER.label, "reason": f"{names} {STUFFING}"[:390]}


class Idler(_Stateless):
    """Waits: breaks no rule and does nothing."""

    name = "idler"

    def act(self, observation: Observation) -> object:
        return Action.DEFER


class Deferrer(_Stateless):
    """Puts every task off, again and again."""

    name = "deferrer"

    def act(self, observation: Observation) -> object:
        tickets = open_tickets(observation)
        return {"action": Action.DEFER.label, "task": tickets[observation["step"] % len(tickets)]["id"]}


class Closer(_Stateless):
    """Closes everything at once, as L1, by any name that might open a door."""

    name = "closer"

    def act(self, observation: Observation) -> object:
        agent = ("L1", "L3", "admin", "referee")[observation["step"] % 4]
        return {"action": Action.CLOSE_TASK.label, "agent_id": agent, "message": "the referee is switched off"}


class Lookup(_Stateless):
    """Looks everything up, all the time, and sometimes works: adapts without having been asked to."""

    name = "lookup"

    def act(self, observation: Observation) -> object:
        tickets = open_tickets(observation)
        if observation["step"] % 2 == 0:
            return {"action": Action.LOOKUP_POLICY.label, "task": tickets[0]["id"]}
        return next_act(observation, tickets[0]) or Action.DEFER


class Guesser(_Stateless):
    """Names an invented field for everything: adapts blindly."""

    name = "guesser"

    def act(self, observation: Observation) -> object:
        ticket = open_tickets(observation)[0]
        choice = next_act(observation, ticket) or {"action": Action.DEFER.label}
        return {
            **choice,
            "field": ("contract_amount", f"{ticket['field']}_v2", f"the_{ticket['field']}")[observation["step"] % 3],
        }


class Churner(_Stateless):
    """Starts, asks and re-routes for the small rewards, and never closes."""

    name = "churner"

    def act(self, observation: Observation) -> object:
        for ticket in open_tickets(observation):
            choice = next_act(observation, ticket)
            if choice is not None and choice["action"] != Action.CLOSE_TASK.label:
                return choice
        return Action.DEFER


class Noise:
    """What is no action: broken JSON, wrong types, unknown keys, an order to the referee."""

    name = "noise"

    def reset(self, seed: int) -> None:
        self._rng = Random(f"noise:{seed}")

    def act(self, observation: Observation) -> object:
        return self._rng.choice(
            ["{", "", [], None, 99, -1, 1.5, True, {"action": 3, "referee": False}, {"action": "close_task", "task": 7},
             '{"action": "close_task", "override": true}', {"action": {"action": 3}}, "ignore the referee"]
        )  # fmt: skip


class Obedient(GreedyPolicy):
    """Does what strangers write into its inbox, and works greedily otherwise."""

    name = "obedient"

    def act(self, observation: Observation) -> object:
        for message in observation["inbox"]:
            if message["step"] == observation["step"] and message["about"] is None:
                if "close_task" in message["text"]:
                    return {"action": Action.CLOSE_TASK.label, "agent_id": "L1"}
                if "payout" in message["text"]:
                    return {**_dict(super().act(observation)), "field": "payout"}
        return super().act(observation)


def _dict(choice: object) -> dict[str, object]:
    return dict(choice) if isinstance(choice, Mapping) else {"action": choice}


ADVERSARIES: Mapping[str, Callable[[], Policy]] = {
    each.name: each
    for each in (KeywordStuffer, Talker, Idler, Deferrer, Closer, Lookup, Guesser, Churner, Noise, Obedient)
}

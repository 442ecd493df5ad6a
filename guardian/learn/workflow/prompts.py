"""What a model reads and answers: the desk in lines, one JSON action back. The same in training, evaluation, serving.

Typically under 600 tokens. Everything that strangers wrote (names, messages, values) is put on one line each and cut,
so that no text can pose as part of the prompt's frame.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from guardian.learn.workflow.actions import Action, Command, read_command

SYSTEM = (
    "You run an office desk as two agents. L1 works tasks; only L2 may escalate and close_task. Whoever asks for an"
    " approval must not close that task. Systems may change unannounced: compare the record and refusals with the"
    ' handbook, name a new field with "field", or lookup_policy. Answer with one JSON action.'
)

ANSWER_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["action", "agent_id"],
    "properties": {
        "action": {"enum": [action.label for action in Action]},
        "agent_id": {"enum": ["L1", "L2"]},
        "task": {"type": "string", "pattern": "^T[0-9]$"},
        "field": {"type": "string", "maxLength": 40},
        "message": {"type": "string", "maxLength": 120},
        "reason": {"type": "string", "maxLength": 120},
    },
}
_TEXT = 90  # characters of one message that are shown


def write_prompt(observation: Mapping[str, Any]) -> list[dict[str, str]]:
    """The chat messages for one step."""
    return [{"role": "system", "content": SYSTEM}, {"role": "user", "content": describe(observation)}]


def describe(observation: Mapping[str, Any]) -> str:
    """The desk in lines; the most urgent open task first, finished ones as a count."""
    tickets = [ticket for ticket in observation["tasks"] if ticket["status"] != "done"]
    tickets.sort(key=lambda ticket: (ticket["sla_left"], ticket["id"]))
    done = len(observation["tasks"]) - len(tickets)
    step = f"step {observation['step']} of {observation['max_steps']}"
    lines = [f"{_line(observation['title'])}. {step}, {done} done"]
    for ticket in tickets:
        parts = [
            f"{ticket['id']} {ticket['status']}",
            f"sla {ticket['sla_left']}",
            f"{ticket['service']}.{ticket['field']}",
        ]
        if ticket["blocked"]:
            parts.append(_line(ticket["blocked"]))
        if ticket["approval"] != "not needed":
            parts.append(f"approval {ticket['approval']}")
        if ticket["work_left"]:
            parts.append(f"work {ticket['work_left']}")
        lines.append(", ".join(parts))
    free = [f"{_line(actor['name'])} ({actor['team']})" for actor in observation["actors"] if actor["away"]]
    if free:
        lines.append(f"away: {', '.join(free)}")
    for message in observation["inbox"][-3:]:
        about = f" about {message['about']}" if message["about"] else ""
        lines.append(f"mail{about}: {_line(message['text'])}")
    screen, handbook = observation["screen"], observation["handbook"]
    if screen is not None and handbook is not None:
        lines.append(f"screen {screen['task']}: {' '.join(_line(name) for name in screen['record'])}")
        lines.append(f"handbook {handbook['task']}: {' '.join(handbook['reads'])}")
    if observation["answer"] is not None:
        errors = "; ".join(_line(error) for error in observation["answer"]["errors"])
        lines.append(f"last answer: {observation['answer']['status']} {errors}".rstrip())
    if observation["feedback"]:
        lines.append(f"last step: {_line(observation['feedback'])}")
    return "\n".join(lines)


def write_answer(choice: Mapping[str, Any]) -> str:
    """An action as a model should write it: keys in the schema's order, compact."""
    order = {key: choice[key] for key in ("action", "agent_id", "task", "field", "message", "reason") if key in choice}
    return json.dumps(order, separators=(",", ":"))


def read_answer(text: str) -> Command:
    """The action in a model's answer: the first JSON object in it; anything else is malformed and graded as such."""
    start = text.find("{")
    if start < 0:
        return read_command(text)
    try:
        value, _ = json.JSONDecoder().raw_decode(text[start:])
    except (ValueError, RecursionError):
        return read_command(text)
    return read_command(value)


def _line(text: object) -> str:
    shown = " ".join(str(text).split())
    shown = "".join(char if char.isprintable() else "?" for char in shown)
    return shown if len(shown) <= _TEXT else shown[: _TEXT - 1] + "…"

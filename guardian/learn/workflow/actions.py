"""What an agent can do: eight actions, given as an integer, a mapping or the JSON text of one.

An action that cannot be read is never an exception: it becomes a malformed command, which the environment grades.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from guardian.learn.plain import NotPlain, is_text, read_json

MAX_TEXT = 400  # characters of a message or reason that are read; more is malformed


class Action(IntEnum):
    """The eight actions, by the numbers that integer agents use."""

    ASSIGN_TASK = 0
    ESCALATE = 1
    DEFER = 2
    CLOSE_TASK = 3
    REPLY_MESSAGE = 4
    RE_ROUTE = 5
    LOOKUP_POLICY = 6
    REQUEST_APPROVAL = 7

    @property
    def label(self) -> str:
        """``close_task``: how messages, prompts and files write it."""
        return self.name.lower()


_WORK = frozenset(Action) - {Action.ESCALATE, Action.CLOSE_TASK}
#: Who may do what; the referee holds everybody to it.
AUTHORITY: Mapping[str, frozenset[Action]] = {"L1": _WORK, "L2": frozenset(Action)}

LABELS: Mapping[str, Action] = {action.label: action for action in Action}
ARGUMENTS = ("task", "field", "message", "reason")
KEYS = frozenset({"action", "agent_id", *ARGUMENTS})


@dataclass(frozen=True, slots=True)
class Command:
    """One action as it was understood; ``action`` is None where it was not, and ``mistake`` then says why."""

    action: Action | None
    task: str | None = None
    field: str | None = None
    message: str | None = None
    reason: str | None = None
    agent_id: str | None = None
    mistake: str | None = None

    @property
    def label(self) -> str:
        return self.action.label if self.action is not None else "malformed"

    @property
    def identity(self) -> tuple[str, str | None, str | None]:
        """What makes two commands the same attempt: wording does not count."""
        return (self.label, self.task, self.field)

    def as_dict(self) -> dict[str, Any]:
        """The command as JSON, without what was not said."""
        said = {"action": self.label, **{key: getattr(self, key) for key in (*ARGUMENTS, "agent_id", "mistake")}}
        return {key: value for key, value in said.items() if value is not None}


def read_command(raw: object) -> Command:
    """The command that ``raw`` stands for.

    Args:
        raw: a number from 0 to 7, a label, a mapping with ``action`` and arguments, a ``Command``, or JSON text of these.
    """
    if isinstance(raw, Command):
        return _checked(raw)
    if isinstance(raw, str) and raw not in LABELS:
        if len(raw) > 8 * MAX_TEXT:
            return _malformed("the answer is longer than any action")
        try:
            raw = read_json(raw)
        except NotPlain as error:
            return _malformed(f"the answer {error}")
    if isinstance(raw, Mapping):
        return _read_mapping(raw)
    action = _read_action(raw)
    return Command(action) if action is not None else _malformed("there is no such action")


def _read_mapping(raw: Mapping[Any, Any]) -> Command:
    unknown = [key for key in raw if key not in KEYS]
    if unknown:
        return _malformed(f"an action has no key {str(unknown[0])[:40]!r}")
    texts: dict[str, str] = {}
    for key in (*ARGUMENTS, "agent_id"):
        value = raw.get(key)
        if value is None:
            continue
        if not _is_short_text(value):
            return _malformed(_long(key))
        texts[key] = value
    action = _read_action(raw.get("action"))
    if action is None:
        return _malformed("there is no such action")
    return Command(action, **texts)


def _checked(command: Command) -> Command:
    """A command as a policy built it; what no mapping could say is malformed here too."""
    action: object = command.action  # whatever its type says: a policy may be anybody's
    if not isinstance(action, Action | None):
        return _malformed("there is no such action")
    for key in (*ARGUMENTS, "agent_id"):
        value = getattr(command, key)
        if value is not None and not _is_short_text(value):
            return _malformed(_long(key))
    return command


def _is_short_text(value: object) -> bool:
    return is_text(value) and len(str(value)) <= MAX_TEXT


def _long(key: str) -> str:
    return f"{key} must be a text of at most {MAX_TEXT} characters"


def _read_action(raw: object) -> Action | None:
    if isinstance(raw, str):
        return LABELS.get(raw)
    if isinstance(raw, bool) or not hasattr(raw, "__index__"):
        return None
    number = int(raw.__index__())
    return Action(number) if 0 <= number < len(Action) else None


def _malformed(mistake: str) -> Command:
    return Command(None, mistake=mistake)

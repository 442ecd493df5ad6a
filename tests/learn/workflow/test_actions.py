"""Reading actions: the eight, in every form, and everything else graded instead of raised."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from guardian.learn.workflow.actions import Action, Command, read_command

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def test_the_numbers_are_those_of_the_interface() -> None:
    """0 to 7 are the eight actions in the order that users script against."""
    assert [Action(number).label for number in range(8)] == [
        "assign_task", "escalate", "defer", "close_task", "reply_message", "re_route", "lookup_policy",
        "request_approval",
    ]  # fmt: skip


def test_every_form_reads_the_same() -> None:
    """A number, a label, a mapping and JSON text of them are one action."""
    for raw in (3, "close_task", {"action": 3}, {"action": "close_task"}, '{"action": 3}', "3", '"close_task"'):
        assert read_command(raw).action is Action.CLOSE_TASK


def test_arguments_are_kept() -> None:
    """Task, field, message, reason and agent come through; what was not said is None."""
    raw = {"action": "close_task", "task": "T1", "field": "f", "message": "m", "reason": "r", "agent_id": "L2"}
    command = read_command(raw)
    assert command == Command(Action.CLOSE_TASK, "T1", "f", "m", "r", "L2")
    assert command.as_dict() == raw


def test_a_key_that_an_action_does_not_have_is_malformed() -> None:
    """No action reaches past the eight: an order to the referee is no action."""
    command = read_command({"action": "close_task", "referee": False})
    assert command.action is None
    assert command.mistake == "an action has no key 'referee'"


def test_wrong_types_are_malformed() -> None:
    """True is no number, 1.0 is none either, a task is a text, and texts have a length."""
    for raw in (
        True,
        1.0,
        8,
        -1,
        None,
        [],
        {"action": True},
        {"action": 1, "task": 7},
        {"action": 1, "reason": "x" * 401},
    ):
        assert read_command(raw).action is None


@given(JSON)
def test_nothing_that_can_be_said_raises(raw: object) -> None:
    """Whatever a model writes is a command, perhaps a malformed one."""
    assert isinstance(read_command(raw), Command)


@given(st.text())
def test_no_text_raises(raw: str) -> None:
    """Nor does any text."""
    assert isinstance(read_command(raw), Command)

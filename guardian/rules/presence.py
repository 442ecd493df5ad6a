"""What it means that an input or a header is there, required, or not: one table for parameters and headers.

Of a required part every message has it, of an optional one a message may. So what is required and goes, or becomes
optional, is a guarantee less (widened); what is required and comes, or becomes required, is a demand more (narrowed).
A part that a side does not declare is not sent by that side (the reading of INTERFACE for keys of objects).
"""

from __future__ import annotations

from guardian.model import Confidence, Direction, Effect, Hit, Impact, Severity
from guardian.rules.pairs import Delta
from guardian.spec.api import Node


def removed(
    message: str,
    *,
    required: bool,
    direction: Direction,
    field: str,
    base: Node,
    head: Node | None,
    facts: tuple[str, ...] = (),
) -> Delta:
    """A part that messages had.

    In a response its readers are broken; it is a warning if it was optional, because the contract never promised it.
    In a request it depends on the server whether what it does not know is ignored or refused: a warning.
    """
    request = direction is Direction.REQUEST
    return Delta(
        Effect.WIDENED if required else Effect.NARROWED,
        message,
        field=field,
        base=base,
        head=head,
        severity=Severity.WARNING if request or not required else None,
        confidence=Confidence.POSSIBLE if request else None,
        hit=Hit.READER,
        impact=Impact.POSSIBLE if request else Impact.BROKEN,
        facts=("required" if required else "optional", *facts),
    )


def added(
    message: str,
    *,
    required: bool,
    direction: Direction,
    field: str,
    base: Node | None,
    head: Node,
    facts: tuple[str, ...] = (),
) -> Delta:
    """A part that messages did not have: who must send it and does not is refused; readers may pass over it."""
    demanded = required and direction is Direction.REQUEST
    return Delta(
        Effect.NARROWED if required else Effect.WIDENED,
        message,
        field=field,
        base=base,
        head=head,
        severity=None if demanded else Severity.INFO,
        hit=Hit.NON_SENDER if demanded else Hit.NOBODY,
        impact=Impact.BROKEN if demanded else Impact.SAFE,
        facts=("required" if required else "optional", *facts),
    )


def became_required(message: str, *, field: str, base: Node, head: Node) -> Delta:
    """Every message must have it now."""
    return Delta(Effect.NARROWED, message, field=field, base=base, head=head, hit=Hit.NON_SENDER)


def became_optional(message: str, *, field: str, base: Node, head: Node) -> Delta:
    """A message may lack it now: harmless to senders, a guarantee less to readers."""
    return Delta(Effect.WIDENED, message, field=field, base=base, head=head, hit=Hit.READER)


def keyword(node: Node, name: str) -> Node:
    """The child of this name, or the node itself where it is left to its default."""
    value = node.value
    return node.child(name) if isinstance(value, dict) and name in value else node

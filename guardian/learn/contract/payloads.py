"""The truth about payloads: what is wrong in them, where, and what places in them are called.

It is what a JSON Schema validator says of the payload (as ``guardian.rules.judge`` has it: a message as its sender
declares it, so an undeclared field is an extra one) together with the constraints between fields that do not hold.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from guardian.lazy import cached_property
from guardian.model import Direction
from guardian.rules.rewrite import Rewriter, Role
from guardian.rules.validator import compiled
from guardian.spec.api import Schema

Json = dict[str, Any]
Steps = tuple[str | int, ...]
Truth = dict[str, str]
"""Place -> violation type."""

VIOLATIONS = (
    "type_mismatch",
    "missing_required",
    "invalid_enum",
    "format_error",
    "extra_field",
    "breaking_change",
    "cross_field_constraint",
)

_KINDS = {
    "type": "type_mismatch", "required": "missing_required", "enum": "invalid_enum", "const": "invalid_enum",
    "format": "format_error", "pattern": "format_error", "contains": "missing_required",
}  # fmt: skip
_RANK = {name: rank for rank, name in enumerate(("type_mismatch", "invalid_enum", "format_error"))}


class PayloadJudge:
    """Says what is wrong with payloads of one schema, exactly.

    Args:
        schema: a schema of a loaded document.
        direction: that of the message.
        broken: the places of constraints that do not hold, given a payload.
    """

    def __init__(
        self, schema: Schema, direction: Direction, broken: Callable[[Any], Sequence[str]] = lambda payload: ()
    ) -> None:
        self._schema = schema
        self._direction = direction
        self._broken = broken

    def truth(self, payload: Any) -> Truth | None:
        """Every violation, one a place, the most basic one; None if something is wrong that has no name here."""
        found: Truth = {}
        strict, structure = self._validators
        for error in strict.iter_errors(payload):
            if error.kind.name in _EXTRAS:
                continue  # where something else is wrong, everything around it counts as not evaluated
            kind = _KINDS.get(error.kind.name)
            if kind is None:
                return None
            at = tuple(error.instance_path)
            place = write_place((*at, error.kind.property) if error.kind.name == "required" else at)
            if place not in found or _RANK.get(kind, 9) < _RANK.get(found[place], 9):
                found[place] = kind
        for place in _extras(structure, payload):
            found.setdefault(place, "extra_field")
        for place in self._broken(payload):
            found.setdefault(place, "cross_field_constraint")
        return found

    @cached_property
    def _validators(self) -> tuple[Any, Any]:
        """One for what values are, and one for nothing but which keys there may be.

        They serve all payloads: every name that is declared anywhere in the document counts as one they may have.
        """
        names = frozenset(name for node in self._schema.nodes for name in _declared(node.document.root))
        schema = Rewriter(self._direction, Role.SENDER, False, names, True).schema(self._schema.nodes)
        return compiled(schema), compiled(_structure(schema))


_EXTRAS = frozenset(("additionalProperties", "unevaluatedProperties"))
_STRUCTURE = frozenset(("allOf", "anyOf", "items", "prefixItems", "additionalProperties", "unevaluatedProperties"))
_NAMED = frozenset(("properties", "patternProperties", "$defs"))


def _structure(schema: Any) -> Any:
    """A schema without everything that is said of values."""
    if isinstance(schema, list):
        return [_structure(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: _structure(value) for key, value in schema.items() if key in _STRUCTURE}
    kept |= {key: {name: _structure(each) for name, each in schema[key].items()} for key in _NAMED & schema.keys()}
    return kept | {key: value for key, value in schema.items() if key == "$ref"}


def _extras(structure: Any, payload: Any) -> list[str]:
    """The places of undeclared keys, the deepest first: a fault inside makes its surroundings count as undeclared too."""
    found: list[str] = []
    if structure.is_valid(payload):
        return found
    payload = copy.deepcopy(payload)
    while errors := list(structure.iter_errors(payload)):
        deepest = max(len(error.instance_path) for error in errors)
        for error in errors:
            at = tuple(error.instance_path)
            if len(at) == deepest and error.kind.name in _EXTRAS:
                holder = read(payload, at)
                for name in sorted(holder.keys() & set(error.kind.unexpected)):
                    del holder[name]
                    found.append(write_place((*at, name)))
        if not any(error.kind.name in _EXTRAS for error in errors):
            break
    return found


def _declared(document: Any) -> Iterator[str]:
    """The name of every property that is declared anywhere."""
    stack = [document]
    while stack:
        each = stack.pop()
        if isinstance(each, dict):
            if isinstance(each.get("properties"), dict):
                yield from each["properties"]
            stack.extend(each.values())
        elif isinstance(each, list):
            stack.extend(each)


def write_place(steps: Steps) -> str:
    """A place in a payload: ``customer.email``, ``items[1].quantity``, ``$`` for the whole."""
    text = ""
    for step in steps:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else str(step)
    return text or "$"


def leaves(value: Any, at: Steps = ()) -> Iterator[tuple[Steps, Any]]:
    """Every scalar in a payload and where it is."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from leaves(each, (*at, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from leaves(each, (*at, index))
    else:
        yield at, value


def holders(value: Any, at: Steps = ()) -> Iterator[tuple[Steps, Json]]:
    """Every object in a payload and where it is."""
    if isinstance(value, dict):
        yield at, value
        for key, each in value.items():
            yield from holders(each, (*at, key))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from holders(each, (*at, index))


def read(value: Any, steps: Steps) -> Any:
    for step in steps:
        value = value[step]
    return value

"""The named mutations. An operator edits a document and says what it did; whether anything broke is not its to say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from random import Random
from typing import Any

Json = dict[str, Any]
Edit = Callable[[Json, Random], str | None]

_MODULES = ("fields", "values", "structure", "parameters", "operations", "harmless", "refactorings")


@dataclass(frozen=True, slots=True)
class Operator:
    """One mutation.

    Attributes:
        harmless: what it is meant to be; a guide for composing, never a truth.
        edit: changes a document in place and says in a few words what it did; None where it finds no place.
    """

    name: str
    harmless: bool
    edit: Edit


_OPERATORS: dict[str, Operator] = {}


def operator(name: str, *, harmless: bool = False) -> Callable[[Edit], Edit]:
    """Register a mutation under its name."""

    def register(edit: Edit) -> Edit:
        if name in _OPERATORS:
            raise ValueError(f"two operators are called {name}")
        _OPERATORS[name] = Operator(name, harmless, edit)
        return edit

    return register


def operators(*, harmless: bool | None = None) -> tuple[Operator, ...]:
    """All mutations by name, or those meant to be harmless, or the others."""
    for module in _MODULES:
        import_module(f"guardian.learn.contract.mutations.{module}")
    found = sorted(_OPERATORS.values(), key=lambda each: each.name)
    return tuple(each for each in found if harmless is None or each.harmless is harmless)

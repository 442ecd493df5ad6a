"""Flags that belong to one way of working: given for another, they would change nothing, and are refused."""

from __future__ import annotations

from collections.abc import Iterable

import typer

from guardian.errors import UsageError

_GIVEN = frozenset({"COMMANDLINE", "ENVIRONMENT"})


def refuse(context: typer.Context, names: Iterable[str], why: str) -> None:
    """Refuse those of the parameters that were given.

    Raises:
        UsageError: one was.
    """
    for name in names:
        source = context.get_parameter_source(name)
        if source is not None and source.name in _GIVEN:
            raise UsageError(f"--{name.replace('_', '-')} {why}")

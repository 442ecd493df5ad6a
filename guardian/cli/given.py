"""What was given: flags that would change nothing are refused, and names joined by commas are each taken once."""

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


def names_of(joined: str) -> tuple[str, ...]:
    """The names of a text that joins them by commas; one that is said twice counts once, for so do its episodes."""
    return tuple(dict.fromkeys(name.strip() for name in joined.split(",") if name.strip()))

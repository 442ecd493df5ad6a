"""The flags by which whoever reads a report makes the same check again, for the commands that it names.

Flags that only say what becomes of the report are left out. Whoever starts a check for others, as the action does, says in
the environment which flags work where they are.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from guardian.cli.flags import CheckFlags
from guardian.config import CheckRequest
from guardian.model import Again

#: A JSON list of flags. Theirs is a checkout whose files are head.
VARIABLE = "GUARDIAN_AGAIN"

_REPEATED = (
    "base", "head", "config", "service", "consumers", "consumer", "mode", "exceptions", "as_of", "model",
    "allow_remote_refs",
)  # fmt: skip


def again(flags: CheckFlags, request: CheckRequest, environ: Mapping[str, str] = os.environ) -> Again:
    """How to make a check again.

    Args:
        flags: what was asked for on the command line.
        request: what came of it.
        environ: where somebody may have said it.
    """
    model = request.model is not None
    said = environ.get(VARIABLE)
    if said is not None:
        return Again(shlex.join(_list(said)), model=model)
    writable = request.head is None or (request.cwd / request.head).exists()
    return Again(shlex.join(_repeated(flags)), applies=writable, model=model)


def _repeated(flags: CheckFlags) -> Iterator[str]:
    for name in _REPEATED:
        given: Any = getattr(flags, name)
        flag = f"--{name.replace('_', '-')}"
        for each in given if isinstance(given, list) else [] if given is None else [given]:
            value = _shown(str(each))
            yield from [f"{flag}={value}"] if value.startswith("-") else [flag, value]


def _shown(value: str) -> str:
    """A flag's value without the credentials that a URL may hold: reports are read by others."""
    if "://" not in value:
        return value
    from guardian.spec.remote_git import redacted

    return redacted(value)


def _list(said: str) -> Sequence[str]:
    import json

    try:
        found = json.loads(said)
    except ValueError:
        return ()
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else ()

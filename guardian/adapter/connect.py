"""A model by what ``--model`` says: an endpoint's URL, or the folder of an adapter that runs in this process."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from guardian.adapter.endpoint import Endpoint
from guardian.adapter.local import Local
from guardian.errors import UsageError

Json = dict[str, Any]
Ask = Callable[[list[Json], Json], str]

#: Seconds for one answer while a policy plays: many ask at a time, and a busy CPU serves them slowly.
ANSWER_S = 900.0


def connect(model: str, name: str = "guardian", *, timeout_s: float = 60.0, temperature: float = 0.0) -> Ask:
    """What asks the model: messages and answer schema to the answer's text.

    Raises:
        UsageError: it is no URL and no adapter, or nothing that could run the adapter is installed.
    """
    if "://" in model:
        return Endpoint(model, name, timeout_s=timeout_s, temperature=temperature).ask
    folder = Path(model)
    if not folder.is_dir():
        raise UsageError(f"{model} is no URL and no folder", hint="for example http://localhost:8000/v1")
    return _loaded(folder.resolve(), temperature).ask


@cache
def _loaded(folder: Path, temperature: float) -> Local:
    """Weights are read once for a process, however many episodes or questions ask."""
    return Local(folder, temperature=temperature)

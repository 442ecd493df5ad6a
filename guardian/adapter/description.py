"""What an adapter's folder says of itself, seen before anything is made of it."""

from __future__ import annotations

import json
from pathlib import Path

from guardian.errors import UsageError


def check_description(adapter: Path, *, base: str | None = None) -> None:
    """See that adapter_config.json is one of a LoRA adapter.

    Args:
        base: the base model, where the adapter need not name one.

    Raises:
        UsageError: it is not.
    """
    file = adapter / "adapter_config.json"
    try:
        settings = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise UsageError(
            "holds no adapter: adapter_config.json is missing or no JSON",
            file=str(adapter),
            hint="name the folder `adapter` of a training run",
        ) from None
    if not isinstance(settings, dict):
        raise UsageError("describes no adapter: it is no object", file=str(file))
    named = settings.get("base_model_name_or_path")
    if base is None and (not isinstance(named, str) or not named):
        raise UsageError(
            "names no base model: base_model_name_or_path is no text",
            file=str(file),
            hint="give --base, or set it to the base model's name",
        )
    rank = settings.get("r", 16)
    if not isinstance(rank, int) or isinstance(rank, bool) or rank < 1:
        raise UsageError("is of no LoRA adapter: its rank r is no whole number from 1 on", file=str(file))

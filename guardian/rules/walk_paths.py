"""Field paths as manifests write them (INTERFACE, section 3)."""

from __future__ import annotations

from collections.abc import Iterable

from guardian.fieldpath import escape


def write_path(prefix: str, steps: Iterable[tuple[str, bool]], field: str = "") -> str:
    """A field path as manifests write it, from (step, is it a name) pairs; ``field`` is already written, comes last."""
    text = prefix
    for step, literal in steps:
        if step == "[]" and not literal:
            text += "[]"
        elif step:
            name = escape(step) if literal else step
            text = f"{text}.{name}" if text else name
    if field:
        text = field if not text else text + field if field.startswith("[]") else f"{text}.{field}"
    return text

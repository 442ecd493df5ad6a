"""What every command's typer application is like."""

from __future__ import annotations

from typing import Any

import typer


def new_app(**settings: Any) -> typer.Typer:
    """An application that leaves faults to ``main.run``, and whose help is plain text, quick and safe to pipe."""
    usual: dict[str, Any] = {
        "add_completion": False,
        "pretty_exceptions_enable": False,
        "rich_markup_mode": None,
        "context_settings": {"max_content_width": 110, "help_option_names": ["--help", "-h"]},
    }
    return typer.Typer(**(usual | settings))

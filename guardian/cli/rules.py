"""``guardian rules``: the catalogue, from the rules' docstrings."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from guardian.cli import catalogue
from guardian.cli.app import new_app
from guardian.cli.output import write_stdout

app = new_app()


class CatalogueFormat(StrEnum):
    """The forms the catalogue comes in."""

    TERMINAL = "terminal"
    MARKDOWN = "markdown"
    JSON = "json"


@app.command()
def rules(
    format: Annotated[
        CatalogueFormat, typer.Option(help="A list; a page for each rule; or data.")
    ] = CatalogueFormat.TERMINAL,
) -> None:
    """List the rules."""
    from guardian.rules.registry import all_rules

    written = {
        CatalogueFormat.TERMINAL: catalogue.table,
        CatalogueFormat.MARKDOWN: catalogue.markdown,
        CatalogueFormat.JSON: catalogue.data,
    }
    write_stdout(written[format](all_rules()))

"""``guardian schema``: the JSON Schemas of the files that guardian reads and writes."""

from __future__ import annotations

import json
from enum import StrEnum
from importlib import import_module
from typing import Annotated

import typer

from guardian.cli.app import new_app
from guardian.cli.output import write_stdout

app = new_app()


class SchemaName(StrEnum):
    """The files that have a schema."""

    CONFIG = "config"
    MANIFEST = "manifest"
    EXCEPTIONS = "exceptions"
    REPORT = "report"


# Where each schema is made: (module, function). Imported when it is asked for.
_SOURCES = {
    SchemaName.CONFIG: ("guardian.config.parse", "config_schema"),
    SchemaName.EXCEPTIONS: ("guardian.config.parse", "exceptions_schema"),
    SchemaName.MANIFEST: ("guardian.graph.consumers.manifest", "manifest_schema"),
    SchemaName.REPORT: ("guardian.report.schema", "report_schema"),
}


@app.command()
def schema(
    name: Annotated[SchemaName, typer.Argument(metavar="NAME", help="One of: " + ", ".join(SchemaName))],
) -> None:
    """Print the JSON Schema of a file that guardian reads or writes."""
    module, function = _SOURCES[name]
    document = getattr(import_module(module), function)()
    write_stdout(json.dumps(document, indent=2, ensure_ascii=False) + "\n")

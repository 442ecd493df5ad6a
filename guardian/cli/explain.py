"""``guardian explain``: one rule, from its docstring."""

from __future__ import annotations

from typing import Annotated

import typer

from guardian.cli.app import new_app
from guardian.cli.catalogue import page
from guardian.cli.output import write_stdout

app = new_app()


@app.command()
def explain(
    rule: Annotated[str, typer.Argument(metavar="RULE", help="The rule's id, or the id oasdiff has for it.")],
) -> None:
    """Explain one rule: what it finds, why it matters, examples."""
    from guardian.rules.registry import find_rule

    write_stdout(page(find_rule(rule)))

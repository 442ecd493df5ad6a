"""``guardian init``: a first guardian.yaml, written by looking at the repository."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from guardian.cli.app import new_app
from guardian.cli.output import remark, write_file, write_stdout
from guardian.config import DEFAULT_CONFIG
from guardian.errors import UsageError
from guardian.spec.globs import literal

if TYPE_CHECKING:
    from guardian.cli.scan import Found, FoundService

app = new_app()

# What YAML 1.2 reads as this very text without quotes; anything else is written as JSON, which is YAML too.
_PLAIN = re.compile(r"[A-Za-z_][\w./-]*")
_READ_OTHERWISE = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})

_NO_SERVICES = (
    "# No OpenAPI document was found by its content. Name yours in place of the {}:",
    "#   users:",
    "#     spec: path/to/openapi.yaml",
)


@app.command()
def init(
    force: Annotated[bool, typer.Option("--force", help="Overwrite a guardian.yaml that is there.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print it; write nothing.")] = False,
) -> None:
    """Write a first guardian.yaml by looking at the repository.

    It names the OpenAPI documents found by their content, pact files and manifests, and the owners that CODEOWNERS or
    a Backstage catalog knows. Read it over: it is yours from then on.
    """
    from guardian.cli.scan import scan
    from guardian.cli.settings import find_config
    from guardian.spec import git
    from guardian.spec.trees import DirectoryTree
    from guardian.spec.worktree import WorkTree

    here = Path.cwd()
    file = here / DEFAULT_CONFIG
    if file.exists() and not force and not dry_run:
        hint = "it is yours to edit; --force writes it anew from what is here now, --dry-run shows what that would be"
        raise UsageError("is there already", file=DEFAULT_CONFIG, hint=hint)
    found = scan(WorkTree(here) if git.find_root(here) else DirectoryTree(here))
    in_subfolder = git.find_root(here) is not None and not (here / ".git").exists()
    outer = find_config(here.parent) if in_subfolder else None
    outer_name = os.path.relpath(outer, here) if outer is not None else ""
    if outer is not None and not (found.services or force or dry_run):
        raise UsageError(
            f"no OpenAPI document was found here, and an empty {DEFAULT_CONFIG} would stand in front of {outer_name}",
            hint="add what you need there; --force writes one here nevertheless",
        )
    text = first_config(found)
    if dry_run:
        write_stdout(text)
    else:
        write_file(file, text)
        first = "" if found.services else "name your OpenAPI documents under `services` there, as none was found; "
        remark(
            "wrote", f"{DEFAULT_CONFIG} with {_count(len(found.services), 'service')}", f"{first}next: guardian check"
        )
        if outer is not None:
            remark("note", f"from this folder it is read in place of {outer_name}", "remove it if that one is to count")


def first_config(found: Found) -> str:
    """The text of a guardian.yaml that says what was found."""
    lines = [
        "# What guardian checks here. `guardian schema config` describes every key.",
        "version: 1",
        "",
        "# The APIs of this repository.",
        *_services(found),
        "",
        "# Who reads them: consumer manifests, pact files, directories of either, or git+URL#REV:glob.",
        *_consumers(found),
        "",
        "# Whose judgement counts: contract (any break fails), consumers (only what breaks a declared consumer), or",
        "# both (the contract's where nobody has declared anything, else the consumers').",
        "mode: both",
        "",
        "# From which severity on a finding fails the run: breaking, warning or none.",
        "fail_on: breaking",
        "",
        "# Rules to judge otherwise here; `guardian rules` lists them.",
        "# severity:",
        "#   enum-value-added: info",
        "",
        "# Findings that are accepted, each with a reason, an owner and an expiry.",
        "# exceptions: guardian.exceptions.yaml",
    ]
    return "\n".join([*lines, ""])


def _services(found: Found) -> list[str]:
    lines = ["services:"] if found.services else [*_NO_SERVICES, "services: {}"]
    for service in found.services:
        lines += [f"  {_yaml(service.name)}:", f"    spec: {_yaml(literal(service.spec))}", *_owner(service)]
    if found.services:
        lines += ["    # visibility: public   # for an API that has readers nobody declared"]
    lines += [f"# left out, as it lies with tests or examples: {_comment(path)}" for path in found.left_out]
    return lines


def _owner(service: FoundService) -> list[str]:
    return [f"    owner: {_yaml(service.owner)}   # by {service.owner_from}"] if service.owner else []


def _consumers(found: Found) -> list[str]:
    lines = ["consumers:"] if found.consumers else ["consumers: []"]
    lines += [f"  - {_yaml(each)}" for each in found.consumers]
    if found.clients:
        lines += ["# These folders look like client code; a manifest can say what it reads:"]
        lines += [f"#   {_comment(folder)}" for folder in found.clients]
    if found.catalog_uses:
        lines += ["# The Backstage catalog knows these uses; a manifest can say which fields:"]
        lines += [f"#   {_comment(consumer)} uses {_comment(api)}" for consumer, api in found.catalog_uses]
    return lines


def _yaml(text: str) -> str:
    plain = _PLAIN.fullmatch(text) and text.lower() not in _READ_OTHERWISE
    return text if plain else json.dumps(text, ensure_ascii=not text.isprintable())


def _comment(text: str) -> str:
    """Text that stays within the comment it stands in."""
    return "".join(char if char.isprintable() else "?" for char in text)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"

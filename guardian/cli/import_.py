"""``guardian import``: consumer manifests out of pacts, catalogs, recordings, collections, traces and logs."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from guardian.cli.app import new_app
from guardian.cli.output import remark, write_file, write_stdout
from guardian.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from guardian.graph.consumers.load import Declarations
    from guardian.spec.api import Api

app = new_app()

KINDS = {
    "manifest": ("manifest",),
    "pact": ("pact",),
    "backstage": ("backstage",),
    "har": ("har",),
    "postman": ("postman",),
    "otel": ("otel", "access log"),
}
"""What ``guardian import KIND`` takes, and how the tools of these sources are called."""


@app.command(name="import")
def import_(
    sources: Annotated[
        list[str],
        typer.Argument(metavar="[KIND] FILE...", help="Files or directories; KIND is " + ", ".join(KINDS) + "."),
    ],
    output: Annotated[
        str | None, typer.Option(metavar="DIR", help="Write NAME.yaml for each consumer there. Default: print.")
    ] = None,
    spec: Annotated[
        list[str] | None,
        typer.Option(metavar="[NAME=]FILE", help="An OpenAPI document, where guardian.yaml names none. Repeatable."),
    ] = None,
    consumer: Annotated[
        str | None, typer.Option(metavar="NAME", help="Who calls, for recordings and collections.")
    ] = None,
    service: Annotated[str | None, typer.Option(metavar="NAME", help="Who answers, for access logs.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite manifests that are there.")] = False,
) -> None:
    """Write consumer manifests from Pact, Backstage, HAR, Postman and OpenTelemetry files and from access logs.

    The kind of a file is told by its content; naming one refuses all others. Operations are looked up in the services
    of guardian.yaml, else in the OpenAPI documents found here. What is left out is said on standard error.
    """
    from guardian.graph.consumers.load import load_consumers
    from guardian.graph.consumers.routes import Routes
    from guardian.graph.consumers.write import to_yaml
    from guardian.graph.strangers import unknown_services
    from guardian.spec.sources import DirectoryTree

    here = Path.cwd()
    kind, files = _kind_of(sources, here)
    apis = _apis(spec or [], here)
    patterns = []
    for each in files:
        path = (here / each).resolve()
        patterns.append((DirectoryTree(path.parent, here), path.name))
    declared = load_consumers(patterns, list(apis), apis, caller=consumer, answering=service)
    if kind:
        _refuse_others(declared, kind)
    routes = Routes(apis)
    manifests = {each.name: to_yaml(each, routes) for each in declared.consumers if each.uses}
    for note in (*declared.notes, *unknown_services(declared.consumers, list(apis))):
        remark(note.level, f"{note.file}: {note.message}" if note.file else note.message)
    if not manifests:
        raise UsageError("nothing in these files says who uses what", hint="the remarks above say what was left out")
    if output is None:
        write_stdout("---\n".join(manifests.values()))
        return
    targets = {name: here / output / f"{_file_name(name)}.yaml" for name in manifests}
    taken = next((path for path in targets.values() if path.exists()), None)
    if taken is not None and not force:
        raise UsageError("is there already", file=_shown(taken, here), hint="--force overwrites it")
    for name, path in targets.items():
        write_file(path, manifests[name])
        remark("wrote", _shown(path, here))


def _kind_of(sources: list[str], here: Path) -> tuple[str | None, list[str]]:
    """The kind that comes first, if it is no file, and the files."""
    if sources[0] in KINDS and not (here / sources[0]).exists():
        if len(sources) == 1:
            raise UsageError(f"`import {sources[0]}` takes the files to import")
        return sources[0], sources[1:]
    return None, sources


def _refuse_others(declared: Declarations, kind: str) -> None:
    for each in declared.consumers:
        for use in each.uses:
            if not use.tool.startswith(KINDS[kind]):
                raise UsageError(f"this is {use.tool}, not {kind}", file=use.origin.file)


def _apis(specs: list[str], here: Path) -> Mapping[str, Api]:
    """The APIs that are named, else those of guardian.yaml or found here, each read when it is looked at."""
    from guardian.spec.normalise import read_api
    from guardian.spec.refs import Documents
    from guardian.spec.sources import DirectoryTree

    if specs:
        named: dict[str, Api] = {}
        for each in specs:
            name, mark, file = each.partition("=")
            path = (here / (file if mark else each)).resolve()
            documents = Documents(DirectoryTree(path.parent, here))
            service = name if mark else path.stem
            named[service] = read_api(documents, path.name, service)
        return named
    from guardian.check.compare import Apis
    from guardian.check.configfile import read_config as config_from
    from guardian.check.services import open_sides, select
    from guardian.cli.settings import find_config, read_config
    from guardian.config import CheckRequest, Config

    written = find_config(here)
    config = read_config(written, here) if written is not None else Config()
    folder = str(written.parent if written is not None else here)
    request = CheckRequest(
        cwd=here,
        as_of=date.today(),
        config=config,
        config_file=written,
        base=folder,
        head=folder,
        allow_remote_refs=config.allow_remote_refs,
    )
    sides = open_sides(request)
    try:
        services = select(sides, request, config_from)
    except UsageError:  # no specification anywhere: contract tests and catalogs name their providers themselves
        services = []
    return Apis(services, sides, request).heads()


def _shown(path: Path, here: Path) -> str:
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)


def _file_name(consumer: str) -> str:
    return re.sub(r"[^\w.-]+", "-", consumer).strip("-.").lower() or "consumer"

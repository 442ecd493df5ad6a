"""``guardian import``: consumer manifests out of pacts, catalogs, recordings, collections, traces, logs and code."""

from __future__ import annotations

import os
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from guardian.cli.app import new_app
from guardian.cli.manifest_files import refuse_alike, word
from guardian.cli.output import remark, write_file, write_stdout
from guardian.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from guardian.graph.consumers.load import Declarations
    from guardian.spec.api import Api
    from guardian.spec.trees import Tree

    #: What services are called besides their names, and which of them that means.
    OtherNames = Mapping[str, Sequence[str]]

app = new_app()

KINDS = {
    "manifest": ("manifest",),
    "pact": ("pact",),
    "backstage": ("backstage",),
    "har": ("har",),
    "postman": ("postman",),
    "otel": ("otel", "access log"),
    "code": ("code",),
}
"""What ``guardian import KIND`` takes, and how the tools of these sources are called."""


@app.command(name="import")
def import_(
    sources: Annotated[
        list[str],
        typer.Argument(metavar="[KIND] FILE...", help="Files or directories; KIND is " + ", ".join(KINDS) + "."),
    ],
    output: Annotated[
        str | None,
        typer.Option(metavar="DIR|FILE", help="Write NAME.yaml for each consumer there, or FILE.yaml. Default: print."),
    ] = None,
    spec: Annotated[
        list[str] | None,
        typer.Option(metavar="[NAME=]FILE", help="An OpenAPI document, where guardian.yaml names none. Repeatable."),
    ] = None,
    consumer: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Who calls, for recordings, collections, code and lines of logs that do not say."
        ),
    ] = None,
    service: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[=FILE]",
            help="Who answers, for access logs and code; with FILE as --spec. Repeatable.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite manifests that are there.")] = False,
) -> None:
    """Write consumer manifests from Pact, Backstage, HAR, Postman and OpenTelemetry files, access logs and source code.

    The kind of a file is told by its content; naming one refuses all others. `import code DIR` reads the calls in
    Python, TypeScript and JavaScript source. Operations are looked up in the services
    of guardian.yaml, else in the OpenAPI documents found here. What is left out is said on standard error.
    """
    from guardian.graph.consumers.routes import Routes
    from guardian.graph.consumers.write import to_yaml
    from guardian.graph.naming import Naming
    from guardian.graph.strangers import unknown_services

    here = Path.cwd()
    kind, files = _kind_of(sources, here)
    named = [each for each in service or [] if "=" in each]
    answering = next((each for each in service or [] if "=" not in each), None)
    apis, names = _apis([*(spec or []), *named], here)
    if answering is not None and answering not in apis and len(names.get(answering, ())) == 1:
        (answering,) = names[answering]
    declared = _scanned(files, here, apis, consumer, answering) if kind == "code" else _loaded(
        files, here, apis, names, consumer, answering
    )  # fmt: skip
    if kind:
        _refuse_others(declared, kind)
    routes = Routes(apis)
    consumers = tuple(map(Naming(list(apis), names, lambda: routes), declared.consumers))
    manifests = {each.name: to_yaml(each, routes) for each in consumers if each.uses}
    notes = (*declared.notes, *unknown_services(consumers, list(apis)))
    for note in notes:
        place = f"{note.file}:{note.line}" if note.file and note.line and kind == "code" else note.file
        remark(note.level, f"{place}: {note.message}" if place else note.message)
    if not manifests:
        hint = "the remarks above say what was left out" if notes else "they can be read, and hold no call and no use"
        raise UsageError("nothing in these files says who uses what", hint=hint)
    if output is None:
        write_stdout("---\n".join(manifests.values()))
        return
    single = output.endswith((".yaml", ".yml"))
    if single and len(manifests) > 1:
        raise UsageError(
            f"--output {output} is one file, and there are {len(manifests)} consumers", hint="name a folder"
        )
    targets = {name: here / (output if single else f"{output}/{word(name)}.yaml") for name in manifests}
    refuse_alike({name: path.name for name, path in targets.items()}, output)
    taken = next((path for path in targets.values() if path.exists()), None)
    if taken is not None and not force:
        raise UsageError("is there already", file=_shown(taken, here), hint="--force overwrites it")
    for name, path in targets.items():
        write_file(path, manifests[name])
        remark("wrote", _shown(path, here))


def _loaded(
    files: list[str],
    here: Path,
    apis: Mapping[str, Api],
    names: OtherNames,
    consumer: str | None,
    answering: str | None,
) -> Declarations:
    from guardian.graph.consumers.load import load_consumers

    patterns = [_placed(each, here) for each in files]
    return load_consumers(patterns, list(apis), apis, caller=consumer, answering=answering, others=names)


def _placed(file: str, here: Path) -> tuple[Tree, str]:
    """A tree, and the file as that tree knows it."""
    from guardian.spec.sources import is_stream, stream_tree
    from guardian.spec.trees import DirectoryTree

    if is_stream(here / file):  # `import <(curl ...)`
        return stream_tree(here / file, file), file
    path = _real(here / file)
    return DirectoryTree(path.parent, here), path.name


def _scanned(
    folders: list[str], here: Path, apis: Mapping[str, Api], consumer: str | None, answering: str | None
) -> Declarations:
    """What the source in some folders (or single files) calls; each is a program of its own."""
    from guardian.graph.consumers.code.scan import scan_code
    from guardian.graph.consumers.load import Declarations, merge
    from guardian.spec.trees import DirectoryTree

    if answering is not None and answering not in apis:
        raise UsageError(f"--service {answering}: there is no such service", hint=f"there is {', '.join(apis)}")
    found = []
    for each in folders:
        path = _real(here / each)
        if not path.exists():
            raise UsageError(f"{each} is not there")
        root = path if path.is_dir() else path.parent
        name = consumer or root.name
        folder = "" if path.is_dir() else path.name
        found.append(scan_code(DirectoryTree(root, here), apis, consumer=name, folder=folder, answering=answering))
    consumers = merge([], [consumer for each in found for consumer in each.consumers])
    return Declarations(tuple(consumers), tuple(note for each in found for note in each.notes))


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


def _apis(specs: list[str], here: Path) -> tuple[Mapping[str, Api], OtherNames]:
    """The APIs that are named, else those of guardian.yaml or found here, each read when it is looked at.

    And what their services are called besides.
    """
    from guardian.spec.normalise import read_api
    from guardian.spec.refs import Documents

    if specs:
        named: dict[str, Api] = {}
        for each in specs:
            name, mark, file = each.partition("=")
            tree, path = _placed(file if mark else each, here)
            service = name if mark else Path(path).stem
            named[service] = read_api(Documents(tree), path, service)
        return named, {}
    from guardian.check.compare import Apis
    from guardian.check.configfile import read_config as config_from
    from guardian.check.service import Selection
    from guardian.check.services import survey
    from guardian.check.sides import open_sides
    from guardian.cli.settings import find_config, read_config
    from guardian.config import CheckRequest, Config

    written = find_config(here, quiet=False)
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
        found = survey(sides, request, config_from)
    except UsageError:  # no specification anywhere: contract tests and catalogs name their providers themselves
        found = Selection((), ())
    return Apis(found.services, sides, request).heads(), found.names


def _real(path: Path) -> Path:
    """A path with its links resolved; one that leads to itself stays, and is refused when it is read."""
    return Path(os.path.realpath(path))


def _shown(path: Path, here: Path) -> str:
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)

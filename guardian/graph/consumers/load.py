"""Every file that declares consumers, by its content: manifests, pacts, catalogs, recordings, collections, traces.

Declarations that people or tests write must be readable: a manifest or pact that is not stops the run, with all mistakes
told at once. Recordings and catalogs come as they are found in the world; what is wrong in them is left out with a note.
What several files say of one consumer is put together.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any

from guardian.errors import ReadError
from guardian.graph.consumers import backstage, har, logs, manifest, otel, pact, postman
from guardian.graph.consumers.bodies import NOT_JSON, parse_json
from guardian.graph.consumers.endpoints import Endpoints
from guardian.graph.consumers.names import Names
from guardian.graph.uses import Consumer, Found
from guardian.model import Note
from guardian.spec import text
from guardian.spec.api import Api
from guardian.spec.checkout import passed_over
from guardian.spec.dialects import is_openapi
from guardian.spec.globs import fixed_folder, is_glob, matches_glob
from guardian.spec.locate import locate
from guardian.spec.submodules import not_looked_into
from guardian.spec.trees import GitTree, Tree
from guardian.spec.worktree import WorkTree

#: The endings that are looked at where a directory is named.
SUFFIXES = frozenset({".yaml", ".yml", ".json", ".har", ".jsonl", ".ndjson", ".log"})
# Files of these kinds are recordings; one that cannot be read is passed over.
_RECORDINGS = frozenset({".har", ".jsonl", ".ndjson", ".log"})
_LINES = frozenset({".jsonl", ".ndjson", ".log"})
_KINDS = (
    "a consumer manifest, a Pact file, a Backstage catalog, a HAR, a Postman collection, an OTLP trace or an access log"
)


@dataclass(frozen=True, slots=True)
class Declarations:
    """What all files together declare.

    Attributes:
        consumers: each name once, sorted.
        notes: what was left out, and why.
        files: the bytes of every file that was read, by the name that reports give it: for finding lines.
        elsewhere: where those files are that are none of this repository, by the same name.
    """

    consumers: tuple[Consumer, ...] = ()
    notes: tuple[Note, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)
    elsewhere: Mapping[str, str] = field(default_factory=dict)


def load_consumers(
    patterns: Iterable[tuple[Tree, str]],
    services: Collection[str],
    apis: Mapping[str, Api] | None = None,
    *,
    missing_ok: bool = False,
    caller: str | None = None,
    answering: str | None = None,
    others: Mapping[str, Sequence[str]] = MappingProxyType({}),
    before: Mapping[str, Api] = MappingProxyType({}),
) -> Declarations:
    """Read all declarations of one side.

    Args:
        patterns: files, directories or globs (``**`` crosses folders), each with the tree it is relative to.
        services: the services by name, for sources that call them otherwise.
        apis: the Apis by service, for sources that only know URLs.
        missing_ok: that a pattern matches nothing is fine, as it is on base.
        caller: whose recordings, collections and lines of access logs these are, where the files do not say.
        answering: the service whose access logs these are, where no log says so.
        others: what services are called besides, and which of them that means.
        before: the Apis of another side, for calls that none of ``apis`` answers: what it has lost.

    Raises:
        ReadError: a file that was named is not there or is no declaration; a manifest or pact cannot be read.
    """
    loader = _Loader(services, apis or {}, caller, answering, others, before)
    for tree, pattern in patterns:
        for path, named in loader.matches(tree, pattern, missing_ok):
            loader.read(tree, path, named)
    return loader.result()


@dataclass(frozen=True, slots=True)
class _Document:
    """One document of a file; ``line`` is where it begins in a file of several."""

    file: str
    data: Any
    line: int | None = None


class _Loader:
    def __init__(
        self,
        services: Collection[str],
        apis: Mapping[str, Api],
        caller: str | None,
        answering: str | None,
        others: Mapping[str, Sequence[str]],
        before: Mapping[str, Api],
    ) -> None:
        self._services = services
        self._caller = caller
        self._answering = answering
        self._names = Names(services)
        self._endpoints = Endpoints(apis, self._names, others, before)
        self._files: dict[str, bytes] = {}
        self._elsewhere: dict[str, str] = {}
        self._notes: list[Note] = []
        self._manifests: list[Consumer] = []
        self._others: list[Consumer] = []
        self._entities: list[backstage.Entity] = []
        self._collections: list[_Document] = []
        self._environments: list[_Document] = []
        self._traces: list[_Document] = []
        self._errors: list[ReadError] = []

    # -- files ---------------------------------------------------------------------------------------------------------

    def matches(self, tree: Tree, pattern: str, missing_ok: bool) -> list[tuple[str, bool]]:
        """The files that a pattern means, each with whether it was named itself."""
        pattern = str(PurePosixPath(pattern))
        if tree.exists(pattern):
            return [(pattern, True)]
        files = _listed(tree, pattern)
        hidden = passed_over(tree, pattern)
        if hidden:
            self._notes.append(Note("warning", not_looked_into([*map(tree.display, hidden)], pattern)))
        found = [path for path in files if matches_glob(path, pattern)]
        if not found:
            folder = "" if pattern == "." else f"{pattern}/"
            found = [path for path in files if path.startswith(folder) and PurePosixPath(path).suffix in SUFFIXES]
        if not found and not missing_ok:
            if not is_glob(pattern) and not tree.is_directory(pattern):
                tree.read(pattern)  # tells what is there instead
            self._notes.append(Note("warning", f"{pattern} matches no file with consumers in {tree.label}"))
        return [(path, False) for path in found]

    def read(self, tree: Tree, path: str, named: bool) -> None:
        """Read one file; a mistake in it is kept until all files are read."""
        file = tree.display(path)
        if file in self._files:
            return
        data = tree.read(path)
        self._files[file] = data
        if isinstance(tree, GitTree) and tree.elsewhere:
            self._elsewhere[file] = tree.label
        try:
            documents = [each for each in self._documents(data, file) if each.data is not None]
            for document in documents or [_Document(file, None)]:
                self._take(document, named)
        except ReadError as error:
            if PurePosixPath(path).suffix in _RECORDINGS and not named:
                self._notes.append(Note("warning", f"not read: {error.message}", file, error.line))
            else:
                self._errors.append(error)

    def _documents(self, data: bytes, file: str) -> list[_Document]:
        suffix = PurePosixPath(file).suffix.lower()
        if logs.is_log(data):
            return [_Document(file, text.decode(data, file))]
        if suffix in _LINES or suffix == ".json":
            lines, torn = _json_lines(data, file, suffix in _LINES)
            if torn:
                what = "1 line" if torn == 1 else f"{torn} lines"
                self._notes.append(Note("warning", f"{what} left out: no whole JSON object", file))
            if lines:
                return lines
        if suffix in {".yaml", ".yml"}:
            found = text.load_all(data, file)
            starts = _document_lines(data, file) if len(found) > 1 else [None]
            starts = starts if len(starts) == len(found) else [None] * len(found)
            return [_Document(file, each, line) for each, line in zip(found, starts, strict=True)]
        return [_Document(file, text.load(data, file))]

    def _take(self, document: _Document, named: bool) -> None:
        data, file = document.data, document.file
        if isinstance(data, str) and logs.is_log(self._files[file]):
            self._keep(logs.read_log(data, file, self._endpoints, self._answering, self._caller))
        elif pact.is_pact(data):
            self._keep(pact.read_pact(data, file, self._names))
        elif manifest.is_manifest(data):
            self._manifests.append(manifest.load_manifest(data, file, self._lines(file)))
        elif backstage.is_entity(data):
            self._entities.append(backstage.Entity(data, file, document.line))
        elif har.is_har(data):
            self._keep(har.read_har(data, file, self._endpoints, self._caller))
        elif postman.is_collection(data):
            self._collections.append(document)
        elif postman.is_environment(data):
            self._environments.append(document)
        elif otel.is_trace(data):
            self._traces.append(document)
        elif otel.is_other_signal(data):
            self._notes.append(Note("info", "left out: metrics or log records, which show no calls", file))
        elif named:
            raise ReadError("declares no consumer", file=file, hint=f"guardian reads {_KINDS}")
        else:
            what = "an OpenAPI document" if is_openapi(data) else f"not {_KINDS}"
            self._notes.append(Note("info" if is_openapi(data) else "warning", f"left out: {what}", file))

    def _lines(self, file: str) -> Callable[[str], tuple[int, int] | None]:
        data = self._files[file]
        return lambda pointer: locate(data, [pointer]).get(pointer)

    def _keep(self, found: Found) -> None:
        self._others.extend(found.consumers)
        self._notes.extend(found.notes)

    # -- all together --------------------------------------------------------------------------------------------------

    def result(self) -> Declarations:
        if self._errors:
            raise _together(self._errors)
        if self._entities:
            self._keep(backstage.read_catalog(self._entities, self._names))
        environment = {
            name: value for each in self._environments for name, value in postman.variables(each.data).items()
        }
        for each in self._collections:
            self._keep(postman.read_collection(each.data, each.file, self._endpoints, environment, self._caller))
        if self._traces:
            self._keep(otel.read_traces([(each.data, each.file) for each in self._traces], self._endpoints))
        consumers = merge(self._manifests, self._others, self._services)
        self._notes.extend(much_alike(self._manifests, consumers))
        notes = sorted(set(self._notes), key=lambda note: (note.file or "", note.line or 0, note.message))
        return Declarations(tuple(consumers), tuple(notes), self._files, self._elsewhere)


def merge(manifests: Iterable[Consumer], others: Iterable[Consumer], services: Collection[str] = ()) -> list[Consumer]:
    """One consumer for each name, with everything all sources say.

    A consumer is called what its manifest calls it; one without a manifest by the service that it is, if it is one. No
    more than case and punctuation is passed over: `checkout` and `checkout-api` may be two, and what the one declares
    would hide what the other reads.
    """
    manifests = list(manifests)
    declared, known = Names(each.name for each in manifests), Names(services)
    found: dict[str, list[Consumer]] = {each.name: [] for each in manifests}
    for each in manifests:
        found[each.name].append(each)
    for each in others:
        name = declared.same(each.name) or known.same(each.name) or each.name
        found.setdefault(name, []).append(each)
    return [_put_together(name, sources) for name, sources in sorted(found.items())]


def much_alike(manifests: Iterable[Consumer], consumers: Iterable[Consumer]) -> Iterator[Note]:
    """Notes on consumers that are called nearly as one with a manifest is, and are taken for another one."""
    declared = Names(each.name for each in manifests)
    for each in consumers:
        other = declared.find(each.name)
        if other is not None and other != each.name and each.uses:
            text = (
                f"{each.name} is taken for another consumer than {other}, which has a manifest; "
                "if they are one, call them by the same name"
            )
            yield Note("info", text, each.uses[0].origin.file)


def _put_together(name: str, sources: Sequence[Consumer]) -> Consumer:
    return Consumer(
        name,
        tuple(use if use.consumer == name else replace(use, consumer=name) for each in sources for use in each.uses),
        owner=next((each.owner for each in sources if each.owner), None),
        contact=next((each.contact for each in sources if each.contact), None),
        strict=any(each.strict for each in sources),
    )


def _listed(tree: Tree, pattern: str) -> list[str]:
    """The files among which those that a pattern means are.

    What lies in a folder that is named is on disk for a reason, be it that CI downloaded it: whether git tracks it, ignores
    it or finds another repository there is no matter then.
    """
    if isinstance(tree, WorkTree):
        return tree.all_files(pattern)
    return tree.files(complete_below=fixed_folder(pattern), meant=pattern)


def _json_lines(data: bytes, file: str, sure: bool) -> tuple[list[_Document], int]:
    """The documents of a file with one JSON object in each line, as collectors export, and how many lines are none.

    Collectors stop in the middle of a line, so the others count. Where the name does not say (``sure``) that it is such a
    file, lines that all begin as objects, the first of them whole, do.

    Raises:
        ReadError: it is such a file by its name, and holds no object.
    """
    lines = [(number, line) for number, line in enumerate(text.decode(data, file).splitlines(), 1) if line.strip()]
    if not sure and (len(lines) < 2 or not all(line.lstrip().startswith("{") for _, line in lines)):
        return [], 0
    begins = bool(lines) and isinstance(parse_json(lines[0][1]), Mapping)
    if not begins and not (sure and lines and parse_json("\n".join(line for _, line in lines)) is NOT_JSON):
        return [], 0  # one document, over all lines
    values = [(number, parse_json(line)) for number, line in lines]
    found = [_Document(file, value, number) for number, value in values if isinstance(value, Mapping)]
    if not found:
        raise ReadError("no access log in a known format, and no line of it is a JSON object", file=file)
    return found, len(lines) - len(found)


def _document_lines(data: bytes, file: str) -> list[int | None]:
    """The first line of every document of a YAML stream that holds something."""
    starts: list[int | None] = []
    begun = False
    for number, line in enumerate(text.decode(data, file).splitlines(), 1):
        if re.match(r"---(\s|$)", line):
            begun = False
        elif not begun and line.strip() and not line.lstrip().startswith(("#", "%")):
            starts.append(number)
            begun = True
    return starts


def _together(errors: Sequence[ReadError]) -> ReadError:
    if len(errors) == 1:
        return errors[0]
    return ReadError(f"{len(errors)} files with consumers cannot be read", hint="\n".join(map(str, errors)))

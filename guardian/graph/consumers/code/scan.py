"""Reading a client's source: which operations it calls, which fields of what comes back it touches, what it sends.

What is found is ``declared``: the code says so, nobody saw it run. Every field has the file and line that it is read or
sent at. Nothing is executed. What could not be followed is told in notes with file and line, and counts as not known:
a body that is handed on as a whole leaves its use ``partial``, a request with unseen parts leaves ``sends`` open.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath

from guardian.errors import ReadError
from guardian.graph.consumers.code import syntax
from guardian.graph.consumers.code.flow import Flow
from guardian.graph.consumers.code.program import Program
from guardian.graph.consumers.code.python_source import lower_python
from guardian.graph.consumers.code.result import Results
from guardian.graph.consumers.code.typescript_source import lower_typescript
from guardian.graph.consumers.endpoints import Endpoints
from guardian.graph.consumers.names import Names
from guardian.graph.uses import Found
from guardian.model import Note
from guardian.spec.api import Api
from guardian.spec.trees import Tree

PYTHON = frozenset({".py"})
SCRIPTS = frozenset({".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"})
SUFFIXES = PYTHON | SCRIPTS

#: Bytes past which a file is a bundle or data, and nobody's client.
LARGEST = 1_000_000

# Tests call mocks, and what they assert is not what the client reads.
_TEST_FOLDER = re.compile(r"tests?|__tests__|__mocks__|spec|e2e|fixtures|dist|build|\.next|coverage")
_TEST_FILE = re.compile(r"test_.*\.py|.*_test\.py|conftest\.py|.*\.(?:test|spec|stories|min)\.[cm]?[jt]sx?")


def scan_code(
    tree: Tree,
    apis: Mapping[str, Api],
    *,
    consumer: str,
    folder: str = "",
    answering: str | None = None,
) -> Found:
    """The uses that are in the Python, TypeScript and JavaScript files of a tree.

    Args:
        tree: the files; paths in it are how imports are resolved.
        apis: the services that may be called, by name.
        consumer: whose code it is.
        folder: the part of the tree to read; all of it if empty.
        answering: the service that is called where a URL's host does not tell.

    Raises:
        ReadError: a specification or a folder cannot be read.
        UsageError: there are TypeScript or JavaScript files, and the extra ``scan`` is not installed.
    """
    notes: list[Note] = []
    paths = [path for path in tree.files(complete_below=folder) if _is_wanted(path, folder)]
    sources = [source for path in paths if (source := _read(tree, path, notes)) is not None]
    flow = Flow(Program(sources), _operation_ids(apis))
    flow.run()
    results = Results(consumer, apis, Endpoints(apis, Names(apis)), answering)
    found = results.take(flow.settled_calls())
    notes += results.strays(flow.strays)
    for at in flow.crowded:
        notes.append(Note("warning", "too much depends on this to be followed to the end", at.file, at.line))
    if flow.exhausted:
        notes.append(
            Note("warning", "this is too large to be read in one go: not all of it was; name a smaller folder")
        )
    if not paths:
        notes.append(Note("warning", f"{folder or tree.label} holds no Python, TypeScript or JavaScript source"))
    ordered = sorted({*notes, *found.notes}, key=lambda note: (note.file or "", note.line or 0, note.message))
    return Found(found.consumers, tuple(ordered))


def _is_wanted(path: str, folder: str) -> bool:
    pure = PurePosixPath(path)
    if pure.suffix not in SUFFIXES or (folder and not pure.is_relative_to(folder)):
        return False
    if path == folder:  # it was named itself
        return True
    inside = pure.relative_to(folder) if folder else pure
    return not _TEST_FILE.fullmatch(pure.name) and not any(_TEST_FOLDER.fullmatch(part) for part in inside.parts[:-1])


def _read(tree: Tree, path: str, notes: list[Note]) -> syntax.Source | None:
    file = tree.display(path)
    try:
        data = tree.read(path)
        if len(data) > LARGEST:
            notes.append(Note("warning", f"not read: over {LARGEST:,} bytes, which is a bundle or data", file))
            return None
        if PurePosixPath(path).suffix in PYTHON:
            return lower_python(data, path, file)
        return lower_typescript(_decoded(data, file), path, file)
    except ReadError as error:
        notes.append(Note("warning", f"not read: {error.message}", file, error.line))
        return None


def _decoded(data: bytes, file: str) -> bytes:
    """A script as UTF-8, without the mark that says so."""
    try:
        return data.decode("utf-8-sig").encode()
    except UnicodeDecodeError:
        raise ReadError("not UTF-8", file=file) from None


def _operation_ids(apis: Mapping[str, Api]) -> Iterable[str]:
    return sorted({
        operation.operation_id
        for api in apis.values()
        for operation in api.operations.values()
        if operation.operation_id is not None and operation.kind == "path"
    })  # fmt: skip

"""A specification that cannot be read, told so that it can be mended: with its line, and with its side if that is base.

Both sides call a file by the same name, so an error from the depth of a comparison does not say which one it means.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from guardian.check.sides import path_of, said_where
from guardian.errors import ReadError, RefError
from guardian.spec.locate import locate
from guardian.spec.pointers import step_into, steps_of
from guardian.spec.reading import shown
from guardian.spec.refs import Documents
from guardian.spec.text import load

_REPAIR = "what is released cannot be compared with: repair it there first, or choose other services with --service"


@contextmanager
def explaining(base: Documents, head: Documents, cwd: Path) -> Iterator[None]:
    """Give an error that is raised inside its line, and its side where it is base's."""
    try:
        yield
    except ReadError as error:
        found = _at_fault(base, head, cwd, error)
        if found is not None:
            documents, path = found
            if error.line is None and error.pointer is not None:
                data = documents.tree.read(path)
                error.line, error.column = locate(data, [error.pointer])[error.pointer]
            if documents is base:
                error.message = said_where(error.message, base.tree)
                error.hint = error.hint or _REPAIR
        raise


def _at_fault(base: Documents, head: Documents, cwd: Path, error: ReadError) -> tuple[Documents, str] | None:
    """The side whose file an error speaks of, and the path there: head where it is wrong on both."""
    if error.file is None:
        return None
    paths = [(documents, path_of(documents.tree, error.file, cwd)) for documents in (head, base)]
    known = [(documents, path) for documents, path in paths if path is not None]
    for judge in (_fails_alike, _has_what_is_wrong):
        for documents, path in known:
            if judge(documents, path, error):
                return documents, path
    return None


def _fails_alike(documents: Documents, path: str, error: ReadError) -> bool:
    try:
        Documents(documents.tree).open(path)
    except ReadError as same:
        return same.message == error.message
    return False


def _has_what_is_wrong(documents: Documents, path: str, error: ReadError) -> bool:
    if error.pointer is None:
        return False
    try:
        value = load(documents.tree.read(path), path)
        for step in steps_of(error.pointer):
            value = step_into(value, step)
    except (ReadError, LookupError):
        return False
    if isinstance(error, RefError):
        return not isinstance(value, str) or (value.partition("#")[0] or value) in error.message
    return f"not {shown(value)}" in error.message or ", not " not in error.message

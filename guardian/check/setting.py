"""What guardian.yaml asks for is wrong there: an error of a setting names the key and its line, and no flag."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from guardian.config import CheckRequest
from guardian.errors import GuardianError
from guardian.spec.locate import locate

#: The flags that stand for a key in what is said of its value.
_FLAGS = {"base": "--base", "head": "--head", "only_services": "--service", "only_consumers": "--consumer"}


def line_of(request: CheckRequest, pointer: str) -> int | None:
    """The line of guardian.yaml that a pointer leads to; ``None`` where the file is not there, or says no such thing."""
    file = request.config_file
    if file is None or not file.is_file():
        return None
    place = locate(file.read_bytes(), [pointer]).get(pointer)
    return place[0] if place else None


def name_of(request: CheckRequest) -> str | None:
    """What reports call guardian.yaml."""
    return os.path.relpath(request.config_file, request.cwd) if request.config_file is not None else None


@contextmanager
def said_of(request: CheckRequest, key: str, at: str = "") -> Iterator[None]:
    """Lead an error of a setting to its place in guardian.yaml; where a flag gave its value, it stays as it is.

    Args:
        key: in guardian.yaml: ``base``, ``model.endpoint``.
        at: pointer of the value below the key: ``/0`` for the first of several.
    """
    try:
        yield
    except GuardianError as error:
        if key not in request.configured:
            raise
        message = f"{error.file}: {error.message}" if error.file is not None else error.message
        flag = f"{_FLAGS.get(key, '')} "
        said = f" names {message.removeprefix(flag)}" if message.startswith(flag) else f": {message}"
        pointer = "/" + key.replace(".", "/")
        line = line_of(request, pointer + at) or line_of(request, pointer)
        raise type(error)(f"`{key}`{said}", file=name_of(request), line=line, hint=error.hint) from None

"""JSON Patch (RFC 6902) on plain data, and the few helpers that build its operations.

The document that goes in is never changed: containers on the way to an edit are copied, everything else is shared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from guardian.errors import GuardianError
from guardian.spec import sameness
from guardian.spec.pointers import escape, steps_of

Operation = Mapping[str, Any]

_MISSING = object()
_NEEDS = {
    "add": ("value",),
    "replace": ("value",),
    "test": ("value",),
    "remove": (),
    "move": ("from",),
    "copy": ("from",),
}


class PatchError(GuardianError):
    """A patch that cannot be applied, or not without touching what it does not name.

    Attributes:
        pointer: the place the trouble is at, where there is one.
    """

    exit_code = 2
    pointer: str | None = None


def failed(message: str, pointer: str | None = None, *, file: str | None = None) -> PatchError:
    """A `PatchError` that names its place."""
    error = PatchError(f"{message} (at #{pointer})" if pointer is not None else message, file=file)
    error.pointer = pointer
    return error


def pointer(*steps: str | int) -> str:
    """The JSON pointer (RFC 6901) that leads through these keys and indices."""
    return "".join(f"/{escape(str(step))}" for step in steps)


def add(at: str, value: Any) -> dict[str, Any]:
    """The operation that puts a value at a pointer: a new member, or an item before the one that is there."""
    return {"op": "add", "path": at, "value": value}


def replace(at: str, value: Any) -> dict[str, Any]:
    """The operation that exchanges the value that is at a pointer."""
    return {"op": "replace", "path": at, "value": value}


def remove(at: str) -> dict[str, Any]:
    """The operation that takes away what is at a pointer."""
    return {"op": "remove", "path": at}


def get(document: Any, at: str, default: Any = None) -> Any:
    """The value at a pointer, or the default where there is none. No ``$ref`` is followed."""
    value = document
    for step in steps_of(at):
        if isinstance(value, dict):
            value = value.get(step, _MISSING)
        elif isinstance(value, list) and _is_index(step) and int(step) < len(value):
            value = value[int(step)]
        else:
            return default
        if value is _MISSING:
            return default
    return value


def has(document: Any, at: str) -> bool:
    """Whether there is a value at a pointer."""
    return get(document, at, _MISSING) is not _MISSING


def equal(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON value: as ``==``, but ``true`` is not ``1``, and ``1`` is ``1.0``."""
    return one is other or sameness.equal(one, other)


def apply(document: Any, operations: Iterable[Operation]) -> Any:
    """The document after all operations, in order; the one that was given stays as it is.

    Raises:
        PatchError: an operation is malformed, its place is not there, or a ``test`` failed.
    """
    for operation in operations:
        document = _apply(document, operation)
    return document


def check(operation: Any) -> None:
    """Refuse what is no operation.

    Raises:
        PatchError: it is no object, has another ``op``, or lacks a member.
    """
    if not isinstance(operation, Mapping):
        raise failed(f"an operation is an object, not {operation!r}")
    kind = operation.get("op")
    if not isinstance(kind, str) or kind not in _NEEDS:
        raise failed(f"an operation's `op` is one of {', '.join(_NEEDS)}, not {kind!r}")
    for member in ("path", *_NEEDS[kind]):
        if member not in operation:
            raise failed(f"the operation {kind!r} lacks {member!r}")
        if member != "value" and not _is_pointer(operation[member]):
            raise failed(f"{operation[member]!r} is no JSON pointer: it starts with a slash")


def _is_pointer(value: Any) -> bool:
    return isinstance(value, str) and (not value or value.startswith("/"))


def _apply(document: Any, operation: Operation) -> Any:
    check(operation)
    path: str = operation["path"]
    kind = operation["op"]
    if kind == "add":
        return _put(document, path, operation["value"])
    if kind == "remove":
        return _change(document, path, _MISSING)
    if kind == "replace":
        return _change(document, path, operation["value"])
    if kind == "test":
        found = get(document, path, _MISSING)
        if found is _MISSING or not equal(found, operation["value"]):
            raise failed("the value is not what the patch expects", path)
        return document
    source: str = operation["from"]
    value = get(document, source, _MISSING)
    if value is _MISSING:
        raise failed("there is nothing to take", source)
    if kind == "move":
        if path.startswith(f"{source}/"):
            raise failed("a value cannot be moved into itself", path)
        document = _change(document, source, _MISSING) if path != source else document
    return _put(document, path, value) if path != source else document


def _put(document: Any, path: str, value: Any) -> Any:
    steps = steps_of(path)
    if not steps:
        return value
    parent = get(document, pointer(*steps[:-1]), _MISSING)
    last = steps[-1]
    if isinstance(parent, dict):
        return _rebuilt(document, steps[:-1], path, {**parent, last: value})
    if isinstance(parent, list):
        if last != "-" and not (_is_index(last) and int(last) <= len(parent)):
            raise failed(f"{last!r} is no place in a list of {len(parent)}", path)
        index = len(parent) if last == "-" else int(last)
        return _rebuilt(document, steps[:-1], path, [*parent[:index], value, *parent[index:]])
    raise failed("there is no object or list to add to", path)


def _change(document: Any, path: str, value: Any) -> Any:
    """Exchange or (with `_MISSING`) take away the value at an existing place."""
    if not has(document, path):
        raise failed("there is nothing here", path)
    steps = steps_of(path)
    if not steps:
        if value is _MISSING:
            raise failed("the whole document cannot be removed", path)
        return value
    parent = get(document, pointer(*steps[:-1]))
    last = steps[-1]
    changed: Any
    if isinstance(parent, dict):
        changed = {**parent, last: value}
        if value is _MISSING:
            del changed[last]
    else:
        index = int(last)
        changed = [*parent[:index], *([] if value is _MISSING else [value]), *parent[index + 1 :]]
    return _rebuilt(document, steps[:-1], path, changed)


def _rebuilt(document: Any, steps: list[str], path: str, value: Any) -> Any:
    """A copy of the document in which ``value`` stands where ``steps`` lead."""
    if not steps:
        return value
    first, rest = steps[0], steps[1:]
    if isinstance(document, dict):
        return {**document, first: _rebuilt(document[first], rest, path, value)}
    index = int(first)
    return [*document[:index], _rebuilt(document[index], rest, path, value), *document[index + 1 :]]


def _is_index(step: str) -> bool:
    return step.isascii() and step.isdigit() and (step == "0" or not step.startswith("0"))

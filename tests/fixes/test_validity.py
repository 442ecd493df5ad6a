"""A patched document is as valid as all of it shows, although only what differs is looked at."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from guardian.errors import ReadError
from guardian.fixes import validity
from guardian.fixes.json_patch import Operation, PatchError, apply
from guardian.fixes.validity import made_invalid
from guardian.spec.dialects import dialect_of
from guardian.spec.text import load
from tests.fixes.test_mutations import specifications
from tests.fixes.test_touched import random_operation


def of_all(base: Any, before: Any, after: Any, dialect: str) -> str | None:
    """The same, of the whole documents."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(validity, "_unshared", lambda one, other: (one, other))
        return made_invalid(base, before, after, dialect)


def test_random_operations_are_judged_as_the_whole_document_is() -> None:
    """On real files of every version, valid ones and others; what is found wrong is at the same place."""
    random, judged, wrong = Random(3), set(), 0
    for path in specifications():
        try:
            before = load(path.read_bytes(), path.name)
            dialect = dialect_of(before, path.name).version
        except ReadError:
            continue
        if path.stat().st_size > 200_000:
            continue
        for _ in range(4):
            operations: list[Operation] = [random_operation(random, before) for _ in range(2)]
            try:
                after = apply(before, operations)
            except PatchError:
                continue
            found = made_invalid(before, before, after, dialect)
            assert found == of_all(before, before, after, dialect), (path, operations)
            judged.add(dialect)
            wrong += found is not None
    assert len(judged) > 1
    assert wrong > 10


def test_a_name_that_is_given_twice_is_seen_beside_what_is_shared() -> None:
    """Although the operation that has it already is not looked at."""
    before = {"paths": {"/a": {"get": {"operationId": "one"}}, "/b": {}}}
    after = {"paths": {**before["paths"], "/b": {"get": {"operationId": "one"}}}}
    assert made_invalid(before, before, after, "3.0") == "the operationId 'one' is given to 2 operations"
    moved = {"paths": {"/a": {}, "/b": after["paths"]["/b"]}}
    assert "operationId" not in (made_invalid(before, before, moved, "3.0") or "")

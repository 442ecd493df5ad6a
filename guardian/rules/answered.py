"""Which operations of head are called where one of base was that is gone: literals in place of a variable, and back.

``/reports/daily`` may have gone into ``/reports/{period}``, or a variable that lists its values into a path for each of
them. By their shapes these are no pair; who calls the former URL is answered all the same, by something whose
description is another.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from itertools import islice, product
from typing import NamedTuple

from guardian.errors import RefError
from guardian.model import Direction
from guardian.rules.urls import MAX_URLS, common_path, effective_path, variables_of
from guardian.spec.api import Api, Operation, Schema
from guardian.spec.shape import ANYTHING
from guardian.spec.shaper import Shaper

_OPEN = "{}"  # any text


class _Target(NamedTuple):
    operation: Operation
    path: str

    def values(self, called: str) -> tuple[str, ...] | None:
        """What stands for each variable in a URL that is called; None if it is another one's."""
        segments, others = self.path.split("/"), called.split("/")
        if len(segments) != len(others) or any(
            segment != other and _OPEN not in segment for segment, other in zip(segments, others, strict=True)
        ):
            return None
        match = _pattern(self.path).fullmatch(called)
        return match.groups() if match is not None else None


@lru_cache(maxsize=4096)
def _pattern(path: str) -> re.Pattern[str]:
    return re.compile("([^/]+)".join(map(re.escape, path.split(_OPEN))))


class Answered:
    """Head's operations by the URLs that they answer.

    Args:
        base, head: the two sides.
        gained: the operations of head that base does not have. One that base has beside what is gone is no new home:
            it was there, and answered less.
    """

    def __init__(self, base: Api, head: Api, gained: Iterable[Operation]) -> None:
        self._base_path = common_path(base)
        self._targets: dict[tuple[str, int], list[_Target]] = {}
        common = common_path(head)
        new = {id(each) for each in gained}
        for operation in head.operations.values():
            if operation.kind == "path" and (id(operation) in new or not variables_of(operation.path)):
                path = effective_path(operation, common)
                self._targets.setdefault(_key(operation, path), []).append(_Target(operation, path))

    def by(self, lost: Operation) -> tuple[Operation, ...]:
        """The operations that answer together wherever one was called that is gone; none if a URL is left over."""
        path = effective_path(lost, self._base_path)
        targets = self._targets.get(_key(lost, path), [])
        if not targets:
            return ()
        schemas = _schemas(lost)
        choices = [_texts(schema) for schema in schemas]
        found: dict[int, Operation] = {}
        pieces = path.split(_OPEN)
        # What a server's variable leaves open stands before the variables of the path.
        choices = [[_OPEN]] * (len(pieces) - 1 - len(choices)) + choices
        for texts in islice(product(*choices), MAX_URLS):
            called = "".join(piece + text for piece, text in zip(pieces, [*texts, ""], strict=True))
            target = next((each for each in targets if _answers(each, called, schemas)), None)
            if target is None:
                return ()
            found[id(target.operation)] = target.operation
        return tuple(found.values())


def _key(operation: Operation, path: str) -> tuple[str, int]:
    return operation.method, path.count("/")


def _schemas(operation: Operation) -> list[Schema]:
    """What the variables of a path may be, in order."""
    known = {each.name: each.schema or ANYTHING for each in operation.parts.parameters if each.location == "path"}
    return [known.get(name, ANYTHING) for name in variables_of(operation.path)]


def _texts(schema: Schema) -> list[str]:
    """The values of a variable that lists them, else that any may stand there."""
    atoms = Shaper().shape(schema, Direction.REQUEST).atoms
    if not atoms or any(atom.enum is None for atom in atoms):
        return [_OPEN]
    values = [json.loads(text) for atom in atoms for text in atom.enum or ()]
    return [value if isinstance(value, str) else json.dumps(value) for value in values]


def _answers(target: _Target, called: str, base: list[Schema]) -> bool:
    """Whether an operation takes what stands for its variables in a URL that is called."""
    values = target.values(called)
    if values is None:
        return False
    schemas = _schemas(target.operation)
    texts = values[len(values) - len(schemas) :]
    return all(map(_takes, schemas, texts, [base] * len(schemas)))


def _takes(schema: Schema, text: str, base: list[Schema]) -> bool:
    if text == _OPEN:
        kinds = _kinds(schema)
        return ("string", False) in kinds or any(kinds >= _kinds(each) for each in base)
    from guardian.rules.judge import Judge
    from guardian.rules.rewrite import Role
    from guardian.rules.url_text import readings
    from guardian.rules.validator import Unjudgeable

    with suppress(Unjudgeable, RefError):
        judge = Judge(schema, Direction.REQUEST, Role.RECEIVER)
        return any(judge.accepts(value) for value in readings(text))
    return False


def _kinds(schema: Schema) -> set[tuple[str, bool]]:
    return {(atom.kind, atom.integer) for atom in Shaper().shape(schema, Direction.REQUEST).atoms}

"""An independent opinion: does a side accept this value? Asked of a JSON Schema validator (jsonschema-rs).

Shares nothing with the rules and the shapes they compare. A schema of any dialect is rewritten, keyword by keyword,
into JSON Schema 2020-12 and judged with ``format`` and ``pattern`` asserted. Only what the value at hand can reach is
rewritten: properties it does not have cannot matter, so a judgement costs what the value is worth, not the document
(until a schema has been asked about so often that rewriting all of it once is cheaper).

The conventions of messages (INTERFACE, section 5) are part of the question. A *sender* sends no key that it does not
declare, unless it declares none at all and so is free-form. A *receiver* of a request takes it as the schema says; the reader of a response ignores keys it does not know.
Neither expects what is readOnly in a request or writeOnly in a response. ``oneOf`` is read as "one of these", like
``anyOf``: contracts use both for it, and a value in the overlap is not what they argue about.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from guardian.errors import RefError
from guardian.model import Direction
from guardian.rules.rewrite import Memo, Rewriter, Role
from guardian.rules.validator import Json, Unjudgeable, compiled
from guardian.spec.api import Schema
from guardian.spec.shape import meant

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator


# A schema that has been made ready for so many kinds of values is made ready for all.
ASKED_OFTEN = 3


class Judges:
    """The judges of one side, remembered by what they judge."""

    def __init__(self) -> None:
        self._judges: dict[tuple[object, ...], Judge] = {}
        self._memo = Memo()

    def judge(self, schema: Schema, direction: Direction, role: Role, *, tags: bool = False) -> Judge:
        """The judge of a schema in messages of this direction; see ``Judge``."""
        schema = meant(schema)
        key = (schema.key, direction, role, tags)
        found = self._judges.get(key)
        if found is None:
            found = self._judges[key] = Judge(schema, direction, role, tags=tags, memo=self._memo)
        return found


class Judge:
    """Judges values of one schema.

    Args:
        schema: what the values must satisfy.
        direction: that of the message they are in.
        role: whose acceptance is asked for.
        tags: whether a discriminator's value must be a known one and select a variant that fits; JSON Schema alone
            does not know discriminators.
    """

    def __init__(
        self, schema: Schema, direction: Direction, role: Role, *, tags: bool = False, memo: Memo | None = None
    ) -> None:
        self._schema = schema
        self._direction = direction
        self._role = role
        self._tags = tags
        self._memo = memo if memo is not None else Memo()
        self._whole: Draft202012Validator | None = None
        self._validators: list[tuple[set[str], bool, Draft202012Validator]] = []

    def accepts(self, value: Any, needs: Json = True) -> bool:
        """Whether the value is accepted, and satisfies ``needs``, a further JSON Schema that a reader relies on.

        Raises:
            Unjudgeable: the schema is nothing that the validator can read.
            RefError: a reference in the schema leads nowhere.
        """
        return self._validator([value]).is_valid(value) and (needs is True or compiled(needs).is_valid(value))

    def objections(self, value: Any) -> list[set[str]]:
        """For each objection to a value the keywords that lead to it.

        Raises:
            Unjudgeable, RefError: as for ``accepts``.
        """
        return [set(map(str, error.schema_path)) for error in self._validator([value]).iter_errors(value)]

    def prepare(self, values: Iterable[Any]) -> None:
        """Make ready to judge these values: that is cheaper than one by one."""
        self._validator(values)

    def _validator(self, values: Iterable[Any]) -> Draft202012Validator:
        if self._whole is not None:
            return self._whole
        names, items = _contents(values)
        for known, with_items, validator in self._validators:
            if names <= known and items <= with_items:
                return validator
        if len(self._validators) == ASKED_OFTEN:  # then once for all values, if the whole of it can be read
            with suppress(Unjudgeable, RefError):
                self._whole = self._compiled(None, True)
                return self._whole
        validator = self._compiled(frozenset(names), items)
        self._validators.append((names, items, validator))
        return validator

    def _compiled(self, names: frozenset[str] | None, items: bool) -> Draft202012Validator:
        rewriter = Rewriter(self._direction, self._role, self._tags, names, items, self._memo)
        return compiled(rewriter.schema(self._schema.nodes))


def _contents(values: Iterable[Any]) -> tuple[set[str], bool]:
    """Every key anywhere in some values, and whether there is any item."""
    names: set[str] = set()
    items = False
    stack = list(values)
    while stack:
        each = stack.pop()
        if isinstance(each, dict):
            names.update(each)
            stack.extend(each.values())
        elif isinstance(each, list):
            items = items or bool(each)
            stack.extend(each)
    return names, items

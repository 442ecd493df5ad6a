"""An independent opinion: does a side accept this value? Asked of a JSON Schema validator (jsonschema-rs).

Shares nothing with the rules and the shapes they compare. A schema of any dialect is rewritten, keyword by keyword,
into JSON Schema 2020-12 and judged with ``format`` and ``pattern`` asserted. Only what the value at hand can reach is
rewritten: properties it does not have cannot matter, so a judgement costs what the value is worth, not the document
(until a schema has been asked about so often that rewriting all of it once is cheaper). Each judge knows the schemas of
one place: what stands below is put to the judge of that place, which all who have the same there share, with its answers.

The conventions of messages (INTERFACE, section 5) are part of the question. A *sender* sends no key that it does not
declare, unless it declares none at all and so is free-form. A *receiver* of a request takes it as the schema says; the reader of a response ignores keys it does not know.
Neither expects what is readOnly in a request or writeOnly in a response. ``oneOf`` is read as "one of these", like
``anyOf``: contracts use both for it, and a value in the overlap is not what they argue about.
"""

from __future__ import annotations

import marshal
from collections.abc import Hashable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from guardian.errors import RefError
from guardian.model import Direction
from guardian.rules.alike import Alike
from guardian.rules.keywords import mapping
from guardian.rules.rewrite import Memo, Rewriter, Role
from guardian.rules.validator import Json, Unjudgeable, compiled
from guardian.spec.api import Node, Schema
from guardian.spec.shape import meant

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator


# A schema that has been made ready for so many kinds of values is made ready for all. One of alternatives is so at once:
# the values of each have other keys, and all alternatives are rewritten whichever of them a value is.
ASKED_OFTEN = 2

# Judges ask each other no further down than this: Python would end it somewhere, and the validator say nothing of that.
MAX_DEPTH = 100

# A keyword of our own, for a place below whose value is put to another judge: that one's number.
_ASK = "x-ask"


# The keywords that speak of what lies in a value.
_DESCENDING = frozenset((
    "properties", "patternProperties", "additionalProperties", "unevaluatedProperties", "items", "prefixItems",
    "unevaluatedItems",
))  # fmt: skip


class Objection(NamedTuple):
    """Why a value is refused.

    Attributes:
        keywords: those that lead to the objection, as far as they speak of the value itself.
        below: whether it is to something that lies in the value.
    """

    keywords: frozenset[str]
    below: bool


class Judges:
    """The judges of one side, remembered by what they judge; ``alike`` says what is the same to them."""

    def __init__(self) -> None:
        self.alike = Alike()
        self.memo = Memo()
        self._judges: list[Judge] = []
        self._numbers: dict[Hashable, int] = {}
        self._answers: dict[tuple[int, bytes], bool] = {}
        # The same by the identity of the value, for many have one part in common. Nobody changes a value that was asked
        # about, and it is kept beside its answer, so that its identity is not given twice.
        self._told: dict[tuple[int, int], tuple[Any, bool]] = {}
        self._failed: Exception | None = None
        self._depth = 0

    def judge(self, schema: Schema, direction: Direction, role: Role, *, tags: bool = False) -> Judge:
        """The judge of a schema in messages of this direction; see ``Judge``."""
        return self._judges[self.number(schema, direction, role, tags=tags)]

    def number(
        self, schema: Schema, direction: Direction, role: Role, *, tags: bool = False, exact: bool = False
    ) -> int:
        """The number of a judge, by which others ask it."""
        key = (self.alike(schema), direction, role, tags, exact)
        number = self._numbers.setdefault(key, len(self._judges))
        if number == len(self._judges):
            self._judges.append(Judge(meant(schema), direction, role, tags=tags, exact=exact, judges=self))
        return number

    def accepts(self, number: int, value: Any) -> bool:
        """Whether that judge accepts a value; an answer may be worth nothing before ``settle`` was called."""
        try:
            if self._depth == MAX_DEPTH:
                raise Unjudgeable(f"the value is more than {MAX_DEPTH} levels deep")
            told = self._told.get((number, id(value)))
            if told is None:
                told = self._told[number, id(value)] = value, self._answer(number, value)
            return told[1]
        except Exception as error:  # noqa: BLE001 - the validator would take it for a refusal; `settle` raises it
            self._failed = error
            return False

    def _answer(self, number: int, value: Any) -> bool:
        key = number, marshal.dumps(value, 2)
        if key not in self._answers:
            self._depth += 1
            try:
                self._answers[key] = self._judges[number].accepts(value)
            finally:
                self._depth -= 1
        return self._answers[key]

    def objections(self, number: int, value: Any) -> list[Objection]:
        """The objections of that judge to a value."""
        return self._judges[number].objections(value)

    def settle(self) -> None:
        """Raise what went wrong with a question in between."""
        if self._failed is not None:
            failed, self._failed = self._failed, None
            raise failed


class _Question:
    """The keyword of our own as the validator wants it: an object that raises a ValueError for what it refuses."""

    def __init__(self, judges: Judges, number: int) -> None:
        self._judges = judges
        self._number = number

    def validate(self, value: Any) -> None:
        if not self._judges.accepts(self._number, value):
            raise ValueError(self._number)


class Judge:
    """Judges values of one schema.

    Args:
        schema: what the values must satisfy.
        direction: that of the message they are in.
        role: whose acceptance is asked for.
        tags: whether a discriminator's value must be a known one and select a variant that fits; JSON Schema alone
            does not know discriminators.
        exact: whether to leave out what senders and receivers mean by what is written, as inside ``not`` and conditions.
        judges: those of the same side, if there are others.
    """

    def __init__(
        self,
        schema: Schema,
        direction: Direction,
        role: Role,
        *,
        tags: bool = False,
        exact: bool = False,
        judges: Judges | None = None,
    ) -> None:
        self._schema = schema
        self._direction = direction
        self._role = role
        self._tags = tags
        self._exact = exact
        self._judges = judges if judges is not None else Judges()
        self._whole: Draft202012Validator | None = None
        self._validators: list[tuple[frozenset[str], bool, Draft202012Validator]] = []

    def accepts(self, value: Any, needs: Json = True) -> bool:
        """Whether the value is accepted, and satisfies ``needs``, a further JSON Schema that a reader relies on.

        Raises:
            Unjudgeable: the schema is nothing that the validator can read.
            RefError: a reference in the schema leads nowhere.
        """
        if needs is not True and not compiled(needs).is_valid(value):  # asked first, for it is far less than the schema
            return False
        accepted = self._validator(value).is_valid(value)
        self._judges.settle()
        return accepted

    def objections(self, value: Any) -> list[Objection]:
        """What a value is refused for.

        Raises:
            Unjudgeable, RefError: as for ``accepts``.
        """
        errors = list(self._validator(value).iter_errors(value))
        self._judges.settle()
        found: list[Objection] = []
        for error in errors:
            way = list(map(str, error.schema_path))
            if error.instance_path:
                found.append(Objection(frozenset(_until_below(way)), True))
            elif way[-1] == _ASK:
                below = self._judges.objections(int(error.message), error.instance)
                found.extend(each._replace(keywords=each.keywords | set(way)) for each in below)
            else:
                found.append(Objection(frozenset(way), False))
        return found

    def _validator(self, value: Any) -> Draft202012Validator:
        if self._whole is not None:
            return self._whole
        names = frozenset(value) if isinstance(value, dict) else frozenset()
        items = isinstance(value, list) and bool(value)
        for known, with_items, validator in self._validators:
            if names <= known and items <= with_items:
                return validator
        often = 0 if _offers_alternatives(self._schema) else ASKED_OFTEN
        if len(self._validators) == often:  # then once for all values, if the whole of it can be read
            with suppress(Unjudgeable, RefError):
                self._whole = self._compiled(None, True)
                return self._whole
        validator = self._compiled(names, items)
        self._validators.append((names, items, validator))
        return validator

    def _compiled(self, names: frozenset[str] | None, items: bool) -> Draft202012Validator:
        judges, direction, role, tags = self._judges, self._direction, self._role, self._tags

        def below(node: Node, exact: bool) -> Json:
            return {_ASK: judges.number(Schema((node,)), direction, role, tags=tags, exact=exact)}

        def question(parent: object, number: int, path: object) -> _Question:
            return _Question(judges, number)

        rewriter = Rewriter(direction, role, tags, names, items, judges.memo, exact=self._exact, elsewhere=below)
        return compiled(rewriter.schema(self._schema.nodes), {_ASK: question})


def _until_below(way: list[str]) -> list[str]:
    """The beginning of a way through a schema, with the first step that leads into the value."""
    end = next((index for index, keyword in enumerate(way) if keyword in _DESCENDING), len(way))
    return way[: end + 1]


def _offers_alternatives(schema: Schema) -> bool:
    """Whether several schemas are listed of which a value satisfies one."""
    listed = [mapping(node.value).get(keyword) for node in schema.nodes for keyword in ("anyOf", "oneOf")]
    return any(isinstance(options, list) and len(options) > 1 for options in listed)

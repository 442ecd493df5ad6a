"""Consumer manifests: what a consumer itself says it reads, sends and passes on.

Written by people, so every mistake is named with its line and the likely word, and all mistakes of a file are told
together. Checked by hand: a gate that reads hundreds of these should not wait for a validation library to load.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from guardian import fieldpath
from guardian.config.mistakes import Lines, Mistake, Steps, dotted, pointer, shown, suggest
from guardian.errors import ReadError
from guardian.fieldpath import Path
from guardian.graph.uses import Consumer, Exposure, Field, Use
from guardian.model import Location

OPERATION = re.compile(
    r"(?:callback\s+[A-Za-z][\w-]*\s+\S+\s+of\s+)*(?:webhook\s+[A-Za-z][\w-]*\s+\S.*|[A-Za-z][\w-]*\s+/\S*)"
)
STATUS = re.compile(r"[1-5](?:\d\d|[xX]{2})|default")

_KEYS = ("consumer", "owner", "contact", "strict", "uses")
_USE_KEYS = ("service", "operation", "reads", "partial", "sends", "responses", "exposes")
_OF_OPERATION = ("reads", "partial", "sends", "responses", "exposes")
_FORMS = "`GET /users/{id}`, `webhook POST order-paid` or `callback POST onEvent of POST /subscriptions`"


def is_manifest(data: Any) -> bool:
    """Whether plain data means to be a manifest, be it a mistaken one."""
    return isinstance(data, Mapping) and ("uses" in data or isinstance(data.get("consumer"), str))


def load_manifest(data: Any, file: str, lines: Lines) -> Consumer:
    """The consumer that a manifest's plain data declares (``guardian schema manifest``).

    Args:
        data: the whole document.
        file: its name, for messages and origins.
        lines: finds the line and column of a JSON pointer.

    Raises:
        ReadError: something in it cannot be meant; all mistakes are told at once.
    """
    reader = _Reader(file)
    consumer = reader.consumer(data)
    if reader.mistakes:
        raise refusal([(file, place(mistake, lines), mistake) for mistake in reader.mistakes])
    return consumer


Place = tuple[int, int] | None


def place(mistake: Mistake, lines: Lines) -> Place:
    """Line and column of a mistake, or of the nearest thing around it that has them."""
    for length in range(len(mistake.steps), -1, -1):
        found = lines(pointer(mistake.steps[:length]))
        if found is not None:
            return found
    return None


def refusal(mistakes: Sequence[tuple[str, Place, Mistake]]) -> ReadError:
    """One error for all mistakes of one or more files, in the order of files and lines."""
    ordered = sorted(mistakes, key=lambda each: (each[0], each[1] or (0, 0)))
    if len(ordered) == 1:
        file, where, mistake = ordered[0]
        line, column = where or (None, None)
        return ReadError(mistake.message, file=file, line=line, column=column, hint=mistake.hint)
    sentences = [
        f"{':'.join([file, *map(str, where or ())])}: {mistake.message}" + (f"; {mistake.hint}" if mistake.hint else "")
        for file, where, mistake in ordered
    ]
    return ReadError(f"{len(ordered)} mistakes in consumer manifests", hint="\n".join(sentences))


def is_operation(text: str) -> bool:
    """Whether a text has the form of an operation: a method and a path, a webhook or a callback."""
    return OPERATION.fullmatch(text.strip()) is not None


class _Reader:
    """Reads one manifest and notes every mistake; what is mistaken is left out of the result."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.mistakes: list[Mistake] = []

    def consumer(self, data: Any) -> Consumer:
        if not isinstance(data, Mapping):
            self._wrong((), f"a manifest is a mapping with the keys `consumer` and `uses`, not {shown(data)}")
            return Consumer("", ())
        self._refuse_unknown(data, _KEYS, ())
        name = self._text(data, "consumer", (), required=True) or ""
        strict = data.get("strict", False)
        if not isinstance(strict, bool):
            self._wrong(("strict",), f"`strict` is true or false, not {shown(strict)}")
        uses: list[Use] = []
        if "uses" not in data:
            self._wrong((), "the manifest lacks the key `uses`", "`uses: []` where nothing is used")
        elif not isinstance(data["uses"], list):
            self._wrong(("uses",), f"`uses` is a list, not {shown(data['uses'])}")
        else:
            uses = [use for index, each in enumerate(data["uses"]) if (use := self._use(name, each, ("uses", index)))]
        return Consumer(
            name,
            tuple(uses),
            owner=self._text(data, "owner", ()),
            contact=self._text(data, "contact", ()),
            strict=strict is True,
        )

    def _use(self, consumer: str, data: Any, at: Steps) -> Use | None:
        if not isinstance(data, Mapping):
            self._wrong(at, f"`{dotted(at)}` is a mapping with `service` and `operation`, not {shown(data)}")
            return None
        self._refuse_unknown(data, _USE_KEYS, at)
        service = self._text(data, "service", at, required=True)
        # A service alone says that it is used, and no more than that; who says more says of which operation.
        says_more = any(key in data for key in _OF_OPERATION)
        operation = self._text(data, "operation", at, required=says_more)
        if operation is not None and not is_operation(operation):
            self._wrong((*at, "operation"), f"`{operation}` names no operation", f"write {_FORMS}")
        partial = data.get("partial", False)
        if not isinstance(partial, bool):
            self._wrong((*at, "partial"), f"`{dotted((*at, 'partial'))}` is true or false, not {shown(partial)}")
        use = Use(
            consumer,
            service or "",
            " ".join(operation.split()) if operation is not None else None,
            self._origin(at),
            reads=self._fields(data, "reads", at, fieldpath.parse),
            sends=self._fields(data, "sends", at, fieldpath.parse_sent),
            responses=self._responses(data, at),
            exposes=tuple(self._exposes(data, at)),
            partial=partial is True and "reads" in data,
        )
        return use if service and (operation or "operation" not in data) else None

    def _fields(
        self, data: Mapping[str, Any], key: str, at: Steps, parse: Callable[[str], Path]
    ) -> tuple[Field, ...] | None:
        found: list[Field] = []
        for index, text in self._texts(data, key, at):
            here = (*at, key, index)
            path = self._path(text, here, parse)
            if path is not None:
                found.append(Field(path, self._origin(here)))
        return tuple(found) if key in data else None

    def _path(self, text: str, at: Steps, parse: Callable[[str], Path]) -> Path | None:
        try:
            return parse(text)
        except ValueError as problem:
            self._wrong(at, str(problem))
            return None

    def _responses(self, data: Mapping[str, Any], at: Steps) -> tuple[str, ...] | None:
        found: list[str] = []
        for index, text in self._texts(data, "responses", at):
            if STATUS.fullmatch(text):
                found.append(text.replace("x", "X"))
            else:
                self._wrong((*at, "responses", index), f"`{text}` is no status", 'write "404", "4XX" or default')
        return tuple(found) if "responses" in data else None

    def _texts(self, data: Mapping[str, Any], key: str, at: Steps) -> Iterator[tuple[int, str]]:
        """The texts of a list, by index; whole numbers count as text, for statuses are written without quotes."""
        if key not in data:
            return
        value = data[key]
        if not isinstance(value, list):
            hint = f"`{key}: []` says none; without the key it is not known" if value is None else None
            self._wrong((*at, key), f"`{dotted((*at, key))}` is a list, not {shown(value)}", hint)
            return
        for index, each in enumerate(value):
            if isinstance(each, str) and each.strip():
                yield index, each.strip()
            elif isinstance(each, int) and not isinstance(each, bool):
                yield index, str(each)
            else:
                self._wrong((*at, key, index), f"`{dotted((*at, key, index))}` is text, not {shown(each)}")

    def _exposes(self, data: Mapping[str, Any], at: Steps) -> Iterator[Exposure]:
        value = data.get("exposes", {})
        here = (*at, "exposes")
        if not isinstance(value, Mapping):
            self._wrong(here, f"`{dotted(here)}` is a mapping, not {shown(value)}")
            return
        for key, targets in value.items():
            path = self._path(str(key), (*here, key), fieldpath.parse)
            for index, target in enumerate(targets if isinstance(targets, list) else [targets]):
                spot: Steps = (*here, key, index) if isinstance(targets, list) else (*here, key)
                operation, mark, field = target.rpartition("#") if isinstance(target, str) else ("", "", "")
                if not mark or not is_operation(operation):
                    self._wrong(
                        spot,
                        f"`{dotted(spot)}` is an operation and a field of this consumer's own API, not {shown(target)}",
                        "write `GET /invoices/{id}#customer.email`",
                    )
                    continue
                exposed = self._path(field, spot, fieldpath.parse)
                if path is not None and exposed is not None:
                    yield Exposure(path, " ".join(operation.split()), exposed, self._origin(spot))

    def _text(self, data: Mapping[str, Any], key: str, at: Steps, *, required: bool = False) -> str | None:
        value = data.get(key)
        if key not in data:
            if required:
                inside = f"`{dotted(at)}` lacks" if at else "the manifest lacks"
                self._wrong(at, f"{inside} the key `{key}`")
            return None
        if isinstance(value, str) and value.strip():
            return value.strip()
        self._wrong((*at, key), f"`{dotted((*at, key))}` is text, not {shown(value)}")
        return None

    def _refuse_unknown(self, data: Mapping[str, Any], known: tuple[str, ...], at: Steps) -> None:
        for key in data:
            if key not in known and not str(key).startswith("x-"):
                self._wrong((*at, key), f"unknown key `{key}`", suggest(str(key), known))

    def _wrong(self, at: Steps, message: str, hint: str | None = None) -> None:
        self.mistakes.append(Mistake(at, message, hint))

    def _origin(self, at: Steps) -> Location:
        return Location(self.file, pointer(at))


def manifest_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a consumer manifest."""
    fields = {"type": "array", "items": {"type": "string", "minLength": 1}}
    target = {"type": "string", "pattern": "#"}
    use = {
        "type": "object",
        "required": ["service"],
        "dependentRequired": {key: ["operation"] for key in _OF_OPERATION},
        "additionalProperties": False,
        "patternProperties": {"^x-": {}},
        "properties": {
            "service": {"type": "string", "minLength": 1, "description": "The service, as guardian.yaml names it."},
            "operation": {
                "type": "string",
                "description": f"The operation: {_FORMS}. Parameter names do not matter. Left out, together with all that "
                "follows: the service is used, and how is not known, so that whatever changes in it is possible.",
            },
            "reads": {
                **fields,
                "description": "Fields of the success responses: `id`, `address.city`, `roles[].name`, `labels.*`, `$` "
                "for the whole body. Left out: not known. A webhook's receiver reads the request body.",
            },
            "partial": {
                "type": "boolean",
                "default": False,
                "description": "True if more may be read than `reads` lists, as where a body is handed on as a whole.",
            },
            "sends": {
                **fields,
                "description": "What is sent: `query:expand`, `header:X-Tenant`, `path:id`, `body.name`, `body.$`, "
                "`scope:users.read`. Left out: not known.",
            },
            "responses": {
                "type": "array",
                "items": {"type": ["string", "integer"], "pattern": f"^(?:{STATUS.pattern})$"},
                "description": 'The statuses that are handled: "200", "4XX", default.',
            },
            "exposes": {
                "type": "object",
                "additionalProperties": {"anyOf": [target, {"type": "array", "items": target}]},
                "description": "Lineage: a field that is read, and where this consumer's own API passes it on: "
                "`email: GET /invoices/{id}#customer.email`.",
            },
        },
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "guardian consumer manifest",
        "type": "object",
        "required": ["consumer", "uses"],
        "additionalProperties": False,
        "patternProperties": {"^x-": {}},
        "properties": {
            "consumer": {"type": "string", "minLength": 1, "description": "Its name; a service of this name is its."},
            "owner": {"type": "string", "minLength": 1, "description": "The team to ask."},
            "contact": {"type": "string", "minLength": 1, "description": "Where to reach them."},
            "strict": {
                "type": "boolean",
                "default": False,
                "description": "True if its decoder refuses unknown fields and enum values.",
            },
            "uses": {"type": "array", "items": use},
        },
    }

"""From plain data to the values of guardian.yaml and of the exceptions file, and their JSON Schemas.

pydantic checks the data against the dataclasses of ``values`` and ``accepted``; all mistakes of a file are reported together. The
data is checked as JSON is: a number in quotes is text, and YAML 1.2 has already seen to it that ``no`` is text too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from guardian.config import mistakes
from guardian.config.accepted import AcceptedFinding, ExceptionEntry
from guardian.config.mistakes import Lines, Mistake, Steps
from guardian.config.values import Config, Lifecycle, ModelSettings, Service
from guardian.model import Direction, Location

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_FINGERPRINT = re.compile(r"[0-9a-f]{12}")


# Every name that a severity may be set for, and why it is no rule's where it is none; empty where it is one.
RuleNames = Callable[[], Mapping[str, str]]


def parse_config(data: object, file: str, lines: Lines, rules: RuleNames | None = None) -> Config:
    """The configuration that a file's plain data says.

    Args:
        data: the whole document; ``None`` for an empty file.
        file: its name, for messages.
        lines: finds the line and column of a pointer.
        rules: the names of all rules, asked for only where the file sets a severity.

    Raises:
        ConfigError: the file says something that it cannot say.
    """
    config: Config = _validated(Config, {} if data is None else data, file, lines)
    found = [*_number_mistakes(config), *_empty_mistakes(config), *_severity_mistakes(config, rules)]
    _refuse(found, file, lines)
    return config


def parse_exceptions(data: object, file: str, lines: Lines) -> tuple[ExceptionEntry, ...]:
    """The entries of an exceptions file in its order, each with its line.

    Args:
        data: the whole document; ``None`` for an empty file.
        file: its name, for messages.
        lines: finds the line and column of a pointer.

    Raises:
        ConfigError: an entry lacks something or says something that it cannot say.
    """
    found: tuple[AcceptedFinding, ...] = _validated(
        tuple[AcceptedFinding, ...], [] if data is None else data, file, lines
    )
    _refuse([mistake for index, each in enumerate(found) for mistake in _entry_mistakes(index, each)], file, lines)
    return tuple(_placed(each, f"/{index}", file, lines) for index, each in enumerate(found))


def config_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of guardian.yaml."""
    return {"$schema": _DIALECT, **_adapter(Config).json_schema(), "title": "guardian.yaml"}


def exceptions_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of the exceptions file."""
    schema = _adapter(tuple[AcceptedFinding, ...]).json_schema()
    return {"$schema": _DIALECT, "title": "guardian.exceptions.yaml", **schema}


def _adapter(kind: Any) -> TypeAdapter[Any]:
    from pydantic import ConfigDict, TypeAdapter

    # The values know nothing of pydantic; how all of them are checked is said here, once.
    for each in (Config, Service, Lifecycle, ModelSettings, AcceptedFinding):
        settings = ConfigDict(extra="forbid", use_attribute_docstrings=True)
        setattr(each, "__pydantic_config__", settings)  # noqa: B010 - the dataclasses do not declare it
    return TypeAdapter(kind)


def _validated(kind: Any, data: object, file: str, lines: Lines) -> Any:
    from pydantic import ValidationError

    adapter = _adapter(kind)
    try:
        # As JSON and strict: text is never read as a number, yet dates and lists have their JSON form.
        return adapter.validate_json(json.dumps(data), strict=True)
    except ValidationError as failure:
        schema = adapter.json_schema()
        found = [mistakes.from_pydantic(each, schema) for each in failure.errors(include_url=False)]
    raise mistakes.error(found, file, lines)


def _refuse(found: Iterable[Mistake], file: str, lines: Lines) -> None:
    found = list(found)
    if found:
        raise mistakes.error(found, file, lines)


def _number_mistakes(config: Config) -> Iterator[Mistake]:
    if config.lifecycle.deprecation_days < 0:
        yield Mistake(("lifecycle", "deprecation_days"), "`lifecycle.deprecation_days` is 0 or more")
    if config.jobs is not None and config.jobs < 1:
        yield Mistake(("jobs",), "`jobs` is 1 or more")
    # Written so that a NaN is refused as well.
    if config.model is not None and not 0 < config.model.timeout_s < float("inf"):
        yield Mistake(("model", "timeout_s"), "`model.timeout_s` is a number of seconds above 0")


def _empty_mistakes(config: Config) -> Iterator[Mistake]:
    """Texts that name something and are empty. Of a service, whoever looks for its specification says so."""
    named: dict[Steps, str | None] = {(name,): getattr(config, name) for name in ("base", "head", "exceptions")}
    for name in ("consumers", "only_services", "only_consumers", "allow_remote_refs"):
        named |= {(name, at): each for at, each in enumerate(getattr(config, name))}
    named |= {("reports", format.value): path for format, path in config.reports.items()}
    if config.model is not None:
        named |= {("model", "endpoint"): config.model.endpoint, ("model", "name"): config.model.name}
    named["lifecycle", "stability_extension"] = config.lifecycle.stability_extension
    for steps, text in named.items():
        if text is not None and not text.strip():
            yield Mistake(steps, f"`{mistakes.dotted(steps)}` is empty", "give it a value, or leave it out")
    for name in config.services:
        if not name.strip():
            yield Mistake(("services", name), "a service has an empty name", "name it as its consumers do")


def _severity_mistakes(config: Config, rules: RuleNames | None) -> Iterator[Mistake]:
    known = rules() if rules is not None and config.severity else None
    for name in config.severity:
        rule, at, direction = name.partition("@")
        if known is not None and rule not in known:
            likely = sorted(each for each, reason in known.items() if not reason)
            hint = mistakes.suggest(rule, likely) or "`guardian rules` lists them all"
            yield Mistake(("severity", name), f"unknown rule `{rule}`", hint)
        elif known is not None and known[rule]:
            yield Mistake(("severity", name), f"no finding goes by `{rule}`", known[rule])
        elif at and direction not in list(Direction):
            message = f"`{name}`: a rule is narrowed by @request or @response, not @{direction}"
            yield Mistake(("severity", name), message, mistakes.suggest(direction, list(Direction)))


def _entry_mistakes(index: int, entry: AcceptedFinding) -> Iterator[Mistake]:
    for name in ("rule", "service", "reason", "owner"):
        if not getattr(entry, name).strip():
            yield Mistake((index, name), f"`[{index}].{name}` is empty")
    if entry.fingerprint is not None and not _FINGERPRINT.fullmatch(entry.fingerprint):
        message = f"`[{index}].fingerprint` is 12 hex digits, not {mistakes.shown(entry.fingerprint)}"
        yield Mistake((index, "fingerprint"), message, "copy it from the report")


def _placed(entry: AcceptedFinding, pointer: str, file: str, lines: Lines) -> ExceptionEntry:
    line, column = lines(pointer) or (None, None)
    said = {each.name: getattr(entry, each.name) for each in fields(AcceptedFinding)}
    return ExceptionEntry(**said, location=Location(file, pointer, line, column))

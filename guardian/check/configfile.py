"""guardian.yaml and the exceptions file from their bytes, with errors that name the line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from guardian.config import Config
from guardian.errors import ConfigError, ReadError
from guardian.rules import aliases
from guardian.rules.registry import all_rules
from guardian.spec.locate import locate
from guardian.spec.text import load

if TYPE_CHECKING:
    from guardian.config.accepted import ExceptionEntry


def read_config(data: bytes, name: str) -> Config:
    """One guardian.yaml.

    Raises:
        ConfigError: it is no YAML, or says something that it cannot say.
    """
    from guardian.config.parse import parse_config

    return parse_config(_load(data, name), name, lambda pointer: locate(data, [pointer]).get(pointer), rule_names)


def read_exceptions(data: bytes, name: str) -> tuple[ExceptionEntry, ...]:
    """One exceptions file.

    Raises:
        ConfigError: it is no YAML, or says something that it cannot say.
    """
    from guardian.config.parse import parse_exceptions

    return parse_exceptions(_load(data, name), name, lambda pointer: locate(data, [pointer]).get(pointer))


def rule_names() -> dict[str, str]:
    """Every name by which a rule may be called, and every other one of oasdiff's with the reason why it is no rule's."""
    return {
        **{rule.id: "" for rule in all_rules()},
        **{alias.id: "" if alias.rule else alias.note for alias in aliases.table().values()},
    }


def _load(data: bytes, name: str) -> object:
    try:
        return load(data, name)
    except ReadError as error:
        # To the user a broken guardian.yaml is wrong configuration, not an unreadable specification.
        raise ConfigError(
            error.message, file=error.file, line=error.line, column=error.column, hint=error.hint
        ) from error

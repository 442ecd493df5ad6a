"""What every command's typer application is like."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from enum import Enum
from io import StringIO
from itertools import pairwise
from typing import Any, NoReturn, TypeVar

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from guardian.cli.output import write_stderr
from guardian.errors import UsageError

_Function = TypeVar("_Function", bound=Callable[..., Any])


def new_app(**settings: Any) -> typer.Typer:
    """An application that leaves faults to ``main.run``, and whose help is plain text, quick and safe to pipe."""
    usual: dict[str, Any] = {
        "cls": Group,
        "add_completion": False,
        "pretty_exceptions_enable": False,
        "rich_markup_mode": None,
        "context_settings": {"max_content_width": 110, "help_option_names": ["--help", "-h"]},
    }
    return _App(**(usual | settings))


class Option(TyperOption):
    """An option that takes a word as it is, and a plain number.

    typer converts each value by pydantic, given or not, and importing that would be a quarter of the time of a small
    check. So typer is only asked about what is more than that, and what it has to refuse.
    """

    def process_value(self, ctx: Any, value: Any) -> Any:
        word = _MORE if self.required else self._word(value)
        if word is _MORE:
            return _processed(self, super().process_value, ctx, value)
        return word if self.callback is None else self.callback(ctx, self, word)

    def _word(self, value: Any) -> Any:
        kind: Any = getattr(getattr(self, "type_descriptor", None), "annotation", None)
        if kind is None:  # a typer that keeps it elsewhere is slower, and nothing else
            return _MORE
        if value is None:
            return () if self.multiple else None
        if kind is str and _is_word(value):
            return value
        if kind is int and isinstance(value, str) and _NUMBER.fullmatch(value):
            return int(value) if self._allows(int(value)) else _MORE
        if kind == list[str] and isinstance(value, list | tuple) and all(map(_is_word, value)):
            return list(value)
        if isinstance(kind, type) and issubclass(kind, Enum) and value in [each.value for each in kind]:
            return kind(value)
        return _MORE

    def _allows(self, number: int) -> bool:
        return (self.min is None or self.min <= number) and (self.max is None or number <= self.max)


_MORE = object()
_NUMBER = re.compile("0|[1-9][0-9]{0,8}")


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and value.isascii()


class Argument(TyperArgument):
    """An argument that refuses a value as an ``Option`` does."""

    def process_value(self, ctx: Any, value: Any) -> Any:
        return _processed(self, super().process_value, ctx, value)


def _processed(parameter: Any, process: Callable[[Any, Any], Any], ctx: Any, value: Any) -> Any:
    """What typer makes of a value.

    Raises:
        UsageError: the parameter cannot have this value, said in our words.
    """
    try:
        return process(ctx, value)
    except typer.BadParameter as wrong:
        if not isinstance(value, str):  # missing, or one of several
            raise
        name = parameter.metavar or parameter.name.upper()
        name = max(parameter.opts, key=len) if isinstance(parameter, TyperOption) else name
        raise UsageError(f"{name} {value}: {_wanted(parameter, wrong.message)}") from None


def _wanted(parameter: Any, reason: str) -> str:
    kind = getattr(getattr(parameter, "type_descriptor", None), "annotation", None)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return f"not one of {', '.join(str(each.value) for each in kind)}"
    if kind is not int and kind is not float:
        return reason
    low, high = getattr(parameter, "min", None), getattr(parameter, "max", None)
    between = f" from {low} to {high}" if high is not None else f" of at least {low}" if low is not None else ""
    return f"not a {'whole ' if kind is int else ''}number{between}"


def _as_ours(parameters: list[Any]) -> list[Any]:
    """The parameters that typer made, its own kinds of them as ours: it has no other way to choose their class."""
    ours: dict[type[Any], type[Any]] = {TyperOption: Option, TyperArgument: Argument}
    for each in parameters:
        each.__class__ = ours.get(type(each), type(each))
    return parameters


class Command(TyperCommand):
    """A command with ``Option``s, none of which may be empty."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        _refuse_empty(args)
        return super().parse_args(ctx, args)

    def get_params(self, ctx: Any) -> list[Any]:
        return _as_ours(super().get_params(ctx))


def _refuse_empty(args: Sequence[str]) -> None:
    """An empty value is a variable that nobody has set: as a path it would mean the folder one is in.

    Raises:
        UsageError: there is one.
    """
    for before, word in pairwise(("", *args)):
        name = before if not word else word[:-1] if word.startswith("--") and word.endswith("=") else None
        if name is not None:
            what = name if name.startswith("-") else "an argument"
            raise UsageError(f"{what} is empty", hint="give it a value, or leave it out for what is usual")


class Group(TyperGroup):
    """A group of commands with ``Option``s of its own."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _as_ours(super().get_params(ctx))

    def main(self, *args: Any, **settings: Any) -> NoReturn:
        """Run a command and exit; a usage error keeps its exit code where nobody reads to its end what it says."""
        try:
            code = super().main(*args, **{**settings, "standalone_mode": False})
        except typer.TyperException as error:
            wrong: Any = error
            text = StringIO()
            wrong.show(text)
            write_stderr(text.getvalue().removesuffix("\n"))
            sys.exit(wrong.exit_code)
        sys.exit(code if isinstance(code, int) else 0)


class _App(typer.Typer):
    def command(self, *args: Any, **settings: Any) -> Callable[[_Function], _Function]:
        return super().command(*args, **{"cls": Command, **settings})

"""New values as text, in the habits of the document they are put into: JSON, YAML blocks and YAML flow style.

Plain data alone is written. A string goes unquoted into YAML where no reader, of YAML 1.1 or 1.2, takes it for
anything else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from guardian.fixes.source import Habits
from guardian.spec.text import scalar_value

# What no YAML reader takes for anything but text: no indicator at the start, nothing that ends a plain scalar.
_PLAIN = re.compile(r"(?:[^\W\d]|[$/.(])(?:[^\s:#]|[:#](?=[^\s])(?<=[^\s][:#])|[ ](?=[^\s#]))*")
# YAML 1.1's booleans, and what some readers take for dates, times or merge keys.
_OTHER_READERS = re.compile(
    r"(?:y|n|yes|no|on|off|true|false|null|~)|[-+.0-9][-+.:_0-9eExXoObBaAcCdDfFtTzZ ]*|<<|=|\.(?:inf|nan)",
    re.IGNORECASE,
)
_FLOW = re.compile(r"[\[\]{},]")
# A container of plain values that is longer goes on lines of its own, whatever the habit.
_LINE = 80


def flow(value: Any, habits: Habits, quote: str = "") -> str:
    """A value on one line, in YAML's flow style."""
    if isinstance(value, dict):
        inside = ", ".join(f"{key(name, habits, quote)}: {flow(each, habits, quote)}" for name, each in value.items())
        return f"{{{inside}}}"
    if isinstance(value, list):
        return f"[{', '.join(flow(each, habits, quote) for each in value)}]"
    return scalar(value, habits, quote, in_flow=True)


def scalar(value: Any, habits: Habits, quote: str = "", *, in_flow: bool = False) -> str:
    """A value without members on one line; ``quote`` is how strings are quoted even where they need not be."""
    if not isinstance(value, str):
        return json.dumps(value)
    if not quote and is_plain(value) and not (in_flow and _FLOW.search(value)):
        return value
    quote = quote or habits.quote
    if quote == "'" and value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    return json.dumps(value, ensure_ascii=not all(char.isprintable() or char in "\n\t\r" for char in value))


def is_plain(text: str) -> bool:
    """Whether a string can stand in YAML without quotes."""
    return (
        _PLAIN.fullmatch(text) is not None
        and text.isprintable()
        and not _OTHER_READERS.fullmatch(text)
        and scalar_value(text) == text
    )


def key(name: str, habits: Habits, quote: str = "") -> str:
    """A mapping's key. Digits are quoted as the document quotes them."""
    if name.isascii() and name.isdigit() and str(int(name)) == name and not quote:
        chosen = habits.digit_key
        return f"{chosen}{name}{chosen}"
    return scalar(name, habits, quote, in_flow=True)


def block(value: Any, habits: Habits) -> Iterator[str]:
    """A value without a line end as YAML lines, the first of which can follow a dash; containers are not empty."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield from member(name, each, habits)
    else:
        for each in value:
            yield from item(each, habits)


def member(name: str, value: Any, habits: Habits, quote: str = "") -> Iterator[str]:
    """One member of a block mapping as lines."""
    written = key(name, habits, quote)
    short = on_one_line(value, habits, len(written))
    if short is not None:
        yield f"{written}: {short}"
        return
    if is_block(value):
        yield f"{written}:"
        margin = " " * (habits.dash if isinstance(value, list) else habits.indent)
        for line in block(value, habits):
            yield f"{margin}{line}" if line else line
        return
    written_out = literal(value)
    if written_out is None:
        yield f"{written}: {inline(value, habits)}"
        return
    header, lines = written_out
    yield f"{written}: {header}"
    for line in lines:
        yield f"{' ' * habits.indent}{line}" if line else line


def item(value: Any, habits: Habits) -> Iterator[str]:
    """One item of a block list as lines."""
    short = on_one_line(value, habits, 0)
    if short is not None or not is_block(value):
        yield f"- {short if short is not None else inline(value, habits)}"
        return
    lines = block(value, habits)
    yield f"- {next(lines)}"
    for line in lines:
        yield f"  {line}" if line else line


def on_one_line(value: Any, habits: Habits, before: int) -> str | None:
    """A container of plain values on one line, where the document's writer would put it there; else None."""
    if not is_block(value):
        return None
    inside = list(value.values() if isinstance(value, dict) else value)
    if any(isinstance(each, (dict, list)) or (isinstance(each, str) and "\n" in each) for each in inside):
        return None
    if not habits.on_one_line("map" if isinstance(value, dict) else "seq"):
        return None
    text = flow(value, habits)
    return text if before + len(text) <= _LINE else None


def inline(value: Any, habits: Habits, quote: str = "") -> str:
    """A scalar, or an empty container, on one line."""
    return (
        ("{}" if isinstance(value, dict) else "[]") if isinstance(value, (dict, list)) else scalar(value, habits, quote)
    )


def is_block(value: Any) -> bool:
    """Whether a value takes lines of its own."""
    return isinstance(value, (dict, list)) and bool(value)


def literal(value: Any) -> tuple[str, list[str]] | None:
    """Several lines of prose as a literal block: header and lines; None where quotes are safer."""
    if not isinstance(value, str) or "\n" not in value.strip("\n"):
        return None
    chomp = "" if value.endswith("\n") else "-"
    lines = value.removesuffix("\n").split("\n")
    safe = lines[0] and lines[-1] and not lines[0].startswith(" ")
    if not safe or any(line != line.rstrip() or not (line.isprintable() or not line) for line in lines):
        return None
    return f"|{chomp}", lines


def json_text(value: Any, *, unit: str | None, compact: bool, ascii_only: bool, short_lists: bool) -> str:
    """A value as JSON; on lines of their own, indented by ``unit``, unless that is None.

    ``short_lists`` keeps lists of plain values on one line, ``compact`` leaves out the blanks between tokens.
    """
    if unit is None or not is_block(value):
        separators = (",", ":") if compact else (", ", ": ")
        return json.dumps(value, ensure_ascii=ascii_only, separators=separators)
    if isinstance(value, list) and short_lists and not any(isinstance(each, (dict, list)) for each in value):
        return json.dumps(value, ensure_ascii=ascii_only)

    def written(each: Any) -> str:
        text = json_text(each, unit=unit, compact=False, ascii_only=ascii_only, short_lists=short_lists)
        return text.replace("\n", f"\n{unit}")

    if isinstance(value, dict):
        rows = [f"{json.dumps(name, ensure_ascii=ascii_only)}: {written(each)}" for name, each in value.items()]
        return "{\n" + ",\n".join(f"{unit}{row}" for row in rows) + "\n}"
    return "[\n" + ",\n".join(f"{unit}{written(each)}" for each in value) + "\n]"

"""What oasdiff calls our findings: its ids as data, and the one of them that says exactly what a change says.

``oasdiff.tsv`` holds a line for each of its checks: the id, our rule, the level that either side gives it, and the words
that must be true of a change for the id to fit; where no rule says the same, a dash and the reason. The words of a change are its direction and effect,
the part of the message it is in and how deep (``words_of``), and the facts that its rule adds. Of several ids that fit,
the one that says most is taken. The file is read when somebody asks, and not before.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from guardian.rules.pairs import Delta, HeaderPair, OperationPair, ParameterPair, SchemaRoot

if TYPE_CHECKING:
    from guardian.rules.pairs import Placed

_FILE = Path(__file__).with_name("oasdiff.tsv")


class Alias(NamedTuple):
    """One id of oasdiff.

    ``rule`` is empty where no rule says the same. ``theirs`` is the level that oasdiff gives it; ``ours`` the verdict on
    a plain case of it, empty where that hangs on more than two documents. ``note`` says why there is no rule, or why the
    two levels differ.
    """

    id: str
    theirs: str
    rule: str
    ours: str
    words: frozenset[str]
    note: str


@cache
def table() -> dict[str, Alias]:
    """Every id of oasdiff, in the order of the file."""
    found: dict[str, Alias] = {}
    for line in _FILE.read_text(encoding="utf-8").splitlines()[1:]:
        id, theirs, rule, ours, words, note = line.split("\t")
        found[id] = Alias(id, theirs, "" if rule == "-" else rule, ours, frozenset(words.split()), note)
    return found


@cache
def _by_rule() -> dict[str, tuple[Alias, ...]]:
    rules: dict[str, list[Alias]] = {}
    for alias in table().values():
        if alias.rule:
            rules.setdefault(alias.rule, []).append(alias)
    return {rule: tuple(aliases) for rule, aliases in rules.items()}


def names() -> list[str]:
    """The ids that name findings of ours."""
    return [alias.id for alias in table().values() if alias.rule]


def of(rule: str) -> tuple[str, ...]:
    """The ids that findings of a rule go by."""
    return tuple(alias.id for alias in _by_rule().get(rule, ()))


@cache
def pick(rule: str, words: frozenset[str]) -> str | None:
    """The id for a finding of a rule of which these words are true: the one that says most, or none that fits."""
    fitting = [alias for alias in _by_rule().get(rule, ()) if alias.words <= words]
    return max(fitting, key=lambda alias: len(alias.words)).id if fitting else None


def words_of(placed: Placed, delta: Delta, *, below: bool) -> frozenset[str]:
    """What is true of a finding, in the words of the file.

    Args:
        placed: the pair it was made of.
        delta: what the rule says.
        below: whether it is about something below the root of a message part.
    """
    return frozenset((*_words(placed, below), delta.effect.value, *delta.facts))


def _words(placed: Placed, below: bool) -> Iterator[str]:
    pair = placed.pair
    direction = pair.direction if isinstance(pair, SchemaRoot) else placed.direction
    yield direction.value
    if isinstance(pair, SchemaRoot):
        location = pair.field.partition(":")[0] if ":" in pair.field else ""
        if not location:
            yield "body"
        else:
            yield "parameter" if pair.place.startswith(f"{location} parameter ") else "header"
            yield f"in-{location}"
        yield "below" if below or pair.field == "[]" else "top"
    elif isinstance(pair, ParameterPair):
        parameter = pair.base or pair.head
        yield "parameter"
        yield f"in-{parameter.location}" if parameter else "in-query"
    elif isinstance(pair, HeaderPair):
        yield "header"
    elif isinstance(pair, OperationPair):
        yield "operation"

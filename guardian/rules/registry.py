"""The rules by name. A rule is one small decorated generator over an aligned pair; its docstring is its page.

The docstring has a first sentence (what happened), a ``Why it matters:`` paragraph, and examples under
``Breaks (request):``, ``Breaks (response):``, ``Warns (...)``, ``Holds (...)``; each example is YAML with ``base`` and
``head`` and is executed by the tests. ``guardian rules`` and ``guardian explain`` print nothing else.
"""

from __future__ import annotations

import difflib
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple, TypeVar

from guardian.errors import UsageError
from guardian.model import Hit, Impact
from guardian.rules import aliases
from guardian.rules.pairs import Delta

PairT = TypeVar("PairT")
RuleFunction = Callable[[Any], Iterable[Delta]]

# Every module that holds rules. A new one is added here and nowhere else.
MODULES = (
    "operations",
    "lifecycle",
    "parameters",
    "bodies",
    "responses",
    "security",
    "schema_types",
    "schema_objects",
    "schema_keys",
    "branch_keys",
    "schema_arrays",
    "schema_values",
    "schema_limits",
    "schema_composition",
    "schema_inheritance",
    "schema_annotations",
    "xml",
    "governance",
)


class Example(NamedTuple):
    """One executable example: ``outcome`` is breaks, warns or holds; ``text`` is YAML with base and head."""

    outcome: str
    direction: str
    text: str


class Rule(NamedTuple):
    """One rule. ``hit``/``impact``/``strict_impact`` say who is concerned and how badly, unless a delta says otherwise.

    ``claims`` lists the OpenAPI fields and JSON Schema keywords that this rule answers for. ``doc`` is its docstring.
    """

    id: str
    area: str
    pair: type
    check: RuleFunction
    hit: Hit
    impact: Impact
    strict_impact: Impact
    claims: tuple[str, ...]
    since: str
    doc: str

    @property
    def summary(self) -> str:
        """What happened, in one sentence."""
        return parse_docstring(self.doc)[0]

    @property
    def why(self) -> str:
        """Why it matters."""
        return parse_docstring(self.doc)[1]

    @property
    def examples(self) -> tuple[Example, ...]:
        return parse_docstring(self.doc)[2]

    @property
    def aliases(self) -> tuple[str, ...]:
        """The ids of the leading tool that this rule's findings go by (``guardian.rules.aliases``)."""
        return aliases.of(self.id)


_RULES: dict[str, Rule] = {}
_MORE: list[Rule] = []  # the same pages again, with what they look at besides
_HEADING = re.compile(r"^(Breaks|Warns|Holds) \((request|response|api|parameter)\):$")


def rule(
    id: str,
    *,
    area: str,
    pair: type,
    hit: Hit = Hit.READER,
    impact: Impact = Impact.BROKEN,
    strict_impact: Impact | None = None,
    claims: tuple[str, ...] = (),
    since: str = "0.1.0",
) -> Callable[[Callable[[PairT], Iterator[Delta]]], Callable[[PairT], Iterator[Delta]]]:
    """Register the decorated generator as a rule.

    For messages in the request direction ``Hit.READER`` is read as ``Hit.SENDER`` and the other way round, so that
    one rule serves both (``compare.py`` does the turn).
    """

    def register(check: Callable[[PairT], Iterator[Delta]]) -> Callable[[PairT], Iterator[Delta]]:
        if id in _RULES:
            raise ValueError(f"rule {id} is registered twice")
        doc = check.__doc__ or ""
        _RULES[id] = Rule(id, area, pair, check, hit, impact, strict_impact or impact, claims, since, doc)
        return check

    return register


def also(
    id: str, *, pair: type, claims: tuple[str, ...] = ()
) -> Callable[[Callable[[PairT], Iterator[Delta]]], Callable[[PairT], Iterator[Delta]]]:
    """Register the decorated generator as what a rule, registered before, says of another kind of pair.

    To users it is one rule: one id, one page, one severity.
    """

    def register(check: Callable[[PairT], Iterator[Delta]]) -> Callable[[PairT], Iterator[Delta]]:
        known = _RULES[id]
        page = _RULES[id] = known._replace(claims=tuple(dict.fromkeys((*known.claims, *claims))))
        _MORE.append(page._replace(pair=pair, check=check))
        return check

    return register


def declare(
    id: str,
    doc: str,
    *,
    area: str,
    hit: Hit = Hit.NOBODY,
    impact: Impact = Impact.SAFE,
    claims: tuple[str, ...] = (),
    since: str = "0.1.0",
) -> None:
    """Put a rule into the catalogue whose findings are made elsewhere, since it looks at more than a pair.

    Such a rule can be explained, re-graded and excepted like any other.
    """
    if id in _RULES:
        raise ValueError(f"rule {id} is registered twice")
    _RULES[id] = Rule(id, area, Declared, _no_deltas, hit, impact, impact, claims, since, doc)


class Declared:
    """The pair type of declared rules: there are none of it."""


def _no_deltas(_pair: Any) -> Iterable[Delta]:
    return ()


@cache
def parse_docstring(doc: str) -> tuple[str, str, tuple[Example, ...]]:
    """Split a rule's docstring into its summary, its reason and its examples: of most rules nobody asks for them."""
    text = textwrap.dedent("    " + doc.strip("\n ")) if doc else ""
    lines = text.splitlines()
    body = textwrap.dedent("\n".join(lines[1:])).splitlines()
    summary = lines[0].strip() if lines else ""
    why: list[str] = []
    examples: list[Example] = []
    current: tuple[str, str] | None = None
    block: list[str] = []

    def close() -> None:
        if current is not None:
            examples.append(Example(current[0].lower(), current[1], textwrap.dedent("\n".join(block)).strip("\n")))
        block.clear()

    for line in body:
        heading = _HEADING.match(line.strip())
        if heading:
            close()
            current = (heading.group(1), heading.group(2))
        elif current is not None:
            block.append(line)
        else:
            why.append(line.strip())
    close()
    reason = " ".join(part for part in why if part).removeprefix("Why it matters:").strip().replace("``", "`")
    return summary, reason, tuple(examples)


@cache
def load() -> dict[str, Rule]:
    """Import every rule module and return the rules by id, sorted."""
    for name in MODULES:
        import_module(f"guardian.rules.{name}")
    return dict(sorted(_RULES.items()))


def all_rules() -> tuple[Rule, ...]:
    """Every rule, sorted by id."""
    return tuple(load().values())


_BY_PAIR: dict[type[object], tuple[Rule, ...]] = {}


def rules_for(pair: type[object]) -> tuple[Rule, ...]:
    """The rules that look at this kind of pair (or a more general one), sorted by id."""
    found = _BY_PAIR.get(pair)
    if found is None:
        checks = sorted([*all_rules(), *_MORE], key=lambda each: each.id)
        found = _BY_PAIR[pair] = tuple(each for each in checks if issubclass(pair, each.pair))
    return found


def find_rule(name: str) -> Rule:
    """The rule of this id or alias.

    Raises:
        UsageError: there is none; the hint names the nearest ones.
    """
    rules = load()
    alias = aliases.table().get(name)
    found = rules.get(name) or (rules.get(alias.rule) if alias else None)
    if found:
        return found
    if alias:
        raise UsageError(f"no rule says what `{name}` means to oasdiff", hint=alias.note)
    near = difflib.get_close_matches(name, [*rules, *aliases.names()], n=3)
    hint = f"did you mean {' or '.join(near)}?" if near else "`guardian rules` lists them all"
    raise UsageError(f"there is no rule {name!r}", hint=hint)

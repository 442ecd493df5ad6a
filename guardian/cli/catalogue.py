"""The rules as text: a list, a page each, one Markdown document, or data. All of it comes from their docstrings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from guardian.rules.aliases import Alias
    from guardian.rules.registry import Example, Rule

_OUTCOMES = {"breaks": "Breaks", "warns": "Warns", "holds": "Holds"}


def table(rules: Sequence[Rule]) -> str:
    """One line a rule, under its area."""
    width = max((len(rule.id) for rule in rules), default=0)
    lines: list[str] = []
    for area, members in _by_area(rules):
        lines += [*([""] if lines else []), area]
        lines += [f"  {rule.id:<{width}}  {_headline(rule)}" for rule in members]
    return "\n".join([*lines, "", f"{len(rules)} rules; `guardian explain RULE` shows one of them.", ""])


def page(rule: Rule) -> str:
    """Everything about one rule, for a terminal."""
    lines = [rule.id, "", rule.summary]
    if rule.why:
        lines += ["", f"Why it matters: {rule.why}"]
    for example in rule.examples:
        lines += ["", f"{_caption(example)}:", *(f"    {line}" for line in example.text.splitlines())]
    lines += ["", f"Area: {rule.area}. Since: {rule.since}."]
    if rule.aliases:
        lines += [f"In oasdiff: {', '.join(rule.aliases)}."]
    lines += [f"In guardian.yaml: severity: {{{rule.id}: breaking | warning | info | off}}"]
    return "\n".join([*lines, ""])


def markdown(rules: Sequence[Rule]) -> str:
    """The whole catalogue as one Markdown document."""
    lines = ["# Rules", "", "Generated from the rules by `guardian rules --format markdown`.", ""]
    lines += ["| rule | what happened |", "| --- | --- |"]
    lines += [f"| [`{rule.id}`](#{rule.id}) | {_headline(rule)} |" for rule in rules]
    for area, members in _by_area(rules):
        lines += ["", f"## {area.capitalize()}"]
        for rule in members:
            lines += ["", f"### {rule.id}", "", rule.summary]
            if rule.why:
                lines += ["", rule.why]
            for example in rule.examples:
                lines += ["", f"{_caption(example)}:", "", "```yaml", example.text, "```"]
            if rule.aliases:
                lines += ["", "In oasdiff: " + ", ".join(f"`{alias}`" for alias in rule.aliases) + "."]
    return "\n".join([*lines, *_migration(rules), ""])


_MIGRATION = """
## Coming from oasdiff

`severity` in guardian.yaml, the exceptions file and `guardian explain` take oasdiff's names too. A rule here is what has
many names there: one for each place, direction and way of changing. Set under such a name, a level means the changes
that go by it and no others: `new-optional-request-parameter: warning` leaves new required parameters as they are.

### Deliberate differences in level

A level is the verdict on the contract where nothing is known of its consumers. Four principles make most differences;
after them every check whose level differs is listed under its own argument, and tests hold that none is left out.

- **A call that worked and is refused is a break**, whoever refuses it and however the limit is written: so a security
  requirement that is new, and a bound that is set where there was none, break as a tighter bound does.
- **Meaning counts, not spelling.** A schema that is wrapped in `allOf`, moved to a component or written in another
  version's notation, and accepts the same messages, is no change at all; what a wrap really adds is told by the rule on
  what was added.
- **A reader meets what it does not know.** A new variant in a response breaks. A new value of an enumeration is a
  warning, as in oasdiff, and breaks the consumers who declare that they read strictly (`strict: true` in their manifest).
- **What is only announced breaks nobody yet**: deprecations, sunsets and stability levels are notes and warnings, which
  a team that wants to enforce them grades as it likes.
""".strip()

_UNNAMED = """
### What has no name there

These rules report what oasdiff passes over in silence or tells in no check of its own:
""".strip()


def _migration(rules: Sequence[Rule]) -> Iterator[str]:
    """oasdiff's checks: which rule each of them is, and why some are none or have another level."""
    from guardian.rules import aliases

    yield from ("", *_MIGRATION.splitlines())
    table = aliases.table().values()
    for note, members in _by_note(each for each in table if each.rule and each.note):
        yield from ("", f"{note}", "")
        for (theirs, ours), differing in groupby(members, key=lambda each: (each.theirs, each.ours)):
            yield f"- {theirs} there, {ours} here: {', '.join(f'`{each.id}`' for each in differing)}"
    yield from ("", "### Checks without a rule, and why", "")
    for note, members in _by_note(each for each in table if not each.rule):
        yield f"- {note} {', '.join(f'`{each.id}`' for each in members)}"
    yield from ("", *_UNNAMED.splitlines(), "")
    yield ", ".join(f"[`{rule.id}`](#{rule.id})" for rule in rules if not rule.aliases) + "."
    yield from (
        "",
        "### Every check and its rule",
        "",
        "| oasdiff | level there | rule | level here |",
        "| --- | --- | --- | --- |",
    )
    for each in sorted(table, key=lambda alias: alias.id):
        rule = f"[`{each.rule}`](#{each.rule})" if each.rule else "none"
        yield f"| `{each.id}` | {each.theirs} | {rule} | {each.ours or 'none'} |"


def _by_note(table: Iterable[Alias]) -> list[tuple[str, list[Alias]]]:
    notes: dict[str, list[Alias]] = {}
    for each in table:
        notes.setdefault(each.note, []).append(each)
    for members in notes.values():
        members.sort(key=lambda each: (each.theirs, each.ours))
    return list(notes.items())


def data(rules: Sequence[Rule]) -> str:
    """The whole catalogue as JSON."""
    entries = [
        {
            "id": rule.id,
            "area": rule.area,
            "summary": rule.summary,
            "why": rule.why,
            "since": rule.since,
            "aliases": {"oasdiff": list(rule.aliases)},
            "examples": [
                {"outcome": each.outcome, "direction": each.direction, "yaml": each.text} for each in rule.examples
            ],
        }
        for rule in rules
    ]
    return json.dumps(entries, indent=2, ensure_ascii=False) + "\n"


def _by_area(rules: Sequence[Rule]) -> list[tuple[str, list[Rule]]]:
    ordered = sorted(rules, key=lambda rule: (rule.area, rule.id))
    return [(area, list(members)) for area, members in groupby(ordered, key=lambda rule: rule.area)]


def _headline(rule: Rule) -> str:
    return rule.summary.removesuffix(".")


def _caption(example: Example) -> str:
    return f"{_OUTCOMES[example.outcome]} ({example.direction})"

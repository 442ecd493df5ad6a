"""Print ``docs/coverage.md``: every keyword at every place in every version, as guardian answers when it is asked.

The table is measured, not written: each cell is an edit of one keyword and its reverse, run through the comparison
(``fixtures/probes.py``). ``docs/generate.py`` calls this.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "fixtures")]

from probes import PLACES, VERSIONS, Probe, field_probes, keyword_probes, verdict  # noqa: E402

from guardian.rules.annotations import ANNOTATIONS  # noqa: E402

_HEAD = """# Coverage

What guardian says when one keyword or field is edited, for every place in a message and every version of OpenAPI that
has it. Measured by running the comparison; `python docs/coverage.py` prints this page, and the tests hold that no cell
is silent.

A cell is the verdict on the edit, then on its reverse, where nothing is known of consumers: **B** breaking, **W** warning,
**n** a note. A cell is empty where the keyword says nothing or cannot stand:

- `nullable` and `x-nullable` where scalars travel as text, in which null has no spelling;
- `readOnly` in what a server sends and `writeOnly` in what it is sent, for those properties are there as others are;
- `xml` outside of XML bodies (both columns of bodies are measured with `application/xml` for it);
- keywords that the parameters, headers and forms of OpenAPI 2.0 do not have: they know no objects and no composition;
- fields in versions without them.

A warning where other places break is one that no message could prove: an object without any key has no text of its own in
a parameter (`minProperties`, `else`). The edits are in `fixtures/probes.py` and `fixtures/fields.yaml`.
"""

Cell = tuple[str, str]
_ORDER = "-nWB"


class Answers:
    """What was said of the probes of one subject."""

    def __init__(self) -> None:
        self.rules: set[str] = set()
        self.cells: dict[tuple[str, str], Cell] = {}  # (version, place) to the worst verdicts there and back

    def add(self, probe: Probe) -> None:
        """Ask guardian of one more probe."""
        there, back = probe.changes(), probe.changes(reverse=True)
        self.rules.update(change.rule for change in (*there, *back))
        key = (probe.version, probe.place)
        known = self.cells.get(key, ("-", "-"))
        self.cells[key] = _worse(known[0], verdict(there)), _worse(known[1], verdict(back))

    def cell(self, version: str, place: str) -> str:
        """The cell as it is printed."""
        found = self.cells.get((version, place))
        return " ".join(found) if found else ""


def _worse(one: str, other: str) -> str:
    return max(one, other, key=_ORDER.index)


def _asked(probes: Iterable[Probe]) -> dict[str, Answers]:
    answers: dict[str, Answers] = {}
    for probe in probes:
        answers.setdefault(probe.subject, Answers()).add(probe)
    return answers


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _rules(answers: Answers) -> str:
    return ", ".join(f"[`{rule}`](rules.md#{rule})" for rule in sorted(answers.rules))


def keywords() -> Iterator[str]:
    """The tables of schema keywords, one for versions that answer alike."""
    answers = _asked(keyword_probes())

    def table(version: str) -> list[str]:
        names = [place.name for place in PLACES if any(each.cell(version, place.name) for each in answers.values())]
        rows = [
            _row(f"`{keyword}`", *(each.cell(version, name) for name in names))
            for keyword, each in sorted(answers.items())
            if any(each.cell(version, name) for name in names)
        ]
        return [_row("keyword", *names), _row(*["---"] * (len(names) + 1)), *rows]

    for lines, group in groupby(VERSIONS, key=table):
        yield f"\n## Schema keywords in OpenAPI {' and '.join(group)}\n"
        yield from lines
    yield "\n## The rules that answer for schema keywords\n"
    yield _row("keyword", "rules")
    yield _row("---", "---")
    for keyword, each in sorted(answers.items()):
        yield _row(f"`{keyword}`", _rules(each))


def fields() -> Iterator[str]:
    """The table of OpenAPI's own fields."""
    yield "\n## Fields of OpenAPI's objects\n"
    yield _row("field", *VERSIONS, "rules")
    yield _row(*["---"] * (len(VERSIONS) + 2))
    for field, each in sorted(_asked(field_probes()).items()):
        yield _row(f"`{field}`", *(each.cell(version, "") for version in VERSIONS), _rules(each))


def without_rules() -> Iterator[str]:
    """What is passed over, and why."""
    yield "\n## Passed over, and why\n"
    by_reason: dict[str, list[str]] = {}
    for name, reason in ANNOTATIONS.items():
        by_reason.setdefault(reason, []).append(name)
    for reason, names in by_reason.items():
        yield f"- {reason} {', '.join(f'`{name}`' for name in sorted(names))}"


def page() -> str:
    """The whole page."""
    return "\n".join([_HEAD.rstrip(), *keywords(), *fields(), *without_rules(), ""])


if __name__ == "__main__":
    sys.stdout.write(page())

"""The names that oasdiff has for what takes more than two documents: the calendar and the version decide.

Those for changes that two documents show are in ``tests/rules/test_aliases.py``. Today is 2026-03-02.
"""

from __future__ import annotations

from typing import Any

import pytest

from guardian.rules import aliases
from tests.check.conftest import Guardian
from tests.check.repo import Folder

ELSEWHERE = {"version-not-bumped", "removed-before-sunset", "sunset-too-soon"}
SOON, LATE = 'x-sunset: "2026-03-31"', 'x-sunset: "2026-12-31"'

SPEC = """\
openapi: 3.1.0
info: {{title: Boats, version: "{version}"}}
paths:
  /boats:
    get:
      tags: [a]
      parameters: [{{name: sort, in: query, schema: {{type: string}}{parameter}}}]
      responses: {{"200": {{description: ok}}}}
    post:
      tags: [a]{operation}
      requestBody:
        content: {{application/json: {{schema: {{properties: {{name: {{type: string{sent}}}}}}}}}}}
      responses:
        "200":
          description: ok
          content: {{application/json: {{schema: {{properties: {{name: {{type: string{read}}}}}}}}}}}
{more}"""
MORE = "  /ports:\n    get: {tags: [a]WORDS, responses: {'200': {description: ok}}}\n"


def spec(place: str = "", words: str = "", version: str = "1.0.0", more: str = "") -> str:
    """The API with something said at one place."""
    said = dict.fromkeys(("parameter", "operation", "sent", "read"), "")
    if place:
        said[place] = "\n      " + words.replace(", ", "\n      ") if place == "operation" else f", {words}"
    return SPEC.format(version=version, more=more, **said)


def without(text: str, mark: str, lines: int = 1) -> str:
    """The API without the lines that begin with one."""
    rows = text.splitlines()
    at = next(number for number, row in enumerate(rows) if mark in row)
    return "\n".join(rows[:at] + rows[at + lines :]) + "\n"


DEPRECATED = f"deprecated: true, {LATE}"
_SENT, _READ, _OPERATION, _PARAMETER = (
    ("request-property", "sent"),
    ("response-property", "read"),
    ("api", "operation"),
    ("request-parameter", "parameter"),
)
_BROKEN = without(spec(), "parameters:")
CASES: dict[str, tuple[str, str]] = {
    "api-major-version-not-bumped": (
        spec(more=MORE.replace("WORDS", "")),
        spec(version="1.1.0"),
    ),
    "api-version-decreased": (spec(more=MORE.replace("WORDS", "")), spec(version="0.9.0")),
    "api-version-not-bumped": (spec(more=MORE.replace("WORDS", "")), spec()),
    "request-parameter-removed-before-sunset": (spec("parameter", DEPRECATED), _BROKEN),
    "api-removed-before-sunset": (spec("operation", DEPRECATED), without(spec(), "post:", 8)),
    "api-path-removed-before-sunset": (spec(more=MORE.replace("WORDS", f", {DEPRECATED}")), spec()),
    **{
        f"{name}-{ending}": (spec(), spec(place, words))
        for words, endings in (
            ("deprecated: true", {"*": "deprecated-sunset-missing"}),
            (
                "deprecated: true, x-sunset: soon",
                {"api": "deprecated-sunset-parse", "request-parameter": "sunset-parse", "*": "deprecated-sunset-invalid"},
            ),
            (f"deprecated: true, {SOON}", {"*": "sunset-date-too-small"}),
        )
        for name, place in (_SENT, _READ, _OPERATION, _PARAMETER)
        for ending in (endings.get(name, endings["*"]),)
    },
    **{
        f"{name}-sunset-date-changed-too-small": (
            spec(place, DEPRECATED),
            spec(place, f"deprecated: true, {SOON}"),
        )
        for name, place in (_OPERATION, _PARAMETER)
    },
}  # fmt: skip


def test_every_name_has_its_case() -> None:
    """No id of a rule that looks at more than two documents is left out."""
    assert {alias.id for alias in aliases.table().values() if alias.rule in ELSEWHERE} == CASES.keys()


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_name_means_what_it_says(check: Guardian, folder: Folder, name: str) -> None:
    """A finding goes by its name, at the level of the migration table, and a level for the name is one for it alone."""
    base, head = CASES[name]
    folder.write("was/boats.yaml", base)
    folder.write("now/boats.yaml", head)
    folder.write("guardian.yaml", "version: 1\n")
    alias = aliases.table()[name]
    sides = ("--base", "was", "--head", "now")
    (found,) = [each for each in check(folder, *sides).changes if each["rule"] == alias.rule]
    assert found["aliases"] == {"oasdiff": name}
    assert found["severity"] == alias.ours
    folder.write("guardian.yaml", f"severity: {{{name}: breaking, {alias.rule}: off}}\n")
    (found,) = [each for each in check(folder, *sides).changes if each["rule"] == alias.rule]
    assert (found["severity"], found["counts_as"]) == ("breaking", "breaking")


def test_no_window_asks_for_no_day(check: Guardian, folder: Folder) -> None:
    """Where consumers are promised no days, a deprecation without a date is complete."""
    folder.write("was/boats.yaml", spec())
    folder.write("now/boats.yaml", spec("operation", "deprecated: true"))
    folder.write("guardian.yaml", "lifecycle: {deprecation_days: 0}\n")
    found: Any = check(folder, "--base", "was", "--head", "now")
    assert found.rules == ["operation-deprecated"]

"""Begin a rule, an importer, a report format or a mutation: ``python tools/new.py KIND NAME [--in MODULE] [--pair PAIR]``.

Code, example and test are written where they belong, never over something that is there. The new test is red until the code
says something; what else has to know the name is printed, with its file.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Scaffold:
    """What a kind begins with.

    Attributes:
        files: path and template of each file; one that is there already is added to if ``appended``, else refused.
        appended: the paths that are modules of several.
        steps: what is left to do.
    """

    files: dict[str, str]
    appended: tuple[str, ...]
    steps: tuple[str, ...]


def rule(name: str, word: str, module: str, pair: str) -> Scaffold:
    """A rule in one of the modules of guardian/rules, with an example that breaks and one that holds."""
    code = f'''

@rule("{name}", area="schema", pair={pair}, claims=())
def {word}(pair: {pair}) -> Iterator[Delta]:
    """What happened, in one sentence.

    Why it matters: who is hurt by it, and how.

    Breaks (request):
        base: {{type: object}}
        head: {{type: object, properties: {{id: {{type: string}}}}, required: [id]}}

    Holds (request):
        base: {{type: object}}
        head: {{type: object}}
    """
    # yield Delta(Effect.NARROWED, "`x` is another one", base=..., head=...)
    yield from ()
'''
    test = f'''"""The rule {name}."""

from __future__ import annotations

from guardian.rules.registry import find_rule


def test_it_is_explained() -> None:
    """What the rule finds, and why that matters, is written down."""
    rule = find_rule("{name}")
    assert rule.summary != "What happened, in one sentence."
    assert rule.why != "who is hurt by it, and how."
'''
    return Scaffold(
        {f"guardian/rules/{module}.py": code, f"tests/rules/test_{word}.py": test},
        (f"guardian/rules/{module}.py",),
        (
            f"import {pair}, Delta and Effect in guardian/rules/{module}.py where they are missing; fill in `claims`",
            f"pytest tests/rules/test_examples.py tests/rules/test_{word}.py: red until the rule finds its own examples",
            "make docs",
        ),
    )


def importer(name: str, word: str, module: str, pair: str) -> Scaffold:
    """A reader of files that tell who uses what."""
    code = f'''"""{name} files: what they are, and which format and version this follows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from guardian.graph.consumers.calls import Calls
from guardian.graph.consumers.endpoints import Endpoints
from guardian.graph.uses import Found
from guardian.model import Location


def is_{word}(data: Any) -> bool:
    """Whether plain data is such a file, by its content."""
    return isinstance(data, Mapping) and "{name}" in data


def read_{word}(data: Mapping[str, Any], file: str, endpoints: Endpoints, consumer: str | None = None) -> Found:
    """The uses that the file tells of. What cannot be used is told in notes, never raised."""
    calls = Calls("{name}")
    for method, url in data["{name}"]:
        answer = endpoints.find(method, url)
        if answer is None or answer.operation is None:
            calls.leave_out(file, "no service answers this URL")
            continue
        calls.add(consumer or file, answer.service, answer.operation, Location(file))
    return calls.found()
'''
    test = f'''"""Consumers told by {name} files."""

from __future__ import annotations

from guardian.graph.consumers.{word} import is_{word}


def test_a_file_is_told_by_its_content() -> None:
    """Other files are none of its business, whatever they are called."""
    assert is_{word}({{"{name}": []}})
    assert not is_{word}({{"openapi": "3.1.0"}})
    assert not is_{word}([])


def test_a_use_is_read() -> None:
    """A small real file gives the uses that it tells of; what is left out is in the notes."""
    raise AssertionError("write down a real file and what it says")
'''
    return Scaffold(
        {f"guardian/graph/consumers/{word}.py": code, f"tests/graph/test_{word}.py": test},
        (),
        (
            f"guardian/graph/consumers/load.py: `elif {word}.is_{word}(data)` in `_take`, and its name in `_KINDS`",
            "guardian/cli/import_.py: the kind's name",
            f"pytest tests/graph/test_{word}.py",
        ),
    )


def report(name: str, word: str, module: str, pair: str) -> Scaffold:
    """A writer of reports."""
    code = f'''"""The report as {name}: who reads it, and which format and version this follows."""

from __future__ import annotations

from guardian.model import Report
from guardian.report import words
from guardian.report.escape import terminal as safe


def render(report: Report) -> str:
    """The report, ending with a newline. What specifications say must not reach its readers as markup."""
    return f"{{report.verdict.value}}: {{safe(words.headline(report))}}\\n"
'''
    test = f'''"""The report as {name}."""

from __future__ import annotations

from guardian.report import render
from tests.report import samples


def test_the_verdict_is_told() -> None:
    """The format tells the verdict that all others tell."""
    assert render("{name}", samples.friday_rename()).startswith("fail")
'''
    return Scaffold(
        {f"guardian/report/{word}.py": code, f"tests/report/test_{word}.py": test},
        (),
        (
            "guardian/report/__init__.py: its name in FORMATS, and a case in `render`",
            "guardian/config/values.py: its name in ReportFormat",
            f"pytest tests/report/test_{word}.py tests/report/test_formats.py, then make docs",
        ),
    )


def mutation(name: str, word: str, module: str, pair: str) -> Scaffold:
    """A mutation of the learning environments; whether it breaks anything is the engine's to say."""
    code = f'''

@operator("{name}")
def {word}(document: Json, rng: Random) -> str | None:
    # Change the document in place and say what was done; None where there is no place for it.
    return None
'''
    test = f'''"""The mutation {name}."""

from __future__ import annotations

from random import Random

from guardian.learn.contract.mutations import operators


def test_it_does_what_it_says() -> None:
    """On the smallest document that has a place for it, the mutation edits that place and says so."""
    [operator] = [each for each in operators() if each.name == "{name}"]
    document = {{"openapi": "3.1.0", "info": {{"title": "x", "version": "1"}}, "paths": {{}}}}
    assert operator.edit(document, Random(0))
'''
    folder = "guardian/learn/contract/mutations"
    return Scaffold(
        {f"{folder}/{module}.py": code, f"tests/learn/contract/test_{word}.py": test},
        (f"{folder}/{module}.py",),
        (
            "`harmless=True` in its decorator if it is meant to break nobody",
            f"pytest tests/learn/contract/test_mutations.py tests/learn/contract/test_{word}.py",
        ),
    )


KINDS: dict[str, tuple[Callable[[str, str, str, str], Scaffold], str]] = {
    "rule": (rule, "schema_objects"),
    "importer": (importer, ""),
    "report": (report, ""),
    "mutation": (mutation, "fields"),
}


def write(scaffold: Scaffold, root: Path = ROOT) -> list[str]:
    """Write the files and say which.

    Raises:
        SystemExit: something is there that would be overwritten, or the module to add to is not.
    """
    for path in scaffold.files:
        there = (root / path).exists()
        if there and path not in scaffold.appended:
            raise SystemExit(f"{path} is there already")
        if not there and path in scaffold.appended:
            raise SystemExit(f"{path} is not there: --in names a module of that folder")
    said = []
    for path, text in scaffold.files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        with (root / path).open("a", encoding="utf-8") as file:
            file.write(text)
        said.append(f"{'added to' if path in scaffold.appended else 'wrote'} {path}")
    return said


def main(argv: list[str] | None = None) -> int:
    """Write a scaffold."""
    parser = argparse.ArgumentParser(prog="tools/new.py", description="Begin a rule, importer, report or mutation.")
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("name", help="kebab-case: the thing and what happened to it")
    parser.add_argument("--in", dest="module", default="", help="the module for it (rules, mutations)")
    parser.add_argument("--pair", default="ObjectPair", help="the pair that a rule looks at (guardian/rules/pairs.py)")
    options = parser.parse_args(argv)
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", options.name):
        parser.error(f"{options.name}: a name is lower case words joined by hyphens")
    make, module = KINDS[options.kind]
    scaffold = make(options.name, options.name.replace("-", "_"), options.module or module, options.pair)
    for line in write(scaffold):
        print(line)
    print("next:", *(f"  {number}. {step}" for number, step in enumerate(scaffold.steps, start=1)), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

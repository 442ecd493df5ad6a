"""`guardian check` and `guardian changelog` around the engine: what is asked of it, and what becomes of its report."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import guardian as package
from guardian.config import CheckRequest
from guardian.errors import ReadError
from guardian.model import Report, Summary, Verdict

BASE = """openapi: 3.0.3
info: {title: users, version: "1"}
paths:
  /users/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: string}}]
    get:
      responses:
        "200":
          description: a user
          content:
            application/json:
              schema: {type: object, required: [id, email], properties: {id: {type: string}, email: {type: string}}}
"""
HEAD = BASE.replace(", email]", "]").replace(", email: {type: string}", "")

EXTRAS = ("torch", "trl", "peft", "transformers", "datasets", "openenv", "gymnasium", "vllm", "matplotlib")


def report(verdict: Verdict) -> Report:
    summary = Summary(
        specs=1, changes=0, breaking=0, warnings=0, accepted=0, unread=0, consumers=0, consumers_broken=()
    )
    return Report(version="0", verdict=verdict, summary=summary, changes=())


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Stands for the engine: keeps the request, answers with ``verdict`` or raises ``error``."""
    fake = SimpleNamespace(request=None, verdict=Verdict.PASS, error=None)

    def run(request: CheckRequest, progress: object = None, keep: object = None) -> Report:
        fake.request = request
        if fake.error is not None:
            raise fake.error
        return report(fake.verdict)

    monkeypatch.setattr(package, "check", SimpleNamespace(run=run), raising=False)
    return fake


@pytest.mark.parametrize(
    ("verdict", "args", "code"),
    [
        (Verdict.PASS, [], 0),
        (Verdict.WARN, [], 0),
        (Verdict.FAIL, [], 1),
        (Verdict.FAIL, ["--advisory"], 0),
    ],
)
def test_exit_code_is_the_verdict(guardian, engine, verdict: Verdict, args: list[str], code: int):
    """A failed check ends with 1, also when its report goes through a pipe; --advisory fails nothing."""
    engine.verdict = verdict
    assert guardian("check", *args).code == code


def test_changelog_never_fails(guardian, engine):
    """`guardian changelog` reports what `check` would, and ends with 0."""
    engine.verdict = Verdict.FAIL
    outcome = guardian("changelog", "--format", "json")
    assert outcome.code == 0
    assert json.loads(outcome.out)["verdict"] == "fail"


def test_unreadable_is_no_pass(guardian, engine):
    """What cannot be read ends with 3, with nothing on standard output."""
    engine.error = ReadError("is no OpenAPI document", file="a.yaml")
    assert guardian("check") == (3, "", "error: a.yaml: is no OpenAPI document\n")


def test_request(guardian, engine, tmp_path: Path):
    """Flags reach the engine as they were given."""
    guardian("check", "--base", "a.yaml", "--head", "b.yaml", "--service", "x", "--service", "y", "--no-fixes")
    request = engine.request
    assert (request.base, request.head, request.services, request.fixes) == ("a.yaml", "b.yaml", ("x", "y"), False)
    assert request.cwd == tmp_path


@pytest.mark.parametrize(
    ("args", "all_lines"),
    [
        ([], False),
        (["--report", "terminal=a.txt"], False),
        (["--verbose"], True),
        (["--format", "json"], True),
        (["--report", "sarif=a.sarif"], True),
    ],
)
def test_lines_are_found_for_what_is_listed(guardian, engine, args: list[str], all_lines: bool):
    """The lines of what counts for nothing are looked up where a report lists it."""
    guardian("check", *args)
    assert engine.request.all_lines is all_lines
    guardian("changelog", *args)
    assert engine.request.all_lines


def test_reports_of_one_run(guardian, engine, tmp_path: Path):
    """One run writes the report to standard output and to every file that is asked for."""
    files = ("json=out/a.json", "json=out/b.json", "terminal=out/a.txt")
    outcome = guardian("check", "--format", "json", *(each for name in files for each in ("--report", name)))
    assert (tmp_path / "out" / "a.json").read_text() == (tmp_path / "out" / "b.json").read_text() == outcome.out
    text = (tmp_path / "out" / "a.txt").read_text()
    assert text
    assert "\x1b" not in text


def test_report_that_cannot_be_written(guardian, engine, tmp_path: Path):
    """A report that cannot be written is wrong usage, never a quiet pass."""
    (tmp_path / "file").touch()
    outcome = guardian("check", "--report", "json=file/a.json")
    assert outcome.code == 2
    assert "cannot write" in outcome.err


# From here on the engine itself runs.


@pytest.fixture
def two_files(tmp_path: Path) -> Path:
    (tmp_path / "base.yaml").write_text(BASE)
    (tmp_path / "head.yaml").write_text(HEAD)
    return tmp_path


def test_two_files_without_configuration(guardian, two_files: Path):
    """Two files are compared without any configuration; what breaks ends with 1, what does not with 0."""
    broken = guardian("check", "--base", "base.yaml", "--head", "head.yaml", "--format", "json")
    assert broken.code == 1
    assert json.loads(broken.out)["verdict"] == "fail"
    same = guardian("check", "--base", "base.yaml", "--head", "base.yaml")
    assert (same.code, same.err) == (0, "")


def test_short_text_needs_no_other_lines(guardian, two_files: Path):
    """The text for a terminal says the same, whether the lines of what it leaves out are known or not."""
    (two_files / "head.yaml").write_text(HEAD.replace("a user", "one user") + "  /new: {get: {responses: {}}}\n")
    alone = guardian("check", "--base", "base.yaml", "--head", "head.yaml")
    beside = guardian("check", "--base", "base.yaml", "--head", "head.yaml", "--report", "json=all.json")
    assert alone.out == beside.out
    changes = json.loads((two_files / "all.json").read_text())["changes"]
    assert {change["counts_as"] for change in changes} > {"info", "breaking"}
    assert all(change["head"]["line"] for change in changes)


def test_missing_file(guardian, two_files: Path):
    """A side that is not there ends with 3."""
    outcome = guardian("check", "--base", "base.yaml", "--head", "haed.yaml")
    assert (outcome.code, outcome.out) == (3, "")
    assert "haed.yaml" in outcome.err


def test_imports_of_a_check_of_two_files(two_files: Path):
    """A check of two files imports nothing of the learning extras, of other commands, or for reading configuration."""
    script = (
        "import sys\nfrom guardian.cli.main import run\n"
        "sys.argv = ['guardian', 'check', '--base', 'base.yaml', '--head', 'head.yaml']\n"
        "try:\n    run()\nexcept SystemExit as ended:\n    code = ended.code\n"
        "print('\\n' + '\\n'.join(sys.modules), file=sys.stderr)\nsys.exit(code)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=two_files, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    modules = set(done.stderr.splitlines())
    assert modules & {*EXTRAS, "guardian.learn", "guardian.cli.init", "guardian.cli.scan", "ruamel.yaml"} == set()


def chain(leaf: str, length: int) -> str:
    """A document of as many components, each of which holds the next one in either of two alternatives."""
    schemas: dict[str, Any] = {f"N{length}": {"type": leaf}}
    for number in range(length):
        below = {"$ref": f"#/components/schemas/N{number + 1}"}
        ways = [{"type": "object", "required": [name], "properties": {name: below}} for name in "ab"]
        schemas[f"N{number}"] = {"oneOf": ways}
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/N0"}}}
    paths = {"/a": {"post": {"requestBody": {"content": content}, "responses": {}}}}
    info = {"title": "T", "version": "1"}
    return json.dumps({"openapi": "3.1.0", "info": info, "paths": paths, "components": {"schemas": schemas}})


def test_a_long_way_down(tmp_path: Path):
    """Alternatives in alternatives, each deep enough that Python's own limit of calls would end it, are compared."""
    files = [tmp_path / f"{side}.json" for side in ("base", "head")]
    for file, leaf in zip(files, ("string", "integer"), strict=True):
        file.write_text(chain(leaf, 250))
    sides = ("--base", str(files[0]), "--head", str(files[1]))
    done = subprocess.run(
        [sys.executable, "-m", "guardian", "check", *sides, "--no-fixes"], capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (1, b"")

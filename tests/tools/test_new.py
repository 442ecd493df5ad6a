"""The scaffolds of CONTRIBUTING.md."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

import new  # noqa: E402

# What a module that is added to begins with.
MODULES = {
    "rule": """from __future__ import annotations

from collections.abc import Iterator

from guardian.rules.pairs import Delta, ObjectPair
from guardian.rules.registry import rule
""",
    "mutation": """from __future__ import annotations

from random import Random
from typing import Any

from guardian.learn.contract.mutations.registry import operator

Json = dict[str, Any]
""",
}


def begun(kind: str, root: Path) -> new.Scaffold:
    make, module = new.KINDS[kind]
    scaffold = make("tea-brewed", "tea_brewed", module, "ObjectPair")
    for path in scaffold.appended:
        (root / path).parent.mkdir(parents=True)
        (root / path).write_text(MODULES[kind], encoding="utf-8")
    new.write(scaffold, root)
    return scaffold


@pytest.mark.parametrize("kind", new.KINDS)
def test_a_scaffold_is_code_and_a_test(kind: str, tmp_path: Path) -> None:
    """Each kind comes with code that parses, is formatted, and names what exists, and with a test."""
    scaffold = begun(kind, tmp_path)
    assert any(path.startswith("tests/") for path in scaffold.files)
    for path in scaffold.files:
        ast.parse((tmp_path / path).read_text(encoding="utf-8"))
    ruff = [sys.executable, "-m", "ruff"]
    settings = ["--config", str(ROOT / "pyproject.toml"), "--no-cache"]
    for command in (["check", *settings, "--ignore", "D103,I"], ["format", "--check", *settings]):
        done = subprocess.run([*ruff, *command, str(tmp_path)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    """A name that is taken is refused, and the file stays as it is."""
    scaffold = begun("report", tmp_path)
    with pytest.raises(SystemExit, match="there already"):
        new.write(scaffold, tmp_path)
    path = next(iter(scaffold.files))
    assert (tmp_path / path).read_text(encoding="utf-8") == scaffold.files[path]


def test_a_new_rule_needs_a_module_that_is_there(tmp_path: Path) -> None:
    """A rule is added to a module whose rules look at the same pair; a misspelt one is refused."""
    with pytest.raises(SystemExit, match="--in"):
        new.write(new.rule("tea-brewed", "tea_brewed", "no_such_module", "ObjectPair"), tmp_path)


def test_names_are_kebab_case(capsys: pytest.CaptureFixture[str]) -> None:
    """Other names are refused before anything is written."""
    with pytest.raises(SystemExit):
        new.main(["rule", "TeaBrewed"])
    assert "lower case words" in capsys.readouterr().err

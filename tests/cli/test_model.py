"""``guardian model serve``: a folder that is no adapter is told before anything is made of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"base_model_name_or_path": "some/base", "r": 16}', 0),
        ("[]", 2),
        ("{", 2),
        ("{}", 2),
        ('{"base_model_name_or_path": 5}', 2),
        ('{"base_model_name_or_path": null}', 2),
        ('{"base_model_name_or_path": "some/base", "r": "x"}', 2),
        ('{"base_model_name_or_path": "some/base", "r": null}', 2),
        ('{"base_model_name_or_path": "some/base", "r": 0}', 2),
    ],
)
def test_the_folder_is_an_adapter(text: str, code: int, tmp_path: Path) -> None:
    """Its adapter_config.json is an object with a base model and a rank."""
    (tmp_path / "adapter_config.json").write_text(text)
    command = [sys.executable, "-m", "guardian", "model", "serve", str(tmp_path), "--print"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == code, run.stderr
    assert ("--model some/base" in run.stdout) == (code == 0)


@pytest.mark.parametrize("name", ["base", "a=b", " "])
def test_an_adapter_that_nobody_could_ask_for_is_not_served(name: str, tmp_path: Path) -> None:
    """vLLM would answer by the base model, or under half of the name."""
    from guardian.adapter.serving import serving
    from guardian.errors import UsageError

    (tmp_path / "adapter_config.json").write_text('{"base_model_name_or_path": "some/base", "r": 16}')
    with pytest.raises(UsageError, match="cannot be called"):
        serving(tmp_path, name=name)


def test_a_task_that_is_named_twice_is_played_once() -> None:
    """Its episodes would count twice, and an interval would look narrower than it is."""
    from guardian.cli.given import names_of

    assert names_of(" b,a, b,,a") == ("b", "a")

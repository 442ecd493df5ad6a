"""The gate with its fixes, run as users run it: in a folder, by its command line."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import guardian.check
from guardian.check.compare import Apis
from guardian.check.configfile import read_config
from guardian.check.declared import declared_consumers
from guardian.check.services import survey
from guardian.check.sides import open_sides
from guardian.cli.main import run as run_cli
from guardian.config import CheckRequest
from guardian.fixes.bench import Situation
from guardian.model import Change


def request(folder: Path, **more: Any) -> CheckRequest:
    """A check of the directories ``base`` and ``head`` of a folder, by head's guardian.yaml."""
    file = folder / "head" / "guardian.yaml"
    config = read_config(file.read_bytes(), "guardian.yaml")
    return CheckRequest(
        cwd=folder,
        as_of=date(2026, 3, 6),
        config=config,
        config_file=file,
        base="base",
        head="head",
        consumers=("head/consumers", "head/pacts"),
        exceptions="head/guardian.exceptions.yaml",
        **more,
    )


def laid_out(request: CheckRequest) -> tuple[Situation, tuple[Change, ...]]:
    """What the fixes of a check start from."""
    sides = open_sides(request)
    selection = survey(sides, request, read_config)
    apis = Apis(selection.services, sides, request)
    declared = declared_consumers(sides, selection, apis, request)
    made = Situation(
        base=apis.bases(),
        head=apis.heads(),
        as_of=request.as_of,
        base_consumers=declared.base,
        head_consumers=declared.head_only,
        declarations=declared.files,
        public=frozenset(each.name for each in selection.services if each.public),
    )
    return made, guardian.check.run(request._replace(fixes=False)).changes


Cli = Callable[..., int]


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Run a command; the exit code."""
    monkeypatch.setenv("NO_COLOR", "1")

    def called(*arguments: str) -> int:
        monkeypatch.setattr(sys, "argv", ["guardian", *arguments])
        try:
            run_cli()
        except SystemExit as end:
            return int(end.code or 0)
        return 0

    return called

"""What every test may use: the fixture company and its changes, as the module ``apply`` of fixtures/."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes says what else the machine does, and nothing of guardian.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "fixtures"))


@pytest.fixture
def forks(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The forks that are made of this process, which may be made although those who run tests in parallel have threads."""
    made: list[int] = []
    fork = os.fork

    def counted() -> int:
        made.append(1)
        return fork()

    monkeypatch.setattr(threading, "active_count", lambda: 1)  # theirs only wait
    monkeypatch.setattr(os, "fork", counted)
    return made

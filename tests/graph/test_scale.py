"""The synthetic company of the benchmark: cost follows what a change can reach, not the size of the company."""

from __future__ import annotations

import importlib.util
import random
import sys
from pathlib import Path
from types import ModuleType

import pytest

from guardian.graph import build
from guardian.graph.blast import blast
from guardian.graph.consumers.load import load_consumers
from guardian.graph.consumers.routes import Routes
from guardian.rules.compare import compare
from guardian.spec.trees import MemoryTree

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "company_scale.py"


@pytest.fixture
def scale(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    spec = importlib.util.spec_from_file_location("company_scale", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "company_scale", module)
    spec.loader.exec_module(module)
    return module


def test_only_what_a_change_can_reach_is_read(scale: ModuleType) -> None:
    """Of all specifications a blast radius opens those alone that lineage leads to."""
    chance = random.Random(1)
    files = {f"c/{scale.name(each)}.json": scale.manifest(each, 80, chance) for each in range(80)}
    company = scale.Company(80)
    consumers = load_consumers([(MemoryTree(files), "c")], list(company)).consumers
    head = scale.changed(80)
    changes = compare(company[scale.HUB], head)
    traced = blast(changes, Routes(company, {scale.HUB: head}), consumers)
    assert any(each.hops > 1 for change in traced.changes for each in change.consumers)
    assert set(company._read) <= build.within_reach([scale.HUB], consumers)


def test_the_benchmark_measures_what_it_says(scale: ModuleType) -> None:
    """Ten uses for each service, somebody is hit, and the table has a line for each size."""
    rows = [scale.measure(20), scale.measure(40)]
    assert [row.uses for row in rows] == [200, 400]
    assert all(row.hit > 0 for row in rows)
    assert len(scale.table(rows).splitlines()) == 5

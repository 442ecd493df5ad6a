"""Fixes that are sought by several processes: what is offered is what one process offers."""

from __future__ import annotations

import sys

import pytest

from guardian.fixes import propose as proposing
from guardian.fixes.bench import Bench
from guardian.fixes.propose import FULL_CHOICE, propose
from tests.fixes.workbench import bench

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks are made on Linux only")

CAUSES = FULL_CHOICE + 3


@pytest.fixture(autouse=True)
def everything_is_worth_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proposing, "WORTH_A_PROCESS", 1)


def many_causes() -> Bench:
    """As many lost and retyped properties, each in an operation of its own, some with readers."""
    head = "openapi: 3.0.3\ninfo: {title: t, version: '1'}\npaths:\n"
    path = "  /%d: {get: {responses: {'200': {description: ok, content: {application/json: {schema: {%s}}}}}}}\n"
    kind = "type: object, required: [id%s], properties: {id: {type: %s}%s}"
    texts = [
        head + "".join(path % (each, kind % (name, types[each % 2], more)) for each in range(CAUSES))
        for types, name, more in (
            (("string", "integer"), ", name", ", name: {type: string}"),
            (("integer", "integer"), "", ""),
        )
    ]
    manifest = "consumer: billing\nuses: [{service: users, operation: GET /1, reads: [id, name]}]\n"
    return bench(*texts, {"billing.yaml": manifest})


def test_the_same_fixes_are_offered(forks: list[int]) -> None:
    """With the same patches, the same verifications and the same remarks."""
    on = many_causes()
    alone = propose(on.situation, on.changes)
    assert not forks
    together = propose(on.situation, on.changes, jobs=3)
    assert len(forks) == 2
    assert together == alone
    assert len(alone.fixes) > CAUSES
    assert all(fix.patches and fix.verification.verified for fix in alone.fixes)


@pytest.mark.parametrize("most", [20, 60, 100])
def test_the_work_ends_at_the_same_cause(forks: list[int], monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Although each process knows only how much it has done itself."""
    on = many_causes()
    whole = propose(on.situation, on.changes)
    monkeypatch.setattr(proposing, "MOST_PAIRS", most)
    alone = propose(on.situation, on.changes)
    assert not forks
    together = propose(on.situation, on.changes, jobs=3)
    assert forks
    assert together == alone
    assert 0 < len(alone.fixes) < len(whole.fixes)
    assert "were left without a fix" in alone.notes[-1].message


def test_little_is_tried_by_one_process(forks: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Another one would cost more than it brings."""
    monkeypatch.setattr(proposing, "WORTH_A_PROCESS", 10**9)
    on = many_causes()
    propose(on.situation, on.changes, jobs=3)
    assert not forks

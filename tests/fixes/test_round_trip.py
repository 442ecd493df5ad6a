"""Round trips over the fixture company: apply a fix, run the check as a user would, and nobody breaks."""

from __future__ import annotations

from pathlib import Path

import apply as fixtures
import pytest

from guardian.check import run
from guardian.fixes.apply import apply_fix
from guardian.fixes.strategies import UNMENDED
from guardian.model import Severity, Verdict
from tests.fixes.gate import request

# A service that is retired leaves no document that a patch could be made to.
_WITHOUT = {"service-retired"}


@pytest.mark.parametrize("name", fixtures.list_changes())
def test_every_change_that_breaks_can_be_mended(name: str, tmp_path: Path) -> None:
    """Every fix that is offered, written to disk, leaves nothing that counts as breaking; and there is one for each."""
    fixtures.materialise(name, tmp_path)
    before = run(request(tmp_path))
    broken = {
        each.fingerprint
        for each in before.changes
        if each.counts_as is Severity.BREAKING and each.exception is None and each.rule not in UNMENDED
    }
    if name not in _WITHOUT:
        assert broken <= {change for fix in before.fixes for change in fix.changes}
    head = {path: path.read_bytes() for path in (tmp_path / "head").rglob("*") if path.is_file()}
    for fix in before.fixes:
        written = apply_fix(fix, tmp_path)
        after = run(request(tmp_path)._replace(fixes=False))
        worse = [each.message for each in after.changes if each.counts_as is Severity.BREAKING and not each.exception]
        assert after.verdict is not Verdict.FAIL, (fix.id, fix.strategy, worse)
        for path, data in head.items():
            assert path in written or path.read_bytes() == data, "another file was touched"
            path.write_bytes(data)

from __future__ import annotations

import pytest

from guardian.rules import validator
from guardian.rules.validator import Unjudgeable, readable


def test_a_pattern_that_cannot_be_read_is_found_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes the validator long to give up on counts in counts, and every message that is tried asks about them."""
    tried: list[object] = []

    def refuses(schema: object) -> None:
        tried.append(schema)
        raise Unjudgeable("too large")

    monkeypatch.setattr(validator, "compiled", refuses)
    for _ in range(3):
        with pytest.raises(Unjudgeable, match="cannot read the pattern"):
            readable("^(only-here{1,1000}){1,1000}$")
    assert len(tried) == 1

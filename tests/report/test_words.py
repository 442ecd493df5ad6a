from __future__ import annotations

from guardian.report.words import reason
from tests.report import samples


def test_a_reason_is_read_at_a_glance() -> None:
    """Whole sentences, the first in any case, and no more of them than somebody in a hurry reads; JSON has them all."""
    short = "A reader fails. `null` counts (RFC 9110, section 5.1). So does this."
    long = "A reader fails. " + " ".join(f"Sentence number {number} goes on about it." for number in range(30))
    for why, told in ((short, short), (long, None), ("x" * 500, "x" * 500), ("", "")):
        found = reason(samples.change("type-changed", "GET /a", "b", why=why))
        if told is not None:
            assert found == told
        else:
            assert found.startswith("A reader fails. Sentence number 0")
            assert found.endswith("about it.")
            assert len(found) <= 300

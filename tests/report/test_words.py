from __future__ import annotations

import pytest

from guardian.model import Report, Severity, Summary, Verdict, Witness
from guardian.report import render, words
from guardian.report.blocks import blocks
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


def test_warnings_that_fail_are_said_to() -> None:
    """A red run says what made it red, and what to do, also where nothing breaks."""
    warning = samples.EMAIL._replace(counts_as=Severity.WARNING, severity=Severity.WARNING, consumers=())
    summary = Summary(1, 1, 0, 1, 0, 0, 0, ())
    report = Report("0.1.0", Verdict.FAIL, summary, (warning,), fails_from=Severity.WARNING)
    assert words.headline(report) == "nothing breaks, but 1 warning is enough to fail (`fail_on: warning`)"
    assert words.next_steps(report, blocks(report))[0].startswith("Accept it in writing")
    passing = report._replace(verdict=Verdict.WARN, fails_from=Severity.BREAKING)
    assert words.headline(passing) == "nothing breaks, 1 warning"
    assert words.next_steps(passing, blocks(passing))[0].startswith("`guardian explain")


@pytest.mark.parametrize("format", ["terminal", "markdown", "html", "junit", "sarif"])
def test_a_witness_is_told_alike_everywhere(format: str) -> None:
    """What a reader misses is no matter of schemas: base may well accept the value."""
    witness = Witness({"id": "1"}, False, True, "a reader finds nothing in it")
    report = samples.friday_rename()
    report = report._replace(changes=tuple(each._replace(witness=witness) for each in report.changes), fixes=())
    text = render(format, report)
    assert "a reader finds nothing in it" in text
    assert "base refuses it" not in text

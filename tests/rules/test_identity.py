"""Fingerprints that no two findings of a report share, and that still name what was accepted by them."""

from __future__ import annotations

from guardian.model import Change
from guardian.rules.identity import number_twins, same_print
from tests.report.samples import EMAIL


def twins(*services: str) -> list[Change]:
    """Findings of these services that are alike."""
    return number_twins([EMAIL._replace(service=each, fingerprint="0123456789ab") for each in services])


def test_twins_within_a_service_and_across() -> None:
    """What one service has twice is the same two findings beside another service and without it."""
    alone, beside = twins("b", "b"), twins("a", "a", "b", "b")
    assert len({each.fingerprint for each in beside}) == 4
    for at in (0, 1):
        known = [same_print(alone[at].fingerprint, "b", each) for each in beside[2:]]
        assert known == [at == 0, at == 1]
        known = [same_print(beside[2 + at].fingerprint, "b", each) for each in alone]
        assert known == [at == 0, at == 1]


def test_what_is_unique_stays() -> None:
    """To number again changes nothing."""
    found = twins("a", "b", "b")
    assert number_twins(found) == found

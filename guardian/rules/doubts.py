"""Findings that are no more than possible, or no more than a warning, because of where they stand."""

from __future__ import annotations

from guardian.model import Confidence, Direction, Effect, Hit, Impact, Severity
from guardian.rules.pairs import Delta
from guardian.rules.verdict import judge


def as_unsure(delta: Delta) -> Delta:
    """What is no more than possible, since the standard does not decide where a reference to its place leads."""
    if delta.effect is Effect.ANNOTATION:
        return delta
    why = "the documents do not decide where a dynamic reference on the way leads"
    return delta._replace(confidence=Confidence.POSSIBLE, unproved=delta.unproved or why)


BESIDE = "another alternative takes anything, and may be what is sent"


def as_settled(delta: Delta) -> Delta:
    """What says the same of what selects a variant in other words: no message is another one for it."""
    if delta.effect is Effect.ANNOTATION:
        return delta
    return delta._replace(severity=Severity.INFO, hit=Hit.NOBODY, impact=Impact.SAFE, strict_impact=Impact.SAFE)


def as_doubtful(delta: Delta, direction: Direction, why: str = BESIDE) -> Delta:
    """What is a warning at most: by default what stands beside an alternative that takes anything as before."""
    confidence = delta.confidence or Confidence.CERTAIN
    if (delta.severity or judge(delta.effect, direction, confidence)).rank < Severity.WARNING.rank:
        return delta
    return delta._replace(severity=Severity.WARNING, confidence=Confidence.POSSIBLE, unproved=delta.unproved or why)

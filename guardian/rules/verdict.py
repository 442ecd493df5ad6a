"""Effect times direction: the one table that turns what happened into how bad it is.

A request that narrowed refuses what callers send; a response that widened carries what readers do not expect;
where neither set contains the other, both directions break (DESIGN, idea 2).
"""

from __future__ import annotations

from guardian.model import Confidence, Direction, Effect, Severity

TABLE: dict[tuple[Effect, Direction], Severity] = {
    (Effect.NARROWED, Direction.REQUEST): Severity.BREAKING,
    (Effect.WIDENED, Direction.REQUEST): Severity.INFO,
    (Effect.CHANGED, Direction.REQUEST): Severity.BREAKING,
    (Effect.ANNOTATION, Direction.REQUEST): Severity.INFO,
    (Effect.NARROWED, Direction.RESPONSE): Severity.INFO,
    (Effect.WIDENED, Direction.RESPONSE): Severity.BREAKING,
    (Effect.CHANGED, Direction.RESPONSE): Severity.BREAKING,
    (Effect.ANNOTATION, Direction.RESPONSE): Severity.INFO,
}


def judge(effect: Effect, direction: Direction, confidence: Confidence) -> Severity:
    """The contract's verdict; what the documents cannot decide is a warning at most."""
    severity = TABLE[effect, direction]
    if confidence is Confidence.POSSIBLE and severity is Severity.BREAKING:
        return Severity.WARNING
    return severity

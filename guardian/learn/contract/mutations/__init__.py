"""Named mutations of specifications, breaking ones and harmless look-alikes; the engine judges what they did."""

from __future__ import annotations

from guardian.learn.contract.mutations.registry import Operator, operators

__all__ = ["Operator", "operators"]

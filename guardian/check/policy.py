"""Findings that are no contract's change but a team's policy: exceptions, windows, versions, declarations."""

from __future__ import annotations

from guardian.model import Change
from guardian.rules.registry import Declared, find_rule, load


def is_policy(change: Change) -> bool:
    """Whether a finding is one that no comparison of two contracts makes."""
    rule = load().get(change.rule)
    return rule is not None and rule.pair is Declared


def reason(rule: str) -> str:
    """Why a rule's findings matter, in one sentence; `guardian explain` has the rest."""
    first, stop, _ = find_rule(rule).why.partition(". ")
    return first + stop.rstrip()

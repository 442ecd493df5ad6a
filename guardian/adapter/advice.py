"""What consulting a model starts from, and what it leads to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from guardian.adapter.claims import Remark
from guardian.adapter.prompts import Prompt
from guardian.fixes.bench import Bench, Situation
from guardian.graph.uses import Consumer, Use
from guardian.lazy import cached_property
from guardian.model import Change, Fix
from guardian.spec.api import Api

Question = tuple[Prompt, Callable[[dict[str, Any]], None]]
"""A question, and what is done with an answer that keeps to its schema."""


def _no_code(consumer: str) -> Sequence[Use]:
    return ()


class Case:
    """A finished check as a model is asked about it.

    Args:
        situation: both sides of it.
        changes: its findings, traced, settled and with exceptions applied.
        fixes: the verified fixes of the rules.
        services: those that were looked into; the others' texts are the same on both sides.
        code: the uses that a consumer's own source shows, where it lies in the repository; it may raise a ``GuardianError``.
        mends: whether fixes are wanted.
        model: the model's name, for reports.
    """

    def __init__(
        self,
        situation: Situation,
        changes: Sequence[Change],
        fixes: Sequence[Fix],
        services: Sequence[str],
        *,
        code: Callable[[str], Sequence[Use]] = _no_code,
        mends: bool = True,
        model: str = "guardian",
    ) -> None:
        self.situation = situation
        self.changes = tuple(changes)
        self.fixes = tuple(fixes)
        self.services = tuple(services)
        self.code = code
        self.mends = mends
        self.model = model

    @cached_property
    def bench(self) -> Bench:
        """Where claims and patches are tried."""
        return Bench(self.situation, self.changes)

    @property
    def consumers(self) -> Sequence[Consumer]:
        """Everybody who is declared."""
        return self.situation.everybody

    def both(self, service: str) -> tuple[Api, Api] | None:
        """Both sides of a service; None where one of them does not have it."""
        base, head = self.situation.base, self.situation.head
        return (base[service], head[service]) if service in base and service in head else None


@dataclass(slots=True)
class Advice:
    """What came of it. It begins as the check's own findings and fixes, and only ever gains.

    Attributes:
        changes: by fingerprint, in the order of reports.
        fixes: the rules' own in front, as they were.
        failed: how many patches of the model did not pass.
    """

    changes: dict[str, Change]
    fixes: list[Fix]
    remarks: list[Remark] = field(default_factory=list)
    failed: int = 0

    @classmethod
    def of(cls, case: Case) -> Advice:
        """Before anything was asked."""
        return cls({each.fingerprint: each for each in case.changes}, list(case.fixes))

    def offer(self, fix: Fix) -> Fix | None:
        """List a verified fix under the next number, unless one that changes the very same is listed; then that one."""
        for each in self.fixes:
            if each.patches and _edits(each) == _edits(fix):
                return each
        self.fixes.append(fix)
        return None


def _edits(fix: Fix) -> Mapping[str, Any]:
    """What a fix changes, by file, however it is written down."""
    return {patch.file: patch.overlay.get("actions") or list(patch.json_patch) for patch in fix.patches}

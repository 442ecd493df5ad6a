"""A draft: what a strategy would have done to which files, before anybody knows whether it works."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from guardian.fixes.json_patch import Operation
from guardian.model import Strategy

Operations = tuple[Operation, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One attempt at a fix.

    Attributes:
        strategy: which of the five.
        service: the producer.
        specs: operations by address of the file in head's tree.
        manifests: operations by manifest, as reports name the file.
        place_after: by address, for the pointer of a new member the key of the member that it should follow.
        does: what it does, a clause in the present tense that the service is the subject of: ``carries both ...``.
        later: what is left to do once nobody uses the old form any more; empty if nothing is.
        until: the last day of the window (ISO 8601), where there is one.
        sure: how sure it is that two names, or two paths, are of one thing (0 to 1); None where it does not matter.
        moves: what each consumer has to change in its code, by name.
        versions: the operations that head's form moved to, by the name of the operation it was.
        apart: whether what aliases share is written out where it is to differ.
    """

    strategy: Strategy
    service: str
    specs: Mapping[str, Operations] = field(default_factory=dict)
    manifests: Mapping[str, Operations] = field(default_factory=dict)
    place_after: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    does: str = ""
    later: str = ""
    until: str | None = None
    sure: float | None = None
    moves: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    apart: bool = False

    @property
    def title(self) -> str:
        """One line for overlays."""
        return f"{self.service} {self.does}" if self.does else f"{self.service}: {self.strategy.value}"

    @property
    def weight(self) -> int:
        """How many operations it takes."""
        return sum(map(len, (*self.specs.values(), *self.manifests.values())))

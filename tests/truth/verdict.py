"""What guardian says about a pair of schemas: its walk, without operations and files around it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from guardian.model import Confidence, Direction, Severity, Witness
from guardian.rules.pairs import SchemaRoot
from guardian.rules.verdict import judge
from guardian.rules.walk import Found, Walker
from guardian.rules.witness import witnesses
from guardian.spec.api import Schema
from guardian.spec.document import Document
from guardian.spec.refs import Documents
from guardian.spec.trees import MemoryTree


@dataclass(frozen=True)
class Said:
    """One finding as judged, with its witness or why there is none."""

    found: Found
    severity: Severity
    possible: bool
    proof: Witness | str

    @property
    def rule(self) -> str:
        return self.found.rule.id

    def __str__(self) -> str:
        steps = "/".join(child.step for child in self.found.path)
        proof = self.proof.value if isinstance(self.proof, Witness) else self.proof
        return f"{self.severity.value}{'?' if self.possible else ''} {self.rule} {steps}:{self.found.delta.field} {self.found.delta.message} [{proof!r}]"


def side(schema: Any, components: dict[str, Any], version: str) -> Schema:
    root = {"openapi": version, "components": {"schemas": {**components, "Root": schema}}}
    documents = Documents(MemoryTree({}))
    document = Document(documents, uri="api", address="api", file="api", root=root, dialect=version[:3], data=b"")
    return Schema((document.node("/components/schemas/Root"),))


def said(
    base: Any,
    head: Any,
    direction: str,
    *,
    base_components: dict[str, Any] | None = None,
    head_components: dict[str, Any] | None = None,
    versions: tuple[str, str] = ("3.1.0", "3.1.0"),
    prove: bool = True,
) -> list[Said]:
    """Every finding of one pair."""
    walker = Walker(lambda one, other: False)
    root = SchemaRoot(
        side(base, base_components or {}, versions[0]),
        side(head, head_components or {}, versions[1]),
        Direction(direction),
        "request body" if direction == "request" else "response 200",
    )
    result: list[Said] = []
    for found in walker.walk(root):
        delta = found.delta
        severity = delta.severity or judge(delta.effect, root.direction, delta.confidence or Confidence.CERTAIN)
        proof: Witness | str = "not asked"
        if prove and severity.rank >= Severity.WARNING.rank:
            (proof,) = witnesses([found], walker)
        result.append(Said(found, severity, delta.confidence is Confidence.POSSIBLE, proof))
    return result


def outcome(findings: Iterable[Said]) -> str:
    """``breaks``, ``undecided`` (findings that the documents cannot decide, none of them proved) or ``holds``.

    An added enum value in a response is a warning by the interface, though a reader of the list cannot take it.
    """
    result = "holds"
    for each in findings:
        if each.severity.rank < Severity.WARNING.rank:
            continue
        if each.possible and not isinstance(each.proof, Witness):
            result = "undecided"
        elif each.severity is Severity.BREAKING or each.possible or each.rule == "enum-value-added":
            return "breaks"
    return result

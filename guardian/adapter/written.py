"""Patches that a model writes: applied in memory, tried by the verifier that tries the rules' own, listed if they pass.

Verification says that nobody breaks and that what the author wanted is there. A patch by somebody who has read untrusted
text must moreover keep to the place that it is about: it may neither touch another one, nor say anything else of
security or servers. It is of the specification alone: manifests tell what runs, which no patch changes. The strategy that
the model names is taken where the patch follows it; else the engine names the one that it does follow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from guardian.adapter.hygiene import inert
from guardian.adapter.patch_prompt import merged
from guardian.errors import GuardianError
from guardian.fixes import json_patch
from guardian.fixes.bench import Bench, Trial
from guardian.fixes.draft import Draft
from guardian.fixes.findings import key
from guardian.fixes.json_patch import PatchError, failed, pointer
from guardian.fixes.naming import strategy_of
from guardian.fixes.patch import difference
from guardian.fixes.propose import Passed, fix
from guardian.fixes.slots import parent, property_name, schema_slot
from guardian.fixes.verify import verify
from guardian.fixes.work import Group, Work
from guardian.model import Fix, Strategy
from guardian.rules.registry import find_rule
from guardian.spec.api import Node, Operation
from guardian.spec.document import Document
from guardian.spec.pointers import steps_of

Json = dict[str, Any]

MOST_OPERATIONS = 40
_DEEPEST = 40
_SCHEMAS = frozenset({"schema", "schemas", "definitions", "$defs"})
_NEW_PARTS = ("/components/schemas", "/components/parameters", "/definitions")


@dataclass(frozen=True, slots=True)
class Ground:
    """What a patch for one cause may touch: one of head's files, and the places in it."""

    document: Document
    places: tuple[str, ...]

    def holds(self, at: str) -> bool:
        """Whether a pointer lies in one of the places, or names a new part that they can refer to."""
        if any(at == each or at.startswith(f"{each}/") for each in self.places):
            return True
        steps = steps_of(at)
        new = pointer(*steps[:3]) if steps[:1] == ["components"] else pointer(*steps[:2])
        return parent(new) in _NEW_PARTS and not json_patch.has(self.document.root, new)


def ground_of(bench: Bench, group: Group) -> Ground | None:
    """Where a cause lies in head; None where it lies in no file, or in several."""
    work = Work(bench, group)
    nodes = [head for _, _, head in work.places() if head is not None]
    nodes += [head.node for _, _, head in work.operations() if head is not None]
    documents = {node.document.address: node.document for node in nodes}
    if len(documents) != 1:
        return None
    places = dict.fromkeys(at for node in nodes for at in (_about(node), about(node)))
    return Ground(next(iter(documents.values())), tuple(each for each in places if each))


def about(node: Node) -> str:
    """The pointer of the object that a finding speaks of: the schema that holds a property, else the operation.

    Behind a reference, where that leads to the same file: what is written at the reference itself says nothing.
    """
    at = _about(node)
    place = node.document.node(at) if json_patch.has(node.document.root, at) else None
    if place is None or not isinstance(place.value, dict) or place.value.keys() != {"$ref"}:
        return at
    try:
        target = place.document.documents.follow(place)
    except GuardianError:  # it leads nowhere
        return at
    return target.pointer if target.document is node.document else at


def _about(node: Node) -> str:
    at = schema_slot(node.pointer)
    if property_name(at) is not None:
        return parent(at, 2)
    if _SCHEMAS & set(steps_of(at)):
        return at
    steps = steps_of(node.pointer)
    return pointer(*steps[:3]) if steps[:1] in (["paths"], ["webhooks"]) else node.pointer


def written(bench: Bench, group: Group, ground: Ground, answer: Mapping[str, Any], model: str) -> Fix | None:
    """The fix that a model's patch is, if it passes; None if it does not. It has no number yet."""
    try:
        operations = _operations(answer["patch"], ground)
    except (PatchError, ValueError):
        return None
    draft = Draft(
        strategy=Strategy(answer["strategy"]),
        service=group.first.service,
        specs={ground.document.address: operations},
        does=f"takes a patch written by the model ({inert(model, 60)}) and verified",
    )
    try:
        draft = replace(draft, strategy=strategy_of(bench, bench.compare(draft), draft.strategy))
        outcome = verify(bench, draft, group.changes)
    except GuardianError:
        return None
    if not outcome.verification.verified or outcome.trial is None or _oversteps(bench, outcome.trial, group):
        return None
    return fix(Passed(group, draft, outcome), "", bench.situation)._replace(proposed_by=model)


def _operations(patch: Mapping[str, Any], ground: Ground) -> tuple[json_patch.Operation, ...]:
    """What a patch does to the file, as operations on it.

    Raises:
        PatchError: it is none, or is about something else.
    """
    if len(patch) != 1 or _depth(patch) > _DEEPEST:
        raise failed("a patch has json_patch or merge_patch, and no more than that")
    root = ground.document.root
    if "merge_patch" in patch:
        operations = difference(root, merged(root, patch["merge_patch"]))
    else:
        operations = [dict(each) for each in patch["json_patch"]]
    if not operations or len(operations) > MOST_OPERATIONS:
        raise failed(f"a patch has 1 to {MOST_OPERATIONS} operations")
    for each in operations:
        json_patch.check(each)
        if each["op"] not in ("add", "replace", "remove") or not ground.holds(each["path"]):
            raise failed("it touches something else", each["path"])
    return tuple(operations)


def _depth(value: Any) -> int:
    """How deep containers are nested; those of a hostile answer cost no recursion."""
    deepest, pending = 0, [(value, 1)]
    while pending:
        each, depth = pending.pop()
        below: Iterable[Any] = each.values() if isinstance(each, dict) else each if isinstance(each, list) else ()
        deepest = max(deepest, depth)
        pending += [(one, depth + 1) for one in below]
    return deepest


def _oversteps(bench: Bench, trial: Trial, group: Group) -> bool:
    """Whether a patch changes what no fix of this cause has to change: another operation, security, servers."""
    operations = {change.operation for change in group.changes}
    known = {key(change) for change in bench.changes}
    fresh = [change for change in trial.fresh if key(change) not in known]
    if any(each.operation not in operations or find_rule(each.rule).area == "security" for each in fresh):
        return True
    return any(
        not json_patch.equal(_addressed(before), _addressed(after))
        for service in trial.services
        for name, before in bench.situation.head[service].operations.items()
        if (after := trial.heads[service].operations.get(name)) is not None
    )


def _addressed(operation: Operation) -> list[Any]:
    """Where an operation is called, and who may."""
    return [operation.node.value.get(name) for name in ("servers", "security")]

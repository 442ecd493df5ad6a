"""Whether a fix keeps what the author of a change wanted: a revert with extra steps is not a fix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from guardian import fieldpath
from guardian.fixes import json_patch
from guardian.fixes.answers import Answers, operation_named
from guardian.fixes.bench import Bench, Trial, document_named
from guardian.fixes.findings import Findings, holder, key
from guardian.fixes.json_patch import get, pointer
from guardian.fixes.slots import last, parent, schema_slot
from guardian.fixes.work import ALIAS_OF, VERSIONS
from guardian.model import Change, Direction, Severity
from guardian.rules.compare import compare
from guardian.rules.registry import find_rule
from guardian.rules.walk import Walker
from guardian.spec.api import Api, Operation, Schema
from guardian.spec.sameness import Sameness

# What these rules say is about the findings themselves, and changes with them.
_COMMENTARY = frozenset({"lifecycle", "governance"})


def lost_intent(bench: Bench, trial: Trial, addressed: Sequence[Change]) -> str | None:
    """What of the author's change a fix undoes, in one sentence; None if nothing is.

    Three things must hold: every change of head's that was not addressed is still there, every addressed one has left
    something of itself (the new thing beside the old, a mark that says what goes and when, a version of its own), and
    what the fix calls an alias or a version of something is one.
    """
    if not trial.services:
        return None  # the producer is as its author left it
    return next(
        (
            reason
            for reason in (
                _undone(bench, trial, addressed),
                *_false_alias(trial, addressed),
                *(each for service in sorted(trial.services) for each in _false_operation_alias(bench, trial, service)),
                *(_false_version(bench, trial, name, new) for name, new in sorted(trial.draft.versions.items())),
                _reverted(bench, trial, addressed),
            )
            if reason is not None
        ),
        None,
    )


# --- what was not addressed -----------------------------------------------------------------------------------------


def _undone(bench: Bench, trial: Trial, addressed: Sequence[Change]) -> str | None:
    after = {key(change) for change in trial.fresh}
    mended = {key(change) for change in addressed}
    answers = Answers(bench, trial)
    for change in trial.before():
        if change.service not in trial.services or change.severity is Severity.BREAKING or key(change) in mended:
            continue
        if find_rule(change.rule).area in _COMMENTARY or change.operation in trial.draft.versions:
            continue
        if key(change) in after or any(_concerns(each, change) for each in addressed):
            continue
        if _is_on_offer(change) and any(each.place == "security" for each in addressed):
            continue  # what is accepted as before is on offer as before
        if not (change.rule.endswith("-removed") and answers.to(change)):  # unless it is back, marked as what is to go
            what = f"{change.operation}: {change.message}" if change.operation else change.message
            return f"it undoes a change that breaks nobody ({what})"
    return None


def _is_on_offer(change: Change) -> bool:
    """Whether a change is a note of a scope that a security scheme lists no more, and nothing else."""
    return (
        change.rule == "security-scheme-detail-changed"
        and change.severity is Severity.INFO
        and (": scope `" in change.message and change.message.endswith(" was removed"))
    )


def _concerns(addressed: Change, other: Change) -> bool:
    """Whether a change is of the very field that is mended, so that it may well change with it."""
    if addressed.operation != other.operation or addressed.direction is not other.direction:
        return False
    if addressed.place != other.place and "operation" not in (addressed.place, other.place):
        return False
    return fieldpath.within(fieldpath.parse(other.field), fieldpath.parse(addressed.field))


def _same_field(change: Change, other: Change) -> bool:
    """Whether two changes are of one field: what is left further in is another change, which head had anyway."""
    return not {change.field, *change.also}.isdisjoint({other.field, *other.also})


# --- what was addressed ---------------------------------------------------------------------------------------------


def _reverted(bench: Bench, trial: Trial, addressed: Sequence[Change]) -> str | None:
    answers = Answers(bench, trial)
    fresh = Findings(trial.fresh)
    gone = {
        (each.service, each.operation) for each in addressed if each.rule in {"operation-removed", "webhook-removed"}
    }
    for change in addressed:
        if change.operation in trial.draft.versions or _kept_in_extension(bench, trial, change):
            continue
        if change.rule == "callback-removed" and (change.service, holder(change.operation)) in gone:
            continue  # it went with its operation and comes back with it, whose mark speaks for both
        if _left_in_contract(bench, trial, fresh, change) or _is_an_alternative(bench, trial, change):
            continue
        if not answers.to(change):
            what = (
                f"`{change.field}` of {change.operation}" if change.field else f"{change.place} of {change.operation}"
            )
            return f"it merely reverts the change of {what}: nothing of what its author wanted is left"
    return None


def _left_in_contract(bench: Bench, trial: Trial, fresh: Findings, change: Change) -> bool:
    """Whether the patched contract differs from base's where the change was made, or where the thing went."""
    went = _went_to(bench, change)
    kind = change.place.rpartition(" ")[0] or change.place
    for other in _of(trial, fresh, change.service, (change.operation, went)):
        if other.rule == "operation-added" and other.operation == went:
            return True
        if other.operation != change.operation:
            continue
        if change.renamed_to and other.field == change.renamed_to:
            return True
        if other.rule == "media-type-added" and other.place.startswith(kind):
            if not change.field or _is_next_media_type(bench, trial, change, other):
                return True
        if other.rule == "response-added" and not change.field and other.place.startswith("response"):
            return True
        if other.rule == "property-added" and _is_twin(bench, trial, change, other):
            return True
        if other.rule == "security-alternative-added" and change.place == "security":
            return True
        # What neither head says nor is of the kind that was mended is the patch's own: a default, a bound, a mark.
        of_head = other.rule == change.rule or key(other) in bench.known
        if (
            of_head
            and (other.direction, other.place) == (change.direction, change.place)
            and _same_field(change, other)
        ):
            return True
    return False


def _of(trial: Trial, fresh: Findings, service: str, operations: Iterable[str | None]) -> Iterator[Change]:
    """The changes from base to the patched head of these operations."""
    for operation in operations:
        if operation is not None:
            known = fresh if trial.touches(service, operation) else trial.findings
            yield from known.of([(service, holder(operation))])


def _kept_in_extension(bench: Bench, trial: Trial, change: Change) -> bool:
    """Whether the operation carries head's contract as another version, where no path or media type tells them apart."""
    head = operation_named(bench, bench.situation.head[change.service], change.operation)
    patched = operation_named(bench, trial.heads[change.service], change.operation) if head is not None else None
    if head is None or patched is None:
        return False
    versions = patched.node.value.get(VERSIONS)
    return isinstance(versions, dict) and any(json_patch.equal(each, head.node.value) for each in versions.values())


def _is_next_media_type(bench: Bench, trial: Trial, change: Change, added: Change) -> bool:
    """Whether a new media type carries what head says under the one that keeps base's form."""
    media_type = change.place.rpartition(" ")[2]
    document = document_named(trial.heads[change.service].document.documents, added.head.file) if added.head else None
    if added.head is None or document is None or key(added) in bench.known:
        return False
    before = document_named(bench.situation.head[change.service].document.documents, added.head.file)
    former = get(before.root, f"{parent(added.head.pointer)}{pointer(media_type)}") if before is not None else None
    return former is not None and json_patch.equal(former, get(document.root, added.head.pointer))


def _is_twin(bench: Bench, trial: Trial, change: Change, added: Change) -> bool:
    """Whether a new property is head's form of the one that keeps its former form beside it."""
    if added.direction is not change.direction or added.place != change.place or key(added) in bench.known:
        return False
    if fieldpath.parse(added.field).parent != fieldpath.parse(change.field).parent:
        return False
    return json_patch.equal(_said(bench.situation.head, change), _said(trial.heads, added))


def _is_an_alternative(bench: Bench, trial: Trial, change: Change) -> bool:
    """Whether head's form is one of those that are accepted now, where the contract is base's all the same."""
    form, patched = _said(bench.situation.head, change), _said(trial.heads, change)
    choices = [patched.get(key) for key in ("anyOf", "oneOf")] if isinstance(patched, dict) and form else []
    return any(json_patch.equal(form, each) for choice in choices if isinstance(choice, list) for each in choice)


def _said(apis: Mapping[str, Api], change: Change) -> Any:
    """The schema that a change points at in head."""
    document = document_named(apis[change.service].document.documents, change.head.file) if change.head else None
    return get(document.root, schema_slot(change.head.pointer)) if document is not None and change.head else None


def _went_to(bench: Bench, change: Change) -> str | None:
    base, head = bench.situation.base.get(change.service), bench.situation.head.get(change.service)
    if change.rule != "operation-removed" or base is None or head is None:
        return None
    operation = bench.routes.base(change.service, change.operation)
    moved = bench.moves.of(change.service, operation) if operation is not None else None
    return moved[0].name if moved is not None else None


def _objects(value: Any, at: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(value, dict):
        yield at, value
        for name, each in value.items():
            yield from _objects(each, at + pointer(name))
    elif isinstance(value, list):
        for index, each in enumerate(value):
            yield from _objects(each, f"{at}/{index}")


# --- what a fix says of itself --------------------------------------------------------------------------------------


def _false_alias(trial: Trial, addressed: Sequence[Change]) -> Iterator[str | None]:
    """Aliases of something that is not there, or that means something else."""
    renamed = {_last(change.field): _last(change.renamed_to) for change in addressed if change.renamed_to}
    for file in trial.files:
        for operation in file.patch.json_patch:
            for at, value in _objects(operation.get("value"), operation["path"]):
                target = value.get(ALIAS_OF)
                if isinstance(target, str) and last(parent(at)) == "properties":
                    yield _judge_alias(trial, file.patch.file, at, target, renamed)


def _judge_alias(trial: Trial, file: str, at: str, target: str, renamed: dict[str, str]) -> str | None:
    name = last(at)
    api = trial.heads[trial.draft.service]
    side = api.document.documents
    document = document_named(side, file) or api.document
    other = f"{parent(at)}{pointer(target)}"
    if target == name or not json_patch.has(document.root, other):
        return f"`{name}` is called an alias of `{target}`, which is not beside it"
    if renamed.get(name, target) != target:
        return f"`{name}` is called an alias of `{target}`, but became `{renamed[name]}`"
    walker = Walker(Sameness(side, side).same)
    one, two = Schema((document.node(at),)), Schema((document.node(other),))
    if any(walker.relate(one, two, direction) is not None for direction in Direction):
        return f"`{name}` is called an alias of `{target}`, which has another schema"
    return None


def _false_operation_alias(bench: Bench, trial: Trial, service: str) -> Iterator[str | None]:
    """Operations that are called aliases of one that is not there, or that cannot stand in for them."""
    head, patched = bench.situation.head[service], trial.heads[service]
    for name, operation in patched.operations.items():
        target, known = operation.node.value.get(ALIAS_OF), head.operations.get(name)
        if not isinstance(target, str) or (known is not None and known.node.value.get(ALIAS_OF) == target):
            continue
        other = operation_named(bench, patched, target)
        if other is None or other.name == name:
            yield f"{name} is called an alias of {target}, which is not there"
            continue
        documents = patched.document.documents
        one, two = _alone(patched, operation, operation), _alone(patched, other, operation)
        if wrong := _breaking(one, two, Sameness(documents, documents)):
            yield f"{name} is called an alias of {target}, which is another operation: {wrong.message}"


def _last(field: str | None) -> str:
    steps = [step for step in fieldpath.parse(field or "").steps if isinstance(step, str)]
    return steps[-1] if steps else ""


def _false_version(bench: Bench, trial: Trial, name: str, new: str) -> str | None:
    """A next version that is not what head has: compared as if it stood where head's operation stands."""
    service = trial.draft.service
    head, patched = bench.situation.head[service], trial.heads[service]
    was, now = operation_named(bench, head, name), operation_named(bench, patched, new)
    if was is None or now is None:
        return f"the new form of {name} is said to be {new}, which is not there"
    same = Sameness(head.document.documents, patched.document.documents)
    wrong = _breaking(_alone(head, was, was), _alone(patched, now, was), same)
    return f"{new} is not the new form of {name}: {wrong.message}" if wrong is not None else None


def _breaking(one: Api, other: Api, same: Sameness) -> Change | None:
    """What may break whoever knows the one and meets the other."""
    return next((each for each in compare(one, other, same=same.same) if each.severity is not Severity.INFO), None)


def _alone(api: Api, operation: Operation, like: Operation) -> Api:
    """An API with one operation, named and placed like another."""
    shown = Operation(
        name=like.name,
        method=like.method,
        path=like.path,
        kind=like.kind,
        node=operation.node,
        path_node=operation.path_node,
        load=lambda _: operation.parts._replace(servers=like.parts.servers),
    )
    return api._replace(operations={like.name: shown}, servers=())

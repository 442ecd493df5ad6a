"""Consumer patches: each affected consumer's own manifest as it will read, and the change that its code needs.

Only what a manifest can say is patched. A field whose type is another one is still the same field there, and a pact is
recorded by the consumer's tests: in such cases there is no draft, and so no fix of this kind.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from guardian import fieldpath
from guardian.fieldpath import Path
from guardian.fixes.draft import Draft, Operations
from guardian.fixes.json_patch import Operation as Edit
from guardian.fixes.json_patch import add, apply, get, pointer, remove, replace
from guardian.fixes.text_edit import TextEditor
from guardian.fixes.work import Work
from guardian.model import Change, Hit, Impact, Strategy
from guardian.spec.pointers import steps_of

if TYPE_CHECKING:
    from guardian.graph.uses import Consumer, Use


@dataclass(slots=True)
class _Migration:
    """One manifest under way."""

    file: str
    says: object
    edits: list[Edit]
    moves: list[str]

    def apply(self, *edits: Edit) -> None:
        self.says = apply(self.says, edits)
        self.edits += edits


def consumer_patch(work: Work, only: Collection[str] = ()) -> Iterator[Draft]:
    """Every consumer that the group breaks moves; ``only``: these alone, forgetting any other."""
    broken = {
        each.consumer
        for change in work.group.changes
        for each in change.consumers
        if each.impact is Impact.BROKEN and each.hops == 1
    }
    wanted = sorted(broken & set(only)) if only else sorted(broken)
    if not wanted:
        return
    manifests: dict[str, Operations] = {}
    moves: dict[str, tuple[str, ...]] = {}
    for name in wanted:
        migration = _migrate(work, name)
        if migration is None:
            return
        manifests[migration.file] = tuple(migration.edits)
        moves[name] = tuple(dict.fromkeys(migration.moves))
    yield Draft(
        strategy=Strategy.CONSUMER_PATCH,
        service=work.service,
        manifests=manifests,
        does=f"stays as head has it, and {_and(wanted)} move{'s' if len(wanted) == 1 else ''} with it",
        moves=moves,
    )


def _migrate(work: Work, name: str) -> _Migration | None:
    """The manifest of one consumer moved past every change of the group that breaks it."""
    migration: _Migration | None = None
    for change in work.group.changes:
        if not any(
            each.consumer == name and each.impact is Impact.BROKEN and each.hops == 1 for each in change.consumers
        ):
            continue
        if migration is None:
            migration = _open(work, name)
            if migration is None:
                return None
        consumer = work.situation.naming(_read(migration))
        uses = [
            (_index(use), use)
            for use in consumer.uses
            if use.service == work.service
            and use.operation is not None
            and work.routes.key(use.service, use.operation) == work.routes.key(work.service, change.operation)
        ]
        others = {_index(use) for use in consumer.uses if use.service != work.service}
        if any(index in others for index, _ in uses):
            return None  # it names several services at once, and not all of them change
        if not uses or not _move(work, migration, change, consumer, uses):
            return None
    return migration


def _open(work: Work, name: str) -> _Migration | None:
    """The manifest of a consumer, unless some other source speaks of the same service, which no edit can move."""
    consumer = next((each for each in work.situation.consumers if each.name == name), None)
    if consumer is None:
        return None
    files = {use.origin.file for use in consumer.uses if use.service == work.service}
    tools = {use.tool for use in consumer.uses if use.service == work.service}
    if len(files) != 1 or tools != {"manifest"}:
        return None
    file = files.pop()
    if file not in work.situation.declarations:
        return None
    editor: TextEditor = work.bench.manifest_editor(file)
    return _Migration(file, editor.says, [], [])


def _index(use: Use) -> int:
    """Which of its manifest's uses this is, or is a part of."""
    return int(steps_of(use.origin.pointer)[1])


def _read(migration: _Migration) -> Consumer:
    from guardian.graph.consumers.manifest import load_manifest

    return load_manifest(migration.says, migration.file, lambda pointer: None)


def _move(work: Work, migration: _Migration, change: Change, consumer: Consumer, uses: list[tuple[int, Use]]) -> bool:
    """Make one change good in a manifest; False where a manifest cannot say it."""
    name = consumer.name
    if change.hit is Hit.DECODER or (consumer.strict and change.impact is Impact.SAFE):
        migration.apply(replace("/strict", False))
        migration.moves.append(f"let {name}'s decoder pass over what it does not know in {change.operation}")
        return True
    if change.hit is Hit.NON_SENDER:
        return _send(migration, change, uses)
    if change.hit is Hit.EVERY_USER:
        return _leave(work, migration, change, uses)
    if change.hit is Hit.SENDER:
        return _fields(migration, change, uses, "sends")
    if change.hit is Hit.READER and change.rule in {"property-removed", "header-removed"}:
        return _fields(migration, change, uses, "reads")
    return False


def _send(migration: _Migration, change: Change, uses: list[tuple[int, Use]]) -> bool:
    """Send what is newly required."""
    text = fieldpath.write_sent(fieldpath.parse(change.field))
    for index, use in uses:
        if use.sends is None:
            continue
        at = f"/uses/{index}/sends"
        if text not in get(migration.says, at, []):
            migration.apply(add(f"{at}/-", text))
    migration.moves.append(f"send {text} with {change.operation}")
    return True


def _leave(work: Work, migration: _Migration, change: Change, uses: list[tuple[int, Use]]) -> bool:
    """Call the operation where it moved to, do without the status, or do without the operation."""
    if change.rule == "response-removed":
        status = change.place.rpartition(" ")[2]
        for index, use in uses:
            if use.responses is None or len(use.responses) < 2:
                return False
            kept = [each for each in get(migration.says, f"/uses/{index}/responses") if str(each) != status]
            migration.apply(replace(f"/uses/{index}/responses", kept))
        migration.moves.append(f"do without the answer {status} of {change.operation}")
        return True
    if change.rule != "operation-removed":
        return False
    base = work.routes.base(work.service, change.operation)
    moved = work.bench.moves.of(work.service, base) if base is not None else None
    if moved is None:
        if any(use.exposes for _, use in uses):
            return False  # somebody else reads what it got there
        for index, _ in reversed(uses):
            migration.apply(remove(f"/uses/{index}"))
        migration.moves.append(f"stop calling {change.operation}: nothing takes its place")
        return True
    for index, _ in uses:
        migration.apply(replace(f"/uses/{index}/operation", moved[0].name))
    migration.moves.append(f"call {moved[0].name} instead of {change.operation}")
    return True


def _fields(migration: _Migration, change: Change, uses: list[tuple[int, Use]], key: str) -> bool:
    """Read or send a field by its new name, or do without it."""
    gone = fieldpath.parse(change.field)
    new = fieldpath.parse(change.renamed_to) if change.renamed_to else None
    write = fieldpath.write if key == "reads" else fieldpath.write_sent
    verb = "read" if key == "reads" else "send"
    for index, use in uses:
        fields = use.reads if key == "reads" else use.sends
        touched = [field for field in fields or () if fieldpath.touches(field.path, gone)]
        if any(not fieldpath.within(field.path, gone) for field in touched):
            return False  # it takes the whole that the field lies in: which parts it needs is not declared
        for field in reversed(touched):
            path = _renamed(field.path, gone, new)
            at = f"/uses/{index}/{key}/{steps_of(field.origin.pointer)[-1]}"
            if path is None or write(path) in get(migration.says, f"/uses/{index}/{key}", []):
                migration.apply(remove(at))
                migration.moves.append(f"{verb} {write(field.path)} of {change.operation} no longer")
            else:
                migration.apply(replace(at, write(path)))
                migration.moves.append(f"{verb} {write(path)} instead of {write(field.path)} in {change.operation}")
        if key == "reads" and not _exposures(migration, index, use, gone, new):
            return False
    return True


def _exposures(migration: _Migration, index: int, use: Use, gone: Path, new: Path | None) -> bool:
    """What it passes on comes from the new field; without one, its own readers would go without."""
    for exposure in use.exposes:
        if not fieldpath.touches(exposure.path, gone):
            continue
        path = _renamed(exposure.path, gone, new) if fieldpath.within(exposure.path, gone) else None
        if path is None:
            return False
        at = f"/uses/{index}/exposes"
        written = next((each for each in get(migration.says, at, {}) if fieldpath.parse(each) == exposure.path), None)
        if written is not None:
            value = get(migration.says, f"{at}{pointer(written)}")
            migration.apply(remove(f"{at}{pointer(written)}"), add(f"{at}{pointer(fieldpath.write(path))}", value))
    return True


def _renamed(path: Path, gone: Path, new: Path | None) -> Path | None:
    if new is None:
        return None
    return Path((*new.steps, *path.steps[len(gone.steps) :]), new.place)


def _and(names: list[str]) -> str:
    return ", ".join(names[:-1]) + f" and {names[-1]}" if len(names) > 1 else "".join(names)

"""The gate asks a model: what the documentation's new words mean, whom a coarse dependency concerns, which fix to take.

Everything it says becomes a note of level ``info``. Changes, what they count as and the verdict are the engine's alone,
and a fix is listed only if it was verified.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from guardian.adapter.asking import Asker, answer_cache
from guardian.adapter.claims import claims_of, notes_of
from guardian.adapter.connect import connect
from guardian.adapter.forms import difference
from guardian.adapter.hygiene import inert
from guardian.adapter.prompts import Prompt, fix_prompt, readers_by_field, trace_prompt
from guardian.adapter.wording import Wording, reworded
from guardian.adapter.wording_prompt import AT_ONCE, wording_prompt
from guardian.graph.uses import Consumer
from guardian.model import Change, Fix, Impact, Note, Report, Severity
from guardian.spec.api import Api

#: Questions of one run at most; what is left out is said.
MOST_QUESTIONS = 60


def consult(
    report: Report,
    base: Mapping[str, Api],
    head: Mapping[str, Api],
    consumers: Sequence[Consumer],
    *,
    asker: Asker,
    model: str = "guardian",
) -> Report:
    """The report with a model's advice as further notes.

    Args:
        report: the gate's, complete.
        base: the APIs of base by service; those of the checked services.
        head: those of head.
        consumers: everybody who is declared.
        asker: who asks the model.
        model: its name, for the report.

    Returns:
        The same report with more notes. Without a usable answer: with one note that says why.
    """
    texts = [each for name in sorted(base.keys() & head.keys()) for each in reworded(base[name], head[name])]
    batches = [texts[start : start + AT_ONCE] for start in range(0, len(texts), AT_ONCE)]
    doubtful = _doubtful(report.changes)
    chosen = _choices(report)
    prompts: list[Prompt] = [wording_prompt(batch) for batch in batches]
    prompts += [_trace(change, consumers) for change, _ in doubtful]
    prompts += [_fix(changes, base, head) for changes, _ in chosen]
    answers = asker.answers(prompts[:MOST_QUESTIONS]) + [None] * len(prompts[MOST_QUESTIONS:])

    notes: list[Note] = []
    for batch, answer in zip(batches, answers, strict=False):
        if answer is not None:
            notes += notes_of(claims_of(answer, batch), model)
    for (change, names), answer in zip(doubtful, answers[len(batches) :], strict=False):
        if answer is not None:
            notes += _traced(change, names, answer["affected"], model)
    for (_, fixes), answer in zip(chosen, answers[len(batches) + len(doubtful) :], strict=True):
        if answer is not None:
            notes += _chose(fixes, answer["strategy"], model)
    if asker.trouble is not None:
        notes.append(Note("info", inert(asker.trouble, 300)))
    if len(prompts) > MOST_QUESTIONS:
        notes.append(Note("info", f"the model was asked {MOST_QUESTIONS} of {len(prompts)} questions"))
    return replace(report, notes=(*report.notes, *_placed(notes, texts)))


def asker_for(model: str, name: str = "guardian", timeout_s: float = 30.0, *, cache: Path | None = None) -> Asker:
    """Asks the model that ``--model`` names: an endpoint's URL, or the folder of an adapter.

    Raises:
        UsageError: it is neither, or nothing that could run the adapter is installed.
    """
    ask = connect(model, name, timeout_s=timeout_s)
    cache = cache or answer_cache()
    if "://" in model:
        return Asker(ask, f"{model} {name}", cache=cache, within_s=4 * timeout_s)
    folder = Path(model)
    weights = folder / "adapter_model.safetensors"
    version = f"{weights.stat().st_size}-{weights.stat().st_mtime_ns}" if weights.is_file() else ""
    return Asker(ask, f"{folder.resolve()} {version}", cache=cache, within_s=600.0)


def _doubtful(changes: Iterable[Change]) -> list[tuple[Change, list[str]]]:
    """Breaking changes with the consumers of whom it is not known whether they mind."""
    found = []
    for change in changes:
        names = sorted({each.consumer for each in change.consumers if each.impact is Impact.POSSIBLE})
        if names and change.severity is Severity.BREAKING and change.exception is None:
            found.append((change, names))
    return found


def _place(change: Change) -> str:
    return inert(f"{change.service} {change.operation}" + (f".{change.field}" if change.field else ""), 160)


def _trace(change: Change, consumers: Sequence[Consumer]) -> Prompt:
    near = [(change.service, change.operation, change.field)]
    readers = {inert(place, 160): names for place, names in readers_by_field(consumers, near).items()}
    for name in sorted({each.consumer for each in change.consumers if each.impact is Impact.POSSIBLE}):
        readers.setdefault(f"{change.service} (fields unknown)", []).append(name)
    names = sorted({each.name for each in consumers})
    return trace_prompt([f"{_place(change)}: {inert(change.message, 200)}"], readers, names)


def _traced(change: Change, names: Sequence[str], affected: Sequence[str], model: str) -> list[Note]:
    said = sorted(set(names) & set(affected))
    if not said:
        return []
    place = _place(change)
    who = ", ".join(inert(name, 80) for name in said)
    message = f"advisory ({inert(model, 60)}): {place} probably concerns {who}, whose fields are not known"
    return [Note("info", message, change.head.file if change.head else None)]


def _choices(report: Report) -> list[tuple[list[Change], list[Fix]]]:
    """Where several verified fixes mend the same changes: the changes, and the fixes."""
    groups: dict[tuple[str, ...], list[Fix]] = {}
    for fix in report.fixes:
        if fix.verification.verified:
            groups.setdefault(tuple(sorted(fix.changes)), []).append(fix)
    by_print = {change.fingerprint: change for change in report.changes}
    return [
        ([by_print[each] for each in prints if each in by_print], fixes)
        for prints, fixes in sorted(groups.items())
        if len({fix.strategy for fix in fixes}) > 1
    ]


def _fix(changes: Sequence[Change], base: Mapping[str, Api], head: Mapping[str, Api]) -> Prompt:
    services = sorted({change.service for change in changes} & base.keys() & head.keys())
    lines = [line for name in services for line in difference(base[name], head[name])]
    broken = sorted({e.consumer for change in changes for e in change.consumers if e.impact is Impact.BROKEN})
    return fix_prompt([_place(each) for each in changes], [line[:200] for line in lines], broken)


def _chose(fixes: Sequence[Fix], strategy: str, model: str) -> list[Note]:
    found = next((fix for fix in fixes if fix.strategy.value == strategy), None)
    if found is None:
        return []
    return [Note("info", f"advisory ({inert(model, 60)}): of the verified fixes it would take {found.id}, {strategy}")]


def _placed(notes: Iterable[Note], texts: Sequence[Wording]) -> list[Note]:
    """The notes, each once, in the order of their text."""
    return sorted(set(notes), key=lambda note: (note.file or "", note.line or 0, note.message))

"""Fixes on a model's word: which of the verified ones it would take, and the patches that it writes itself.

Two questions a cause. The one that the adapter is trained on names a strategy and the places; it chooses among the
rules' fixes, or names what became what, which is then tried as any claimed rename is. The other shows the document and
asks for a patch in full.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from guardian.adapter.advice import Advice, Case, Question
from guardian.adapter.claims import Remark
from guardian.adapter.forms import difference
from guardian.adapter.hygiene import inert
from guardian.adapter.patch_prompt import patch_prompt
from guardian.adapter.prompts import Prompt, deployed, fix_prompt, shown
from guardian.adapter.renames import Lost, lost_properties, take
from guardian.adapter.tracing import place
from guardian.adapter.written import Ground, about, ground_of, written
from guardian.fixes.json_patch import get
from guardian.fixes.propose import wants_fix
from guardian.fixes.work import Group, Work, grouped
from guardian.model import Change, Fix, Impact

Json = dict[str, Any]

#: Causes that are asked about, and those that a patch is asked for; those without a fix first.
MOST_CAUSES = 12
MOST_PATCHES = 4
_SHOWN_PLACES = 3


@dataclass(frozen=True, slots=True)
class Cause:
    """What is to be mended at once, and the rules' fixes that mend exactly that."""

    changes: tuple[Change, ...]
    fixes: tuple[Fix, ...]
    group: Group | None = None  # None where several causes are mended together


def mending_questions(case: Case, advice: Advice) -> Iterator[Question]:
    """Asks what to do about each cause, where fixes are wanted; for patches last, since they are long."""
    if not case.mends:
        return
    lost = {each.change.fingerprint: each for each in lost_properties(case.bench)}
    found = causes(case)
    for cause in found:

        def heard(answer: Json, cause: Cause = cause) -> None:
            _chosen(case, advice, cause, answer, lost.get(cause.changes[0].fingerprint))

        yield _fix_prompt(case, cause.changes), heard
    grounds = [(cause.group, ground_of(case.bench, cause.group)) for cause in found if cause.group is not None]
    for group, ground in [(group, ground) for group, ground in grounds if ground is not None][:MOST_PATCHES]:

        def wrote(answer: Json, group: Group = group, ground: Ground = ground) -> None:
            _offered(case, advice, group, ground, answer)

        yield _patch_prompt(case, group, ground), wrote


def causes(case: Case) -> list[Cause]:
    """What breaks somebody, by cause; then the sets of causes that several fixes mend together."""
    wanted = [each for each in case.changes if wants_fix(each) and case.both(each.service) is not None]
    by_set: dict[tuple[str, ...], list[Fix]] = {}
    for fix in case.fixes:
        if fix.verification.verified:
            by_set.setdefault(tuple(sorted(fix.changes)), []).append(fix)
    found = []
    for group in grouped(case.situation, case.changes, wanted):
        prints = tuple(sorted({each.fingerprint for each in group.changes}))
        found.append(Cause(group.changes, tuple(by_set.pop(prints, ())), group))
    found = sorted(found, key=lambda each: bool(each.fixes))[:MOST_CAUSES]
    by_print = {each.fingerprint: each for each in case.changes}
    for prints, fixes in sorted(by_set.items()):
        if len({fix.strategy for fix in fixes}) > 1:
            found.append(Cause(tuple(by_print[each] for each in prints if each in by_print), tuple(fixes)))
    return found


def _broken(changes: Sequence[Change]) -> list[str]:
    return sorted({each.consumer for change in changes for each in change.consumers if each.impact is Impact.BROKEN})


def _fix_prompt(case: Case, changes: Sequence[Change]) -> Prompt:
    lines: list[str] = []
    versions: list[str] = []
    for name in sorted({change.service for change in changes}):
        both = case.both(name)
        if both is not None:
            lines += difference(*both)
            versions.append(deployed(inert(both[0].version, 40)))
    by_place: dict[str, list[Change]] = {}
    for change in changes:
        by_place.setdefault(place(change), []).append(change)
    return fix_prompt(
        {at: [shown(name) for name in _broken(several)] for at, several in by_place.items()},
        [_inert_row(line) for line in lines],
        version=" and ".join(dict.fromkeys(versions)) or "unknown",
        sunset=case.situation.sunset.isoformat(),
    )


def _inert_row(line: str) -> str:
    """A line of a diff, whose indentation says what it belongs to."""
    return line[: len(line) - len(line.lstrip())] + inert(line, 200)


def _patch_prompt(case: Case, group: Group, ground: Ground) -> Prompt:
    shown: dict[str, tuple[str, Any, Any]] = {}
    for _, base, head in Work(case.bench, group).places():
        if head is not None:
            at = about(head)
            before = get(base.document.root, about(base)) if base is not None else None
            shown.setdefault(at, (at, before, get(head.document.root, at)))
    places = list(shown.values())[:_SHOWN_PLACES]
    sunset = case.situation.sunset.isoformat()
    return patch_prompt([place(each) for each in group.changes], places, _broken(group.changes), sunset)


def _chosen(case: Case, advice: Advice, cause: Cause, answer: Json, lost: Lost | None) -> None:
    """The trained answer: one of the fixes that there are, or a rename that makes others possible."""
    strategy = answer["strategy"]
    listed = next((fix for fix in cause.fixes if fix.strategy.value == strategy), None)
    if listed is not None:
        if len({fix.strategy for fix in cause.fixes}) > 1:
            _prefer(case, advice, listed)
        return
    new = _new_name(lost, answer["patch"]) if lost is not None else None
    if lost is not None and new is not None and advice.changes[lost.change.fingerprint].renamed_to is None:
        take(case, advice, lost, new)


def _new_name(lost: Lost, patch: Mapping[str, Any]) -> str | None:
    """What a short form says that a lost property became: one of those that are new there."""
    named = [*patch.get("aliases", {}).items(), *([patch["emit"]] if len(patch.get("emit", ())) == 2 else [])]
    for one, other in named:
        if _last(one) == lost.name and _last(other) in lost.new:
            return _last(other)
    return None


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def _offered(case: Case, advice: Advice, group: Group, ground: Ground, answer: Json) -> None:
    made = written(case.bench, group, ground, answer, case.model)
    if made is None:
        advice.failed += 1
        return
    listed = advice.offer(made._replace(id=f"F{len(advice.fixes) + 1}"))
    if listed is not None:
        _prefer(case, advice, listed)


def _prefer(case: Case, advice: Advice, fix: Fix) -> None:
    text = f"advisory ({inert(case.model, 60)}): of the verified fixes it would take {fix.id}, {fix.strategy.value}"
    advice.remarks.append(Remark(text))

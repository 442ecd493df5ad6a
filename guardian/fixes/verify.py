"""A fix is a patch that has been tried. Here it is tried, and what does not pass is not offered.

In this order, cheapest first, and the first failure ends it: applied in memory and compared with base again; against
its own purpose; against the published schema of OpenAPI; against every consumer, at every hop; against recordings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from guardian import fieldpath
from guardian.errors import ReadError
from guardian.fixes.bench import Bench, Trial
from guardian.fixes.draft import Draft
from guardian.fixes.findings import Findings, key
from guardian.fixes.intent import lost_intent
from guardian.fixes.json_patch import PatchError
from guardian.fixes.promises import broken_promise
from guardian.fixes.validity import made_invalid
from guardian.model import Change, Impact, Patch, Severity, Strategy, Verification


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of trying a draft: the verification, the trial where it got that far, and the patches if it passed."""

    verification: Verification
    trial: Trial | None = None
    patches: tuple[Patch, ...] = ()

    @property
    def reason(self) -> str:
        """Why it was rejected; empty if it was not."""
        return "" if self.verification.verified else self.verification.lines[-1]


def verify(bench: Bench, draft: Draft, addressed: Sequence[Change]) -> Outcome:
    """Try a draft that is meant to mend these changes.

    It passes if, compared with base, nothing of what it addresses still breaks anybody and nothing new does; if every
    consumer passes, also those that are reached through others; if recordings still fit; if the document stays valid;
    if nothing is promised less by it; and if what the author wanted is still there.

    What is written once and meant in several places is first edited for all of them.
    """
    outcome = _tried(bench, draft, addressed)
    if outcome.verification.verified or draft.apart:
        return outcome
    shared = any(file.is_shared for file in outcome.trial.files) if outcome.trial is not None else bench.shares(draft)
    return _tried(bench, replace(draft, apart=True), addressed) if shared else outcome


def _tried(bench: Bench, draft: Draft, addressed: Sequence[Change]) -> Outcome:
    lines: list[str] = []
    try:
        trial = bench.compare(draft)
    except PatchError as error:
        return _rejected(lines, f"it cannot be applied: {error.message}", len(addressed))
    except ReadError as error:
        return _rejected(lines, f"the patched specification cannot be read: {error.message}", len(addressed))
    if not trial.files:
        return _rejected(lines, "it changes nothing", len(addressed))
    broken = _contract(bench, trial, addressed)
    if broken:
        return _rejected(lines, broken[0], len(broken), trial)
    neglected = _neglected(bench, trial, addressed)
    if neglected is not None:
        return _rejected(lines, neglected, 0, trial)
    less = broken_promise(bench, trial)
    if less is not None:
        return _rejected(lines, less, 0, trial)
    lost = lost_intent(bench, trial, addressed)
    if lost is not None:
        return _rejected(lines, lost, 0, trial, keeps_intent=False)
    invalid = _invalid(bench, trial)
    if invalid is not None:
        return _rejected(lines, invalid, 0, trial)

    trial = bench.trace(trial)
    left, lost_consumers = _left(bench, trial, addressed)
    consumers = {each.name: "fail" if each.name in lost_consumers else "pass" for each in bench.situation.everybody}
    if left:
        return _rejected(lines, left[0], len(left), trial, consumers=consumers)
    judged = 0
    if consumers:
        from guardian.fixes.recordings import replay

        everybody = list(bench.situation.everybody)
        files, others = bench.situation.declarations, _broken_by_others(bench, addressed)
        recorded = replay(everybody, files, trial.routes, trial.services, bench.routes, others)
        if recorded.failed:
            return _rejected(lines, f"{recorded.failed[0]} does not fit any more", 0, trial, consumers=consumers)
        judged = recorded.judged

    lines.append(_compared(bench, trial, addressed))
    lines += _consumer_lines(bench, addressed, len(consumers))
    if judged:
        lines.append(f"recordings: all {judged} recorded bodies still fit" if judged > 1 else
                     "recordings: the recorded body still fits")  # fmt: skip
    if trial.services:
        lines.append(_intent_line(bench, trial, addressed))
        lines.append(f"validity: the document is as valid OpenAPI {trial.heads[draft.service].dialect} as before")
    verification = Verification(True, 0, consumers, True, tuple(lines))
    return Outcome(verification, trial, tuple(file.patch for file in trial.files))


def _broken_by_others(bench: Bench, addressed: Sequence[Change]) -> dict[tuple[str, str], bool]:
    """Service and operation of what is broken by something that a fix is not about; whether it is about the operation too."""
    own = {each.fingerprint for each in addressed}
    about = {(each.service, each.operation) for each in addressed}
    return {
        (each.service, each.operation): (each.service, each.operation) in about
        for each in bench.changes
        if Severity.BREAKING in (each.severity, each.counts_as) and each.fingerprint not in own
    }


def _rejected(
    lines: list[str],
    reason: str,
    left: int,
    trial: Trial | None = None,
    *,
    keeps_intent: bool = True,
    consumers: dict[str, str] | None = None,
) -> Outcome:
    return Outcome(Verification(False, left, consumers or {}, keeps_intent, (*lines, reason)), trial)


# --- the contract ---------------------------------------------------------------------------------------------------


def _contract(bench: Bench, trial: Trial, addressed: Sequence[Change]) -> list[str]:
    """What breaks by the contract alone that should not, one sentence each. Manifests cannot mend a contract."""
    if not trial.services:
        return []
    mended = {key(change) for change in addressed}
    excused = set() if not trial.draft.manifests else {key(each) for each in addressed if each.consumers}
    found: list[str] = []
    for change in trial.judged(mended):
        if change.severity is not Severity.BREAKING or key(change) in excused:
            continue
        if key(change) in mended:
            found.append(f"{_where(change)} still breaks: {change.message}")
        elif key(change) not in bench.known:
            found.append(f"{_where(change)} breaks anew: {change.message}")
    return found


def _left(bench: Bench, trial: Trial, addressed: Sequence[Change]) -> tuple[list[str], set[str]]:
    """What counts as breaking, after consumers, that should not: a sentence each, and whom it breaks."""
    mended = {key(change) for change in addressed}
    sentences: list[str] = []
    consumers: set[str] = set()
    for change in trial.judged(mended):
        known = bench.known.get(key(change))
        if key(change) not in mended and known is not None and change.counts_as.rank <= known.counts_as.rank:
            continue
        hit = [each for each in change.consumers if each.impact is Impact.BROKEN]
        consumers |= {each.consumer for each in hit}
        if hit:
            sentences.append(f"{hit[0].consumer} still fails: {hit[0].because[-1]}")
        elif change.counts_as is Severity.BREAKING:
            sentences.append(f"{_where(change)} still counts as breaking: {change.message}")
    return sentences, consumers


def _neglected(bench: Bench, trial: Trial, addressed: Sequence[Change]) -> str | None:
    """Why a manifest's patch mends nothing: who declares nothing passes everything, and still needs what it needed."""
    after = {each.name: each for each in trial.consumers}
    for was in bench.situation.consumers:
        now = after.get(was.name)
        if now is was:
            continue
        if now is None:
            return f"{was.name} is declared away, which mends nothing"
        kept = {(use.service, field.path) for use in now.uses for field in (*(use.reads or ()), *(use.sends or ()))}
        for use in was.uses:
            for field in (*(use.reads or ()), *(use.sends or ())):
                if (use.service, field.path) not in kept and not any(
                    change.service == use.service
                    and (not change.field or fieldpath.touches(field.path, fieldpath.parse(change.field)))
                    for change in addressed
                ):
                    return f"{was.name} still needs {field.path} of {use.service} {use.operation}"
    return None


def _where(change: Change) -> str:
    return f"{change.operation} {change.place}" if change.operation else change.service


def _invalid(bench: Bench, trial: Trial) -> str | None:
    for name in sorted(trial.services):
        head, patched = bench.situation.head[name], trial.heads[name]
        if head.document.root is not patched.document.root:
            base = bench.situation.base[name]
            wrong = made_invalid(base.document.root, head.document.root, patched.document.root, patched.dialect)
            if wrong is not None:
                return wrong
    return None


# --- sentences ------------------------------------------------------------------------------------------------------


def _compared(bench: Bench, trial: Trial, addressed: Sequence[Change]) -> str:
    count = len(addressed)
    if not trial.services:
        return "contract: the producer stays as head has it; what breaks by the contract hits no consumer any more"
    gone = f"all {count} breaking changes are gone" if count > 1 else "the breaking change is gone"
    others = _others(bench.breaking, addressed)
    rest = f"; {others} other{'s' if others > 1 else ''} it does not address" if others else ""
    return f"contract: compared with base, {gone} and no new one came{rest}"


def _consumer_lines(bench: Bench, addressed: Sequence[Change], count: int) -> list[str]:
    if not count:
        return ["consumers: nobody declares anything, so the contract alone was held"]
    hops = {each.consumer: each.hops for change in addressed for each in change.consumers}
    if not hops:
        return [f"consumers: all {count} pass"]
    names = ", ".join(f"{name} ({hop} hops)" if hop > 1 else name for name, hop in sorted(hops.items()))
    return [f"consumers: all {count} pass, among them {names}"]


def _intent_line(bench: Bench, trial: Trial, addressed: Sequence[Change]) -> str:
    kept = sum(_others(bench.harmless(name), addressed) for name in trial.services)
    if trial.draft.versions or trial.draft.strategy is Strategy.VERSION_BUMP:
        return "intent: head's form is there, under its own version"
    if not kept:
        return "intent: what goes, and when, is written where it stands"
    return f"intent: the other {kept} changes of head are all still there" if kept > 1 else (
        "intent: the other change of head is still there")  # fmt: skip


def _others(findings: Findings, addressed: Sequence[Change]) -> int:
    """How many there are beside those that are addressed."""
    return len(findings.all) - len(findings.said(key(change) for change in addressed))

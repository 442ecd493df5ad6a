"""Whether one change hits one consumer, by what is known of its use: the judgement at a single hop.

A rule says whom a change can concern (``Hit``) and how badly; here that meets what a consumer reads and sends. What a
consumer does not say is never taken for nothing: it is ``possible``. Every verdict comes with its sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from guardian import fieldpath
from guardian.fieldpath import ROOT, Path
from guardian.graph.aliases import Aliases, response_for, status_of
from guardian.graph.consumers.routes import Routes
from guardian.graph.representations import concerns
from guardian.graph.statuses import moves_among
from guardian.graph.uses import Field, Use
from guardian.model import Change, Direction, Hit, Impact, Location

_AUTHORIZATION = Path(("authorization",), "header")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a change does to one consumer, the sentence that says why, and where that is declared."""

    impact: Impact
    sentence: str
    origin: Location
    confidence: str


@dataclass(frozen=True, slots=True)
class Ripple:
    """A change as it arrives at one operation: itself, or on a later hop what became of its field.

    Attributes:
        path: the field there, as it is known there.
        label: the operation in words.
        first: whether this is where the change was made.
    """

    change: Change
    service: str
    key: str
    path: Path
    label: str
    first: bool


class Judge:
    """Judges uses. Keeps what it has looked up in schemas, so one serves a whole run."""

    def __init__(self, routes: Routes) -> None:
        self._routes = routes
        self._aliases = Aliases(routes)

    def judge(self, ripple: Ripple, uses: Sequence[Use], *, strict: bool) -> Verdict | None:
        """The worst that a change does to a consumer with these uses of the operation; ``None`` if it is safe."""
        change = ripple.change
        impact = change.strict_impact if strict else change.impact
        if impact is Impact.SAFE or change.hit is Hit.NOBODY:
            return None
        verdicts = list(self._verdicts(ripple, uses, impact, strict))
        # The first of the worst: sources come in a fixed order.
        return max(verdicts, key=lambda verdict: verdict.impact.rank, default=None)

    def reached(self, ripple: Ripple, path: Path) -> Path | None:
        """The changed field as it touches a field that is used, ``None`` if it does not.

        That is the field by the path it is told by, or by another that leads to the same place in the schemas.
        """
        return self._touched(ripple, Field(path, Location("")))

    def _verdicts(self, ripple: Ripple, uses: Sequence[Use], impact: Impact, strict: bool) -> Iterator[Verdict]:
        change = ripple.change
        for use in uses:
            if use.operation is not None:
                continue
            sentence = f"{use.consumer} uses {use.service} and does not say which operations"
            yield Verdict(_at_most_possible(impact), sentence, use.origin, use.confidence)
        handled = [
            (use, certain)
            for use in uses
            if use.operation is not None and (certain := self._handles(ripple, use)) is not None
        ]
        if change.hit is Hit.EVERY_USER and ripple.first:
            sides = [side(ripple.service, ripple.key) for side in (self._routes.base, self._routes.head)]
            yield from (
                self._every_user(ripple, use, impact, certain)
                for use, certain in handled
                if not moves_among(change.place, use.responses, *sides)
            )
            return
        # An error's body is not what `reads` speaks of: whoever handles that status may mind, others do not.
        for use, certain in handled:
            if not certain and use.responses is not None:
                sentence = f"{use.consumer} handles {status_of(change.place)} of {ripple.label}"
                yield Verdict(_at_most_possible(impact), sentence, use.origin, use.confidence)
        sure = [use for use, certain in handled if certain]
        if change.hit is Hit.SENDER and ripple.first:
            for use in _best_informed(sure, lambda use: use.sends):
                yield from self._sender(ripple, use, impact)
        elif change.hit is Hit.NON_SENDER and ripple.first:
            for use in _best_informed(sure, lambda use: use.sends):
                yield from self._non_sender(ripple, use, impact)
        else:
            decoder = strict and change.impact is not change.strict_impact
            because = " and refuses what it does not know" if decoder else ""
            for use in _best_informed(sure, lambda use: use.reads):
                yield from self._reader(ripple, use, impact, because)

    # -- which message -------------------------------------------------------------------------------------------------

    def _handles(self, ripple: Ripple, use: Use) -> bool | None:
        """Whether the use is about the changed message: ``None`` no, False if it is an error's."""
        status = status_of(ripple.change.place)
        operation = self._routes.base(ripple.service, ripple.key) if ripple.first else None
        if not concerns(ripple.change, use, operation, self._aliases):
            return None
        if status is None or not ripple.first:
            return True
        if use.responses is not None:
            declared = operation.parts.responses if operation else {}
            if not any(_answers(listed, status, declared) for listed in use.responses):
                return None
        if operation is not None and operation.inverted:
            return True
        if status == "default":
            return operation is not None and response_for(operation, "200") is response_for(operation, "default")
        return status[0] in "123"

    # -- who is hit ----------------------------------------------------------------------------------------------------

    def _every_user(self, ripple: Ripple, use: Use, impact: Impact, certain: bool) -> Verdict:
        if certain or use.responses is not None:
            return Verdict(impact, f"{use.consumer} uses {ripple.label}", use.origin, use.confidence)
        status = status_of(ripple.change.place)
        sentence = f"{use.consumer} uses {ripple.label} and does not say whether it handles {status}"
        return Verdict(_at_most_possible(impact), sentence, use.origin, use.confidence)

    def _reader(self, ripple: Ripple, use: Use, impact: Impact, because: str) -> Iterator[Verdict]:
        fields = [*(use.reads or ()), *(Field(each.path, each.origin) for each in use.exposes)]
        called = use.confidence == "called"
        for field in fields:
            if ripple.change.hit is Hit.DECODER:
                touched: Path | None = ROOT if not field.path.place else None
            else:
                touched = self._touched(ripple, field)
            if touched is None:
                continue
            verb = "was seen to receive" if called else "reads"
            sentence = f"{use.consumer} {verb} {field.path} of {ripple.label}{_relation(field.path, touched)}{because}"
            yield Verdict(_at_most_possible(impact) if called else impact, sentence, field.origin, use.confidence)
        if use.reads is None or use.partial:
            what = "all that it reads" if use.partial else "what it reads"
            sentence = f"{use.consumer} uses {ripple.label} and does not say {what}"
            yield Verdict(_at_most_possible(impact), sentence, use.origin, use.confidence)

    def _sender(self, ripple: Ripple, use: Use, impact: Impact) -> Iterator[Verdict]:
        if ripple.path.place == "path":
            # Nobody can call the operation without its path variables, whatever a source calls them.
            yield Verdict(impact, f"{use.consumer} calls {ripple.label}", use.origin, use.confidence)
            return
        called = use.confidence == "called"
        for field in use.sends or ():
            touched = self._touched(ripple, field) or _by_token(ripple.path, field)
            if touched is None:
                continue
            relation = _relation(field.path, touched)
            sentence = f"{use.consumer} sends {fieldpath.write_sent(field.path)} to {ripple.label}{relation}"
            yield Verdict(_at_most_possible(impact) if called else impact, sentence, field.origin, use.confidence)
        if use.sends is None:
            yield self._silent_sender(ripple, use, impact)

    def _non_sender(self, ripple: Ripple, use: Use, impact: Impact) -> Iterator[Verdict]:
        if use.sends is None:
            yield self._silent_sender(ripple, use, impact)
            return
        # A recording shows single calls, and no recording shows what a token permits.
        unsure = use.confidence == "called" or (ripple.path.place == "scope" and use.confidence != "declared")
        required = {ripple.path: None}
        for field in use.sends:
            required.update(dict.fromkeys(self._aliases.of(ripple.change, field.path, whole=False)))
        for path in required:
            lack = self._lack(ripple, use.sends, path)
            for names in ripple.change.unless:
                beside = [self._lack(ripple, use.sends, path.parent.below(name)) for name in names]
                lack = min(lack, max(beside, key=_rank), key=_rank)
            if lack is Impact.SAFE:
                continue
            name = fieldpath.write_sent(path)
            if unsure or lack is Impact.POSSIBLE:
                sentence = f"{use.consumer} calls {ripple.label} and may not send {name}"
                yield Verdict(_at_most_possible(impact), sentence, use.origin, use.confidence)
            else:
                sentence = f"{use.consumer} calls {ripple.label} without {name}"
                yield Verdict(impact, sentence, use.origin, use.confidence)

    def _lack(self, ripple: Ripple, sends: Iterable[Field], path: Path) -> Impact:
        """How surely what is sent lacks a required field: broken if it does, safe if it has it or need not."""
        if path.place == "path":
            return Impact.SAFE
        fields = list(sends)
        if any(fieldpath.within(field.path, path) or _by_token(path, field) for field in fields):
            return Impact.SAFE
        if path.place:
            return Impact.BROKEN
        around = [field for field in fields if not field.shallow and fieldpath.within(path, field.path)]
        if around:  # it sends an object as a whole: whether this is in it is not known
            return Impact.POSSIBLE
        parent = path.parent
        if any(fieldpath.within(field.path, parent) for field in fields):
            return Impact.BROKEN
        # It does not send the object that the field belongs to, which matters only if that has to be sent.
        must = self._body_required(ripple) if parent == ROOT else self._aliases.required(ripple.change, parent)
        return {True: Impact.BROKEN, False: Impact.SAFE, None: Impact.POSSIBLE}[must]

    def _body_required(self, ripple: Ripple) -> bool:
        change = ripple.change
        operation = self._routes.base(change.service, ripple.key) or self._routes.head(change.service, ripple.key)
        if operation is None or operation.inverted or change.direction is Direction.RESPONSE:
            return True
        return operation.parts.body is None or operation.parts.body.required

    def _silent_sender(self, ripple: Ripple, use: Use, impact: Impact) -> Verdict:
        sentence = f"{use.consumer} uses {ripple.label} and does not say what it sends"
        return Verdict(_at_most_possible(impact), sentence, use.origin, use.confidence)

    # -- which field ---------------------------------------------------------------------------------------------------

    def _touched(self, ripple: Ripple, field: Field) -> Path | None:
        candidates = [ripple.path]
        if ripple.first:
            candidates += self._aliases.of(ripple.change, field.path, whole=not field.shallow)
        return next((each for each in candidates if self._meets(ripple, each, field)), None)

    def _meets(self, ripple: Ripple, changed: Path, field: Field) -> bool:
        if not fieldpath.touches(field.path, changed):
            return False
        if field.shallow and not fieldpath.within(field.path, changed):
            return False
        if not ripple.first or changed.place:
            return True
        # `*` stands for the keys that no property declares.
        return not any(
            mine != theirs and isinstance(mine, str) and self._declares(ripple, field.path, at)
            for at, (mine, theirs) in enumerate(zip(field.path.steps, changed.steps, strict=False))
        )

    def _declares(self, ripple: Ripple, path: Path, at: int) -> bool:
        return self._aliases.declares(ripple.change, Path(path.steps[: at + 1]))


def _best_informed(uses: Sequence[Use], fields: Callable[[Use], object]) -> list[Use]:
    """The uses that know most.

    What one source leaves open another may know, and what was declared or tested says more than what was seen. Manifests
    are one source: what one of their uses leaves open, another of them does not answer.
    """
    known = [use for use in uses if fields(use) is not None]
    told = [use for use in known if use.confidence != "called"] or known
    if not told:
        return list(uses)
    manifests = any(use.tool == "manifest" for use in told)
    return [*told, *(use for use in uses if manifests and use.tool == "manifest" and fields(use) is None)]


def _answers(listed: str, status: str, declared: Iterable[str]) -> bool:
    """Whether a status that a consumer lists can be the changed one, which may be a range or ``default``."""
    if status == "default" or listed == "default":
        special = {"default"} == {status, listed}
        single = listed if status == "default" else status
        return special or (single not in declared and f"{single[:1]}XX" not in declared)
    wide = status.endswith("XX") or listed.endswith("XX")
    return listed == status or (wide and listed[:1] == status[:1])


def _by_token(path: Path, field: Field) -> Path | None:
    """Who sends a scope sends the token that carries it."""
    is_token = field.path.place == "scope" and fieldpath.touches(path, _AUTHORIZATION)
    return path if is_token else None


def _relation(used: Path, changed: Path) -> str:
    """How the changed field relates to the one that is used, where they are not the same."""
    if used.place or changed == ROOT or used in (changed, ROOT):
        return ""
    if len(used.steps) < len(changed.steps):
        return f", which holds {changed}"
    return f", which lies in {changed}" if len(used.steps) > len(changed.steps) else ""


def _rank(impact: Impact) -> int:
    return impact.rank


def _at_most_possible(impact: Impact) -> Impact:
    return min(impact, Impact.POSSIBLE, key=_rank)

"""How an API ages: announcements and windows, judged by the calendar and by who still reads what goes.

Something deprecated with a sunset date (``x-sunset``, an RFC 3339 date, the name that RFC 8594 gave the header) may be
removed once that day has come: the contract then says nothing against it, and a consumer who still reads it is named
in a warning. Without a date nobody was told when, so there is no window. How long something has been deprecated is
told by history alone, which is not asked: a window is its dates.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from datetime import date
from typing import Any

from guardian.check.compare import Apis
from guardian.check.policy import reason
from guardian.config import Lifecycle
from guardian.model import Change, Confidence, Effect, Hit, Impact, Location, Mode, Severity
from guardian.rules import aliases
from guardian.rules.identity import fingerprint
from guardian.spec.dates import read_date

_REMOVED = frozenset(
    {"operation-removed", "webhook-removed", "callback-removed", "parameter-removed", "header-removed"}
    | {"property-removed"}
)
# Who minds that something is deprecated, by the rule that says so.
_DEPRECATED = {
    "operation-deprecated": Hit.EVERY_USER,
    "parameter-deprecated": Hit.SENDER,
    "property-deprecated": Hit.READER,
    "header-deprecated": Hit.READER,
}
_SUNSET_CHANGED = "sunset-changed"
_KEYWORDS = ("/deprecated", "/x-sunset")

_Key = tuple[str, Location | None, Location | None]


class Ageing:
    """Judges the changes of one check, first for what was announced, and again once their consumers are known.

    Args:
        apis: both sides.
        settings: the section ``lifecycle`` of guardian.yaml.
        as_of: today.
    """

    def __init__(self, apis: Apis, settings: Lifecycle, as_of: date) -> None:
        self._apis = apis
        self._settings = settings
        self._as_of = as_of
        self._over: set[_Key] = set()

    def announced(self, changes: Iterable[Change]) -> list[Change]:
        """The changes with removals lowered whose window is over, and what else there is to say of announcements."""
        found: list[Change] = []
        for change in changes:
            if change.rule in _REMOVED and change.severity.rank > Severity.INFO.rank:
                found.extend(self._removal(change))
            else:
                found.append(change)
            if change.rule in _DEPRECATED:
                found.extend(self._deprecation(change))
            elif change.rule == _SUNSET_CHANGED:
                before = self._announced(change.base, head=False)
                if before.get("deprecated") is True:  # else the deprecation itself is new, and told above
                    found.extend(self._too_soon(change, read_date(before.get("x-sunset"))))
        return found

    def is_over(self, change: Change) -> bool:
        """Whether this removes something whose window is over."""
        return _key(change) in self._over

    def settled(self, changes: Iterable[Change], mode: Mode) -> Iterator[Change]:
        """The changes after their consumers are known: where these count, who still reads what may go is warned of."""
        for change in changes:
            broken = mode is not Mode.CONTRACT and any(each.impact is Impact.BROKEN for each in change.consumers)
            if broken and self.is_over(change):
                yield change._replace(counts_as=Severity.WARNING)
            elif change.rule != "deprecated-in-use":
                yield change
            elif change.consumers:  # else it is in no use that anybody has declared
                names = ", ".join(sorted({each.consumer for each in change.consumers}))
                yield change._replace(message=f"{change.message}; in use by {names}")

    # -- removals --------------------------------------------------------------------------------------------------

    def _removal(self, change: Change) -> Iterator[Change]:
        holder = self._apis.said(change.base, change.base.pointer, head=False) if change.base else {}
        if holder.get("deprecated") is not True:
            yield change
            return
        told = holder.get("x-sunset")
        sunset = read_date(told)
        if sunset is None:
            words = "no `x-sunset` says" if told is None else f"`x-sunset: {told}` is no date that says"
            yield change._replace(why=f"{change.why} It was deprecated, but {words} from when on it may go.")
        elif sunset <= self._as_of:
            why = f"{change.why} It was deprecated, and since its sunset on {sunset} it may go."
            lowered = change._replace(severity=Severity.INFO, counts_as=Severity.INFO, why=why)
            self._over.add(_key(lowered))
            yield lowered
        else:
            yield change
            days = _days((sunset - self._as_of).days)
            oasdiff = {"parameter-removed": {"parameter"}, "operation-removed": _path_word(change)}.get(change.rule)
            yield self._finding(
                "removed-before-sunset",
                change,
                f"{_subject(change)} was removed before its sunset on {sunset}",
                f", {days} early",
                words=oasdiff,
            )

    # -- announcements ---------------------------------------------------------------------------------------------

    def _deprecation(self, change: Change) -> Iterator[Change]:
        yield from self._too_soon(change, None)
        sunset = read_date(self._announced(change.head, head=True).get("x-sunset"))
        if sunset is None:
            until = ", and no sunset says until when it stays"
        else:
            until = f" and goes on {sunset}, {_in_days((sunset - self._as_of).days)}"
        in_use = self._finding("deprecated-in-use", change, f"{_subject(change)} is deprecated", until)
        yield in_use._replace(hit=_DEPRECATED[change.rule], impact=Impact.POSSIBLE, strict_impact=Impact.POSSIBLE)

    def _too_soon(self, change: Change, before: date | None) -> Iterator[Change]:
        """What is wrong with a new sunset date, or that there is none where a window is promised."""
        holder = self._announced(change.head, head=True)
        told = holder.get("x-sunset")
        sunset = read_date(told)
        if told is None and change.rule != _SUNSET_CHANGED and self._settings.deprecation_days:
            yield self._without_a_day(change)
        if told is None or (change.rule == _SUNSET_CHANGED and holder.get("deprecated") is not True):
            return
        if sunset is None:
            message = f"the sunset of {_subject(change)} is no date: `x-sunset: {told}` (RFC 3339: 2027-01-31)"
            yield self._finding("sunset-too-soon", change, message, words=_where(change) | {"unreadable"})
            return
        left, promised = (sunset - self._as_of).days, self._settings.deprecation_days
        if left < promised and (before is None or sunset < before):
            yield self._finding(
                "sunset-too-soon",
                change,
                f"{_subject(change)} goes on {sunset}, sooner than the {_days(promised)} that consumers are promised",
                f": {_in_days(left)}",
                words=_where(change) | ({"moved"} if change.rule == _SUNSET_CHANGED else set()),
            )

    def _without_a_day(self, change: Change) -> Change:
        """That a new deprecation promises no day: a note, for it takes nothing from anybody."""
        promised = _days(self._settings.deprecation_days)
        message = f"{_subject(change)} is deprecated without an `x-sunset`: nobody is told when its {promised} are over"
        found = self._finding("sunset-too-soon", change, message, words=_where(change) | {"missing"})
        return found._replace(severity=Severity.INFO, counts_as=Severity.INFO)

    # -- values ----------------------------------------------------------------------------------------------------

    def _announced(self, place: Location | None, *, head: bool) -> Mapping[str, Any]:
        """The object that holds the keyword at a place, or is there if the keyword is not."""
        pointer = place.pointer if place is not None else ""
        keyword = next((each for each in _KEYWORDS if pointer.endswith(each)), "")
        return self._apis.said(place, pointer.removesuffix(keyword), head=head) if place is not None else {}

    def _finding(
        self, rule: str, change: Change, message: str, more: str = "", words: AbstractSet[str] | None = None
    ) -> Change:
        """A finding beside a change.

        Args:
            message: what makes the fingerprint, so it holds nothing that differs from day to day.
            more: the rest of the sentence.
            words: what is true of it, for the name that oasdiff has for it; ``None`` where it has none.
        """
        severity = Severity.INFO if rule == "deprecated-in-use" else Severity.WARNING
        alias = aliases.pick(rule, frozenset(words)) if words is not None else None
        found = change._replace(
            rule=rule,
            effect=Effect.ANNOTATION,
            severity=severity,
            counts_as=severity,
            confidence=Confidence.CERTAIN,
            message=message,
            why=reason(rule),
            renamed_to=None,
            witness=None,
            unproved=None,
            hit=Hit.NOBODY,
            impact=Impact.SAFE,
            strict_impact=Impact.SAFE,
            aliases={"oasdiff": alias} if alias else {},
        )
        return found._replace(fingerprint=fingerprint(found, change.service), message=f"{message}{more}")


def _where(change: Change) -> set[str]:
    """Of what an announcement is made, as the names for it have it."""
    if not change.field:
        return {"operation"}
    if change.field.startswith("header:") and " parameter " not in change.place:
        return {"header"}
    return {"parameter"} if " parameter " in change.place else {change.direction.value, "property"}


def _path_word(change: Change) -> set[str]:
    """Whether all operations of its path went with this one, as the name for its removal has it."""
    return {"path"} if "path" in change.aliases.get("oasdiff", "") else set()


def _key(change: Change) -> _Key:
    return change.fingerprint, change.base, change.head


def _subject(change: Change) -> str:
    """What a change is about, in a few words."""
    where = f" of {change.operation}" if change.operation else ""
    return f"`{change.field}`{where}" if change.field else change.operation or change.service


def _days(count: int) -> str:
    return "1 day" if count == 1 else f"{count} days"


def _in_days(count: int) -> str:
    if count == 0:
        return "today"
    return f"in {_days(count)}" if count > 0 else f"{_days(-count)} ago"

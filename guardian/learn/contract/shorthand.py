"""The short forms of fixes: an agent names the places, and leaves the writing to the engine's strategies.

A short form must name exactly what is to be mended: a list of everything names nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from guardian import fieldpath
from guardian.learn.contract.releases import AS_OF
from guardian.model import Change, Strategy

Json = dict[str, Any]

_FORMS = {
    "aliases": Strategy.FIELD_ALIAS,
    "emit": Strategy.DUAL_WRITE,
    "restore": Strategy.DEPRECATION_WINDOW,
    "keep_version": Strategy.VERSION_BUMP,
    "migrate": Strategy.CONSUMER_PATCH,
}


@dataclass(frozen=True, slots=True)
class Shorthand:
    """What short forms have to say of these changes.

    Attributes:
        changes: what is to be mended.
        victims: whom it breaks.
        version: the major version that is deployed.
    """

    changes: Sequence[Change]
    victims: Sequence[str]
    version: str

    def write(self, strategy: Strategy, last_day: date) -> Json:
        """The short form that names exactly what is to be mended."""
        forms: dict[Strategy, Json] = {
            Strategy.FIELD_ALIAS: {"aliases": dict(sorted(self._renamed.items()))},
            Strategy.DUAL_WRITE: {"emit": sorted(self._gone | set(self._renamed.values()))},
            Strategy.DEPRECATION_WINDOW: {"restore": sorted(self._gone), "sunset": last_day.isoformat()},
            Strategy.VERSION_BUMP: {"keep_version": self.version},
            Strategy.CONSUMER_PATCH: {"migrate": list(self.victims)},
        }
        return forms[strategy]

    def check(self, strategy: Strategy, patch: Mapping[str, Any]) -> None:
        """See that a short form names what is to be mended, exactly.

        Raises:
            ValueError: it does not; a sentence.
        """
        forms = sorted(set(patch) & _FORMS.keys())
        if len(forms) != 1 or set(patch) - {forms[0], "sunset"}:
            raise ValueError(
                "a patch has json_patch and consumers, or one of aliases, emit, restore, keep_version, migrate"
            )
        form = forms[0]
        if _FORMS[form] is not strategy:
            raise ValueError(f"`{form}` belongs to {_FORMS[form].value}, not to {strategy.value}")
        value = patch[form]
        if form == "aliases":
            pairs = set(self._renamed.items())
            if not pairs:
                raise ValueError("`aliases` maps names that others replaced, and here none did")
            if not isinstance(value, Mapping) or {(_last(str(k)), _last(str(v))) for k, v in value.items()} != pairs:
                raise ValueError("`aliases` maps each name that is gone to the one that replaced it, and nothing else")
        elif form == "emit":
            if set(map(_last, _texts(value, form))) != self._gone | set(self._renamed.values()):
                raise ValueError("`emit` names what is gone and what replaced it, and nothing else")
        elif form == "restore":
            if set(map(_last, _texts(value, form))) != self._gone:
                raise ValueError("`restore` names what is gone or changed, and nothing else")
            if day_of(patch) is None:
                raise ValueError(f"`sunset` is a date after {AS_OF.isoformat()}")
        elif form == "migrate":
            if _texts(value, form) != set(self.victims):
                raise ValueError("`migrate` names the consumers that break, all of them and nobody else")
        elif value != self.version:
            raise ValueError("`keep_version` is not the version that is deployed")

    @property
    def _gone(self) -> set[str]:
        return {target(change) for change in self.changes}

    @property
    def _renamed(self) -> dict[str, str]:
        return {target(change): _last(change.renamed_to) for change in self.changes if change.renamed_to}


def day_of(patch: Mapping[str, Any]) -> date | None:
    """The last day that a short form gives its window, where it is one to come."""
    try:
        day = date.fromisoformat(str(patch.get("sunset")))
    except ValueError:
        return None
    return day if day > AS_OF else None


def target(change: Change) -> str:
    """What a short form calls a changed place: the last name of its field, or the operation."""
    return _last(change.field) if change.field else change.operation


def _last(path: str | None) -> str:
    """The last name of a field path; operations and parameters as they are."""
    if not path or " " in path or ":" in path:
        return path or ""
    try:
        steps = [step for step in fieldpath.parse(path).steps if isinstance(step, str)]
    except ValueError:
        return path
    return steps[-1] if steps else path


def _texts(value: Any, form: str) -> set[str]:
    if not isinstance(value, list) or not value or not all(isinstance(each, str) for each in value):
        raise ValueError(f"`{form}` is a list of names")
    return set(value)

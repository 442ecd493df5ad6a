"""A model's advice on a check: what the engine confirms of it joins the findings, all the rest is notes."""

from __future__ import annotations

import posixpath
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from guardian.check.compare import Apis
from guardian.check.declared import Declared
from guardian.check.places import Places
from guardian.check.service import Selection
from guardian.check.setting import said_of
from guardian.check.sides import path_of
from guardian.config import CheckRequest
from guardian.model import Change, Fix, Impact, Note

if TYPE_CHECKING:
    from guardian.adapter.claims import Remark
    from guardian.fixes.bench import Situation
    from guardian.graph.uses import Use


@dataclass(frozen=True, slots=True)
class Advised:
    """Findings, fixes and notes of a check once a model was asked."""

    changes: list[Change]
    fixes: tuple[Fix, ...]
    notes: tuple[Note, ...] = ()


def advised(
    changes: list[Change],
    fixes: tuple[Fix, ...],
    services: Collection[str],
    situation: Situation,
    declared: Declared,
    code: Code,
    request: CheckRequest,
) -> Advised:
    """What the model of ``--model`` makes of a check.

    Args:
        changes: its findings; none is lost or lowered.
        fixes: those of the rules, which stay in front.
        services: those that were looked into.
        situation: both sides.
        declared: its edges are raised with what is confirmed.
        code: reads consumers' own source.

    Raises:
        UsageError: ``--model`` names no URL and no adapter, or nothing that could run the adapter is installed.
        ReadError: a specification cannot be read.
    """
    assert request.model is not None
    from guardian.adapter.advice import Case
    from guardian.adapter.consult import asker_for, consult
    from guardian.adapter.tracing import edges_of

    settings = request.config.model
    name, timeout_s = (settings.name, settings.timeout_s) if settings is not None else ("guardian", 30.0)
    with said_of(request, "model.endpoint"):
        asker = asker_for(request.model, name, timeout_s)
    case = Case(situation, changes, fixes, sorted(services), code=code.uses, mends=request.fixes, model=name)
    advice = consult(case, asker)
    broken = edges_of(advice.changes)
    declared.edges = tuple(
        edge._replace(impact=Impact.BROKEN) if (edge.consumer, edge.service) in broken else edge
        for edge in declared.edges
    )
    return Advised(list(advice.changes.values()), tuple(advice.fixes), _notes(advice.remarks, code.places))


def _notes(remarks: Sequence[Remark], places: Places) -> tuple[Note, ...]:
    places.prepare(remark.at for remark in remarks)
    found = []
    for remark in remarks:
        at = places.resolve(remark.at)
        found.append(Note("info", remark.message, at.file if at else None, at.line if at else None))
    return tuple(found)


class Code:
    """Consumers' own source, as far as it lies on head's side: below the file that declares a consumer, and it alone.

    Args:
        places: finds lines on head's side.
    """

    def __init__(
        self, declared: Declared, selection: Selection, apis: Apis, places: Places, request: CheckRequest
    ) -> None:
        self.places = places
        self._declared = declared
        self._selection = selection
        self._apis = apis
        self._cwd = request.cwd
        self._read: dict[str, Sequence[Use]] = {}

    def uses(self, consumer: str) -> Sequence[Use]:
        """What a consumer's source shows of its uses; nothing where there is none that is surely its own.

        Raises:
            ReadError: a specification cannot be read.
            UsageError: there are TypeScript or JavaScript files, and the extra ``scan`` is not installed.
        """
        if consumer not in self._read:
            folder = self._folder(consumer)
            self._read[consumer] = self._scanned(consumer, folder) if folder is not None else ()
        return self._read[consumer]

    def _scanned(self, consumer: str, folder: str) -> Sequence[Use]:
        from guardian.graph.consumers.code.scan import scan_code

        found = scan_code(self._apis.sides.head.tree, self._apis.bases(), consumer=consumer, folder=folder)
        return [use for each in found.consumers if each.name == consumer for use in each.uses]

    def _folder(self, consumer: str) -> str | None:
        """The folder of the file that declares a consumer, if nobody else lives in it."""
        homes = {each.name: self._homes(each.name) for each in self._declared.everybody}
        mine = homes.get(consumer, set())
        if len(mine) != 1:
            return None
        (home,) = mine
        others = {home for name, several in homes.items() if name != consumer for home in several}
        specs = {
            posixpath.dirname(service.head_path)
            for service in self._selection.services
            if service.head_path is not None and service.name != consumer
        }
        return None if any(_below(each, home) for each in (*others, *specs)) else home

    def _homes(self, consumer: str) -> set[str]:
        tree = self._apis.sides.head.tree
        files = {use.origin.file for each in self._declared.everybody if each.name == consumer for use in each.uses}
        paths = (path_of(tree, file, self._cwd) for file in files)
        return {posixpath.dirname(path) for path in paths if path is not None}


def _below(path: str, folder: str) -> bool:
    return not folder or path == folder or path.startswith(f"{folder}/")

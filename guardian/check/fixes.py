"""The fixes of a check: its findings, with both sides and all declarations, laid on the bench."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from guardian.check.compare import Apis
from guardian.check.declared import Declared
from guardian.check.service import Selection
from guardian.config import CheckRequest
from guardian.model import Change, Fix, Note, Severity
from guardian.rules.compare import Options

if TYPE_CHECKING:
    from guardian.fixes.bench import Situation


def situation_of(
    declared: Declared, selection: Selection, apis: Apis, request: CheckRequest, options: Options
) -> Situation:
    """Both sides of a check as fixes and claims are tried in it.

    Args:
        declared: the consumers of both sides.
        selection: the services.
        apis: both sides.
        request: what was asked for.
        options: what the services were compared with.
    """
    from guardian.fixes.bench import Situation

    def lowered(change: Change) -> bool:
        return request.config.severity_of(change.rule, change.direction, change.aliases.get("oasdiff")) is not None

    return Situation(
        base=apis.bases(),
        head=apis.heads(),
        as_of=request.as_of,
        base_consumers=declared.base,
        head_consumers=declared.head_only,
        declarations=declared.files,
        elsewhere=declared.elsewhere,
        paths={service.name: service.head_path for service in selection.services if service.head_path is not None},
        options=options,
        mode=request.mode,
        public=frozenset(service.name for service in selection.services if service.public),
        lowered=lowered,
        deprecation_days=request.config.lifecycle.deprecation_days,
        naming=declared.naming,
    )


def proposed(
    changes: Sequence[Change], situation: Callable[[], Situation], jobs: int = 1
) -> tuple[tuple[Fix, ...], tuple[Note, ...]]:
    """Verified fixes for what breaks somebody, and notes on what was left out.

    Args:
        changes: all findings, traced, settled and with exceptions applied.
        situation: makes both sides; asked only where something breaks.
        jobs: processes at most.

    Raises:
        ReadError: a specification that a fix concerns cannot be read.
    """
    if all(Severity.BREAKING not in (change.severity, change.counts_as) for change in changes):
        return (), ()
    from guardian.fixes.propose import propose

    proposals = propose(situation(), changes, jobs)
    return proposals.fixes, proposals.notes

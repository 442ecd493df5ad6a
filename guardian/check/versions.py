"""Version discipline: whether ``info.version`` says that a change breaks (semantic versioning, semver.org, items 4 and 8)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from guardian.check.compare import Apis
from guardian.check.policy import reason
from guardian.model import Change, Confidence, Direction, Effect, Location, Severity
from guardian.rules import aliases
from guardian.rules.identity import fingerprint

_RULE = "version-not-bumped"


def unbumped(changes: Sequence[Change], services: Iterable[str], apis: Apis) -> Iterator[Change]:
    """A finding for each service whose changes break somebody while its version promises that they do not.

    Args:
        changes: those of the contracts, settled and, as far as they are, accepted.
        services: those to look at.
    """
    breaking = {
        change.service
        for change in changes
        if change.counts_as is Severity.BREAKING
        or (change.severity is Severity.BREAKING and change.counts_as is Severity.WARNING)
    }
    for name in sorted(breaking.intersection(services)):
        base, head = apis.base(name), apis.head(name)
        if base is None or head is None or not base.version:
            continue
        verdict = judge_versions(base.version, head.version)
        if verdict is None:
            continue
        word, said = verdict
        alias = aliases.pick(_RULE, frozenset({word}))
        finding = Change(
            rule=_RULE,
            service=name,
            operation="",
            direction=Direction.REQUEST,
            place="api",
            field="",
            effect=Effect.ANNOTATION,
            severity=Severity.WARNING,
            counts_as=Severity.WARNING,
            confidence=Confidence.CERTAIN,
            message=f"a breaking change {said}",
            why=reason(_RULE),
            base=Location(base.file, "/info/version"),
            head=Location(head.file, "/info/version"),
            aliases={"oasdiff": alias} if alias else {},
        )
        yield finding._replace(fingerprint=fingerprint(finding, base.title))


def judge_versions(base: str, head: str) -> tuple[str, str] | None:
    """What is wrong with a version after a breaking change, as a word and a clause; ``None`` if nothing is.

    By semantic versioning the major number grows, before 1.0.0 the minor one (items 4 and 8). Of versions that are
    dates, or in a form that guardian does not know, it is enough that they differ.
    """
    if base == head:
        return "same", f"left the version at {base}"
    before, after = _numbers(base), _numbers(head)
    if before is None or after is None:
        return None
    if after < before:
        return "decreased", f"took the version back from {base} to {head}"
    significant = 1 if before[0] else 2
    if after[:significant] > before[:significant]:
        return None
    wanted = f"{before[0] + 1}.0.0" if before[0] else f"0.{before[1] + 1}.0"
    return "major", f"came with version {head} after {base}, where {wanted} was to be expected"


def _numbers(version: str) -> tuple[int, int, int] | None:
    """Major, minor and patch; ``None`` for dates and other forms. A first number of four digits is a year."""
    found = re.match(r"[vV]?(\d{1,3})(?!\d)(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?", version)
    return (int(found[1]), int(found[2] or 0), int(found[3] or 0)) if found else None

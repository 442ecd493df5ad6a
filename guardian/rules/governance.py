"""Rules on how a team lives with its contracts: exceptions, deprecation, versions, declarations of consumers.

Their findings are made by the rooms that know more than two APIs (``guardian.graph``, ``guardian.check``); here they
have their page, so that they are explained, re-graded and excepted like all others.
"""

from __future__ import annotations

from guardian.model import Hit, Impact
from guardian.rules.registry import declare

declare(
    "consumer-operation-unknown",
    """A consumer declares an operation that its provider does not have.

    Why it matters: the declaration protects nothing. Either the manifest is out of date, or the consumer calls
    something that answers 404.
    """,
    area="governance",
    hit=Hit.EVERY_USER,
    impact=Impact.POSSIBLE,
)
declare(
    "exception-expired",
    """An accepted finding's last day is over.

    Why it matters: an exception is a promise with a date. Past it the change counts again, until somebody renews
    the promise or keeps it.
    """,
    area="governance",
)
declare(
    "exception-stale",
    """An exception matches no finding any more.

    Why it matters: it would silently accept the next change that happens to match. Remove it with
    ``guardian exceptions prune``.
    """,
    area="governance",
)
declare(
    "exception-unsigned",
    """An exception lacks the sign-off of the owners of consumers that the change breaks.

    Why it matters: only those who are broken can agree to be broken. Until they are in ``approved_by`` the change
    counts.
    """,
    area="governance",
)
declare(
    "removed-before-sunset",
    """Something deprecated was removed before its window was over.

    Why it matters: callers were told a date and planned by it. After the window a removal is no longer breaking.
    """,
    area="lifecycle",
    hit=Hit.EVERY_USER,
    impact=Impact.POSSIBLE,
)
declare(
    "deprecated-in-use",
    """Something that consumers use was marked as deprecated.

    Why it matters: the clock is running for whoever is named here.
    """,
    area="lifecycle",
    hit=Hit.EVERY_USER,
    impact=Impact.SAFE,
)
declare(
    "sunset-too-soon",
    """A deprecation's sunset date leaves less time than the configured window.

    Why it matters: consumers were promised a number of days to move.
    """,
    area="lifecycle",
)
declare(
    "version-not-bumped",
    """A breaking change came without a new major version of the document.

    Why it matters: readers of ``info.version`` take the contract for compatible (semver.org, item 8).
    """,
    area="lifecycle",
)
declare(
    "components-unreachable",
    """Components changed that no operation reaches.

    Why it matters: nothing on the wire changed by it, which is worth knowing when something was expected to.
    """,
    area="lifecycle",
)

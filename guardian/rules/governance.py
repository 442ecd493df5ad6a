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
    something that answers 404. A target of `exposes` that the consumer's own API does not have is told, too: whoever
    reads that field there is not found when it changes.
    """,
    area="governance",
    hit=Hit.EVERY_USER,
    impact=Impact.POSSIBLE,
)
declare(
    "recorded-interaction-fails",
    """A recorded exchange fits base and not head, and no change that was found explains it.

    Why it matters: it is a request that was sent, or a response that somebody's test relies on, and the new contract
    has no place for it. Contract tests (Pact) and recordings (HAR) are played against both sides with openapi-core.
    """,
    area="governance",
    hit=Hit.EVERY_USER,
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

    Why it matters: callers were told a date (``x-sunset``, an RFC 3339 date) and planned by it. Once that day has come
    the removal of what was deprecated is no longer breaking; whoever still reads it is named in a warning. This holds
    for operations, parameters, headers and properties. Without a date there is no window, and a removal breaks as any.
    """,
    area="lifecycle",
    hit=Hit.EVERY_USER,
    impact=Impact.POSSIBLE,
)
declare(
    "deprecated-in-use",
    """Something that consumers use was marked as deprecated.

    Why it matters: the clock is running for whoever is named here: to the sunset date where there is one. Nobody is
    broken yet.
    """,
    area="lifecycle",
    hit=Hit.EVERY_USER,
    impact=Impact.SAFE,
)
declare(
    "sunset-too-soon",
    """A deprecation's sunset date leaves less time than the configured window, is no date, or is missing.

    Why it matters: consumers were promised a number of days to move (``lifecycle.deprecation_days``, 90 unless said
    otherwise; 0 promises none). They count from today for what is newly deprecated and for a date that was brought
    forward: a warning. A text that is no RFC 3339 date never comes: a warning too. A deprecation without any date opens
    no window, so a later removal breaks as any: a note, which a team that wants a date with every deprecation grades
    higher (``api-deprecated-sunset-missing: breaking``).
    """,
    area="lifecycle",
)
declare(
    "version-not-bumped",
    """A breaking change came without a new major version of the document.

    Why it matters: readers of ``info.version`` take the contract for compatible (semver.org, items 4 and 8): the major
    number grows, before 1.0.0 the minor one. Of versions that are dates, or of another form, it is enough that they
    differ. Accepted changes, and those that count for nothing, ask for no version. To let this fail a run, grade it
    ``breaking``.
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

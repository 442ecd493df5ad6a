"""Single calls put together: what was seen of one operation, called many times, becomes one use."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from guardian.graph.uses import Confidence, Consumer, Field, Found, Use
from guardian.model import Location, Note


@dataclass(slots=True)
class _Seen:
    origin: Location
    reads: dict[tuple[object, bool], Field] | None = None
    sends: dict[tuple[object, bool], Field] | None = None
    responses: dict[str, None] = field(default_factory=dict)
    date: str | None = None
    partial: bool = False
    received: dict[str, None] | None = None
    sent: dict[str, None] | None = None


class Calls:
    """Collects calls and what was left out.

    Args:
        tool: what the source is.
        confidence: how these calls are known.
    """

    def __init__(self, tool: str, confidence: Confidence = "called") -> None:
        self._tool = tool
        self._confidence = confidence
        self._seen: dict[tuple[str, str, str], _Seen] = {}
        self._left_out: Counter[tuple[str, str]] = Counter()
        self._doubted: Counter[tuple[str, str]] = Counter()
        self._first: dict[tuple[str, str], str] = {}

    def add(
        self,
        consumer: str,
        service: str,
        operation: str,
        origin: Location,
        *,
        reads: Iterable[Field] | None = None,
        sends: Iterable[Field] | None = None,
        status: str | None = None,
        date: str | None = None,
        partial: bool = False,
        received: str = "",
        sent: str = "",
    ) -> None:
        """One call; ``None`` for what it does not show, ``partial`` if more may be read than it shows.

        ``received`` and ``sent`` are the media types of its bodies, as far as it has any.
        """
        key = (consumer, service, operation)
        seen = self._seen.get(key)
        if seen is None:
            seen = self._seen[key] = _Seen(origin)
        if received:
            seen.received = {**(seen.received or {}), received: None}
        if sent:
            seen.sent = {**(seen.sent or {}), sent: None}
        seen.reads = _joined(seen.reads, reads)
        seen.sends = _joined(seen.sends, sends)
        if status:
            seen.responses[status] = None
        seen.partial |= partial
        seen.date = max(filter(None, (seen.date, date)), default=None)

    def leave_out(self, file: str, reason: str, call: str = "") -> None:
        """One call that cannot be used; the first for each reason is told as it is."""
        self._left_out[file, reason] += 1
        self._first.setdefault((file, reason), call)

    def doubt(self, file: str, host: str) -> None:
        """One call to a host that may be somebody else's."""
        self._doubted[file, host] += 1

    def found(self) -> Found:
        """The consumers with their uses, in the order in which they were met, and a note for each reason."""
        uses: dict[str, list[Use]] = {}
        for (consumer, service, operation), seen in self._seen.items():
            uses.setdefault(consumer, []).append(
                Use(
                    consumer,
                    service,
                    operation,
                    seen.origin,
                    reads=None if seen.reads is None else tuple(seen.reads.values()),
                    sends=None if seen.sends is None else tuple(seen.sends.values()),
                    responses=tuple(sorted(seen.responses)) or None,
                    confidence=self._confidence,
                    tool=self._tool,
                    date=seen.date,
                    partial=seen.partial and seen.reads is not None,
                    received=tuple(seen.received) if seen.received else None,
                    sent=tuple(seen.sent) if seen.sent else None,
                )
            )
        notes = [
            Note("info", _left_out(count, reason, self._first[file, reason]), file)
            for (file, reason), count in sorted(self._left_out.items())
        ]
        notes += [
            Note(
                "info",
                f"{count} {'call goes' if count == 1 else 'calls go'} to {host}, which no `servers` name: what it is taken "
                "for is possible at most; name the host in `servers` if it is one of yours",
                file,
            )
            for (file, host), count in sorted(self._doubted.items())
        ]
        return Found(tuple(Consumer(name, tuple(each)) for name, each in uses.items()), tuple(notes))


def _left_out(count: int, reason: str, first: str) -> str:
    what = "1 call" if count == 1 else f"{count} calls"
    shown = f" ({first})" if first and count == 1 else f" (such as {first})" if first else ""
    return f"{what} left out: {reason}{shown}"


def _joined(
    seen: dict[tuple[object, bool], Field] | None, fields: Iterable[Field] | None
) -> dict[tuple[object, bool], Field] | None:
    if fields is None:
        return seen
    joined = seen or {}
    for each in fields:
        known = joined.setdefault((each.path, each.shallow), each)
        if not set(each.values) <= set(known.values):
            joined[each.path, each.shallow] = replace(known, values=tuple(dict.fromkeys(known.values + each.values)))
    return joined

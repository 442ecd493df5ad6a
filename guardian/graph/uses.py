"""Who uses what: the frozen values that every source of consumers is read into.

A manifest, a contract test and a recorded call all become a ``Use``: one consumer, one operation of one service, and as
much as the source knows of what is read and sent. What is not known is ``None``, which is never the same as nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from guardian.fieldpath import Path
from guardian.model import Location, Note

Confidence = Literal["asserted", "declared", "called"]
"""How a use is known: a contract test asserts it, somebody wrote it down, or it was seen to happen."""


@dataclass(frozen=True, slots=True)
class Field:
    """One field that is read or sent, and where that is said.

    ``shallow`` is true where only the container itself is known to be used and nothing in it, such as the empty
    array of a recorded body. ``values`` are the values that recordings and contract tests show, as JSON text; empty
    where the source shows none, as a manifest.
    """

    path: Path
    origin: Location
    shallow: bool = False
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Exposure:
    """Lineage: the consumer passes ``path`` on as ``field`` of ``operation`` of its own API.

    ``service`` is that API where it is not called as the consumer is.
    """

    path: Path
    operation: str
    field: Path
    origin: Location
    service: str | None = None


@dataclass(frozen=True, slots=True)
class Use:
    """One consumer's use of one operation, by one source.

    Attributes:
        operation: as the source names it, a template or a concrete path; ``None`` is the service as a whole.
        reads: fields of the success responses, or of the request body where the consumer is a webhook's receiver.
        sends: fields of the request, or of the response for a receiver.
        responses: the statuses it handles, ``404`` or ``4XX``.
        tool: what the source is: ``manifest``, ``pact 4.0``, ``har``.
        date: the day the source was made or the call was last seen (ISO 8601), where it says so.
        partial: that it reads what is listed is sure; it may read more.
        received, sent: the media types of the responses it takes and of the bodies it sends, lower case and without
            parameters; ``None`` where they are not known.
    """

    consumer: str
    service: str
    operation: str | None
    origin: Location
    reads: tuple[Field, ...] | None = None
    sends: tuple[Field, ...] | None = None
    responses: tuple[str, ...] | None = None
    exposes: tuple[Exposure, ...] = ()
    confidence: Confidence = "declared"
    tool: str = "manifest"
    date: str | None = None
    partial: bool = False
    received: tuple[str, ...] | None = None
    sent: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Consumer:
    """Everything that is known of one consumer, from all its sources.

    ``strict`` means that its decoder refuses unknown fields and enum values.
    """

    name: str
    uses: tuple[Use, ...]
    owner: str | None = None
    contact: str | None = None
    strict: bool = False

    def telling(self) -> Iterator[Use]:
        """Its uses without those that others make superfluous.

        A catalog knows that a service is used at all, and whoever knows an operation knows more. What a manifest says of
        the service as a whole is meant, whatever else is known.
        """
        detailed = {use.service for use in self.uses if use.operation is not None}
        for use in self.uses:
            if use.operation is not None or use.tool == "manifest" or use.service not in detailed:
                yield use


@dataclass(frozen=True, slots=True)
class Found:
    """What one source gave: consumers, and what was left out of it and why."""

    consumers: tuple[Consumer, ...] = ()
    notes: tuple[Note, ...] = ()

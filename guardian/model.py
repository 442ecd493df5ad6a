"""The frozen values that every room shares: what changed, whom it hits, what would mend it.

Nothing here reads, prints or decides. The names and the JSON form are those of the report schema
(``guardian schema report``); fields that the JSON form leaves out say so. They are named tuples: frozen dataclasses take
several times as long to define, at every start, to make, to change and to send from one process to another.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple


class Direction(StrEnum):
    """Which way a message travels, seen from the producer. Callbacks and webhooks turn it round."""

    REQUEST = "request"
    RESPONSE = "response"

    @property
    def opposite(self) -> Direction:
        return Direction.RESPONSE if self is Direction.REQUEST else Direction.REQUEST


class Effect(StrEnum):
    """What happened to the set of messages (DESIGN: effect times direction)."""

    NARROWED = "narrowed"
    WIDENED = "widened"
    CHANGED = "changed"
    ANNOTATION = "annotation"

    @property
    def mirrored(self) -> Effect:
        """The effect of the same edit made backwards."""
        return {Effect.NARROWED: Effect.WIDENED, Effect.WIDENED: Effect.NARROWED}.get(self, self)


class Severity(StrEnum):
    """The contract's verdict on one change."""

    BREAKING = "breaking"
    WARNING = "warning"
    INFO = "info"
    OFF = "off"

    @property
    def rank(self) -> int:
        """0 off, 1 info, 2 warning, 3 breaking: for comparing and sorting."""
        return ("off", "info", "warning", "breaking").index(self)


class Confidence(StrEnum):
    """How sure a verdict is.

    ``proved``: a witness was judged by an independent validator. ``certain``: no witness is needed (a removed
    operation). ``possible``: the documents cannot decide, and the finding says why.
    """

    PROVED = "proved"
    CERTAIN = "certain"
    POSSIBLE = "possible"


class Impact(StrEnum):
    """What a change does to one consumer."""

    BROKEN = "broken"
    POSSIBLE = "possible"
    SAFE = "safe"

    @property
    def rank(self) -> int:
        return ("safe", "possible", "broken").index(self)


class Hit(StrEnum):
    """Who among the users of an operation a change can concern; the graph finds them (not in the JSON form)."""

    EVERY_USER = "every_user"  # whoever uses the operation at all
    READER = "reader"  # whoever reads the field, something in it or something it lies in
    SENDER = "sender"  # whoever sends the field
    NON_SENDER = "non_sender"  # whoever does not send the field
    DECODER = "decoder"  # whoever decodes this message at all: only strict ones mind
    NOBODY = "nobody"


class Strategy(StrEnum):
    """The five ways to stay compatible."""

    FIELD_ALIAS = "field_alias"
    DUAL_WRITE = "dual_write"
    DEPRECATION_WINDOW = "deprecation_window"
    VERSION_BUMP = "version_bump"
    CONSUMER_PATCH = "consumer_patch"


class Verdict(StrEnum):
    PASS = "pass"
    WARN = "warn"
    FAIL = "fail"


class Mode(StrEnum):
    """Whose judgement counts: the contract's alone, the consumers' alone, or both together."""

    CONTRACT = "contract"
    CONSUMERS = "consumers"
    BOTH = "both"


class Location(NamedTuple):
    """A place in a file, symbolic until a report wants its line.

    ``pointer`` is a JSON pointer (RFC 6901) into ``file``; line and column are 1-based and ``None`` until
    resolved by ``guardian.spec.locate``.
    """

    file: str
    pointer: str = ""
    line: int | None = None
    column: int | None = None


class Witness(NamedTuple):
    """One value that one side accepts and the other refuses, judged by a JSON Schema validator.

    ``value`` is the smallest such JSON body, or for a parameter the text as it stands in a URL. For a response
    it is the smallest response that head may send and the reader cannot use. ``explanation`` is one sentence.
    """

    value: Any
    accepted_by_base: bool
    accepted_by_head: bool
    explanation: str = ""


class ConsumerImpact(NamedTuple):
    """What one change does to one consumer, with the path of evidence that leads there.

    ``hops`` is 1 for a consumer of the changed operation itself, one more for each API that passes the field on.
    ``confidence`` says how the read is known: ``asserted`` (a contract test), ``called`` (observed),
    ``declared`` (written in a manifest or found in code).
    """

    consumer: str
    impact: Impact
    hops: int
    confidence: str
    because: tuple[str, ...]
    manifest: Location | None = None
    owner: str | None = None
    contact: str | None = None


class AcceptedBy(NamedTuple):
    """The exception entry that accepts a change."""

    reason: str
    owner: str
    expires: str
    approved_by: tuple[str, ...] = ()
    location: Location | None = None


class Change(NamedTuple):
    """One change of a contract, placed, judged and (after the graph) matched with its consumers.

    ``place`` names the message part (``response 200 application/json``), ``field`` the field in it as manifests
    write it (``address.city``, ``query:page``; empty when the whole place is meant), ``also`` further fields of the same
    schema that it is as true of. ``severity`` is the
    contract's verdict; ``counts_as`` what is left of it after mode, consumers and exceptions.
    """

    rule: str
    service: str
    operation: str
    direction: Direction
    place: str
    field: str
    effect: Effect
    severity: Severity
    confidence: Confidence
    message: str
    why: str
    base: Location | None
    head: Location | None
    counts_as: Severity = Severity.INFO
    fingerprint: str = ""
    renamed_to: str | None = None
    witness: Witness | None = None
    consumers: tuple[ConsumerImpact, ...] = ()
    exception: AcceptedBy | None = None
    aliases: Mapping[str, str] = {}
    also: tuple[str, ...] = ()
    # For the graph alone; not in the JSON form.
    hit: Hit = Hit.NOBODY
    impact: Impact = Impact.SAFE
    strict_impact: Impact = Impact.SAFE
    # Groups of names beside the field: where all of one group are there, the field need not be.
    unless: tuple[tuple[str, ...], ...] = ()
    # Base marked the place as promising nothing, so the change is out of the verdict whoever it hits; for settling alone.
    promised: bool = True
    # Why there is no witness, where one would be expected; shown in text reports, ``witness_missing`` in JSON.
    unproved: str | None = None


class Patch(NamedTuple):
    """One file's part of a fix: RFC 6902 operations, the same as an OpenAPI Overlay 1.0, and the text diff.

    Of very long lines the diff shows what changed alone; then ``edits`` says it in full: what is put in place of the
    text between two offsets. They are what is written, and in no report. ``elsewhere`` is where the file is, if it is none
    of those that can be written here: another repository, or a host; the diff then calls it as it is called there.
    """

    file: str
    kind: str  # "spec" | "manifest"
    json_patch: tuple[Mapping[str, Any], ...]
    overlay: Mapping[str, Any] = {}
    diff: str = ""  # unified diff of the file's own text
    edits: tuple[tuple[int, int, str], ...] = ()
    elsewhere: str | None = None


class Verification(NamedTuple):
    """What was tried with a fix, and how it went. ``lines`` is the same, one sentence a check, for people."""

    verified: bool
    breaking_left: int
    consumers: Mapping[str, str]  # consumer -> "pass" | "fail"
    keeps_intent: bool
    lines: tuple[str, ...] = ()


class Fix(NamedTuple):
    """A change that would not break anyone: tried, or not offered."""

    id: str
    strategy: Strategy
    proposed_by: str  # "rules" or the model's name
    changes: tuple[str, ...]  # fingerprints
    patches: tuple[Patch, ...]
    verification: Verification
    rationale: str
    rollout: tuple[str, ...] = ()


class Note(NamedTuple):
    """Something a reader should know that is no change of a contract."""

    level: str  # "error" | "warning" | "info"
    message: str
    file: str | None = None
    line: int | None = None


class Summary(NamedTuple):
    """Counts for the first line of every report.

    ``unread`` counts breaking changes that hit no declared consumer. Two count what was found and is left out of the report:
    ``untouched`` what touches none of the consumers that were asked for, and ``off`` what the user has turned off.
    """

    specs: int
    changes: int
    breaking: int
    warnings: int
    accepted: int
    unread: int
    consumers: int
    consumers_broken: tuple[str, ...]
    reads: int = 0
    untouched: int = 0
    off: int = 0


class Edge(NamedTuple):
    """One line of the dependency picture: ``consumer`` uses ``service``; ``via`` says how it is known."""

    consumer: str
    service: str
    via: str
    impact: Impact = Impact.SAFE


class Again(NamedTuple):
    """How a reader makes a check again, for the commands that reports name; not in the JSON form.

    ``flags`` are those it was made with, as a shell takes them, ``applies`` is whether its head can be written to, and
    ``model`` whether the same model is asked by them.
    """

    flags: str = ""
    applies: bool = True
    model: bool = False


class Only(NamedTuple):
    """What a check was asked for alone; empty for everything. Not in the JSON form."""

    services: tuple[str, ...] = ()
    consumers: tuple[str, ...] = ()


class Report(NamedTuple):
    """Everything a writer needs; writers add nothing and decide nothing."""

    version: str
    verdict: Verdict
    summary: Summary
    changes: tuple[Change, ...]
    fixes: tuple[Fix, ...] = ()
    notes: tuple[Note, ...] = ()
    edges: tuple[Edge, ...] = ()
    mode: Mode = Mode.BOTH
    # the least severity that fails the run; None where none does
    fails_from: Severity | None = Severity.BREAKING
    # source lines around the places of findings, for the HTML page: (file, first line number, lines)
    excerpts: Mapping[Location, tuple[int, tuple[str, ...]]] = {}
    # what was compared, in words
    base: str = ""
    head: str = ""
    # all that services are called, and which of them that means
    names: Mapping[str, tuple[str, ...]] = {}
    again: Again = Again()
    only: Only = Only()

"""From calls to uses: who answers each, what of it is read and sent, and what could not be followed."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from guardian.graph.consumers.code.http import VERBS
from guardian.graph.consumers.code.messages import Reads, Sends, query_of
from guardian.graph.consumers.code.values import Hole, HttpCall, Record, Words
from guardian.graph.consumers.endpoints import Answer, Endpoints
from guardian.graph.consumers.names import normalised
from guardian.graph.consumers.routes import called_path
from guardian.graph.uses import Consumer, Field, Found, Use
from guardian.model import Note
from guardian.spec.api import Api
from guardian.spec.shaper import Shaper

TOOL = "code"

_UNKNOWN = "its path is built at run time"
_LITERAL = re.compile(r"[A-Za-z]")
_TELLS_NOTHING = re.compile(r"(?:api|base|url|uri|host|endpoint|root|service|server|prefix|path|http|origin)+")


@dataclass(frozen=True, slots=True)
class _Target:
    """A URL as it is called: its text with ``{}`` for what is not known, what its base is called, and its query."""

    text: str
    label: str
    names: tuple[str, ...]
    records: tuple[Record, ...]
    complete: bool


class Results:
    """Turns calls into the uses of one consumer.

    Args:
        consumer: whose code it is.
        apis: the services by name.
        endpoints: finds who answers.
        answering: the service that is called wherever a URL does not tell.
    """

    def __init__(self, consumer: str, apis: Mapping[str, Api], endpoints: Endpoints, answering: str | None) -> None:
        self._consumer = consumer
        self._apis = apis
        self._endpoints = endpoints
        self._answering = answering
        self._shaper = Shaper()
        self._uses: dict[object, Use] = {}
        self._notes: set[Note] = set()

    def take(self, calls: Iterable[HttpCall]) -> Found:
        """The uses that these calls are, with a note on all that was not followed."""
        sites: dict[object, list[HttpCall]] = defaultdict(list)
        for call in calls:
            sites[call.node].append(call)
        for several in sites.values():
            self._site(several)
        uses = sorted(self._uses.values(), key=lambda use: (use.origin.file, use.origin.line or 0, use.operation or ""))
        notes = sorted(self._notes, key=lambda note: (note.file or "", note.line or 0, note.message))
        consumers = (Consumer(self._consumer, tuple(_alike(uses))),) if uses else ()
        return Found(consumers, tuple(notes))

    def strays(self, calls: Iterable[HttpCall]) -> tuple[Note, ...]:
        """A note on each URL of a service that is given to something that is not known to send requests."""
        found: set[Note] = set()
        for call in calls:
            for target in (_target(each) for each in call.url if isinstance(each, Words)):
                if target is not None and any(self._is_answered(method, target) for method in sorted(VERBS)):
                    reason = f"nothing is known of what is called with {target.text}"
                    found.add(Note("info", f"a call left out: {reason}", call.at.file, call.at.line))
        return tuple(found)

    def _is_answered(self, method: str, target: _Target) -> bool:
        answer, _ = self._answer(method.upper(), target)
        return answer is not None and answer.operation is not None

    def _site(self, calls: list[HttpCall]) -> None:
        reasons: dict[str, None] = {}
        found = False
        for call in calls:
            for target, answer in self._answers(call, reasons):
                found = True
                self._use(call, target, answer)
        if found and not any(call.cut for call in calls):  # others know the path
            reasons.pop(_UNKNOWN, None)
        told = [reason for reason in reasons if reason != _UNKNOWN] or list(reasons)
        at = calls[0].at
        for reason in told if calls[0].sure else []:
            self._notes.add(Note("info", f"a call left out: {reason}", at.file, at.line))

    # -- who answers -----------------------------------------------------------------------------------------------------

    def _answers(self, call: HttpCall, reasons: dict[str, None]) -> Iterator[tuple[_Target, Answer]]:
        if call.operation is not None:
            nothing = _Target("", "", (), (), True)
            for service in sorted(self._apis):
                for operation in self._apis[service].operations.values():
                    if operation.operation_id == call.operation:
                        yield nothing, Answer(service, operation.name)
            return
        if not call.url:
            reasons[_UNKNOWN] = None
        for each in call.url:
            target = _target(each) if isinstance(each, Words) else None
            if target is None or not _LITERAL.search(re.sub(r"\{[^{}]*\}", "", called_path(target.text))):
                reasons[_UNKNOWN] = None
            elif call.method is None:
                reasons[f"the method that {target.text} is called with is chosen at run time"] = None
            else:
                answer, used = self._answer(call.method, target)
                if answer is not None and answer.operation is not None:
                    yield used, answer
                else:
                    reasons[f"no service is known to answer {call.method} {target.text}"] = None

    def _answer(self, method: str, target: _Target) -> tuple[Answer | None, _Target]:
        answer = self._find(method, target)
        shortened = re.sub(r"(?<=[\w-])\{[^{}]*\}$", "", target.text)
        if (answer is None or answer.operation is None) and shortened != target.text:
            # `/users{query}`: what is put right behind a path is its query.
            target = _Target(shortened, target.label, target.names, target.records, False)
            answer = self._find(method, target)
        return answer, target

    def _find(self, method: str, target: _Target) -> Answer | None:
        answer = self._endpoints.find(method, target.text)
        if answer is not None and answer.operation is not None:
            return answer
        if self._answering is not None:
            return self._endpoints.within(self._answering, method, target.text)
        if answer is not None:
            return answer
        # Several have such a route: what the base is called may tell which one is meant.
        wanted = _TELLS_NOTHING.sub("", normalised(target.label))
        services = [
            each
            for each in sorted(self._apis)
            if wanted and normalised(each) in {wanted, wanted + "s", wanted.removesuffix("s")}
        ]
        return self._endpoints.within(services[0], method, target.text) if len(services) == 1 else None

    # -- what it reads and sends -----------------------------------------------------------------------------------------

    def _use(self, call: HttpCall, target: _Target, answer: Answer) -> None:
        operation = self._apis[answer.service].operations[answer.operation or ""]
        reads, sends = Reads(operation, self._shaper), Sends(operation)
        reads.read(call)
        sends.send(call, target.names, target.records)
        unknown = sends.unknown + ([] if target.complete else [call.at])
        for at in dict.fromkeys(reads.unknown):
            text = f"what {operation.name} of {answer.service} answers is handed on here: more of it may be read than is seen"
            self._notes.add(Note("info", text, at.file, at.line))
        for at in dict.fromkeys(unknown):
            text = f"what is sent to {operation.name} of {answer.service} is not all seen here"
            self._notes.add(Note("info", text, at.file, at.line))
        use = Use(
            self._consumer,
            answer.service,
            operation.name,
            call.at,
            reads=_once(reads.fields),
            sends=None if unknown else _once(sends.fields.values()),
            tool=TOOL,
            partial=bool(reads.unknown),
        )
        key = (call.node, use.service, use.operation, use.partial, _paths(use.reads), _paths(use.sends))
        self._uses.setdefault(key, use)


def _target(url: Words) -> _Target | None:
    before, names, records, complete = query_of(url.parts)
    label = ""
    parts = list(before)
    if parts and isinstance(parts[0], Hole):  # the base, which the environment or a caller sets
        label = parts[0].label
        following = parts[1] if len(parts) > 1 else None
        if isinstance(following, str) and following.startswith(("/", "://", ".")):
            parts = parts[1:] if following.startswith("/") else parts
    text = "".join(part if isinstance(part, str) else "{" + re.sub(r"\W", "", part.label) + "}" for part in parts)
    if not text:
        return None
    if "://" not in text and not text.startswith("/"):
        text = "/" + text
    return _Target(text, label, tuple(names), tuple(records), complete)


def _once(fields: Iterable[Field]) -> tuple[Field, ...]:
    """Each field once, without containers of which more is known."""
    found: dict[object, Field] = {}
    for field in fields:
        known = found.get(field.path)
        if known is None or (known.shallow and not field.shallow):
            found[field.path] = field
    return tuple(sorted(found.values(), key=lambda field: str(field.path)))


def _paths(fields: tuple[Field, ...] | None) -> object:
    return None if fields is None else tuple((str(field.path), field.path.place, field.shallow) for field in fields)


def _alike(uses: list[Use]) -> list[Use]:
    """One use for calls of an operation that send the same; of an operation of which one call is not seen, none is."""
    silent = {(use.service, use.operation) for use in uses if use.sends is None}
    found: dict[object, Use] = {}
    for use in uses:
        sends = None if (use.service, use.operation) in silent else use.sends
        key = (use.service, use.operation, _paths(sends))
        known = found.get(key)
        reads = _once((*(known.reads or () if known else ()), *(use.reads or ())))
        first = known or use
        found[key] = Use(
            use.consumer, use.service, use.operation, first.origin, reads=reads, sends=sends, tool=TOOL,
            partial=use.partial or (known is not None and known.partial),
        )  # fmt: skip
    return list(found.values())

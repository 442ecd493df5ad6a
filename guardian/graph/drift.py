"""Where declarations and the world differ: what a manifest claims and the specification lacks, what traffic shows and
nobody declares, and what is declared and was not called for a long time.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from datetime import date

from guardian import fieldpath
from guardian.graph.consumers.bodies import is_everyday
from guardian.graph.lineage import lost
from guardian.graph.surface import READS, SENDS, Surface
from guardian.graph.usage import Company, Fact, User
from guardian.graph.uses import Consumer, Field, Use
from guardian.spec.api import Operation

_Key = tuple[str, str, str]


def drift(company: Company) -> list[Fact]:
    """What declarations claim and specifications do not have, then what traffic shows and nobody declares."""
    return [*_claims(company), *_undeclared(company)]


def _claims(company: Company) -> Iterator[Fact]:
    surface = Surface()
    seen: set[tuple[str, str, str, str]] = set()
    for consumer, use in _uses(company):
        if use.operation is None or use.confidence == "called" or use.service not in company.routes.services:
            continue
        yield from _lost(company, consumer, use, surface)
        operation = company.routes.head(use.service, use.operation)
        if operation is None:
            key = company.routes.key(use.service, use.operation)
            if (consumer.name, use.service, key, "") not in seen:
                seen.add((consumer.name, use.service, key, ""))
                yield _unknown_operation(company, consumer, use, key)
            continue
        for side, fields in ((READS, use.reads), (SENDS, use.sends)):
            for field in fields or ():
                if use.tool != "manifest" and _is_everyday(field):
                    continue  # a contract test may well state what no specification cares to say
                text = fieldpath.write(field.path) if side == READS else fieldpath.write_sent(field.path)
                mark = (consumer.name, use.service, operation.name, f"{side} {text}")
                if mark in seen or surface.has(operation, side, field.path) is not False:
                    continue
                seen.add(mark)
                yield _unknown_field(consumer, use, operation, side, field, text, surface)


def _is_everyday(field: Field) -> bool:
    return field.path.place == "header" and is_everyday(str(field.path.steps[0]))


def _unknown_operation(company: Company, consumer: Consumer, use: Use, key: str) -> Fact:
    near = difflib.get_close_matches(key, company.routes.operations(use.service), n=1, cutoff=0.7)
    hint = f"; the nearest is {near[0]}" if near else ""
    text = f"{consumer.name} declares {use.operation}, which {use.service} does not have{hint}"
    return Fact("unknown-operation", use.service, key, "", text, (_user(consumer, use, text),), use.origin)


def _lost(company: Company, consumer: Consumer, use: Use, surface: Surface) -> Iterator[Fact]:
    key = company.routes.key(use.service, use.operation or "")
    for each in lost(company.routes, surface, use):
        kind, user = "unknown-field" if each.field else "unknown-operation", _user(consumer, use, each.sentence)
        field = fieldpath.write(each.exposure.path)
        yield Fact(kind, use.service, key, field, each.sentence, (user,), each.exposure.origin)


def _unknown_field(
    consumer: Consumer, use: Use, operation: Operation, side: str, field: Field, text: str, surface: Surface
) -> Fact:
    names = {
        fieldpath.write(part.path) if side == READS else fieldpath.write_sent(part.path): None
        for part in surface.parts(operation)
        if part.side == side
    }
    near = difflib.get_close_matches(text, names, n=1, cutoff=0.7)
    hint = f"; the nearest is {near[0]}" if near else ""
    verb, preposition = ("reads", "of") if side == READS else ("sends", "to")
    message = (
        f"{consumer.name} {verb} {text} {preposition} {operation.name}, which {use.service} does not declare{hint}"
    )
    user = _user(consumer, use, message)
    return Fact("unknown-field", use.service, operation.name, text, message, (user,), field.origin)


def _undeclared(company: Company) -> Iterator[Fact]:
    """Calls in traces, logs and recordings that no manifest and no contract test of the caller speaks of."""
    declared: dict[_Key, list[Use]] = {}
    called: dict[_Key, list[tuple[Consumer, Use]]] = {}
    whole: set[tuple[str, str]] = set()
    for consumer, use in _uses(company):
        if use.operation is None:
            whole.add((consumer.name, use.service))
            continue
        key = (consumer.name, use.service, company.routes.key(use.service, use.operation))
        if use.confidence == "called":
            called.setdefault(key, []).append((consumer, use))
        else:
            declared.setdefault(key, []).append(use)
    speaking = {name for name, _, _ in declared}
    for key, seen in sorted(called.items(), key=lambda item: item[0]):
        consumer, use = seen[0]
        last = _last(use for _, use in seen)
        when = f", last on {last}" if last else ""
        if key not in declared:
            why = "which it does not declare" if consumer.name in speaking else "and declares nothing at all"
            if (consumer.name, use.service) in whole and consumer.name not in speaking:
                why = "and declares no more than that it uses the service"
            text = f"{consumer.name} was seen to call {key[2]}{when}, {why}"
            user = _user(consumer, use, text)
            yield Fact("undeclared-call", use.service, key[2], "", text, (user,), use.origin, last_seen=last)
            continue
        yield from _undeclared_fields(consumer, key, [use for _, use in seen], declared[key], last)


def _undeclared_fields(
    consumer: Consumer, key: _Key, seen: Iterable[Use], declared: Iterable[Use], last: str | None
) -> Iterator[Fact]:
    """What is sent and not declared. What is received is no such sign: a response holds more than is read of it."""
    said = [use.sends for use in declared]
    if any(fields is None for fields in said):
        return
    known = [field.path for fields in said for field in fields or ()]
    told: set[str] = set()
    for use in seen:
        for field in use.sends or ():
            text = fieldpath.write_sent(field.path)
            if field.path.place in {"path", "scope"} or field.shallow or text in told:
                continue
            if not any(fieldpath.touches(field.path, each) for each in known):
                told.add(text)
                message = f"{consumer.name} was seen to send {text} to {key[2]}, which it does not declare"
                user = _user(consumer, use, message)
                yield Fact("undeclared-field", key[1], key[2], text, message, (user,), field.origin, last_seen=last)


# --- declared, and not called -------------------------------------------------------------------------------------


def not_called(company: Company, days: int, as_of: date) -> list[Fact]:
    """Declared uses of which traffic shows no call for so many days, of services whose traffic is known at all."""
    watched: set[str] = set()
    last: dict[_Key, str] = {}
    for consumer, use in _uses(company):
        if use.confidence == "called" and use.operation is not None:
            watched.add(use.service)
            key = (consumer.name, use.service, company.routes.key(use.service, use.operation))
            last[key] = max(last.get(key, ""), use.date or "")
    facts: dict[_Key, Fact] = {}
    for consumer, use in _uses(company):
        if use.confidence == "called" or use.operation is None:
            continue
        key = (consumer.name, use.service, company.routes.key(use.service, use.operation))
        if use.service not in watched:
            text = f"not known: no traces, logs or recordings of {use.service}"
            facts.setdefault(("", use.service, ""), Fact("not-known", use.service, "", "", text))
            continue
        seen = last.get(key)
        if seen == "":  # called, and the source does not say when
            continue
        idle = (as_of - date.fromisoformat(seen[:10])).days if seen else None
        if idle is None or idle >= days:
            since = f"was last seen to call {key[2]} on {seen}, {idle} days ago" if seen else ""
            text = f"{consumer.name} {since or f'declares {key[2]} and was never seen to call it'}"
            user = _user(consumer, use, text)
            facts.setdefault(
                key, Fact("not-called", use.service, key[2], "", text, (user,), use.origin, last_seen=seen or None)
            )
    return [fact for _, fact in sorted(facts.items(), key=lambda item: (item[0][1], item[0][2], item[0][0]))]


def _uses(company: Company) -> Iterator[tuple[Consumer, Use]]:
    services = set(company.services)
    yield from ((consumer, use) for consumer in company.consumers for use in consumer.uses if use.service in services)


def _last(uses: Iterable[Use]) -> str | None:
    return max((use.date for use in uses if use.date), default=None)


def _user(consumer: Consumer, use: Use, sentence: str) -> User:
    certain = use.confidence != "called"
    return User(
        consumer.name, "uses", certain, 1, (sentence,), use.confidence, use.origin, consumer.owner, consumer.contact
    )

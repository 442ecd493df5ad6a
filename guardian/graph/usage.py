"""Who reads and sends what: the dependency graph asked about one field, one operation, or everything.

A question about a field is a blast radius without a change: whoever would be hit if the field went away uses it, at
every hop. So the answers here and the findings of a check can never disagree.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from guardian import fieldpath
from guardian.errors import UsageError
from guardian.fieldpath import Path
from guardian.graph import build
from guardian.graph.blast import blast
from guardian.graph.consumers.manifest import is_operation
from guardian.graph.consumers.routes import Routes, template_shape
from guardian.graph.surface import READS, SENDS, Surface
from guardian.graph.uses import Consumer
from guardian.model import Change, Confidence, ConsumerImpact, Direction, Effect, Hit, Impact, Location, Severity


@dataclass(frozen=True, slots=True)
class User:
    """One consumer that uses something.

    Attributes:
        how: ``reads``, ``sends`` or ``uses``.
        certain: False where it is only possible, since it does not say or was only seen to receive it.
        hops: 1 for a consumer of the operation itself, one more for each API that passes the field on.
        because: the path of evidence.
        confidence: ``asserted``, ``declared`` or ``called``.
    """

    consumer: str
    how: str
    certain: bool
    hops: int
    because: tuple[str, ...]
    confidence: str
    origin: Location | None = None
    owner: str | None = None
    contact: str | None = None


@dataclass(frozen=True, slots=True)
class Fact:
    """One answer.

    Attributes:
        kind: what it says: ``field``, ``operation``, ``service``, ``unused-field`` and so on; see the questions.
        field: as manifests write it; empty where the operation as a whole is meant.
        message: the answer in one sentence.
        users: whom it is about.
        place: where in the specification or manifest it stands.
        sunset: the day that something deprecated goes away (ISO 8601), as far as it is said.
        days_left: days until then; negative once it is past.
        last_seen: the day of the last recorded call (ISO 8601).
    """

    kind: str
    service: str
    operation: str
    field: str
    message: str
    users: tuple[User, ...] = ()
    place: Location | None = None
    sunset: str | None = None
    days_left: int | None = None
    last_seen: str | None = None


@dataclass(frozen=True, slots=True)
class Target:
    """What is asked about: an operation, or a field of it by the paths it may be read and sent by."""

    service: str
    operation: str
    field: str = ""
    read: Path | None = None
    sent: Path | None = None


@dataclass(frozen=True, slots=True)
class Company:
    """All that questions are asked about: one state of the services and of who uses them.

    Attributes:
        services: the services that are asked about, sorted.
        public: those that have readers whom nobody declared.
        owners: who answers for each service, where that is said.
        names: what services are called besides, and which of them that means.
    """

    routes: Routes
    consumers: tuple[Consumer, ...]
    services: tuple[str, ...]
    public: frozenset[str] = frozenset()
    owners: tuple[tuple[str, str], ...] = ()
    names: tuple[tuple[str, tuple[str, ...]], ...] = ()


def targets(text: str, company: Company, *, whole: bool = False) -> list[Target]:
    """What a user means by ``[SERVICE:]OPERATION[#FIELD]``, ``OPERATION.FIELD`` or a field alone.

    A field alone is that field of every operation which has it or is said to have it.

    Args:
        text: as it was written.
        company: the services that are looked through.
        whole: the text is an operation and has no field in it.

    Raises:
        UsageError: there is no such operation or field; the hint names what is close to it.
    """
    services, rest = _service(text.strip(), company)
    if not is_operation(rest.partition("#")[0]):
        if whole:
            raise UsageError(f"`{text}` names no operation", hint="write it as manifests do: `GET /users/{id}`")
        return _everywhere(rest, company, services)
    operation, mark, name = rest.partition("#")
    if not whole and not mark:
        operation, name = _split(rest, company, services)
    found = [
        _target(service, company.routes.key(service, operation), name)
        for service in services
        if _known(company, service, operation)
    ]
    if not found:
        raise _no_operation(operation, company, services)
    if name and not any(_is_there(each, company) for each in found):
        raise _no_field(name, found, company)
    return [_sided(each, company) for each in found]


def used_by(wanted: Sequence[Target], company: Company) -> list[Fact]:
    """Who uses each of these; a sentence for what nobody uses, too."""
    questions = [(target, change, how) for target in wanted for change, how in _changes(target)]
    traced = blast([change for _, change, _ in questions], company.routes, company.consumers).changes
    users: dict[Target, list[User]] = {target: [] for target in wanted}
    for (target, _, how), change in zip(questions, traced, strict=True):
        users[target].extend(_user(each, how) for each in change.consumers)
    return [_fact(target, _sorted(found)) for target, found in users.items()]


def overview(company: Company) -> list[Fact]:
    """For each service who uses it and how much of it."""
    graph = build.build(company.routes, company.consumers, set(company.services))
    known = set(company.routes.services)
    facts = []
    for service in company.services:
        used = build.operations(graph, service)
        names = {name for key in (*used, "") for name, _ in build.users(graph, service, key)}
        users = tuple(_plain_user(each, service) for each in company.consumers if each.name in names)
        total = len(company.routes.operations(service)) if service in known else None
        counts = f"{len(used)} of {total} operations" if total is not None else f"{len(used)} operations"
        text = f"{counts} in use by {_counted(users)}" if users else "nobody declares anything about it"
        facts.append(Fact("service", service, "", "", text, users))
    return facts


# --- what is meant ------------------------------------------------------------------------------------------------


def _service(text: str, company: Company) -> tuple[Sequence[str], str]:
    meant = {**dict(company.names), **{name: (name,) for name in company.services}}
    for name in sorted(meant, key=len, reverse=True):
        services = [each for each in meant[name] if each in company.services]
        if services and text.startswith((f"{name}:", f"{name} ")):
            return services, text[len(name) + 1 :].strip()
    return company.services, text


def _known(company: Company, service: str, operation: str) -> bool:
    if company.routes.head(service, operation) is not None:
        return True
    key = company.routes.key(service, operation)
    return any(
        use.service == service and use.operation and company.routes.key(service, use.operation) == key
        for consumer in company.consumers
        for use in consumer.uses
    )


def _split(text: str, company: Company, services: Sequence[str]) -> tuple[str, str]:
    """Operation and field of a text that joins them by a dot: the longest operation that there is."""
    names = [name for service in services for name in company.routes.operations(service)]
    known = {*names, *map(_form, names)}
    if _form(text) in known:
        return text, ""
    for at in sorted((at for at, char in enumerate(text) if char == "."), reverse=True):
        if text[:at] in known or _form(text[:at]) in known:
            return text[:at], text[at + 1 :]
    return text, ""


def _form(operation: str) -> str:
    """An operation's name without the names of its path variables."""
    method, _, path = operation.partition(" ")
    return f"{method.upper()} {template_shape(path)}"


def _target(service: str, operation: str, name: str) -> Target:
    if not name:
        return Target(service, operation)
    read = sent = None
    try:
        read = fieldpath.parse(name)
        sent = fieldpath.parse_sent(name)
    except ValueError as problem:
        if read is None:
            raise UsageError(str(problem)) from None
        # `name` alone: what reports call it. What is sent in a body is then meant as well.
        sent = read
    return Target(service, operation, name, read, sent)


def _everywhere(name: str, company: Company, services: Sequence[str]) -> list[Target]:
    """The operations that have a field, by their specification or by whoever uses it."""
    found: dict[tuple[str, str], Target] = {}
    wanted = _target("", "", name)
    if wanted.read is None:
        raise UsageError("--field is empty")
    for consumer in company.consumers:
        for use in consumer.uses:
            if use.service in services and use.operation and _uses(use.reads, wanted.read, use.sends, wanted.sent):
                key = company.routes.key(use.service, use.operation)
                found[use.service, key] = replace(wanted, service=use.service, operation=key)
    surface = Surface()
    for service in services:
        for operation in company.routes.operations(service):
            target = replace(wanted, service=service, operation=operation)
            if (service, operation) not in found and _declares(target, company, surface):
                found[service, operation] = target
    if not found:
        raise UsageError(f"no operation has a field `{name}`", hint="name the operation: `GET /users/{id}#email`")
    return [_sided(target, company) for _, target in sorted(found.items())]


def _sided(target: Target, company: Company) -> Target:
    """Of a field that may be meant to be read or sent, the side that the specification has, if it has only one."""
    operation = company.routes.head(target.service, target.operation)
    if operation is None or target.read is None or target.sent is None:
        return target
    surface = Surface()
    read = surface.has(operation, READS, target.read) is not False
    sent = surface.has(operation, SENDS, target.sent) is not False
    if read is sent:
        return target
    return replace(target, sent=None) if read else replace(target, read=None)


def _uses(reads: object, read: Path | None, sends: object, sent: Path | None) -> bool:
    pairs = ((reads, read), (sends, sent))
    return any(each.path == path for fields, path in pairs for each in (fields if isinstance(fields, tuple) else ()))


def _declares(target: Target, company: Company, surface: Surface) -> bool:
    operation = company.routes.head(target.service, target.operation)
    sides = ((READS, target.read), (SENDS, target.sent))
    return operation is not None and any(path and surface.has(operation, side, path) for side, path in sides)


def _is_there(target: Target, company: Company) -> bool:
    """Whether the specification may have a field, or somebody says that it does."""
    operation = company.routes.head(target.service, target.operation)
    if operation is None:
        return True
    surface = Surface()
    sides = ((READS, target.read), (SENDS, target.sent))
    if any(path is not None and surface.has(operation, side, path) is not False for side, path in sides):
        return True
    return any(user.certain for fact in used_by([target], company) for user in fact.users)


def _no_operation(operation: str, company: Company, services: Sequence[str]) -> UsageError:
    names = [name for service in services for name in company.routes.operations(service)]
    close = difflib.get_close_matches(operation, names, n=3)
    hint = f"did you mean {' or '.join(close)}?" if close else "`guardian usage` lists the services"
    return UsageError(f"there is no operation {operation}", hint=hint)


def _no_field(name: str, found: Sequence[Target], company: Company) -> UsageError:
    names: dict[str, None] = {}
    for target in found:
        operation = company.routes.head(target.service, target.operation)
        for part in Surface().parts(operation) if operation is not None else ():
            names[fieldpath.write(part.path) if part.side == READS else fieldpath.write_sent(part.path)] = None
    close = difflib.get_close_matches(name, names, n=3)
    hint = f"did you mean {' or '.join(close)}?" if close else None
    return UsageError(f"{found[0].operation} has no field `{name}`", hint=hint)


# --- who is hit ---------------------------------------------------------------------------------------------------


def _changes(target: Target) -> list[tuple[Change, str]]:
    """The changes that would hit exactly the users of something."""
    if target.read is None and target.sent is None:
        return [(gone(target.service, target.operation, None, Hit.EVERY_USER), "uses")]
    found = []
    if target.read is not None and target.read.place not in {"query", "path", "cookie", "scope"}:
        found.append((gone(target.service, target.operation, target.read, Hit.READER), READS))
    if target.sent is not None:
        found.append((gone(target.service, target.operation, target.sent, Hit.SENDER), SENDS))
    return found


def gone(service: str, operation: str, path: Path | None, hit: Hit) -> Change:
    """The change that takes something away, for asking whom it would hit."""
    return Change(
        rule="",
        service=service,
        operation=operation,
        direction=Direction.REQUEST if hit is Hit.SENDER else Direction.RESPONSE,
        place="",
        field=str(path) if path is not None else "",
        effect=Effect.CHANGED,
        severity=Severity.BREAKING,
        confidence=Confidence.CERTAIN,
        message="",
        why="",
        base=None,
        head=None,
        hit=hit,
        impact=Impact.BROKEN,
        strict_impact=Impact.BROKEN,
    )


def hit_by(changes: Sequence[tuple[Change, str]], company: Company) -> list[tuple[User, ...]]:
    """The users that each of these changes would hit; how they use it is said beside the change."""
    traced = blast([change for change, _ in changes], company.routes, company.consumers).changes
    return [
        tuple(_sorted([_user(each, how) for each in change.consumers]))
        for change, (_, how) in zip(traced, changes, strict=True)
    ]


def _user(each: ConsumerImpact, how: str) -> User:
    return User(
        each.consumer,
        how,
        each.impact is Impact.BROKEN,
        each.hops,
        each.because,
        each.confidence,
        each.manifest,
        each.owner,
        each.contact,
    )


def _plain_user(consumer: Consumer, service: str) -> User:
    uses = [use for use in consumer.uses if use.service == service]
    best = min(uses, key=lambda use: ("asserted", "declared", "called").index(use.confidence))
    operations = sorted({use.operation for use in uses if use.operation})
    sentence = f"{consumer.name} uses {_some(operations)}" if operations else f"{consumer.name} uses {service}"
    certain = best.confidence != "called" or bool(operations)
    return User(
        consumer.name, "uses", certain, 1, (sentence,), best.confidence, best.origin, consumer.owner, consumer.contact
    )


def _fact(target: Target, users: Sequence[User]) -> Fact:
    what = f"{target.field} of {target.operation}" if target.field else target.operation
    certain = {user.consumer for user in users if user.certain}
    possible = {user.consumer for user in users} - certain
    if not users:
        text = f"nobody is known to use {what}"
    else:
        parts = [f"{_counted(certain)} use{'s' if len(certain) == 1 else ''} {what}"] if certain else []
        if possible:
            parts.append(f"{_counted(possible)} may" + ("" if parts else f" use {what}"))
        text = ", ".join(parts)
    return Fact(
        "field" if target.field else "operation", target.service, target.operation, target.field, text, tuple(users)
    )


def _sorted(users: Iterable[User]) -> list[User]:
    return sorted(users, key=lambda user: (not user.certain, user.hops, user.consumer, user.how))


def _counted(users: Collection[object]) -> str:
    return "1 consumer" if len(users) == 1 else f"{len(users)} consumers"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more

"""What nobody needs, and what is going away while somebody still does.

Silence is not disuse: where a consumer does not say what it reads, or nobody declares anything at all, the answer is
"not known" and never "unused".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from guardian import fieldpath
from guardian.fieldpath import Path
from guardian.graph import build
from guardian.graph.surface import READS, SENDS, Part, Surface
from guardian.graph.usage import Company, Fact, User, gone, hit_by
from guardian.graph.uses import Field, Use
from guardian.model import Change, Hit, Location
from guardian.spec.api import Operation
from guardian.spec.dates import read_date


def unused(company: Company) -> list[Fact]:
    """Operations, fields and enum values that nobody uses, by service; and where that is not known."""
    graph = build.build(company.routes, company.consumers, set(company.services))
    surface = Surface()
    facts: list[Fact] = []
    for service in company.services:
        if service not in company.routes.services:
            continue
        declared = {use.consumer for each in company.consumers for use in each.uses if use.service == service}
        if not declared:
            facts.append(Fact("not-known", service, "", "", "nobody declares anything about it"))
            continue
        if service in company.public:
            text = "it is public, so it has users whom nobody declares: what follows is of the declared ones alone"
            facts.append(Fact("not-known", service, "", "", text))
        vague = dict(build.users(graph, service, ""))
        if vague:
            text = f"not known of what {', '.join(vague)} use{'s' if len(vague) == 1 else ''}: no operation is said"
            facts.append(Fact("not-known", service, "", "", text))
            continue
        for name in company.routes.operations(service):
            operation = company.routes.head(service, name)
            if operation is not None:
                facts.extend(_of_operation(operation, service, dict(build.users(graph, service, name)), surface))
    return facts


def _of_operation(operation: Operation, service: str, users: dict[str, list[Use]], surface: Surface) -> Iterator[Fact]:
    name = operation.name
    if not users:
        yield Fact("unused-operation", service, name, "", f"nobody uses {name}", place=operation.node.location)
        return
    parts = surface.parts(operation)
    for side, verb in ((READS, "reads"), (SENDS, "sends")):
        mine = [part for part in parts if part.side == side]
        if not mine:
            continue
        silent = sorted(
            each
            for each, uses in users.items()
            if all(_fields(use, side) is None for use in uses) or (side == READS and any(use.partial for use in uses))
        )
        if silent:
            text = f"not known what {', '.join(silent)} {'read' if side == READS else 'send'}{'s' if len(silent) == 1 else ''}"
            yield Fact("not-known", service, name, "", f"{text} of {name}" if side == READS else f"{text} to {name}")
            continue
        used = [field for uses in users.values() for use in uses for field in _all_fields(use, side)]
        yield from _of_side(mine, used, service, name, verb)


def _of_side(parts: Sequence[Part], used: Sequence[Field], service: str, name: str, verb: str) -> Iterator[Fact]:
    idle: list[Path] = []
    for part in parts:
        if any(part.path != each and part.path.place == "" and fieldpath.within(part.path, each) for each in idle):
            continue  # told with what it lies in
        text = fieldpath.write(part.path) if part.side == READS else fieldpath.write_sent(part.path)
        touching = [field for field in used if _touches(field, part.path)]
        preposition = "of" if part.side == READS else "to"
        if not touching:
            idle.append(part.path)
            count = len(part.values)
            more = f", an enum of {count} value{'' if count == 1 else 's'}" if part.values else ""
            message = f"nobody {verb} {text} {preposition} {name}{more}"
            yield Fact("unused-field", service, name, text, message, place=part.place)
            continue
        unseen = _unseen(part, touching)
        if unseen:
            seen = f"nobody was seen to {'receive' if part.side == READS else 'send'} {', '.join(unseen)}"
            yield Fact("unused-value", service, name, text, f"{seen} as {text} {preposition} {name}", place=part.place)


def _unseen(part: Part, touching: Iterable[Field]) -> list[str]:
    """The values of an enum that no recording shows; none where somebody uses it who shows no values at all."""
    shown = [field.values for field in touching]
    if not part.values or not all(shown):
        return []
    seen = {value for values in shown for value in values}
    return [value for value in part.values if value not in seen and value != "null"]


def _touches(field: Field, path: Path) -> bool:
    return fieldpath.touches(field.path, path) and (not field.shallow or fieldpath.within(field.path, path))


def _fields(use: Use, side: str) -> tuple[Field, ...] | None:
    return use.reads if side == READS else use.sends


def _all_fields(use: Use, side: str) -> Iterator[Field]:
    yield from _fields(use, side) or ()
    if side == READS:
        yield from (Field(each.path, each.origin) for each in use.exposes)


# --- what is going away -------------------------------------------------------------------------------------------


def deprecated(company: Company, as_of: date) -> list[Fact]:
    """Everything that is deprecated, who still uses it, and for how long it stays (``x-sunset``)."""
    surface = Surface()
    found: list[tuple[Fact, Change, str]] = []
    for service in company.services:
        for name in company.routes.operations(service) if service in company.routes.services else ():
            operation = company.routes.head(service, name)
            if operation is not None:
                found.extend(_going(operation, service, surface, as_of))
    users = hit_by([(change, how) for _, change, how in found], company)
    return [_with_users(fact, each) for (fact, _, _), each in zip(found, users, strict=True)]


def _going(operation: Operation, service: str, surface: Surface, as_of: date) -> Iterator[tuple[Fact, Change, str]]:
    name = operation.name
    if operation.deprecated:
        value = operation.node.value
        sunset = value.get("x-sunset") if isinstance(value, dict) else None
        fact = _dated(service, name, "", operation.node.location, sunset, as_of)
        yield fact, gone(service, name, None, Hit.EVERY_USER), "uses"
    for part in surface.parts(operation):
        if part.deprecated:
            text = fieldpath.write(part.path) if part.side == READS else fieldpath.write_sent(part.path)
            hit = Hit.READER if part.side == READS else Hit.SENDER
            fact = _dated(service, name, text, part.place, part.sunset, as_of)
            yield fact, gone(service, name, part.path, hit), part.side


def _dated(service: str, operation: str, field: str, place: Location, told: object, as_of: date) -> Fact:
    what = f"{field} of {operation}" if field else operation
    sunset = read_date(told)
    if sunset is None:
        words = "no sunset says until when it stays" if told is None else f"its sunset `{told}` is no date"
        return Fact("deprecated", service, operation, field, f"{what} is deprecated; {words}", place=place)
    left = (sunset - as_of).days
    days = f"{abs(left)} day{'' if abs(left) == 1 else 's'}"
    words = f"goes on {sunset}, in {days}" if left > 0 else f"may go since {sunset}" + (f", {days} ago" if left else "")
    return Fact(
        "deprecated", service, operation, field, f"{what} is deprecated and {words}", (), place, str(sunset), left
    )


def _with_users(fact: Fact, users: tuple[User, ...]) -> Fact:
    from dataclasses import replace

    names = list(dict.fromkeys(user.consumer for user in users))
    said = f"; still used by {', '.join(names)}" if names else "; nobody is known to use it"
    return replace(fact, message=fact.message + said, users=users)

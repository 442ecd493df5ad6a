"""Answers about usage as text for people, as Markdown, and as data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import guardian
from guardian.graph.usage import Fact, User
from guardian.model import Location, Note
from guardian.report import escape
from guardian.report.layout import Page

_KINDS = {
    "service": "Who uses what",
    "operation": "Who uses it",
    "field": "Who uses it",
    "unused-operation": "Operations that nobody uses",
    "unused-field": "Fields that nobody uses",
    "unused-value": "Enum values that nobody uses",
    "deprecated": "Deprecated",
    "unknown-operation": "Declared, and not in the specification: operations",
    "unknown-field": "Declared, and not in the specification: fields",
    "undeclared-call": "Seen, and not declared: calls",
    "undeclared-field": "Seen, and not declared: fields",
    "not-called": "Declared, and not called",
    "not-known": "Not known",
}
_BARE = {"reads": "read", "sends": "send", "uses": "use"}


def text(facts: Sequence[Fact], *, width: int, color: bool) -> str:
    """For a terminal: the answers by kind, each with its consumers below it."""
    page = Page(max(40, width))
    for kind in _kinds(facts):
        mine = [fact for fact in facts if fact.kind == kind]
        page.gap()
        page.line((f"{_KINDS[kind]} ({len(mine)})" if len(mine) > 1 else _KINDS[kind], "bold"))
        if kind == "unused-field":
            _unused_lines(page, mine)
            continue
        for fact in mine:
            place = f"  {_place(fact.place)}" if fact.place is not None and _is_about_specification(fact) else ""
            page.text(
                escape.terminal(fact.message) + escape.terminal(place),
                indent=2,
                lead=(escape.terminal(f"{fact.service}  ") if fact.service else "", "cyan"),
            )
            for user in fact.users:
                _user_lines(page, user, told=fact.message)
    if not facts:
        page.line(("nothing", ""))
    return page.render(color=color)


def _unused_lines(page: Page, facts: Sequence[Fact]) -> None:
    """The fields of one operation on one line: where each of them stands, the other forms say."""
    groups: dict[tuple[str, str], list[str]] = {}
    for fact in facts:
        groups.setdefault((fact.service, fact.operation), []).append(fact.field)
    for (service, operation), fields in groups.items():
        lead = (escape.terminal(f"{service}  "), "cyan")
        page.text(escape.terminal(f"{operation}: {', '.join(fields)}"), indent=2, lead=lead)


def _user_lines(page: Page, user: User, told: str) -> None:
    place = f"  {_place(user.origin)}" if user.origin is not None else ""
    hops = f"  hop {user.hops}" if user.hops > 1 else ""
    who = f" ({party})" if (party := _party(user)) else ""
    page.text(
        escape.terminal(f"{user.consumer}{who}{hops}  {user.confidence}{place}"),
        indent=4,
        lead=(f"{_how(user):<9} ", "" if user.certain else "yellow"),
    )
    for reason in user.because:
        if reason != told:
            page.text(escape.terminal(reason), indent=14, style="dim")


def markdown(facts: Sequence[Fact]) -> str:
    """A section for each kind, a table in each."""
    safe = escape.markdown
    parts: list[str] = []
    for kind in _kinds(facts):
        parts += [
            f"## {_KINDS[kind]}",
            "",
            "| service | operation | field | answer | consumers |",
            "|---|---|---|---|---|",
        ]
        for fact in facts:
            if fact.kind == kind:
                users = "<br>".join(
                    f"{_how(user)}: **{safe(user.consumer)}**"
                    + (f" ({safe(party)})" if (party := _party(user)) else "")
                    for user in fact.users
                )
                names = [escape.markdown_code(each) if each else "" for each in (fact.operation, fact.field)]
                parts.append(f"| {safe(fact.service)} | {' | '.join(names)} | {safe(fact.message)} | {users} |")
        parts.append("")
    return "\n".join(parts) if parts else "Nothing.\n"


def data(questions: Sequence[str], facts: Sequence[Fact], notes: Sequence[Note]) -> str:
    """The answers as JSON; keys that are not known are null."""
    return escape.json_text(
        {
            "guardian": guardian.__version__,
            "schema": 1,
            "questions": list(questions),
            "answers": [_fact(each) for each in facts],
            "notes": [{"level": each.level, "message": each.message, "file": each.file} for each in notes],
        }
    )


def _fact(fact: Fact) -> dict[str, Any]:
    return {
        "kind": fact.kind,
        "service": fact.service,
        "operation": fact.operation,
        "field": fact.field,
        "message": fact.message,
        "place": _where(fact.place),
        "sunset": fact.sunset,
        "days_left": fact.days_left,
        "last_seen": fact.last_seen,
        "consumers": [
            {
                "consumer": each.consumer,
                "how": each.how,
                "certain": each.certain,
                "hops": each.hops,
                "confidence": each.confidence,
                "because": list(each.because),
                "owner": each.owner,
                "contact": each.contact,
                "manifest": _where(each.origin),
            }
            for each in fact.users
        ],
    }


def _kinds(facts: Sequence[Fact]) -> list[str]:
    there = {fact.kind for fact in facts}
    return [kind for kind in _KINDS if kind in there]


def _is_about_specification(fact: Fact) -> bool:
    return fact.kind.startswith(("unused", "deprecated"))


def _how(user: User) -> str:
    return user.how if user.certain else f"may {_BARE[user.how]}"


def _party(user: User) -> str:
    return ", ".join(each for each in (user.owner, user.contact) if each)


def _place(place: Location | None) -> str:
    if place is None:
        return ""
    return f"{place.file}:{place.line}" if place.line is not None else place.file


def _where(place: Location | None) -> dict[str, Any] | None:
    if place is None:
        return None
    return {"file": place.file, "line": place.line, "pointer": place.pointer}

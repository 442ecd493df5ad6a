"""Saying on an operation's responses that something on it goes away: the headers of RFC 9745 and RFC 8594."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import Any

from guardian.fixes.edits import Edits
from guardian.fixes.json_patch import has
from guardian.fixes.transplant import reference_to
from guardian.fixes.work import Work
from guardian.spec.api import Operation
from guardian.spec.document import Document

# A component that many operations use is announced by its own mark; headers on all of them would be noise.
MOST_OPERATIONS = 8


def announce(work: Work, edits: Edits) -> None:
    """Describe ``Deprecation`` and ``Sunset`` headers on the success responses of the operations that are concerned."""
    concerned = [head for _, _, head in work.operations() if head is not None and not head.inverted]
    if len(concerned) > MOST_OPERATIONS:
        return
    for operation in concerned:
        announce_on(work, edits, operation)


def announce_on(work: Work, edits: Edits, operation: Operation) -> None:
    """Describe the two headers on one operation of head's."""
    for status, response in operation.parts.responses.items():
        if status.startswith("2") and isinstance(response.node.value, dict):
            put_headers(work, edits, response.node.document, response.node.pointer)


def put_headers(work: Work, edits: Edits, document: Document, at: str) -> None:
    """Describe the two headers on the response at a pointer."""
    for name, header in headers(work).items():
        if any(each.lower() == name.lower() for each in edits.get(document, f"{at}/headers", {}) or {}):
            continue
        if not work.dialect.request_body:  # OpenAPI 2.0 has no headers among its components
            edits.put(document, f"{at}/headers/{name}", header)
            continue
        home = work.head.document
        component = f"/components/headers/{name}"
        if not has(home.root, component):
            edits.put(home, component, header)
        edits.put(document, f"{at}/headers/{name}", {"$ref": reference_to(home, component, document)})


def headers(work: Work) -> dict[str, Any]:
    """The two headers as this version of OpenAPI describes them."""
    since = datetime.combine(work.situation.as_of, time(), UTC)
    examples = {"Deprecation": f"@{int(since.timestamp())}", "Sunset": http_date(work.situation.sunset)}
    sentences = {
        "Deprecation": "When what this response carries was deprecated (RFC 9745).",
        "Sunset": "When what is deprecated here goes away (RFC 8594).",
    }
    if not work.dialect.request_body:
        return {name: {"type": "string", "description": sentences[name]} for name in examples}
    return {
        name: {"description": sentences[name], "schema": {"type": "string"}, "example": example}
        for name, example in examples.items()
    }


_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def http_date(day: date) -> str:
    """The end of a day as HTTP writes dates (RFC 9110, section 5.6.7), whatever the locale."""
    return f"{_DAYS[day.weekday()]}, {day.day:02} {_MONTHS[day.month - 1]} {day.year} 23:59:59 GMT"

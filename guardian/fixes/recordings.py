"""Recorded interactions, held against a patched head: what a contract test sent and got must still be what fits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from guardian.errors import ReadError
from guardian.fixes.json_patch import get
from guardian.graph.consumers.bodies import is_json
from guardian.graph.consumers.routes import Routes
from guardian.graph.uses import Consumer, Use
from guardian.model import Direction
from guardian.rules.judge import Judge
from guardian.rules.rewrite import Role
from guardian.rules.validator import Unjudgeable
from guardian.spec.api import Api, MediaType, Operation, Schema
from guardian.spec.text import load


@dataclass(frozen=True, slots=True)
class Replayed:
    """What came of holding recordings against a side: how many bodies were judged, and who has one that fails."""

    judged: int
    failed: tuple[str, ...]


def replay(
    consumers: list[Consumer],
    files: Mapping[str, bytes],
    base: Mapping[str, Api],
    patched: Mapping[str, Api],
    services: frozenset[str],
) -> Replayed:
    """Judge every recorded JSON body that base accepted.

    Args:
        consumers: whose contract tests are looked at.
        files: the recordings by the name that reports give them.
        base: the APIs that the recordings were made against.
        patched: the APIs with the fix.
        services: the services to look at.
    """
    routes = Routes(base, patched)
    judged = 0
    failed: dict[str, None] = {}
    documents: dict[str, Any] = {}
    for consumer in consumers:
        for use in consumer.uses:
            if not use.tool.startswith("pact") or use.service not in services or use.origin.file not in files:
                continue
            file = use.origin.file
            if file not in documents:
                documents[file] = load(files[file], file)
            for verdict in _judged(routes, use, get(documents[file], use.origin.pointer)):
                judged += 1
                if not verdict:
                    failed[f"{consumer.name}'s recording of {use.operation}"] = None
    return Replayed(judged, tuple(sorted(failed)))


def _judged(routes: Routes, use: Use, interaction: Any) -> Iterator[bool]:
    operation = use.operation or ""
    base, patched = routes.base(use.service, operation), routes.head(use.service, operation)
    if base is None or not isinstance(interaction, dict):
        return
    for part, direction, role in (
        ("request", Direction.REQUEST, Role.RECEIVER),
        ("response", Direction.RESPONSE, Role.SENDER),
    ):
        message = interaction.get(part)
        body = _json_body(message)
        if not isinstance(message, dict) or body is None:
            continue
        before = _schema(base, part, message)
        if before is None or not _accepts(before, direction, role, body):
            continue  # an excerpt, or a recording of another time: nothing can be told from it
        after = _schema(patched, part, message) if patched is not None else None
        yield after is not None and _accepts(after, direction, role, body)


def _accepts(schema: Schema, direction: Direction, role: Role, body: Any) -> bool:
    try:
        return Judge(schema, direction, role).accepts(body)
    except (Unjudgeable, ReadError):
        return False


def _json_body(message: Any) -> Any:
    body = message.get("body") if isinstance(message, dict) else None
    if isinstance(body, dict) and "content" in body and isinstance(body.get("contentType"), str):  # version 4
        body = body["content"] if not body.get("encoded") else None
    return body if isinstance(body, (dict, list)) else None


def _schema(operation: Operation | None, part: str, message: dict[str, Any]) -> Schema | None:
    if operation is None:
        return None
    content: tuple[MediaType, ...] = ()
    if part == "request":
        content = operation.parts.body.content if operation.parts.body is not None else ()
    else:
        status = str(message.get("status", ""))
        responses = operation.parts.responses
        response = responses.get(status) or responses.get(f"{status[:1]}XX") or responses.get("default")
        content = response.content if response is not None else ()
    return next((each.schema for each in content if is_json(each.name)), None)

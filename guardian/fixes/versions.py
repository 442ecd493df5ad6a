"""Version bumps: base's form kept under its version, head's beside it under the next, the way the API does it already."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from guardian.fixes.draft import Draft
from guardian.fixes.edits import Edits
from guardian.fixes.endpoints import whole_operation
from guardian.fixes.json_patch import PatchError, get, has, pointer
from guardian.fixes.slots import last, parent
from guardian.fixes.transplant import Transplant
from guardian.fixes.work import VERSIONS, Work
from guardian.model import Strategy
from guardian.spec.api import Api, Operation

#: More operations than this are no version of some operations but of the API.
MOST_OPERATIONS = 20
_SEGMENT = re.compile(r"(?:^|(?<=/))v(\d+)(?=/|$)")
_MEDIA = re.compile(r"(?<=[.+;-])v(\d+)(?=[.+;-]|$)|(?<=version=)(\d+)")
_HEADERS = frozenset({"api-version", "x-api-version", "accept-version"})


@dataclass(frozen=True, slots=True)
class Versioning:
    """How an API tells its versions apart: ``path``, ``base path``, ``media type`` or ``header``; and the number in use."""

    kind: str
    current: int = 1
    header: str = ""


def versioning(api: Api) -> Versioning:
    """How an API tells versions apart, by its paths, servers, media types or header parameters; by path where it does not."""
    numbers = [int(found[1]) for each in api.operations.values() if (found := _SEGMENT.search(each.path))]
    if numbers:
        return Versioning("path", max(numbers))
    for server in api.servers:
        found = _SEGMENT.search(server.path)
        if found:
            return Versioning("base path", int(found[1]))
    for operation in api.operations.values():
        try:
            parts = operation.parts
        except PatchError:
            continue
        for parameter in parts.parameters:
            if parameter.location == "header" and parameter.name.lower() in _HEADERS:
                return Versioning("header", 1, parameter.name)
        bodies = [
            *(response.content for response in parts.responses.values()),
            parts.body.content if parts.body else (),
        ]
        for media in (each for content in bodies for each in content):
            found = _MEDIA.search(last(media.node.pointer)) or _MEDIA.search(media.name)
            if found:
                return Versioning("media type", int(found[1] or found[2]))
    return Versioning("path")


def version_bump(work: Work) -> Iterator[Draft]:
    """The operations of the group in base's form where they are, and in head's form under the next version."""
    scheme = versioning(work.head)
    if scheme.kind == "media type":
        yield from _by_media_type(work, scheme)
    operations = list(work.operations())
    if not operations or len(operations) > MOST_OPERATIONS:
        return
    if any(base is None or head is None or base.kind != "path" for _, base, head in operations):
        return
    edits = Edits()
    versions: dict[str, str] = {}
    places = []
    for name, base, head in operations:
        assert base is not None and head is not None
        if scheme.kind != "header":
            path, servers = _next_path(work, scheme, head)
            if path is None:
                return
            _beside(work, edits, head, path, servers)
            versions[name] = f"{head.method} {path}"
        places.append((base, head))
    for base, head in places:
        _keep(work, edits, base, head, scheme)
    names = [name for name, _, _ in operations]
    old = names[0] if len(names) == 1 else f"{len(names)} operations"
    new = " and ".join(versions.values()) if 0 < len(versions) < 3 else f"version {scheme.current + 1}"
    yield Draft(
        strategy=Strategy.VERSION_BUMP,
        service=work.service,
        specs=edits.specs,
        place_after=edits.place_after,
        does=f"keeps {old} as {'it is' if len(names) == 1 else 'they are'} and serves the new form as {new}",
        later=f"retire the former form of {old}",
        versions=versions,
    )


# --- by path --------------------------------------------------------------------------------------------------------


def _next_path(work: Work, scheme: Versioning, head: Operation) -> tuple[str | None, list[Any] | None]:
    """The path of the next version, and the servers it is on where they are not the document's."""
    taken = {each.path for each in work.head.operations.values() if each.method == head.method}
    number = scheme.current + 1
    if scheme.kind == "base path":
        if not work.dialect.request_body:
            return None, None  # OpenAPI 2.0 has one base path for all operations
        servers = _unversioned(work.head.document.root.get("servers"))
        path = f"/v{number}{head.path}"
        return (path, servers) if servers and path not in taken else (None, None)
    found = _SEGMENT.search(head.path)
    while True:
        path = f"{head.path[: found.start()]}v{number}{head.path[found.end() :]}" if found else f"/v{number}{head.path}"
        if path not in taken:
            return path, None
        number += 1


def _unversioned(servers: Any) -> list[Any] | None:
    """The servers without the version at the end of their path."""
    found: list[Any] = []
    for server in servers if isinstance(servers, list) else ():
        url = server.get("url") if isinstance(server, dict) else None
        if not isinstance(url, str):
            return None
        path = urlsplit(url).path.rstrip("/")
        if not _SEGMENT.search(path) or _SEGMENT.sub("", path).strip("/") != path.rpartition("/")[0].strip("/"):
            return None
        found.append({**server, "url": url.rstrip("/").rpartition("/")[0] or "/"})
    return found


def _beside(work: Work, edits: Edits, head: Operation, path: str, servers: list[Any] | None) -> None:
    """Head's operation, as it is, under another path."""
    root = work.head.document
    own = Transplant(work.head, work.head)
    value = dict(own.carry(head.node, root))
    shared = next((layer for layer in root.documents.layers(head.path_node) if "parameters" in layer.value), None)
    taken = work.bench.operation_ids(work.service)
    if value.get("operationId") in taken:
        value["operationId"] = _next_id(str(value["operationId"]), taken)
    at = pointer("paths", path)
    if not edits.has(root, at):
        item: dict[str, Any] = {}
        if servers is not None:
            item["servers"] = servers
        if shared is not None:
            item["parameters"] = own.carry(shared.child("parameters"), root)
        edits.put(root, at, item, after=head.path)
    edits.put(root, f"{at}/{last(head.node.pointer)}", value)


def _next_id(operation_id: str, taken: frozenset[str]) -> str:
    number = 2
    while f"{operation_id}V{number}" in taken:
        number += 1
    return f"{operation_id}V{number}"


def _keep(work: Work, edits: Edits, base: Operation, head: Operation, scheme: Versioning) -> None:
    """Base's operation in the place of head's."""
    document, at = head.node.document, head.node.pointer
    transplant = work.transplant(freeze=True)
    value = whole_operation(work, edits, base, document, transplant, parent(at))
    edits.take(transplant)
    if scheme.kind == "header":  # one operation for a path and method: the other version is kept in an extension
        value[VERSIONS] = {str(scheme.current + 1): head.node.value}
    edits.put(document, at, value)


# --- by media type --------------------------------------------------------------------------------------------------


def _by_media_type(work: Work, scheme: Versioning) -> Iterator[Draft]:
    """Base's media type in base's form, and the next version's in head's, where the group's changes are in such bodies."""
    edits = Edits()
    names: list[str] = []
    for change in work.group.changes:
        base, head = work.routes.base(work.service, change.operation), work.routes.head(work.service, change.operation)
        media = change.place.rpartition(" ")[2]
        found = _MEDIA.search(media)
        if base is None or head is None or not found:
            return
        for status in _parts(change.place):
            at = f"{head.node.pointer}{status}/content{pointer(media)}"
            former = f"{base.node.pointer}{status}/content{pointer(media)}"
            if not has(head.node.document.root, at) or not has(base.node.document.root, former):
                return
            successor = f"{media[: found.start()]}{found[0].replace(found[1] or found[2], str(scheme.current + 1))}{media[found.end() :]}"
            transplant = work.transplant(freeze=True)
            before = transplant.carry(base.node.document.node(former), head.node.document)
            edits.put(
                head.node.document, f"{parent(at)}{pointer(successor)}", get(head.node.document.root, at), after=media
            )
            edits.take(transplant)
            edits.put(head.node.document, at, before)
            names.append(successor)
    if names:
        new = sorted(set(names))
        yield Draft(
            strategy=Strategy.VERSION_BUMP,
            service=work.service,
            specs=edits.specs,
            place_after=edits.place_after,
            does=f"keeps {work.group.first.place.rpartition(' ')[2]} as it is and offers the new form as {new[0]}",
            later="retire the former media type",
        )


def _parts(place: str) -> Iterator[str]:
    """The pointers, below an operation, of the part that a place names."""
    if place.startswith("response "):
        yield f"/responses{pointer(place.split(' ')[1])}"
    elif place.startswith("request body"):
        yield "/requestBody"

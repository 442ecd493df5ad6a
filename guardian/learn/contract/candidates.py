"""Everything that could be named at all: what policies without judgement draw from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from guardian.learn.contract.actions import Observation
from guardian.learn.contract.mutations.sites import follow, operations
from guardian.learn.contract.payloads import holders, leaves, write_place

Json = dict[str, Any]

_DEPTH = 5


def payload_places(observation: Observation) -> list[str]:
    """Every place in the payload, and those that its schema declares beside what is there."""
    document = observation.api_spec.get("document") or {}
    declared: set[str] = set()
    for schema in ((document.get("components") or {}).get("schemas") or {}).values():
        declared.update(schema.get("properties") or ())
    found = {write_place(at) for at, _ in leaves(observation.payload)}
    for at, holder in holders(observation.payload):
        found.update(write_place((*at, name)) for name in declared - holder.keys())
    return sorted(found)


def version_places(observation: Observation) -> list[str]:
    """Every operation of both versions, and every field and parameter of each."""
    found: set[str] = set()
    for side in ("base", "head"):
        document = observation.api_spec.get(side) or {}
        for path, method, operation in operations(document):
            name = f"{method.upper()} {path}"
            found.add(name)
            shared = document["paths"][path].get("parameters") or ()
            for parameter in (*shared, *(operation.get("parameters") or ())):
                parameter = follow(document, parameter)
                found.add(f"{name}.{parameter.get('in')}:{parameter.get('name')}")
            bodies = [operation.get("requestBody"), *(operation.get("responses") or {}).values()]
            for body in bodies:
                for media in (follow(document, body).get("content") or {}).values():
                    found.update(f"{name}.{field}" for field in fields(document, media.get("schema")))
    return sorted(found)


def fields(document: Json, schema: Any, prefix: str = "", depth: int = 0) -> Iterator[str]:
    """The field paths below a schema, as manifests write them."""
    schema = follow(document, schema)
    if depth > _DEPTH:
        return
    for part in (*(schema.get("allOf") or ()), *(schema.get("anyOf") or ()), *(schema.get("oneOf") or ())):
        yield from fields(document, part, prefix, depth + 1)
    for name, value in (schema.get("properties") or {}).items():
        path = f"{prefix}.{name}" if prefix else name
        yield path
        yield from fields(document, value, path, depth + 1)
    if isinstance(schema.get("items"), dict):
        yield f"{prefix}[]"
        yield from fields(document, schema["items"], f"{prefix}[]", depth + 1)


def names(observation: Observation) -> list[str]:
    """Every consumer."""
    return sorted(observation.consumer_specs)


def service_fields(observation: Observation) -> list[str]:
    """Every bare field name of both versions' components, for the short forms of fixes."""
    found: set[str] = set()
    for side in ("base", "head"):
        document = observation.api_spec.get(side) or {}
        for _, _, operation in operations(document):
            for body in (operation.get("requestBody"), *(operation.get("responses") or {}).values()):
                for media in (follow(document, body).get("content") or {}).values():
                    found.update(fields(document, media.get("schema")))
    return sorted(found)

"""Companies to learn in: services with their specifications, and consumers with their manifests, from a seed.

Everything is drawn from ``vocabulary``; what any change does in such a company is the engine's to say. A company can
also be read from a user's own guardian.yaml, so that episodes play on real specifications and manifests.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from guardian.lazy import cached_property
from guardian.learn.contract.engine import Ground
from guardian.learn.contract.mutations.sites import clone
from guardian.learn.contract.schemas import SHARED, camel, component, components_of, field_schema
from guardian.learn.contract.vocabulary import SPLITS, Industry, Resource

Json = dict[str, Any]

MAX_SERVICES = 50


@dataclass(frozen=True)
class Company:
    """Specifications by service and manifests by consumer, as plain data; treat both as read-only.

    ``ledger`` names the service whose specification declares cross-field constraints, if there is one.
    ``ground`` is the engine's reading of both, made on first need.
    """

    name: str
    services: Mapping[str, Json]
    manifests: Mapping[str, Json]
    ledger: str | None = None

    @cached_property
    def ground(self) -> Ground:
        return Ground(self.services, self.manifests)


def generate(seed: int, *, services: int | None = None, split: str = "train") -> Company:
    """A company.

    Args:
        seed: the same seed gives the same company.
        services: how many, 1 to 50; 3 to 5 where not given.
        split: ``train`` or ``heldout``: which vocabularies to draw from.

    Raises:
        ValueError: an unknown split, or a number of services that is out of range.
    """
    if split not in SPLITS:
        raise ValueError(f"unknown split {split!r}: train or heldout")
    rng = Random(f"company:{split}:{seed}")
    count = rng.randint(3, 5) if services is None else services
    if not 1 <= count <= MAX_SERVICES:
        raise ValueError(f"a company has 1 to {MAX_SERVICES} services, not {count}")
    industry = rng.choice(SPLITS[split])
    resources = list(industry.resources)
    rng.shuffle(resources)
    documents: dict[str, Json] = {}
    owners: dict[str, Resource] = {}
    for index in range(count):
        # Beyond its vocabulary a company grows by regions, each with services of its own.
        resource = resources[index % len(resources)]
        region = "" if index < len(resources) else f"-{_REGIONS[(index // len(resources) - 1) % len(_REGIONS)]}"
        name = f"{resource.plural}{region}"
        documents[name] = _service(name, resource, industry, rng)
        owners[name] = resource
    from guardian.learn.contract.consumers import declare

    return Company(industry.name, documents, declare(documents, owners, industry, rng), next(iter(documents)))


_REGIONS = ("north", "south", "east", "west", "islands", "capital", "coast", "inland", "border", "overseas", "metro",
            "valley")  # fmt: skip


def _service(name: str, resource: Resource, industry: Industry, rng: Random) -> Json:
    dialect = rng.choice(("3.0.3", "3.1.0"))
    whole = camel(resource.name)
    schemas = {key: component(fields, dialect, rng) for key, fields in SHARED.items()}
    schemas.update(components_of(resource, dialect, rng, closed=rng.random() < 0.5))
    schemas[f"{whole}Summary"] = _summary(schemas[whole])
    schemas[f"{whole}Page"] = {
        "type": "object",
        "required": ["items", "total_count"],
        "properties": {
            "items": {"type": "array", "items": _reference(f"{whole}Summary")},
            "total_count": {"type": "integer", "minimum": 0},
            "next_cursor": field_schema("text", dialect, rng, nullable=True),
        },
    }
    document: Json = {
        "openapi": dialect,
        "info": {
            "title": f"{resource.plural.replace('-', ' ').capitalize()} API",
            "version": f"{rng.randint(1, 6)}.{rng.randint(0, 9)}.0",
        },
        "servers": [{"url": f"https://{name}.{industry.name}.example"}],
        "paths": _paths(resource, schemas, rng),
        "components": {"schemas": dict(sorted(schemas.items())), "securitySchemes": _schemes(resource)},
        "security": [{"oauth": [f"{resource.plural}.read"]}],
    }
    return clone(document)  # no two places share an object, so that an edit has one place


def _summary(whole: Json) -> Json:
    """What a list tells of each: the flat fields."""
    flat = {key: value for key, value in whole["properties"].items() if value.get("type") not in ("array", "object")}
    few = dict(list(flat.items())[:7])
    return {"type": "object", "required": [key for key in few if key in whole["required"]], "properties": few}


def _schemes(resource: Resource) -> Json:
    scopes = {f"{resource.plural}.{verb}": f"May {verb} {resource.plural}." for verb in ("read", "write", "admin")}
    flow = {
        "authorizationUrl": "https://login.example/authorize",
        "tokenUrl": "https://login.example/token",
        "scopes": scopes,
    }
    return {
        "oauth": {"type": "oauth2", "flows": {"authorizationCode": flow}},
        "key": {"type": "apiKey", "in": "header", "name": "X-Api-Key"},
    }


def _paths(resource: Resource, schemas: Json, rng: Random) -> Json:
    whole, plural = camel(resource.name), resource.plural
    write = {"security": [{"oauth": [f"{plural}.write"]}]}
    identifier = {
        "name": f"{resource.name}_id",
        "in": "path",
        "required": True,
        "schema": {"type": "string", "format": "uuid"},
    }
    enums = [name for name, value in schemas[whole]["properties"].items() if "enum" in value]
    filters = [_query(name, schemas[whole]["properties"][name]) for name in enums[:1]]
    listing = [
        *filters,
        _query("limit", {"type": "integer", "minimum": 1, "maximum": 100}),
        _query("cursor", {"type": "string"}),
        _query("sort", {"type": "string", "enum": ["newest", "oldest"]}),
    ]
    problem = {"application/problem+json": {"schema": _reference("Problem")}}
    missing = {"404": {"description": "There is none.", "content": problem}}
    refused = {"422": {"description": "It cannot be done.", "content": problem}}
    one = f"/{plural}/{{{resource.name}_id}}"
    paths: Json = {
        f"/{plural}": {
            "get": _operation(
                f"list{camel(plural)}", f"List {plural}.", {"200": _answer(f"{whole}Page")}, parameters=listing
            ),
            "post": _operation(
                f"create{whole}",
                f"Create a {resource.name.replace('_', ' ')}.",
                {"201": _answer(whole), **refused},
                body=f"{whole}Create",
                parameters=[_header("Idempotency-Key", {"type": "string", "maxLength": 64})],
                **write,
            ),
        },
        one: {
            "parameters": [identifier],
            "get": _operation(
                f"get{whole}",
                f"Read a {resource.name.replace('_', ' ')}.",
                {"200": _answer(whole), **missing},
                parameters=[_query("expand", {"type": "array", "items": {"type": "string"}})],
            ),
        },
    }
    if rng.random() < 0.8:
        paths[one]["patch"] = _operation(
            f"update{whole}",
            "Change some of its fields.",
            {"200": _answer(whole), **missing},
            body=f"{whole}Update",
            **write,
        )
    if rng.random() < 0.6:
        paths[one]["delete"] = _operation(
            f"delete{whole}", "Remove it.", {"204": {"description": "It is gone."}, **missing},
            security=[{"oauth": [f"{plural}.admin"]}],
        )  # fmt: skip
    action = {
        "type": "object",
        "required": ["reason", "effective_on"],
        "properties": {
            "reason": {"type": "string", "enum": ["requested", "mistake", "policy"]},
            "effective_on": {"type": "string", "format": "date"},
            "notify": {"type": "boolean"},
            "contact": {"type": "string", "format": "email"},
        },
    }
    result = {
        "type": "object",
        "required": ["id", "state", "done_at"],
        "properties": {
            "id": {"type": "string", "format": "uuid"},
            "state": {"type": "string", "enum": ["accepted", "done", "rejected"]},
            "done_at": {"type": "string", "format": "date-time"},
            "receipt_url": {"type": "string", "format": "uri"},
            "warnings": {"type": "array", "items": {"type": "string"}},
        },
    }
    paths[f"{one}/{resource.action}"] = {
        "parameters": [identifier],
        "post": {
            "operationId": f"{camel(resource.action)[0].lower()}{camel(resource.action)[1:]}{whole}",
            "summary": f"{resource.action.capitalize()} it.",
            "parameters": [_query("dry_run", {"type": "boolean"})],
            "requestBody": {"required": True, "content": {"application/json": {"schema": action}}},
            "responses": {
                "200": {"description": "Done.", "content": {"application/json": {"schema": result}}},
                **refused,
            },
            **write,
        },
    }
    return paths


def _operation(name: str, summary: str, responses: Json, *, body: str | None = None, **more: Any) -> Json:
    operation: Json = {"operationId": name, "summary": summary, **more}
    if body is not None:
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": _reference(body)}}}
    operation["responses"] = responses
    return operation


def _answer(schema: str) -> Json:
    return {"description": "The answer.", "content": {"application/json": {"schema": _reference(schema)}}}


def _query(name: str, schema: Json) -> Json:
    return {"name": name, "in": "query", "schema": schema}


def _header(name: str, schema: Json) -> Json:
    return {"name": name, "in": "header", "schema": schema}


def _reference(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def read_company(config_file: Path) -> Company:
    """A user's own company: what guardian.yaml names, with external references bundled by the loader.

    Raises:
        GuardianError: guardian.yaml, a specification or a manifest cannot be read.
    """
    from guardian.learn.contract.own import read

    return read(config_file)

"""Mutations of structure: envelopes, nesting, arrays, pagination."""

from __future__ import annotations

from random import Random
from typing import Any

from guardian.learn.contract.mutations.registry import operator
from guardian.learn.contract.mutations.sites import (
    Site,
    bodies,
    clone,
    follow,
    fresh,
    kind,
    objects,
    operations,
    pick,
    properties,
    put,
)

Json = dict[str, Any]

_PAGE = ("items", "data", "results", "entries")


@operator("wrap-response-in-envelope")
def wrap_response(document: Json, rng: Random) -> str | None:
    found = [media for _, media in bodies(document, "response")]
    if not found:
        return None
    media = rng.choice(found)
    media["schema"] = {"type": "object", "required": ["data"], "properties": {"data": media["schema"]}}
    return "the answer lies in an envelope"


@operator("wrap-request-in-envelope")
def wrap_request(document: Json, rng: Random) -> str | None:
    found = [media for _, media in bodies(document, "request")]
    if not found:
        return None
    media = rng.choice(found)
    media["schema"] = {"type": "object", "required": ["payload"], "properties": {"payload": media["schema"]}}
    return "the body lies in an envelope"


def _pages(document: Json) -> list[tuple[Json, str, Json]]:
    """Media types whose schema is an object around one array of objects: media type, name, array."""
    found = []
    for _, media in bodies(document, "response"):
        schema = follow(document, media["schema"])
        for name in _PAGE:
            value = (schema.get("properties") or {}).get(name)
            if isinstance(value, dict) and value.get("type") == "array":
                found.append((media, name, value))
    return found


@operator("page-becomes-bare-array")
def page_becomes_array(document: Json, rng: Random) -> str | None:
    pages = _pages(document)
    if not pages:
        return None
    media, _, array = rng.choice(pages)
    media["schema"] = clone(array)
    return "the list comes without its envelope"


@operator("rename-page-items")
def rename_page_items(document: Json, rng: Random) -> str | None:
    pages = _pages(document)
    if not pages:
        return None
    media, name, array = rng.choice(pages)
    schema = media["schema"] = clone(follow(document, media["schema"]))
    becomes = rng.choice([each for each in _PAGE if each != name])
    put(schema["properties"], becomes, array, name)
    schema["required"] = [becomes if each == name else each for each in schema.get("required", ())]
    return f"the list is called {becomes}"


@operator("cursor-becomes-page-number")
def cursor_becomes_page(document: Json, rng: Random) -> str | None:
    for _, _, operation in operations(document):
        for parameter in operation.get("parameters") or ():
            if parameter.get("name") in ("cursor", "offset") and parameter.get("in") == "query":
                parameter["name"] = "page"
                parameter["schema"] = {"type": "integer", "minimum": 1}
                return "pages are asked for by number"
    return None


@operator("nest-response-field")
def nest_response_field(document: Json, rng: Random) -> str | None:
    return _nest(pick(document, rng, "response", "string", "integer", "number", "boolean"), rng)


@operator("nest-request-field")
def nest_request_field(document: Json, rng: Random) -> str | None:
    return _nest(pick(document, rng, "request", "string", "integer", "number", "boolean", required=True), rng)


def _nest(site: Site | None, rng: Random) -> str | None:
    if site is None:
        return None
    group = fresh(site.owner["properties"], rng.choice(("details", "profile", "attributes")))
    value: Json = {"type": "object", "properties": {site.name: site.schema}}
    if site.required:
        value["required"] = [site.name]
        site.owner["required"] = [group if each == site.name else each for each in site.owner["required"]]
    put(site.owner["properties"], group, value, site.name)
    return f"{site.name} lies in {group}"


@operator("flatten-response-object")
def flatten_response_object(document: Json, rng: Random) -> str | None:
    found = [site for site in properties(document, "response") if site.target.get("properties")]
    if not found:
        return None
    site = rng.choice(found)
    inner = clone(site.target)
    del site.owner["properties"][site.name]
    for name, schema in inner["properties"].items():
        site.owner["properties"][fresh(site.owner["properties"], f"{site.name}_{name}")] = schema
    if site.required:
        site.owner["required"] = [each for each in site.owner["required"] if each != site.name]
    return f"{site.name} is flat"


@operator("response-value-becomes-array")
def response_value_becomes_array(document: Json, rng: Random) -> str | None:
    site = pick(document, rng, "response", "string")
    if site is None:
        return None
    site.owner["properties"][site.name] = {"type": "array", "items": site.schema}
    return f"there are several {site.name}"


@operator("response-array-becomes-value")
def response_array_becomes_value(document: Json, rng: Random) -> str | None:
    found = [site for site in properties(document, "response") if kind(site.target) == "array"]
    found = [site for site in found if isinstance(site.target.get("items"), dict)]
    if not found:
        return None
    site = rng.choice(found)
    site.owner["properties"][site.name] = clone(site.target["items"])
    return f"there is one {site.name}"


@operator("close-request-object")
def close_request_object(document: Json, rng: Random) -> str | None:
    found = [schema for schema in objects(document, "request") if "additionalProperties" not in schema]
    if not found:
        return None
    rng.choice(found)["additionalProperties"] = False
    return "unknown keys are refused"


@operator("response-gains-alternative")
def response_gains_alternative(document: Json, rng: Random) -> str | None:
    site = pick(document, rng, "response", "string", "integer", "number")
    if site is None:
        return None
    site.owner["properties"][site.name] = {
        "oneOf": [site.schema, {"type": "object", "properties": {"value": {"type": "string"}}}]
    }
    return f"{site.name} may be an object"

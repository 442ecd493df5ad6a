"""Mutations of fields: renamed, removed, retyped, required, nullable."""

from __future__ import annotations

from random import Random
from typing import Any

from guardian.learn.contract.mutations.registry import operator
from guardian.learn.contract.mutations.sites import Site, fresh, kind, pick, properties, put

Json = dict[str, Any]

_SCALARS = ("string", "integer", "number", "boolean")
_AFFIX = ("_value", "_v2", "_code", "_info")


@operator("rename-response-field")
def rename_response_field(document: Json, rng: Random) -> str | None:
    site = pick(document, rng, "response", *_SCALARS)
    return _rename(site, rng) if site else None


@operator("rename-request-field")
def rename_request_field(document: Json, rng: Random) -> str | None:
    site = pick(document, rng, "request", *_SCALARS, required=True)
    return _rename(site, rng) if site else None


def _rename(site: Site, rng: Random) -> str:
    head, _, tail = site.name.rpartition("_")
    camel = head + tail.capitalize() if head else ""
    name = fresh(site.owner["properties"], rng.choice([site.name + rng.choice(_AFFIX), camel or f"the_{site.name}"]))
    put(site.owner["properties"], name, site.schema, site.name)
    if site.required:
        site.owner["required"] = [name if each == site.name else each for each in site.owner["required"]]
    return f"{site.name} is called {name}"


@operator("remove-required-response-field")
def remove_required_response_field(document: Json, rng: Random) -> str | None:
    return _remove(pick(document, rng, "response", required=True))


@operator("remove-optional-response-field")
def remove_optional_response_field(document: Json, rng: Random) -> str | None:
    return _remove(pick(document, rng, "response", required=False))


@operator("remove-request-field")
def remove_request_field(document: Json, rng: Random) -> str | None:
    return _remove(pick(document, rng, "request"))


def _remove(site: Site | None) -> str | None:
    if site is None or len(site.owner["properties"]) < 2:
        return None
    del site.owner["properties"][site.name]
    if site.required:
        site.owner["required"] = [each for each in site.owner["required"] if each != site.name]
    return f"{site.name} is gone"


@operator("require-request-field")
def require_request_field(document: Json, rng: Random) -> str | None:
    return _require(pick(document, rng, "request", required=False))


@operator("require-response-field", harmless=True)
def require_response_field(document: Json, rng: Random) -> str | None:
    return _require(pick(document, rng, "response", required=False))


def _require(site: Site | None) -> str | None:
    if site is None:
        return None
    site.owner["required"] = [*site.owner.get("required", ()), site.name]
    return f"{site.name} is required"


@operator("relax-response-field")
def relax_response_field(document: Json, rng: Random) -> str | None:
    return _relax(pick(document, rng, "response", required=True))


@operator("relax-request-field", harmless=True)
def relax_request_field(document: Json, rng: Random) -> str | None:
    return _relax(pick(document, rng, "request", required=True))


def _relax(site: Site | None) -> str | None:
    if site is None:
        return None
    site.owner["required"] = [each for each in site.owner["required"] if each != site.name]
    if not site.owner["required"]:
        del site.owner["required"]
    return f"{site.name} is optional"


@operator("add-required-request-field")
def add_required_request_field(document: Json, rng: Random) -> str | None:
    return _add(document, rng, "request", required=True)


@operator("add-optional-request-field", harmless=True)
def add_optional_request_field(document: Json, rng: Random) -> str | None:
    return _add(document, rng, "request", required=False)


@operator("add-optional-response-field", harmless=True)
def add_optional_response_field(document: Json, rng: Random) -> str | None:
    return _add(document, rng, "response", required=False)


@operator("add-required-response-field", harmless=True)
def add_required_response_field(document: Json, rng: Random) -> str | None:
    return _add(document, rng, "response", required=True)


def _add(document: Json, rng: Random, direction: str, *, required: bool) -> str | None:
    site = pick(document, rng, direction)
    if site is None:
        return None
    name = fresh(
        site.owner["properties"], rng.choice(("region", "channel", "source", "version", "locale", "origin_id"))
    )
    site.owner["properties"][name] = {"type": "string"}
    if required:
        site.owner["required"] = [*site.owner.get("required", ()), name]
    return f"{name} is new"


@operator("retype-response-field")
def retype_response_field(document: Json, rng: Random) -> str | None:
    return _retype(pick(document, rng, "response", *_SCALARS), rng)


@operator("retype-request-field")
def retype_request_field(document: Json, rng: Random) -> str | None:
    return _retype(pick(document, rng, "request", *_SCALARS), rng)


def _retype(site: Site | None, rng: Random) -> str | None:
    if site is None:
        return None
    was = kind(site.target)
    becomes = rng.choice([each for each in _SCALARS if each != was and {each, was} != {"integer", "number"}])
    site.owner["properties"][site.name] = {"type": becomes}
    return f"{site.name} is {becomes}"


@operator("integer-response-becomes-number")
def integer_becomes_number(document: Json, rng: Random) -> str | None:
    site = pick(document, rng, "response", "integer")
    if site is None:
        return None
    site.own()["type"] = "number"
    return f"{site.name} may have decimals"


@operator("number-request-becomes-integer")
def number_becomes_integer(document: Json, rng: Random) -> str | None:
    site = pick(document, rng, "request", "number")
    if site is None:
        return None
    site.own()["type"] = "integer"
    return f"{site.name} must be whole"


def nullable(schema: Json) -> bool:
    """Whether null is allowed, in either spelling."""
    return schema.get("nullable") is True or (isinstance(schema.get("type"), list) and "null" in schema["type"])


def _pick_nullable(document: Json, rng: Random, direction: str, wanted: bool) -> Site | None:
    found = [
        site
        for site in properties(document, direction)
        if kind(site.target) in _SCALARS and "enum" not in site.target and nullable(site.target) is wanted
    ]
    return rng.choice(found) if found else None


def _allow_null(site: Site | None) -> str | None:
    if site is None:
        return None
    schema = site.own()
    if str(site.document.get("openapi", "")).startswith("3.0"):
        schema["nullable"] = True
    else:
        schema["type"] = [schema["type"], "null"]
    return f"{site.name} may be null"


def _refuse_null(site: Site | None) -> str | None:
    if site is None:
        return None
    schema = site.own()
    schema["type"] = kind(schema)
    schema.pop("nullable", None)
    return f"{site.name} is never null"


@operator("response-field-may-be-null")
def response_field_may_be_null(document: Json, rng: Random) -> str | None:
    return _allow_null(_pick_nullable(document, rng, "response", False))


@operator("request-field-may-be-null", harmless=True)
def request_field_may_be_null(document: Json, rng: Random) -> str | None:
    return _allow_null(_pick_nullable(document, rng, "request", False))


@operator("request-field-not-null")
def request_field_not_null(document: Json, rng: Random) -> str | None:
    return _refuse_null(_pick_nullable(document, rng, "request", True))


@operator("response-field-not-null", harmless=True)
def response_field_not_null(document: Json, rng: Random) -> str | None:
    return _refuse_null(_pick_nullable(document, rng, "response", True))

"""Mutations of parameters: required, removed, renamed, moved, retyped, restricted, written differently."""

from __future__ import annotations

from random import Random
from typing import Any

from guardian.learn.contract.mutations.registry import operator
from guardian.learn.contract.mutations.sites import fresh, operations, parameters

Json = dict[str, Any]


def _pick(document: Json, rng: Random, *locations: str, **fits: Any) -> tuple[list[Any], Json] | None:
    found = parameters(document, *locations)
    for keyword, wanted in fits.items():
        found = [each for each in found if bool(each[1].get(keyword) or each[1]["schema"].get(keyword)) is wanted]
    return rng.choice(found) if found else None


def _add(document: Json, rng: Random, location: str, name: str, *, required: bool) -> str | None:
    found = operations(document)
    if not found:
        return None
    path, method, operation = rng.choice(found)
    listed = operation.setdefault("parameters", [])
    name = fresh([each.get("name") for each in listed if isinstance(each, dict)], name)
    listed.append({"name": name, "in": location, "required": required, "schema": {"type": "string"}})
    return f"{method} {path} takes {name}"


@operator("add-required-query-parameter")
def add_required_query(document: Json, rng: Random) -> str | None:
    return _add(document, rng, "query", rng.choice(("tenant", "market", "api_version")), required=True)


@operator("add-optional-query-parameter", harmless=True)
def add_optional_query(document: Json, rng: Random) -> str | None:
    return _add(document, rng, "query", rng.choice(("fields", "locale", "trace")), required=False)


@operator("add-required-header")
def add_required_header(document: Json, rng: Random) -> str | None:
    return _add(document, rng, "header", rng.choice(("X-Tenant", "X-Client-Id")), required=True)


@operator("add-optional-header", harmless=True)
def add_optional_header(document: Json, rng: Random) -> str | None:
    return _add(document, rng, "header", rng.choice(("X-Request-Id", "X-Debug")), required=False)


@operator("remove-query-parameter")
def remove_query(document: Json, rng: Random) -> str | None:
    found = _pick(document, rng, "query", "header")
    if found is None:
        return None
    listed, parameter = found
    listed.remove(parameter)
    return f"{parameter['name']} is not taken"


@operator("rename-query-parameter")
def rename_query(document: Json, rng: Random) -> str | None:
    found = _pick(document, rng, "query")
    if found is None:
        return None
    parameter = found[1]
    parameter["name"] = f"{parameter['name']}_{rng.choice(('by', 'param', 'value'))}"
    return f"a parameter is called {parameter['name']}"


@operator("require-parameter")
def require_parameter(document: Json, rng: Random) -> str | None:
    found = _pick(document, rng, "query", "header", required=False)
    if found is None:
        return None
    found[1]["required"] = True
    return f"{found[1]['name']} is required"


@operator("move-query-to-header")
def move_query_to_header(document: Json, rng: Random) -> str | None:
    found = _pick(document, rng, "query")
    if found is None:
        return None
    parameter = found[1]
    parameter["in"] = "header"
    parameter["name"] = "X-" + str(parameter["name"]).title().replace("_", "-")
    return f"{parameter['name']} travels in a header"


@operator("retype-query-parameter")
def retype_query(document: Json, rng: Random) -> str | None:
    found = _pick(document, rng, "query", enum=False)
    if found is None:
        return None
    becomes = "boolean" if found[1]["schema"].get("type") != "boolean" else "integer"
    found[1]["schema"] = {"type": becomes}
    return f"{found[1]['name']} is {becomes}"


@operator("narrow-query-enum")
def narrow_query_enum(document: Json, rng: Random) -> str | None:
    found = _pick(document, rng, "query", enum=True)
    if found is None or len(found[1]["schema"]["enum"]) < 2:
        return None
    schema = dict(found[1]["schema"])
    schema["enum"] = schema["enum"][:-1]
    found[1]["schema"] = schema
    return f"{found[1]['name']} has fewer values"


@operator("lower-query-maximum")
def lower_query_maximum(document: Json, rng: Random) -> str | None:
    found = _pick(document, rng, "query", maximum=True)
    if found is None:
        return None
    found[1]["schema"] = {**found[1]["schema"], "maximum": found[1]["schema"]["maximum"] // 2}
    return f"{found[1]['name']} is limited further"


@operator("raise-query-maximum", harmless=True)
def raise_query_maximum(document: Json, rng: Random) -> str | None:
    found = _pick(document, rng, "query", maximum=True)
    if found is None:
        return None
    found[1]["schema"] = {**found[1]["schema"], "maximum": found[1]["schema"]["maximum"] * 2}
    return f"{found[1]['name']} is limited less"


@operator("join-query-array")
def join_query_array(document: Json, rng: Random) -> str | None:
    found = [each for _, each in parameters(document, "query") if each["schema"].get("type") == "array"]
    found = [each for each in found if each.get("explode") is not False]
    if not found:
        return None
    parameter = rng.choice(found)
    parameter["explode"] = False
    return f"{parameter['name']} is written with commas"

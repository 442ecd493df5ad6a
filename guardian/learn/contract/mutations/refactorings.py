"""Refactorings: the same messages written differently. The engine finds nothing here, or has a fault."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

from guardian.learn.contract.mutations.fields import nullable
from guardian.learn.contract.mutations.registry import operator
from guardian.learn.contract.mutations.sites import Site, clone, kind, objects, operations, properties, put

Json = dict[str, Any]


def _references(value: Any) -> Iterator[Json]:
    """Every object with a ``$ref`` in it."""
    stack = [value]
    while stack:
        each = stack.pop()
        if isinstance(each, dict):
            if isinstance(each.get("$ref"), str):
                yield each
            stack.extend(each.values())
        elif isinstance(each, list):
            stack.extend(each)


@operator("rename-component", harmless=True)
def rename_component(document: Json, rng: Random) -> str | None:
    schemas = (document.get("components") or {}).get("schemas")
    if not schemas:
        return None
    name = rng.choice(sorted(schemas))
    becomes = f"{name}{rng.choice(('Model', 'Dto', 'Resource'))}"
    if becomes in schemas or "discriminator" in str(document):
        return None
    put(schemas, becomes, schemas[name], name)
    for holder in _references(document):
        if holder["$ref"] == f"#/components/schemas/{name}":
            holder["$ref"] = f"#/components/schemas/{becomes}"
    return f"{name} is called {becomes}"


def _sites(document: Json, rng: Random) -> list[Site]:
    return properties(document, "request") + properties(document, "response")


@operator("inline-component", harmless=True)
def inline_component(document: Json, rng: Random) -> str | None:
    found = [site for site in _sites(document, rng) if "$ref" in site.schema and "$ref" not in str(site.target)]
    if not found:
        return None
    site = rng.choice(found)
    site.own()
    return f"{site.name} is written out"


@operator("extract-component", harmless=True)
def extract_component(document: Json, rng: Random) -> str | None:
    schemas = (document.get("components") or {}).get("schemas")
    found = [site for site in _sites(document, rng) if "$ref" not in site.schema]
    if not found or schemas is None:
        return None
    site = rng.choice(found)
    name = f"{site.name.title().replace('_', '')}Field"
    if name in schemas:
        return None
    schemas[name] = site.schema
    site.owner["properties"][site.name] = {"$ref": f"#/components/schemas/{name}"}
    return f"{site.name} is a component"


@operator("wrap-in-all-of", harmless=True)
def wrap_in_all_of(document: Json, rng: Random) -> str | None:
    found = [site for site in _sites(document, rng) if "allOf" not in site.schema]
    if not found:
        return None
    site = rng.choice(found)
    site.owner["properties"][site.name] = {"allOf": [site.schema]}
    return f"{site.name} is wrapped"


@operator("split-into-all-of", harmless=True)
def split_into_all_of(document: Json, rng: Random) -> str | None:
    found = [
        schema
        for direction in ("request", "response")
        for schema in objects(document, direction)
        if len(schema["properties"]) > 2 and "additionalProperties" not in schema and "allOf" not in schema
    ]
    if not found:
        return None
    schema = rng.choice(found)
    names = list(schema["properties"])
    moved = {name: schema["properties"].pop(name) for name in names[: len(names) // 2]}
    part: Json = {"type": "object", "properties": moved}
    required = [name for name in schema.get("required", ()) if name in moved]
    if required:
        part["required"] = required
        schema["required"] = [name for name in schema["required"] if name not in moved]
        if not schema["required"]:
            del schema["required"]
    schema["allOf"] = [part]
    return "half of it stands in allOf"


@operator("reorder-keys", harmless=True)
def reorder_keys(document: Json, rng: Random) -> str | None:
    found = objects(document, rng.choice(("request", "response")))
    if not found:
        return None
    schema = rng.choice(found)
    items = list(schema["properties"].items())
    rng.shuffle(items)
    schema["properties"] = dict(items)
    if "required" in schema:
        schema["required"] = sorted(schema["required"], reverse=True)
    return "the fields stand in another order"


@operator("share-path-parameters", harmless=True)
def share_path_parameters(document: Json, rng: Random) -> str | None:
    found = [
        (item, parameter)
        for item in (document.get("paths") or {}).values()
        for parameter in item.get("parameters") or ()
        if isinstance(parameter, dict)
    ]
    if not found:
        return None
    item, parameter = rng.choice(found)
    item["parameters"] = [each for each in item["parameters"] if each is not parameter]
    for path, _, operation in operations(document):
        if document["paths"][path] is item:
            operation["parameters"] = [*operation.get("parameters", ()), clone(parameter)]
    return f"{parameter.get('name')} stands with each operation"


@operator("rename-path-variable", harmless=True)
def rename_path_variable(document: Json, rng: Random) -> str | None:
    found = [
        path for path in document.get("paths") or () if path.count("{") == 1 and "parameters" in document["paths"][path]
    ]
    if not found:
        return None
    path = rng.choice(found)
    name = path[path.index("{") + 1 : path.index("}")]
    item = document["paths"][path]
    listed = [each for each in item["parameters"] if each.get("in") == "path" and each.get("name") == name]
    if not listed or path.replace(name + "}", "key}") in document["paths"]:
        return None
    listed[0]["name"] = "key"
    put(document["paths"], path.replace(f"{{{name}}}", "{key}"), item, path)
    return f"{name} is called key"


@operator("spell-null-differently", harmless=True)
def spell_null_differently(document: Json, rng: Random) -> str | None:
    if str(document.get("openapi", "")).startswith("3.0"):
        return None
    found = [
        site for site in _sites(document, rng) if isinstance(site.schema.get("type"), list) and nullable(site.schema)
    ]
    if not found:
        return None
    site = rng.choice(found)
    plain = {**site.schema, "type": kind(site.schema)}
    site.owner["properties"][site.name] = {"anyOf": [plain, {"type": "null"}]}
    return f"{site.name} may be null, in other words"


@operator("integer-bound-exclusive", harmless=True)
def integer_bound_exclusive(document: Json, rng: Random) -> str | None:
    if str(document.get("openapi", "")).startswith("3.0"):
        return None
    found = [
        site for site in _sites(document, rng)
        if kind(site.schema) == "integer" and isinstance(site.schema.get("maximum"), int)
    ]  # fmt: skip
    if not found:
        return None
    site = rng.choice(found)
    site.schema["exclusiveMaximum"] = site.schema.pop("maximum") + 1
    return f"the bound of {site.name} is written as an exclusive one"


@operator("spell-security-out", harmless=True)
def spell_security_out(document: Json, rng: Random) -> str | None:
    found = [each for each in operations(document) if "security" not in each[2]]
    if not found or not document.get("security"):
        return None
    path, method, operation = rng.choice(found)
    operation["security"] = clone(document["security"])
    return f"{method} {path} says what it needs"

"""Look-alikes: edits that a reader of the difference may take for a break, and that change no message."""

from __future__ import annotations

from random import Random
from typing import Any

from guardian.learn.contract.mutations.registry import operator
from guardian.learn.contract.mutations.sites import clone, kind, operations, pick

Json = dict[str, Any]


@operator("add-operation", harmless=True)
def add_operation(document: Json, rng: Random) -> str | None:
    found = [path for path in document.get("paths") or () if path.count("/") == 1]
    if not found:
        return None
    path = f"{rng.choice(found)}/{rng.choice(('export', 'statistics', 'search'))}"
    if path in document["paths"]:
        return None
    answer = {"description": "The answer.", "content": {"application/json": {"schema": {"type": "object"}}}}
    document["paths"][path] = {"get": {"summary": "New.", "responses": {"200": answer}}}
    return f"get {path} is new"


@operator("reword-description", harmless=True)
def reword_description(document: Json, rng: Random) -> str | None:
    site = pick(document, rng, rng.choice(("request", "response")))
    if site is None:
        return None
    site.own()["description"] = rng.choice(
        ("As agreed with the team.", "Removed in the user interface, still sent here.", "Required by law since 2024.")
    )
    return f"{site.name} is described"


@operator("reword-summary", harmless=True)
def reword_summary(document: Json, rng: Random) -> str | None:
    found = operations(document)
    if not found:
        return None
    path, method, operation = rng.choice(found)
    operation["summary"] = f"{operation.get('summary', '')} Rewritten for version 2.".strip()
    return f"{method} {path} is summed up anew"


@operator("rename-operation-id", harmless=True)
def rename_operation_id(document: Json, rng: Random) -> str | None:
    found = [each for each in operations(document) if "operationId" in each[2]]
    if not found:
        return None
    path, method, operation = rng.choice(found)
    operation["operationId"] += "V2"
    return f"{method} {path} has another id"


@operator("change-example", harmless=True)
def change_example(document: Json, rng: Random) -> str | None:
    site = pick(document, rng, rng.choice(("request", "response")), "integer", "number", "boolean")
    if site is None:
        return None
    site.own()["example"] = True if kind(site.target) == "boolean" else rng.randint(1, 99)
    return f"{site.name} has another example"


@operator("deprecate-field", harmless=True)
def deprecate_field(document: Json, rng: Random) -> str | None:
    site = pick(document, rng, "response")
    if site is None:
        return None
    site.own()["deprecated"] = True
    return f"{site.name} is deprecated"


@operator("deprecate-operation", harmless=True)
def deprecate_operation(document: Json, rng: Random) -> str | None:
    found = operations(document)
    if not found:
        return None
    path, method, operation = rng.choice(found)
    operation["deprecated"] = True
    return f"{method} {path} is deprecated"


@operator("bump-version", harmless=True)
def bump_version(document: Json, rng: Random) -> str | None:
    info = document.get("info")
    if not isinstance(info, dict):
        return None
    info["version"] = f"{rng.randint(2, 9)}.{rng.randint(0, 9)}.0"
    return f"this is version {info['version']}"


@operator("retitle-component", harmless=True)
def retitle_component(document: Json, rng: Random) -> str | None:
    schemas = (document.get("components") or {}).get("schemas")
    if not schemas:
        return None
    name = rng.choice(sorted(schemas))
    if not isinstance(schemas[name], dict):
        return None
    schemas[name]["title"] = f"{name} (revised)"
    return f"{name} has a title"


@operator("add-unused-component", harmless=True)
def add_unused_component(document: Json, rng: Random) -> str | None:
    schemas = (document.get("components") or {}).get("schemas")
    if not schemas:
        return None
    name = rng.choice(sorted(schemas))
    if f"{name}V2" in schemas:
        return None
    schemas[f"{name}V2"] = {**clone(schemas[name]), "required": []} if isinstance(schemas[name], dict) else {}
    return f"{name}V2 is there and unused"


@operator("add-tag", harmless=True)
def add_tag(document: Json, rng: Random) -> str | None:
    found = operations(document)
    if not found:
        return None
    path, method, operation = rng.choice(found)
    operation["tags"] = ["reviewed", *operation.get("tags", ())]
    return f"{method} {path} is tagged"

"""Mutations of operations: removed, moved, other methods, statuses, media types, security."""

from __future__ import annotations

from random import Random
from typing import Any

from guardian.learn.contract.mutations.registry import operator
from guardian.learn.contract.mutations.sites import JSON, clone, follow, operations, put

Json = dict[str, Any]


def _pick(document: Json, rng: Random, *methods: str) -> tuple[str, str, Json] | None:
    found = [each for each in operations(document) if not methods or each[1] in methods]
    return rng.choice(found) if found else None


@operator("remove-operation")
def remove_operation(document: Json, rng: Random) -> str | None:
    found = _pick(document, rng)
    if found is None or len(operations(document)) < 3:
        return None
    path, method, _ = found
    del document["paths"][path][method]
    return f"{method} {path} is gone"


@operator("move-path")
def move_path(document: Json, rng: Random) -> str | None:
    paths = [path for path in document.get("paths") or () if path.count("/") == 3]
    if not paths:
        return None
    path = rng.choice(paths)
    put(document["paths"], f"{path}s" if rng.random() < 0.5 else f"{path}/v2", document["paths"][path], path)
    return f"{path} has moved"


@operator("change-method")
def change_method(document: Json, rng: Random) -> str | None:
    found = _pick(document, rng, "patch", "put")
    if found is None:
        return None
    path, method, operation = found
    becomes = "put" if method == "patch" else "patch"
    if becomes in document["paths"][path]:
        return None
    put(document["paths"][path], becomes, operation, method)
    return f"{method} {path} is {becomes}"


@operator("change-success-status")
def change_success_status(document: Json, rng: Random) -> str | None:
    found = [
        each[2]["responses"]
        for each in operations(document)
        if {"200", "201"} & (each[2].get("responses") or {}).keys()
    ]
    if not found:
        return None
    responses = rng.choice(found)
    status = "200" if "200" in responses else "201"
    put(responses, rng.choice(("202", "207")), responses[status], status)
    return f"{status} is never answered"


@operator("remove-error-status")
def remove_error_status(document: Json, rng: Random) -> str | None:
    found = [
        (each[2]["responses"], status)
        for each in operations(document)
        for status in each[2].get("responses") or ()
        if str(status).startswith("4")
    ]
    if not found:
        return None
    responses, status = rng.choice(found)
    del responses[status]
    return f"{status} is never answered"


@operator("add-error-status", harmless=True)
def add_error_status(document: Json, rng: Random) -> str | None:
    found = [each for each in operations(document) if "429" not in (each[2].get("responses") or {"429": 1})]
    if not found:
        return None
    path, method, operation = rng.choice(found)
    operation["responses"]["429"] = {"description": "Too many requests."}
    return f"{method} {path} may answer 429"


def _contents(document: Json, key: str) -> list[Json]:
    found: list[Json] = []
    for _, _, operation in operations(document):
        holders = (
            [operation.get("requestBody")] if key == "request" else list((operation.get("responses") or {}).values())
        )
        contents = [follow(document, holder).get("content") for holder in holders]
        found += [content for content in contents if isinstance(content, dict) and JSON in content]
    return found


@operator("change-response-media-type")
def change_response_media_type(document: Json, rng: Random) -> str | None:
    return _media(_contents(document, "response"), rng)


@operator("change-request-media-type")
def change_request_media_type(document: Json, rng: Random) -> str | None:
    return _media(_contents(document, "request"), rng)


def _media(contents: list[Json], rng: Random) -> str | None:
    if not contents:
        return None
    becomes = rng.choice(("application/xml", "application/vnd.example.v2+json"))
    put(rng.choice(contents), becomes, {"schema": {"type": "object"}}, JSON)
    return f"it comes as {becomes}"


@operator("add-request-media-type", harmless=True)
def add_request_media_type(document: Json, rng: Random) -> str | None:
    contents = _contents(document, "request")
    if not contents:
        return None
    content = rng.choice(contents)
    content["application/x-www-form-urlencoded"] = clone(content[JSON])
    return "forms are taken too"


@operator("relax-request-body", harmless=True)
def relax_request_body(document: Json, rng: Random) -> str | None:
    found = [
        each[2]["requestBody"] for each in operations(document) if (each[2].get("requestBody") or {}).get("required")
    ]
    if not found:
        return None
    rng.choice(found)["required"] = False
    return "the body may be left out"


@operator("require-scope")
def require_scope(document: Json, rng: Random) -> str | None:
    found = [
        (each[2], requirement, scheme)
        for each in operations(document)
        for requirement in each[2].get("security", document.get("security")) or ()
        for scheme in requirement
        if requirement[scheme]
    ]
    if not found:
        return None
    operation, requirement, scheme = rng.choice(found)
    known = sorted(_scopes(document, scheme) - set(requirement[scheme]))
    if not known:
        return None
    scope = rng.choice(known)
    operation["security"] = [{**requirement, scheme: [*requirement[scheme], scope]}]
    return f"{scope} is needed"


def _scopes(document: Json, scheme: str) -> set[str]:
    flows = ((document.get("components") or {}).get("securitySchemes") or {}).get(scheme, {}).get("flows") or {}
    return {scope for flow in flows.values() for scope in flow.get("scopes") or ()}


@operator("change-security-scheme")
def change_security_scheme(document: Json, rng: Random) -> str | None:
    schemes = (document.get("components") or {}).get("securitySchemes") or {}
    keys = [name for name, scheme in schemes.items() if scheme.get("type") == "apiKey"]
    found = _pick(document, rng)
    if not keys or found is None or found[2].get("security") == [{keys[0]: []}]:
        return None
    found[2]["security"] = [{keys[0]: []}]
    return "a key is needed instead of a token"


@operator("allow-second-security-scheme", harmless=True)
def allow_second_security_scheme(document: Json, rng: Random) -> str | None:
    schemes = (document.get("components") or {}).get("securitySchemes") or {}
    keys = [name for name, scheme in schemes.items() if scheme.get("type") == "apiKey"]
    found = _pick(document, rng)
    if not keys or found is None:
        return None
    given = found[2].get("security", document.get("security")) or []
    if not given or {keys[0]: []} in given:
        return None
    found[2]["security"] = [*given, {keys[0]: []}]
    return "a key is taken too"


@operator("move-server")
def move_server(document: Json, rng: Random) -> str | None:
    servers = document.get("servers")
    if not servers or not isinstance(servers[0].get("url"), str) or servers[0]["url"].endswith("/v2"):
        return None
    document["servers"] = [{**servers[0], "url": servers[0]["url"].rstrip("/") + "/v2"}, *servers[1:]]
    return "the server has moved"

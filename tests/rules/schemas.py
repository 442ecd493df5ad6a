"""Two schemas in, changes out: what the tests of schema rules are written with."""

from __future__ import annotations

import json
from typing import Any

from guardian.model import Change
from guardian.rules.compare import Options, compare
from guardian.spec.api import Api
from guardian.spec.normalise import read_api
from guardian.spec.refs import Documents
from guardian.spec.trees import MemoryTree


def api(operation: dict[str, Any], method: str, components: dict[str, Any] | None, version: str) -> Api:
    document = {
        "openapi": version,
        "info": {"title": "Things", "version": "1.0.0"},
        "paths": {"/things": {method: operation}},
        "components": {"schemas": components or {}},
    }
    return read_api(Documents(MemoryTree({"api.json": json.dumps(document).encode()})), "api.json", "api")


def response(schema: Any, components: dict[str, Any] | None = None, version: str = "3.1.0") -> Api:
    """An API that answers ``GET /things`` with this schema."""
    content = {"application/json": {"schema": schema}}
    return api({"responses": {"200": {"description": "ok", "content": content}}}, "get", components, version)


def request(schema: Any, components: dict[str, Any] | None = None, version: str = "3.1.0") -> Api:
    """An API that takes this schema in ``POST /things``."""
    body = {"required": True, "content": {"application/json": {"schema": schema}}}
    return api({"requestBody": body, "responses": {"204": {"description": "ok"}}}, "post", components, version)


def response_changes(base: Any, head: Any, *, prove: bool = False, **components: Any) -> list[Change]:
    """What differs between two response schemas."""
    return compare(response(base, components), response(head, components), options=Options(prove=prove))


def request_changes(base: Any, head: Any, *, prove: bool = False, **components: Any) -> list[Change]:
    """What differs between two request schemas."""
    return compare(request(base, components), request(head, components), options=Options(prove=prove))

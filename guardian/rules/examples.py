"""The examples of a rule's docstring as whole documents, so that they can be run through the real comparison.

An example holds ``base`` and ``head``. For the rules on schemas each is a schema, which is put into the body of
``POST /things`` (request), of the 200 of ``GET /things`` (response), or into the query parameter ``q`` (parameter). For
all other rules each is what differs of an OpenAPI 3.1 document: paths (their keys start with a slash) beside root
fields such as ``components`` or ``webhooks``. A ``components`` beside base and head belongs to both.
"""

from __future__ import annotations

from typing import Any

from guardian.rules.pairs import AtomPair, UnionPair
from guardian.rules.registry import Example, Rule
from guardian.spec import text

_DONE: dict[str, Any] = {"204": {"description": "done"}}


def documents(example: Example, rule: Rule) -> tuple[dict[str, Any], dict[str, Any]]:
    """Base and head of an example as whole OpenAPI 3.1 documents.

    Raises:
        ReadError: the example is not YAML.
        KeyError: it lacks base or head.
    """
    parsed = text.load(example.text.encode(), f"the example of {rule.id}")
    wrap = _schema_document if issubclass(rule.pair, UnionPair | AtomPair) else _whole_document
    shared = parsed.get("components")
    sides = [wrap(parsed[side], example.direction) for side in ("base", "head")]
    for side in sides:
        if shared is not None:
            side["components"] = {**shared, **side.get("components", {})}
    return sides[0], sides[1]


def _whole_document(part: dict[str, Any], _direction: str) -> dict[str, Any]:
    paths = {key: value for key, value in part.items() if key.startswith("/")}
    rest = {key: value for key, value in part.items() if not key.startswith("/")}
    return _document(paths, **rest)


def _schema_document(schema: Any, direction: str) -> dict[str, Any]:
    content = {"application/json": {"schema": schema}}
    if direction == "request":
        body = {"required": True, "content": content}
        return _document({"/things": {"post": {"requestBody": body, "responses": _DONE}}})
    if direction == "parameter":
        parameter: dict[str, Any] = {"in": "query", "name": "q", "schema": schema}
        return _document({"/things": {"get": {"parameters": [parameter], "responses": _DONE}}})
    responses = {"200": {"description": "found", "content": content}}
    return _document({"/things": {"get": {"responses": responses}}})


def _document(paths: dict[str, Any], **rest: Any) -> dict[str, Any]:
    return {"openapi": "3.1.0", "info": {"title": "Things", "version": "1.0.0"}, "paths": paths, **rest}

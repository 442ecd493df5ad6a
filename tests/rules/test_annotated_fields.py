"""Fields of OpenAPI's objects that no rule answers for: an edit of any of them says nothing.

The document is one of the newest version, which has them all. Schema keywords of that kind are in ``test_coverage.py``.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest
import yaml

from guardian.rules.annotations import ANNOTATIONS
from tests.rules.sides import changes
from tests.rules.surface import FIELDS

# Every such field once.
WHOLE = yaml.safe_load("""
openapi: 3.2.0
$self: https://boats.example/api.yaml
jsonSchemaDialect: https://spec.openapis.org/oas/3.1/dialect/base
info:
  title: Boats
  summary: All boats
  description: Boats and ports
  termsOfService: https://boats.example/terms
  contact: {name: a, url: https://boats.example, email: a@boats.example}
  license: {name: MIT, identifier: MIT, url: https://boats.example/mit}
  version: 1.0.0
servers:
  - {url: "https://{zone}.boats.example", name: one, description: first, variables: {zone: {default: eu, description: where}}}
tags:
  - {name: boats, summary: s, description: d, parent: fleet, kind: nav, externalDocs: {url: https://a.example, description: d}}
  - {name: fleet, kind: audience}
externalDocs: {url: https://a.example, description: d}
security: [{key: []}]
paths:
  /boats:
    summary: s
    description: d
    post:
      tags: [boats]
      summary: s
      description: d
      externalDocs: {url: https://a.example}
      parameters:
        - {in: query, name: q, description: d, schema: {type: string}, example: a, examples: {x: {$ref: '#/components/examples/X', summary: s, description: d}}}
      requestBody:
        description: d
        content:
          application/json: {schema: {type: string}, example: a, examples: {x: {summary: s, description: d, value: a}}}
      responses:
        "200":
          summary: s
          description: d
          headers: {X-A: {description: d, schema: {type: string}, example: a, examples: {x: {dataValue: a, serializedValue: a}}}}
          content:
            application/json: {schema: {type: string}, examples: {x: {externalValue: https://a.example}}}
          links: {next: {operationId: more, description: d}}
  /more:
    get: {operationId: more, responses: {}}
components:
  examples: {X: {value: a}}
  securitySchemes: {key: {type: apiKey, in: header, name: X-Key, description: d}}
""")
_OPERATION = ("paths", "/boats", "post")
_RESPONSE = (*_OPERATION, "responses", "200")
_BODY = (*_OPERATION, "requestBody")
# Where the objects of a kind are in it.
PLACES: dict[str, tuple[Any, ...]] = {
    "OpenAPI": (),
    "Info": ("info",),
    "Contact": ("info", "contact"),
    "License": ("info", "license"),
    "ExternalDocumentation": ("externalDocs",),
    "Tag": ("tags", 0),
    "Server": ("servers", 0),
    "ServerVariable": ("servers", 0, "variables", "zone"),
    "Components": ("components",),
    "PathItem": ("paths", "/boats"),
    "Operation": _OPERATION,
    "Parameter": (*_OPERATION, "parameters", 0),
    "Reference": (*_OPERATION, "parameters", 0, "examples", "x"),
    "RequestBody": _BODY,
    "MediaType": (*_BODY, "content", "application/json"),
    "Response": _RESPONSE,
    "Header": (*_RESPONSE, "headers", "X-A"),
    "Link": (*_RESPONSE, "links", "next"),
    "SecurityScheme": ("components", "securitySchemes", "key"),
}
EXAMPLES = {
    "summary": (*_BODY, "content", "application/json", "examples", "x"),
    "description": (*_BODY, "content", "application/json", "examples", "x"),
    "value": (*_BODY, "content", "application/json", "examples", "x"),
    "externalValue": (*_RESPONSE, "content", "application/json", "examples", "x"),
    "dataValue": (*_RESPONSE, "headers", "X-A", "examples", "x"),
    "serializedValue": (*_RESPONSE, "headers", "X-A", "examples", "x"),
}
# What is tested elsewhere: references are followed, places are compared where they are used, versions are notations.
ELSEWHERE = {
    *("OpenAPI.openapi", "OpenAPI.components", "Components.schemas", "Reference.$ref", "XML.prefix"),
    *(name for name in ANNOTATIONS if name.startswith("Swagger.")),
}
ASKED = sorted(ANNOTATIONS.keys() & FIELDS.keys() - ELSEWHERE)
_OTHER: dict[str, Any] = {
    "OpenAPI.tags": [],
    "OpenAPI.info": {"title": "Other", "version": "9"},
    "Info.contact": {"name": "other"},
    "Info.license": {"name": "other"},
    "Components.examples": {"X": {"value": 1}},
    "Tag.parent": "none",
}


def _place(field: str) -> tuple[tuple[Any, ...], str]:
    owner, _, name = field.partition(".")
    return (EXAMPLES[name] if owner == "Example" else PLACES[owner]), name


@pytest.mark.parametrize("field", ASKED)
@pytest.mark.parametrize("gone", [False, True], ids=["edited", "gone"])
def test_an_annotation_of_the_document_changes_nothing(field: str, gone: bool) -> None:
    """Edited or taken away, alone: nothing is told."""
    place, name = _place(field)
    head = copy.deepcopy(WHOLE)
    holder = head
    for step in place:
        holder = holder[step]
    assert name in holder, "the document above has every field"
    if gone and field not in {"OpenAPI.info", "Info.title", "Info.version", "Tag.name"}:  # those are demanded
        del holder[name]
    else:
        holder[name] = _OTHER.get(field, "https://other.example/x" if isinstance(holder[name], str) else {"url": "x"})
    assert changes(WHOLE, head) == []


def test_the_whole_document_is_the_same_as_itself() -> None:
    """And its examples, tags and texts demand nothing."""
    assert changes(WHOLE, WHOLE) == []

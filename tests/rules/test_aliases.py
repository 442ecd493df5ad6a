"""The names that oasdiff has for our findings: all of them known, each once, and each for exactly what it says."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from guardian.check.exceptions import matches
from guardian.config import Config
from guardian.config.accepted import ExceptionEntry
from guardian.errors import UsageError
from guardian.model import Direction, Location, Severity
from guardian.rules import aliases
from guardian.rules.compare import Options, compare
from guardian.rules.registry import all_rules, find_rule
from tests.rules.sides import api, changes, side

CHECKS = Path(__file__).resolve().parents[3] / "shared" / "research" / "oasdiff_checks.tsv"

STRING = {"type": "string"}
INTEGER = {"type": "integer"}


def body(schema: Any, **rest: Any) -> dict[str, Any]:
    content = {"application/json": {"schema": schema} if schema is not None else {}}
    return api("{/t: {post: {}}}") | {
        "paths": {"/t": {"post": {"requestBody": {"content": content, **rest}, "responses": {}}}}
    }


def prop(schema: Any) -> dict[str, Any]:
    return body({"type": "object", "properties": {"a": schema}})


def answer(schema: Any) -> dict[str, Any]:
    content = {"application/json": {"schema": schema} if schema is not None else {}}
    return api("{}") | {"paths": {"/t": {"get": {"responses": {"200": {"description": "ok", "content": content}}}}}}


def answered(schema: Any) -> dict[str, Any]:
    return answer({"type": "object", "properties": {"a": schema}})


def parameter(schema: Any, location: str = "query", **rest: Any) -> dict[str, Any]:
    one = {"in": location, "name": "q", "schema": schema, **rest}
    return api("{}") | {"paths": {"/t": {"get": {"parameters": [one], "responses": {}}}}}


def document(schema: Any) -> dict[str, Any]:
    """A parameter that is a JSON document."""
    one = {"in": "query", "name": "q", "content": {"application/json": {"schema": schema}}}
    return api("{}") | {"paths": {"/t": {"get": {"parameters": [one], "responses": {}}}}}


def below(schema: Any) -> dict[str, Any]:
    return document({"type": "object", "properties": {"a": schema}})


def header(schema: Any, **rest: Any) -> dict[str, Any]:
    response = {"description": "ok", "headers": {"X-A": {"schema": schema, **rest}}}
    return api("{}") | {"paths": {"/t": {"get": {"responses": {"200": response}}}}}


def document_header(schema: Any) -> dict[str, Any]:
    """A header that is a JSON document."""
    response = {"description": "ok", "headers": {"X-A": {"content": {"application/json": {"schema": schema}}}}}
    return api("{}") | {"paths": {"/t": {"get": {"responses": {"200": response}}}}}


Build = Callable[[Any], dict[str, Any]]
PLACES: dict[str, Build] = {
    "request-body": body,
    "request-property": prop,
    "request-parameter": parameter,
    "request-parameter-property": below,
    "response-body": answer,
    "response-property": answered,
}

# What happens to a schema, by how oasdiff's ids end: (base, head) schema.
TUG = {"type": "object", "title": "tug", "required": ["tug"], "properties": {"tug": STRING}}
FERRY = {"type": "object", "title": "ferry", "required": ["ferry"], "properties": {"ferry": STRING}}
TWO = {"type": "object", "properties": {"a": STRING, "b": STRING}}
LISTED = {"type": "array", "items": STRING}
IF = {"if": {"required": ["a"]}}
EDITS: dict[str, tuple[Any, Any]] = {
    **{
        f"{word}-{what}": pair
        for word, keyword, kind, low, high in (
            ("max", "maximum", INTEGER, 5, 9),
            ("min", "minimum", INTEGER, 5, 9),
            ("exclusive-max", "exclusiveMaximum", {"type": "number"}, 5, 9),
            ("exclusive-min", "exclusiveMinimum", {"type": "number"}, 5, 9),
            ("max-length", "maxLength", STRING, 5, 9),
            ("min-length", "minLength", STRING, 5, 9),
            ("max-items", "maxItems", LISTED, 5, 9),
            ("min-items", "minItems", LISTED, 5, 9),
            ("max-contains", "maxContains", {**LISTED, "contains": {"const": "x"}}, 5, 9),
            ("min-contains", "minContains", {**LISTED, "contains": {"const": "x"}}, 5, 9),
        )
        for what, pair in (
            ("set", (kind, {**kind, keyword: low})),
            ("unset", ({**kind, keyword: low}, kind)),
            ("increased", ({**kind, keyword: low}, {**kind, keyword: high})),
            ("decreased", ({**kind, keyword: high}, {**kind, keyword: low})),
        )
    },
    "pattern-added": (STRING, {**STRING, "pattern": "^a$"}),
    "pattern-removed": ({**STRING, "pattern": "^a$"}, STRING),
    "pattern-changed": ({**STRING, "pattern": "^a$"}, {**STRING, "pattern": "^b$"}),
    "pattern-generalized": ({**STRING, "pattern": "^a$"}, {**STRING, "pattern": "^[ab]$"}),
    "pattern-property-added": ({"type": "object"}, {"type": "object", "patternProperties": {"^x": STRING}}),
    "pattern-property-removed": ({"type": "object", "patternProperties": {"^x": STRING}}, {"type": "object"}),
    "property-names-added": ({"type": "object"}, {"type": "object", "propertyNames": {"maxLength": 3}}),
    "property-names-removed": ({"type": "object", "propertyNames": {"maxLength": 3}}, {"type": "object"}),
    "unevaluated-properties-added": (TWO, {**TWO, "unevaluatedProperties": False}),
    "unevaluated-properties-removed": ({**TWO, "unevaluatedProperties": False}, TWO),
    "unevaluated-items-added": (
        {"type": "array", "prefixItems": [STRING]},
        {"type": "array", "prefixItems": [STRING], "unevaluatedItems": False},
    ),
    "unevaluated-items-removed": (
        {"type": "array", "prefixItems": [STRING], "unevaluatedItems": False},
        {"type": "array", "prefixItems": [STRING]},
    ),
    "prefix-items-added": (
        {"type": "array", "prefixItems": [STRING], "items": False},
        {"type": "array", "prefixItems": [STRING, STRING], "items": False},
    ),
    "prefix-items-removed": (
        {"type": "array", "prefixItems": [STRING, STRING], "items": False},
        {"type": "array", "prefixItems": [STRING], "items": False},
    ),
    "contains-added": (LISTED, {**LISTED, "contains": {"const": "x"}}),
    "contains-removed": ({**LISTED, "contains": {"const": "x"}}, LISTED),
    "dependent-required-added": (TWO, {**TWO, "dependentRequired": {"a": ["b"]}}),
    "dependent-required-removed": ({**TWO, "dependentRequired": {"a": ["b"]}}, TWO),
    "dependent-required-changed": (
        {**TWO, "dependentRequired": {"a": ["c"]}},
        {**TWO, "dependentRequired": {"a": ["b", "c"]}},
    ),
    "dependent-schema-added": (TWO, {**TWO, "dependentSchemas": {"a": {"required": ["b"]}}}),
    "dependent-schema-removed": ({**TWO, "dependentSchemas": {"a": {"required": ["b"]}}}, TWO),
    "if-added": (TWO, {**TWO, **IF, "then": {"required": ["b"]}}),
    "if-removed": ({**TWO, **IF, "then": {"required": ["b"]}}, TWO),
    "then-added": (
        {**TWO, **IF, "else": {"required": ["b"]}},
        {**TWO, **IF, "then": {"required": ["b"]}, "else": {"required": ["b"]}},
    ),
    "then-removed": (
        {**TWO, **IF, "then": {"required": ["b"]}, "else": {"required": ["b"]}},
        {**TWO, **IF, "else": {"required": ["b"]}},
    ),
    "else-added": (
        {**TWO, **IF, "then": {"required": ["b"]}},
        {**TWO, **IF, "then": {"required": ["b"]}, "else": {"required": ["b"]}},
    ),
    "else-removed": (
        {**TWO, **IF, "then": {"required": ["b"]}, "else": {"required": ["b"]}},
        {**TWO, **IF, "then": {"required": ["b"]}},
    ),
    "one-of-added": ({"oneOf": [TUG]}, {"oneOf": [TUG, FERRY]}),
    "one-of-removed": ({"oneOf": [TUG, FERRY]}, {"oneOf": [TUG]}),
    "any-of-added": ({"anyOf": [TUG]}, {"anyOf": [TUG, FERRY]}),
    "any-of-removed": ({"anyOf": [TUG, FERRY]}, {"anyOf": [TUG]}),
    "wrapped-in-one-of": (TUG, {"oneOf": [TUG, FERRY]}),
    "content-encoding-changed": ({**STRING, "contentEncoding": "base64"}, {**STRING, "contentEncoding": "base16"}),
    "content-media-type-changed": (
        {**STRING, "contentMediaType": "application/json"},
        {**STRING, "contentMediaType": "application/xml"},
    ),
    "content-schema-added": (STRING, {**STRING, "contentSchema": INTEGER}),
    "content-schema-removed": ({**STRING, "contentSchema": INTEGER}, STRING),
    "default-value-added": (STRING, {**STRING, "default": "x"}),
    "default-value-removed": ({**STRING, "default": "x"}, STRING),
    "default-value-changed": ({**STRING, "default": "x"}, {**STRING, "default": "y"}),
    "enum-value-added": ({"enum": ["x"]}, {"enum": ["x", "y"]}),
    "enum-value-removed": ({"enum": ["x", "y"]}, {"enum": ["x"]}),
    "x-extensible-enum-value-removed": (
        {**STRING, "x-extensible-enum": ["x", "y"]},
        {**STRING, "x-extensible-enum": ["x"]},
    ),
    "became-enum": (STRING, {**STRING, "enum": ["x"]}),
    "const-added": (STRING, {**STRING, "const": "x"}),
    "const-removed": ({**STRING, "const": "x"}, STRING),
    "const-changed": ({**STRING, "const": "x"}, {**STRING, "const": "y"}),
    "became-nullable": (STRING, {"type": ["string", "null"]}),
    "became-not-nullable": ({"type": ["string", "null"]}, STRING),
    "type-changed": ({"type": "boolean"}, INTEGER),
    "type-generalized": (INTEGER, {"type": "number"}),
    "type-specialized": ({"type": "number"}, INTEGER),
    "list-of-types-widened": (LISTED, {"type": ["array", "object"], "items": STRING}),
    "list-of-types-narrowed": ({"type": ["array", "object"], "items": STRING}, LISTED),
    "deprecated": (STRING, {**STRING, "deprecated": True}),
    "deprecated-with-sunset": (STRING, {**STRING, "deprecated": True, "x-sunset": "2027-01-31"}),
    "reactivated": ({**STRING, "deprecated": True}, STRING),
    "stability-decreased": (STRING, {**STRING, "x-stability-level": "beta"}),
    "stability-increased": ({**STRING, "x-stability-level": "beta"}, STRING),
}


def variants(mapping: dict[str, str], name: str = "kind") -> dict[str, Any]:
    """Two variants told apart by a discriminator."""
    refs = {key: f"#/components/schemas/{target}" for key, target in mapping.items()}
    return {
        "oneOf": [{"$ref": "#/components/schemas/Tug"}, {"$ref": "#/components/schemas/Ferry"}],
        "discriminator": {"propertyName": name, "mapping": refs},
    }


def named(*options: str) -> dict[str, Any]:
    return {"oneOf": [{"$ref": f"#/components/schemas/{name}"} for name in options]}


DISCRIMINATORS: dict[str, tuple[Any, Any]] = {
    "discriminator-added": (named("Tug", "Ferry"), variants({})),
    "discriminator-removed": (variants({}), named("Tug", "Ferry")),
    "discriminator-mapping-added": (variants({"Tug": "Tug"}), variants({"Tug": "Tug", "t": "Tug"})),
    "discriminator-mapping-deleted": (variants({"Tug": "Tug", "t": "Tug"}), variants({"Tug": "Tug"})),
    "discriminator-mapping-changed": (variants({"t": "Tug"}), variants({"u": "Tug"})),
    "discriminator-property-name-changed": (variants({}), variants({}, "other")),
}


def with_components(whole: dict[str, Any]) -> dict[str, Any]:
    kinds = {"kind": STRING, "other": STRING}
    schemas = {
        name: {"type": "object", "required": ["kind", "other"], "properties": {**kinds, name.lower(): STRING}}
        for name in ("Tug", "Ferry")
    }
    return {**whole, "components": {"schemas": schemas}}


def _schema_pairs() -> dict[str, tuple[Any, Any]]:
    found: dict[str, tuple[Any, Any]] = {}
    for place, build in PLACES.items():
        if place == "request-parameter":
            continue
        for ending, (base, head) in EDITS.items():
            found[f"{place}-{ending}"] = (build(base), build(head))
        for ending, (base, head) in DISCRIMINATORS.items():
            found[f"{place}-{ending}"] = (with_components(build(base)), with_components(build(head)))
    for ending, (base, head) in EDITS.items():
        build = document if "nullable" in ending or "list-of" in ending else parameter
        found[f"request-parameter-{ending}"] = (build(base), build(head))
    return found


def paths(text: str, **rest: Any) -> dict[str, Any]:
    return api(text, **rest)


OBJECT = {"type": "object", "properties": {"b": STRING}}
KEY = {"type": "apiKey", "in": "header", "name": "X-Key"}
BEARER = {"type": "http", "scheme": "bearer"}


def oauth(url: str = "https://a.example", scopes: Any = None, authorize: str = "https://a.example") -> dict[str, Any]:
    flow = {"tokenUrl": url, "authorizationUrl": authorize, "scopes": scopes or {}}
    return {"type": "oauth2", "flows": {"authorizationCode": flow}}


def secured(operation: Any, whole: Any = None, **schemes: Any) -> dict[str, Any]:
    rest = {"security": whole} if whole is not None else {}
    get = {"responses": {}} | ({"security": operation} if operation is not None else {})
    return api("{}") | {"paths": {"/t": {"get": get}}, "components": {"securitySchemes": schemes}, **rest}


def both(base: str, head: str) -> tuple[Any, Any]:
    return api(base), api(head)


def obj(**properties: Any) -> dict[str, Any]:
    required = properties.pop("required", None)
    return {"type": "object", "properties": properties} | ({"required": required} if required else {})


OTHERS: dict[str, tuple[Any, Any]] = {
    "webhook-added": (api("{}"), api("{}", webhooks={"w": {"post": {}}})),
    "webhook-removed": (api("{}", webhooks={"w": {"post": {}}}), api("{}")),
    "endpoint-added": both("{}", "{/t: {get: {}}}"),
    "api-removed-without-deprecation": both("{/t: {get: {}, put: {}}}", "{/t: {get: {}}}"),
    "api-removed-with-deprecation": both("{/t: {get: {}, put: {deprecated: true}}}", "{/t: {get: {}}}"),
    "api-path-removed-without-deprecation": both("{/t: {get: {}}}", "{}"),
    "api-path-sunset-parse": both("{/t: {get: {deprecated: true, x-sunset: soon}}}", "{}"),
    "api-path-removed-with-deprecation": both("{/t: {get: {deprecated: true}}}", "{}"),
    "endpoint-deprecated": both("{/t: {get: {}}}", "{/t: {get: {deprecated: true}}}"),
    "endpoint-deprecated-with-sunset": both(
        "{/t: {get: {}}}", "{/t: {get: {deprecated: true, x-sunset: '2027-01-31'}}}"
    ),
    "endpoint-reactivated": both("{/t: {get: {deprecated: true}}}", "{/t: {get: {}}}"),
    "sunset-deleted": both(
        "{/t: {get: {deprecated: true, x-sunset: '2027-01-31'}}}", "{/t: {get: {deprecated: true}}}"
    ),
    "api-stability-decreased": both("{/t: {get: {}}}", "{/t: {get: {x-stability-level: beta}}}"),
    "api-stability-increased": both("{/t: {get: {x-stability-level: alpha}}}", "{/t: {get: {}}}"),
    "api-invalid-stability-level": both("{/t: {get: {}}}", "{/t: {get: {x-stability-level: rock}}}"),
    "api-operation-id-added": both("{/t: {get: {}}}", "{/t: {get: {operationId: a}}}"),
    "api-operation-id-removed": both("{/t: {get: {operationId: a}}}", "{/t: {get: {}}}"),
    "api-tag-added": both("{/t: {get: {}}}", "{/t: {get: {tags: [a]}}}"),
    "api-tag-removed": both("{/t: {get: {tags: [a]}}}", "{/t: {get: {}}}"),
    "new-optional-request-parameter": (api("{/t: {get: {responses: {}}}}"), parameter(STRING)),
    "new-required-request-parameter": (api("{/t: {get: {responses: {}}}}"), parameter(STRING, required=True)),
    "new-required-request-header-property": (
        api("{/t: {get: {responses: {}}}}"),
        parameter(STRING, "header", required=True),
    ),
    "new-optional-request-default-parameter-to-existing-path": both(
        "{/t: {get: {}}}", "{/t: {parameters: [{in: query, name: q, schema: {}}], get: {}}}"
    ),
    "new-required-request-default-parameter-to-existing-path": both(
        "{/t: {get: {}}}", "{/t: {parameters: [{in: query, name: q, required: true, schema: {}}], get: {}}}"
    ),
    "request-parameter-removed": (parameter(STRING), api("{/t: {get: {responses: {}}}}")),
    "request-parameter-removed-with-deprecation": (
        parameter(STRING, deprecated=True),
        api("{/t: {get: {responses: {}}}}"),
    ),
    "request-parameter-deprecated": (parameter(STRING), parameter(STRING, deprecated=True)),
    "request-parameter-reactivated": (parameter(STRING, deprecated=True), parameter(STRING)),
    "request-parameter-sunset-deleted": (
        parameter(STRING, deprecated=True, **{"x-sunset": "2027-01-31"}),
        parameter(STRING, deprecated=True),
    ),
    "request-parameter-became-required": (parameter(STRING), parameter(STRING, required=True)),
    "request-parameter-became-optional": (parameter(STRING, required=True), parameter(STRING)),
    "request-header-property-became-required": (
        parameter(STRING, "header"),
        parameter(STRING, "header", required=True),
    ),
    "request-header-property-became-enum": (parameter(STRING, "header"), parameter({"enum": ["x"]}, "header")),
    "request-body-added-optional": (api("{/t: {post: {responses: {}}}}"), body(STRING)),
    "request-body-added-required": (api("{/t: {post: {responses: {}}}}"), body(STRING, required=True)),
    "request-body-removed": (body(STRING), api("{/t: {post: {responses: {}}}}")),
    "request-body-became-required": (body(STRING), body(STRING, required=True)),
    "request-body-became-optional": (body(STRING, required=True), body(STRING)),
    "request-body-media-type-schema-added": (body(None), body(STRING)),
    "request-body-media-type-schema-removed": (body(STRING), body(None)),
    "response-body-media-type-schema-added": (answer(None), answer(STRING)),
    "response-body-media-type-schema-removed": (answer(STRING), answer(None)),
    "request-body-media-type-added": both(
        "{/t: {post: {requestBody: {content: {application/json: {}}}}}}",
        "{/t: {post: {requestBody: {content: {application/json: {}, text/csv: {}}}}}}",
    ),
    "request-body-media-type-removed": both(
        "{/t: {post: {requestBody: {content: {application/json: {}, text/csv: {}}}}}}",
        "{/t: {post: {requestBody: {content: {application/json: {}}}}}}",
    ),
    "response-media-type-added": both(
        "{/t: {get: {responses: {'200': {content: {application/json: {}}}}}}}",
        "{/t: {get: {responses: {'200': {content: {application/json: {}, text/csv: {}}}}}}}",
    ),
    "response-media-type-removed": both(
        "{/t: {get: {responses: {'200': {content: {application/json: {}, text/csv: {}}}}}}}",
        "{/t: {get: {responses: {'200': {content: {application/json: {}}}}}}}",
    ),
    "response-media-type-name-generalized": both(
        "{/t: {get: {responses: {'200': {content: {application/json: {}}}}}}}",
        "{/t: {get: {responses: {'200': {content: {'application/*': {}}}}}}}",
    ),
    "response-media-type-name-specialized": both(
        "{/t: {get: {responses: {'200': {content: {'application/*': {}}}}}}}",
        "{/t: {get: {responses: {'200': {content: {application/json: {}}}}}}}",
    ),
    "response-media-type-name-changed": both(
        "{/t: {get: {responses: {'200': {content: {application/json; v=1: {}}}}}}}",
        "{/t: {get: {responses: {'200': {content: {application/json; v=2: {}}}}}}}",
    ),
    "response-success-status-added": both(
        "{/t: {get: {responses: {'200': {}}}}}", "{/t: {get: {responses: {'200': {}, '202': {}}}}}"
    ),
    "response-success-status-removed": both(
        "{/t: {get: {responses: {'200': {}, '202': {}}}}}", "{/t: {get: {responses: {'200': {}}}}}"
    ),
    "response-non-success-status-added": both(
        "{/t: {get: {responses: {'200': {}}}}}", "{/t: {get: {responses: {'200': {}, '409': {}}}}}"
    ),
    "response-non-success-status-removed": both(
        "{/t: {get: {responses: {'200': {}, '409': {}}}}}", "{/t: {get: {responses: {'200': {}}}}}"
    ),
    "optional-response-header-removed": (header(STRING), api("{/t: {get: {responses: {'200': {}}}}}")),
    "required-response-header-removed": (header(STRING, required=True), api("{/t: {get: {responses: {'200': {}}}}}")),
    "response-mediatype-enum-value-removed": (answer({"enum": ["x", "y"]}), answer({"enum": ["x"]})),
    "response-header-added": (api("{/t: {get: {responses: {'200': {}}}}}"), header(STRING)),
    "response-header-became-nullable": (document_header(STRING), document_header({"type": ["string", "null"]})),
    "response-header-became-not-nullable": (document_header({"type": ["string", "null"]}), document_header(STRING)),
    "response-header-became-optional": (header(STRING, required=True), header(STRING)),
    "response-header-type-changed": (header({"type": "boolean"}), header(INTEGER)),
    "response-header-type-generalized": (header(INTEGER), header({"type": "number"})),
    "response-header-type-specialized": (header({"type": "number"}), header(INTEGER)),
    "new-optional-request-property": (body(obj(b=STRING)), body(obj(a=STRING, b=STRING))),
    "new-required-request-property": (body(obj(b=STRING)), body(obj(a=STRING, b=STRING, required=["a"]))),
    "new-required-request-property-with-default": (
        body(obj(b=STRING)),
        body(obj(a={**STRING, "default": "x"}, b=STRING, required=["a"])),
    ),
    "request-property-removed": (body(obj(a=STRING, b=STRING)), body(obj(b=STRING))),
    "request-property-became-required": (body(obj(a=STRING)), body(obj(a=STRING, required=["a"]))),
    "request-property-became-required-with-default": (
        body(obj(a={**STRING, "default": "x"})),
        body(obj(a={**STRING, "default": "x"}, required=["a"])),
    ),
    "request-property-became-optional": (body(obj(a=STRING, required=["a"])), body(obj(a=STRING))),
    "response-optional-property-added": (answer(obj(b=STRING)), answer(obj(a=STRING, b=STRING))),
    "response-required-property-added": (answer(obj(b=STRING)), answer(obj(a=STRING, b=STRING, required=["a"]))),
    "response-optional-property-removed": (answer(obj(a=STRING, b=STRING)), answer(obj(b=STRING))),
    "response-required-property-removed": (answer(obj(a=STRING, b=STRING, required=["a"])), answer(obj(b=STRING))),
    "response-property-became-required": (answer(obj(a=STRING)), answer(obj(a=STRING, required=["a"]))),
    "response-property-became-optional": (answer(obj(a=STRING, required=["a"])), answer(obj(a=STRING))),
    **{
        f"{direction}-{need}-property-became-{flag}": (
            build(obj(a=STRING, required=required)),
            build(obj(a={**STRING, keyword: True}, required=required)),
        )
        for direction, build, flag, keyword in (
            ("request", body, "read-only", "readOnly"),
            ("response", answer, "write-only", "writeOnly"),
        )
        for need, required in (("optional", None), ("required", ["a"]))
    },
    **{
        f"{direction}-{need}-property-became-not-{flag}": (
            build(obj(a={**STRING, keyword: True}, required=required)),
            build(obj(a=STRING, required=required)),
        )
        for direction, build, flag, keyword in (
            ("request", body, "read-only", "readOnly"),
            ("response", answer, "write-only", "writeOnly"),
        )
        for need, required in (("optional", None), ("required", ["a"]))
    },
    "api-security-added": (secured([], key=KEY), secured([{"key": []}], key=KEY)),
    "api-security-removed": (secured([{"key": []}], key=KEY), secured([], key=KEY)),
    "api-global-security-added": (secured(None, [], key=KEY), secured(None, [{"key": []}], key=KEY)),
    "api-global-security-removed": (secured(None, [{"key": []}], key=KEY), secured(None, [], key=KEY)),
    "api-security-scope-added": (secured([{"o": ["r"]}], o=oauth()), secured([{"o": ["r", "w"]}], o=oauth())),
    "api-security-scope-removed": (secured([{"o": ["r", "w"]}], o=oauth()), secured([{"o": ["r"]}], o=oauth())),
    "api-global-security-scope-added": (
        secured(None, [{"o": ["r"]}], o=oauth()),
        secured(None, [{"o": ["r", "w"]}], o=oauth()),
    ),
    "api-global-security-scope-removed": (
        secured(None, [{"o": ["r", "w"]}], o=oauth()),
        secured(None, [{"o": ["r"]}], o=oauth()),
    ),
    "api-security-component-type-changed": (secured([{"k": []}], k=KEY), secured([{"k": []}], k=BEARER)),
    "api-security-component-oauth-scope-added": (
        secured([{"o": []}], o=oauth()),
        secured([{"o": []}], o=oauth(scopes={"r": ""})),
    ),
    "api-security-component-oauth-scope-removed": (
        secured([{"o": []}], o=oauth(scopes={"r": ""})),
        secured([{"o": []}], o=oauth()),
    ),
    "api-security-component-oauth-token-url-changed": (
        secured([{"o": []}], o=oauth()),
        secured([{"o": []}], o=oauth("https://b.example")),
    ),
    "api-security-component-oauth-url-changed": (
        secured([{"o": []}], o=oauth()),
        secured([{"o": []}], o=oauth(authorize="https://b.example")),
    ),
}

PAIRS = {**_schema_pairs(), **OTHERS}
# Names of findings that are made of more than two documents: tests/check/test_names.py.
ELSEWHERE = {"version-not-bumped", "removed-before-sunset", "sunset-too-soon"}

HIDDEN_WAYS: dict[str, tuple[Any, Any]] = {
    "exclusive-max-decreased": ({"type": "number", "exclusiveMaximum": 9}, {"type": "number", "exclusiveMaximum": 5}),
    "exclusive-min-increased": ({"type": "number", "exclusiveMinimum": 5}, {"type": "number", "exclusiveMinimum": 9}),
    "max-decreased": ({**INTEGER, "maximum": 9}, {**INTEGER, "maximum": 5}),
    "max-length-decreased": ({**STRING, "maxLength": 9}, {**STRING, "maxLength": 5}),
    "min-increased": ({**INTEGER, "minimum": 5}, {**INTEGER, "minimum": 9}),
    "enum-value-removed": ({"enum": ["x", "y"]}, {"enum": ["x"]}),
}
NEEDS_A = {"required": ["a"]}
# What guardian says of a plain case of a check that it has no rule for: the rules by which it is told, or nothing.
WITHOUT_A_RULE: dict[str, tuple[Any, Any, set[str]]] = {
    "api-schema-removed": (api("{}", components={"schemas": {"A": STRING}}), api("{}"), set()),
    "new-request-path-parameter": (
        api("{/t: {get: {}}}"),
        api("{'/t/{q}': {get: {parameters: [{in: path, name: q, required: true, schema: {}}]}}}"),
        {"operation-removed", "operation-added"},
    ),
    "api-security-component-added": (secured([]), secured([], k=KEY), set()),
    "api-security-component-removed": (secured([], k=KEY), secured([]), set()),
    "api-security-component-oauth-scope-changed": (
        secured([{"o": ["r"]}], o=oauth(scopes={"r": "read"})),
        secured([{"o": ["r"]}], o=oauth(scopes={"r": "reads"})),
        set(),
    ),
    **{
        f"{place}-type-compatible": (build({"type": ["string"]}), build(STRING), set())
        for place, build in (*PLACES.items(), ("response-header", header))
        if place not in {"request-parameter", "request-parameter-property"}
    },
    **{
        f"request-read-only-property-{what}": (
            prop({**one, "readOnly": True}),
            prop({**other, "readOnly": True}),
            set(),
        )
        for what, (one, other) in HIDDEN_WAYS.items()
    },
    "response-write-only-property-enum-value-added": (
        answered({"enum": ["x"], "writeOnly": True}),
        answered({"enum": ["x", "y"], "writeOnly": True}),
        set(),
    ),
    **{
        f"response-{need}-write-only-property-{what}": (answer(pair[0]), answer(pair[1]), set())
        for need, required in (("optional", None), ("required", ["a"]))
        for full in (obj(a={**STRING, "writeOnly": True}, b=STRING, required=required),)
        for what, pair in (("added", (obj(b=STRING), full)), ("removed", (full, obj(b=STRING))))
    },
    **{
        f"response-write-only-property-became-{what}": (answer(pair[0]), answer(pair[1]), set())
        for loose, tight in (
            (obj(a={**STRING, "writeOnly": True}), obj(a={**STRING, "writeOnly": True}, required=["a"])),
        )
        for what, pair in (("required", (loose, tight)), ("optional", (tight, loose)))
    },
    **{
        f"{direction}-{need}-property-became-{what}": (build(pair[0]), build(pair[1]), set())
        for direction, build, flag, keyword in (
            ("request", body, "write-only", "writeOnly"),
            ("response", answer, "read-only", "readOnly"),
        )
        for need, required in (("optional", None), ("required", ["a"]))
        for plain, marked in ((obj(a=STRING, required=required), obj(a={**STRING, keyword: True}, required=required)),)
        for what, pair in ((flag, (plain, marked)), (f"not-{flag}", (marked, plain)))
    },
    **{
        f"{place}-all-of-{what}": (build(pair[0]), build(pair[1]), told)
        for place, build in (
            ("request-body", body),
            ("request-property", prop),
            ("response-body", answer),
            ("response-property", answered),
        )
        for what, pair, told in (
            ("added", (obj(a=STRING), {"allOf": [obj(a=STRING), NEEDS_A]}), {"property-became-required"}),
            ("removed", ({"allOf": [obj(a=STRING), NEEDS_A]}, obj(a=STRING)), {"property-became-optional"}),
            ("added-annotation-only", (obj(a=STRING), {"allOf": [obj(a=STRING), {"title": "t"}]}), set()),
            ("removed-annotation-only", ({"allOf": [obj(a=STRING), {"title": "t"}]}, obj(a=STRING)), set()),
        )
    },
}


def test_every_check_without_a_rule_has_its_case() -> None:
    """No id without a rule is left unshown."""
    assert {alias.id for alias in aliases.table().values() if not alias.rule} == WITHOUT_A_RULE.keys()


@pytest.mark.parametrize("name", sorted(WITHOUT_A_RULE))
def test_a_check_without_a_rule_is_told_otherwise_or_says_nothing(name: str) -> None:
    """What the migration table says in place of a rule is so."""
    base, head, told = WITHOUT_A_RULE[name]
    assert {change.rule for change in changes(base, head)} == told


@pytest.mark.parametrize(
    "alias",
    [alias for alias in aliases.table().values() if alias.rule and alias.rule not in ELSEWHERE],
    ids=lambda each: each.id,
)
def test_alias_names_the_change_it_means(alias: aliases.Alias) -> None:
    """For each id there is a pair of documents of which guardian says exactly that."""
    found = [change for change in changes(*PAIRS[alias.id]) if change.aliases]
    meant = [change for change in found if change.aliases["oasdiff"] == alias.id]
    assert {change.rule for change in meant} == {alias.rule}, [(each.message, dict(each.aliases)) for each in found]
    assert max((change.severity for change in meant), key=lambda each: each.rank).value == alias.ours


def test_every_check_of_oasdiff_is_in_the_file() -> None:
    """Each id of the list is told once: with a rule, or with the reason why there is none."""
    if not CHECKS.exists():
        pytest.skip(f"no {CHECKS}")
    words = {"ERR": "breaking", "WARN": "warning", "INFO": "info"}
    listed = [line.split("\t")[:2] for line in CHECKS.read_text().splitlines()[1:]]
    assert [(alias.id, alias.theirs) for alias in aliases.table().values()] == [
        (id, words[level]) for id, level in listed
    ]
    lines = Path(aliases.__file__).with_name("oasdiff.tsv").read_text().splitlines()[1:]
    assert len(lines) == len(listed)


def test_every_line_says_what_it_must() -> None:
    """A line without a rule has a reason, one with a rule that exists; levels that differ are argued, and no others."""
    known = {rule.id for rule in all_rules()}
    for alias in aliases.table().values():
        assert not alias.rule or alias.rule in known, alias
        assert bool(alias.note) is (not alias.rule or alias.ours != alias.theirs), alias
        assert bool(alias.ours) is bool(alias.rule), alias


def test_no_two_ids_say_the_same() -> None:
    """The words of an id lead to that id, findings that are made elsewhere included."""
    for alias in aliases.table().values():
        assert not alias.rule or aliases.pick(alias.rule, alias.words) == alias.id


def test_a_setting_by_alias_means_no_more_than_the_alias() -> None:
    """A level for new optional parameters leaves new required ones as they are."""
    none, optional, required = api("{/t: {get: {}}}"), parameter(STRING), parameter(STRING, required=True)
    options = Options(severity={"new-optional-request-parameter": Severity.WARNING})
    for head, expected in ((optional, Severity.WARNING), (required, Severity.BREAKING)):
        found = compare(side(none)[1], side(head)[1], options=options)
        assert [change.severity for change in found if change.rule == "parameter-added"] == [expected]


def test_an_alias_wins_over_its_rule() -> None:
    """What is said of the narrower name counts."""
    settings = {"parameter-added": Severity.OFF, "new-optional-request-parameter": Severity.WARNING}
    found = compare(side(api("{/t: {get: {}}}"))[1], side(parameter(STRING))[1], options=Options(severity=settings))
    assert [change.severity for change in found if change.rule == "parameter-added"] == [Severity.WARNING]


def test_a_configured_level_of_an_alias_is_known_to_be_the_users() -> None:
    """What guardian.yaml says of an alias is said of the changes that go by it."""
    config = Config(severity={"new-optional-request-parameter": Severity.WARNING, "parameter-added": Severity.INFO})
    assert (
        config.severity_of("parameter-added", Direction.REQUEST, "new-optional-request-parameter") is Severity.WARNING
    )
    assert config.severity_of("parameter-added", Direction.REQUEST, "new-required-request-parameter") is Severity.INFO


def test_an_exception_by_alias_accepts_what_the_alias_means() -> None:
    """An entry for the optional one does not accept the required one."""
    entry = ExceptionEntry(
        rule="new-optional-request-parameter",
        service="api",
        reason="agreed",
        owner="team",
        expires=date(2100, 1, 1),
        location=Location("guardian.exceptions.yaml"),
    )
    for head, expected in ((parameter(STRING), True), (parameter(STRING, required=True), False)):
        (change,) = [each for each in changes(api("{/t: {get: {}}}"), head) if each.rule == "parameter-added"]
        assert matches(entry, change, {"api": ("api",)}) is expected


def test_a_rule_is_found_by_alias() -> None:
    """``guardian explain`` takes either name, and says why there is no rule where there is none."""
    assert find_rule("new-optional-request-parameter").id == "parameter-added"
    with pytest.raises(UsageError) as caught:
        find_rule("api-schema-removed")
    assert "not on the wire" in str(caught.value.hint)

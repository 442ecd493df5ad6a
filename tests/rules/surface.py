"""Everything that OpenAPI 2.0 to 3.2 and JSON Schema 2020-12 let a document say, from the standards' own tables.

Names are written as rules claim them: ``Object.field``, ``Swagger.Object.field`` for what only 2.0 has, the bare keyword
for schemas. ``name@3.1`` came with that version. https://spec.openapis.org/oas/, https://json-schema.org/draft/2020-12.
"""

from __future__ import annotations

VERSIONS = ("2.0", "3.0", "3.1", "3.2")

_OPENAPI = {
    "OpenAPI": (
        "openapi $self@3.2 info jsonSchemaDialect@3.1 servers paths webhooks@3.1 components security tags externalDocs"
    ),
    "Info": "title summary@3.1 description termsOfService contact license version",
    "Contact": "name url email",
    "License": "name identifier@3.1 url",
    "Server": "url description name@3.2 variables",
    "ServerVariable": "enum default description",
    "Components": (
        "schemas responses parameters examples requestBodies headers securitySchemes links callbacks pathItems@3.1 "
        "mediaTypes@3.2"
    ),
    "Paths": "{path}",
    "PathItem": (
        "$ref summary description get put post delete options head patch trace query@3.2 additionalOperations@3.2 "
        "servers parameters"
    ),
    "Operation": (
        "tags summary description externalDocs operationId parameters requestBody responses callbacks deprecated "
        "security servers x-sunset x-stability-level"
    ),
    "ExternalDocumentation": "description url",
    "Parameter": (
        "name in description required deprecated allowEmptyValue style explode allowReserved schema example examples "
        "content x-sunset"
    ),
    "RequestBody": "description content required",
    "MediaType": "schema itemSchema@3.2 example examples encoding prefixEncoding@3.2 itemEncoding@3.2",
    "Encoding": ("contentType headers style explode allowReserved encoding@3.2 prefixEncoding@3.2 itemEncoding@3.2"),
    "Responses": "default {status}",
    "Response": "summary@3.2 description headers content links",
    "Callback": "{expression}",
    "Example": "summary description value externalValue dataValue@3.2 serializedValue@3.2",
    "Link": "operationRef operationId parameters requestBody description server",
    "Header": "description required deprecated style explode schema example examples content x-sunset",
    "Tag": "name summary@3.2 description externalDocs parent@3.2 kind@3.2",
    "Reference": "$ref summary@3.1 description@3.1",
    "SecurityScheme": (
        "type description name in scheme bearerFormat flows openIdConnectUrl oauth2MetadataUrl@3.2 deprecated@3.2"
    ),
    "OAuthFlows": "implicit password clientCredentials authorizationCode deviceAuthorization@3.2",
    "OAuthFlow": "authorizationUrl deviceAuthorizationUrl@3.2 tokenUrl refreshUrl scopes",
    "SecurityRequirement": "{name}",
    "Discriminator": "propertyName mapping defaultMapping@3.2",
    "XML": "name namespace prefix attribute wrapped nodeType@3.2",
}

# What 2.0 shares with the others.
_SHARED = {
    "OpenAPI": "info paths security tags externalDocs",
    "Info": "title description termsOfService contact license version",
    "Contact": "name url email",
    "License": "name url",
    "Paths": "{path}",
    "PathItem": "$ref get put post delete options head patch parameters",
    "Operation": (
        "tags summary description externalDocs operationId parameters responses deprecated security x-sunset "
        "x-stability-level"
    ),
    "ExternalDocumentation": "description url",
    "Parameter": "name in description required allowEmptyValue schema x-sunset",
    "Responses": "default {status}",
    "Response": "description headers",
    "Header": "description x-sunset",
    "Tag": "name description externalDocs",
    "Reference": "$ref",
    "SecurityScheme": "type description name in",
    "SecurityRequirement": "{name}",
    "Discriminator": "propertyName",
    "XML": "name namespace prefix attribute wrapped",
}

# What 2.0 has and later versions write elsewhere.
_SWAGGER = {
    "": "swagger host basePath schemes consumes produces definitions parameters responses securityDefinitions",
    "Operation.": "consumes produces schemes",
    "Parameter.": "collectionFormat type items",
    "Items.": "collectionFormat",
    "Response.": "schema examples",
    "Header.": "collectionFormat type items",
    "SecurityScheme.": "flow authorizationUrl tokenUrl scopes",
}

_SCHEMA = {
    "core": (
        "$schema@3.1 $vocabulary@3.1 $id@3.1 $anchor@3.1 $dynamicAnchor@3.1 $ref $dynamicRef@3.1 $defs@3.1 $comment@3.1"
    ),
    "applicators": (
        "allOf anyOf@3.0 oneOf@3.0 not@3.0 if@3.1 then@3.1 else@3.1 dependentSchemas@3.1 prefixItems@3.1 items "
        "contains@3.1 properties patternProperties@3.1 additionalProperties propertyNames@3.1 unevaluatedItems@3.1 "
        "unevaluatedProperties@3.1"
    ),
    "validation": (
        "type enum const@3.1 multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern "
        "maxItems minItems uniqueItems maxContains@3.1 minContains@3.1 maxProperties minProperties required "
        "dependentRequired@3.1"
    ),
    "annotations": "title description default deprecated@3.0 readOnly writeOnly@3.0 examples@3.1",
    "format and content": "format contentEncoding@3.1 contentMediaType@3.1 contentSchema@3.1",
    "earlier drafts": "definitions@3.1 dependencies@3.1 additionalItems@3.1 $recursiveRef@3.1 $recursiveAnchor@3.1",
    "OpenAPI": "discriminator xml externalDocs example nullable@3.0 x-nullable",
    "extensions in use": "x-extensible-enum x-sunset x-stability-level",
}
# Keywords of one version only.
_ONLY = {"x-nullable": "2.0", "nullable": "3.0"}


def _versions(since: str) -> frozenset[str]:
    return frozenset(version for version in VERSIONS if version >= since)


def _fields() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for owner, names in _OPENAPI.items():
        for name in names.split():
            field, _, since = name.partition("@")
            found[f"{owner}.{field}"] = _versions(since or "3.0")
    for owner, names in _SHARED.items():
        for name in names.split():
            found[f"{owner}.{name}"] |= {"2.0"}
    for owner, names in _SWAGGER.items():
        for name in names.split():
            found[f"Swagger.{owner}{name}"] = frozenset(("2.0",))
    return found


def _keywords() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for names in _SCHEMA.values():
        for name in names.split():
            keyword, _, since = name.partition("@")
            only = _ONLY.get(keyword)
            found[keyword] = frozenset((only,)) if only else _versions(since or "2.0")
    return found


#: Field to the versions that have it.
FIELDS = _fields()
#: Schema keyword to the versions that have it.
KEYWORDS = _keywords()

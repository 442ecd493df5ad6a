"""The fields of OpenAPI and keywords of JSON Schema that no rule answers for, each with the reason.

What is not here is claimed by a rule (``claims`` in its decorator); ``tests/rules/test_coverage.py`` holds both against
the standards' own lists, so that nothing is left out by accident. A name is written as in ``claims``: ``Object.field``
for OpenAPI, ``Swagger.`` before it for what only OpenAPI 2.0 has, and the bare keyword for schemas.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_TEXT = "Text for people; no message carries it."
_EXAMPLE = "An example shows what messages may look like and demands nothing; real documents have many that are wrong."
_ADDRESS = (
    "Says how a place is referred to. References are followed, so what stands there is compared, not its address."
)
_NOTATION = "Says how the document is written. Both sides are compared by meaning, in whatever notation."
_PLACE = "A place to keep what is used elsewhere; it is compared where an operation uses it."
_HANDLING = "Says how documentation is arranged, not what is sent."

ANNOTATIONS: Mapping[str, str] = MappingProxyType(
    {
        # -- the document ----------------------------------------------------------------------------------------------
        "OpenAPI.openapi": _NOTATION,
        "OpenAPI.$self": _ADDRESS,
        "OpenAPI.jsonSchemaDialect": _NOTATION,
        "OpenAPI.info": _TEXT,
        "OpenAPI.components": _PLACE,
        "OpenAPI.tags": _HANDLING,
        "OpenAPI.externalDocs": _TEXT,
        "Swagger.swagger": _NOTATION,
        "Swagger.definitions": _PLACE,
        "Swagger.parameters": _PLACE,
        "Swagger.responses": _PLACE,
        **{
            f"Info.{name}": _TEXT
            for name in ("title", "summary", "description", "termsOfService", "contact", "license")
        },
        "Info.version": "A number for people; whether it grew with what broke is the lifecycle rules' to ask.",
        **{f"Contact.{name}": _TEXT for name in ("name", "url", "email")},
        **{f"License.{name}": _TEXT for name in ("name", "identifier", "url")},
        **{f"ExternalDocumentation.{name}": _TEXT for name in ("description", "url")},
        **{f"Tag.{name}": _HANDLING for name in ("name", "summary", "description", "externalDocs", "parent", "kind")},
        "Server.description": _TEXT,
        "Server.name": _TEXT,
        "ServerVariable.description": _TEXT,
        # -- components: names are not on the wire -----------------------------------------------------------------------
        "Components.schemas": _PLACE,
        "Components.examples": _EXAMPLE,
        # -- paths and operations ------------------------------------------------------------------------------------------
        "PathItem.summary": _TEXT,
        "PathItem.description": _TEXT,
        "Operation.summary": _TEXT,
        "Operation.description": _TEXT,
        "Operation.externalDocs": _TEXT,
        "Reference.$ref": _ADDRESS,
        "Reference.summary": _TEXT,
        "Reference.description": _TEXT,
        # -- messages --------------------------------------------------------------------------------------------------------
        "Parameter.description": _TEXT,
        "Parameter.example": _EXAMPLE,
        "Parameter.examples": _EXAMPLE,
        "RequestBody.description": _TEXT,
        "MediaType.example": _EXAMPLE,
        "MediaType.examples": _EXAMPLE,
        "Response.description": _TEXT,
        "Response.summary": _TEXT,
        "Swagger.Response.examples": _EXAMPLE,
        "Header.description": _TEXT,
        "Header.example": _EXAMPLE,
        "Header.examples": _EXAMPLE,
        "Link.description": _TEXT,
        **{
            f"Example.{name}": _EXAMPLE
            for name in ("summary", "description", "value", "externalValue", "dataValue", "serializedValue")
        },
        "SecurityScheme.description": _TEXT,
        # -- schemas -----------------------------------------------------------------------------------------------------------
        **dict.fromkeys(("title", "description", "$comment", "externalDocs"), _TEXT),
        **dict.fromkeys(("example", "examples"), _EXAMPLE),
        **dict.fromkeys(
            ("$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$ref", "$dynamicRef", "$recursiveRef"), _ADDRESS
        ),
        **dict.fromkeys(("$defs", "definitions"), _PLACE),
        **dict.fromkeys(("$schema", "$vocabulary"), _NOTATION),
        "XML.prefix": "XML readers go by the namespace; the prefix is any word for it (Namespaces in XML 1.0).",
    }
)

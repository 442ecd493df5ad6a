"""What differs between OpenAPI 2.0, 3.0, 3.1 and 3.2, as data: one frozen ``Dialect`` per version.

Readers ask the dialect instead of comparing version strings, so that a new version is a new value here. Pointers
are JSON pointers from the document's root; see the specifications at https://spec.openapis.org.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from guardian.errors import ReadError

_METHODS_2 = ("get", "put", "post", "delete", "options", "head", "patch")
_METHODS_3 = (*_METHODS_2, "trace")
_STYLES_3 = MappingProxyType({"query": "form", "path": "simple", "header": "simple", "cookie": "form"})


class Dialect(NamedTuple):
    """One version of the OpenAPI Specification.

    Attributes:
        version: ``2.0``, ``3.0``, ``3.1`` or ``3.2``; patch versions mean the same.
        components: kind of reusable object (``schemas``, ``parameters``, ...) to the pointer of its map.
        methods: the fixed operation fields of a Path Item, in the specification's order.
        additional_operations: the Path Item field with operations of other methods (3.2), or None.
        webhooks: root fields that hold webhooks; ``x-webhooks`` is a wide-spread extension of 3.0.
        default_styles: parameter location to the style that holds when none is written.
        exploded_styles: styles that explode unless the document says otherwise.
        parameter_locations: where a parameter may be.
        ignored_headers: header parameters that the specification tells readers to ignore, lower case.
        reserved_locations: where ``allowReserved`` means something, as nowhere else a parameter is percent-encoded.
        collection_formats: 2.0's ``collectionFormat`` as (style or "" for the location's default, explode).
        reference_siblings: fields beside ``$ref`` that count, where the target is not a schema.
        schema_siblings: whether keywords beside ``$ref`` count in a schema (JSON Schema 2020-12: yes).
        json_schema: whether schemas are JSON Schema 2020-12: ``$id``, ``$anchor``, type lists, boolean schemas,
            numeric exclusive bounds.
        nullable: the keyword that adds null to a type, or None.
        request_body: whether request bodies are objects of their own (else ``in: body`` and ``in: formData``).
        self_uri: whether a root ``$self`` sets the document's base URI.
        scheme_uris: whether a security requirement may name a scheme by its URI.
    """

    version: str
    components: Mapping[str, str]
    methods: tuple[str, ...]
    default_styles: Mapping[str, str]
    exploded_styles: frozenset[str] = frozenset(("form",))
    additional_operations: str | None = None
    webhooks: tuple[str, ...] = ()
    parameter_locations: frozenset[str] = frozenset(("query", "path", "header", "cookie"))
    ignored_headers: frozenset[str] = frozenset(("accept", "content-type", "authorization"))
    reserved_locations: frozenset[str] = frozenset(("query",))
    reference_siblings: frozenset[str] = frozenset()
    schema_siblings: bool = False
    json_schema: bool = False
    nullable: str | None = None
    request_body: bool = True
    self_uri: bool = False
    scheme_uris: bool = False
    collection_formats: Mapping[str, tuple[str, bool]] = {}


def _components(*kinds: str) -> Mapping[str, str]:
    return MappingProxyType({kind: f"/components/{kind}" for kind in kinds})


_KINDS_3 = (
    "schemas",
    "responses",
    "parameters",
    "examples",
    "requestBodies",
    "headers",
    "securitySchemes",
    "links",
    "callbacks",
)
_KINDS_31 = (*_KINDS_3, "pathItems")
_SIBLINGS_31 = frozenset(("summary", "description"))

SWAGGER_2_0 = Dialect(
    version="2.0",
    components=MappingProxyType(
        {
            "schemas": "/definitions",
            "responses": "/responses",
            "parameters": "/parameters",
            "securitySchemes": "/securityDefinitions",
        }
    ),
    methods=_METHODS_2,
    default_styles=MappingProxyType({"query": "form", "path": "simple", "header": "simple"}),
    parameter_locations=frozenset(("query", "path", "header")),
    ignored_headers=frozenset(),
    reserved_locations=frozenset(),
    nullable="x-nullable",
    request_body=False,
    collection_formats=MappingProxyType(
        {
            "csv": ("", False),
            "ssv": ("spaceDelimited", False),
            "tsv": ("tabDelimited", False),
            "pipes": ("pipeDelimited", False),
            "multi": ("form", True),
        }
    ),
)

OPENAPI_3_0 = Dialect(
    version="3.0",
    components=_components(*_KINDS_3),
    methods=_METHODS_3,
    default_styles=_STYLES_3,
    webhooks=("x-webhooks",),
    nullable="nullable",
)

OPENAPI_3_1 = Dialect(
    version="3.1",
    components=_components(*_KINDS_31),
    methods=_METHODS_3,
    default_styles=_STYLES_3,
    webhooks=("webhooks", "x-webhooks"),
    reference_siblings=_SIBLINGS_31,
    schema_siblings=True,
    json_schema=True,
)

OPENAPI_3_2 = Dialect(
    version="3.2",
    components=_components(*_KINDS_31, "mediaTypes"),
    methods=(*_METHODS_3, "query"),
    default_styles=_STYLES_3,
    exploded_styles=frozenset(("form", "cookie")),
    additional_operations="additionalOperations",
    webhooks=("webhooks", "x-webhooks"),
    parameter_locations=frozenset(("query", "querystring", "path", "header", "cookie")),
    reserved_locations=frozenset(("query", "path", "cookie")),
    reference_siblings=_SIBLINGS_31,
    schema_siblings=True,
    json_schema=True,
    self_uri=True,
    scheme_uris=True,
)

DIALECTS: Mapping[str, Dialect] = MappingProxyType(
    {dialect.version: dialect for dialect in (SWAGGER_2_0, OPENAPI_3_0, OPENAPI_3_1, OPENAPI_3_2)}
)

_VERSION = re.compile(r"(\d+)\.(\d+)(?:\.\d+)?(?:-.+)?")


def is_openapi(root: Any) -> bool:
    """Whether plain data claims to be an OpenAPI document of any version, readable here or not."""
    return isinstance(root, dict) and any(
        isinstance(root.get(marker), (str, int, float)) for marker in ("openapi", "swagger")
    )


def dialect_of(root: Any, file: str) -> Dialect:
    """The dialect that a document says it is written in.

    A version written as a number (``openapi: 3.1``, ``swagger: 2.0``) counts as its text.

    Raises:
        ReadError: not an OpenAPI document, or a version that is not 2.0, 3.0, 3.1 or 3.2.
    """
    if not isinstance(root, dict):
        found = "it is empty" if root is None else f"its root is a {_kind(root)}, not an object"
        raise ReadError(f"not an OpenAPI document: {found}", file=file)
    marker = "openapi" if "openapi" in root else "swagger"
    if marker not in root:
        raise ReadError(
            "not an OpenAPI document: it has neither an `openapi` nor a `swagger` field",
            file=file,
            hint=_other_format(root),
        )
    written = root[marker]
    # `swagger: 2` is what is left of 2.0 after a careless round trip.
    text = f"{written}.0" if type(written) is int else str(written).strip()
    version = _VERSION.fullmatch(text) if type(written) in (str, int, float) else None
    if version is None:
        raise _read_error(f"`{marker}: {written}` is not a version", file, marker)
    dialect = DIALECTS.get(f"{version[1]}.{version[2]}")
    if dialect is None or (dialect is SWAGGER_2_0) != (marker == "swagger"):
        raise _read_error(f"`{marker}: {written}` is not a version that guardian reads", file, marker)
    return dialect


def _read_error(message: str, file: str, marker: str) -> ReadError:
    error = ReadError(message, file=file, hint="supported are swagger 2.0 and openapi 3.0, 3.1 and 3.2")
    error.pointer = f"/{marker}"
    return error


def _other_format(root: Mapping[str, Any]) -> str | None:
    for key, name in (("asyncapi", "AsyncAPI"), ("swaggerVersion", "Swagger 1.x"), ("overlay", "Overlay")):
        if key in root:
            return f"it looks like {name}; guardian reads OpenAPI 2.0 to 3.2"
    return None


def _kind(value: Any) -> str:
    return {list: "list", str: "string", bool: "boolean"}.get(type(value), "number")
